//! `lint::divergence`: an `if` that splits the active cores of an MP, other than a guard that
//! keeps an index inside an extent.

use std::collections::HashSet;

use miette::Diagnostic as MietteDiagnostic;
use thiserror::Error;

use crate::diag::Diagnostic;
use crate::interval::Counted;
use crate::lint::Subject;
use crate::meaning::PointValues;
use crate::program::{Stmt, StmtKind};
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

/// Whether an `if` guards one store or one assignment: the last line of every reduction, `if j = 0`. The
/// others wait for one instruction, which is what it costs.
fn is_lone_store(statement: &Stmt) -> bool {
    let StmtKind::If { body, .. } = &statement.kind else {
        return false;
    };
    matches!(&body[..], [only] if matches!(only.kind, StmtKind::Store { .. }))
}

pub(super) fn lint(subject: &Subject<'_>, counted: &Counted) -> Vec<Diagnostic> {
    let lone: HashSet<Span> = subject
        .program
        .statements()
        .filter(|it| is_lone_store(it))
        .map(|it| it.span)
        .collect();
    let splits = counted.facts.iter().filter_map(|fact| {
        let (entering, active) = fact.split.filter(|_| !lone.contains(&fact.span))?;
        Some(Diagnostic::of(&Divergence {
            entering,
            active,
            at: subject.point.values(),
            span: fact.span,
        }))
    });
    splits.collect()
}
