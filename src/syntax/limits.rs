//! Fixed limits that keep any input, however broken, from exhausting the stack or the clock.
//!
//! Brackets and quantifiers are counted over the characters of a line before it is parsed. Blocks
//! and
//! operators are counted where they are put together. Later phases recurse on the tree, so its
//! depth is
//! limited here for all of them.

use crate::syntax::error::SyntaxError;
use crate::text::Span;

/// Most open brackets (and quantifiers) inside each other.
const MAX_BRACKETS: usize = 128;

/// Most open blocks inside each other.
pub(super) const MAX_BLOCKS: usize = 128;

/// Most levels of an expression's tree, brackets included.
pub(super) const MAX_EXPRESSION_DEPTH: usize = 256;

/// Most bytes of a line without its comment.
const MAX_LINE_LENGTH: usize = 1 << 20;

/// Most characters of a number: converting one takes quadratic time.
pub(super) const MAX_NUMBER_LENGTH: usize = 4096;

/// Returns the depth of the brackets and quantifiers of a line. Fails if the line is too long or
/// too
/// deep to be parsed.
pub(super) fn check_line(text: &str, line_start: usize) -> Result<usize, SyntaxError> {
    // The parser recurses on brackets, so they are counted on the text first. A quantifier has no
    // closing sign: its body runs on to the end of the bracket around it, so its level ends there.
    let code = without_comment(text);
    let at =
        |offset: usize, length: usize| Span::new(line_start + offset, line_start + offset + length);
    if code.len() > MAX_LINE_LENGTH {
        return Err(SyntaxError::TooLong {
            length: code.len(),
            limit: MAX_LINE_LENGTH,
            span: at(0, code.chars().next().map_or(0, char::len_utf8)),
        });
    }
    // For each open bracket, the levels that it and the quantifiers behind it added.
    let mut open: Vec<usize> = vec![0];
    let (mut depth, mut deepest) = (0, 0);
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let offset = code.len() - rest.len();
        let mut taken = first.len_utf8();
        match first {
            '(' | '[' | '{' | '⌈' | '⌊' => {
                open.push(1);
                depth += 1;
            }
            ')' | ']' | '}' | '⌉' | '⌋' if open.len() > 1 => {
                depth -= open.pop().unwrap_or(0);
            }
            _ => {
                let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                let is_quantifier = match &rest[..word] {
                    "" => matches!(first, '∀' | '∃' | '∑' | 'Σ'),
                    "forall" | "exists" | "sum" => true,
                    // `min(` is a call, `min x ∈ …` a quantifier.
                    "min" | "max" => !rest[word..].trim_start().starts_with('('),
                    _ => false,
                };
                taken = taken.max(word);
                if is_quantifier {
                    depth += 1;
                    if let Some(levels) = open.last_mut() {
                        *levels += 1;
                    }
                }
            }
        }
        if depth > MAX_BRACKETS {
            return Err(brackets_too_deep(at(offset, taken)));
        }
        deepest = deepest.max(depth);
        rest = &rest[taken..];
    }
    Ok(deepest)
}

/// Shortens a piece of the user's text for a message.
pub(super) fn abbreviated(text: &str) -> String {
    const SHOWN: usize = 60;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns the error for brackets beyond the limit.
pub(super) fn brackets_too_deep(span: Span) -> SyntaxError {
    SyntaxError::TooDeep {
        what: "brackets",
        limit: MAX_BRACKETS,
        help: "name parts of the expression with `let`",
        span,
    }
}

/// Returns true if a character belongs to words: names, keywords and numbers.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() && !matches!(c, 'Σ' | 'Θ') || matches!(c, '_' | '\'' | '′')
}

/// Returns the line up to its comment.
pub(crate) fn without_comment(text: &str) -> &str {
    let end = [text.find('▷'), text.find("//")];
    &text[..end.into_iter().flatten().min().unwrap_or(text.len())]
}

/// True if a line ends within an expression, as a statement of several lines would.
pub(super) fn goes_on(code: &str) -> bool {
    let code = code.trim_end();
    let within = ['+', '-', '−', '*', '·', '/', '^', ',', '(', '∧', '∨'];
    let closes = ["++", "--", "*/"];
    code.ends_with(within) && !closes.iter().any(|mark| code.ends_with(mark))
}

/// Returns a line behind its label.
pub(super) fn without_label(line: &str) -> &str {
    match line.split_once(':') {
        Some((label, code)) if label.trim().chars().all(|c| c.is_ascii_digit()) => code,
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_accepted(text: &str) -> bool {
        check_line(text, 0).is_ok()
    }

    #[test]
    fn depth_counts_what_is_open() {
        assert!(is_accepted(&"(".repeat(MAX_BRACKETS)));
        assert!(!is_accepted(&"(".repeat(MAX_BRACKETS + 1)));
        assert!(is_accepted(&"(n)[n]⌈n⌉".repeat(1000)));
        assert!(is_accepted(&"(Σ x ∈ 0..1 : x) + ".repeat(1000)));
        assert!(!is_accepted(&"Σx∈0..".repeat(MAX_BRACKETS + 1)));
        assert!(is_accepted(&"min(n, m) + forallx + ".repeat(1000)));
        assert!(!is_accepted(&"min x ∈ 0..".repeat(MAX_BRACKETS + 1)));
        assert!(is_accepted(&format!("a ▷ {}", "(".repeat(1000))));
        assert!(is_accepted(&")".repeat(1000)));
    }

    #[test]
    fn comments_and_labels_come_off() {
        assert_eq!(without_comment("a // b ▷ c"), "a ");
        assert_eq!(without_comment("a ▷ b // c"), "a ");
        assert_eq!(without_label(" 12 : a"), " a");
        assert_eq!(without_label("A[n] : float"), "A[n] : float");
    }
}
