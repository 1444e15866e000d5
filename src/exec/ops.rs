//! The operation table of execution (language.md §4.1): what each expression and statement costs.
//!
//! Written from the contract alone; the derivation has a table of its own, so that a slip in one
//! shows as a difference.

use crate::program::{AtomicOperand, Expr, ExprKind, Stmt, StmtKind, Word};

/// op(e): the operations of one evaluation.
pub(super) fn of_expr(expr: &Expr) -> u64 {
    // A stack of its own: sums may be longer than the call stack is deep.
    let mut operations = 0;
    let mut pending = vec![expr];
    while let Some(expr) = pending.pop() {
        operations += match &expr.kind {
            ExprKind::Integer(_)
            | ExprKind::Float(_)
            | ExprKind::Parameter(_)
            | ExprKind::Symbol(_) => 0,
            ExprKind::Word(word) => {
                pending.extend(&word.indices);
                1 + address(word)
            }
            ExprKind::Negate(of)
            | ExprKind::Ceil(of)
            | ExprKind::Floor(of)
            | ExprKind::Abs(of)
            | ExprKind::Math { argument: of, .. }
            | ExprKind::Bracket(of)
            | ExprKind::Not(of) => {
                pending.push(of);
                1
            }
            ExprKind::Binary { left, right, .. }
            | ExprKind::Bits { left, right, .. }
            | ExprKind::And(left, right)
            | ExprKind::Or(left, right)
            | ExprKind::Implies(left, right)
            | ExprKind::Gcd(left, right)
            | ExprKind::DigitSum(left, right) => {
                pending.extend([&**left, &**right]);
                1
            }
            ExprKind::Log { base, argument } => {
                pending.extend([&**base, &**argument]);
                1
            }
            ExprKind::Min(arguments) | ExprKind::Max(arguments) => {
                pending.extend(arguments);
                arguments.len() as u64 - 1
            }
            ExprKind::Select {
                condition,
                then,
                otherwise,
            } => {
                pending.extend([&**condition, &**then, &**otherwise]);
                1
            }
            ExprKind::Compare {
                operands,
                operators,
            } => {
                pending.extend(operands);
                2 * operators.len() as u64 - 1
            }
            // In headers only, where nothing is charged.
            ExprKind::Quantified { .. } | ExprKind::FloorSum(_) => 0,
        };
    }
    operations
}

/// The index operations of a word: its index expressions, and 2(d − 1) for the address.
pub(super) fn of_index(word: &Word) -> u64 {
    address(word) + word.indices.iter().map(of_expr).sum::<u64>()
}

fn address(word: &Word) -> u64 {
    2 * (word.indices.len() as u64).saturating_sub(1)
}

/// What a statement costs each time it is executed, without its block. For a `for` this is
/// op(lo) + op(hi), the 1 of each iteration not included; for a `while`, one test; for an
/// `atomic`, what is paid once per core on the most contended word.
pub(super) fn of_stmt(stmt: &Stmt) -> u64 {
    match &stmt.kind {
        StmtKind::Load { target, source } | StmtKind::Store { target, source } => {
            1 + of_index(target) + of_index(source)
        }
        StmtKind::Assign { target, value } => of_expr(value) + 1 + of_index(target),
        StmtKind::Atomic {
            target, operands, ..
        } => {
            let right: u64 = operands.iter().map(of_operand).sum();
            (1 + of_index(target) + right) + 1 + of_index(target)
        }
        StmtKind::Let(binding) => of_expr(&binding.value),
        StmtKind::If { condition, .. } | StmtKind::While { condition, .. } => of_expr(condition),
        StmtKind::For { from, to, .. } => of_expr(from) + of_expr(to),
    }
}

/// An operand of an `atomic` with the operator before it.
fn of_operand(operand: &AtomicOperand) -> u64 {
    1 + of_expr(&operand.value)
}
