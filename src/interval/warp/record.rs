//! What is written down of the lines that a group executes: what each costs, what a lint may say of
//! it, what the machine charges, and the first fault.

use crate::count::Kind;
use crate::diag::Diagnostic;
use crate::interval::access::{Bounds, Offsets};
use crate::interval::cycles::{Accrued, Meter};
use crate::interval::lanes::Active;
use crate::interval::launch::Launch;
use crate::operations::Operations;
use crate::program::VarId;
use crate::text::Span;

/// What one line of a kernel cost on one MP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::interval) struct Tally {
    pub(in crate::interval) executions: Bounds,
    pub(in crate::interval) operations: Bounds,
    pub(in crate::interval) blocks: Bounds,
    pub(in crate::interval) conflicts: Bounds,
}

/// What a lint may have to say about one line; the worst execution.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::interval) struct Fact {
    /// Blocks touched, and distinct words they hold.
    pub(in crate::interval) scattered: Option<(u64, u64)>,
    /// The degree of a shared operand, and where it stands.
    pub(in crate::interval) conflict: Option<(u64, Span)>,
    /// Cores that enter an `if` without a guard, and active cores.
    pub(in crate::interval) split: Option<(u64, u64)>,
}

impl Fact {
    /// The worse of both.
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

/// What is written down of a group.
pub(in crate::interval) struct Record<'a> {
    /// The line that is being executed.
    pub(in crate::interval) line: usize,
    pub(in crate::interval) tallies: Vec<Tally>,
    /// Blocks read and written, by `VarId`.
    pub(in crate::interval) arrays: Vec<(Bounds, Bounds)>,
    pub(in crate::interval) facts: Vec<Fact>,
    /// What the machine charges, where it is asked.
    pub(in crate::interval) meter: Option<Meter<'a>>,
    pub(in crate::interval) faults: &'a mut Vec<Diagnostic>,
}

/// What was written down up to some moment.
#[derive(Debug)]
pub(in crate::interval) struct SoFar {
    tallies: Vec<Tally>,
    arrays: Vec<(Bounds, Bounds)>,
    charged: Option<Accrued>,
}

impl<'a> Record<'a> {
    /// Of nothing executed yet.
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

    /// One execution of the current line.
    pub(super) fn execution(&mut self, launch: &Launch<'_>, active: &Active) {
        self.executions(launch, active, once(active));
    }

    /// One execution of the current line, whose operations are paid for so often.
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

    /// One more iteration of the loop on the current line.
    pub(in crate::interval) fn iteration(&mut self, active: &Active) {
        let once = once(active);
        let tally = &mut self.tallies[self.line];
        tally.operations = tally.operations.plus(&once);
        if let Some(meter) = &mut self.meter {
            meter.operations(self.line, &Operations::of(Kind::Loop, 1), once);
        }
    }

    /// The blocks of a global access to so many distinct words at least, on the current line.
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

    /// The conflicts of one shared operand of the current line.
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
        if let Some(meter) = &mut self.meter {
            meter.shared(line, offsets, active, conflicts);
        }
        let degree = conflicts.lower + 1;
        let fact = &mut self.facts[line].conflict;
        if degree > 1 && fact.is_none_or(|(worst, _)| degree > worst) {
            *fact = Some((degree, span));
        }
    }

    /// What is written down by now.
    pub(in crate::interval) fn so_far(&self) -> SoFar {
        SoFar {
            tallies: self.tallies.clone(),
            arrays: self.arrays.clone(),
            charged: self.meter.as_ref().map(Meter::so_far),
        }
    }

    /// Forgets what came since then, of which no lint heard.
    pub(super) fn restore(&mut self, then: SoFar) {
        self.tallies = then.tallies;
        self.arrays = then.arrays;
        if let (Some(meter), Some(charged)) = (&mut self.meter, then.charged) {
            meter.restore(charged);
        }
    }

    /// Writes down what came since then so many times more.
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
