//! Diagnostics as JSON: spans become lines and columns, both from 1, columns in characters.

use serde::Serialize;
use serde_json::Value;

use crate::diag::{Diagnostic, Fix, Label};
use crate::text::Source;

#[derive(Serialize)]
struct DiagnosticJson<'a> {
    code: &'static str,
    severity: &'static str,
    message: &'a str,
    help: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixes: Vec<FixJson<'a>>,
    labels: Vec<LabelJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
}

#[derive(Serialize)]
struct FixJson<'a> {
    title: &'a str,
    preferred: bool,
    edits: Vec<EditJson<'a>>,
}

#[derive(Serialize)]
struct EditJson<'a> {
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    text: &'a str,
}

#[derive(Serialize)]
struct LabelJson<'a> {
    text: &'a str,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    primary: bool,
}

/// Renders the diagnostics of one source, or of none (a file that cannot be read). `file` is given if the
/// file would be unclear otherwise.
pub fn json<'a>(
    source: Option<&Source>,
    file: Option<&str>,
    list: impl IntoIterator<Item = &'a Diagnostic>,
) -> Vec<Value> {
    list.into_iter()
        .map(|diagnostic| {
            crate::report::json::value(DiagnosticJson {
                code: diagnostic.code.name(),
                severity: diagnostic.severity.word(),
                message: &diagnostic.message,
                help: diagnostic.help.as_deref(),
                fixes: source
                    .into_iter()
                    .flat_map(|source| diagnostic.fixes.iter().map(|it| fix(source, it)))
                    .collect(),
                labels: source
                    .into_iter()
                    .flat_map(|source| diagnostic.labels.iter().map(|label| place(source, label)))
                    .collect(),
                file,
            })
        })
        .collect()
}

fn fix<'a>(source: &Source, fix: &'a Fix) -> FixJson<'a> {
    let edits = fix.edits.iter().map(|edit| {
        let start = source.position(edit.span.start);
        let end = source.position(edit.span.end);
        EditJson {
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            text: &edit.text,
        }
    });
    FixJson {
        title: &fix.title,
        preferred: fix.preferred,
        edits: edits.collect(),
    }
}

fn place<'a>(source: &Source, label: &'a Label) -> LabelJson<'a> {
    let start = source.position(label.span.start);
    let end = source.position(label.span.end.max(label.span.start));
    LabelJson {
        text: &label.text,
        line: start.line,
        column: start.column,
        end_line: end.line,
        end_column: end.column,
        primary: label.primary,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::{Code, Severity};
    use crate::text::Span;

    #[test]
    fn spans_become_lines_and_columns_in_characters() {
        let source = Source::new("t.atgpu", "algorithm T\n  a ⇚ A\n");
        let at = source.text().find('A').expect("there");
        let code = Code::find("name::unknown").expect("in the table");
        let fault = Diagnostic {
            code,
            severity: Severity::Error,
            message: "nothing declares `A`".into(),
            help: None,
            fixes: Vec::new(),
            labels: vec![Label {
                text: "here".into(),
                span: Span::new(at, at + 1),
                primary: true,
            }],
        };
        let found = json(Some(&source), Some("t.atgpu"), [&fault]);
        assert_eq!(
            found[0].to_string(),
            concat!(
                r#"{"code":"atgpu::name::unknown","severity":"error","#,
                r#""message":"nothing declares `A`","help":null,"labels":[{"text":"here","#,
                r#""line":2,"column":7,"end_line":2,"end_column":8,"primary":true}],"#,
                r#""file":"t.atgpu"}"#
            )
        );
        let without = json(None, None, [&fault]);
        assert_eq!(without[0]["labels"].to_string(), "[]");
        assert_eq!(without[0].get("file"), None);
    }
}
