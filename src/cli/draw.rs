//! Diagnostics drawn with their source, 100 columns wide.

use std::borrow::Cow;

use atgpu::diag::Diagnostic;
use atgpu::text::{self, Source};
use miette::{GraphicalReportHandler, GraphicalTheme, Report};

use crate::cli::quoted::ByMemory;

/// Columns a drawing may take.
const WIDTH: usize = 100;

/// Limit on the bytes of a drawn line. Longer lines would bury the message.
const LONGEST_LINE: usize = 400;

/// Draws diagnostics on one source (or none), in colour or not.
pub fn diagnostics<'a>(
    source: Option<&Source>,
    list: impl IntoIterator<Item = &'a Diagnostic>,
    colour: bool,
) -> String {
    let theme = if colour {
        GraphicalTheme::unicode()
    } else {
        GraphicalTheme::unicode_nocolor()
    };
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_width(WIDTH)
        .with_links(false);
    let handler = if colour {
        handler.with_syntax_highlighting(ByMemory)
    } else {
        handler.without_syntax_highlighting()
    };
    let mut out = String::new();
    let source = &source.map(drawable);
    for diagnostic in list {
        let diagnostic = &visible_diagnostic(diagnostic);
        let mut report = Report::new(diagnostic.clone());
        if let Some(source) = source {
            report = report.with_source_code(source.clone());
        }
        let mut drawn = String::new();
        let source = source.as_ref();
        if source.is_some_and(|source| is_on_long_line(source, diagnostic)) {
            drawn = plain(source, diagnostic);
        } else if handler.render_report(&mut drawn, report.as_ref()).is_err() {
            // A span outside of its text cannot be drawn, so the message is printed plainly.
            drawn = plain(source, diagnostic);
        }
        out.push_str(drawn.trim_start_matches('\n'));
        out.push('\n');
    }
    out
}

/// Returns true if a character steers a terminal or the order of the letters, or is not seen at all.
fn is_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t' | '\r') || text::is_invisible(c)
}

/// A text with its control characters written out: what a program's author put there must not steer the terminal of
/// its reader.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_control) {
        return Cow::Borrowed(text);
    }
    let each = text.chars().map(|c| {
        if is_control(c) {
            c.escape_unicode().to_string()
        } else {
            c.to_string()
        }
    });
    Cow::Owned(each.collect())
}

fn visible_diagnostic(diagnostic: &Diagnostic) -> Diagnostic {
    let mut shown = diagnostic.clone();
    if let Cow::Owned(message) = visible(&shown.message) {
        shown.message = message.into();
    }
    shown.help = shown.help.map(|help| visible(&help).into_owned());
    for label in &mut shown.labels {
        label.text = visible(&label.text).into_owned();
    }
    shown
}

/// The source as it is drawn. A control character is replaced by one of as many bytes, so that all spans stay.
fn drawable(source: &Source) -> Source {
    if !source.text().contains(is_control) && !source.name().contains(is_control) {
        return source.clone();
    }
    let stand_in = |c: char| match c.len_utf8() {
        _ if !is_control(c) => c,
        1 => '?',
        2 => '¿',
        _ => '␦',
    };
    let text: String = source.text().chars().map(stand_in).collect();
    Source::new(&visible(source.name()), &text)
}

fn is_on_long_line(source: &Source, diagnostic: &Diagnostic) -> bool {
    let lines = diagnostic.labels.iter().flat_map(|label| {
        let line = source.line_of(label.span.start);
        line.saturating_sub(1)..=line + 1
    });
    lines
        .into_iter()
        .any(|line| source.line_span(line).len() > LONGEST_LINE)
}

/// The diagnostic without a drawing: its place as numbers.
fn plain(source: Option<&Source>, diagnostic: &Diagnostic) -> String {
    let place = match (source, diagnostic.primary()) {
        (Some(source), Some(label)) => {
            let at = source.position(label.span.start);
            format!("{}:{at}: ", source.name())
        }
        _ => String::new(),
    };
    let help = diagnostic
        .help
        .as_ref()
        .map(|help| format!("\n  help: {help}"));
    format!(
        "{}\n\n  × {place}{}{}\n",
        diagnostic.code,
        diagnostic.message,
        help.unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use atgpu::diag::Code;
    use atgpu::text::Span;
    use miette::LabeledSpan;

    fn fault(span: Span) -> Diagnostic {
        let code = Code::find("name::unknown").expect("in the table");
        let mut fault = Diagnostic::new(code, "nothing declares `A`");
        fault.help = Some("did you mean `B`?".into());
        let here = LabeledSpan::new_primary_with_span(Some("here".into()), span);
        fault.labels.push(here.into());
        fault
    }

    #[test]
    fn shows_code_place_and_help_without_colour() {
        let source = Source::new("t.atgpu", "algorithm T\n  a ⇚ A\n");
        let at = source.text().find('A').expect("there");
        let text = diagnostics(Some(&source), [&fault(Span::new(at, at + 1))], false);
        for part in [
            "atgpu::name::unknown",
            "nothing declares",
            "t.atgpu:2:7",
            "did you mean",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains('\u{1b}'));
        let coloured = diagnostics(Some(&source), [&fault(Span::new(at, at + 1))], true);
        assert!(coloured.contains("\u{1b}[33;1m⇚"), "{coloured:?}");
    }

    #[test]
    fn a_program_does_not_steer_the_terminal() {
        let text = "algorithm T\n  a ⇚ A ▷ \u{1b}[2J\u{202e}txet\u{9b}\n";
        let source = Source::new("t\u{1b}]0;x\u{7}.atgpu", text);
        let at = text.find('A').expect("there");
        let mut fault = fault(Span::new(at, at + 1));
        fault.message = "nothing declares `\u{200b}A`".into();
        let drawn = diagnostics(Some(&source), [&fault], false);
        assert!(!drawn.contains(is_control), "{drawn:?}");
        assert!(drawn.contains("\\u{200b}A"), "{drawn}");
        assert!(drawn.contains("t\\u{1b}]0;x\\u{7}.atgpu:2:7"), "{drawn}");
        assert_eq!(visible("a\tb\n"), "a\tb\n");
    }

    #[test]
    fn a_span_outside_its_text_is_still_told() {
        let source = Source::new("t.atgpu", "algorithm T");
        let text = diagnostics(Some(&source), [&fault(Span::new(500, 501))], false);
        assert!(text.contains("nothing declares"), "{text}");
    }
}
