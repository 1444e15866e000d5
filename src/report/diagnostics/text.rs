//! Diagnostics in plain text, without colour or a terminal: for logs, panics and build scripts.

use crate::diag::Diagnostic;
use crate::text::{Position, Source, Span};

/// Limit on the length of a source line that is shown, in characters.
const LONGEST_LINE: usize = 160;

/// The position of a diagnostic: line and column of its primary label.
pub(crate) fn position(source: Option<&Source>, diagnostic: &Diagnostic) -> Option<Position> {
    let label = diagnostic.primary()?;
    Some(source?.position(label.span.start))
}

/// Renders one line: position, message, help and code.
pub(crate) fn line(source: Option<&Source>, diagnostic: &Diagnostic) -> String {
    let help = diagnostic.help.as_ref();
    let help = help.map(|help| format!(" ({})", one_line(help)));
    format!(
        "{}{}{} [{}]",
        place(source, diagnostic),
        one_line(&diagnostic.message),
        help.unwrap_or_default(),
        diagnostic.code
    )
}

/// Renders a paragraph: position, severity, code and message, each labelled source line, and the help.
///
/// ```text
/// scan.atgpu:3:7: error[atgpu::name::unknown]: no variable `A` is known here
///   3 |   a ⇚ A
///     |       ^ not declared
///   help: did you mean `B`?
/// ```
pub(crate) fn diagnostic(source: Option<&Source>, diagnostic: &Diagnostic) -> String {
    let mut out = format!(
        "{}{}[{}]: {}\n",
        place(source, diagnostic),
        diagnostic.severity.word(),
        diagnostic.code,
        diagnostic.message
    );
    if let Some(source) = source {
        let last = diagnostic.labels.iter().map(|label| label.span.start).max();
        let width = last.map_or(0, |at| source.line_of(at).to_string().len());
        for label in &diagnostic.labels {
            out.push_str(&pointed(
                source,
                label.span,
                label.primary,
                &label.text,
                width,
            ));
        }
    }
    if let Some(help) = &diagnostic.help {
        out.push_str(&format!("  help: {}\n", help.replace('\n', "\n        ")));
    }
    out
}

fn place(source: Option<&Source>, diagnostic: &Diagnostic) -> String {
    match (source, position(source, diagnostic)) {
        (Some(source), Some(at)) => format!("{}:{at}: ", source.name()),
        (Some(_) | None, _) => String::new(),
    }
}

/// The first line of a span, with marks below.
fn pointed(source: &Source, span: Span, primary: bool, text: &str, width: usize) -> String {
    let start = source.position(span.start);
    let line = source.slice(source.line_span(start.line));
    if line.chars().count() > LONGEST_LINE {
        return match text {
            "" => String::new(),
            text => format!("  {:width$} : {text}\n", start.line),
        };
    }
    let end = source.position(span.end.max(span.start));
    // A span of several lines is marked to the end of its first line. Tabs stay tabs below, so that the
    // marks stand under their text.
    let last = if end.line == start.line {
        end.column
    } else {
        line.chars().count() + 1
    };
    let mark = if primary { "^" } else { "-" };
    let marks = mark.repeat(last.saturating_sub(start.column).max(1));
    let space: String = line
        .chars()
        .take(start.column - 1)
        .map(|c| if c == '\t' { '\t' } else { ' ' })
        .collect();
    let text = if text.is_empty() {
        String::new()
    } else {
        format!(" {text}")
    };
    format!(
        "  {:width$} | {line}\n  {:width$} | {space}{marks}{text}\n",
        start.line, ""
    )
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::{Code, Label, Severity};

    fn fault(labels: Vec<Label>) -> Diagnostic {
        Diagnostic {
            code: Code::find("name::unknown").expect("in the table"),
            severity: Severity::Error,
            message: "nothing declares `A`".into(),
            help: Some("did you\nmean `B`?".into()),
            fixes: Vec::new(),
            labels,
        }
    }

    fn label(span: Span, primary: bool, text: &str) -> Label {
        Label {
            text: text.into(),
            span,
            primary,
        }
    }

    #[test]
    fn shows_every_place_of_the_story() {
        let source = Source::new("t.atgpu", "algorithm T\n\ta ⇚ A[1]\n");
        let at = source.text().find('A').expect("there");
        let labels = vec![
            label(Span::new(at, at + 4), true, "not declared"),
            label(Span::new(0, 9), false, ""),
        ];
        let text = diagnostic(Some(&source), &fault(labels.clone()));
        let expected = "t.atgpu:2:6: error[atgpu::name::unknown]: nothing declares `A`\n  \
                        2 | \ta ⇚ A[1]\n    | \t    ^^^^ not declared\n  \
                        1 | algorithm T\n    | ---------\n  \
                        help: did you\n        mean `B`?\n";
        assert_eq!(text, expected);
        assert_eq!(
            line(Some(&source), &fault(labels)),
            "t.atgpu:2:6: nothing declares `A` (did you mean `B`?) [atgpu::name::unknown]"
        );
    }

    /// Places that are no place, or drown the message, are left out.
    #[test]
    fn odd_places_are_harmless() {
        let source = Source::new("t", &format!("{}\nx", "é".repeat(500)));
        for span in [
            Span::new(4, 6),
            Span::new(9000, 9001),
            Span::new(5, 2),
            Span::new(0, 1002),
        ] {
            let text = diagnostic(Some(&source), &fault(vec![label(span, true, "here")]));
            assert!(text.lines().all(|line| line.len() < 80), "{text}");
        }
        let text = diagnostic(None, &fault(Vec::new()));
        assert!(
            text.starts_with("error[atgpu::name::unknown]: nothing"),
            "{text}"
        );
        assert!(line(None, &fault(Vec::new())).starts_with("nothing declares"));
    }
}
