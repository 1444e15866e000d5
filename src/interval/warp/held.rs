//! The contents of a group's cores: registers, shared memory, and their writes to global memory.

use crate::interval::lanes::Lanes;
use crate::interval::memory::{Shared, Summaries};
use crate::interval::value::Value;
use crate::program::{ParamId, VarId};

/// Registers and memory of a group.
pub(in crate::interval) struct Held<'a> {
    /// Registers by `ParamId`.
    pub(in crate::interval) registers: Vec<Option<Lanes>>,
    /// Shared arrays by `VarId`.
    pub(in crate::interval) shared: &'a mut [Option<Shared>],
    pub(super) globals: &'a mut Summaries,
    /// The number of the group; words of shared memory remember the group that wrote them.
    pub(in crate::interval) epoch: u64,
    /// The number of the current instruction in the group.
    pub(in crate::interval) instruction: u64,
    /// True if memory or a register changed since this was last cleared.
    pub(in crate::interval) changed: bool,
}

impl<'a> Held<'a> {
    /// Starts a new group, without values in registers.
    pub(in crate::interval) fn new(
        parameters: usize,
        (shared, globals): (&'a mut [Option<Shared>], &'a mut Summaries),
        epoch: u64,
    ) -> Held<'a> {
        Held {
            registers: vec![None; parameters],
            shared,
            globals,
            epoch,
            instruction: 0,
            changed: false,
        }
    }

    pub(super) fn register(&self, id: ParamId) -> Lanes {
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

    pub(in crate::interval) fn shared_mut(&mut self, variable: VarId) -> &mut Shared {
        self.shared[variable.0 as usize]
            .as_mut()
            .expect("a kernel's shared arrays are set up at its launch")
    }

    /// Returns the summary of a global array.
    pub(in crate::interval) fn global(&self, variable: VarId) -> Option<&Value> {
        self.globals.get(variable.0 as usize)
    }

    /// Joins a written value to the summary of a global array.
    pub(super) fn join_global(&mut self, variable: VarId, value: &Value) {
        self.changed |= self.globals.join(variable.0 as usize, value);
    }
}
