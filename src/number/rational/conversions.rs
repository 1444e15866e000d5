//! Rationals from whole numbers, decimals and doubles, and back.
//!
//! Only [`Rational::to_f64`] rounds. [`Rational::to_i64`] gives `None` for a value that fits no word.

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};

use crate::number::rational::nearest::{EXACT, nearest};
use crate::number::rational::{Rational, Repr};

impl From<BigRational> for Rational {
    fn from(value: BigRational) -> Self {
        match (value.numer().to_i64(), value.denom().to_i64()) {
            (Some(n), Some(d)) => Rational(Repr::Small(n, d)),
            _ => Rational(Repr::Big(Box::new(value))),
        }
    }
}

impl From<BigInt> for Rational {
    fn from(value: BigInt) -> Self {
        BigRational::new_raw(value, BigInt::one()).into()
    }
}

impl From<&BigInt> for Rational {
    fn from(value: &BigInt) -> Self {
        value.clone().into()
    }
}

impl From<i64> for Rational {
    fn from(value: i64) -> Self {
        Rational(Repr::Small(value, 1))
    }
}

impl From<i32> for Rational {
    fn from(value: i32) -> Self {
        i64::from(value).into()
    }
}

impl Rational {
    /// Returns number / 10^places in lowest terms.
    pub(crate) fn decimal(mut number: BigInt, places: u32) -> Rational {
        // Only twos and fives can be common factors, so no gcd is needed. 250 / 10^3: one two and three
        // fives cancel, which leaves 1 / 2^(3 − 1) = 1/4.
        let twos = u32::try_from(number.trailing_zeros().unwrap_or(u64::MAX));
        let twos = twos.unwrap_or(places).min(places);
        number >>= twos;
        let (five, mut fives) = (BigInt::from(5), 0);
        while fives < places {
            let (quotient, rest) = number.div_rem(&five);
            if !rest.is_zero() {
                break;
            }
            number = quotient;
            fives += 1;
        }
        let denominator = (BigInt::one() << (places - twos)) * five.pow(places - fives);
        if number.is_zero() {
            Rational::ZERO
        } else {
            BigRational::new_raw(number, denominator).into()
        }
    }

    /// Returns the exact value of a finite double; `None` for NaN and infinities.
    ///
    /// ```
    /// use atgpu::number::Rational;
    ///
    /// assert_eq!(Rational::from_f64(0.5), Rational::new(1, 2));
    /// // A double is a fraction of a power of two, so 0.1 is not 1/10.
    /// assert_ne!(Rational::from_f64(0.1), Rational::new(1, 10));
    /// assert_eq!(Rational::from_f64(f64::NAN), None);
    /// ```
    pub fn from_f64(value: f64) -> Option<Rational> {
        BigRational::from_float(value).map(Rational::from)
    }

    /// Returns the value as a whole number if it is one.
    pub fn to_integer(&self) -> Option<BigInt> {
        self.is_integer().then(|| self.numerator())
    }

    /// Returns the value as an `i64` if it is whole and fits.
    pub fn to_i64(&self) -> Option<i64> {
        match &self.0 {
            Repr::Small(n, 1) => Some(*n),
            Repr::Small(..) => None,
            Repr::Big(value) if value.is_integer() => value.numer().to_i64(),
            Repr::Big(_) => None,
        }
    }

    /// Returns the nearest double, for display and for costs in milliseconds.
    pub fn to_f64(&self) -> f64 {
        match &self.0 {
            Repr::Small(n, d) if n.unsigned_abs().max(d.unsigned_abs()) <= EXACT => {
                *n as f64 / *d as f64
            }
            Repr::Small(n, d) => nearest((*n).into(), (*d).into()).unwrap_or(f64::NAN),
            Repr::Big(value) => value.to_f64().unwrap_or(f64::NAN),
        }
    }
}
