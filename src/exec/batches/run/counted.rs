//! What a batch counts: operations, bank conflicts of shared memory, blocks of global memory.
//!
//! Takes masks, rows and offsets; keeps the counts of the batch in progress, which become part of
//! the sum only when it succeeds.

use std::sync::{Arc, Weak};

use crate::exec::batches::plan::{At, Place};
use crate::exec::batches::run::batch::Batch;
use crate::exec::batches::run::dense::Dense;
use crate::exec::batches::run::masks::Active;
use crate::exec::batches::run::rows::Rows;
use crate::exec::batches::run::shared::SharedRows;
use crate::exec::launch::Pace;

/// Work between two looks at the watcher.
const BUDGET: i64 = 1 << 20;

/// What MPs have counted.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// Operations that every MP has paid.
    pub time: u64,
    /// What each MP has paid besides; empty while nothing.
    pub own_time: Vec<u64>,
    pub conflicts: u64,
    pub lane_operations: u128,
    /// Blocks read and written, by the plan's arrays.
    pub blocks: Vec<(u64, u64)>,
}

impl Counts {
    /// Nothing, of so many arrays.
    pub(super) fn of(arrays: usize) -> Counts {
        Counts {
            blocks: vec![(0, 0); arrays],
            ..Counts::default()
        }
    }

    /// Nothing counted.
    pub(super) fn clear(&mut self) {
        (self.time, self.conflicts, self.lane_operations) = (0, 0, 0);
        self.own_time.clear();
        self.blocks.fill((0, 0));
    }

    /// Adds what a batch counted; t is the most of all.
    pub(super) fn add(&mut self, batch: &Counts) {
        let own = batch.own_time.iter().max().copied().unwrap_or(0);
        self.time = self.time.max(batch.time + own);
        self.conflicts += batch.conflicts;
        self.lane_operations += batch.lane_operations;
        for (total, blocks) in self.blocks.iter_mut().zip(&batch.blocks) {
            total.0 += blocks.0;
            total.1 += blocks.1;
        }
    }
}

/// What is counted while a batch runs, and what counting needs.
#[derive(Debug)]
pub(super) struct Counted {
    pub counts: Counts,
    /// Words counted in each bank; all 0 between two counts.
    in_bank: Vec<u32>,
    /// Blocks of one MP's access.
    seen: Seen,
    last_blocks: LastBlocks,
    /// Blocks of what is done for one MP; all 0 between two of them.
    pub own_blocks: Vec<(u64, u64)>,
    pub pace: Pace,
}

impl Counted {
    /// Nothing counted, of so many global arrays.
    pub(super) fn new(cores: usize, arrays: usize) -> Counted {
        Counted {
            counts: Counts::of(arrays),
            in_bank: vec![0; cores],
            seen: Seen::new(cores),
            last_blocks: LastBlocks::none(),
            own_blocks: vec![(0, 0); arrays],
            pace: Pace::new(BUDGET),
        }
    }

    /// Blocks that offsets touch, MP by MP, of an array of so many words; they may be those of the array
    /// read before.
    pub(super) fn blocks_of(
        &mut self,
        batch: &Batch,
        (held, offsets, words): (&Dense<i64>, &[i64], usize),
        active: &Active,
    ) -> u64 {
        if self.last_blocks.are_of(held, offsets, active) {
            return self.last_blocks.blocks;
        }
        let block = batch.cores as u64;
        self.seen.at_most(words / batch.cores + 1);
        let groups = batch.groups(active).map(|(_, group)| &offsets[group]);
        let sum = match block.is_power_of_two() {
            true => {
                let shift = block.trailing_zeros();
                self.distinct(groups, |offset| offset >> shift)
            }
            false => self.distinct(groups, |offset| offset / block),
        };
        self.last_blocks.note(held, offsets, active, sum);
        sum
    }

    /// How many different numbers the offsets of each group have, in all groups together.
    #[inline(always)]
    fn distinct<'o>(
        &mut self,
        groups: impl Iterator<Item = &'o [i64]>,
        number: impl Fn(u64) -> u64,
    ) -> u64 {
        let mut sum = 0;
        for offsets in groups {
            // Those of numbers that ascend are told from the one before.
            let mut numbers = offsets.iter().map(|&offset| number(offset as u64));
            let Some(mut last) = numbers.next() else {
                continue;
            };
            // All are looked at, so that several are at once; a fall leaves the sign.
            let (mut changes, mut rises) = (1, 0);
            for number in numbers {
                rises |= (number as i64) - (last as i64);
                changes += u64::from(number != last);
                last = number;
            }
            sum += match rises >= 0 {
                true => changes,
                false => self.seen.count(offsets, &number),
            };
        }
        sum
    }

    /// Counts the bank conflicts of a shared operand whose words are lines.
    pub(super) fn conflicts(&mut self, batch: &Batch, place: &Place, active: &Active) {
        let At::Line { period, offset, .. } = &place.at else {
            unreachable!("rows are lines")
        };
        if *period == batch.cores || offset.core == 0 {
            return;
        }
        // Words of different cores differ, so that those of a bank conflict; in all MPs alike.
        let each = match active {
            Active::Range(low, high) => (high - low - 1) / period,
            Active::Runs(_) | Active::List(_) => {
                let cores = active.cores().expect("alike in all MPs");
                for core in &cores {
                    self.in_bank[*core as usize % period] += 1;
                }
                let degree = cores.iter().map(|core| *core as usize % period);
                let degree = degree
                    .map(|bank| std::mem::take(&mut self.in_bank[bank]))
                    .max();
                degree.map_or(0, |degree| degree as usize - 1)
            }
            Active::Along(along) => (along.cores.1 - along.cores.0 - 1) / period * along.trips,
            Active::Each(_) => unreachable!("these have no rows"),
        };
        self.counts.conflicts += (each * batch.width()) as u64;
    }

    /// Counts the bank conflicts of a shared operand.
    pub(super) fn conflicts_at(
        &mut self,
        batch: &Batch,
        array: &mut SharedRows,
        (place, offsets): (&Place, &[i64]),
        active: &Active,
    ) {
        if let At::Line { period, offset, .. } = &place.at {
            if offset.core == 0 || *period == batch.cores {
                return;
            }
            if !matches!(active, Active::Each(_)) {
                return self.conflicts(batch, place, active);
            }
        }
        let apart = array.words * usize::from(!batch.alike[place.array]);
        for (mp, group) in batch.groups(active) {
            let own = mp * apart;
            let (_, words) = self.crowds(array, batch, own, &offsets[group]);
            self.counts.conflicts += words.saturating_sub(1);
        }
    }

    /// The most cores of an MP that meet on a word of its shared array, which begins at `own`, and the
    /// most of these words in one bank.
    #[inline]
    pub(super) fn crowds(
        &mut self,
        array: &mut SharedRows,
        batch: &Batch,
        own: usize,
        offsets: &[i64],
    ) -> (u64, u64) {
        let banks = batch.cores;
        let last = banks.is_power_of_two().then(|| banks - 1);
        let own = own as i64;
        let epoch = array.begin() << 32;
        let (mut most_cores, mut most_words) = (0, 0);
        for offset in offsets {
            let at = (offset - own) as usize;
            let mark = &mut array.marks[at];
            if *mark < epoch {
                *mark = epoch;
                let bank = last.map_or_else(|| at % banks, |last| at & last);
                let words = &mut self.in_bank[bank];
                *words += 1;
                most_words = most_words.max(*words);
            }
            *mark += 1;
            most_cores = most_cores.max(*mark - epoch);
        }
        self.in_bank.fill(0);
        (most_cores, most_words.into())
    }

    /// Operations of every MP that has active cores.
    pub(super) fn pay(&mut self, batch: &Batch, operations: u64, active: &Active) {
        let lanes = batch.lanes(active);
        self.counts.lane_operations += u128::from(operations) * lanes as u128;
        match active {
            Active::Range(..) | Active::Runs(_) | Active::List(_) | Active::Along(_) => {
                self.counts.time += operations;
            }
            Active::Each(_) => {
                self.counts.own_time.resize(batch.width(), 0);
                for (mp, _) in batch.groups(active) {
                    self.counts.own_time[mp] += operations;
                }
            }
        }
    }
}

/// Blocks that rows of a global array touch, over all MPs and iterations; one run of cores of each.
pub(super) fn blocks(batch: &Batch, rows: Rows, [trips, count]: [usize; 2]) -> u64 {
    let block = batch.cores;
    let width = batch.width() * trips;
    let stride = rows.stride().unsigned_abs();
    if stride == 0 || count == 1 {
        return width as u64;
    }
    if stride >= block {
        return (width * count) as u64;
    }
    let of_mp = |first: usize| {
        let last = first.wrapping_add_signed(rows.stride() * (count as isize - 1));
        ((first / block).abs_diff(last / block) + 1) as u64
    };
    let [outer, inner, turn, _] = rows.steps;
    let is_aligned = |step: isize| step.unsigned_abs().is_multiple_of(block);
    let is_even = trips == 1 || is_aligned(turn);
    if is_even && is_aligned(inner) && (is_aligned(outer) || batch.outer == 1) {
        return of_mp(rows.first) * width as u64;
    }
    let turns = |start: usize| {
        (0..trips as isize).map(move |trip| of_mp(start.wrapping_add_signed(turn * trip)))
    };
    batch.starts(rows).flat_map(turns).sum()
}

/// The blocks last counted, and of which offsets.
#[derive(Debug)]
struct LastBlocks {
    /// Where they are held, if they are; gone by then, perhaps, but nothing else is there.
    held: Weak<Vec<i64>>,
    /// The offsets themselves where they are not.
    offsets: Vec<i64>,
    active: Active,
    blocks: u64,
}

impl LastBlocks {
    /// Of none.
    fn none() -> LastBlocks {
        LastBlocks {
            held: Weak::new(),
            offsets: Vec::new(),
            active: Active::Range(0, 0),
            blocks: 0,
        }
    }

    /// Whether they are those of these offsets.
    fn are_of(&self, held: &Dense<i64>, offsets: &[i64], active: &Active) -> bool {
        let are_same = match held {
            Dense::Held(held) => std::ptr::eq(self.held.as_ptr(), Arc::as_ptr(held)),
            Dense::Same(_) | Dense::Lanes(_) | Dense::Words { .. } => self.offsets == offsets,
        };
        are_same && self.active == *active
    }

    /// Notes those of these offsets.
    fn note(&mut self, held: &Dense<i64>, offsets: &[i64], active: &Active, blocks: u64) {
        self.offsets.clear();
        self.held = match held {
            Dense::Held(held) => Arc::downgrade(held),
            Dense::Same(_) | Dense::Lanes(_) | Dense::Words { .. } => {
                self.offsets.extend_from_slice(offsets);
                Weak::new()
            }
        };
        (self.active, self.blocks) = (active.clone(), blocks);
    }
}

/// Numbers up to which each has a place of its own in [`Seen`]: so many stay near the processor.
const FEW: usize = 1 << 13;

/// A set of a few numbers, emptied in no time.
#[derive(Debug)]
struct Seen {
    /// The count that met a number last, where all are few.
    own: Vec<u64>,
    /// How many numbers there may be.
    most: usize,
    /// The count a place was last used in, and the number in it. None before one is needed.
    places: Vec<(u64, u64)>,
    /// How many places: a power of two.
    spread: usize,
    count: u64,
}

impl Seen {
    /// Of at most this many numbers at a time; most often each finds its place free.
    fn new(at_once: usize) -> Seen {
        Seen {
            own: Vec::new(),
            most: usize::MAX,
            places: Vec::new(),
            spread: (8 * at_once).next_power_of_two(),
            count: 0,
        }
    }

    /// The numbers that follow are below this one.
    fn at_most(&mut self, most: usize) {
        self.most = most;
        if most <= FEW && self.own.len() < most {
            self.own.resize(most, 0);
        }
    }

    /// How many different ones there are among the numbers of offsets.
    #[inline(always)]
    fn count(&mut self, offsets: &[i64], number: impl Fn(u64) -> u64) -> u64 {
        self.count += 1;
        let numbers = offsets.iter().map(|&offset| number(offset as u64));
        match self.most <= FEW {
            true => {
                let of = self.count;
                let is_new =
                    |number: u64| std::mem::replace(&mut self.own[number as usize], of) != of;
                numbers.map(is_new).map(u64::from).sum()
            }
            false => {
                self.places.resize(self.spread, (0, 0));
                numbers.map(|number| u64::from(self.insert(number))).sum()
            }
        }
    }

    /// Adds a number; says whether it is new.
    #[inline]
    fn insert(&mut self, number: u64) -> bool {
        let last = self.places.len() - 1;
        let mut at = (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & last;
        loop {
            let place = &mut self.places[at];
            if place.0 != self.count {
                *place = (self.count, number);
                return true;
            }
            if place.1 == number {
                return false;
            }
            at = (at + 1) & last;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_numbers_are_counted_however_many_there_may_be() {
        for most in [17, usize::MAX] {
            let mut seen = Seen::new(4);
            seen.at_most(most);
            for _ in 0..3 {
                assert_eq!(seen.count(&[8, 0, 8, 16], |offset| offset), 3);
                assert_eq!(seen.count(&[8, 0, 9, 16], |offset| offset / 8), 3);
            }
        }
    }

    #[test]
    fn blocks_are_taken_again_of_the_same_offsets_only() {
        let all = Active::Range(0, 2);
        let offsets = [3, 5];
        let mut last = LastBlocks::none();
        let own = Dense::Lanes(offsets.to_vec());
        assert!(!last.are_of(&own, &offsets, &all));
        last.note(&own, &offsets, &all, 1);
        assert!(last.are_of(&own, &offsets, &all));
        assert!(!last.are_of(&own, &[3, 6], &all));
        assert!(!last.are_of(&own, &offsets, &Active::Range(0, 1)));
        let held = Dense::Held(Arc::new(offsets.to_vec()));
        last.note(&held, &offsets, &all, 1);
        assert!(last.are_of(&held, &offsets, &all));
        drop(held);
        for _ in 0..100 {
            let next = Dense::Held(Arc::new(vec![4, 6]));
            assert!(!last.are_of(&next, &[4, 6], &all));
        }
    }
}
