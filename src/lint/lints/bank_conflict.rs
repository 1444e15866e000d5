//! `lint::bank-conflict`: a shared operand whose active cores meet in a bank.

use miette::Diagnostic as MietteDiagnostic;
use thiserror::Error;

use crate::diag::Diagnostic;
use crate::interval::Counted;
use crate::lint::Subject;
use crate::machine::Warps;
use crate::meaning::PointValues;
use crate::text::Span;

#[derive(Debug, Error, MietteDiagnostic)]
#[error("a bank conflict of degree {degree}{by} ({at})")]
#[diagnostic(
    code("atgpu::lint::bank-conflict"),
    help(
        "let the active cores access words that differ modulo {modulus}, by padding a row with a word, say"
    )
)]
struct BankConflict {
    degree: u64,
    /// Where the MP is several warps: that they are counted each for itself.
    by: String,
    /// The number of banks.
    modulus: String,
    at: PointValues,
    #[label(primary, "{degree} words in one bank")]
    span: Span,
}

pub(super) fn lint(subject: &Subject<'_>, counted: &Counted) -> Vec<Diagnostic> {
    // In an MP of several warps, the worst warp's degree over the card's banks.
    let (by, modulus) = match subject.machine.warps() {
        Some(Warps { size, banks }) => (
            format!(
                " on {}, in warps of {size} over {banks} banks",
                subject.machine.name
            ),
            banks.to_string(),
        ),
        None => (String::new(), "b".to_owned()),
    };
    let conflicts = counted.facts.iter().filter_map(|fact| {
        let (degree, span) = fact.conflict?;
        Some(Diagnostic::of(&BankConflict {
            degree,
            by: by.clone(),
            modulus: modulus.clone(),
            at: subject.point.values(),
            span,
        }))
    });
    conflicts.collect()
}
