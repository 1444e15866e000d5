//! The effect of `▷ allow lint::NAME`: it removes lints where it stands, and is `lint::unused`
//! where there were none.
//!
//! Lints are reported in two places, here and in `lint`. Each passes its own findings, so an
//! `allow` is reported as idle only where its lint was looked for.

use crate::check::error::CheckLint;
use crate::diag::{Code, Diagnostic};
use crate::syntax::ast::Allow;
use crate::text::{Source, nearest};

/// The place where lints are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// In checking: lints that need no counts, and names that no lint has.
    Check,
    /// In `lint`: lints that need counts.
    Counted,
}

/// The lints that checking reports.
const CHECKED: [&str; 6] = [
    "comment",
    "core-set",
    "invisible",
    "one-operand",
    "power",
    "unused",
];

const UNUSED: &str = "unused";

/// Removes the allowed lints from findings. If this stage looked for all of its lints, adds a
/// finding for each `allow` of them that silences nothing.
pub(crate) fn silence(
    source: &Source,
    allows: &[Allow],
    findings: Vec<Diagnostic>,
    (stage, is_complete): (Stage, bool),
) -> Vec<Diagnostic> {
    let mut silences = vec![false; allows.len()];
    let mut is_told = |finding: &Diagnostic| {
        let mut told = true;
        for (allow, silences) in allows.iter().zip(&mut silences) {
            if speaks_of(allow, finding) {
                *silences = true;
                told = false;
            }
        }
        told
    };
    let mut told: Vec<Diagnostic> = findings.into_iter().filter(&mut is_told).collect();
    if !is_complete {
        return told;
    }
    // An `allow` of `unused` may silence the report about another idle `allow`, so one that stands
    // over another is not judged.
    let of_stage: Vec<&Allow> = allows.iter().filter(|it| stage_of(it) == stage).collect();
    let idle: Vec<&Allow> = of_stage
        .into_iter()
        .filter(|allow| {
            let at = allows.iter().position(|it| it.span == allow.span);
            !at.is_some_and(|at| silences[at]) && !may_silence_another(allow, allows)
        })
        .collect();
    for allow in idle {
        let finding = Diagnostic::mendable(&idle_allow(allow), source);
        if !allows.iter().any(|other| speaks_of(other, &finding)) {
            told.push(finding);
        }
    }
    told.sort_by_key(|finding| finding.primary().map(|label| label.span.start));
    told
}

/// Returns true if it silences a finding; it never silences errors and notes.
fn speaks_of(allow: &Allow, finding: &Diagnostic) -> bool {
    let place = finding.primary().map_or(0, |label| label.span.start);
    let name = finding.code.short_name().strip_prefix("lint::");
    name == Some(&allow.lint) && allow.covers.start <= place && place < allow.covers.end
}

fn stage_of(allow: &Allow) -> Stage {
    let is_known = code(allow).is_some();
    if is_known && !CHECKED.contains(&allow.lint.as_str()) {
        Stage::Counted
    } else {
        Stage::Check
    }
}

/// Returns true if it covers another `allow`, which may turn out idle in the other stage.
fn may_silence_another(allow: &Allow, allows: &[Allow]) -> bool {
    let is_over = |other: &Allow| {
        allow.covers.start <= other.span.start && other.span.start < allow.covers.end
    };
    allow.lint == UNUSED
        && allows
            .iter()
            .any(|other| other.span != allow.span && is_over(other))
}

fn code(allow: &Allow) -> Option<Code> {
    Code::find(&format!("lint::{}", allow.lint))
}

fn idle_allow(allow: &Allow) -> CheckLint {
    let lints = crate::diag::CODES.iter();
    let names = lints.filter_map(|code| code.short_name().strip_prefix("lint::"));
    let nearest = nearest(&allow.lint, names).filter(|_| code(allow).is_none());
    CheckLint::IdleAllow {
        name: allow.lint.clone(),
        is_known: code(allow).is_some(),
        nearest,
        span: allow.span,
    }
}
