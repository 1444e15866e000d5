//! What is said of a module and of each function in it, before any target's words.

use crate::report::wrap::wrapped;

/// What heads a module.
pub(super) struct Head {
    /// Paragraphs: what it is, from what and by what it was made, where it holds.
    pub(super) lines: Vec<String>,
    /// Parameters of all functions: identifier and what is known of it.
    pub(super) parameters: Vec<(String, Known)>,
}

/// What is known of a parameter's values.
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
    /// What it gives, its unit, its formula.
    pub(super) lines: Vec<String>,
    pub(super) body: String,
    /// Functions that only it needs.
    pub(super) before: Vec<String>,
}

impl Definition {
    /// The parameters, each as this writes it, on as many lines as it takes.
    pub(super) fn list(&self, write: impl Fn(&str) -> String) -> String {
        let each = self.parameters.iter().map(|name| write(name));
        broken(&each.collect::<Vec<_>>().join(", "), 0)
    }
}

/// A text on as many lines as it takes, the further ones that far inside.
pub(super) fn broken(text: &str, indent: usize) -> String {
    wrapped(text, ROOM).join(&format!("\n{}", " ".repeat(indent + 4)))
}

/// Columns of what is written, without the place where it begins.
const ROOM: usize = 88;

/// Lines behind a comment's sign, empty ones without a space at their end.
pub(super) fn commented(lines: &[String], sign: &str) -> String {
    let line = |line: &String| format!("{} {line}", sign).trim_end().to_owned() + "\n";
    lines.iter().map(line).collect()
}
