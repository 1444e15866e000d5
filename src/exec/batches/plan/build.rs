//! From the compiled form to the plan, or to `None` where a kernel does not fit.

use crate::exec::batches::plan::form::Form;
use crate::exec::batches::plan::races::{self, Touch};
use crate::exec::batches::plan::{
    Block, GlobalArray, Ints, Loop, Plan, Reach, SharedArray, Step, Truths, Value, exchange, fuse,
};
use crate::exec::lanes::{self, Buffers, Mask};
use crate::exec::launch;
use crate::exec::memory::Words;
use crate::exec::mp::{Connectives, Cores, Register};
use crate::exec::statements::compile::{self, Action, Code, Operand, WrapperStep};
use crate::program::{Kernel, ParamId, VarId};

/// Words of shared memory that the MPs of a batch may take together.
const BATCH_WORDS: usize = 3 << 10;
/// Most MPs in a batch.
const WIDEST: usize = 64;
/// Iterations that a loop may have to be written out.
const MOST_WRITTEN_OUT: i128 = 64;
/// Statements of a plan before its kernel counts as too long.
const MOST_STATEMENTS: u32 = 1 << 13;
/// Statements looked at before loops are no longer tried both ways.
const MOST_EFFORT: u32 = 1 << 13;
/// Numbers beyond this are left to the reference form.
pub(super) const LARGEST: i128 = 1 << 60;

/// What a launch knows about its kernel.
pub(crate) struct Launched<'a> {
    pub known: launch::Known<'a>,
    pub kernel: &'a Kernel,
    /// First number and how many of them, of each dimension of the MPs.
    pub mps: &'a [(i64, u64)],
}

/// The plan of a kernel, where it has one.
pub(crate) fn plan(launched: &Launched<'_>, code: &Code<'_>) -> Option<Plan> {
    let program = launched.known.program;
    let shared: Vec<SharedArray> = (launched.kernel.names_shared.iter())
        .map(|&variable| SharedArray {
            variable,
            word_type: program.variable(variable).word_type,
            words: launched.known.extents[variable.0 as usize].iter().product(),
        })
        .collect();
    let words: usize = shared.iter().map(|array| array.words).sum();
    let mut builder = Builder {
        launched,
        shared,
        global: Vec::new(),
        bound: vec![Bound::Nothing; program.parameters.len()],
        known: Cores {
            registers: vec![Register::Unset; program.parameters.len()],
            values: launched.known.values,
            words: NoWords,
            buffers: Buffers::new(launched.known.cores),
            conflicts: 0,
            connectives: Connectives::BothSides,
        },
        everyone: Mask::Range(0, launched.known.cores),
        active: (0, launched.known.cores as i64 - 1),
        slots: Vec::new(),
        uses: Vec::new(),
        touches: Vec::new(),
        reaches: Vec::new(),
        statements: 0,
        effort: 0,
        reads: 0,
        uneven: 0,
        is_narrow: false,
        is_flat: false,
    };
    for (range, &(first, length)) in launched.kernel.mps.iter().zip(launched.mps) {
        let last = i128::from(first) + i128::from(length) - 1;
        if length == 0 || last.abs() > LARGEST || i128::from(first).abs() > LARGEST {
            return None;
        }
        let slot = builder.slots.len();
        builder.slots.push((first, last as i64));
        builder.bind(range.parameter, Bound::Form(Form::slot(slot)));
    }
    let mut body = Block::default();
    for step in &code.body {
        builder.wrapper_step(step, &mut body)?;
    }
    let lengths: Vec<u64> = launched.mps.iter().map(|(_, length)| *length).collect();
    for array in races::possible(&builder.touches, &lengths) {
        let array = &mut builder.global[array];
        if array.is_read {
            return None;
        }
        array.may_race = true;
    }
    let widest = (BATCH_WORDS / words.max(1)).clamp(1, WIDEST);
    Some(Plan {
        body,
        dimensions: launched.mps.len(),
        slots: builder.slots.len(),
        registers: builder.uses.len(),
        widest: if builder.is_narrow { 1 } else { widest },
        is_flat: builder.is_flat,
        accesses: builder.reaches,
        shared: builder.shared,
        global: builder.global,
    })
}

/// What a parameter stands for.
#[derive(Debug, Clone)]
pub(super) enum Bound {
    /// Nothing that a plan knows.
    Nothing,
    /// A number.
    Form(Form),
    /// The same in all MPs, but not even from core to core.
    Table(Vec<i64>),
    /// Ints of data.
    Ints(usize),
    /// Floats.
    Floats(usize),
}

/// Expressions that a plan evaluates itself read no memory.
pub(super) struct NoWords;

impl Words for NoWords {
    fn conflict(&mut self, _variable: VarId, _offsets: &lanes::Ints, _mask: &Mask) -> u64 {
        0
    }

    fn read_ints(
        &self,
        _variable: VarId,
        _offsets: &lanes::Ints,
        _mask: &Mask,
        _buffers: &mut Buffers,
    ) -> Option<lanes::Ints> {
        None
    }

    fn read_floats(
        &self,
        _variable: VarId,
        _offsets: &lanes::Ints,
        _mask: &Mask,
        _buffers: &mut Buffers,
    ) -> Option<lanes::Floats> {
        None
    }
}

/// Builds a plan, statement by statement.
pub(super) struct Builder<'a> {
    pub launched: &'a Launched<'a>,
    pub shared: Vec<SharedArray>,
    pub global: Vec<GlobalArray>,
    /// By parameter id.
    pub bound: Vec<Bound>,
    /// Evaluates what is the same in all MPs.
    pub known: Cores<'a, NoWords>,
    pub everyone: Mask,
    /// First and last core that may be active here.
    pub active: (i64, i64),
    /// First and last value of each slot.
    pub slots: Vec<(i64, i64)>,
    /// By `let` of data, how often it is read.
    pub uses: Vec<u32>,
    pub touches: Vec<Touch>,
    pub reaches: Vec<Reach>,
    /// In the plan.
    pub statements: u32,
    /// Looked at, those included that were taken back.
    pub effort: u32,
    /// Operands of data met.
    pub reads: u32,
    /// Quantities of parameters met that are neither even nor the same in all MPs, so that they
    /// would be worked out for every core; times the iterations of the loops they stand in.
    pub uneven: u32,
    /// Whether MPs have to run one by one.
    pub is_narrow: bool,
    /// Whether MPs that differ in the dimension before the last cannot run together.
    pub is_flat: bool,
}

/// What an attempt at a loop leaves behind, to be taken back.
#[derive(Clone)]
struct Traces {
    touches: Vec<Touch>,
    reaches: Vec<Reach>,
    slots: Vec<(i64, i64)>,
    active: (i64, i64),
    uses: Vec<u32>,
    statements: u32,
    uneven: u32,
    is_narrow: bool,
    is_flat: bool,
}

impl Builder<'_> {
    fn bind(&mut self, parameter: ParamId, bound: Bound) {
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
        self.bound[parameter.0 as usize] = bound;
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
                let own = match self.launched.known.cores {
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
        node: &compile::Ints,
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
        node: &compile::Floats,
        into: &mut Block,
    ) -> Option<()> {
        let value = Value::Floats(self.floats(node)?);
        let register = self.register();
        into.steps.push(Step::Let { register, value });
        self.bind(parameter, Bound::Floats(register));
        Some(())
    }

    fn register(&mut self) -> usize {
        self.uses.push(0);
        self.uses.len() - 1
    }

    fn block(&mut self, body: &[compile::Step<'_>], into: &mut Block) -> Option<()> {
        let start = into.steps.len();
        for step in body {
            self.statements += 1;
            self.effort += 1;
            if self.statements > MOST_STATEMENTS || self.effort > MOST_EFFORT + MOST_STATEMENTS {
                return None;
            }
            let operations = step.operations;
            match &step.action {
                Action::Atomic { .. } | Action::While { .. } => {}
                Action::Load { .. }
                | Action::Store { .. }
                | Action::AssignInts { .. }
                | Action::AssignFloats { .. }
                | Action::LetInts(..)
                | Action::LetFloats(..)
                | Action::If { .. }
                | Action::For { .. } => into.operations += operations,
            }
            self.action(&step.action, operations, into)?;
        }
        exchange::fuse(&mut into.steps, start, &self.uses);
        Some(())
    }

    fn action(&mut self, action: &Action<'_>, operations: u64, into: &mut Block) -> Option<()> {
        match action {
            Action::Load { target, source } => {
                let source = self.global_place(source, false)?;
                let target = self.shared_place(target)?;
                into.steps.push(Step::Load { target, source });
            }
            Action::Store { target, source } => {
                let source = self.shared_place(source)?;
                let target = self.global_place(target, true)?;
                into.steps.push(Step::Store { target, source });
            }
            Action::AssignInts { target, value } => {
                let value = Value::Ints(self.ints(value)?);
                let target = self.shared_place(target)?;
                into.steps.push(Step::Assign { target, value });
            }
            Action::AssignFloats { target, value } => {
                let value = Value::Floats(self.floats(value)?);
                let target = self.shared_place(target)?;
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
                    target: self.shared_place(target)?,
                    operator: *operator,
                    operands,
                    operations,
                });
            }
            Action::LetInts(parameter, node) => self.bind_ints(*parameter, node, into)?,
            Action::LetFloats(parameter, node) => self.bind_floats(*parameter, node, into)?,
            Action::If { condition, body } => self.guarded(condition, body, into)?,
            Action::For { .. } => self.counted_loop(action, into)?,
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
        condition: &compile::Truths,
        body: &[compile::Step<'_>],
        into: &mut Block,
    ) -> Option<()> {
        let condition = self.truths(condition)?;
        let before = self.active;
        match &condition {
            Truths::Cores(lanes::Truths::Uniform(true)) => return self.block(body, into),
            Truths::Cores(lanes::Truths::Uniform(false)) => return Some(()),
            Truths::Cores(lanes::Truths::Range(from, to)) => {
                self.active.0 = before.0.max(*from as i64);
                self.active.1 = before.1.min(*to as i64 - 1);
                if self.active.0 > self.active.1 {
                    self.active = before;
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
        let mut inner = Block::default();
        self.block(body, &mut inner)?;
        self.active = before;
        into.steps.push(Step::If {
            condition,
            body: inner,
        });
        Some(())
    }

    /// As a loop if everything in it grows evenly with its variable, else written out.
    fn counted_loop(&mut self, action: &Action<'_>, into: &mut Block) -> Option<()> {
        let Action::For {
            variable,
            from,
            to,
            down,
            body,
        } = action
        else {
            unreachable!("called for loops");
        };
        let (from, to) = (self.form(from)?, self.form(to)?);
        if from.core != 0 || to.core != 0 {
            return None;
        }
        let before = self.traces();
        let most = self.most_trips((&from, &to), *down);
        let rolled = self.rolled(*variable, (&from, &to), *down, body);
        let in_loop = (self.uneven - before.uneven).saturating_mul(most);
        self.uneven = before.uneven.saturating_add(in_loop);
        let after = self.traces();
        if rolled.is_some() && (in_loop == 0 || self.effort > MOST_EFFORT) {
            into.steps.extend(rolled.flatten());
            return Some(());
        }
        // Once its variable is known, an uneven quantity may be a number.
        self.take_back(before.clone());
        if let Some(block) = self.written_out(*variable, (&from, &to), *down, body)
            && (rolled.is_none() || self.uneven - before.uneven < in_loop)
        {
            into.operations += block.operations;
            into.steps.extend(block.steps);
            return Some(());
        }
        self.take_back(after);
        into.steps.extend(rolled?);
        Some(())
    }

    /// The most iterations a loop may have, up to a few more than could be written out.
    fn most_trips(&self, (from, to): (&Form, &Form), down: bool) -> u32 {
        let rise = if down { -1 } else { 1 };
        let last = to.plus(-1, from).and_then(|span| span.times(rise));
        let last = last.map(|last| last.interval((0, 0), &self.slots).1);
        last.map_or(1, |last| (last + 1).clamp(1, MOST_WRITTEN_OUT + 1) as u32)
    }

    /// All iterations one after the other.
    fn written_out(
        &mut self,
        variable: ParamId,
        (from, to): (&Form, &Form),
        down: bool,
        body: &[compile::Step<'_>],
    ) -> Option<Block> {
        let (from, to) = (from.as_constant()?, to.as_constant()?);
        let rise = if down { -1 } else { 1 };
        let trips = (i128::from(to) - i128::from(from)) * i128::from(rise) + 1;
        if trips > MOST_WRITTEN_OUT {
            return None;
        }
        let mut block = Block::default();
        for trip in 0..trips as i64 {
            self.bind(variable, Bound::Form(Form::constant(from + rise * trip)));
            block.operations += 1;
            self.block(body, &mut block)?;
        }
        Some(block)
    }

    fn traces(&self) -> Traces {
        Traces {
            touches: self.touches.clone(),
            reaches: self.reaches.clone(),
            slots: self.slots.clone(),
            active: self.active,
            uses: self.uses.clone(),
            statements: self.statements,
            uneven: self.uneven,
            is_narrow: self.is_narrow,
            is_flat: self.is_flat,
        }
    }

    fn take_back(&mut self, traces: Traces) {
        self.touches = traces.touches;
        self.reaches = traces.reaches;
        self.slots = traces.slots;
        self.active = traces.active;
        self.uses = traces.uses;
        self.statements = traces.statements;
        self.uneven = traces.uneven;
        self.is_narrow = traces.is_narrow;
        self.is_flat = traces.is_flat;
    }

    /// Nothing at all where it has no iteration.
    fn rolled(
        &mut self,
        variable: ParamId,
        (from, to): (&Form, &Form),
        down: bool,
        body: &[compile::Step<'_>],
    ) -> Option<Option<Step>> {
        let (first, last) = if down { (to, from) } else { (from, to) };
        let low = first.interval((0, 0), &self.slots).0;
        let high = last.interval((0, 0), &self.slots).1;
        if low > high {
            return Some(None);
        }
        if low.abs() > LARGEST || high.abs() > LARGEST {
            return None;
        }
        let dimensions = self.launched.mps.len();
        for bound in [from, to] {
            let [outer, own] = bound.steps(dimensions);
            self.is_narrow |= own != 0;
            self.is_flat |= outer != 0;
        }
        let slot = self.slots.len();
        self.slots.push((low as i64, high as i64));
        self.bind(variable, Bound::Form(Form::slot(slot)));
        let mut inner = Block {
            operations: 1,
            steps: Vec::new(),
        };
        self.block(body, &mut inner)?;
        Some(Some(fuse::fuse(Loop {
            slot,
            from: from.clone(),
            to: to.clone(),
            down,
            body: inner,
        })))
    }
}
