//! ATGPU: pseudocode for GPU algorithms, checked, derived, costed and run.

pub mod check;
pub mod count;
pub mod diag;
pub mod number;
pub mod sym;
pub mod syntax;
pub mod text;
pub mod value;
