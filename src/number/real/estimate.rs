//! Doubles with a bound on their error. One of them decides nearly every rounding and comparison before
//! long numbers are needed.

use crate::number::Rational;
use crate::number::real::{Form, Real, Tree};

/// The relative error of a sum, product, quotient or square root of doubles: half of 2^-52, doubled for the
/// rounding of the bounds themselves.
const ROUNDING: f64 = f64::EPSILON;

/// A bound on the relative error of a logarithm, some thousand times the actual one.
const OF_LOGARITHM: f64 = 1e-12;

/// Beyond this, doubles are too coarse to tell neighbouring whole numbers apart safely.
const MOST: f64 = 1e15;

/// All reals within a distance of a double.
#[derive(Debug, Clone, Copy)]
pub(super) struct Estimate {
    value: f64,
    error: f64,
}

impl Estimate {
    /// Estimates a value; `None` if doubles can tell nothing.
    pub(super) fn of(real: &Real) -> Option<Estimate> {
        // Error bounds are carried up the tree. They decide a floor if no whole number lies within reach,
        // and a sign if 0 does not.
        let node = match &real.0 {
            Form::Rational(value) => return Estimate::rational(value),
            Form::Tree(node) => node,
        };
        match &node.tree {
            Tree::Sum(left, right) => Some(Estimate::of(left)?.add(Estimate::of(right)?)),
            Tree::Negated(value) => {
                let Estimate { value, error } = Estimate::of(value)?;
                Some(Estimate {
                    value: -value,
                    error,
                })
            }
            Tree::Product(left, right) => Some(Estimate::of(left)?.multiply(Estimate::of(right)?)),
            Tree::Reciprocal(value) => Estimate::of(value)?.reciprocal(),
            Tree::Log(base, argument) => {
                let base = Estimate::of(base)?.ln()?;
                Some(Estimate::of(argument)?.ln()?.multiply(base.reciprocal()?))
            }
            Tree::Sqrt(value) => Estimate::of(value)?.sqrt(),
            Tree::Power(..) | Tree::Enclosed(_) => None,
        }
        .filter(|found| found.value.is_finite() && found.error.is_finite())
    }

    /// Returns ⌊x⌋ if it is the same for all of the reals and none of them is whole.
    pub(super) fn floor(self) -> Option<i64> {
        // A whole number within reach must be refused: for 3 ± 1e-12 the floor could be 2 or 3, and only
        // the enclosure may decide that the value is exactly 3.
        let (low, high) = (self.value - self.margin(), self.value + self.margin());
        let is_between = low.abs() < MOST && high.abs() < MOST && low > low.floor();
        (is_between && low.floor() == high.floor()).then(|| low.floor() as i64)
    }

    /// Returns the sign if it is the same for all of the reals and not 0.
    pub(super) fn sign(self) -> Option<std::cmp::Ordering> {
        (self.value.abs() > self.margin()).then(|| self.value.total_cmp(&0.0))
    }

    /// Returns the error, plus the rounding of adding it to the value.
    fn margin(self) -> f64 {
        self.error + self.value.abs() * ROUNDING
    }

    fn rational(value: &Rational) -> Option<Estimate> {
        let value = value.to_f64();
        let error = value.abs() * ROUNDING;
        // Next to 0 the error of a double is not relative to it.
        (value == 0.0 || value.is_normal()).then_some(Estimate { value, error })
    }

    fn add(self, other: Estimate) -> Estimate {
        let value = self.value + other.value;
        Estimate {
            value,
            error: padded(self.error + other.error + value.abs() * ROUNDING),
        }
    }

    fn multiply(self, other: Estimate) -> Estimate {
        let value = self.value * other.value;
        let error = self.value.abs() * other.error
            + self.error * other.value.abs()
            + self.error * other.error
            + value.abs() * ROUNDING;
        Estimate {
            value,
            error: padded(error),
        }
    }

    /// Uses 1/x − 1/y = (y − x)/(x·y).
    fn reciprocal(self) -> Option<Estimate> {
        let nearest = self.value.abs() - self.margin();
        let value = 1.0 / self.value;
        (nearest > 0.0).then(|| Estimate {
            value,
            error: padded(self.error / nearest * value.abs() + value.abs() * ROUNDING),
        })
    }

    /// Uses √x − √y = (x − y)/(√x + √y).
    fn sqrt(self) -> Option<Estimate> {
        let value = self.value.sqrt();
        (self.value > self.margin()).then(|| Estimate {
            value,
            error: padded(self.error / value + value * ROUNDING),
        })
    }

    /// Uses |ln x − ln y| ≤ |x − y| / min(x, y).
    fn ln(self) -> Option<Estimate> {
        let nearest = self.value - self.margin();
        let value = libm::log(self.value);
        (nearest > 0.0).then(|| Estimate {
            value,
            error: padded(self.error / nearest + value.abs() * OF_LOGARITHM + ROUNDING),
        })
    }
}

/// Enlarges an error by the roundings of computing it, and by the smallest normal double for underflow.
fn padded(error: f64) -> f64 {
    error * (1.0 + 8.0 * ROUNDING) + f64::MIN_POSITIVE
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Trees of small numbers, roots, logarithms and their sums, products and quotients.
    fn real() -> impl Strategy<Value = Real> {
        let leaf = (-40_i64..4000, 1_i64..50)
            .prop_map(|(n, d)| Real::from(Rational::new(n, d).expect("d is not 0")));
        leaf.prop_recursive(4, 12, 2, |inner| {
            let pair = (inner.clone(), inner.clone());
            prop_oneof![
                pair.clone().prop_map(|(x, y)| x.add(&y)),
                pair.clone().prop_map(|(x, y)| x.multiply(&y)),
                pair.clone().prop_map(|(x, y)| x.divide(&y).unwrap_or(x)),
                pair.prop_map(|(x, y)| x.log(&y).unwrap_or(x)),
                inner.prop_map(|x| x.sqrt().unwrap_or_else(|| x.negate())),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

        #[test]
        fn what_an_estimate_tells_is_so(x in real()) {
            let Some(interval) = x.enclose(512) else { return Ok(()) };
            if let Some(estimate) = Estimate::of(&x) {
                let (low, high) = interval.floors();
                if let Some(floor) = estimate.floor() {
                    prop_assert!(low <= floor.into() && high >= floor.into(), "{x:?}");
                }
                if let Some(sign) = estimate.sign() {
                    let middle = interval.middle().signum().cmp(&0);
                    prop_assert!(middle == sign, "{x:?}");
                }
                // Not so wide that nothing is ever told.
                let is_plain = estimate.value.abs() > 1e-3 && estimate.value.abs() < 1e6;
                let far = estimate.error / estimate.value.abs();
                prop_assert!(!is_plain || far < 1e-3 || x.levels() > 2, "{x:?}: {estimate:?}");
            }
        }
    }

    #[test]
    fn roots_and_logarithms_are_told_apart_from_whole_numbers() {
        for n in 2..3000_i64 {
            for real in [Real::from(n).sqrt(), Real::from(n).log(&2.into())] {
                let real = real.expect("positive");
                if real.to_rational().is_none() {
                    assert!(
                        Estimate::of(&real).and_then(Estimate::floor).is_some(),
                        "{n}"
                    );
                }
            }
        }
        let next = Real::from((1 << 52) + 1).log(&2.into()).expect("positive");
        assert!(Estimate::of(&next).and_then(Estimate::floor).is_none());
        assert_eq!((next.floor(), next.ceil()), (52.into(), 53.into()));
    }
}
