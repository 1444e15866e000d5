//! Hints as edits of their line.

use crate::diag::Fix;
use crate::syntax::expected::advice::{Hint, Remedy};
use crate::syntax::expected::token;
use crate::syntax::limits::{is_word, without_label};
use crate::syntax::remedy::{indent, removed_code};
use crate::syntax::signs::spelled;
use crate::text::{Source, Span};

/// A line that stopped the grammar.
pub(super) struct Stopped<'s> {
    pub source: &'s Source,
    pub line: Span,
    /// The line without its comment.
    pub code: &'s str,
    /// The token at fault.
    pub span: Span,
}

impl Stopped<'_> {
    /// Returns the edits of a remedy on this line.
    pub(super) fn fixes(&self, remedy: &Remedy) -> Vec<Fix> {
        match remedy {
            Remedy::None => Vec::new(),
            Remedy::First(word) => vec![Fix::write(self.first_word(), *word)],
            Remedy::Token(text) => vec![self.replacing(self.token(), text)],
            Remedy::OneOf(texts) => self.choices(self.token(), texts),
            Remedy::Around(before, texts) => {
                let gap = self.before().len() - self.before().trim_end().len();
                let start = self.span.start - gap - before;
                self.choices(Span::new(start, self.span.end), texts)
            }
            Remedy::Before(text) => {
                let at = Span::new(self.span.start, self.span.start);
                vec![self.replacing(at, text)]
            }
            Remedy::Behind(length, text) => {
                let before = self.before().trim_end().len();
                let end = self.line.start + before;
                vec![self.replacing(Span::new(end - length, end), text)]
            }
            Remedy::Code(text) => {
                vec![Fix::write(self.statement(), spelled(self.source, text))]
            }
            Remedy::Delete => {
                let line = removed_code(self.source, self.statement());
                vec![Fix::titled("delete the line", line, "")]
            }
            Remedy::Lines(lines) => {
                let end = format!("\n{}", indent(self.source, self.span.start));
                let text = spelled(self.source, &lines.join(&end));
                let title = "put each statement on a line of its own";
                vec![Fix::titled(title, self.statement(), text)]
            }
        }
    }

    /// Returns the edits of a hint about a character.
    pub(super) fn character_fixes(&self, hint: Option<&Hint>) -> Vec<Fix> {
        // A `;` at the end is deleted; one between statements becomes a line end with the same
        // indent.
        if self.source.slice(self.span) != ";" {
            return hint.map_or_else(Vec::new, |hint| self.fixes(&hint.remedy));
        }
        let rest = &self.code[self.span.end - self.line.start..];
        let next = rest.trim_start();
        if next.is_empty() {
            return vec![Fix::titled("delete the `;`", self.span, "")];
        }
        let place = Span::new(self.span.start, self.span.end + rest.len() - next.len());
        let indent = indent(self.source, self.span.start);
        let title = "put the next statement on a line of its own";
        vec![Fix::titled(title, place, format!("\n{indent}"))]
    }

    /// Returns the line without its label and comment.
    fn statement(&self) -> Span {
        let end = self.line.start + self.code.trim_end().len();
        Span::new(self.first_word().start, end)
    }

    /// Returns the text before the token.
    fn before(&self) -> &str {
        let before = Span::new(self.line.start, self.span.start);
        self.source.slice(before)
    }

    fn choices(&self, place: Span, texts: &[&str]) -> Vec<Fix> {
        if let [only] = texts {
            return vec![self.replacing(place, only)];
        }
        let fix = |text: &&str| self.replacing(place, text).choice();
        texts.iter().map(fix).collect()
    }

    /// Writes the text in place of a stretch of the line, with blanks where it would touch a word.
    fn replacing(&self, place: Span, text: &str) -> Fix {
        let text = spelled(self.source, text);
        let mut written = String::new();
        let before = self.source.slice(Span::new(self.line.start, place.start));
        if text.starts_with(is_word) && !before.is_empty() && !before.ends_with([' ', '\t']) {
            written.push(' ');
        }
        written.push_str(&text);
        let after = self.source.slice(Span::new(place.end, self.line.end));
        if text.ends_with(is_word) && after.starts_with(|c: char| is_word(c) || "(⌈⌊".contains(c))
        {
            written.push(' ');
        }
        Fix::write(place, written)
    }

    fn first_word(&self) -> Span {
        let code = without_label(self.code);
        let skipped = self.code.len() - code.trim_start().len();
        let start = self.line.start + skipped;
        Span::new(start, start + token(code.trim_start()).len())
    }

    /// Returns the token, with a second `&`, and the `=` of a `:=`.
    fn token(&self) -> Span {
        let rest = &self.code[self.span.start - self.line.start..];
        let doubled = ["&&", ":="].iter().find(|mark| rest.starts_with(**mark));
        match doubled {
            Some(mark) => Span::new(self.span.start, self.span.start + mark.len()),
            None => self.span,
        }
    }
}
