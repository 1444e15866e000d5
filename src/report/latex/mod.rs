//! The parts of every LaTeX report: listings, mathematics, texts, and formulas within a width.
//!
//! Takes parts of a program and expressions, and gives LaTeX. The contents of a report are decided elsewhere.

pub(crate) mod layout;
pub(crate) mod listing;
pub(crate) mod math;
pub(crate) mod text;
