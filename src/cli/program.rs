//! The first phases of every command on a program: read, parse, check.

use atgpu::check;
use atgpu::count::Parameters;
use atgpu::derivation::{Derivation, DerivedClaim, Verdict};
use atgpu::derive::derive;
use atgpu::diag::Diagnostic;
use atgpu::emit;
use atgpu::lint;
use atgpu::machine::Machine;
use atgpu::program::Program;
use atgpu::report;
use atgpu::report::derivation::claims;
use atgpu::report::safety::{SafetyReport, text};
use atgpu::safety;
use atgpu::text::Source;

use crate::cli::error::UsageError;
use crate::cli::files;
use crate::cli::reply::Finding;

/// A loaded file, with a program if it has no errors.
pub struct Loaded {
    /// Its text.
    pub source: Source,
    /// The checked program, unless there is an error.
    pub program: Option<Program>,
    /// All diagnostics from parsing and checking.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads, parses and checks a file.
pub fn load(path: &str) -> Result<Loaded, Box<Finding>> {
    let source = files::read_source(path).map_err(|fault| Box::new(Finding::bare(fault)))?;
    Ok(Loaded::of(source))
}

impl Loaded {
    /// Parses and checks a text.
    pub fn of(source: Source) -> Loaded {
        let checked = check::check_text(&source);
        Loaded {
            source,
            program: checked.program,
            diagnostics: checked.diagnostics,
        }
    }
}

/// As [`load`], for commands that need a sound program: errors and warnings become findings. Lints do not,
/// as `check` reports them.
pub fn load_sound(path: &str) -> Result<(Program, Vec<Finding>), Vec<Finding>> {
    let loaded = load(path).map_err(|fault| vec![*fault])?;
    let mut diagnostics = loaded.diagnostics;
    if loaded.program.is_some() {
        diagnostics.retain(|found| !found.code.short_name().starts_with("lint::"));
    }
    let findings = Finding::all(&loaded.source, diagnostics);
    match loaded.program {
        Some(program) => Ok((program, findings)),
        None => Err(findings),
    }
}

/// A line for standard error if a run refutes the program's safety: counts then describe a program that
/// fails. Empty otherwise.
pub fn unsafe_line(program: &Program, facts: &Parameters, machine: &Machine) -> String {
    let Some(safety) = safety::refuted(program, facts, machine) else {
        return String::new();
    };
    let report = SafetyReport {
        file: program.source().name(),
        program,
        given: facts,
        machine,
        safety: &safety,
    };
    format!("{}; `atgpu check` says why\n", text::verdict(&report))
}

/// Prefers limits of the model to limits of this computer: a program too large for this computer's memory
/// may already be too large for the machine.
pub fn of_the_model_first(
    faults: Vec<Diagnostic>,
    program: &Program,
    formals: &Parameters,
    machine: &Machine,
) -> Vec<Diagnostic> {
    let is_of = |area: &str| {
        let area = area.to_owned();
        move |fault: &Diagnostic| fault.code.short_name().starts_with(&area)
    };
    if !faults.iter().any(is_of("resource::")) {
        return faults;
    }
    let mut limits = lint::lint(program, formals, machine);
    limits.retain(is_of("limit::"));
    if limits.is_empty() { faults } else { limits }
}

/// The claims that a derivation refutes. A wrong class is reported beside the right one, so classes are derived only then.
pub fn refuted_claims(
    program: &Program,
    given: &Parameters,
    derivation: &mut Derivation,
) -> Vec<Diagnostic> {
    let is_wrong = |claim: &DerivedClaim| matches!(claim.verdict, Verdict::Refuted(_));
    if derivation.claims.iter().any(is_wrong) {
        derivation.classes = derive(program, given).classes;
    }
    claims::refuted(program, derivation)
}

/// Renames programs with equal algorithm names after their files, as results carry the name.
pub fn tell_apart(programs: &mut [Program], files: &[String]) {
    let names: Vec<String> = programs
        .iter()
        .map(|program| program.name().to_owned())
        .collect();
    let stems: Vec<&str> = files.iter().map(|file| stem(file)).collect();
    let is_repeated = |all: &[&str], one: &str| all.iter().filter(|name| **name == one).count() > 1;
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    for ((program, file), stem) in programs.iter_mut().zip(files).zip(&stems) {
        if is_repeated(&all, program.name()) {
            program.rename(if is_repeated(&stems, stem) {
                file.as_str()
            } else {
                stem
            });
        }
    }
}

/// The file name without folder and without `.atgpu`.
fn stem(file: &str) -> &str {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.strip_suffix(".atgpu").unwrap_or(name)
}

/// The programs named by the arguments: files as given, folders searched.
pub fn meant(paths: &[String]) -> Result<Vec<String>, Diagnostic> {
    let mut files = Vec::new();
    for path in paths {
        if files::is_folder(path) {
            let found = files::programs_under(path)?;
            if found.is_empty() {
                return Err(Diagnostic::of(&UsageError::NoPrograms {
                    place: path.clone(),
                }));
            }
            files.extend(found);
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

/// The barriers between the warps of an MP, or why they are not known; nothing where an MP is one warp.
pub fn barriers(program: &Program, machine: &Machine) -> String {
    if machine.warps().is_none() {
        return String::new();
    }
    match emit::barriers(program, machine) {
        Ok(found) => format!("\n{}", report::barriers::text(&found, machine)),
        Err(faults) => {
            let told = faults.iter().map(|fault| fault.message.to_string());
            let told: Vec<String> = told.collect();
            format!(
                "\nbarriers between the warps of an MP: {}\n",
                told.join("; ")
            )
        }
    }
}
