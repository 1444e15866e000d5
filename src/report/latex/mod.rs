//! What every LaTeX report is made of: listings, mathematics, texts, and formulas within a width.
//!
//! Takes parts of a program and expressions; gives LaTeX. What a report says is not decided here.

pub(crate) mod layout;
pub(crate) mod listing;
pub(crate) mod math;
pub(crate) mod text;
