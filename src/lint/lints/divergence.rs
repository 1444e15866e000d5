//! `lint::divergence`: an `if` that splits the active cores of an MP, other than a guard that
//! keeps an index inside an extent.

use miette::Diagnostic as MietteDiagnostic;
use thiserror::Error;

use crate::diag::Diagnostic;
use crate::interval::Counted;
use crate::lint::Subject;
use crate::meaning::PointValues;
use crate::text::Span;

#[derive(Debug, Error, MietteDiagnostic)]
#[error("{entering} of {active} active cores enter this `if`; the others wait ({at})")]
#[diagnostic(
    code("atgpu::lint::divergence"),
    help(
        "let the condition depend on the MP's number only, or give each core its work by arithmetic"
    )
)]
struct Divergence {
    entering: u64,
    active: u64,
    at: PointValues,
    #[label(primary, "splits the active cores")]
    span: Span,
}

pub(super) fn lint(subject: &Subject<'_>, counted: &Counted) -> Vec<Diagnostic> {
    let splits = counted.facts.iter().filter_map(|fact| {
        let (entering, active) = fact.split?;
        Some(Diagnostic::of(&Divergence {
            entering,
            active,
            at: subject.point.values(),
            span: fact.span,
        }))
    });
    splits.collect()
}
