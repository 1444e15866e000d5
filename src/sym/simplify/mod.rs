//! The same value in a simpler form, under facts.
//!
//! In come facts and an expression or a condition; out comes one that is equal wherever the facts
//! hold: floors without their whole parts ([`floor`]), products as powers of one base
//! ([`powers`]), brackets joined ([`brackets`]), conditions decided or made plain ([`condition`]). A finished form is
//! given a value wherever the facts hold ([`total`], by the operands of [`domain`], as it is [`written`]).
//!
//! Rules stand in lists, in the order in which they are tried ([`rule`]).
//!
//! No sum is closed here, and no form is taken because it looks better at some numbers: what is
//! not proved to be equal stays as it is.

pub(crate) mod brackets;
pub(crate) mod condition;
mod domain;
mod extremes;
pub(crate) mod floor;
mod functions;
mod powers;
pub(crate) mod rewrite;
mod rule;
pub(crate) mod shorten;
#[cfg(test)]
mod tests;
pub(crate) mod total;
mod written;
