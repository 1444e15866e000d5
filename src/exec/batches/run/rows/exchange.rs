//! Words of two rows put in order.

use pulp::{Arch, NullaryFnOnce};

use crate::exec::batches::run::rows::{Operand, Rows, Shape, Strip, strips};

/// Puts the smaller of two words in one place and the larger in the other, word by word of two rows
/// without a common word.
pub(crate) struct Exchange<'s, T, L, M> {
    /// The words of the first row's array.
    pub words: &'s mut [T],
    /// The words of the second row's array, if it is another one.
    pub others: Option<&'s mut [T]>,
    /// Both rows.
    pub rows: [Rows; 2],
    /// In order, true where the first row gets the smaller word.
    pub rises: Operand<'s, bool>,
    /// Returns the smaller of two words.
    pub least: L,
    /// Returns the larger of two words.
    pub most: M,
}

/// Returns true if two rows of one array, with the same steps, have no word of an MP in common.
pub(crate) fn are_apart([one, other]: [Rows; 2], shape: Shape) -> bool {
    let [.., runs, count] = shape;
    let [.., run, stride] = one.steps.map(isize::unsigned_abs);
    let apart = one.first.abs_diff(other.first);
    let length = (count - 1) * stride;
    if one.steps != other.steps {
        return false;
    }
    let is_beyond = apart > (runs - 1) * run + length;
    // Apart if one row lies behind all of the other, falls between the words of its only run, or
    // falls between its runs. Runs of 2 words every 4: the rows at 0 and at 2 alternate.
    let is_within = runs == 1 && stride > 0 && !apart.is_multiple_of(stride);
    let is_between = runs > 1 && run > 0 && {
        let rest = apart % run;
        length < rest && rest + length < run
    };
    is_beyond || is_within || is_between
}

impl<T: Copy + Default, L: Fn(T, T) -> T + Copy, M: Fn(T, T) -> T + Copy> Exchange<'_, T, L, M> {
    /// Runs the exchange.
    pub(crate) fn run(mut self, shape: Shape) {
        let mut done = 0;
        strips(shape, self.rows, |strips, (rows, count)| {
            if strips.iter().all(|strip| strip.stride == 1) {
                self.strip(strips, (rows, count), done);
                done += rows * count;
                return;
            }
            for row in 0..rows {
                // Words that lie apart are rows of one word each.
                let words = strips.map(|strip| Strip {
                    first: strip.start(row),
                    step: strip.stride,
                    stride: 1,
                });
                self.strip(words, (count, 1), done);
                done += count;
            }
        });
    }

    #[inline]
    fn strip(&mut self, strips: [Strip; 2], shape: (usize, usize), done: usize) {
        let rises = self
            .rises
            .map(|rises| &rises[done..done + shape.0 * shape.1]);
        let (least, most) = (self.least, self.most);
        let (words, others) = (&mut *self.words, self.others.as_deref_mut());
        let sides = Sides {
            words,
            others,
            strips,
            shape,
        };
        match rises {
            Err(true) => Arch::new().dispatch(Steps {
                sides,
                pair: |_, x, y| (least(x, y), most(x, y)),
            }),
            Err(false) => Arch::new().dispatch(Steps {
                sides,
                pair: |_, x, y| (most(x, y), least(x, y)),
            }),
            Ok(rises) => Arch::new().dispatch(Steps {
                sides,
                pair: |at: usize, x, y| match (rises[at], least(x, y), most(x, y)) {
                    (true, least, most) => (least, most),
                    (false, least, most) => (most, least),
                },
            }),
        }
    }
}

/// The words of one strip of both rows.
struct Sides<'s, T> {
    words: &'s mut [T],
    others: Option<&'s mut [T]>,
    strips: [Strip; 2],
    shape: (usize, usize),
}

/// Replaces each pair of words; `pair` also gets the number of the pair.
struct Steps<'s, T, F> {
    sides: Sides<'s, T>,
    pair: F,
}

impl<T: Copy + Default, F: Fn(usize, T, T) -> (T, T)> NullaryFnOnce for Steps<'_, T, F> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        match self.sides.shape.1 {
            1 => self.fixed::<1>(),
            2 => self.fixed::<2>(),
            4 => self.fixed::<4>(),
            8 => self.fixed::<8>(),
            16 => self.fixed::<16>(),
            _ => self.any(),
        }
    }
}

impl<T: Copy + Default, F: Fn(usize, T, T) -> (T, T)> Steps<'_, T, F> {
    /// Handles rows of N words that alternate, which is most frequent; other rows go to `any`.
    #[inline(always)]
    fn fixed<const N: usize>(self) {
        let [one, other] = self.sides.strips;
        let rows = self.sides.shape.0;
        let take_turns = other.first == one.first + N
            && [one, other]
                .iter()
                .all(|strip| strip.step == 2 * N as isize);
        if self.sides.others.is_some() || !take_turns {
            return self.any();
        }
        let words = &mut self.sides.words[one.first..one.first + rows * 2 * N];
        for (row, words) in words.chunks_exact_mut(2 * N).enumerate() {
            let (xs, ys) = words.split_at_mut(N);
            for at in 0..N {
                (xs[at], ys[at]) = (self.pair)(row * N + at, xs[at], ys[at]);
            }
        }
    }

    #[inline(always)]
    fn any(self) {
        let (rows, count) = self.sides.shape;
        let words = self.sides.words;
        let mut others = self.sides.others;
        for row in 0..rows {
            let [one, other] = self.sides.strips.map(|strip| strip.start(row));
            let (xs, ys) = match others.as_deref_mut() {
                Some(others) => (
                    &mut words[one..one + count],
                    &mut others[other..other + count],
                ),
                None if one < other => {
                    let (before, after) = words.split_at_mut(other);
                    (&mut before[one..one + count], &mut after[..count])
                }
                None => {
                    let (before, after) = words.split_at_mut(one);
                    (&mut after[..count], &mut before[other..other + count])
                }
            };
            for (at, (x, y)) in xs.iter_mut().zip(ys).enumerate() {
                (*x, *y) = (self.pair)(row * count + at, *x, *y);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::exec::batches::run::rows::progression;

    fn places(rows: Rows, shape: Shape) -> Vec<usize> {
        let mut places = vec![0; shape.iter().product()];
        progression(shape, rows, &mut places);
        places.into_iter().map(|at| at as usize).collect()
    }

    #[test]
    fn runs_that_take_turns_are_apart() {
        let rows = |first, run, stride| Rows {
            first,
            steps: [0, 32, run, stride],
        };
        let apart = |one, other, shape| are_apart([one, other], shape);
        assert!(apart(rows(0, 8, 1), rows(4, 8, 1), [1, 2, 4, 4]));
        assert!(!apart(rows(0, 8, 1), rows(3, 8, 1), [1, 2, 4, 4]));
        assert!(!apart(rows(0, 8, 1), rows(8, 8, 1), [1, 2, 4, 4]));
        assert!(apart(rows(0, 8, 1), rows(8, 8, 1), [1, 2, 1, 8]));
        assert!(apart(rows(0, 0, 2), rows(1, 0, 2), [1, 2, 1, 8]));
        assert!(!apart(rows(0, 0, 2), rows(2, 0, 2), [1, 2, 1, 8]));
        assert!(!apart(rows(0, 0, 2), rows(1, 0, 1), [1, 2, 1, 8]));
    }

    proptest! {
        /// Whatever the rows, words are exchanged one by one; apart is apart.
        #[test]
        fn words_are_exchanged(
            words in prop::collection::vec(-9i64..9, 400),
            (runs, length) in (1usize..4, 0u32..4),
            (gap, stride, ahead) in (0usize..6, 1isize..3, -20isize..20),
            (mps, is_one_array, directions) in (1usize..4, prop::bool::ANY, 0..4u32),
        ) {
            let length = 1 << length;
            let shape = [1, mps, runs, length];
            let one = Rows {
                first: 50,
                steps: [0, 100, stride * (length + gap) as isize, stride],
            };
            let other = Rows { first: one.first.wrapping_add_signed(ahead), ..one };
            let of = [one, other].map(|rows| places(rows, shape));
            if is_one_array {
                let shares = (of[0].iter().take(runs * length)).any(|at| of[1].contains(at));
                prop_assert!(!shares || !are_apart([one, other], shape));
                if !are_apart([one, other], shape) {
                    return Ok(());
                }
            }
            let each: Vec<bool> = (0..of[0].len()).map(|at| at % 3 == 0).collect();
            let rises = match directions {
                0 => Err(true),
                1 => Err(false),
                _ => Ok(each.as_slice()),
            };
            let (mut words, mut others) = (words.clone(), words);
            let (mut expected, mut expected_others) = (words.clone(), others.clone());
            for (at, (&x, &y)) in of[0].iter().zip(&of[1]).enumerate() {
                let second = if is_one_array { &mut expected } else { &mut expected_others };
                let y_word = second[y];
                let x_word = expected[x];
                let (least, most) = (x_word.min(y_word), x_word.max(y_word));
                let up = rises.map_or_else(|rises| rises, |each| each[at]);
                expected[x] = if up { least } else { most };
                let second = if is_one_array { &mut expected } else { &mut expected_others };
                second[y] = if up { most } else { least };
            }
            let exchange = Exchange {
                words: &mut words,
                others: (!is_one_array).then_some(&mut others),
                rows: [one, other],
                rises,
                least: i64::min,
                most: i64::max,
            };
            exchange.run(shape);
            prop_assert_eq!(words, expected);
            prop_assert_eq!(others, expected_others);
        }
    }
}
