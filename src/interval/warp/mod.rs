//! The cores of a group of MPs: their registers and shared memory, what is tallied for their lines,
//! and the faults they meet.
//!
//! [`evaluate`] gives the values of numbers and conditions for all cores, with [`linear`] for those
//! that are known; [`addresses`] finds the words they go to and the conflicts on the way, [`words`]
//! reads and writes them. Which statements are executed is for the kernel to say.

mod addresses;
mod evaluate;
mod linear;
mod words;

use crate::diag::Diagnostic;
use crate::interval::access::Bounds;
use crate::interval::budget::Budget;
use crate::interval::cycles::Meter;
use crate::interval::lanes::{Active, Bail, Group, Lanes};
use crate::interval::launch::Launch;
use crate::interval::memory::{Shared, Summaries};
use crate::interval::value::Value;
use crate::meaning::fault::{Fault, NoValue, Place};
use crate::program::{ParamId, Program, VarId};
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

/// The cores of one group of MPs.
pub(in crate::interval) struct Warp<'a, 'p> {
    pub(in crate::interval) program: &'a Program,
    pub(in crate::interval) launch: &'a Launch<'a>,
    pub(in crate::interval) b: i64,
    pub(in crate::interval) group: Group,
    /// The line that is being executed.
    pub(in crate::interval) line: usize,
    pub(in crate::interval) epoch: u64,
    pub(in crate::interval) instruction: u64,
    pub(in crate::interval) registers: Vec<Option<Lanes>>,
    pub(in crate::interval) shared: &'a mut [Option<Shared>],
    pub(in crate::interval) globals: &'a mut Summaries,
    /// What any word of each variable may hold, by `VarId`.
    pub(in crate::interval) declared: &'a [Value],
    pub(in crate::interval) budget: &'a mut Budget<'p>,
    /// Whether this launch certainly happens.
    pub(in crate::interval) certain: bool,
    pub(in crate::interval) faults: &'a mut Vec<Diagnostic>,
    pub(in crate::interval) facts: &'a mut [Fact],
    pub(in crate::interval) tallies: Vec<Tally>,
    /// Blocks read and written, by `VarId`.
    pub(in crate::interval) arrays: Vec<(Bounds, Bounds)>,
    /// What the machine charges, where it is asked.
    pub(in crate::interval) meter: Option<Meter<'a>>,
    /// Whether memory or a register changed since this was last cleared.
    pub(in crate::interval) changed: bool,
}

impl Warp<'_, '_> {
    pub(in crate::interval) fn cores(&self) -> usize {
        self.launch.cores
    }

    /// The MP and core a message speaks of.
    pub(in crate::interval) fn place(&self, core: usize) -> Place {
        Place {
            core: Some(core),
            ..self.mp()
        }
    }

    fn mp(&self) -> Place {
        let mp = self.group.low[..self.launch.low.len()].to_vec();
        Place { mp, core: None }
    }

    pub(in crate::interval) fn report(&mut self, fault: Fault) {
        if self.certain && self.faults.is_empty() {
            self.faults.push(fault.into());
        }
    }

    /// A fault of a core: certain when the core certainly executes this.
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

    fn register(&self, id: ParamId) -> Lanes {
        let lanes = self.registers[id.0 as usize].clone();
        lanes.expect("a register is set before it is read")
    }

    pub(in crate::interval) fn set_register(&mut self, id: ParamId, lanes: Lanes) {
        let register = &mut self.registers[id.0 as usize];
        let same = register.as_ref().is_some_and(|old| old.agrees(&lanes));
        self.changed |= !same;
        *register = Some(lanes);
    }

    pub(in crate::interval) fn shared_of(&self, variable: VarId) -> &Shared {
        self.shared[variable.0 as usize]
            .as_ref()
            .expect("a kernel's shared arrays are set up at its launch")
    }
}
