//! Exact rationals, with a fast path for those that fit two machine words.
//!
//! The number itself, its parts and its powers stand here. [`operators`] adds and multiplies, [`conversions`]
//! takes other numbers in, [`mod@nearest`] rounds to a double.

mod conversions;
mod nearest;
mod operators;

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

pub(crate) use nearest::{nearest, nearest_of_long};

/// An exact rational number, in lowest terms with a positive denominator.
///
/// A value whose numerator and denominator fit an `i64` is kept inline. The representation is canonical, so
/// equality and hashing are structural.
#[derive(Clone, PartialEq, Eq)]
pub struct Rational(Repr);

#[derive(Clone, PartialEq, Eq)]
enum Repr {
    Small(i64, i64),
    Big(Box<BigRational>),
}

impl Rational {
    /// 0.
    pub const ZERO: Rational = Rational(Repr::Small(0, 1));
    /// 1.
    pub const ONE: Rational = Rational(Repr::Small(1, 1));

    /// Returns `numerator / denominator` in lowest terms; `None` if the denominator is 0.
    ///
    /// ```
    /// use atgpu::number::Rational;
    ///
    /// assert_eq!(Rational::new(6, -4).expect("4 is not 0").to_string(), "-3/2");
    /// assert_eq!(Rational::new(1, 0), None);
    /// ```
    pub fn new(numerator: impl Into<BigInt>, denominator: impl Into<BigInt>) -> Option<Rational> {
        let denominator = denominator.into();
        (!denominator.is_zero()).then(|| Rational::lowest(numerator.into(), denominator))
    }

    /// Returns a quotient in lowest terms. The denominator must not be 0.
    fn lowest(mut numerator: BigInt, mut denominator: BigInt) -> Rational {
        if denominator.is_negative() {
            (numerator, denominator) = (-numerator, -denominator);
        }
        if !denominator.is_one() {
            // The search for a common divisor takes a step for every bit of the longer number, so one
            // division shortens the numerator first.
            let divisor = (&numerator % &denominator).gcd(&denominator);
            if !divisor.is_one() {
                (numerator, denominator) = (numerator / &divisor, denominator / &divisor);
            }
        }
        BigRational::new_raw(numerator, denominator).into()
    }

    fn small(numerator: i128, denominator: i128) -> Rational {
        debug_assert!(denominator > 0);
        if denominator == 1
            && let Ok(whole) = i64::try_from(numerator)
        {
            return Rational(Repr::Small(whole, 1));
        }
        if let (Ok(numerator), Ok(denominator)) =
            (i64::try_from(numerator), i64::try_from(denominator))
            && numerator != i64::MIN
        {
            let divisor = numerator.gcd(&denominator).max(1);
            return Rational(Repr::Small(numerator / divisor, denominator / divisor));
        }
        let divisor = numerator.gcd(&denominator).max(1);
        let (numerator, denominator) = (numerator / divisor, denominator / divisor);
        match (i64::try_from(numerator), i64::try_from(denominator)) {
            (Ok(numerator), Ok(denominator)) => Rational(Repr::Small(numerator, denominator)),
            _ => Rational(Repr::Big(Box::new(BigRational::new_raw(
                numerator.into(),
                denominator.into(),
            )))),
        }
    }

    /// Returns the bits of numerator and denominator together if they do not fit machine words, else 0.
    pub(crate) fn bits_beyond_words(&self) -> usize {
        match &self.0 {
            Repr::Small(..) => 0,
            Repr::Big(value) => {
                let bits = value.numer().bits().saturating_add(value.denom().bits());
                usize::try_from(bits).unwrap_or(usize::MAX)
            }
        }
    }

    /// Returns the greatest number of which all are whole multiples; 1 if all are 0.
    pub(crate) fn content<'r>(numbers: impl Iterator<Item = &'r Rational> + Clone) -> Rational {
        // It is the gcd of the numerators over the lcm of the denominators: 3/4 and 9/2 have the content
        // 3/4, as they are 1 and 6 times 3/4.
        Rational::content_in_words(numbers.clone())
            .unwrap_or_else(|| {
                let (mut numerator, mut denominator) = (BigInt::zero(), BigInt::one());
                for number in numbers {
                    numerator = numerator.gcd(&number.numerator());
                    denominator = denominator.lcm(&number.denominator());
                }
                BigRational::new(numerator, denominator).into()
            })
            .nonzero()
            .unwrap_or(Rational::ONE)
    }

    /// Returns the same if everything fits machine words. No numbers at all give 0.
    fn content_in_words<'r>(numbers: impl Iterator<Item = &'r Rational>) -> Option<Rational> {
        let (mut numerator, mut denominator) = (0_u64, 1_u64);
        for number in numbers {
            let Repr::Small(n, d) = &number.0 else {
                return None;
            };
            numerator = numerator.gcd(&n.unsigned_abs());
            let d = d.unsigned_abs();
            if !denominator.is_multiple_of(d) {
                denominator = (denominator / denominator.gcd(&d)).checked_mul(d)?;
            }
        }
        Some(Rational::small(numerator.into(), denominator.into()))
    }

    /// Combines two whole numbers if they and the result fit machine words.
    fn in_words(&self, other: &Rational, of: fn(i64, i64) -> Option<i64>) -> Option<Rational> {
        match (&self.0, &other.0) {
            (Repr::Small(a, 1), Repr::Small(c, 1)) => Some(Rational(Repr::Small(of(*a, *c)?, 1))),
            _ => None,
        }
    }

    fn nonzero(self) -> Option<Rational> {
        (!self.is_zero()).then_some(self)
    }

    fn big(&self) -> BigRational {
        match &self.0 {
            Repr::Small(n, d) => BigRational::new_raw((*n).into(), (*d).into()),
            Repr::Big(value) => (**value).clone(),
        }
    }

    /// Combines a/b and c/d into a numerator and a denominator, in words if possible and in long numbers
    /// otherwise.
    fn zip(
        &self,
        other: &Rational,
        small: impl Fn(i128, i128, i128, i128) -> Option<(i128, i128)>,
        big: impl Fn(&BigInt, &BigInt, &BigInt, &BigInt) -> (BigInt, BigInt),
    ) -> Rational {
        if let (Repr::Small(a, b), Repr::Small(c, d)) = (&self.0, &other.0)
            && let Some((n, d)) = small((*a).into(), (*b).into(), (*c).into(), (*d).into())
        {
            return Rational::small(n, d);
        }
        let (left, right) = (self.big(), other.big());
        let (n, d) = big(left.numer(), left.denom(), right.numer(), right.denom());
        Rational::lowest(n, d)
    }

    /// Returns the numerator, which carries the sign.
    pub fn numerator(&self) -> BigInt {
        match &self.0 {
            Repr::Small(n, _) => (*n).into(),
            Repr::Big(value) => value.numer().clone(),
        }
    }

    /// Returns the denominator, at least 1.
    pub fn denominator(&self) -> BigInt {
        match &self.0 {
            Repr::Small(_, d) => (*d).into(),
            Repr::Big(value) => value.denom().clone(),
        }
    }

    /// Returns true if the value is a whole number.
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Repr::Small(_, d) => *d == 1,
            Repr::Big(value) => value.is_integer(),
        }
    }

    /// Returns the largest whole number not above the value.
    pub fn floor(&self) -> BigInt {
        match &self.0 {
            Repr::Small(n, d) => Integer::div_floor(n, d).into(),
            Repr::Big(value) => value.floor().to_integer(),
        }
    }

    /// Returns the smallest whole number not below the value.
    pub fn ceil(&self) -> BigInt {
        -(-self).floor()
    }

    /// Returns the sign: −1, 0 or 1.
    pub fn signum(&self) -> i32 {
        match &self.0 {
            Repr::Small(n, _) => n.signum() as i32,
            Repr::Big(value) if value.is_negative() => -1,
            Repr::Big(_) => 1,
        }
    }

    /// Returns true if the value is 0.
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Repr::Small(0, _))
    }

    /// Returns true if the value is 1.
    pub fn is_one(&self) -> bool {
        matches!(self.0, Repr::Small(1, 1))
    }

    /// Returns true if the value is below 0.
    pub fn is_negative(&self) -> bool {
        self.signum() < 0
    }

    /// Returns the absolute value.
    pub fn abs(&self) -> Rational {
        if self.is_negative() {
            -self
        } else {
            self.clone()
        }
    }

    /// Returns 1 divided by the value; `None` for 0.
    pub fn recip(&self) -> Option<Rational> {
        // Swapping the parts keeps lowest terms. −i64::MIN is no `i64`, so it takes the way of long numbers.
        match self.0 {
            Repr::Small(0, _) => return None,
            Repr::Small(n, d) if n > 0 => return Some(Rational(Repr::Small(d, n))),
            Repr::Small(n, d) if n > i64::MIN => return Some(Rational(Repr::Small(-d, -n))),
            Repr::Small(..) | Repr::Big(_) => {}
        }
        Rational::new(self.denominator(), self.numerator())
    }

    /// Returns `self / other`; `None` if `other` is 0.
    pub fn checked_div(&self, other: &Rational) -> Option<Rational> {
        if let (Repr::Small(a, 1), Repr::Small(c, 1)) = (&self.0, &other.0)
            && a.checked_rem(*c) == Some(0)
        {
            return Some(Rational(Repr::Small(a / c, 1)));
        }
        (!other.is_zero()).then(|| {
            self.zip(
                other,
                |a, b, c, d| {
                    let (n, m) = (a * d, b * c);
                    Some(if m < 0 { (-n, -m) } else { (n, m) })
                },
                |a, b, c, d| (a * d, b * c),
            )
        })
    }

    /// Returns `self` to a whole power; `None` for 0 to a negative power. `0^0` is 1 (language.md §5).
    pub fn pow(&self, exponent: i32) -> Option<Rational> {
        if exponent == 1 {
            return Some(self.clone());
        }
        if exponent < 0 {
            return self.recip()?.pow(exponent.checked_neg()?);
        }
        if exponent == 0 || self.is_one() {
            return Some(Rational::ONE);
        }
        Some(num_traits::Pow::pow(self.big(), exponent as u32).into())
    }
}

impl Default for Rational {
    fn default() -> Self {
        Rational::ZERO
    }
}

impl Hash for Rational {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.0 {
            Repr::Small(n, d) => (n, d).hash(state),
            Repr::Big(value) => (value.numer(), value.denom()).hash(state),
        }
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Small(a, 1), Repr::Small(c, 1)) => a.cmp(c),
            (Repr::Small(a, b), Repr::Small(c, d)) => {
                (i128::from(*a) * i128::from(*d)).cmp(&(i128::from(*c) * i128::from(*b)))
            }
            _ => self.big().cmp(&other.big()),
        }
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_integer() {
            write!(f, "{}", self.numerator())
        } else {
            write!(f, "{}/{}", self.numerator(), self.denominator())
        }
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests;
