//! The values of symbols at one point, and the values evaluated there.

use crate::number::Rational;
use crate::sym::evaluate::compiled::Slot;
use crate::sym::evaluate::compiled::fraction::Fraction;
use crate::sym::evaluate::compiled::kept::Kept;

/// Values of the symbols at one point, and the values evaluated there. One per thread.
#[derive(Debug, Clone)]
pub(crate) struct Scratch {
    pub(super) values: Vec<Option<Rational>>,
    pub(super) quick: Vec<Option<Fraction>>,
    /// The values that are whole and fit a word.
    pub(super) short: Vec<Option<i64>>,
    pub(super) remembered: Vec<(u64, Option<Fraction>)>,
    pub(super) kept: Vec<Kept>,
    pub(super) point: u64,
    /// Terms that the requested value may still have.
    pub(super) terms_left: u64,
    pub(super) work_left: u64,
}

impl Scratch {
    /// Goes to another point. Evaluated values are forgotten, bound values stay until bound
    /// again.
    pub(crate) fn next_point(&mut self) {
        self.point += 1;
    }

    /// Limits the work from here on, in expressions and terms of unsolved sums together. Beyond
    /// it every value is too much work. Without a call there is no limit.
    pub(crate) fn allow(&mut self, work: u64) {
        self.work_left = work;
    }

    /// Returns the work left.
    pub(crate) fn work_left(&self) -> u64 {
        self.work_left
    }

    /// Gives a symbol its value. Within a point only moving symbols may change.
    pub(crate) fn bind(&mut self, slot: Slot, value: Rational) {
        let quick = match value.to_i64() {
            Some(whole) => Some(Fraction::whole(whole.into())),
            None => Fraction::of(&value),
        };
        self.bind_quickly(slot.0, quick);
        self.values[slot.0] = Some(value);
    }

    pub(super) fn bind_quickly(&mut self, slot: usize, value: Option<Fraction>) {
        self.quick[slot] = value;
        self.short[slot] = value.and_then(Fraction::to_word);
    }

    /// Removes a value, as at the end of a loop.
    pub(crate) fn unbind(&mut self, slot: Slot) {
        self.bind_quickly(slot.0, None);
        self.values[slot.0] = None;
    }
}
