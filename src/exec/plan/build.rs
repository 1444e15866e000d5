//! From the compiled form to the plan, or to `None` where a kernel does not fit.

use crate::check::program::{Arithmetic, Kernel, ParamId, Program, VarId};
use crate::exec::compile::{self, Access, Action, Code, Operand, WrapperStep};
use crate::exec::eval::Connectives;
use crate::exec::lanes::{self, Buffers, Mask};
use crate::exec::plan::form::{Form, Interval};
use crate::exec::plan::races::{self, Touch};
use crate::exec::plan::{
    At, Block, Floats, GlobalArray, Ints, Loop, Place, Plan, Reach, SharedArray, Step, Truths,
    Value, fuse,
};
use crate::exec::value::{self, Value as Known};
use crate::exec::vector::{Cores, Register, Words};
use crate::syntax::ast::Comparison;

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
const LARGEST: i128 = 1 << 60;

/// What a launch knows about its kernel.
pub(in crate::exec) struct Launched<'a> {
    pub program: &'a Program,
    pub kernel: &'a Kernel,
    pub values: &'a [Option<Known>],
    pub extents: &'a [Vec<usize>],
    /// b
    pub cores: usize,
    /// First number and how many of them, of each dimension of the MPs.
    pub mps: &'a [(i64, u64)],
}

/// The plan of a kernel, where it has one.
pub(in crate::exec) fn plan(launched: &Launched<'_>, code: &Code<'_>) -> Option<Plan> {
    let program = launched.program;
    let shared: Vec<SharedArray> = (launched.kernel.names_shared.iter())
        .map(|&variable| SharedArray {
            variable,
            word_type: program.variable(variable).word_type,
            words: launched.extents[variable.0 as usize].iter().product(),
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
            values: launched.values,
            words: NoWords,
            buffers: Buffers::new(launched.cores),
            conflicts: 0,
            connectives: Connectives::BothSides,
        },
        everyone: Mask::Range(0, launched.cores),
        active: (0, launched.cores as i64 - 1),
        slots: Vec::new(),
        registers: 0,
        touches: Vec::new(),
        reaches: Vec::new(),
        statements: 0,
        effort: 0,
        reads: 0,
        uneven: 0,
        is_narrow: false,
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
        registers: builder.registers,
        widest: if builder.is_narrow { 1 } else { widest },
        accesses: builder.reaches,
        shared: builder.shared,
        global: builder.global,
    })
}

/// What a parameter stands for.
#[derive(Debug, Clone)]
enum Bound {
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
struct NoWords;

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

struct Builder<'a> {
    launched: &'a Launched<'a>,
    shared: Vec<SharedArray>,
    global: Vec<GlobalArray>,
    /// By parameter id.
    bound: Vec<Bound>,
    /// Evaluates what is the same in all MPs.
    known: Cores<'a, NoWords>,
    everyone: Mask,
    /// First and last core that may be active here.
    active: (i64, i64),
    /// First and last value of each slot.
    slots: Vec<(i64, i64)>,
    registers: usize,
    touches: Vec<Touch>,
    reaches: Vec<Reach>,
    /// In the plan.
    statements: u32,
    /// Looked at, those included that were taken back.
    effort: u32,
    /// Operands of data met.
    reads: u32,
    /// Quantities of parameters met that are neither even nor the same in all MPs, so that they
    /// would be worked out for every core.
    uneven: u32,
    /// Whether MPs have to run one by one.
    is_narrow: bool,
}

/// What an attempt at a loop leaves behind, to be taken back.
#[derive(Clone)]
struct Traces {
    touches: Vec<Touch>,
    reaches: Vec<Reach>,
    slots: Vec<(i64, i64)>,
    active: (i64, i64),
    registers: usize,
    statements: u32,
    uneven: u32,
    is_narrow: bool,
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
                let own = match self.launched.cores {
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
        self.registers += 1;
        self.registers - 1
    }

    fn block(&mut self, body: &[compile::Step<'_>], into: &mut Block) -> Option<()> {
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
        let rolled = self.rolled(*variable, (&from, &to), *down, body);
        let after = self.traces();
        let in_loop = after.uneven - before.uneven;
        if rolled.is_some() && (in_loop == 0 || self.effort > MOST_EFFORT) {
            into.steps.extend(rolled.flatten());
            return Some(());
        }
        // Once its variable is known, an uneven quantity may be a number.
        self.take_back(before.clone());
        if let Some((block, trips)) = self.written_out(*variable, (&from, &to), *down, body) {
            let uneven = self.uneven - before.uneven;
            if rolled.is_none() || u64::from(uneven) < u64::from(in_loop) * trips {
                into.operations += block.operations;
                into.steps.extend(block.steps);
                return Some(());
            }
        }
        self.take_back(after);
        into.steps.extend(rolled?);
        Some(())
    }

    /// All iterations one after the other, and how many there are.
    fn written_out(
        &mut self,
        variable: ParamId,
        (from, to): (&Form, &Form),
        down: bool,
        body: &[compile::Step<'_>],
    ) -> Option<(Block, u64)> {
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
        Some((block, trips as u64))
    }

    fn traces(&self) -> Traces {
        Traces {
            touches: self.touches.clone(),
            reaches: self.reaches.clone(),
            slots: self.slots.clone(),
            active: self.active,
            registers: self.registers,
            statements: self.statements,
            uneven: self.uneven,
            is_narrow: self.is_narrow,
        }
    }

    fn take_back(&mut self, traces: Traces) {
        self.touches = traces.touches;
        self.reaches = traces.reaches;
        self.slots = traces.slots;
        self.active = traces.active;
        self.registers = traces.registers;
        self.statements = traces.statements;
        self.uneven = traces.uneven;
        self.is_narrow = traces.is_narrow;
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
        let own = self.launched.mps.len() - 1;
        if from.factor(own) != 0 || to.factor(own) != 0 {
            self.is_narrow = true;
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

    fn shared_place(&mut self, access: &Access) -> Option<Place> {
        self.reads += 1;
        let array = self
            .shared
            .iter()
            .position(|array| array.variable == access.variable)?;
        let words = self.shared[array].words as i64;
        let mut at = self.at(access)?;
        if let At::Line { step, .. } = &mut at {
            *step += words;
        }
        Some(Place {
            array,
            variable: access.variable,
            at,
        })
    }

    fn global_place(&mut self, access: &Access, writes: bool) -> Option<Place> {
        let known = self
            .global
            .iter()
            .position(|array| array.variable == access.variable);
        let array = known.unwrap_or_else(|| {
            self.global.push(GlobalArray {
                variable: access.variable,
                is_read: false,
                is_written: false,
                may_race: false,
            });
            self.global.len() - 1
        });
        self.global[array].is_read |= !writes;
        self.global[array].is_written |= writes;
        let place = Place {
            array,
            variable: access.variable,
            at: self.at(access)?,
        };
        self.touch(access, &place, writes);
        Some(place)
    }

    fn touch(&mut self, access: &Access, place: &Place, writes: bool) {
        let array = place.array;
        let mut touch = Touch {
            array,
            writes,
            indices: None,
        };
        if let At::Line { offset, .. } = &place.at {
            let forms = access.dimensions.iter().map(|(index, ..)| self.form(index));
            let forms: Option<Vec<Form>> = forms.collect();
            touch.indices = forms.map(|forms| {
                forms
                    .into_iter()
                    .map(|form| self.factors_and_rest(form))
                    .collect()
            });
            self.reaches.push(Reach {
                array,
                offset: offset.clone(),
                cores: self.active,
                slots: self.slots.clone(),
            });
        }
        self.touches.push(touch);
    }

    /// The factors of the MP indices, and what everything else comes to.
    fn factors_and_rest(&self, mut form: Form) -> (Vec<i64>, Interval) {
        let dimensions = self.launched.mps.len();
        let factors = (0..dimensions).map(|slot| form.factor(slot)).collect();
        form.terms.retain(|(_, slot)| *slot >= dimensions);
        (factors, form.interval(self.active, &self.slots))
    }

    fn at(&mut self, access: &Access) -> Option<At> {
        let forms = access.dimensions.iter().map(|(index, ..)| self.form(index));
        let forms: Option<Vec<Form>> = forms.collect();
        let Some(forms) = forms else {
            let indices = access.dimensions.iter().map(|(index, extent, stride)| {
                let index = self.ints(index)?;
                Some((index, *extent, *stride))
            });
            return Some(At::Each(indices.collect::<Option<_>>()?));
        };
        let mut offset = Form::default();
        let mut checked = Vec::new();
        for (form, (_, extent, stride)) in forms.into_iter().zip(&access.dimensions) {
            let (low, high) = self.bounded(&form)?;
            offset = offset.plus(*stride, &form)?;
            if low < 0 || high >= i128::from(*extent) {
                checked.push((form, *extent));
            }
        }
        self.bounded(&offset)?;
        let banks = self.launched.cores;
        let stride = (offset.core.unsigned_abs() % banks as u64) as usize;
        Some(At::Line {
            period: banks / num_integer::gcd(stride, banks).max(1),
            step: offset.factor(self.launched.mps.len() - 1),
            offset,
            checked,
        })
    }

    /// The interval of a form, where it is far from the end of a word.
    fn bounded(&self, form: &Form) -> Option<Interval> {
        let everyone = (0, self.launched.cores as i64 - 1);
        let (low, high) = form.interval(everyone, &self.slots);
        if low < -LARGEST || high > LARGEST {
            return None;
        }
        // Where only some cores are ever active, only they count.
        Some(form.interval(self.active, &self.slots))
    }

    /// A quantity of parameters as a form.
    fn form(&self, node: &compile::Ints) -> Option<Form> {
        match node {
            compile::Ints::Constant(value) => Some(Form::constant(*value)),
            compile::Ints::Register(parameter) => self.parameter(*parameter),
            compile::Ints::Linear {
                constant, terms, ..
            } => {
                let start = Form::constant(*constant);
                terms.iter().try_fold(start, |sum, (factor, parameter)| {
                    sum.plus(*factor, &self.parameter(*parameter)?)
                })
            }
            compile::Ints::Straight(node) => self.form(node),
            compile::Ints::Binary(operator, left, right) => {
                self.combined(*operator, self.form(left)?, self.form(right)?)
            }
            compile::Ints::CeilQuotient(left, right) => {
                let (left, right) = (self.form(left)?, self.form(right)?);
                // ⌈x/y⌉ = ⌊(x + y − 1)/y⌋
                let divisor = right.as_constant().filter(|&divisor| divisor > 0)?;
                let raised = left.plus(1, &Form::constant(divisor - 1))?;
                self.combined(Arithmetic::FloorDivide, raised, right)
            }
            compile::Ints::Minimum(nodes) => self.extreme(nodes, false),
            compile::Ints::Maximum(nodes) => self.extreme(nodes, true),
            compile::Ints::Read(_)
            | compile::Ints::Absolute(_)
            | compile::Ints::Select(..)
            | compile::Ints::Bits(..)
            | compile::Ints::Bracket(_)
            | compile::Ints::FloorOf(_)
            | compile::Ints::CeilOf(_)
            | compile::Ints::Opaque => None,
        }
    }

    fn parameter(&self, parameter: ParamId) -> Option<Form> {
        match &self.bound[parameter.0 as usize] {
            Bound::Form(form) => Some(form.clone()),
            Bound::Table(_) | Bound::Ints(_) | Bound::Floats(_) => None,
            Bound::Nothing => match self.launched.values[parameter.0 as usize] {
                Some(Known::Whole(whole)) => Some(Form::constant(whole)),
                Some(Known::Exact(_) | Known::Float(_) | Known::Truth(_)) | None => None,
            },
        }
    }

    fn combined(&self, operator: Arithmetic, left: Form, right: Form) -> Option<Form> {
        match operator {
            Arithmetic::Add => left.plus(1, &right),
            Arithmetic::Subtract => left.plus(-1, &right),
            Arithmetic::Multiply => match (left.as_constant(), right.as_constant()) {
                (_, Some(factor)) => left.times(factor),
                (Some(factor), None) => right.times(factor),
                (None, None) => None,
            },
            Arithmetic::Divide => left.over(right.as_constant()?),
            Arithmetic::FloorDivide | Arithmetic::Modulo => {
                let divisor = right.as_constant()?;
                if let Some(constant) = left.as_constant() {
                    let result = match operator {
                        Arithmetic::Modulo => value::floor_remainder(constant, divisor),
                        _ => value::floor_quotient(constant, divisor),
                    };
                    return result.map(Form::constant);
                }
                let (quotient, rest) = left.split(divisor)?;
                let everyone = (0, self.launched.cores as i64 - 1);
                let (low, high) = rest.interval(everyone, &self.slots);
                if low < 0 || high >= divisor.into() {
                    return None;
                }
                Some(if operator == Arithmetic::Modulo {
                    rest
                } else {
                    quotient
                })
            }
            Arithmetic::Power => {
                let exponent = u32::try_from(right.as_constant()?).ok()?;
                let power = left.as_constant()?.checked_pow(exponent)?;
                Some(Form::constant(power))
            }
        }
    }

    /// The least or greatest of several forms, where one always is.
    fn extreme(&self, nodes: &[compile::Ints], greatest: bool) -> Option<Form> {
        let everyone = (0, self.launched.cores as i64 - 1);
        let mut best: Option<Form> = None;
        for node in nodes {
            let next = self.form(node)?;
            best = Some(match best {
                None => next,
                Some(best) => {
                    let (low, high) = next.plus(-1, &best)?.interval(everyone, &self.slots);
                    match (greatest, low >= 0, high <= 0) {
                        (true, true, _) | (false, _, true) => next,
                        (true, _, true) | (false, true, _) => best,
                        (_, false, false) => return None,
                    }
                }
            });
        }
        best
    }

    fn ints(&mut self, node: &compile::Ints) -> Option<Ints> {
        if let Some(form) = self.form(node) {
            self.bounded(&form)?;
            return Some(Ints::Form(form));
        }
        // Of what is the same in all MPs.
        if let Some(known) = self.known.ints(node, &self.everyone) {
            return Some(match known {
                lanes::Ints::Lanes(table) => Ints::Table(table),
                lanes::Ints::Uniform(constant) => Ints::Form(Form::constant(constant)),
                lanes::Ints::Affine { base, stride } => Ints::Form(Form {
                    constant: base,
                    core: stride,
                    terms: Vec::new(),
                }),
            });
        }
        let reads = self.reads;
        let value = self.ints_of_data(node)?;
        if self.reads == reads {
            self.uneven += 1;
        }
        Some(value)
    }

    /// A quantity that is worked out for every core.
    fn ints_of_data(&mut self, node: &compile::Ints) -> Option<Ints> {
        let boxed = |builder: &mut Self, node: &compile::Ints| builder.ints(node).map(Box::new);
        Some(match node {
            compile::Ints::Constant(_) | compile::Ints::Opaque => return None,
            compile::Ints::Register(parameter) => match self.bound[parameter.0 as usize] {
                Bound::Ints(register) => {
                    self.reads += 1;
                    Ints::Register(register)
                }
                Bound::Nothing | Bound::Form(_) | Bound::Table(_) | Bound::Floats(_) => {
                    return None;
                }
            },
            compile::Ints::Straight(written) | compile::Ints::Linear { written, .. } => {
                self.ints(written)?
            }
            compile::Ints::Read(access) => Ints::Read(self.shared_place(access)?),
            compile::Ints::Absolute(of) => Ints::Absolute(boxed(self, of)?),
            compile::Ints::Binary(operator, left, right) => {
                Ints::Binary(*operator, boxed(self, left)?, boxed(self, right)?)
            }
            compile::Ints::CeilQuotient(left, right) => {
                Ints::CeilQuotient(boxed(self, left)?, boxed(self, right)?)
            }
            compile::Ints::Minimum(nodes) => Ints::Minimum(self.all_ints(nodes)?),
            compile::Ints::Maximum(nodes) => Ints::Maximum(self.all_ints(nodes)?),
            compile::Ints::Select(condition, then, otherwise) => {
                let condition = Box::new(self.truths(condition)?);
                Ints::Select(condition, boxed(self, then)?, boxed(self, otherwise)?)
            }
            compile::Ints::Bits(function, left, right) => {
                Ints::Bits(*function, boxed(self, left)?, boxed(self, right)?)
            }
            compile::Ints::Bracket(of) => Ints::Bracket(Box::new(self.truths(of)?)),
            compile::Ints::FloorOf(of) => Ints::FloorOf(Box::new(self.floats(of)?)),
            compile::Ints::CeilOf(of) => Ints::CeilOf(Box::new(self.floats(of)?)),
        })
    }

    fn all_ints(&mut self, nodes: &[compile::Ints]) -> Option<Vec<Ints>> {
        nodes.iter().map(|node| self.ints(node)).collect()
    }

    fn all_floats(&mut self, nodes: &[compile::Floats]) -> Option<Vec<Floats>> {
        nodes.iter().map(|node| self.floats(node)).collect()
    }

    fn floats(&mut self, node: &compile::Floats) -> Option<Floats> {
        let boxed = |builder: &mut Self, node: &compile::Floats| builder.floats(node).map(Box::new);
        Some(match node {
            compile::Floats::Constant(value) => Floats::Constant(*value),
            compile::Floats::Register(parameter) => match self.bound[parameter.0 as usize] {
                Bound::Floats(register) => {
                    self.reads += 1;
                    Floats::Register(register)
                }
                Bound::Nothing | Bound::Form(_) | Bound::Table(_) | Bound::Ints(_) => return None,
            },
            compile::Floats::Read(access) => Floats::Read(self.shared_place(access)?),
            compile::Floats::OfInts(node) => Floats::OfInts(self.ints(node)?),
            // Rare, and exact only with care.
            compile::Floats::Quotient(..) => return None,
            compile::Floats::Negate(of) => Floats::Negate(boxed(self, of)?),
            compile::Floats::Absolute(of) => Floats::Absolute(boxed(self, of)?),
            compile::Floats::Binary(operator, left, right) => {
                Floats::Binary(*operator, boxed(self, left)?, boxed(self, right)?)
            }
            compile::Floats::Minimum(nodes) => Floats::Minimum(self.all_floats(nodes)?),
            compile::Floats::Maximum(nodes) => Floats::Maximum(self.all_floats(nodes)?),
            compile::Floats::Select(condition, then, otherwise) => {
                let condition = Box::new(self.truths(condition)?);
                Floats::Select(condition, boxed(self, then)?, boxed(self, otherwise)?)
            }
            compile::Floats::Math(function, of) => Floats::Math(*function, boxed(self, of)?),
            compile::Floats::Log(base, argument) => {
                Floats::Log(boxed(self, base)?, boxed(self, argument)?)
            }
        })
    }

    fn truths(&mut self, node: &compile::Truths) -> Option<Truths> {
        if let Some(known) = self.known.truths(node, &self.everyone) {
            return Some(Truths::Cores(known));
        }
        Some(match node {
            compile::Truths::Constant(truth) => Truths::Cores(lanes::Truths::Uniform(*truth)),
            compile::Truths::Order(operator, left, right) => self.order(*operator, left, right)?,
            compile::Truths::Chain(operands, operators) => self.chain(operands, operators)?,
            compile::Truths::Connect { and, left, right } => Truths::Connect {
                and: *and,
                left: Box::new(self.truths(left)?),
                right: Box::new(self.truths(right)?),
            },
            compile::Truths::Not(of) => Truths::Not(Box::new(self.truths(of)?)),
        })
    }

    fn order(
        &mut self,
        operator: Comparison,
        left: &compile::Ints,
        right: &compile::Ints,
    ) -> Option<Truths> {
        if operator == Comparison::PowerOf {
            return None;
        }
        Some(match (self.ints(left)?, self.ints(right)?) {
            (Ints::Form(left), Ints::Form(right)) if operator != Comparison::Divides => {
                let difference = left.plus(-1, &right)?;
                self.bounded(&difference)?;
                match self.decided(operator, &difference) {
                    Some(truth) => Truths::Cores(lanes::Truths::Uniform(truth)),
                    None => Truths::Order(operator, left, right),
                }
            }
            (left, right) => {
                let is_data = |value: &Ints| !matches!(value, Ints::Form(_) | Ints::Table(_));
                self.uneven += u32::from(!is_data(&left) && !is_data(&right));
                Truths::Ints(operator, left, right)
            }
        })
    }

    /// What a comparison with 0 comes to for all cores, MPs and iterations alike.
    fn decided(&self, operator: Comparison, difference: &Form) -> Option<bool> {
        let everyone = (0, self.launched.cores as i64 - 1);
        let (low, high) = difference.interval(everyone, &self.slots);
        match operator {
            Comparison::Less if high < 0 => Some(true),
            Comparison::Less if low >= 0 => Some(false),
            Comparison::AtMost if high <= 0 => Some(true),
            Comparison::AtMost if low > 0 => Some(false),
            Comparison::Greater if low > 0 => Some(true),
            Comparison::Greater if high <= 0 => Some(false),
            Comparison::AtLeast if low >= 0 => Some(true),
            Comparison::AtLeast if high < 0 => Some(false),
            Comparison::Equal if low > 0 || high < 0 => Some(false),
            Comparison::NotEqual if low > 0 || high < 0 => Some(true),
            Comparison::Less
            | Comparison::AtMost
            | Comparison::Greater
            | Comparison::AtLeast
            | Comparison::Equal
            | Comparison::NotEqual
            | Comparison::Divides
            | Comparison::PowerOf => None,
        }
    }

    /// A chain as its comparisons, where no operand in the middle reads anything: such an operand
    /// is evaluated once, and its conflicts are counted once.
    fn chain(&mut self, operands: &[Operand], operators: &[Comparison]) -> Option<Truths> {
        let mut all: Option<Truths> = None;
        for (at, operator) in operators.iter().enumerate() {
            let truths = match (&operands[at], &operands[at + 1]) {
                (Operand::Ints(left), Operand::Ints(right)) => {
                    self.order(*operator, left, right)?
                }
                (Operand::Floats(_), Operand::Floats(_))
                    if matches!(operator, Comparison::Divides | Comparison::PowerOf) =>
                {
                    return None;
                }
                (Operand::Floats(left), Operand::Floats(right)) => {
                    Truths::Floats(*operator, self.floats(left)?, self.floats(right)?)
                }
                (Operand::Ints(_), Operand::Floats(_)) | (Operand::Floats(_), Operand::Ints(_)) => {
                    return None;
                }
            };
            all = Some(match all {
                None => truths,
                Some(all) => Truths::Connect {
                    and: true,
                    left: Box::new(all),
                    right: Box::new(truths),
                },
            });
        }
        let middle = &operands[1..operands.len() - 1];
        let reads = |operand: &Operand| match operand {
            Operand::Ints(node) => self.form(node).is_none(),
            Operand::Floats(node) => !matches!(node, compile::Floats::Constant(_)),
        };
        if middle.iter().any(reads) {
            return None;
        }
        all
    }
}
