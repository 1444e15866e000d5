//! `▷ allow lint::NAME`: the lints that the comments of a file silence, and where.
//!
//! Takes the lines in order; gives each name with the part of the text that it covers. The lints
//! check whether the name exists and silenced anything.

use crate::diag::Code;
use crate::syntax::ast::Allow;
use crate::syntax::parser::{Form, Line, Node};
use crate::text::Span;

/// The allowing comments so far.
#[derive(Default)]
pub(super) struct Allows {
    found: Vec<Allow>,
    /// Comments alone on their line that wait for the next statement, by their place in `found`.
    waiting: Vec<usize>,
    /// For each open block, the comments that end with it.
    open: Vec<Vec<usize>>,
}

impl Allows {
    /// Takes the next line; `file` is the length of the text in bytes.
    pub(super) fn line(&mut self, line: &Line<'_>, span: Span, file: usize) {
        if let Some(statement) = &line.statement {
            self.statement(statement, file);
        }
        let Some(comment) = &line.comment else { return };
        // Beside a statement, the comment covers its line. Alone, it covers the next statement, and
        // the
        // whole block if that opens one.
        for (lint, at) in named(comment.text).unwrap_or_default() {
            if line.statement.is_none() {
                self.waiting.push(self.found.len());
            }
            let start = comment.span.start + at;
            self.found.push(Allow {
                span: Span::new(start, start + lint.len()),
                lint: lint[length_of_prefix(lint)..].to_owned(),
                covers: match line.statement {
                    Some(_) => span,
                    None => Span::new(start, start),
                },
            });
        }
    }

    /// Returns all of them, in text order.
    pub(super) fn finish(self) -> Vec<Allow> {
        self.found
    }

    fn statement(&mut self, statement: &Node<'_>, file: usize) {
        match statement.form {
            // The end of a block is the end of what its opening comments cover. A comment before
            // `algorithm`
            // covers the file. An `else` is an error and opens nothing.
            Form::end_line => {
                for at in self.open.pop().unwrap_or_default() {
                    self.found[at].covers.end = statement.span.end;
                }
            }
            Form::else_line => {}
            Form::algorithm_line => {
                for at in self.waiting.drain(..) {
                    self.found[at].covers = Span::new(0, file);
                }
            }
            form => {
                for at in &self.waiting {
                    self.found[*at].covers = statement.span;
                }
                let about = std::mem::take(&mut self.waiting);
                if form.opens_block() {
                    self.open.push(about);
                }
            }
        }
    }
}

const PREFIX: &str = "lint::";

/// Returns the length of `lint::`, or of the `atgpu::lint::` of printed diagnostics, before a name.
fn length_of_prefix(name: &str) -> usize {
    let code = name.strip_prefix("atgpu::").unwrap_or(name);
    match code.strip_prefix(PREFIX) {
        Some(bare) => name.len() - bare.len(),
        None => 0,
    }
}

/// Returns the names behind `allow`, each with its place in the comment; `None` for any other
/// comment.
/// A reason follows the last name: behind `:`, or freely if the names are certainly lints.
fn named(comment: &str) -> Option<Vec<(&str, usize)>> {
    // `▷ allow more than one …` is prose. Only a prefix or the name of an existing code makes
    // it certain; otherwise nothing or a `:` must follow the names.
    let text = comment.trim_start_matches(['▷', '/']).trim_start();
    let mut rest = text.strip_prefix("allow")?;
    let mut found = Vec::new();
    let mut is_certain = true;
    loop {
        let start = rest.trim_start();
        if found.is_empty() && start.len() == rest.len() {
            return None;
        }
        let prefix = length_of_prefix(start);
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
        let length = start[prefix..].find(|c| !is_part(c));
        let length = prefix + length.unwrap_or(start.len() - prefix);
        if length == prefix {
            return None;
        }
        let name = &start[..length];
        let is_known = || Code::find(&format!("{PREFIX}{name}")).is_some();
        is_certain &= prefix > 0 || is_known();
        found.push((name, comment.len() - start.len()));
        rest = start[length..].trim_start();
        match rest.strip_prefix(',') {
            Some(more) => rest = more,
            None if is_certain || rest.is_empty() || rest.starts_with(':') => return Some(found),
            None => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::parse;
    use crate::text::Source;

    #[test]
    fn names_stand_behind_allow() {
        for (comment, names) in [
            ("▷ allow lint::unused", Some(vec!["lint::unused"])),
            (
                "▷ allow atgpu::lint::unused",
                Some(vec!["atgpu::lint::unused"]),
            ),
            ("//allow unused", Some(vec!["unused"])),
            (
                "// allow unused , lint::core-set",
                Some(vec!["unused", "lint::core-set"]),
            ),
            (
                "▷ allow divergence: as in the paper",
                Some(vec!["divergence"]),
            ),
            (
                "▷ allow divergence as in the paper",
                Some(vec!["divergence"]),
            ),
            (
                "▷ allow lint::nonsense as in the paper",
                Some(vec!["lint::nonsense"]),
            ),
            ("▷ allow nonsense", Some(vec!["nonsense"])),
            ("▷ allow nonsense: why not", Some(vec!["nonsense"])),
            ("▷ allow two cores to meet", None),
            ("▷ allowed", None),
            ("▷ allow", None),
            ("▷ allow: unused", None),
            ("▷ to allow unused", None),
        ] {
            let found = named(comment);
            let found = found.map(|all| all.into_iter().map(|(name, _)| name).collect());
            assert_eq!(found, names, "{comment}");
        }
    }

    #[test]
    fn each_speaks_of_a_part_of_the_text() {
        let text = "▷ allow unused\nalgorithm T()  ▷ allow core-set\n▷ allow divergence\n\n\
                    for r = 1 → 2 do\n▷ allow uncoalesced, idle-round\nswap a ↔ c\nend for\nswap a ↔ c\n";
        let source = Source::new("t.atgpu", text);
        let algorithm = parse(&source).algorithm.expect("it has a first line");
        let covered: Vec<(&str, &str)> = algorithm
            .allows
            .iter()
            .map(|allow| (source.slice(allow.span), source.slice(allow.covers)))
            .collect();
        let block = "for r = 1 → 2 do\n▷ allow uncoalesced, idle-round\nswap a ↔ c\nend for";
        assert_eq!(
            covered,
            [
                ("unused", text),
                ("core-set", "algorithm T()  ▷ allow core-set"),
                ("divergence", block),
                ("uncoalesced", "swap a ↔ c"),
                ("idle-round", "swap a ↔ c"),
            ]
        );
    }
}
