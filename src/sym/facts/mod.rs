//! Knowledge: the whole symbols, the conditions that hold, the conclusions drawn from them, and
//! the work that may still be spent on conclusions.
//!
//! Takes conditions, as assumptions (reported when used) or as suppositions (never reported).
//! Gives the bounds, divisibilities and powers that they state, the assumptions that a proof has
//! used, and points at which all of them hold ([`models`]).
//!
//! Proves and rewrites nothing itself. Provers and simplifiers read the knowledge here and leave
//! their conclusions here.

pub(crate) mod budget;
pub(crate) mod knowledge;
mod known;
mod learn;
pub(crate) mod memo;
pub(crate) mod models;
