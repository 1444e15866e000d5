//! The cores of a group of MPs: their registers and shared memory, and the evaluation of numbers,
//! conditions and addresses, with the conflicts that reading costs.

use std::cell::Cell;
use std::ops::ControlFlow;

use crate::diag::Diagnostic;
use crate::interval::access::{Bounds, Offsets};
use crate::interval::code::{Code, Launch, Test, WordCode, mixed};
use crate::interval::cycles::Meter;
use crate::interval::lanes::{Active, Bail, Base, FLAT, Group, Lanes, Slope, Truths};
use crate::interval::memory::{Met, Shared, Summaries, Word};
use crate::interval::value::{self, Truth, Value};
use crate::meaning::fault::{Fault, NoValue, OutOfBounds, Place, word_name};
use crate::number::Real;
use crate::program::{Arithmetic, ParamId, Program, VarId};
use crate::syntax::ast::{Comparison, WordType};
use crate::text::Span;

/// What one line of a kernel cost on one MP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Tally {
    pub(super) executions: Bounds,
    pub(super) operations: Bounds,
    pub(super) blocks: Bounds,
    pub(super) conflicts: Bounds,
}

/// What a lint may have to say about one line; the worst execution.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Fact {
    /// Blocks touched, and distinct words they hold.
    pub(super) scattered: Option<(u64, u64)>,
    /// The degree of a shared operand, and where it stands.
    pub(super) conflict: Option<(u64, Span)>,
    /// Cores that enter an `if` without a guard, and active cores.
    pub(super) split: Option<(u64, u64)>,
}

/// The work that may still be done, and whom to tell of it.
pub(super) struct Budget<'a> {
    pub(super) done: u64,
    pub(super) limit: Option<u64>,
    pub(super) progress: &'a dyn Fn(u64) -> ControlFlow<()>,
    next_report: u64,
}

impl<'a> Budget<'a> {
    const REPORT_EVERY: u64 = 1 << 20;

    pub(super) fn new(limit: Option<u64>, progress: &'a dyn Fn(u64) -> ControlFlow<()>) -> Self {
        Budget {
            done: 0,
            limit,
            progress,
            next_report: Self::REPORT_EVERY,
        }
    }

    pub(super) fn spend(&mut self, work: u64) -> Result<(), Bail> {
        self.done += work;
        if self.limit.is_some_and(|limit| self.done > limit) {
            return Err(Bail::Budget);
        }
        if self.done >= self.next_report {
            self.next_report = self.done + Self::REPORT_EVERY;
            if (self.progress)(self.done).is_break() {
                return Err(Bail::Interrupted);
            }
        }
        Ok(())
    }
}

/// The cores of one group of MPs.
pub(super) struct Warp<'a, 'p> {
    pub(super) program: &'a Program,
    pub(super) launch: &'a Launch,
    pub(super) b: i64,
    pub(super) group: Group,
    /// The line that is being executed.
    pub(super) line: usize,
    pub(super) epoch: u64,
    pub(super) instruction: u64,
    pub(super) registers: Vec<Option<Lanes>>,
    pub(super) shared: &'a mut [Option<Shared>],
    pub(super) globals: &'a mut Summaries,
    /// What any word of each variable may hold, by `VarId`.
    pub(super) declared: &'a [Value],
    pub(super) budget: &'a mut Budget<'p>,
    /// Whether this launch certainly happens.
    pub(super) certain: bool,
    pub(super) faults: &'a mut Vec<Diagnostic>,
    pub(super) facts: &'a mut [Fact],
    pub(super) tallies: Vec<Tally>,
    /// Blocks read and written, by `VarId`.
    pub(super) arrays: Vec<(Bounds, Bounds)>,
    /// What the machine charges, where it is asked.
    pub(super) meter: Option<Meter<'a>>,
    /// Whether memory or a register changed since this was last cleared.
    pub(super) changed: bool,
}

impl Warp<'_, '_> {
    pub(super) fn cores(&self) -> usize {
        self.launch.cores
    }

    /// The MP and core a message speaks of.
    pub(super) fn place(&self, core: usize) -> Place {
        Place {
            core: Some(core),
            ..self.mp()
        }
    }

    fn mp(&self) -> Place {
        let mp = self.group.low[..self.launch.low.len()].to_vec();
        Place { mp, core: None }
    }

    pub(super) fn report(&mut self, fault: Fault) {
        if self.certain && self.faults.is_empty() {
            self.faults.push(fault.into());
        }
    }

    /// A fault of a core: certain when the core certainly executes this.
    pub(super) fn core_fault(&mut self, active: &Active, core: usize, none: NoValue, span: Span) {
        if active.must.contains(core) {
            let place = self.place(core);
            self.report(none.at(place, span));
        }
    }

    /// Refuses lanes that grow with the MP's number.
    pub(super) fn flat(&self, lanes: &Lanes) -> Result<(), Bail> {
        match self.group.spread(&lanes.slope()) {
            0 => Ok(()),
            set => Err(Bail::Separate(set)),
        }
    }

    pub(super) fn number(&mut self, code: &Code, active: &Active) -> Result<Lanes, Bail> {
        match code {
            Code::Const(value) => Ok(Lanes::same(value.clone())),
            Code::Mp(dimension) => {
                let mut slope = FLAT;
                let base = if self.group.is_single(*dimension) {
                    self.group.low[*dimension]
                } else {
                    slope[*dimension] = 1;
                    0
                };
                Ok(Lanes::Known {
                    base: Base::Same(base),
                    slope,
                })
            }
            Code::Core => Ok(Lanes::whole((0..self.cores() as i64).collect())),
            Code::Register(id) => Ok(self.register(*id)),
            Code::Word(word) => self.read(word, active),
            Code::Negate(inner) => {
                let lanes = self.number(inner, active)?;
                let zero = Lanes::same(Value::Int(0));
                if let Lanes::Known { .. } = lanes
                    && let Some(negated) = known_sum(&zero, &lanes, true)
                {
                    return Ok(negated);
                }
                self.each(&lanes, active, |value| value::negate(&value))
            }
            Code::Binary {
                operator,
                left,
                right,
                on_words,
                span,
            } => {
                let left = self.number(left, active)?;
                let right = self.number(right, active)?;
                self.arithmetic(*operator, &left, &right, *on_words, *span, active)
            }
            Code::Ceil(inner, span) => {
                let lanes = self.number(inner, active)?;
                self.rounded(lanes, active, *span, value::ceil)
            }
            Code::Floor(inner, span) => {
                let lanes = self.number(inner, active)?;
                self.rounded(lanes, active, *span, value::floor)
            }
            Code::Abs(inner) => {
                let lanes = self.number(inner, active)?;
                self.flat(&lanes)?;
                self.each(&lanes, active, |value| value::abs(&value))
            }
            Code::Extremum { larger, arguments } => {
                let mut best: Option<Lanes> = None;
                for argument in arguments {
                    let lanes = self.number(argument, active)?;
                    best = Some(match best {
                        None => lanes,
                        Some(best) => self.extremum(&best, &lanes, *larger, active)?,
                    });
                }
                Ok(best.expect("check saw an argument"))
            }
            Code::Select {
                condition,
                then,
                otherwise,
            } => {
                let truths = self.test(condition, active)?;
                let then = self.number(then, active)?;
                let otherwise = self.number(otherwise, active)?;
                self.select(&truths, &then, &otherwise, active)
            }
            Code::Math {
                function,
                argument,
                span,
            } => {
                let lanes = self.number(argument, active)?;
                self.flat(&lanes)?;
                self.each_checked(&lanes, active, *span, |value| {
                    value::math(*function, &value)
                })
            }
            Code::Bits {
                function,
                left,
                right,
                span,
            } => {
                let (x, y) = (self.number(left, active)?, self.number(right, active)?);
                self.zip(&x, &y, active, *span, |x, y| value::bits(*function, x, y))
            }
            Code::Log {
                base,
                argument,
                span,
            } => {
                let (x, y) = (self.number(base, active)?, self.number(argument, active)?);
                self.zip(&x, &y, active, *span, value::log)
            }
            Code::Bracket(condition) => {
                let bracket = |truth| match truth {
                    Truth::False => Value::Int(0),
                    Truth::Maybe => Value::Range(0, 1),
                    Truth::True => Value::Int(1),
                };
                Ok(match self.test(condition, active)? {
                    Truths::Same(truth) => Lanes::same(bracket(truth)),
                    Truths::Each(truths) => Lanes::each(truths.into_iter().map(bracket).collect()),
                })
            }
        }
    }

    fn register(&self, id: ParamId) -> Lanes {
        let lanes = self.registers[id.0 as usize].clone();
        lanes.expect("a register is set before it is read")
    }

    pub(super) fn set_register(&mut self, id: ParamId, lanes: Lanes) {
        let register = &mut self.registers[id.0 as usize];
        let same = register.as_ref().is_some_and(|old| old.agrees(&lanes));
        self.changed |= !same;
        *register = Some(lanes);
    }

    pub(super) fn test(&mut self, test: &Test, active: &Active) -> Result<Truths, Bail> {
        match test {
            Test::Const(truth) => Ok(Truths::Same(*truth)),
            Test::And(left, right) => {
                let (left, right) = (self.test(left, active)?, self.test(right, active)?);
                Ok(left.zip(&right, Truth::and))
            }
            Test::Or(left, right) => {
                let (left, right) = (self.test(left, active)?, self.test(right, active)?);
                Ok(left.zip(&right, Truth::or))
            }
            Test::Not(inner) => Ok(self.test(inner, active)?.not()),
            Test::Compare {
                operands,
                operators,
                span,
            } => {
                let mut left = self.number(&operands[0], active)?;
                let mut truths = Truths::Same(Truth::True);
                for (operator, operand) in operators.iter().zip(&operands[1..]) {
                    let right = self.number(operand, active)?;
                    let held = self.compare(*operator, &left, &right, active, *span)?;
                    truths = truths.zip(&held, Truth::and);
                    left = right;
                }
                Ok(truths)
            }
        }
    }

    fn compare(
        &mut self,
        operator: Comparison,
        left: &Lanes,
        right: &Lanes,
        active: &Active,
        span: Span,
    ) -> Result<Truths, Bail> {
        let by_difference = match operator {
            Comparison::Equal
            | Comparison::NotEqual
            | Comparison::Less
            | Comparison::AtMost
            | Comparison::Greater
            | Comparison::AtLeast => true,
            Comparison::Divides | Comparison::PowerOf => false,
        };
        if by_difference
            && let (Lanes::Known { base: x, slope: p }, Lanes::Known { base: y, slope: q }) =
                (left, right)
            && let Some(slope) = combine(p, q, i64::checked_sub)
        {
            let decide = |x: i64, y: i64| {
                let difference = i128::from(x) - i128::from(y);
                self.group.compare_zero(operator, difference, &slope)
            };
            if let (Base::Same(x), Base::Same(y)) = (x, y) {
                let holds = decide(*x, *y).ok_or_else(|| self.group.halve(&slope))?;
                return Ok(Truths::Same(holds.into()));
            }
            let mut truths = vec![Truth::False; self.cores()];
            for core in active.may.iter() {
                let holds =
                    decide(x.get(core), y.get(core)).ok_or_else(|| self.group.halve(&slope))?;
                truths[core] = holds.into();
            }
            return Ok(Truths::Each(truths));
        }
        self.flat(left)?;
        self.flat(right)?;
        if let (Lanes::Same(x), Lanes::Same(y)) = (left, right) {
            return Ok(Truths::Same(
                value::compare(operator, x, y).unwrap_or(Truth::Maybe),
            ));
        }
        let mut truths = vec![Truth::False; self.cores()];
        for core in active.may.iter() {
            truths[core] = match value::compare(operator, &left.get(core), &right.get(core)) {
                Ok(truth) => truth,
                Err(fault) => {
                    self.core_fault(active, core, fault, span);
                    Truth::Maybe
                }
            };
        }
        Ok(Truths::Each(truths))
    }

    fn arithmetic(
        &mut self,
        operator: Arithmetic,
        left: &Lanes,
        right: &Lanes,
        on_words: bool,
        span: Span,
        active: &Active,
    ) -> Result<Lanes, Bail> {
        if let (Lanes::Known { .. }, Lanes::Known { .. }) = (left, right) {
            let fast = match operator {
                Arithmetic::Add => known_sum(left, right, false),
                Arithmetic::Subtract => known_sum(left, right, true),
                Arithmetic::Multiply => {
                    known_product(left, right).or_else(|| known_product(right, left))
                }
                Arithmetic::FloorDivide | Arithmetic::Modulo | Arithmetic::Divide => {
                    known_quotient(operator, left, right)
                }
                Arithmetic::Power => None,
            };
            if let Some(lanes) = fast {
                return Ok(lanes);
            }
        }
        let beyond_words = Cell::new(0);
        let lanes = self.zip(left, right, active, span, |x, y| {
            let result = value::arithmetic(operator, x, y)?;
            if let Value::Exact(exact) = &result {
                beyond_words.set(beyond_words.get() + work_of(exact));
            }
            match &result {
                // A whole number beyond a word: parameters may be that large, data not.
                Value::Exact(exact) if on_words && exact.to_integer().is_some() => {
                    Err(NoValue::Overflow(value::shown(&result)))
                }
                _ => Ok(result),
            }
        });
        self.budget.spend(beyond_words.get())?;
        lanes
    }

    fn rounded(
        &mut self,
        lanes: Lanes,
        active: &Active,
        span: Span,
        round: fn(&Value) -> Result<Value, NoValue>,
    ) -> Result<Lanes, Bail> {
        match lanes {
            Lanes::Known { .. } => Ok(lanes),
            Lanes::Same(_) | Lanes::Each(_) => {
                self.each_checked(&lanes, active, span, |value| round(&value))
            }
        }
    }

    fn extremum(
        &mut self,
        left: &Lanes,
        right: &Lanes,
        larger: bool,
        active: &Active,
    ) -> Result<Lanes, Bail> {
        if left.slope() != FLAT || right.slope() != FLAT {
            let operator = if larger {
                Comparison::AtLeast
            } else {
                Comparison::AtMost
            };
            if let (Lanes::Known { .. }, Lanes::Known { .. }) = (left, right) {
                let truths = self.compare(operator, left, right, active, Span::default())?;
                return self.select(&truths, left, right, active);
            }
        }
        self.zip(left, right, active, Span::default(), |x, y| {
            Ok(value::extremum(x, y, larger))
        })
    }

    fn select(
        &mut self,
        truths: &Truths,
        then: &Lanes,
        otherwise: &Lanes,
        active: &Active,
    ) -> Result<Lanes, Bail> {
        if let (Lanes::Known { base: x, slope: p }, Lanes::Known { base: y, slope: q }) =
            (then, otherwise)
        {
            match truths {
                Truths::Same(Truth::True) => return Ok(then.clone()),
                Truths::Same(Truth::False) => return Ok(otherwise.clone()),
                Truths::Same(Truth::Maybe) => {}
                Truths::Each(truths) => {
                    let among = |truth| active.may.iter().all(|core| truths[core] == truth);
                    if among(Truth::True) {
                        return Ok(then.clone());
                    }
                    if among(Truth::False) {
                        return Ok(otherwise.clone());
                    }
                    if p == q && active.may.iter().all(|core| truths[core] != Truth::Maybe) {
                        let pick = |core: usize| match truths[core] {
                            Truth::True => x.get(core),
                            Truth::False | Truth::Maybe => y.get(core),
                        };
                        return Ok(Lanes::Known {
                            base: Base::Each((0..self.cores()).map(pick).collect()),
                            slope: *p,
                        });
                    }
                }
            }
        }
        self.flat(then)?;
        self.flat(otherwise)?;
        let mut values = vec![Value::Int(0); self.cores()];
        for core in active.may.iter() {
            let (x, y) = (then.get(core), otherwise.get(core));
            values[core] = match truths.get(core) {
                Truth::True => mixed(&x, &y),
                Truth::False => mixed(&y, &x),
                Truth::Maybe => mixed(&x, &y).join(&mixed(&y, &x)),
            };
        }
        Ok(Lanes::each(values))
    }

    fn each(
        &self,
        lanes: &Lanes,
        active: &Active,
        f: impl Fn(Value) -> Value,
    ) -> Result<Lanes, Bail> {
        self.flat(lanes)?;
        match lanes {
            Lanes::Same(value) => Ok(Lanes::same(f(value.clone()))),
            Lanes::Known {
                base: Base::Same(value),
                ..
            } => Ok(Lanes::same(f(Value::Int(*value)))),
            Lanes::Known { .. } | Lanes::Each(_) => {
                let mut values = vec![Value::Int(0); self.cores()];
                for core in active.may.iter() {
                    values[core] = f(lanes.get(core));
                }
                Ok(Lanes::each(values))
            }
        }
    }

    fn each_checked(
        &mut self,
        lanes: &Lanes,
        active: &Active,
        span: Span,
        f: impl Fn(Value) -> Result<Value, NoValue>,
    ) -> Result<Lanes, Bail> {
        self.zip(lanes, lanes, active, span, |value, _| f(value.clone()))
    }

    fn zip(
        &mut self,
        left: &Lanes,
        right: &Lanes,
        active: &Active,
        span: Span,
        f: impl Fn(&Value, &Value) -> Result<Value, NoValue>,
    ) -> Result<Lanes, Bail> {
        self.flat(left)?;
        self.flat(right)?;
        let uniform = |lanes: &Lanes| match lanes {
            Lanes::Same(value) => Some(value.clone()),
            Lanes::Known {
                base: Base::Same(value),
                ..
            } => Some(Value::Int(*value)),
            Lanes::Known { .. } | Lanes::Each(_) => None,
        };
        if let (Some(x), Some(y)) = (uniform(left), uniform(right)) {
            return Ok(match f(&x, &y) {
                Ok(value) => Lanes::same(value),
                Err(fault) => {
                    if let Some(core) = active.must.iter().next() {
                        self.core_fault(active, core, fault, span);
                    }
                    Lanes::same(value::ANY_INT)
                }
            });
        }
        let mut values = vec![Value::Int(0); self.cores()];
        for core in active.may.iter() {
            values[core] = match f(&left.get(core), &right.get(core)) {
                Ok(value) => value,
                Err(fault) => {
                    self.core_fault(active, core, fault, span);
                    value::ANY_INT
                }
            };
        }
        Ok(Lanes::each(values))
    }

    /// Where the cores go in an array, on the first MP of the group, and how that moves with the
    /// MP's number.
    pub(super) fn offsets(
        &mut self,
        word: &WordCode,
        active: &Active,
    ) -> Result<(Offsets, Slope), Bail> {
        let mut places = Vec::with_capacity(word.indices.len());
        for index in &word.indices {
            places.push(self.number(index, active)?);
        }
        let strides = strides(&word.extents);
        let known = places
            .iter()
            .all(|place| matches!(place, Lanes::Known { .. }));
        if known {
            return self.known_offsets(word, &places, &strides, active);
        }
        let mut ranges = vec![(0i64, 0i64); self.cores()];
        for (at, place) in places.iter().enumerate() {
            self.flat(place)?;
            let extent = word.extents[at];
            for core in active.may.iter() {
                let index = place.get(core);
                if let Value::Exact(_) = index {
                    let fault = NoValue::NotIntegral(value::shown(&index));
                    self.core_fault(active, core, fault, word.spans[at]);
                }
                let (mut low, mut high) = index.bounds();
                if high < 0 || low >= extent {
                    let wrong = if high < 0 { high } else { low };
                    self.outside(word, at, wrong.into(), core, active);
                    (low, high) = (0, extent - 1);
                }
                let low = low.clamp(0, (extent - 1).max(0));
                let high = high.clamp(0, (extent - 1).max(0));
                ranges[core].0 += low * strides[at];
                ranges[core].1 += high * strides[at];
            }
        }
        Ok((Offsets::Between(ranges), FLAT))
    }

    fn known_offsets(
        &mut self,
        word: &WordCode,
        places: &[Lanes],
        strides: &[i64],
        active: &Active,
    ) -> Result<(Offsets, Slope), Bail> {
        let mut offsets = vec![0i64; self.cores()];
        let mut slope = FLAT;
        for (at, place) in places.iter().enumerate() {
            let Lanes::Known { base, slope: own } = place else {
                continue;
            };
            let extent = i128::from(word.extents[at]);
            let (least, most) = self.group.extremes(own);
            let first = self.group.at_first(own);
            for core in active.may.iter() {
                let value = i128::from(base.get(core));
                let (low, high) = (value + least, value + most);
                let mut index = value + first;
                if high < 0 || low >= extent {
                    self.outside(word, at, index, core, active);
                    index = 0;
                } else if low < 0 || high >= extent {
                    return Err(self.group.halve(own));
                }
                offsets[core] += index as i64 * strides[at];
            }
            for d in 0..3 {
                let step = own[d].checked_mul(strides[at]);
                let sum = step.and_then(|step| slope[d].checked_add(step));
                slope[d] = sum.ok_or(Bail::Separate(self.group.spread(own)))?;
            }
        }
        Ok((Offsets::Known(offsets), slope))
    }

    fn outside(&mut self, word: &WordCode, at: usize, index: i128, core: usize, active: &Active) {
        if !active.must.contains(core) {
            return;
        }
        let variable = self.program.variable(word.variable);
        let fact = OutOfBounds {
            variable: variable.name.clone(),
            dimension: at,
            dimensions: word.extents.len(),
            index: index.to_string(),
            extent: word.extents[at].into(),
        };
        let place = self.place(core);
        let (span, declaration) = (word.spans[at], variable.span);
        let is_shared = self.shared[word.variable.0 as usize].is_some();
        self.report(if is_shared {
            Fault::BoundsShared {
                fact,
                place,
                span,
                declaration,
            }
        } else {
            Fault::BoundsGlobal {
                fact,
                place,
                span,
                declaration,
            }
        });
    }

    /// Tallies the conflict of one shared operand. Banks turn with the MP's number, so that a
    /// slope does not matter.
    pub(super) fn operand(&mut self, offsets: &Offsets, active: &Active, span: Span) {
        let conflicts = offsets.conflicts(&active.must, &active.may, self.b);
        let line = self.line;
        let tally = &mut self.tallies[line];
        tally.conflicts = tally.conflicts.plus(conflicts);
        if let Some(meter) = &mut self.meter {
            meter.shared(line, offsets, active, conflicts);
        }
        let degree = conflicts.lower + 1;
        let fact = &mut self.facts[line].conflict;
        if degree > 1 && fact.is_none_or(|(worst, _)| degree > worst) {
            *fact = Some((degree, span));
        }
    }

    fn read(&mut self, word: &WordCode, active: &Active) -> Result<Lanes, Bail> {
        let (offsets, slope) = self.offsets(word, active)?;
        self.operand(&offsets, active, word.span);
        self.gather(word, &offsets, &slope, active)
    }

    /// The words at known places, or what lies between.
    pub(super) fn gather(
        &mut self,
        word: &WordCode,
        offsets: &Offsets,
        slope: &Slope,
        active: &Active,
    ) -> Result<Lanes, Bail> {
        let spread = self.group.spread(slope);
        if spread != 0 {
            return Err(Bail::Separate(spread));
        }
        let mut words: Vec<Word> = vec![Word::flat(Value::Int(0)); self.cores()];
        let mut common: Option<Slope> = None;
        let mut last_range: Option<((i64, i64), Value)> = None;
        for core in active.may.iter() {
            let (low, high) = offsets.get(core);
            let shared = self.shared_of(word.variable);
            let found = if low == high {
                shared.read(low, self.epoch)
            } else {
                let value = match &last_range {
                    Some((range, value)) if *range == (low, high) => value.clone(),
                    Some(_) | None => shared.read_between(low, high, self.epoch, &self.group),
                };
                last_range = Some(((low, high), value.clone()));
                Some(Word::flat(value))
            };
            let found = match found {
                Some(found) => found,
                None => {
                    let inside = (0..shared.words()).contains(&low);
                    let declared = shared.declared.clone();
                    if inside && active.must.contains(core) {
                        let array = &self.program.variable(word.variable).name;
                        let name = word_name(array, &word.extents, low.unsigned_abs());
                        let place = self.place(core);
                        let span = word.span;
                        self.report(Fault::Uninitialised {
                            word: name,
                            place,
                            span,
                        });
                    }
                    Word::flat(declared)
                }
            };
            match &common {
                None => common = Some(found.slope),
                Some(common) if *common == found.slope => {}
                Some(common) => {
                    let set = self.group.spread(common) | self.group.spread(&found.slope);
                    if set != 0 {
                        return Err(Bail::Separate(set));
                    }
                }
            }
            words[core] = found;
        }
        let slope = common.unwrap_or(FLAT);
        let whole = |word: &Word| match &word.value {
            Value::Int(value) => Some(*value),
            _ => None,
        };
        if let Some(values) = words.iter().map(whole).collect::<Option<Vec<i64>>>() {
            return Ok(Lanes::Known {
                base: Base::Each(values),
                slope,
            });
        }
        Ok(Lanes::Each(
            words.into_iter().map(|word| word.value).collect(),
        ))
    }

    pub(super) fn shared_of(&self, variable: VarId) -> &Shared {
        self.shared[variable.0 as usize]
            .as_ref()
            .expect("a kernel's shared arrays are set up at its launch")
    }

    /// What a core writes into a word of a variable: a whole number or a float, inside its
    /// declared range.
    fn fitted(
        &mut self,
        variable: VarId,
        value: Value,
        core: usize,
        active: &Active,
        (expression, statement): (Span, Span),
    ) -> Value {
        let word_type = self.program.variable(variable).word_type;
        let declared = self.declared[variable.0 as usize].clone();
        let value = match (word_type, &value) {
            (WordType::Float, _) => value.to_float(),
            (WordType::Int, Value::Exact(exact)) => {
                let fault = if exact.to_integer().is_some() {
                    NoValue::Overflow(value::shown(&value))
                } else {
                    NoValue::NotIntegral(value::shown(&value))
                };
                self.core_fault(active, core, fault, expression);
                declared.clone()
            }
            (WordType::Int, _) => value,
        };
        let outside = match (&value, &declared) {
            (Value::Int(value), Value::Range(low, high)) => value < low || value > high,
            (Value::Int(value), Value::Int(only)) => value != only,
            (Value::Float(value), Value::Floats(low, high)) => value < low || value > high,
            _ => false,
        };
        if outside && active.must.contains(core) {
            let variable = self.program.variable(variable);
            let (word, declaration) = (variable.name.clone(), variable.span);
            let place = self.place(core);
            let value = value::shown(&value);
            let (low, high) = match &declared {
                Value::Range(low, high) => (low.to_string(), high.to_string()),
                Value::Floats(low, high) => {
                    let shown = |end: &f64| value::shown(&Value::Float(*end));
                    (shown(low), shown(high))
                }
                one => (value::shown(one), value::shown(one)),
            };
            self.report(Fault::OutsideDeclared {
                word,
                value,
                low,
                high,
                place,
                span: statement,
                declaration,
            });
        }
        value.within(&declared)
    }

    /// Writes one value per core to shared memory, all cores at once. The spans are those of the
    /// expression and of the statement.
    pub(super) fn scatter(
        &mut self,
        word: &WordCode,
        offsets: &Offsets,
        slope: &Slope,
        (values, spans): (&Lanes, (Span, Span)),
        active: &Active,
    ) -> Result<(), Bail> {
        let spread = self.group.spread(slope);
        if spread != 0 {
            return Err(Bail::Separate(spread));
        }
        self.instruction += 1;
        let declared = self.declared[word.variable.0 as usize].clone();
        let mut smeared: Option<(i64, i64, Word)> = None;
        for core in active.may.iter() {
            let new = match values {
                Lanes::Known { base, slope } if *slope != FLAT => {
                    let new = Word {
                        value: Value::Int(base.get(core)),
                        slope: *slope,
                    };
                    // Inside a declared range on all MPs, or else told apart.
                    let (low, high) = new.spread(&self.group).bounds();
                    let (least, most) = declared.bounds();
                    if declared.is_float() || low < least || high > most {
                        return Err(Bail::Separate(self.group.spread(slope)));
                    }
                    new
                }
                Lanes::Known { .. } | Lanes::Same(_) | Lanes::Each(_) => {
                    Word::flat(self.fitted(word.variable, values.get(core), core, active, spans))
                }
            };
            let (low, high) = offsets.get(core);
            let (epoch, instruction) = (self.epoch, self.instruction);
            if low != high {
                smeared = Some(match smeared {
                    None => (low, high, new),
                    Some((least, most, old)) => {
                        let joined = old.spread(&self.group).join(&new.spread(&self.group));
                        (least.min(low), most.max(high), Word::flat(joined))
                    }
                });
                continue;
            }
            let group = self.group.clone();
            let shared = self.shared[word.variable.0 as usize]
                .as_mut()
                .expect("a kernel's shared arrays are set up at its launch");
            if active.must.contains(core) {
                let old = shared.read(low, epoch);
                let (met, changed) = shared.write(low, new.clone(), epoch, instruction, &group);
                self.changed |= changed;
                if let (Met::Race, Some(old)) = (met, old) {
                    let array = &self.program.variable(word.variable).name;
                    let name = word_name(array, &word.extents, low.unsigned_abs());
                    let mut others = active.must.iter();
                    let first = others.find(|&other| offsets.get(other) == (low, high));
                    let (first_value, second_value) =
                        (value::shown(&old.value), value::shown(&new.value));
                    let place = self.mp();
                    let span = word.span;
                    self.report(Fault::RaceShared {
                        word: name,
                        first: first.unwrap_or(core),
                        second: core,
                        first_value,
                        second_value,
                        place,
                        span,
                    });
                }
            } else {
                self.changed |= shared.weaken(low, &new, epoch, &group);
            }
        }
        if let Some((low, high, new)) = smeared {
            self.smear(word.variable, low, high, &new);
        }
        Ok(())
    }

    /// Writes a value somewhere between two words.
    pub(super) fn smear(&mut self, variable: VarId, low: i64, high: i64, new: &Word) {
        let (epoch, group) = (self.epoch, self.group.clone());
        let shared = self.shared[variable.0 as usize]
            .as_mut()
            .expect("a kernel's shared arrays are set up at its launch");
        for offset in low..=high {
            self.changed |= shared.weaken(offset, new, epoch, &group);
        }
    }

    /// What a global access writes: recorded for the array as a whole.
    pub(super) fn record(
        &mut self,
        variable: VarId,
        values: &Lanes,
        active: &Active,
        spans: (Span, Span),
    ) -> Result<(), Bail> {
        if let Lanes::Known { base, slope } = values
            && *slope != FLAT
        {
            for core in active.may.iter() {
                let word = Word {
                    value: Value::Int(base.get(core)),
                    slope: *slope,
                };
                let all = word.spread(&self.group);
                let kept = all.within(&self.declared[variable.0 as usize]);
                self.changed |= self.globals.join(variable.0 as usize, &kept);
            }
            return Ok(());
        }
        if let Lanes::Same(value) = values {
            let core = active.may.iter().next().unwrap_or(0);
            let value = self.fitted(variable, value.clone(), core, active, spans);
            self.changed |= self.globals.join(variable.0 as usize, &value);
            return Ok(());
        }
        for core in active.may.iter() {
            let value = self.fitted(variable, values.get(core), core, active, spans);
            self.changed |= self.globals.join(variable.0 as usize, &value);
        }
        Ok(())
    }
}

/// The distance between neighbours in each dimension, row-major.
fn strides(extents: &[i64]) -> Vec<i64> {
    let mut strides = vec![1i64; extents.len()];
    for at in (0..extents.len().saturating_sub(1)).rev() {
        strides[at] = strides[at + 1].saturating_mul(extents[at + 1]);
    }
    strides
}

fn combine(p: &Slope, q: &Slope, f: fn(i64, i64) -> Option<i64>) -> Option<Slope> {
    let mut slope = FLAT;
    for d in 0..3 {
        slope[d] = f(p[d], q[d])?;
    }
    Some(slope)
}

/// x + y or x − y of known whole numbers; `None` on overflow.
fn known_sum(left: &Lanes, right: &Lanes, subtract: bool) -> Option<Lanes> {
    let (Lanes::Known { base: x, slope: p }, Lanes::Known { base: y, slope: q }) = (left, right)
    else {
        return None;
    };
    let f = if subtract {
        i64::checked_sub
    } else {
        i64::checked_add
    };
    Some(Lanes::Known {
        base: zip_bases(x, y, f)?,
        slope: combine(p, q, f)?,
    })
}

fn zip_bases(x: &Base, y: &Base, f: impl Fn(i64, i64) -> Option<i64>) -> Option<Base> {
    Some(match (x, y) {
        (Base::Same(x), Base::Same(y)) => Base::Same(f(*x, *y)?),
        (Base::Each(x), Base::Same(y)) => {
            Base::Each(x.iter().map(|x| f(*x, *y)).collect::<Option<_>>()?)
        }
        (Base::Same(x), Base::Each(y)) => {
            Base::Each(y.iter().map(|y| f(*x, *y)).collect::<Option<_>>()?)
        }
        (Base::Each(x), Base::Each(y)) => {
            let pairs = x.iter().zip(y);
            Base::Each(pairs.map(|(x, y)| f(*x, *y)).collect::<Option<_>>()?)
        }
    })
}

/// x·y where y does not grow with the MP's number, and is one number if x does.
fn known_product(left: &Lanes, right: &Lanes) -> Option<Lanes> {
    let (Lanes::Known { base: x, slope: p }, Lanes::Known { base: y, slope: q }) = (left, right)
    else {
        return None;
    };
    if *q != FLAT {
        return None;
    }
    let slope = match y {
        Base::Same(factor) => combine(p, &[*factor; 3], i64::checked_mul)?,
        Base::Each(_) if *p == FLAT => FLAT,
        Base::Each(_) => return None,
    };
    Some(Lanes::Known {
        base: zip_bases(x, y, i64::checked_mul)?,
        slope,
    })
}

/// x/y, x div y or x mod y where y is one number that divides the slope; `None` where a result is
/// no whole number, or y is 0.
fn known_quotient(operator: Arithmetic, left: &Lanes, right: &Lanes) -> Option<Lanes> {
    let (Lanes::Known { base: x, slope: p }, Lanes::Known { base: y, slope: q }) = (left, right)
    else {
        return None;
    };
    if *q != FLAT {
        return None;
    }
    let divide = |x: i64, y: i64| match operator {
        _ if y == 0 => None,
        Arithmetic::Divide => (x.checked_rem(y)? == 0).then(|| x / y),
        Arithmetic::FloorDivide => {
            let quotient = x.checked_div(y)?;
            let down = x.checked_rem(y)? != 0 && (x < 0) != (y < 0);
            Some(quotient - i64::from(down))
        }
        Arithmetic::Modulo => {
            let rest = x.checked_rem(y)?;
            Some(if rest != 0 && (rest < 0) != (y < 0) {
                rest + y
            } else {
                rest
            })
        }
        Arithmetic::Add | Arithmetic::Subtract | Arithmetic::Multiply | Arithmetic::Power => None,
    };
    let slope = match y {
        Base::Same(divisor) if *p != FLAT => {
            let exact = |x: i64, y: i64| (x.checked_rem(y)? == 0).then(|| x / y);
            let quotient = combine(p, &[*divisor; 3], exact)?;
            if operator == Arithmetic::Modulo {
                FLAT
            } else {
                quotient
            }
        }
        Base::Each(_) if *p != FLAT => return None,
        Base::Same(_) | Base::Each(_) => FLAT,
    };
    Some(Lanes::Known {
        base: zip_bases(x, y, divide)?,
        slope,
    })
}

/// What an operation on a number that fits no word is worth, in core-steps.
fn work_of(number: &Real) -> u64 {
    let words = number.bits() as u64 / 64;
    20 + words * words / 10
}
