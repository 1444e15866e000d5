//! One small run: takes a program at a point, executes it within bounds, and gives the faults it met.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::diag::Diagnostic;
use crate::exec::{Engine, Execution, Input, Options, Progress, Work};
use crate::meaning::Point;
use crate::program::Program;

/// The most bytes that the arrays of a run take: it is small, or it is not run.
const MOST_BYTES: u64 = 1 << 20;

/// The most times a run is looked after before it is given up.
const MOST_LOOKS: u64 = 256;

/// The weight of a look while a kernel runs: thousands of statements lie between two of those.
const LOOK_AT_A_KERNEL: u64 = 4;

/// The cost of a run besides, in operations; and of one that is given up.
const OPERATIONS_OF_A_RUN: u64 = 500;
const OPERATIONS_OF_A_LOST_RUN: u64 = 100_000;

/// The codes of faults that mean that there was no run.
const NO_RUN: [&str; 4] = [
    "require::violated",
    "limit::shared",
    "limit::global",
    "resource::memory",
];

/// True if a fault says that there was no run, and nothing against the program: a `require` refuses the data, or the
/// machine is too small.
///
/// ```
/// use atgpu::safety::says_no_run;
///
/// let program = atgpu::program("algorithm T(n)\n  require n ≥ 1\n  input A[n]\n  global a[n]\n  a ⇚ A\n")?;
/// let card = atgpu::machine::Machine::built_in("gtx650").expect("built in");
/// let refused = atgpu::meaning::Point::new(&program, card.atgpu.numbers(), &[("n", 0)].into());
/// assert!(refused.expect_err("n is too small").iter().all(says_no_run)); // require::violated
/// # Ok::<(), atgpu::Error>(())
/// ```
#[doc(hidden)]
pub fn says_no_run(fault: &Diagnostic) -> bool {
    NO_RUN.contains(&fault.code.short_name())
}

/// The result of a run.
pub(super) struct Ran {
    pub(super) faults: Vec<Diagnostic>,
    /// True if any core executed anything.
    pub(super) does_something: bool,
}

/// Runs a program at a point, with random data for the inputs not named, and adds what that cost to `operations`. `None` where it takes long, or the machine is too
/// small.
pub(super) fn executed(
    program: &Program,
    point: &Point,
    inputs: &[(String, Input)],
    operations: &mut u64,
) -> Option<Ran> {
    let options = Options {
        inputs: inputs.iter().cloned().collect(),
        threads: 1,
        memory_limit: Some(MOST_BYTES),
        ..Options::default()
    };
    let patience = Patience::default();
    let result = Execution::prepare(program, point, &options)
        .and_then(|execution| execution.by(Engine::Statements).execute(&patience));
    let (faults, work) = match result {
        Ok(executed) => (
            Vec::new(),
            u64::try_from(executed.lane_operations()).unwrap_or(u64::MAX),
        ),
        Err(faults) => (faults, 0),
    };
    let besides = if patience.is_lost() {
        OPERATIONS_OF_A_LOST_RUN
    } else {
        OPERATIONS_OF_A_RUN
    };
    *operations = operations.saturating_add(work).saturating_add(besides);
    let is_run = !patience.is_lost() && !faults.iter().any(says_no_run);
    is_run.then_some(Ran {
        does_something: work > 0 || !faults.is_empty(),
        faults,
    })
}

/// Lets a run go on for a while.
#[derive(Default)]
struct Patience(AtomicU64);

impl Patience {
    fn looks(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn is_lost(&self) -> bool {
        self.looks() > MOST_LOOKS
    }
}

impl Progress for Patience {
    fn advance(&self, done: Work) -> ControlFlow<()> {
        let weight = if done.mps > 0 { LOOK_AT_A_KERNEL } else { 1 };
        self.0.fetch_add(weight, Ordering::Relaxed);
        if self.is_lost() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}
