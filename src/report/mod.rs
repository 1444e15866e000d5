//! Results in the forms people and tools read: one file per form.
//!
//! Values in, text out; nothing is printed here. Diagnostics are drawn by the command, which has
//! a terminal; their JSON is here.

pub mod arrays;
pub mod calibration;
mod causes;
pub mod charges;
pub mod claims;
pub mod comparison;
pub mod counts;
pub mod csv;
pub mod derivation;
pub mod explanation;
pub mod figure;
mod formula;
pub mod github;
pub mod json;
pub mod latex;
mod latex_listing;
mod latex_math;
mod latex_room;
mod latex_text;
pub mod machines;
pub mod models;
mod numbers;
pub mod overlap;
pub mod plain;
pub mod plot;
mod rows;
mod table;
pub mod tests;
pub mod text;
mod wrap;
