//! The form of the call that is being written.

use crate::editor::document::Document;
use crate::editor::names::SymbolKind;
use crate::editor::position::{Place, offset};
use crate::syntax::{functions, without_comment};
use crate::text::Span;

/// A call, and the index of the argument at the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The form: `select(c, x, y)`.
    pub form: String,
    /// The arguments: `c`, `x`, `y`.
    pub arguments: Vec<String>,
    /// The argument at the cursor, from 0.
    pub active: usize,
}

/// Returns the innermost call around a place: a function's or a named kernel's.
pub fn signature(document: &Document, place: Place) -> Option<Signature> {
    let source = &document.source;
    let at = offset(source, place);
    let line = source.line_span(source.line_of(at));
    let before = source.slice(Span::new(line.start, at));
    if without_comment(before).len() < before.len() {
        return None;
    }
    let (open, active) = innermost(before)?;
    let name = before[..open].trim_end();
    let start = name
        .rfind(|c: char| !(c.is_alphanumeric() || c == '_'))
        .map_or(0, |at| {
            at + name[at..].chars().next().map_or(1, char::len_utf8)
        });
    let name = &name[start..];
    let form = match functions::named(name) {
        Some(form) => form.call.to_owned(),
        None => {
            let symbols = document.names.symbols.iter();
            let mut kernels = symbols.filter(|symbol| symbol.kind == SymbolKind::Kernel);
            let kernel = kernels.find(|kernel| kernel.name == name)?;
            source
                .slice(kernel.declaration)
                .trim()
                .strip_prefix("kernel")?
                .trim()
                .to_owned()
        }
    };
    let inner = form.split_once('(').map_or("", |(_, rest)| rest);
    let inner = inner.strip_suffix(')').unwrap_or(inner);
    let arguments: Vec<String> = inner
        .split(',')
        .map(|argument| argument.trim().to_owned())
        .collect();
    Some(Signature {
        // Of several values any number may follow.
        active: active.min(arguments.len().saturating_sub(1)),
        form,
        arguments,
    })
}

/// Returns the offset of the innermost open parenthesis, and the number of commas behind it.
fn innermost(before: &str) -> Option<(usize, usize)> {
    // Brackets of every kind are tracked, so that the first comma of `max(min(i, j), x` belongs to `min`.
    let mut open: Vec<(char, usize, usize)> = Vec::new();
    for (at, c) in before.char_indices() {
        match c {
            '(' | '[' | '{' | '⌈' | '⌊' => open.push((c, at, 0)),
            ')' | ']' | '}' | '⌉' | '⌋' => {
                open.pop();
            }
            ',' => {
                if let Some(last) = open.last_mut() {
                    last.2 += 1;
                }
            }
            _ => {}
        }
    }
    let (_, at, commas) = open.into_iter().rfind(|(c, ..)| *c == '(')?;
    Some((at, commas))
}
