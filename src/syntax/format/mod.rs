//! The canonical layout: the same tokens, two blanks of indentation per block, comments kept.
//!
//! Works on the tokens of each line, not on the tree, so nothing is lost that the tree leaves out:
//! comments, blank lines, labels, spellings. The layout of a line depends on its tokens only, never
//! on
//! their former layout. So formatting twice is formatting once, and going to ASCII and back gives
//! the
//! same as going to Unicode.

mod spacing;
mod spelling;

use crate::diag::Diagnostic;
use crate::syntax::parser::{Form, Line, Node};
use crate::syntax::{parse, read_line};
use crate::text::Source;

pub use spelling::Spelling;

/// A token in its final spelling.
#[derive(Debug)]
struct Token {
    form: Form,
    text: String,
    /// True if `+`, `-` and `,` stand close here: in ranges and in braces.
    close: bool,
}

/// A line of the result, not yet indented.
#[derive(Default)]
struct Row {
    label: String,
    indent: usize,
    code: String,
    comment: String,
}

impl Row {
    fn is_blank(&self) -> bool {
        self.label.is_empty() && self.code.is_empty() && self.comment.is_empty()
    }
}

/// Formats a file in canonical layout and the given spelling. A `⇐` between host and global memory
/// comes out as the transfer `⇚` that it is.
///
/// ```
/// use atgpu::syntax::{Spelling, format};
/// use atgpu::text::Source;
///
/// let source = Source::new("t.atgpu", "algorithm T( n )\nglobal a[n]\ninput A[n]\na<==A\n");
/// let text = format(&source, Spelling::Unicode).expect("sound");
/// assert_eq!(text, "algorithm T(n)\n  global a[n]\n  input A[n]\n  a ⇚ A\n");
/// ```
///
/// # Errors
/// The diagnostics of [`parse`], if there are any: only a program without syntax faults is
/// formatted.
pub fn format(source: &Source, spelling: Spelling) -> Result<String, Vec<Diagnostic>> {
    let parsed = parse(source);
    if !parsed.diagnostics.is_empty() {
        return Err(parsed.diagnostics);
    }
    let lines: Vec<Line<'_>> = (1..=source.line_count())
        .map(|line| read_line(source, source.line_span(line)).unwrap_or_default())
        .collect();
    let speller = spelling::Speller::new(spelling, &lines);
    Ok(layout(&rows(&lines, &speller)))
}

/// Makes a row of each line. Blank lines in a row become one; none stands at either end.
fn rows(lines: &[Line<'_>], speller: &spelling::Speller) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut depth: usize = 0;
    for line in lines {
        let mut row = Row {
            label: line.label.as_ref().map(label).unwrap_or_default(),
            comment: line
                .comment
                .as_ref()
                .map(|comment| speller.comment(comment.text))
                .unwrap_or_default(),
            ..Row::default()
        };
        let (before, after) = match &line.statement {
            Some(statement) => depths(statement, depth),
            None => (depth, depth),
        };
        row.indent = before;
        depth = after;
        if let Some(statement) = &line.statement {
            row.code = spacing::join(&speller.tokens(statement));
        }
        if !row.is_blank() || rows.last().is_some_and(|last| !last.is_blank()) {
            rows.push(row);
        }
    }
    while rows.last().is_some_and(Row::is_blank) {
        rows.pop();
    }
    rows
}

/// Returns the indentation of a statement and of the line below it.
fn depths(statement: &Node<'_>, depth: usize) -> (usize, usize) {
    match statement.form {
        Form::algorithm_line => (0, 1),
        Form::end_line if statement.find(Form::kw_algorithm).is_some() => (0, 0),
        Form::end_line => (depth.saturating_sub(1), depth.saturating_sub(1)),
        form if form.opens_block() => (depth, depth + 1),
        _ => (depth, depth),
    }
}

fn label(node: &Node<'_>) -> String {
    node.text.split_whitespace().collect()
}

/// Indents rows, and aligns the comments of adjacent lines.
fn layout(rows: &[Row]) -> String {
    // Comments beside code in adjacent rows share a column, two blanks behind the longest code.
    // Labels
    // share a margin on the left.
    let margin = rows.iter().map(|row| width(&row.label)).max().unwrap_or(0);
    let lefts: Vec<String> = rows.iter().map(|row| left(row, margin)).collect();
    let mut text = String::new();
    let mut at = 0;
    while at < rows.len() {
        let run = rows[at..]
            .iter()
            .take_while(|row| has_side_comment(row))
            .count()
            .max(1);
        let column = lefts[at..at + run]
            .iter()
            .map(|left| width(left))
            .max()
            .unwrap_or(0);
        for (row, left) in rows[at..at + run].iter().zip(&lefts[at..at + run]) {
            text.push_str(left);
            if has_side_comment(row) {
                text.extend(std::iter::repeat_n(' ', column - width(left) + 2));
            }
            text.push_str(&row.comment);
            text.truncate(text.trim_end_matches(' ').len());
            text.push('\n');
        }
        at += run;
    }
    text
}

fn has_side_comment(row: &Row) -> bool {
    !row.code.is_empty() && !row.comment.is_empty()
}

/// Joins label, indentation and code.
fn left(row: &Row, margin: usize) -> String {
    let indent = "  ".repeat(row.indent);
    if row.label.is_empty() {
        return format!("{indent}{}", row.code);
    }
    let padding = " ".repeat(margin - width(&row.label) + 1);
    format!("{}{padding}{indent}{}", row.label, row.code)
}

fn width(text: &str) -> usize {
    text.chars().count()
}
