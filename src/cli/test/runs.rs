//! The runs of `test`: a program on random data (seed 0) at a sample of its points.
//!
//! An `ensure` is refuted by its first failure, and a fault ends all runs. Each run is held against the
//! derivation, and claims that depend on data against its counts.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use atgpu::count::{Parameters, Quantity};
use atgpu::derivation::Derivation;
use atgpu::derive::hold_against_run;
use atgpu::diag::{Context, Diagnostic};
use atgpu::exec::{self, Execution, Options, Progress, Work};
use atgpu::interval::unbounded_loops;
use atgpu::machine::Machine;
use atgpu::meaning::{Point, PointValues, Sampled, sample};
use atgpu::number::{BigInt, Rational};
use atgpu::program::Program;
use atgpu::report::test_run::{Failure, LeftOut, LookedAt, Outcome, RunFault, TestLine, Undecided};
use atgpu::room::with_room;
use atgpu::safety::says_no_run;
use atgpu::verify;

use crate::cli::{files, program, threads};

/// The points at which a program is run, if none is given and `--points` says nothing else.
const POINTS: usize = 200;

/// The points and the work after which a program with long runs has been tested enough. Work is operations
/// of all cores, and values of quantifiers. The report gives the number of points run.
const ENOUGH: (usize, u128) = (10, 60_000_000);

/// The work of a point with sizes around b after which no larger one is run: such points are there to see
/// several MPs, and the small ones must not wait for them.
const MOST_GROWN: u128 = 4_000_000;

/// Limit on the operations of the costliest MPs at a chosen point, and at one with sizes around b. Points
/// above it are not run.
const MOST_OPERATIONS: u64 = 1_000_000_000;
const MOST_OPERATIONS_GROWN: u64 = 100_000;

/// Limit on the looks at a run with an unbounded loop that stay in one place of a kernel. Looks are 2^18 to
/// 2^20 core-steps apart. At the limit the run is given up, as it may never end.
const MOST_LOOKS: u64 = 256;

/// Limit on the named points among those left out.
const MOST_NAMED: usize = 3;

/// A program and what is asked about its runs.
pub(super) struct Subject<'a> {
    pub(super) program: &'a Program,
    pub(super) machine: &'a Machine,
    /// The formals that are given, with b if it is.
    pub(super) given: &'a Parameters,
    pub(super) limits: Limits,
    pub(super) shown: Shown<'a>,
}

/// Where the terminal shows how far the runs are.
#[derive(Clone, Copy)]
pub(super) struct Shown<'a> {
    pub(super) progress: &'a dyn Progress,
    /// Takes which point is being run: its number, of how many, and its values.
    pub(super) about: &'a (dyn Fn((usize, usize), &str) + Sync),
}

/// The limits that the command line sets.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Limits {
    /// Points at most.
    pub(super) points: Option<usize>,
    /// Seconds after which no further point is begun.
    pub(super) seconds: Option<u64>,
}

/// The result of the runs of a program.
pub(super) struct Tested {
    /// The line of each `ensure`.
    pub(super) lines: Vec<TestLine>,
    /// The fault that ended the runs early.
    pub(super) fault: Option<RunFault>,
    /// The admitted points that could not be run.
    pub(super) left_out: Option<LeftOut>,
    /// The points that were run, unless the one was given.
    pub(super) looked_at: Option<LookedAt>,
    pub(super) faults: Vec<Diagnostic>,
}

/// Runs a program at the point that is given, or at a sample of its points.
pub(super) fn of(
    subject: &Subject<'_>,
    derivation: &mut Derivation,
) -> Result<Tested, Vec<Diagnostic>> {
    let is_given = subject.is_complete();
    let points = subject.points(is_given)?;
    let mut runs = Runs::new(subject, is_given, derivation, points.left_out);
    if points.points.is_empty() {
        // A test without a run would test nothing, so it is a fault.
        runs.faults.push(match &runs.left_out {
            Some(left_out) => placed(left_out.fault.clone(), &left_out.at),
            None => Point::none_admitted(subject.program),
        });
    }
    let has_points = !points.points.is_empty();
    let all = points.points.len();
    let at_once = threads::at_once();
    for (at, together) in points.points.chunks(at_once).enumerate() {
        let (number, place) = (at * at_once + 1, together[0].point.values());
        (subject.shown.about)((number, all), &place.to_string());
        if runs.all_of(together).is_break() {
            break;
        }
    }
    Ok(runs.told(has_points))
}

impl Subject<'_> {
    /// Whether every formal has a value.
    fn is_complete(&self) -> bool {
        let mut names = self.program.formals().iter();
        names.all(|formal| {
            let name = &self.program.parameter(*formal).name;
            self.given.get(name).is_some()
        })
    }

    /// The given point, or a sample of those that the `require`s admit with the given values.
    fn points(&self, is_given: bool) -> Result<Points, Vec<Diagnostic>> {
        let (program, given) = (self.program, self.given);
        let numbers = self.machine.atgpu.numbers();
        if is_given {
            let point = Point::new(program, numbers, given)?;
            return Ok(Points {
                points: vec![Sampled {
                    point,
                    is_grown: false,
                }],
                left_out: None,
            });
        }
        let count = self.limits.points.unwrap_or(POINTS);
        let sample = sample(program, numbers, given, count);
        if sample.points.is_empty() {
            let faults = Point::faults_of_names(program, given);
            if !faults.is_empty() {
                return Err(faults);
            }
        }
        let named = sample.first_left_out.iter();
        let named: Vec<PointValues> = named.map(|(at, _)| at.clone()).collect();
        let first = sample.first_left_out.into_iter().next();
        let left_out = first.map(|(at, fault)| {
            let mut not_run = NotRun::at(program, &fault, at);
            not_run.report.count = sample.left_out;
            not_run.report.first = named;
            not_run
        });
        Ok(Points {
            points: sample.points,
            left_out,
        })
    }
}

/// The points of a program's runs.
struct Points {
    points: Vec<Sampled>,
    left_out: Option<NotRun>,
}

/// The runs of a program so far.
struct Runs<'a> {
    subject: &'a Subject<'a>,
    derivation: &'a mut Derivation,
    held: verify::Held,
    /// Whether the only point was given.
    is_given: bool,
    /// The first loop that nothing bounds, where points were chosen.
    unbounded: Option<Diagnostic>,
    /// Bytes that a run may take, where its point was given.
    memory: Option<u64>,
    began: Instant,
    /// What is known of each `ensure`, and the size of the point at which it failed.
    outcomes: Vec<(Outcome, BigInt)>,
    /// Failed `ensure`s, each with the size of its point.
    failures: Vec<(BigInt, Diagnostic)>,
    faults: Vec<Diagnostic>,
    left_out: Option<NotRun>,
    stopped_by: Option<RunFault>,
    too_long: Option<Undecided>,
    looked_at: LookedAt,
    work: u128,
    /// Whether a point with sizes around b took long.
    is_grown_enough: bool,
}

impl<'a> Runs<'a> {
    fn new(
        subject: &'a Subject<'a>,
        is_given: bool,
        derivation: &'a mut Derivation,
        left_out: Option<NotRun>,
    ) -> Self {
        let unbounded = unbounded_loops(subject.program).into_iter().next();
        let ensures = subject.program.ensures().len();
        Runs {
            subject,
            held: verify::Held::new(subject.program, derivation),
            derivation,
            is_given,
            unbounded: unbounded.filter(|_| !is_given),
            // At chosen sizes the default memory limit is enough.
            memory: is_given.then(files::memory_of_a_run),
            began: Instant::now(),
            outcomes: vec![(Outcome::Holds { points: 0 }, endless_size()); ensures],
            failures: Vec::new(),
            faults: Vec::new(),
            left_out,
            stopped_by: None,
            too_long: None,
            looked_at: LookedAt::default(),
            work: 0,
            is_grown_enough: false,
        }
    }

    /// Whether the program was run often enough, or for as long as it may.
    fn is_enough(&self) -> bool {
        let seconds = self.subject.limits.seconds;
        let is_late = seconds.is_some_and(|most| self.began.elapsed() >= Duration::from_secs(most));
        is_late || self.looked_at.points >= ENOUGH.0 && self.work > ENOUGH.1
    }

    /// Runs some points at once. Breaks where no further run is due.
    fn all_of(&mut self, together: &[Sampled]) -> ControlFlow<()> {
        if self.is_enough() {
            return ControlFlow::Break(());
        }
        let due = together
            .iter()
            .filter(|one| !one.is_grown || !self.is_grown_enough);
        let begun: Vec<_> = due
            .map(|one| (one, self.too_many_operations(one)))
            .collect();
        let (subject, memory, at_once) = (self.subject, self.memory, together.len());
        let is_limited = self.unbounded.is_some();
        let run = |(one, operations): (&'_ Sampled, Option<f64>)| match operations {
            Some(operations) => (one.clone(), Ran::TooLong(operations)),
            None => {
                let standstill = Standstill::new(subject.shown.progress, is_limited);
                let ran = run(subject.program, &one.point, (at_once, memory), &standstill);
                let ran = if standstill.is_reached() {
                    Ran::Endless
                } else {
                    ran
                };
                (one.clone(), ran)
            }
        };
        for (one, ran) in threads::each(begun, run) {
            if self.is_enough() {
                return ControlFlow::Break(());
            }
            self.one(&one, ran)?;
        }
        ControlFlow::Continue(())
    }

    /// A lower bound on the operations of the costliest MPs of all rounds, if it exceeds the limit of a test.
    fn too_many_operations(&self, one: &Sampled) -> Option<f64> {
        if self.is_given {
            return None;
        }
        let most = if one.is_grown {
            MOST_OPERATIONS_GROWN
        } else {
            MOST_OPERATIONS
        };
        let operations = least_operations(self.derivation, &one.point)?;
        let is_too_many = operations > Rational::from(BigInt::from(most));
        is_too_many.then(|| operations.to_f64())
    }

    /// Takes in the outcome of a point. Breaks where no further run is due.
    fn one(&mut self, one: &Sampled, ran: Ran) -> ControlFlow<()> {
        let (program, point) = (self.subject.program, &one.point);
        let outcome = match ran {
            // Nobody asked for points that large.
            Ran::TooLong(_) | Ran::Endless if one.is_grown => {
                self.is_grown_enough = true;
                return ControlFlow::Continue(());
            }
            Ran::TooLong(operations) => {
                let at = point.values();
                self.too_long = Some(Undecided::TooLong { operations, at });
                return ControlFlow::Break(());
            }
            Ran::Endless => {
                self.give_up(point);
                return ControlFlow::Break(());
            }
            Ran::Faulted(found) => return self.faulted(one, found),
            Ran::Done(outcome) => *outcome,
        };
        self.looked_at.add(point, &outcome.counts);
        let work = outcome.lane_operations + u128::from(outcome.quantified);
        self.work += work;
        self.is_grown_enough |= one.is_grown && work > MOST_GROWN;
        let size = size(program, point);
        for ((state, smallest), result) in self.outcomes.iter_mut().zip(&outcome.ensures) {
            match state {
                Outcome::Holds { points } if result.holds => *points += 1,
                // The smallest point shows a failure best.
                Outcome::Holds { .. } | Outcome::Fails(_) if !result.holds && size < *smallest => {
                    *smallest = size.clone();
                    *state = Outcome::Fails(Failure::Ensure {
                        at: point.values(),
                        found: result.counterexample.clone(),
                    });
                }
                _ => {}
            }
        }
        // One failure per line is enough.
        for fault in outcome.diagnostics {
            let is_same = |known: &&mut (BigInt, Diagnostic)| known.1.primary() == fault.primary();
            let placed = |fault| (size.clone(), placed(fault, &point.values()));
            match self.failures.iter_mut().find(is_same) {
                Some(known) if size < known.0 => *known = placed(fault),
                Some(_) => {}
                None => self.failures.push(placed(fault)),
            }
        }
        hold_against_run(program, self.derivation, point, &outcome.counts);
        let mismatches = self.held.against(point, &outcome.counts).diagnostics();
        if mismatches.is_empty() {
            return ControlFlow::Continue(());
        }
        self.stop(mismatches, point)
    }

    /// Gives up on a run that does not end, and on all after it.
    fn give_up(&mut self, point: &Point) {
        let fault = self.unbounded.clone();
        let fault = fault.expect("no other run is given up");
        let at = point.values();
        self.left_out
            .get_or_insert(NotRun::at(self.subject.program, &fault, at.clone()))
            .add(at.clone());
        // If no other point ran, it is reported as left out.
        if self.looked_at.points > 0 {
            self.faults.push(placed(fault, &at));
        }
    }

    /// Takes in the faults of a run, or leaves its point out where they are harmless.
    fn faulted(&mut self, one: &Sampled, found: Vec<Diagnostic>) -> ControlFlow<()> {
        let (program, point) = (self.subject.program, &one.point);
        match refused(&found).filter(|_| !self.is_given) {
            Some(_) if one.is_grown => {}
            Some(fault) => {
                let at = point.values();
                self.left_out
                    .get_or_insert_with(|| NotRun::at(program, fault, at.clone()))
                    .add(at);
            }
            None => {
                let Subject { given, machine, .. } = self.subject;
                let found = program::of_the_model_first(found, program, given, machine);
                return self.stop(found, point);
            }
        }
        ControlFlow::Continue(())
    }

    /// Ends the runs with these faults.
    fn stop(&mut self, faults: Vec<Diagnostic>, point: &Point) -> ControlFlow<()> {
        let at = point.values();
        let first = faults.first();
        self.stopped_by = first.map(|fault| run_fault(self.subject.program, fault, &at));
        let placed = faults.into_iter().map(|fault| placed(fault, &at));
        self.faults.extend(placed);
        ControlFlow::Break(())
    }

    /// The lines of all `ensure`s, and what was met on the way.
    fn told(mut self, has_points: bool) -> Tested {
        let nothing_ran = self.looked_at.points == 0;
        let is_told = self.stopped_by.is_some() || self.too_long.is_some();
        let left_out = self.left_out.as_ref();
        if let Some(left_out) = left_out.filter(|_| nothing_ran && !is_told && has_points) {
            let fault = placed(left_out.fault.clone(), &left_out.at);
            self.faults.push(fault);
        }
        let not_run = match (&self.stopped_by, self.too_long) {
            (Some(RunFault { code, .. }), _) => Undecided::Fault(code),
            (None, Some(too_long)) => too_long,
            (None, None) => Undecided::NoPoint,
        };
        let program = self.subject.program;
        let failures = self.failures.into_iter().map(|(_, fault)| fault);
        let faults = failures.chain(self.faults).collect();
        let ensures = program.ensures().iter().zip(self.outcomes);
        let lines = ensures.map(|(ensure, (outcome, _))| TestLine {
            keyword: "ensure",
            text: program.clause(ensure.span).to_owned(),
            line: program.line(ensure.span),
            outcome: match outcome {
                Outcome::Holds { points: 0 } => Outcome::Open(not_run.clone()),
                other => other,
            },
        });
        Tested {
            lines: lines.collect(),
            fault: self.stopped_by,
            left_out: self.left_out.map(|found| found.report),
            looked_at: (!self.is_given).then_some(self.looked_at),
            faults,
        }
    }
}

/// The reason why there was no run, if it is harmless: a `require` refused the generated data, or the
/// machine is too small for a chosen size.
fn refused(found: &[Diagnostic]) -> Option<&Diagnostic> {
    found.first().filter(|_| found.iter().all(says_no_run))
}

/// The outcome of a point.
enum Ran {
    Done(Box<exec::Outcome>),
    /// Not run: it would take this many operations.
    TooLong(f64),
    /// Given up: it did not end.
    Endless,
    Faulted(Vec<Diagnostic>),
}

/// Ends a run that stays in one place of a kernel for too many looks.
struct Standstill<'p> {
    progress: &'p dyn Progress,
    /// The place at the last look, and the number of looks that found it there.
    seen: Mutex<(Work, u64)>,
    most: u64,
}

impl<'p> Standstill<'p> {
    fn new(progress: &'p dyn Progress, is_limited: bool) -> Standstill<'p> {
        Standstill {
            progress,
            seen: Mutex::default(),
            most: if is_limited { MOST_LOOKS } else { u64::MAX },
        }
    }

    fn is_reached(&self) -> bool {
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
fn run(
    program: &Program,
    point: &Point,
    (together, memory_limit): (usize, Option<u64>),
    progress: &dyn Progress,
) -> Ran {
    let options = Options {
        // One thread per point is enough, unless there is only one point.
        threads: usize::from(together > 1),
        memory_limit,
        mends_inputs: true,
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

/// The sum of the formals: what makes one point smaller than another.
fn size(program: &Program, point: &Point) -> BigInt {
    let formals = program.formals().iter();
    let values = formals.map(|id| &point.parameters[&program.parameter(*id).name]);
    values.sum()
}

/// More than any size: no failure yet.
fn endless_size() -> BigInt {
    BigInt::from(1) << 200
}

/// A lower bound on the operations of the costliest MPs of all rounds. `None` if nothing was derived.
fn least_operations(derivation: &Derivation, point: &Point) -> Option<Rational> {
    let formula = derivation.formula(Quantity::TotalTime.name()).ok()?;
    let least = formula.lower().unwrap_or(formula);
    let values = point.parameters.iter();
    let parameters: Parameters = values.map(|(name, value)| (name, value.clone())).collect();
    least.exact(parameters).ok()
}

/// Admitted points that could not be run, with the fault at the first.
struct NotRun {
    report: LeftOut,
    fault: Diagnostic,
    at: PointValues,
}

impl NotRun {
    /// An empty set of points with the fault found at this one.
    fn at(program: &Program, fault: &Diagnostic, at: PointValues) -> NotRun {
        NotRun {
            report: LeftOut {
                count: 0,
                code: fault.code.short_name(),
                line: line_of(program, fault),
                first: Vec::new(),
            },
            fault: fault.clone(),
            at,
        }
    }

    fn add(&mut self, at: PointValues) {
        self.report.count += 1;
        if self.report.first.len() < MOST_NAMED {
            self.report.first.push(at);
        }
    }
}

fn run_fault(program: &Program, fault: &Diagnostic, at: &PointValues) -> RunFault {
    RunFault {
        code: fault.code.short_name(),
        line: line_of(program, fault),
        at: at.clone(),
    }
}

fn line_of(program: &Program, fault: &Diagnostic) -> Option<usize> {
    let label = fault.primary()?;
    Some(program.line(label.span))
}

/// A fault with the parameters that lead to it.
fn placed(mut fault: Diagnostic, at: &PointValues) -> Diagnostic {
    let at = at.to_string();
    fault.message = std::mem::take(&mut fault.message).within(Context::Run { at });
    fault
}
