//! Exact evaluation at given numbers, of any size.

use std::cell::Cell;
use std::cmp::Ordering;

use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::number::theory;
use crate::number::{BigInt, MOST_BITS, Rational, Real};
use crate::sym::expr::types::{Atom, Sum};
use crate::sym::{Cond, Expr, Symbol};

/// The reason why an expression has no rational value at a point.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluateError {
    /// A symbol without a value.
    #[error("`{}` has no value", .0.name)]
    Unknown(Symbol),
    /// Division by zero.
    #[error("a division by zero")]
    DivisionByZero,
    /// A logarithm, power, digit sum or remainder outside its domain.
    #[error("an operation outside its domain")]
    Undefined,
    /// The value is an irrational number.
    #[error("an irrational number")]
    Irrational,
    /// More terms to add up, or a longer number, than is reasonable.
    #[error("more terms to add up, or a longer number, than is reasonable")]
    TooMuchWork,
}

/// The most terms of unsolved sums that are added up literally. More would keep a user waiting;
/// the value is then refused.
const MOST_TERMS: u64 = 4_000_000;

type Result<T> = std::result::Result<T, EvaluateError>;

impl Expr {
    /// Returns the exact value, given the values of the symbols.
    ///
    /// ```
    /// use atgpu::examples::{over, symbols};
    /// use atgpu::sym::{Expr, Symbol};
    ///
    /// let [n, b] = symbols(["n", "b"]);
    /// let at = |symbol: &Symbol| (&*symbol.name == "n").then(|| 1000.into());
    /// assert_eq!(over(&n, &Expr::int(32)).ceil().evaluate(&at), Ok(32.into()));
    /// assert!(b.evaluate(&at).is_err());
    /// ```
    pub fn evaluate(&self, values: &dyn Fn(&Symbol) -> Option<Rational>) -> Result<Rational> {
        Evaluator {
            values,
            terms_left: &Cell::new(MOST_TERMS),
        }
        .rational(self)
    }

    /// As [`Expr::evaluate`] with at most `most_terms` terms of unsolved sums. Also returns the
    /// number of terms left.
    ///
    /// ```
    /// use atgpu::examples::symbols;
    ///
    /// let [n] = symbols(["n"]);
    /// assert_eq!(n.evaluate_within(&|_| Some(7.into()), 100), (Ok(7.into()), 100));
    /// ```
    pub fn evaluate_within(
        &self,
        values: &dyn Fn(&Symbol) -> Option<Rational>,
        most_terms: u64,
    ) -> (Result<Rational>, u64) {
        let terms_left = &Cell::new(most_terms);
        let value = Evaluator { values, terms_left }.rational(self);
        (value, terms_left.get())
    }

    /// As [`Expr::evaluate`], but the value may be irrational: `n log2 n`.
    pub(crate) fn evaluate_real(
        &self,
        values: &dyn Fn(&Symbol) -> Option<Rational>,
    ) -> Result<Real> {
        let evaluator = Evaluator {
            values,
            terms_left: &Cell::new(MOST_TERMS),
        };
        Ok(evaluator.number(self)?.real())
    }
}

impl Cond {
    /// Decides the condition, given the values of the symbols.
    ///
    /// ```
    /// use atgpu::examples::symbols;
    /// use atgpu::sym::{Cond, Expr, Symbol};
    ///
    /// let [n] = symbols(["n"]);
    /// let at = |_: &Symbol| Some(64.into());
    /// assert_eq!(Cond::divides(&Expr::int(32), &n).evaluate(&at), Ok(true));
    /// ```
    pub fn evaluate(&self, values: &dyn Fn(&Symbol) -> Option<Rational>) -> Result<bool> {
        Evaluator {
            values,
            terms_left: &Cell::new(MOST_TERMS),
        }
        .cond(self)
    }
}

/// One evaluation: the values, and the terms left.
struct Evaluator<'a> {
    values: &'a dyn Fn(&Symbol) -> Option<Rational>,
    terms_left: &'a Cell<u64>,
}

/// An intermediate value: rational as long as possible.
#[derive(Clone)]
enum Number {
    Rational(Rational),
    Irrational(Real),
}

impl From<Rational> for Number {
    fn from(value: Rational) -> Self {
        Number::Rational(value)
    }
}

impl From<Real> for Number {
    fn from(value: Real) -> Self {
        match value.to_rational() {
            Some(value) => Number::Rational(value),
            None => Number::Irrational(value),
        }
    }
}

impl Number {
    fn rational(self) -> Result<Rational> {
        match self {
            Number::Rational(value) => Ok(value),
            Number::Irrational(_) => Err(EvaluateError::Irrational),
        }
    }

    fn real(self) -> Real {
        match self {
            Number::Rational(value) => value.into(),
            Number::Irrational(value) => value,
        }
    }

    fn add(self, other: Number) -> Number {
        match (self, other) {
            (Number::Rational(x), Number::Rational(y)) => (&x + &y).into(),
            (x, y) => x.real().add(&y.real()).into(),
        }
    }

    fn mul(self, other: Number) -> Number {
        match (self, other) {
            (Number::Rational(x), Number::Rational(y)) => (&x * &y).into(),
            (x, y) => x.real().multiply(&y.real()).into(),
        }
    }

    /// Compares exactly.
    fn compare(&self, other: &Number) -> Ordering {
        match (self, other) {
            (Number::Rational(x), Number::Rational(y)) => x.cmp(y),
            (x, y) => x.clone().real().compare(&y.clone().real()),
        }
    }

    fn sign(&self) -> Ordering {
        self.compare(&Rational::ZERO.into())
    }

    fn floor(&self) -> BigInt {
        match self {
            Number::Rational(value) => value.floor(),
            Number::Irrational(value) => value.floor(),
        }
    }
}

/// Returns true for brackets, and for numbers of cores or rounds, which are written as extremes.
fn is_number_of_times(atom: &Atom) -> bool {
    matches!(atom, Atom::Bracket(_) | Atom::Min(_) | Atom::Max(_))
}

impl Evaluator<'_> {
    fn rational(&self, expr: &Expr) -> Result<Rational> {
        self.number(expr)?.rational()
    }

    fn integer(&self, expr: &Expr) -> Result<BigInt> {
        self.rational(expr)?
            .to_integer()
            .ok_or(EvaluateError::Undefined)
    }

    fn number(&self, expr: &Expr) -> Result<Number> {
        let mut sum = Number::from(Rational::ZERO);
        for (monomial, coefficient) in expr.terms() {
            let mut product = Number::from(coefficient.clone());
            // A factor that counts how often something happens silences the others if it is 0: [n
            // > 0]·(1/n) is 0 at n = 0, and so is max(0, ⌊n/2⌋)·gcd(1/2, n). Hence errors of
            // other factors are kept back until all factors are known.
            let mut undefined = None;
            let is_bracket = |factor: &&(Atom, i32)| matches!(factor.0, Atom::Bracket(_));
            let factors = || monomial.factors().iter();
            let others = factors().filter(|factor| !is_bracket(factor));
            for (atom, exponent) in factors().filter(is_bracket).chain(others) {
                match self.factor(atom, *exponent) {
                    Ok(factor) if factor.sign() == Ordering::Equal && is_number_of_times(atom) => {
                        product = Rational::ZERO.into();
                        undefined = None;
                        break;
                    }
                    Ok(factor) => product = product.mul(factor),
                    Err(error) => undefined = undefined.or(Some(error)),
                }
            }
            if let Some(error) = undefined {
                return Err(error);
            }
            sum = sum.add(product);
        }
        Ok(sum)
    }

    fn factor(&self, atom: &Atom, exponent: i32) -> Result<Number> {
        Ok(match self.atom(atom)? {
            Number::Rational(value) => whole_power(&value, &exponent.into())?.into(),
            irrational if exponent == 1 => irrational,
            irrational => power(irrational, Rational::from(exponent).into())?,
        })
    }

    fn atom(&self, atom: &Atom) -> Result<Number> {
        let value: Rational = match atom {
            Atom::Symbol(symbol) => {
                (self.values)(symbol).ok_or_else(|| EvaluateError::Unknown(symbol.clone()))?
            }
            Atom::Floor(x) => self.number(x)?.floor().into(),
            Atom::Power(base, exponent) => {
                return power(self.number(base)?, self.number(exponent)?);
            }
            Atom::Log(base, x) => return log(self.number(base)?, self.number(x)?),
            Atom::Min(items) => return self.extreme(items, Ordering::Less),
            Atom::Max(items) => return self.extreme(items, Ordering::Greater),
            Atom::Bracket(cond) => i64::from(self.cond(cond)?).into(),
            Atom::Gcd(x, y) => self.integer(x)?.gcd(&self.integer(y)?).into(),
            Atom::DigitSum(x, base) => theory::digit_sum(&self.integer(x)?, &self.integer(base)?)
                .ok_or(EvaluateError::Undefined)?
                .into(),
            Atom::FloorSum(parts) => self.floor_sum(parts)?,
            Atom::Inverse(x) => self
                .rational(x)?
                .recip()
                .ok_or(EvaluateError::DivisionByZero)?,
            Atom::Sum(sum) => self.sum(sum)?,
        };
        Ok(value.into())
    }

    fn extreme(&self, items: &[Expr], wanted: Ordering) -> Result<Number> {
        let mut best: Option<Number> = None;
        for item in items {
            let value = self.number(item)?;
            let wins = match &best {
                None => true,
                Some(best) => value.compare(best) == wanted,
            };
            if wins {
                best = Some(value);
            }
        }
        best.ok_or(EvaluateError::Undefined)
    }

    fn floor_sum(&self, parts: &[Expr; 4]) -> Result<Rational> {
        let [n, a, c, m] = parts;
        let n = self.rational(n)?;
        if n.signum() <= 0 {
            // A sum of no terms is 0, even if their number is not whole.
            return Ok(Rational::ZERO);
        }
        let n = n.to_integer().ok_or(EvaluateError::Undefined)?;
        let (a, c, m) = (self.rational(a)?, self.rational(c)?, self.rational(m)?);
        // ⌊(a·v + c)/m⌋ does not change if a, c and m are multiplied by the same number, so
        // fractions are cleared first: a = 1/2, c = 0, m = 1 becomes 1, 0, 2.
        let common = a.denominator().lcm(&c.denominator()).lcm(&m.denominator());
        let whole = |x: &Rational| (x * &Rational::from(&common)).numerator();
        theory::floor_sum(n, whole(&a), whole(&c), whole(&m))
            .map(Rational::from)
            .ok_or(EvaluateError::DivisionByZero)
    }

    fn sum(&self, sum: &Sum) -> Result<Rational> {
        let (low, high) = (
            self.rational(&sum.low)?.ceil(),
            self.rational(&sum.high)?.floor(),
        );
        let mut total = Rational::ZERO;
        let mut at = low;
        while at <= high {
            let left = self.terms_left.get();
            self.terms_left
                .set(left.checked_sub(1).ok_or(EvaluateError::TooMuchWork)?);
            let here = Rational::from(&at);
            let values = |symbol: &Symbol| {
                if *symbol == sum.variable {
                    return Some(here.clone());
                }
                (self.values)(symbol)
            };
            let inner = Evaluator {
                values: &values,
                terms_left: self.terms_left,
            };
            total += &inner.rational(&sum.body)?;
            at += 1;
        }
        Ok(total)
    }

    fn cond(&self, cond: &Cond) -> Result<bool> {
        Ok(match cond {
            Cond::True => true,
            Cond::False => false,
            Cond::NonNegative(e) => self.number(e)?.sign() != Ordering::Less,
            Cond::Zero(e) => self.number(e)?.sign() == Ordering::Equal,
            Cond::Divides(d, e) => {
                let (d, e) = (self.rational(d)?, self.rational(e)?);
                match e.checked_div(&d) {
                    Some(quotient) => quotient.is_integer(),
                    None => e.is_zero(),
                }
            }
            Cond::PowerOf(x, y) => is_power_of(&self.rational(x)?, &self.rational(y)?),
            Cond::Not(inner) => !self.cond(inner)?,
            Cond::And(parts) => {
                for part in parts {
                    if !self.cond(part)? {
                        return Ok(false);
                    }
                }
                true
            }
            Cond::Or(parts) => {
                for part in parts {
                    if self.cond(part)? {
                        return Ok(true);
                    }
                }
                false
            }
        })
    }
}

/// Returns true if x is y to a whole power ≥ 0. Nothing below 1 is a power.
fn is_power_of(x: &Rational, y: &Rational) -> bool {
    match (x.to_integer(), y.to_integer()) {
        (Some(x), Some(y)) => theory::is_power_of(&x, &y),
        _ => {
            let log = theory::rational_log(x, y).filter(Rational::is_integer);
            x.is_one() || *x > Rational::ONE && *y > Rational::ONE && log.is_some()
        }
    }
}

fn whole_power(base: &Rational, exponent: &BigInt) -> Result<Rational> {
    // The size of the result is known before the work: |e| times the bits of the base. 2^(10^9)
    // is refused here instead of filling the memory. 0 and 1 have powers of any size.
    if exponent.is_one() {
        return Ok(base.clone());
    }
    if base.is_zero() && exponent.is_negative() {
        return Err(EvaluateError::DivisionByZero);
    }
    if base.is_one() || (base.is_zero() && !exponent.is_zero()) {
        return Ok(base.clone());
    }
    let exponent = exponent.to_i32().ok_or(EvaluateError::TooMuchWork)?;
    let bits = base.numerator().bits().max(base.denominator().bits());
    if bits * u64::from(exponent.unsigned_abs()) > MOST_BITS {
        return Err(EvaluateError::TooMuchWork);
    }
    base.pow(exponent).ok_or(EvaluateError::DivisionByZero)
}

fn power(base: Number, exponent: Number) -> Result<Number> {
    if let (Number::Rational(base), Number::Rational(exponent)) = (&base, &exponent)
        && exponent.is_integer()
    {
        return Ok(whole_power(base, &exponent.numerator())?.into());
    }
    let value = base.real().power(&exponent.real());
    value.map(Number::from).ok_or(EvaluateError::Undefined)
}

fn log(base: Number, argument: Number) -> Result<Number> {
    let value = argument.real().log(&base.real());
    value.map(Number::from).ok_or(EvaluateError::Undefined)
}

#[cfg(test)]
mod tests {
    use crate::sym::{Expr, Symbol};

    #[test]
    fn a_logarithm_that_is_no_fraction_has_a_real_value_only() {
        let n = Expr::symbol(&Symbol::new(0, "n"));
        let work = &n * Expr::log(&Expr::int(2), &n);
        let at = |_: &Symbol| Some(1000.into());
        assert!(work.evaluate(&at).is_err());
        let value = work.evaluate_real(&at).map(|value| value.floor());
        assert_eq!(value, Ok(9965.into()));
    }
}
