//! Operations on a word of each core.

use std::ops::BitOr;

use pulp::{Arch, NullaryFnOnce};

/// One word for each core, or `Err` of the word that is the same for all.
pub(crate) type Operand<'s, T> = Result<&'s [T], T>;

/// Applies an operation core by core. Its flag marks a result as unusable, by a truth or by the
/// sign
/// of a number. Returns the union of all flags.
#[inline]
pub(crate) fn zip<T: Copy, R, B: Copy + Default + BitOr<Output = B>>(
    results: &mut [R],
    left: Operand<'_, T>,
    right: Operand<'_, T>,
    operation: impl Fn(T, T) -> (R, B),
) -> B {
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

impl<T, R, B, F> NullaryFnOnce for Zip<'_, T, R, F>
where
    T: Copy,
    B: Copy + Default + BitOr<Output = B>,
    F: Fn(T, T) -> (R, B),
{
    type Output = B;

    #[inline(always)]
    fn call(self) -> B {
        let mut any = B::default();
        let mut set = |result: &mut R, x: T, y: T| {
            let (value, flag) = (self.operation)(x, y);
            *result = value;
            any = any | flag;
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
pub(crate) fn select<T: Copy>(
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
