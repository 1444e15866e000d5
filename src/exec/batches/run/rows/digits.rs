//! Digits of numbers that grow evenly.

use pulp::{Arch, NullaryFnOnce};

use crate::exec::batches::run::rows::{Rows, Shape, Strip, strips};

/// Some binary digits of a number: ⌊x/2^shift⌋, masked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Digits {
    /// Number of low digits left out.
    pub shift: u32,
    /// The digits that count; −1 for all.
    pub mask: i64,
}

impl Digits {
    /// Returns these digits of a number.
    #[inline(always)]
    pub(crate) fn of(self, number: i64) -> i64 {
        (number >> self.shift) & self.mask
    }
}

/// Writes the digits of each number of the rows to `values`, in order.
pub(crate) fn digits(shape: Shape, rows: Rows, digits: Digits, values: &mut [i64]) {
    let mut at = 0;
    strips(shape, [rows], |[strip], (rows, count)| {
        let values = &mut values[at..at + rows * count];
        at += rows * count;
        Arch::new().dispatch(Fill {
            values,
            strip,
            count,
            digits,
        });
    });
}

/// The arguments of [`digits`] for one strip.
struct Fill<'s> {
    values: &'s mut [i64],
    strip: Strip,
    count: usize,
    digits: Digits,
}

impl NullaryFnOnce for Fill<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Fill {
            values,
            strip,
            count,
            digits,
        } = self;
        let fill = |values: &mut [i64], start: usize, step: isize| {
            let mut next = start as i64;
            for value in values {
                *value = digits.of(next);
                next = next.wrapping_add(step as i64);
            }
        };
        if count == 1 {
            return fill(values, strip.first, strip.step);
        }
        for (row, values) in values.chunks_exact_mut(count).enumerate() {
            fill(values, strip.start(row), strip.stride);
        }
    }
}
