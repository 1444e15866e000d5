//! Lints that need counts: one file each, each line of a program complained of once.

mod bank_conflict;
mod divergence;
mod idle_round;
mod low_occupancy;
mod uncoalesced;

use crate::diag::Diagnostic;
use crate::interval::Counted;
use crate::lint::Subject;

/// The lints that look at rounds.
pub(super) fn of_rounds(subject: &Subject<'_>, counted: &Counted) -> Vec<Diagnostic> {
    let mut found = idle_round::lint(counted);
    found.extend(low_occupancy::lint(subject, counted));
    once_a_line(subject, found)
}

/// The lints that look at the lines of kernels.
pub(super) fn of_lines(subject: &Subject<'_>, counted: &Counted) -> Vec<Diagnostic> {
    let mut found = uncoalesced::lint(subject, counted);
    found.extend(bank_conflict::lint(subject, counted));
    found.extend(divergence::lint(subject, counted));
    once_a_line(subject, found)
}

fn once_a_line(subject: &Subject<'_>, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut seen = std::collections::HashSet::new();
    let mut found = found;
    found.retain(|finding| {
        let line = finding
            .primary()
            .map(|label| subject.program.line(label.span));
        seen.insert((finding.code, line))
    });
    found
}
