//! The innermost loops: rows of words, one row per MP of a batch or per run of its active cores,
//! copied and combined.
//!
//! A row has `count` words, `stride` apart. Levels of rows that continue each other are joined
//! ([`strips`]). The row lengths that occur with 32 cores and their halves have loops of their own,
//! which the compiler unrolls. Loops that compute are also compiled for the vectors of the
//! processor
//! at hand ([`pulp`]).

mod combine;
mod copy;
mod digits;
mod exchange;
mod sums;
mod zip;

pub(crate) use combine::combine;
pub(crate) use copy::copy;
pub(crate) use digits::{Digits, digits};
pub(crate) use exchange::{Exchange, are_apart};
pub(crate) use sums::{AccumulateRows, FIXED, accumulate_any, magnitude};
pub(crate) use zip::{Operand, select, zip};

/// Counts of the levels: MPs in the dimension before the last, MPs in the last one, runs of cores,
/// cores in a run.
pub(crate) type Shape = [usize; 4];

/// Evenly spaced words of a batch, level by level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rows {
    /// The first word.
    pub first: usize,
    /// Distance of neighbours at each level, in the order of a [`Shape`].
    pub steps: [isize; 4],
}

impl Rows {
    /// Describes words that lie one after the other.
    pub(super) fn dense([_, mps, runs, cores]: Shape) -> Rows {
        let steps = [mps * runs * cores, runs * cores, cores, 1];
        Rows {
            first: 0,
            steps: steps.map(|step| step as isize),
        }
    }

    /// Returns true if the words lie one after the other.
    pub(super) fn are_dense(self, shape: Shape) -> bool {
        let dense = Rows::dense(shape).steps;
        (0..4).all(|level| shape[level] == 1 || self.steps[level] == dense[level])
    }

    /// Returns true if all are the same word.
    pub(super) fn are_one(self, shape: Shape) -> bool {
        (0..4).all(|level| shape[level] == 1 || self.steps[level] == 0)
    }

    /// Returns the distance of neighbouring words in a run.
    pub(super) fn stride(self) -> isize {
        self.steps[3]
    }

    /// Returns the first word of an MP, by its numbers in the two dimensions of the batch.
    #[inline(always)]
    pub(super) fn of_mp(self, outer: usize, inner: usize) -> usize {
        let [outer_step, step, ..] = self.steps;
        self.first
            .wrapping_add_signed(outer_step * outer as isize + step * inner as isize)
    }

    /// Returns the first runs of the MPs with this number in the outer dimension, a row per MP.
    pub(super) fn strip(self, outer: usize) -> Strip {
        Strip {
            first: self.of_mp(outer, 0),
            step: self.steps[1],
            stride: self.steps[3],
        }
    }

    /// Returns the same words counted from `start` on.
    pub(super) fn back(self, start: usize) -> Rows {
        Rows {
            first: self.first.wrapping_sub(start),
            ..self
        }
    }
}

/// Words in two levels: rows of words `stride` apart, the rows `step` apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Strip {
    /// The first word of the first row.
    pub first: usize,
    /// Distance of the same word in neighbouring rows.
    pub step: isize,
    /// Distance of neighbouring words in a row.
    pub stride: isize,
}

impl Strip {
    /// Returns the start of a row.
    #[inline(always)]
    pub(super) fn start(self, row: usize) -> usize {
        self.first.wrapping_add_signed(self.step * row as isize)
    }

    /// Returns the place of a word.
    #[inline(always)]
    pub(super) fn word(self, row: usize, word: usize) -> usize {
        self.start(row)
            .wrapping_add_signed(self.stride * word as isize)
    }
}

/// Calls `visit` with strips that together are all words, in order, and with the number of rows and
/// of words per row. Levels that continue each other in all `rows` are joined first. So most often
/// there is one strip, and often one row.
#[inline(always)]
pub(crate) fn strips<const N: usize>(
    shape: Shape,
    rows: [Rows; N],
    mut visit: impl FnMut([Strip; N], (usize, usize)),
) {
    // The two shapes that occur most are handled first. 4 MPs with 32 words each, whose arrays lie
    // 32 words apart, are one row of 128 words.
    if let [1, 1, 1, count] = shape {
        let row = rows.map(|rows| Strip {
            first: rows.first,
            step: 0,
            stride: rows.stride(),
        });
        return visit(row, (1, count));
    }
    if let [1, mps, 1, count] = shape {
        let is_one = |rows: &Rows| rows.steps[1] == rows.steps[3] * count as isize;
        let (mps, count) = if rows.iter().all(is_one) {
            (1, mps * count)
        } else {
            (mps, count)
        };
        let rows = rows.map(|rows| Strip {
            first: rows.first,
            step: rows.steps[1],
            stride: rows.stride(),
        });
        if count > 1 {
            return visit(rows, (mps, count));
        }
        // One word of each MP: together they are one row.
        let rows = rows.map(|rows| Strip {
            step: 0,
            stride: rows.step,
            ..rows
        });
        return visit(rows, (1, mps));
    }
    let [
        (count, strides),
        (row_count, row_steps),
        (mps, mp_steps),
        (outers, outer_steps),
    ] = joined(shape, rows);
    for outer in 0..outers as isize {
        for mp in 0..mps as isize {
            let mut of = 0;
            let strips = rows.map(|rows| {
                let ahead = outer_steps[of] * outer + mp_steps[of] * mp;
                of += 1;
                Strip {
                    first: rows.first.wrapping_add_signed(ahead),
                    step: row_steps[of - 1],
                    stride: strides[of - 1],
                }
            });
            visit(strips, (row_count, count));
        }
    }
}

/// Returns the levels, innermost first, with those joined that continue each other.
fn joined<const N: usize>(shape: Shape, rows: [Rows; N]) -> [(usize, [isize; N]); 4] {
    let mut levels = [(1, [0; N]); 4];
    let mut depth = 0usize;
    for (at, &count) in shape.iter().enumerate() {
        let steps = rows.map(|rows| rows.steps[at]);
        if count == 1 {
            continue;
        }
        if let Some((times, last)) = depth.checked_sub(1).map(|last| &mut levels[last])
            && (last.iter().zip(&steps)).all(|(outer, inner)| *outer == inner * count as isize)
        {
            (*times, *last) = (*times * count, steps);
            continue;
        }
        levels[depth] = (count, steps);
        depth += 1;
    }
    levels[..depth].reverse();
    levels
}

/// Writes the places of all words to `values`, in order.
pub(crate) fn progression(shape: Shape, rows: Rows, values: &mut [i64]) {
    let mut at = 0;
    strips(shape, [rows], |[strip], (rows, count)| {
        for row in 0..rows {
            let start = strip.start(row) as i64;
            evenly(&mut values[at..at + count], start, strip.stride as i64);
            at += count;
        }
    });
}

/// Fills words with start, start + step, …, eight at a time.
fn evenly(words: &mut [i64], start: i64, step: i64) {
    let mut next: [i64; 8] =
        std::array::from_fn(|at| start.wrapping_add(step.wrapping_mul(at as i64)));
    let mut chunks = words.chunks_exact_mut(8);
    for chunk in &mut chunks {
        chunk.copy_from_slice(&next);
        for next in &mut next {
            *next = next.wrapping_add(step.wrapping_mul(8));
        }
    }
    let rest = chunks.into_remainder();
    let length = rest.len();
    rest.copy_from_slice(&next[..length]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Rows of a row per MP, in one dimension.
    fn rows(first: usize, step: isize, stride: isize) -> Rows {
        Rows {
            first,
            steps: [0, step, 0, stride],
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
                let shape = [1, mps, 1, count];
                copy(&mut copied, to, &words, from, shape);
                let mut summed = words.clone();
                prop_assert!(combine(&mut summed, to, (None, to), (None, from), shape, add));
                for at in 0..words.len() {
                    let (row, word) = (at / step as usize, at % step as usize);
                    let inside = row < mps && word < count;
                    let old = words[at];
                    let other = if inside { words[at + shift] } else { 0 };
                    prop_assert_eq!(copied[at], if inside { other } else { old });
                    prop_assert_eq!(summed[at], if inside { old + other } else { old });
                }
            }

            /// Joined or not, strips are all the words, in order.
            #[test]
            fn strips_are_all_words(
                shape in prop::array::uniform4(1usize..4),
                steps in prop::array::uniform4(-9isize..9),
                is_dense in prop::bool::ANY,
            ) {
                let rows = if is_dense {
    Rows { first: 500, ..Rows::dense(shape) }
    } else {
    Rows { first: 500, steps }
    };
                let dense = Rows::dense(shape);
                let mut expected = Vec::new();
                for at in 0..shape.iter().product::<usize>() {
                    let (mut rest, mut word) = (at, rows.first);
                    for level in (0..4).rev() {
                        let number = (rest % shape[level]) as isize;
                        word = word.wrapping_add_signed(rows.steps[level] * number);
                        rest /= shape[level];
                    }
                    expected.push((word, at));
                }
                let mut found = Vec::new();
                let mut calls = 0;
                strips(shape, [rows, dense], |[strip, order], (rows, count)| {
                    calls += 1;
                    for row in 0..rows {
                        found.extend((0..count).map(|word| (strip.word(row, word), order.word(row, word))));
                    }
                });
                prop_assert_eq!(found, expected);
                prop_assert!(!is_dense || calls == 1);
            }

            /// Copies to one word after the other and back are word by word.
            #[test]
            fn copies_are_word_by_word(
                shape in prop::array::uniform4(1usize..5),
                steps in prop::array::uniform4(-6isize..6),
            ) {
                let rows = Rows { first: 100, steps };
                let source: Vec<i64> = (0..200).collect();
                let words = shape.iter().product();
                let mut taken = vec![-1; words];
                copy(&mut taken, Rows::dense(shape), &source, rows, shape);
                let mut places = vec![0; words];
                progression(shape, rows, &mut places);
                prop_assert_eq!(&taken, &places);
                let mut given = vec![-1; 200];
                copy(&mut given, rows, &taken, Rows::dense(shape), shape);
                for (at, word) in given.iter().enumerate() {
                    let is_one = places.contains(&(at as i64));
                    prop_assert_eq!(*word, if is_one { at as i64 } else { -1 });
                }
            }

            /// Digits of numbers that grow evenly are their digits one by one.
            #[test]
            fn digits_are_of_each_number(
                shape in prop::array::uniform4(1usize..5),
                steps in prop::array::uniform4(-6isize..6),
                (first, shift, bits) in (-99i64..99, 0u32..5, 1u32..4),
            ) {
                let rows = Rows { first: first as usize, steps };
                let mut expected = vec![0; shape.iter().product()];
                let mut found = expected.clone();
                progression(shape, rows, &mut expected);
                let of = Digits { shift, mask: (1 << bits) - 1 };
                for number in &mut expected {
                    *number = number.div_euclid(1 << shift).rem_euclid(1 << bits);
                }
                digits(shape, rows, of, &mut found);
                prop_assert_eq!(found, expected);
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
        copy(
            &mut target,
            rows(5, -3, -1),
            &source,
            rows(1, 4, 2),
            [1, 2, 1, 2],
        );
        assert_eq!(target, [9, 7, 5, 9, 3, 1]);
    }
}
