//! Fractions of 128-bit numbers; every operation reports if its result does not fit.

use std::cmp::Ordering;

use num_integer::Integer;
use num_traits::ToPrimitive;

use crate::number::Rational;

/// A fraction in lowest terms, its denominator above 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fraction {
    numerator: i128,
    denominator: i128,
}

impl Fraction {
    pub(crate) const ZERO: Fraction = Fraction::whole(0);

    pub(crate) const fn whole(value: i128) -> Self {
        Fraction {
            numerator: value,
            denominator: 1,
        }
    }

    pub(crate) fn of(value: &Rational) -> Option<Self> {
        Some(Fraction {
            numerator: value.numerator().to_i128()?,
            denominator: value.denominator().to_i128()?,
        })
    }

    fn reduced(numerator: i128, denominator: i128) -> Option<Self> {
        // Most numbers fit a word, and the gcd of words is several times faster, so they are
        // tried first. −3/−6: the gcd 3 takes the sign of the denominator, and the result is 1/2
        // with a denominator above 0.
        if denominator == 1 {
            return Some(Fraction::whole(numerator));
        }
        // The least number has no opposite, and both gcd and signs need one.
        if denominator == 0 || numerator == i128::MIN || denominator == i128::MIN {
            return None;
        }
        if let (Ok(short), Ok(divisor)) = (i64::try_from(numerator), i64::try_from(denominator))
            && short != i64::MIN
            && divisor != i64::MIN
        {
            let common = short.gcd(&divisor) * divisor.signum();
            return Some(Fraction {
                numerator: (short / common).into(),
                denominator: (divisor / common).into(),
            });
        }
        if numerator % denominator == 0 {
            return Some(Fraction::whole(numerator / denominator));
        }
        let divisor = numerator.gcd(&denominator) * denominator.signum();
        Some(Fraction {
            numerator: numerator / divisor,
            denominator: denominator / divisor,
        })
    }

    #[inline]
    pub(crate) fn plus(self, other: Fraction) -> Option<Self> {
        if (self.denominator, other.denominator) == (1, 1) {
            return self
                .numerator
                .checked_add(other.numerator)
                .map(Fraction::whole);
        }
        if self.denominator == other.denominator {
            let numerator = self.numerator.checked_add(other.numerator)?;
            return Fraction::reduced(numerator, self.denominator);
        }
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        let denominator = self.denominator.checked_mul(other.denominator)?;
        Fraction::reduced(left.checked_add(right)?, denominator)
    }

    #[inline]
    pub(crate) fn times(self, other: Fraction) -> Option<Self> {
        if (self.denominator, other.denominator) == (1, 1) {
            return product(self.numerator, other.numerator).map(Fraction::whole);
        }
        Fraction::reduced(
            self.numerator.checked_mul(other.numerator)?,
            self.denominator.checked_mul(other.denominator)?,
        )
    }

    #[inline]
    pub(crate) fn over(self, divisor: i128) -> Option<Self> {
        if divisor == 1 {
            return Some(self);
        }
        Fraction::reduced(self.numerator, self.denominator.checked_mul(divisor)?)
    }

    /// Returns numerator and denominator of the fraction over a divisor > 0, not in lowest terms.
    pub(crate) fn undivided(self, divisor: i128) -> Option<(i128, i128)> {
        Some((self.numerator, self.denominator.checked_mul(divisor)?))
    }

    /// Raises to a whole power; `None` for 0 to a negative one.
    #[inline]
    pub(crate) fn power(self, exponent: i32) -> Option<Self> {
        if exponent == 1 {
            return Some(self);
        }
        let size = exponent.unsigned_abs();
        let numerator = self.numerator.checked_pow(size)?;
        let denominator = self.denominator.checked_pow(size)?;
        if exponent < 0 {
            Fraction::reduced(denominator, numerator)
        } else {
            Fraction::reduced(numerator, denominator)
        }
    }

    pub(crate) fn to_whole(self) -> Option<i128> {
        (self.denominator == 1).then_some(self.numerator)
    }

    /// Returns the value if it is whole and fits a word.
    #[inline]
    pub(crate) fn to_word(self) -> Option<i64> {
        match self.denominator {
            1 => i64::try_from(self.numerator).ok(),
            _ => None,
        }
    }

    pub(crate) fn floor(self) -> i128 {
        floor(self.numerator, self.denominator)
    }

    pub(crate) fn ceiling(self) -> Option<i128> {
        let floor = self.floor();
        match self.denominator {
            1 => Some(floor),
            _ => floor.checked_add(1),
        }
    }

    pub(crate) fn compare(self, other: Fraction) -> Option<Ordering> {
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        Some(left.cmp(&right))
    }

    pub(crate) fn is_negative(self) -> bool {
        self.numerator < 0
    }

    pub(crate) fn is_zero(self) -> bool {
        self.numerator == 0
    }
}

/// Returns the floor of a quotient with a denominator > 0.
#[inline]
pub(crate) fn floor(numerator: i128, denominator: i128) -> i128 {
    match denominator {
        1 => numerator,
        _ => match (i64::try_from(numerator), i64::try_from(denominator)) {
            // Numbers of one word divide many times faster.
            (Ok(numerator), Ok(denominator)) => numerator.div_euclid(denominator).into(),
            _ => Integer::div_floor(&numerator, &denominator),
        },
    }
}

/// Returns a quotient with a denominator > 0, if it is whole.
#[inline]
pub(crate) fn whole(numerator: i128, denominator: i128) -> Option<i128> {
    if denominator == 1 {
        return Some(numerator);
    }
    // Numbers of one word divide many times faster.
    match (i64::try_from(numerator), i64::try_from(denominator)) {
        (Ok(numerator), Ok(denominator)) => {
            (numerator % denominator == 0).then(|| (numerator / denominator).into())
        }
        _ => (numerator % denominator == 0).then(|| numerator / denominator),
    }
}

/// Returns a product. The product of two words always fits.
#[inline]
fn product(x: i128, y: i128) -> Option<i128> {
    match (i64::try_from(x), i64::try_from(y)) {
        (Ok(x), Ok(y)) => Some(i128::from(x) * i128::from(y)),
        _ => x.checked_mul(y),
    }
}

impl From<Fraction> for Rational {
    fn from(value: Fraction) -> Self {
        let Fraction {
            numerator,
            denominator,
        } = value;
        match (i64::try_from(numerator), denominator) {
            (Ok(whole), 1) => Rational::from(whole),
            _ => Rational::new(numerator, denominator).expect("the denominator is above 0"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_is_that_of_rationals_or_gives_up() {
        let least = i128::from(i64::MIN);
        let numbers = [i128::MIN, least, -7, -1, 0, 1, 2, 6, 1 << 62, i128::MAX];
        let fractions: Vec<Fraction> = numbers
            .iter()
            .flat_map(|n| numbers.iter().filter_map(|d| Fraction::reduced(*n, *d)))
            .collect();
        assert!(fractions.len() > 40);
        let rational = Rational::from;
        for x in &fractions {
            assert_eq!(rational(*x).floor(), x.floor().into());
            for y in &fractions {
                if let Some(sum) = x.plus(*y) {
                    assert_eq!(rational(sum), rational(*x) + rational(*y));
                }
                if let Some(product) = x.times(*y) {
                    assert_eq!(rational(product), rational(*x) * rational(*y));
                }
                if let Some(order) = x.compare(*y) {
                    assert_eq!(order, rational(*x).cmp(&rational(*y)));
                }
            }
            for exponent in [-3, -1, 0, 1, 2, 100] {
                if let Some(power) = x.power(exponent) {
                    assert_eq!(Some(rational(power)), rational(*x).pow(exponent));
                }
            }
        }
        assert_eq!(Fraction::ZERO.power(-1), None);
        assert_eq!(Fraction::whole(i128::MAX).plus(Fraction::whole(1)), None);
    }
}
