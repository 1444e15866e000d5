//! One core: the offsets of its words, their values, and the faults it meets on them.

use crate::exec::Met;
use crate::exec::error::{Error, Result};
use crate::exec::memory::{Store, out_of_bounds, strides, within, word_name};
use crate::exec::mp::{Mp, Register};
use crate::meaning::eval::{self, At, Leaves};
use crate::meaning::fault::{Fault, NoValue, Place};
use crate::meaning::value::Value;
use crate::number::BigInt;
use crate::program::{ParamId, Program, Scope, VarId, Word};
use crate::syntax::ast::WordType;
use crate::text::Span;

/// The shared operands of an instruction, in the order every core evaluates them, each with the
/// offsets that its cores read or write.
pub(super) type Operands = Vec<(VarId, Vec<usize>)>;

/// One core evaluating an expression; in a `let` of the wrapper loop, none in particular.
pub(super) struct Core<'m, 'a> {
    pub(super) mp: &'m Mp<'a>,
    core: Option<usize>,
    operands: &'m mut Operands,
    /// Number of operands that this core has evaluated.
    evaluated: usize,
}

impl<'m, 'a> Core<'m, 'a> {
    pub(super) fn new(mp: &'m Mp<'a>, core: Option<usize>, operands: &'m mut Operands) -> Self {
        Core {
            mp,
            core,
            operands,
            evaluated: 0,
        }
    }

    pub(super) fn place(&self) -> Place {
        self.mp.place(self.core)
    }

    pub(super) fn note_operand(&mut self, variable: VarId, offset: usize) {
        // All cores evaluate the same expression without short circuit, so the k-th operand of one
        // core is the k-th of every other. Their offsets are collected side by side.
        if self.evaluated == self.operands.len() {
            self.operands.push((variable, Vec::new()));
        }
        self.operands[self.evaluated].1.push(offset);
        self.evaluated += 1;
    }

    /// Returns the offset of a word; its indices must lie within bounds.
    pub(super) fn offset(&mut self, word: &Word) -> Result<usize> {
        let mut indices = Vec::with_capacity(word.indices.len());
        for index in &word.indices {
            indices.push((eval::integer(self, index)?, index.span));
        }
        self.offset_at(word.variable, &indices)
    }

    fn offset_at(&self, variable: VarId, indices: &[(BigInt, Span)]) -> Result<usize> {
        let shape = &self.mp.launch.known.extents[variable.0 as usize];
        let mut offset = 0;
        for (dimension, ((index, span), stride)) in indices.iter().zip(strides(shape)).enumerate() {
            match within(index, shape[dimension]) {
                Some(index) => offset += index * stride,
                None => {
                    return Err(out_of_bounds(
                        self.mp.program(),
                        variable,
                        shape,
                        (dimension, index),
                        self.place(),
                        *span,
                    ));
                }
            }
        }
        Ok(offset)
    }

    pub(super) fn shared_word(
        &mut self,
        variable: VarId,
        span: Span,
        offset: usize,
    ) -> Result<Value> {
        self.note_operand(variable, offset);
        let store = self.mp.cores.words.store(variable);
        if !store.written.get(offset) {
            return Err(self.uninitialised(variable, span, offset));
        }
        Ok(store.get(offset))
    }

    pub(super) fn uninitialised(&self, variable: VarId, span: Span, offset: usize) -> Box<Error> {
        Error::of(Fault::Uninitialised {
            word: self.name(variable, offset),
            place: self.place(),
            span,
        })
    }

    pub(super) fn name(&self, variable: VarId, offset: usize) -> String {
        let shape = &self.mp.launch.known.extents[variable.0 as usize];
        word_name(self.mp.program(), variable, shape, offset)
    }

    /// Converts a value to a word of a variable, of its type and within its declared range.
    pub(super) fn as_word(
        &self,
        variable: VarId,
        offset: usize,
        value: Value,
        span: Span,
        statement: Span,
    ) -> Result<Value> {
        let declared = self.mp.program().variable(variable);
        let value = match (declared.word_type, value) {
            (WordType::Float, value) => Value::Float(value.to_float()),
            (WordType::Int, value @ Value::Whole(_)) => value,
            (WordType::Int, value) => {
                let is_whole = value.to_integer().is_some();
                let none = NoValue::of_no_word(value, is_whole);
                return Err(Error::of(none.at(self.place(), span)));
            }
        };
        match self.mp.launch.known.admitted(variable) {
            Some(range) if !range.admits(&value) => Err(Error::of(Fault::OutsideDeclared {
                word: self.name(variable, offset),
                value: value.to_string(),
                low: range.low.to_string(),
                high: range.high.to_string(),
                place: self.place(),
                span: statement,
                declaration: declared.span,
            })),
            _ => Ok(value),
        }
    }
}

impl Leaves for Core<'_, '_> {
    type Stop = Box<Error>;

    fn parameter(&self, parameter: ParamId) -> Result<Value> {
        let core = self.core.unwrap_or(0);
        Ok(match &self.mp.cores.registers[parameter.0 as usize] {
            Register::Ints(ints) => Value::Whole(ints.at(core)),
            Register::Floats(floats) => Value::Float(floats.at(core)),
            Register::Same(value) => value.clone(),
            Register::Each(values) => values[core].clone(),
            Register::Unset => self.mp.launch.known.values[parameter.0 as usize]
                .clone()
                .expect("checked: a parameter is bound where it is used"),
        })
    }

    fn word(&mut self, variable: VarId, span: Span, indices: &[(Value, Span)]) -> Result<Value> {
        let whole = |index: &Value| index.to_integer().expect("an index is whole");
        let indices = indices.iter().map(|(index, at)| (whole(index), *at));
        let offset = self.offset_at(variable, &indices.collect::<Vec<_>>())?;
        self.shared_word(variable, span, offset)
    }

    fn fault(&self, none: NoValue, at: At) -> Box<Error> {
        Error::of(none.at(self.place(), at.whole))
    }
}

/// Records the words that cores met, if they are traced; for written words also their contents.
pub(super) fn note(
    met: &mut Option<Vec<Met>>,
    program: &Program,
    (variable, offsets): (VarId, &[usize]),
    written: Option<&Store>,
) {
    let Some(met) = met else { return };
    let declared = program.variable(variable);
    let words = written.map(|store| offsets.iter().map(|at| store.get(*at).to_string()));
    met.push(Met {
        variable: declared.name.clone(),
        is_global: declared.scope == Scope::Global,
        is_written: written.is_some(),
        offsets: offsets.to_vec(),
        words: words.map(Iterator::collect).unwrap_or_default(),
    });
}
