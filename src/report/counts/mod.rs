//! The result of `cost` and `run`: counts at given parameters, the models' estimates, and the outcome of a
//! run. The same value becomes text or JSON.

mod accuracy;
pub mod arrays;
pub(crate) mod json;
mod text;
pub mod trace;

pub use json::json;
pub use text::text;

use std::num::NonZeroU64;

use indexmap::IndexMap;

use crate::cost::{Estimate, Exact};
use crate::count::{Charged, Counts};
use crate::derivation::Bound;
use crate::derive::numbers;
use crate::machine::Machine;
use crate::number::BigInt;

/// The result of `cost` or `run`.
#[derive(Debug)]
pub struct CountsReport<'a> {
    /// The algorithm's name.
    pub algorithm: &'a str,
    /// The machine, overrides applied.
    pub machine: &'a Machine,
    /// Formal and machine parameters by name.
    pub parameters: &'a IndexMap<String, BigInt>,
    /// The source of the numbers.
    pub method: Method,
    /// The most cores on a word of an `atomic` that is assumed, where data decide; `None` if nothing is.
    pub contention: Option<NonZeroU64>,
    /// The counts; a quantity named in `bounds` is an upper bound.
    pub counts: &'a Counts<BigInt>,
    /// Quantities that are upper bounds only, with the reason.
    pub bounds: &'a [Bound],
    /// The charges of the kernels by the machine's own weights and memory rules, if a model needs them.
    pub charges: Option<&'a Charged>,
    /// The estimate of each requested model, by name.
    pub estimates: &'a [(&'static str, Estimate)],
    /// The exact ones among the counts and figures.
    pub exact: &'a Exact,
}

/// The source of the numbers in a [`CountsReport`].
#[derive(Debug)]
#[non_exhaustive]
pub enum Method {
    /// From the closed forms of the derivation.
    Derived,
    /// By counting without data.
    Counted,
    /// By running on data.
    Run(RunReport),
}

impl From<numbers::Method> for Method {
    fn from(method: numbers::Method) -> Self {
        match method {
            numbers::Method::Derived => Method::Derived,
            numbers::Method::Counted => Method::Counted,
        }
    }
}

/// The outcome of a run besides its counts.
#[derive(Debug, Default)]
pub struct RunReport {
    /// Every `ensure`, in text order.
    pub ensures: Vec<EnsureOutcome>,
    /// True if derivation and execution agree; `None` if nothing could be derived.
    pub matches_derivation: Option<bool>,
    /// The duration of each repetition, transfers and rounds, in seconds; empty without a clock.
    pub seconds: Vec<f64>,
    /// The duration of testing the `ensure`s once, in seconds.
    pub ensure_seconds: f64,
    /// Σ over executed instructions of operations × active cores.
    pub lane_operations: BigInt,
}

/// The outcome of one `ensure`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnsureOutcome {
    /// The condition as written.
    pub text: String,
    /// Its line.
    pub line: usize,
    /// True if it holds.
    pub holds: bool,
}

impl RunReport {
    /// The median of the repetitions; 0 without any.
    pub(crate) fn median_seconds(&self) -> f64 {
        let mut sorted = self.seconds.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_one() {
        let of = |seconds: &[f64]| {
            RunReport {
                seconds: seconds.to_vec(),
                ..RunReport::default()
            }
            .median_seconds()
        };
        assert_eq!(of(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(of(&[3.0, 1.0]), 3.0);
        assert_eq!(of(&[]), 0.0);
    }
}
