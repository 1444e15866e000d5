//! `atgpu overlap`: transfers beside kernels (papers 3 and 5), and the best way to move the data.

use atgpu::cost::overlap::cut::{Cut, resident};
use atgpu::cost::overlap::plan::{Bytes, Plan};
use atgpu::cost::{Model, Subject};
use atgpu::derivation::Derivation;
use atgpu::derive::numbers::Numbers;
use atgpu::diag::{Context, Diagnostic, Severity};
use atgpu::interval::{CountOptions, TEN_SECONDS};
use atgpu::lint;
use atgpu::machine::{Machine, MissingFigure};
use atgpu::report::overlap::{OverlapReport, json, text};

use crate::cli::args::{Format, OverlapArgs};
use crate::cli::cost::{charges_in_passing, count};
use crate::cli::error::UsageError;
use crate::cli::options::{self, Given};
use crate::cli::program;
use crate::cli::remedy::Remedy;
use crate::cli::reply::{Body, Finding, Reply};

/// The model of kernels where none is named, as in the first line of `cost`.
const KERNELS: &str = "roofline";

/// Plans the transfers of a program.
pub fn overlap(args: &OverlapArgs) -> Reply {
    let mut findings = Vec::new();
    let answer = plan(args, &mut findings);
    Reply::of(answer, findings, args.format == Format::Json)
}

fn plan(args: &OverlapArgs, findings: &mut Vec<Finding>) -> Result<Body, Vec<Finding>> {
    let bare = |fault: Diagnostic| vec![Finding::bare(fault)];
    let given = Given::read(&args.options, std::slice::from_ref(&args.file))?;
    let given_ms = args.kernel_ms.map(known_ms).transpose().map_err(bare)?;
    let named: Vec<String> = args.model.iter().cloned().collect();
    let models = options::models(&named).map_err(bare)?;
    let (program, found) = program::load_sound(&args.file)?;
    findings.extend(found);
    let (program, there) = resident(&program, &args.resident).map_err(|name| {
        bare(Diagnostic::of(&UsageError::Name {
            option: "--resident",
            name,
            problem: "nothing of this name goes to the device",
            remedy: Remedy::Resident,
        }))
    })?;
    let within = |faults: Vec<Diagnostic>| Finding::all(program.source(), faults);
    let (machine, point) = given.of(&program).sound_point(&program)?;
    findings.extend(machine.beyond_memory().map(Finding::bare));
    let cycle_rules = match given_ms {
        Some(_) => None,
        None => options::cycle_rules(&models, &machine).map_err(bare)?,
    };
    let unasked = options::unasked(KERNELS, &named, &machine);
    let options = CountOptions {
        charge_conflicts: false,
        work_limit: Some(TEN_SECONDS),
        cycle_rules,
    };
    let counted = count(&program, &point, &options);
    let (mut numbers, derivation) = counted.map_err(|fault| within(vec![fault]))?;
    let exceeded = lint::exceeded(&program, &machine, &numbers);
    if !exceeded.is_empty() {
        return Err(within(exceeded));
    }
    let kernel = match given_ms {
        Some(ms) => KernelTime {
            ms,
            model: None,
            is_exact: true,
        },
        None => {
            if unasked.is_some() {
                numbers.charges = charges_in_passing(&program, &point, &machine);
            }
            let unasked = unasked.filter(|_| numbers.charges.is_some());
            let model =
                unasked.unwrap_or(*models.first().expect("one was named, or is by default"));
            let time = KernelTime::by(model, &numbers, derivation.as_ref(), &machine);
            time.map_err(bare)?
        }
    };
    let bytes_of = |counts| Bytes::of(counts, &machine).beside(counts, &machine, &there);
    let bytes = bytes_of(&numbers.counts);
    let least = numbers.least.as_ref();
    let least = least.map(bytes_of);
    let agree = |of: fn(&Bytes) -> [f64; 2]| least.is_none_or(|least| of(&least) == of(&bytes));
    let has_exact_copies = agree(|bytes| [bytes.inward, bytes.outward]);
    let has_exact_accesses = agree(|bytes| [bytes.read, bytes.written]);
    let has_exact_operations = agree(|bytes| [bytes.operations, 0.0]);
    let cut = Cut::of(&program, &point);
    let chunks = if !cut.is_possible() {
        None
    } else if cut.whole.is_empty() {
        Some(bytes)
    } else {
        let options = CountOptions {
            cycle_rules: None,
            ..options
        };
        let counted = count(&cut.chunks(&program), &point, &options);
        let (numbers, _) = counted.map_err(|fault| within(vec![fault]))?;
        Some(bytes_of(&numbers.counts))
    };
    let plan = Plan::in_chunks(bytes, chunks, kernel.ms, &machine, args.streams);
    let plan = plan.map_err(|missing| bare(Diagnostic::of(&missing)))?;
    findings.extend(plan.missing_peak.as_ref().map(left_out));
    let report = OverlapReport {
        algorithm: program.name(),
        machine: &machine,
        parameters: &point.parameters,
        model: kernel.model,
        has_exact_kernel: kernel.is_exact,
        has_exact_copies,
        has_exact_accesses,
        has_exact_operations,
        resident: &args.resident,
        cut: &cut,
        plan: &plan,
    };
    Ok(match args.format {
        Format::Json => Body::Json(Some(json(&report))),
        Format::Text => Body::Text(text(&report)),
    })
}

/// The time of all kernels, which streams may hide.
struct KernelTime {
    ms: f64,
    /// The model that it comes from; `None` if it was given.
    model: Option<&'static str>,
    is_exact: bool,
}

impl KernelTime {
    /// Takes the time from a model. It is exact if the lower counts give the same time, with the same
    /// number of rounds.
    fn by(
        model: &dyn Model,
        numbers: &Numbers,
        derivation: Option<&Derivation>,
        machine: &Machine,
    ) -> Result<Self, Diagnostic> {
        let charges = numbers.charges.as_ref();
        let subject = Subject::of(&numbers.counts)
            .with_charges(charges)
            .with_derivation(derivation);
        let time_of = |subject: &Subject<'_>| {
            let time = model.kernel_time(subject, machine);
            time.map_err(|missing| Diagnostic::of(&missing))
        };
        let time = time_of(&subject)?;
        let mut is_exact = charges.is_none_or(|charged| charged.is_exact);
        if let Some(counts) = &numbers.least {
            let mut at_least = subject;
            at_least.counts = counts;
            let least = time_of(&at_least)?;
            is_exact &= counts.totals.rounds == numbers.counts.totals.rounds;
            is_exact &= least == time;
        }
        let Some(time) = time else {
            return Err(Diagnostic::of(&UsageError::Name {
                option: "--model",
                name: model.name().to_owned(),
                problem: "it has no kernel time",
                remedy: Remedy::KernelTime,
            }));
        };
        Ok(KernelTime {
            ms: time.to_f64(),
            model: Some(model.name()),
            is_exact,
        })
    }
}

/// A note that there are no rooflines, and why.
fn left_out(missing: &MissingFigure) -> Finding {
    let mut why = Diagnostic::of(missing).with_severity(Severity::Note);
    why.message = why.message.within(Context::Models {
        names: vec!["rooflines at the card's peaks"],
    });
    Finding::bare(why)
}

fn known_ms(given: f64) -> Result<f64, Diagnostic> {
    if given.is_finite() && given >= 0.0 {
        return Ok(given);
    }
    Err(Diagnostic::of(&UsageError::Name {
        option: "--kernel-ms",
        name: given.to_string(),
        problem: "no time in milliseconds",
        remedy: Remedy::Milliseconds,
    }))
}
