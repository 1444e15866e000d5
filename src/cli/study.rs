//! What `sweep` and `plot` begin with: programs, their derivations, machines, models, axes.

use atgpu::check::Program;
use atgpu::diag::{Diagnostic, Severity};
use atgpu::machine::{Machine, OVERRIDABLE};
use atgpu::study::{Axis, Counting, Prepared, Skipped, Sweep};
use atgpu::text::Source;
use atgpu::vet::vet;

use crate::cli::args::StudyOptions;
use crate::cli::error::UsageError;
use crate::cli::reply::Finding;
use crate::cli::{options, patience, program};

/// Loads programs; standard input at most once.
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
    Ok((programs, findings))
}

/// The sweep these options describe; its first and last points have been vetted.
pub fn sweep<'p>(
    options: &StudyOptions,
    programs: &'p [Program],
    wanted: &[&str],
) -> Result<Sweep<'p>, Vec<Finding>> {
    let bare = |fault: Diagnostic| vec![Finding::bare(fault)];
    let mut models = options::models(&options.model).map_err(bare)?;
    let fixed = options::definitions(&options.define)
        .map_err(|faults| faults.into_iter().map(Finding::bare).collect::<Vec<_>>())?;
    let machines: Vec<Machine> = options
        .machine
        .iter()
        .map(|name| options::machine(name))
        .collect::<Result<_, _>>()?;
    for machine in &machines {
        options::tariff(&mut models, &options.model, machine).map_err(bare)?;
    }
    let axes = axes(&options.vary, programs)?;
    let derived = |program: &'p Program| {
        let derivation = patience::derivation(program, &Default::default());
        Prepared::new(program, derivation.as_ref())
    };
    let subjects = programs.iter().map(derived).collect();
    let counting = match options.count {
        true => Counting::Patiently,
        false => Counting::Briefly,
    };
    let mut sweep = Sweep::new(subjects, machines.clone(), models, axes, fixed, counting)
        .map_err(|fault| bare(Diagnostic::of(&fault)))?;
    sweep
        .charge(wanted, &mut |program, given, tariff| {
            patience::charged(program, given, Some(tariff))
        })
        .map_err(bare)?;
    for program in programs {
        for machine in &machines {
            for place in [0, sweep.places() - 1] {
                vet_at(program, machine, &sweep, place)?;
            }
        }
    }
    Ok(sweep)
}

/// Faults of the program itself, which every point may have: out of bounds, races.
fn vet_at(
    program: &Program,
    machine: &Machine,
    sweep: &Sweep<'_>,
    place: u64,
) -> Result<(), Vec<Finding>> {
    let has_formal = |name: &str| {
        let mut formals = program.formals.iter();
        formals.any(|formal| program.parameter(*formal).name == name)
    };
    let mut given = sweep.given(place);
    given.retain(|name| has_formal(name) || OVERRIDABLE.contains(&name));
    let bare = |faults: Vec<Diagnostic>| faults.into_iter().map(Finding::bare).collect();
    let settled = machine.with_overrides(&given, has_formal);
    let (machine, formals) = settled.map_err(bare as fn(_) -> Vec<Finding>)?;
    let mut faults = vet(program, &formals, &machine);
    faults.retain(|fault| {
        let area = fault.code.short_name().split("::").next();
        fault.is_error() && !matches!(area, Some("require" | "limit" | "value" | "usage"))
    });
    if faults.is_empty() {
        return Ok(());
    }
    Err(Finding::all(&program.source, faults))
}

fn axes(given: &[String], programs: &[Program]) -> Result<Vec<Axis>, Vec<Finding>> {
    let is_formal = |name: &str| {
        programs.iter().any(|program| {
            let mut formals = program.formals.iter();
            formals.any(|formal| program.parameter(*formal).name == name)
        })
    };
    let letters = [
        "alpha", "beta", "gamma", "lambda", "sigma", "α", "β", "γ", "λ", "σ",
    ];
    let is_whole = |name: &str| is_formal(name) || !letters.contains(&name);
    let axes = given.iter().map(|given| Axis::parse(given, &is_whole));
    axes.collect::<Result<_, _>>()
        .map_err(|fault| vec![Finding::bare(Diagnostic::of(&fault))])
}

/// What is said of points that gave nothing: a note, or an error where the program is at fault or
/// nothing at all came out.
pub fn skipped(skipped: &[Skipped], programs: &[Program], points: u64) -> Vec<Finding> {
    let finding = |skipped: &Skipped| {
        let first = &skipped.first;
        let source: &Source = &programs[skipped.program].source;
        let diagnostic = Diagnostic {
            severity: if points == 0 {
                Severity::Error
            } else {
                first.severity
            },
            message: format!(
                "{} of {} points on {} give nothing; the first: {}",
                skipped.points, skipped.out_of, skipped.machine, first.message
            ),
            ..first.clone()
        };
        Finding {
            source: (!diagnostic.labels.is_empty()).then(|| source.clone()),
            diagnostic,
        }
    };
    skipped.iter().map(finding).collect()
}
