//! The common form of all diagnostics: a stable code, a message, labelled spans and a help.
//!
//! Every phase has its own typed errors (thiserror and miette's derive). [`Diagnostic::of`] turns any of
//! them into the one form that text, JSON and editors show. Nothing is drawn here.

mod codes;
mod fix;
mod message;
mod quoted;

use std::fmt;

use miette::LabeledSpan;

use crate::text::{Source, Span};

pub use codes::{CODES, Code, Severity};
pub use fix::{Edit, Fix};
pub(crate) use fix::{Mend, edited};
pub use message::{Context, Message};

/// A span and its part in the story.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Label {
    /// A few words about the span; may be empty.
    pub text: String,
    /// The place.
    pub span: Span,
    /// True if this is the place at fault. A diagnostic has exactly one such label, or no labels.
    pub primary: bool,
}

/// One finding, ready to be shown in any form.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The stable code.
    pub code: Code,
    /// The severity: the code's own unless a command weakens it.
    pub severity: Severity,
    /// The fault in words: lower case, no full stop, with the figures.
    pub message: Message,
    /// Advice on what to write instead.
    pub help: Option<String>,
    /// The help as edits that a tool can make by itself, the best first.
    pub fixes: Vec<Fix>,
    /// The places of the story, the primary one first.
    pub labels: Vec<Label>,
}

impl Diagnostic {
    /// Labels the `execute` that led to a kernel's body, unless it is the primary place itself.
    pub(crate) fn label_execute(&mut self, execute: Option<Span>) {
        let place = self.primary().map(|label| label.span);
        if let Some(span) = execute.filter(|span| Some(*span) != place) {
            self.labels.push(Label {
                text: "executed here".to_owned(),
                span,
                primary: false,
            });
        }
    }

    /// A finding outside any text, with its code's own severity.
    pub fn new(code: Code, message: impl Into<Message>) -> Self {
        Diagnostic {
            code,
            severity: code.severity(),
            message: message.into(),
            help: None,
            fixes: Vec::new(),
            labels: Vec::new(),
        }
    }

    /// Returns the finding with another severity, as a command does that weakens it.
    #[must_use]
    pub fn with_severity(self, severity: Severity) -> Self {
        Diagnostic { severity, ..self }
    }

    /// Turns a phase's typed error into a diagnostic.
    ///
    /// ```
    /// use atgpu::diag::Diagnostic;
    /// use atgpu::machine::OverrideError;
    ///
    /// let error = OverrideError { name: "b".into(), value: "0".into(), expected: "at least 1" };
    /// let diagnostic = Diagnostic::of(&error);
    /// assert_eq!(diagnostic.code.short_name(), "usage::value");
    /// assert_eq!(diagnostic.message, "`b = 0` makes no machine: b must be at least 1");
    /// ```
    ///
    /// # Panics
    /// Panics if the error's `#[diagnostic(code(…))]` is missing from the table of codes. A test of every
    /// error type excludes this.
    pub fn of(error: &dyn miette::Diagnostic) -> Self {
        let written = error
            .code()
            .map(|code| code.to_string())
            .unwrap_or_default();
        let code = Code::find(&written)
            .unwrap_or_else(|| panic!("`{written}` is not in the table of codes"));
        let mut labels: Vec<Label> = error
            .labels()
            .into_iter()
            .flatten()
            .map(Label::from)
            .collect();
        // An error type may mark no label as primary; then its first one is the place at fault. The sort is
        // stable, so the other labels keep their order behind it.
        if !labels.is_empty() && !labels.iter().any(|label| label.primary) {
            labels[0].primary = true;
        }
        labels.sort_by_key(|label| !label.primary);
        Diagnostic {
            code,
            severity: code.severity(),
            message: error.to_string().into(),
            help: error
                .help()
                .map(|help| quoted::shortened(&help.to_string()).into_owned()),
            fixes: Vec::new(),
            labels,
        }
    }

    /// Like [`Diagnostic::of`], with the fixes that the error knows for this source.
    pub(crate) fn mendable(error: &dyn Mend, source: &Source) -> Self {
        Diagnostic {
            fixes: error.fixes(source),
            ..Diagnostic::of(error)
        }
    }

    /// Returns the place at fault, or `None` for a diagnostic without labels.
    pub fn primary(&self) -> Option<&Label> {
        self.labels.first()
    }

    /// Returns true if this is an error (exit status 1 or 2), not a warning or a note.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl From<LabeledSpan> for Label {
    fn from(label: LabeledSpan) -> Self {
        Label {
            text: quoted::shortened(label.label().unwrap_or("")).into_owned(),
            span: Span::new(label.offset(), label.offset() + label.len()),
            primary: label.primary(),
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Diagnostic {}

/// Lets miette's handlers draw a diagnostic.
impl miette::Diagnostic for Diagnostic {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.code))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
            Severity::Note => miette::Severity::Advice,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help
            .as_ref()
            .map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().map(|label| {
            let text = Some(label.text.clone()).filter(|text| !text.is_empty());
            if label.primary {
                LabeledSpan::new_primary_with_span(text, label.span)
            } else {
                LabeledSpan::new_with_span(text, label.span)
            }
        })))
    }
}
