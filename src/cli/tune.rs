//! `atgpu tune`: the best values of free parameters, and where they change.

use atgpu::cost::Model;
use atgpu::count::Parameters;
use atgpu::diag::Diagnostic;
use atgpu::machine::Machine;
use atgpu::number::Rational;
use atgpu::program::Program;
use atgpu::report::tuning::{Change, TuningReport, json, text};
use atgpu::study::{Axis, Choice, Side, Sweep, Tie, Tuning, duel, tune as best};

use crate::cli::args::{BankConflicts, Format, StudyOptions, TuneArgs};
use crate::cli::error::UsageError;
use crate::cli::progress::ProgressLine;
use crate::cli::reply::{Body, Finding, Reply};
use crate::cli::{options, study};

/// The model that decides, where none is named.
const MODEL: &str = "atgpu";

/// The most changes of the best choice that are compared over all sizes.
const MOST_CHANGES: usize = 6;

/// Tunes a program.
pub fn tune(args: &TuneArgs) -> Reply {
    let mut findings = Vec::new();
    let answer = tuned(args, &mut findings);
    Reply::of(answer, findings, args.format == Format::Json)
}

fn tuned(args: &TuneArgs, findings: &mut Vec<Finding>) -> Result<Body, Vec<Finding>> {
    let bare = |fault: Diagnostic| vec![Finding::bare(fault)];
    let files = std::slice::from_ref(&args.file);
    let (programs, found) = study::load(files)?;
    findings.extend(found);
    // A size with several values is an axis like the parameters that are tuned; it runs slowest.
    let has_values = |given: &&String| given.contains("..") || given.contains(',');
    let (sizes, fixed): (Vec<&String>, Vec<&String>) = args.define.iter().partition(has_values);
    if let [_, second, ..] = sizes.as_slice() {
        let given = (*second).clone();
        return Err(bare(Diagnostic::of(&UsageError::TwoSizes { given })));
    }
    let mut vary: Vec<String> = sizes.into_iter().cloned().collect();
    let size = vary.first().and_then(|given| given.split('=').next());
    let size = size.map(|name| name.trim().to_owned());
    vary.extend(args.over.iter().cloned());
    vet(args, &vary[..vary.len() - args.over.len()], &programs)?;
    let named = args.over.iter().filter_map(|given| given.split('=').next());
    let over: Vec<String> = named.map(|name| name.trim().to_owned()).collect();
    let options = StudyOptions {
        vary,
        define: fixed.into_iter().cloned().collect(),
        machine: args.machine.iter().cloned().collect(),
        model: args.model.iter().cloned().collect(),
        count: false,
        bank_conflicts: args.bank_conflicts,
    };
    let mut together = study::together(&options, files, &programs)?;
    if together.models.is_empty() {
        together.models = vec![MODEL.to_owned()];
    }
    together.models.truncate(1);
    let models = options::models(&together.models).map_err(bare)?;
    let sweep = study::sweep(&options, &together, &programs, &[], findings)?;
    let (Some(program), Some(machine), Some(model)) =
        (programs.first(), together.machines.first(), models.first())
    else {
        return Ok(Body::Nothing);
    };
    let tuning = {
        let progress = ProgressLine::start();
        let all = sweep.points();
        let mut tell = |done| progress.parts(done, all, "choices");
        best(&sweep, &over, size.as_deref(), &mut tell).map_err(Finding::all_bare)?
    };
    findings.extend(study::said_of(&tuning.finished, &programs));
    let charges_conflicts = args.bank_conflicts == BankConflicts::Charge;
    let subject = Subject {
        program,
        machine,
        model: *model,
        given: &together.given,
        over: &over,
        charges_conflicts,
    };
    let changes = match &size {
        Some(size) => subject.changes(size, &tuning)?,
        None => Vec::new(),
    };
    let report = TuningReport {
        algorithm: program.name(),
        machine,
        model: model.name(),
        charges_conflicts,
        over: &over,
        size: size.as_deref(),
        given: &together.given,
        choices: choices(&sweep, size.is_some()),
        tuning: &tuning,
        changes: &changes,
    };
    Ok(match args.format {
        Format::Json => Body::Json(Some(json(&report))),
        Format::Text => Body::Text(text(&report)),
    })
}

/// Refuses values that make no range, and two ranges of one parameter, in the words of this command's options.
fn vet(args: &TuneArgs, sizes: &[String], programs: &[Program]) -> Result<(), Vec<Finding>> {
    let bare = |fault: UsageError| vec![Finding::bare(Diagnostic::of(&fault))];
    let sizes = sizes.iter().map(|given| ("-D", given));
    let over = args.over.iter().map(|given| ("--over", given));
    let mut names: Vec<String> = Vec::new();
    for (option, given) in sizes.chain(over) {
        if Tie::parse(given).is_some() {
            continue;
        }
        let axis = study::axis(given, programs).map_err(|bad| {
            bare(UsageError::BadChoice {
                option,
                given: given.clone(),
                problem: bad.problem,
            })
        })?;
        if names.contains(&axis.name) {
            return Err(bare(UsageError::ChosenTwice { name: axis.name }));
        }
        names.push(axis.name);
    }
    Ok(())
}

/// The number of choices at each size: the first axis is the size, if one varies.
fn choices(sweep: &Sweep<'_>, has_size: bool) -> u64 {
    let axes = sweep.axes().iter().skip(usize::from(has_size));
    axes.map(Axis::len).product()
}

/// A program with what is tuned.
struct Subject<'a> {
    program: &'a Program,
    machine: &'a Machine,
    model: &'static dyn Model,
    given: &'a Parameters,
    over: &'a [String],
    charges_conflicts: bool,
}

impl Subject<'_> {
    /// Compares the best choices of neighbouring sizes where they differ, over all sizes.
    fn changes(&self, size: &str, tuning: &Tuning) -> Result<Vec<Change>, Vec<Finding>> {
        let best = tuning.sizes.iter().filter_map(|tuned| tuned.best.first());
        let best: Vec<&Choice> = best.collect();
        let differ = best
            .windows(2)
            .filter(|pair| pair[0].values != pair[1].values);
        let mut changes = Vec::new();
        for pair in differ.take(MOST_CHANGES) {
            let (from, to) = (pair[0].values.clone(), pair[1].values.clone());
            let sides = [self.side(size, &from)?, self.side(size, &to)?];
            let costs = [&sides[0], &sides[1]].map(|side| side.cost(self.model));
            let outcome = duel([&sides[0], &sides[1]], [&costs[0], &costs[1]]);
            changes.push(Change { from, to, outcome });
        }
        Ok(changes)
    }

    /// The program with the values of a choice.
    fn side(&self, size: &str, values: &[Rational]) -> Result<Side<'_>, Vec<Finding>> {
        let chosen = self.over.iter().zip(values);
        let chosen = chosen.map(|(name, value)| (name.clone(), value.clone()));
        let mut given = self.given.clone();
        chosen.for_each(|(name, value)| given.set(&name, value));
        let (machine, formals) = self
            .machine
            .with_overrides(&given, |name| self.program.has_formal(name))
            .map_err(Finding::all_bare)?;
        let mut ids = self.program.formals().iter();
        let parameter = ids.find(|id| self.program.parameter(**id).name == size);
        Ok(Side::new(
            self.program,
            parameter.copied(),
            formals,
            machine,
            self.charges_conflicts,
        ))
    }
}
