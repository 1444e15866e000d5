//! `lint::idle-round`: a round of transfers without a kernel, which still pays σ.

use miette::Diagnostic as MietteDiagnostic;
use thiserror::Error;

use crate::diag::Diagnostic;
use crate::interval::Counted;
use crate::text::Span;

#[derive(Debug, Error, MietteDiagnostic)]
#[error("a round without a kernel, of {transfers} transfer{}", if *transfers == 1 { "" } else { "s" })]
#[diagnostic(
    code("atgpu::lint::idle-round"),
    help(
        "move inward transfers before a kernel and outward ones behind it, so that they share its round"
    )
)]
struct IdleRound {
    transfers: usize,
    #[label(primary, "the round starts here")]
    span: Span,
}

pub(super) fn lint(counted: &Counted) -> Vec<Diagnostic> {
    let idle = counted.details.iter().filter_map(|round| {
        if round.kernel.is_some() || !round.is_certain {
            return None;
        }
        Some(Diagnostic::of(&IdleRound {
            transfers: round.transfers.len(),
            span: *round.transfers.first()?,
        }))
    });
    idle.collect()
}
