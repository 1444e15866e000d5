//! Tokens for colouring, by meaning: a variable's colour says its memory.

use crate::editor::document::Document;
use crate::editor::names::{Occurrence, SymbolKind};
use crate::editor::position::{Place, place};
use crate::syntax::ast::DeclarationKind;
use crate::syntax::tokens::{TokenKind, tokens};
use crate::text::{Source, Span};

/// The types of tokens, by their protocol names.
pub const TOKEN_TYPES: [&str; 7] = [
    "keyword",
    "function",
    "number",
    "parameter",
    "variable",
    "operator",
    "comment",
];

/// The modifiers of tokens: a variable's memory, and the statement's effect on it.
pub const TOKEN_MODIFIERS: [&str; 6] = [
    "host",
    "global",
    "shared",
    "declaration",
    "modification",
    "defaultLibrary",
];

/// A token of one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SemanticToken {
    /// The beginning.
    pub place: Place,
    /// The length in UTF-16 units.
    pub length: u32,
    /// An index into [`TOKEN_TYPES`].
    pub kind: u32,
    /// A bit set, by the positions in [`TOKEN_MODIFIERS`].
    pub modifiers: u32,
}

const FUNCTION: u32 = 1;
const PARAMETER: u32 = 3;
const VARIABLE: u32 = 4;
const LIBRARY: u32 = 1 << 5;

/// Returns all tokens, in the order of the text.
pub fn semantic_tokens(document: &Document) -> Vec<SemanticToken> {
    let source = &document.source;
    let names = &document.names;
    let mut at = 0;
    tokens(source)
        .into_iter()
        .map(|token| {
            // Both lists are in the order of the text, so one pass over both is enough.
            while names
                .occurrences
                .get(at)
                .is_some_and(|it| it.span.end <= token.span.start)
            {
                at += 1;
            }
            let found = names
                .occurrences
                .get(at)
                .filter(|it| it.span.start < token.span.end);
            let (kind, modifiers) = match token.kind {
                TokenKind::Keyword => (0, 0),
                TokenKind::Function => (FUNCTION, LIBRARY),
                TokenKind::Number => (2, 0),
                TokenKind::Quantity => (PARAMETER, LIBRARY),
                TokenKind::Operator => (5, arrow(source, token.span)),
                TokenKind::Comment => (6, 0),
                TokenKind::Name => match found {
                    Some(found) => of_name(
                        names.symbols[found.symbol].kind,
                        found,
                        &source.text()[token.span.start..token.span.end],
                    ),
                    None => by_first_letter(&source.text()[token.span.start..token.span.end]),
                },
            };
            let start = place(source, token.span.start);
            SemanticToken {
                place: start,
                length: source
                    .slice(token.span)
                    .chars()
                    .map(|c| c.len_utf16() as u32)
                    .sum(),
                kind,
                modifiers,
            }
        })
        .collect()
}

/// Returns the modifier of an arrow: the memory that it reaches; 0 for any other sign.
fn arrow(source: &Source, span: Span) -> u32 {
    match source.slice(span) {
        "⇚" | "<==" => 1,
        "⇐" | "↔" | "<->" => 2,
        "<=" if is_access(source, span) => 2,
        "←" | "<-" => 4,
        _ => 0,
    }
}

/// Returns true if `<=` moves a word: only a place stands before it in its line. Anywhere else it compares.
/// Example: `_x[j] <= a[i]` moves, `if _x[j] <= 3` and `_c <- _x[j] <= 3` compare.
fn is_access(source: &Source, span: Span) -> bool {
    let line = source.line_span(source.line_of(span.start));
    let before = source.slice(Span::new(line.start, span.start));
    let place = before.rsplit(':').next().unwrap_or(before).trim();
    let (name, index) = place.split_once('[').unwrap_or((place, "]"));
    let is_move = place.contains(['←', '<', '=']);
    !is_move && !name.trim().contains(char::is_whitespace) && index.ends_with(']')
}

fn of_name(kind: SymbolKind, found: &Occurrence, text: &str) -> (u32, u32) {
    let (kind, place) = match kind {
        SymbolKind::Algorithm | SymbolKind::Kernel => (FUNCTION, 0),
        SymbolKind::Variable(kind) => match kind {
            DeclarationKind::Input | DeclarationKind::Output | DeclarationKind::Host => {
                (VARIABLE, 1)
            }
            DeclarationKind::Global => (VARIABLE, 2),
            DeclarationKind::Shared => (VARIABLE, 4),
        },
        SymbolKind::KernelArray => (VARIABLE, 2),
        SymbolKind::Formal
        | SymbolKind::Let
        | SymbolKind::KernelNumber
        | SymbolKind::Mp
        | SymbolKind::Core
        | SymbolKind::Loop
        | SymbolKind::Binder => (PARAMETER, 0),
    };
    let _ = text;
    (kind, place | if found.writes { 1 << 4 } else { 0 })
}

/// Colours a name that nothing declares: a machine's, or one that is not known yet.
fn by_first_letter(text: &str) -> (u32, u32) {
    if text.starts_with('_') {
        (VARIABLE, 4)
    } else {
        (PARAMETER, LIBRARY)
    }
}
