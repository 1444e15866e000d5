//! Exact reals: the values of logarithms, roots and rational powers of parameters before `⌈⌉`/`⌊⌋`.
//!
//! A rational result is recognised and kept as a [`Rational`]. Any other is a tree that can be enclosed to
//! any precision. Rounding and comparing refine the enclosure until it decides. Values that 2048 bits do
//! not tell apart count as equal, so `log2 3 + log2 (4/3)` is 2.

mod arithmetic;
mod enclosure;
mod estimate;
mod interval;

use std::cmp::Ordering;
use std::sync::Arc;

use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use crate::number::real::estimate::Estimate;
use crate::number::real::interval::Interval;
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
mod tests;
