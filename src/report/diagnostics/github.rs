//! Diagnostics as annotations of GitHub Actions: workflow commands, one per line. The log of a job shows
//! them at the lines of a pull request.

use crate::diag::{Diagnostic, Severity};
use crate::text::Source;

/// One command: `::error file=scan.atgpu,line=3,col=7,…::no variable …`.
pub fn annotation(source: Option<&Source>, diagnostic: &Diagnostic) -> String {
    let command = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let mut properties = Vec::new();
    if let (Some(source), Some(label)) = (source, diagnostic.primary()) {
        let start = source.position(label.span.start);
        let end = source.position(label.span.end.max(label.span.start));
        properties.push(("file", source.name().to_owned()));
        properties.push(("line", start.line.to_string()));
        properties.push(("endLine", end.line.to_string()));
        // GitHub shows columns only for a span within one line.
        if start.line == end.line {
            properties.push(("col", start.column.to_string()));
            properties.push(("endColumn", end.column.to_string()));
        }
    }
    properties.push(("title", diagnostic.code.name().to_owned()));
    let properties: Vec<String> = properties
        .iter()
        .map(|(key, value)| format!("{key}={}", escaped(value, &['%', '\r', '\n', ':', ','])))
        .collect();
    let help = diagnostic.help.as_ref().map(|help| format!("\n{help}"));
    let text = format!("{}{}", diagnostic.message, help.unwrap_or_default());
    format!(
        "::{command} {}::{}\n",
        properties.join(","),
        escaped(&text, &['%', '\r', '\n'])
    )
}

/// Escapes characters that would end a property or a command as `%XX`.
fn escaped(text: &str, unsafe_ones: &[char]) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if unsafe_ones.contains(&c) {
            out.push_str(&format!("%{:02X}", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::{Code, Label};
    use crate::text::Span;

    #[test]
    fn nothing_in_a_message_or_a_name_ends_the_command() {
        let source = Source::new("a,b:c%.atgpu", "algorithm T\n  a ⇚ A\n");
        let at = source.text().find('A').expect("there");
        let fault = |span| Diagnostic {
            code: Code::find("name::unknown").expect("in the table"),
            severity: Severity::Note,
            message: "100% unknown: `A`".into(),
            help: Some("a::b\nc".into()),
            fixes: Vec::new(),
            labels: vec![Label {
                text: String::new(),
                span,
                primary: true,
            }],
        };
        let shown = annotation(Some(&source), &fault(Span::new(at, at + 1)));
        let expected = "::notice file=a%2Cb%3Ac%25.atgpu,line=2,endLine=2,col=7,endColumn=8,\
                        title=atgpu%3A%3Aname%3A%3Aunknown::100%25 unknown: `A`%0Aa::b%0Ac\n";
        assert_eq!(shown, expected);
        let lines = annotation(Some(&source), &fault(Span::new(0, at)));
        assert!(lines.contains("line=1,endLine=2,title="), "{lines}");
        let bare = annotation(None, &fault(Span::new(0, 0)));
        assert!(bare.starts_with("::notice title="), "{bare}");
    }
}
