//! The cores of a group of MPs: their registers and shared memory, the tallies of their lines, and
//! the
//! faults they meet.
//!
//! [`held`] holds the contents of cores, [`record`] the tallies. [`evaluate`] gives the values of
//! numbers and conditions for all cores, with [`linear`] for known ones. [`addresses`] finds the
//! words
//! that cores go to, with their conflicts; [`words`] reads and writes them. [`trials`] undoes
//! iterations that were counted together but are not alike. The kernel says which statements run.

mod addresses;
mod evaluate;
mod held;
mod linear;
mod record;
pub(super) mod trials;
mod words;

use crate::interval::budget::Budget;
use crate::interval::lanes::{Active, Bail, Group, Lanes};
use crate::interval::launch::Launch;
use crate::interval::value::Value;
use crate::meaning::fault::{Fault, NoValue, Place};
use crate::program::Program;
use crate::text::Span;

pub(in crate::interval) use held::Held;
pub(in crate::interval) use record::{Fact, Record, Tally};
pub(in crate::interval) use trials::Trials;

/// The parts that do not change while a launch is counted.
#[derive(Clone, Copy)]
pub(in crate::interval) struct Setting<'a> {
    pub(in crate::interval) program: &'a Program,
    pub(in crate::interval) launch: &'a Launch<'a>,
    /// The possible values of any word of each variable, by `VarId`.
    pub(in crate::interval) declared: &'a [Value],
    /// True if this launch certainly happens.
    pub(in crate::interval) certain: bool,
}

impl Setting<'_> {
    pub(in crate::interval) fn b(&self) -> i64 {
        self.launch.cores as i64
    }
}

/// The cores of one group of MPs.
pub(in crate::interval) struct Warp<'a, 'p> {
    pub(in crate::interval) setting: Setting<'a>,
    pub(in crate::interval) group: Group,
    pub(in crate::interval) held: Held<'a>,
    pub(in crate::interval) record: Record<'a>,
    pub(in crate::interval) budget: &'a mut Budget<'p>,
    pub(in crate::interval) trials: &'a mut Trials,
}

impl Warp<'_, '_> {
    pub(in crate::interval) fn cores(&self) -> usize {
        self.setting.launch.cores
    }

    /// Returns the MP and core for a message.
    pub(in crate::interval) fn place(&self, core: usize) -> Place {
        Place {
            core: Some(core),
            ..self.mp()
        }
    }

    fn mp(&self) -> Place {
        let mp = self.group.low[..self.setting.launch.low.len()].to_vec();
        Place { mp, core: None }
    }

    pub(in crate::interval) fn report(&mut self, fault: Fault) {
        if !self.setting.certain || !self.record.faults.is_empty() {
            return;
        }
        if self.trials.is_running() {
            self.trials.met_fault = true
        } else {
            self.record.faults.push(fault.into())
        }
    }

    /// Reports a fault of a core, if the core certainly executes this.
    pub(in crate::interval) fn core_fault(
        &mut self,
        active: &Active,
        core: usize,
        none: NoValue,
        span: Span,
    ) {
        if active.must.contains(core) {
            let place = self.place(core);
            self.report(none.at(place, span));
        }
    }

    /// Refuses lanes that grow with the MP's number.
    pub(in crate::interval) fn flat(&self, lanes: &Lanes) -> Result<(), Bail> {
        match self.group.spread(&lanes.slope()) {
            0 => Ok(()),
            set => Err(Bail::Separate(set)),
        }
    }

    /// Tallies one execution of the current line.
    pub(in crate::interval) fn tally(&mut self, active: &Active) {
        self.record.execution(self.setting.launch, active);
    }
}
