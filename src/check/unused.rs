//! `lint::unused`: kernels without an `execute`, variables without a use.

use crate::check::context::Context;
use crate::check::error::CheckLint;
use crate::check::host::execute;

/// Reports unused declarations. Only for a program without errors, where a misspelt name cannot
/// make its owner look unused.
pub(super) fn check(ctx: &mut Context) {
    let idle: Vec<_> = ctx
        .kernels
        .values()
        .filter(|kernel| !kernel.executed)
        .map(|kernel| kernel.written)
        .collect();
    for kernel in idle {
        execute::note_names(ctx, kernel);
        ctx.report(&CheckLint::UnusedKernel {
            name: kernel.name.text.clone(),
            call: execute::call_text(kernel),
            span: kernel.span,
        });
    }
    let unused: Vec<CheckLint> = ctx
        .variables
        .unused()
        .map(|variable| CheckLint::UnusedVariable {
            name: variable.name.clone(),
            scope: variable.scope,
            role: variable.role,
            span: variable.span,
        })
        .collect();
    unused.iter().for_each(|lint| ctx.report(lint));
}
