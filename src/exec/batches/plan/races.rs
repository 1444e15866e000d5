//! Races between MPs, excluded before a kernel runs.
//!
//! Two MPs with different indices must touch different words of every array that the kernel writes.
//! Take one index of the array, c₁·i₁ + c₂·i₂ + … + rest. It tells MPs apart if the numbers are
//! digits: the rest is narrower than the least |c|, their span together narrower than the next |c|,
//! and so on. Then equal indices mean equal i₁, i₂, …. If every dimension of the MPs is such a
//! digit
//! of some index of the array, no two MPs meet.
//!
//! The rest may leave gaps, as in `x[2dy + wb + j]` beside `x[2dy + wb + j + d]`. Then every two
//! accesses are compared: the MPs would have to differ by numbers that bridge the difference of the
//! rests, and there are few numbers to try. If that fails, every two accesses are compared where
//! each happens: `if x ≠ t` keeps the MPs that write a row of tiles from the one that all of them
//! read. Anything still open needs stamps ([`global`](crate::exec::memory::global)).

use crate::exec::batches::plan::form::Interval;
use crate::exec::batches::plan::{Index, Reach};

/// Returns the arrays with a word that one MP may write and another may touch. `lengths` holds the
/// number of MPs in each dimension.
pub(super) fn possible(accesses: &[Reach], lengths: &[u64]) -> Vec<usize> {
    if lengths.iter().all(|&length| length <= 1) {
        return Vec::new();
    }
    let written = accesses.iter().filter(|access| access.writes);
    let may_meet = written.map(|access| access.array).filter(|&array| {
        let of_array = || accesses.iter().filter(|access| access.array == array);
        let all: Vec<_> = of_array().map(|access| &access.indices).collect();
        !(tells_apart(&all, lengths)
            || never_meet(&all, lengths)
            || are_pairs_apart(of_array(), lengths))
    });
    may_meet.collect()
}

/// Most different accesses to an array that are compared pair by pair.
const MOST_PAIRED: usize = 64;

/// Returns true if every two accesses to an array, one of which writes, are apart.
fn are_pairs_apart<'t>(accesses: impl Iterator<Item = &'t Reach>, lengths: &[u64]) -> bool {
    let mut distinct: Vec<&Reach> = Vec::new();
    for access in accesses {
        if !distinct.iter().any(|other| is_same(other, access, lengths)) {
            distinct.push(access);
        }
        if distinct.len() > MOST_PAIRED {
            return false;
        }
    }
    distinct.iter().enumerate().all(|(at, one)| {
        distinct[..=at]
            .iter()
            .all(|other| !(one.writes || other.writes) || are_apart(one, other, lengths))
    })
}

/// Returns true if two accesses to an array are the same, as far as MPs are concerned.
fn is_same(one: &Reach, other: &Reach, lengths: &[u64]) -> bool {
    let mps = ..lengths.len();
    one.writes == other.writes
        && one.indices == other.indices
        && one.slots[mps] == other.slots[mps]
        && one.except == other.except
}

/// Returns true if different MPs never meet through these two accesses.
fn are_apart(one: &Reach, other: &Reach, lengths: &[u64]) -> bool {
    let (left, right) = (&one.indices, &other.indices);
    let pair = [left, right];
    if tells_apart(&pair, lengths) || never_meet(&pair, lengths) {
        return true;
    }
    let others = parts(other, lengths.len());
    parts(one, lengths.len()).iter().all(|one| {
        others.iter().all(|other| {
            let mut indices = left.iter().zip(right);
            indices.any(|pair| {
                let (Some(left), Some(right)) = pair else {
                    return false;
                };
                let (low, high) = spanned(left, one);
                let (other_low, other_high) = spanned(right, other);
                high < other_low || other_high < low
            })
        })
    })
}

/// Returns the MPs that get to an access, as boxes of `dimensions` dimensions.
fn parts(access: &Reach, dimensions: usize) -> Vec<Vec<(i64, i64)>> {
    // Each exception cuts a box in two: x in 0..9 without 3 is 0..2 and 4..9.
    let mut boxes = vec![access.slots[..dimensions].to_vec()];
    let of_mps = (access.except.iter()).filter(|(slot, _)| *slot < dimensions);
    for &(dimension, number) in of_mps {
        let cut = boxes.into_iter().flat_map(|whole| {
            let (low, high) = whole[dimension];
            let of = |ends: (i64, i64)| {
                let mut part = whole.clone();
                part[dimension] = ends;
                (ends.0 <= ends.1).then_some(part)
            };
            if (low..=high).contains(&number) {
                vec![of((low, number - 1)), of((number + 1, high))]
            } else {
                vec![of((low, high))]
            }
        });
        boxes = cut.flatten().collect();
    }
    boxes
}

/// Returns the interval of an index over the MPs of a box.
fn spanned((factors, rest): &Index, mps: &[(i64, i64)]) -> Interval {
    let mut span = *rest;
    for (&factor, &(low, high)) in factors.iter().zip(mps) {
        let ends = [low, high].map(|end| i128::from(factor) * i128::from(end));
        span.0 += ends[0].min(ends[1]);
        span.1 += ends[0].max(ends[1]);
    }
    span
}

/// Returns true if the words of an array tell the MPs apart, because their indices are digits.
fn tells_apart(accesses: &[&Vec<Option<Index>>], lengths: &[u64]) -> bool {
    let mut is_told: Vec<bool> = lengths.iter().map(|&length| length <= 1).collect();
    let Some(first) = accesses.first() else {
        return true;
    };
    for index in 0..first.len() {
        let Some(factors) = alike(accesses, index) else {
            continue;
        };
        let low = rests(accesses, index).map(|rest| rest.0).min();
        let high = rests(accesses, index).map(|rest| rest.1).max();
        let (Some(low), Some(high)) = (low, high) else {
            continue;
        };
        let mut digits: Vec<(i128, u64, usize)> = (factors.iter().zip(lengths).enumerate())
            .filter(|(_, (factor, length))| **factor != 0 && **length > 1)
            .map(|(at, (factor, length))| (i128::from(*factor).abs(), *length, at))
            .collect();
        digits.sort_unstable();
        // `a[64y + 32x + j]` with x in 0..1 and j in 0..31: the rest spans 31 < 32, so x is a
        // digit; with
        // it the span is 31 + 32·1 = 63 < 64, so y is one too.
        let mut span = high - low;
        for (factor, length, at) in digits {
            is_told[at] |= factor > span;
            span += factor * i128::from(length - 1);
        }
    }
    is_told.into_iter().all(|told| told)
}

/// Returns the factors of an index, if all accesses are known to have the same.
fn alike<'t>(accesses: &[&'t Vec<Option<Index>>], index: usize) -> Option<&'t [i64]> {
    let mut known = (accesses.iter()).map(|access| Some(&*access[index].as_ref()?.0));
    let first: &[i64] = known.next()??;
    known.all(|other| other == Some(first)).then_some(first)
}

/// Returns the intervals of the rest of an index, for the accesses where it is known.
fn rests(accesses: &[&Vec<Option<Index>>], index: usize) -> impl Iterator<Item = Interval> {
    (accesses.iter()).filter_map(move |access| Some(access[index].as_ref()?.1))
}

/// Returns true if some single index of an array keeps any two accesses of different MPs apart.
fn never_meet(accesses: &[&Vec<Option<Index>>], lengths: &[u64]) -> bool {
    let Some(first) = accesses.first() else {
        return true;
    };
    (0..first.len()).any(|index| {
        let Some(factors) = alike(accesses, index) else {
            return false;
        };
        let rests: Vec<Interval> = rests(accesses, index).collect();
        let mut digits: Vec<(i128, i128)> = (factors.iter().zip(lengths))
            .filter(|(_, length)| **length > 1)
            .map(|(factor, length)| (i128::from(*factor).abs(), i128::from(length - 1)))
            .collect();
        digits.sort_unstable_by(|one, other| other.cmp(one));
        rests.iter().enumerate().all(|(at, (low, high))| {
            rests[..=at].iter().all(|(other_low, other_high)| {
                !can_meet(&digits, (low - other_high, high - other_low), false)
            })
        })
    })
}

/// Most differences of MPs in one dimension that are tried.
const MOST_TRIED: i128 = 4;

/// Returns true if Σ factor · difference may lie in an interval. Each difference is at most its
/// bound either way, and not all of them are 0. The factors descend.
fn can_meet(digits: &[(i128, i128)], (low, high): Interval, differs: bool) -> bool {
    let Some((&(factor, most), rest)) = digits.split_first() else {
        return differs && low <= 0 && 0 <= high;
    };
    if factor == 0 {
        // Factor 0: MPs may differ in this dimension without moving the sum.
        return low <= 0 && 0 <= high;
    }
    // The smaller factors move the sum by at most `span`, so only a few differences of this one
    // remain. Factor 64, nothing smaller, interval −40..40: −1 moves the sum too far,
    // and with 0 nothing differs.
    let span: i128 = rest.iter().map(|(factor, most)| factor * most).sum();
    let first = (low - span).div_euclid(factor).max(-most);
    let last = (high + span).div_euclid(factor).min(most);
    last - first >= MOST_TRIED
        || (first..=last).any(|difference| {
            let left = (low - factor * difference, high - factor * difference);
            can_meet(rest, left, differs || difference != 0)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn are_excluded(accesses: &[Reach], lengths: &[u64]) -> bool {
        possible(accesses, lengths).is_empty()
    }

    fn reach(
        writes: bool,
        indices: Vec<Option<Index>>,
        mps: Vec<(i64, i64)>,
        except: Vec<(usize, i64)>,
    ) -> Reach {
        Reach {
            array: 0,
            writes,
            indices,
            offset: None,
            cores: (0, 31),
            slots: mps,
            except,
        }
    }

    fn touch(writes: bool, indices: &[(&[i64], Interval)]) -> Reach {
        reach(
            writes,
            (indices.iter())
                .map(|(factors, rest)| Some((factors.to_vec(), *rest)))
                .collect(),
            vec![(0, 99); indices[0].0.len()],
            Vec::new(),
        )
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
        let unknown = reach(false, vec![None], vec![(0, 99)], Vec::new());
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
    fn accesses_may_interleave() {
        let at = |writes: bool, factors: &[i64], first: i128| {
            touch(writes, &[(factors, (first, first + 31))])
        };
        // Halves of 2d words each, d = 128: the first and the second half of 32 words a piece.
        let halves = |apart: i128| [at(true, &[256, 32], 0), at(true, &[256, 32], apart)];
        assert!(are_excluded(&halves(128), &[9, 4]));
        assert!(
            !are_excluded(&halves(128), &[9, 5]),
            "the fifth piece is of the second half"
        );
        assert!(!are_excluded(&halves(127), &[9, 4]));
        assert!(!are_excluded(&halves(129), &[9, 4]));
        assert!(are_excluded(&halves(129), &[1, 4]));
        assert!(
            !are_excluded(&halves(256), &[9, 4]),
            "the next MP's first half"
        );
        assert!(are_excluded(&halves(256), &[1, 4]));
        let alike = [at(true, &[256, 0], 0), at(false, &[256, 0], 128)];
        assert!(
            !are_excluded(&alike, &[9, 4]),
            "the second number does not matter"
        );
    }

    #[test]
    fn what_some_mps_leave_out_keeps_pairs_apart() {
        // Row t of tiles: tile (t, t) is read by all x ≠ t, which write their own.
        let own = |slots, except| Reach {
            slots,
            except,
            ..touch(true, &[(&[0], (64, 95)), (&[32], (0, 31))])
        };
        let corner = touch(false, &[(&[0], (64, 95)), (&[0], (64, 95))]);
        assert!(!are_excluded(
            &[own(vec![(0, 7)], vec![]), corner.clone()],
            &[8]
        ));
        assert!(are_excluded(
            &[own(vec![(0, 7)], vec![(0, 2)]), corner.clone()],
            &[8]
        ));
        assert!(!are_excluded(
            &[own(vec![(0, 7)], vec![(0, 3)]), corner.clone()],
            &[8]
        ));
        assert!(are_excluded(&[own(vec![(3, 7)], vec![]), corner], &[8]));
        // Another row of a matrix, by a factor that does not fit the others.
        let level =
            |row, factor: &[i64], width| touch(true, &[(&[0], (row, row)), (factor, (0, width))]);
        assert!(are_excluded(
            &[level(0, &[32], 31), level(1, &[1], 0)],
            &[8]
        ));
        assert!(!are_excluded(
            &[level(1, &[32], 31), level(1, &[1], 0)],
            &[8]
        ));
    }

    proptest! {
        /// An excluded race does not happen.
        #[test]
        fn excluded_races_do_not_happen(
            factors in prop::array::uniform2(-20i64..20),
            rests in prop::collection::vec((0i128..40, 0i128..6), 1..4),
            lengths in prop::array::uniform2(1u64..6),
        ) {
            let touches: Vec<Reach> = (rests.iter())
                .map(|&(low, width)| touch(true, &[(&factors, (low, low + width))]))
                .collect();
            let mut owners = std::collections::HashMap::new();
            let mut meets = false;
            for one in 0..lengths[0] as i64 {
                for other in 0..lengths[1] as i64 {
                    let base = i128::from(factors[0] * one + factors[1] * other);
                    for word in rests.iter().flat_map(|&(low, width)| low..=low + width) {
                        let owner = *owners.entry(base + word).or_insert((one, other));
                        meets |= owner != (one, other);
                    }
                }
            }
            prop_assert!(!(meets && are_excluded(&touches, &lengths)));
        }
    }

    #[test]
    fn a_blurred_digit_tells_nothing() {
        // x + 40·y + rest: the rest hides x, and both together hide y.
        let blurred = touch(true, &[(&[40, 1], (0, 31))]);
        assert!(!are_excluded(std::slice::from_ref(&blurred), &[4, 30]));
        assert!(!are_excluded(&[blurred], &[4, 9]));
        // Where data decide the other index, this one may be enough.
        let mut decided = touch(true, &[(&[0], (0, 0)), (&[32], (0, 31))]);
        decided.indices[0] = None;
        assert!(are_excluded(&[decided], &[9]));
        let clear = touch(true, &[(&[40, 1], (0, 31)), (&[0, 1], (0, 0))]);
        assert!(
            are_excluded(&[clear], &[4, 9]),
            "y by the first index, x by the second"
        );
    }
}
