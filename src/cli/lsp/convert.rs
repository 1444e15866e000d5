//! Converts between the structs of `atgpu::editor` and the JSON of the protocol. Only this module knows the
//! protocol's numbers.

use atgpu::diag::{Diagnostic, Severity};
use atgpu::editor::position::range;
use atgpu::editor::{
    Action, ActionKind, Completion, CompletionKind, Fold, Highlight, Hint, Hover, Lens, Outline,
    Place, Range, SemanticToken, Signature, SymbolKind, TextEdit,
};
use atgpu::text::Source;
use serde_json::{Value, json};

pub(super) fn to_place(value: &Value) -> Option<Place> {
    Some(Place {
        line: u32::try_from(value.get("line")?.as_u64()?).ok()?,
        character: u32::try_from(value.get("character")?.as_u64()?).unwrap_or(u32::MAX),
    })
}

pub(super) fn to_range(value: &Value) -> Option<Range> {
    Some(Range {
        start: to_place(value.get("start")?)?,
        end: to_place(value.get("end")?)?,
    })
}

fn from_place(place: Place) -> Value {
    json!({"line": place.line, "character": place.character})
}

pub(super) fn from_range(range: Range) -> Value {
    json!({"start": from_place(range.start), "end": from_place(range.end)})
}

/// Converts a diagnostic, with its other labels as related information.
pub(super) fn diagnostic(
    source: &Source,
    uri: &str,
    found: &Diagnostic,
    explain: Option<&str>,
) -> Value {
    let primary = found.primary().map(|label| label.span);
    // The protocol has no field for a help, so it follows the message.
    let message = match &found.help {
        Some(help) => format!("{}\nhelp: {help}", found.message),
        None => found.message.to_string(),
    };
    let related: Vec<Value> = found
        .labels
        .iter()
        .filter(|label| !label.primary)
        .map(|label| {
            json!({
                "location": {"uri": uri, "range": from_range(range(source, label.span))},
                "message": label.text,
            })
        })
        .collect();
    let mut out = json!({
        "range": from_range(range(source, primary.unwrap_or_default())),
        "severity": match found.severity {
            Severity::Error => 1,
            Severity::Warning => 2,
            Severity::Note => 3,
        },
        "code": found.code.short_name(),
        "source": "atgpu",
        "message": message,
    });
    if !related.is_empty() {
        out["relatedInformation"] = related.into();
    }
    // Tag 1 means unnecessary: editors show the text faded.
    if found.code.short_name() == "lint::unused" {
        out["tags"] = json!([1]);
    }
    if let Some(page) = explain {
        let href = format!("{page}{}", page_of(found.code.short_name()));
        out["codeDescription"] = json!({ "href": href });
    }
    out
}

/// The file name of a code's page in the book: `limit--shared.html`.
pub(super) fn page_of(code: &str) -> String {
    format!("{}.html", code.replace("::", "--"))
}

pub(super) fn edits(list: &[TextEdit]) -> Vec<Value> {
    list.iter()
        .map(|edit| json!({"range": from_range(edit.range), "newText": edit.text}))
        .collect()
}

pub(super) fn hint(found: &Hint) -> Value {
    json!({
        "position": from_place(found.place),
        "label": found.text,
        "paddingLeft": true,
    })
}

pub(super) fn lens(found: &Lens) -> Value {
    let at = Range {
        start: found.place,
        end: found.place,
    };
    // The protocol requires a command; this one does nothing.
    json!({
        "range": from_range(at),
        "command": {"title": found.text, "command": ""},
    })
}

pub(super) fn hover(found: &Hover) -> Value {
    json!({
        "contents": {"kind": "markdown", "value": found.text},
        "range": from_range(found.range),
    })
}

pub(super) fn completions(found: &[Completion]) -> Value {
    let items = found.iter().enumerate();
    let items: Vec<Value> = items.map(|(at, found)| completion(at, found)).collect();
    json!({"isIncomplete": false, "items": items})
}

fn completion(at: usize, found: &Completion) -> Value {
    let kind = match found.kind {
        CompletionKind::Keyword => 14,
        CompletionKind::Snippet => 15,
        CompletionKind::Sign => 12,
        CompletionKind::Function => 3,
        CompletionKind::Quantity => 10,
        CompletionKind::Parameter => 21,
        CompletionKind::Variable => 6,
        CompletionKind::Kernel => 2,
        CompletionKind::Lint | CompletionKind::Choice => 20,
    };
    json!({
        "label": found.label,
        "kind": kind,
        "detail": found.detail,
        "insertTextFormat": if found.is_snippet { 2 } else { 1 },
        "sortText": format!("{at:04}"),
        "filterText": found.label,
        "textEdit": {"range": from_range(found.range), "newText": found.text},
    })
}

pub(super) fn signature(found: &Signature) -> Value {
    let arguments = found.arguments.iter().map(|it| json!({"label": it}));
    json!({
        "signatures": [{
            "label": found.form,
            "parameters": arguments.collect::<Vec<_>>(),
        }],
        "activeSignature": 0,
        "activeParameter": found.active,
    })
}

pub(super) fn action(source: &Source, uri: &str, found: &Action) -> Value {
    let mut out = json!({
        "title": found.title,
        "kind": match found.kind {
            ActionKind::Fix => "quickfix",
            ActionKind::FixAll => "source.fixAll",
            ActionKind::Rewrite => "refactor.rewrite",
        },
        "edit": {"changes": {uri: edits(&found.edits)}},
    });
    if let Some(mended) = &found.mends {
        out["diagnostics"] = json!([diagnostic(source, uri, mended, None)]);
        out["isPreferred"] = found.preferred.into();
    }
    out
}

pub(super) fn highlight(found: &Highlight) -> Value {
    json!({
        "range": from_range(found.range),
        "kind": if found.writes { 3 } else { 2 },
    })
}

pub(super) fn outline(found: &Outline) -> Value {
    let kind = match found.kind {
        SymbolKind::Algorithm => 2,
        SymbolKind::Kernel => 12,
        SymbolKind::Variable(_) | SymbolKind::KernelArray => 18,
        SymbolKind::Let => 14,
        SymbolKind::Formal
        | SymbolKind::KernelNumber
        | SymbolKind::Mp
        | SymbolKind::Core
        | SymbolKind::Loop
        | SymbolKind::Binder => 13,
    };
    json!({
        "name": found.name,
        "detail": found.detail,
        "kind": kind,
        "range": from_range(found.range),
        "selectionRange": from_range(found.selection),
        "children": found.children.iter().map(outline).collect::<Vec<_>>(),
    })
}

pub(super) fn fold(found: &Fold) -> Value {
    json!({
        "startLine": found.first,
        "endLine": found.last,
        "kind": if found.is_comment { "comment" } else { "region" },
    })
}

/// Converts nested ranges, innermost first, to a chain of parents.
pub(super) fn selection(ranges: &[Range]) -> Value {
    let mut chain = Value::Null;
    for range in ranges.iter().rev() {
        let mut link = json!({"range": from_range(*range)});
        if !chain.is_null() {
            link["parent"] = chain;
        }
        chain = link;
    }
    chain
}

/// Encodes tokens as numbers, each relative to the one before.
pub(super) fn tokens(list: &[SemanticToken]) -> Vec<u32> {
    let mut data = Vec::with_capacity(list.len() * 5);
    let mut before = Place::default();
    for token in list {
        let line = token.place.line - before.line;
        let character = match line {
            0 => token.place.character - before.character,
            _ => token.place.character,
        };
        data.extend([line, character, token.length, token.kind, token.modifiers]);
        before = token.place;
    }
    data
}
