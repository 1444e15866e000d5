//! One run of a program that is tested, and the limits at which it is given up.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use atgpu::count::{Parameters, Quantity};
use atgpu::derivation::Derivation;
use atgpu::diag::Diagnostic;
use atgpu::exec::{self, Execution, Options, Progress, Work};
use atgpu::meaning::Point;
use atgpu::number::{BigInt, Rational};
use atgpu::program::Program;
use atgpu::room::with_room;

/// Limit on the operations of the costliest MPs at a chosen point. Such points, and all larger ones, are
/// not run.
const MOST_OPERATIONS: u64 = 1_000_000_000;

/// Limit on the looks at a run with an unbounded loop that stay in one place of a kernel. Looks are 2^18 to
/// 2^20 core-steps apart. At the limit the run is given up, as it may never end.
const MOST_LOOKS: u64 = 256;

/// The outcome of a point.
pub(super) enum Ran {
    Done(Box<exec::Outcome>),
    /// Not run: it would take this many operations.
    TooLong(f64),
    /// Given up: it did not end.
    Endless,
    Faulted(Vec<Diagnostic>),
}

/// Ends a run that stays in one place of a kernel for too many looks.
pub(super) struct Standstill<'p> {
    progress: &'p dyn Progress,
    /// The place at the last look, and the number of looks that found it there.
    seen: Mutex<(Work, u64)>,
    most: u64,
}

impl<'p> Standstill<'p> {
    pub(super) fn new(progress: &'p dyn Progress, is_limited: bool) -> Standstill<'p> {
        Standstill {
            progress,
            seen: Mutex::default(),
            most: if is_limited { MOST_LOOKS } else { u64::MAX },
        }
    }

    pub(super) fn is_reached(&self) -> bool {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.1 >= self.most
    }
}

impl Progress for Standstill<'_> {
    fn advance(&self, done: Work) -> ControlFlow<()> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.1 >= self.most {
            return ControlFlow::Break(());
        }
        // Looks between kernels do not count: all host loops end.
        *seen = if done.mps > 0 && seen.0 == done {
            (done, seen.1 + 1)
        } else {
            (done, 0)
        };
        drop(seen);
        self.progress.advance(done)
    }
}

/// Runs a point, while other points run in parallel.
pub(super) fn run(
    program: &Program,
    point: &Point,
    (together, memory_limit): (usize, Option<u64>),
    progress: &dyn Progress,
) -> Ran {
    let options = Options {
        // One thread per point is enough, unless there is only one point.
        threads: usize::from(together > 1),
        memory_limit,
        ..Options::default()
    };
    let outcome = with_room(|| {
        Execution::prepare(program, point, &options)
            .and_then(|mut execution| execution.run(progress))
    });
    match outcome {
        Ok(outcome) => Ran::Done(Box::new(outcome)),
        Err(found) => Ran::Faulted(found),
    }
}

/// A lower bound on the operations of the costliest MPs of all rounds, if it exceeds the limit of a test.
/// `None` if nothing was derived.
pub(super) fn endless(derivation: &Derivation, point: &Point) -> Option<f64> {
    let formula = derivation.formula(Quantity::TotalTime.name()).ok()?;
    let least = formula.lower().unwrap_or(formula);
    let parameters: Parameters = point
        .parameters
        .iter()
        .map(|(n, v)| (n, v.clone()))
        .collect();
    let operations = least.exact(parameters).ok()?;
    let is_endless = operations > Rational::from(BigInt::from(MOST_OPERATIONS));
    is_endless.then(|| operations.to_f64())
}
