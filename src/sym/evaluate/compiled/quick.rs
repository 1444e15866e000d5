//! Values of [`Forms`] at one point, in fractions of 128 bits.
//!
//! Takes the point's values and gives a fraction. `None` says everywhere: not in 128 bits, or not
//! rational, or no value at all.

use std::cmp::Ordering;

use num_integer::Integer;
use num_traits::ToPrimitive;

use crate::number::{Rational, theory};
use crate::sym::evaluate::compiled::fraction::{self, Fraction};
use crate::sym::evaluate::compiled::{FloorOfLog, Forms, Kind, Scratch, Test};

impl Forms {
    pub(super) fn quick_sum(&self, at: usize, scratch: &mut Scratch) -> Option<Fraction> {
        let total = self.quick_numerator(at, scratch)?;
        total.over(self.sums[at].denominator?)
    }

    /// Returns numerator and denominator, not in lowest terms.
    #[inline]
    pub(super) fn quick_quotient(&self, at: usize, scratch: &mut Scratch) -> Option<(i128, i128)> {
        let denominator = self.sums[at].denominator?;
        if let Some(total) = self.in_words(at, scratch) {
            return Some((total.into(), denominator));
        }
        self.quick_numerator(at, scratch)?.undivided(denominator)
    }

    /// Returns the numerator, if it is a sum of products of words and no part of it is longer.
    #[inline]
    fn in_words(&self, at: usize, scratch: &Scratch) -> Option<i64> {
        let mut total = 0_i64;
        for (coefficient, factors) in self.sums[at].polynomial.as_ref()? {
            let mut product = *coefficient;
            for (slot, times) in factors {
                let value = scratch.short[*slot]?;
                for _ in 0..*times {
                    product = product.checked_mul(value)?;
                }
            }
            total = total.checked_add(product)?;
        }
        Some(total)
    }

    /// The same, if the denominator is 1.
    #[inline]
    fn whole_in_words(&self, at: usize, scratch: &Scratch) -> Option<i64> {
        match self.sums[at].denominator {
            Some(1) => self.in_words(at, scratch),
            _ => None,
        }
    }

    /// Returns the value if only the sum and its products do not fit 128 bits.
    pub(super) fn wide_sum(&self, at: usize, scratch: &mut Scratch) -> Option<Rational> {
        let sum = &self.sums[at];
        let mut total = Rational::ZERO;
        'terms: for (term, (_, coefficient)) in sum.terms.iter().zip(sum.source.terms()) {
            for bracket in &term.brackets {
                if !self.quick_test(*bracket, scratch)? {
                    continue 'terms;
                }
            }
            let mut product = coefficient.clone();
            for (atom, exponent) in &term.factors {
                let factor = Rational::from(self.quick_atom(*atom, scratch)?);
                product = &product * &factor.pow(*exponent)?;
            }
            total = &total + &product;
        }
        Some(total)
    }

    /// Returns the numerator over the common denominator of all coefficients.
    fn quick_numerator(&self, at: usize, scratch: &mut Scratch) -> Option<Fraction> {
        let sum = &self.sums[at];
        if let Some(total) = self.in_words(at, scratch) {
            return Some(Fraction::whole(total.into()));
        }
        sum.denominator?;
        let mut total = Fraction::ZERO;
        'terms: for term in &sum.terms {
            for bracket in &term.brackets {
                if !self.quick_test(*bracket, scratch)? {
                    continue 'terms;
                }
            }
            let mut product = Fraction::whole(term.coefficient);
            for (atom, exponent) in &term.factors {
                let factor = self.quick_atom(*atom, scratch)?;
                product = product.times(factor.power(*exponent)?)?;
            }
            total = total.plus(product)?;
        }
        Some(total)
    }

    pub(super) fn quick_atom(&self, at: usize, scratch: &mut Scratch) -> Option<Fraction> {
        let node = &self.atoms[at];
        if let Kind::Symbol(slot) = node.kind {
            return scratch.quick[slot];
        }
        if !node.is_fixed {
            return self.quick_kind(&node.kind, scratch);
        }
        let (point, value) = scratch.remembered[at];
        if point == scratch.point {
            return value;
        }
        let value = self.quick_kind(&node.kind, scratch);
        scratch.remembered[at] = (scratch.point, value);
        value
    }

    fn quick_kind(&self, kind: &Kind, scratch: &mut Scratch) -> Option<Fraction> {
        Some(match kind {
            Kind::Symbol(slot) => scratch.quick[*slot]?,
            Kind::Floor(x) => {
                let (numerator, denominator) = self.quick_quotient(*x, scratch)?;
                Fraction::whole(fraction::floor(numerator, denominator))
            }
            Kind::FloorOfLog(log) => Fraction::whole(self.quick_floor_of_log(log, scratch)?),
            Kind::Power(base, exponent) => {
                let exponent = i32::try_from(self.quick_whole(*exponent, scratch)?).ok()?;
                self.quick_sum(*base, scratch)?.power(exponent)?
            }
            Kind::Log(base, argument) => {
                let [base, argument] = self.quick_wholes([*base, *argument], scratch)?;
                let (floor, is_power) = floor_of_log(base, argument)?;
                is_power.then(|| Fraction::whole(floor))?
            }
            Kind::Extreme(items, wanted) => self.quick_extreme(items, *wanted, scratch)?,
            Kind::Bracket(test) => Fraction::whole(self.quick_test(*test, scratch)?.into()),
            Kind::Gcd(x, y) => {
                let [x, y] = self.quick_wholes([*x, *y], scratch)?;
                (x != i128::MIN && y != i128::MIN).then(|| Fraction::whole(x.gcd(&y)))?
            }
            Kind::DigitSum(x, base) => {
                let [x, base] = self.quick_wholes([*x, *base], scratch)?;
                Fraction::whole(digit_sum(x, base)?)
            }
            Kind::FloorSum(parts) => {
                let [n, a, c, m] = self.quick_wholes(*parts, scratch)?;
                let sum = theory::floor_sum(n.into(), a.into(), c.into(), m.into())?;
                Fraction::whole(sum.to_i128()?)
            }
            Kind::Inverse(x) => self.quick_sum(*x, scratch)?.power(-1)?,
            Kind::Total(sum) => self.quick_total(sum, scratch)?,
        })
    }

    fn quick_whole(&self, at: usize, scratch: &mut Scratch) -> Option<i128> {
        self.quick_sum(at, scratch)?.to_whole()
    }

    /// Returns the whole values of several sums, evaluated in their order.
    fn quick_wholes<const N: usize>(
        &self,
        sums: [usize; N],
        scratch: &mut Scratch,
    ) -> Option<[i128; N]> {
        let mut values = [0; N];
        for (value, at) in values.iter_mut().zip(sums) {
            *value = self.quick_whole(at, scratch)?;
        }
        Some(values)
    }

    fn quick_floor_of_log(&self, log: &FloorOfLog, scratch: &mut Scratch) -> Option<i128> {
        // ⌊(times/over)·log x⌋ = ⌊⌊log x^times⌋/over⌋. For log_32 100: ⌊log2 100⌋ = 6,
        // and 6/5 rounds to 1. With a minus the result is rest − ⌈…⌉: the ceiling is one
        // more than the floor, unless the logarithm is exact and divisible.
        let sums = [log.rest, log.base, log.argument];
        let [rest, base, argument] = self.quick_wholes(sums, scratch)?;
        if argument < 1 {
            return None;
        }
        let (floor, is_power) = floor_of_log(base, argument.checked_pow(log.times)?)?;
        let (floor, is_whole) = (floor / log.over, is_power && floor % log.over == 0);
        match (log.is_minus, is_whole) {
            (false, _) => rest.checked_add(floor),
            (true, true) => rest.checked_sub(floor),
            (true, false) => rest.checked_sub(floor + 1),
        }
    }

    /// Returns the least or the largest of some sums.
    fn quick_extreme(
        &self,
        items: &[usize],
        wanted: Ordering,
        scratch: &mut Scratch,
    ) -> Option<Fraction> {
        let mut best: Option<Fraction> = None;
        for item in items {
            let value = self.quick_sum(*item, scratch)?;
            let wins = match best {
                None => true,
                Some(best) => value.compare(best)? == wanted,
            };
            if wins {
                best = Some(value);
            }
        }
        best
    }

    pub(super) fn quick_test(&self, at: usize, scratch: &mut Scratch) -> Option<bool> {
        Some(match &self.tests[at] {
            Test::Constant(truth) => *truth,
            Test::NonNegative(e) => match self.in_words(*e, scratch) {
                Some(numerator) => numerator >= 0,
                None => !self.quick_numerator(*e, scratch)?.is_negative(),
            },
            Test::Zero(e) => self.quick_numerator(*e, scratch)?.is_zero(),
            Test::Divides(d, e) => self.quick_divides(*d, *e, scratch)?,
            Test::PowerOf(x, y) => {
                let [x, y] = self.quick_wholes([*x, *y], scratch)?;
                x == 1 || (x > 1 && y > 1 && floor_of_log(y, x)?.1)
            }
            Test::Not(inner) => !self.quick_test(*inner, scratch)?,
            Test::And(parts) => {
                for part in parts {
                    if !self.quick_test(*part, scratch)? {
                        return Some(false);
                    }
                }
                true
            }
            Test::Or(parts) => {
                for part in parts {
                    if self.quick_test(*part, scratch)? {
                        return Some(true);
                    }
                }
                false
            }
        })
    }

    /// Returns true if the value of a sum is a multiple of another one; 0 divides 0 alone.
    fn quick_divides(&self, divisor: usize, value: usize, scratch: &mut Scratch) -> Option<bool> {
        let words = [divisor, value].map(|at| self.whole_in_words(at, scratch));
        if let [Some(divisor), Some(value)] = words
            && divisor > 0
        {
            return Some(value % divisor == 0);
        }
        let divisor = self.quick_sum(divisor, scratch)?;
        let value = self.quick_sum(value, scratch)?;
        Some(if divisor.is_zero() {
            value.is_zero()
        } else {
            value.times(divisor.power(-1)?)?.to_whole().is_some()
        })
    }
}

/// Returns ⌊log_base x⌋ of whole numbers, base ≥ 2 and x ≥ 1, and true if x is exactly that
/// power.
pub(super) fn floor_of_log(base: i128, x: i128) -> Option<(i128, bool)> {
    // By multiplication, never by floating point: log(2^49 − 1)/log 2 may round up to 49. For
    // base 2 the position of the highest bit is the answer: 100 < 2^7 has 121 leading zeros of
    // 128, and 127 − 121 = 6.
    if base < 2 || x < 1 {
        return None;
    }
    if base == 2 {
        let floor = 127 - i128::from(x.leading_zeros());
        return Some((floor, x.count_ones() == 1));
    }
    let (mut power, mut exponent) = (1_i128, 0);
    while let Some(next) = power.checked_mul(base).filter(|next| *next <= x) {
        power = next;
        exponent += 1;
    }
    Some((exponent, power == x))
}

/// Returns the sum of the digits of x ≥ 0 to a base ≥ 2.
fn digit_sum(x: i128, base: i128) -> Option<i128> {
    if x < 0 || base < 2 {
        return None;
    }
    let (mut rest, mut sum) = (x, 0);
    while rest > 0 {
        sum += rest % base;
        rest /= base;
    }
    Some(sum)
}
