//! Whether something follows from the facts. Sound and incomplete: an answer is a proof, its
//! absence means nothing.
//!
//! In come facts and a condition, or an expression and a question: is it ≥ 0, > 0, whole? Out
//! comes yes, no or unknown, and the facts remember which assumptions were needed.
//!
//! No expression is rewritten for others here, and no search goes on beyond the work that the facts
//! allow.

pub(crate) mod bounds;
pub(crate) mod consequences;
pub(crate) mod decide;
pub(crate) mod dominance;
pub(crate) mod integer;
mod measure;
pub(crate) mod powers;
mod search;
pub(crate) mod sign;
