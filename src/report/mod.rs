//! Results in the forms people and tools read: one file per form.
//!
//! Values in, text out; nothing is printed here. Diagnostics are drawn by the command, which has
//! a terminal; their JSON is here.

pub mod calibration;
mod causes;
pub mod comparison;
pub mod counts;
pub mod derivation;
pub mod diagnostics;
pub mod figure;
mod formula;
pub mod json;
pub(crate) mod latex;
pub mod machines;
pub mod models;
mod numbers;
pub mod overlap;
pub mod sweep;
mod table;
pub mod test_run;
mod wrap;
