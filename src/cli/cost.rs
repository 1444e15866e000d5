//! `atgpu cost`: numbers at given parameters, without data.

use std::ops::ControlFlow;

use atgpu::check::Program;
use atgpu::count::Parameters;
use atgpu::derive::numbers::{Numbers, numbers};
use atgpu::derive::steps::{CountOptions, TEN_SECONDS};
use atgpu::diag::Diagnostic;
use atgpu::report::counts::CountsReport;
use atgpu::report::{json, text};
use atgpu::value::Point;
use atgpu::vet::vet;

use crate::cli::args::{BankConflicts, CostArgs, Format};
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
    let numbers = count(args, &program, &point).map_err(|fault| within(vec![fault]))?;
    let estimates = options::estimates(&models, &numbers.counts, &machine).map_err(bare)?;
    let report = CountsReport {
        algorithm: &program.name,
        machine: &machine,
        parameters: &point.parameters,
        method: numbers.method.into(),
        counts: &numbers.counts,
        bounds: &numbers.bounds,
        estimates: &estimates,
    };
    Ok(match args.format {
        Format::Json => Body::Json(Some(json::counts(&report))),
        Format::Text => Body::Text(text::counts(&report)),
    })
}

/// The numbers, telling how far it is.
fn count(args: &CostArgs, program: &Program, point: &Point) -> Result<Numbers, Diagnostic> {
    let charge_conflicts = args.bank_conflicts == BankConflicts::Charge;
    // Charged conflicts are no part of the closed forms.
    let wants_forms = !args.count && !charge_conflicts;
    let derivation = wants_forms
        .then(|| patience::derivation(program, &Parameters::new()))
        .flatten();
    let options = CountOptions {
        charge_conflicts,
        work_limit: (!args.count).then_some(TEN_SECONDS),
    };
    let progress = ProgressLine::start();
    let tell = |work: u64| {
        progress.tell(|| format!("counting: {} million core-steps", work / 1_000_000));
        ControlFlow::Continue(())
    };
    numbers(program, derivation.as_ref(), point, &options, &tell).map_err(Diagnostic::from)
}
