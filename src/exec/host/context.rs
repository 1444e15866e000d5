//! What the host's expressions read: parameters, and words of either side.

use std::ops::ControlFlow;

use crate::exec::error::{Error, Result};
use crate::exec::host::instance::Instance;
use crate::exec::host::quantifier::{Around, Memory, Sweeper};
use crate::exec::lanes::Truths;
use crate::exec::memory::{out_of_bounds, strides, word_name};
use crate::exec::reference::eval::{self, Context, Sweep, Swept};
use crate::exec::value::Value;
use crate::exec::{Engine, Progress, Work};
use crate::meaning::fault::{Fault, Place};
use crate::number::BigInt;
use crate::program::{Condition, Formula, Number, ParamId, Program, VarId};
use crate::text::Span;

/// Evaluations of a quantifier's body between two looks at the progress callback.
const EVALUATIONS_BETWEEN_LOOKS: u64 = 4096;

/// What the host's expressions read.
pub(super) struct HostContext<'m> {
    instance: &'m Instance<'m>,
    memory: Memory<'m>,
    values: &'m mut Vec<Option<Value>>,
    progress: &'m dyn Progress,
    until_look: u64,
    /// Values that quantifiers took.
    pub quantified: u64,
    /// What sweeps keep; `None` where every value is taken by itself.
    sweeper: Option<Sweeper>,
}

impl<'m> HostContext<'m> {
    /// With these values of parameters.
    pub fn new(
        (instance, memory): (&'m Instance<'m>, Memory<'m>),
        engine: Engine,
        values: &'m mut Vec<Option<Value>>,
        progress: &'m dyn Progress,
    ) -> HostContext<'m> {
        HostContext {
            instance,
            memory,
            values,
            progress,
            until_look: EVALUATIONS_BETWEEN_LOOKS,
            quantified: 0,
            sweeper: (engine != Engine::Reference).then(Sweeper::default),
        }
    }
}

impl HostContext<'_> {
    /// What sweeps need, where there may be one.
    fn sweep(&mut self) -> Option<(Around<'_>, &mut Sweeper)> {
        let sweeper = self.sweeper.as_mut()?;
        if self.progress.advance(Work::default()).is_break() {
            return None;
        }
        let around = Around {
            program: self.instance.program,
            extents: &self.instance.extents,
            memory: self.memory,
            fixed: &self.instance.bound,
            values: self.values,
        };
        Some((around, sweeper))
    }
}

impl Context for HostContext<'_> {
    fn program(&self) -> &Program {
        self.instance.program
    }

    fn parameter(&self, parameter: ParamId) -> Value {
        self.values[parameter.0 as usize]
            .clone()
            .expect("checked: a parameter is bound where it is used")
    }

    fn bind(&mut self, parameter: ParamId, value: Value) {
        self.values[parameter.0 as usize] = Some(value);
    }

    fn read(&mut self, variable: VarId, span: Span, indices: &[(BigInt, Span)]) -> Result<Value> {
        let program = self.instance.program;
        let store = self.memory.store(variable);
        let mut offset = 0;
        for (dimension, ((index, at), stride)) in
            indices.iter().zip(strides(&store.shape)).enumerate()
        {
            match eval::within(index, store.shape[dimension]) {
                Some(index) => offset += index * stride,
                None => {
                    return Err(out_of_bounds(
                        program,
                        variable,
                        &store.shape,
                        (dimension, index),
                        self.place(),
                        *at,
                    ));
                }
            }
        }
        if !store.written.get(offset) {
            return Err(Error::of(Fault::Unwritten {
                word: word_name(program, variable, &store.shape, offset),
                place: self.place(),
                span,
            }));
        }
        Ok(store.get(offset))
    }

    fn place(&self) -> Place {
        Place::default()
    }

    fn sweep_numbers(&mut self, body: &Number<Formula>, values: Sweep) -> Option<Swept> {
        let (around, sweeper) = self.sweep()?;
        sweeper.numbers(&around, body, values)
    }

    fn sweep_truths(&mut self, body: &Condition<Formula>, values: Sweep) -> Option<Truths> {
        let (around, sweeper) = self.sweep()?;
        sweeper.truths(&around, body, values)
    }

    fn tick(&mut self, values: u64) -> Result<()> {
        self.quantified += values;
        self.until_look = self.until_look.saturating_sub(values);
        if self.until_look > 0 {
            return Ok(());
        }
        self.until_look = EVALUATIONS_BETWEEN_LOOKS;
        match self.progress.advance(Work::default()) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Box::new(Error::Stopped)),
        }
    }
}
