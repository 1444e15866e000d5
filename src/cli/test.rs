//! `atgpu test`: every claim and every ensure of programs, a line each and a summary.
//!
//! Claims are judged by the derivation: proved, refuted, or tested at points counted without data.
//! Ensures are tested by running on random data (seed 0), which compares the derivation with the
//! execution as well.

use atgpu::count::{Parameters, Quantity};
use atgpu::derivation::Derivation;
use atgpu::derivation::Verdict;
use atgpu::derive::{derive, hold_against_run};
use atgpu::diag::{Context, Diagnostic};
use atgpu::exec::{Execution, Options};
use atgpu::machine::Machine;
use atgpu::meaning::{Point, PointValues, admissible_points};
use atgpu::number::{BigInt, Rational};
use atgpu::program::Program;
use atgpu::report::derivation::claims;
use atgpu::report::test_run;
use atgpu::report::test_run::{Failure, Outcome, ProgramReport, RunFault, TestLine, Undecided};
use atgpu::verify;

use crate::cli::args::{Format, TestArgs};
use crate::cli::options::Given;
use crate::cli::program;
use crate::cli::progress::ProgressLine;
use crate::cli::reply::{Body, Finding, Reply};

/// Points at which ensures are tested where none is given.
const POINTS: usize = 200;

/// Points after which a program whose runs are long has had its share, and how much work that is: operations
/// of all cores, and values of its `ensure`s' quantifiers. The report says how many points were run.
const ENOUGH: (usize, u128) = (5, 1_000_000_000);

/// Points of our own choice at which one MP takes more operations than this are not run, nor any
/// larger ones.
const MOST_OPERATIONS: u64 = 1_000_000_000;

/// Tests programs.
pub fn test(args: &TestArgs) -> Reply {
    let as_json = args.format == Format::Json;
    let given = match Given::read(&args.options) {
        Ok(given) => given,
        Err(faults) => return Reply::faults(faults, as_json),
    };
    let here = [".".to_owned()];
    let paths = match args.paths.is_empty() {
        true => &here[..],
        false => &args.paths,
    };
    let files = match program::meant(paths) {
        Ok(files) => files,
        Err(fault) => return Reply::faults(vec![Finding::bare(fault)], as_json),
    };
    let mut findings = Vec::new();
    let mut reports = Vec::new();
    for file in &files {
        match one(file, &given, &mut findings) {
            Ok(report) => reports.push(report),
            Err(faults) => findings.extend(faults),
        }
    }
    let body = match args.format {
        Format::Json => Body::Json(Some(test_run::json(&reports))),
        Format::Text => Body::Text(test_run::text(&reports, files.len())),
    };
    Reply {
        several_files: files.len() > 1,
        ..Reply::with(body, findings)
    }
}

fn one(
    file: &str,
    given: &Given,
    findings: &mut Vec<Finding>,
) -> Result<ProgramReport, Vec<Finding>> {
    let (program, found) = program::load_sound(file)?;
    findings.extend(found);
    let (machine, formals) = given.for_program(&program)?;
    let mut derivation = derive(&program, &given.parameters);
    findings.extend(Finding::all(&program.source, derivation.mismatches()));
    let tested = ensures(&program, &machine, &formals, &mut derivation)
        .map_err(|faults| Finding::all(&program.source, faults))?;
    let refuted = claims::refuted(&program, &derivation);
    findings.extend(Finding::all(&program.source, refuted));
    let mut lines = claim_lines(&derivation);
    findings.extend(Finding::all(&program.source, tested.faults));
    lines.extend(tested.lines);
    lines.sort_by_key(|line| line.line);
    Ok(ProgramReport {
        file: file.to_owned(),
        algorithm: program.name.clone(),
        lines,
        fault: tested.fault,
    })
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
    /// What ended the runs early.
    fault: Option<RunFault>,
    faults: Vec<Diagnostic>,
}

/// Runs at the points; each `ensure` fails at its first failure, and the program with it where a
/// run meets a fault. Claims about what data decide are held against what the runs count.
fn ensures(
    program: &Program,
    machine: &Machine,
    formals: &Parameters,
    derivation: &mut Derivation,
) -> Result<Ensures, Vec<Diagnostic>> {
    let is_given = is_complete(program, formals);
    let points = points(program, machine, formals)?;
    let progress = ProgressLine::start();
    let mut outcomes = vec![Outcome::Holds { points: 0 }; program.ensures.len()];
    let mut faults: Vec<Diagnostic> = Vec::new();
    let mut stopped_by = None;
    let mut too_long = None;
    let mut work = 0;
    for (run, point) in points.iter().enumerate() {
        if run >= ENOUGH.0 && work > ENOUGH.1 {
            break;
        }
        if !is_given && let Some(operations) = endless(derivation, point) {
            let at = point.values();
            too_long = Some(Undecided::TooLong { operations, at });
            break;
        }
        let outcome = Execution::prepare(program, point, &Options::default())
            .and_then(|mut execution| execution.run(&progress));
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(found) => {
                let at = point.values();
                stopped_by = found.first().map(|fault| run_fault(program, fault, &at));
                faults.extend(found.into_iter().map(|fault| placed(fault, &at)));
                break;
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
        // One failure of a line is enough: the smallest point shows it best.
        for fault in outcome.diagnostics {
            let is_new = faults
                .iter()
                .all(|known| known.primary() != fault.primary());
            if is_new {
                faults.push(placed(fault, &point.values()));
            }
        }
        hold_against_run(program, derivation, point, &outcome.counts);
        let verdict = verify::verify(program, derivation, point, &outcome.counts);
        let mismatches = verdict.diagnostics();
        if !mismatches.is_empty() {
            let at = point.values();
            stopped_by = Some(run_fault(program, &mismatches[0], &at));
            faults.extend(mismatches.into_iter().map(|fault| placed(fault, &at)));
            break;
        }
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
        faults,
    })
}

/// How many operations the costliest MPs of all rounds take at least, where that is beyond what a
/// test may run; nothing where that is not derived.
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

/// Whether every formal has a value.
fn is_complete(program: &Program, formals: &Parameters) -> bool {
    let mut names = program.formals.iter();
    names.all(|formal| formals.get(&program.parameter(*formal).name).is_some())
}

/// The point given, or the smallest that the `require`s admit with what is given.
fn points(
    program: &Program,
    machine: &Machine,
    formals: &Parameters,
) -> Result<Vec<Point>, Vec<Diagnostic>> {
    let numbers = machine.atgpu.numbers();
    if is_complete(program, formals) {
        return Ok(vec![Point::new(program, numbers, formals)?]);
    }
    let choices = admissible_points(program, numbers, formals, POINTS);
    if choices.is_empty() {
        let faults = Point::faults_of_names(program, formals);
        if !faults.is_empty() {
            return Err(faults);
        }
    }
    let points = choices
        .iter()
        .filter_map(|values| Point::new(program, numbers, values).ok());
    Ok(points.collect())
}

fn run_fault(program: &Program, fault: &Diagnostic, at: &PointValues) -> RunFault {
    RunFault {
        code: fault.code.short_name(),
        line: fault.primary().map_or(0, |label| program.line(label.span)),
        at: at.clone(),
    }
}

/// A fault with the parameters that led to it.
fn placed(mut fault: Diagnostic, at: &PointValues) -> Diagnostic {
    let at = at.to_string();
    fault.message = std::mem::take(&mut fault.message).within(Context::Run { at });
    fault
}
