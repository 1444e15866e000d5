//! Rows copied from one array to another.

use pulp::{Arch, NullaryFnOnce};

use crate::exec::batches::run::rows::{Rows, Shape, Strip, strips};

/// Copies rows from one array to another.
#[inline(always)]
pub(crate) fn copy<T: Copy>(target: &mut [T], to: Rows, source: &[T], from: Rows, shape: Shape) {
    strips(shape, [to, from], |[to, from], (rows, count)| {
        copy_strip(target, to, source, from, (rows, count));
    });
}

#[inline(never)]
fn copy_strip<T: Copy>(
    target: &mut [T],
    to: Strip,
    source: &[T],
    from: Strip,
    (rows, count): (usize, usize),
) {
    if to.stride != 1 || from.stride != 1 {
        for row in 0..rows {
            // Words that lie apart are rows of one word each.
            let [to, from] = [to, from].map(|strip| Strip {
                first: strip.start(row),
                step: strip.stride,
                stride: 1,
            });
            copy_fixed::<T, 1>(target, to, source, from, count);
        }
        return;
    }
    match count {
        1 => copy_fixed::<T, 1>(target, to, source, from, rows),
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

/// Copies rows of N words. Rows gathered into one stretch, or spread from one, need no bounds check
/// each. A distance of 2N has a loop of its own, whose chunk length the compiler knows.
#[inline]
fn copy_fixed<T: Copy, const N: usize>(
    target: &mut [T],
    to: Strip,
    source: &[T],
    from: Strip,
    rows: usize,
) {
    let words = N as isize;
    // The last row is copied by itself: behind it there may be less than a whole step of memory.
    let Some(last) = rows.checked_sub(1) else {
        return;
    };
    if to.step == words && from.step > words {
        let (of, at) = (from.first, to.first);
        let gather = Gather::<T, N> {
            dense: &mut target[at..at + last * N],
            apart: &source[of..of + last * from.step as usize],
            step: from.step as usize,
        };
        Arch::new().dispatch(gather);
        let (of, at) = (from.start(last), at + last * N);
        target[at..at + N].copy_from_slice(&source[of..of + N]);
    } else if from.step == words && to.step > words {
        let (of, at) = (from.first, to.first);
        let spread = Spread::<T, N> {
            apart: &mut target[at..at + last * to.step as usize],
            dense: &source[of..of + last * N],
            step: to.step as usize,
        };
        Arch::new().dispatch(spread);
        let (of, at) = (of + last * N, to.start(last));
        target[at..at + N].copy_from_slice(&source[of..of + N]);
    } else {
        for row in 0..rows {
            let (to, from) = (to.start(row), from.start(row));
            target[to..to + N].copy_from_slice(&source[from..from + N]);
        }
    }
}

/// Copies the first N words of every `step` to a dense stretch.
struct Gather<'s, T, const N: usize> {
    dense: &'s mut [T],
    apart: &'s [T],
    step: usize,
}

impl<T: Copy, const N: usize> NullaryFnOnce for Gather<'_, T, N> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let each = self.dense.chunks_exact_mut(N);
        if self.step == 2 * N {
            for (to, from) in each.zip(self.apart.chunks_exact(2 * N)) {
                to.copy_from_slice(&from[..N]);
            }
        } else {
            for (to, from) in each.zip(self.apart.chunks_exact(self.step)) {
                to.copy_from_slice(&from[..N]);
            }
        }
    }
}

/// Copies a dense stretch to the first N words of every `step`.
struct Spread<'s, T, const N: usize> {
    apart: &'s mut [T],
    dense: &'s [T],
    step: usize,
}

impl<T: Copy, const N: usize> NullaryFnOnce for Spread<'_, T, N> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let each = self.dense.chunks_exact(N);
        if self.step == 2 * N {
            for (to, from) in self.apart.chunks_exact_mut(2 * N).zip(each) {
                to[..N].copy_from_slice(from);
            }
        } else {
            for (to, from) in self.apart.chunks_exact_mut(self.step).zip(each) {
                to[..N].copy_from_slice(from);
            }
        }
    }
}
