//! Rounds and totals from the host's actions in order (language.md §4.3, §5).
//!
//! If a host `while` may stop early, two readings bound the truth: all possible events, and only
//! the
//! certain ones. A run has a set of events in between. Leaving events out never adds a round; only
//! the
//! words live in a round may grow, where rounds melt together.

use std::rc::Rc;

use indexmap::IndexMap;
use num_traits::Zero;

use crate::count::{ArrayBlocks, Counts, Interval, Round, Totals};
use crate::interval::LineCount;
use crate::interval::kernel::KernelCounts;
use crate::number::BigInt;
use crate::program::{Direction, Program, VarId};
use crate::text::Span;

/// Most events for which sharing of rounds is bounded precisely.
const MOST_PRECISE_EVENTS: usize = 2000;

/// One action of the host.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    pub(super) kind: EventKind,
    /// True if it certainly happens.
    pub(super) certain: bool,
    pub(super) span: Span,
    /// The `execute` that led here.
    pub(super) from: Option<Span>,
}

#[derive(Debug, Clone)]
pub(crate) enum EventKind {
    Transfer {
        direction: Direction,
        global: VarId,
        words: BigInt,
    },
    Kernel(Rc<Launched>),
}

/// The phases of a round, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Inward,
    Kernel,
    Outward,
}

impl Event {
    fn phase(&self) -> Phase {
        match &self.kind {
            EventKind::Kernel(_) => Phase::Kernel,
            EventKind::Transfer { direction, .. } => match direction {
                Direction::Inward => Phase::Inward,
                Direction::Outward => Phase::Outward,
            },
        }
    }
}

/// A kernel that was launched.
#[derive(Debug)]
pub(crate) struct Launched {
    pub(super) mps: BigInt,
    pub(super) shared_words: BigInt,
    pub(super) names_shared: Vec<VarId>,
    pub(super) names_global: Vec<VarId>,
    pub(super) writes_global: Vec<VarId>,
    pub(super) counts: KernelCounts,
    pub(super) lines: Vec<Span>,
}

/// One round before it is described.
#[derive(Debug, Default)]
struct Open<'a> {
    kernel: Option<&'a Event>,
    transfers: Vec<&'a Event>,
    has_outward: bool,
}

/// Rounds as numbers, with further facts of each.
#[derive(Debug)]
pub(crate) struct Formed {
    pub(super) counts: Counts<Interval>,
    pub(super) lines: Vec<Vec<LineCount>>,
    pub(super) details: Vec<crate::interval::RoundDetail>,
}

fn split(events: &[Event], only_certain: bool) -> Vec<Open<'_>> {
    let mut rounds: Vec<Open<'_>> = Vec::new();
    for event in events {
        if only_certain && !event.certain {
            continue;
        }
        let starts = match (&event.kind, rounds.last()) {
            (_, None) => true,
            (EventKind::Transfer { direction, .. }, Some(round)) => {
                *direction == Direction::Inward && (round.kernel.is_some() || round.has_outward)
            }
            (EventKind::Kernel(_), Some(round)) => round.kernel.is_some() || round.has_outward,
        };
        if starts {
            rounds.push(Open::default());
        }
        let Some(round) = rounds.last_mut() else {
            continue;
        };
        match &event.kind {
            EventKind::Transfer { direction, .. } => {
                round.has_outward |= *direction == Direction::Outward;
                round.transfers.push(event);
            }
            EventKind::Kernel(_) => round.kernel = Some(event),
        }
    }
    rounds
}

/// Words of live variables at each moment, from the first write to the last touch. Swapped
/// variables
/// count as one.
struct Liveness {
    /// By `VarId`, the first variable of its swap group.
    group: Vec<usize>,
    /// Words of each group, at its first variable.
    words: Vec<BigInt>,
}

impl Liveness {
    fn new(program: &Program, sizes: &[BigInt]) -> Liveness {
        let mut group: Vec<usize> = (0..sizes.len()).collect();
        for swapped in &program.swap_groups {
            for variable in swapped {
                group[variable.0 as usize] = swapped[0].0 as usize;
            }
        }
        let mut words = vec![BigInt::zero(); sizes.len()];
        for (at, size) in sizes.iter().enumerate() {
            words[group[at]] += size;
        }
        Liveness { group, words }
    }

    /// Returns the groups that an event touches, with true for those that it writes.
    fn touched(&self, event: &Event) -> Vec<(usize, bool)> {
        match &event.kind {
            EventKind::Transfer {
                direction, global, ..
            } => {
                let group = self.group[global.0 as usize];
                vec![(group, *direction == Direction::Inward)]
            }
            EventKind::Kernel(kernel) => kernel
                .names_global
                .iter()
                .map(|variable| {
                    let writes = kernel.writes_global.contains(variable);
                    (self.group[variable.0 as usize], writes)
                })
                .collect(),
        }
    }

    /// Returns the live span of each group as (group, first write, last touch), in moments.
    fn spans<'a>(
        &self,
        moments: impl Iterator<Item = Vec<&'a Event>>,
    ) -> Vec<(usize, usize, usize)> {
        let mut first: Vec<Option<usize>> = vec![None; self.words.len()];
        let mut last = vec![0; self.words.len()];
        for (moment, events) in moments.enumerate() {
            for event in events {
                for (group, writes) in self.touched(event) {
                    if writes && first[group].is_none() {
                        first[group] = Some(moment);
                    }
                    last[group] = moment;
                }
            }
        }
        first
            .iter()
            .enumerate()
            .filter_map(|(group, first)| Some((group, (*first)?, last[group])))
            .collect()
    }

    fn words_at(&self, spans: &[(usize, usize, usize)], moments: usize) -> Vec<BigInt> {
        // A sweep over changes: a group of 5 words live in the moments 1 to 3 adds 5 at 1 and takes
        // 5 away
        // at 4.
        let mut change = vec![BigInt::zero(); moments + 1];
        for (group, first, last) in spans {
            change[*first] += &self.words[*group];
            change[last + 1] -= &self.words[*group];
        }
        let mut live = BigInt::zero();
        change
            .into_iter()
            .take(moments)
            .map(|step| {
                live += step;
                live.clone()
            })
            .collect()
    }
}

fn events_of<'a>(round: &Open<'a>) -> Vec<&'a Event> {
    round
        .transfers
        .iter()
        .copied()
        .chain(round.kernel)
        .collect()
}

/// Forms rounds and totals. `sizes` holds the words of each variable.
pub(super) fn form(program: &Program, sizes: &[BigInt], events: &[Event]) -> Formed {
    let rounds = split(events, false);
    let liveness = Liveness::new(program, sizes);
    let spans = liveness.spans(rounds.iter().map(events_of));
    let live = liveness.words_at(&spans, rounds.len());
    let mut formed = Formed {
        counts: Counts::default(),
        lines: Vec::new(),
        details: Vec::new(),
    };
    let mut totals = Totals::<Interval>::default();
    for (round, words) in rounds.iter().zip(&live) {
        let counts = describe(program, round, words);
        add_up(&mut totals, &counts);
        let lines = lines_of(round);
        match (formed.counts.rounds.last_mut(), formed.lines.last()) {
            (Some((count, last)), Some(last_lines)) if *last == counts && *last_lines == lines => {
                *count += 1;
            }
            _ => {
                formed.counts.rounds.push((1, counts));
                formed.lines.push(lines);
                formed.details.push(detail(round));
            }
        }
    }
    let certain = events.iter().all(|event| event.certain);
    if !certain {
        loosen(&mut totals, &liveness, &rounds, &spans, events);
    }
    formed.counts.totals = totals;
    formed
}

fn describe(program: &Program, round: &Open<'_>, live_words: &BigInt) -> Round<Interval> {
    let mut counts = Round::<Interval> {
        global_words: Interval::exact(live_words.clone()),
        ..Round::default()
    };
    for event in &round.transfers {
        if let EventKind::Transfer {
            direction, words, ..
        } = &event.kind
        {
            let side = match direction {
                Direction::Inward => &mut counts.inward,
                Direction::Outward => &mut counts.outward,
            };
            side.words.add(&Interval::exact(words.clone()));
            side.transactions.add(&Interval::exact(1.into()));
        }
    }
    if let Some(EventKind::Kernel(kernel)) = round.kernel.map(|event| &event.kind) {
        counts.launched_mps = Interval::exact(kernel.mps.clone());
        counts.shared_words = Interval::exact(kernel.shared_words.clone());
        counts.time = Interval::from(kernel.counts.time);
        for line in &kernel.counts.lines {
            counts.io.add(&line.blocks);
            counts.bank_conflicts.add(&line.conflicts);
        }
        let mut arrays = IndexMap::new();
        for id in program.variable_ids() {
            let (read, write) = &kernel.counts.arrays[id.0 as usize];
            if kernel.names_global.contains(&id) && !(read.is_zero() && write.is_zero()) {
                let blocks = ArrayBlocks {
                    read: read.clone(),
                    write: write.clone(),
                };
                arrays.insert(program.variable(id).name.clone(), blocks);
            }
        }
        counts.arrays = arrays;
    }
    let certain = events_of(round).iter().all(|event| event.certain);
    if !certain {
        // Data decide if the round happens at all, so its lower bounds are 0.
        counts = counts.map(|_, bounded| Interval {
            lower: BigInt::zero(),
            upper: bounded.upper.clone(),
        });
    }
    counts
}

fn add_up(totals: &mut Totals<Interval>, round: &Round<Interval>) {
    totals.rounds.add(&Interval::exact(1.into()));
    totals.time.raise(&round.time);
    totals.total_time.add(&round.time);
    totals.io.add(&round.io);
    totals.inward.add(&round.inward.words);
    totals.outward.add(&round.outward.words);
    totals.transfer.add(&round.inward.words);
    totals.transfer.add(&round.outward.words);
    totals.transactions.add(&round.inward.transactions);
    totals.transactions.add(&round.outward.transactions);
    totals.shared.raise(&round.shared_words);
    totals.global.raise(&round.global_words);
    totals.bank_conflicts.add(&round.bank_conflicts);
}

/// Makes totals hold for every run between the certain events and all events.
fn loosen(
    totals: &mut Totals<Interval>,
    liveness: &Liveness,
    rounds: &[Open<'_>],
    spans: &[(usize, usize, usize)],
    events: &[Event],
) {
    let certain: Vec<&Event> = events.iter().filter(|event| event.certain).collect();
    totals.rounds.lower = split(events, true).len().into();
    // In another reading a transfer may join another round, but its words move all the same.
    let mut sums: [BigInt; 3] = Default::default();
    for event in &certain {
        if let EventKind::Transfer {
            direction, words, ..
        } = &event.kind
        {
            let side = match direction {
                Direction::Inward => 0,
                Direction::Outward => 1,
            };
            sums[side] += words;
            sums[2] += 1;
        }
    }
    let [inward, outward, transactions] = sums;
    totals.transfer.lower = &inward + &outward;
    totals.inward.lower = inward;
    totals.outward.lower = outward;
    totals.transactions.lower = transactions;
    let kernels = || {
        certain.iter().filter_map(|event| match &event.kind {
            EventKind::Kernel(kernel) => Some(kernel),
            EventKind::Transfer { .. } => None,
        })
    };
    totals.time.lower = kernels()
        .map(|kernel| kernel.counts.time.lower.into())
        .max()
        .unwrap_or_default();
    totals.total_time.lower = kernels()
        .map(|kernel| BigInt::from(kernel.counts.time.lower))
        .sum();
    let line_sum = |of: fn(&crate::interval::kernel::LineTotal) -> &Interval| -> BigInt {
        let lines = kernels().flat_map(|kernel| &kernel.counts.lines);
        lines.map(|line| &of(line).lower).sum()
    };
    totals.io.lower = line_sum(|line| &line.blocks);
    totals.bank_conflicts.lower = line_sum(|line| &line.conflicts);
    totals.shared.lower = kernels()
        .map(|kernel| kernel.shared_words.clone())
        .max()
        .unwrap_or_default();
    // The words live between the certain events are a lower bound, however the events share rounds.
    let moments = liveness.spans(certain.iter().map(|event| vec![*event]));
    totals.global.lower = liveness
        .words_at(&moments, certain.len())
        .into_iter()
        .max()
        .unwrap_or_default();
    let melted = most_melted(liveness, rounds, spans, events);
    totals.global.upper = totals.global.upper.clone().max(melted);
}

/// Bounds the words live in any round of any run. Events that do not happen melt their neighbours
/// into one round.
fn most_melted(
    liveness: &Liveness,
    rounds: &[Open<'_>],
    spans: &[(usize, usize, usize)],
    events: &[Event],
) -> BigInt {
    let words = |spans: &[(usize, usize, usize)], first: usize, last: usize| -> BigInt {
        let live = spans
            .iter()
            .filter(|(_, from, to)| *from <= last && *to >= first);
        live.map(|(group, _, _)| &liveness.words[*group]).sum()
    };
    // Beyond that many events, one round may reach from before the first uncertain round to behind
    // the last.
    if events.len() > MOST_PRECISE_EVENTS {
        let uncertain = |round: &Open<'_>| events_of(round).iter().any(|event| !event.certain);
        let first = rounds.iter().position(uncertain).unwrap_or(0);
        let last = rounds.iter().rposition(uncertain).unwrap_or(0);
        return words(spans, first.saturating_sub(1), last + 1);
    }
    let moments = liveness.spans(events.iter().map(|event| vec![event]));
    let mut most = BigInt::zero();
    for (first, event) in events.iter().enumerate() {
        // `last` is the last event that can share a round with this one if uncertain events between
        // them do not happen: in, kernel?, in, kernel may be in, in, kernel.
        let mut last = first;
        let mut phase = event.phase();
        let mut has_kernel = phase == Phase::Kernel;
        for (at, later) in events.iter().enumerate().skip(first + 1) {
            let its = later.phase();
            let fits = its >= phase && !(its == Phase::Kernel && has_kernel);
            if fits {
                last = at;
            }
            if later.certain {
                if !fits {
                    break;
                }
                phase = its;
                has_kernel |= its == Phase::Kernel;
            }
        }
        most = most.max(words(&moments, first, last));
    }
    most
}

fn lines_of(round: &Open<'_>) -> Vec<LineCount> {
    let Some(event) = round.kernel else {
        return Vec::new();
    };
    let EventKind::Kernel(kernel) = &event.kind else {
        return Vec::new();
    };
    let lines = kernel.lines.iter().zip(&kernel.counts.lines);
    lines
        .map(|(span, line)| LineCount {
            span: *span,
            from: event.from,
            executions: line.executions.into(),
            operations: line.operations.into(),
            blocks: line.blocks.clone(),
            conflicts: line.conflicts.clone(),
        })
        .collect()
}

fn detail(round: &Open<'_>) -> crate::interval::RoundDetail {
    let kernel = round.kernel.and_then(|event| match &event.kind {
        EventKind::Kernel(kernel) => Some((event, kernel)),
        EventKind::Transfer { .. } => None,
    });
    crate::interval::RoundDetail {
        transfers: round.transfers.iter().map(|event| event.span).collect(),
        kernel: kernel.map(|(event, _)| event.span),
        shared: kernel.map_or_else(Vec::new, |(_, kernel)| kernel.names_shared.clone()),
        is_certain: events_of(round).iter().all(|event| event.certain),
    }
}

/// Returns the global variables live in the round that needs most, for `limit::global`.
pub(super) fn fullest(program: &Program, sizes: &[BigInt], events: &[Event]) -> Vec<VarId> {
    let rounds = split(events, true);
    let liveness = Liveness::new(program, sizes);
    let spans = liveness.spans(rounds.iter().map(events_of));
    let live = liveness.words_at(&spans, rounds.len());
    let Some(at) = (0..live.len()).max_by_key(|at| (&live[*at], std::cmp::Reverse(*at))) else {
        return Vec::new();
    };
    let is_live = |id: &VarId| {
        let group = liveness.group[id.0 as usize];
        spans
            .iter()
            .any(|(other, from, to)| *other == group && *from <= at && at <= *to)
    };
    program.variable_ids().filter(is_live).collect()
}
