//! Results in the forms people and tools read: one file per form.
//!
//! Values in, text out; nothing is printed here. Diagnostics are drawn by the command, which has
//! a terminal; their JSON is here.

pub mod counts;
pub mod json;
pub mod machines;
pub mod models;
mod numbers;
mod table;
pub mod text;
