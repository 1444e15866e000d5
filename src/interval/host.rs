//! The host: transfers, loops, `let`s and swaps, with what is known of host and global memory.

use std::ops::ControlFlow;
use std::rc::Rc;

use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::count::{Charged, Inexact, Quantity};
use crate::derivation::Bound;
use crate::diag::Diagnostic;
use crate::interval::code::{Code, Compiler, NotReady, Test, declared, mixed};
use crate::interval::kernel::{self, Context, KernelCounts};
use crate::interval::lanes::Bail;
use crate::interval::memory::Summaries;
use crate::interval::rounds::{self, Event, EventKind, Launched};
use crate::interval::unbounded::Unbounded;
use crate::interval::unbounded::{is_unbounded, unbounded_whiles};
use crate::interval::value::{self, Truth, Value};
use crate::interval::warp::Budget;
use crate::interval::{CountError, CountOptions, Counted, Depth, WarpFact};
use crate::machine::CycleRules;
use crate::meaning::fault::{Fault, OutOfBounds, Place, shape_text};
use crate::meaning::{Environment, Point, evaluate_integer, read_parameters};
use crate::number::BigInt;
use crate::program::{
    self, Direction, Extent, HostFor, HostStmt, HostWhile, Kernel, LetBinding, Number, ParamId,
    Program, Region, Role, Scope, Stmt, StmtKind, Swap, Transfer, WrapperStmt,
};
use crate::syntax::ast::Property;
use crate::text::Span;

/// More events than this are more than anybody reads.
const MOST_EVENTS: usize = 1_000_000;

struct Host<'a, 'p> {
    program: &'a Program,
    extents: &'a [Vec<BigInt>],
    sizes: Vec<BigInt>,
    environment: Environment,
    declared: Vec<Value>,
    summaries: Summaries,
    budget: Budget<'p>,
    charge_conflicts: bool,
    cycle_rules: Option<&'a CycleRules>,
    depth: Depth,
    events: Vec<Event>,
    faults: Vec<Diagnostic>,
    /// Whether the host certainly comes here.
    certain: bool,
    /// The first `while` whose end depends on data.
    uncertain_while: Option<Span>,
    /// The `execute` being done.
    from: Option<Span>,
    launches: Vec<Remembered>,
}

/// A launch already counted, to be used again where nothing it depends on has changed.
struct Remembered {
    kernel: *const Kernel,
    values: Vec<Option<BigInt>>,
    before: Vec<Option<Value>>,
    after: Vec<Option<Value>>,
    certain: bool,
    launched: Rc<Launched>,
}

pub(super) fn count(
    program: &Program,
    point: &Point,
    options: &CountOptions,
    depth: Depth,
    progress: &dyn Fn(u64) -> ControlFlow<()>,
) -> Result<Counted, CountError> {
    if depth == Depth::Kernels
        && let Some(unbounded) = unbounded_whiles(program).into_iter().next()
    {
        return Err(CountError::Fault(unbounded));
    }
    let ids = program.variable_ids();
    let declared: Vec<Value> = ids
        .map(|id| declared(program, id, &point.environment))
        .collect();
    let sizes: Vec<BigInt> = point
        .extents
        .iter()
        .map(|extents| extents.iter().product())
        .collect();
    let mut summaries = Summaries::new(program.variables.len());
    for (at, variable) in program.variables.iter().enumerate() {
        if variable.role == Role::Input {
            summaries.replace(
                at,
                Some(given(variable.property, &declared[at], &sizes[at])),
            );
        }
    }
    let mut host = Host {
        program,
        extents: &point.extents,
        sizes,
        environment: point.environment.clone(),
        declared,
        summaries,
        budget: Budget::new(options.work_limit, progress),
        charge_conflicts: options.charge_conflicts,
        cycle_rules: options.cycle_rules.as_ref(),
        depth,
        events: Vec::new(),
        faults: Vec::new(),
        certain: true,
        uncertain_while: None,
        from: None,
        launches: Vec::new(),
    };
    host.stmts(&program.body)?;
    Ok(host.finish())
}

/// What the words of an input may be.
fn given(property: Option<Property>, declared: &Value, size: &BigInt) -> Value {
    match property {
        Some(Property::Permutation | Property::List) => {
            let last = size.to_i64().unwrap_or(i64::MAX).saturating_sub(1).max(0);
            Value::between(0, last).within(declared)
        }
        Some(Property::Sorted) | None => declared.clone(),
    }
}

impl<'a> Host<'a, '_> {
    fn stmts(&mut self, body: &'a [HostStmt]) -> Result<(), CountError> {
        for stmt in body {
            self.stmt(stmt)?;
        }
        Ok(())
    }

    fn stmt(&mut self, stmt: &'a HostStmt) -> Result<(), CountError> {
        self.spend(1)?;
        match stmt {
            HostStmt::Transfer(transfer) => self.transfer(transfer),
            HostStmt::Kernel(kernel) => self.kernel(kernel),
            HostStmt::For(repeated) => self.repeat(repeated),
            HostStmt::While(repeated) => self.repeat_while(repeated),
            HostStmt::Let(binding) => self.bind(binding),
            HostStmt::Swap(swap) => {
                self.swap(swap);
                Ok(())
            }
            HostStmt::Execute(execute) => {
                // Arguments are evaluated in the caller, before any formal has its value.
                let mut values = Vec::new();
                for argument in &execute.arguments {
                    values.push((argument.parameter, self.integer(&argument.value)?));
                }
                for (parameter, value) in values {
                    self.environment.bind(parameter, value);
                }
                let outer = self.from.replace(execute.span);
                let before = self.faults.len();
                let done = self.stmts(&execute.body);
                for fault in &mut self.faults[before..] {
                    fault.label_execute(Some(execute.span));
                }
                self.from = outer;
                done.map_err(|error| match error {
                    CountError::Fault(mut fault) => {
                        fault.label_execute(Some(execute.span));
                        CountError::Fault(fault)
                    }
                    other => other,
                })
            }
        }
    }

    fn spend(&mut self, work: u64) -> Result<(), CountError> {
        match self.budget.spend(work) {
            Ok(()) => Ok(()),
            Err(bail) => Err(self.stopped(bail, &[])),
        }
    }

    fn stopped(&self, bail: Bail, lines: &[Span]) -> CountError {
        match bail {
            Bail::Budget => CountError::TooLong(self.budget.done),
            Bail::Interrupted => CountError::Interrupted,
            Bail::Unbounded(line) => {
                let span = lines.get(line).copied().unwrap_or_default();
                CountError::Fault(Unbounded::For { span }.into())
            }
            // Groups of one MP separate no further.
            Bail::TooLarge | Bail::Separate(_) | Bail::Halve(_) => {
                CountError::TooLarge(lines.first().copied().unwrap_or_default())
            }
        }
    }

    fn integer(&self, expr: &Number) -> Result<BigInt, CountError> {
        evaluate_integer(self.program, expr, &self.environment).map_err(CountError::Fault)
    }

    fn bind(&mut self, binding: &LetBinding) -> Result<(), CountError> {
        let value = self.integer(&binding.value)?;
        self.environment.bind(binding.parameter, value);
        Ok(())
    }

    fn repeat(&mut self, repeated: &'a HostFor) -> Result<(), CountError> {
        let mut value = self.integer(&repeated.from)?;
        let last = self.integer(&repeated.to)?;
        let step = BigInt::from(if repeated.down { -1 } else { 1 });
        while if repeated.down {
            value >= last
        } else {
            value <= last
        } {
            self.environment.bind(repeated.variable, value.clone());
            self.spend(1)?;
            self.stmts(&repeated.body)?;
            value += &step;
        }
        Ok(())
    }

    fn repeat_while(&mut self, repeated: &'a HostWhile) -> Result<(), CountError> {
        let at_most = self.integer(&repeated.at_most)?;
        let was_certain = self.certain;
        let mut ways_out: Option<Summaries> = None;
        let mut iteration = BigInt::zero();
        // Where every iteration does the same, the events of one stand for all.
        let mut settled: Option<(Summaries, Vec<Event>)> = None;
        while iteration < at_most {
            self.spend(1)?;
            match self.holds(repeated) {
                Truth::False => break,
                Truth::True => {}
                Truth::Maybe => {
                    ways_out = Some(match ways_out {
                        Some(ways) => ways.either(&self.summaries),
                        None => self.summaries.clone(),
                    });
                    self.certain = false;
                    self.uncertain_while.get_or_insert(repeated.span);
                }
            }
            if self.events.len() > MOST_EVENTS {
                return Err(CountError::TooLong(self.budget.done));
            }
            match &settled {
                Some((state, events)) if state.same(&self.summaries) => {
                    let again = events.clone();
                    self.events.extend(again);
                }
                Some(_) | None => {
                    let (before, start) = (self.summaries.clone(), self.events.len());
                    let certain = self.certain;
                    self.stmts(&repeated.body)?;
                    if before.same(&self.summaries) && !certain {
                        settled = Some((before, self.events[start..].to_vec()));
                    }
                }
            }
            iteration += 1;
        }
        if let Some(ways) = ways_out {
            self.summaries = ways.either(&self.summaries);
        }
        self.certain = was_certain;
        Ok(())
    }

    /// Whether the condition of a host `while` holds now.
    fn holds(&self, repeated: &HostWhile) -> Truth {
        let compiler = Compiler::new(self.program, &self.environment, self.extents);
        match compiler.host_test(&repeated.condition) {
            Ok(test) => self.test(&test),
            Err(NotReady::TooLarge(_)) => Truth::Maybe,
        }
    }

    fn test(&self, test: &Test) -> Truth {
        match test {
            Test::Const(truth) => *truth,
            Test::And(left, right) => self.test(left).and(self.test(right)),
            Test::Or(left, right) => self.test(left).or(self.test(right)),
            Test::Not(inner) => self.test(inner).not(),
            Test::Compare {
                operands,
                operators,
                ..
            } => {
                let values: Vec<Value> = operands.iter().map(|code| self.number(code)).collect();
                let mut truth = Truth::True;
                for (operator, pair) in operators.iter().zip(values.windows(2)) {
                    let held = value::compare(*operator, &pair[0], &pair[1]);
                    truth = truth.and(held.unwrap_or(Truth::Maybe));
                }
                truth
            }
        }
    }

    /// A number of the host; what would be a fault may be anything.
    fn number(&self, code: &Code) -> Value {
        let result = match code {
            Code::Const(value) => Ok(value.clone()),
            Code::Word(word) => {
                let at = word.variable.0 as usize;
                let known = self.summaries.get(at);
                Ok(known.unwrap_or(&self.declared[at]).clone())
            }
            Code::Negate(inner) => Ok(value::negate(&self.number(inner))),
            Code::Binary {
                operator,
                left,
                right,
                ..
            } => value::arithmetic(*operator, &self.number(left), &self.number(right)),
            Code::Ceil(inner, _) => value::ceil(&self.number(inner)),
            Code::Floor(inner, _) => value::floor(&self.number(inner)),
            Code::Abs(inner) => Ok(value::abs(&self.number(inner))),
            Code::Extremum { larger, arguments } => {
                let values = arguments.iter().map(|code| self.number(code));
                let best = values.reduce(|x, y| value::extremum(&x, &y, *larger));
                Ok(best.unwrap_or(value::ANY_INT))
            }
            Code::Select {
                condition,
                then,
                otherwise,
            } => {
                let (then, otherwise) = (self.number(then), self.number(otherwise));
                Ok(match self.test(condition) {
                    Truth::True => mixed(&then, &otherwise),
                    Truth::False => mixed(&otherwise, &then),
                    Truth::Maybe => mixed(&then, &otherwise).join(&mixed(&otherwise, &then)),
                })
            }
            Code::Math {
                function, argument, ..
            } => value::math(*function, &self.number(argument)),
            Code::Bits {
                function,
                left,
                right,
                ..
            } => value::bits(*function, &self.number(left), &self.number(right)),
            Code::Log { base, argument, .. } => {
                value::log(&self.number(base), &self.number(argument))
            }
            Code::Bracket(condition) => Ok(match self.test(condition) {
                Truth::False => Value::Int(0),
                Truth::Maybe => Value::Range(0, 1),
                Truth::True => Value::Int(1),
            }),
            Code::Mp(_) | Code::Core | Code::Register(_) => Ok(value::ANY_INT),
        };
        result.unwrap_or(Value::AnyFloat)
    }

    fn report(&mut self, fault: Fault) {
        if self.certain && self.faults.is_empty() {
            self.faults.push(fault.into());
        }
    }

    fn transfer(&mut self, transfer: &Transfer) -> Result<(), CountError> {
        let (host_words, host_whole) = self.region(&transfer.host)?;
        let (global_words, global_whole) = self.region(&transfer.global)?;
        let (from, to, is_whole) = match transfer.direction {
            Direction::Inward => (&transfer.host, &transfer.global, global_whole),
            Direction::Outward => (&transfer.global, &transfer.host, host_whole),
        };
        if host_words != global_words {
            let (right, left) = match transfer.direction {
                Direction::Inward => (&host_words, &global_words),
                Direction::Outward => (&global_words, &host_words),
            };
            self.report(Fault::TransferShape {
                left: left.to_string(),
                right: right.to_string(),
                span: transfer.span,
            });
        }
        let (source, target) = (from.variable.0 as usize, to.variable.0 as usize);
        match self.summaries.get(source).cloned() {
            Some(value) => {
                let value = match self.program.variable(to.variable).word_type {
                    crate::syntax::ast::WordType::Float => value.to_float(),
                    crate::syntax::ast::WordType::Int => value,
                };
                let value = value.within(&self.declared[target]);
                if is_whole {
                    self.summaries.replace(target, Some(value));
                } else if host_words.is_positive() {
                    self.summaries.join(target, &value);
                }
            }
            None if host_words.is_positive() => {
                self.report(Fault::UnwrittenArray {
                    array: self.program.variable(from.variable).name.clone(),
                    span: from.span,
                });
            }
            None => {}
        }
        self.events.push(Event {
            kind: EventKind::Transfer {
                direction: transfer.direction,
                global: transfer.global.variable,
                words: global_words,
            },
            certain: self.certain,
            span: transfer.span,
            from: self.from,
        });
        Ok(())
    }

    /// The words of a region, and whether it is the whole variable.
    fn region(&mut self, region: &Region) -> Result<(BigInt, bool), CountError> {
        let extents = &self.extents[region.variable.0 as usize];
        let mut words = BigInt::one();
        let mut whole = true;
        let mut outside: Option<(OutOfBounds, Span)> = None;
        let name = &self.program.variable(region.variable).name;
        for (at, (place, extent)) in region.extents.iter().zip(extents).enumerate() {
            let mut check = |index: &BigInt, span: Span| {
                if (index.is_negative() || index >= extent) && outside.is_none() {
                    let fact = OutOfBounds {
                        variable: name.clone(),
                        dimension: at,
                        dimensions: extents.len(),
                        index: index.to_string(),
                        extent: extent.clone(),
                    };
                    outside = Some((fact, span));
                }
            };
            match place {
                Extent::All => words *= extent,
                Extent::At(index) => {
                    let value = evaluate_integer(self.program, index, &self.environment)
                        .map_err(CountError::Fault)?;
                    check(&value, index.span);
                    whole &= extent.is_one();
                }
                Extent::Range(low, high) => {
                    let evaluate = |expr| {
                        evaluate_integer(self.program, expr, &self.environment)
                            .map_err(CountError::Fault)
                    };
                    let (first, last) = (evaluate(low)?, evaluate(high)?);
                    let length = (&last - &first + 1i32).max(BigInt::zero());
                    if length.is_positive() {
                        check(&first, low.span);
                        check(&last, high.span);
                    }
                    whole &= length == *extent;
                    words *= length;
                }
            }
        }
        if words.is_zero() {
            // An empty block is in bounds anywhere.
            return Ok((words, whole));
        }
        if let Some((fact, span)) = outside {
            let variable = self.program.variable(region.variable);
            let declaration = variable.span;
            self.report(match variable.scope {
                Scope::Host => Fault::BoundsHost {
                    fact,
                    place: Place::default(),
                    span,
                    declaration,
                },
                Scope::Global | Scope::Shared => Fault::BoundsTransfer {
                    fact,
                    place: Place::default(),
                    span,
                    declaration,
                },
            });
        }
        Ok((words, whole))
    }

    fn swap(&mut self, swap: &Swap) {
        let (left, right) = (swap.left.0 as usize, swap.right.0 as usize);
        if self.extents[left] != self.extents[right] {
            let name = |id| self.program.variable(id).name.clone();
            self.report(Fault::SwapShape {
                left: name(swap.left),
                right: name(swap.right),
                left_shape: shape_text(&self.extents[left]),
                right_shape: shape_text(&self.extents[right]),
                span: swap.span,
            });
        }
        self.summaries.swap(left, right);
    }

    fn kernel(&mut self, kernel: &'a Kernel) -> Result<(), CountError> {
        let mut ends = Vec::new();
        let mut mps = BigInt::one();
        for range in &kernel.mps {
            let (first, last) = (self.integer(&range.low)?, self.integer(&range.high)?);
            mps *= (&last - &first + 1i32).max(BigInt::zero());
            ends.push((first, last));
        }
        let values = self.values_read(kernel);
        let touched = |summaries: &Summaries| -> Vec<Option<Value>> {
            let names = kernel.names_global.iter();
            names
                .map(|id| summaries.get(id.0 as usize).cloned())
                .collect()
        };
        let before = touched(&self.summaries);
        let known = self.launches.iter().find(|launch| {
            std::ptr::eq(launch.kernel, kernel)
                && launch.values == values
                && launch.certain == self.certain
                && same_values(&launch.before, &before)
        });
        let launched = match known {
            Some(remembered) => {
                for (id, value) in kernel.names_global.iter().zip(&remembered.after) {
                    self.summaries.replace(id.0 as usize, value.clone());
                }
                remembered.launched.clone()
            }
            None => {
                let launched = Rc::new(self.launch(kernel, mps, &ends)?);
                if self.launches.len() >= 64 {
                    self.launches.remove(0);
                }
                self.launches.push(Remembered {
                    kernel,
                    values,
                    before,
                    after: touched(&self.summaries),
                    certain: self.certain,
                    launched: launched.clone(),
                });
                launched
            }
        };
        if self.events.len() > MOST_EVENTS {
            return Err(CountError::TooLong(self.budget.done));
        }
        self.events.push(Event {
            kind: EventKind::Kernel(launched),
            certain: self.certain,
            span: kernel.span,
            from: self.from,
        });
        Ok(())
    }

    fn launch(
        &mut self,
        kernel: &Kernel,
        mps: BigInt,
        ends: &[(BigInt, BigInt)],
    ) -> Result<Launched, CountError> {
        let too_large = || CountError::TooLarge(kernel.span);
        // On the host alone nothing is too large: limits are judged at any size.
        let is_skipped = match self.depth {
            Depth::Host => true,
            Depth::BoundedKernels => is_unbounded(self.program, kernel),
            Depth::Kernels => false,
        };
        if is_skipped {
            for id in &kernel.writes_global {
                let declared = self.declared[id.0 as usize].clone();
                self.summaries.join(id.0 as usize, &declared);
            }
            let names_shared = kernel.names_shared.iter();
            return Ok(Launched {
                mps,
                shared_words: names_shared.map(|id| &self.sizes[id.0 as usize]).sum(),
                names_shared: kernel.names_shared.clone(),
                names_global: kernel.names_global.clone(),
                writes_global: kernel.writes_global.clone(),
                counts: KernelCounts::nothing(self.program.variables.len()),
                lines: Vec::new(),
            });
        }
        let word = |value: &BigInt| value.to_i64().ok_or_else(too_large);
        let low = ends.iter().map(|(first, _)| word(first));
        let low = low.collect::<Result<Vec<i64>, _>>()?;
        let high = ends.iter().map(|(_, last)| word(last));
        let high = high.collect::<Result<Vec<i64>, _>>()?;
        let b = self.environment.get(self.program.machine.b);
        let cores = b
            .and_then(|b| b.to_integer()?.to_usize())
            .filter(|cores| (1..=1 << 20).contains(cores))
            .ok_or_else(too_large)?;
        let mut shared = vec![None; self.program.variables.len()];
        let mut shared_words = BigInt::zero();
        for id in &kernel.names_shared {
            let size = &self.sizes[id.0 as usize];
            shared_words += size;
            // Beyond this the abstract memory itself would not fit.
            let words = size.to_usize().filter(|words| *words <= 1 << 26);
            shared[id.0 as usize] = Some(words.ok_or_else(too_large)?);
        }
        let compiler = Compiler::new(self.program, &self.environment, self.extents);
        let launch = compiler
            .launch(kernel, low, high, cores)
            .map_err(|NotReady::TooLarge(span)| CountError::TooLarge(span))?;
        let mut context = Context {
            program: self.program,
            declared: &self.declared,
            shared,
            budget: &mut self.budget,
            certain: self.certain,
            charge_conflicts: self.charge_conflicts,
            cycle_rules: self.cycle_rules,
            faults: &mut self.faults,
        };
        let counts = kernel::count(&launch, &mut context, &mut self.summaries);
        let counts = counts.map_err(|bail| self.stopped(bail, &launch.lines))?;
        Ok(Launched {
            mps,
            shared_words,
            names_shared: kernel.names_shared.clone(),
            names_global: kernel.names_global.clone(),
            writes_global: kernel.writes_global.clone(),
            counts,
            lines: launch.lines,
        })
    }

    /// The values of the host's parameters that a kernel reads.
    fn values_read(&self, kernel: &Kernel) -> Vec<Option<BigInt>> {
        let mut read: Vec<ParamId> = Vec::new();
        let mut add = |expr: program::Expr<'_>| read.extend(read_parameters(expr));
        for range in &kernel.mps {
            add((&range.low).into());
            add((&range.high).into());
        }
        let mut open: Vec<&Stmt> = Vec::new();
        for stmt in &kernel.body {
            match stmt {
                WrapperStmt::Let(binding) => add((&binding.value).into()),
                WrapperStmt::Cores(cores) => open.extend(&cores.body),
            }
        }
        while let Some(stmt) = open.pop() {
            match &stmt.kind {
                StmtKind::Load { target, source } | StmtKind::Store { target, source } => {
                    target.indices.iter().for_each(|number| add(number.into()));
                    source.indices.iter().for_each(|number| add(number.into()));
                }
                StmtKind::Assign { target, value } => {
                    target.indices.iter().for_each(|number| add(number.into()));
                    add(value.into());
                }
                StmtKind::Atomic {
                    target, operands, ..
                } => {
                    target.indices.iter().for_each(|number| add(number.into()));
                    operands
                        .iter()
                        .for_each(|operand| add((&operand.value).into()));
                }
                StmtKind::Let(binding) => add((&binding.value).into()),
                StmtKind::If { condition, body } => {
                    add(condition.into());
                    open.extend(body);
                }
                StmtKind::For { from, to, body, .. } => {
                    add(from.into());
                    add(to.into());
                    open.extend(body);
                }
                StmtKind::While {
                    condition,
                    at_most,
                    body,
                } => {
                    add(condition.into());
                    at_most.iter().for_each(|number| add(number.into()));
                    open.extend(body);
                }
            }
        }
        read.sort_unstable();
        read.dedup();
        read.into_iter()
            .filter_map(|id| self.environment.get(id))
            .map(|value| value.to_integer())
            .collect()
    }

    fn finish(self) -> Counted {
        let formed = rounds::form(self.program, &self.sizes, &self.events);
        let fullest = rounds::fullest(self.program, &self.sizes, &self.events);
        let mut counted = Counted {
            counts: formed.counts,
            lines: formed.lines,
            details: formed.details,
            bounds: Vec::new(),
            faults: self.faults,
            facts: facts(&self.events),
            fullest,
            charges: None,
            work: self.budget.done,
        };
        counted.bounds = bounds(self.program, &counted, self.uncertain_while);
        if self.cycle_rules.is_some() {
            let (charged, bound) = charged(self.program, &self.events);
            counted.charges = Some(charged);
            counted.bounds.extend(bound);
        }
        counted
    }
}

fn same_values(left: &[Option<Value>], right: &[Option<Value>]) -> bool {
    left.iter().zip(right).all(|(x, y)| match (x, y) {
        (Some(x), Some(y)) => x.same(y),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    })
}

/// One fact for each line, the worst over all launches.
fn facts(events: &[Event]) -> Vec<WarpFact> {
    let mut worst: indexmap::IndexMap<Span, WarpFact> = indexmap::IndexMap::new();
    for event in events {
        let EventKind::Kernel(kernel) = &event.kind else {
            continue;
        };
        for (span, fact) in kernel.lines.iter().zip(&kernel.counts.facts) {
            let entry = worst.entry(*span).or_insert(WarpFact {
                span: *span,
                scattered: None,
                conflict: None,
                split: None,
            });
            if fact.scattered.map(|(blocks, _)| blocks) > entry.scattered.map(|(blocks, _)| blocks)
            {
                entry.scattered = fact.scattered;
            }
            if fact.conflict.map(|(degree, _)| degree) > entry.conflict.map(|(degree, _)| degree) {
                entry.conflict = fact.conflict;
            }
            entry.split = entry.split.or(fact.split);
        }
    }
    let mut facts: Vec<WarpFact> = worst.into_values().collect();
    facts
        .retain(|fact| fact.scattered.is_some() || fact.conflict.is_some() || fact.split.is_some());
    facts.sort_by_key(|fact| fact.span);
    facts
}

/// What the machine charges for the kernels launched, and why these are bounds, where they are.
fn charged(program: &Program, events: &[Event]) -> (Charged, Option<Bound>) {
    let mut charged = Charged {
        is_exact: true,
        ..Charged::default()
    };
    let mut bound = None;
    for event in events {
        let EventKind::Kernel(kernel) = &event.kind else {
            continue;
        };
        let Some(launch) = kernel.counts.charges.as_ref() else {
            continue;
        };
        if kernel.mps.is_zero() {
            continue;
        }
        charged.push(1, launch.charges.clone());
        let inexact = match launch.inexact {
            Some(line) => Some((kernel.lines[line], Inexact::DataAccess)),
            None if !event.certain => Some((event.span, Inexact::DataLaunch)),
            None => None,
        };
        if let Some((span, why)) = inexact {
            charged.is_exact = false;
            bound.get_or_insert(Bound {
                quantity: "charges".to_owned(),
                line: program.line(span),
                why,
            });
        }
    }
    (charged, bound)
}

/// Why totals are bounds: the first line, or the host `while`, that loses exactness.
fn bounds(program: &Program, counted: &Counted, uncertain_while: Option<Span>) -> Vec<Bound> {
    let lines = || counted.lines.iter().flatten();
    let mut bounds = Vec::new();
    for (quantity, total) in counted.counts.totals.all() {
        if total.is_exact() {
            continue;
        }
        let inexact = lines().find(|line| match quantity {
            Quantity::Time | Quantity::TotalTime => !line.operations.is_exact(),
            Quantity::Io => !line.blocks.is_exact(),
            Quantity::BankConflicts => !line.conflicts.is_exact(),
            Quantity::Rounds
            | Quantity::Inward
            | Quantity::Outward
            | Quantity::Transfer
            | Quantity::Transactions
            | Quantity::TransferCost
            | Quantity::Shared
            | Quantity::Global
            | Quantity::Cost
            | Quantity::GpuCost => false,
        });
        let (span, why) = match (inexact, uncertain_while) {
            (Some(line), _) if !line.executions.is_exact() => (line.span, Inexact::DataExecutions),
            (Some(line), _) => (line.span, Inexact::DataWords),
            (None, Some(span)) => (span, Inexact::DataRepetitions),
            (None, None) => (Span::default(), Inexact::DataCostliestMp),
        };
        bounds.push(Bound {
            quantity: quantity.name().to_owned(),
            line: program.line(span),
            why,
        });
    }
    bounds
}
