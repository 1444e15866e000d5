//! `atgpu check`: all diagnostics of programs.

use atgpu::diag::{Diagnostic, Severity};
use atgpu::lint;

use crate::cli::args::{CheckArgs, CheckFormat};
use crate::cli::error::UsageError;
use crate::cli::options::Given;
use crate::cli::program;
use crate::cli::reply::{Body, Finding, Reply};

/// Checks every file.
pub fn check(args: &CheckArgs) -> Reply {
    let findings = findings(args);
    let body = match args.format {
        CheckFormat::Json => Body::Json(None),
        CheckFormat::Sarif => Body::Sarif,
        CheckFormat::Github => Body::Annotations,
        // A fault of the command line is no result of checking.
        CheckFormat::Text if findings.is_err() => Body::Nothing,
        CheckFormat::Text => Body::Text(summary(
            args.files.len(),
            findings.as_deref().unwrap_or_default(),
        )),
    };
    Reply {
        several_files: args.files.len() > 1,
        ..Reply::with(body, findings.unwrap_or_else(|faults| faults))
    }
}

/// What is found in the files, or what is wrong with the command line.
fn findings(args: &CheckArgs) -> Result<Vec<Finding>, Vec<Finding>> {
    if args.files.iter().filter(|file| *file == "-").count() > 1 {
        let fault = Diagnostic::of(&UsageError::StandardInputTwice);
        return Err(vec![Finding::bare(fault)]);
    }
    let given = Given::read(&args.options)?;
    Ok(args
        .files
        .iter()
        .flat_map(|file| one(file, &given))
        .collect())
}

fn one(file: &str, given: &Given) -> Vec<Finding> {
    let loaded = match program::load(file) {
        Ok(loaded) => loaded,
        Err(fault) => return vec![*fault],
    };
    let mut findings = Finding::all(&loaded.source, loaded.diagnostics);
    if let Some(program) = &loaded.program {
        match given.refuse_strangers(program) {
            Ok((machine, formals)) => {
                let judged = lint::lint(program, &formals, &machine);
                findings.extend(Finding::all(&loaded.source, judged));
            }
            Err(faults) => findings.extend(faults),
        }
    }
    findings
}

fn summary(files: usize, findings: &[Finding]) -> String {
    let count = |severity| {
        let of = |finding: &&Finding| finding.diagnostic.severity == severity;
        findings.iter().filter(of).count()
    };
    let files = match files {
        1 => "1 file checked".to_owned(),
        many => format!("{many} files checked"),
    };
    let parts: Vec<String> = [
        (Severity::Error, "error"),
        (Severity::Warning, "warning"),
        (Severity::Note, "note"),
    ]
    .into_iter()
    .filter_map(|(severity, word)| match count(severity) {
        0 => None,
        1 => Some(format!("1 {word}")),
        many => Some(format!("{many} {word}s")),
    })
    .collect();
    if parts.is_empty() {
        format!("{files}: nothing to complain about; `atgpu test` also runs programs on data\n")
    } else {
        format!("{files}: {}\n", parts.join(", "))
    }
}
