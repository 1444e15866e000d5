//! Diagnostics of lines that the grammar does not accept.
//!
//! Takes the furthest place that the grammar reached and the constructs that would have fitted
//! there;
//! gives one diagnostic in the user's words.

mod advice;
mod fitting;
mod foreign;
mod hint;
mod remedy;
mod rewritten;

use crate::diag::Fix;
use crate::syntax::error::SyntaxError;
use crate::syntax::expected::fitting::{END_OF_LINE, Fitting};
pub(super) use crate::syntax::expected::hint::is_reserved;
use crate::syntax::expected::hint::{foreign_letter, hint, strange};
use crate::syntax::expected::remedy::Stopped;
use crate::syntax::limits::{
    abbreviated, brackets_too_deep, check_line, is_word, without_comment, without_label,
};
use crate::syntax::parser::{Form, Stop, parse_line};
use crate::text::{Source, Span};

/// Returns the diagnostic for a line that stopped the grammar.
pub(super) fn blame(source: &Source, line: Span, stop: Stop) -> SyntaxError {
    let (offset, fitting) = match stop {
        Stop::At { offset, fitting } => (offset, fitting),
        Stop::OutOfStack => {
            return brackets_too_deep(line);
        }
    };
    let code = without_comment(source.slice(line));
    let before = code.get(..offset - line.start).unwrap_or(code);
    let rest = code.get(offset - line.start..).unwrap_or("");
    let skipped = rest.len() - rest.trim_start().len();
    let token = token(rest.trim_start());
    let start = offset + skipped;
    let span = if token.is_empty() {
        // At the end of the line, point behind the last thing that stands there.
        let end = line.start + before.trim_end().len();
        Span::new(end, end)
    } else {
        Span::new(start, start + token.len())
    };
    if fitting.contains(&Form::name) && is_reserved(token) {
        let is_wrapper = token == "forall" && without_label(before).trim().is_empty();
        let is_power = rest.split_whitespace().take(3).eq(["is", "power", "of"]);
        return SyntaxError::ReservedWord {
            word: abbreviated(token),
            fixes: if is_wrapper {
                vec![Fix::write(span, "for all")]
            } else if is_power {
                vec![Fix::write(span, "is a")]
            } else {
                Vec::new()
            },
            help: match (token, without_label(before).trim()) {
                ("is", _) if rest.contains("divisible") || rest.contains("multiple") => {
                    "write `b | n`: b divides n"
                }
                ("for", before) if !before.is_empty() => {
                    "write `∀ x ∈ 0..n-1 : c` for every x, `∃` for some, `Σ` for a sum"
                }
                ("forall", "") => "write `for all`; `forall` is the quantifier ∀",
                ("to" | "downto", _) if before.contains(" in ") || before.contains('∈') => {
                    "write a range as `lo..hi`; `to` stands in `for v = lo to hi do`"
                }
                ("is", _) if is_power => "write `is a power of`",
                ("if", before) if !before.is_empty() => {
                    "write `select(c, x, y)` for x where c holds and y elsewhere, or put the statement between `if c then` and `end if`"
                }
                _ => "choose another name",
            },
            span,
        };
    }
    let line = Stopped {
        source,
        line,
        code,
        span,
    };
    if let Some((character, hint)) = strange(token, before, rest) {
        return SyntaxError::StrangeCharacter {
            character,
            fixes: line.character_fixes(hint.as_ref()),
            help: hint.map(|hint| hint.help),
            span,
        };
    }
    let fitting = Fitting::of(&fitting);
    let hint = foreign_letter(line.code)
        .or_else(|| hint((line.code, before.trim()), token, rest, &fitting));
    SyntaxError::Unexpected {
        expected: fitting.phrase(),
        found: match token {
            "" => END_OF_LINE.to_owned(),
            _ => format!("`{}`", abbreviated(token)),
        },
        fixes: hint
            .as_ref()
            .map_or_else(Vec::new, |hint| line.fixes(&hint.remedy)),
        help: hint.map(|hint| hint.help),
        span,
    }
}

/// The constructs that may follow the beginning of a line.
pub(crate) struct Continuation {
    /// A whole statement: only a label stands before.
    pub statement: bool,
    /// An operand of an expression.
    pub operand: bool,
    /// A name: of a variable, or to be declared here.
    pub name: bool,
    /// A quantity of a claim.
    pub quantity: bool,
    /// Words of the grammar, in no meaningful order.
    pub keywords: Vec<String>,
}

/// Returns the constructs that may follow the beginning of a line; `None` if the beginning is
/// faulty
/// itself or ends in a comment.
pub(crate) fn continuation(beginning: &str) -> Option<Continuation> {
    if without_comment(beginning).len() < beginning.len() {
        return None;
    }
    // No line contains this character, so the grammar stops there at the latest and tells what
    // fits.
    let line = format!("{beginning}\u{1}");
    let levels = check_line(&line, 0).ok()?;
    let Err(Stop::At { offset, fitting }) = parse_line(&line, 0, levels) else {
        return None;
    };
    if offset < beginning.trim_end().len() {
        return None;
    }
    let is_quantity = fitting.contains(&Form::quantity);
    let fitting = Fitting::of(&fitting);
    Some(Continuation {
        statement: without_label(beginning).trim().is_empty(),
        operand: fitting.operand && !fitting.operator,
        name: fitting.has("a name"),
        quantity: is_quantity,
        keywords: fitting.keywords().map(str::to_owned).collect(),
    })
}

/// Returns the token at the start of the text: a word, a number, or one mark.
fn token(text: &str) -> &str {
    const MARKS: [&str; 10] = [
        "<==", "<->", "...", "<=", ">=", "!=", "==", "~=", "<-", "..",
    ];
    let Some(first) = text.chars().next() else {
        return "";
    };
    if is_word(first) {
        let end = text.find(|c: char| !is_word(c)).unwrap_or(text.len());
        return &text[..end];
    }
    let mark = MARKS.into_iter().find(|mark| text.starts_with(mark));
    &text[..mark.map_or(first.len_utf8(), str::len)]
}
