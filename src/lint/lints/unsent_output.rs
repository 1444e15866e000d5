//! `lint::unsent-output`: an output that an `ensure` reads and no transfer writes. The `ensure` can never
//! hold, so it is an error. An output that nothing names is `lint::unused`.

use miette::Diagnostic as MietteDiagnostic;
use thiserror::Error;

use crate::diag::Diagnostic;
use crate::program::{
    Direction, Expr, Formula, HostFor, HostStmt, HostWhile, NumberKind, Program, Role, VarId,
};
use crate::text::Span;

#[derive(Debug, Error, MietteDiagnostic)]
#[error("no transfer writes the output `{name}`")]
#[diagnostic(
    code("atgpu::lint::unsent-output"),
    help("write `{name} ⇚ …` behind the kernel that computes it")
)]
struct UnsentOutput {
    name: String,
    #[label(primary, "never written")]
    span: Span,
    #[label("this reads it")]
    read: Span,
}

pub(super) fn lint(program: &Program) -> Vec<Diagnostic> {
    let mut written = Vec::new();
    targets(&program.body, &mut written);
    let outputs = program.variable_ids().filter(|id| {
        let variable = program.variable(*id);
        variable.role == Role::Output && !written.contains(id)
    });
    let found = outputs.filter_map(|id| {
        let mut ensures = program.ensures.iter();
        let ensure = ensures.find(|ensure| reads((&ensure.condition).into(), id))?;
        let variable = program.variable(id);
        Some(Diagnostic::of(&UnsentOutput {
            name: variable.name.clone(),
            span: variable.span,
            read: ensure.span,
        }))
    });
    found.collect()
}

/// Adds the host variables that transfers write.
fn targets(body: &[HostStmt], written: &mut Vec<VarId>) {
    for statement in body {
        match statement {
            HostStmt::Transfer(transfer) if transfer.direction == Direction::Outward => {
                written.push(transfer.host.variable);
            }
            HostStmt::For(HostFor { body, .. }) | HostStmt::While(HostWhile { body, .. }) => {
                targets(body, written);
            }
            HostStmt::Execute(execute) => targets(&execute.body, written),
            HostStmt::Transfer(_) | HostStmt::Kernel(_) | HostStmt::Let(_) | HostStmt::Swap(_) => {}
        }
    }
}

/// Whether an expression reads a word of a variable.
fn reads(expr: Expr<'_, Formula>, id: VarId) -> bool {
    expr.any(&mut |part| match part {
        Expr::Number(number) => match &number.kind {
            NumberKind::Word(word) => word.variable == id,
            _ => false,
        },
        Expr::Condition(_) => false,
    })
}
