//! A text with all unambiguous fixes made: the result of `check --fix`.

use crate::check::check_text;
use crate::diag::{Diagnostic, Edit, Fix, edited};
use crate::text::Source;

/// Most rounds of mending; each shows the faults that others hid.
const MOST_ROUNDS: usize = 200;

/// A text that was mended as far as a tool can.
///
/// ```
/// use atgpu::check::mend;
/// use atgpu::text::Source;
///
/// let source = Source::new("t.atgpu", "algorithm T(n)\n  claim tme = 0\n");
/// let mended = mend(&source);
/// assert_eq!(mended.source.text(), "algorithm T(n)\n  claim time = 0\n");
/// assert_eq!(mended.fixed, ["write `time`"]);
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Mended {
    /// The mended text, under the name of the original.
    pub source: Source,
    /// Titles of the fixes made, in order.
    pub fixed: Vec<String>,
}

/// Makes the preferred fix of every finding, again and again until none is left. Only fixes that
/// leave less wrong are made; of several that change the same place, the first.
///
/// ```
/// use atgpu::check::mend;
/// use atgpu::text::Source;
///
/// // Whether a product divides as a whole only its author knows.
/// let source = Source::new("t.atgpu", "algorithm T(n)\n  let k = n/2b\n");
/// assert!(mend(&source).fixed.is_empty());
/// ```
pub fn mend(source: &Source) -> Mended {
    let mut mended = Mended {
        source: source.clone(),
        fixed: Vec::new(),
    };
    let mut findings = check_text(source).diagnostics;
    let mut refused: Vec<Fix> = Vec::new();
    for _ in 0..MOST_ROUNDS {
        let fixes = preferred(&findings, &refused);
        let [first, ..] = fixes.as_slice() else {
            break;
        };
        let tried = better(&mended.source, &findings, &fixes)
            // Together they make it no better: perhaps the first does alone.
            .map(|better| (better, fixes.len()))
            .or_else(|| Some((better(&mended.source, &findings, &fixes[..1])?, 1)));
        match tried {
            Some(((source, found), made)) => {
                mended
                    .fixed
                    .extend(fixes[..made].iter().map(|fix| fix.title.clone()));
                mended.source = source;
                findings = found;
                // Places have moved, and what was hopeless may help now.
                refused.clear();
            }
            None => refused.push(Fix::clone(first)),
        }
    }
    mended
}

/// Returns the fixes to make at once.
fn preferred<'d>(findings: &'d [Diagnostic], refused: &[Fix]) -> Vec<&'d Fix> {
    let mut chosen: Vec<&Fix> = Vec::new();
    for finding in findings {
        // Two fixes that meet would undo each other, so the second one waits for the next round.
        let Some(fix) = finding.fixes.first().filter(|fix| fix.preferred) else {
            continue;
        };
        if !refused.contains(fix) && !chosen.iter().any(|other| other.meets(fix)) {
            chosen.push(fix);
        }
    }
    chosen
}

/// Returns the text with fixes made, and its findings, if they are less bad than before.
fn better(
    source: &Source,
    findings: &[Diagnostic],
    fixes: &[&Fix],
) -> Option<(Source, Vec<Diagnostic>)> {
    let edits: Vec<Edit> = fixes.iter().flat_map(|fix| fix.edits.clone()).collect();
    let text = edited(source.text(), &edits);
    let source = Source::new(source.name(), &text);
    let found = check_text(&source).diagnostics;
    (badness(&found) < badness(findings)).then_some((source, found))
}

/// Ranks findings: faults of syntax hide all others, errors hide lints, and each label of a missing
/// `end` is an open block.
fn badness(findings: &[Diagnostic]) -> [usize; 4] {
    let is_syntax = |finding: &&Diagnostic| finding.code.short_name().starts_with("syntax::");
    let errors = findings.iter().filter(|finding| finding.is_error());
    [
        errors.clone().filter(is_syntax).count(),
        errors
            .clone()
            .filter(is_syntax)
            .map(|found| found.labels.len())
            .sum(),
        errors.count(),
        findings.len(),
    ]
}
