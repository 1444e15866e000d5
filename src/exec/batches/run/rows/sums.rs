//! The sums of accumulating loops.

use pulp::NullaryFnOnce;

use crate::exec::batches::run::rows::Strip;

/// Returns a number of bits for the magnitude of every word: |x| < 2^bits.
#[inline]
pub(crate) fn magnitude(words: &[i64]) -> u32 {
    // x ^ (x >> 63) is x for x ≥ 0 and −x − 1 for x < 0, so it is never negative. The union of
    // all has the bits of the largest.
    let mut any = 0;
    for word in words {
        any |= word ^ (word >> 63);
    }
    // −2^k needs a bit more than 2^k − 1.
    (64 - (any as u64).leading_zeros()) + 1
}

/// Words that are read, their strip, and the step of the strip from one iteration to the next.
pub(crate) type Moving<'s, T> = (&'s [T], Strip, isize);

/// Adds to rows of 32 words, iteration by iteration, a word times a row; the sums stay in
/// registers.
pub(crate) struct AccumulateRows<'s, T, F> {
    pub target: &'s mut [T],
    pub to: Strip,
    /// One word for all cores of a row.
    pub scalar: Moving<'s, T>,
    /// A row of neighbouring words.
    pub vector: Moving<'s, T>,
    pub rows: usize,
    pub trips: usize,
    /// Returns the next sum from the last one and both factors.
    pub step: F,
}

/// The length of rows that [`AccumulateRows`] takes.
pub(crate) const FIXED: usize = 32;

impl<T: Copy + Default, F: Fn(T, T, T) -> T> NullaryFnOnce for AccumulateRows<'_, T, F> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let (scalars, scalar, scalar_trip) = self.scalar;
        let (vectors, vector, vector_trip) = self.vector;
        for row in 0..self.rows {
            let start = self.to.start(row);
            let target = &mut self.target[start..start + FIXED];
            let mut sums = [T::default(); FIXED];
            sums.copy_from_slice(target);
            let (mut x, mut y) = (scalar.start(row), vector.start(row));
            for _ in 0..self.trips {
                let factor = scalars[x];
                let others = &vectors[y..y + FIXED];
                for at in 0..FIXED {
                    sums[at] = (self.step)(sums[at], factor, others[at]);
                }
                x = x.wrapping_add_signed(scalar_trip);
                y = y.wrapping_add_signed(vector_trip);
            }
            target.copy_from_slice(&sums);
        }
    }
}

/// Accumulates rows with any strides, word by word.
pub(crate) fn accumulate_any<T: Copy>(
    target: &mut [T],
    (lefts, left, left_trip): Moving<'_, T>,
    right: Option<Moving<'_, T>>,
    to: Strip,
    (rows, trips, count): (usize, usize, usize),
    step: impl Fn(T, T, Option<T>) -> T,
) {
    for row in 0..rows {
        for trip in 0..trips as isize {
            for word in 0..count {
                let sum = &mut target[to.word(row, word)];
                let x = lefts[left.word(row, word).wrapping_add_signed(left_trip * trip)];
                let y = right.map(|(rights, right, right_trip)| {
                    rights[right.word(row, word).wrapping_add_signed(right_trip * trip)]
                });
                *sum = step(*sum, x, y);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use pulp::Arch;

    use super::*;

    fn strip(first: usize, step: isize, stride: isize) -> Strip {
        Strip {
            first,
            step,
            stride,
        }
    }

    #[test]
    fn accumulating_is_adding_again_and_again() {
        let scalars: Vec<i64> = (0..10).collect();
        let vectors: Vec<i64> = (0..200).map(|at| at % 7).collect();
        let mut fixed = vec![1; 64];
        let mut any = fixed.clone();
        let (to, scalar, vector) = (strip(0, 32, 1), strip(1, 3, 0), strip(2, 5, 1));
        Arch::new().dispatch(AccumulateRows {
            target: &mut fixed,
            to,
            scalar: (&scalars, scalar, 1),
            vector: (&vectors, vector, 8),
            rows: 2,
            trips: 4,
            step: |sum: i64, x, y| sum + x * y,
        });
        accumulate_any(
            &mut any,
            (&scalars, scalar, 1),
            Some((&vectors, vector, 8)),
            to,
            (2, 4, 32),
            |sum, x, y| sum + x * y.unwrap_or(1),
        );
        assert_eq!(fixed, any);
        let word: i64 = (0..4)
            .map(|trip| scalars[1 + trip] * vectors[2 + 8 * trip])
            .sum();
        assert_eq!(fixed[0], 1 + word);
    }
}
