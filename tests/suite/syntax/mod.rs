//! `src/syntax`: text to tree and back, and what is wrong with a text.

mod diagnostics;
mod expressions;
mod format;
mod recovery;
mod robustness;
mod statements;
