//! The phases every command on a program begins with: read, parse, check.

use atgpu::check;
use atgpu::count::Parameters;
use atgpu::diag::Diagnostic;
use atgpu::lint;
use atgpu::machine::Machine;
use atgpu::program::Program;
use atgpu::report::safety::{SafetyReport, text};
use atgpu::safety;
use atgpu::text::Source;

use crate::cli::error::UsageError;
use crate::cli::files;
use crate::cli::reply::Finding;

/// A file as far as it could be understood.
pub struct Loaded {
    /// Its text.
    pub source: Source,
    /// The checked program, unless there is an error.
    pub program: Option<Program>,
    /// All that parsing and checking found.
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

/// As [`load`], for commands that need a sound program: its errors and warnings become findings.
/// Lints do not: `check` tells them, once.
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

/// One line for standard error where a program can fail: what is derived of it counts what would be
/// executed. Empty where no run refutes it.
pub fn unsafe_line(program: &Program, facts: &Parameters, machine: &Machine) -> String {
    let Some(safety) = safety::refuted(program, facts, machine) else {
        return String::new();
    };
    let report = SafetyReport {
        file: program.source.name(),
        program,
        given: facts,
        machine,
        safety: &safety,
    };
    format!("{}; `atgpu check` says why\n", text::verdict(&report))
}

/// What this computer has no memory for may be too large for the machine of the model already.
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
    match limits.is_empty() {
        true => faults,
        false => limits,
    }
}

/// Results carry an algorithm's name, so programs that share one are called after their files.
pub fn tell_apart(programs: &mut [Program], files: &[String]) {
    let names: Vec<String> = programs
        .iter()
        .map(|program| program.name.clone())
        .collect();
    let stems: Vec<&str> = files.iter().map(|file| stem(file)).collect();
    let is_repeated = |all: &[&str], one: &str| all.iter().filter(|name| **name == one).count() > 1;
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    for ((program, file), stem) in programs.iter_mut().zip(files).zip(&stems) {
        if is_repeated(&all, &program.name) {
            program.name = match is_repeated(&stems, stem) {
                true => file.clone(),
                false => (*stem).to_owned(),
            };
        }
    }
}

/// The file's name without its folder and without `.atgpu`.
fn stem(file: &str) -> &str {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.strip_suffix(".atgpu").unwrap_or(name)
}

/// The programs meant: files as given, folders searched.
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
