//! `atgpu cost`: numbers at given parameters, without data.

use std::ops::ControlFlow;

use atgpu::check::Program;
use atgpu::count::{ArrayBlocks, Counts, Round, Totals, Traffic};
use atgpu::derive::steps::{self, Bounded, CountError, CountOptions, Counted, TEN_SECONDS};
use atgpu::diag::Diagnostic;
use atgpu::number::BigInt;
use atgpu::report::counts::{CountsReport, Method};
use atgpu::report::{json, text};
use atgpu::value::Point;

use crate::cli::args::{BankConflicts, CostArgs, Format};
use crate::cli::error::CountingError;
use crate::cli::options::{self, Given};
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

    let options = CountOptions {
        charge_conflicts: args.bank_conflicts == BankConflicts::Charge,
        work_limit: (!args.count).then_some(TEN_SECONDS),
    };
    let counted = count(&program, &point, &options).map_err(|fault| within(vec![fault]))?;
    if !counted.faults.is_empty() {
        return Err(within(counted.faults));
    }
    let counts = upper(&counted.counts);
    let estimates = options::estimates(&models, &counts, &machine).map_err(bare)?;
    let report = CountsReport {
        algorithm: &program.name,
        machine: &machine,
        parameters: &point.parameters,
        method: Method::Counted,
        counts: &counts,
        bounds: &counted.bounds,
        estimates: &estimates,
    };
    Ok(match args.format {
        Format::Json => Body::Json(Some(json::counts(&report))),
        Format::Text => Body::Text(text::counts(&report)),
    })
}

/// Counts without data, telling how far it is.
pub fn count(
    program: &Program,
    point: &Point,
    options: &CountOptions,
) -> Result<Counted, Diagnostic> {
    let progress = ProgressLine::start();
    let tell = |work: u64| {
        progress.tell(|| format!("counting: {} million core-steps", work / 1_000_000));
        ControlFlow::Continue(())
    };
    steps::count(program, point, options, &tell).map_err(|error| match error {
        CountError::Fault(fault) => fault,
        CountError::TooLong(work) => Diagnostic::of(&CountingError::TooLong {
            millions: work / 1_000_000,
        }),
        CountError::Interrupted => Diagnostic::of(&CountingError::Interrupted),
        CountError::TooLarge(span) => Diagnostic::of(&CountingError::TooLarge { span }),
    })
}

/// The upper ends of the counts; rounds that became equal are joined.
pub fn upper(counts: &Counts<Bounded>) -> Counts<BigInt> {
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
