//! The host: loops, `let`s, swaps and launches in order, with a summary of host and global memory.
//!
//! [`transfer`] moves blocks, [`values`] evaluates the host's conditions, [`outcome`] collects the
//! results of all launches.

mod outcome;
mod transfer;
mod values;

use std::ops::ControlFlow;
use std::rc::Rc;

use num_traits::{One, ToPrimitive, Zero};

use crate::diag::Diagnostic;
use crate::interval::budget::Budget;
use crate::interval::host::outcome::{bounds, charged, facts};
use crate::interval::kernel::{self, Context, KernelCounts};
use crate::interval::known::{Known, declared};
use crate::interval::lanes::Bail;
use crate::interval::launch;
use crate::interval::memory::Summaries;
use crate::interval::rounds::{self, Event, EventKind, Launched};
use crate::interval::unbounded::Unbounded;
use crate::interval::unbounded::{is_unbounded, unbounded_whiles};
use crate::interval::value::{Truth, Value};
use crate::interval::warp::Setting;
use crate::interval::{Charging, CountError, CountOptions, Counted, Depth};
use crate::meaning::fault::{Fault, shape_text};
use crate::meaning::{Allowance, Environment, Point, evaluate_integer, read_parameters};
use crate::number::BigInt;
use crate::program::{
    Condition, HostFor, HostStmt, HostWhile, Kernel, LetBinding, Number, ParamId, Program, Role,
    Swap,
};
use crate::syntax::ast::Property;
use crate::text::Span;

/// Most events of a host; nobody reads more.
const MOST_EVENTS: usize = 1_000_000;

struct Host<'a, 'p> {
    fixed: Fixed<'a>,
    state: State,
    record: Record,
    budget: Budget<'p>,
    launches: Vec<Remembered>,
}

/// The program at its point, and the settings of the count.
struct Fixed<'a> {
    program: &'a Program,
    extents: &'a [Vec<BigInt>],
    /// Words of each variable, by `VarId`.
    sizes: Vec<BigInt>,
    declared: Vec<Value>,
    /// The work that large numbers of the host may take.
    allowance: &'a Allowance,
    charging: Charging<'a>,
    depth: Depth,
}

/// The host's position, and its knowledge there.
struct State {
    environment: Environment,
    summaries: Summaries,
    /// True if the host certainly comes here.
    certain: bool,
    /// The `execute` whose body is running.
    from: Option<Span>,
}

/// The record of the host's actions.
#[derive(Default)]
struct Record {
    events: Vec<Event>,
    faults: Vec<Diagnostic>,
    /// The first loop whose end data decide.
    uncertain_while: Option<Span>,
}

/// A counted launch, used again if nothing it depends on has changed.
struct Remembered {
    kernel: *const Kernel,
    values: Vec<Option<BigInt>>,
    before: Vec<Option<Value>>,
    after: Vec<Option<Value>>,
    certain: bool,
    launched: Rc<Launched>,
}

pub(super) fn count(
    (program, point): (&Program, &Point),
    options: &CountOptions,
    depth: Depth,
    progress: &dyn Fn(u64) -> ControlFlow<()>,
    allowance: &Allowance,
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
        fixed: Fixed {
            program,
            extents: &point.extents,
            sizes,
            declared,
            allowance,
            charging: Charging {
                conflicts: options.charge_conflicts,
                cycle_rules: options.cycle_rules.as_ref(),
            },
            depth,
        },
        state: State {
            environment: point.environment.clone(),
            summaries,
            certain: true,
            from: None,
        },
        record: Record::default(),
        budget: Budget::new(options.work_limit, progress),
        launches: Vec::new(),
    };
    host.stmts(&program.body)?;
    Ok(host.finish())
}

/// Returns the possible values of an input's words.
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
                    self.state.environment.bind(parameter, value);
                }
                let outer = self.state.from.replace(execute.span);
                let before = self.record.faults.len();
                let done = self.stmts(&execute.body);
                for fault in &mut self.record.faults[before..] {
                    fault.label_execute(Some(execute.span));
                }
                self.state.from = outer;
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
            // A group of a single MP separates no further.
            Bail::TooLarge | Bail::Separate(_) | Bail::Halve(_) => {
                CountError::TooLarge(lines.first().copied().unwrap_or_default())
            }
        }
    }

    fn integer(&self, expr: &Number) -> Result<BigInt, CountError> {
        evaluate_integer(
            self.fixed.program,
            expr,
            &self.state.environment,
            self.fixed.allowance,
        )
        .map_err(CountError::Fault)
    }

    fn bind(&mut self, binding: &LetBinding) -> Result<(), CountError> {
        let value = self.integer(&binding.value)?;
        self.state.environment.bind(binding.parameter, value);
        Ok(())
    }

    fn repeat(&mut self, repeated: &'a HostFor) -> Result<(), CountError> {
        let mut value = self.integer(&repeated.from)?;
        let last = self.integer(&repeated.to)?;
        let step = BigInt::from(if repeated.down { -1 } else { 1 });
        let was_certain = self.state.certain;
        let mut ways_out = None;
        while if repeated.down {
            value >= last
        } else {
            value <= last
        } {
            self.state
                .environment
                .bind(repeated.variable, value.clone());
            self.spend(1)?;
            self.stmts(&repeated.body)?;
            if let Some(until) = &repeated.until
                && value != last
            {
                match self.holds(until) {
                    Truth::True => break,
                    Truth::False => {}
                    Truth::Maybe => self.may_end(repeated.span, &mut ways_out)?,
                }
            }
            value += &step;
        }
        self.end(ways_out, was_certain);
        Ok(())
    }

    /// Records that a loop may end here or go on.
    fn may_end(&mut self, line: Span, ways_out: &mut Option<Summaries>) -> Result<(), CountError> {
        // Memory behind the loop is the join of memory at every possible end. From here on nothing
        // is
        // certain, until the loop is left.
        *ways_out = Some(match ways_out.take() {
            Some(ways) => ways.either(&self.state.summaries),
            None => self.state.summaries.clone(),
        });
        self.state.certain = false;
        self.record.uncertain_while.get_or_insert(line);
        if self.record.events.len() > MOST_EVENTS {
            Err(CountError::TooLong(self.budget.done))
        } else {
            Ok(())
        }
    }

    /// Joins the state behind a loop with its earlier possible ends.
    fn end(&mut self, ways_out: Option<Summaries>, was_certain: bool) {
        if let Some(ways) = ways_out {
            self.state.summaries = ways.either(&self.state.summaries);
        }
        self.state.certain = was_certain;
    }

    fn repeat_while(&mut self, repeated: &'a HostWhile) -> Result<(), CountError> {
        let at_most = self.integer(&repeated.at_most)?;
        let was_certain = self.state.certain;
        let mut ways_out: Option<Summaries> = None;
        let mut iteration = BigInt::zero();
        // Once an iteration changes no summary, all further ones are alike, and its events are
        // copied.
        let mut settled: Option<(Summaries, Vec<Event>)> = None;
        while iteration < at_most {
            self.spend(1)?;
            match self.holds(&repeated.condition) {
                Truth::False => break,
                Truth::True => {}
                Truth::Maybe => self.may_end(repeated.span, &mut ways_out)?,
            }
            if self.record.events.len() > MOST_EVENTS {
                return Err(CountError::TooLong(self.budget.done));
            }
            match &settled {
                Some((state, events)) if state.same(&self.state.summaries) => {
                    let again = events.clone();
                    self.record.events.extend(again);
                }
                Some(_) | None => {
                    let (before, start) = (self.state.summaries.clone(), self.record.events.len());
                    let certain = self.state.certain;
                    self.stmts(&repeated.body)?;
                    if before.same(&self.state.summaries) && !certain {
                        settled = Some((before, self.record.events[start..].to_vec()));
                    }
                }
            }
            iteration += 1;
        }
        self.end(ways_out, was_certain);
        Ok(())
    }

    /// Returns the truth of a loop's condition at this moment.
    fn holds(&self, condition: &Condition) -> Truth {
        match launch::condition(self.known(), condition) {
            Some(condition) => self.test(&condition),
            None => Truth::Maybe,
        }
    }

    fn known(&self) -> Known<'_> {
        Known {
            program: self.fixed.program,
            environment: &self.state.environment,
            extents: self.fixed.extents,
        }
    }

    fn report(&mut self, fault: Fault) {
        if self.state.certain && self.record.faults.is_empty() {
            self.record.faults.push(fault.into());
        }
    }

    fn swap(&mut self, swap: &Swap) {
        let (left, right) = (swap.left.0 as usize, swap.right.0 as usize);
        if self.fixed.extents[left] != self.fixed.extents[right] {
            let name = |id| self.fixed.program.variable(id).name.clone();
            self.report(Fault::SwapShape {
                left: name(swap.left),
                right: name(swap.right),
                left_shape: shape_text(&self.fixed.extents[left]),
                right_shape: shape_text(&self.fixed.extents[right]),
                span: swap.span,
            });
        }
        self.state.summaries.swap(left, right);
    }

    fn kernel(&mut self, kernel: &'a Kernel) -> Result<(), CountError> {
        let mut ends = Vec::new();
        let mut mps = BigInt::one();
        for range in &kernel.mps {
            let (first, last) = (self.integer(&range.low)?, self.integer(&range.high)?);
            mps *= (&last - &first + 1i32).max(BigInt::zero());
            ends.push((first, last));
        }
        // A launch depends on the host's values that the kernel reads and on the summaries of its
        // global
        // arrays. If all are as in an earlier launch, its result is used again.
        let values = self.values_read(kernel);
        let touched = |summaries: &Summaries| -> Vec<Option<Value>> {
            let names = kernel.names_global.iter();
            names
                .map(|id| summaries.get(id.0 as usize).cloned())
                .collect()
        };
        let before = touched(&self.state.summaries);
        let known = self.launches.iter().find(|launch| {
            std::ptr::eq(launch.kernel, kernel)
                && launch.values == values
                && launch.certain == self.state.certain
                && same_values(&launch.before, &before)
        });
        let launched = match known {
            Some(remembered) => {
                for (id, value) in kernel.names_global.iter().zip(&remembered.after) {
                    self.state.summaries.replace(id.0 as usize, value.clone());
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
                    after: touched(&self.state.summaries),
                    certain: self.state.certain,
                    launched: launched.clone(),
                });
                launched
            }
        };
        if self.record.events.len() > MOST_EVENTS {
            return Err(CountError::TooLong(self.budget.done));
        }
        self.record.events.push(Event {
            kind: EventKind::Kernel(launched),
            certain: self.state.certain,
            span: kernel.span,
            from: self.state.from,
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
        // A count of the host alone has no limits of size: `limit` is judged at any size.
        let is_skipped = match self.fixed.depth {
            Depth::Host => true,
            Depth::BoundedKernels => is_unbounded(self.fixed.program, kernel),
            Depth::Kernels => false,
        };
        if is_skipped {
            for id in &kernel.writes_global {
                let declared = self.fixed.declared[id.0 as usize].clone();
                self.state.summaries.join(id.0 as usize, &declared);
            }
            let names_shared = kernel.names_shared.iter();
            return Ok(Launched {
                mps,
                shared_words: names_shared
                    .map(|id| &self.fixed.sizes[id.0 as usize])
                    .sum(),
                names_shared: kernel.names_shared.clone(),
                names_global: kernel.names_global.clone(),
                writes_global: kernel.writes_global.clone(),
                counts: KernelCounts::nothing(self.fixed.program.variables.len()),
                lines: Vec::new(),
            });
        }
        let word = |value: &BigInt| value.to_i64().ok_or_else(too_large);
        let low = ends.iter().map(|(first, _)| word(first));
        let low = low.collect::<Result<Vec<i64>, _>>()?;
        let high = ends.iter().map(|(_, last)| word(last));
        let high = high.collect::<Result<Vec<i64>, _>>()?;
        let b = self.state.environment.get(self.fixed.program.machine.b);
        let cores = b
            .and_then(|b| b.to_integer()?.to_usize())
            .filter(|cores| (1..=1 << 20).contains(cores))
            .ok_or_else(too_large)?;
        let mut shared = vec![None; self.fixed.program.variables.len()];
        let mut shared_words = BigInt::zero();
        for id in &kernel.names_shared {
            let size = &self.fixed.sizes[id.0 as usize];
            shared_words += size;
            // A larger array would not fit as abstract memory.
            let words = size.to_usize().filter(|words| *words <= 1 << 26);
            shared[id.0 as usize] = Some(words.ok_or_else(too_large)?);
        }
        let launch = launch::ready(self.known(), kernel, (low, high), cores)
            .map_err(CountError::TooLarge)?;
        let lines: Vec<Span> = launch.lines.iter().map(|line| line.span).collect();
        let mut context = Context {
            setting: Setting {
                program: self.fixed.program,
                launch: &launch,
                declared: &self.fixed.declared,
                certain: self.state.certain,
            },
            charging: self.fixed.charging,
            shared,
            budget: &mut self.budget,
            faults: &mut self.record.faults,
        };
        let counts = kernel::count(&mut context, &mut self.state.summaries);
        let counts = counts.map_err(|bail| self.stopped(bail, &lines))?;
        Ok(Launched {
            mps,
            shared_words,
            names_shared: kernel.names_shared.clone(),
            names_global: kernel.names_global.clone(),
            writes_global: kernel.writes_global.clone(),
            counts,
            lines,
        })
    }

    /// Returns the values of the host's parameters that a kernel reads.
    fn values_read(&self, kernel: &Kernel) -> Vec<Option<BigInt>> {
        let mut read: Vec<ParamId> = Vec::new();
        kernel.each_expr(&mut |expr| read.extend(read_parameters(expr)));
        read.sort_unstable();
        read.dedup();
        read.into_iter()
            .filter_map(|id| self.state.environment.get(id))
            .map(|value| value.to_integer())
            .collect()
    }

    fn finish(self) -> Counted {
        let formed = rounds::form(self.fixed.program, &self.fixed.sizes, &self.record.events);
        let fullest = rounds::fullest(self.fixed.program, &self.fixed.sizes, &self.record.events);
        let mut counted = Counted {
            counts: formed.counts,
            lines: formed.lines,
            details: formed.details,
            bounds: Vec::new(),
            faults: self.record.faults,
            facts: facts(&self.record.events),
            fullest,
            charges: None,
            work: self.budget.done,
        };
        counted.bounds = bounds(self.fixed.program, &counted, self.record.uncertain_while);
        if self.fixed.charging.cycle_rules.is_some() {
            let (charged, bound) = charged(self.fixed.program, &self.record.events);
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
