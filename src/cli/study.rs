//! The common start of `sweep` and `plot`: programs, their derivations, machines, models, axes.

use atgpu::cost::Model;
use atgpu::count::{Parameters, Quantity};
use atgpu::derive::derive;
use atgpu::diag::{Context, Diagnostic, Severity};
use atgpu::machine::{Machine, OVERRIDABLE};
use atgpu::number::Rational;
use atgpu::program::Program;
use atgpu::safety::is_proved;
use atgpu::study::{
    Axis, BadAxis, Counting, CutShort, Finished, Prepared, Skipped, Sweep, Tie, is_charge, vet,
};
use atgpu::text::Source;

use crate::cli::args::{BankConflicts, StudyOptions};
use crate::cli::error::UsageError;
use crate::cli::options::{self, Together};
use crate::cli::program;
use crate::cli::reply::Finding;
use crate::cli::threads;

/// Loads programs; at most one from standard input. Programs with equal algorithm names are renamed after
/// their files.
pub fn load(files: &[String]) -> Result<(Vec<Program>, Vec<Finding>), Vec<Finding>> {
    if files.iter().filter(|file| *file == "-").count() > 1 {
        let fault = Diagnostic::of(&UsageError::StandardInputTwice);
        return Err(vec![Finding::bare(fault)]);
    }
    let mut programs = Vec::new();
    let mut findings = Vec::new();
    for file in files {
        match program::load_sound(file) {
            Ok((program, found)) => {
                programs.push(program);
                findings.extend(found);
            }
            Err(faults) => {
                findings.extend(faults);
                return Err(findings);
            }
        }
    }
    program::tell_apart(&mut programs, files);
    Ok((programs, findings))
}

/// The machines, models and values of the command line and of the `atgpu.toml` beside the programs.
pub fn together(
    options: &StudyOptions,
    files: &[String],
    programs: &[Program],
) -> Result<Together, Vec<Finding>> {
    let named = [&options.machine[..], &options.model, &options.define];
    Together::read(named, files, programs, &options.vary)
}

/// Builds the sweep of these options. Its points are checked for faults, as far as this is cheap.
pub fn sweep<'p>(
    options: &StudyOptions,
    together: &Together,
    programs: &'p [Program],
    wanted: &[&str],
    findings: &mut Vec<Finding>,
) -> Result<Sweep<'p>, Vec<Finding>> {
    let bare = |fault: Diagnostic| vec![Finding::bare(fault)];
    let models = options::models(&together.models).map_err(bare)?;
    let machines = &together.machines;
    let (ties, varied): (Vec<_>, Vec<_>) = options
        .vary
        .iter()
        .partition(|given| Tie::parse(given).is_some());
    let ties: Vec<Tie> = ties
        .into_iter()
        .filter_map(|given| Tie::parse(given))
        .collect();
    let varied: Vec<String> = varied.into_iter().cloned().collect();
    let axes = axes(&varied, programs)?;
    let silent = silent(together, &models, programs, &axes, wanted, findings);
    let derived = |program: &'p Program| {
        let derivation = derive(program, &Parameters::new());
        Prepared::new(program, Some(&derivation))
    };
    let judged = |program: &'p Program| threads::both(|| derived(program), || is_proved(program));
    let (subjects, proved): (Vec<_>, Vec<_>) = programs.iter().map(judged).unzip();
    let counting = if options.count {
        Counting::Patiently
    } else {
        Counting::Briefly
    };
    let mut sweep = Sweep::new(
        subjects,
        machines.clone(),
        models,
        axes,
        together.given.clone(),
        counting,
    )
    .map_err(|fault| bare(Diagnostic::of(&fault)))?;
    let tied = sweep.tie(&ties);
    tied.map_err(|fault| bare(Diagnostic::of(&fault)))?;
    if options.bank_conflicts == BankConflicts::Charge {
        sweep.charge_conflicts();
    }
    sweep.leave_out(silent);
    sweep.charge(wanted).map_err(bare)?;
    // A program proved safe for all values needs no check at single points.
    for (number, (program, is_proved)) in programs.iter().zip(proved).enumerate() {
        if !is_proved {
            let vetted = vet(&sweep, number);
            vetted.map_err(|faults| Finding::all(program.source(), faults))?;
        }
    }
    Ok(sweep)
}

/// The models without an estimate on each machine, with notes that name them: `all` means all models that
/// work, and counts and charges need no model. Adds a warning if a machine is faster than its memory.
fn silent(
    together: &Together,
    models: &[&'static dyn Model],
    programs: &[Program],
    axes: &[Axis],
    wanted: &[&str],
    findings: &mut Vec<Finding>,
) -> Vec<Vec<&'static str>> {
    let is_figure = |name: &str| {
        let mut figures = models.iter().flat_map(|model| model.figures());
        figures.any(|(figure, _)| *figure == name)
    };
    let is_count_alone = |name: &&str| is_counted(name) && !is_figure(name);
    let counts_alone = !wanted.is_empty() && wanted.iter().all(is_count_alone);
    let given = together.given.iter();
    let given = given.map(|(name, value)| (name.to_owned(), value.clone()));
    let given: Vec<(String, Rational)> = given.collect();
    let settled = |values: Vec<(String, Rational)>| {
        let is_figure = |name: &str| OVERRIDABLE.contains(&name) && !is_formal(programs, name);
        let figures = values.into_iter().filter(|(name, _)| is_figure(name));
        let figures: Parameters = figures.collect();
        let each = together.machines.iter().map(move |machine| {
            let settled = machine.with_overrides(&figures, |_| false);
            settled.map_or_else(|_| machine.clone(), |(settled, _)| settled)
        });
        each.collect::<Vec<_>>()
    };
    if !counts_alone {
        let machines = settled(given.clone());
        let faster = machines.iter().filter_map(Machine::beyond_memory);
        findings.extend(faster.map(Finding::bare));
    }
    if together.models.is_empty() && !counts_alone {
        // Without named models the default ones count as named.
        return Vec::new();
    }
    let varied = axes.iter().map(|axis| (axis.name.clone(), axis.value(0)));
    let mut all = Vec::new();
    for settled in settled(given.into_iter().chain(varied).collect()) {
        let silent = options::silent(models, &together.models, &settled);
        if !counts_alone {
            findings.extend(Finding::all_bare(options::left_out(&silent)));
        }
        all.push(silent.into_iter().map(|(name, _)| name).collect());
    }
    all
}

pub fn is_formal(programs: &[Program], name: &str) -> bool {
    programs.iter().any(|program| program.has_formal(name))
}

/// Returns true if a quantity is counted or charged, false if it is a model's figure.
fn is_counted(name: &str) -> bool {
    is_charge(name) || Quantity::named(name).is_some_and(Quantity::is_counted)
}

/// Parses the axes of `--vary`.
pub fn axes(given: &[String], programs: &[Program]) -> Result<Vec<Axis>, Vec<Finding>> {
    let axes = given.iter().map(|given| axis(given, programs));
    axes.collect::<Result<_, _>>()
        .map_err(|fault| vec![Finding::bare(Diagnostic::of(&fault))])
}

/// Parses one axis.
pub fn axis(given: &str, programs: &[Program]) -> Result<Axis, BadAxis> {
    let letters = [
        "alpha", "beta", "gamma", "lambda", "sigma", "α", "β", "γ", "λ", "σ",
    ];
    let is_whole = |name: &str| is_formal(programs, name) || !letters.contains(&name);
    Axis::parse(given, &is_whole)
}

/// What is said of points that gave nothing, or bounds for want of time: of the former a note, or an error where the
/// program is at fault or nothing at all came out; of the latter a warning.
pub fn said_of(finished: &Finished, programs: &[Program]) -> Vec<Finding> {
    let skipped = finished.skipped.iter();
    let skipped = skipped.map(|skipped| of_skipped(skipped, programs, finished.points));
    let bounded = finished.cut_short.iter();
    let bounded = bounded.map(|short| Finding::bare(of_cut_short(short, programs)));
    skipped.chain(bounded).collect()
}

fn of_cut_short(short: &CutShort, programs: &[Program]) -> Diagnostic {
    let bounds = UsageError::CutShort {
        program: programs[short.program].name().to_owned(),
        machine: short.machine.clone(),
        points: short.points,
        out_of: short.out_of,
    };
    Diagnostic::of(&bounds).with_severity(Severity::Warning)
}

fn of_skipped(skipped: &Skipped, programs: &[Program], points: u64) -> Finding {
    let first = &skipped.first;
    let source: &Source = programs[skipped.program].source();
    let mut diagnostic = first.clone();
    if points == 0 {
        diagnostic.severity = Severity::Error;
    }
    diagnostic.message = first.message.clone().within(Context::Points {
        points: skipped.points,
        out_of: skipped.out_of,
        machine: skipped.machine.to_string(),
    });
    Finding {
        source: (!diagnostic.labels.is_empty()).then(|| source.clone()),
        diagnostic,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_for_want_of_time_are_a_warning() {
        let programs = [atgpu::examples::vector_addition()];
        let mut finished = Finished::default();
        finished.points = 81;
        finished.cut_short.push(CutShort {
            program: 0,
            machine: "gtx650".to_owned(),
            points: 1,
            out_of: 81,
        });
        let said = said_of(&finished, &programs);
        let said: Vec<(Severity, String)> = said
            .iter()
            .map(|finding| {
                (
                    finding.diagnostic.severity,
                    finding.diagnostic.message.to_string(),
                )
            })
            .collect();
        let words = "1 of 81 points of VectorAddition on gtx650 are upper bounds that counting might come below: \
                     counting so many takes over 10 seconds";
        assert_eq!(said, [(Severity::Warning, words.to_owned())]);
    }
}
