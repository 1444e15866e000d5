//! A formula that counting contradicts: both values, and the point.
//!
//! `derive::agreement` finds contradictions and withholds the formulas.

use std::fmt;

use crate::count::{Interval, Quantity};
use crate::derivation::Derivation;
use crate::diag::Diagnostic;
use crate::meaning::PointValues;

/// A formula that excludes what is counted at a point.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, miette::Diagnostic)]
#[error("`{}` {derived} at {point}", self.name())]
#[diagnostic(code(atgpu::derive::mismatch), help("{}", ours("counts")))]
#[non_exhaustive]
pub struct Contradiction {
    /// The total with the fault, or the total that is withheld because one of its parts is at fault.
    pub quantity: Quantity,
    /// The part at fault if it is not a total itself, such as `q of round 3` or `blocks of line 7 in round
    /// 3`.
    pub part: Option<String>,
    /// What the formula says there.
    pub derived: Said,
    /// Where.
    pub point: PointValues,
}

/// What a formula says at a point, against what is so.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Said {
    /// Another number.
    Otherwise {
        /// What the formula, or its bounds, are there.
        derived: Interval,
        /// What was counted there without data.
        counted: Interval,
    },
    /// Nothing: some part of it, as it is written, has no value, though the program runs there.
    Nothing,
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Said::Otherwise { derived, counted } => {
                let (derived, counted) = (Ends(derived), Ends(counted));
                write!(f, "was derived as {derived} but counted as {counted}")
            }
            Said::Nothing => f.write_str("was derived as a formula without a value"),
        }
    }
}

impl Contradiction {
    fn name(&self) -> &str {
        self.part.as_deref().unwrap_or(self.quantity.name())
    }
}

/// The request to the reader to report a withheld formula.
pub(crate) fn ours(numbers: &str) -> String {
    format!(
        "this is a fault of atgpu, not of the program: please report it with the program; the formula is \
         not shown, and {numbers} at given values do not rest on it"
    )
}

/// Displays a number, or the two bounds of it.
struct Ends<'a>(&'a Interval);

impl fmt::Display for Ends<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Interval { lower, upper } = self.0;
        if lower == upper {
            write!(f, "{upper}")
        } else {
            write!(f, "{lower} to {upper}")
        }
    }
}

impl Derivation {
    /// Returns one `derive::mismatch` for each formula that is withheld because counting contradicts it.
    ///
    /// ```
    /// let program = atgpu::examples::vector_addition();
    /// assert!(program.derive()?.mismatches().is_empty());
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn mismatches(&self) -> Vec<Diagnostic> {
        let found = self.contradictions.iter();
        found.map(|one| Diagnostic::of(one)).collect()
    }
}
