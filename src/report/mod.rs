//! Results in the forms people and tools read: one file per form.
//!
//! Values in, text out; nothing is printed here. Diagnostics are drawn by the command, which has
//! a terminal; their JSON is here.

pub mod arrays;
pub mod charges;
pub mod claims;
pub mod counts;
pub mod csv;
pub mod derivation;
mod formula;
pub mod json;
pub mod latex;
pub mod machines;
pub mod models;
mod numbers;
pub mod overlap;
pub mod plain;
mod rows;
mod table;
pub mod tests;
pub mod text;
