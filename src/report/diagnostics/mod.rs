//! Diagnostics in their forms: plain text, JSON, annotations of GitHub Actions, SARIF.
//!
//! Takes diagnostics and their source; gives text or JSON values. The command draws on the terminal, not
//! this module.

mod github;
mod json;
mod sarif;
pub mod text;

pub use github::annotation;
pub use json::json;
pub use sarif::sarif;
