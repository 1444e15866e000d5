//! Blocks and banks that one executed access touches, known or bounded (language.md §4.2).

use crate::count::Interval;
use crate::interval::lanes::{Active, Mask};
use crate::machine::Warps;

/// A lower and an upper bound, on one MP.
pub(crate) type Bounds = Interval<u64>;

/// The words of the cores in one access.
#[derive(Debug)]
pub(crate) enum Offsets {
    /// Every core's word.
    Known(Vec<i64>),
    /// A range for each core's word.
    Between(Vec<(i64, i64)>),
}

impl Offsets {
    pub(super) fn get(&self, core: usize) -> (i64, i64) {
        match self {
            Offsets::Known(offsets) => (offsets[core], offsets[core]),
            Offsets::Between(ranges) => ranges[core],
        }
    }

    /// Returns the known words of some cores in ascending order, each once. Beside them the cores
    /// with
    /// unknown words: their number, and the least and greatest word they may touch.
    fn split(&self, cores: &Mask) -> (Vec<i64>, Option<(u64, i64, i64)>) {
        let mut known = Vec::new();
        let mut unknown: Option<(u64, i64, i64)> = None;
        let mut ascending = true;
        for core in cores.iter() {
            let (low, high) = self.get(core);
            if low == high {
                if let Some(last) = known.last() {
                    if *last == low {
                        continue;
                    }
                    ascending &= *last < low;
                }
                known.push(low);
            } else {
                let (count, least, most) = unknown.unwrap_or((0, low, high));
                unknown = Some((count + 1, least.min(low), most.max(high)));
            }
        }
        if !ascending {
            known.sort_unstable();
            known.dedup();
        }
        (known, unknown)
    }

    /// Bounds the distinct words that some cores touch, from above.
    pub(super) fn words(&self, cores: &Mask) -> u64 {
        let (known, unknown) = self.split(cores);
        known.len() as u64 + unknown.map_or(0, |(count, ..)| count)
    }

    /// Bounds the distinct blocks of `b` words that the cores touch.
    pub(super) fn blocks(&self, must: &Mask, may: &Mask, b: i64) -> Bounds {
        let distinct = |words: &[i64]| distinct_blocks(words, 0, b);
        let (known, unknown) = self.split(may);
        let touched = distinct(&known);
        let upper = match unknown {
            None => touched,
            Some((count, low, high)) => {
                // Each unknown core adds at most one block, and all of them together no more than
                // their range
                // has; known and unknown words together touch no more blocks than lie between their
                // ends.
                let reach = blocks_between(low, high, b);
                let (least, most) = hull(&known, low, high);
                (touched + count.min(reach)).min(blocks_between(least, most, b))
            }
        };
        // From below only certain cores with known words count. If some core certainly takes part,
        // it
        // touches one block, whatever its word.
        let lower = if must == may && unknown.is_none() {
            touched
        } else {
            let (known, _) = self.split(must);
            distinct(&known).max(u64::from(!must.is_empty()))
        };
        Bounds { lower, upper }
    }

    /// Returns true if certain cores touch as many blocks wherever their words move by these distances: rows of 32 words
    /// that begin at multiples of 32 lie in one block of 1024 each.
    pub(super) fn touch_alike(&self, active: &Active, distances: &[i64], b: i64) -> bool {
        let (known, unknown) = self.split(&active.may);
        let here = distinct_blocks(&known, 0, b);
        let mut moved = distances.iter().map(|by| distinct_blocks(&known, *by, b));
        active.is_certain() && unknown.is_none() && moved.all(|there| there == here)
    }

    /// Bounds degree − 1, the most distinct words in one of `b` banks less one.
    pub(super) fn conflicts(&self, must: &Mask, may: &Mask, b: i64) -> Bounds {
        let (known, unknown) = self.split(may);
        let met = most_in_a_bank(&known, b);
        let upper = match unknown {
            None => met,
            Some((count, low, high)) => {
                let (least, most) = hull(&known, low, high);
                (met + count).min(words_in_a_bank(least, most, b))
            }
        };
        let lower = if must == may && unknown.is_none() {
            met
        } else {
            most_in_a_bank(&self.split(must).0, b)
        };
        Bounds {
            lower: lower.saturating_sub(1),
            upper: upper.saturating_sub(1),
        }
    }

    /// Bounds degree − 1 of each warp for itself, over the card's banks: that of the worst, and all together.
    ///
    /// A column of a 32 × 32 array in an MP of 1024 cores: 32 words of each warp in one bank, 31 and 992.
    pub(super) fn conflicts_by_warp(
        &self,
        active: &Active,
        cores: usize,
        warps: Warps,
    ) -> (Bounds, Bounds) {
        let (mut worst, mut sum) = (Bounds::default(), Bounds::default());
        let size = warps.size as usize;
        for low in (0..cores).step_by(size) {
            let within = |mask: &Mask| mask.between(low, low + size);
            let each = self.conflicts(&within(&active.must), &within(&active.may), warps.banks);
            worst = worst.with(&each, |one, other| (*one).max(*other));
            sum = sum.plus(&each);
        }
        (worst, sum)
    }

    /// Bounds the largest number of cores on one word.
    pub(super) fn multiplicity(&self, must: &Mask, may: &Mask) -> Bounds {
        let most = |cores: &Mask| {
            let mut words: Vec<i64> = Vec::new();
            let mut unknown = 0;
            for core in cores.iter() {
                let (low, high) = self.get(core);
                if low == high {
                    words.push(low);
                } else {
                    unknown += 1;
                }
            }
            words.sort_unstable();
            let runs = words.chunk_by(|x, y| x == y);
            (runs.map(|run| run.len() as u64).max().unwrap_or(0), unknown)
        };
        let (known, unknown) = most(may);
        let (certain, _) = most(must);
        Bounds {
            lower: certain.max(u64::from(!must.is_empty())),
            upper: known + unknown,
        }
    }
}

/// The distinct blocks of ascending words that have moved.
fn distinct_blocks(words: &[i64], by: i64, b: i64) -> u64 {
    let mut count = 0;
    let mut last = None;
    for word in words {
        let block = (word + by).div_euclid(b);
        if last != Some(block) {
            count += 1;
            last = Some(block);
        }
    }
    count
}

fn hull(known: &[i64], low: i64, high: i64) -> (i64, i64) {
    (
        known.first().map_or(low, |first| low.min(*first)),
        known.last().map_or(high, |last| high.max(*last)),
    )
}

fn blocks_between(low: i64, high: i64, b: i64) -> u64 {
    (i128::from(high).div_euclid(b.into()) - i128::from(low).div_euclid(b.into()) + 1) as u64
}

/// Returns the most words of `low..=high` that share a bank.
fn words_in_a_bank(low: i64, high: i64, b: i64) -> u64 {
    // Every b-th word shares a bank: 33 neighbouring words in 32 banks put 2 in one of them.
    let words = i128::from(high) - i128::from(low) + 1;
    let b = i128::from(b);
    ((words + b - 1) / b) as u64
}

/// Returns the most of some distinct words, in ascending order, that share a bank.
fn most_in_a_bank(words: &[i64], b: i64) -> u64 {
    let (Some(first), Some(last)) = (words.first(), words.last()) else {
        return 0;
    };
    if last - first < b {
        return 1;
    }
    let mut banks: Vec<i64> = words.iter().map(|word| word.rem_euclid(b)).collect();
    banks.sort_unstable();
    let runs = banks.chunk_by(|x, y| x == y);
    runs.map(|run| run.len() as u64).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(count: usize) -> Mask {
        Mask::all(count)
    }

    #[test]
    fn strides_touch_blocks_and_banks() {
        for b in [4i64, 8, 32] {
            for stride in 0..=2 * b {
                let offsets = Offsets::Known((0..b).map(|core| core * stride).collect());
                let every = all(b as usize);
                let blocks: std::collections::HashSet<i64> =
                    (0..b).map(|core| core * stride / b).collect();
                assert_eq!(
                    offsets.blocks(&every, &every, b),
                    Bounds::exact(blocks.len() as u64)
                );
                let degree = if stride == 0 {
                    1
                } else {
                    num_integer::gcd(stride, b)
                };
                let conflicts = offsets.conflicts(&every, &every, b);
                assert_eq!(conflicts, Bounds::exact(degree as u64 - 1), "{b} {stride}");
            }
        }
    }

    #[test]
    fn unknown_words_are_bounded_by_cores_and_by_the_array() {
        let offsets = Offsets::Between(vec![(0, 7); 4]);
        let every = all(4);
        let bounds = |lower, upper| Bounds { lower, upper };
        assert_eq!(offsets.blocks(&every, &every, 4), bounds(1, 2));
        assert_eq!(offsets.conflicts(&every, &every, 4), bounds(0, 1));
        assert_eq!(offsets.multiplicity(&every, &every), bounds(1, 4));
        let none = Mask::none(4);
        assert_eq!(offsets.blocks(&none, &every, 4), bounds(0, 2));
        let offsets = Offsets::Between(vec![(5, 5), (5, 5), (0, 99), (9, 9)]);
        assert_eq!(offsets.blocks(&every, &every, 4), bounds(2, 3));
        assert_eq!(offsets.multiplicity(&every, &every), bounds(2, 3));
        assert_eq!(offsets.conflicts(&every, &every, 4), bounds(1, 2));
    }
}
