//! Statement by statement: one MP after the other, all its cores at once.
//!
//! Takes a launch and its kernel compiled for it ([`compile`]); gives the counts of MPs, and changes
//! global memory. Each statement is tried in its fast form ([`single`], [`vector`]). If that gives
//! `None`, it has changed nothing that matters, and the reference form
//! ([`reference`](mod@crate::exec::reference)) executes the statement instead. Many MPs at the same
//! time are in [`waves`]. Describes no fault itself, except an exceeded `at most`.

pub(crate) mod compile;
mod linear;
mod lines;
mod loops;
mod single;
pub(crate) mod typed;
pub(crate) mod vector;
pub(super) mod waves;

use std::ops::Range;

use crate::exec::error::Result;
use crate::exec::lanes::{Ints, Mask, Truths};
use crate::exec::launch::{Launch, Pace};
use crate::exec::memory::global::Global;
use crate::exec::memory::global::log::View;
use crate::exec::mp::{Mp, Register};
use crate::exec::statements::typed::{Action, Code, Operand, Step, WrapperStep};
use crate::exec::tally::Tally;
use crate::exec::{Engine, MOST_TRACE_LINES, MOST_TRACED_WITH_WORDS, TraceLine, reference};
use crate::program::ParamId;

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

/// Executes a kernel for one MP after the other.
struct Runner<'a> {
    mp: Mp<'a>,
    code: &'a Code<'a>,
    pace: Pace,
    /// Statements of the traced MP, while it runs.
    trace: Option<Vec<TraceLine>>,
    /// The `for` loops around the statement, while the MP is traced.
    around: Vec<(ParamId, String)>,
}

impl<'a> Runner<'a> {
    fn new(launch: &'a Launch<'a>, code: &'a Code<'a>, global: View<'a>) -> Runner<'a> {
        Runner {
            mp: Mp::new(launch, global),
            code,
            pace: Pace::new(BUDGET),
            trace: None,
            around: Vec::new(),
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

    /// Begins an iteration of a `for` in the trace: its variable has these values.
    fn enter(&mut self, variable: ParamId, values: &Ints, active: &Mask) {
        if self.trace.is_some() {
            let all = || active.iter().map(|core| values.at(core));
            let value = match all().min().zip(all().max()) {
                Some((least, most)) if least < most => format!("{least}..{most}"),
                Some((only, _)) => only.to_string(),
                None => String::new(),
            };
            self.around.push((variable, value));
        }
    }

    /// Ends an iteration in the trace.
    fn leave(&mut self) {
        self.around.pop();
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
        let name = |id: &ParamId| launch.known.program.parameter(*id).name.clone();
        let loops = self.around.iter();
        trace.push(TraceLine {
            loops: loops.map(|(id, value)| (name(id), value.clone())).collect(),
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

    /// Tries the fast form of a statement; returns how often its operations count.
    fn fast(&mut self, action: &Action<'a>, mask: &Mask) -> Option<u64> {
        if self.is_by_reference() {
            None
        } else {
            single::execute(&mut self.mp, action, mask)
        }
    }
}
