//! The made-up programs of `tests/suite/verify/generated/` by themselves: `cargo test --release --test generated`.
//!
//! `cargo test` runs them in the suite; `.ci/run long` and whoever tries more of them run them optimised, and to
//! build the whole suite for that takes seven times the time. Hence `test = false` in `Cargo.toml`.

#[allow(dead_code, reason = "other suites use the rest")]
#[path = "suite/support/mod.rs"]
mod support;
#[path = "suite/verify"]
mod verify {
    pub mod generated;
}
