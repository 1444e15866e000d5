//! The `ensure`s of a program, tested by runs on random data.
//!
//! Takes a program with its derivation and a machine. Gives a line for each `ensure`, and the faults that
//! the runs met. The counts of each run are held against the derivation.

use std::ops::ControlFlow;

use atgpu::count::Parameters;
use atgpu::derivation::Derivation;
use atgpu::derive::hold_against_run;
use atgpu::diag::Diagnostic;
use atgpu::exec::{self, Progress};
use atgpu::interval::unbounded_loops;
use atgpu::machine::Machine;
use atgpu::meaning::{Point, PointValues};
use atgpu::program::Program;
use atgpu::report::test_run::{Failure, LeftOut, Outcome, RunFault, TestLine, Undecided};
use atgpu::safety::says_no_run;
use atgpu::verify;

use crate::cli::test::points::{NotRun, Points, is_complete, line_of, placed, points};
use crate::cli::test::run::{Ran, Standstill, endless, run};
use crate::cli::threads;
use crate::cli::{files, program};

/// The points and the work after which a program with long runs has been tested enough. Work is operations
/// of all cores, and values of quantifiers. The report gives the number of points run.
const ENOUGH: (usize, u128) = (5, 250_000_000);

pub(super) struct Ensures {
    pub(super) lines: Vec<TestLine>,
    /// The fault that ended the runs early.
    pub(super) fault: Option<RunFault>,
    /// The admitted points that could not be run.
    pub(super) left_out: Option<LeftOut>,
    pub(super) faults: Vec<Diagnostic>,
}

/// Runs the program at its points. An `ensure` is refuted by its first failure, and a fault ends all runs.
/// Claims that depend on data are compared with the counts of the runs.
pub(super) fn ensures(
    program: &Program,
    (machine, formals): (&Machine, &Parameters),
    derivation: &mut Derivation,
    progress: &dyn Progress,
) -> Result<Ensures, Vec<Diagnostic>> {
    let Points { points, left_out } = points(program, machine, formals)?;
    let is_given = is_complete(program, formals);
    let unbounded = unbounded_loops(program).into_iter().next();
    let mut runs = Runs {
        program,
        machine,
        formals,
        held: verify::Held::new(program, derivation),
        derivation,
        is_given,
        unbounded: unbounded.filter(|_| !is_given),
        outcomes: vec![Outcome::Holds { points: 0 }; program.ensures.len()],
        // A test without a run would test nothing, so it is a fault.
        faults: match (points.is_empty(), &left_out) {
            (false, _) => Vec::new(),
            (true, Some(left_out)) => vec![placed(left_out.fault.clone(), &left_out.at)],
            (true, None) => vec![Point::none_admitted(program)],
        },
        left_out,
        stopped_by: None,
        too_long: None,
        work: 0,
        tested: 0,
    };
    for together in points.chunks(threads::at_once()) {
        if runs.together(together, progress).is_break() {
            break;
        }
    }
    if let Some(left_out) = &runs.left_out
        && runs.tested == 0
        && !points.is_empty()
    {
        let fault = placed(left_out.fault.clone(), &left_out.at);
        runs.faults.push(fault);
    }
    Ok(runs.finish())
}

/// The runs of a program so far.
struct Runs<'p> {
    program: &'p Program,
    machine: &'p Machine,
    formals: &'p Parameters,
    derivation: &'p mut Derivation,
    /// The derivation, held against the counts of each run.
    held: verify::Held,
    /// True if the point was given, not chosen.
    is_given: bool,
    /// The fault of a loop that may never end, at chosen points.
    unbounded: Option<Diagnostic>,
    /// The outcome of each `ensure`.
    outcomes: Vec<Outcome>,
    faults: Vec<Diagnostic>,
    left_out: Option<NotRun>,
    stopped_by: Option<RunFault>,
    too_long: Option<Undecided>,
    work: u128,
    /// The number of points run.
    tested: usize,
}

impl Runs<'_> {
    fn is_enough(&self) -> bool {
        self.tested >= ENOUGH.0 && self.work > ENOUGH.1
    }

    /// Runs some points at once.
    fn together(&mut self, points: &[Point], progress: &dyn Progress) -> ControlFlow<()> {
        if self.is_enough() {
            return ControlFlow::Break(());
        }
        // Points run at once, but their outcomes are taken in the order of the points. So the report does not
        // depend on the number of threads.
        let begun = points.iter().map(|point| {
            let operations = (!self.is_given).then(|| endless(self.derivation, point));
            (point, operations.flatten())
        });
        // At chosen sizes the default memory limit is enough.
        let memory = self.is_given.then(files::memory_of_a_run);
        let (program, is_limited) = (self.program, self.unbounded.is_some());
        let run = |(point, operations)| {
            if let Some(operations) = operations {
                return (point, Ran::TooLong(operations));
            }
            let standstill = Standstill::new(progress, is_limited);
            let ran = run(program, point, (points.len(), memory), &standstill);
            if standstill.is_reached() {
                (point, Ran::Endless)
            } else {
                (point, ran)
            }
        };
        for (point, ran) in threads::each(begun.collect(), run) {
            self.take(point, ran)?;
        }
        ControlFlow::Continue(())
    }

    /// Takes in the outcome of a point. Breaks if no other point shall be run.
    fn take(&mut self, point: &Point, ran: Ran) -> ControlFlow<()> {
        if self.is_enough() {
            return ControlFlow::Break(());
        }
        if let Ran::Faulted(found) = &ran
            && !self.is_given
            && let Some(fault) = refused(found)
        {
            self.leave_out(fault, point.values());
            return ControlFlow::Continue(());
        }
        self.tested += usize::from(!matches!(ran, Ran::Endless));
        match ran {
            Ran::Done(outcome) => return self.take_outcome(point, *outcome),
            Ran::TooLong(operations) => {
                let at = point.values();
                self.too_long = Some(Undecided::TooLong { operations, at });
            }
            Ran::Endless => {
                let fault = self.unbounded.clone();
                let fault = fault.expect("no other run is given up");
                self.leave_out(&fault, point.values());
                // If no other point ran, it is reported as left out at the end.
                if self.tested > 0 {
                    self.faults.push(placed(fault, &point.values()));
                }
            }
            Ran::Faulted(found) => {
                let (program, machine) = (self.program, self.machine);
                let found = program::of_the_model_first(found, program, self.formals, machine);
                self.stop(found, &point.values());
            }
        }
        ControlFlow::Break(())
    }

    /// Takes in a run that came to its end, and holds its counts against the derivation.
    fn take_outcome(&mut self, point: &Point, outcome: exec::Outcome) -> ControlFlow<()> {
        self.work += outcome.lane_operations + u128::from(outcome.quantified);
        for (state, result) in self.outcomes.iter_mut().zip(&outcome.ensures) {
            match state {
                Outcome::Holds { points } if result.holds => *points += 1,
                Outcome::Holds { .. } => {
                    *state = Outcome::Fails(Failure::Ensure {
                        at: point.values(),
                        found: result.counterexample.clone(),
                    });
                }
                Outcome::Proved | Outcome::Fails(_) | Outcome::Open(_) => {}
            }
        }
        // One failure per line is enough: the smallest point shows it best.
        for fault in outcome.diagnostics {
            let mut known = self.faults.iter();
            if known.all(|known| known.primary() != fault.primary()) {
                self.faults.push(placed(fault, &point.values()));
            }
        }
        hold_against_run(self.program, self.derivation, point, &outcome.counts);
        let mismatches = self.held.against(point, &outcome.counts).diagnostics();
        if mismatches.is_empty() {
            return ControlFlow::Continue(());
        }
        self.stop(mismatches, &point.values());
        ControlFlow::Break(())
    }

    fn leave_out(&mut self, fault: &Diagnostic, at: PointValues) {
        let not_run = || NotRun::at(self.program, fault, at.clone());
        self.left_out.get_or_insert_with(not_run).add(at);
    }

    /// Keeps the faults that end all runs.
    fn stop(&mut self, faults: Vec<Diagnostic>, at: &PointValues) {
        let first = faults.first();
        self.stopped_by = first.map(|fault| run_fault(self.program, fault, at));
        let placed = faults.into_iter().map(|fault| placed(fault, at));
        self.faults.extend(placed);
    }

    fn finish(self) -> Ensures {
        let not_run = match (&self.stopped_by, self.too_long) {
            (Some(RunFault { code, .. }), _) => Undecided::Fault(code),
            (None, Some(too_long)) => too_long,
            (None, None) => Undecided::NoPoint,
        };
        let program = self.program;
        let lines = program.ensures.iter().zip(self.outcomes);
        let lines = lines.map(|(ensure, outcome)| TestLine {
            keyword: "ensure",
            text: program.clause(ensure.span).to_owned(),
            line: program.line(ensure.span),
            outcome: match outcome {
                Outcome::Holds { points: 0 } => Outcome::Open(not_run.clone()),
                other => other,
            },
        });
        Ensures {
            lines: lines.collect(),
            fault: self.stopped_by,
            left_out: self.left_out.map(|found| found.report),
            faults: self.faults,
        }
    }
}

/// The reason why there was no run, if it is harmless: a `require` refused the generated data, or the
/// machine is too small for a chosen size.
fn refused(found: &[Diagnostic]) -> Option<&Diagnostic> {
    found.first().filter(|_| found.iter().all(says_no_run))
}

fn run_fault(program: &Program, fault: &Diagnostic, at: &PointValues) -> RunFault {
    RunFault {
        code: fault.code.short_name(),
        line: line_of(program, fault),
        at: at.clone(),
    }
}
