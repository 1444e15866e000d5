//! Counting without data at given parameters: an abstract interpreter with concrete parameters and
//! unknown data.
//!
//! Exact for every program whose control and addresses do not depend on data, and a sound interval
//! for every other. Shares no counting code with `exec`. Takes a checked [`Program`] and a
//! [`Point`];
//! gives [`Counted`].

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

/// Settings of a count.
#[derive(Debug, Clone, Default)]
pub struct CountOptions {
    /// True if each shared operand costs its degree, not 1 (language.md §4.2, on request). With `cycle_rules` for
    /// warps narrower than an MP it is the worst warp's degree over the card's banks.
    pub charge_conflicts: bool,
    /// Most core-steps to do; [`TEN_SECONDS`] takes about as long as its name says.
    pub work_limit: Option<u64>,
    /// A machine's own rules, if its charges are wanted too.
    pub cycle_rules: Option<CycleRules>,
}

/// Core-steps that take an ordinary computer about ten seconds.
pub const TEN_SECONDS: u64 = 40_000_000;

/// The charges besides operations.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Charging<'a> {
    /// True if each shared operand costs its degree (language.md §4.2, on request).
    conflicts: bool,
    /// A machine's own rules, where charges are asked for.
    cycle_rules: Option<&'a CycleRules>,
}

/// One line of a kernel in one round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineCount {
    /// The statement.
    pub span: Span,
    /// The `execute` that led here.
    pub from: Option<Span>,
    /// Executions by the costliest MP.
    pub executions: Interval,
    /// Operations that it adds to that MP's t.
    pub operations: Interval,
    /// Blocks over all MPs and executions.
    pub blocks: Interval,
    /// Σ (degree − 1) over all MPs and executions.
    pub conflicts: Interval,
}

impl LineCount {
    /// Returns all counts of the line, by name.
    pub(crate) fn all(&self) -> [(&'static str, &Interval); 4] {
        [
            ("executions", &self.executions),
            ("operations", &self.operations),
            ("blocks", &self.blocks),
            ("conflicts", &self.conflicts),
        ]
    }
}

/// Further facts of one entry of the rounds.
#[derive(Debug, Clone)]
pub struct RoundDetail {
    /// Its transfer statements.
    pub transfers: Vec<Span>,
    /// Its kernel's opening line.
    pub kernel: Option<Span>,
    /// The shared variables its kernel names.
    pub shared: Vec<VarId>,
    /// True if it happens whatever the data.
    pub is_certain: bool,
}

/// Waste on one line of a kernel, for the lints.
#[derive(Debug, Clone)]
pub struct WarpFact {
    /// The statement.
    pub span: Span,
    /// Blocks of one access, and the distinct words in them.
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
    /// Further facts of each entry of `counts.rounds`.
    pub details: Vec<RoundDetail>,
    /// Reasons for totals that are only bounds, one entry each.
    pub bounds: Vec<Bound>,
    /// The first fault that every run at this point meets, if there is one.
    pub faults: Vec<Diagnostic>,
    /// Facts for the lints, a line each.
    pub facts: Vec<WarpFact>,
    /// The global variables live in the round that needs most.
    pub fullest: Vec<VarId>,
    /// The machine's charges, where [`CountOptions::cycle_rules`] asked; upper bounds if not exact.
    pub charges: Option<Charged>,
    /// Core-steps done.
    pub work: u64,
}

/// Reason for a count to fail.
#[derive(Debug, Clone)]
pub enum CountError {
    /// The program is at fault: a value of the host, or `loop::unbounded`.
    Fault(Diagnostic),
    /// The limit of work was reached after so many core-steps.
    TooLong(u64),
    /// The caller asked to stop.
    Interrupted,
    /// An extent, a launch or a count of one MP beyond 64 bits, at this place.
    TooLarge(Span),
}

/// Counts a program at a point, telling `progress` the core-steps done from time to time.
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

/// As [`count`], with the host's values within an allowance.
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

/// As [`count_within`], but follows the host only: rounds and words are counted, kernels are not.
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

/// As [`count_within`], but leaves out kernels that have a loop without a bound.
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

/// The depth of a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Depth {
    Host,
    BoundedKernels,
    Kernels,
}

/// Returns the `loop::unbounded` of every unbounded loop in a kernel, in text order.
pub fn unbounded_loops(program: &Program) -> Vec<Diagnostic> {
    unbounded::unbounded_loops(program)
}
