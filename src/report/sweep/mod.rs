//! The rows of a sweep: one per model and figure (tidy), or one per point (wide).

pub mod csv;
pub mod json;
pub mod wide;
