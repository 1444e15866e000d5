//! Two ends between which an exact real lies, at any precision.
//!
//! An enclosure is refined until it decides a question, such as a floor or a sign. A value that is too large has
//! none.

use crate::number::real::interval::Interval;
use crate::number::real::{Form, PRECISIONS, Real, Tree};

impl Real {
    /// Returns the first enclosure that satisfies the test, or else the finest one tried; `None` if there
    /// is none.
    pub(super) fn refine(&self, decided: impl Fn(&Interval) -> bool) -> Option<Interval> {
        let mut finest: Option<Interval> = None;
        for precision in PRECISIONS {
            if let Some(interval) = self.enclose(precision) {
                if decided(&interval) {
                    return Some(interval);
                }
                finest = Some(interval);
            }
        }
        // Large intermediate values cost precision: a factor with 2000 bits before the point makes an error
        // 2000 bits longer. One more try works with twice the lost bits more.
        let lost = match &finest {
            Some(interval) => interval.magnitude().max(interval.width_bits()),
            None => PRECISIONS[3],
        };
        if lost > 1024
            && let Some(interval) = self.enclose(PRECISIONS[3] + 2 * lost)
        {
            return Some(interval);
        }
        finest
    }

    pub(super) fn enclose(&self, precision: u64) -> Option<Interval> {
        let node = match &self.0 {
            Form::Rational(value) => return Some(Interval::rational(value, precision)),
            Form::Tree(node) => node,
        };
        match &node.tree {
            Tree::Sum(left, right) => {
                Some(left.enclose(precision)?.add(&right.enclose(precision)?))
            }
            Tree::Negated(value) => Some(value.enclose(precision)?.negate()),
            Tree::Product(left, right) => Some(
                left.enclose(precision)?
                    .multiply(&right.enclose(precision)?),
            ),
            Tree::Reciprocal(value) => value.enclose(precision)?.recip(),
            Tree::Log(base, argument) => {
                let base = base.enclose_ln(precision)?;
                Some(argument.enclose_ln(precision)?.multiply(&base.recip()?))
            }
            Tree::Sqrt(value) => value.enclose(precision)?.sqrt(),
            Tree::Power(base, exponent) => base
                .enclose_ln(precision)?
                .multiply(&exponent.enclose(precision)?)
                .exp(),
            Tree::Enclosed(interval) => Some(interval.at_precision(precision)),
        }
    }

    fn enclose_ln(&self, precision: u64) -> Option<Interval> {
        match &self.0 {
            Form::Rational(value) if value.signum() > 0 => {
                let numerator = Interval::ln_integer(&value.numerator(), precision);
                let denominator = Interval::ln_integer(&value.denominator(), precision);
                Some(numerator.add(&denominator.negate()))
            }
            Form::Rational(_) => None,
            Form::Tree(_) => self.enclose(precision)?.ln(),
        }
    }
}
