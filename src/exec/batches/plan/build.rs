//! From the compiled form to the plan, or to `None` where a kernel does not fit.

use crate::exec::batches::plan::form::Form;
use crate::exec::batches::plan::passing::Passing;
use crate::exec::batches::plan::races;
use crate::exec::batches::plan::scope::{Bound, LARGEST, Launched, OPEN, Ranges, Scope};
use crate::exec::batches::plan::{
    Block, GlobalArray, Ints, Plan, Reach, SharedArray, Step, Truths, Value, exchange,
};
use crate::exec::lanes::{self, Buffers, Mask};
use crate::exec::memory::Store;
use crate::exec::memory::words::Words;
use crate::exec::mp::{Cores, Register};
use crate::exec::statements::typed::{self, Action, Code, Operand, WrapperStep};
use crate::meaning::eval::Connectives;
use crate::program::{ParamId, VarId};

/// Words of shared memory that the MPs of a batch may take together.
const BATCH_WORDS: usize = 3 << 10;
/// The same where cores leave loops at different times: fewer and fewer words share the fixed cost
/// of a statement, so batches are larger.
const WALKING_BATCH_WORDS: usize = 6 << 10;
/// The same for batches of at most [`FEW`] MPs, where the fixed cost of statements would show.
const FEW_BATCH_WORDS: usize = 16 << 10;
/// A batch of few MPs.
const FEW: usize = 16;
/// Most MPs in a batch.
const WIDEST: usize = 64;
/// Most statements of a plan.
const MOST_STATEMENTS: u32 = 1 << 13;
/// Statements examined after which loops are no longer tried both ways.
pub(super) const MOST_EFFORT: u32 = 1 << 13;

/// Plans a kernel, if it fits.
pub(crate) fn plan(launched: &Launched<'_>, code: &Code<'_>) -> Option<Plan> {
    let program = launched.known.program;
    let shared: Vec<SharedArray> = (launched.kernel.names_shared.iter())
        .map(|&variable| SharedArray {
            variable,
            word_type: program.variable(variable).word_type,
            words: launched.known.extents[variable.0 as usize].iter().product(),
            is_passing: false,
        })
        .collect();
    let words: usize = shared.iter().map(|array| array.words).sum();
    let mut builder = Builder {
        scope: Scope {
            launched,
            bound: vec![Bound::Nothing; program.parameters.len()],
            ranges: Ranges {
                active: (0, launched.known.cores as i64 - 1),
                slots: Vec::new(),
                except: Vec::new(),
            },
            long: Vec::new(),
        },
        shared,
        global: Vec::new(),
        known: Cores {
            registers: vec![Register::Unset; program.parameters.len()],
            values: launched.known.values,
            words: NoWords,
            buffers: Buffers::new(launched.known.cores),
            conflicts: 0,
            steps: None,
            connectives: Connectives::BothSides,
        },
        traces: Traces::default(),
        effort: 0,
        step: InProgress::default(),
    };
    for (range, &(first, length)) in launched.kernel.mps.iter().zip(launched.mps) {
        let last = i128::from(first) + i128::from(length) - 1;
        if length == 0 || last.abs() > LARGEST || i128::from(first).abs() > LARGEST {
            return None;
        }
        let slot = builder.scope.ranges.slots.len();
        builder.scope.ranges.slots.push((first, last as i64));
        builder.bind(range.parameter, Bound::Form(Form::slot(slot)));
    }
    let mut open = Vec::new();
    for &parameter in launched.open {
        let slot = builder.scope.ranges.slots.len();
        builder
            .scope
            .ranges
            .slots
            .push((*OPEN.start(), *OPEN.end()));
        builder.bind(parameter, Bound::Form(Form::slot(slot)));
        open.push((parameter, slot));
    }
    let mut body = Block::default();
    for step in &code.body {
        builder.wrapper_step(step, &mut body)?;
    }
    let lengths: Vec<u64> = launched.mps.iter().map(|(_, length)| *length).collect();
    for array in races::possible(&builder.traces.accesses, &lengths) {
        let array = &mut builder.global[array];
        if array.is_read {
            return None;
        }
        array.may_race = true;
    }
    for (at, array) in builder.shared.iter_mut().enumerate() {
        array.is_passing = builder.traces.passing.is_passing(at);
    }
    // 3072 words of batch memory: a kernel with 96 shared words has batches of 32 MPs. A kernel
    // with
    // 1024 gets 3 by that, but 16 by the rule for few MPs.
    let words = words.max(1);
    let batch_words = if builder.traces.walks {
        WALKING_BATCH_WORDS
    } else {
        BATCH_WORDS
    };
    let widest = (batch_words / words).max(FEW.min(FEW_BATCH_WORDS / words));
    let widest = widest.clamp(1, WIDEST);
    Some(Plan {
        operations: body.estimate(&builder.scope.ranges.slots),
        effort: builder.effort,
        body,
        dimensions: launched.mps.len(),
        open,
        slots: builder.scope.ranges.slots.len(),
        registers: builder.traces.uses.len(),
        widest: if builder.traces.together.is_narrow {
            1
        } else {
            widest
        },
        is_flat: builder.traces.together.is_flat,
        accesses: builder.traces.accesses,
        cuts: ascending(builder.traces.together.cuts),
        shared: builder.shared,
        global: builder.global,
    })
}

/// Most cuts that rows of MPs get; more are not worth it, and all are dropped.
const MOST_CUTS: usize = 8;

fn ascending(mut cuts: Vec<i64>) -> Vec<i64> {
    cuts.sort_unstable();
    cuts.dedup();
    match cuts.len() {
        0..=MOST_CUTS => cuts,
        _ => Vec::new(),
    }
}

/// Memory for expressions that the plan evaluates itself: they read none.
pub(super) struct NoWords;

impl Words for NoWords {
    fn conflict(&mut self, _variable: VarId, _offsets: &lanes::Ints, _mask: &Mask) -> u64 {
        0
    }

    fn readable(&self, _variable: VarId) -> Option<&Store> {
        None
    }
}

/// Builds a plan, statement by statement.
pub(super) struct Builder<'a> {
    pub scope: Scope<'a>,
    pub shared: Vec<SharedArray>,
    pub global: Vec<GlobalArray>,
    /// Evaluates expressions that are the same in all MPs.
    pub known: Cores<'a, NoWords>,
    pub traces: Traces,
    /// Statements examined, including those that were taken back.
    pub effort: u32,
    pub step: InProgress,
}

/// The step being built.
#[derive(Debug, Default)]
pub(super) struct InProgress {
    /// Operands of data met so far, in all steps.
    pub reads: u32,
    /// Numbers that must be put into their slots before this step.
    pub numbers: Vec<Step>,
}

/// The MPs that may share a batch.
#[derive(Debug, Clone, Default)]
pub(super) struct Together {
    /// True if MPs have to run one by one.
    pub is_narrow: bool,
    /// True if MPs that differ in the dimension before the last cannot share a batch.
    pub is_flat: bool,
    /// Numbers of the last dimension at which conditions turn.
    pub cuts: Vec<i64>,
}

/// Traces of an attempt at a loop in the plan; taken back if another attempt is better.
#[derive(Debug, Clone, Default)]
pub(super) struct Traces {
    /// Accesses to global arrays that are written.
    pub accesses: Vec<Reach>,
    /// Number of reads of each `let` of data.
    pub uses: Vec<u32>,
    /// Statements in the plan.
    statements: u32,
    /// Quantities of parameters that are neither even nor the same in all MPs, so that every core
    /// has to compute them. Each counts as often as the loops around it repeat it.
    pub uneven: u32,
    /// True if cores leave a loop at different times.
    pub walks: bool,
    pub together: Together,
    /// Shared words that later statements see.
    pub passing: Passing,
}

impl Builder<'_> {
    /// Returns all cores of an MP.
    pub(super) fn everyone(&self) -> Mask {
        Mask::Range(0, self.scope.launched.known.cores)
    }

    pub(super) fn bind(&mut self, parameter: ParamId, bound: Bound) {
        let register = match &bound {
            Bound::Form(form) if form.terms.is_empty() => self
                .known
                .buffers
                .affine(form.constant, form.core)
                .map_or(Register::Unset, Register::Ints),
            Bound::Table(table) => Register::Ints(lanes::Ints::Lanes(table.clone())),
            Bound::Nothing | Bound::Form(_) | Bound::Ints(_) | Bound::Floats(_) => Register::Unset,
        };
        self.known.set(parameter, register);
        self.scope.bound[parameter.0 as usize] = bound;
    }

    fn wrapper_step(&mut self, step: &WrapperStep<'_>, into: &mut Block) -> Option<()> {
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
                let operands = operands.iter().map(|(negated, operand)| {
                    let value = match operand {
                        Operand::Ints(node) => Value::Ints(self.ints(node)?),
                        Operand::Floats(node) => Value::Floats(self.floats(node)?),
                    };
                    Some((*negated, value))
                });
                let operands = operands.collect::<Option<_>>()?;
                into.steps.push(Step::Atomic {
                    target: self.updated_place(target)?,
                    operator: *operator,
                    operands,
                    operations,
                });
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
                let at_most = match at_most {
                    Some(bound) => Some(self.ints(bound)?),
                    None => None,
                };
                let condition = self.truths(condition)?;
                let mut inner = Block::default();
                self.block(body, &mut inner)?;
                self.traces.walks = true;
                into.steps.push(Step::While {
                    condition,
                    operations,
                    at_most,
                    body: inner,
                });
            }
        }
        Some(())
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
