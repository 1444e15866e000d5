//! Proofs that something follows from the facts. Sound and incomplete: an answer is a proof, a
//! missing answer means nothing.
//!
//! Takes facts and a condition, or an expression and a question: is it ≥ 0, > 0, whole? Gives
//! yes, no or unknown. The facts remember which assumptions were needed.
//!
//! Rewrites no expression for other modules. Every search ends within the work that the facts
//! allow.

pub(crate) mod beside;
pub(crate) mod bounds;
pub(crate) mod consequences;
pub(crate) mod decide;
pub(crate) mod divisors;
pub(crate) mod dominance;
pub(crate) mod integer;
mod measure;
pub(crate) mod powers;
mod search;
pub(crate) mod sign;
