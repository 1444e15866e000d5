//! ATGPU: pseudocode for GPU algorithms, checked, derived, costed and run.

// The library is pure; `clippy.toml` says what that forbids. Unit tests are free.
#![cfg_attr(
    not(test),
    deny(
        clippy::disallowed_methods,
        clippy::exit,
        clippy::print_stderr,
        clippy::print_stdout
    )
)]

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
pub mod study;
pub mod sym;
pub mod syntax;
pub mod text;
pub mod value;
pub mod verify;
pub mod vet;
