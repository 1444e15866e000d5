//! One MP at work: the values of its cores, its memory, and its counts.
//!
//! Both forms of a statement share it: the fast one
//! ([`statements`](crate::exec::statements)) and the one core by core
//! ([`reference`](mod@crate::exec::reference)) read and change the same MP, so either can go on
//! where the other one stopped. Executes nothing itself.

use crate::exec::Met;
use crate::exec::cycles::{BankSteps, Ledger};
use crate::exec::lanes::{Buffers, Floats, Ints, Mask};
use crate::exec::launch::Launch;
use crate::exec::memory::global::log::View;
use crate::exec::memory::global::stamps::Stamp;
use crate::exec::memory::shared::Shared;
use crate::exec::memory::words::Words;
use crate::exec::tally::Tally;
use crate::meaning::eval::Connectives;
use crate::meaning::fault::Place;
use crate::meaning::value::Value;
use crate::program::{ParamId, Program, VarId};

/// The value of a parameter in the cores of an MP.
#[derive(Debug, Clone, Default)]
pub(crate) enum Register {
    /// Nothing bound here; the host may have bound it.
    #[default]
    Unset,
    /// Whole numbers.
    Ints(Ints),
    /// Floats.
    Floats(Floats),
    /// Anything else, the same for all cores.
    Same(Value),
    /// Anything else, one per core.
    Each(Vec<Value>),
}

/// Cores that evaluate expressions together.
#[derive(Debug)]
pub(crate) struct Cores<'v, W> {
    /// Values of parameters, by id.
    pub registers: Vec<Register>,
    /// Values bound by the host, by parameter id.
    pub values: &'v [Option<Value>],
    /// The memory that expressions read.
    pub words: W,
    /// Free lanes for intermediate values.
    pub buffers: Buffers,
    /// Conflicts of the operands evaluated since this was last set to 0.
    pub conflicts: u64,
    /// Bank steps of the same operands, where a machine charges them.
    pub steps: Option<BankSteps>,
    /// Evaluation of `∧ ∨`: both sides, or the right one only where the left leaves it open.
    pub connectives: Connectives,
}

impl<W: Words> Cores<'_, W> {
    /// Counts the bank conflict of an operand that the active cores evaluate `times` times.
    pub(super) fn count_operand(
        &mut self,
        times: u64,
        variable: VarId,
        offsets: &Ints,
        mask: &Mask,
    ) {
        let conflict = self.words.conflict(variable, offsets, mask);
        let words = mask.iter().map(|core| offsets.at(core) as usize);
        self.note_operand(times, conflict, mask, words);
    }
}

impl<W> Cores<'_, W> {
    /// Records an operand evaluated `times` times. `conflict` is its degree − 1, `words` are the
    /// words of the active cores.
    pub(super) fn note_operand(
        &mut self,
        times: u64,
        conflict: u64,
        mask: &Mask,
        words: impl Iterator<Item = usize>,
    ) {
        self.conflicts += times * conflict;
        if let Some(steps) = &mut self.steps {
            steps.add(times, conflict, mask, words);
        }
    }

    /// Resets the counts of operands.
    pub(super) fn begin_operands(&mut self) {
        self.conflicts = 0;
        if let Some(steps) = &mut self.steps {
            steps.begin();
        }
    }

    /// Binds a parameter, and frees the lanes of its former value.
    pub(super) fn set(&mut self, parameter: ParamId, register: Register) {
        let slot = &mut self.registers[parameter.0 as usize];
        let before = std::mem::replace(slot, register);
        self.free(before);
    }

    /// Binds a parameter to whole numbers.
    pub(super) fn set_ints(&mut self, parameter: ParamId, ints: Ints) {
        self.set(parameter, Register::Ints(ints));
    }

    /// Gives the lanes of a register back to the buffers.
    pub(super) fn free(&mut self, register: Register) {
        match register {
            Register::Ints(ints) => self.buffers.free(ints),
            Register::Floats(floats) => self.buffers.free_floats(floats),
            Register::Unset | Register::Same(_) | Register::Each(_) => {}
        }
    }
}

/// The state of an MP; it serves the MPs of a launch one after the other.
#[derive(Debug)]
pub(super) struct Mp<'a> {
    pub launch: &'a Launch<'a>,
    pub global: View<'a>,
    /// Numbers of the MP in progress.
    pub numbers: Vec<i64>,
    pub stamp: Stamp,
    /// Registers, shared memory, and the conflicts of the statement in progress.
    pub cores: Cores<'a, Shared>,
    pub tally: Tally,
    /// Operands met by its cores, if the words of this MP are traced.
    pub met: Option<Vec<Met>>,
}

impl<'a> Mp<'a> {
    /// Creates the state for a launch.
    pub(super) fn new(launch: &'a Launch<'a>, global: View<'a>) -> Mp<'a> {
        let known = launch.known;
        let ledger = |rules| Box::new(Ledger::new(rules, known.cores, &launch.kernel.registers));
        Mp {
            numbers: Vec::new(),
            stamp: launch.stamps.of(0),
            cores: Cores {
                registers: vec![Register::Unset; known.program.parameters.len()],
                values: known.values,
                words: Shared::new(
                    &launch.kernel.names_shared,
                    |variable| known.program.variable(variable).word_type,
                    known.extents,
                    known.cores,
                ),
                buffers: Buffers::new(known.cores),
                conflicts: 0,
                steps: launch
                    .cycle_rules
                    .map(|rules| BankSteps::new(rules, launch.known.cores)),
                connectives: Connectives::BothSides,
            },
            tally: Tally {
                ledger: launch.cycle_rules.map(ledger),
                ..Tally::new(known.program)
            },
            met: None,
            launch,
            global,
        }
    }

    pub(super) fn program(&self) -> &'a Program {
        self.launch.known.program
    }

    /// Returns the place of a fault.
    pub(super) fn place(&self, core: Option<usize>) -> Place {
        Place {
            mp: self.numbers.clone(),
            core,
        }
    }

    /// Becomes the MP with these numbers; its shared memory is unwritten again.
    pub(super) fn begin(&mut self, serial: u64, numbers: &[i64]) {
        // Registers of `let`s and loops keep stale values. No statement reads them: their scope
        // begins where they are bound anew.
        self.numbers.clear();
        self.numbers.extend_from_slice(numbers);
        self.stamp = self.launch.stamps.of(serial);
        self.cores.words.forget();
        self.tally.time = 0;
        for (range, number) in self.launch.kernel.mps.iter().zip(numbers) {
            self.cores.set_ints(range.parameter, Ints::Uniform(*number));
        }
    }

    /// Charges operations of `active` cores: once to the time, per core to the lane operations.
    pub(super) fn pay(&mut self, operations: u64, active: usize) {
        self.tally.time += operations;
        self.tally.lane_operations += u128::from(operations) * active as u128;
    }

    /// Counts a global access. `blocks` returns the blocks touched for a block size in words;
    /// `words` are the words of the active cores.
    pub(super) fn count_access(
        &mut self,
        mask: &Mask,
        blocks: impl Fn(usize) -> u64,
        words: impl Iterator<Item = usize>,
    ) {
        self.tally.step_blocks = blocks(self.launch.known.cores);
        if let Some(ledger) = &mut self.tally.ledger {
            ledger.access(mask, blocks, words);
        }
    }

    /// Resets the costs of the statement in progress.
    pub(super) fn begin_statement(&mut self) {
        self.cores.begin_operands();
        self.tally.step_blocks = 0;
        if let Some(ledger) = &mut self.tally.ledger {
            ledger.begin_statement();
        }
        if let Some(met) = &mut self.met {
            met.clear();
        }
    }
}
