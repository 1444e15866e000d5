//! The lints that need counts, one file each. A lint complains of each line of a program once.

mod bank_conflict;
mod divergence;
mod idle_mps;
mod idle_round;
mod low_occupancy;
mod uncoalesced;
mod unsent_output;

use crate::diag::Diagnostic;
use crate::interval::Counted;
use crate::lint::Subject;
use crate::program::Program;

/// Runs the lints that look at the text alone.
pub(super) fn of_program(program: &Program) -> Vec<Diagnostic> {
    unsent_output::lint(program)
}

/// Runs the lints that look at rounds.
pub(super) fn of_rounds(subject: &Subject<'_>, counted: &Counted) -> Vec<Diagnostic> {
    let mut found = idle_round::lint(counted);
    found.extend(low_occupancy::lint(subject, counted));
    once_a_line(subject, found)
}

/// Runs the lints that look at the lines of kernels.
pub(super) fn of_lines(subject: &Subject<'_>, counted: &Counted) -> Vec<Diagnostic> {
    let mut found = uncoalesced::lint(subject, counted);
    found.extend(bank_conflict::lint(subject, counted));
    found.extend(divergence::lint(subject, counted));
    found.extend(idle_mps::lint(subject, counted));
    once_a_line(subject, found)
}

fn once_a_line(subject: &Subject<'_>, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    // A kernel executed in several rounds would repeat its findings.
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
