//! Exact evaluation at given numbers, of any size, and the number theory it rests on.

use std::cell::Cell;
use std::cmp::Ordering;

use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::number::{BigInt, MOST_BITS, Rational, Real};
use crate::sym::atom::{Atom, Sum};
use crate::sym::{Cond, Expr, Symbol};

/// Why an expression has no rational value at a point.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
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

/// The most terms of unsolved sums that are added up literally.
const MOST_TERMS: u64 = 4_000_000;

type Result<T> = std::result::Result<T, EvaluateError>;

impl Expr {
    /// The exact value, given the values of the symbols.
    ///
    /// ```
    /// # use atgpu::sym::{Cond, Expr, Facts, Symbol};
    /// # let symbol = |name: &str| Symbol::new(name.chars().map(u32::from).sum(), name);
    /// # let [n, b] = ["n", "b"].map(|name| Expr::symbol(&symbol(name)));
    /// # let over = |x: &Expr, y: &Expr| x.div(y).expect("not 0");
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

    /// As [`Expr::evaluate`] with at most so many terms of unsolved sums, and how many are left.
    pub(super) fn evaluate_within(
        &self,
        values: &dyn Fn(&Symbol) -> Option<Rational>,
        most_terms: u64,
    ) -> (Result<Rational>, u64) {
        let terms_left = &Cell::new(most_terms);
        let value = Evaluator { values, terms_left }.rational(self);
        (value, terms_left.get())
    }

    /// As [`Expr::evaluate`], where the value may be irrational: `n log2 n`.
    ///
    /// ```
    /// # use atgpu::sym::{Cond, Expr, Facts, Symbol};
    /// # let symbol = |name: &str| Symbol::new(name.chars().map(u32::from).sum(), name);
    /// # let [n, b] = ["n", "b"].map(|name| Expr::symbol(&symbol(name)));
    /// # let over = |x: &Expr, y: &Expr| x.div(y).expect("not 0");
    /// let at = |_: &Symbol| Some(1000.into());
    /// let work = n.mul(&Expr::log(&Expr::int(2), &n));
    /// assert!(work.evaluate(&at).is_err());
    /// assert_eq!(work.evaluate_real(&at).map(|value| value.floor()), Ok(9965.into()));
    /// ```
    pub fn evaluate_real(&self, values: &dyn Fn(&Symbol) -> Option<Rational>) -> Result<Real> {
        let evaluator = Evaluator {
            values,
            terms_left: &Cell::new(MOST_TERMS),
        };
        Ok(evaluator.number(self)?.real())
    }
}

impl Cond {
    /// Whether the condition holds, given the values of the symbols.
    ///
    /// ```
    /// # use atgpu::sym::{Cond, Expr, Facts, Symbol};
    /// # let symbol = |name: &str| Symbol::new(name.chars().map(u32::from).sum(), name);
    /// # let [n, b] = ["n", "b"].map(|name| Expr::symbol(&symbol(name)));
    /// # let over = |x: &Expr, y: &Expr| x.div(y).expect("not 0");
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

/// One evaluation: the values, and what has been spent on it.
struct Evaluator<'a> {
    values: &'a dyn Fn(&Symbol) -> Option<Rational>,
    terms_left: &'a Cell<u64>,
}

/// A value on the way: rational as long as possible.
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

    /// Exact comparison.
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

/// Brackets, and numbers of cores or rounds, which are written as extremes.
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
            // What says how often something happens silences the other factors where it is 0:
            // [n > 0]·(1/n) is 0 at n = 0, and so is max(0, ⌊n/2⌋)·gcd(1/2, n).
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
            Atom::DigitSum(x, base) => digit_sum(&self.integer(x)?, &self.integer(base)?)
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
            // Of no terms, whether their number is whole or not.
            return Ok(Rational::ZERO);
        }
        let n = n.to_integer().ok_or(EvaluateError::Undefined)?;
        let (a, c, m) = (self.rational(a)?, self.rational(c)?, self.rational(m)?);
        let common = a.denominator().lcm(&c.denominator()).lcm(&m.denominator());
        let whole = |x: &Rational| (x * &Rational::from(&common)).numerator();
        floor_sum(n, whole(&a), whole(&c), whole(&m))
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

/// Whether x is y to a whole power ≥ 0; nothing below 1 is a power.
fn is_power_of(x: &Rational, y: &Rational) -> bool {
    if x.is_one() {
        return true;
    }
    if *x < Rational::ONE || *y <= Rational::ONE {
        return false;
    }
    rational_log(y, x).is_some_and(|log| log.is_integer())
}

fn whole_power(base: &Rational, exponent: &BigInt) -> Result<Rational> {
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

/// The least root of a number > 1 and the power it has: 64 is 2^6.
pub(super) fn perfect_root(value: &BigInt) -> (BigInt, u32) {
    let bits = value.bits() as u32;
    for degree in (2..bits.max(2)).rev() {
        let root = value.nth_root(degree);
        if root > BigInt::one() && root.pow(degree) == *value {
            return (root, degree);
        }
    }
    (value.clone(), 1)
}

/// log_base value, where it is rational; both positive, the base not 1.
pub(super) fn rational_log(base: &Rational, value: &Rational) -> Option<Rational> {
    if value.is_one() {
        return Some(Rational::ZERO);
    }
    if *base <= Rational::ZERO || *value <= Rational::ZERO || base.is_one() {
        return None;
    }
    // base = g^p and value = g^q for one rational g > 1 exactly when the logarithm is q/p. The
    // search for g follows Euclid's algorithm on the exponents.
    let mut flip = Rational::ONE;
    let mut above_one = |x: &Rational| -> Option<Rational> {
        if *x < Rational::ONE {
            flip = -&flip;
            return x.recip();
        }
        Some(x.clone())
    };
    let (mut large, mut small) = (above_one(value)?, above_one(base)?);
    // Columns of the Euclidean recursion: large = base^a·value^b and so on are not needed, only
    // the continued fraction of the logarithm.
    let mut quotients: Vec<BigInt> = Vec::new();
    const MOST_QUOTIENTS: usize = 24;
    while quotients.len() < MOST_QUOTIENTS {
        let mut count = BigInt::zero();
        while large >= small {
            // Take out the largest repeated square first, so that 2^1000 over 2 is quick.
            let (mut power, mut step) = (small.clone(), BigInt::one());
            loop {
                let square = &power * &power;
                if square > large {
                    break;
                }
                power = square;
                step *= 2;
            }
            large = large.checked_div(&power)?;
            count += step;
        }
        quotients.push(count);
        if large.is_one() {
            let mut value = Rational::from(quotients.pop()?);
            while let Some(quotient) = quotients.pop() {
                value = &Rational::from(quotient) + &value.recip()?;
            }
            return Some(&value * &flip);
        }
        // Numbers of very different shape leave a long remainder early: not a rational power.
        if !shares_primes(&large, &small) {
            return None;
        }
        std::mem::swap(&mut large, &mut small);
    }
    None
}

/// A cheap necessary condition for both to be powers of one number.
fn shares_primes(x: &Rational, y: &Rational) -> bool {
    let related = |a: &BigInt, b: &BigInt| {
        a.is_one() == b.is_one() && (a.is_one() || a.gcd(b) > BigInt::one())
    };
    related(&x.numerator(), &y.numerator()) && related(&x.denominator(), &y.denominator())
}

/// The sum of the base-b digits of x ≥ 0; `None` outside that domain.
pub(super) fn digit_sum(x: &BigInt, base: &BigInt) -> Option<BigInt> {
    if x.is_negative() || *base < BigInt::from(2) {
        return None;
    }
    let (mut rest, mut sum) = (x.clone(), BigInt::zero());
    while !rest.is_zero() {
        let (quotient, digit) = rest.div_rem(base);
        sum += digit;
        rest = quotient;
    }
    Some(sum)
}

/// Σ v ∈ 0..n-1 : ⌊(a v + c)/m⌋ in as many steps as Euclid's algorithm on a and m takes;
/// `None` for m = 0.
pub(super) fn floor_sum(n: BigInt, a: BigInt, c: BigInt, m: BigInt) -> Option<BigInt> {
    if m.is_zero() {
        return None;
    }
    let (mut n, mut a, mut c, mut m) = match m.is_negative() {
        true => (n, -a, -c, -m),
        false => (n, a, c, m),
    };
    let mut sum = BigInt::zero();
    while n.is_positive() {
        let (slope, rest) = a.div_mod_floor(&m);
        let (start, offset) = c.div_mod_floor(&m);
        sum += slope * &n * (&n - 1) / 2 + start * &n;
        (a, c) = (rest, offset);
        let top = &a * &n + &c;
        if top < m {
            break;
        }
        // Count lattice points column by column instead of row by row.
        let (height, remainder) = top.div_mod_floor(&m);
        (n, c, m, a) = (height, remainder, a, m);
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floor_sums_agree_with_adding_up() {
        for n in 0..9i64 {
            for a in -7..8i64 {
                for c in -9..10i64 {
                    for m in [-5i64, -1, 1, 2, 3, 7] {
                        let slow: i64 = (0..n).map(|v| Integer::div_floor(&(a * v + c), &m)).sum();
                        let fast = floor_sum(n.into(), a.into(), c.into(), m.into());
                        assert_eq!(fast, Some(slow.into()), "{n} {a} {c} {m}");
                    }
                }
            }
        }
        assert_eq!(floor_sum(3.into(), 1.into(), 1.into(), 0.into()), None);
    }

    #[test]
    fn logarithms_of_numbers_are_exact() {
        let log = |b: i64, x: i64| rational_log(&b.into(), &x.into());
        assert_eq!(log(2, 1 << 40), Some(40.into()));
        assert_eq!(log(4, 8), Rational::new(3, 2));
        assert_eq!(log(8, 4), Rational::new(2, 3));
        assert_eq!(log(2, 3), None);
        assert_eq!(log(6, 12), None);
        assert_eq!(log(12, 1), Some(0.into()));
        let half = Rational::new(1, 2);
        assert_eq!(
            half.and_then(|h| rational_log(&2.into(), &h)),
            Some((-1).into())
        );
    }

    #[test]
    fn roots_and_digits() {
        assert_eq!(perfect_root(&64.into()), (2.into(), 6));
        assert_eq!(perfect_root(&12.into()), (12.into(), 1));
        assert_eq!(digit_sum(&255.into(), &16.into()), Some(30.into()));
        assert_eq!(digit_sum(&255.into(), &1.into()), None);
    }
}
