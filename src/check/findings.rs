//! The findings of checking: each mistake once, however often its place is checked.

use std::collections::HashSet;

use crate::diag::{Code, Diagnostic, Mend};
use crate::text::{Source, Span};

/// The findings so far, and the facts that decide if one more is added.
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
        // The body of a named kernel is checked at each `execute`. A fault found each time has the
        // same place and code.
        let place = finding.primary().map(|label| label.span);
        if !self.seen.insert((finding.code, place.unwrap_or_default())) {
            return;
        }
        finding.label_execute(self.execute);
        self.told.push(finding);
    }

    /// Adds a finding about an unknown name, once per name.
    pub(super) fn add_once(&mut self, unknown: &str, error: &dyn Mend, source: &Source) {
        if !self.muted && self.unknown.insert(unknown.to_owned()) {
            self.add(error, source);
        }
    }

    /// Drops findings from here on; returns true if they were dropped already.
    pub(super) fn mute(&mut self) -> bool {
        std::mem::replace(&mut self.muted, true)
    }

    /// Reports findings again, unless they were dropped before.
    pub(super) fn unmute(&mut self, before: bool) {
        self.muted = before;
    }

    /// Labels further findings at this `execute` too; returns the one before.
    pub(super) fn label_at(&mut self, execute: Option<Span>) -> Option<Span> {
        std::mem::replace(&mut self.execute, execute)
    }

    /// Returns true if an error was found.
    pub(super) fn have_errors(&self) -> bool {
        self.told.iter().any(Diagnostic::is_error)
    }

    /// Takes the findings, in text order.
    pub(super) fn take(&mut self) -> Vec<Diagnostic> {
        let mut findings = std::mem::take(&mut self.told);
        findings.sort_by_key(|finding| finding.primary().map(|label| label.span.start));
        findings
    }
}
