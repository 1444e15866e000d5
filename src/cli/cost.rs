//! `atgpu cost`: numbers at given parameters, without data.

use std::ops::ControlFlow;

use atgpu::check::Program;
use atgpu::count::{Counts, Parameters};
use atgpu::derive::Bound;
use atgpu::derive::evaluate::evaluate;
use atgpu::derive::steps::{self, Bounded, CountError, CountOptions, TEN_SECONDS};
use atgpu::diag::Diagnostic;
use atgpu::number::BigInt;
use atgpu::report::counts::{CountsReport, Method};
use atgpu::report::{json, text};
use atgpu::value::Point;
use atgpu::vet::vet;

use crate::cli::args::{BankConflicts, CostArgs, Format};
use crate::cli::error::CountingError;
use crate::cli::options::{self, Given};
use crate::cli::patience;
use crate::cli::program;
use crate::cli::progress::ProgressLine;
use crate::cli::reply::{Body, Finding, Reply};

/// Costs a program.
pub fn cost(args: &CostArgs) -> Reply {
    let mut findings = Vec::new();
    let as_json = args.format == Format::Json;
    match estimate(args, &mut findings) {
        Ok(body) => Reply::with(body, findings),
        Err(faults) => {
            findings.extend(faults);
            Reply::faults(findings, as_json)
        }
    }
}

fn estimate(args: &CostArgs, findings: &mut Vec<Finding>) -> Result<Body, Vec<Finding>> {
    let bare = |fault: Diagnostic| vec![Finding::bare(fault)];
    let given = Given::read(&args.options)?;
    let models = options::models(&args.model).map_err(bare)?;
    let (program, found) = program::load_sound(&args.file)?;
    findings.extend(found);
    let within = |faults: Vec<Diagnostic>| Finding::all(&program.source, faults);
    let (machine, formals) = given.for_program(&program)?;
    let point = Point::new(&program, machine.atgpu.numbers(), &formals).map_err(within)?;
    let mut faults = vet(&program, &formals, &machine);
    faults.retain(Diagnostic::is_error);
    if !faults.is_empty() {
        return Err(within(faults));
    }
    let numbers = numbers(args, &program, &point).map_err(within)?;
    let estimates = options::estimates(&models, &numbers.counts, &machine).map_err(bare)?;
    let report = CountsReport {
        algorithm: &program.name,
        machine: &machine,
        parameters: &point.parameters,
        method: numbers.method,
        counts: &numbers.counts,
        bounds: &numbers.bounds,
        estimates: &estimates,
    };
    Ok(match args.format {
        Format::Json => Body::Json(Some(json::counts(&report))),
        Format::Text => Body::Text(text::counts(&report)),
    })
}

/// Counts at a point, upper bounds where `bounds` says so.
struct Numbers {
    counts: Counts<BigInt>,
    bounds: Vec<Bound>,
    method: Method,
}

/// From the closed forms where they are exact; else by counting; else, where that takes too long,
/// from the bounds that were derived.
fn numbers(args: &CostArgs, program: &Program, point: &Point) -> Result<Numbers, Vec<Diagnostic>> {
    let charge_conflicts = args.bank_conflicts == BankConflicts::Charge;
    // Charged conflicts are no part of the closed forms.
    let derived = (!args.count && !charge_conflicts).then(|| from_forms(program, point));
    let derived = match derived.flatten() {
        Some(exact) if exact.bounds.is_empty() => return Ok(exact),
        other => other,
    };
    let options = CountOptions {
        charge_conflicts,
        work_limit: (!args.count).then_some(TEN_SECONDS),
    };
    match (by_counting(program, point, &options), derived) {
        (Err(Stopped::TooLong(_)), Some(bounds)) => Ok(bounds),
        (Ok(counted), _) => Ok(counted),
        (Err(Stopped::TooLong(fault) | Stopped::Fault(fault)), _) => Err(fault),
    }
}

/// The derivation in numbers; none where it has none, or not all rounds of the many there are.
fn from_forms(program: &Program, point: &Point) -> Option<Numbers> {
    let derivation = patience::derivation(program, &Parameters::new())?;
    let evaluated = evaluate(program, &derivation, point).ok()?;
    let is_whole = evaluated.omitted == BigInt::ZERO;
    is_whole.then(|| Numbers {
        bounds: bounds_at(&evaluated.counts, derivation.bounds),
        counts: evaluated.counts.upper(),
        method: Method::Derived,
    })
}

/// The bounds that matter at a point: none where every number comes out exact.
fn bounds_at(counts: &Counts<Bounded>, bounds: Vec<Bound>) -> Vec<Bound> {
    if counts.is_exact() { Vec::new() } else { bounds }
}

enum Stopped {
    /// Over ten seconds.
    TooLong(Vec<Diagnostic>),
    Fault(Vec<Diagnostic>),
}

/// Counts without data, telling how far it is.
fn by_counting(
    program: &Program,
    point: &Point,
    options: &CountOptions,
) -> Result<Numbers, Stopped> {
    let progress = ProgressLine::start();
    let tell = |work: u64| {
        progress.tell(|| format!("counting: {} million core-steps", work / 1_000_000));
        ControlFlow::Continue(())
    };
    let fault = |error: &dyn miette::Diagnostic| vec![Diagnostic::of(error)];
    match steps::count(program, point, options, &tell) {
        Ok(counted) if counted.faults.is_empty() => Ok(Numbers {
            counts: counted.counts.upper(),
            bounds: counted.bounds,
            method: Method::Counted,
        }),
        Ok(counted) => Err(Stopped::Fault(counted.faults)),
        Err(CountError::Fault(found)) => Err(Stopped::Fault(vec![found])),
        Err(CountError::TooLong(work)) => Err(Stopped::TooLong(fault(&CountingError::TooLong {
            millions: work / 1_000_000,
        }))),
        Err(CountError::Interrupted) => Err(Stopped::Fault(fault(&CountingError::Interrupted))),
        Err(CountError::TooLarge(span)) => {
            Err(Stopped::Fault(fault(&CountingError::TooLarge { span })))
        }
    }
}
