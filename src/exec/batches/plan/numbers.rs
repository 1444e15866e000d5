//! Intervals of numbers that are the same for all MPs and cores: bounds of loops, and how often those run.

use crate::exec::batches::plan::Ints;
use crate::exec::batches::plan::form::{Form, Interval, Slot};
use crate::exec::batches::plan::scope::{LARGEST, Scope};
use crate::program::Arithmetic;

impl Scope<'_> {
    /// Returns the interval of a quantity of slots alone, the same for all MPs and cores. `visit`
    /// hears of its slots.
    pub(super) fn number(&self, value: &Ints, visit: &mut impl FnMut(Slot)) -> Option<Interval> {
        let pair = |left: &Ints, right: &Ints, visit: &mut _| {
            Some((self.number(left, visit)?, self.number(right, visit)?))
        };
        match value {
            Ints::Form(form) => {
                let mps = self.launched.mps;
                let differs = |slot: Slot| mps.get(slot).is_some_and(|(_, length)| *length > 1);
                if form.core != 0 || form.terms.iter().any(|(_, slot)| differs(*slot)) {
                    return None;
                }
                form.terms.iter().for_each(|(_, slot)| visit(*slot));
                within(form.interval((0, 0), &self.ranges.slots))
            }
            Ints::Binary(operator, left, right) => {
                let (left, right) = pair(left, right, visit)?;
                combined(*operator, left, right)
            }
            Ints::CeilQuotient(left, right) => {
                let ((low, high), (least, most)) = pair(left, right, visit)?;
                if least <= 0 {
                    return None;
                }
                let ceil = |x: i128, y: i128| Some(-(-x).div_euclid(y));
                within(at_corners((low, high), (least, most), ceil)?)
            }
            Ints::Minimum(nodes) | Ints::Maximum(nodes) => {
                let mut all: Option<Interval> = None;
                for node in nodes {
                    let (low, high) = self.number(node, visit)?;
                    let (first, last) = all.unwrap_or((low, high));
                    all = Some((first.min(low), last.max(high)));
                }
                all
            }
            Ints::Table(_)
            | Ints::Read(_)
            | Ints::Register(_)
            | Ints::Absolute(_)
            | Ints::Select(..)
            | Ints::Bits(..)
            | Ints::Bracket(_)
            | Ints::FloorOf(_)
            | Ints::CeilOf(_) => None,
        }
    }

    /// Returns the most iterations of a loop, at least 1 and at most `many`.
    pub(super) fn most_trips(&self, (from, to): (&Form, &Form), down: bool, many: u32) -> u32 {
        let rise = if down { -1 } else { 1 };
        let last = to.plus(-1, from).and_then(|span| span.times(rise));
        let last = last.map(|last| last.interval((0, 0), &self.ranges.slots).1);
        last.map_or(1, |last| (last + 1).clamp(1, many.into()) as u32)
    }
}

/// Returns an interval if all of it stays far from the end of a word.
fn within((low, high): Interval) -> Option<Interval> {
    (low >= -LARGEST && high <= LARGEST).then_some((low, high))
}

fn combined(
    operator: Arithmetic,
    (low, high): Interval,
    (least, most): Interval,
) -> Option<Interval> {
    let ends =
        |of: fn(i128, i128) -> Option<i128>| within(at_corners((low, high), (least, most), of)?);
    match operator {
        Arithmetic::Add => within((low + least, high + most)),
        Arithmetic::Subtract => within((low - most, high - least)),
        Arithmetic::Multiply => ends(i128::checked_mul),
        Arithmetic::FloorDivide | Arithmetic::Divide if least > 0 => {
            ends(|x, y| Some(x.div_euclid(y)))
        }
        Arithmetic::Modulo if least > 0 => Some((0, most - 1)),
        Arithmetic::Power if low >= 0 && least >= 0 => {
            ends(|x, y| x.checked_pow(u32::try_from(y).ok()?))
        }
        Arithmetic::FloorDivide | Arithmetic::Divide | Arithmetic::Modulo | Arithmetic::Power => {
            None
        }
    }
}

/// Returns the interval of an operation over two intervals, if its ends lie at corners.
fn at_corners(
    (low, high): Interval,
    (least, most): Interval,
    of: impl Fn(i128, i128) -> Option<i128>,
) -> Option<Interval> {
    let mut found: Option<Interval> = None;
    for (x, y) in [(low, least), (low, most), (high, least), (high, most)] {
        let value = of(x, y)?;
        let (first, last) = found.unwrap_or((value, value));
        found = Some((first.min(value), last.max(value)));
    }
    found
}
