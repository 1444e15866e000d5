//! The same value in a simpler form, under facts.
//!
//! In come facts and an expression or a condition; out comes one that is equal wherever the facts
//! hold: floors without their whole parts ([`floor`]), products as powers of one base
//! ([`powers`]), brackets joined ([`brackets`]), conditions decided or made plain ([`condition`]).
//!
//! No sum is closed here, and no form is taken because it looks better at some numbers: what is
//! not proved to be equal stays as it is.

mod brackets;
mod condition;
mod floor;
mod powers;
mod rewrite;
mod shorten;
