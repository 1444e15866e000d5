//! One MP executing a kernel: its cores in lockstep, statement by statement.
//!
//! Each statement is tried in its fast form. When that gives `None` it has changed nothing that
//! matters, and the reference form ([`exact`](super::exact)) executes the statement instead.

use crate::check::program::{Arithmetic, AtomicOperator, BitFunction, ParamId, Program, StmtKind};
use crate::exec::compile::{self, Access, Action, Operand, Step, WrapperStep};
use crate::exec::error::{Error, Place, Result};
use crate::exec::global::{Global, Stamp, blocks, take_floats, take_ints};
use crate::exec::kernel::Launch;
use crate::exec::lanes::{Buffers, Floats, Ints, Mask, Truths};
use crate::exec::shared::Shared;
use crate::exec::value::{self, Value};
use crate::exec::{MOST_TRACE_LINES, TraceLine, exact};
use crate::syntax::ast::WordType;

/// What a parameter holds in the cores of an MP.
#[derive(Debug, Clone, Default)]
pub(super) enum Register {
    /// Nothing here; the host may have bound it.
    #[default]
    Unset,
    /// Whole numbers.
    Ints(Ints),
    /// Floats.
    Floats(Floats),
    /// Anything else, the same for all cores.
    Same(Value),
    /// Anything else, one per core.
    Each(Vec<Value>),
}

/// What MPs counted.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    /// t of the MP that runs.
    pub time: u64,
    /// The largest t so far.
    pub most_time: u64,
    /// Σ (degree − 1)
    pub conflicts: u128,
    /// Blocks read and written, by variable id.
    pub blocks: Vec<(u128, u128)>,
    /// Operations × active cores.
    pub lane_operations: u128,
}

/// How much may happen between two looks at the progress callback.
const BUDGET: i64 = 1 << 18;

/// An MP that executes one MP's share of a kernel after the other.
pub(super) struct Mp<'a> {
    pub launch: &'a Launch<'a>,
    pub global: &'a mut Global,
    /// The numbers of the MP that runs.
    pub numbers: Vec<i64>,
    pub stamp: Stamp,
    pub registers: Vec<Register>,
    pub shared: Shared,
    pub buffers: Buffers,
    pub tally: Tally,
    /// Conflicts and blocks of the statement in progress.
    pub conflicts: u64,
    pub blocks: u64,
    /// Statements of the MP that is traced, while it runs.
    pub trace: Option<Vec<TraceLine>>,
    /// Statements to be executed by reference whatever their fast form says.
    pub by_reference: bool,
    budget: i64,
    mps_done: u64,
}

impl<'a> Mp<'a> {
    /// An MP for the kernel of a launch.
    pub fn new(launch: &'a Launch<'a>, global: &'a mut Global) -> Mp<'a> {
        let program = launch.program;
        Mp {
            numbers: Vec::new(),
            stamp: launch.stamps.of(0),
            registers: vec![Register::Unset; program.parameters.len()],
            shared: Shared::new(
                &launch.kernel.names_shared,
                |variable| program.variable(variable).word_type,
                launch.extents,
                launch.cores,
            ),
            buffers: Buffers::new(launch.cores),
            tally: Tally {
                blocks: vec![(0, 0); program.variables.len()],
                ..Tally::default()
            },
            conflicts: 0,
            blocks: 0,
            trace: None,
            by_reference: launch.by_reference,
            budget: BUDGET,
            mps_done: 0,
            launch,
            global,
        }
    }

    pub fn program(&self) -> &'a Program {
        self.launch.program
    }

    /// Where a fault happens.
    pub fn place(&self, core: Option<usize>) -> Place {
        Place {
            mp: self.numbers.clone(),
            core,
        }
    }

    /// Executes the share of the MP with these numbers.
    pub fn run(&mut self, serial: u64, numbers: &[i64]) -> Result<()> {
        let launch = self.launch;
        self.numbers.clear();
        self.numbers.extend_from_slice(numbers);
        self.stamp = launch.stamps.of(serial);
        self.shared.forget();
        self.tally.time = 0;
        for (range, number) in launch.kernel.mps.iter().zip(numbers) {
            self.set_ints(range.parameter, Ints::Uniform(*number));
        }
        let everyone = Mask::Range(0, launch.cores);
        for step in &launch.code.body {
            match step {
                WrapperStep::Let {
                    binding,
                    operations,
                    value,
                } => {
                    if !self.try_let(binding.parameter, value, &everyone) {
                        let value = exact::wrapper_let(self, binding)?;
                        self.set(binding.parameter, value);
                    }
                    // A register: its shared reads are not possible here, so no conflicts.
                    self.pay(*operations, launch.cores);
                }
                WrapperStep::Cores { cores, body } => {
                    let indices = self.core_indices();
                    self.set_ints(cores.core, indices);
                    if !everyone.is_empty() {
                        self.block(body, &everyone)?;
                    }
                }
            }
        }
        self.tally.most_time = self.tally.most_time.max(self.tally.time);
        self.mps_done += 1;
        self.spend(0)
    }

    fn core_indices(&self) -> Ints {
        if self.launch.cores > 1 {
            Ints::Affine { base: 0, stride: 1 }
        } else {
            Ints::Uniform(0)
        }
    }

    fn try_let(&mut self, parameter: ParamId, value: &Operand, mask: &Mask) -> bool {
        if self.by_reference {
            return false;
        }
        match value {
            Operand::Ints(value) => match self.ints(value, mask) {
                Some(ints) => self.set_ints(parameter, ints),
                None => return false,
            },
            Operand::Floats(value) => match self.floats(value, mask) {
                Some(floats) => self.set(parameter, Register::Floats(floats)),
                None => return false,
            },
        }
        true
    }

    /// Binds a parameter.
    pub fn set(&mut self, parameter: ParamId, register: Register) {
        let slot = &mut self.registers[parameter.0 as usize];
        match std::mem::replace(slot, register) {
            Register::Ints(ints) => self.buffers.free(ints),
            Register::Floats(floats) => self.buffers.free_floats(floats),
            Register::Unset | Register::Same(_) | Register::Each(_) => {}
        }
    }

    fn set_ints(&mut self, parameter: ParamId, ints: Ints) {
        self.set(parameter, Register::Ints(ints));
    }

    fn pay(&mut self, operations: u64, active: usize) {
        self.tally.time += operations;
        self.tally.lane_operations += u128::from(operations) * active as u128;
    }

    /// Notes work done, and asks now and then whether to go on.
    pub fn spend(&mut self, work: i64) -> Result<()> {
        self.budget -= work + 8;
        if self.budget < 0 {
            self.budget = BUDGET;
            let done = std::mem::take(&mut self.mps_done);
            return self.launch.advance(done);
        }
        Ok(())
    }

    fn block(&mut self, body: &[Step<'a>], mask: &Mask) -> Result<()> {
        for step in body {
            self.spend(mask.count() as i64)?;
            self.conflicts = 0;
            self.blocks = 0;
            match &step.action {
                Action::If { condition, body } => {
                    let truths = self.condition(step, condition, mask)?;
                    self.settle(step, step.operations, mask);
                    let inner = mask.narrow(&truths);
                    if !inner.is_empty() {
                        self.block(body, &inner)?;
                    }
                }
                Action::For { .. } => self.counted_loop(step, mask)?,
                Action::While { .. } => self.open_loop(step, mask)?,
                Action::Load { .. }
                | Action::Store { .. }
                | Action::AssignInts { .. }
                | Action::AssignFloats { .. }
                | Action::Atomic { .. }
                | Action::LetInts(..)
                | Action::LetFloats(..) => {
                    let times = match self.fast(&step.action, mask) {
                        Some(times) => times,
                        None => {
                            self.conflicts = 0;
                            self.blocks = 0;
                            self.spend(64 * mask.count() as i64)?;
                            exact::statement(self, step.stmt, mask)?
                        }
                    };
                    self.settle(step, step.operations * times, mask);
                }
            }
        }
        Ok(())
    }

    /// Adds what a statement cost to the counts.
    fn settle(&mut self, step: &Step<'a>, operations: u64, mask: &Mask) {
        self.pay(operations, mask.count());
        self.tally.conflicts += u128::from(self.conflicts);
        if self.trace.is_some() {
            self.record(step, operations, mask.count());
        }
        match &step.action {
            Action::Load { source, .. } => {
                self.tally.blocks[source.variable.0 as usize].0 += u128::from(self.blocks);
            }
            Action::Store { target, .. } => {
                self.tally.blocks[target.variable.0 as usize].1 += u128::from(self.blocks);
            }
            Action::AssignInts { .. }
            | Action::AssignFloats { .. }
            | Action::Atomic { .. }
            | Action::LetInts(..)
            | Action::LetFloats(..)
            | Action::If { .. }
            | Action::For { .. }
            | Action::While { .. } => {}
        }
    }

    fn record(&mut self, step: &Step<'a>, operations: u64, active: usize) {
        let (conflicts, blocks) = (self.conflicts, self.blocks);
        let launch = self.launch;
        let Some(trace) = &mut self.trace else { return };
        if trace.len() >= MOST_TRACE_LINES {
            return;
        }
        let text = launch.program.source.slice(step.stmt.span);
        trace.push(TraceLine {
            round: launch.round,
            line: launch.program.line(step.stmt.span),
            text: text.lines().next().unwrap_or("").trim().to_owned(),
            active: active as u64,
            operations,
            blocks,
            conflicts,
        });
    }

    fn condition(
        &mut self,
        step: &Step<'a>,
        condition: &compile::Truths,
        mask: &Mask,
    ) -> Result<Truths> {
        self.conflicts = 0;
        if !self.by_reference
            && let Some(truths) = self.truths(condition, mask)
        {
            return Ok(truths);
        }
        self.conflicts = 0;
        self.spend(64 * mask.count() as i64)?;
        exact::condition(self, step.stmt, mask)
    }

    fn counted_loop(&mut self, step: &Step<'a>, mask: &Mask) -> Result<()> {
        let Action::For {
            variable,
            from,
            to,
            down,
            body,
        } = &step.action
        else {
            unreachable!("called for loops");
        };
        let bounds = match self.by_reference {
            true => None,
            false => self.pair(from, to, mask),
        };
        let (mut at, to) = match bounds {
            Some(bounds) => bounds,
            None => {
                self.conflicts = 0;
                exact::bounds(self, step.stmt, mask)?
            }
        };
        self.settle(step, step.operations, mask);
        self.conflicts = 0;

        use crate::syntax::ast::Comparison::{AtLeast, AtMost, Greater, Less};
        let (enters, goes_on) = if *down {
            (AtLeast, Greater)
        } else {
            (AtMost, Less)
        };
        let mut active = mask.narrow(&self.order(mask, enters, &at, &to));
        while !active.is_empty() {
            self.spend(0)?;
            self.conflicts = 0;
            self.pay(1, active.count());
            if self.trace.is_some() {
                self.blocks = 0;
                self.record(step, 1, active.count());
            }
            let value = self.copy(&at);
            self.set_ints(*variable, value);
            self.block(body, &active)?;
            let truths = self.order(&active, goes_on, &at, &to);
            active = active.narrow(&truths);
            at = self.buffers.step(&active, at, *down);
        }
        self.buffers.free(at);
        self.buffers.free(to);
        Ok(())
    }

    fn order(
        &mut self,
        mask: &Mask,
        operator: crate::syntax::ast::Comparison,
        left: &Ints,
        right: &Ints,
    ) -> Truths {
        self.buffers
            .compare(mask, operator, left, right)
            .expect("orders of ints always have a truth")
    }

    fn open_loop(&mut self, step: &Step<'a>, mask: &Mask) -> Result<()> {
        let (
            Action::While {
                condition,
                at_most,
                body,
            },
            StmtKind::While {
                at_most: bound_expr,
                ..
            },
        ) = (&step.action, &step.stmt.kind)
        else {
            unreachable!("called for loops");
        };
        let bound = match (at_most, bound_expr) {
            (Some(bound), Some(expr)) => {
                let fast = match self.by_reference {
                    true => None,
                    false => self.ints(bound, mask),
                };
                Some(match fast {
                    Some(bound) => bound,
                    None => exact::at_most(self, expr, mask)?,
                })
            }
            _ => None,
        };
        let mut active = mask.clone();
        let mut iteration: i64 = 0;
        loop {
            self.spend(active.count() as i64)?;
            self.blocks = 0;
            let truths = self.condition(step, condition, &active)?;
            self.settle(step, step.operations, &active);
            active = active.narrow(&truths);
            if active.is_empty() {
                break;
            }
            iteration += 1;
            if let Some(bound) = &bound
                && let Some(core) = active.iter().find(|&core| bound.at(core) < iteration)
            {
                return Err(Box::new(Error::BoundExceeded {
                    iteration: iteration.to_string(),
                    bound: bound.at(core).to_string(),
                    place: self.place(Some(core)),
                    span: step.stmt.span,
                }));
            }
            self.block(body, &active)?;
        }
        if let Some(bound) = bound {
            self.buffers.free(bound);
        }
        Ok(())
    }

    /// The fast form of a statement: how often its operations count.
    fn fast(&mut self, action: &Action<'a>, mask: &Mask) -> Option<u64> {
        if self.by_reference {
            return None;
        }
        match action {
            Action::Load { target, source } => self.load(target, source, mask)?,
            Action::Store { target, source } => self.store(target, source, mask)?,
            Action::AssignInts { target, value } => {
                let values = self.ints(value, mask)?;
                let offsets = self.offsets(target, mask)?;
                self.write_ints(target, &offsets, mask, &values)?;
                self.buffers.free(values);
                self.buffers.free(offsets);
            }
            Action::AssignFloats { target, value } => {
                let values = self.floats(value, mask)?;
                let offsets = self.offsets(target, mask)?;
                self.write_floats(target, &offsets, mask, &values)?;
                self.buffers.free_floats(values);
                self.buffers.free(offsets);
            }
            Action::Atomic {
                target,
                operator,
                operands,
            } => return self.atomic(target, *operator, operands, mask),
            Action::LetInts(parameter, value) => {
                let values = self.ints(value, mask)?;
                self.set_ints(*parameter, values);
            }
            Action::LetFloats(parameter, value) => {
                let values = self.floats(value, mask)?;
                self.set(*parameter, Register::Floats(values));
            }
            Action::If { .. } | Action::For { .. } | Action::While { .. } => {
                unreachable!("blocks are no single statements")
            }
        }
        Some(1)
    }

    fn write_ints(
        &mut self,
        target: &Access,
        offsets: &Ints,
        mask: &Mask,
        values: &Ints,
    ) -> Option<()> {
        let admitted = self.launch.admitted[target.variable.0 as usize].as_ref();
        self.conflicts += self.shared.conflict(target.variable, offsets, mask);
        self.shared
            .write_ints(target.variable, offsets, mask, values, admitted)
    }

    fn write_floats(
        &mut self,
        target: &Access,
        offsets: &Ints,
        mask: &Mask,
        values: &Floats,
    ) -> Option<()> {
        let admitted = self.launch.admitted[target.variable.0 as usize].as_ref();
        self.conflicts += self.shared.conflict(target.variable, offsets, mask);
        self.shared
            .write_floats(target.variable, offsets, mask, values, admitted)
    }

    fn load(&mut self, target: &Access, source: &Access, mask: &Mask) -> Option<()> {
        let from = self.offsets(source, mask)?;
        let to = self.offsets(target, mask)?;
        self.blocks = blocks(&from, mask, self.launch.cores);
        let data = self.global.load(source.variable, &from, mask, self.stamp)?;
        match target.word_type {
            WordType::Int => {
                let mut lanes = self.buffers.ints();
                take_ints(data, &from, mask, &mut lanes)?;
                let values = Ints::Lanes(lanes);
                self.write_ints(target, &to, mask, &values)?;
                self.buffers.free(values);
            }
            WordType::Float => {
                let mut lanes = self.buffers.floats();
                take_floats(data, &from, mask, &mut lanes);
                let values = Floats::Lanes(lanes);
                self.write_floats(target, &to, mask, &values)?;
                self.buffers.free_floats(values);
            }
        }
        self.buffers.free(from);
        self.buffers.free(to);
        Some(())
    }

    fn store(&mut self, target: &Access, source: &Access, mask: &Mask) -> Option<()> {
        let from = self.offsets(source, mask)?;
        let to = self.offsets(target, mask)?;
        self.blocks = blocks(&to, mask, self.launch.cores);
        self.conflicts += self.shared.conflict(source.variable, &from, mask);
        let admitted = self.launch.admitted[target.variable.0 as usize].as_ref();
        let ints = match source.word_type {
            WordType::Int => {
                Some(
                    self.shared
                        .read_ints(source.variable, &from, mask, &mut self.buffers)?,
                )
            }
            WordType::Float => None,
        };
        match (target.word_type, ints) {
            (WordType::Int, Some(ints)) => {
                if let Some(range) = admitted
                    && !mask.all(|core| range.admits_int(ints.at(core)))
                {
                    return None;
                }
                let lanes = self.lanes_of(ints);
                self.global
                    .store_words(target.variable, &to, mask, self.stamp, &lanes)?;
                self.buffers.free(Ints::Lanes(lanes));
            }
            (WordType::Int, None) => unreachable!("checked: floats do not become ints"),
            (WordType::Float, ints) => {
                let floats = match ints {
                    Some(ints) => self.buffers.to_floats(mask, ints),
                    None => {
                        self.shared
                            .read_floats(source.variable, &from, mask, &mut self.buffers)?
                    }
                };
                if let Some(range) = admitted
                    && !mask.all(|core| range.admits_float(floats.at(core)))
                {
                    return None;
                }
                let lanes = match floats {
                    Floats::Lanes(lanes) => lanes,
                    Floats::Uniform(value) => {
                        let mut lanes = self.buffers.floats();
                        lanes.fill(value);
                        lanes
                    }
                };
                self.global
                    .store_words(target.variable, &to, mask, self.stamp, &lanes)?;
                self.buffers.free_floats(Floats::Lanes(lanes));
            }
        }
        self.buffers.free(from);
        self.buffers.free(to);
        Some(())
    }

    fn lanes_of(&mut self, ints: Ints) -> Vec<i64> {
        match ints {
            Ints::Lanes(lanes) => lanes,
            Ints::Uniform(value) => {
                let mut lanes = self.buffers.ints();
                lanes.fill(value);
                lanes
            }
            Ints::Affine { .. } => {
                let mut lanes = self.buffers.ints();
                for (core, lane) in lanes.iter_mut().enumerate() {
                    *lane = ints.at(core);
                }
                lanes
            }
        }
    }

    fn atomic(
        &mut self,
        target: &Access,
        operator: AtomicOperator,
        operands: &[(bool, Operand)],
        mask: &Mask,
    ) -> Option<u64> {
        // The element's own indices are evaluated on the right and on the left.
        let right = self.offsets(target, mask)?;
        self.buffers.free(right);
        let mut ints = Vec::new();
        let mut floats = Vec::new();
        for (negated, operand) in operands {
            match operand {
                Operand::Ints(value) => ints.push((*negated, self.ints(value, mask)?)),
                Operand::Floats(value) => floats.push((*negated, self.floats(value, mask)?)),
            }
        }
        let offsets = self.offsets(target, mask)?;
        // Element and target: two operands on the same words.
        self.conflicts += 2 * self.shared.conflict(target.variable, &offsets, mask);
        let contention = self.shared.contention(target.variable, &offsets, mask);
        let admitted = self.launch.admitted[target.variable.0 as usize].as_ref();
        let store = self.shared.store_mut(target.variable);
        if store.unwritten > 0 && !mask.all(|core| store.written[offsets.at(core) as usize]) {
            return None;
        }
        let fine = match &mut store.data {
            super::Data::Int(words) => update(
                words,
                &offsets,
                mask,
                |word, core| {
                    ints.iter().try_fold(word, |word, (negated, operand)| {
                        combine_ints(operator, *negated, word, operand.at(core))
                    })
                },
                |word| admitted.is_none_or(|range| range.admits_int(word)),
            ),
            super::Data::Float(words) => update(
                words,
                &offsets,
                mask,
                |word, core| {
                    floats.iter().try_fold(word, |word, (negated, operand)| {
                        Some(combine_floats(operator, *negated, word, operand.at(core)))
                    })
                },
                |word| admitted.is_none_or(|range| range.admits_float(word)),
            ),
        };
        ints.into_iter()
            .for_each(|(_, ints)| self.buffers.free(ints));
        floats
            .into_iter()
            .for_each(|(_, floats)| self.buffers.free_floats(floats));
        self.buffers.free(offsets);
        fine.then_some(contention)
    }

    /// base and stride of an expression of constants and registers that has them.
    #[inline]
    fn line(&self, node: &compile::Ints) -> Option<(i64, i64)> {
        match node {
            compile::Ints::Constant(value) => Some((*value, 0)),
            compile::Ints::Register(parameter) => self.register_line(*parameter),
            compile::Ints::Linear {
                constant, terms, ..
            } => {
                let (mut base, mut stride) = (*constant, 0i64);
                for (factor, parameter) in terms {
                    let (b, s) = self.register_line(*parameter)?;
                    base = base.checked_add(b.checked_mul(*factor)?)?;
                    stride = stride.checked_add(s.checked_mul(*factor)?)?;
                }
                Some((base, stride))
            }
            _ => None,
        }
    }

    #[inline]
    fn register_line(&self, parameter: ParamId) -> Option<(i64, i64)> {
        match &self.registers[parameter.0 as usize] {
            Register::Ints(ints) => ints.line(),
            Register::Unset | Register::Floats(_) | Register::Same(_) | Register::Each(_) => None,
        }
    }

    /// The offsets of a word whose indices are all lines, each within its extent.
    #[inline]
    fn straight_offsets(&self, access: &Access, mask: &Mask) -> Option<Ints> {
        let (mut base, mut stride) = (0i64, 0i64);
        let (first, last) = (mask.first() as i64, mask.last() as i64);
        for (index, extent, step) in &access.dimensions {
            let (b, s) = self.line(index)?;
            let low = b.checked_add(s.checked_mul(first)?)?;
            let high = b.checked_add(s.checked_mul(last)?)?;
            if low < 0 || high < 0 || low >= *extent || high >= *extent {
                return None;
            }
            base = base.checked_add(b.checked_mul(*step)?)?;
            stride = stride.checked_add(s.checked_mul(*step)?)?;
        }
        self.buffers.affine(base, stride)
    }

    /// The offsets of a word per core, each index within its extent.
    fn offsets(&mut self, access: &Access, mask: &Mask) -> Option<Ints> {
        if let Some(offsets) = self.straight_offsets(access, mask) {
            return Some(offsets);
        }
        let mut sum: Option<Ints> = None;
        for (index, extent, stride) in &access.dimensions {
            let index = self.ints(index, mask)?;
            let inside = |value: i64| 0 <= value && value < *extent;
            let fine = match &index {
                Ints::Uniform(value) => inside(*value),
                // Monotone: the ends decide.
                Ints::Affine { .. } => {
                    inside(index.at(mask.first())) && inside(index.at(mask.last()))
                }
                Ints::Lanes(lanes) => {
                    let mut all = true;
                    mask.each(|core| all &= inside(lanes[core]));
                    all
                }
            };
            if !fine {
                return None;
            }
            let part = match stride {
                1 => index,
                stride => self.buffers.multiply(mask, index, Ints::Uniform(*stride))?,
            };
            sum = Some(match sum {
                None => part,
                Some(sum) => self.buffers.add(mask, sum, part)?,
            });
        }
        Some(sum.unwrap_or(Ints::Uniform(0)))
    }

    /// Both, in text order.
    fn pair(
        &mut self,
        left: &compile::Ints,
        right: &compile::Ints,
        mask: &Mask,
    ) -> Option<(Ints, Ints)> {
        let left = self.ints(left, mask)?;
        Some((left, self.ints(right, mask)?))
    }

    fn copy(&mut self, ints: &Ints) -> Ints {
        match ints {
            Ints::Lanes(lanes) => {
                let mut copy = self.buffers.ints();
                copy.copy_from_slice(lanes);
                Ints::Lanes(copy)
            }
            Ints::Uniform(_) | Ints::Affine { .. } => ints.clone(),
        }
    }

    fn register_ints(&mut self, parameter: ParamId) -> Option<Ints> {
        let lanes = match &self.registers[parameter.0 as usize] {
            Register::Ints(Ints::Lanes(lanes)) => lanes,
            Register::Ints(ints) => return Some(ints.clone()),
            Register::Unset => {
                return match self.launch.values[parameter.0 as usize] {
                    Some(Value::Whole(whole)) => Some(Ints::Uniform(whole)),
                    _ => None,
                };
            }
            Register::Floats(_) | Register::Same(_) | Register::Each(_) => return None,
        };
        let mut copy = self.buffers.ints();
        copy.copy_from_slice(lanes);
        Some(Ints::Lanes(copy))
    }

    /// A whole number per active core.
    fn ints(&mut self, node: &compile::Ints, mask: &Mask) -> Option<Ints> {
        Some(match node {
            compile::Ints::Constant(value) => Ints::Uniform(*value),
            compile::Ints::Register(parameter) => self.register_ints(*parameter)?,
            compile::Ints::Linear { written, .. } => match self.line(node) {
                Some((base, stride)) => self.buffers.affine(base, stride)?,
                None => self.ints(written, mask)?,
            },
            compile::Ints::Read(access) => {
                let offsets = self.offsets(access, mask)?;
                self.conflicts += self.shared.conflict(access.variable, &offsets, mask);
                let values =
                    self.shared
                        .read_ints(access.variable, &offsets, mask, &mut self.buffers)?;
                self.buffers.free(offsets);
                values
            }
            compile::Ints::Absolute(of) => {
                let of = self.ints(of, mask)?;
                self.buffers.absolute(mask, of)?
            }
            compile::Ints::Binary(operator, left, right) => {
                let (left, right) = self.pair(left, right, mask)?;
                let buffers = &mut self.buffers;
                match operator {
                    Arithmetic::Add => buffers.add(mask, left, right),
                    Arithmetic::Subtract => buffers.subtract(mask, left, right),
                    Arithmetic::Multiply => buffers.multiply(mask, left, right),
                    Arithmetic::Divide => buffers.divide(mask, left, right),
                    Arithmetic::FloorDivide => buffers.floor_divide(mask, left, right),
                    Arithmetic::Modulo => buffers.modulo(mask, left, right),
                    Arithmetic::Power => buffers.power(mask, left, right),
                }?
            }
            compile::Ints::CeilQuotient(left, right) => {
                let (left, right) = self.pair(left, right, mask)?;
                self.buffers.ceil_divide(mask, left, right)?
            }
            compile::Ints::Minimum(nodes) => self.extreme(nodes, mask, Buffers::minimum)?,
            compile::Ints::Maximum(nodes) => self.extreme(nodes, mask, Buffers::maximum)?,
            compile::Ints::Select(condition, then, otherwise) => {
                let truths = self.truths(condition, mask)?;
                let (then, otherwise) = self.pair(then, otherwise, mask)?;
                self.buffers.select(mask, &truths, then, otherwise)
            }
            compile::Ints::Bits(function, left, right) => {
                let (left, right) = self.pair(left, right, mask)?;
                let function = *function;
                self.buffers
                    .combine(mask, left, right, |x, y| bits(function, x, y))?
            }
            compile::Ints::Bracket(of) => {
                let truths = self.truths(of, mask)?;
                self.buffers
                    .select(mask, &truths, Ints::Uniform(1), Ints::Uniform(0))
            }
            compile::Ints::FloorOf(of) => {
                let of = self.floats(of, mask)?;
                self.buffers
                    .to_ints(mask, of, |x| value::whole_float(x.floor()))?
            }
            compile::Ints::CeilOf(of) => {
                let of = self.floats(of, mask)?;
                self.buffers
                    .to_ints(mask, of, |x| value::whole_float(x.ceil()))?
            }
            compile::Ints::Opaque => return None,
        })
    }

    fn extreme(
        &mut self,
        nodes: &[compile::Ints],
        mask: &Mask,
        better: fn(&mut Buffers, &Mask, Ints, Ints) -> Option<Ints>,
    ) -> Option<Ints> {
        let (first, rest) = nodes.split_first()?;
        let mut best = self.ints(first, mask)?;
        for node in rest {
            let next = self.ints(node, mask)?;
            best = better(&mut self.buffers, mask, best, next)?;
        }
        Some(best)
    }

    /// A float per active core.
    fn floats(&mut self, node: &compile::Floats, mask: &Mask) -> Option<Floats> {
        Some(match node {
            compile::Floats::Constant(value) => Floats::Uniform(*value),
            compile::Floats::Register(parameter) => match &self.registers[parameter.0 as usize] {
                Register::Floats(Floats::Lanes(lanes)) => {
                    let mut copy = self.buffers.floats();
                    copy.copy_from_slice(lanes);
                    Floats::Lanes(copy)
                }
                Register::Floats(Floats::Uniform(value)) => Floats::Uniform(*value),
                Register::Unset | Register::Ints(_) | Register::Same(_) | Register::Each(_) => {
                    return None;
                }
            },
            compile::Floats::Read(access) => {
                let offsets = self.offsets(access, mask)?;
                self.conflicts += self.shared.conflict(access.variable, &offsets, mask);
                let values =
                    self.shared
                        .read_floats(access.variable, &offsets, mask, &mut self.buffers)?;
                self.buffers.free(offsets);
                values
            }
            compile::Floats::OfInts(node) => {
                let ints = self.ints(node, mask)?;
                self.buffers.to_floats(mask, ints)
            }
            compile::Floats::Quotient(left, right) => {
                let (left, right) = self.pair(left, right, mask)?;
                // Both are doubles without rounding, so their IEEE quotient is the nearest one.
                const EXACT: u64 = 1 << 53;
                let exact = mask.all(|core| {
                    left.at(core).unsigned_abs() <= EXACT
                        && right.at(core).unsigned_abs() <= EXACT
                        && right.at(core) != 0
                        // The exact quotient 0 has no sign.
                        && (left.at(core) != 0 || right.at(core) > 0)
                });
                if !exact {
                    return None;
                }
                let left = self.buffers.to_floats(mask, left);
                let right = self.buffers.to_floats(mask, right);
                self.buffers.zip_floats(mask, left, right, |x, y| x / y)
            }
            compile::Floats::Negate(of) => {
                let of = self.floats(of, mask)?;
                self.buffers.map_floats(mask, of, |x| -x)
            }
            compile::Floats::Absolute(of) => {
                let of = self.floats(of, mask)?;
                self.buffers.map_floats(mask, of, f64::abs)
            }
            compile::Floats::Binary(operator, left, right) => {
                let left = self.floats(left, mask)?;
                let right = self.floats(right, mask)?;
                let buffers = &mut self.buffers;
                match operator {
                    Arithmetic::Add => buffers.zip_floats(mask, left, right, |x, y| x + y),
                    Arithmetic::Subtract => buffers.zip_floats(mask, left, right, |x, y| x - y),
                    Arithmetic::Multiply => buffers.zip_floats(mask, left, right, |x, y| x * y),
                    Arithmetic::Divide => buffers.zip_floats(mask, left, right, |x, y| x / y),
                    Arithmetic::Power => buffers.zip_floats(mask, left, right, libm::pow),
                    Arithmetic::FloorDivide | Arithmetic::Modulo => return None,
                }
            }
            compile::Floats::Minimum(nodes) => {
                self.extreme_floats(nodes, mask, value::float_minimum)?
            }
            compile::Floats::Maximum(nodes) => {
                self.extreme_floats(nodes, mask, value::float_maximum)?
            }
            compile::Floats::Select(condition, then, otherwise) => {
                let truths = self.truths(condition, mask)?;
                let then = self.floats(then, mask)?;
                let otherwise = self.floats(otherwise, mask)?;
                self.buffers.select_floats(mask, &truths, then, otherwise)
            }
            compile::Floats::Math(function, of) => {
                let of = self.floats(of, mask)?;
                let function = *function;
                self.buffers
                    .map_floats(mask, of, |x| value::float_math(function, x))
            }
            compile::Floats::Log(base, argument) => {
                let base = self.floats(base, mask)?;
                let argument = self.floats(argument, mask)?;
                self.buffers
                    .zip_floats(mask, base, argument, value::float_log)
            }
        })
    }

    fn extreme_floats(
        &mut self,
        nodes: &[compile::Floats],
        mask: &Mask,
        better: fn(f64, f64) -> f64,
    ) -> Option<Floats> {
        let (first, rest) = nodes.split_first()?;
        let mut best = self.floats(first, mask)?;
        for node in rest {
            let next = self.floats(node, mask)?;
            best = self.buffers.zip_floats(mask, best, next, better);
        }
        Some(best)
    }

    /// A truth per active core.
    fn truths(&mut self, node: &compile::Truths, mask: &Mask) -> Option<Truths> {
        Some(match node {
            compile::Truths::Constant(truth) => Truths::Uniform(*truth),
            compile::Truths::Chain(operands, operators) => {
                let mut all: Option<Truths> = None;
                let mut left = self.operand(&operands[0], mask)?;
                for (operator, operand) in operators.iter().zip(&operands[1..]) {
                    let right = self.operand(operand, mask)?;
                    let truths = match (&left, &right) {
                        (Register::Ints(left), Register::Ints(right)) => {
                            self.buffers.compare(mask, *operator, left, right)?
                        }
                        (left, right) => {
                            let left = self.as_floats(left, mask);
                            let right = self.as_floats(right, mask);
                            self.buffers.compare_floats(mask, *operator, &left, &right)
                        }
                    };
                    all = Some(match all {
                        None => truths,
                        Some(all) => self.buffers.connect(mask, true, all, truths),
                    });
                    self.free(std::mem::replace(&mut left, right));
                }
                self.free(left);
                all?
            }
            compile::Truths::Connect { and, left, right } => {
                let left = self.truths(left, mask)?;
                let right = self.truths(right, mask)?;
                self.buffers.connect(mask, *and, left, right)
            }
            compile::Truths::Not(of) => {
                let of = self.truths(of, mask)?;
                self.buffers.negate(of)
            }
        })
    }

    fn operand(&mut self, operand: &Operand, mask: &Mask) -> Option<Register> {
        Some(match operand {
            Operand::Ints(node) => Register::Ints(self.ints(node, mask)?),
            Operand::Floats(node) => Register::Floats(self.floats(node, mask)?),
        })
    }

    fn as_floats(&mut self, operand: &Register, mask: &Mask) -> Floats {
        match operand {
            Register::Ints(ints) => self.buffers.to_floats(mask, ints.clone()),
            Register::Floats(floats) => floats.clone(),
            Register::Unset | Register::Same(_) | Register::Each(_) => {
                unreachable!("operands are ints or floats")
            }
        }
    }

    fn free(&mut self, register: Register) {
        match register {
            Register::Ints(ints) => self.buffers.free(ints),
            Register::Floats(floats) => self.buffers.free_floats(floats),
            Register::Unset | Register::Same(_) | Register::Each(_) => {}
        }
    }
}

/// Updates words core by core; undoes it all where a value is refused.
fn update<T: Copy>(
    words: &mut [T],
    offsets: &Ints,
    mask: &Mask,
    combine: impl Fn(T, usize) -> Option<T>,
    admits: impl Fn(T) -> bool,
) -> bool {
    let mut before = Vec::with_capacity(mask.count());
    let fine = mask.all(|core| {
        let word = &mut words[offsets.at(core) as usize];
        match combine(*word, core) {
            Some(next) if admits(next) => {
                before.push(*word);
                *word = next;
                true
            }
            _ => false,
        }
    });
    if !fine {
        let updated: Vec<(usize, T)> = mask.iter().zip(before).collect();
        for (core, before) in updated.into_iter().rev() {
            words[offsets.at(core) as usize] = before;
        }
    }
    fine
}

fn combine_ints(operator: AtomicOperator, negated: bool, word: i64, operand: i64) -> Option<i64> {
    match operator {
        AtomicOperator::Add if negated => word.checked_sub(operand),
        AtomicOperator::Add => word.checked_add(operand),
        AtomicOperator::Multiply => word.checked_mul(operand),
        AtomicOperator::Min => Some(word.min(operand)),
        AtomicOperator::Max => Some(word.max(operand)),
    }
}

fn combine_floats(operator: AtomicOperator, negated: bool, word: f64, operand: f64) -> f64 {
    match operator {
        AtomicOperator::Add if negated => word - operand,
        AtomicOperator::Add => word + operand,
        AtomicOperator::Multiply => word * operand,
        AtomicOperator::Min => value::float_minimum(word, operand),
        AtomicOperator::Max => value::float_maximum(word, operand),
    }
}

/// A bit function of operands it is defined for.
fn bits(function: BitFunction, x: i64, y: i64) -> Option<i64> {
    if x < 0 || y < 0 {
        return None;
    }
    match function {
        BitFunction::And => Some(x & y),
        BitFunction::Or => Some(x | y),
        BitFunction::Xor => Some(x ^ y),
        BitFunction::ShiftRight => Some(if y >= 63 { 0 } else { x >> y }),
        BitFunction::ShiftLeft if x == 0 => Some(0),
        BitFunction::ShiftLeft => {
            let fits = y < 63 && x <= i64::MAX >> y;
            fits.then(|| x << y)
        }
    }
}
