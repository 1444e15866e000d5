//! One value of the language, whoever holds it: a whole number, another exact one, a float.
//!
//! Whole numbers that fit a word are kept inline; everything else that is no float is an exact
//! real. What a value may be (a fraction, beyond 64 bits) depends on where it stands, which is not
//! known here; what operations give is in [`arithmetic`](crate::meaning::arithmetic).

use std::fmt;

use num_traits::ToPrimitive;

use crate::number::{BigInt, Rational, Real, legible};

/// A number.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    /// A whole number that fits a word.
    Whole(i64),
    /// Any other exact number.
    Exact(Real),
    /// IEEE.
    Float(f64),
}

impl Value {
    /// The canonical form of an exact number.
    pub(crate) fn exact(value: Real) -> Value {
        match value.to_rational().and_then(|whole| whole.to_i64()) {
            Some(whole) => Value::Whole(whole),
            None => Value::Exact(value),
        }
    }

    /// A whole number of any size.
    pub(crate) fn whole(value: BigInt) -> Value {
        match value.to_i64() {
            Some(whole) => Value::Whole(whole),
            None => Value::Exact(Rational::from(value).into()),
        }
    }

    /// The number as an exact real.
    ///
    /// # Panics
    /// For floats, which `check` keeps out of exact arithmetic.
    pub(crate) fn to_real(&self) -> Real {
        match self {
            Value::Whole(whole) => Rational::from(*whole).into(),
            Value::Exact(real) => real.clone(),
            Value::Float(_) => unreachable!("checked to be an exact number"),
        }
    }

    /// The nearest double.
    pub(crate) fn to_float(&self) -> f64 {
        match self {
            Value::Whole(whole) => *whole as f64,
            Value::Exact(real) => real.to_f64(),
            Value::Float(float) => *float,
        }
    }

    /// The whole number, when it is one, of any size.
    pub(crate) fn to_integer(&self) -> Option<BigInt> {
        match self {
            Value::Whole(whole) => Some((*whole).into()),
            Value::Exact(real) => real.to_integer(),
            Value::Float(_) => None,
        }
    }

    pub(crate) fn is_float(&self) -> bool {
        matches!(self, Value::Float(_))
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Whole(whole) => write!(f, "{whole}"),
            Value::Exact(real) => match real.to_rational() {
                Some(rational) => f.write_str(&legible(&rational)),
                None => write!(f, "{}…", legible(&real.to_f64())),
            },
            Value::Float(float) => write!(f, "{float:?}"),
        }
    }
}

/// Whether two floats have equal bits, all NaNs counting as equal.
pub(crate) fn same_bits(x: f64, y: f64) -> bool {
    x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan())
}
