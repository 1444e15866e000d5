//! What `cost` and `run` have to say: counts at given parameters, the models' estimates, and how
//! the run went. The same value becomes text or JSON.

mod accuracy;
pub mod arrays;
pub(crate) mod json;
mod text;

pub use json::json;
pub use text::text;

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
    /// Where the numbers come from.
    pub method: Method,
    /// The counts; upper bounds where `bounds` names the quantity.
    pub counts: &'a Counts<BigInt>,
    /// Quantities that are upper bounds only, with the reason.
    pub bounds: &'a [Bound],
    /// What the machine's own weights and memory rules make of the kernels, where a model asked.
    pub charges: Option<&'a Charged>,
    /// What each model asked for says, by its name.
    pub estimates: &'a [(&'static str, Estimate)],
    /// Which counts and figures are exact.
    pub exact: &'a Exact,
}

/// Where the numbers of a [`CountsReport`] come from.
#[derive(Debug)]
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

/// How a run went, besides its counts.
#[derive(Debug, Default)]
pub struct RunReport {
    /// Every `ensure`, in text order.
    pub ensures: Vec<EnsureOutcome>,
    /// Whether derivation and execution agree; none when nothing could be derived.
    pub matches_derivation: Option<bool>,
    /// How long each repetition took, transfers and rounds, in seconds; empty where nobody has a
    /// clock.
    pub seconds: Vec<f64>,
    /// How long it took to test the `ensure`s, once, in seconds.
    pub ensure_seconds: f64,
    /// Σ over executed instructions of operations × active cores.
    pub lane_operations: BigInt,
}

/// Whether one `ensure` holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnsureOutcome {
    /// The condition as written.
    pub text: String,
    /// Its line.
    pub line: usize,
    /// Whether it holds.
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
