//! A note of `cost` on MPs of several warps: how `roofline` takes them, and what may be nearer to the truth.

use miette::Diagnostic as MietteDiagnostic;
use thiserror::Error;

use crate::diag::{Diagnostic, Severity};
use crate::machine::Machine;
use crate::program::{Program, StmtKind};
use crate::text::Span;

#[derive(Debug, Error, MietteDiagnostic)]
#[error(
    "`roofline` lets the {warps} warps of an MP go in step, as where a barrier is behind each line"
)]
#[diagnostic(
    code("atgpu::lint::divergence"),
    help("give -D W={warps} where there are few barriers: the warps go side by side then")
)]
struct InStep {
    warps: i64,
    #[label(primary, "its MPs are {warps} warps wide")]
    span: Span,
}

#[derive(Debug, Error, MietteDiagnostic)]
#[error(
    "`roofline` charges the lines of an `if` to all {warps} warps of an MP, also to those without active cores"
)]
#[diagnostic(
    code("atgpu::lint::divergence"),
    help(
        "where whole warps drop out, let MPs of {size} cores go through the warps of a thread block in turn, \
         and give -D W={warps}"
    )
)]
struct IdleWarps {
    warps: i64,
    size: i64,
    #[label(primary, "the first of them")]
    span: Span,
}

/// Notes on how `roofline` takes MPs of several warps: none where an MP is one.
pub fn warps_in_step(program: &Program, machine: &Machine) -> Vec<Diagnostic> {
    let Some(card) = machine.warps() else {
        return Vec::new();
    };
    let warps = machine.warps_across();
    let kernel = program.kernels().next().map(|kernel| kernel.span);
    let in_step = kernel.filter(|_| machine.roofline.warps_per_mp.is_none());
    let in_step = in_step.map(|span| Diagnostic::of(&InStep { warps, span }));
    let mut guards = program.statements();
    let guard = guards.find(|statement| matches!(statement.kind, StmtKind::If { .. }));
    let idle = guard.map(|guard| {
        Diagnostic::of(&IdleWarps {
            warps,
            size: card.size,
            span: guard.span,
        })
    });
    let notes = in_step.into_iter().chain(idle);
    notes
        .map(|note| Diagnostic {
            severity: Severity::Note,
            ..note
        })
        .collect()
}
