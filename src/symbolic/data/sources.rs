//! What is written to a variable anywhere in a program.

use crate::program::{Direction, HostStmt, Number, Stmt, StmtKind, VarId, WrapperStmt};

/// What is written to a variable.
pub(crate) enum Source<'p> {
    /// Words of this one.
    Words(VarId),
    /// A value.
    Value(&'p Number),
    /// Anything.
    Unknown,
}

pub(crate) fn sources_in<'p>(
    body: &'p [HostStmt],
    targets: &[VarId],
    sources: &mut Vec<Source<'p>>,
) {
    for statement in body {
        match statement {
            HostStmt::Transfer(transfer) => {
                let (from, to) = match transfer.direction {
                    Direction::Inward => (&transfer.host, &transfer.global),
                    Direction::Outward => (&transfer.global, &transfer.host),
                };
                if targets.contains(&to.variable) {
                    sources.push(Source::Words(from.variable));
                }
            }
            HostStmt::Kernel(kernel) => {
                for part in &kernel.body {
                    match part {
                        WrapperStmt::Let(_) => {}
                        WrapperStmt::Cores(cores) => written_in(&cores.body, targets, sources),
                    }
                }
            }
            HostStmt::For(inner) => sources_in(&inner.body, targets, sources),
            HostStmt::While(inner) => sources_in(&inner.body, targets, sources),
            HostStmt::Execute(execute) => sources_in(&execute.body, targets, sources),
            HostStmt::Let(_) | HostStmt::Swap(_) => {}
        }
    }
}

fn written_in<'p>(body: &'p [Stmt], targets: &[VarId], sources: &mut Vec<Source<'p>>) {
    for statement in body {
        match &statement.kind {
            StmtKind::Load { target, source } | StmtKind::Store { target, source } => {
                if targets.contains(&target.variable) {
                    sources.push(Source::Words(source.variable));
                }
            }
            StmtKind::Assign { target, value } => {
                if targets.contains(&target.variable) {
                    sources.push(Source::Value(value));
                }
            }
            StmtKind::Atomic { target, .. } => {
                if targets.contains(&target.variable) {
                    sources.push(Source::Unknown);
                }
            }
            StmtKind::Let(_) => {}
            StmtKind::If { body, .. }
            | StmtKind::For { body, .. }
            | StmtKind::While { body, .. } => {
                written_in(body, targets, sources);
            }
        }
    }
}
