//! The contents of a module and of each function in it, independent of the target language.

use crate::report::wrap::wrapped;

/// The head of a module.
pub(super) struct Head {
    /// Paragraphs: the purpose, the source, the domain.
    pub(super) lines: Vec<String>,
    /// The parameters of all functions: identifier and known range.
    pub(super) parameters: Vec<(String, Known)>,
}

/// The known range of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// A whole number.
    Whole,
    /// A whole number ≥ 1.
    Positive,
    /// Not negative.
    Real,
}

/// One function.
pub(super) struct Definition {
    pub(super) name: String,
    pub(super) parameters: Vec<String>,
    /// The result, its unit, and its formula.
    pub(super) lines: Vec<String>,
    pub(super) body: String,
    /// Helper functions of this function alone.
    pub(super) before: Vec<String>,
}

impl Definition {
    /// Lists the parameters, each written by `write`, wrapped over several lines if necessary.
    pub(super) fn list(&self, write: impl Fn(&str) -> String) -> String {
        let each = self.parameters.iter().map(|name| write(name));
        broken(&each.collect::<Vec<_>>().join(", "), 0)
    }
}

/// Wraps a text; further lines are indented.
pub(super) fn broken(text: &str, indent: usize) -> String {
    wrapped(text, ROOM).join(&format!("\n{}", " ".repeat(indent + 4)))
}

/// Columns of the text, without its indentation.
const ROOM: usize = 88;

/// Comment lines with their sign; empty ones without a trailing space.
pub(super) fn commented(lines: &[String], sign: &str) -> String {
    let line = |line: &String| format!("{} {line}", sign).trim_end().to_owned() + "\n";
    lines.iter().map(line).collect()
}
