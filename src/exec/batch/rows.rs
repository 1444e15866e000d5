//! The loops at the bottom: rows of words, one row per MP of a batch, copied and combined.
//!
//! A row has `count` words, `stride` apart; rows are `step` apart. The row lengths that occur with
//! 32 cores and their halves have loops of their own, which the compiler unrolls; loops that
//! compute are compiled for the vectors of the processor at hand as well ([`pulp`]).

use pulp::{Arch, NullaryFnOnce};

/// How many there are of each level: MPs in the dimension before the last, MPs in the last one,
/// runs of cores, cores in a run.
pub(super) type Shape = [usize; 4];

/// Where the words of a batch are: at even distances, level by level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rows {
    /// The first word.
    pub first: usize,
    /// From one word to the next one of each level; in the order of a [`Shape`].
    pub steps: [isize; 4],
}

impl Rows {
    /// One word after the other.
    pub fn dense([_, mps, runs, cores]: Shape) -> Rows {
        let steps = [mps * runs * cores, runs * cores, cores, 1];
        Rows {
            first: 0,
            steps: steps.map(|step| step as isize),
        }
    }

    /// Whether these are one word after the other.
    pub fn are_dense(self, shape: Shape) -> bool {
        let dense = Rows::dense(shape).steps;
        (0..4).all(|level| shape[level] == 1 || self.steps[level] == dense[level])
    }

    /// From one word of a run to the next.
    pub fn stride(self) -> isize {
        self.steps[3]
    }

    /// The first word of an MP, by its numbers in the two dimensions of the batch.
    #[inline(always)]
    pub fn of_mp(self, outer: usize, inner: usize) -> usize {
        let [outer_step, step, ..] = self.steps;
        self.first
            .wrapping_add_signed(outer_step * outer as isize + step * inner as isize)
    }

    /// The first run of the MPs with this number in the dimension before the last, an MP a row.
    pub fn strip(self, outer: usize) -> Strip {
        Strip {
            first: self.of_mp(outer, 0),
            step: self.steps[1],
            stride: self.steps[3],
        }
    }

    /// The same words where memory starts this much further on.
    pub fn back(self, start: usize) -> Rows {
        Rows {
            first: self.first.wrapping_sub(start),
            ..self
        }
    }
}

/// Words in two levels: rows of words `stride` apart, the rows `step` apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Strip {
    /// The first word of the first row.
    pub first: usize,
    /// From one row's word to the next row's.
    pub step: isize,
    /// From one word of a row to the next.
    pub stride: isize,
}

impl Strip {
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
}

/// Calls `visit` with strips that together are all the words, in order, and how many rows they
/// have of how many words. Levels that run on into each other everywhere are joined first, so
/// that most often there is one strip, and often one row.
#[inline]
pub(super) fn strips<const N: usize>(
    shape: Shape,
    rows: [Rows; N],
    mut visit: impl FnMut([Strip; N], (usize, usize)),
) {
    // Joined levels, outermost first.
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
    // The two innermost are a strip.
    levels[..depth].reverse();
    let [
        (count, strides),
        (row_count, row_steps),
        (mps, mp_steps),
        (outers, outer_steps),
    ] = levels;
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

/// Copies rows from one array to another.
#[inline]
pub(super) fn copy<T: Copy>(target: &mut [T], to: Rows, source: &[T], from: Rows, shape: Shape) {
    strips(shape, [to, from], |[to, from], (rows, count)| {
        copy_strip(target, to, source, from, (rows, count));
    });
}

#[inline]
fn copy_strip<T: Copy>(
    target: &mut [T],
    to: Strip,
    source: &[T],
    from: Strip,
    (rows, count): (usize, usize),
) {
    if to.stride != 1 || from.stride != 1 {
        for row in 0..rows {
            copy_row(
                target,
                (to.start(row), to.stride),
                source,
                (from.start(row), from.stride),
                count,
            );
        }
        return;
    }
    match count {
        2 => copy_fixed::<T, 2>(target, to, source, from, rows),
        4 => copy_fixed::<T, 4>(target, to, source, from, rows),
        8 => copy_fixed::<T, 8>(target, to, source, from, rows),
        16 => copy_fixed::<T, 16>(target, to, source, from, rows),
        32 => copy_fixed::<T, 32>(target, to, source, from, rows),
        count => {
            for row in 0..rows {
                let (to, from) = (to.start(row), from.start(row));
                target[to..to + count].copy_from_slice(&source[from..from + count]);
            }
        }
    }
}

/// Copies words at any distances: where they start, and from one to the next.
#[inline]
fn copy_row<T: Copy>(
    target: &mut [T],
    (to, to_stride): (usize, isize),
    source: &[T],
    (from, from_stride): (usize, isize),
    count: usize,
) {
    match (to_stride, from_stride) {
        (1, 1..) => {
            let words = source[from..].iter().step_by(from_stride as usize);
            let target = &mut target[to..to + count];
            target
                .iter_mut()
                .zip(words)
                .for_each(|(to, from)| *to = *from);
        }
        (1.., 1) => {
            let words = target[to..].iter_mut().step_by(to_stride as usize);
            let source = &source[from..from + count];
            words.zip(source).for_each(|(to, from)| *to = *from);
        }
        _ => {
            for word in 0..count as isize {
                target[to.wrapping_add_signed(to_stride * word)] =
                    source[from.wrapping_add_signed(from_stride * word)];
            }
        }
    }
}

#[inline]
fn copy_fixed<T: Copy, const N: usize>(
    target: &mut [T],
    to: Strip,
    source: &[T],
    from: Strip,
    rows: usize,
) {
    for row in 0..rows {
        let (to, from) = (to.start(row), from.start(row));
        target[to..to + N].copy_from_slice(&source[from..from + N]);
    }
}

/// Where all the words are, in order.
pub(super) fn progression(shape: Shape, rows: Rows, values: &mut [i64]) {
    let mut at = 0;
    strips(shape, [rows], |[strip], (rows, count)| {
        for row in 0..rows {
            let start = strip.start(row) as i64;
            evenly(&mut values[at..at + count], start, strip.stride as i64);
            at += count;
        }
    });
}

/// Fills words with start, start + step, …, several at a time.
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

/// Rows to be read: of the target's own array where no words are given.
pub(super) type Source<'s, T> = (Option<&'s [T]>, Rows);

/// Combines two rows of neighbouring words into a third, reading all of a row before writing any.
/// The operation's flag has the sign bit set where a result is no good; all flags are united.
#[inline]
pub(super) fn combine<T: Copy + Default>(
    target: &mut [T],
    to: Rows,
    (left, left_rows): Source<'_, T>,
    (right, right_rows): Source<'_, T>,
    shape: Shape,
    operation: impl Fn(T, T) -> (T, i64) + Copy,
) -> bool {
    let mut flags = 0;
    let mut dispatch = |strips: [Strip; 3], shape| {
        flags |= Arch::new().dispatch(Combine {
            target,
            words: (left, right),
            strips,
            shape,
            operation,
        });
    };
    strips(
        shape,
        [to, left_rows, right_rows],
        |strips, (rows, count)| {
            if strips.iter().all(|strip| strip.stride == 1) {
                return dispatch(strips, (rows, count));
            }
            // A word of each MP.
            for row in 0..rows {
                let words = strips.map(|strip| Strip {
                    first: strip.start(row),
                    step: strip.stride,
                    stride: 1,
                });
                dispatch(words, (count, 1));
            }
        },
    );
    flags >= 0
}

/// The arguments of [`combine`] for one strip.
struct Combine<'s, T, F> {
    target: &'s mut [T],
    words: (Option<&'s [T]>, Option<&'s [T]>),
    /// Of the target, the left and the right source.
    strips: [Strip; 3],
    shape: (usize, usize),
    operation: F,
}

impl<T: Copy + Default, F: Fn(T, T) -> (T, i64)> NullaryFnOnce for Combine<'_, T, F> {
    type Output = i64;

    #[inline(always)]
    fn call(self) -> i64 {
        match self.shape.1 {
            1 => self.fixed::<1>(),
            2 => self.fixed::<2>(),
            4 => self.fixed::<4>(),
            8 => self.fixed::<8>(),
            16 => self.fixed::<16>(),
            32 => self.fixed::<32>(),
            _ => self.any(),
        }
    }
}

impl<T: Copy + Default, F: Fn(T, T) -> (T, i64)> Combine<'_, T, F> {
    #[inline(always)]
    fn fixed<const N: usize>(self) -> i64 {
        let (target, (left, right)) = (self.target, self.words);
        let mut flags = 0;
        for row in 0..self.shape.0 {
            let [to, x, y] = self.strips.map(|strip| strip.start(row));
            let mut sums = [T::default(); N];
            {
                let x = &left.unwrap_or(target)[x..x + N];
                let y = &right.unwrap_or(target)[y..y + N];
                for at in 0..N {
                    let (value, flag) = (self.operation)(x[at], y[at]);
                    sums[at] = value;
                    flags |= flag;
                }
            }
            target[to..to + N].copy_from_slice(&sums);
        }
        flags
    }

    #[inline(always)]
    fn any(self) -> i64 {
        let (target, (left, right)) = (self.target, self.words);
        let (rows, count) = self.shape;
        let mut flags = 0;
        let mut sums = vec![T::default(); count];
        for row in 0..rows {
            let [to, x, y] = self.strips.map(|strip| strip.start(row));
            let x = &left.unwrap_or(target)[x..x + count];
            let y = &right.unwrap_or(target)[y..y + count];
            for ((sum, x), y) in sums.iter_mut().zip(x).zip(y) {
                let (value, flag) = (self.operation)(*x, *y);
                *sum = value;
                flags |= flag;
            }
            target[to..to + count].copy_from_slice(&sums);
        }
        flags
    }
}

/// One word for each core, or else the one that is the same for all.
pub(super) type Operand<'s, T> = Result<&'s [T], T>;

/// Applies an operation core by core. Its flag says that a result is no good; tells whether any
/// was set.
#[inline]
pub(super) fn zip<T: Copy, R>(
    results: &mut [R],
    left: Operand<'_, T>,
    right: Operand<'_, T>,
    operation: impl Fn(T, T) -> (R, bool),
) -> bool {
    Arch::new().dispatch(Zip {
        results,
        left,
        right,
        operation,
    })
}

/// The arguments of [`zip`].
struct Zip<'s, T, R, F> {
    results: &'s mut [R],
    left: Operand<'s, T>,
    right: Operand<'s, T>,
    operation: F,
}

impl<T: Copy, R, F: Fn(T, T) -> (R, bool)> NullaryFnOnce for Zip<'_, T, R, F> {
    type Output = bool;

    #[inline(always)]
    fn call(self) -> bool {
        let mut any = false;
        let mut set = |result: &mut R, x: T, y: T| {
            let (value, flag) = (self.operation)(x, y);
            *result = value;
            any |= flag;
        };
        let results = self.results.iter_mut();
        match (self.left, self.right) {
            (Ok(left), Ok(right)) => {
                for ((result, x), y) in results.zip(left).zip(right) {
                    set(result, *x, *y);
                }
            }
            (Ok(left), Err(y)) => {
                for (result, x) in results.zip(left) {
                    set(result, *x, y);
                }
            }
            (Err(x), Ok(right)) => {
                for (result, y) in results.zip(right) {
                    set(result, x, *y);
                }
            }
            (Err(x), Err(y)) => {
                for result in results {
                    set(result, x, y);
                }
            }
        }
        any
    }
}

/// Takes the left word where the truth holds, else the right one, core by core.
pub(super) fn select<T: Copy>(
    results: &mut [T],
    truths: &[bool],
    left: Operand<'_, T>,
    right: Operand<'_, T>,
) {
    Arch::new().dispatch(Select {
        results,
        truths,
        left,
        right,
    });
}

/// The arguments of [`select`].
struct Select<'s, T> {
    results: &'s mut [T],
    truths: &'s [bool],
    left: Operand<'s, T>,
    right: Operand<'s, T>,
}

impl<T: Copy> NullaryFnOnce for Select<'_, T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let results = self.results.iter_mut().zip(self.truths);
        match (self.left, self.right) {
            (Ok(left), Ok(right)) => {
                for (((result, truth), x), y) in results.zip(left).zip(right) {
                    *result = if *truth { *x } else { *y };
                }
            }
            (Ok(left), Err(y)) => {
                for ((result, truth), x) in results.zip(left) {
                    *result = if *truth { *x } else { y };
                }
            }
            (Err(x), Ok(right)) => {
                for ((result, truth), y) in results.zip(right) {
                    *result = if *truth { x } else { *y };
                }
            }
            (Err(x), Err(y)) => {
                for (result, truth) in results {
                    *result = if *truth { x } else { y };
                }
            }
        }
    }
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
pub(super) type Moving<'s, T> = (&'s [T], Strip, isize);

/// Adds to rows of 32, trip by trip, the product of a word and a row: sums stay in registers.
pub(super) struct AccumulateRows<'s, T, F> {
    pub target: &'s mut [T],
    pub to: Strip,
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
    use super::*;
    use proptest::prelude::*;

    /// Rows of a row per MP, in one dimension.
    fn rows(first: usize, step: isize, stride: isize) -> Rows {
        Rows {
            first,
            steps: [0, step, 0, stride],
        }
    }

    fn strip(first: usize, step: isize, stride: isize) -> Strip {
        rows(first, step, stride).strip(0)
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
            let rows = match is_dense {
                true => Rows { first: 500, ..Rows::dense(shape) },
                false => Rows { first: 500, steps },
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

    #[test]
    fn overflow_is_flagged() {
        let mut words = [1, i64::MAX, 3];
        let at = |first| rows(first, 0, 1);
        assert!(combine(
            &mut words,
            at(2),
            (None, at(0)),
            (None, at(2)),
            [1; 4],
            add
        ));
        assert!(!combine(
            &mut words,
            at(2),
            (None, at(0)),
            (None, at(1)),
            [1; 4],
            add
        ));
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
