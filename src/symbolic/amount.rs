//! A quantity while it is being derived: a lower and, if there is one, an upper bound.

use std::collections::BTreeSet;

use crate::count::Interval;
use crate::derivation::Derived;
use crate::sym::{Cond, Expr, Facts, Symbol, SymbolKind};

/// Bounds on a number that is never negative; exact when both ends are the same expression, without
/// an upper one when nothing bounds it.
pub(crate) type Amount = Interval<Expr, Option<Expr>>;

/// Atoms of a formula that fits on two lines whatever they are.
pub(crate) const FEW_ATOMS: u32 = 14;

/// What every parameter is where two bounds are compared far out.
const FAR_OUT: f64 = 16384.0;
/// What b is there, and all that is no parameter.
const NEAR: f64 = 32.0;

/// What is in an exponent there, if it is a size, and if it is the variable of a loop.
const EXPONENTS: [f64; 2] = [48.0, 3.0];

/// A point where a problem is large and a warp is not, at which bounds are compared.
pub(crate) struct FarOut<'f> {
    facts: &'f Facts,
    /// b
    width: Option<&'f Symbol>,
    /// What stays so small there that a power of it is a number.
    exponents: BTreeSet<Symbol>,
}

impl<'f> FarOut<'f> {
    /// Where all of these have a value, as far as they have any.
    pub(crate) fn of(facts: &'f Facts, values: &[&Expr], width: Option<&'f Symbol>) -> Self {
        let exponents = values.iter().flat_map(|value| value.symbols_in_exponents());
        FarOut {
            facts,
            width,
            exponents: exponents.collect(),
        }
    }

    /// About the value of an expression.
    pub(crate) fn value(&self, value: &Expr) -> Option<f64> {
        let at = |symbol: &Symbol| {
            let is_far = symbol.id.kind == SymbolKind::Parameter && Some(symbol) != self.width;
            match (self.exponents.contains(symbol), is_far) {
                (true, true) => EXPONENTS[usize::from(self.facts.is_bounded_above(symbol))],
                (true, false) => EXPONENTS[1],
                (false, true) => FAR_OUT,
                (false, false) => NEAR,
            }
        };
        let value = self.facts.about(value, &at)?;
        value.is_finite().then_some(value)
    }
}

impl Amount {
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

    /// The same, or 0: what may or may not happen.
    pub(crate) fn or_nothing(self) -> Amount {
        Amount {
            lower: Expr::zero(),
            ..self
        }
    }

    /// Σ over `variable` from `low` to `high`, under facts that do not speak of the variable.
    pub(crate) fn sum(&self, facts: &Facts, variable: &Symbol, low: &Expr, high: &Expr) -> Amount {
        if self.is_zero() {
            return self.clone();
        }
        self.map(|end| facts.sum(variable, low, high, end))
    }

    /// As [`Amount::sum`]; of a bound whose sum is long the sum of a plain one above it, where that is
    /// short and either no larger as far as looked, or the only one that is the same for all MPs: what
    /// is nested in it, and what it adds up to, stay short, too.
    pub(crate) fn sum_briefly(
        &self,
        facts: &Facts,
        (variable, low, high): (&Symbol, &Expr, &Expr),
        speaks_of_mps: impl Fn(&Expr) -> bool,
    ) -> Amount {
        let sum = self.sum(facts, variable, low, high);
        if self.is_exact() || sum.is_short() {
            return sum;
        }
        let upper = self.upper.as_ref().and_then(|end| facts.above(end, None));
        let plain = Amount {
            lower: sum.lower.clone(),
            upper: upper.map(|end| facts.sum(variable, low, high, &end)),
        };
        let is_better = match (&plain.upper, &sum.upper) {
            (Some(plain), Some(sum)) if sum.is_closed() => {
                let fails = facts.fails(&Cond::le(plain, sum));
                !fails.is_empty() && !fails.contains(&true)
                    || speaks_of_mps(sum) && !speaks_of_mps(plain)
            }
            (_, _) => true,
        };
        if plain.is_short() && is_better {
            plain
        } else {
            sum
        }
    }

    /// Whether an end is too long, or its sums nest too deep, to go on with.
    pub(crate) fn is_unwieldy(&self) -> bool {
        self.lower.is_unwieldy() || self.upper.as_ref().is_some_and(Expr::is_unwieldy)
    }

    /// Whether a person reads what it is at most at a glance.
    pub(crate) fn is_short(&self) -> bool {
        let upper = self.upper.as_ref();
        upper.is_some_and(|upper| upper.length() <= FEW_ATOMS && upper.is_closed())
    }

    /// Between 0 and a plain bound, for what is too long to go on with.
    pub(crate) fn rounded_up(&self, facts: &Facts) -> Amount {
        let upper = self.upper.as_ref();
        Amount {
            lower: Expr::zero(),
            upper: upper.and_then(|end| facts.above(end, None)),
        }
    }

    /// As the result shows it; nothing is known where nothing bounds it from above.
    pub(crate) fn quantity(&self, facts: &Facts) -> Derived {
        match &self.upper {
            Some(_) if self.is_unwieldy() => {
                facts.note_unwieldy();
                match self.rounded_up(facts) {
                    Amount {
                        lower,
                        upper: Some(upper),
                    } => Derived {
                        lower: Some(lower),
                        upper: Some(upper),
                        short: None,
                    },
                    _ => Derived::default(),
                }
            }
            Some(_) => {
                let simple = self.map(|end| facts.shorten(&facts.simplify(end)));
                Derived {
                    upper: simple.upper,
                    lower: Some(simple.lower),
                    short: None,
                }
            }
            None => Derived::default(),
        }
    }
}
