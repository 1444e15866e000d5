//! Charges by a machine's own weights and memory rules for a group of MPs and for a launch:
//! operations by kind, the cycles of paper 2, memory transactions and bank steps of paper 4.
//!
//! Kept only where a [`CycleRules`] is given. Exact where the words of all active cores are known;
//! where data decide them, each access is charged its upper bound.

use std::collections::{BTreeMap, BTreeSet};

use crate::count::{ByKind, Charges, Kind};
use crate::interval::access::{Bounds, Offsets};
use crate::interval::lanes::{Active, FLAT, Slope};
use crate::machine::{Banks, Coalescing, CycleRules, HALF_WARP};
use crate::number::{BigInt, Rational};
use crate::operations::{Operations, transferred_bytes};

/// The charges of one MP of a group so far.
#[derive(Debug, Clone)]
pub(crate) struct Meter<'t> {
    cycle_rules: &'t CycleRules,
    /// b
    cores: i64,
    accrued: Accrued,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Accrued {
    kinds: ByKind<u128>,
    /// Σ degrees of shared operands.
    degrees: u128,
    /// Global accesses by their transactions and active cores.
    served: BTreeMap<(u64, u64), u128>,
    /// Global accesses with neither of these known.
    unknown: u128,
    transactions: u128,
    /// Bytes of the known transactions.
    bytes: u128,
    /// True if other transactions have unknown bytes.
    lacks_bytes: bool,
    conflicts: u128,
    /// The first line with bounds only.
    inexact: Option<usize>,
}

/// The charges of one launch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct KernelCharges {
    pub(super) charges: Charges<Rational>,
    /// The first line with bounds only.
    pub(super) inexact: Option<usize>,
}

impl<'t> Meter<'t> {
    pub(super) fn new(cycle_rules: &'t CycleRules, cores: usize) -> Self {
        Meter {
            cycle_rules,
            cores: cores as i64,
            accrued: Accrued::default(),
        }
    }

    /// Charges the operations of a line, executed `times` times.
    pub(super) fn operations(&mut self, line: usize, each: &Operations, times: Bounds) {
        for (kind, count) in each.iter() {
            let paid = u128::from(*count).saturating_mul(times.upper.into());
            raise(self.accrued.kinds.get_mut(kind), paid);
        }
        if times.lower != times.upper {
            self.accrued.inexact.get_or_insert(line);
        }
    }

    /// Charges a shared operand; `conflicts` are its bank conflicts by paper 1's rule. Returns the conflict that
    /// an MP of several warps waits for: the worst warp's.
    pub(super) fn shared(
        &mut self,
        line: usize,
        offsets: &Offsets,
        active: &Active,
        conflicts: Bounds,
    ) -> Option<Bounds> {
        let known = known_words(offsets, active);
        if active.may.is_empty() {
            return None;
        }
        let warps = self.cycle_rules.warps_of(self.cores);
        let by_warp =
            warps.map(|warps| offsets.conflicts_by_warp(active, self.cores as usize, warps));
        let (degree, conflicts) = match self.cycle_rules.banks {
            Banks::Warp => {
                let (worst, all) = by_warp.unwrap_or((conflicts, conflicts));
                (worst.upper + 1, all.upper)
            }
            Banks::HalfWarpBroadcast => {
                // The requests of a wide word are alike, so the first one counts.
                let wide = Banks::bank_words(self.cycle_rules.word_bytes);
                let steps = |half: &Half| {
                    if known {
                        let words = half.words(offsets).into_iter();
                        bank_steps(&words.map(|word| word * wide).collect::<Vec<_>>())
                    } else {
                        // Without known words, the upper bound is a step for each core of the
                        // half-warp.
                        half.cores.len() as u64
                    }
                };
                let steps: Vec<u64> = half_warps(active).iter().map(steps).collect();
                let conflicts = steps.iter().map(|steps| steps - 1).sum();
                (steps.into_iter().max().unwrap_or(0), conflicts)
            }
        };
        raise(&mut self.accrued.degrees, degree.into());
        raise(&mut self.accrued.conflicts, conflicts.into());
        if !known {
            self.accrued.inexact.get_or_insert(line);
        }
        by_warp.map(|(worst, _)| worst)
    }

    /// Returns the part of a slope by which MPs cannot share the charge of a global access.
    /// Segments
    /// move along with whole multiples of their size.
    pub(super) fn moved(&self, slope: &Slope, words: u64) -> Slope {
        let segment = match self.cycle_rules.coalescing {
            Coalescing::Blocks => self.cores,
            Coalescing::Sectors => Coalescing::sector_words(self.cycle_rules.word_bytes),
            Coalescing::HalfWarp => Coalescing::segment_words(self.cycle_rules.word_bytes),
        };
        // One word that fills whole parts of a segment costs the same wherever it lies. So does any
        // word under a rule that does not shrink segments to their used half.
        let bytes = self.cycle_rules.word_bytes;
        if words <= 1
            && (bytes.count_ones() == 1 || self.cycle_rules.coalescing != Coalescing::HalfWarp)
        {
            return FLAT;
        }
        // With segments of 32 words, an access that moves by 64 words per MP costs all MPs the
        // same;
        // one that moves by 40 differs by its rest of 8.
        slope.map(|part| part % segment)
    }

    /// Charges a global access; `blocks` are its blocks by paper 1's rule.
    pub(super) fn global(
        &mut self,
        line: usize,
        offsets: &Offsets,
        active: &Active,
        blocks: Bounds,
    ) {
        if active.may.is_empty() {
            return;
        }
        let known = known_words(offsets, active);
        let word_bytes = self.cycle_rules.word_bytes;
        let transactions = match self.cycle_rules.coalescing {
            Coalescing::Blocks => {
                let bytes = word_bytes as u128 * self.cores as u128;
                raise(
                    &mut self.accrued.bytes,
                    bytes.saturating_mul(blocks.upper.into()),
                );
                blocks.upper
            }
            Coalescing::Sectors => {
                let sector = Coalescing::sector_words(word_bytes);
                let words = active.may.iter().map(|core| offsets.get(core).0);
                let transactions = if known {
                    words
                        .map(|word| word.div_euclid(sector))
                        .collect::<BTreeSet<_>>()
                        .len() as u64
                } else {
                    active.may.count()
                };
                let bytes = Coalescing::sector_bytes(word_bytes).unsigned_abs();
                raise(
                    &mut self.accrued.bytes,
                    u128::from(transactions) * u128::from(bytes),
                );
                transactions
            }
            Coalescing::HalfWarp => {
                let segment = Coalescing::segment_words(word_bytes);
                let whole = Coalescing::segment_bytes(word_bytes);
                let mut transactions = 0;
                for half in half_warps(active) {
                    if !known {
                        transactions += half.cores.len() as u64;
                        continue;
                    }
                    // The first and the last used word of each segment.
                    let mut used: BTreeMap<i64, (i64, i64)> = BTreeMap::new();
                    for word in half.words(offsets) {
                        let place = word.rem_euclid(segment);
                        let ends = used.entry(word.div_euclid(segment));
                        let (first, last) = ends.or_insert((place, place));
                        (*first, *last) = ((*first).min(place), (*last).max(place));
                    }
                    transactions += used.len() as u64;
                    for (first, last) in used.into_values() {
                        let ends = (first * word_bytes, (last + 1) * word_bytes);
                        let bytes = transferred_bytes(ends.0, ends.1, whole);
                        raise(&mut self.accrued.bytes, bytes.unsigned_abs().into());
                    }
                }
                transactions
            }
        };
        raise(&mut self.accrued.transactions, transactions.into());
        if known {
            let access = (transactions, active.may.count());
            raise(self.accrued.served.entry(access).or_default(), 1);
        } else {
            raise(&mut self.accrued.unknown, 1);
            self.accrued.lacks_bytes = true;
            self.accrued.inexact.get_or_insert(line);
        }
    }

    /// Returns the charges so far.
    pub(super) fn so_far(&self) -> Accrued {
        self.accrued.clone()
    }

    /// Restores the charges of an earlier moment.
    pub(super) fn restore(&mut self, then: Accrued) {
        self.accrued = then;
    }

    /// Adds the charges since `then` again, `more` times.
    pub(super) fn repeat(&mut self, then: &Accrued, more: u64) {
        let again = |now: &mut u128, then: u128| {
            *now = now.saturating_add((*now - then).saturating_mul(more.into()));
        };
        let now = &mut self.accrued;
        for kind in Kind::ALL {
            again(now.kinds.get_mut(kind), *then.kinds.get(kind));
        }
        for (access, count) in &mut now.served {
            again(count, then.served.get(access).copied().unwrap_or(0));
        }
        again(&mut now.degrees, then.degrees);
        again(&mut now.unknown, then.unknown);
        again(&mut now.transactions, then.transactions);
        again(&mut now.bytes, then.bytes);
        again(&mut now.conflicts, then.conflicts);
    }
}

impl KernelCharges {
    /// Starts the charges of a launch of so many MPs, none of which has run.
    pub(super) fn new(launched_mps: &BigInt) -> Self {
        let charges = Charges {
            launched_mps: launched_mps.into(),
            memory_bytes: Some(0.into()),
            ..Charges::default()
        };
        KernelCharges {
            charges,
            inexact: None,
        }
    }

    /// Adds a group of `times` MPs, each charged as `meter` says.
    pub(super) fn add(&mut self, meter: &Meter<'_>, times: &BigInt) {
        let (cycle_rules, mp) = (meter.cycle_rules, &meter.accrued);
        let number = |count: u128| Rational::from(BigInt::from(count));
        let mut compute = Rational::from(0);
        for (kind, count) in mp.kinds.iter() {
            let count = number(*count);
            if kind.computes() {
                compute += &(cycle_rules.weights.of(kind) * &count);
            }
            keep_more(self.charges.kinds.get_mut(kind), count);
        }
        let mut memory = &cycle_rules.shared * &number(mp.degrees);
        for ((transactions, active), count) in &mp.served {
            memory += &(&cycle_rules.global_cycles(*transactions, *active) * &number(*count));
        }
        // The upper bound of an unknown access: all cores alone, or all but one.
        let most = &cycle_rules.global + &1.into();
        memory += &(&most * &number(mp.unknown));
        let all = self.charges.of_all.get_or_insert_default();
        all.add(&times.into(), &compute, &memory);
        keep_more(&mut self.charges.both, &compute + &memory);
        keep_more(&mut self.charges.compute, compute);
        keep_more(&mut self.charges.memory, memory);
        let all = |count: u128| Rational::from(&(times * BigInt::from(count)));
        self.charges.memory_transactions += &all(mp.transactions);
        self.charges.bank_conflicts += &all(mp.conflicts);
        match &mut self.charges.memory_bytes {
            Some(bytes) if !mp.lacks_bytes => *bytes += &all(mp.bytes),
            unknown => *unknown = None,
        }
        self.inexact = self.inexact.or(mp.inexact);
    }
}

fn raise(sum: &mut u128, more: u128) {
    *sum = sum.saturating_add(more);
}

fn keep_more(most: &mut Rational, value: Rational) {
    if value > *most {
        *most = value;
    }
}

/// Returns true if it is known which cores access which words.
fn known_words(offsets: &Offsets, active: &Active) -> bool {
    let is_known = |core: usize| {
        let (low, high) = offsets.get(core);
        low == high
    };
    active.is_certain() && active.may.iter().all(is_known)
}

/// The active cores of a half-warp, at least one.
struct Half {
    number: usize,
    cores: Vec<usize>,
}

impl Half {
    fn words(&self, offsets: &Offsets) -> Vec<i64> {
        self.cores.iter().map(|core| offsets.get(*core).0).collect()
    }
}

fn half_warps(active: &Active) -> Vec<Half> {
    let mut halves: Vec<Half> = Vec::new();
    for core in active.may.iter() {
        let number = core / HALF_WARP;
        match halves.last_mut() {
            Some(half) if half.number == number => half.cores.push(core),
            Some(_) | None => halves.push(Half {
                number,
                cores: vec![core],
            }),
        }
    }
    halves
}

/// Counts the bank steps of a half-warp at these words, in the order of its cores. Each step
/// broadcasts the word of the lowest waiting core, and serves one core of every other bank (paper
/// 4,
/// section III).
fn bank_steps(words: &[i64]) -> u64 {
    let banks = HALF_WARP as i64;
    let mut waiting: Vec<i64> = words.to_vec();
    let mut steps = 0;
    while let Some(broadcast) = waiting.first().copied() {
        let mut is_busy = [false; HALF_WARP];
        is_busy[broadcast.rem_euclid(banks) as usize] = true;
        let mut left = Vec::new();
        for word in waiting {
            let bank = &mut is_busy[word.rem_euclid(banks) as usize];
            if word == broadcast {
                continue;
            }
            if *bank {
                left.push(word);
            }
            *bank = true;
        }
        waiting = left;
        steps += 1;
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Paper 4: words s apart take gcd(s, 16) steps; one word of all takes one, and two cores on one
    /// word of another bank than the broadcast one's take a step each.
    #[test]
    fn steps_of_a_half_warp() {
        for stride in 1..=32 {
            let words: Vec<i64> = (0..16).map(|core| core * stride).collect();
            let degree = num_integer::gcd(stride, 16);
            assert_eq!(bank_steps(&words), degree as u64, "stride {stride}");
        }
        assert_eq!(bank_steps(&[5; 16]), 1);
        assert_eq!(bank_steps(&[0, 1, 1]), 2);
        assert_eq!(bank_steps(&[1, 1, 0]), 1);
        assert_eq!(bank_steps(&[]), 0);
    }
}
