//! Memory limits that a program exceeds, with the words of each array.

use std::fmt;

use crate::diag::{Diagnostic, Label};
use crate::machine::Exceeded;
use crate::meaning::PointValues;
use crate::number::{BigInt, grouped, legible};
use crate::program::{Program, VarId};

/// More words than the machine has, and the arrays that hold them.
#[derive(Debug, Clone)]
pub(super) struct LimitError {
    pub(super) exceeded: Exceeded,
    /// The arrays and the words of each; empty where only the sum is known.
    pub(super) arrays: Vec<(VarId, BigInt)>,
    pub(super) fits: Option<Fitting>,
    /// An upper bound on the words needed, as a formula.
    pub(super) need: Option<String>,
    /// The values at which the limit is exceeded, where the user gave none.
    pub(super) at: Option<PointValues>,
}

/// The largest value of a parameter with which the words fit. It displays as a sentence.
#[derive(Debug, Clone)]
pub(super) struct Fitting {
    pub(super) parameter: String,
    pub(super) largest: BigInt,
}

impl fmt::Display for Fitting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fitting { parameter, largest } = self;
        let largest = legible(&grouped(largest));
        write!(f, "the largest {parameter} that fits is {largest}")
    }
}

impl LimitError {
    /// Builds an error for a number of words whose arrays are not known.
    pub(super) fn bare(exceeded: Exceeded) -> LimitError {
        LimitError {
            exceeded,
            arrays: Vec::new(),
            fits: None,
            need: None,
            at: None,
        }
    }

    /// Builds the diagnostic, with a label for each array, the largest first.
    pub(super) fn diagnose(&self, program: &Program) -> Diagnostic {
        let mut arrays: Vec<&(VarId, BigInt)> = self.arrays.iter().collect();
        arrays.sort_by(|left, right| right.1.cmp(&left.1).then(left.0.cmp(&right.0)));
        let labels = arrays.iter().enumerate().map(|(at, (id, words))| Label {
            text: format!("{} words", legible(&grouped(words))),
            span: program.variable(*id).span,
            primary: at == 0,
        });
        let remedy = self.exceeded.help();
        let fits = self.fits.as_ref().map(Fitting::to_string);
        let condition = self.need.as_ref().map(|need| self.exceeded.condition(need));
        let parts = [condition, fits, Some(remedy.to_owned())];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        let help = parts.join("; ");
        let mut finding = self.exceeded.diagnose(help, labels.collect());
        if let Some(at) = &self.at {
            finding.message = finding.message.at_values(at);
        }
        finding
    }
}
