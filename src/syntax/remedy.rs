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
                let title = format!("delete `{found}`");
                vec![Fix::titled(title, removed_code(source, *span), "").choice()]
            }
            SyntaxError::WrongEnd {
                wanted,
                before,
                span,
                opened,
                ..
            } => vec![match *before {
                "instead" => Fix::write(*span, *wanted),
                _ => line_before(source, *span, *opened, wanted),
            }],
            SyntaxError::MissingEnd {
                wanted,
                span,
                noticed,
                end,
                ..
            } => vec![line_before(source, noticed.unwrap_or(*end), *span, wanted)],
            SyntaxError::ElseBranch {
                conditions, span, ..
            } => {
                let split = |[_, condition]: &[String; 2]| split_if(source, *span, condition);
                conditions.iter().map(split).collect()
            }
            SyntaxError::AmbiguousProduct { span, factor, .. } => {
                divisors(source, *span, *factor).into()
            }
            SyntaxError::CoreIndices { wanted, span, .. } => {
                vec![Fix::write(marked_indices(source, *span), wanted.as_str())]
            }
            SyntaxError::NotAFunction { slip, .. } => {
                let meant = |(at, function): &(Span, &'static str)| Fix::write(*at, *function);
                slip.iter().map(meant).collect()
            }
            SyntaxError::NoAlgorithm { .. }
            | SyntaxError::SecondAlgorithm { .. }
            | SyntaxError::AfterEnd { .. }
            | SyntaxError::Misplaced { .. }
            | SyntaxError::LateHeader { .. }
            | SyntaxError::LateKernel { .. }
            | SyntaxError::TooDeep { .. }
            | SyntaxError::TooLong { .. }
            | SyntaxError::NoCoreLoop { .. }
            | SyntaxError::MpDimensions { .. }
            | SyntaxError::MpRank { .. }
            | SyntaxError::Slice { .. }
            | SyntaxError::TransferOfExpression { .. }
            | SyntaxError::OnlyIn { .. }
            | SyntaxError::Arguments { .. }
            | SyntaxError::UnboundedHostWhile { .. }
            | SyntaxError::HugeNumber { .. } => Vec::new(),
        }
    }
}

/// Ends the `if` before its second condition and begins another one with it.
fn split_if(source: &Source, span: Span, condition: &str) -> Fix {
    let indent = indent(source, span.start);
    let condition = spelled(source, condition);
    let text = format!("end if\n{indent}if {condition} then");
    let title = format!("split into two `if`s: `if {condition} then`");
    Fix::titled(title, span, text).choice()
}

/// The two readings of `x / y z`: division by the whole product, and by its first `factor` alone.
fn divisors(source: &Source, product: Span, factor: Span) -> [Fix; 2] {
    let text = source.slice(product).trim_end();
    let end = product.start + text.len();
    let start = end - text.trim_start().len();
    let whole = Fix {
        title: format!("divide by all of it: `({})`", text.trim_start()),
        ..Fix::write(Span::new(start, start), "(").and(Span::new(end, end), ")")
    };
    let behind = Span::new(factor.end, factor.end + gap(source, factor.end));
    let title = format!("divide by `{}` alone", source.slice(factor).trim());
    let first = Fix::titled(title, behind, spelled(source, "·"));
    [whole.choice(), first.choice()]
}

/// The span of core indices with the mark `c_` and the braces around them, if any: `c_{i, j}`.
fn marked_indices(source: &Source, indices: Span) -> Span {
    let line = source.line_span(source.line_of(indices.start));
    let before = source.slice(Span::new(line.start, indices.start));
    let behind = source.slice(Span::new(indices.end, line.end));
    let braced = before.ends_with('{') && behind.starts_with('}');
    let mark = "c_".len() + usize::from(braced);
    Span::new(indices.start - mark, indices.end + usize::from(braced))
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
