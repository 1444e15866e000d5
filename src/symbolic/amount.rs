//! A quantity while it is being derived: a lower and, if there is one, an upper bound.

use crate::derivation::Quantity;
use crate::sym::{Expr, Facts, Symbol};

/// Bounds on a number that is never negative; exact when both ends are the same expression.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Amount {
    /// Never above the true value.
    pub(crate) lower: Expr,
    /// Never below the true value; `None` when nothing bounds it.
    pub(crate) upper: Option<Expr>,
}

impl Amount {
    /// Exactly `value`.
    pub(crate) fn exact(value: Expr) -> Self {
        Amount {
            upper: Some(value.clone()),
            lower: value,
        }
    }

    /// Exactly 0.
    pub(crate) fn zero() -> Self {
        Amount::exact(Expr::zero())
    }

    /// Exactly a small number.
    pub(crate) fn of(value: u64) -> Self {
        Amount::exact(Expr::from_bigint(value.into()))
    }

    /// Anything from 0.
    pub(crate) fn unknown() -> Self {
        Amount {
            lower: Expr::zero(),
            upper: None,
        }
    }

    /// From `lower` to `upper`.
    pub(crate) fn between(lower: Expr, upper: Expr) -> Self {
        Amount {
            lower,
            upper: Some(upper),
        }
    }

    /// Whether both ends are the same.
    pub(crate) fn is_exact(&self) -> bool {
        self.upper.as_ref() == Some(&self.lower)
    }

    /// Whether it is exactly 0.
    pub(crate) fn is_zero(&self) -> bool {
        self.is_exact() && self.lower.is_zero()
    }

    /// The sum of two amounts.
    pub(crate) fn plus(&self, other: &Amount) -> Amount {
        Amount {
            lower: self.lower.add(&other.lower),
            upper: self
                .upper
                .as_ref()
                .zip(other.upper.as_ref())
                .map(|(a, b)| a.add(b)),
        }
    }

    /// The product with an amount: both are never negative.
    pub(crate) fn times(&self, factor: &Amount) -> Amount {
        if self.is_zero() || factor.is_zero() {
            return Amount::zero();
        }
        Amount {
            lower: self.lower.mul(&factor.lower),
            upper: self
                .upper
                .as_ref()
                .zip(factor.upper.as_ref())
                .map(|(a, b)| a.mul(b)),
        }
    }

    /// The same, or 0: what may or may not happen.
    pub(crate) fn or_nothing(self) -> Amount {
        Amount {
            lower: Expr::zero(),
            ..self
        }
    }

    /// Both ends changed by a monotone function.
    pub(crate) fn map(&self, change: impl Fn(&Expr) -> Expr) -> Amount {
        if self.is_exact() {
            return Amount::exact(change(&self.lower));
        }
        Amount {
            lower: change(&self.lower),
            upper: self.upper.as_ref().map(change),
        }
    }

    /// Σ over `variable` from `low` to `high`, under facts that do not speak of the variable.
    pub(crate) fn sum(&self, facts: &Facts, variable: &Symbol, low: &Expr, high: &Expr) -> Amount {
        if self.is_zero() {
            return self.clone();
        }
        self.map(|end| facts.sum(variable, low, high, end))
    }

    /// Whether an end is too long, or its sums nest too deep, to go on with.
    pub(crate) fn is_unwieldy(&self) -> bool {
        self.lower.is_unwieldy() || self.upper.as_ref().is_some_and(Expr::is_unwieldy)
    }

    /// As the result shows it; nothing is known where nothing bounds it from above.
    pub(crate) fn quantity(&self, facts: &Facts) -> Quantity {
        match &self.upper {
            Some(_) if self.is_unwieldy() => {
                facts.note_unwieldy();
                Quantity::unknown()
            }
            Some(_) => {
                let simple = self.map(|end| facts.shorten(&facts.simplify(end)));
                Quantity {
                    upper: simple.upper,
                    lower: Some(simple.lower),
                }
            }
            None => Quantity::unknown(),
        }
    }
}
