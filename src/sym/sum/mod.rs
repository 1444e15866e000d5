//! An expression over a range of whole numbers: its sum in closed form, its largest value, and
//! the place of that value.
//!
//! Takes facts, a variable with its range, and an expression of the variable. Gives an expression
//! without the variable. A sum that no rule closes stays a `Σ`, and an unprovable maximum is
//! `None`. A plain upper bound ([`above`]) nearly always exists.
//!
//! Adds values one by one only for short sums of numbers, and takes no range for non-empty
//! without a proof.

pub(crate) mod above;
pub(crate) mod argmax;
pub(crate) mod closed_form;
mod crossing;
mod floor_sums;
pub(crate) mod maximum;
mod piecewise;
mod polynomial;
pub(crate) mod range;
