//! Sums, differences, products and quotients of rationals as operators, by value and by reference.
//!
//! Whole numbers that fit a machine word are combined as words. All others go through
//! [`Rational::zip`], which tries 128 bits before long numbers.

use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

use crate::number::rational::{Rational, Repr};

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
