//! Diagnostics in their forms: plain text, JSON, annotations of GitHub Actions, SARIF.
//!
//! Takes diagnostics and the source they speak of; gives text or JSON values. Draws nothing on a
//! terminal: that is the command's.

mod github;
mod json;
mod sarif;
pub mod text;

pub use github::annotation;
pub use json::json;
pub use sarif::sarif;
