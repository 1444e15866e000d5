//! A formula that counting contradicts: what both say, and where.
//!
//! Finding them, and keeping such a formula back, is `derive::agreement`'s.

use std::fmt;

use crate::count::{Interval, Quantity};
use crate::derivation::Derivation;
use crate::diag::Diagnostic;
use crate::meaning::PointValues;

/// A formula that excludes what is counted at a point.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, miette::Diagnostic)]
#[error(
    "`{}` was derived as {} but counted as {} at {point}",
    self.name(),
    Ends(derived),
    Ends(counted)
)]
#[diagnostic(code(atgpu::derive::mismatch), help("{}", ours("counts")))]
pub struct Contradiction {
    /// Which total it is of, or which one is kept back with it.
    pub quantity: Quantity,
    /// What it is of where that is no total, such as `q of round 3` or
    /// `blocks of line 7 in round 3`.
    pub part: Option<String>,
    /// What the formula, or its bounds, are there.
    pub derived: Interval,
    /// What was counted there without data.
    pub counted: Interval,
    /// Where.
    pub point: PointValues,
}

impl Contradiction {
    fn name(&self) -> &str {
        self.part.as_deref().unwrap_or(self.quantity.name())
    }
}

/// What a formula that is kept back asks of its reader.
pub(crate) fn ours(numbers: &str) -> String {
    format!(
        "this is a fault of atgpu, not of the program: please report it with the program; the formula is \
         not shown, and {numbers} at given values do not rest on it"
    )
}

/// A number, or the two ends it lies between.
struct Ends<'a>(&'a Interval);

impl fmt::Display for Ends<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Interval { lower, upper } = self.0;
        match lower == upper {
            true => write!(f, "{upper}"),
            false => write!(f, "{lower} to {upper}"),
        }
    }
}

impl Derivation {
    /// A `derive::mismatch` for each formula that counting contradicts, and that is kept back therefore.
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
