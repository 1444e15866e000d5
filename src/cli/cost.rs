//! `atgpu cost`: numbers at given parameters, without data.

use std::ops::ControlFlow;

use atgpu::cost::{Exact, FIRST, Model, Subject};
use atgpu::count::{Charged, Parameters};
use atgpu::derivation::{Derivation, evaluate};
use atgpu::derive::numbers::{Known, Numbers, brief_charges, completed};
use atgpu::derive::{derive, derive_charged};
use atgpu::diag::Diagnostic;
use atgpu::interval::{CountOptions, TEN_SECONDS};
use atgpu::lint;
use atgpu::machine::Machine;
use atgpu::meaning::Point;
use atgpu::program::Program;
use atgpu::report::counts::{self, CountsReport};

use crate::cli::args::{BankConflicts, CostArgs, Format};
use crate::cli::options::{self, Given};
use crate::cli::program;
use crate::cli::progress::ProgressLine;
use crate::cli::reply::{Body, Finding, Reply};

/// Costs a program.
pub fn cost(args: &CostArgs) -> Reply {
    let mut findings = Vec::new();
    let as_json = args.format == Format::Json;
    let mut aside = String::new();
    let answer = estimate(args, &mut findings, &mut aside);
    Reply {
        aside,
        ..Reply::of(answer, findings, as_json)
    }
}

fn estimate(
    args: &CostArgs,
    findings: &mut Vec<Finding>,
    aside: &mut String,
) -> Result<Body, Vec<Finding>> {
    let bare = |fault: Diagnostic| vec![Finding::bare(fault)];
    let given = Given::read(&args.options, std::slice::from_ref(&args.file))?;
    let named = given.models(&args.model);
    let mut models = options::models(named).map_err(bare)?;
    let (program, found) = program::load_sound(&args.file)?;
    findings.extend(found);
    let program = program.assuming_contention(args.contention);
    let within = |faults: Vec<Diagnostic>| Finding::all(program.source(), faults);
    let of_program = given.of(&program);
    let (machine, point) = of_program.sound_point(&program)?;
    let silent = options::keep_estimable(&mut models, named, &machine);
    findings.extend(silent.into_iter().map(Finding::bare));
    let first = options::unasked(FIRST, named, &machine);
    let asked = models.iter().chain(&first);
    if asked
        .into_iter()
        .any(|model| ["roofline", FIRST].contains(&model.name()))
    {
        findings.extend(within(lint::warps_in_step(&program, &machine)));
    }
    let options = count_options(args, (&models, first), &machine).map_err(bare)?;
    let counted = count(&program, &point, &options);
    let (numbers, derivation) = counted.map_err(|fault| within(vec![fault]))?;
    let exceeded = lint::exceeded(&program, &machine, &numbers);
    if !exceeded.is_empty() {
        return Err(within(exceeded));
    }
    let (_, formals) = of_program.for_program(&program)?;
    // A cost holds for one b.
    let width: Parameters = [("b", machine.atgpu.cores_per_mp)].into_iter().collect();
    let facts = width.with(of_program.facts(&formals));
    *aside = program::unsafe_line(&program, &facts, &machine);
    let shows_charges = first.is_some() || machine.has_rules();
    let passing = match (&options.cycle_rules, &derivation) {
        (None, Some(_)) if shows_charges => charges_in_passing(&program, &point, &machine),
        _ => None,
    };
    let subject = Subject::of(&numbers.counts)
        .with_charges(numbers.charges.as_ref().or(passing.as_ref()))
        .with_derivation(derivation.as_ref());
    let mut bounds = numbers.bounds.clone();
    bounds.extend(numbers.charge_bounds.clone());
    let mut estimates = options::estimates(&models, &subject, &machine).map_err(bare)?;
    // It goes without saying where the charges have no bound.
    if let Some(model) = first
        && let Ok(estimate) = model.estimate(&subject, &machine)
    {
        models.insert(0, model);
        estimates.insert(0, (model.name(), estimate));
    }
    let judged = models
        .iter()
        .copied()
        .zip(estimates.iter().map(|(_, estimate)| estimate));
    let exact = Exact::of(&subject, numbers.least.as_ref(), judged, &machine);
    let report = CountsReport {
        algorithm: program.name(),
        machine: &machine,
        parameters: &point.parameters,
        method: numbers.method.into(),
        contention: program.assumed_contention(),
        counts: &numbers.counts,
        bounds: &bounds,
        charges: subject.charges,
        estimates: &estimates,
        exact: &exact,
    };
    Ok(match args.format {
        Format::Json => Body::Json(Some(counts::json(&report))),
        Format::Text => Body::Text(counts::text(&report)),
    })
}

/// The settings of the count, for these models and the one of the first line.
fn count_options(
    args: &CostArgs,
    (models, first): (&[&'static dyn Model], Option<&'static dyn Model>),
    machine: &Machine,
) -> Result<CountOptions, Diagnostic> {
    let mut cycle_rules = options::cycle_rules(models, machine)?;
    let charge_conflicts = args.bank_conflicts == BankConflicts::Charge;
    // The conflicts to be charged are those of the card's warps. Without closed forms, the charges of the first line
    // are counted with the rest.
    let charges_warps = charge_conflicts && machine.warps().is_some();
    if charges_warps || first.is_some() && (args.count || charge_conflicts) {
        cycle_rules.get_or_insert_with(|| machine.rules());
    }
    Ok(CountOptions {
        charge_conflicts,
        work_limit: (!args.count).then_some(TEN_SECONDS),
        cycle_rules,
    })
}

/// Returns the charges by a machine's own weights or rules, with little work: they are shown although no model was
/// asked for that needs them.
pub fn charges_in_passing(program: &Program, point: &Point, machine: &Machine) -> Option<Charged> {
    let cycle_rules = machine.rules();
    // A brief count takes less than a second derivation, and is exact where it ends and no data decide.
    let counted = brief_charges(program, None, point, &cycle_rules);
    if counted.as_ref().is_some_and(|charged| charged.is_exact) {
        return counted;
    }
    let b: Parameters = [("b", machine.atgpu.cores_per_mp)].into_iter().collect();
    let charged = derive_charged(program, &b, Some(&cycle_rules));
    brief_charges(program, Some(&charged), point, &cycle_rules)
}

/// Counts a program, with a progress line. Also returns the derivation, if one was made.
pub fn count(
    program: &Program,
    point: &Point,
    options: &CountOptions,
) -> Result<(Numbers, Option<Derivation>), Diagnostic> {
    // Closed forms contain no charges for conflicts.
    let wants_forms = options.work_limit.is_some() && !options.charge_conflicts;
    let derivation = wants_forms.then(|| derive(program, &Parameters::new()));
    let known = derivation
        .as_ref()
        .map(|derivation| Known::of(program, derivation, point));
    let mut known = known.unwrap_or_default();
    if let Some(cycle_rules) = options.cycle_rules.as_ref().filter(|_| wants_forms) {
        // The rules of half-warps need the number of cores.
        let b: Parameters = [("b", point.cores().clone())].into_iter().collect();
        let charged = derive_charged(program, &b, Some(cycle_rules));
        let charges = evaluate::charged(program, &charged, point).ok();
        known = known.with_charges(&charged, charges);
    }
    let progress = ProgressLine::start();
    let tell = |work: u64| {
        progress.tell(|| format!("counting: {} million core-steps", work / 1_000_000));
        ControlFlow::Continue(())
    };
    let numbers = completed(program, known, point, options, &tell);
    Ok((numbers.map_err(Diagnostic::from)?, derivation))
}
