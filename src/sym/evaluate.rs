//! Exact evaluation at given numbers, of any size, and the number theory it rests on.

use std::cell::Cell;
use std::cmp::Ordering;

use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::atom::{Atom, Sum};
use super::{Cond, Expr, Symbol};
use crate::number::{BigInt, Rational};

/// Why an expression has no rational value at a point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EvaluateError {
    /// A symbol without a value.
    Unknown(Symbol),
    /// Division by zero.
    DivisionByZero,
    /// A logarithm, power, digit sum or remainder outside its domain.
    Undefined,
    /// The value is an irrational number.
    Irrational,
    /// More terms to add up, or a longer number, than is reasonable.
    TooMuchWork,
}

/// The most terms of unsolved sums that are added up literally.
const MOST_TERMS: u64 = 4_000_000;
/// The most bits of a power.
const MOST_BITS: u64 = 1 << 20;

type Result<T> = std::result::Result<T, EvaluateError>;

impl Expr {
    /// The exact value, given the values of the symbols.
    pub fn evaluate(&self, values: &dyn Fn(&Symbol) -> Option<Rational>) -> Result<Rational> {
        Evaluator {
            values,
            terms_left: &Cell::new(MOST_TERMS),
        }
        .rational(self)
    }
}

impl Cond {
    /// Whether the condition holds, given the values of the symbols.
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

/// constant + factor·log_base(argument), the logarithm irrational unless the factor is 0.
#[derive(Clone)]
struct Number {
    constant: Rational,
    log: Option<Log>,
}

#[derive(Clone)]
struct Log {
    factor: Rational,
    base: Rational,
    argument: Rational,
}

impl From<Rational> for Number {
    fn from(constant: Rational) -> Self {
        Number {
            constant,
            log: None,
        }
    }
}

impl Number {
    fn rational(self) -> Result<Rational> {
        match self.log {
            None => Ok(self.constant),
            Some(_) => Err(EvaluateError::Irrational),
        }
    }

    fn scale(self, factor: &Rational) -> Number {
        if factor.is_zero() {
            return Rational::ZERO.into();
        }
        Number {
            constant: &self.constant * factor,
            log: self.log.map(|log| Log {
                factor: &log.factor * factor,
                ..log
            }),
        }
    }

    fn add(self, other: Number) -> Result<Number> {
        let constant = &self.constant + &other.constant;
        let log = match (self.log, other.log) {
            (log, None) | (None, log) => log,
            (Some(x), Some(y)) => Some(x.add(y).ok_or(EvaluateError::Irrational)?),
        };
        // A sum of logarithms can come out rational: log2 6 − log2 3.
        match log {
            Some(log) => match rational_log(&log.base, &log.argument) {
                Some(value) => Ok((&constant + &(&value * &log.factor)).into()),
                None => Ok(Number { constant, log: Some(log) }),
            },
            None => Ok(constant.into()),
        }
    }

    fn mul(self, other: Number) -> Result<Number> {
        match (&self.log, &other.log) {
            (None, _) => Ok(other.scale(&self.constant)),
            (_, None) => Ok(self.scale(&other.constant)),
            (Some(_), Some(_)) => Err(EvaluateError::Irrational),
        }
    }

    /// Exact comparison with a rational.
    fn compare(&self, bound: &Rational) -> Result<Ordering> {
        match &self.log {
            None => Ok(self.constant.cmp(bound)),
            Some(log) => log.compare(&(bound - &self.constant)),
        }
    }

    fn floor(&self) -> Result<BigInt> {
        let Some(log) = &self.log else {
            return Ok(self.constant.floor());
        };
        let estimate = self.constant.to_f64() + log.factor.to_f64() * log.approximate();
        if !estimate.is_finite() || estimate.abs() > 1e15 {
            return Err(EvaluateError::TooMuchWork);
        }
        // The estimate errs by far less than 1; at most one step either way.
        let mut floor = BigInt::from(estimate.floor() as i64);
        while self.compare(&(&floor).into())? == Ordering::Less {
            floor -= 1;
        }
        while self.compare(&Rational::from(&floor + BigInt::one()))? != Ordering::Less {
            floor += 1;
        }
        Ok(floor)
    }
}

impl Log {
    /// Joined into one logarithm when the bases agree and the factors' ratio is small.
    fn add(self, other: Log) -> Option<Log> {
        if self.base != other.base {
            return None;
        }
        let ratio = other.factor.checked_div(&self.factor)?;
        let over = ratio.numerator().to_i32().filter(|p| p.abs() <= 64)?;
        let under = ratio.denominator().to_i32().filter(|q| *q <= 64)?;
        let argument = &self.argument.pow(under)? * &other.argument.pow(over)?;
        Some(Log {
            factor: self.factor.checked_div(&Rational::from(under))?,
            base: self.base,
            argument,
        })
    }

    fn approximate(&self) -> f64 {
        natural_log(&self.argument) / natural_log(&self.base)
    }

    /// factor·log compared with a bound, by comparing powers: log_b x ≥ p/q iff x^q ≥ b^p, b > 1.
    fn compare(&self, bound: &Rational) -> Result<Ordering> {
        let quotient = bound
            .checked_div(&self.factor)
            .ok_or(EvaluateError::Undefined)?;
        let far = self.approximate() - quotient.to_f64();
        let order = if far.abs() > 1e-6 * (1.0 + quotient.to_f64().abs()) {
            far.total_cmp(&0.0)
        } else {
            let exact = |value: &Rational, exponent: BigInt| -> Result<Rational> {
                let exponent = exponent.to_i32().ok_or(EvaluateError::TooMuchWork)?;
                let bits = value.numerator().bits().max(value.denominator().bits());
                if bits * u64::from(exponent.unsigned_abs()) > MOST_BITS {
                    return Err(EvaluateError::TooMuchWork);
                }
                value.pow(exponent).ok_or(EvaluateError::Undefined)
            };
            let left = exact(&self.argument, quotient.denominator())?;
            let right = exact(&self.base, quotient.numerator())?;
            if self.base > Rational::ONE {
                left.cmp(&right)
            } else {
                right.cmp(&left)
            }
        };
        Ok(if self.factor.is_negative() { order.reverse() } else { order })
    }
}

/// ln of a positive number of any size, good to about 15 digits.
fn natural_log(value: &Rational) -> f64 {
    let of_integer = |x: &BigInt| {
        let shift = x.bits().saturating_sub(60);
        let leading = (x >> shift).to_f64().unwrap_or(f64::NAN);
        libm::log(leading) + shift as f64 * std::f64::consts::LN_2
    };
    of_integer(&value.numerator()) - of_integer(&value.denominator())
}

impl Evaluator<'_> {
    fn rational(&self, expr: &Expr) -> Result<Rational> {
        self.number(expr)?.rational()
    }

    fn integer(&self, expr: &Expr) -> Result<BigInt> {
        self.rational(expr)?.to_integer().ok_or(EvaluateError::Undefined)
    }

    fn number(&self, expr: &Expr) -> Result<Number> {
        let mut sum = Number::from(Rational::ZERO);
        for (monomial, coefficient) in expr.terms() {
            let mut product = Number::from(coefficient.clone());
            // A bracket that is 0 silences its factors: [n > 0]·(1/n) is 0 at n = 0.
            for (atom, _) in monomial.factors() {
                if let Atom::Bracket(cond) = atom
                    && !self.cond(cond)?
                {
                    product = Rational::ZERO.into();
                }
            }
            if product.constant.is_zero() {
                continue;
            }
            for (atom, exponent) in monomial.factors() {
                if matches!(atom, Atom::Bracket(_)) {
                    continue;
                }
                let value = self.atom(atom)?;
                product = match value.log {
                    None => {
                        let power = whole_power(&value.constant, &(*exponent).into())?;
                        product.scale(&power)
                    }
                    Some(_) if *exponent == 1 => product.mul(value)?,
                    Some(_) => return Err(EvaluateError::Irrational),
                };
            }
            sum = sum.add(product)?;
        }
        Ok(sum)
    }

    fn atom(&self, atom: &Atom) -> Result<Number> {
        let value: Rational = match atom {
            Atom::Symbol(symbol) => {
                (self.values)(symbol).ok_or_else(|| EvaluateError::Unknown(symbol.clone()))?
            }
            Atom::Floor(x) => self.number(x)?.floor()?.into(),
            Atom::Power(base, exponent) => {
                power(&self.rational(base)?, &self.number(exponent)?)?
            }
            Atom::Log(base, x) => return log(self.rational(base)?, self.rational(x)?),
            Atom::Min(items) => return self.extreme(items, Ordering::Less),
            Atom::Max(items) => return self.extreme(items, Ordering::Greater),
            Atom::Bracket(cond) => i64::from(self.cond(cond)?).into(),
            Atom::Gcd(x, y) => self.integer(x)?.gcd(&self.integer(y)?).into(),
            Atom::DigitSum(x, base) => digit_sum(&self.integer(x)?, &self.integer(base)?)
                .ok_or(EvaluateError::Undefined)?
                .into(),
            Atom::FloorSum(parts) => self.floor_sum(parts)?,
            Atom::Inverse(x) => {
                self.rational(x)?.recip().ok_or(EvaluateError::DivisionByZero)?
            }
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
                Some(best) => {
                    let difference = value.clone().add(best.clone().scale(&Rational::from(-1)))?;
                    difference.compare(&Rational::ZERO)? == wanted
                }
            };
            if wins {
                best = Some(value);
            }
        }
        best.ok_or(EvaluateError::Undefined)
    }

    fn floor_sum(&self, parts: &[Expr; 4]) -> Result<Rational> {
        let [n, a, c, m] = parts;
        let n = self.integer(n)?;
        let (a, c, m) = (self.rational(a)?, self.rational(c)?, self.rational(m)?);
        let common = a.denominator().lcm(&c.denominator()).lcm(&m.denominator());
        let whole = |x: &Rational| (x * &Rational::from(&common)).numerator();
        floor_sum(n, whole(&a), whole(&c), whole(&m))
            .map(Rational::from)
            .ok_or(EvaluateError::DivisionByZero)
    }

    fn sum(&self, sum: &Sum) -> Result<Rational> {
        let (low, high) = (self.rational(&sum.low)?.ceil(), self.rational(&sum.high)?.floor());
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
            Cond::NonNegative(e) => {
                self.number(e)?.compare(&Rational::ZERO)? != Ordering::Less
            }
            Cond::Zero(e) => {
                let value = self.number(e)?;
                value.log.is_none() && value.constant.is_zero()
            }
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

fn power(base: &Rational, exponent: &Number) -> Result<Rational> {
    // b^(c + f·log_b x) = b^c · x^f
    if let Some(log) = &exponent.log {
        if log.base != *base {
            return Err(EvaluateError::Irrational);
        }
        let constant = power(base, &exponent.constant.clone().into())?;
        return Ok(&constant * &power(&log.argument, &log.factor.clone().into())?);
    }
    let exponent = &exponent.constant;
    let degree = exponent.denominator();
    if degree.is_one() {
        return whole_power(base, &exponent.numerator());
    }
    if base.is_negative() {
        return Err(EvaluateError::Undefined);
    }
    let degree = degree.to_u32().ok_or(EvaluateError::TooMuchWork)?;
    let root = |x: BigInt| {
        let root = x.nth_root(degree);
        (root.pow(degree) == x).then_some(root)
    };
    let root = root(base.numerator()).zip(root(base.denominator()));
    let (over, under) = root.ok_or(EvaluateError::Irrational)?;
    let root = Rational::new(over, under).ok_or(EvaluateError::DivisionByZero)?;
    whole_power(&root, &exponent.numerator())
}

fn log(base: Rational, argument: Rational) -> Result<Number> {
    let is_defined = argument > Rational::ZERO && base > Rational::ZERO && !base.is_one();
    if !is_defined {
        return Err(EvaluateError::Undefined);
    }
    Ok(match rational_log(&base, &argument) {
        Some(value) => value.into(),
        None => Number {
            constant: Rational::ZERO,
            log: Some(Log {
                factor: Rational::ONE,
                base,
                argument,
            }),
        },
    })
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
    let related = |a: &BigInt, b: &BigInt| a.is_one() == b.is_one() && (a.is_one() || a.gcd(b) > BigInt::one());
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
        assert_eq!(half.and_then(|h| rational_log(&2.into(), &h)), Some((-1).into()));
    }

    #[test]
    fn roots_and_digits() {
        assert_eq!(perfect_root(&64.into()), (2.into(), 6));
        assert_eq!(perfect_root(&12.into()), (12.into(), 1));
        assert_eq!(digit_sum(&255.into(), &16.into()), Some(30.into()));
        assert_eq!(digit_sum(&255.into(), &1.into()), None);
    }
}
