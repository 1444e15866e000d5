//! Quick evaluation in floating point. Used only to decide that something is not worth proving.

use std::cell::Cell;

use crate::sym::expr::types::{Atom, Sum};
use crate::sym::{Cond, Expr, Symbol};

/// The tolerance below which differences count as rounding. Larger, and points refute fewer false
/// claims; smaller, and rounding refutes true ones, which only costs completeness.
const TOLERANCE: f64 = 1e-7;
/// The longest sum that is added up.
const MOST_TERMS: f64 = 200.0;
/// The most terms of a sum with the sums inside its terms.
const MOST_TERMS_IN_ALL: u32 = 4000;
pub(crate) type Values<'a> = &'a dyn Fn(&Symbol) -> f64;

/// Returns an approximate value; `None` if there is none or it takes too long.
pub(crate) fn value(expr: &Expr, values: Values<'_>) -> Option<f64> {
    Approximation::new(values).value(expr)
}

/// Returns true if the condition seems to hold.
pub(crate) fn holds(cond: &Cond, values: Values<'_>) -> Option<bool> {
    Approximation::new(values).holds(cond)
}

/// Returns an approximate value of an atom, as [`value`].
pub(crate) fn value_of_atom(atom: &Atom, values: Values<'_>) -> Option<f64> {
    Approximation::new(values).atom(atom)
}

/// One evaluation: the values, and the terms left to the outermost sum.
struct Approximation<'a> {
    values: Values<'a>,
    terms_left: Option<&'a Cell<u32>>,
}

impl<'a> Approximation<'a> {
    fn new(values: Values<'a>) -> Self {
        Approximation {
            values,
            terms_left: None,
        }
    }

    /// Returns an approximate value of an expression.
    fn value(&self, expr: &Expr) -> Option<f64> {
        let mut sum = 0.0;
        for (monomial, coefficient) in expr.terms() {
            let mut product = coefficient.to_f64();
            for (atom, exponent) in monomial.factors() {
                let factor = self.atom(atom)?;
                if factor == 0.0 && *exponent < 0 {
                    return None;
                }
                product *= match exponent {
                    1 => factor,
                    -1 => 1.0 / factor,
                    exponent => libm::pow(factor, f64::from(*exponent)),
                };
            }
            sum += product;
        }
        sum.is_finite().then_some(sum)
    }

    fn holds(&self, cond: &Cond) -> Option<bool> {
        Some(match cond {
            Cond::True => true,
            Cond::False => false,
            Cond::NonNegative(e) => self.value(e)? > -TOLERANCE,
            Cond::Zero(e) => self.value(e)?.abs() < TOLERANCE,
            Cond::Divides(d, e) => {
                let (d, e) = (self.value(d)?, self.value(e)?);
                // A quotient near 0 looks whole. A large number divides no small one other than
                // 0.
                if d == 0.0 || e.abs() < TOLERANCE {
                    e.abs() < TOLERANCE
                } else {
                    is_whole(e / d) && e.abs() > d.abs() / 2.0
                }
            }
            Cond::PowerOf(x, y) => {
                let (x, y) = (self.value(x)?, self.value(y)?);
                x == 1.0 || x > 1.0 && y > 1.0 && is_whole(libm::log(x) / libm::log(y))
            }
            Cond::Not(inner) => !self.holds(inner)?,
            Cond::And(parts) => {
                for part in parts {
                    if !self.holds(part)? {
                        return Some(false);
                    }
                }
                true
            }
            Cond::Or(parts) => {
                for part in parts {
                    if self.holds(part)? {
                        return Some(true);
                    }
                }
                false
            }
        })
    }

    fn atom(&self, atom: &Atom) -> Option<f64> {
        let of = |expr: &Expr| self.value(expr);
        Some(match atom {
            Atom::Symbol(symbol) => (self.values)(symbol),
            Atom::Floor(x) => floor(of(x)?),
            Atom::Power(base, exponent) => libm::pow(of(base)?, of(exponent)?),
            Atom::Log(base, x) => {
                let (base, x) = (of(base)?, of(x)?);
                if x <= 0.0 || base <= 0.0 || base == 1.0 {
                    return None;
                }
                libm::log(x) / libm::log(base)
            }
            Atom::Min(items) => {
                let mut least = f64::INFINITY;
                for item in items.iter() {
                    least = least.min(of(item)?);
                }
                least
            }
            Atom::Max(items) => {
                let mut most = f64::NEG_INFINITY;
                for item in items.iter() {
                    most = most.max(of(item)?);
                }
                most
            }
            Atom::Bracket(cond) => f64::from(u8::from(self.holds(cond)?)),
            Atom::Gcd(x, y) => {
                let (mut x, mut y) = (of(x)?.abs().round(), of(y)?.abs().round());
                while y >= 1.0 {
                    (x, y) = (y, x % y);
                }
                x
            }
            Atom::DigitSum(x, base) => {
                let (mut x, base) = (of(x)?.round(), of(base)?.round());
                if x < 0.0 || base < 2.0 {
                    return None;
                }
                let mut sum = 0.0;
                while x >= 1.0 {
                    sum += x % base;
                    x = (x / base).floor();
                }
                sum
            }
            Atom::FloorSum(parts) => {
                let [n, a, c, m] = &**parts;
                let (n, a, c, m) = (of(n)?, of(a)?, of(c)?, of(m)?);
                if m == 0.0 || n > MOST_TERMS {
                    return None;
                }
                let mut sum = 0.0;
                let mut at = 0.0;
                while at < n {
                    sum += floor((a * at + c) / m);
                    at += 1.0;
                }
                sum
            }
            Atom::Inverse(x) => {
                let x = of(x)?;
                if x == 0.0 {
                    return None;
                }
                1.0 / x
            }
            Atom::Sum(sum) => {
                let (low, high) = (of(&sum.low)?.ceil(), floor(of(&sum.high)?));
                if high - low > MOST_TERMS {
                    return None;
                }
                self.add_up(sum, (low, high))?
            }
        })
    }

    /// Adds up a sum between two whole numbers. It shares its budget of terms with the sums
    /// inside.
    fn add_up(&self, sum: &Sum, (low, high): (f64, f64)) -> Option<f64> {
        let all = Cell::new(MOST_TERMS_IN_ALL);
        let terms_left = self.terms_left.unwrap_or(&all);
        let mut total = 0.0;
        let mut at = low;
        while at <= high {
            terms_left.set(terms_left.get().checked_sub(1)?);
            let here = at;
            let inner = |symbol: &Symbol| {
                if *symbol == sum.variable {
                    here
                } else {
                    (self.values)(symbol)
                }
            };
            let inner = Approximation {
                values: &inner,
                terms_left: Some(terms_left),
            };
            total += inner.value(&sum.body)?;
            at += 1.0;
        }
        Some(total)
    }
}

/// Returns true if the value is whole up to rounding.
pub(crate) fn is_whole(value: f64) -> bool {
    (value - value.round()).abs() < TOLERANCE
}

/// Returns true if the value is clearly below 0.
pub(crate) fn is_negative(value: f64) -> bool {
    value < -TOLERANCE
}

/// Returns true if the value is not clearly above 0.
pub(crate) fn is_not_positive(value: f64) -> bool {
    value < TOLERANCE
}

fn floor(value: f64) -> f64 {
    // 49·(1/49) comes out as 0.999…, and its floor is 1. A value just below a whole number is
    // lifted over it.
    (value + TOLERANCE).floor()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sym::SymbolKind;

    /// What is quick is near the exact value.
    #[test]
    fn values_are_about_the_exact_ones() {
        let (n, b) = (Symbol::new(0, "n"), Symbol::new(1, "b"));
        let v = Symbol::of(SymbolKind::Bound, 0, "v");
        let (n, b, at) = (Expr::symbol(&n), Expr::symbol(&b), Expr::symbol(&v));
        let (one, three) = (Expr::one(), Expr::int(3));
        let quotient = n.div(&b).expect("not zero");
        let total = |high: &Expr, body: &Expr| Expr::unsolved_sum(&v, &one, high, body);
        for expr in [
            &n * &b - &three,
            quotient.clone(),
            quotient.floor(),
            quotient.neg().floor(),
            Expr::log(&b, &n),
            b.pow(&three),
            Expr::min(vec![n.clone(), b.clone(), quotient.clone()]),
            Expr::max(vec![n.clone(), &b * &three]),
            Expr::gcd(&n, &b),
            Expr::digit_sum(&n, &b),
            Expr::floor_sum(&b, &n, &one, &Expr::int(7)),
            Expr::bracket(Cond::or(vec![Cond::eq(&n, &b), Cond::gt(&n, &three)])),
            Expr::bracket(Cond::divides(&b, &n)),
            Expr::bracket(Cond::power_of(&n, &b)),
            total(&Expr::int(5), &(&at * &quotient).floor()),
            total(&b, &total(&at, &(&at * &quotient).floor())),
        ] {
            for (x, y) in [(1, 2), (27, 3), (64, 4), (49, 7), (5, 5)] {
                let exact =
                    |symbol: &Symbol| Some([x, y].get(symbol.id.number as usize).copied()?.into());
                let quick = |symbol: &Symbol| f64::from([x, y][symbol.id.number as usize]);
                let about = value(&expr, &quick).expect("it has a value");
                let exact = expr.evaluate(&exact).expect("it has a value").to_f64();
                assert!((about - exact).abs() < 1e-6, "{expr}: {about}, {exact}");
            }
        }
    }
}
