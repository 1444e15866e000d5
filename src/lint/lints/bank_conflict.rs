//! `lint::bank-conflict`: a shared operand whose active cores meet in a bank.

use miette::Diagnostic as MietteDiagnostic;
use thiserror::Error;

use crate::diag::Diagnostic;
use crate::interval::Counted;
use crate::lint::Subject;
use crate::meaning::PointValues;
use crate::text::Span;

#[derive(Debug, Error, MietteDiagnostic)]
#[error("a bank conflict of degree {degree} ({at})")]
#[diagnostic(
    code("atgpu::lint::bank-conflict"),
    help(
        "let the active cores access words that differ modulo b, by padding a row with a word, say"
    )
)]
struct BankConflict {
    degree: u64,
    at: PointValues,
    #[label(primary, "{degree} words in one bank")]
    span: Span,
}

pub(super) fn lint(subject: &Subject<'_>, counted: &Counted) -> Vec<Diagnostic> {
    let conflicts = counted.facts.iter().filter_map(|fact| {
        let (degree, span) = fact.conflict?;
        Some(Diagnostic::of(&BankConflict {
            degree,
            at: subject.point.values(),
            span,
        }))
    });
    conflicts.collect()
}
