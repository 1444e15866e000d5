//! Walks over statements in text order, nested blocks included.
//!
//! Each statement is yielded once, for callers that only collect.
//! [`StmtKind::parts`](crate::program::StmtKind) gives the parts of a statement; each counter defines its
//! meaning and its cost.

use crate::program::{Expr, HostStmt, Kernel, Program, Stmt, WrapperStmt};

/// Iterates over statements of a core loop and all statements nested in them, in text order.
pub(crate) fn nested(body: &[Stmt]) -> impl Iterator<Item = &Stmt> {
    in_text_order(body, |stmt| stmt.kind.parts().body)
}

/// Iterates over host statements and all statements nested in them, in text order.
pub(crate) fn nested_on_host(body: &[HostStmt]) -> impl Iterator<Item = &HostStmt> {
    in_text_order(body, HostStmt::body)
}

fn in_text_order<T>(body: &[T], block: fn(&T) -> &[T]) -> impl Iterator<Item = &T> {
    // A stack replaces recursion. Statements are pushed in reverse, so the first one of a block is popped
    // first.
    let mut pending: Vec<&T> = body.iter().rev().collect();
    std::iter::from_fn(move || {
        let next = pending.pop()?;
        pending.extend(block(next).iter().rev());
        Some(next)
    })
}

impl Program {
    /// Iterates over all kernels, in text order.
    pub(crate) fn kernels(&self) -> impl Iterator<Item = &Kernel> {
        nested_on_host(&self.body).filter_map(|statement| match statement {
            HostStmt::Kernel(kernel) => Some(kernel),
            _ => None,
        })
    }

    /// Iterates over the statements of all kernels, in text order.
    pub(crate) fn statements(&self) -> impl Iterator<Item = &Stmt> {
        self.kernels().flat_map(Kernel::statements)
    }
}

impl Kernel {
    /// Iterates over the statements of its core loops, nested ones included, in text order.
    pub(crate) fn statements(&self) -> impl Iterator<Item = &Stmt> {
        self.body.iter().flat_map(|part| match part {
            WrapperStmt::Let(_) => nested(&[]),
            WrapperStmt::Cores(cores) => nested(&cores.body),
        })
    }

    /// Calls `visit` on every expression of its text that is no part of a larger one.
    pub(crate) fn each_expr<'p>(&'p self, visit: &mut dyn FnMut(Expr<'p>)) {
        for range in &self.mps {
            visit((&range.low).into());
            visit((&range.high).into());
        }
        for part in &self.body {
            if let WrapperStmt::Let(binding) = part {
                visit((&binding.value).into());
            }
        }
        for stmt in self.statements() {
            let parts = stmt.kind.parts();
            let indices = parts.places().flat_map(|word| &word.indices);
            indices.for_each(|index| visit(index.into()));
            parts.values.into_iter().for_each(&mut *visit);
            parts.at_most.into_iter().for_each(|it| visit(it.into()));
        }
    }
}
