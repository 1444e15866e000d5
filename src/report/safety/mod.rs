//! The findings on a program's safety: as text (`text`), as JSON (`json`), and as diagnostics at places in
//! the source. The words for reasons and subjects are here.

mod advice;
pub mod json;
pub mod text;

use std::borrow::Cow;

use crate::count::Parameters;
use crate::diag::{Code, Diagnostic, Fix, Label, Severity};
use crate::machine::Machine;
use crate::meaning::Point;
use crate::program::{Expr, ParameterKind, Program, Scope, StmtKind, Word};
use crate::safety::{Judged, Lack, Property, Reason, Safety, Subject, Verdict, Witness};
use crate::sym;
use crate::syntax::signs::spelled;
use crate::text::Span;

/// The safety of one program, with the inputs of its report.
#[derive(Debug, Clone, Copy)]
pub struct SafetyReport<'a> {
    /// The file it came from.
    pub file: &'a str,
    /// The program.
    pub program: &'a Program,
    /// The values given.
    pub given: &'a Parameters,
    /// The machine to run on.
    pub machine: &'a Machine,
    /// The findings.
    pub safety: &'a Safety,
}

/// Returns the refuted places as errors, each with the run that shows it.
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

/// Returns the open places as notes, each with its reason, for tools that track open questions.
pub fn open(safety: &Safety, program: &Program) -> Vec<Diagnostic> {
    let open = safety.judged.iter().filter_map(|judged| {
        let Verdict::Open(reason) = &judged.verdict else {
            return None;
        };
        let what = program.source.slice(judged.span);
        let message = format!("{} of `{what}`: not decided", judged.property);
        Some(Diagnostic {
            code: code(program, judged)?,
            severity: Severity::Note,
            message: message.into(),
            help: Some(format!(
                "{}{}",
                reason_text(program, judged, reason),
                tried_text(program, safety, judged)
            )),
            fixes: Vec::new(),
            labels: vec![Label {
                text: subject_text(program, judged),
                span: judged.span,
                primary: true,
            }],
        })
    });
    open.collect()
}

/// The code of the fault that a run would report there.
fn code(program: &Program, judged: &Judged) -> Option<Code> {
    let scope = match judged.subject {
        Subject::Read(id) | Subject::Write(id) | Subject::Update(id) | Subject::Array(id) => {
            program.variable(id).scope
        }
        Subject::Divisor
        | Subject::Domain
        | Subject::Bits
        | Subject::Whole
        | Subject::Size(_)
        | Subject::Iterations
        | Subject::Range(_)
        | Subject::Run => Scope::Global,
    };
    let name = match (judged.property, scope, judged.subject) {
        (Property::Bounds, Scope::Host, _) => "bounds::host",
        (Property::Bounds, Scope::Global, _) => "bounds::global",
        (Property::Bounds, Scope::Shared, _) => "bounds::shared",
        (Property::Races, Scope::Shared, _) => "race::shared",
        (Property::Races, Scope::Host | Scope::Global, _) => "race::global",
        (Property::Initialised, ..) => "value::uninitialised",
        (Property::Defined, _, Subject::Divisor) => "value::division-by-zero",
        (Property::Defined, _, Subject::Iterations) => "loop::bound-exceeded",
        (Property::Defined, _, Subject::Domain | Subject::Whole) => "value::not-integral",
        (Property::Defined, ..) => "value::range",
        (Property::Fits, ..) => "limit::global",
    };
    Code::find(name)
}

/// ` (no fault at 25 points)`, or ` (never reached: line 13 stops every run)`
fn tried_text(program: &Program, safety: &Safety, judged: &Judged) -> String {
    match safety.tried.runs_that_reached(judged.span) {
        0 => {
            let mut stops = safety.tried.stops.iter();
            stops.next().map_or_else(String::new, |stop| {
                let line = program.line(*stop);
                if stops.all(|other| program.line(*other) == line) {
                    format!(" (never reached: line {line} stops every run)")
                } else {
                    " (never reached: other faults stop every run)".to_owned()
                }
            })
        }
        1 => " (no fault at 1 point)".to_owned(),
        many => format!(" (no fault at {many} points)"),
    }
}

/// Merges counted faults with refuted places, each fault once: at the user's own values if given, otherwise
/// at the smallest ones. A fault at the user's values is an error, and without values one that some admitted
/// size has with the machine's own b. A fault that was met with another b only is a warning.
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
    let mut names = program
        .formals
        .iter()
        .map(|id| &program.parameter(*id).name);
    let is_given = names.all(|name| formals.get(name).is_some());
    for fault in &mut refuted {
        // Counting sees no race between MPs; runs do.
        let is_counted = is_given && counted.iter().any(|told| is_same(told, fault));
        if !is_counted && !safety.is_met_at_own_width(program, fault) {
            fault.severity = Severity::Warning;
        }
    }
    // With contradictory requirements every proof for all sizes is empty.
    let contradiction = safety.contradiction;
    refuted.extend(contradiction.map(|span| Point::contradicted(program, span)));
    if is_given {
        refuted.retain(|fault| !counted.iter().any(|told| is_same(told, fault)))
    } else {
        counted.retain(|told| !refuted.iter().any(|fault| is_same(told, fault)))
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
    if let Some(help) = advice::advice(program, &witness.fault) {
        finding.help = Some(help);
    }
    if let Some(require) = &witness.require
        && let Some(at) = first_header_line(program.source.text())
    {
        let line = spelled(&program.source, &format!("require {}", require.text));
        let title = format!("add `{line}`");
        let fix = Fix::titled(title, Span::new(at, at), format!("  {line}\n"));
        // A guard admits every size, so it is preferred to a `require`. One that leaves a single MP mends nothing.
        let is_choice = witness.guard.is_some() || require.one_mp || require.one_width;
        finding
            .fixes
            .push(if is_choice { fix.choice() } else { fix });
    }
    if let Some(guard) = &witness.guard {
        if !guard.text.starts_with("if ") {
            finding.help = Some(guard.fix.title.clone());
        }
        // Where a number stands for b, a guard would leave out the words of a larger b.
        let is_width = matches!(&witness.require, Some(require) if require.one_width);
        let fix = guard.fix.clone();
        let fix = if is_width { fix.choice() } else { fix };
        finding.fixes.insert(0, fix);
    }
    finding
}

/// The start of the line after `algorithm …`.
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
    let data = witness.inputs.iter();
    let data = data.filter_map(|(name, data)| Some(format!(" --input {name}={}", data.name()?)));
    let data: String = data.collect();
    let with = if data.is_empty() { "" } else { " with" };
    list.join(", ") + with + &data
}

/// The subject of a judgement in a word or two.
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

/// The reason why something is open, and a remedy.
fn reason_text(program: &Program, judged: &Judged, reason: &Reason) -> Cow<'static, str> {
    if matches!(reason, Reason::Data)
        && let Some(update) = advice::update(program, judged)
    {
        return update.into();
    }
    Cow::Borrowed(match reason {
        Reason::Unproved(lack) => {
            let lacking = lack_text(program, lack);
            return format!("no rule shows that {lacking}: a `require` or a guard may").into();
        }
        Reason::Work(lack) => {
            let lacking = lack_text(program, lack);
            return format!("the work allowed was done before it was shown that {lacking}").into();
        }
        Reason::Data if !is_steered_by_data(program) => {
            "no rule knows how its values are spread: a guard or a `require` may make it plain"
        }
        Reason::Data => {
            "data decide it: declare their range (`in lo..hi`), `as permutation` or `as sorted`, or guard it"
        }
        Reason::Transferred(array) => {
            let name = &program.variable(*array).name;
            return format!(
                "what `{name}` holds decides it: declare its range too (`{name} in lo..hi`), and those of what is written to it"
            )
            .into();
        }
        Reason::Form => "it has no form that can be reasoned about",
        Reason::Unbounded => "only a run knows how often it iterates",
    })
}

/// Whether a word of memory is read in any index, condition, `let` or bound of a loop.
fn is_steered_by_data(program: &Program) -> bool {
    let is_found_by_data = |word: &Word| {
        let mut indices = word.indices.iter();
        indices.any(|index| Expr::from(index).reads_words())
    };
    program.statements().any(|statement| {
        let parts = statement.kind.parts();
        let is_computed = matches!(
            statement.kind,
            StmtKind::Assign { .. } | StmtKind::Atomic { .. }
        );
        let mut words = Vec::new();
        parts
            .values
            .iter()
            .for_each(|value| value.words(&mut words));
        let mut words = words.into_iter();
        parts.places().any(is_found_by_data)
            || words.any(|word| !is_computed || is_found_by_data(word))
    })
}

/// A remark where an index does not name the MP: `j` in the place of `ib + j`.
fn without_mp(program: &Program, indices: &[sym::Expr]) -> &'static str {
    let mut symbols = indices.iter().flat_map(sym::Expr::symbols);
    let is_mp = |name: &str| {
        let mut parameters = program.parameters.iter();
        parameters.any(|it| it.kind == ParameterKind::Mp && it.name == name)
    };
    if symbols.any(|symbol| is_mp(&symbol.name)) {
        ""
    } else {
        " (the index does not name the MP)"
    }
}

/// The missing fact, as part of a sentence.
fn lack_text(program: &Program, lack: &Lack) -> String {
    let list = |indices: &[sym::Expr]| {
        let each: Vec<String> = indices.iter().map(sym::Expr::to_string).collect();
        each.join(", ")
    };
    match lack {
        Lack::Condition(condition) => format!("`{condition}`"),
        Lack::Order([less, more]) => {
            // `i < n` is written instead of `i ≤ n − 1` if it is shorter.
            let end = more + 1;
            if end.terms().len() < more.terms().len() {
                format!("`{less} < {end}`")
            } else {
                format!("`{less} ≤ {more}`")
            }
        }
        Lack::Whole(value) => format!("`{value}` is whole"),
        Lack::OfOneCore(indices) if indices.is_empty() => "only one core is active".to_owned(),
        Lack::OfOneCore(indices) => format!("no two cores have the same `{}`", list(indices)),
        Lack::OfOneMp([first, _]) if first.is_empty() => "there is one MP only".to_owned(),
        Lack::OfOneMp([first, second]) if first == second => {
            format!(
                "no two MPs have the same `{}`{}",
                list(first),
                without_mp(program, first)
            )
        }
        Lack::OfOneMp([first, second]) => format!(
            "`{}` of one MP is never `{}` of another",
            list(first),
            list(second)
        ),
        Lack::Written => "the word is written before".to_owned(),
    }
}
