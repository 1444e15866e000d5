//! The rows of a sweep, whatever form they take: one a model and figure, tidy, or one a point.

pub mod csv;
pub mod json;
pub mod wide;
