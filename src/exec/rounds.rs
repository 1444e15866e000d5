//! Forming rounds (language.md §4.3): which statements share one, and which words are live in it.

use indexmap::IndexMap;

use crate::count::{ArrayBlocks, Charged, Charges, Counts, Round, Totals, Traffic};
use crate::number::{BigInt, Rational};
use crate::program::{Direction, Kernel, Program, VarId};

/// Counts of a kernel over all its MPs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct KernelCounts {
    /// k, the launched MPs.
    pub launched_mps: u64,
    /// t, the largest over its MPs.
    pub time: u64,
    /// Σ (degree − 1) over all shared operands.
    pub conflicts: u128,
    /// Blocks by global variable, read and written.
    pub blocks: IndexMap<VarId, (u128, u128)>,
    /// Charges by a machine's own rules, where asked for.
    pub charges: Option<Charges<Rational>>,
}

/// The phase that the round in progress has reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Inward,
    Kernel,
    Outward,
}

/// A round without its live global words, which depend on later rounds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Partial {
    kernel: KernelCounts,
    inward: Traffic<u128>,
    outward: Traffic<u128>,
    shared_words: BigInt,
}

/// The rounds of an execution as they form.
#[derive(Debug)]
pub(super) struct Rounds {
    /// Finished rounds; equal neighbours are one entry with their number.
    finished: Vec<(u64, Partial)>,
    /// Number of finished rounds.
    count: u64,
    current: Option<(Phase, Partial)>,
    /// Groups of variables whose words count together: names joined by `swap`, else one name.
    groups: Vec<Group>,
    /// The group of each variable, by id.
    group_of: Vec<usize>,
}

#[derive(Debug)]
struct Group {
    words: BigInt,
    /// The first round that wrote a member.
    written: Option<u64>,
    /// The last round that touched a member.
    touched: u64,
}

impl Rounds {
    /// Starts without rounds. `words` holds the size of each variable, by id.
    pub(super) fn new(program: &Program, words: &[BigInt]) -> Rounds {
        let mut group_of = vec![usize::MAX; words.len()];
        let mut groups = Vec::new();
        let singles = program.variable_ids().map(|id| vec![id]);
        for members in program.swap_groups.iter().cloned().chain(singles) {
            if group_of[members[0].0 as usize] != usize::MAX {
                continue;
            }
            for member in &members {
                group_of[member.0 as usize] = groups.len();
            }
            groups.push(Group {
                words: members.iter().map(|id| &words[id.0 as usize]).sum(),
                written: None,
                touched: 0,
            });
        }
        Rounds {
            finished: Vec::new(),
            count: 0,
            current: None,
            groups,
            group_of,
        }
    }

    /// Returns the number of the round in progress, from 1; 1 before the first.
    pub(super) fn number(&self) -> u64 {
        self.count + 1
    }

    /// Records an executed transfer.
    pub(super) fn transfer(&mut self, direction: Direction, global: VarId, words: u128) {
        let phase = match direction {
            Direction::Inward => Phase::Inward,
            Direction::Outward => Phase::Outward,
        };
        let round = self.enter(phase);
        let traffic = match direction {
            Direction::Inward => &mut round.inward,
            Direction::Outward => &mut round.outward,
        };
        traffic.words += words;
        traffic.transactions += 1;
        self.touch(global, direction == Direction::Inward);
    }

    /// Begins the round of a kernel, so that the round has its number while the kernel runs.
    pub(super) fn begin_kernel(&mut self, kernel: &Kernel, shared_words: BigInt) {
        // By the text, not by execution: a name in a branch never taken also keeps its variable
        // live (language.md §5, Counting).
        self.enter(Phase::Kernel).shared_words = shared_words;
        for &variable in &kernel.names_global {
            self.touch(variable, kernel.writes_global.contains(&variable));
        }
    }

    /// Records the counts of the kernel in the round in progress.
    pub(super) fn end_kernel(&mut self, counts: KernelCounts) {
        if let Some((_, round)) = &mut self.current {
            round.kernel = counts;
        }
    }

    /// Returns the round that a statement of this phase belongs to; finishes the one before if
    /// the phase opens a new round.
    fn enter(&mut self, phase: Phase) -> &mut Partial {
        // A round is inward transfers, then one kernel, then outward transfers. Going back a phase
        // or a second kernel opens the next: in, kernel, out, out, kernel, in are three rounds.
        let starts_next = match (&self.current, phase) {
            (None, _) => false,
            (Some((Phase::Inward, _)), _) => false,
            (Some((Phase::Kernel | Phase::Outward, _)), Phase::Inward | Phase::Kernel) => true,
            (Some((Phase::Kernel | Phase::Outward, _)), Phase::Outward) => false,
        };
        if starts_next {
            self.finish_current();
        }
        let (at, round) = self
            .current
            .get_or_insert_with(|| (phase, Partial::default()));
        *at = phase;
        round
    }

    fn finish_current(&mut self) {
        let Some((_, round)) = self.current.take() else {
            return;
        };
        self.count += 1;
        match self.finished.last_mut() {
            Some((count, last)) if *last == round => *count += 1,
            _ => self.finished.push((1, round)),
        }
    }

    fn touch(&mut self, variable: VarId, writes: bool) {
        let round = self.number();
        let group = &mut self.groups[self.group_of[variable.0 as usize]];
        if writes {
            group.written.get_or_insert(round);
        }
        group.touched = round;
    }

    /// Returns the charges by a machine's own rules for the kernels so far.
    pub(super) fn charged(&self) -> Charged {
        let mut charged = Charged {
            is_exact: true,
            ..Charged::default()
        };
        let current = self.current.iter().map(|(_, round)| (1, round));
        let finished = self.finished.iter().map(|(count, round)| (*count, round));
        for (count, round) in finished.chain(current) {
            if let Some(charges) = &round.kernel.charges
                && !charges.launched_mps.is_zero()
            {
                charged.push(count, charges.clone());
            }
        }
        charged
    }

    /// Returns the counts of all rounds, now that the program has ended.
    pub(super) fn finish(mut self, program: &Program) -> Counts<BigInt> {
        self.finish_current();
        // Live words change only where a group's life begins or has just ended, so an entry of
        // equal rounds is cut there. Rounds 1 to 10 are alike and a life ends in round 4: the cut
        // at 5 gives one entry of 4 rounds and one of 6.
        let lives: Vec<(u64, u64, &BigInt)> = self
            .groups
            .iter()
            .filter_map(|group| Some((group.written?, group.touched, &group.words)))
            .collect();
        let mut cuts: Vec<u64> = lives
            .iter()
            .flat_map(|(first, last, _)| [*first, last + 1])
            .collect();
        cuts.sort_unstable();
        cuts.dedup();

        let mut counts = Counts::default();
        let mut number = 1;
        for (mut count, partial) in self.finished {
            while count > 0 {
                let next_cut = cuts.iter().find(|&&cut| cut > number);
                let length = next_cut.map_or(count, |cut| count.min(cut - number));
                let live = lives
                    .iter()
                    .filter(|(first, last, _)| (*first..=*last).contains(&number));
                let global_words: BigInt = live.map(|(_, _, words)| *words).sum();
                append(
                    &mut counts,
                    length,
                    complete(program, &partial, global_words),
                );
                number += length;
                count -= length;
            }
        }
        counts.totals = totals(&counts.rounds);
        counts
    }
}

fn append(counts: &mut Counts<BigInt>, length: u64, round: Round<BigInt>) {
    match counts.rounds.last_mut() {
        Some((count, last)) if *last == round => *count += length,
        _ => counts.rounds.push((length, round)),
    }
}

fn complete(program: &Program, partial: &Partial, global_words: BigInt) -> Round<BigInt> {
    let traffic = |traffic: &Traffic<u128>| Traffic {
        words: traffic.words.into(),
        transactions: traffic.transactions.into(),
    };
    let mut arrays = IndexMap::new();
    let mut io = BigInt::from(0);
    for variable in program.variable_ids() {
        let Some(&(read, write)) = partial.kernel.blocks.get(&variable) else {
            continue;
        };
        io += read + write;
        let blocks = ArrayBlocks {
            read: read.into(),
            write: write.into(),
        };
        arrays.insert(program.variable(variable).name.clone(), blocks);
    }
    Round {
        launched_mps: partial.kernel.launched_mps.into(),
        time: partial.kernel.time.into(),
        io,
        inward: traffic(&partial.inward),
        outward: traffic(&partial.outward),
        shared_words: partial.shared_words.clone(),
        global_words,
        bank_conflicts: partial.kernel.conflicts.into(),
        arrays,
    }
}

fn totals(rounds: &[(u64, Round<BigInt>)]) -> Totals<BigInt> {
    let mut totals = Totals::<BigInt>::default();
    for (count, round) in rounds {
        let count = BigInt::from(*count);
        totals.rounds += &count;
        totals.time = totals.time.max(round.time.clone());
        totals.total_time += &count * &round.time;
        totals.io += &count * &round.io;
        totals.inward += &count * &round.inward.words;
        totals.outward += &count * &round.outward.words;
        totals.transactions += &count * (&round.inward.transactions + &round.outward.transactions);
        totals.shared = totals.shared.max(round.shared_words.clone());
        totals.global = totals.global.max(round.global_words.clone());
        totals.bank_conflicts += &count * &round.bank_conflicts;
    }
    totals.transfer = &totals.inward + &totals.outward;
    totals
}
