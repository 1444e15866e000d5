//! `lint::uncoalesced`: an access that touches more blocks than its words need.

use miette::Diagnostic as MietteDiagnostic;
use thiserror::Error;

use crate::diag::Diagnostic;
use crate::interval::Counted;
use crate::lint::Subject;
use crate::meaning::PointValues;
use crate::text::Span;

#[derive(Debug, Error, MietteDiagnostic)]
#[error("{blocks} blocks for {words} words ({at}); {needed} would hold them")]
#[diagnostic(
    code("atgpu::lint::uncoalesced"),
    help("let neighbouring cores access neighbouring words, from a block's first word on")
)]
struct Uncoalesced {
    blocks: u64,
    words: u64,
    needed: u64,
    at: PointValues,
    #[label(primary, "touches {blocks} blocks at once")]
    span: Span,
}

pub(super) fn lint(subject: &Subject<'_>, counted: &Counted) -> Vec<Diagnostic> {
    // A block has b words: 40 words with b = 32 fit in ⌈40/32⌉ = 2 blocks.
    let b = u64::try_from(subject.point.cores()).unwrap_or(1).max(1);
    let scattered = counted.facts.iter().filter_map(|fact| {
        let (blocks, words) = fact.scattered?;
        Some(Diagnostic::of(&Uncoalesced {
            blocks,
            words,
            needed: words.div_ceil(b),
            at: subject.point.values(),
            span: fact.span,
        }))
    });
    scattered.collect()
}
