//! What is known: which symbols are whole, which conditions hold, what was concluded from them, and
//! how much work may still be spent on conclusions.
//!
//! In come conditions, as assumptions that are reported when used or as suppositions that are not;
//! out come the bounds, divisibilities and powers they say, the assumptions a proof has used, and
//! points at which all of them hold ([`models`]).
//!
//! Nothing is proved or rewritten here: those who do ask for what is known, and leave what they
//! concluded.

pub(crate) mod budget;
pub(crate) mod knowledge;
pub(crate) mod memo;
pub(crate) mod models;
