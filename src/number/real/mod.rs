//! Exact reals: the values of logarithms, roots and rational powers of parameters before `⌈⌉`/`⌊⌋`.
//!
//! A rational result is recognised and kept as a [`Rational`]. Any other is a tree that can be enclosed to
//! any precision. Rounding and comparing refine the enclosure until it decides. Values that 2048 bits do
//! not tell apart count as equal, so `log2 3 + log2 (4/3)` is 2.

mod estimate;
mod interval;

use std::cmp::Ordering;
use std::sync::Arc;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};

use crate::number::real::estimate::Estimate;
use crate::number::real::interval::Interval;
use crate::number::theory;
use crate::number::{MOST_BITS, Rational};

/// The bits behind the binary point that are tried in turn before two values count as equal.
const PRECISIONS: [u64; 4] = [64, 256, 1024, 2048];

/// Limit on the levels of a tree. A deeper tree (a long sum) is replaced by an enclosure, to bound recursion.
const MOST_LEVELS: u32 = 200;

/// An exact real number: a rational, or an irrational known to any precision.
#[derive(Debug, Clone)]
pub struct Real(Form);

#[derive(Debug, Clone)]
enum Form {
    Rational(Rational),
    Tree(Arc<Node>),
}

#[derive(Debug)]
struct Node {
    levels: u32,
    tree: Tree,
}

/// A value not known to be rational.
#[derive(Debug)]
enum Tree {
    Sum(Real, Real),
    Negated(Real),
    Product(Real, Real),
    Reciprocal(Real),
    /// The logarithm of the second to the base of the first.
    Log(Real, Real),
    Sqrt(Real),
    /// The first, which is positive, to the power of the second.
    Power(Real, Real),
    /// A deep tree, enclosed more finely than `PRECISIONS` asks for.
    Enclosed(Interval),
}

impl Node {
    /// Returns true if the value is known to be irrational. A rational logarithm or root of a rational is
    /// never kept as a tree, so such a tree is irrational.
    fn is_irrational(&self) -> bool {
        // A rational moves an irrational value but cannot make it rational: √2 + 1 and 3 √2 are irrational.
        // Two irrationals can cancel, so nothing is known of their sum or product.
        let is_moved = |left: &Real, right: &Real| match (&left.0, &right.0) {
            (Form::Rational(_), Form::Tree(node)) | (Form::Tree(node), Form::Rational(_)) => {
                node.is_irrational()
            }
            (Form::Rational(_), Form::Rational(_)) | (Form::Tree(_), Form::Tree(_)) => false,
        };
        match &self.tree {
            Tree::Log(Real(Form::Rational(_)), Real(Form::Rational(_)))
            | Tree::Sqrt(Real(Form::Rational(_))) => true,
            // A product with 0 is never kept as a tree.
            Tree::Sum(left, right) | Tree::Product(left, right) => is_moved(left, right),
            Tree::Negated(Real(Form::Tree(node))) | Tree::Reciprocal(Real(Form::Tree(node))) => {
                node.is_irrational()
            }
            Tree::Negated(_)
            | Tree::Reciprocal(_)
            | Tree::Log(..)
            | Tree::Sqrt(_)
            | Tree::Power(..)
            | Tree::Enclosed(_) => false,
        }
    }
}

impl From<Rational> for Real {
    fn from(value: Rational) -> Self {
        Real(Form::Rational(value))
    }
}

impl From<BigInt> for Real {
    fn from(value: BigInt) -> Self {
        Rational::from(value).into()
    }
}

impl From<i64> for Real {
    fn from(value: i64) -> Self {
        Rational::from(value).into()
    }
}

impl Real {
    /// Returns the value as a rational if it is one. A sum or product of irrationals is recognised only if
    /// it is whole.
    pub fn to_rational(&self) -> Option<Rational> {
        match &self.0 {
            Form::Rational(value) => Some(value.clone()),
            Form::Tree(node) if node.is_irrational() => None,
            Form::Tree(_) => self.to_integer().map(Rational::from),
        }
    }

    /// Returns the value as a whole number if it is one.
    pub fn to_integer(&self) -> Option<BigInt> {
        match &self.0 {
            Form::Rational(value) => value.to_integer(),
            Form::Tree(_) => {
                let (floor, is_integer) = self.floor_and_whole();
                is_integer.then_some(floor)
            }
        }
    }

    /// Returns ⌊x⌋.
    pub fn floor(&self) -> BigInt {
        match &self.0 {
            Form::Rational(value) => value.floor(),
            Form::Tree(_) => self.floor_and_whole().0,
        }
    }

    /// Returns ⌈x⌉.
    pub fn ceil(&self) -> BigInt {
        match &self.0 {
            Form::Rational(value) => value.ceil(),
            Form::Tree(_) => {
                let (floor, is_integer) = self.floor_and_whole();
                if is_integer { floor } else { floor + 1 }
            }
        }
    }

    /// Compares exactly.
    ///
    /// ```
    /// use atgpu::number::Real;
    /// use std::cmp::Ordering;
    ///
    /// let root = Real::from(2).sqrt().expect("2 is positive");
    /// assert_eq!(root.compare(&Real::from(1)), Ordering::Greater);
    /// assert_eq!(root.multiply(&root).compare(&Real::from(2)), Ordering::Equal);
    /// ```
    pub fn compare(&self, other: &Real) -> Ordering {
        if let (Form::Rational(left), Form::Rational(right)) = (&self.0, &other.0) {
            return left.cmp(right);
        }
        self.subtract(other).sign()
    }

    /// Returns the nearest double.
    pub fn to_f64(&self) -> f64 {
        match &self.0 {
            Form::Rational(value) => value.to_f64(),
            Form::Tree(_) => {
                // The result needs 53 bits. Close enough is an interval whose width has over 60 bits fewer
                // than its ends.
                let close = |interval: &Interval| {
                    let bits = interval.low.bits().min(interval.high.bits());
                    bits > interval.width_bits() + 60
                };
                self.refine(close)
                    .map_or(f64::NAN, |interval| interval.middle().to_f64())
            }
        }
    }

    /// Returns the sum.
    pub fn add(&self, other: &Real) -> Real {
        match (&self.0, &other.0) {
            (Form::Rational(left), Form::Rational(right)) => (left + right).into(),
            (Form::Rational(zero), Form::Tree(_)) if zero.is_zero() => other.clone(),
            (Form::Tree(_), Form::Rational(zero)) if zero.is_zero() => self.clone(),
            (Form::Rational(_) | Form::Tree(_), Form::Rational(_) | Form::Tree(_)) => {
                tree(Tree::Sum(self.clone(), other.clone()))
            }
        }
    }

    /// Returns the difference.
    pub fn subtract(&self, other: &Real) -> Real {
        self.add(&other.negate())
    }

    /// Returns −x.
    pub fn negate(&self) -> Real {
        match &self.0 {
            Form::Rational(value) => (-value).into(),
            Form::Tree(_) => tree(Tree::Negated(self.clone())),
        }
    }

    /// Returns the product.
    pub fn multiply(&self, other: &Real) -> Real {
        match (&self.0, &other.0) {
            (Form::Rational(left), Form::Rational(right)) => (left * right).into(),
            (Form::Rational(factor), Form::Tree(_)) if factor.is_zero() => Rational::ZERO.into(),
            (Form::Tree(_), Form::Rational(factor)) if factor.is_zero() => Rational::ZERO.into(),
            (Form::Rational(factor), Form::Tree(_)) if factor.is_one() => other.clone(),
            (Form::Tree(_), Form::Rational(factor)) if factor.is_one() => self.clone(),
            (Form::Rational(_) | Form::Tree(_), Form::Rational(_) | Form::Tree(_)) => {
                tree(Tree::Product(self.clone(), other.clone()))
            }
        }
    }

    /// Returns the quotient; `None` for division by zero.
    pub fn divide(&self, other: &Real) -> Option<Real> {
        match &other.0 {
            Form::Rational(divisor) => Some(self.multiply(&divisor.recip()?.into())),
            Form::Tree(_) if other.sign() == Ordering::Equal => None,
            Form::Tree(_) => Some(self.multiply(&tree(Tree::Reciprocal(other.clone())))),
        }
    }

    /// Returns the power; `None` if it is undefined (0 to a negative, a negative to a fraction) or too large.
    pub fn power(&self, exponent: &Real) -> Option<Real> {
        // Exact answers first: whole exponents, rational roots, square roots. Only the rest becomes a
        // `Power` tree, which costs a logarithm and an exponential each time it is enclosed.
        if let Some(exponent) = exponent.to_rational() {
            if let Some(whole) = exponent.to_integer() {
                return self.whole_power(&whole);
            }
            if let Form::Rational(base) = &self.0 {
                match base.signum() {
                    -1 => return None,
                    0 => return (!exponent.is_negative()).then(|| Rational::ZERO.into()),
                    _ => {}
                }
                if let Some(root) = theory::exact_root(base, &exponent.denominator()) {
                    return Real::from(root).whole_power(&exponent.numerator());
                }
            }
            // A square root is enclosed in a fraction of the time of a power.
            if exponent.denominator() == BigInt::from(2)
                && let Some(square) = self.whole_power(&exponent.numerator())
            {
                return square.sqrt();
            }
        }
        match self.sign() {
            Ordering::Less => None,
            Ordering::Equal => (exponent.sign() != Ordering::Less).then(|| Rational::ZERO.into()),
            Ordering::Greater => {
                // b^(log_b y) is y.
                if let Form::Tree(node) = &exponent.0
                    && let Tree::Log(base, argument) = &node.tree
                    && let (Form::Rational(left), Form::Rational(right)) = (&base.0, &self.0)
                    && left == right
                {
                    return Some(argument.clone());
                }
                let power = tree(Tree::Power(self.clone(), exponent.clone()));
                // A power too large to be enclosed could never be rounded or compared.
                power.enclose(PRECISIONS[0])?;
                Some(power)
            }
        }
    }

    /// Returns the logarithm of `self` to a base; `None` for an argument ≤ 0, a base ≤ 0, and the base 1.
    ///
    /// ```
    /// use atgpu::number::Real;
    ///
    /// assert_eq!(Real::from(1 << 20).log(&2.into()).and_then(|x| x.to_integer()), Some(20.into()));
    /// assert!(Real::from(0).log(&2.into()).is_none());
    /// ```
    pub fn log(&self, base: &Real) -> Option<Real> {
        if self.sign() != Ordering::Greater
            || base.sign() != Ordering::Greater
            || base.compare(&Rational::ONE.into()) == Ordering::Equal
        {
            return None;
        }
        if let (Form::Rational(argument), Form::Rational(base)) = (&self.0, &base.0)
            && let Some(value) = theory::rational_log(argument, base)
        {
            return Some(value.into());
        }
        if let Form::Tree(node) = &self.0 {
            // The logarithm of a root or power moves the exponent in front, so that log2 (sqrt 8) is
            // exactly 3/2.
            match &node.tree {
                Tree::Sqrt(argument) => {
                    let half = Rational::new(1, 2).expect("two is not zero");
                    return Some(argument.log(base)?.multiply(&half.into()));
                }
                Tree::Power(inner, exponent) => return Some(inner.log(base)?.multiply(exponent)),
                Tree::Sum(..)
                | Tree::Negated(_)
                | Tree::Product(..)
                | Tree::Reciprocal(_)
                | Tree::Log(..)
                | Tree::Enclosed(_) => {}
            }
        }
        Some(tree(Tree::Log(base.clone(), self.clone())))
    }

    /// Returns the square root; `None` for negatives.
    pub fn sqrt(&self) -> Option<Real> {
        match &self.0 {
            Form::Rational(value) if value.is_negative() => None,
            Form::Rational(value) => Some(match theory::exact_root(value, &2.into()) {
                Some(root) => root.into(),
                None => tree(Tree::Sqrt(self.clone())),
            }),
            Form::Tree(_) => match self.sign() {
                Ordering::Less => None,
                Ordering::Equal => Some(Rational::ZERO.into()),
                Ordering::Greater => Some(tree(Tree::Sqrt(self.clone()))),
            },
        }
    }

    fn levels(&self) -> u32 {
        match &self.0 {
            Form::Rational(_) => 0,
            Form::Tree(node) => node.levels,
        }
    }

    /// Compares the value with 0.
    fn sign(&self) -> Ordering {
        match &self.0 {
            Form::Rational(value) => value.signum().cmp(&0),
            Form::Tree(_) => {
                if let Some(sign) = Estimate::of(self).and_then(Estimate::sign) {
                    return sign;
                }
                let decided =
                    |interval: &Interval| interval.low.is_positive() || interval.high.is_negative();
                match self.refine(decided) {
                    Some(interval) if interval.low.is_positive() => Ordering::Greater,
                    Some(interval) if interval.high.is_negative() => Ordering::Less,
                    Some(_) | None => Ordering::Equal,
                }
            }
        }
    }

    /// Returns ⌊x⌋, and true if x is whole.
    fn floor_and_whole(&self) -> (BigInt, bool) {
        if let Some(floor) = Estimate::of(self).and_then(Estimate::floor) {
            return (floor.into(), false);
        }
        let decided = |interval: &Interval| {
            let (low, high) = interval.floors();
            low == high && interval.low != (&low << interval.precision())
        };
        let Some(interval) = self.refine(decided) else {
            return (BigInt::zero(), false);
        };
        let (low, high) = interval.floors();
        let whole = !decided(&interval);
        // An undecided enclosure holds one whole number, the floor of its upper end: [1.99…, 2.00…] holds 2.
        (if whole { high } else { low }, whole)
    }

    /// Returns the bits of a number that fits no machine words. For an irrational one it is about the
    /// number of bits that are looked at.
    pub(crate) fn bits(&self) -> usize {
        match &self.0 {
            Form::Rational(value) => value.bits_beyond_words(),
            Form::Tree(_) => 1024,
        }
    }

    /// Returns true if it is a number of more than 2^20 binary digits, or a fraction of such numbers. An
    /// irrational value is never so large: powers and logarithms refuse to be.
    pub(crate) fn is_beyond_measure(&self) -> bool {
        match &self.0 {
            Form::Rational(value) => value.bits_beyond_words() as u64 > 2 * MOST_BITS,
            Form::Tree(_) => false,
        }
    }

    /// Returns the first enclosure that satisfies the test, or else the finest one tried; `None` if there
    /// is none.
    fn refine(&self, decided: impl Fn(&Interval) -> bool) -> Option<Interval> {
        let mut finest: Option<Interval> = None;
        for precision in PRECISIONS {
            if let Some(interval) = self.enclose(precision) {
                if decided(&interval) {
                    return Some(interval);
                }
                finest = Some(interval);
            }
        }
        // Large intermediate values cost precision: a factor with 2000 bits before the point makes an error
        // 2000 bits longer. One more try works with twice the lost bits more.
        let lost = match &finest {
            Some(interval) => interval.magnitude().max(interval.width_bits()),
            None => PRECISIONS[3],
        };
        if lost > 1024
            && let Some(interval) = self.enclose(PRECISIONS[3] + 2 * lost)
        {
            return Some(interval);
        }
        finest
    }

    fn enclose(&self, precision: u64) -> Option<Interval> {
        let node = match &self.0 {
            Form::Rational(value) => return Some(Interval::rational(value, precision)),
            Form::Tree(node) => node,
        };
        match &node.tree {
            Tree::Sum(left, right) => {
                Some(left.enclose(precision)?.add(&right.enclose(precision)?))
            }
            Tree::Negated(value) => Some(value.enclose(precision)?.negate()),
            Tree::Product(left, right) => Some(
                left.enclose(precision)?
                    .multiply(&right.enclose(precision)?),
            ),
            Tree::Reciprocal(value) => value.enclose(precision)?.recip(),
            Tree::Log(base, argument) => {
                let base = base.enclose_ln(precision)?;
                Some(argument.enclose_ln(precision)?.multiply(&base.recip()?))
            }
            Tree::Sqrt(value) => value.enclose(precision)?.sqrt(),
            Tree::Power(base, exponent) => base
                .enclose_ln(precision)?
                .multiply(&exponent.enclose(precision)?)
                .exp(),
            Tree::Enclosed(interval) => Some(interval.at_precision(precision)),
        }
    }

    fn enclose_ln(&self, precision: u64) -> Option<Interval> {
        match &self.0 {
            Form::Rational(value) if value.signum() > 0 => {
                let numerator = Interval::ln_integer(&value.numerator(), precision);
                let denominator = Interval::ln_integer(&value.denominator(), precision);
                Some(numerator.add(&denominator.negate()))
            }
            Form::Rational(_) => None,
            Form::Tree(_) => self.enclose(precision)?.ln(),
        }
    }

    fn whole_power(&self, exponent: &BigInt) -> Option<Real> {
        if exponent.is_zero() {
            return Some(Rational::ONE.into());
        }
        match &self.0 {
            Form::Rational(base) if base.is_one() => Some(self.clone()),
            Form::Rational(base) if base.is_zero() => {
                (!exponent.is_negative()).then(|| self.clone())
            }
            Form::Rational(base) if base.abs().is_one() => Some(if exponent.is_even() {
                Rational::ONE.into()
            } else {
                self.clone()
            }),
            Form::Rational(base) => {
                // A numerator or denominator of `bits` bits is at least 2^(bits − 1), so its power has at
                // least (bits − 1)·exponent bits. A power that is too long is refused before it is
                // computed.
                let bits = base.numerator().bits().max(base.denominator().bits());
                let exponent = exponent.to_i32()?;
                if bits
                    .saturating_sub(1)
                    .saturating_mul(exponent.unsigned_abs().into())
                    > MOST_BITS
                {
                    return None;
                }
                base.pow(exponent).map(Real::from)
            }
            Form::Tree(node) => {
                let exponent = Real::from(exponent.clone());
                // Nested roots and powers are flattened: (√x)^e = x^(e/2) and (x^p)^e = x^(p·e), so (√2)^4
                // is the rational 4.
                if let Tree::Sqrt(inner) = &node.tree {
                    let half = Rational::new(1, 2).expect("two is not zero");
                    return inner.power(&exponent.multiply(&half.into()));
                }
                if let Tree::Power(inner, power) = &node.tree {
                    return inner.power(&power.multiply(&exponent));
                }
                if exponent.compare(&2.into()) == Ordering::Equal {
                    return Some(self.multiply(self));
                }
                match self.sign() {
                    Ordering::Greater => {
                        let power = tree(Tree::Power(self.clone(), exponent));
                        power.enclose(PRECISIONS[0])?;
                        Some(power)
                    }
                    Ordering::Equal if exponent.sign() == Ordering::Less => None,
                    Ordering::Equal => Some(Rational::ZERO.into()),
                    Ordering::Less => {
                        let power = self.negate().power(&exponent)?;
                        let even = exponent.to_integer()?.is_even();
                        Some(if even { power } else { power.negate() })
                    }
                }
            }
        }
    }
}

fn tree(tree: Tree) -> Real {
    let levels = 1 + match &tree {
        Tree::Sum(left, right)
        | Tree::Product(left, right)
        | Tree::Log(left, right)
        | Tree::Power(left, right) => left.levels().max(right.levels()),
        Tree::Negated(value) | Tree::Reciprocal(value) | Tree::Sqrt(value) => value.levels(),
        Tree::Enclosed(_) => 0,
    };
    let value = Real(Form::Tree(Arc::new(Node { levels, tree })));
    if levels <= MOST_LEVELS {
        return value;
    }
    // 4096 bits are twice the finest of `PRECISIONS`.
    match value.enclose(2 * PRECISIONS[3]) {
        Some(interval) => Real(Form::Tree(Arc::new(Node {
            levels: 1,
            tree: Tree::Enclosed(interval),
        }))),
        None => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn real(numerator: i64, denominator: i64) -> Real {
        Rational::new(numerator, denominator)
            .expect("not zero")
            .into()
    }

    fn whole(value: i64) -> Real {
        value.into()
    }

    #[test]
    fn logs_of_powers_are_rational() {
        let log = |x: Real, base: Real| x.log(&base).and_then(|log| log.to_rational());
        assert_eq!(log(whole(8), whole(4)), Rational::new(3, 2));
        assert_eq!(log(real(1, 8), whole(4)), Rational::new(-3, 2));
        assert_eq!(log(whole(8), real(1, 4)), Rational::new(-3, 2));
        assert_eq!(log(real(27, 8), real(9, 4)), Rational::new(3, 2));
        assert_eq!(log(whole(4), whole(8)), Rational::new(2, 3));
        assert_eq!(log(whole(1), whole(8)), Some(Rational::ZERO));
        assert_eq!(log(whole(12), whole(18)), None);
        assert_eq!(log(whole(6), whole(2)), None);
        let huge = whole(2)
            .power(&whole(900_000))
            .expect("below a million bits");
        assert_eq!(log(huge, whole(32)), Some(180_000.into()));
        for (x, base) in [(0, 2), (-1, 2), (2, 1), (2, 0), (2, -3)] {
            assert!(whole(x).log(&whole(base)).is_none(), "log_{base} {x}");
        }
    }

    #[test]
    fn logs_round_right_next_to_powers() {
        for exponent in 1..62 {
            for (offset, floor, ceil) in [(-1, -1, 0), (0, 0, 0), (1, 0, 1)] {
                let n = (1i64 << exponent) + offset;
                if n < 2 {
                    continue;
                }
                let log = whole(n).log(&whole(2)).expect("positive");
                if exponent > 1 {
                    assert_eq!(log.floor(), BigInt::from(exponent + floor), "{n}");
                    assert_eq!(log.ceil(), BigInt::from(exponent + ceil), "{n}");
                }
            }
        }
        let power = whole(3).power(&whole(5000)).expect("small enough");
        let next = power.add(&whole(1)).log(&whole(3)).expect("positive");
        assert_eq!(next.floor(), BigInt::from(5000));
    }

    #[test]
    fn sums_of_logs_may_come_out_whole() {
        let sum = whole(3)
            .log(&whole(2))
            .and_then(|left| Some(left.add(&real(4, 3).log(&whole(2))?)))
            .expect("positive");
        assert_eq!(sum.to_integer(), Some(2.into()));
        assert_eq!((sum.floor(), sum.ceil()), (2.into(), 2.into()));
        assert_eq!(sum.compare(&whole(2)), Ordering::Equal);
        let root = whole(2).sqrt().expect("positive");
        assert_eq!(root.multiply(&root).to_integer(), Some(2.into()));
        assert_eq!(root.to_integer(), None);
        assert!(whole(1).divide(&root.subtract(&root)).is_none());
    }

    #[test]
    fn roots_and_powers() {
        let power = |base: Real, exponent: Real| base.power(&exponent);
        let rational = |value: Option<Real>| value.and_then(|value| value.to_rational());
        assert_eq!(rational(power(whole(8), real(2, 3))), Some(4.into()));
        assert_eq!(
            rational(power(real(4, 9), real(-1, 2))),
            Rational::new(3, 2)
        );
        assert_eq!(rational(power(whole(0), whole(0))), Some(1.into()));
        assert_eq!(rational(power(whole(-2), whole(3))), Some((-8).into()));
        assert_eq!(rational(power(whole(2), whole(-1))), Rational::new(1, 2));
        assert!(power(whole(0), whole(-1)).is_none());
        assert!(power(whole(-8), real(1, 3)).is_none());
        assert!(power(whole(2), whole(1_000_000_000)).is_none());
        assert!(power(whole(3), real(1_999_999_999, 2)).is_none());
        assert_eq!(rational(whole(49).sqrt()), Some(7.into()));
        assert_eq!(whole(50).sqrt().map(|root| root.ceil()), Some(8.into()));
        let cube = power(whole(2), real(1, 3)).expect("positive");
        assert!((cube.to_f64() - 2f64.cbrt()).abs() < 1e-15);
        assert_eq!(rational(power(cube, whole(3))), Some(2.into()));
    }

    #[test]
    fn long_sums_stay_shallow() {
        let half = whole(2).sqrt().expect("positive");
        let mut sum = whole(0);
        for _ in 0..1000 {
            sum = sum.add(&half).add(&whole(1)).subtract(&half);
        }
        assert_eq!(sum.to_integer(), Some(1000.into()));
        assert!(sum.levels() <= MOST_LEVELS);
    }

    #[test]
    fn doubles_are_close() {
        let log = whole(10).log(&whole(2)).expect("positive");
        assert!((log.to_f64() - 10f64.log2()).abs() < 1e-14);
        let tiny = power_of(whole(2), real(-401, 2)).to_f64();
        assert!((tiny / 2f64.powf(-200.5) - 1.0).abs() < 1e-12);
        let large = power_of(whole(3), real(401, 2)).to_f64();
        assert!((large / 3f64.powf(200.5) - 1.0).abs() < 1e-12);
    }

    fn power_of(base: Real, exponent: Real) -> Real {
        base.power(&exponent).expect("defined")
    }
}
