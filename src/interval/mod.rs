//! Counting without data at given parameters: an abstract interpreter with concrete parameters and
//! unknown data.
//!
//! Exact for every program whose control and addresses do not depend on data, and a sound interval
//! for every other. Shares no counting code with `exec`. What it takes: a checked [`Program`] and a
//! [`Point`]; what it gives: [`Counted`].

pub(crate) mod access;
pub(crate) mod budget;
pub(crate) mod cycles;
pub(crate) mod guard;
pub(crate) mod host;
pub(crate) mod kernel;
pub(crate) mod known;
pub(crate) mod lanes;
pub(crate) mod launch;
pub(crate) mod memory;
pub(crate) mod rounds;
pub(crate) mod unbounded;
pub(crate) mod value;
pub(crate) mod warp;

use std::ops::ControlFlow;

use crate::count::{Charged, Counts, Interval};
use crate::derivation::Bound;
use crate::diag::Diagnostic;
use crate::machine::CycleRules;
use crate::meaning::{Allowance, Point};
use crate::program::{Program, VarId};
use crate::text::Span;

/// How to count.
#[derive(Debug, Clone, Default)]
pub struct CountOptions {
    /// Whether each shared operand costs its degree, not 1 (language.md §4.2, on request).
    pub charge_conflicts: bool,
    /// The most core-steps to do; [`TEN_SECONDS`] is about what its name says.
    pub work_limit: Option<u64>,
    /// What a machine charges, where its charges are wanted too.
    pub cycle_rules: Option<CycleRules>,
}

/// Core-steps that take an ordinary computer about ten seconds.
pub const TEN_SECONDS: u64 = 40_000_000;

/// What is charged besides operations.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Charging<'a> {
    /// Whether each shared operand costs its degree (language.md §4.2, on request).
    conflicts: bool,
    /// What a machine charges, where one is asked.
    cycle_rules: Option<&'a CycleRules>,
}

/// One line of a kernel in one round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineCount {
    /// The statement.
    pub span: Span,
    /// The `execute` that led here.
    pub from: Option<Span>,
    /// How often the costliest MP executes it.
    pub executions: Interval,
    /// Its contribution to that MP's t.
    pub operations: Interval,
    /// Blocks, over all MPs and executions.
    pub blocks: Interval,
    /// Σ (degree − 1), over all MPs and executions.
    pub conflicts: Interval,
}

impl LineCount {
    /// All that is counted of it, by name.
    pub(crate) fn all(&self) -> [(&'static str, &Interval); 4] {
        [
            ("executions", &self.executions),
            ("operations", &self.operations),
            ("blocks", &self.blocks),
            ("conflicts", &self.conflicts),
        ]
    }
}

/// What else is known of one entry of the rounds.
#[derive(Debug, Clone)]
pub struct RoundDetail {
    /// Its transfer statements.
    pub transfers: Vec<Span>,
    /// Its kernel's opening line.
    pub kernel: Option<Span>,
    /// The shared variables its kernel names.
    pub shared: Vec<VarId>,
    /// Whether it happens whatever the data.
    pub is_certain: bool,
}

/// What one line of a kernel does that costs more than it need.
#[derive(Debug, Clone)]
pub struct WarpFact {
    /// The statement.
    pub span: Span,
    /// Blocks touched at once, and the words in them.
    pub scattered: Option<(u64, u64)>,
    /// The highest degree of a shared operand, and the operand.
    pub conflict: Option<(u64, Span)>,
    /// Cores that enter an `if` that guards no index, and active cores.
    pub split: Option<(u64, u64)>,
}

/// The result of counting.
#[derive(Debug, Clone)]
pub struct Counted {
    /// Rounds and totals.
    pub counts: Counts<Interval>,
    /// The lines of each entry of `counts.rounds`.
    pub lines: Vec<Vec<LineCount>>,
    /// What else is known of each entry of `counts.rounds`.
    pub details: Vec<RoundDetail>,
    /// Why totals are only bounds, one entry for each that is.
    pub bounds: Vec<Bound>,
    /// A fault that every run at this point meets; the first one.
    pub faults: Vec<Diagnostic>,
    /// What the lints judge, a line each.
    pub facts: Vec<WarpFact>,
    /// The global variables live in the round that needs most.
    pub fullest: Vec<VarId>,
    /// What the machine charges, where [`CountOptions::cycle_rules`] asked; upper bounds where not exact.
    pub charges: Option<Charged>,
    /// Core-steps done.
    pub work: u64,
}

/// Why nothing was counted.
#[derive(Debug, Clone)]
pub enum CountError {
    /// The program is at fault: a value of the host, or `loop::unbounded`.
    Fault(Diagnostic),
    /// The limit of work was reached; so many core-steps were done.
    TooLong(u64),
    /// The caller asked to stop.
    Interrupted,
    /// An extent, a launch or a count of one MP beyond 64 bits, at this place.
    TooLarge(Span),
}

/// Counts a program at a point, telling `progress` the core-steps done from time to time.
///
/// ```
/// use atgpu::interval::{CountError, CountOptions, count};
/// use atgpu::machine::Machine;
/// use std::ops::ControlFlow;
///
/// let program = atgpu::examples::vector_addition();
/// let card = Machine::built_in("gtx650").expect("built in");
/// let point = program.at(&card, [("n", 64)])?;
/// let options = CountOptions::default();
/// let counted = count(&program, &point, &options, &|_| ControlFlow::Continue(()));
/// assert_eq!(counted.expect("countable").counts.totals.io.upper, 6.into());
///
/// let options = CountOptions { work_limit: Some(1), ..options };
/// let counted = count(&program, &point, &options, &|_| ControlFlow::Continue(()));
/// assert!(matches!(counted, Err(CountError::TooLong(_))));
/// # Ok::<(), atgpu::Error>(())
/// ```
///
/// # Errors
/// [`CountError`].
pub fn count(
    program: &Program,
    point: &Point,
    options: &CountOptions,
    progress: &dyn Fn(u64) -> ControlFlow<()>,
) -> Result<Counted, CountError> {
    count_within(program, point, options, progress, &Allowance::unlimited())
}

/// As [`count`], the host's values within an allowance.
pub(crate) fn count_within(
    program: &Program,
    point: &Point,
    options: &CountOptions,
    progress: &dyn Fn(u64) -> ControlFlow<()>,
    allowance: &Allowance,
) -> Result<Counted, CountError> {
    host::count(
        (program, point),
        options,
        Depth::Kernels,
        progress,
        allowance,
    )
}

/// As [`count_within`], but only follows the host: rounds and words are counted, what kernels do is not.
///
/// # Errors
/// [`CountError`]; no `loop::unbounded` of a kernel.
pub(crate) fn count_rounds(
    program: &Program,
    point: &Point,
    options: &CountOptions,
    progress: &dyn Fn(u64) -> ControlFlow<()>,
    allowance: &Allowance,
) -> Result<Counted, CountError> {
    host::count((program, point), options, Depth::Host, progress, allowance)
}

/// As [`count_within`], but what kernels do that have a loop without a bound is not counted.
///
/// # Errors
/// [`CountError`]; no `loop::unbounded` of a kernel.
pub(crate) fn count_bounded(
    program: &Program,
    point: &Point,
    options: &CountOptions,
    progress: &dyn Fn(u64) -> ControlFlow<()>,
    allowance: &Allowance,
) -> Result<Counted, CountError> {
    host::count(
        (program, point),
        options,
        Depth::BoundedKernels,
        progress,
        allowance,
    )
}

/// How far counting looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Depth {
    Host,
    BoundedKernels,
    Kernels,
}

/// The `loop::unbounded` of every kernel `while` without `at most`, in text order.
///
/// ```
/// use atgpu::interval::unbounded_loops;
///
/// let program = atgpu::examples::vector_addition();
/// assert!(unbounded_loops(&program).is_empty());
/// ```
pub fn unbounded_loops(program: &Program) -> Vec<Diagnostic> {
    unbounded::unbounded_loops(program)
}
