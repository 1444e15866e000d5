//! What was found of a program's safety, for a person (`text`), for tools (`json`), and as findings
//! that point into the text. The words of reasons and subjects stand here.

pub mod json;
pub mod text;

use crate::count::Parameters;
use crate::diag::{Diagnostic, Fix, Severity};
use crate::machine::Machine;
use crate::program::Program;
use crate::safety::{Judged, Reason, Safety, Subject, Verdict, Witness};
use crate::syntax::signs::spelled;
use crate::text::Span;

/// What is reported of one program.
#[derive(Debug, Clone, Copy)]
pub struct SafetyReport<'a> {
    /// The file it came from.
    pub file: &'a str,
    /// The program.
    pub program: &'a Program,
    /// The values given.
    pub given: &'a Parameters,
    /// Where it is to run.
    pub machine: &'a Machine,
    /// What was found.
    pub safety: &'a Safety,
}

/// The refuted places as errors, each with the run that shows it.
///
/// ```
/// use atgpu::{machine::Machine, report::safety::findings, safety::safety};
///
/// let program = atgpu::examples::vector_addition();
/// let card = Machine::built_in("gtx650").expect("built in");
/// assert!(findings(&safety(&program, &().into(), &card), &program).is_empty());
/// ```
pub fn findings(safety: &Safety, program: &Program) -> Vec<Diagnostic> {
    let mut findings: Vec<Diagnostic> = Vec::new();
    for judged in &safety.judged {
        if let Verdict::Refuted(witness) = &judged.verdict {
            let finding = finding(witness, program);
            let is_told = findings
                .iter()
                .any(|told| told.code == finding.code && told.labels == finding.labels);
            if !is_told {
                findings.push(finding);
            }
        }
    }
    findings
}

/// What counting found, and what is refuted beside it, each told once: at the user's own values, else at
/// the smallest. An error is what every size meets, or those values; what only some sizes meet is a
/// warning, for at others the program may be sound.
///
/// ```
/// use atgpu::{machine::Machine, report::safety::beside, safety::safety};
///
/// let program = atgpu::examples::vector_addition();
/// let card = Machine::built_in("gtx650").expect("built in");
/// let safety = safety(&program, &().into(), &card);
/// assert!(beside(Vec::new(), &safety, &program, &().into()).is_empty());
/// ```
pub fn beside(
    mut counted: Vec<Diagnostic>,
    safety: &Safety,
    program: &Program,
    formals: &Parameters,
) -> Vec<Diagnostic> {
    let mut refuted = findings(safety, program);
    let is_same = |one: &Diagnostic, other: &Diagnostic| {
        one.code == other.code && one.primary() == other.primary()
    };
    for fault in &mut refuted {
        if !counted.iter().any(|told| is_same(told, fault)) {
            fault.severity = Severity::Warning;
        }
    }
    let mut names = program
        .formals
        .iter()
        .map(|id| &program.parameter(*id).name);
    match names.all(|name| formals.get(name).is_some()) {
        true => refuted.retain(|fault| !counted.iter().any(|told| is_same(told, fault))),
        false => counted.retain(|told| !refuted.iter().any(|fault| is_same(told, fault))),
    }
    counted.extend(refuted);
    counted
}

fn finding(witness: &Witness, program: &Program) -> Diagnostic {
    let mut finding = Diagnostic {
        severity: Severity::Error,
        message: witness.fault.message.clone().at_values(&values(witness)),
        ..witness.fault.clone()
    };
    if let Some(require) = &witness.require
        && let Some(at) = first_header_line(program.source.text())
    {
        let line = spelled(&program.source, &format!("require {require}"));
        let title = format!("add `{line}`");
        let fix = Fix::titled(title, Span::new(at, at), format!("  {line}\n"));
        // A guard may be what is meant.
        finding.fixes.push(fix.choice());
    }
    finding
}

/// Where the line behind `algorithm …` begins.
fn first_header_line(text: &str) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        at += line.len();
        let is_algorithm = line
            .split_whitespace()
            .any(|word| word.eq_ignore_ascii_case("algorithm"));
        let is_comment = ["▷", "//"]
            .iter()
            .any(|sign| line.trim_start().starts_with(sign));
        if is_algorithm && !is_comment {
            return line.ends_with('\n').then_some(at);
        }
    }
    None
}

/// `n = 3, b = 2`
fn values(witness: &Witness) -> String {
    let list: Vec<String> = witness
        .values
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    list.join(", ")
}

/// What a place is, in a word or two.
fn subject_text(program: &Program, judged: &Judged) -> String {
    let name = |id: crate::program::VarId| format!("`{}`", program.variable(id).name);
    match judged.subject {
        Subject::Read(id) => format!("read of {}", name(id)),
        Subject::Write(id) => format!("write to {}", name(id)),
        Subject::Update(id) => format!("atomic on {}", name(id)),
        Subject::Array(id) => format!("all of {}", name(id)),
        Subject::Divisor => "divisor".to_owned(),
        Subject::Domain => "domain".to_owned(),
        Subject::Bits => "operand of a bit function".to_owned(),
        Subject::Whole => "whole number".to_owned(),
        Subject::Size(id) => format!("size of {}", name(id)),
        Subject::Iterations => "number of iterations".to_owned(),
        Subject::Range(id) => format!("range of {}", name(id)),
        Subject::Run => "run".to_owned(),
    }
}

/// Why something is open, and what would decide it.
fn reason_text(reason: Reason) -> &'static str {
    match reason {
        Reason::NoRule => "no rule decides it: a `require` or a guard may",
        Reason::Data => {
            "data decide it: declare their range (`in lo..hi`), `as permutation` or `as sorted`, or guard it"
        }
        Reason::Form => "it has no form that can be reasoned about",
        Reason::Work => "the work allowed was done",
        Reason::Unbounded => "only a run knows how often it iterates",
    }
}
