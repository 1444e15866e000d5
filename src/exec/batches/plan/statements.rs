//! Statements of a kernel as steps of the plan: blocks, guards, `let`s and accesses. Loops stand in
//! [`loops`](super::loops).

use crate::exec::batches::plan::build::Builder;
use crate::exec::batches::plan::form::Form;
use crate::exec::batches::plan::scope::{Bound, Ranges};
use crate::exec::batches::plan::{Block, Ints, Step, Truths, Value, exchange};
use crate::exec::lanes;
use crate::exec::statements::typed::{self, Action, Operand, WrapperStep};
use crate::program::{AtomicOperator, ParamId};

/// Most statements of a plan.
const MOST_STATEMENTS: u32 = 1 << 13;
/// Statements examined after which loops are no longer tried both ways.
pub(super) const MOST_EFFORT: u32 = 1 << 13;

impl Builder<'_> {
    pub(super) fn wrapper_step(&mut self, step: &WrapperStep<'_>, into: &mut Block) -> Option<()> {
        match step {
            WrapperStep::Let {
                binding,
                operations,
                value,
            } => {
                into.operations += operations;
                self.bind_value(binding.parameter, value, into)
            }
            WrapperStep::Cores { cores, body } => {
                let own = match self.scope.launched.known.cores {
                    1 => Form::constant(0),
                    _ => Form::core(),
                };
                self.bind(cores.core, Bound::Form(own));
                self.block(body, into)
            }
        }
    }

    fn bind_value(&mut self, parameter: ParamId, value: &Operand, into: &mut Block) -> Option<()> {
        match value {
            Operand::Ints(node) => self.bind_ints(parameter, node, into),
            Operand::Floats(node) => self.bind_floats(parameter, node, into),
        }
    }

    fn bind_ints(
        &mut self,
        parameter: ParamId,
        node: &typed::Ints,
        into: &mut Block,
    ) -> Option<()> {
        match self.ints(node)? {
            Ints::Form(form) => self.bind(parameter, Bound::Form(form)),
            Ints::Table(table) => self.bind(parameter, Bound::Table(table)),
            value => {
                let register = self.register();
                into.steps.push(Step::Let {
                    register,
                    value: Value::Ints(value),
                });
                self.bind(parameter, Bound::Ints(register));
            }
        }
        Some(())
    }

    fn bind_floats(
        &mut self,
        parameter: ParamId,
        node: &typed::Floats,
        into: &mut Block,
    ) -> Option<()> {
        let value = Value::Floats(self.floats(node)?);
        let register = self.register();
        into.steps.push(Step::Let { register, value });
        self.bind(parameter, Bound::Floats(register));
        Some(())
    }

    pub(super) fn register(&mut self) -> usize {
        self.traces.uses.push(0);
        self.traces.uses.len() - 1
    }

    pub(super) fn block(&mut self, body: &[typed::Step<'_>], into: &mut Block) -> Option<()> {
        // Words pass only among statements of one block: the cores that are active change at its
        // borders, so `passing` starts afresh there.
        let start = into.steps.len();
        let around = std::mem::take(&mut self.step.numbers);
        self.traces.passing.part();
        let fits = self.steps(body, into);
        self.traces.passing.part();
        self.step.numbers = around;
        fits?;
        exchange::fuse(&mut into.steps, start, &self.traces.uses);
        Some(())
    }

    fn steps(&mut self, body: &[typed::Step<'_>], into: &mut Block) -> Option<()> {
        for step in body {
            self.traces.statements += 1;
            self.effort += 1;
            if self.traces.statements > MOST_STATEMENTS
                || self.effort > MOST_EFFORT + MOST_STATEMENTS
            {
                return None;
            }
            let operations = step.operations;
            // These pay for themselves when they run: the number of their repetitions is not fixed.
            match &step.action {
                Action::Atomic { .. } | Action::Until { .. } | Action::While { .. } => {}
                Action::Load { .. }
                | Action::Store { .. }
                | Action::AssignInts { .. }
                | Action::AssignFloats { .. }
                | Action::LetInts(..)
                | Action::LetFloats(..)
                | Action::If { .. }
                | Action::For { .. } => into.operations += operations,
            }
            let at = into.steps.len();
            self.action(&step.action, operations, into)?;
            if !self.step.numbers.is_empty() {
                into.steps.splice(at..at, self.step.numbers.drain(..));
            }
        }
        Some(())
    }

    fn action(&mut self, action: &Action<'_>, operations: u64, into: &mut Block) -> Option<()> {
        match action {
            Action::Load { target, source } => {
                let source = self.global_place(source, false)?;
                let target = self.written_place(target)?;
                into.steps.push(Step::Load { target, source });
            }
            Action::Store { target, source } => {
                let source = self.read_place(source)?;
                let target = self.global_place(target, true)?;
                into.steps.push(Step::Store { target, source });
            }
            Action::AssignInts { target, value } => {
                let value = Value::Ints(self.ints(value)?);
                let target = self.written_place(target)?;
                into.steps.push(Step::Assign { target, value });
            }
            Action::AssignFloats { target, value } => {
                let value = Value::Floats(self.floats(value)?);
                let target = self.written_place(target)?;
                into.steps.push(Step::Assign { target, value });
            }
            Action::Atomic {
                target,
                operator,
                operands,
            } => {
                let step = self.atomic(target, *operator, operands, operations)?;
                into.steps.push(step);
            }
            Action::LetInts(parameter, node) => self.bind_ints(*parameter, node, into)?,
            Action::LetFloats(parameter, node) => self.bind_floats(*parameter, node, into)?,
            Action::If { condition, body } => self.guarded(condition, body, into)?,
            Action::For { .. } => self.counted_loop(action, into)?,
            Action::Until { .. } => unreachable!("its `for` takes it"),
            Action::While {
                condition,
                at_most,
                body,
            } => {
                let step = self.open_loop((condition, operations), at_most.as_ref(), body)?;
                into.steps.push(step);
            }
        }
        Some(())
    }

    fn atomic(
        &mut self,
        target: &typed::Access,
        operator: AtomicOperator,
        operands: &[(bool, Operand)],
        operations: u64,
    ) -> Option<Step> {
        let operands = operands.iter().map(|(negated, operand)| {
            let value = match operand {
                Operand::Ints(node) => Value::Ints(self.ints(node)?),
                Operand::Floats(node) => Value::Floats(self.floats(node)?),
            };
            Some((*negated, value))
        });
        let operands = operands.collect::<Option<_>>()?;
        Some(Step::Atomic {
            target: self.updated_place(target)?,
            operator,
            operands,
            operations,
        })
    }

    fn open_loop(
        &mut self,
        (condition, operations): (&typed::Truths, u64),
        at_most: Option<&typed::Ints>,
        body: &[typed::Step<'_>],
    ) -> Option<Step> {
        let at_most = match at_most {
            Some(bound) => Some(self.ints(bound)?),
            None => None,
        };
        let condition = self.truths(condition)?;
        let mut inner = Block::default();
        self.block(body, &mut inner)?;
        self.traces.walks = true;
        Some(Step::While {
            condition,
            operations,
            at_most,
            body: inner,
        })
    }

    fn guarded(
        &mut self,
        condition: &typed::Truths,
        body: &[typed::Step<'_>],
        into: &mut Block,
    ) -> Option<()> {
        let condition = self.truths(condition)?;
        let Ranges {
            active: before,
            slots,
            except,
        } = self.scope.ranges.clone();
        // A range of cores narrows the cores of the whole block, so that its bounds are checked for
        // them only: inside `if j < 16`, the index j + 16 of an array of 32 words is in bounds.
        match &condition {
            Truths::Cores(lanes::Truths::Uniform(true)) => return self.block(body, into),
            Truths::Cores(lanes::Truths::Uniform(false)) => return Some(()),
            Truths::Cores(lanes::Truths::Range(from, to)) => {
                self.scope.ranges.active.0 = before.0.max(*from as i64);
                self.scope.ranges.active.1 = before.1.min(*to as i64 - 1);
                if self.scope.ranges.active.0 > self.scope.ranges.active.1 {
                    self.scope.ranges.active = before;
                    return Some(());
                }
            }
            Truths::Cores(lanes::Truths::Lanes(_))
            | Truths::Order(..)
            | Truths::Ints(..)
            | Truths::Floats(..)
            | Truths::Connect { .. }
            | Truths::Not(_) => {}
        }
        self.scope.assume(&condition);
        let mut inner = Block::default();
        self.block(body, &mut inner)?;
        self.scope.ranges.active = before;
        self.scope.ranges.slots[..slots.len()].copy_from_slice(&slots);
        self.scope.ranges.except = except;
        into.steps.push(Step::If {
            condition,
            body: inner,
        });
        Some(())
    }
}
