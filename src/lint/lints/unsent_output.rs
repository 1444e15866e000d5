//! `lint::unsent-output`: an output that an `ensure` reads and no transfer writes. The `ensure` can never
//! hold, so it is an error. An output that nothing names is `lint::unused`.

use miette::Diagnostic as MietteDiagnostic;
use thiserror::Error;

use crate::diag::Diagnostic;
use crate::program::{Direction, Expr, HostStmt, Program, Role, VarId, nested_on_host};
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
    let written = nested_on_host(&program.body).filter_map(|statement| match statement {
        HostStmt::Transfer(transfer) if transfer.direction == Direction::Outward => {
            Some(transfer.host.variable)
        }
        _ => None,
    });
    let written: Vec<VarId> = written.collect();
    let outputs = program.variable_ids().filter(|id| {
        let variable = program.variable(*id);
        variable.role == Role::Output && !written.contains(id)
    });
    let found = outputs.filter_map(|id| {
        let mut ensures = program.ensures.iter();
        let ensure = ensures.find(|ensure| {
            let mut words = Vec::new();
            Expr::from(&ensure.condition).words(&mut words);
            words.iter().any(|word| word.variable == id)
        })?;
        let variable = program.variable(id);
        Some(Diagnostic::of(&UnsentOutput {
            name: variable.name.clone(),
            span: variable.span,
            read: ensure.span,
        }))
    });
    found.collect()
}
