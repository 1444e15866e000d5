//! What checking has found: each mistake once, however often its place is looked at.

use std::collections::HashSet;

use crate::diag::{Code, Diagnostic, Mend};
use crate::text::{Source, Span};

/// The findings so far, and what decides whether one more is told.
#[derive(Default)]
pub(super) struct Findings {
    told: Vec<Diagnostic>,
    /// One mistake in a named kernel is one finding, however often the kernel is executed.
    seen: HashSet<(Code, Span)>,
    muted: bool,
    /// Names reported as unknown.
    unknown: HashSet<String>,
    /// The `execute` whose kernel body is being checked.
    execute: Option<Span>,
}

impl Findings {
    /// Adds a finding, once for each place and code.
    pub(super) fn add(&mut self, error: &dyn Mend, source: &Source) {
        if self.muted {
            return;
        }
        let mut finding = Diagnostic::mendable(error, source);
        let place = finding.primary().map(|label| label.span);
        if !self.seen.insert((finding.code, place.unwrap_or_default())) {
            return;
        }
        finding.label_execute(self.execute);
        self.told.push(finding);
    }

    /// Adds what is found of an unknown name, once for each.
    pub(super) fn add_once(&mut self, unknown: &str, error: &dyn Mend, source: &Source) {
        if !self.muted && self.unknown.insert(unknown.to_owned()) {
            self.add(error, source);
        }
    }

    /// Tells nothing from here on; gives whether that was so already.
    pub(super) fn mute(&mut self) -> bool {
        std::mem::replace(&mut self.muted, true)
    }

    /// Tells findings again, unless they were muted before.
    pub(super) fn unmute(&mut self, before: bool) {
        self.muted = before;
    }

    /// Findings from here on are also labelled at this `execute`; gives the one before.
    pub(super) fn label_at(&mut self, execute: Option<Span>) -> Option<Span> {
        std::mem::replace(&mut self.execute, execute)
    }

    /// Whether an error was found.
    pub(super) fn have_errors(&self) -> bool {
        self.told.iter().any(Diagnostic::is_error)
    }

    /// The findings in the order of the text.
    pub(super) fn take(&mut self) -> Vec<Diagnostic> {
        let mut findings = std::mem::take(&mut self.told);
        findings.sort_by_key(|finding| finding.primary().map(|label| label.span.start));
        findings
    }
}
