//! The loops at the bottom: rows of words, one row per MP of a batch, copied and combined.
//!
//! A row has `count` words, `stride` apart; rows are `step` apart. The row lengths that occur with
//! 32 cores and their halves have loops of their own, which the compiler unrolls; loops that
//! compute are compiled for the vectors of the processor at hand as well ([`pulp`]).

use pulp::{Arch, NullaryFnOnce};

/// Where rows are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rows {
    /// The first word of the first row.
    pub first: usize,
    /// From one row's word to the next row's.
    pub step: isize,
    /// From one word of a row to the next.
    pub stride: isize,
}

impl Rows {
    /// Where a row starts.
    #[inline(always)]
    pub fn start(self, row: usize) -> usize {
        self.first.wrapping_add_signed(self.step * row as isize)
    }

    /// Where a word is.
    #[inline(always)]
    pub fn word(self, row: usize, word: usize) -> usize {
        self.start(row)
            .wrapping_add_signed(self.stride * word as isize)
    }

    /// Whether rows of this many words lie one after the other without a gap.
    fn is_dense(self, count: usize) -> bool {
        self.stride == 1 && self.step == count as isize
    }
}

/// Copies rows from one array to another.
#[inline]
pub(super) fn copy<T: Copy>(
    target: &mut [T],
    to: Rows,
    source: &[T],
    from: Rows,
    (rows, count): (usize, usize),
) {
    if to.is_dense(count) && from.is_dense(count) || rows == 1 && to.stride == 1 && from.stride == 1
    {
        let words = rows * count;
        target[to.first..to.first + words].copy_from_slice(&source[from.first..from.first + words]);
    } else if to.stride == 1 && from.stride == 1 {
        match count {
            1 => copy_fixed::<T, 1>(target, to, source, from, rows),
            16 => copy_fixed::<T, 16>(target, to, source, from, rows),
            32 => copy_fixed::<T, 32>(target, to, source, from, rows),
            count => {
                for row in 0..rows {
                    let (to, from) = (to.start(row), from.start(row));
                    target[to..to + count].copy_from_slice(&source[from..from + count]);
                }
            }
        }
    } else if count == 1 {
        for row in 0..rows {
            target[to.start(row)] = source[from.start(row)];
        }
    } else {
        for row in 0..rows {
            for word in 0..count {
                target[to.word(row, word)] = source[from.word(row, word)];
            }
        }
    }
}

#[inline]
fn copy_fixed<T: Copy, const N: usize>(
    target: &mut [T],
    to: Rows,
    source: &[T],
    from: Rows,
    rows: usize,
) {
    for row in 0..rows {
        let (to, from) = (to.start(row), from.start(row));
        target[to..to + N].copy_from_slice(&source[from..from + N]);
    }
}

/// Rows to be read: of the target's own array where no words are given.
pub(super) type Source<'s, T> = (Option<&'s [T]>, Rows);

/// Combines two rows of neighbouring words into a third, reading all of a row before writing any.
/// The operation's flag has the sign bit set where a result is no good; all flags are united.
#[inline]
pub(super) fn combine<T: Copy + Default>(
    target: &mut [T],
    to: Rows,
    left: Source<'_, T>,
    right: Source<'_, T>,
    (rows, count): (usize, usize),
    operation: impl Fn(T, T) -> (T, i64),
) -> bool {
    let flags = Arch::new().dispatch(Combine {
        target,
        to,
        left,
        right,
        shape: (rows, count),
        operation,
    });
    flags >= 0
}

/// The arguments of [`combine`].
struct Combine<'s, T, F> {
    target: &'s mut [T],
    to: Rows,
    left: Source<'s, T>,
    right: Source<'s, T>,
    shape: (usize, usize),
    operation: F,
}

impl<T: Copy + Default, F: Fn(T, T) -> (T, i64)> NullaryFnOnce for Combine<'_, T, F> {
    type Output = i64;

    #[inline(always)]
    fn call(self) -> i64 {
        let (rows, count) = self.shape;
        let (target, to, left, right) = (self.target, self.to, self.left, self.right);
        let operation = self.operation;
        match count {
            1 => combine_fixed::<T, 1>(target, to, left, right, rows, operation),
            2 => combine_fixed::<T, 2>(target, to, left, right, rows, operation),
            4 => combine_fixed::<T, 4>(target, to, left, right, rows, operation),
            8 => combine_fixed::<T, 8>(target, to, left, right, rows, operation),
            16 => combine_fixed::<T, 16>(target, to, left, right, rows, operation),
            32 => combine_fixed::<T, 32>(target, to, left, right, rows, operation),
            count => combine_any(target, to, left, right, (rows, count), operation),
        }
    }
}

#[inline(always)]
fn combine_fixed<T: Copy + Default, const N: usize>(
    target: &mut [T],
    to: Rows,
    (left, left_rows): Source<'_, T>,
    (right, right_rows): Source<'_, T>,
    rows: usize,
    operation: impl Fn(T, T) -> (T, i64),
) -> i64 {
    let mut flags = 0;
    for row in 0..rows {
        let (x, y) = (left_rows.start(row), right_rows.start(row));
        let mut sums = [T::default(); N];
        {
            let x = &left.unwrap_or(target)[x..x + N];
            let y = &right.unwrap_or(target)[y..y + N];
            for at in 0..N {
                let (value, flag) = operation(x[at], y[at]);
                sums[at] = value;
                flags |= flag;
            }
        }
        let to = to.start(row);
        target[to..to + N].copy_from_slice(&sums);
    }
    flags
}

#[inline(always)]
fn combine_any<T: Copy + Default>(
    target: &mut [T],
    to: Rows,
    (left, left_rows): Source<'_, T>,
    (right, right_rows): Source<'_, T>,
    (rows, count): (usize, usize),
    operation: impl Fn(T, T) -> (T, i64),
) -> i64 {
    let mut flags = 0;
    let mut sums = vec![T::default(); count];
    for row in 0..rows {
        let (x, y) = (left_rows.start(row), right_rows.start(row));
        let x = &left.unwrap_or(target)[x..x + count];
        let y = &right.unwrap_or(target)[y..y + count];
        for ((sum, x), y) in sums.iter_mut().zip(x).zip(y) {
            let (value, flag) = operation(*x, *y);
            *sum = value;
            flags |= flag;
        }
        let to = to.start(row);
        target[to..to + count].copy_from_slice(&sums);
    }
    flags
}

/// A number of bits that hold the magnitude of every word: |x| < 2^bits.
#[inline]
pub(super) fn magnitude(words: &[i64]) -> u32 {
    let mut any = 0;
    for word in words {
        any |= word ^ (word >> 63);
    }
    // −2^k needs a bit more than 2^k − 1.
    (64 - (any as u64).leading_zeros()) + 1
}

/// The words of one type that are read, where their rows are, and how far a trip moves them.
pub(super) type Moving<'s, T> = (&'s [T], Rows, isize);

/// Adds to rows of 32, trip by trip, the product of a word and a row: sums stay in registers.
pub(super) struct AccumulateRows<'s, T, F> {
    pub target: &'s mut [T],
    pub to: Rows,
    /// One word for all cores.
    pub scalar: Moving<'s, T>,
    /// A row of neighbours.
    pub vector: Moving<'s, T>,
    pub rows: usize,
    pub trips: usize,
    /// The next sum, of the last one and both factors.
    pub step: F,
}

/// The length of rows that [`AccumulateRows`] takes.
pub(super) const FIXED: usize = 32;

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

/// Accumulates as its sibling for aligned rows does, whatever the strides.
pub(super) fn accumulate_any<T: Copy>(
    target: &mut [T],
    (lefts, left, left_trip): Moving<'_, T>,
    right: Option<Moving<'_, T>>,
    to: Rows,
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
    use super::*;
    use proptest::prelude::*;

    fn rows(first: usize, step: isize, stride: isize) -> Rows {
        Rows {
            first,
            step,
            stride,
        }
    }

    fn add(x: i64, y: i64) -> (i64, i64) {
        let sum = x.wrapping_add(y);
        (sum, (x ^ sum) & (y ^ sum))
    }

    proptest! {
        /// Every length and spacing copies and adds word by word, reading a row before writing it.
        #[test]
        fn rows_are_their_words(count in 1usize..40, mps in 1usize..4, gap in 0usize..3, shift in 0usize..40) {
            let step = (count + shift + gap) as isize;
            let words: Vec<i64> = (0..step as i64 * mps as i64 + 40).map(|at| at * at % 97).collect();
            let (to, from) = (rows(0, step, 1), rows(shift, step, 1));

            let mut copied = words.clone();
            copy(&mut copied, to, &words, from, (mps, count));
            let mut summed = words.clone();
            prop_assert!(combine(&mut summed, to, (None, to), (None, from), (mps, count), add));
            for at in 0..words.len() {
                let (row, word) = (at / step as usize, at % step as usize);
                let inside = row < mps && word < count;
                let old = words[at];
                let other = if inside { words[at + shift] } else { 0 };
                prop_assert_eq!(copied[at], if inside { other } else { old });
                prop_assert_eq!(summed[at], if inside { old + other } else { old });
            }
        }

        #[test]
        fn magnitudes_hold(word in any::<i64>()) {
            let bits = magnitude(&[0, word]);
            prop_assert!(bits > 64 || i128::from(word).abs() < 1i128 << bits);
        }
    }

    #[test]
    fn strides_are_followed() {
        let source = [0, 1, 2, 3, 4, 5, 6, 7];
        let mut target = [9; 6];
        copy(&mut target, rows(5, -3, -1), &source, rows(1, 4, 2), (2, 2));
        assert_eq!(target, [9, 7, 5, 9, 3, 1]);
    }

    #[test]
    fn overflow_is_flagged() {
        let mut words = [1, i64::MAX, 3];
        let at = |first| rows(first, 0, 1);
        assert!(combine(
            &mut words,
            at(2),
            (None, at(0)),
            (None, at(2)),
            (1, 1),
            add
        ));
        assert!(!combine(
            &mut words,
            at(2),
            (None, at(0)),
            (None, at(1)),
            (1, 1),
            add
        ));
    }

    #[test]
    fn accumulating_is_adding_again_and_again() {
        let scalars: Vec<i64> = (0..10).collect();
        let vectors: Vec<i64> = (0..200).map(|at| at % 7).collect();
        let mut fixed = vec![1; 64];
        let mut any = fixed.clone();
        let (to, scalar, vector) = (rows(0, 32, 1), rows(1, 3, 0), rows(2, 5, 1));
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
