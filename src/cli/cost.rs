//! `atgpu cost`: numbers at given parameters, without data.

use std::ops::ControlFlow;

use atgpu::check::Program;
use atgpu::cost::Subject;
use atgpu::count::{ArrayBlocks, Charged, Counts, Parameters, Round, Totals, Traffic};
use atgpu::derive::evaluate;
use atgpu::derive::steps::{self, Bounded, CountError, CountOptions, TEN_SECONDS};
use atgpu::derive::{Bound, Derivation};
use atgpu::diag::Diagnostic;
use atgpu::machine::{Machine, Tariff};
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
    let mut models = options::models(&args.model).map_err(bare)?;
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
    let tariff = options::tariff(&mut models, &args.model, &machine).map_err(bare)?;
    let numbers = numbers(args, &program, &point).map_err(within)?;
    let charges = tariff.and_then(|tariff| charges(&program, &point, &machine, &tariff));
    let subject = Subject {
        counts: &numbers.counts,
        charges: charges.as_ref().map(|(charged, _)| charged),
        derivation: numbers.derivation.as_ref(),
    };
    let mut bounds = numbers.bounds.clone();
    bounds.extend(charges.iter().flat_map(|(_, bounds)| bounds.clone()));
    let estimates = options::estimates(&models, &subject, &machine).map_err(bare)?;
    let report = CountsReport {
        algorithm: &program.name,
        machine: &machine,
        parameters: &point.parameters,
        method: numbers.method,
        counts: &numbers.counts,
        bounds: &bounds,
        charges: subject.charges,
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
    derivation: Option<Derivation>,
}

/// What the machine charges at a point, from closed forms under its b, with the reasons where these
/// are bounds; none where there is not even a bound.
fn charges(
    program: &Program,
    point: &Point,
    machine: &Machine,
    tariff: &Tariff,
) -> Option<(Charged, Vec<Bound>)> {
    let b: Parameters = [("b", machine.atgpu.cores_per_mp)].into_iter().collect();
    let derivation = patience::charged(program, &b, Some(tariff))?;
    let charged = evaluate::charged(program, &derivation, point).ok()?;
    let mut bounds = Vec::new();
    if !charged.is_exact {
        bounds = derivation.bounds;
        bounds.retain(|bound| bound.quantity == "charges");
    }
    Some((charged, bounds))
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
    let evaluated = evaluate::evaluate(program, &derivation, point).ok()?;
    let is_whole = evaluated.omitted == BigInt::ZERO;
    is_whole.then(|| Numbers {
        bounds: bounds_at(&evaluated.counts, derivation.bounds.clone()),
        counts: upper(&evaluated.counts),
        method: Method::Derived,
        derivation: Some(derivation),
    })
}

/// The bounds that matter at a point: none where every number comes out exact.
fn bounds_at(counts: &Counts<Bounded>, bounds: Vec<Bound>) -> Vec<Bound> {
    let totals = counts.totals.named();
    let is_exact = totals.iter().all(|(_, total)| total.is_exact())
        && counts.rounds.iter().all(|(_, round)| {
            round.time.is_exact() && round.io.is_exact() && round.bank_conflicts.is_exact()
        });
    if is_exact { Vec::new() } else { bounds }
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
            counts: upper(&counted.counts),
            bounds: counted.bounds,
            method: Method::Counted,
            derivation: None,
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

/// The upper ends of the counts; rounds that became equal are joined.
fn upper(counts: &Counts<Bounded>) -> Counts<BigInt> {
    let mut rounds: Vec<(u64, Round<BigInt>)> = Vec::new();
    for (repeated, round) in &counts.rounds {
        let round = upper_round(round);
        match rounds.last_mut() {
            Some((before, last)) if *last == round => *before += repeated,
            _ => rounds.push((*repeated, round)),
        }
    }
    let totals = &counts.totals;
    let of = |bounded: &Bounded| bounded.upper.clone();
    Counts {
        rounds,
        totals: Totals {
            rounds: of(&totals.rounds),
            time: of(&totals.time),
            total_time: of(&totals.total_time),
            io: of(&totals.io),
            inward: of(&totals.inward),
            outward: of(&totals.outward),
            transfer: of(&totals.transfer),
            transactions: of(&totals.transactions),
            shared: of(&totals.shared),
            global: of(&totals.global),
            bank_conflicts: of(&totals.bank_conflicts),
        },
    }
}

fn upper_round(round: &Round<Bounded>) -> Round<BigInt> {
    let of = |bounded: &Bounded| bounded.upper.clone();
    let traffic = |traffic: &Traffic<Bounded>| Traffic {
        words: of(&traffic.words),
        transactions: of(&traffic.transactions),
    };
    let blocks = |blocks: &ArrayBlocks<Bounded>| ArrayBlocks {
        read: of(&blocks.read),
        write: of(&blocks.write),
    };
    Round {
        launched_mps: of(&round.launched_mps),
        time: of(&round.time),
        io: of(&round.io),
        inward: traffic(&round.inward),
        outward: traffic(&round.outward),
        shared_words: of(&round.shared_words),
        global_words: of(&round.global_words),
        bank_conflicts: of(&round.bank_conflicts),
        arrays: round
            .arrays
            .iter()
            .map(|(name, array)| (name.clone(), blocks(array)))
            .collect(),
    }
}
