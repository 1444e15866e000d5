//! Quantifiers of `require` and `ensure` over many values at once: the values of the innermost
//! variable stand for the cores of an MP, and the fast form evaluates the body for all of them.
//!
//! As in kernels, anything that the fast form does not cover is evaluated exactly, one by one.

use std::collections::HashMap;

use crate::exec::host::around::{Around, Memory};
use crate::exec::host::kept::Kept;
use crate::exec::lanes::{Buffers, Ints, Mask, Truths};
use crate::exec::mp::{Cores, Register};
use crate::exec::statements::compile;
use crate::exec::statements::typed::{self, Operand};
use crate::meaning::eval::{Connectives, MOST_SWEPT, Sweep, Swept};
use crate::program::{Condition, Formula, Number};
use crate::text::Span;

/// Everything that one sweep hands on to the next.
#[derive(Debug, Default)]
pub(crate) struct Sweeper {
    /// Compiled bodies, by their place in the text.
    numbers: HashMap<Span, Operand>,
    truths: HashMap<Span, typed::Truths>,
    scratch: Scratch,
    pub(super) kept: Kept,
}

impl Sweeper {
    /// Evaluates a number for neighbouring values of a parameter.
    pub(super) fn numbers(
        &mut self,
        around: &Around<'_>,
        body: &Number<Formula>,
        sweep: Sweep,
    ) -> Option<Swept> {
        let body = self.numbers.entry(body.span).or_insert_with(|| {
            compile::number_body(around.program, around.fixed, around.extents, body)
        });
        self.scratch.sweep(around, sweep, |cores, mask| {
            Some(match body {
                Operand::Ints(typed::Ints::Bracket(condition)) => Swept::Brackets {
                    held: cores.truths(condition, mask)?.held(sweep.count),
                    of: sweep.count,
                },
                Operand::Ints(node) => Swept::Ints(match cores.ints(node, mask)? {
                    Ints::Lanes(mut lanes) => {
                        lanes.truncate(sweep.count);
                        lanes
                    }
                    line => (0..sweep.count).map(|at| line.at(at)).collect(),
                }),
                Operand::Floats(node) => {
                    let floats = cores.floats(node, mask)?;
                    Swept::Floats((0..sweep.count).map(|at| floats.at(at)).collect())
                }
            })
        })
    }

    /// Evaluates a condition for neighbouring values of a parameter.
    pub(super) fn truths(
        &mut self,
        around: &Around<'_>,
        body: &Condition<Formula>,
        sweep: Sweep,
    ) -> Option<Truths> {
        let body = self.truths.entry(body.span).or_insert_with(|| {
            compile::condition_body(around.program, around.fixed, around.extents, body)
        });
        self.scratch
            .sweep(around, sweep, |cores, mask| cores.truths(body, mask))
    }
}

/// Room that one sweep leaves to the next.
#[derive(Debug, Default)]
struct Scratch {
    registers: Vec<Register>,
    buffers: Option<Buffers>,
}

impl Scratch {
    fn sweep<T>(
        &mut self,
        around: &Around<'_>,
        sweep: Sweep,
        evaluate: impl FnOnce(&mut Cores<'_, Memory<'_>>, &Mask) -> Option<T>,
    ) -> Option<T> {
        let mut registers = std::mem::take(&mut self.registers);
        registers.resize(around.program.parameters.len(), Register::Unset);
        let mut cores = Cores {
            registers,
            values: around.values,
            words: around.memory,
            buffers: self
                .buffers
                .take()
                .unwrap_or_else(|| Buffers::new(MOST_SWEPT)),
            conflicts: 0,
            steps: None,
            connectives: Connectives::ShortCircuit,
        };
        // "Core" c of the sweep has the value first + c of the innermost variable.
        let mask = Mask::Range(0, sweep.count);
        let swept = cores.buffers.affine(sweep.first, 1).and_then(|own| {
            cores.set_ints(sweep.parameter, own);
            evaluate(&mut cores, &mask)
        });
        cores.set(sweep.parameter, Register::Unset);
        self.registers = cores.registers;
        self.buffers = Some(cores.buffers);
        swept
    }
}
