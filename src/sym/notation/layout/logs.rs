//! Logarithms of quotients: (log2(n/b))² for (log2 n)² − 2 log2 n·log2 b + (log2 b)².

use crate::sym::Expr;
use crate::sym::bare;
use crate::sym::expr::summary::Kind;
use crate::sym::expr::types::Atom;
use crate::sym::notation::layout::MACHINE_NAMES;

/// The same with the logarithm of a quotient where that leaves one logarithm instead of two.
pub(super) fn of_quotients(expr: Expr) -> Expr {
    if expr.terms().len() < 2 || !expr.has(Kind::Log) {
        return expr;
    }
    let logs = expr.atoms().into_iter();
    let logs: Vec<Atom> = logs.filter(|atom| matches!(atom, Atom::Log(..))).collect();
    for large in &logs {
        for small in &logs {
            let (Atom::Log(base, x), Atom::Log(other, y)) = (large, small) else {
                continue;
            };
            let of_machine = |x: &Expr| {
                let symbol = x.as_symbol();
                symbol.is_some_and(|symbol| MACHINE_NAMES.contains(&bare(&symbol.name)))
            };
            if large == small || base != other || !of_machine(y) || of_machine(x) {
                continue;
            }
            let Some(quotient) = x.div(y) else {
                continue;
            };
            let of_quotient = Expr::atom(Atom::Log(base.clone(), quotient));
            let sum = &of_quotient + Expr::atom(small.clone());
            let changed = expr.replace(&|atom| (atom == large).then(|| sum.clone()));
            let mut left = changed.atoms().into_iter();
            let is_gone = left.all(|atom| atom != *small);
            if is_gone && changed.terms().len() < expr.terms().len() {
                return changed;
            }
        }
    }
    expr
}
