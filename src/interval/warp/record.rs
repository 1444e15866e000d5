//! The record of the lines that a group executes: costs, facts for the lints, the machine's
//! charges,
//! and the first fault.

use crate::count::Kind;
use crate::diag::Diagnostic;
use crate::interval::access::{Bounds, Offsets};
use crate::interval::cycles::{Accrued, Meter};
use crate::interval::lanes::Active;
use crate::interval::launch::Launch;
use crate::operations::Operations;
use crate::program::VarId;
use crate::text::Span;

/// Costs of one line of a kernel on one MP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::interval) struct Tally {
    pub(in crate::interval) executions: Bounds,
    pub(in crate::interval) operations: Bounds,
    pub(in crate::interval) blocks: Bounds,
    pub(in crate::interval) conflicts: Bounds,
    /// The conflicts that the MP waits for, where it is charged for them: those of the card's warps, if it is
    /// several.
    pub(in crate::interval) waited: Bounds,
}

/// Facts about one line for a lint, from the worst execution.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::interval) struct Fact {
    /// Blocks touched, and the distinct words in them.
    pub(in crate::interval) scattered: Option<(u64, u64)>,
    /// The degree of a shared operand, and its place.
    pub(in crate::interval) conflict: Option<(u64, Span)>,
    /// Cores that enter an `if` that guards no index, and active cores.
    pub(in crate::interval) split: Option<(u64, u64)>,
}

impl Fact {
    /// Keeps the worse of both.
    pub(in crate::interval) fn keep_worse(&mut self, other: Fact) {
        let excess = |scattered: Option<(u64, u64)>| scattered.map_or(0, |(blocks, _)| blocks);
        if excess(other.scattered) > excess(self.scattered) {
            self.scattered = other.scattered;
        }
        let degree = |conflict: Option<(u64, _)>| conflict.map_or(0, |(degree, _)| degree);
        if degree(other.conflict) > degree(self.conflict) {
            self.conflict = other.conflict;
        }
        if self.split.is_none() {
            self.split = other.split;
        }
    }
}

/// The record of a group.
pub(in crate::interval) struct Record<'a> {
    /// The line in execution.
    pub(in crate::interval) line: usize,
    pub(in crate::interval) tallies: Vec<Tally>,
    /// Blocks read and written, by `VarId`.
    pub(in crate::interval) arrays: Vec<(Bounds, Bounds)>,
    pub(in crate::interval) facts: Vec<Fact>,
    /// The machine's charges, where asked for.
    pub(in crate::interval) meter: Option<Meter<'a>>,
    pub(in crate::interval) faults: &'a mut Vec<Diagnostic>,
}

/// A copy of the record at some moment.
#[derive(Debug)]
pub(in crate::interval) struct SoFar {
    tallies: Vec<Tally>,
    arrays: Vec<(Bounds, Bounds)>,
    charged: Option<Accrued>,
}

impl<'a> Record<'a> {
    /// Starts with nothing executed.
    pub(in crate::interval) fn new(
        (lines, variables): (usize, usize),
        meter: Option<Meter<'a>>,
        faults: &'a mut Vec<Diagnostic>,
    ) -> Record<'a> {
        Record {
            line: 0,
            tallies: vec![Tally::default(); lines],
            arrays: vec![Default::default(); variables],
            facts: vec![Fact::default(); lines],
            meter,
            faults,
        }
    }

    /// Tallies one execution of the current line.
    pub(super) fn execution(&mut self, launch: &Launch<'_>, active: &Active) {
        self.executions(launch, active, once(active));
    }

    /// Tallies one execution of the current line, with its operations paid `times` times.
    pub(in crate::interval) fn executions(
        &mut self,
        launch: &Launch<'_>,
        active: &Active,
        times: Bounds,
    ) {
        let line = &launch.lines[self.line];
        let tally = &mut self.tallies[self.line];
        tally.executions = tally.executions.plus(&once(active));
        tally.operations = tally.operations.plus(&times.scale(&line.operations));
        if let Some(meter) = &mut self.meter {
            meter.operations(self.line, &line.each, times);
        }
    }

    /// Tallies one more iteration of the loop on the current line.
    pub(in crate::interval) fn iteration(&mut self, active: &Active) {
        let once = once(active);
        let tally = &mut self.tallies[self.line];
        tally.operations = tally.operations.plus(&once);
        if let Some(meter) = &mut self.meter {
            meter.operations(self.line, &Operations::of(Kind::Loop, 1), once);
        }
    }

    /// Tallies the blocks of a global access on the current line, to at least `words` distinct
    /// words.
    pub(in crate::interval) fn access(
        &mut self,
        (variable, writes): (VarId, bool),
        (blocks, words): (Bounds, u64),
        b: i64,
    ) {
        let line = self.line;
        self.tallies[line].blocks = self.tallies[line].blocks.plus(&blocks);
        let array = &mut self.arrays[variable.0 as usize];
        let side = if writes { &mut array.1 } else { &mut array.0 };
        *side = side.plus(&blocks);
        if blocks.lower == blocks.upper && blocks.lower > words.div_ceil(b as u64) {
            let fact = &mut self.facts[line].scattered;
            if fact.is_none_or(|(worst, _)| blocks.lower > worst) {
                *fact = Some((blocks.lower, words));
            }
        }
    }

    /// Tallies the conflicts of one shared operand of the current line.
    pub(super) fn operand(
        &mut self,
        offsets: &Offsets,
        active: &Active,
        conflicts: Bounds,
        span: Span,
    ) {
        let line = self.line;
        let tally = &mut self.tallies[line];
        tally.conflicts = tally.conflicts.plus(&conflicts);
        let meter = self.meter.as_mut();
        let by_warp = meter.and_then(|meter| meter.shared(line, offsets, active, conflicts));
        let waited = by_warp.unwrap_or(conflicts);
        self.tallies[line].waited = self.tallies[line].waited.plus(&waited);
        let degree = waited.lower + 1;
        let fact = &mut self.facts[line].conflict;
        if degree > 1 && fact.is_none_or(|(worst, _)| degree > worst) {
            *fact = Some((degree, span));
        }
    }

    /// Copies the record so far.
    pub(in crate::interval) fn so_far(&self) -> SoFar {
        SoFar {
            tallies: self.tallies.clone(),
            arrays: self.arrays.clone(),
            charged: self.meter.as_ref().map(Meter::so_far),
        }
    }

    /// Restores an earlier record; facts are restored separately.
    pub(super) fn restore(&mut self, then: SoFar) {
        self.tallies = then.tallies;
        self.arrays = then.arrays;
        if let (Some(meter), Some(charged)) = (&mut self.meter, then.charged) {
            meter.restore(charged);
        }
    }

    /// Adds everything since `then` again, `more` times.
    pub(in crate::interval) fn repeat(&mut self, then: &SoFar, more: u64) {
        let again = |now: &mut Bounds, then: Bounds| {
            *now = now.with(&then, |now, then| {
                now.saturating_add((now - then).saturating_mul(more))
            });
        };
        for (now, then) in self.tallies.iter_mut().zip(&then.tallies) {
            again(&mut now.executions, then.executions);
            again(&mut now.operations, then.operations);
            again(&mut now.blocks, then.blocks);
            again(&mut now.conflicts, then.conflicts);
            again(&mut now.waited, then.waited);
        }
        for (now, then) in self.arrays.iter_mut().zip(&then.arrays) {
            again(&mut now.0, then.0);
            again(&mut now.1, then.1);
        }
        if let (Some(meter), Some(then)) = (&mut self.meter, &then.charged) {
            meter.repeat(then, more);
        }
    }
}

fn once(active: &Active) -> Bounds {
    Bounds {
        lower: u64::from(!active.must.is_empty()),
        upper: u64::from(!active.may.is_empty()),
    }
}
