//! Sums, products, powers, logarithms and roots of exact reals.
//!
//! A result that is known to be rational is kept as one; any other becomes a tree. Nothing is enclosed here,
//! except to learn the sign of an operand or that a power is not too large to be enclosed at all.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};

use crate::number::real::{Form, PRECISIONS, Real, Tree, tree};
use crate::number::theory;
use crate::number::{MOST_BITS, Rational};

impl Real {
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
