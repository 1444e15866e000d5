//! `atgpu check`: all diagnostics of programs.

use atgpu::diag::{Diagnostic, Severity};
use atgpu::vet::vet;

use crate::cli::args::{CheckArgs, Format};
use crate::cli::error::UsageError;
use crate::cli::options::Given;
use crate::cli::program;
use crate::cli::reply::{Body, Finding, Reply};

/// Checks every file.
pub fn check(args: &CheckArgs) -> Reply {
    let as_json = args.format == Format::Json;
    if args.files.iter().filter(|file| *file == "-").count() > 1 {
        let fault = Diagnostic::of(&UsageError::StandardInputTwice);
        return Reply::faults(vec![Finding::bare(fault)], as_json);
    }
    let given = match Given::read(&args.options) {
        Ok(given) => given,
        Err(faults) => return Reply::faults(faults, as_json),
    };
    let mut findings = Vec::new();
    for file in &args.files {
        findings.extend(one(file, &given));
    }
    let body = match args.format {
        Format::Json => Body::Json(None),
        Format::Text => Body::Text(summary(args.files.len(), &findings)),
    };
    Reply {
        several_files: args.files.len() > 1,
        ..Reply::with(body, findings)
    }
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
                let judged = vet(program, &formals, &machine);
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
        format!("{files}: nothing to complain about\n")
    } else {
        format!("{files}: {}\n", parts.join(", "))
    }
}
