//! Diagnostics in their forms: plain text, JSON, annotations of GitHub Actions, SARIF.
//!
//! Takes diagnostics and the source they speak of; gives text or JSON values. Draws nothing on a
//! terminal: that is the command's.

pub mod github;
pub mod json;
pub mod sarif;
pub mod text;
