//! ATGPU: GPU algorithms on paper, checked, derived, costed and run.
//!
//! The language is the pseudocode of Carroll & Wong, *An Improved Abstract GPU Model with Data
//! Transfer* (paper 1), in files ending in `.atgpu`. From a text this crate derives, as exact
//! formulas in its own parameters, what the algorithm costs: operations, blocks of global memory,
//! words moved between host and device, rounds; and it executes it on data, counting the same.
//!
//! # In ten lines
//!
//! Put a program beside your code, and hold what is derived from it:
//!
//! ```
//! # macro_rules! include_str { ($file:literal) => {
//! #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
//! # }}
//! use atgpu::machine::Machine;
//!
//! let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
//!
//! // Symbols: every claim of the file holds, and this is what the algorithm costs.
//! let derivation = program.prove()?;
//! assert_eq!(derivation.formula("gpu_cost")?.to_string(), "3α + 3nβ + (13⌈k/(k'ℓ)⌉ + 3kλ)/γ + σ");
//!
//! // Numbers: what it costs on a card, without data.
//! let card = Machine::built_in("gtx650").expect("built in");
//! let costs = program.cost(&card, [("n", 1_000_000)])?;
//! assert_eq!(costs.counts().totals.transfer, 3_000_000.into());
//!
//! // Data: races, bounds, `ensure`s; and the counts must be those derived.
//! let run = program.run(&card, [("n", 1024)], &atgpu::exec::Options::default())?;
//! assert_eq!(run.agrees_with(&derivation), Some(true));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [`Derivation`] prints stably, so a test that holds a whole derivation has two lines:
//!
//! ```text
//! let derivation = atgpu::program(include_str!("scan.atgpu"))?.derive()?;
//! insta::assert_snapshot!(derivation);
//! ```
//!
//! And a `build.rs` that calls [`build::check`] makes faults of the programs errors of the build.
//!
//! # What is where
//!
//! [`program()`] and the methods of [`Program`] are all most users need. Behind them stands one
//! plain function a phase, from one value to the next:
//!
//! | phase | function | gives |
//! |---|---|---|
//! | read and check | [`check::check_text`] | the checked [`Program`], or diagnostics |
//! | derive | [`derive::derive`] | a [`Derivation`]: [`count::Counts`] as formulas ([`sym::Expr`]), claims judged |
//! | count without data | [`Program::cost`] | counts as numbers, at a [`Point`] |
//! | run | [`exec::Execution`] | counts as numbers, arrays, every fault of a run |
//! | compare the two | [`verify::verify`] | a verdict |
//! | judge | [`lint::lint`] | limits, provable faults, lints |
//! | cost | [`cost::Model`] | milliseconds on a [`Machine`] |
//! | show | [`mod@report`] | text, JSON, LaTeX |
//!
//! [`number`] holds the exact numbers everything is made of, [`text`] and [`diag`] sources and
//! diagnostics, [`syntax`] the tree and the formatter, [`mod@array`] arrays and their files.
//!
//! All that these pages show is meant to be called, and stays. What the command and the tests need
//! besides is hidden here and may change at any time.
//!
//! # What it does not do
//!
//! The library prints nothing, opens no file, reads no clock and no environment; text, bytes and a
//! seed come in, values go out. The one exception is [`mod@build`], which is for build scripts. It
//! never panics on anything a user wrote. `default-features = false` leaves out what only the
//! command `atgpu` needs, and the modules of the features `emit`, `study`, `editor` and `figures`.

// `pub` means that users can reach it; all else says `pub(crate)` or less.
#![warn(unreachable_pub)]
// The library is pure; `clippy.toml` says what that forbids. Unit tests are free.
#![cfg_attr(
    not(test),
    deny(
        clippy::disallowed_macros,
        clippy::disallowed_methods,
        clippy::exit,
        clippy::print_stderr,
        clippy::print_stdout
    )
)]
// Without a room, some helpers below it have no caller.
#![cfg_attr(
    not(all(
        feature = "editor",
        feature = "emit",
        feature = "figures",
        feature = "study"
    )),
    allow(dead_code, unused_imports)
)]

#[cfg(feature = "study")]
#[doc(hidden)]
pub mod advise;
pub mod array;
pub mod build;
pub mod check;
pub mod cost;
pub mod count;
pub mod derivation;
pub mod derive;
pub mod diag;
mod embed;
#[cfg(feature = "emit")]
pub mod emit;
pub mod exec;
pub mod lint;
pub mod machine;
pub mod number;
mod operations;
pub mod program;
pub mod report;
pub mod safety;
#[cfg(feature = "study")]
pub mod study;
pub mod sym;
mod symbolic;
pub mod syntax;
pub mod text;
pub mod verify;

// Insides that the command, the tests or the examples need. What is hidden from the documentation,
// here and further in, is no part of the interface and may change at any time.
#[cfg(feature = "editor")]
#[doc(hidden)]
pub mod editor;
#[doc(hidden)]
pub mod examples;
#[doc(hidden)]
pub mod interval;
#[doc(hidden)]
pub mod meaning;
#[doc(hidden)]
pub mod room;

pub use derivation::Derivation;
pub use embed::{Costs, Error, Finding, Findings, Run, program};
pub use machine::Machine;
pub use meaning::Point;
pub use program::Program;

/// The page on embedding, whose examples run with the others.
#[cfg(doctest)]
#[doc = include_str!("../docs/embedding.md")]
struct Embedding;
