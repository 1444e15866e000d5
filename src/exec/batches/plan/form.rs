//! Whole numbers that grow evenly: constant + core · j + Σ factor · slot.
//!
//! A *slot* is a number that is the same for all cores of an MP at one moment: an index of the MP,
//! or the variable of a loop. Indices of arrays are nearly always of this form, and then bounds,
//! blocks, bank conflicts and races are questions about a few coefficients.

/// The place of an MP index or loop variable among the numbers of an MP.
pub(crate) type Slot = usize;

/// constant + core · j + Σ factor · slot, exact.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Form {
    /// The part that does not vary.
    pub constant: i64,
    /// The increase from one core to the next.
    pub core: i64,
    /// The increase per step of a slot; no factor is 0, slots ascend.
    pub terms: Vec<(i64, Slot)>,
}

/// First and last value that a quantity may take.
pub(crate) type Interval = (i128, i128);

impl Form {
    /// Creates a number that does not vary.
    pub(crate) fn constant(constant: i64) -> Form {
        Form {
            constant,
            ..Form::default()
        }
    }

    /// Creates the number in a slot.
    pub(crate) fn slot(slot: Slot) -> Form {
        Form {
            terms: vec![(1, slot)],
            ..Form::default()
        }
    }

    /// Creates the index of the core.
    pub(crate) fn core() -> Form {
        Form {
            core: 1,
            ..Form::default()
        }
    }

    /// Returns the number, if it does not vary.
    pub(crate) fn as_constant(&self) -> Option<i64> {
        (self.core == 0 && self.terms.is_empty()).then_some(self.constant)
    }

    /// Returns the increase per step of a slot.
    pub(crate) fn factor(&self, slot: Slot) -> i64 {
        let term = self.terms.iter().find(|(_, at)| *at == slot);
        term.map_or(0, |(factor, _)| *factor)
    }

    /// Returns the form without the term of a slot.
    pub(crate) fn without(&self, slot: Slot) -> Form {
        let mut others = self.clone();
        others.terms.retain(|(_, other)| *other != slot);
        others
    }

    /// Returns the factors of the last two of `dimensions` dimensions of MPs; the first is 0 if
    /// there
    /// is just one.
    pub(crate) fn steps(&self, dimensions: usize) -> [i64; 2] {
        let outer = dimensions.checked_sub(2);
        [
            outer.map_or(0, |outer| self.factor(outer)),
            self.factor(dimensions - 1),
        ]
    }

    /// Returns the value for core 0.
    #[inline]
    pub(crate) fn at(&self, slots: &[i64]) -> i64 {
        let mut value = self.constant;
        for &(factor, slot) in &self.terms {
            value = value.wrapping_add(factor.wrapping_mul(slots[slot]));
        }
        value
    }

    /// Returns self + times · other; `None` if a coefficient outgrows a word.
    pub(crate) fn plus(&self, times: i64, other: &Form) -> Option<Form> {
        let mut sum = self.clone();
        sum.add(times, other)?;
        Some(sum)
    }

    /// Adds times · other in place. After `None`, self is neither the old form nor the sum.
    pub(crate) fn add(&mut self, times: i64, other: &Form) -> Option<()> {
        let sum = |one: i64, more: i64| one.checked_add(more.checked_mul(times)?);
        self.constant = sum(self.constant, other.constant)?;
        self.core = sum(self.core, other.core)?;
        for &(factor, slot) in &other.terms {
            match self.terms.binary_search_by_key(&slot, |term| term.1) {
                Ok(at) => self.terms[at].0 = sum(self.terms[at].0, factor)?,
                Err(at) => self.terms.insert(at, (factor.checked_mul(times)?, slot)),
            }
        }
        self.terms.retain(|(factor, _)| *factor != 0);
        Some(())
    }

    /// Returns self · factor.
    pub(crate) fn times(&self, factor: i64) -> Option<Form> {
        Form::default().plus(factor, self)
    }

    /// Returns self / divisor, if every coefficient is divisible.
    pub(crate) fn over(&self, divisor: i64) -> Option<Form> {
        let (quotient, rest) = self.split(divisor)?;
        (rest == Form::default()).then_some(quotient)
    }

    /// Divides coefficient by coefficient: self = divisor · quotient + rest, the rest's
    /// coefficients
    /// within 0 … divisor − 1. The quotient is the floor wherever the rest's value is within that
    /// range too.
    pub(crate) fn split(&self, divisor: i64) -> Option<(Form, Form)> {
        // 5 − 3j divided by 4: −3 = 4·(−1) + 1, so the quotient is 1 − j and the rest 1 + j.
        if divisor <= 0 {
            return None;
        }
        let part = |value: i64| (value.div_euclid(divisor), value.rem_euclid(divisor));
        let (constant, rest) = part(self.constant);
        let (core, core_rest) = part(self.core);
        let mut quotient = Form {
            constant,
            core,
            terms: Vec::new(),
        };
        let mut remainder = Form {
            constant: rest,
            core: core_rest,
            terms: Vec::new(),
        };
        for &(factor, slot) in &self.terms {
            let (whole, rest) = part(factor);
            if whole != 0 {
                quotient.terms.push((whole, slot));
            }
            if rest != 0 {
                remainder.terms.push((rest, slot));
            }
        }
        Some((quotient, remainder))
    }

    /// Returns the least and greatest value over cores and slots within their intervals.
    pub(crate) fn interval(&self, cores: (i64, i64), slots: &[(i64, i64)]) -> Interval {
        self.interval_from(0, cores, slots)
    }

    /// The same for the terms without those of slots before `least`.
    pub(crate) fn interval_from(
        &self,
        least: Slot,
        cores: (i64, i64),
        slots: &[(i64, i64)],
    ) -> Interval {
        // Each term has its extremes at the ends of its range: for i in 2..5 and j in 0..31, 32i −
        // j
        // lies within 64 − 31 = 33 and 160 − 0 = 160.
        let (mut low, mut high) = (i128::from(self.constant), i128::from(self.constant));
        let mut widen = |factor: i64, (first, last): (i64, i64)| {
            let one = i128::from(factor) * i128::from(first);
            let other = i128::from(factor) * i128::from(last);
            low += one.min(other);
            high += one.max(other);
        };
        widen(self.core, cores);
        for &(factor, slot) in &self.terms {
            if slot >= least {
                widen(factor, slots[slot]);
            }
        }
        (low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 7 + 2j + 5·s0 − 3·s2
    fn form() -> Form {
        Form {
            constant: 7,
            core: 2,
            terms: vec![(5, 0), (-3, 2)],
        }
    }

    #[test]
    fn sums_and_multiples_keep_their_values() {
        let slots = [2, 100, 4];
        assert_eq!(form().at(&slots), 5);
        let other = Form::slot(2).times(3).unwrap();
        let sum = form().plus(1, &other).unwrap();
        assert_eq!(sum.terms, [(5, 0)], "what cancels is gone");
        assert_eq!(sum.at(&slots), 17);
        assert_eq!(form().plus(-2, &form()).unwrap().at(&slots), -5);
        assert!(form().times(i64::MAX).is_none());
    }

    #[test]
    fn splitting_by_a_divisor_is_exact() {
        let (quotient, rest) = form().split(5).unwrap();
        for slots in [[0, 0, 0], [3, 0, 9], [-4, 0, 1]] {
            assert_eq!(form().at(&slots), 5 * quotient.at(&slots) + rest.at(&slots));
        }
        assert_eq!(form().over(5), None);
        assert_eq!(form().times(5).unwrap().over(5), Some(form()));
        assert_eq!(form().split(0), None);
    }

    #[test]
    fn intervals_are_tight() {
        let slots = [(0, 2), (0, 0), (-1, 4)];
        assert_eq!(form().interval((0, 3), &slots), (7 - 12, 7 + 6 + 10 + 3));
    }
}
