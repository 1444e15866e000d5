//! A range of values with ends as far as they are known.

use crate::count::Interval;
use crate::sym::{Cond, Expr, Facts};

/// The least and the largest value, as far as they are known.
pub(crate) type Range = Interval<Option<Expr>>;

impl Range {
    pub(crate) fn negated(self) -> Range {
        Range {
            lower: self.upper.map(|upper| upper.neg()),
            upper: self.lower.map(|lower| lower.neg()),
        }
    }

    /// The product, for factors that are never negative.
    pub(crate) fn times_natural(self, other: Range, facts: &Facts) -> Range {
        let zero = Expr::zero();
        let is_natural = |range: &Range| {
            let lower = range.lower.as_ref();
            lower.is_some_and(|lower| facts.prove(&Cond::ge(lower, &zero)) == Some(true))
        };
        if is_natural(&self) && is_natural(&other) {
            self.with(&other, Expr::mul)
        } else {
            Range::default()
        }
    }

    /// Each end changed by a growing function, as far as it has a form there.
    pub(crate) fn and_then(self, change: impl Fn(Expr) -> Option<Expr>) -> Range {
        Range {
            lower: self.lower.and_then(&change),
            upper: self.upper.and_then(change),
        }
    }
}
