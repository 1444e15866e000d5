//! A draft of a rewrite: text edits of a program, in its own layout, with the reason why values stay.

use crate::advise::names::span_of;
use crate::advise::subject::Subject;
use crate::diag::Edit;
use crate::syntax::ast::Stmt;
use crate::text::Span;

/// The effect of a rewrite on the values that a program computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Keeps {
    /// The form of the rewrite leaves every value as it was.
    Values,
    /// The same operations, shared out in another way; runs must show that nothing else changed.
    Results,
    /// Sums are added up in another order, so floats may round otherwise.
    Sums,
}

/// Edits that may improve a program. Nothing is judged yet.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    pub(super) edits: Vec<Edit>,
    /// The statement or declaration that is changed first.
    pub(super) at: Span,
    /// Why the values stay, in one sentence.
    pub(super) why: String,
    pub(super) keeps: Keeps,
}

/// Lines written in the layout of a program.
pub(super) struct Pen<'s, 'p> {
    subject: &'s Subject<'p>,
    /// The blanks before a line of depth 0.
    indent: String,
    /// The blanks of one depth more.
    step: String,
    depth: usize,
    text: String,
}

impl<'s, 'p> Pen<'s, 'p> {
    /// Starts at the depth of a block.
    pub(super) fn at(subject: &'s Subject<'p>, block: &Stmt) -> Self {
        let span = span_of(block);
        Pen {
            subject,
            indent: subject.indent(span).to_owned(),
            step: subject.step(block),
            depth: 0,
            text: String::new(),
        }
    }

    /// Writes a line; its signs are spelt as in the file.
    pub(super) fn line(&mut self, code: &str) {
        let code = self.subject.spelled(code);
        self.text.push_str(&self.indent);
        self.text.push_str(&self.step.repeat(self.depth));
        self.text.push_str(&code);
        self.text.push('\n');
    }

    /// Writes the first line of a block.
    pub(super) fn open(&mut self, code: &str) {
        self.line(code);
        self.depth += 1;
    }

    /// Writes the last line of a block: `for` or `if`.
    pub(super) fn close(&mut self, block: &str) {
        self.depth -= 1;
        self.line(&format!("end {block}"));
    }

    /// Writes lines of the program, moved to the depth of the pen. `text` holds them with their line ends.
    pub(super) fn copy(&mut self, text: &str) {
        let blanks = |line: &str| line.len() - line.trim_start().len();
        let written = text.lines().filter(|line| !line.trim().is_empty());
        let least = written.map(blanks).min().unwrap_or(0);
        for line in text.lines() {
            match line.get(least..).filter(|line| !line.trim().is_empty()) {
                None => self.text.push('\n'),
                Some(code) => {
                    self.text.push_str(&self.indent);
                    self.text.push_str(&self.step.repeat(self.depth));
                    self.text.push_str(code);
                    self.text.push('\n');
                }
            }
        }
    }

    /// The edit that puts the lines in the place of these.
    pub(super) fn instead_of(self, lines: Span) -> Edit {
        Edit {
            span: lines,
            text: self.text,
        }
    }
}
