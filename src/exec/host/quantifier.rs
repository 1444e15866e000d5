//! Quantifiers of `require` and `ensure` over many values at once: the values of the innermost
//! variable stand for the cores of an MP, and the fast form evaluates the body for all of them.
//!
//! As in kernels, whatever the fast form does not cover is evaluated exactly, one by one.

use std::collections::HashMap;

use crate::exec::Data;
use crate::exec::lanes::{Buffers, Floats, Ints, Mask};
use crate::exec::memory::shared::{all_written, gather};
use crate::exec::memory::{Store, Words};
use crate::exec::mp::{Connectives, Cores, Register};
use crate::exec::reference::eval::{SWEEP, Swept};
use crate::exec::statements::compile::{self, Body};
use crate::exec::value::Value;
use crate::program::{Expr, ParamId, Program, VarId};
use crate::text::Span;

/// The memory of host and device, by variable id.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Memory<'m> {
    pub host: &'m [Option<Store>],
    pub global: &'m [Option<Store>],
}

impl<'m> Memory<'m> {
    /// The array of a variable.
    pub fn store(self, variable: VarId) -> &'m Store {
        let at = variable.0 as usize;
        let store = self.host[at].as_ref().or(self.global[at].as_ref());
        store.expect("checked: a host or global variable")
    }
}

impl Words for Memory<'_> {
    fn conflict(&mut self, _variable: VarId, _offsets: &Ints, _mask: &Mask) -> u64 {
        0
    }

    fn read_ints(
        &self,
        variable: VarId,
        offsets: &Ints,
        mask: &Mask,
        buffers: &mut Buffers,
    ) -> Option<Ints> {
        let store = self.store(variable);
        let Data::Int(words) = store.data() else {
            unreachable!("compiled as ints");
        };
        if !all_written(&store.written, offsets, mask) {
            return None;
        }
        let mut lanes = buffers.ints();
        gather(words, offsets, mask, &mut lanes);
        Some(Ints::Lanes(lanes))
    }

    fn read_floats(
        &self,
        variable: VarId,
        offsets: &Ints,
        mask: &Mask,
        buffers: &mut Buffers,
    ) -> Option<Floats> {
        let store = self.store(variable);
        let Data::Float(words) = store.data() else {
            unreachable!("compiled as floats");
        };
        if !all_written(&store.written, offsets, mask) {
            return None;
        }
        let mut lanes = buffers.floats();
        gather(words, offsets, mask, &mut lanes);
        Some(Floats::Lanes(lanes))
    }
}

/// What sweeps keep from one to the next.
#[derive(Debug, Default)]
pub(crate) struct Sweeper {
    /// Bodies by their place in the text.
    bodies: HashMap<Span, Body>,
    registers: Vec<Register>,
    buffers: Option<Buffers>,
}

impl Sweeper {
    /// Evaluates a body for neighbouring values of a parameter. `fixed` are the parameters no
    /// quantifier binds, `values` all that are bound now.
    pub fn sweep(
        &mut self,
        (program, extents, memory): (&Program, &[Vec<usize>], Memory<'_>),
        fixed: &[Option<Value>],
        values: &[Option<Value>],
        body: &Expr,
        (parameter, first, count): (ParamId, i64, usize),
    ) -> Option<Swept> {
        let body = self
            .bodies
            .entry(body.span)
            .or_insert_with(|| compile::body(program, fixed, extents, body));
        let mut registers = std::mem::take(&mut self.registers);
        registers.resize(program.parameters.len(), Register::Unset);
        let mut cores = Cores {
            registers,
            values,
            words: memory,
            buffers: self.buffers.take().unwrap_or_else(|| Buffers::new(SWEEP)),
            conflicts: 0,
            connectives: Connectives::ShortCircuit,
        };
        let mask = Mask::Range(0, count);
        let swept = cores.buffers.affine(first, 1).and_then(|own| {
            cores.set_ints(parameter, own);
            Some(match body {
                Body::Ints(node) => Swept::Ints(cores.ints(node, &mask)?),
                Body::Floats(node) => Swept::Floats(cores.floats(node, &mask)?),
                Body::Truths(node) => Swept::Truths(cores.truths(node, &mask)?),
            })
        });
        cores.set(parameter, Register::Unset);
        self.registers = cores.registers;
        self.buffers = Some(cores.buffers);
        swept
    }
}
