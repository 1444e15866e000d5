//! Waiting of cores for the words that a `⇐` loads from global memory, some hundred cycles away.
//!
//! A core goes on while a word is under way, and waits where the word is used. So consecutive loads
//! wait together, as one. Nobody waits for a store. The loads of a loop whose iterations do not
//! wait for each other are under way for several of them, since compilers unroll such loops. All is
//! judged by the text; the meaning of a program does not depend on it.

use crate::program::{Expr, Number, Stmt, StmtKind, VarId, Waiting, Word, nested};

/// Marks the loads of a block and of the blocks in it.
pub(super) fn mark(body: &mut [Stmt]) {
    mark_runs(body, Waiting::Alone);
}

/// Marks a block; `waits` is the waiting for the first of consecutive loads.
fn mark_runs(body: &mut [Stmt], waits: Waiting) {
    // The words under way since the last wait.
    let mut loaded: Vec<VarId> = Vec::new();
    for stmt in body {
        if uses(stmt, &loaded) {
            loaded.clear();
        }
        match &mut stmt.kind {
            StmtKind::Load { target, .. } => {
                stmt.waiting = if loaded.is_empty() {
                    waits
                } else {
                    Waiting::Beside
                };
                loaded.push(target.variable);
            }
            // Loads do not wait together across the edge of a block: the first load in it waits
            // anew, and so does the first load behind it.
            StmtKind::For { body, .. } => {
                loaded.clear();
                let waits = if streams(body) {
                    Waiting::Quarter
                } else {
                    Waiting::Alone
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

/// Returns true if a statement reads or computes a word of these variables.
fn uses(stmt: &Stmt, loaded: &[VarId]) -> bool {
    let is_loaded = |word: &Word| loaded.contains(&word.variable);
    let computed = match &stmt.kind {
        StmtKind::Assign { target, .. } | StmtKind::Atomic { target, .. } => is_loaded(target),
        _ => false,
    };
    computed || stmt.kind.reads().into_iter().any(is_loaded)
}

/// Returns true if the iterations of a loop with this body do not wait for each other: data decide
/// neither which words they move nor if they do, and stores go to other arrays.
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
