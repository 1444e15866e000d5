//! `atgpu check`: all diagnostics of programs.

use atgpu::count::Parameters;
use atgpu::diag::{Diagnostic, Severity};
use atgpu::lint;
use atgpu::machine::Machine;
use atgpu::program::Program;
use atgpu::report::safety::{self as report, SafetyReport, json as safety_json, text};
use atgpu::safety::{self, Safety};
use serde_json::{Value, json};

use crate::cli::args::{CheckArgs, CheckFormat};
use crate::cli::error::UsageError;
use crate::cli::options::Given;
use crate::cli::program;
use crate::cli::reply::{Body, Finding, Reply};

/// Checks every file.
pub fn check(args: &CheckArgs) -> Reply {
    let checked = checked(args);
    let (findings, reports) = match checked {
        Ok(checked) => checked,
        Err(faults) => {
            let body = match args.format {
                CheckFormat::Json => Body::Json(None),
                CheckFormat::Sarif => Body::Sarif,
                CheckFormat::Github => Body::Annotations,
                // A fault of the command line is no result of checking.
                CheckFormat::Text => Body::Nothing,
            };
            return Reply {
                several_files: args.files.len() > 1,
                ..Reply::with(body, faults)
            };
        }
    };
    let body = match args.format {
        CheckFormat::Json => Body::Json(Some(json(args, &reports))),
        CheckFormat::Sarif => Body::Sarif,
        CheckFormat::Github => Body::Annotations,
        CheckFormat::Text => {
            let told = reports.iter().map(|report| told(args, report));
            let told: String = told.collect();
            Body::Text(told + &summary(args.files.len(), &findings))
        }
    };
    Reply {
        several_files: args.files.len() > 1,
        ..Reply::with(body, findings)
    }
}

/// What was found of one program.
struct Report {
    file: String,
    program: Program,
    given: Parameters,
    machine: Machine,
    safety: Safety,
}

impl Report {
    fn view(&self) -> SafetyReport<'_> {
        SafetyReport {
            file: &self.file,
            program: &self.program,
            given: &self.given,
            machine: &self.machine,
            safety: &self.safety,
        }
    }
}

fn told(args: &CheckArgs, report: &Report) -> String {
    let mut told = text::text(&report.view());
    if args.explain {
        told.push_str(&text::explanation(&report.view()));
    }
    told
}

fn json(args: &CheckArgs, reports: &[Report]) -> Value {
    match (reports, args.files.len()) {
        ([report], 1) => json!({ "safety": safety_json::safety(&report.view()) }),
        (_, 1) => json!({}),
        (reports, _) => {
            let files: Vec<Value> = reports
                .iter()
                .map(|report| {
                    json!({
                        "file": report.file,
                        "safety": safety_json::safety(&report.view()),
                    })
                })
                .collect();
            json!({ "files": files })
        }
    }
}

/// What is found in the files, or what is wrong with the command line.
fn checked(args: &CheckArgs) -> Result<(Vec<Finding>, Vec<Report>), Vec<Finding>> {
    if args.files.iter().filter(|file| *file == "-").count() > 1 {
        let fault = Diagnostic::of(&UsageError::StandardInputTwice);
        return Err(vec![Finding::bare(fault)]);
    }
    let given = Given::read(&args.options)?;
    let mut findings = Vec::new();
    let mut reports = Vec::new();
    for file in &args.files {
        let (found, report) = one(file, &given);
        findings.extend(found);
        reports.extend(report);
    }
    Ok((findings, reports))
}

fn one(file: &str, given: &Given) -> (Vec<Finding>, Option<Report>) {
    let loaded = match program::load(file) {
        Ok(loaded) => loaded,
        Err(fault) => return (vec![*fault], None),
    };
    let mut findings = Finding::all(&loaded.source, loaded.diagnostics);
    let Some(program) = loaded.program else {
        return (findings, None);
    };
    let (machine, formals) = match given.refuse_strangers(&program) {
        Ok(known) => known,
        Err(faults) => {
            findings.extend(faults);
            return (findings, None);
        }
    };
    let judged = lint::lint(&program, &formals, &machine);
    let safety = safety::safety(&program, &given.facts(&formals), &machine);
    let told = report::beside(judged, &safety, &program, &formals);
    findings.extend(Finding::all(&loaded.source, told));
    let report = Report {
        file: file.to_owned(),
        program,
        given: formals,
        machine,
        safety,
    };
    (findings, Some(report))
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
