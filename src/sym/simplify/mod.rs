//! Simplification under facts: the same value in a simpler form.
//!
//! Takes facts and an expression or a condition. Gives one that is equal wherever the facts hold.
//! Floors lose their whole parts ([`floor`]), products become powers of one base ([`powers`]),
//! brackets are joined ([`brackets`]), conditions are decided or made plain ([`condition`]).
//! A finished form gets a value wherever the facts hold ([`total`], by the operands of [`domain`], as it
//! is [`written`]).
//!
//! Rules stand in lists, in the order in which they are tried ([`rule`]).
//!
//! Closes no sums, and never picks a form because it looks better at some numbers. A form that is
//! not proved equal is not used.

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
