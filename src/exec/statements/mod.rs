//! Statement by statement: one MP after the other, all its cores at once.
//!
//! Takes a launch and its kernel compiled for it ([`compile`]); gives the counts of MPs, and
//! changes
//! global memory. Each statement is tried in its fast form ([`single`], [`vector`]). If that gives
//! `None`, it has changed nothing that matters, and the reference form
//! ([`reference`](mod@crate::exec::reference)) executes the statement instead. Many MPs at the same
//! time are in [`waves`]. Describes no fault itself, except an exceeded `at most`.

pub(crate) mod compile;
mod linear;
mod single;
pub(crate) mod typed;
pub(crate) mod vector;
pub(super) mod waves;

use std::ops::Range;

use crate::exec::error::{Error, Result};
use crate::exec::lanes::{Ints, Mask, Truths};
use crate::exec::launch::{Launch, Pace};
use crate::exec::memory::global::Global;
use crate::exec::memory::global::log::View;
use crate::exec::mp::{Mp, Register};
use crate::exec::statements::typed::{Action, Code, Operand, Step, WrapperStep};
use crate::exec::tally::Tally;
use crate::exec::{Engine, MOST_TRACE_LINES, MOST_TRACED_WITH_WORDS, TraceLine, reference};
use crate::meaning::fault::Fault;
use crate::program::{ParamId, StmtKind};
use crate::syntax::ast::Comparison;

/// Work between two looks at the progress callback.
const BUDGET: i64 = 1 << 18;

/// The MP to trace.
pub(super) struct Traced<'t> {
    /// Its numbers.
    pub mp: &'t [i64],
    /// True if the words it meets are recorded too.
    pub has_words: bool,
    /// The list that gets its statements.
    pub lines: &'t mut Vec<TraceLine>,
}

/// Executes MPs one after the other, and appends the statements of the traced one.
pub(super) fn one_by_one(
    launch: &Launch<'_>,
    code: &Code<'_>,
    serials: Range<u64>,
    global: &mut Global,
    mut traced: Option<Traced<'_>>,
) -> Result<Tally> {
    let mut runner = Runner::new(launch, code, View::Direct(global));
    let mut numbers = Vec::new();
    for serial in serials {
        launch.grid.numbers(serial, &mut numbers);
        match &mut traced {
            Some(traced) if traced.mp == numbers.as_slice() => {
                runner.trace = Some(std::mem::take(traced.lines));
                runner.mp.met = traced.has_words.then(Vec::new);
                runner.run(serial, &numbers)?;
                runner.mp.met = None;
                *traced.lines = runner.trace.take().unwrap_or_default();
            }
            Some(_) | None => runner.run(serial, &numbers)?,
        }
    }
    Ok(runner.mp.tally)
}

/// Splits the `until` off the block of a `for`.
fn until_of<'s, 'p>(body: &'s [Step<'p>]) -> (&'s [Step<'p>], Option<&'s Step<'p>>) {
    match body.split_last() {
        Some((last, rest)) if matches!(last.action, Action::Until { .. }) => (rest, Some(last)),
        Some(_) | None => (body, None),
    }
}

/// Executes a kernel for one MP after the other.
struct Runner<'a> {
    mp: Mp<'a>,
    code: &'a Code<'a>,
    pace: Pace,
    /// Statements of the traced MP, while it runs.
    trace: Option<Vec<TraceLine>>,
}

impl<'a> Runner<'a> {
    fn new(launch: &'a Launch<'a>, code: &'a Code<'a>, global: View<'a>) -> Runner<'a> {
        Runner {
            mp: Mp::new(launch, global),
            code,
            pace: Pace::new(BUDGET),
            trace: None,
        }
    }

    /// Returns true if statements skip their fast form.
    fn is_by_reference(&self) -> bool {
        self.mp.launch.engine == Engine::Reference || self.mp.met.is_some()
    }

    fn spend(&mut self, work: i64) -> Result<()> {
        self.pace.spend(work + 8, &self.mp.launch.watch)
    }

    /// Executes the kernel for the MP with these numbers.
    pub(crate) fn run(&mut self, serial: u64, numbers: &[i64]) -> Result<()> {
        self.mp.begin(serial, numbers);
        let cores = self.mp.launch.known.cores;
        let everyone = Mask::Range(0, cores);
        for step in &self.code.body {
            match step {
                WrapperStep::Let {
                    binding,
                    operations,
                    value,
                } => {
                    if !self.try_let(binding.parameter, value, &everyone) {
                        let value = reference::wrapper_let(&self.mp, binding)?;
                        self.mp.cores.set(binding.parameter, value);
                    }
                    // The `let` of a wrapper loop cannot read shared words, so it has no conflicts.
                    self.mp.pay(*operations, cores);
                    if let Some(ledger) = &mut self.mp.tally.ledger {
                        ledger.value(&binding.value);
                    }
                }
                WrapperStep::Cores { cores, body } => {
                    let indices = self.core_indices();
                    self.mp.cores.set_ints(cores.core, indices);
                    if !everyone.is_empty() {
                        self.block(body, &everyone)?;
                    }
                }
            }
        }
        self.mp.tally.most_time = self.mp.tally.most_time.max(self.mp.tally.time);
        if let Some(ledger) = &mut self.mp.tally.ledger {
            ledger.end_mp();
        }
        self.pace.done(1);
        self.spend(0)
    }

    fn core_indices(&self) -> Ints {
        if self.mp.launch.known.cores > 1 {
            Ints::Affine { base: 0, stride: 1 }
        } else {
            Ints::Uniform(0)
        }
    }

    fn try_let(&mut self, parameter: ParamId, value: &Operand, mask: &Mask) -> bool {
        if self.is_by_reference() {
            return false;
        }
        match value {
            Operand::Ints(value) => match self.mp.cores.ints(value, mask) {
                Some(ints) => self.mp.cores.set_ints(parameter, ints),
                None => return false,
            },
            Operand::Floats(value) => match self.mp.cores.floats(value, mask) {
                Some(floats) => self.mp.cores.set(parameter, Register::Floats(floats)),
                None => return false,
            },
        }
        true
    }

    fn pay_iteration(&mut self, active: usize) {
        self.mp.pay(1, active);
        if let Some(ledger) = &mut self.mp.tally.ledger {
            ledger.iteration();
        }
    }

    fn block(&mut self, body: &[Step<'a>], mask: &Mask) -> Result<()> {
        for step in body {
            self.spend(mask.count() as i64)?;
            self.mp.begin_statement();
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
                Action::Until { .. } => unreachable!("its `for` takes it"),
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
                            self.mp.begin_statement();
                            self.spend(64 * mask.count() as i64)?;
                            reference::statement(&mut self.mp, step.stmt, mask)?
                        }
                    };
                    self.settle(step, step.operations * times, mask);
                }
            }
        }
        Ok(())
    }

    /// Adds the cost of a statement to the counts.
    fn settle(&mut self, step: &Step<'a>, operations: u64, mask: &Mask) {
        self.mp.pay(operations, mask.count());
        self.mp.tally.conflicts += u128::from(self.mp.cores.conflicts);
        if let (Some(ledger), Some(steps)) = (&mut self.mp.tally.ledger, &mut self.mp.cores.steps) {
            // Only an `atomic` costs a multiple of its operations; the quotient gives the multiple
            // back.
            let times = operations.checked_div(step.operations).unwrap_or(0);
            ledger.settle(step.stmt, times, steps);
        }
        if self.trace.is_some() {
            self.record(step, operations, mask);
        }
        match &step.action {
            Action::Load { source, .. } => {
                self.mp.tally.blocks[source.variable.0 as usize].0 +=
                    u128::from(self.mp.tally.step_blocks);
            }
            Action::Store { target, .. } => {
                self.mp.tally.blocks[target.variable.0 as usize].1 +=
                    u128::from(self.mp.tally.step_blocks);
            }
            Action::AssignInts { .. }
            | Action::AssignFloats { .. }
            | Action::Atomic { .. }
            | Action::LetInts(..)
            | Action::LetFloats(..)
            | Action::If { .. }
            | Action::For { .. }
            | Action::Until { .. }
            | Action::While { .. } => {}
        }
    }

    fn record(&mut self, step: &Step<'a>, operations: u64, mask: &Mask) {
        let (conflicts, blocks) = (self.mp.cores.conflicts, self.mp.tally.step_blocks);
        let met = self.mp.met.as_mut().map(std::mem::take);
        if self
            .trace
            .as_ref()
            .is_some_and(|trace| trace.len() + 1 >= MOST_TRACED_WITH_WORDS)
        {
            self.mp.met = None;
        }
        let launch = self.mp.launch;
        let Some(trace) = &mut self.trace else { return };
        if trace.len() >= MOST_TRACE_LINES {
            return;
        }
        let text = launch.known.program.source.slice(step.stmt.span);
        trace.push(TraceLine {
            round: launch.watch.round,
            line: launch.known.program.line(step.stmt.span),
            text: text.lines().next().unwrap_or("").trim().to_owned(),
            active: mask.count() as u64,
            operations,
            blocks,
            conflicts,
            cores: met.iter().flat_map(|_| mask.iter()).collect(),
            met: met.unwrap_or_default(),
        });
    }

    fn condition(
        &mut self,
        step: &Step<'a>,
        condition: &typed::Truths,
        mask: &Mask,
    ) -> Result<Truths> {
        self.mp.cores.begin_operands();
        if !self.is_by_reference()
            && let Some(truths) = self.mp.cores.truths(condition, mask)
        {
            return Ok(truths);
        }
        self.mp.cores.begin_operands();
        self.spend(64 * mask.count() as i64)?;
        reference::condition(&mut self.mp, step.stmt, mask)
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
        let bounds = if self.is_by_reference() {
            None
        } else {
            self.mp.cores.pair(from, to, mask)
        };
        let (mut at, to) = match bounds {
            Some(bounds) => bounds,
            None => {
                self.mp.cores.begin_operands();
                reference::bounds(&mut self.mp, step.stmt, mask)?
            }
        };
        self.settle(step, step.operations, mask);
        self.mp.cores.begin_operands();

        use Comparison::{AtLeast, AtMost, Greater, Less};
        let (enters, goes_on) = if *down {
            (AtLeast, Greater)
        } else {
            (AtMost, Less)
        };
        if let (Ints::Uniform(first), Ints::Uniform(last)) = (&at, &to) {
            return self.uniform_loop(step, (*first, *last), mask);
        }
        // The k-th iterations of all cores run together, each core with its own number. For the
        // bounds
        // 0..2 and 5..5 both cores run one iteration, and then the first runs two alone.
        let (body, until) = until_of(body);
        let mut active = mask.narrow(&self.order(mask, enters, &at, &to));
        while !active.is_empty() {
            self.spend(0)?;
            self.mp.cores.begin_operands();
            self.pay_iteration(active.count());
            if self.trace.is_some() {
                self.mp.tally.step_blocks = 0;
                self.record(step, 1, &active);
            }
            let value = self.mp.cores.copy(&at);
            self.mp.cores.set_ints(*variable, value);
            self.block(body, &active)?;
            active = self.stay(until, active)?;
            let truths = self.order(&active, goes_on, &at, &to);
            active = active.narrow(&truths);
            at = self.mp.cores.buffers.step(&active, at, *down);
        }
        self.mp.cores.buffers.free(at);
        self.mp.cores.buffers.free(to);
        Ok(())
    }

    /// Executes a `for` with the same bounds for all cores.
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
        let (body, until) = until_of(body);
        // `at == last` is tested before the step, so a loop up to the largest int does not
        // overflow.
        let mut active = mask.clone();
        while if *down { at >= last } else { at <= last } {
            self.spend(0)?;
            self.pay_iteration(active.count());
            if self.trace.is_some() {
                self.mp.begin_statement();
                self.record(step, 1, &active);
            }
            self.mp.cores.set_ints(*variable, Ints::Uniform(at));
            self.block(body, &active)?;
            active = self.stay(until, active)?;
            if at == last || active.is_empty() {
                break;
            }
            at += if *down { -1 } else { 1 };
        }
        Ok(())
    }

    /// Returns the cores of an iteration that stay in the loop after its `until`.
    fn stay(&mut self, until: Option<&Step<'a>>, mask: Mask) -> Result<Mask> {
        let Some(step) = until else { return Ok(mask) };
        let Action::Until { condition } = &step.action else {
            unreachable!("called for `until`");
        };
        self.spend(mask.count() as i64)?;
        self.mp.begin_statement();
        let truths = self.condition(step, condition, &mask)?;
        self.settle(step, step.operations, &mask);
        let stays = self.mp.cores.buffers.negate(truths);
        Ok(mask.narrow(&stays))
    }

    fn order(&mut self, mask: &Mask, operator: Comparison, left: &Ints, right: &Ints) -> Truths {
        self.mp
            .cores
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
                let fast = if self.is_by_reference() {
                    None
                } else {
                    self.mp.cores.ints(bound, mask)
                };
                Some(match fast {
                    Some(bound) => bound,
                    None => reference::at_most(&mut self.mp, expr, mask)?,
                })
            }
            _ => None,
        };
        let mut active = mask.clone();
        let mut iteration: i64 = 0;
        loop {
            self.spend(active.count() as i64)?;
            self.mp.tally.step_blocks = 0;
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
                return Err(Error::of(Fault::BoundExceeded {
                    iteration: iteration.to_string(),
                    bound: bound.at(core).to_string(),
                    place: self.mp.place(Some(core)),
                    span: step.stmt.span,
                }));
            }
            self.block(body, &active)?;
        }
        if let Some(bound) = bound {
            self.mp.cores.buffers.free(bound);
        }
        Ok(())
    }

    /// Tries the fast form of a statement; returns how often its operations count.
    fn fast(&mut self, action: &Action<'a>, mask: &Mask) -> Option<u64> {
        if self.is_by_reference() {
            None
        } else {
            single::execute(&mut self.mp, action, mask)
        }
    }
}
