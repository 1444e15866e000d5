//! The tests of the crate, in folders named after what they test: those of `src/cost/` are in `cost/`.
//!
//! `cargo test --test suite study::` runs those of a folder, `study::sweep` those of a file. What a
//! file reads (programs, sessions, snapshots) lies in a folder of its name beside it.
//!
//! One binary, because each links the whole crate. On their own are only tests that need a process:
//! `interrupt` and `watch` (time and signals) and `embedding` (it builds a user's crate). `generated` is
//! `verify::generated` once more, for optimised runs.

mod advise;
mod api;
mod architecture;
mod check;
mod cli;
mod dependencies;
mod derive;
mod diag;
mod documents;
mod editor;
mod editors;
mod embed;
mod emit;
mod exec;
mod fuzzed;
mod lint;
mod machine;
mod meaning;
mod programs;
mod report;
mod safety;
mod schemas;
mod study;
mod support;
mod sym;
mod syntax;
mod thresholds;
mod verify;
