//! What the editor shows: the structs of `atgpu::editor` as JSON. A place is `[line, character]`, both
//! from 0, characters in units of UTF-16, as the page has them.

use atgpu::count::Parameters;
use atgpu::diag::{Diagnostic, Severity};
use atgpu::editor::position::range;
use atgpu::editor::{self, Action, ActionKind, CompletionKind, Document, Place, Range, TextEdit};
use atgpu::emit;
use atgpu::machine::Machine;
use atgpu::program::Program;
use atgpu::report::barriers;
use atgpu::report::safety::{SafetyReport, json as safety_json};
use serde_json::{Value, json};

use crate::request::said;

fn place(place: Place) -> Value {
    json!([place.line, place.character])
}

fn spot(at: Range) -> Value {
    json!({"from": place(at.start), "to": place(at.end)})
}

fn edits(list: &[TextEdit]) -> Vec<Value> {
    let each = list.iter().map(|edit| {
        json!({
            "from": place(edit.range.start),
            "to": place(edit.range.end),
            "text": edit.text,
        })
    });
    each.collect()
}

fn diagnostic(document: &Document, found: &Diagnostic) -> Value {
    let source = document.source();
    let primary = found.primary();
    let others = found.labels.iter().filter(|label| !label.primary);
    let others = others.map(|label| {
        let mut at = spot(range(source, label.span));
        at["text"] = json!(label.text);
        at
    });
    let span = primary.map(|label| label.span).unwrap_or_default();
    let mut out = spot(range(source, span));
    out["severity"] = json!(match found.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "info",
    });
    out["code"] = json!(found.code.short_name());
    out["message"] = json!(found.message.to_string());
    out["label"] = json!(primary.map(|label| label.text.as_str()).unwrap_or_default());
    out["help"] = json!(found.help);
    out["others"] = others.collect();
    out
}

fn diagnostics(document: &Document) -> Value {
    let found = document.diagnostics();
    found
        .iter()
        .map(|found| diagnostic(document, found))
        .collect()
}

/// What is known at once.
pub(crate) fn state(document: &Document) -> Value {
    let folds = editor::folds(document);
    let folds = folds.iter().map(|fold| json!([fold.first, fold.last]));
    json!({
        "sound": document.job().is_some(),
        "diagnostics": diagnostics(document),
        "folds": folds.collect::<Vec<_>>(),
    })
}

/// What judging found.
pub(crate) fn judged(document: &Document, machine: &Machine) -> Value {
    let checked = match (document.safety(), document.job()) {
        (Some(safety), Some(_)) => atgpu::program(document.source())
            .ok()
            .map(|program| (program, safety)),
        _ => None,
    };
    let safety = checked.as_ref().map(|(program, safety)| {
        let mut told = safety_json::safety(&SafetyReport {
            file: "program",
            program,
            given: &Parameters::new(),
            machine,
            safety,
        });
        told["safe"] = json!(safety.is_safe());
        told
    });
    json!({
        "diagnostics": diagnostics(document),
        "safety": safety,
        "barriers": checked.map(|(program, _)| waits(&program, machine)),
    })
}

/// Where the warps of an MP wait for each other: null where an MP is one warp.
fn waits(program: &Program, machine: &Machine) -> Value {
    if machine.warps().is_none() {
        return Value::Null;
    }
    match emit::barriers(program, machine) {
        Ok(found) => barriers::json(&found, machine),
        Err(faults) => json!({"why": said(&faults)}),
    }
}

pub(crate) fn hover(document: &Document, at: Place) -> Value {
    match editor::hover(document, at) {
        Some(found) => json!({
            "from": place(found.range.start),
            "to": place(found.range.end),
            "text": found.text,
        }),
        None => Value::Null,
    }
}

pub(crate) fn completions(document: &Document, at: Place) -> Value {
    let found = editor::completions(document, at);
    let each = found.iter().map(|found| {
        json!({
            "label": found.label,
            "from": place(found.range.start),
            "to": place(found.range.end),
            "text": found.text,
            "snippet": found.is_snippet,
            "detail": found.detail,
            "kind": match found.kind {
                CompletionKind::Keyword => "keyword",
                CompletionKind::Snippet => "text",
                CompletionKind::Sign => "constant",
                CompletionKind::Function | CompletionKind::Kernel => "function",
                CompletionKind::Quantity => "property",
                CompletionKind::Parameter => "type",
                CompletionKind::Variable => "variable",
                CompletionKind::Lint | CompletionKind::Choice => "enum",
            },
        })
    });
    each.collect()
}

pub(crate) fn signature(document: &Document, at: Place) -> Value {
    match editor::signature(document, at) {
        Some(found) => json!({
            "form": found.form,
            "arguments": found.arguments,
            "active": found.active,
        }),
        None => Value::Null,
    }
}

pub(crate) fn actions(document: &Document, within: Range) -> Value {
    actions_told(&editor::actions(document, within))
}

/// The changes that save something, and the search for them in a sentence; null where there was none.
pub(crate) fn advised(document: &Document) -> Value {
    match document.advised() {
        Some(found) => json!({
            "summary": found.summary,
            "changes": actions_told(&editor::advice(document)),
        }),
        None => Value::Null,
    }
}

fn actions_told(found: &[Action]) -> Value {
    let each = found.iter().map(|found| {
        json!({
            "title": found.title,
            "kind": match found.kind {
                ActionKind::Fix => "fix",
                ActionKind::FixAll => "all",
                ActionKind::Rewrite => "rewrite",
            },
            "mends": found.mends.as_ref().map(|mended| mended.code.short_name()),
            "edits": edits(&found.edits),
        })
    });
    each.collect()
}

pub(crate) fn definition(document: &Document, at: Place) -> Value {
    match editor::definition(document, at) {
        Some(found) => spot(found),
        None => Value::Null,
    }
}

pub(crate) fn rename(document: &Document, at: Place, name: &str) -> Result<Value, String> {
    let changed = editor::rename(document, at, name);
    let changed = changed.map_err(|refused| refused.to_string())?;
    Ok(edits(&changed).into())
}

pub(crate) fn format(document: &Document) -> Value {
    edits(&editor::format(document)).into()
}

/// What each line costs in a few words, as editors show it behind the line: `[line from 1, words]`.
pub(crate) fn hints(document: &Document) -> Value {
    let found = editor::hints(document);
    let each = found.iter();
    each.map(|hint| json!([hint.place.line + 1, hint.text]))
        .collect()
}
