//! The phases every command on a program begins with: read, parse, check.

use atgpu::check::{self, Program};
use atgpu::diag::Diagnostic;
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

/// Reads, parses and checks a file.
pub fn load(path: &str) -> Result<Loaded, Box<Finding>> {
    let source = files::read_source(path).map_err(|fault| Box::new(Finding::bare(fault)))?;
    let checked = check::check_text(&source);
    Ok(Loaded {
        source,
        program: checked.program,
        diagnostics: checked.diagnostics,
    })
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
