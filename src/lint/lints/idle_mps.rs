//! `lint::idle-mps`: MPs that write nothing to global memory, such as n MPs for n words.

use std::collections::HashSet;

use miette::Diagnostic as MietteDiagnostic;
use thiserror::Error;

use crate::diag::Diagnostic;
use crate::interval::Counted;
use crate::lint::Subject;
use crate::meaning::PointValues;
use crate::number::{BigInt, grouped};
use crate::program::StmtKind;
use crate::text::Span;

#[derive(Debug, Error, MietteDiagnostic)]
#[error(
    "at least {} of {} MPs write nothing ({at})",
    grouped(idle),
    grouped(launched)
)]
#[diagnostic(
    code("atgpu::lint::idle-mps"),
    help("launch MPs for the words that are written, as in `MP[0..⌈n/b⌉-1]` for n words")
)]
struct IdleMps {
    idle: BigInt,
    launched: BigInt,
    at: PointValues,
    #[label(primary, "launches them")]
    span: Span,
}

/// Looks for kernels that launch more MPs than they write blocks, in every round. Two MPs may write one
/// block, but an MP that writes at all writes one, so the excess does nothing.
pub(super) fn lint(subject: &Subject<'_>, counted: &Counted) -> Vec<Diagnostic> {
    let statements = subject.program.statements();
    let stores = statements.filter(|statement| matches!(statement.kind, StmtKind::Store { .. }));
    let stores: HashSet<Span> = stores.map(|statement| statement.span).collect();
    let mut kernels: Vec<IdleMps> = Vec::new();
    let mut busy: Vec<Span> = Vec::new();
    let rounds = counted.counts.rounds.iter().zip(&counted.lines);
    for (((_, round), lines), detail) in rounds.zip(&counted.details) {
        let Some(span) = detail.kernel else {
            continue;
        };
        let written = lines.iter().filter(|line| stores.contains(&line.span));
        let written: Vec<&BigInt> = written.map(|line| &line.blocks.upper).collect();
        let launched = &round.launched_mps.lower;
        let idle = launched - written.iter().copied().sum::<BigInt>();
        // A kernel that writes nothing at all is there to be measured.
        if written.is_empty() || idle <= BigInt::ZERO {
            busy.push(span);
        } else if !kernels.iter().any(|known| known.span == span) {
            kernels.push(IdleMps {
                idle,
                launched: launched.clone(),
                at: subject.point.values(),
                span,
            });
        }
    }
    kernels.retain(|kernel| !busy.contains(&kernel.span));
    kernels
        .iter()
        .map(|kernel| Diagnostic::of(kernel))
        .collect()
}
