//! The statements of a kernel, in lockstep: the cores that execute each, and its charges.

use std::num::NonZeroU64;

use crate::interval::access::{Bounds, Offsets};
use crate::interval::kernel::loops;
use crate::interval::lanes::{Active, Bail, Base, FLAT, Lanes, Slope};
use crate::interval::memory::Word;
use crate::interval::value::{self, Value};
use crate::interval::warp::Warp;
use crate::meaning::launch::fold::Launched;
use crate::meaning::launch::{Action, Part, Step};
use crate::program::{self, Arithmetic, AtomicOperator, Extreme, Number, VarId};

impl Warp<'_, '_> {
    /// Executes the whole kernel.
    pub(super) fn run(&mut self) -> Result<(), Bail> {
        let launch = self.setting.launch;
        let all = Active::all(self.cores());
        for (dimension, mp) in launch.mps.iter().enumerate() {
            self.held.registers[mp.0 as usize] = Some(self.mp_number(dimension));
        }
        for part in &launch.parts {
            match part {
                Part::Let {
                    binding,
                    number,
                    value,
                } => {
                    self.record.line = *number;
                    let lanes = self.number(value, &all)?;
                    self.held.set_register(binding.parameter, lanes);
                    self.tally(&all);
                }
                Part::Cores { cores, body } => {
                    let own = Lanes::whole((0..self.cores() as i64).collect());
                    self.held.registers[cores.core.0 as usize] = Some(own);
                    self.steps(body, &all)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the MP's number in one dimension.
    fn mp_number(&self, dimension: usize) -> Lanes {
        let mut slope = FLAT;
        let base = if self.group.is_single(dimension) {
            self.group.low[dimension]
        } else {
            slope[dimension] = 1;
            0
        };
        Lanes::Known {
            base: Base::Same(base),
            slope,
        }
    }

    pub(super) fn steps(&mut self, body: &[Step<'_>], active: &Active) -> Result<(), Bail> {
        for step in body {
            if active.may.is_empty() {
                return Ok(());
            }
            self.step(step, active)?;
        }
        Ok(())
    }

    fn step(&mut self, step: &Step<'_>, active: &Active) -> Result<(), Bail> {
        self.budget.spend(self.setting.launch.cores as u64)?;
        self.record.line = step.number;
        match &step.action {
            Action::Load { target, source } => {
                self.tally(active);
                let written = source.variable.0 as usize;
                let (from, slope) = self.offsets(source, active)?;
                self.access(source.variable, &from, &slope, active, false)?;
                let known = self.held.global(source.variable).cloned();
                let declared = self.setting.declared[written].clone();
                let value = known.map_or(declared.clone(), |value| value.within(&declared));
                let (to, slope) = self.offsets(target, active)?;
                self.operand(&to, active, target.span);
                let spans = (source.span, step.stmt.span);
                self.scatter(target, &to, &slope, (&Lanes::same(value), spans), active)
            }
            Action::Store { target, source } => {
                self.tally(active);
                let (to, slope) = self.offsets(target, active)?;
                self.access(target.variable, &to, &slope, active, true)?;
                let (from, slope) = self.offsets(source, active)?;
                self.operand(&from, active, source.span);
                let values = self.gather(source, &from, &slope, active)?;
                self.record(
                    target.variable,
                    &values,
                    active,
                    (source.span, step.stmt.span),
                )
            }
            Action::Assign { target, value } => {
                self.tally(active);
                let values = self.number(value, active)?;
                let (to, slope) = self.offsets(target, active)?;
                self.operand(&to, active, target.span);
                let spans = (value.span, step.stmt.span);
                self.scatter(target, &to, &slope, (&values, spans), active)
            }
            Action::Atomic {
                target,
                operator,
                operands,
            } => self.atomic(step, target, *operator, operands, active),
            Action::Let { parameter, value } => {
                self.tally(active);
                let lanes = self.number(value, active)?;
                self.held.set_register(*parameter, lanes);
                Ok(())
            }
            Action::If { condition, body } => {
                self.tally(active);
                let truths = self.test(condition, active)?;
                let inside = active.and(&truths);
                let (entered, all) = (inside.may.count(), active.may.count());
                if !self.setting.launch.lines[step.number].is_guard
                    && active.is_certain()
                    && inside.is_certain()
                    && entered > 0
                    && entered < all
                {
                    self.record.facts[step.number]
                        .split
                        .get_or_insert((entered, all));
                }
                self.steps(body, &inside)
            }
            Action::For {
                variable,
                from,
                to,
                down,
                body,
            } => {
                let range = (from, to, *down);
                loops::repeat_for(self, step, *variable, range, body, active)
            }
            Action::Until { .. } => unreachable!("its `for` takes it"),
            Action::While {
                condition,
                at_most,
                body,
            } => loops::repeat_while(self, step, (condition, at_most.as_ref()), body, active),
        }
    }

    /// Tallies the blocks of a global access.
    fn access(
        &mut self,
        variable: VarId,
        offsets: &Offsets,
        slope: &Slope,
        active: &Active,
        writes: bool,
    ) -> Result<(), Bail> {
        // Blocks move along with whole multiples of b: a slope of 64 words moves 32-word blocks by
        // two.
        let mut moved = *slope;
        for part in &mut moved {
            *part %= self.setting.b();
        }
        let spread = self.group.spread(&moved);
        // One word is one block, wherever it moves.
        if spread != 0
            && offsets.words(&active.may) > 1
            && !self.touch_alike(offsets, &moved, active)?
        {
            return Err(Bail::Separate(spread));
        }
        let blocks = offsets.blocks(&active.must, &active.may, self.setting.b());
        let line = self.record.line;
        if let Some(meter) = &mut self.record.meter {
            let spread = self
                .group
                .spread(&meter.moved(slope, offsets.words(&active.may)));
            if spread != 0 {
                return Err(Bail::Separate(spread));
            }
            meter.global(line, offsets, active, blocks);
        }
        let words = offsets.words(&active.must);
        let b = self.setting.b();
        self.record.access((variable, writes), (blocks, words), b);
        Ok(())
    }

    /// Returns true if an access touches as many blocks on all MPs of the group, where it moves by parts of a block.
    fn touch_alike(
        &mut self,
        offsets: &Offsets,
        moved: &Slope,
        active: &Active,
    ) -> Result<bool, Bail> {
        let b = self.setting.b();
        let Some(residues) = self.group.residues(moved, b) else {
            return Ok(false);
        };
        self.budget.spend((residues.len() * self.cores()) as u64)?;
        Ok(offsets.touch_alike(active, &residues, b))
    }

    fn atomic(
        &mut self,
        step: &Step<'_>,
        target: &program::Word<Launched>,
        operator: AtomicOperator,
        operands: &[(bool, Number<Launched>)],
        active: &Active,
    ) -> Result<(), Bail> {
        // The target and its own read on the right are two operands.
        let (to, slope) = self.offsets(target, active)?;
        self.operand(&to, active, target.span);
        let (to, _) = self.offsets(target, active)?;
        self.operand(&to, active, target.span);
        let mut values = Vec::new();
        for (negated, operand) in operands {
            values.push((*negated, self.number(operand, active)?));
        }
        let spread = self.group.spread(&slope);
        if spread != 0 {
            return Err(Bail::Separate(spread));
        }
        for (_, lanes) in &values {
            self.flat(lanes)?;
        }
        let meeting = self.contention((target, &to), (operator, &values), active);
        self.record.line = step.number;
        self.record.executions(self.setting.launch, active, meeting);
        self.gather(target, &to, &slope, active)?;
        let declared = self.setting.declared[target.variable.0 as usize].clone();
        let mut smeared = None;
        for core in active.may.iter() {
            let (low, high) = to.get(core);
            let certain = active.must.contains(core) && low == high;
            let epoch = self.held.epoch;
            let old = self
                .held
                .shared_of(target.variable)
                .read(low, epoch)
                .map(|word| word.spread(&self.group));
            let mut new = old.unwrap_or_else(|| declared.clone());
            for (negated, lanes) in &values {
                let operand = lanes.get(core);
                new = updated(operator, *negated, &new, &operand).within(&declared);
            }
            let (instruction, group) = (self.held.instruction, self.group.clone());
            if certain {
                self.held.instruction += 1;
                let shared = self.held.shared_mut(target.variable);
                let (_, changed) =
                    shared.write(low, Word::flat(new), epoch, instruction + 1, &group);
                self.held.changed |= changed;
                smeared = None;
            } else if smeared != Some((low, high)) {
                // Other cores may have updated the same word any number of times.
                self.smear(target.variable, low, high, &Word::flat(declared.clone()));
                smeared = Some((low, high));
            }
        }
        Ok(())
    }

    /// Bounds the most cores on one word of an `atomic`. Where data decide, no more meet than the word has room for,
    /// or than the program assumes.
    fn contention(
        &self,
        (target, to): (&program::Word<Launched>, &Offsets),
        (operator, values): (AtomicOperator, &[(bool, Lanes)]),
        active: &Active,
    ) -> Bounds {
        let mut meeting = to.multiplicity(&active.must, &active.may);
        if meeting.lower == meeting.upper {
            return meeting;
        }
        let declared = &self.setting.declared[target.variable.0 as usize];
        let room = match operator {
            AtomicOperator::Add => room(declared, values, active),
            AtomicOperator::Multiply | AtomicOperator::Min | AtomicOperator::Max => None,
        };
        let assumed = self.setting.program.assumed_contention();
        for limit in room.into_iter().chain(assumed.map(NonZeroU64::get)) {
            meeting.upper = meeting.upper.min(limit.max(meeting.lower));
        }
        meeting
    }
}

/// Returns the most cores that can add to one word in one instruction, by its declared range: one of 0..8 has room
/// for eight that add 1. `None` unless each adds at least 1, or each subtracts it. More cores on a word are a fault.
fn room(declared: &Value, values: &[(bool, Lanes)], active: &Active) -> Option<u64> {
    if declared.is_float() {
        return None;
    }
    let (mut least, mut most) = (i128::MAX, i128::MIN);
    for core in active.may.iter() {
        let (mut low, mut high) = (0_i128, 0_i128);
        for (negated, lanes) in values {
            let value = lanes.get(core);
            if value.is_float() {
                return None;
            }
            let (from, to) = value.bounds();
            let (from, to) = (i128::from(from), i128::from(to));
            let (from, to) = if *negated { (-to, -from) } else { (from, to) };
            (low, high) = (low + from, high + to);
        }
        (least, most) = (least.min(low), most.max(high));
    }
    let step = if least >= 1 { least } else { -most };
    let (low, high) = declared.bounds();
    let width = i128::from(high) - i128::from(low);
    (step >= 1).then(|| u64::try_from(width / step).unwrap_or(u64::MAX))
}

/// Returns the new value of a word after one core's update.
fn updated(operator: AtomicOperator, negated: bool, old: &Value, operand: &Value) -> Value {
    let arithmetic = |operator| {
        let result = value::arithmetic(operator, old, operand);
        match result {
            Ok(Value::Exact(_)) | Err(_) => value::ANY_INT,
            Ok(result) => result,
        }
    };
    match operator {
        AtomicOperator::Add if negated => arithmetic(Arithmetic::Subtract),
        AtomicOperator::Add => arithmetic(Arithmetic::Add),
        AtomicOperator::Multiply => arithmetic(Arithmetic::Multiply),
        AtomicOperator::Min => value::extremum(Extreme::Min, old, operand),
        AtomicOperator::Max => value::extremum(Extreme::Max, old, operand),
    }
}
