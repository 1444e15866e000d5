//! `lint::comment`: a comment that another language reads as a quotient, `_x[j] ← _x[j] // 2`; and `lint::invisible`.

use crate::check::context::Context;
use crate::check::error::CheckLint;
use crate::syntax::without_comment;
use crate::text::{Span, is_invisible};

/// Reports every character that a reader does not see. A byte order mark at the very beginning is none of the text.
pub(super) fn check_characters(ctx: &mut Context) {
    let text = ctx.source.text();
    for (at, c) in text.char_indices().filter(|(_, c)| is_invisible(*c)) {
        if at > 0 {
            ctx.report(&CheckLint::Invisible {
                code: format!("U+{:04X}", u32::from(c)),
                span: Span::new(at, at + c.len_utf8()),
            });
        }
    }
}

/// Words on the lines of which an expression may end.
const COMPUTING: [&str; 4] = ["let", "require", "claim", "ensure"];

/// Reports every `//` behind an operand with nothing but a divisor behind it.
pub(super) fn check(ctx: &mut Context) {
    let source = ctx.source;
    for line in 1..=source.line_count() {
        let span = source.line_span(line);
        let text = source.slice(span);
        let code = without_comment(text);
        let Some(behind) = text[code.len()..].strip_prefix("//") else {
            continue;
        };
        let computes = code.contains('←')
            || code.contains("<-")
            || code
                .split_whitespace()
                .any(|word| COMPUTING.contains(&word));
        let is_operand = |c: char| c.is_alphanumeric() || matches!(c, '_' | ']' | ')');
        let Some(divisor) = divisor(behind).filter(|divisor| is_divisor(divisor, ctx)) else {
            continue;
        };
        if computes && code.trim_end().ends_with(is_operand) {
            let start = span.start + code.len();
            ctx.report(&CheckLint::CommentedDivisor {
                divisor: divisor.to_owned(),
                span: Span::new(start, start + 2),
            });
        }
    }
}

/// Returns true for a number from 2 on, or a parameter.
fn is_divisor(text: &str, ctx: &Context) -> bool {
    match text.parse::<u64>() {
        Ok(number) => number >= 2,
        Err(_) => ctx.parameters.look_up(text).is_some(),
    }
}

/// Returns the number or name that a text begins with, if all of it reads as the rest of an expression:
/// `4`, `4 + 1`, but not `2 words`.
fn divisor(text: &str) -> Option<&str> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    let (first, rest) = text.split_at(end.unwrap_or(text.len()));
    let rest = rest.trim_start();
    let goes_on =
        rest.is_empty() || rest.starts_with(['+', '-', '−', '*', '·', '/', '^', ')', ']', ',']);
    (!first.is_empty() && goes_on).then_some(first)
}
