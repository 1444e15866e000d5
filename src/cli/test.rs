//! `atgpu test`: every claim and every `ensure` of programs, one line each, and a summary.
//!
//! The derivation judges claims: proved, refuted, or tested at points counted without data. An `ensure` is
//! tested by runs on random data (seed 0), which also compare the derivation with the execution.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use atgpu::count::{Parameters, Quantity};
use atgpu::derivation::{Derivation, DerivedClaim, Verdict};
use atgpu::derive::{derive, derive_to_judge, hold_against_run};
use atgpu::diag::{Context, Diagnostic};
use atgpu::exec::{self, Execution, Options, Progress, Unwatched, Work};
use atgpu::interval::unbounded_loops;
use atgpu::machine::{Atgpu, Machine};
use atgpu::meaning::{Point, PointValues, admissible, admissible_points, widths};
use atgpu::number::{BigInt, Rational};
use atgpu::program::Program;
use atgpu::report::derivation::claims;
use atgpu::report::test_run;
use atgpu::report::test_run::{
    Failure, LeftOut, Outcome, ProgramReport, RunFault, TestLine, Undecided,
};
use atgpu::room::with_room;
use atgpu::safety::says_no_run;
use atgpu::verify;

use crate::cli::args::{Format, TestArgs};
use crate::cli::options::Asked;
use crate::cli::progress::{AtWork, ProgressLine};
use crate::cli::reply::{Body, Finding, Reply};
use crate::cli::threads;
use crate::cli::{alone, files, program};

/// Points at which an `ensure` is tested, if none is given.
const POINTS: usize = 200;

/// The points and the work after which a program with long runs has been tested enough. Work is operations
/// of all cores, and values of quantifiers. The report gives the number of points run.
const ENOUGH: (usize, u128) = (5, 250_000_000);

/// Cores per MP for programs without a size for the machine's: h·h threads, or few.
const OTHER_WIDTHS: [i64; 6] = [256, 64, 16, 4, 2, 1];

/// Limit on the named points among those left out.
const MOST_NAMED: usize = 3;

/// Limit on the operations of the costliest MPs at a chosen point. Such points, and all larger ones, are
/// not run.
const MOST_OPERATIONS: u64 = 1_000_000_000;

/// Limit on the looks at a run with an unbounded loop that stay in one place of a kernel. Looks are 2^18 to
/// 2^20 core-steps apart. At the limit the run is given up, as it may never end.
const MOST_LOOKS: u64 = 256;

/// Tests programs.
pub fn test(args: &TestArgs) -> Reply {
    let as_json = args.format == Format::Json;
    let asked = match Asked::read(&args.options) {
        Ok(asked) => asked,
        Err(faults) => return Reply::faults(faults, as_json),
    };
    let here = [".".to_owned()];
    let paths = if args.paths.is_empty() {
        &here[..]
    } else {
        &args.paths
    };
    let files = match program::meant(paths) {
        Ok(files) => files,
        Err(fault) => return Reply::faults(vec![Finding::bare(fault)], as_json),
    };
    let (mut findings, mut reports) = (Vec::new(), Vec::new());
    for (tested, found) in all(&files, &asked) {
        findings.extend(found);
        match tested {
            Ok(report) => reports.push(report),
            Err(faults) => findings.extend(faults),
        }
    }
    let body = match args.format {
        Format::Json => Body::Json(Some(test_run::json(&reports))),
        Format::Text => Body::Text(test_run::text(&reports, files.len())),
    };
    Reply::with(body, findings).about(&files)
}

/// The report of a file, or the faults that prevent its test.
type Tested = Result<ProgramReport, Vec<Finding>>;

/// Tests files in parallel and returns the results in order, with the findings of each. For a single file
/// the progress line shows rounds, for several the number of files done.
fn all(files: &[String], asked: &Asked) -> Vec<(Tested, Vec<Finding>)> {
    let with = |file: &String, progress: &dyn Progress| {
        let mut found = Vec::new();
        let tested = with_room(|| one(file, asked, progress, &mut found));
        (tested, found)
    };
    if let [file] = files {
        return vec![with(file, &ProgressLine::start())];
    }
    let progress = AtWork::on_each(files.len());
    threads::each(files.iter().collect(), |file| {
        let tested = alone::one_of(files.len(), file, || with(file, &Unwatched))
            .unwrap_or_else(|fault| (Err(vec![*fault]), Vec::new()));
        progress.done();
        tested
    })
}

fn one(file: &str, asked: &Asked, progress: &dyn Progress, findings: &mut Vec<Finding>) -> Tested {
    let (program, found) = program::load_sound(file)?;
    findings.extend(found);
    let given = asked.beside(file)?.of(&program);
    let (mut machine, formals) = given.for_program(&program)?;
    // A program for MPs of another width is run with that width.
    let width = width_of(&program, &machine, &given.parameters);
    let is_run = !program.ensures.is_empty();
    let cores_per_mp = (is_run && width != machine.atgpu.cores_per_mp).then_some(width);
    machine.atgpu.cores_per_mp = width;
    let mut derivation = derive_to_judge(&program, &given.parameters);
    findings.extend(Finding::all(&program.source, derivation.mismatches()));
    let tested = ensures(&program, (&machine, &formals), &mut derivation, progress)
        .map_err(|faults| Finding::all(&program.source, faults))?;
    let is_wrong = |claim: &DerivedClaim| matches!(claim.verdict, Verdict::Refuted(_));
    if derivation.claims.iter().any(is_wrong) {
        // A wrong class is reported beside the right one, so classes are derived only then.
        derivation.classes = derive(&program, &given.parameters).classes;
    }
    let refuted = claims::refuted(&program, &derivation);
    findings.extend(Finding::all(&program.source, refuted));
    let mut lines = claim_lines(&derivation);
    findings.extend(Finding::all(&program.source, tested.faults));
    lines.extend(tested.lines);
    lines.sort_by_key(|line| line.line);
    Ok(ProgramReport {
        file: file.to_owned(),
        algorithm: program.name.clone(),
        cores_per_mp,
        lines,
        fault: tested.fault,
        left_out: tested.left_out,
    })
}

/// The cores per MP for a program's runs: the machine's, or a width that its `require`s admit together with
/// some size.
fn width_of(program: &Program, machine: &Machine, given: &Parameters) -> i64 {
    let own = machine.atgpu.cores_per_mp;
    let first = widths(program, given, &[own]);
    let others = match given.get("b") {
        Some(_) => &[][..],
        None => &OTHER_WIDTHS,
    };
    let admits = |width: &&i64| {
        let machine = Atgpu {
            cores_per_mp: **width,
            ..machine.atgpu
        };
        !admissible_points(program, machine.numbers(), given, 1).is_empty()
    };
    let admitted = first.iter().chain(others).find(admits);
    admitted.or(first.first()).copied().unwrap_or(own)
}

fn claim_lines(derivation: &Derivation) -> Vec<TestLine> {
    let claims = derivation.claims.iter();
    let lines = claims.map(|claim| TestLine {
        keyword: "claim",
        text: claim.text.clone(),
        line: claim.line,
        outcome: match &claim.verdict {
            Verdict::Proved => Outcome::Proved,
            Verdict::Tested(points) => Outcome::Holds { points: *points },
            Verdict::Refuted(refutation) => Outcome::Fails(Failure::Claim(refutation.clone())),
            Verdict::Open(why) => Outcome::Open(Undecided::Claim(why.clone())),
        },
    });
    lines.collect()
}

struct Ensures {
    lines: Vec<TestLine>,
    /// The fault that ended the runs early.
    fault: Option<RunFault>,
    /// The admitted points that could not be run.
    left_out: Option<LeftOut>,
    faults: Vec<Diagnostic>,
}

/// Runs the program at its points. An `ensure` is refuted by its first failure, and a fault ends all runs.
/// Claims that depend on data are compared with the counts of the runs.
fn ensures(
    program: &Program,
    (machine, formals): (&Machine, &Parameters),
    derivation: &mut Derivation,
    progress: &dyn Progress,
) -> Result<Ensures, Vec<Diagnostic>> {
    let is_given = is_complete(program, formals);
    let Points {
        points,
        mut left_out,
    } = points(program, machine, formals)?;
    let mut outcomes = vec![Outcome::Holds { points: 0 }; program.ensures.len()];
    // A test without a run would test nothing, so it is a fault.
    let mut faults: Vec<Diagnostic> = match (points.is_empty(), &left_out) {
        (false, _) => Vec::new(),
        (true, Some(left_out)) => vec![placed(left_out.fault.clone(), &left_out.at)],
        (true, None) => vec![Point::none_admitted(program)],
    };
    // At chosen sizes the default memory limit is enough.
    let memory = is_given.then(files::memory_of_a_run);
    let unbounded = unbounded_loops(program).into_iter().next();
    let unbounded = unbounded.filter(|_| !is_given);
    let mut held = verify::Held::new(program, derivation);
    let mut stopped_by = None;
    let mut too_long = None;
    let mut work = 0;
    let mut tested = 0;
    let is_enough = |tested, work| tested >= ENOUGH.0 && work > ENOUGH.1;
    'runs: for together in points.chunks(threads::at_once()) {
        if is_enough(tested, work) {
            break;
        }
        let is_endless = |point| (!is_given).then(|| endless(derivation, point)).flatten();
        let begun: Vec<_> = together
            .iter()
            .map(|point| (point, is_endless(point)))
            .collect();
        let run = |(point, operations)| match operations {
            Some(operations) => (point, Ran::TooLong(operations)),
            None => {
                let standstill = Standstill::new(progress, unbounded.is_some());
                let ran = run(program, point, (together.len(), memory), &standstill);
                if standstill.is_reached() {
                    (point, Ran::Endless)
                } else {
                    (point, ran)
                }
            }
        };
        for (point, ran) in threads::each(begun, run) {
            if is_enough(tested, work) {
                break 'runs;
            }
            if let Ran::Faulted(found) = &ran
                && !is_given
                && let Some(fault) = refused(found)
            {
                let not_run = NotRun::at(program, fault, point.values());
                left_out.get_or_insert(not_run).add(point.values());
                continue;
            }
            tested += usize::from(!matches!(ran, Ran::Endless));
            let outcome = match ran {
                Ran::TooLong(operations) => {
                    let at = point.values();
                    too_long = Some(Undecided::TooLong { operations, at });
                    break 'runs;
                }
                Ran::Endless => {
                    let fault = unbounded.clone().expect("no other run is given up");
                    left_out
                        .get_or_insert(NotRun::at(program, &fault, point.values()))
                        .add(point.values());
                    // If no other point ran, it is reported as left out below.
                    if tested > 0 {
                        faults.push(placed(fault, &point.values()));
                    }
                    break 'runs;
                }
                Ran::Done(outcome) => *outcome,
                Ran::Faulted(found) => {
                    let found = program::of_the_model_first(found, program, formals, machine);
                    let at = point.values();
                    stopped_by = found.first().map(|fault| run_fault(program, fault, &at));
                    faults.extend(found.into_iter().map(|fault| placed(fault, &at)));
                    break 'runs;
                }
            };
            work += outcome.lane_operations + u128::from(outcome.quantified);
            for (state, result) in outcomes.iter_mut().zip(&outcome.ensures) {
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
                let is_new = faults
                    .iter()
                    .all(|known| known.primary() != fault.primary());
                if is_new {
                    faults.push(placed(fault, &point.values()));
                }
            }
            hold_against_run(program, derivation, point, &outcome.counts);
            let verdict = held.against(point, &outcome.counts);
            let mismatches = verdict.diagnostics();
            if !mismatches.is_empty() {
                let at = point.values();
                stopped_by = Some(run_fault(program, &mismatches[0], &at));
                faults.extend(mismatches.into_iter().map(|fault| placed(fault, &at)));
                break 'runs;
            }
        }
    }
    if let Some(left_out) = left_out
        .as_ref()
        .filter(|_| tested == 0 && !points.is_empty())
    {
        faults.push(placed(left_out.fault.clone(), &left_out.at));
    }
    let not_run = match (&stopped_by, too_long) {
        (Some(RunFault { code, .. }), _) => Undecided::Fault(code),
        (None, Some(too_long)) => too_long,
        (None, None) => Undecided::NoPoint,
    };
    let lines = program
        .ensures
        .iter()
        .zip(outcomes)
        .map(|(ensure, outcome)| TestLine {
            keyword: "ensure",
            text: program.clause(ensure.span).to_owned(),
            line: program.line(ensure.span),
            outcome: match outcome {
                Outcome::Holds { points: 0 } => Outcome::Open(not_run.clone()),
                other => other,
            },
        });
    Ok(Ensures {
        lines: lines.collect(),
        fault: stopped_by,
        left_out: left_out.map(|found| found.report),
        faults,
    })
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
fn endless(derivation: &Derivation, point: &Point) -> Option<f64> {
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

/// Returns true if every formal has a value.
fn is_complete(program: &Program, formals: &Parameters) -> bool {
    let mut names = program.formals.iter();
    names.all(|formal| formals.get(&program.parameter(*formal).name).is_some())
}

/// The points of a program's runs.
struct Points {
    points: Vec<Point>,
    left_out: Option<NotRun>,
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

/// The given point, or the smallest points that the `require`s admit with the given values.
fn points(
    program: &Program,
    machine: &Machine,
    formals: &Parameters,
) -> Result<Points, Vec<Diagnostic>> {
    let numbers = machine.atgpu.numbers();
    if is_complete(program, formals) {
        return Ok(Points {
            points: vec![Point::new(program, numbers, formals)?],
            left_out: None,
        });
    }
    let found = admissible(program, numbers, formals, POINTS);
    if found.points.is_empty() {
        let faults = Point::faults_of_names(program, formals);
        if !faults.is_empty() {
            return Err(faults);
        }
    }
    let points = found
        .points
        .iter()
        .filter_map(|values| Point::new(program, numbers, values).ok());
    let values: Vec<PointValues> = found
        .first_left_out
        .iter()
        .map(|(values, _)| PointValues::of(values, numbers[1]))
        .collect();
    let left_out = found.first_left_out.into_iter().next();
    let left_out = left_out.map(|(_, fault)| {
        let mut not_run = NotRun::at(program, &fault, values[0].clone());
        not_run.report.count = found.left_out;
        not_run.report.first = values;
        not_run
    });
    Ok(Points {
        points: points.collect(),
        left_out,
    })
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
