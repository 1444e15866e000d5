//! The tokens of a text, for colouring: as the grammar reads each line, and by words where it does
//! not.

use crate::syntax::expected::is_reserved;
use crate::syntax::functions;
use crate::syntax::limits::{is_word, without_comment};
use crate::syntax::parser::{Form, Node};
use crate::syntax::read_line;
use crate::text::{Source, Span};

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A word of the grammar.
    Keyword,
    /// The name of a function.
    Function,
    /// A number.
    Number,
    /// A name of the program.
    Name,
    /// The left side of a claim.
    Quantity,
    /// A sign.
    Operator,
    /// A comment.
    Comment,
}

/// A token with its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    /// Its kind.
    pub kind: TokenKind,
    /// Its place.
    pub span: Span,
}

/// Returns all tokens, in text order.
pub(crate) fn tokens(source: &Source) -> Vec<Token> {
    let mut found = Vec::new();
    for number in 1..=source.line_count() {
        let span = source.line_span(number);
        match read_line(source, span) {
            Ok(line) => {
                for node in line.label.iter().chain(&line.statement) {
                    leaves(node, &mut found);
                }
                if let Some(comment) = &line.comment {
                    found.push(Token {
                        kind: TokenKind::Comment,
                        span: comment.span,
                    });
                }
            }
            Err(_) => words(source, span, &mut found),
        }
    }
    found
}

fn leaves(node: &Node<'_>, found: &mut Vec<Token>) {
    if !node.children.is_empty() {
        node.children.iter().for_each(|child| leaves(child, found));
        return;
    }
    let text = node.text.trim_end();
    if text.is_empty() {
        return;
    }
    found.push(Token {
        kind: match node.form {
            Form::name | Form::set_word => TokenKind::Name,
            Form::quantity => TokenKind::Quantity,
            Form::number | Form::whole_number | Form::label => TokenKind::Number,
            _ => of_text(text),
        },
        span: Span::new(node.span.start, node.span.start + text.len()),
    });
}

fn of_text(text: &str) -> TokenKind {
    match text.chars().next() {
        Some(first) if first.is_ascii_digit() => TokenKind::Number,
        Some(first) if is_word(first) => match functions::named(text) {
            Some(_) => TokenKind::Function,
            None => TokenKind::Keyword,
        },
        Some(_) | None => TokenKind::Operator,
    }
}

fn words(source: &Source, line: Span, found: &mut Vec<Token>) {
    let text = source.slice(line);
    let code = without_comment(text);
    let mut at = 0;
    while let Some(first) = code[at..].find(is_word) {
        let start = at + first;
        let length = code[start..].find(|c| !is_word(c));
        at = length.map_or(code.len(), |length| start + length);
        let word = &code[start..at];
        let kind = match of_text(word) {
            TokenKind::Keyword if !is_reserved(word) => TokenKind::Name,
            kind => kind,
        };
        found.push(Token {
            kind,
            span: Span::new(line.start + start, line.start + at),
        });
    }
    if code.len() < text.len() {
        found.push(Token {
            kind: TokenKind::Comment,
            span: Span::new(line.start + code.len(), line.end),
        });
    }
}

/// Returns the numbers of the lines that open and end each block, in the order of the opening
/// lines.
/// Faulty lines open and end nothing; a block without an end reaches to the last line.
pub(crate) fn blocks(source: &Source) -> Vec<(usize, usize)> {
    let mut open: Vec<usize> = Vec::new();
    let mut found = Vec::new();
    for number in 1..=source.line_count() {
        let Ok(line) = read_line(source, source.line_span(number)) else {
            continue;
        };
        let Some(statement) = line.statement else {
            continue;
        };
        if statement.form.opens_block() {
            open.push(number);
        } else if statement.form == Form::end_line
            && let Some(opened) = open.pop()
        {
            found.push((opened, number));
        }
    }
    found.extend(open.into_iter().map(|opened| (opened, source.line_count())));
    found.sort_unstable();
    found
}
