//! The table `[lints]`: which lints are left out, warned of, or errors.

use std::collections::BTreeMap;

use atgpu::diag::{CODES, Code, Diagnostic, Severity};

/// The words for a level.
pub const LEVELS: [&str; 3] = ["allow", "warn", "deny"];

/// What a lint is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Nothing: it is left out.
    Allow,
    /// A warning.
    Warn,
    /// An error.
    Deny,
}

impl Level {
    /// The level of a word.
    pub fn named(word: &str) -> Option<Level> {
        match word {
            "allow" => Some(Level::Allow),
            "warn" => Some(Level::Warn),
            "deny" => Some(Level::Deny),
            _ => None,
        }
    }
}

/// The levels of lints, by code.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Levels(BTreeMap<Code, Level>);

impl Levels {
    /// Sets the level of a lint.
    pub fn set(&mut self, lint: Code, level: Level) {
        self.0.insert(lint, level);
    }

    /// Gives findings the severity that their lints have here. A lint that is an error by itself stays one: an
    /// `ensure` reads an output that was never sent, whatever the file says of `unsent-output`.
    pub fn judged(&self, findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let judged = |mut finding: Diagnostic| match self.0.get(&finding.code) {
            Some(_) if finding.is_error() => Some(finding),
            Some(Level::Allow) => None,
            Some(Level::Deny) => {
                finding.severity = Severity::Error;
                Some(finding)
            }
            Some(Level::Warn) | None => Some(finding),
        };
        findings.into_iter().filter_map(judged).collect()
    }
}

/// The lints by their names in the table: `unused` for `lint::unused`.
pub fn names() -> impl Iterator<Item = &'static str> + Clone {
    CODES
        .iter()
        .filter_map(|code| code.short_name().strip_prefix("lint::"))
}

/// A lint by its name, with or without `lint::` before it.
pub fn find(name: &str) -> Option<Code> {
    let name = name.strip_prefix("atgpu::").unwrap_or(name);
    let name = name.strip_prefix("lint::").unwrap_or(name);
    Code::find(&format!("lint::{name}"))
}
