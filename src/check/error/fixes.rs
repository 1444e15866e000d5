//! The fixes of checking's errors: each help, as edits.

use crate::check::error::{AccessError, CheckLint, NameError, Suggestion, SyntaxError, TypeError};
use crate::diag::{Edit, Fix, Mend};
use crate::program::Role;
use crate::syntax::code_words;
use crate::syntax::removed_code;
use crate::syntax::signs::spelled;
use crate::text::{Source, Span};

impl Mend for NameError {
    fn fixes(&self, source: &Source) -> Vec<Fix> {
        match self {
            NameError::Unknown {
                name,
                suggestion: Some(Suggestion::Nearest(nearest) | Suggestion::LooksLike(nearest, _)),
                span,
                ..
            } if source.slice(*span).replace('′', "'") == *name => {
                vec![Fix::write(*span, spelled(source, nearest))]
            }
            NameError::Scope { name, right, .. }
            | NameError::UnderscoreParameter { name, right, .. } => {
                renamed(source, name, right).into_iter().collect()
            }
            NameError::Unknown { .. }
            | NameError::NoVariable { .. }
            | NameError::Cycle { .. }
            | NameError::Duplicate { .. }
            | NameError::OfTheMachine { .. } => Vec::new(),
        }
    }
}

/// Renames every use of a name; `None` if the new name is taken.
fn renamed(source: &Source, name: &str, right: &str) -> Option<Fix> {
    let words = code_words(source);
    if words.iter().any(|word| source.slice(*word) == right) {
        return None;
    }
    let uses = words.into_iter().filter(|word| source.slice(*word) == name);
    Some(Fix {
        title: format!("write `{right}`"),
        edits: uses
            .map(|span| Edit {
                span,
                text: right.to_owned(),
            })
            .collect(),
        preferred: true,
    })
}

impl Mend for AccessError {
    fn fixes(&self, source: &Source) -> Vec<Fix> {
        match self {
            AccessError::WrongArrow { right, span, .. } => {
                vec![Fix::write(*span, spelled(source, right))]
            }
            AccessError::NoGlobalOperand { span, .. } => {
                vec![Fix::write(*span, spelled(source, "←"))]
            }
            AccessError::GlobalToGlobal {
                staging,
                target,
                value,
                span,
                ..
            } => by_way_of(source, *span, staging, [target, "⇐", value]),
            AccessError::ComputedIntoGlobal {
                staging,
                target,
                value,
                span,
                ..
            }
            | AccessError::StoreOfNumber {
                staging,
                target,
                value,
                span,
            }
            | AccessError::StoreOfExpression {
                staging,
                target,
                value,
                span,
            } => by_way_of(source, *span, staging, [target, "←", value]),
            AccessError::NotMoved {
                word,
                staging,
                span,
            } => moved_first(source, *span, word, staging),
            AccessError::TransferInKernel { .. }
            | AccessError::OneSidedTransfer { .. }
            | AccessError::ComputedOnHost { .. }
            | AccessError::AtomicOnGlobal { .. }
            | AccessError::UpdateOfGlobal { .. }
            | AccessError::SwapOfNonGlobal { .. }
            | AccessError::LoadOfExpression { .. }
            | AccessError::DataInFixed { .. }
            | AccessError::RequireOfNonInput { .. }
            | AccessError::HostTestsGlobal { .. }
            | AccessError::HostInKernel { .. }
            | AccessError::SharedOnHost { .. }
            | AccessError::Rank { .. }
            | AccessError::TransferWords { .. }
            | AccessError::SwapShape { .. }
            | AccessError::ArgumentCount { .. }
            | AccessError::ArrayExpected { .. }
            | AccessError::NumberExpected { .. } => Vec::new(),
        }
    }
}

/// Splits a statement in two, by way of a shared word. Only a person can tell if that word is free.
fn by_way_of(
    source: &Source,
    inside: Span,
    staging: &str,
    [target, first, value]: [&str; 3],
) -> Vec<Fix> {
    let (line, indent) = statement(source, inside);
    let text = format!("{staging} {first} {value}\n{indent}{target} ⇐ {staging}");
    let title = format!("go by way of `{staging}`");
    vec![Fix::titled(title, line, spelled(source, &text)).choice()]
}

/// Moves a word to shared memory on a line before its reader.
fn moved_first(source: &Source, span: Span, word: &str, staging: &str) -> Vec<Fix> {
    let (line, indent) = statement(source, span);
    let text = spelled(source, &format!("{staging} ⇐ {word}\n{indent}"));
    let before = Span::new(line.start, line.start);
    let title = format!("move it to `{staging}` first");
    vec![Fix::titled(title, before, text).and(span, staging).choice()]
}

/// Returns the statement around a place, without its comment, and the white space before it.
fn statement(source: &Source, inside: Span) -> (Span, String) {
    // In `  x ⇐ y  ▷ note` the statement is `x ⇐ y`, and the white space is two blanks.
    let line = source.line_span(source.line_of(inside.start));
    let text = source.slice(line);
    let code = crate::syntax::without_comment(text);
    let indent = &code[..code.len() - code.trim_start().len()];
    let start = line.start + indent.len();
    let end = line.start + code.trim_end().len();
    (Span::new(start, end), indent.to_owned())
}

impl Mend for TypeError {
    fn fixes(&self, source: &Source) -> Vec<Fix> {
        let around = |span: &Span, before: &str, after: &str| {
            let (start, end) = (
                Span::new(span.start, span.start),
                Span::new(span.end, span.end),
            );
            let (before, after) = (spelled(source, before), spelled(source, after));
            Fix {
                title: format!("write `{before}{}{after}`", source.slice(*span)),
                ..Fix::write(start, before).and(end, after)
            }
        };
        match self {
            TypeError::FloatForWhole { span, .. } => vec![
                around(span, "⌊", "⌋").choice(),
                around(span, "⌈", "⌉").choice(),
            ],
            TypeError::ConditionAsNumber { span, .. } => vec![around(span, "[", "]")],
            TypeError::NumberAsCondition { span, .. } => vec![around(span, "", " ≠ 0")],
            TypeError::MathOfWhole { function, span, .. } => {
                let fix = around(span, "1.0·(", ")");
                // `ln(b)` is more often a slip for `log2 b`.
                vec![if *function == "ln" { fix.choice() } else { fix }]
            }
            TypeError::FloatIntoInt { .. }
            | TypeError::PropertyOfFloats { .. }
            | TypeError::SwapTypes { .. } => Vec::new(),
        }
    }
}

impl Mend for SyntaxError {
    fn fixes(&self, source: &Source) -> Vec<Fix> {
        match self {
            SyntaxError::AmbiguousProduct { product, span, .. } => {
                vec![Fix::write(*span, spelled(source, &format!("({product})")))]
            }
            SyntaxError::ArgumentCount { .. }
            | SyntaxError::TransferOfExpression { .. }
            | SyntaxError::PropertyOfNonInput { .. }
            | SyntaxError::AtomicForm { .. } => Vec::new(),
        }
    }
}

impl Mend for CheckLint {
    fn fixes(&self, source: &Source) -> Vec<Fix> {
        match self {
            CheckLint::CoreSet { right, span, .. } => vec![Fix::write(*span, right.as_str())],
            CheckLint::CommentedDivisor { span, .. } => vec![
                Fix::write(*span, "div").choice(),
                Fix::write(*span, "▷").choice(),
            ],
            CheckLint::PowerOfIndex {
                base,
                exponent,
                span,
            } => vec![Fix::write(*span, format!("bitxor({base}, {exponent})")).choice()],
            CheckLint::Invisible { code, span } => {
                vec![Fix::titled(format!("delete {code}"), *span, "")]
            }
            CheckLint::UnusedVariable {
                name, role, span, ..
            } => {
                let title = format!("remove `{name}`");
                let place = removed_declaration(source, *span);
                let fix = place.map(|place| Fix {
                    // Only the author can say if an input or output is superfluous.
                    preferred: *role == Role::None,
                    ..Fix::titled(title, place, "")
                });
                fix.into_iter().collect()
            }
            CheckLint::IdleAllow {
                nearest: Some(nearest),
                span,
                ..
            } => vec![Fix::write(*span, *nearest)],
            CheckLint::IdleAllow { .. }
            | CheckLint::OneOperand { .. }
            | CheckLint::UnusedKernel { .. } => Vec::new(),
        }
    }
}

/// Returns the text to remove with a declaration: its line if it is the only one there, else its
/// part of the list with one comma.
fn removed_declaration(source: &Source, name: Span) -> Option<Span> {
    let (line, _) = statement(source, name);
    let text = source.slice(line);
    let keyword = text.find(char::is_whitespace)?;
    // The parts of the list, by commas outside brackets.
    let mut parts = vec![line.start + keyword];
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' | '⌈' | '⌊' => depth += 1,
            ')' | ']' | '}' | '⌉' | '⌋' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => parts.push(line.start + at),
            _ => {}
        }
    }
    let at = parts.iter().rposition(|start| *start <= name.start)?;
    let end = parts.get(at + 1).copied();
    Some(match (at, end) {
        (0, None) => removed_code(source, line),
        // `input A[n], B[n]` without A: from A's first letter to behind the comma and its space.
        (0, Some(end)) => {
            let behind = source.slice(Span::new(end + 1, line.end));
            Span::new(
                name.start,
                end + 1 + behind.len() - behind.trim_start().len(),
            )
        }
        (at, end) => Span::new(parts[at], end.unwrap_or(line.end)),
    })
}
