//! The phases every command on a program begins with: read, parse, check.

use atgpu::check::{self, Program};
use atgpu::diag::Diagnostic;
use atgpu::syntax;
use atgpu::text::Source;

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

/// Reads, parses and checks a file. Names are looked up only in a text whose syntax is sound: a
/// faulty line would give echoes elsewhere.
pub fn load(path: &str) -> Result<Loaded, Box<Finding>> {
    let source = files::read_source(path).map_err(|fault| Box::new(Finding::bare(fault)))?;
    let parsed = syntax::parse(&source);
    let mut diagnostics = parsed.diagnostics;
    let mut program = None;
    if let Some(algorithm) = parsed.algorithm
        && diagnostics.iter().all(leaves_the_tree_whole)
    {
        let checked = check::check(&source, &algorithm);
        diagnostics.extend(checked.diagnostics);
        let is_sound = !diagnostics.iter().any(Diagnostic::is_error);
        program = checked.program.filter(|_| is_sound);
    }
    Ok(Loaded {
        source,
        program,
        diagnostics,
    })
}

/// Whether a finding of the parser took nothing out of the tree: warnings, and a product whose
/// reading is open.
fn leaves_the_tree_whole(finding: &Diagnostic) -> bool {
    !finding.is_error() || finding.code.short_name() == "syntax::ambiguous-product"
}

/// As [`load`], for commands that need a sound program: its errors and warnings become findings.
pub fn load_sound(path: &str) -> Result<(Program, Vec<Finding>), Vec<Finding>> {
    let loaded = load(path).map_err(|fault| vec![*fault])?;
    let findings = Finding::all(&loaded.source, loaded.diagnostics);
    match loaded.program {
        Some(program) => Ok((program, findings)),
        None => Err(findings),
    }
}
