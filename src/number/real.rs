//! Exact reals: what logarithms, roots and rational powers of parameters are before `⌈⌉`/`⌊⌋`.

use std::cmp::Ordering;

use num_bigint::BigInt;

use crate::number::Rational;

/// An exact real number: a rational, or an irrational known to any precision.
#[derive(Debug, Clone)]
pub struct Real(Rational);

impl From<Rational> for Real {
    fn from(value: Rational) -> Self {
        Real(value)
    }
}

impl Real {
    /// The value as a rational, when it is one.
    pub fn to_rational(&self) -> Option<Rational> {
        Some(self.0.clone())
    }
    /// The value as a whole number, when it is one.
    pub fn to_integer(&self) -> Option<BigInt> {
        self.0.to_integer()
    }
    /// ⌊x⌋
    pub fn floor(&self) -> BigInt {
        self.0.floor()
    }
    /// ⌈x⌉
    pub fn ceil(&self) -> BigInt {
        self.0.ceil()
    }
    /// Exact comparison.
    pub fn compare(&self, other: &Real) -> Ordering {
        self.0.cmp(&other.0)
    }
    /// The nearest double.
    pub fn to_f64(&self) -> f64 {
        self.0.to_f64()
    }
    /// Sum.
    pub fn add(&self, _other: &Real) -> Real {
        todo!()
    }
    /// Difference.
    pub fn subtract(&self, _other: &Real) -> Real {
        todo!()
    }
    /// Product.
    pub fn multiply(&self, _other: &Real) -> Real {
        todo!()
    }
    /// Quotient; `None` for division by zero.
    pub fn divide(&self, _other: &Real) -> Option<Real> {
        todo!()
    }
    /// Power; `None` where undefined (0 to a negative, a negative to a fraction) or absurdly large.
    pub fn power(&self, _exponent: &Real) -> Option<Real> {
        todo!()
    }
    /// log of `self` to a base; `None` for a non-positive argument, a base ≤ 0 or 1.
    pub fn log(&self, _base: &Real) -> Option<Real> {
        todo!()
    }
    /// Square root; `None` for negatives.
    pub fn sqrt(&self) -> Option<Real> {
        todo!()
    }
}
