//! One launch of a kernel: its MPs in groups that behave alike, and its statements in lockstep.
//!
//! A group is a box of MPs whose values are affine in the MP's number. Where what happens is not
//! the same for the whole box, the box is halved (or taken apart into single MPs) and counted
//! again, so that most kernels take a few dozen runs, however many MPs they launch.

use crate::count::Interval;
use crate::count::Kind;
use crate::diag::Diagnostic;
use crate::interval::access::Bounds;
use crate::interval::budget::Budget;
use crate::interval::cycles::{KernelCharges, Meter};
use crate::interval::lanes::{Active, Bail, Base, FLAT, Group, Lanes, Mask};
use crate::interval::launch::Launch;
use crate::interval::memory::{Shared, Summaries, Word};
use crate::interval::value::{self, Value};
use crate::interval::warp::{Fact, Tally, Warp};
use crate::machine::CycleRules;
use crate::meaning::fault::{Fault, NoValue};
use crate::meaning::launch::fold::Launched;
use crate::meaning::launch::{Action, Part, Step};
use crate::number::BigInt;
use crate::operations::Operations;
use crate::program::{self, Arithmetic, AtomicOperator, Condition, Number, Program, VarId};

/// More iterations than this, known only as a range, are as good as unbounded.
const MOST_UNKNOWN_ITERATIONS: i128 = 1 << 40;

/// One line over all MPs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct LineTotal {
    /// On the costliest MP.
    pub(super) executions: Bounds,
    /// On the costliest MP.
    pub(super) operations: Bounds,
    pub(super) blocks: Interval,
    pub(super) conflicts: Interval,
}

/// What one launch cost.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct KernelCounts {
    pub(super) time: Bounds,
    pub(super) lines: Vec<LineTotal>,
    /// Blocks read and written, by `VarId`.
    pub(super) arrays: Vec<(Interval, Interval)>,
    pub(super) facts: Vec<Fact>,
    /// What the machine charges, where it is asked.
    pub(super) charges: Option<KernelCharges>,
}

/// What a launch needs to know of the rest of the program.
pub(crate) struct Context<'a, 'p> {
    pub(super) program: &'a Program,
    pub(super) declared: &'a [Value],
    /// Words of every shared array the kernel names, by `VarId`.
    pub(super) shared: Vec<Option<usize>>,
    pub(super) budget: &'a mut Budget<'p>,
    pub(super) certain: bool,
    /// Whether each shared operand costs its degree (language.md §4.2, on request).
    pub(super) charge_conflicts: bool,
    /// What a machine charges, where one is asked.
    pub(super) cycle_rules: Option<&'a CycleRules>,
    pub(super) faults: &'a mut Vec<Diagnostic>,
}

impl KernelCounts {
    /// Of a kernel that is not looked into.
    pub(super) fn nothing(variables: usize) -> KernelCounts {
        KernelCounts {
            arrays: vec![Default::default(); variables],
            ..KernelCounts::default()
        }
    }
}

/// Adds so much, as often as this says.
fn add_times(total: &mut Interval, amount: Bounds, times: &BigInt) {
    if amount.upper == 0 {
        return;
    }
    total.lower += times * amount.lower;
    total.upper += times * amount.upper;
}

/// So many shared words are laid out in the time of one core-step.
const WORDS_OF_A_STEP: u64 = 4;

/// Counts one launch, and records in `globals` what it writes.
pub(super) fn count(
    launch: &Launch<'_>,
    context: &mut Context<'_, '_>,
    globals: &mut Summaries,
) -> Result<KernelCounts, Bail> {
    let mut counts = KernelCounts {
        time: Bounds::default(),
        lines: vec![LineTotal::default(); launch.lines.len()],
        arrays: vec![(Interval::default(), Interval::default()); context.program.variables.len()],
        facts: vec![Fact::default(); launch.lines.len()],
        charges: context
            .cycle_rules
            .map(|_| KernelCharges::new(&launched_mps(launch))),
    };
    let mut first = Group {
        low: [0; 3],
        high: [0; 3],
    };
    for d in 0..launch.low.len() {
        (first.low[d], first.high[d]) = (launch.low[d], launch.high[d]);
        if first.low[d] > first.high[d] {
            return Ok(counts);
        }
    }
    let mut shared: Vec<Option<Shared>> = Vec::new();
    for (at, words) in context.shared.iter().enumerate() {
        context
            .budget
            .spend(words.unwrap_or_default() as u64 / WORDS_OF_A_STEP)?;
        shared.push(words.map(|words| Shared::new(words, context.declared[at].clone())));
    }
    let mut epoch = 0;
    // Groups still to be counted, and the dimensions to take apart into single MPs.
    let mut open: Vec<(Group, u8)> = vec![(first, 0)];
    let mut costliest = Bounds::default();
    while let Some((group, separate)) = open.pop() {
        let apart = (0..3).find(|d| separate >> d & 1 == 1 && !group.is_single(*d));
        if let Some(d) = apart {
            let (mut one, mut rest) = (group.clone(), group);
            one.high[d] = one.low[d];
            rest.low[d] += 1;
            open.push((rest, separate));
            open.push((one, separate));
            continue;
        }
        epoch += 1;
        let mut facts = vec![Fact::default(); launch.lines.len()];
        let mut warp = Warp {
            program: context.program,
            launch,
            b: launch.cores as i64,
            group: group.clone(),
            line: 0,
            epoch,
            instruction: 0,
            registers: vec![None; context.program.parameters.len()],
            shared: &mut shared,
            globals,
            declared: context.declared,
            budget: context.budget,
            certain: context.certain,
            faults: context.faults,
            facts: &mut facts,
            tallies: vec![Tally::default(); launch.lines.len()],
            arrays: vec![Default::default(); context.program.variables.len()],
            meter: context
                .cycle_rules
                .map(|cycle_rules| Meter::new(cycle_rules, launch.cores)),
            changed: false,
        };
        match warp.run() {
            Ok(()) => {}
            Err(Bail::Separate(set)) if set & !separate != 0 => {
                open.push((group, separate | set));
                continue;
            }
            Err(Bail::Halve(d)) if !group.is_single(d) => {
                let (mut low, mut high) = (group.clone(), group);
                let middle = low.low[d] + (low.high[d] - low.low[d]) / 2;
                low.high[d] = middle;
                high.low[d] = middle + 1;
                open.push((high, separate));
                open.push((low, separate));
                continue;
            }
            Err(bail) => return Err(bail),
        }
        let (tallies, arrays, meter) = (warp.tallies, warp.arrays, warp.meter);
        let times = BigInt::from(group.count());
        if let (Some(charges), Some(meter)) = (&mut counts.charges, &meter) {
            charges.add(meter, &times);
        }
        let mut time = Bounds::default();
        for tally in &tallies {
            time = time.plus(&tally.operations);
            if context.charge_conflicts {
                time = time.plus(&tally.conflicts);
            }
        }
        if time.upper == u64::MAX {
            return Err(Bail::TooLarge);
        }
        let is_costliest = (time.upper, time.lower) > (costliest.upper, costliest.lower);
        for (line, tally) in counts.lines.iter_mut().zip(&tallies) {
            if is_costliest || costliest.upper == 0 {
                line.executions = tally.executions;
                line.operations = tally.operations;
                if context.charge_conflicts {
                    line.operations = line.operations.plus(&tally.conflicts);
                }
            }
            add_times(&mut line.blocks, tally.blocks, &times);
            add_times(&mut line.conflicts, tally.conflicts, &times);
        }
        if is_costliest {
            costliest = time;
        }
        counts.time = Bounds {
            lower: counts.time.lower.max(time.lower),
            upper: counts.time.upper.max(time.upper),
        };
        for (total, array) in counts.arrays.iter_mut().zip(&arrays) {
            add_times(&mut total.0, array.0, &times);
            add_times(&mut total.1, array.1, &times);
        }
        for (worst, fact) in counts.facts.iter_mut().zip(facts) {
            worst.keep_worse(fact);
        }
    }
    Ok(counts)
}

/// k.
fn launched_mps(launch: &Launch<'_>) -> BigInt {
    let ends = launch.low.iter().zip(&launch.high);
    let extents = ends.map(|(low, high)| (i128::from(*high) - i128::from(*low) + 1).max(0));
    extents.map(BigInt::from).product()
}

impl Fact {
    fn keep_worse(&mut self, other: Fact) {
        let excess = |scattered: Option<(u64, u64)>| scattered.map_or(0, |(blocks, _)| blocks);
        if excess(other.scattered) > excess(self.scattered) {
            self.scattered = other.scattered;
        }
        let degree = |conflict: Option<(u64, _)>| conflict.map_or(0, |(degree, _)| degree);
        if degree(other.conflict) > degree(self.conflict) {
            self.conflict = other.conflict;
        }
        if self.split.is_none() {
            self.split = other.split;
        }
    }
}

impl Warp<'_, '_> {
    fn run(&mut self) -> Result<(), Bail> {
        let launch = self.launch;
        let all = Active::all(self.cores());
        for (dimension, mp) in launch.mps.iter().enumerate() {
            self.registers[mp.0 as usize] = Some(self.mp_number(dimension));
        }
        for part in &launch.parts {
            match part {
                Part::Let {
                    binding,
                    number,
                    value,
                } => {
                    self.line = *number;
                    let lanes = self.number(value, &all)?;
                    self.set_register(binding.parameter, lanes);
                    self.tally(&all);
                }
                Part::Cores { cores, body } => {
                    let own = Lanes::whole((0..self.cores() as i64).collect());
                    self.registers[cores.core.0 as usize] = Some(own);
                    self.steps(body, &all)?;
                }
            }
        }
        Ok(())
    }

    /// The MP's number in one dimension.
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

    /// One execution of the current line, or one iteration of it.
    fn tally(&mut self, active: &Active) {
        let operations = self.launch.lines[self.line].operations;
        let once = Bounds {
            lower: u64::from(!active.must.is_empty()),
            upper: u64::from(!active.may.is_empty()),
        };
        let tally = &mut self.tallies[self.line];
        tally.executions = tally.executions.plus(&once);
        tally.operations = tally.operations.plus(&once.scale(&operations));
        self.pay(once);
    }

    /// The operations of the current line, so often.
    fn pay(&mut self, times: Bounds) {
        if let Some(meter) = &mut self.meter {
            meter.operations(self.line, &self.launch.lines[self.line].each, times);
        }
    }

    fn iteration(&mut self, active: &Active) {
        let once = Bounds {
            lower: u64::from(!active.must.is_empty()),
            upper: u64::from(!active.may.is_empty()),
        };
        let tally = &mut self.tallies[self.line];
        tally.operations = tally.operations.plus(&once);
        if let Some(meter) = &mut self.meter {
            meter.operations(self.line, &Operations::of(Kind::Loop, 1), once);
        }
    }

    fn steps(&mut self, body: &[Step<'_>], active: &Active) -> Result<(), Bail> {
        for step in body {
            if active.may.is_empty() {
                return Ok(());
            }
            self.step(step, active)?;
        }
        Ok(())
    }

    fn step(&mut self, step: &Step<'_>, active: &Active) -> Result<(), Bail> {
        self.budget.spend(self.launch.cores as u64)?;
        self.line = step.number;
        match &step.action {
            Action::Load { target, source } => {
                self.tally(active);
                let written = source.variable.0 as usize;
                let (from, slope) = self.offsets(source, active)?;
                self.access(source.variable, &from, &slope, active, false)?;
                let known = self.globals.get(written).cloned();
                let declared = self.declared[written].clone();
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
                self.set_register(*parameter, lanes);
                Ok(())
            }
            Action::If { condition, body } => {
                self.tally(active);
                let truths = self.test(condition, active)?;
                let inside = active.and(&truths);
                let (entered, all) = (inside.may.count(), active.may.count());
                if !self.launch.lines[step.number].is_guard
                    && active.is_certain()
                    && inside.is_certain()
                    && entered > 0
                    && entered < all
                {
                    self.facts[step.number].split.get_or_insert((entered, all));
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
                self.tally(active);
                let bounds = (self.number(from, active)?, self.number(to, active)?);
                let trips = self.trips(&bounds.0, &bounds.1, *down, active, step.number)?;
                let (body, until) = until_of(body);
                let mut staying = active.clone();
                for iteration in 0.. {
                    let running = trips.running(iteration, &staying);
                    if running.may.is_empty() {
                        break;
                    }
                    self.budget.spend(1)?;
                    self.line = step.number;
                    self.iteration(&running);
                    let value = self.counter(&bounds.0, iteration, *down, active);
                    self.set_register(*variable, value);
                    self.steps(body, &running)?;
                    if let Some((until, condition)) = until {
                        self.budget.spend(self.launch.cores as u64)?;
                        self.line = until.number;
                        self.tally(&running);
                        let truths = self.test(condition, &running)?;
                        staying = running.and(&truths.not());
                    }
                }
                Ok(())
            }
            Action::Until { .. } => unreachable!("its `for` takes it"),
            Action::While {
                condition,
                at_most,
                body,
            } => self.repeat(step, condition, at_most.as_ref(), body, active),
        }
    }

    /// Tallies the blocks of a global access.
    fn access(
        &mut self,
        variable: VarId,
        offsets: &crate::interval::access::Offsets,
        slope: &crate::interval::lanes::Slope,
        active: &Active,
        writes: bool,
    ) -> Result<(), Bail> {
        // Blocks move along with whole multiples of b.
        let mut moved = *slope;
        for part in &mut moved {
            *part %= self.b;
        }
        let spread = self.group.spread(&moved);
        // One word is one block wherever it moves.
        if spread != 0 && offsets.words(&active.may) > 1 {
            return Err(Bail::Separate(spread));
        }
        let blocks = offsets.blocks(&active.must, &active.may, self.b);
        let line = self.line;
        if let Some(meter) = &mut self.meter {
            let spread = self
                .group
                .spread(&meter.moved(slope, offsets.words(&active.may)));
            if spread != 0 {
                return Err(Bail::Separate(spread));
            }
            meter.global(line, offsets, active, blocks);
        }
        self.tallies[line].blocks = self.tallies[line].blocks.plus(&blocks);
        let array = &mut self.arrays[variable.0 as usize];
        let side = if writes { &mut array.1 } else { &mut array.0 };
        *side = side.plus(&blocks);
        let words = offsets.words(&active.must);
        if blocks.lower == blocks.upper && blocks.lower > words.div_ceil(self.b as u64) {
            let fact = &mut self.facts[line].scattered;
            if fact.is_none_or(|(worst, _)| blocks.lower > worst) {
                *fact = Some((blocks.lower, words));
            }
        }
        Ok(())
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
        let meeting = to.multiplicity(&active.must, &active.may);
        self.line = step.number;
        let once = Bounds {
            lower: u64::from(!active.must.is_empty()),
            upper: u64::from(!active.may.is_empty()),
        };
        let operations = self.launch.lines[step.number].operations;
        let tally = &mut self.tallies[step.number];
        tally.executions = tally.executions.plus(&once);
        tally.operations = tally.operations.plus(&meeting.scale(&operations));
        self.pay(meeting);
        let spread = self.group.spread(&slope);
        if spread != 0 {
            return Err(Bail::Separate(spread));
        }
        for (_, lanes) in &values {
            self.flat(lanes)?;
        }
        self.gather(target, &to, &slope, active)?;
        let declared = self.declared[target.variable.0 as usize].clone();
        for core in active.may.iter() {
            let (low, high) = to.get(core);
            let certain = active.must.contains(core) && low == high;
            let epoch = self.epoch;
            let old = self
                .shared_of(target.variable)
                .read(low, epoch)
                .map(|word| word.spread(&self.group));
            let mut new = old.unwrap_or_else(|| declared.clone());
            for (negated, lanes) in &values {
                let operand = lanes.get(core);
                new = updated(operator, *negated, &new, &operand).within(&declared);
            }
            let (instruction, group) = (self.instruction, self.group.clone());
            if certain {
                self.instruction += 1;
                let shared = self.shared[target.variable.0 as usize]
                    .as_mut()
                    .expect("a kernel's shared arrays are set up at its launch");
                let (_, changed) =
                    shared.write(low, Word::flat(new), epoch, instruction + 1, &group);
                self.changed |= changed;
            } else {
                // Other cores may have updated the same word any number of times.
                self.smear(target.variable, low, high, &Word::flat(declared.clone()));
            }
        }
        Ok(())
    }

    /// How many iterations of a `for` each core does.
    fn trips(
        &mut self,
        from: &Lanes,
        to: &Lanes,
        down: bool,
        active: &Active,
        line: usize,
    ) -> Result<Trips, Bail> {
        let (first, last) = if down { (to, from) } else { (from, to) };
        if let (Lanes::Known { base: x, slope: p }, Lanes::Known { base: y, slope: q }) =
            (first, last)
        {
            let mut difference = FLAT;
            for d in 0..3 {
                difference[d] = q[d].wrapping_sub(p[d]);
            }
            let spread = self.group.spread(&difference);
            if spread != 0 {
                return Err(Bail::Separate(spread));
            }
            let trips = |core: usize| {
                let trips = i128::from(y.get(core)) - i128::from(x.get(core)) + 1;
                u64::try_from(trips.max(0)).unwrap_or(u64::MAX)
            };
            if let (Base::Same(_), Base::Same(_)) = (x, y) {
                return Ok(Trips::Same(trips(0)));
            }
            let mut each = vec![(0, 0); self.cores()];
            for core in active.may.iter() {
                each[core] = (trips(core), trips(core));
            }
            return Ok(Trips::Each(each));
        }
        self.flat(first)?;
        self.flat(last)?;
        let mut each = vec![(0, 0); self.cores()];
        for core in active.may.iter() {
            for end in [first.get(core), last.get(core)] {
                if let Value::Exact(_) = end {
                    let span = self.launch.lines[line].span;
                    let fault = NoValue::NotIntegral(value::shown(&end).into());
                    self.core_fault(active, core, fault, span);
                }
            }
            let ((a, b), (c, d)) = (first.get(core).bounds(), last.get(core).bounds());
            let most = (i128::from(d) - i128::from(a) + 1).max(0);
            let least = (i128::from(c) - i128::from(b) + 1).max(0);
            if most > MOST_UNKNOWN_ITERATIONS && most != least {
                return Err(Bail::Unbounded(line));
            }
            let word = |trips: i128| u64::try_from(trips).unwrap_or(u64::MAX);
            each[core] = (word(least), word(most));
        }
        Ok(Trips::Each(each))
    }

    /// The loop variable in an iteration.
    fn counter(&self, from: &Lanes, iteration: u64, down: bool, active: &Active) -> Lanes {
        let step = iteration as i64;
        let moved = |value: i64| {
            if down {
                value.saturating_sub(step)
            } else {
                value.saturating_add(step)
            }
        };
        match from {
            Lanes::Known {
                base: Base::Same(value),
                slope,
            } => Lanes::Known {
                base: Base::Same(moved(*value)),
                slope: *slope,
            },
            Lanes::Known {
                base: Base::Each(values),
                slope,
            } => Lanes::Known {
                base: Base::Each(values.iter().map(|value| moved(*value)).collect()),
                slope: *slope,
            },
            Lanes::Same(_) | Lanes::Each(_) => {
                let mut values = vec![Value::Int(0); self.cores()];
                for core in active.may.iter() {
                    let (low, high) = from.get(core).bounds();
                    values[core] = Value::between(moved(low), moved(high));
                }
                Lanes::each(values)
            }
        }
    }

    /// A `while` of a kernel.
    fn repeat(
        &mut self,
        step: &Step<'_>,
        condition: &Condition<Launched>,
        at_most: Option<&Number<Launched>>,
        body: &[Step<'_>],
        active: &Active,
    ) -> Result<(), Bail> {
        let Some(at_most) = at_most else {
            return Err(Bail::Unbounded(step.number));
        };
        let bound = self.number(at_most, active)?;
        self.flat(&bound)?;
        let mut limits = vec![(0i64, 0i64); self.cores()];
        for core in active.may.iter() {
            limits[core] = bound.get(core).bounds();
        }
        let mut running = active.clone();
        for iteration in 0i64.. {
            if running.may.is_empty() {
                return Ok(());
            }
            self.budget.spend(self.launch.cores as u64)?;
            self.line = step.number;
            let before = (self.tallies.clone(), self.arrays.clone());
            let charged = self.meter.as_ref().map(Meter::so_far);
            self.tally(&running);
            let truths = self.test(condition, &running)?;
            let mut next = running.and(&truths);
            // A core that begins one iteration too many is an error, so none does.
            let mut left = Mask::none(self.cores());
            for core in next.may.iter() {
                if iteration >= limits[core].1 {
                    left.insert(core);
                }
            }
            for core in left.iter() {
                if next.must.contains(core) {
                    let place = self.place(core);
                    self.report(Fault::BoundExceeded {
                        iteration: (i128::from(limits[core].1) + 1).to_string(),
                        bound: limits[core].1.to_string(),
                        place,
                        span: step.stmt.span,
                    });
                }
                next.may.remove(core);
                next.must.remove(core);
            }
            if next.may.is_empty() {
                return Ok(());
            }
            let changed_before = std::mem::take(&mut self.changed);
            self.steps(body, &next)?;
            let settled = !self.changed && next == running && next.must.is_empty();
            self.changed |= changed_before;
            // Once an iteration changes nothing, all that follow are like it.
            let limit = next.may.iter().map(|core| limits[core].1).max();
            let least = next.may.iter().map(|core| limits[core].1).min();
            if let (true, Some(limit), true) = (settled, limit, least == limit) {
                let more = u64::try_from(limit - iteration - 1).unwrap_or(0);
                self.repeat_tallies(&before.0, &before.1, more);
                if let (Some(meter), Some(then)) = (&mut self.meter, &charged) {
                    meter.repeat(then, more);
                }
                self.line = step.number;
                self.tally(&next);
                self.test(condition, &next)?;
                return Ok(());
            }
            running = next;
        }
        Ok(())
    }
}

impl Warp<'_, '_> {
    /// Adds what was tallied since `before` so many times more.
    fn repeat_tallies(&mut self, before: &[Tally], arrays: &[(Bounds, Bounds)], more: u64) {
        let again = |now: &mut Bounds, then: Bounds| {
            *now = now.with(&then, |now, then| {
                now.saturating_add((now - then).saturating_mul(more))
            });
        };
        for (now, then) in self.tallies.iter_mut().zip(before) {
            again(&mut now.executions, then.executions);
            again(&mut now.operations, then.operations);
            again(&mut now.blocks, then.blocks);
            again(&mut now.conflicts, then.conflicts);
        }
        for (now, then) in self.arrays.iter_mut().zip(arrays) {
            again(&mut now.0, then.0);
            again(&mut now.1, then.1);
        }
    }
}

/// The block of a `for` without its `until`, and that with its condition.
fn until_of<'s, 'p>(
    body: &'s [Step<'p>],
) -> (
    &'s [Step<'p>],
    Option<(&'s Step<'p>, &'s Condition<Launched>)>,
) {
    if let Some((last, rest)) = body.split_last()
        && let Action::Until { condition } = &last.action
    {
        return (rest, Some((last, condition)));
    }
    (body, None)
}

/// Iterations of a `for`, at least and at most.
enum Trips {
    Same(u64),
    Each(Vec<(u64, u64)>),
}

impl Trips {
    fn running(&self, iteration: u64, active: &Active) -> Active {
        match self {
            Trips::Same(trips) if iteration < *trips => active.clone(),
            Trips::Same(_) => Active {
                must: Mask::none(64),
                may: Mask::none(64),
            },
            Trips::Each(trips) => {
                let mut running = active.clone();
                for core in active.may.iter() {
                    let (least, most) = trips[core];
                    if iteration >= least {
                        running.must.remove(core);
                    }
                    if iteration >= most {
                        running.may.remove(core);
                    }
                }
                running
            }
        }
    }
}

/// What one core makes of a word.
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
        AtomicOperator::Min => value::extremum(old, operand, false),
        AtomicOperator::Max => value::extremum(old, operand, true),
    }
}
