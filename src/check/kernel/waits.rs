//! What a core waits for: the words of `⇐` from global memory, which are some hundred cycles away.
//!
//! A core goes on while a word is under way and waits where it is used. So loads that follow each other wait
//! together, as one; what is stored is waited for by nobody; and loads of a loop that does nothing but
//! load and compute are under way for several of its iterations, since compilers unroll such loops. All is
//! seen in the text; what a program means does not depend on it.

use crate::program::{Expr, Number, Stmt, StmtKind, VarId, Waiting, Word, nested};

/// Marks the loads of a block and of the blocks in it.
pub(super) fn mark(body: &mut [Stmt]) {
    mark_runs(body, Waiting::Alone);
}

/// `waits` is how a core waits for the first of loads that follow each other.
fn mark_runs(body: &mut [Stmt], waits: Waiting) {
    // The words that are under way since somebody last waited.
    let mut loaded: Vec<VarId> = Vec::new();
    for stmt in body {
        if uses(stmt, &loaded) {
            loaded.clear();
        }
        match &mut stmt.kind {
            StmtKind::Load { target, .. } => {
                stmt.waiting = match loaded.is_empty() {
                    true => waits,
                    false => Waiting::Beside,
                };
                loaded.push(target.variable);
            }
            StmtKind::For { body, .. } => {
                loaded.clear();
                let waits = match streams(body) {
                    true => Waiting::Quarter,
                    false => Waiting::Alone,
                };
                mark_runs(body, waits);
            }
            StmtKind::If { body, .. } => {
                loaded.clear();
                let waits = match waits {
                    Waiting::Quarter | Waiting::Half => Waiting::Half,
                    waits => waits,
                };
                mark_runs(body, waits);
            }
            StmtKind::While { body, .. } => {
                loaded.clear();
                mark_runs(body, Waiting::Alone);
            }
            StmtKind::Store { .. }
            | StmtKind::Assign { .. }
            | StmtKind::Atomic { .. }
            | StmtKind::Let(_)
            | StmtKind::Until { .. } => {}
        }
    }
}

/// Whether a statement needs a word of these variables, or computes one.
fn uses(stmt: &Stmt, loaded: &[VarId]) -> bool {
    let is_loaded = |word: &Word| loaded.contains(&word.variable);
    let computed = match &stmt.kind {
        StmtKind::Assign { target, .. } | StmtKind::Atomic { target, .. } => is_loaded(target),
        _ => false,
    };
    computed || stmt.kind.reads().into_iter().any(is_loaded)
}

/// Whether the iterations of a loop with this body do not wait for each other: what they load, and whether, no
/// data decide, and they store to other arrays.
fn streams(body: &[Stmt]) -> bool {
    let stored = |array: VarId| {
        nested(body).any(
            |stmt| matches!(&stmt.kind, StmtKind::Store { target, .. } if target.variable == array),
        )
    };
    nested(body).all(|stmt| match &stmt.kind {
        StmtKind::Load { source, .. } => is_known(&source.indices) && !stored(source.variable),
        StmtKind::Store { target, .. } => is_known(&target.indices),
        StmtKind::If { condition, .. } => !Expr::from(condition).reads_words(),
        StmtKind::Assign { .. } => true,
        StmtKind::Let(binding) => !Expr::from(&binding.value).reads_words(),
        StmtKind::Atomic { .. }
        | StmtKind::For { .. }
        | StmtKind::Until { .. }
        | StmtKind::While { .. } => false,
    })
}

fn is_known(indices: &[Number]) -> bool {
    let mut indices = indices.iter();
    !indices.any(|index| Expr::from(index).reads_words())
}
