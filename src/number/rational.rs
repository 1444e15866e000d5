//! Exact rationals, with a fast path for those that fit two machine words.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// Whole numbers up to here are doubles, and the quotient of two doubles is rounded to the nearest double.
const EXACT: u64 = 1 << 53;

/// Returns the double nearest to a quotient, ties to even; the quotient need not be in lowest terms. `None`
/// if the denominator is not from 1 to 2^64 − 1.
pub(crate) fn nearest(numerator: i128, denominator: i128) -> Option<f64> {
    let divisor = u128::from(u64::try_from(denominator).ok().filter(|it| *it > 0)?);
    let size = numerator.unsigned_abs();
    let quotient = if size == 0 || size.max(divisor) <= u128::from(EXACT) {
        size as f64 / divisor as f64
    } else {
        // The scaled numerator is at least 2^127 and the divisor below 2^64, so the quotient has at least
        // 64 bits. Its last bit also stands for all bits that are cut off: a tie in the first 53 bits is
        // then told from a value just above it, and rounding goes the right way.
        let shift = size.leading_zeros();
        let scaled = size << shift;
        let bits = (scaled / divisor) | u128::from(!scaled.is_multiple_of(divisor));
        bits as f64 / (1_u128 << shift) as f64
    };
    Some(if numerator < 0 { -quotient } else { quotient })
}

/// Returns the same double for any denominator above 0, by dividing some bits at a time.
pub(crate) fn nearest_of_long(numerator: i128, denominator: i128) -> Option<f64> {
    let divisor = u128::try_from(denominator).ok().filter(|it| *it > 0)?;
    let size = numerator.unsigned_abs();
    // Invariant: size / divisor = (bits + rest / divisor) / 2^exponent.
    let (mut bits, mut rest) = (size / divisor, size % divisor);
    let mut exponent = 0_u64;
    while rest != 0 && bits < 1 << 64 {
        let shift = rest.leading_zeros().min(63);
        rest <<= shift;
        bits = (bits << shift) | (rest / divisor);
        rest %= divisor;
        exponent += u64::from(shift);
    }
    // As in `nearest`, the last bit stands for all that are cut off.
    bits |= u128::from(rest != 0);
    // A double's own bits: 2^exponent, which is at most 2^254.
    let power = f64::from_bits((1023 + exponent) << 52);
    let quotient = bits as f64 / power;
    Some(if numerator < 0 { -quotient } else { quotient })
}

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

impl Add for &Rational {
    type Output = Rational;
    fn add(self, other: &Rational) -> Rational {
        if let Some(sum) = self.in_words(other, i64::checked_add) {
            return sum;
        }
        self.zip(
            other,
            |a, b, c, d| Some(((a * d).checked_add(c * b)?, b * d)),
            |a, b, c, d| {
                if b == d {
                    (a + c, b.clone())
                } else {
                    (a * d + c * b, b * d)
                }
            },
        )
    }
}

impl Sub for &Rational {
    type Output = Rational;
    fn sub(self, other: &Rational) -> Rational {
        self + &-other
    }
}

impl Mul for &Rational {
    type Output = Rational;
    fn mul(self, other: &Rational) -> Rational {
        if let Some(product) = self.in_words(other, i64::checked_mul) {
            return product;
        }
        self.zip(
            other,
            |a, b, c, d| Some((a * c, b * d)),
            |a, b, c, d| (a * c, b * d),
        )
    }
}

impl Neg for &Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        match &self.0 {
            Repr::Small(n, d) if *n > i64::MIN => Rational(Repr::Small(-n, *d)),
            Repr::Small(n, d) => Rational::small(-i128::from(*n), (*d).into()),
            Repr::Big(value) => (-(**value).clone()).into(),
        }
    }
}

/// Divides.
///
/// # Panics
/// If `other` is 0; use [`Rational::checked_div`] for a divisor that a user can influence.
impl Div for &Rational {
    type Output = Rational;
    fn div(self, other: &Rational) -> Rational {
        self.checked_div(other).expect("divisor is not zero")
    }
}

macro_rules! by_value {
    ($($trait:ident $method:ident),*) => {$(
        impl $trait for Rational {
            type Output = Rational;
            fn $method(self, other: Rational) -> Rational {
                (&self).$method(&other)
            }
        }
    )*};
}
by_value!(Add add, Sub sub, Mul mul, Div div);

impl Neg for Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        -&self
    }
}

impl AddAssign<&Rational> for Rational {
    fn add_assign(&mut self, other: &Rational) {
        *self = &*self + other;
    }
}

impl SubAssign<&Rational> for Rational {
    fn sub_assign(&mut self, other: &Rational) {
        *self = &*self - other;
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
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_nearest_double_is_that_of_long_numbers(
            numerator in prop_oneof![any::<i128>(), any::<i64>().prop_map(i128::from)],
            cut in 0_u32..127,
            denominator in prop_oneof![1_u64..100, any::<u64>().prop_map(|it| it.max(1))],
        ) {
            let numerator = numerator >> cut;
            let long = BigRational::new(numerator.into(), denominator.into());
            prop_assert_eq!(nearest(numerator, denominator.into()), long.to_f64());
            prop_assert_eq!(nearest_of_long(numerator, denominator.into()), long.to_f64());
        }

        #[test]
        fn the_nearest_double_of_any_quotient_is_that_of_long_numbers(
            numerator in any::<i128>(),
            denominator in any::<i128>(),
            cuts in (0_u32..127, 0_u32..127),
        ) {
            let numerator = numerator >> cuts.0;
            let denominator = (denominator >> cuts.1).saturating_abs().max(1);
            let long = BigRational::new(numerator.into(), denominator.into());
            prop_assert_eq!(nearest_of_long(numerator, denominator), long.to_f64());
        }

        #[test]
        fn machine_words_say_what_long_numbers_do(
            (a, c) in (edge(), edge()),
            (b, d) in (prop_oneof![Just(1), 1_i64..9], prop_oneof![Just(1), 1_i64..9]),
        ) {
            let [x, y] = [(a, b), (c, d)].map(|(n, d)| BigRational::new(n.into(), d.into()));
            let [left, right] = [&x, &y].map(|value| Rational::from(value.clone()));
            prop_assert_eq!(&left + &right, (&x + &y).into());
            prop_assert_eq!(&left - &right, (&x - &y).into());
            prop_assert_eq!(&left * &right, (&x * &y).into());
            let quotient = (!y.is_zero()).then(|| (&x / &y).into());
            prop_assert_eq!(left.checked_div(&right), quotient);
            prop_assert_eq!(Some(left.to_f64()), x.to_f64());
            let content = BigRational::new(x.numer().gcd(y.numer()), x.denom().lcm(y.denom()));
            let content = Rational::from(content).nonzero().unwrap_or(Rational::ONE);
            prop_assert_eq!(Rational::content([&left, &right].into_iter()), content);
        }
    }

    /// Small numbers, and those at the ends of a machine word.
    fn edge() -> impl Strategy<Value = i64> {
        let ends = [i64::MIN, i64::MIN + 1, -(1 << 53) - 1, 1 << 53, i64::MAX];
        prop_oneof![
            -12_i64..12,
            any::<i64>(),
            proptest::sample::select(ends.to_vec())
        ]
    }

    #[test]
    fn the_nearest_double_of_ties_is_even() {
        let between = (1_i128 << 53) + 1;
        assert_eq!(nearest(between, 1), Some((1_i64 << 53) as f64));
        assert_eq!(nearest(between + 2, 1), Some(((1_i64 << 53) + 4) as f64));
        assert_eq!(nearest(-3, 1 << 54), Some(-3.0 / (1_i64 << 54) as f64));
        assert_eq!(nearest(0, 7), Some(0.0));
        assert_eq!(
            (nearest(1, 0), nearest(1, -1), nearest(1, 1 << 64)),
            (None, None, None)
        );
    }

    fn any_rational() -> impl Strategy<Value = Rational> {
        let part = prop_oneof![
            -20i128..20,
            any::<i64>().prop_map(i128::from),
            any::<i128>()
        ];
        (part.clone(), part).prop_filter_map("zero", |(n, d)| Rational::new(n, d))
    }

    proptest! {
        #[test]
        fn agrees_with_big_rationals(a in any_rational(), b in any_rational()) {
            prop_assert_eq!((&a + &b).big(), a.big() + b.big());
            prop_assert_eq!((&a - &b).big(), a.big() - b.big());
            prop_assert_eq!((&a * &b).big(), a.big() * b.big());
            prop_assert_eq!(a.cmp(&b), a.big().cmp(&b.big()));
            prop_assert_eq!(a.floor(), a.big().floor().to_integer());
            prop_assert_eq!(a.ceil(), a.big().ceil().to_integer());
            if !b.is_zero() {
                prop_assert_eq!((&a / &b).big(), a.big() / b.big());
            }
            prop_assert_eq!(Rational::from(a.big()), a);
        }
    }

    #[test]
    fn the_smallest_words_do_not_overflow() {
        let least = Rational::from(i64::MIN);
        assert_eq!((-&least).to_string(), "9223372036854775808");
        assert_eq!(
            (&least / &Rational::from(-1)).to_string(),
            "9223372036854775808"
        );
        assert_eq!((&-&least + &Rational::from(-1)).to_i64(), Some(i64::MAX));
        assert_eq!(
            least.recip().map(|r| r.to_string()),
            Some("-1/9223372036854775808".into())
        );
    }

    #[test]
    fn decimals_are_reduced() {
        for number in [-1200i64, -7, 0, 1, 2, 5, 16, 250, 625, 3_000_000] {
            for places in [0, 1, 2, 3, 7, 40] {
                let scale = Rational::from(10).pow(places).expect("a power");
                let wanted = Rational::from(number).checked_div(&scale).expect("not 0");
                let found = Rational::decimal(number.into(), places as u32);
                assert_eq!(found, wanted, "{number} / 10^{places}");
                assert_eq!(found.denominator(), wanted.denominator());
            }
        }
    }

    #[test]
    fn powers() {
        assert_eq!(Rational::from(2).pow(-2), Rational::new(1, 4));
        assert_eq!(Rational::ZERO.pow(0), Some(Rational::ONE));
        assert_eq!(Rational::ZERO.pow(-1), None);
    }
}
