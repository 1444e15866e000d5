//! ATGPU: pseudocode for GPU algorithms, checked, derived, costed and run.

pub mod check;
pub mod cost;
pub mod count;
pub mod data;
pub mod derive;
pub mod diag;
pub mod exec;
pub mod machine;
pub mod number;
pub mod report;
pub mod sym;
pub mod syntax;
pub mod text;
pub mod value;
pub mod verify;
pub mod vet;
