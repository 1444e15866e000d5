//! Counts of a batch: operations, bank conflicts of shared memory, blocks of global memory.
//!
//! Takes masks, rows and offsets; keeps the counts of the batch in progress. They join the sum only
//! when the batch succeeds.

use crate::exec::batches::plan::{At, Place};
use crate::exec::batches::run::batch::Batch;
use crate::exec::batches::run::dense::Dense;
use crate::exec::batches::run::last_blocks::LastBlocks;
use crate::exec::batches::run::masks::Active;
use crate::exec::batches::run::rows::Rows;
use crate::exec::batches::run::seen::Seen;
use crate::exec::batches::run::shared::SharedRows;
use crate::exec::launch::Pace;

/// Work between two looks at the watcher.
const BUDGET: i64 = 1 << 20;

/// Accumulated counts of MPs.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// Operations that every MP has paid.
    pub time: u64,
    /// Operations that single MPs have paid besides; empty while there are none.
    pub own_time: Vec<u64>,
    pub conflicts: u64,
    pub lane_operations: u128,
    /// Blocks read and written, by the plan's arrays.
    pub blocks: Vec<(u64, u64)>,
}

impl Counts {
    /// Starts at 0, for so many arrays.
    pub(super) fn of(arrays: usize) -> Counts {
        Counts {
            blocks: vec![(0, 0); arrays],
            ..Counts::default()
        }
    }

    /// Resets all counts to 0.
    pub(super) fn clear(&mut self) {
        (self.time, self.conflicts, self.lane_operations) = (0, 0, 0);
        self.own_time.clear();
        self.blocks.fill((0, 0));
    }

    /// Adds the counts of a batch; t takes the larger value.
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

/// Counts of the batch in progress, and room for counting.
#[derive(Debug)]
pub(super) struct Counted {
    pub counts: Counts,
    /// Words found in each bank; all 0 between two counts.
    in_bank: Vec<u32>,
    /// Distinct blocks of one MP's access.
    seen: Seen,
    last_blocks: LastBlocks,
    /// Blocks of a step done for one MP on behalf of all; all 0 between two such steps.
    pub own_blocks: Vec<(u64, u64)>,
    pub pace: Pace,
}

impl Counted {
    /// Starts at 0, for so many global arrays.
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

    /// Counts the blocks that offsets touch, MP by MP, in an array of so many words. Reuses the
    /// last
    /// count if the offsets are the same.
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
        let sum = if block.is_power_of_two() {
            let shift = block.trailing_zeros();
            self.distinct(groups, |offset| offset >> shift)
        } else {
            self.distinct(groups, |offset| offset / block)
        };
        self.last_blocks.note(held, offsets, active, sum);
        sum
    }

    /// Counts the distinct numbers in each group of offsets, and adds them up.
    #[inline(always)]
    fn distinct<'o>(
        &mut self,
        groups: impl Iterator<Item = &'o [i64]>,
        number: impl Fn(u64) -> u64,
    ) -> u64 {
        let mut sum = 0;
        for offsets in groups {
            // In ascending numbers, each change is a new one: 0 0 1 1 3 has 1 + 2 = 3. Any fall
            // sends
            // the group to the set.
            let mut numbers = offsets.iter().map(|&offset| number(offset as u64));
            let Some(mut last) = numbers.next() else {
                continue;
            };
            // No branch inside the loop, so several numbers are handled at once; a fall sets the
            // sign.
            let (mut changes, mut rises) = (1, 0);
            for number in numbers {
                rises |= (number as i64) - (last as i64);
                changes += u64::from(number != last);
                last = number;
            }
            sum += if rises >= 0 {
                changes
            } else {
                self.seen.count(offsets, &number)
            };
        }
        sum
    }

    /// Counts the bank conflicts of a shared operand whose words lie on a line.
    pub(super) fn conflicts(&mut self, batch: &Batch, place: &Place, active: &Active) {
        let At::Line { period, offset, .. } = &place.at else {
            unreachable!("rows are lines")
        };
        if *period == batch.cores || offset.core == 0 {
            return;
        }
        // Different cores have different words, so all active cores in one bank conflict. Cores
        // `period` apart share a bank: stride 2 and b = 32 have period 16, so the cores 0..32 have
        // degree ⌈32/16⌉ = 2, and (32 − 1)/16 = 1 conflict. All MPs are alike.
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

    /// Counts the bank conflicts of a shared operand at these offsets.
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

    /// Returns the most cores of an MP on one word, and the most of these words in one bank. The
    /// MP's
    /// shared array begins at `own`.
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
        // A mark holds the number of the count in its upper half, and below it the cores met so far
        // on
        // the word. A mark below `epoch` is from an earlier count, so its word is new in this one.
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

    /// Charges operations to every MP with active cores.
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

/// Counts the blocks that rows of a global array touch, over all MPs and iterations.
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
    // Words less than a block apart leave no block out, so the first and the last word tell: with
    // b = 32, words 30 to 61 lie in blocks 0 and 1. If every MP and iteration is a whole number
    // of blocks further on, one row tells for all.
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
