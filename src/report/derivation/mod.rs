//! A derivation in its forms: text, JSON, LaTeX, and where each total comes from.
//!
//! Takes a derivation and its program; gives text. Derives nothing.

pub mod claims;
pub mod cycles;
pub mod explanation;
pub mod json;
pub mod latex;
pub mod text;
