//! An expression over a range of whole numbers: its sum in closed form, its largest value, and
//! where that is reached.
//!
//! In come facts, a variable with its range, and an expression of the variable; out comes an
//! expression without it. What no rule closes stays a `Σ`, and a maximum that is not provable is
//! none; a plain bound ([`above`]) there nearly always is.
//!
//! No value is ever added up one by one here, and no range is taken to be non-empty without a
//! proof.

pub(crate) mod above;
pub(crate) mod argmax;
pub(crate) mod closed_form;
mod floor_sums;
pub(crate) mod maximum;
mod piecewise;
mod polynomial;
pub(crate) mod range;
