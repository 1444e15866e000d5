//! Diagnostics as SARIF 2.1.0 (OASIS standard), for code scanning and editors.
//!
//! The log has one run, one rule per code that occurs, and one result per diagnostic, with its other labels
//! as related locations. A diagnostic without a source (a file that cannot be read) becomes a notification
//! of the tool.
//! notifications of the tool.

use serde_json::{Value, json};

use crate::diag::{Code, Diagnostic, Fix, Severity};
use crate::text::{Source, Span};

/// Renders the log of one invocation.
pub fn sarif<'a>(
    findings: impl IntoIterator<Item = (Option<&'a Source>, &'a Diagnostic)>,
) -> Value {
    let mut rules: Vec<Code> = Vec::new();
    let mut results = Vec::new();
    let mut notifications = Vec::new();
    for (source, diagnostic) in findings {
        // A finding outside any text is no result about a file. It becomes a notification of the tool.
        let Some(source) = source else {
            notifications.push(json!({
                "level": level(diagnostic.severity),
                "message": {"text": text(diagnostic)},
                "descriptor": {"id": diagnostic.code.name()},
            }));
            continue;
        };
        let known = rules.iter().position(|code| *code == diagnostic.code);
        let rule = known.unwrap_or_else(|| {
            rules.push(diagnostic.code);
            rules.len() - 1
        });
        results.push(result(source, diagnostic, rule));
    }
    let failed = notifications.iter().any(|told| told["level"] == "error");
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "atgpu",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.into_iter().map(rule).collect::<Vec<_>>(),
            }},
            "invocations": [{
                "executionSuccessful": !failed,
                "toolExecutionNotifications": notifications,
            }],
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn rule(code: Code) -> Value {
    json!({
        "id": code.name(),
        "shortDescription": {"text": code.summary()},
        "help": {"text": format!("`atgpu explain {}` shows an example and what to write instead.", code.short_name())},
        "defaultConfiguration": {"level": level(code.severity())},
    })
}

fn result(source: &Source, diagnostic: &Diagnostic, rule: usize) -> Value {
    let primary = diagnostic.primary().map(|label| label.span);
    let related: Vec<Value> = diagnostic
        .labels
        .iter()
        .filter(|label| !label.primary)
        .enumerate()
        .map(|(id, label)| {
            let mut place = location(source, label.span);
            place["id"] = id.into();
            if !label.text.is_empty() {
                place["message"] = json!({"text": label.text});
            }
            place
        })
        .collect();
    let mut found = json!({
        "ruleId": diagnostic.code.name(),
        "ruleIndex": rule,
        "level": level(diagnostic.severity),
        "message": {"text": text(diagnostic)},
        // A diagnostic about the whole text is located at its start.
        "locations": [location(source, primary.unwrap_or(Span::new(0, 0)))],
    });
    if !related.is_empty() {
        found["relatedLocations"] = related.into();
    }
    if !diagnostic.fixes.is_empty() {
        let fixes = diagnostic.fixes.iter().map(|it| fix(source, it));
        found["fixes"] = fixes.collect::<Vec<_>>().into();
    }
    found
}

fn fix(source: &Source, fix: &Fix) -> Value {
    let replacements = fix.edits.iter().map(|edit| {
        json!({
            "deletedRegion": region(source, edit.span),
            "insertedContent": {"text": edit.text},
        })
    });
    json!({
        "description": {"text": fix.title},
        "artifactChanges": [{
            "artifactLocation": {"uri": uri(source.name())},
            "replacements": replacements.collect::<Vec<_>>(),
        }],
    })
}

fn region(source: &Source, span: Span) -> Value {
    let start = source.position(span.start);
    let end = source.position(span.end.max(span.start));
    json!({
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    })
}

fn location(source: &Source, span: Span) -> Value {
    json!({"physicalLocation": {
        "artifactLocation": {"uri": uri(source.name())},
        "region": region(source, span),
    }})
}

fn level(severity: Severity) -> &'static str {
    severity.word()
}

fn text(diagnostic: &Diagnostic) -> String {
    match &diagnostic.help {
        Some(help) => format!("{} ({help})", diagnostic.message),
        None => diagnostic.message.to_string(),
    }
}

/// A path as a URI reference: bytes other than letters, digits and `-._~/` become `%XX`. Drives and
/// absolute paths become `file:` URIs.
fn uri(path: &str) -> String {
    let path = path.replace('\\', "/");
    let mut out = match path.as_bytes() {
        [b'/', ..] => "file://".to_owned(),
        [drive, b':', b'/', ..] if drive.is_ascii_alphabetic() => "file:///".to_owned(),
        _ => String::new(),
    };
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_uris() {
        assert_eq!(uri("programs/scan.atgpu"), "programs/scan.atgpu");
        assert_eq!(uri("a b/é#.atgpu"), "a%20b/%C3%A9%23.atgpu");
        assert_eq!(uri("/tmp/x.atgpu"), "file:///tmp/x.atgpu");
        assert_eq!(uri("C:\\x\\y.atgpu"), "file:///C%3A/x/y.atgpu");
    }
}
