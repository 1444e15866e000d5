//! `src/editor`: what is shown of a text at a place, marked `¦` in it; and `atgpu lsp` over it, spoken
//! to on standard input and output.

mod clients;
mod features;
mod session;
