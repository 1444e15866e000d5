//! The fixes of faulty syntax: each error's help, as edits.

use crate::diag::{Fix, Mend};
use crate::syntax::error::SyntaxError;
use crate::syntax::limits::{is_word, without_comment};
use crate::syntax::signs::spelled;
use crate::text::{Source, Span};

impl Mend for SyntaxError {
    fn fixes(&self, source: &Source) -> Vec<Fix> {
        match self {
            SyntaxError::Unexpected { fixes, .. }
            | SyntaxError::StrangeCharacter { fixes, .. }
            | SyntaxError::ReservedWord { fixes, .. } => fixes.clone(),
            SyntaxError::ReservedAlias { letter, span, .. } => {
                vec![Fix::write(*span, letter.as_str())]
            }
            SyntaxError::StrayEnd { found, span } => {
                vec![
                    Fix::titled(format!("delete `{found}`"), removed_code(source, *span), "")
                        .choice(),
                ]
            }
            SyntaxError::WrongEnd {
                wanted,
                before: "instead",
                span,
                ..
            } => vec![Fix::write(*span, *wanted)],
            SyntaxError::WrongEnd {
                wanted,
                span,
                opened,
                ..
            } => vec![line_before(source, *span, *opened, wanted)],
            SyntaxError::MissingEnd {
                wanted,
                span,
                noticed,
                end,
                ..
            } => vec![line_before(source, noticed.unwrap_or(*end), *span, wanted)],
            SyntaxError::ElseBranch {
                conditions: Some([_, condition]),
                span,
                ..
            } => {
                let indent = indent(source, span.start);
                let condition = spelled(source, condition);
                let text = format!("end if\n{indent}if {condition} then");
                let title = format!("split into two `if`s: `if {condition} then`");
                vec![Fix::titled(title, *span, text).choice()]
            }
            SyntaxError::AmbiguousProduct { span, factor, .. } => {
                let product = source.slice(*span).trim_end();
                let end = span.start + product.len();
                let start = end - product.trim_start().len();
                let behind = Span::new(factor.end, factor.end + gap(source, factor.end));
                vec![
                    Fix {
                        title: format!("divide by all of it: `({})`", product.trim_start()),
                        ..Fix::write(Span::new(start, start), "(").and(Span::new(end, end), ")")
                    }
                    .choice(),
                    Fix::titled(
                        format!("divide by `{}` alone", source.slice(*factor).trim()),
                        behind,
                        spelled(source, "·"),
                    )
                    .choice(),
                ]
            }
            SyntaxError::CoreIndices { wanted, span, .. } => {
                // The label is at the indices; the fix writes the mark and the braces around them too.
                let line = source.line_span(source.line_of(span.start));
                let before = source.slice(Span::new(line.start, span.start));
                let behind = source.slice(Span::new(span.end, line.end));
                let braced = before.ends_with('{') && behind.starts_with('}');
                let mark = "c_".len() + usize::from(braced);
                let end = span.end + usize::from(braced);
                vec![Fix::write(
                    Span::new(span.start - mark, end),
                    wanted.as_str(),
                )]
            }
            SyntaxError::NotAFunction {
                slip: Some((at, function)),
                ..
            } => vec![Fix::write(*at, *function)],
            SyntaxError::NoAlgorithm { .. }
            | SyntaxError::SecondAlgorithm { .. }
            | SyntaxError::AfterEnd { .. }
            | SyntaxError::Misplaced { .. }
            | SyntaxError::LateHeader { .. }
            | SyntaxError::LateKernel { .. }
            | SyntaxError::ElseBranch {
                conditions: None, ..
            }
            | SyntaxError::TooDeep { .. }
            | SyntaxError::TooLong { .. }
            | SyntaxError::NoCoreLoop { .. }
            | SyntaxError::MpDimensions { .. }
            | SyntaxError::MpRank { .. }
            | SyntaxError::Slice { .. }
            | SyntaxError::TransferOfExpression { .. }
            | SyntaxError::OnlyIn { .. }
            | SyntaxError::NotAFunction { slip: None, .. }
            | SyntaxError::Arguments { .. }
            | SyntaxError::UnboundedHostWhile { .. }
            | SyntaxError::HugeNumber { .. } => Vec::new(),
        }
    }
}

/// Inserts a line of its own before the line of `at`, indented as the line of `opened`.
fn line_before(source: &Source, at: Span, opened: Span, text: &str) -> Fix {
    let indent = indent(source, opened.start);
    let line = source.line_span(source.line_of(at.start));
    // At the end of a text without a last line end, a line end must be written first.
    let is_last = at.start == source.text().len() && !line.is_empty();
    let (place, line) = if is_last {
        (at.start, format!("\n{indent}{text}\n"))
    } else {
        (line.start, format!("{indent}{text}\n"))
    };
    Fix {
        title: format!("write `{text}`"),
        ..Fix::write(Span::new(place, place), line)
    }
}

/// Returns the white space at the beginning of an offset's line.
pub(super) fn indent(source: &Source, offset: usize) -> &str {
    let line = source.slice(source.line_span(source.line_of(offset)));
    &line[..line.len() - line.trim_start().len()]
}

/// Counts the bytes of white space at an offset.
fn gap(source: &Source, offset: usize) -> usize {
    let rest = source.text().get(offset..).unwrap_or("");
    rest.len() - rest.trim_start_matches([' ', '\t']).len()
}

/// Returns the text to remove with a piece of code: its whole line, unless more stands there.
pub(crate) fn removed_code(source: &Source, code: Span) -> Span {
    let line = source.line_span(source.line_of(code.start));
    let before = source.slice(Span::new(line.start, code.start));
    let behind = source.slice(Span::new(code.end, line.end));
    if before.trim().is_empty() && behind.trim().is_empty() {
        let rest = &source.text()[line.end..];
        let line_end = rest.len() - rest.trim_start_matches('\r').len();
        let line_end = line_end + usize::from(rest[line_end..].starts_with('\n'));
        Span::new(line.start, line.end + line_end)
    } else {
        code
    }
}

/// Returns every word of the code outside comments, in text order.
pub(crate) fn code_words(source: &Source) -> Vec<Span> {
    let mut words = Vec::new();
    for line in 1..=source.line_count() {
        let span = source.line_span(line);
        let code = without_comment(source.slice(span));
        let mut at = 0;
        while let Some(first) = code[at..].find(is_word) {
            let start = at + first;
            let length = code[start..].find(|c| !is_word(c));
            at = length.map_or(code.len(), |length| start + length);
            words.push(Span::new(span.start + start, span.start + at));
        }
    }
    words
}
