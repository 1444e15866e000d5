//! Findings with their places, as a readable list and as an error.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::diag::{Code, Diagnostic, Severity};
use crate::report::diagnostics::text;
use crate::text::{Position, Source};

/// The findings in one program: diagnostics, and the text they point into.
///
/// As text it is a paragraph for each finding, with its place and the line at fault. Serialised it is the
/// list under `"diagnostics"` in the JSON of every command.
#[derive(Clone, Default)]
pub struct Findings {
    source: Option<Source>,
    diagnostics: Vec<Diagnostic>,
}

/// One finding with its place.
#[derive(Clone, Copy)]
pub struct Finding<'f> {
    /// The code, severity, message, help and every labelled span.
    pub diagnostic: &'f Diagnostic,
    /// Line and column at fault, both from 1; `None` for a fault outside any text.
    pub position: Option<Position>,
    source: Option<&'f Source>,
}

/// The findings that keep a program from being checked, derived, costed or run.
///
/// It holds every diagnostic, not only the first. `Display` is one line: the first error with its place, and
/// how many more there are. `Debug` shows all with the lines at fault, so that `?` in a test prints a useful
/// message; `miette`'s handlers draw them.
///
/// ```
/// let error = atgpu::program("algorithm T(n)\n  global a[n]\n  a ⇚ A\n").unwrap_err();
/// let fault = error.findings().iter().next().expect("an error has a finding");
/// assert_eq!(fault.code().short_name(), "name::unknown");
/// assert_eq!(fault.position.map(|at| (at.line, at.column)), Some((3, 7)));
/// assert!(error.to_string().starts_with("program:3:7: error[atgpu::name::unknown]: "));
/// ```
#[derive(Clone)]
pub struct Error(Box<Findings>);

impl Findings {
    pub(super) fn new(source: &Source, diagnostics: Vec<Diagnostic>) -> Self {
        Findings {
            source: Some(source.clone()),
            diagnostics,
        }
    }

    /// Returns the findings, in the order of the text.
    pub fn iter(&self) -> impl Iterator<Item = Finding<'_>> {
        self.diagnostics.iter().map(|diagnostic| Finding {
            diagnostic,
            position: text::position(self.source.as_ref(), diagnostic),
            source: self.source.as_ref(),
        })
    }

    /// Returns true if nothing was found.
    pub fn is_empty(&self) -> bool {
        self.diagnostics.is_empty()
    }

    /// Returns the number of findings.
    pub fn len(&self) -> usize {
        self.diagnostics.len()
    }

    /// Returns true if one of them is an error.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// Returns the text that they point into.
    pub fn source(&self) -> Option<&Source> {
        self.source.as_ref()
    }

    /// Returns the findings if none is an error, or else an error of all of them.
    pub(super) fn or_error(self) -> Result<Findings, Error> {
        if self.has_errors() {
            Err(Error(Box::new(self)))
        } else {
            Ok(self)
        }
    }
}

impl Finding<'_> {
    /// Returns the stable code.
    pub fn code(&self) -> Code {
        self.diagnostic.code
    }

    /// Returns the severity.
    pub fn severity(&self) -> Severity {
        self.diagnostic.severity
    }

    /// Returns the message, with the figures.
    pub fn message(&self) -> &str {
        &self.diagnostic.message
    }

    /// Returns one line with the place, as in a compiler's log.
    pub fn line(&self) -> String {
        text::line(self.source, self.diagnostic)
    }
}

/// Shows a paragraph: place, message, the line at fault and help.
impl fmt::Display for Finding<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text::diagnostic(self.source, self.diagnostic))
    }
}

impl fmt::Debug for Finding<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line())
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, finding) in self.iter().enumerate() {
            if number > 0 {
                f.write_str("\n")?;
            }
            finding.fmt(f)?;
        }
        Ok(())
    }
}

/// Shows the findings like `Display`, behind a line break: the test harness prints this for a test that
/// returns it.
impl fmt::Debug for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

impl Serialize for Findings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        crate::report::diagnostics::json(self.source.as_ref(), None, &self.diagnostics)
            .serialize(serializer)
    }
}

impl Error {
    /// Makes an error of faults in a text.
    pub fn new(source: &Source, diagnostics: Vec<Diagnostic>) -> Self {
        Error(Box::new(Findings::new(source, diagnostics)))
    }

    /// Returns every diagnostic, warnings included.
    pub fn findings(&self) -> &Findings {
        &self.0
    }
}

/// Takes faults outside any text, such as a machine's wrong figures.
impl From<Vec<Diagnostic>> for Error {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Error(Box::new(Findings {
            source: None,
            diagnostics,
        }))
    }
}

impl From<Diagnostic> for Error {
    fn from(diagnostic: Diagnostic) -> Self {
        vec![diagnostic].into()
    }
}

/// Shows one line: the first error with its place, and the number of further ones.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut errors = self.0.iter().filter(|each| each.diagnostic.is_error());
        if let Some(first) = errors.next() {
            f.write_str(first.to_string().lines().next().unwrap_or_default())?;
        }
        match errors.count() {
            0 => Ok(()),
            more => write!(f, " (and {more} more)"),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl std::error::Error for Error {}

impl Serialize for Error {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// Shows the first diagnostic, and the others as related to it.
impl miette::Diagnostic for Error {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.first()?.code()
    }

    fn severity(&self) -> Option<miette::Severity> {
        self.first()?.severity()
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.first()?.help()
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        let source = self.0.source.as_ref()?;
        Some(source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = miette::LabeledSpan> + '_>> {
        self.first()?.labels()
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn miette::Diagnostic> + 'a>> {
        let others = self.0.diagnostics.iter().skip(1);
        Some(Box::new(
            others.map(|other| other as &dyn miette::Diagnostic),
        ))
    }
}

impl Error {
    fn first(&self) -> Option<&dyn miette::Diagnostic> {
        let first = self.0.diagnostics.first()?;
        Some(first)
    }
}
