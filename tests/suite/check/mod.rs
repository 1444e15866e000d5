//! `src/check`: what a checked program says, and what is wrong with one.

mod diagnostics;
mod program;
mod registers;
