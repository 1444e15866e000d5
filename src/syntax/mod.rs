//! From text to syntax tree and back.
//!
//! [`parse`] takes a file line by line. The grammar makes nodes of a line (`parser`), lowering
//! makes
//! the nodes a header line, a statement or the opening of a block (`lower`), and `blocks` puts the
//! lines together. A fault costs its line and no more (`expected` tells the fitting constructs);
//! the
//! other lines make an algorithm. [`format()`] lays a file out in any spelling, [`print_expr`]
//! shows
//! an expression in messages.
//!
//! Nothing here knows a declaration: the existence, the kind and the use of names belong to
//! `check`.

mod allow;
#[doc(hidden)]
pub mod ast;
mod blocks;
mod error;
pub(crate) mod expected;
pub(crate) mod foreign;
mod format;
pub(crate) mod functions;
mod limits;
mod lower;
mod parser;
mod print;
mod remedy;
mod scope;
pub(crate) mod signs;
pub(crate) mod tokens;

use crate::diag::Diagnostic;
use crate::text::{Source, Span};

pub use format::{Spelling, format};
pub(crate) use limits::without_comment;
#[doc(hidden)]
pub use print::print_expr;
pub(crate) use remedy::{code_words, removed_code};

/// The meaning of a text as far as it was understood, and all faults of its syntax.
#[doc(hidden)]
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Parsed {
    /// The algorithm without its faulty lines; `None` if even its first line is missing.
    pub algorithm: Option<ast::Algorithm>,
    /// All `syntax::…` faults, in the order of their lines.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses a file. Goes on after faults, so several mistakes give several diagnostics.
#[doc(hidden)]
pub fn parse(source: &Source) -> Parsed {
    // Each line is parsed by itself, so a fault cannot hide the lines behind it. A faulty line
    // still
    // tells the tree builder its likely kind, so that its block does not lose its `end`.
    let mut tree = blocks::TreeBuilder::new(source);
    let mut diagnostics = Vec::new();
    let mut allows = allow::Allows::default();
    // True behind a faulty line that was to go on here: the rest of it is no second fault.
    let mut goes_on = false;
    for line in 1..=source.line_count() {
        let span = source.line_span(line);
        match read_line(source, span) {
            Ok(line) => {
                goes_on = false;
                allows.line(&line, span, source.text().len());
                let Some(statement) = line.statement else {
                    continue;
                };
                let (item, faults) = lower::lower(source, &statement);
                diagnostics.extend(faults);
                match item {
                    Some(item) => tree.item(item, statement.span),
                    None => tree.faulty(blocks::Guess::of(statement.text), statement.span),
                }
            }
            Err(error) => {
                let code = limits::without_comment(source.slice(span));
                let first = code.trim_start().split(|c| !limits::is_word(c)).next();
                if !goes_on || first.is_some_and(expected::is_reserved) {
                    diagnostics.push(Diagnostic::mendable(&error, source));
                }
                goes_on = limits::goes_on(code);
                let start = span.start + (code.len() - code.trim_start().len());
                let end = span.start + code.trim_end().len();
                tree.faulty(blocks::Guess::of(code), Span::new(start, end.max(start)));
            }
        }
    }
    let (mut algorithm, structural) = tree.finish();
    if let Some(algorithm) = &mut algorithm {
        algorithm.allows = allows.finish();
    }
    let placed = |diagnostic| (blocks::start_of(&diagnostic), diagnostic);
    let mut placed: Vec<(usize, Diagnostic)> = diagnostics.into_iter().map(placed).collect();
    placed.extend(structural);
    placed.sort_by_key(|(place, _)| *place);
    Parsed {
        algorithm,
        diagnostics: placed
            .into_iter()
            .map(|(_, diagnostic)| diagnostic)
            .collect(),
    }
}

/// Parses one line to its nodes, or finds its fault.
fn read_line(source: &Source, span: Span) -> Result<parser::Line<'_>, error::SyntaxError> {
    let text = source.slice(span).trim_end();
    if text.is_empty() {
        return Ok(parser::Line::default());
    }
    let levels = limits::check_line(text, span.start)?;
    parser::parse_line(text, span.start, levels).map_err(|stop| expected::blame(source, span, stop))
}
