//! Races between MPs, excluded before a kernel runs.
//!
//! Two MPs that differ in an index of theirs must differ in some index of every word they touch of
//! an array that the kernel writes. For one index of the array, c₁·i₁ + c₂·i₂ + … + rest, that
//! holds when the numbers are digits: the rest is narrower than the least |c|, that span narrower
//! than the next |c|, and so on. Then equal indices mean equal i₁, i₂, …; when every dimension
//! of the MPs is such a digit of some index of the array, no two MPs meet. An array for which that
//! is not known needs stamps ([`global`](crate::exec::global)).

use crate::exec::plan::form::Interval;

/// One access to a global array, as far as MPs are concerned.
#[derive(Debug, Clone)]
pub(super) struct Touch {
    /// Which array.
    pub array: usize,
    /// Whether it writes.
    pub writes: bool,
    /// For each index of the array: the factor of each dimension of the MPs, and what the rest
    /// may be. `None` when the index is not known to be of this form.
    pub indices: Option<Vec<(Vec<i64>, Interval)>>,
}

/// The arrays with words that an MP writes and another MP may touch. `lengths` are the numbers of
/// MPs in each of their dimensions.
pub(super) fn possible(touches: &[Touch], lengths: &[u64]) -> Vec<usize> {
    if lengths.iter().all(|&length| length <= 1) {
        return Vec::new();
    }
    let written = touches.iter().filter(|touch| touch.writes);
    let may_meet = written.map(|touch| touch.array).filter(|&array| {
        let all: Option<Vec<_>> = touches
            .iter()
            .filter(|touch| touch.array == array)
            .map(|touch| touch.indices.as_ref())
            .collect();
        !all.is_some_and(|all| tells_apart(&all, lengths))
    });
    may_meet.collect()
}

/// Whether the words of an array tell the MPs apart.
fn tells_apart(accesses: &[&Vec<(Vec<i64>, Interval)>], lengths: &[u64]) -> bool {
    let mut is_told: Vec<bool> = lengths.iter().map(|&length| length <= 1).collect();
    let Some(first) = accesses.first() else {
        return true;
    };
    for index in 0..first.len() {
        let factors = &first[index].0;
        if accesses.iter().any(|access| access[index].0 != *factors) {
            continue;
        }
        let low = accesses.iter().map(|access| access[index].1.0).min();
        let high = accesses.iter().map(|access| access[index].1.1).max();
        let (Some(low), Some(high)) = (low, high) else {
            continue;
        };
        let mut digits: Vec<(i128, u64, usize)> = (factors.iter().zip(lengths).enumerate())
            .filter(|(_, (factor, length))| **factor != 0 && **length > 1)
            .map(|(at, (factor, length))| (i128::from(*factor).abs(), *length, at))
            .collect();
        digits.sort_unstable();
        let mut span = high - low;
        for (factor, length, at) in digits {
            is_told[at] |= factor > span;
            span += factor * i128::from(length - 1);
        }
    }
    is_told.into_iter().all(|told| told)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn are_excluded(touches: &[Touch], lengths: &[u64]) -> bool {
        possible(touches, lengths).is_empty()
    }

    fn touch(writes: bool, indices: &[(&[i64], Interval)]) -> Touch {
        Touch {
            array: 0,
            writes,
            indices: Some(
                indices
                    .iter()
                    .map(|(factors, rest)| (factors.to_vec(), *rest))
                    .collect(),
            ),
        }
    }

    #[test]
    fn neighbours_must_not_overlap() {
        let write = |width: i128| touch(true, &[(&[32], (0, width - 1))]);
        assert!(are_excluded(&[write(32)], &[10]));
        assert!(!are_excluded(&[write(33)], &[10]));
        assert!(are_excluded(&[write(33)], &[1]));
        // a[ib + j + 1] read beside a[ib + j] written.
        let read = touch(false, &[(&[32], (1, 32))]);
        assert!(!are_excluded(&[write(32), read.clone()], &[10]));
        assert!(are_excluded(&[read], &[10]), "nothing is written");
        // Another MP's words by another factor.
        let odd = touch(false, &[(&[64], (0, 0))]);
        assert!(!are_excluded(&[write(32), odd], &[10]));
        let unknown = Touch {
            array: 0,
            writes: false,
            indices: None,
        };
        assert!(!are_excluded(&[write(32), unknown], &[10]));
    }

    #[test]
    fn tiles_are_told_by_two_indices() {
        let tile =
            |rows: &[i64], columns: &[i64]| touch(true, &[(rows, (0, 31)), (columns, (0, 31))]);
        assert!(are_excluded(&[tile(&[32, 0], &[0, 32])], &[4, 4]));
        assert!(
            !are_excluded(&[tile(&[32, 0], &[32, 0])], &[4, 4]),
            "the columns meet"
        );
        assert!(are_excluded(&[tile(&[32, 0], &[32, 0])], &[4, 1]));
    }

    #[test]
    fn digits_of_one_index() {
        let flat = |factors: &[i64], width: i128| touch(true, &[(factors, (0, width - 1))]);
        assert!(are_excluded(&[flat(&[128, 32], 32)], &[9, 4]));
        assert!(!are_excluded(&[flat(&[128, 32], 32)], &[9, 5]));
        assert!(!are_excluded(&[flat(&[128, 0], 32)], &[9, 4]));
        assert!(are_excluded(&[flat(&[-32], 32)], &[9]));
    }

    #[test]
    fn a_blurred_digit_tells_nothing() {
        // x + 40·y + rest: the rest hides x, and both together hide y.
        let blurred = touch(true, &[(&[40, 1], (0, 31))]);
        assert!(!are_excluded(std::slice::from_ref(&blurred), &[4, 30]));
        assert!(!are_excluded(&[blurred], &[4, 9]));
        let clear = touch(true, &[(&[40, 1], (0, 31)), (&[0, 1], (0, 0))]);
        assert!(
            are_excluded(&[clear], &[4, 9]),
            "y by the first index, x by the second"
        );
    }
}
