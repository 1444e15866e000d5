//! The surroundings of quantifiers: the memory that they read, and the values bound around them.

use crate::exec::lanes::{Ints, Mask};
use crate::exec::memory::Store;
use crate::exec::memory::words::Words;
use crate::meaning::value::Value;
use crate::program::{ParamId, Program, VarId};

/// The memory of host and device, by variable id.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Memory<'m> {
    pub host: &'m [Option<Store>],
    pub global: &'m [Option<Store>],
}

impl<'m> Memory<'m> {
    /// Returns the array of a host or global variable.
    pub(super) fn store(self, variable: VarId) -> &'m Store {
        let at = variable.0 as usize;
        let store = self.host[at].as_ref().or(self.global[at].as_ref());
        store.expect("checked: a host or global variable")
    }
}

impl Words for Memory<'_> {
    fn conflict(&mut self, _variable: VarId, _offsets: &Ints, _mask: &Mask) -> u64 {
        0
    }

    fn readable(&self, variable: VarId) -> Option<&Store> {
        Some(self.store(variable))
    }
}

/// The surroundings of a sweep.
pub(crate) struct Around<'m> {
    pub program: &'m Program,
    pub extents: &'m [Vec<usize>],
    pub memory: Memory<'m>,
    /// Values of formals, machine parameters and header `let`s, by parameter id.
    pub fixed: &'m [Option<Value>],
    /// Values of all parameters bound now, by parameter id.
    pub values: &'m [Option<Value>],
}

impl Around<'_> {
    /// Returns the value of a parameter, if it is a whole number that fits a word.
    pub(super) fn word(&self, parameter: ParamId) -> Option<i64> {
        match self.values[parameter.0 as usize] {
            Some(Value::Whole(word)) => Some(word),
            _ => None,
        }
    }

    /// Returns true if a quantifier or a host statement binds the parameter, not the header.
    pub(super) fn varies(&self, parameter: ParamId) -> bool {
        self.fixed[parameter.0 as usize].is_none()
    }
}
