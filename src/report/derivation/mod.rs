//! A derivation in its forms: text, JSON, LaTeX, functions of other languages, and where each total
//! comes from.
//!
//! Takes a derivation and its program; gives text. Derives nothing.

pub mod claims;
pub mod cycles;
pub mod explanation;
pub mod functions;
pub(crate) mod json;
mod latex;
mod text;

pub use json::json;
pub use latex::{TABLE, latex, latex_table};
pub use text::{closing_text, text};
