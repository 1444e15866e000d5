//! A range of values with ends as far as they are known.

use crate::sym::{Cond, Expr, Facts};

/// The least and the largest value, as far as they are known.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Range {
    /// Never above a value.
    pub(crate) low: Option<Expr>,
    /// Never below a value.
    pub(crate) high: Option<Expr>,
}

impl Range {
    pub(crate) fn of(low: Expr, high: Expr) -> Self {
        Range {
            low: Some(low),
            high: Some(high),
        }
    }

    pub(crate) fn only(value: Expr) -> Self {
        Range::of(value.clone(), value)
    }

    pub(crate) fn negated(self) -> Range {
        Range {
            low: self.high.map(|high| high.neg()),
            high: self.low.map(|low| low.neg()),
        }
    }

    pub(crate) fn plus(self, other: Range) -> Range {
        let sum = |x: Option<Expr>, y: Option<Expr>| Some(x?.add(&y?));
        Range {
            low: sum(self.low, other.low),
            high: sum(self.high, other.high),
        }
    }

    /// The product, for factors that are never negative.
    pub(crate) fn times(self, other: Range, facts: &Facts) -> Range {
        let zero = Expr::zero();
        let is_natural = |range: &Range| {
            range
                .low
                .as_ref()
                .is_some_and(|low| facts.prove(&Cond::ge(low, &zero)) == Some(true))
        };
        if !is_natural(&self) || !is_natural(&other) {
            return Range::default();
        }
        let product = |x: Option<Expr>, y: Option<Expr>| Some(x?.mul(&y?));
        Range {
            low: product(self.low, other.low),
            high: product(self.high, other.high),
        }
    }

    pub(crate) fn map(self, change: impl Fn(Expr) -> Option<Expr>) -> Range {
        Range {
            low: self.low.and_then(&change),
            high: self.high.and_then(change),
        }
    }

    /// What is in both.
    pub(crate) fn within(self, other: Range) -> Range {
        let both = |x: Option<Expr>, y: Option<Expr>, joined: fn(Vec<Expr>) -> Expr| match (x, y) {
            (Some(x), Some(y)) => Some(joined(vec![x, y])),
            (x, y) => x.or(y),
        };
        Range {
            low: both(self.low, other.low, Expr::max),
            high: both(self.high, other.high, Expr::min),
        }
    }

    /// The smallest range that holds both.
    pub(crate) fn hull(self, other: Range) -> Range {
        let both = |x: Option<Expr>, y: Option<Expr>, joined: fn(Vec<Expr>) -> Expr| {
            let (x, y) = (x?, y?);
            Some(match x == y {
                true => x,
                false => joined(vec![x, y]),
            })
        };
        Range {
            low: both(self.low, other.low, Expr::min),
            high: both(self.high, other.high, Expr::max),
        }
    }
}
