//! Two rows combined into a third.

use pulp::{Arch, NullaryFnOnce};

use crate::exec::batches::run::rows::{Rows, Shape, Strip, strips};

/// Rows to be read; they lie in the target's own array if no words are given.
pub(crate) type Source<'s, T> = (Option<&'s [T]>, Rows);

/// Combines two rows of neighbouring words into a third. The flag of `operation` has the sign bit
/// set
/// where a result is unusable; returns true if no flag has it.
#[inline]
pub(crate) fn combine<T: Copy + Default>(
    target: &mut [T],
    to: Rows,
    (left, left_rows): Source<'_, T>,
    (right, right_rows): Source<'_, T>,
    shape: Shape,
    operation: impl Fn(T, T) -> (T, i64) + Copy,
) -> bool {
    // A row is read as a whole before it is written, because the target may be one of its sources.
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
            // Each MP's words lie apart, so they are treated as rows of one word.
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
    /// The strips of the target, the left and the right source.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn add(x: i64, y: i64) -> (i64, i64) {
        let sum = x.wrapping_add(y);
        (sum, (x ^ sum) & (y ^ sum))
    }

    #[test]
    fn overflow_is_flagged() {
        let mut words = [1, i64::MAX, 3];
        let at = |first| Rows {
            first,
            steps: [0, 0, 0, 1],
        };
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
}
