//! One MP executing a kernel: its cores in lockstep, statement by statement.
//!
//! Each statement is tried in its fast form. When that gives `None` it has changed nothing that
//! matters, and the reference form ([`reference`](mod@crate::exec::reference)) executes the statement instead.

pub(crate) mod compile;
pub(crate) mod vector;

use crate::exec::cycles::Ledger;
use crate::exec::error::{Error, Place, Result};
use crate::exec::lanes::{Buffers, Floats, Ints, Mask, Truths};
use crate::exec::launch::Launch;
use crate::exec::memory::global::{Stamp, View, blocks, take_floats, take_ints};
use crate::exec::memory::shared::{Shared, all_written};
use crate::exec::reference::eval::Connectives;
use crate::exec::statements::compile::{Access, Action, Operand, Step, WrapperStep};
use crate::exec::statements::vector::{Cores, Register, Words};
use crate::exec::value;
use crate::exec::{MOST_TRACE_LINES, TraceLine, reference};
use crate::program::{AtomicOperator, ParamId, Program, StmtKind};
use crate::syntax::ast::WordType;

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
    /// What a machine charges, where one is asked.
    pub ledger: Option<Box<Ledger>>,
}

impl Tally {
    /// Nothing counted.
    pub fn new(program: &Program) -> Tally {
        Tally {
            blocks: vec![(0, 0); program.variables.len()],
            ..Tally::default()
        }
    }

    /// Adds what other MPs counted.
    pub fn add(&mut self, other: &Tally) {
        self.most_time = self.most_time.max(other.most_time);
        self.conflicts += other.conflicts;
        self.lane_operations += other.lane_operations;
        for ((read, write), (other_read, other_write)) in self.blocks.iter_mut().zip(&other.blocks)
        {
            *read += other_read;
            *write += other_write;
        }
    }
}

/// How much may happen between two looks at the progress callback.
const BUDGET: i64 = 1 << 18;

/// An MP that executes one MP's share of a kernel after the other.
pub(super) struct Mp<'a> {
    pub launch: &'a Launch<'a>,
    pub global: View<'a>,
    /// The numbers of the MP that runs.
    pub numbers: Vec<i64>,
    pub stamp: Stamp,
    /// Registers, shared memory, and the conflicts of the statement in progress.
    pub cores: Cores<'a, Shared>,
    pub tally: Tally,
    /// Blocks of the statement in progress.
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
    pub fn new(launch: &'a Launch<'a>, global: View<'a>) -> Mp<'a> {
        let program = launch.program;
        Mp {
            numbers: Vec::new(),
            stamp: launch.stamps.of(0),
            cores: Cores {
                registers: vec![Register::Unset; program.parameters.len()],
                values: launch.values,
                words: Shared::new(
                    &launch.kernel.names_shared,
                    |variable| program.variable(variable).word_type,
                    launch.extents,
                    launch.cores,
                ),
                buffers: Buffers::new(launch.cores),
                conflicts: 0,
                connectives: Connectives::BothSides,
            },
            tally: Tally {
                ledger: launch
                    .cycle_rules
                    .map(|cycle_rules| Box::new(Ledger::new(cycle_rules, launch.cores))),
                ..Tally::new(program)
            },
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
        self.cores.words.forget();
        self.tally.time = 0;
        for (range, number) in launch.kernel.mps.iter().zip(numbers) {
            self.cores.set_ints(range.parameter, Ints::Uniform(*number));
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
                        let value = reference::wrapper_let(self, binding)?;
                        self.cores.set(binding.parameter, value);
                    }
                    // A register: its shared reads are not possible here, so no conflicts.
                    self.pay(*operations, launch.cores);
                    if let Some(ledger) = &mut self.tally.ledger {
                        ledger.value(&binding.value);
                    }
                }
                WrapperStep::Cores { cores, body } => {
                    let indices = self.core_indices();
                    self.cores.set_ints(cores.core, indices);
                    if !everyone.is_empty() {
                        self.block(body, &everyone)?;
                    }
                }
            }
        }
        self.tally.most_time = self.tally.most_time.max(self.tally.time);
        if let Some(ledger) = &mut self.tally.ledger {
            ledger.end_mp();
        }
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
            Operand::Ints(value) => match self.cores.ints(value, mask) {
                Some(ints) => self.cores.set_ints(parameter, ints),
                None => return false,
            },
            Operand::Floats(value) => match self.cores.floats(value, mask) {
                Some(floats) => self.cores.set(parameter, Register::Floats(floats)),
                None => return false,
            },
        }
        true
    }

    fn pay(&mut self, operations: u64, active: usize) {
        self.tally.time += operations;
        self.tally.lane_operations += u128::from(operations) * active as u128;
    }

    fn pay_iteration(&mut self, active: usize) {
        self.pay(1, active);
        if let Some(ledger) = &mut self.tally.ledger {
            ledger.iteration();
        }
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
            self.cores.conflicts = 0;
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
                            self.cores.conflicts = 0;
                            self.blocks = 0;
                            self.spend(64 * mask.count() as i64)?;
                            reference::statement(self, step.stmt, mask)?
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
        self.tally.conflicts += u128::from(self.cores.conflicts);
        if let Some(ledger) = &mut self.tally.ledger {
            let times = operations.checked_div(step.operations).unwrap_or(0);
            ledger.statement(step.stmt, times);
        }
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
        let (conflicts, blocks) = (self.cores.conflicts, self.blocks);
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
        self.cores.conflicts = 0;
        if !self.by_reference
            && let Some(truths) = self.cores.truths(condition, mask)
        {
            return Ok(truths);
        }
        self.cores.conflicts = 0;
        self.spend(64 * mask.count() as i64)?;
        reference::condition(self, step.stmt, mask)
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
            false => self.cores.pair(from, to, mask),
        };
        let (mut at, to) = match bounds {
            Some(bounds) => bounds,
            None => {
                self.cores.conflicts = 0;
                reference::bounds(self, step.stmt, mask)?
            }
        };
        self.settle(step, step.operations, mask);
        self.cores.conflicts = 0;

        use crate::syntax::ast::Comparison::{AtLeast, AtMost, Greater, Less};
        let (enters, goes_on) = if *down {
            (AtLeast, Greater)
        } else {
            (AtMost, Less)
        };
        if let (Ints::Uniform(first), Ints::Uniform(last)) = (&at, &to) {
            return self.uniform_loop(step, (*first, *last), mask);
        }
        let mut active = mask.narrow(&self.order(mask, enters, &at, &to));
        while !active.is_empty() {
            self.spend(0)?;
            self.cores.conflicts = 0;
            self.pay_iteration(active.count());
            if self.trace.is_some() {
                self.blocks = 0;
                self.record(step, 1, active.count());
            }
            let value = self.cores.copy(&at);
            self.cores.set_ints(*variable, value);
            self.block(body, &active)?;
            let truths = self.order(&active, goes_on, &at, &to);
            active = active.narrow(&truths);
            at = self.cores.buffers.step(&active, at, *down);
        }
        self.cores.buffers.free(at);
        self.cores.buffers.free(to);
        Ok(())
    }

    /// A `for` whose bounds are the same for all cores.
    fn uniform_loop(
        &mut self,
        step: &Step<'a>,
        (mut at, last): (i64, i64),
        mask: &Mask,
    ) -> Result<()> {
        let Action::For {
            variable,
            down,
            body,
            ..
        } = &step.action
        else {
            unreachable!("called for loops");
        };
        while if *down { at >= last } else { at <= last } {
            self.spend(0)?;
            self.pay_iteration(mask.count());
            if self.trace.is_some() {
                (self.blocks, self.cores.conflicts) = (0, 0);
                self.record(step, 1, mask.count());
            }
            self.cores.set_ints(*variable, Ints::Uniform(at));
            self.block(body, mask)?;
            if at == last {
                break;
            }
            at += if *down { -1 } else { 1 };
        }
        Ok(())
    }

    fn order(
        &mut self,
        mask: &Mask,
        operator: crate::syntax::ast::Comparison,
        left: &Ints,
        right: &Ints,
    ) -> Truths {
        self.cores
            .buffers
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
                    false => self.cores.ints(bound, mask),
                };
                Some(match fast {
                    Some(bound) => bound,
                    None => reference::at_most(self, expr, mask)?,
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
            self.cores.buffers.free(bound);
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
                let values = self.cores.ints(value, mask)?;
                let offsets = self.cores.offsets(target, mask)?;
                self.write_ints(target, &offsets, mask, &values)?;
                self.cores.buffers.free(values);
                self.cores.buffers.free(offsets);
            }
            Action::AssignFloats { target, value } => {
                let values = self.cores.floats(value, mask)?;
                let offsets = self.cores.offsets(target, mask)?;
                self.write_floats(target, &offsets, mask, &values)?;
                self.cores.buffers.free_floats(values);
                self.cores.buffers.free(offsets);
            }
            Action::Atomic {
                target,
                operator,
                operands,
            } => return self.atomic(target, *operator, operands, mask),
            Action::LetInts(parameter, value) => {
                let values = self.cores.ints(value, mask)?;
                self.cores.set_ints(*parameter, values);
            }
            Action::LetFloats(parameter, value) => {
                let values = self.cores.floats(value, mask)?;
                self.cores.set(*parameter, Register::Floats(values));
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
        self.cores.conflicts += self.cores.words.conflict(target.variable, offsets, mask);
        self.cores
            .words
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
        self.cores.conflicts += self.cores.words.conflict(target.variable, offsets, mask);
        self.cores
            .words
            .write_floats(target.variable, offsets, mask, values, admitted)
    }

    fn load(&mut self, target: &Access, source: &Access, mask: &Mask) -> Option<()> {
        let from = self.cores.offsets(source, mask)?;
        let to = self.cores.offsets(target, mask)?;
        self.blocks = blocks(&from, mask, self.launch.cores);
        let data = self.global.load(source.variable, &from, mask, self.stamp)?;
        match target.word_type {
            WordType::Int => {
                let mut lanes = self.cores.buffers.ints();
                take_ints(data, &from, mask, &mut lanes)?;
                let values = Ints::Lanes(lanes);
                self.write_ints(target, &to, mask, &values)?;
                self.cores.buffers.free(values);
            }
            WordType::Float => {
                let mut lanes = self.cores.buffers.floats();
                take_floats(data, &from, mask, &mut lanes);
                let values = Floats::Lanes(lanes);
                self.write_floats(target, &to, mask, &values)?;
                self.cores.buffers.free_floats(values);
            }
        }
        self.cores.buffers.free(from);
        self.cores.buffers.free(to);
        Some(())
    }

    fn store(&mut self, target: &Access, source: &Access, mask: &Mask) -> Option<()> {
        let from = self.cores.offsets(source, mask)?;
        let to = self.cores.offsets(target, mask)?;
        self.blocks = blocks(&to, mask, self.launch.cores);
        self.cores.conflicts += self.cores.words.conflict(source.variable, &from, mask);
        let admitted = self.launch.admitted[target.variable.0 as usize].as_ref();
        let ints = match source.word_type {
            WordType::Int => Some(self.cores.words.read_ints(
                source.variable,
                &from,
                mask,
                &mut self.cores.buffers,
            )?),
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
                self.cores.buffers.free(Ints::Lanes(lanes));
            }
            (WordType::Int, None) => unreachable!("checked: floats do not become ints"),
            (WordType::Float, ints) => {
                let floats = match ints {
                    Some(ints) => self.cores.buffers.floats_of(mask, ints),
                    None => self.cores.words.read_floats(
                        source.variable,
                        &from,
                        mask,
                        &mut self.cores.buffers,
                    )?,
                };
                if let Some(range) = admitted
                    && !mask.all(|core| range.admits_float(floats.at(core)))
                {
                    return None;
                }
                let lanes = match floats {
                    Floats::Lanes(lanes) => lanes,
                    Floats::Uniform(value) => {
                        let mut lanes = self.cores.buffers.floats();
                        lanes.fill(value);
                        lanes
                    }
                };
                self.global
                    .store_words(target.variable, &to, mask, self.stamp, &lanes)?;
                self.cores.buffers.free_floats(Floats::Lanes(lanes));
            }
        }
        self.cores.buffers.free(from);
        self.cores.buffers.free(to);
        Some(())
    }

    fn lanes_of(&mut self, ints: Ints) -> Vec<i64> {
        match ints {
            Ints::Lanes(lanes) => lanes,
            Ints::Uniform(value) => {
                let mut lanes = self.cores.buffers.ints();
                lanes.fill(value);
                lanes
            }
            Ints::Affine { .. } => {
                let mut lanes = self.cores.buffers.ints();
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
        let right = self.cores.offsets(target, mask)?;
        self.cores.buffers.free(right);
        let mut ints = Vec::new();
        let mut floats = Vec::new();
        for (negated, operand) in operands {
            match operand {
                Operand::Ints(value) => ints.push((*negated, self.cores.ints(value, mask)?)),
                Operand::Floats(value) => floats.push((*negated, self.cores.floats(value, mask)?)),
            }
        }
        let offsets = self.cores.offsets(target, mask)?;
        // Element and target: two operands on the same words.
        self.cores.conflicts += 2 * self.cores.words.conflict(target.variable, &offsets, mask);
        let contention = self.cores.words.contention(target.variable, &offsets, mask);
        let admitted = self.launch.admitted[target.variable.0 as usize].as_ref();
        let store = self.cores.words.store_mut(target.variable);
        if !all_written(&store.written, &offsets, mask) {
            return None;
        }
        let fine = match store.data_mut() {
            crate::exec::Data::Int(words) => update(
                words,
                &offsets,
                mask,
                |word, core| {
                    ints.iter().try_fold(word, |word, (negated, operand)| {
                        value::updated_int(operator, *negated, word, operand.at(core))
                    })
                },
                |word| admitted.is_none_or(|range| range.admits_int(word)),
            ),
            crate::exec::Data::Float(words) => update(
                words,
                &offsets,
                mask,
                |word, core| {
                    floats.iter().try_fold(word, |word, (negated, operand)| {
                        Some(value::updated_float(
                            operator,
                            *negated,
                            word,
                            operand.at(core),
                        ))
                    })
                },
                |word| admitted.is_none_or(|range| range.admits_float(word)),
            ),
        };
        ints.into_iter()
            .for_each(|(_, ints)| self.cores.buffers.free(ints));
        floats
            .into_iter()
            .for_each(|(_, floats)| self.cores.buffers.free_floats(floats));
        self.cores.buffers.free(offsets);
        fine.then_some(contention)
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
