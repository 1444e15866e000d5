//! The operation table of execution (language.md §4.1): what each expression and statement costs.
//!
//! Written from the contract alone; the derivation has a table of its own, so that a slip in one
//! shows as a difference.

use crate::program::{ConditionKind, Expr, NumberKind, Stmt, Word, Written};

/// op(e): the operations of one evaluation.
pub(super) fn of_expr<'e>(expr: impl Into<Expr<'e>>) -> u64 {
    // A stack of its own: sums may be longer than the call stack is deep.
    let mut operations = 0;
    let mut pending = vec![expr.into()];
    while let Some(expr) = pending.pop() {
        operations += of_node(expr);
        expr.each_operand(&mut |operand| pending.push(operand));
    }
    operations
}

/// Counts the operation of one node, without those of its operands.
fn of_node(expr: Expr<'_>) -> u64 {
    match expr {
        // A list of n arguments folds by n − 1 operators. A chain has a connective between two
        // comparisons: `0 ≤ x < n` is 2 comparisons and 1 connective, so 3.
        Expr::Number(number) => match &number.kind {
            NumberKind::Integer(_) | NumberKind::Float(_) | NumberKind::Parameter(_) => 0,
            NumberKind::Word(word) => 1 + address(word),
            NumberKind::Unary { .. }
            | NumberKind::Binary { .. }
            | NumberKind::Pair { .. }
            | NumberKind::Bracket(_)
            | NumberKind::Select { .. } => 1,
            NumberKind::Extreme { arguments, .. } => arguments.len() as u64 - 1,
            NumberKind::Only(nothing) => match *nothing {},
        },
        Expr::Condition(condition) => match &condition.kind {
            ConditionKind::Compare { operators, .. } => 2 * operators.len() as u64 - 1,
            ConditionKind::And(..) | ConditionKind::Or(..) | ConditionKind::Not(_) => 1,
            ConditionKind::Only(nothing) => match *nothing {},
        },
    }
}

/// Counts the index operations of a word: its index expressions, and 2(d − 1) for the address.
pub(super) fn of_index(word: &Word) -> u64 {
    address(word) + word.indices.iter().map(of_expr).sum::<u64>()
}

fn address(word: &Word) -> u64 {
    2 * (word.indices.len() as u64).saturating_sub(1)
}

/// Counts the operations of one execution of a statement, without its block. For a `for` this
/// is op(lo) + op(hi), without the 1 of each iteration; for a `while`, one test; for an
/// `atomic`, the price of one core on the most contended word.
pub(super) fn of_stmt(stmt: &Stmt) -> u64 {
    // `_c[j] ← _a[j] + _b[j]`: two reads and one sum are op(e) = 3, the write adds 1, together 4.
    // `_a[j] ⇐ a[ib + j]`: 1, and 2 for the index of the global side, together 3.
    let parts = stmt.kind.parts();
    let values: u64 = parts.values.into_iter().map(of_expr).sum();
    let written = match parts.write {
        Some((target, Written::Word(source))) => 1 + of_index(target) + of_index(source),
        Some((target, Written::Value(_))) => 1 + of_index(target),
        // The element's own read, an operator before each operand, and the write.
        Some((target, Written::Update(_, operands))) => {
            2 * (1 + of_index(target)) + operands.len() as u64
        }
        None => 0,
    };
    values + written
}
