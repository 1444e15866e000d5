//! The operation table of language.md §4.1, as functions of the checked program.
//!
//! One table for both ways of deriving (in symbols, and by counting without data). Execution has
//! its own, so that a mistake here cannot agree with itself.

use crate::check::program::{AtomicOperand, Expr, ExprKind, Word};

/// op(e): the operations of evaluating an expression once.
///
/// Literals and parameters are 0; every operator, connective, bracket, function and juxtaposition
/// is 1 and its operands; a shared word is 1 and its [`index_operations`].
pub fn operations(expr: &Expr) -> u64 {
    match &expr.kind {
        ExprKind::Integer(_)
        | ExprKind::Float(_)
        | ExprKind::Parameter(_)
        | ExprKind::Symbol(_) => 0,
        ExprKind::Word(word) => 1 + index_operations(word),
        ExprKind::Negate(inner)
        | ExprKind::Ceil(inner)
        | ExprKind::Floor(inner)
        | ExprKind::Abs(inner)
        | ExprKind::Bracket(inner)
        | ExprKind::Not(inner)
        | ExprKind::Math {
            argument: inner, ..
        } => 1 + operations(inner),
        ExprKind::Binary { left, right, .. }
        | ExprKind::Bits { left, right, .. }
        | ExprKind::And(left, right)
        | ExprKind::Or(left, right)
        | ExprKind::Implies(left, right)
        | ExprKind::Gcd(left, right)
        | ExprKind::DigitSum(left, right)
        | ExprKind::Log {
            base: left,
            argument: right,
        } => 1 + operations(left) + operations(right),
        ExprKind::Min(arguments) | ExprKind::Max(arguments) => {
            (arguments.len() as u64).saturating_sub(1) + sum(arguments)
        }
        ExprKind::Select {
            condition,
            then,
            otherwise,
        } => 1 + operations(condition) + operations(then) + operations(otherwise),
        ExprKind::Compare {
            operands,
            operators,
        } => {
            // n comparisons and n − 1 connectives.
            let comparisons = operators.len() as u64;
            comparisons + comparisons.saturating_sub(1) + sum(operands)
        }
        // Not in kernels; given a value so that the table is total.
        ExprKind::Quantified { binders, body, .. } => {
            let ranges = binders.iter();
            let bounds: u64 = ranges
                .map(|binder| operations(&binder.low) + operations(&binder.high))
                .sum();
            1 + bounds + operations(body)
        }
        ExprKind::FloorSum(arguments) => 1 + sum(&**arguments),
    }
}

/// The index operations of a word: those of its indices, and 2(d − 1) for the address.
pub fn index_operations(word: &Word) -> u64 {
    let places = word.indices.len() as u64;
    sum(&word.indices) + 2 * places.saturating_sub(1)
}

/// `_x[…] ← e`: op(e) + 1 + the target's index operations.
pub fn assign_operations(target: &Word, value: &Expr) -> u64 {
    operations(value) + 1 + index_operations(target)
}

/// `⇐`: 1 + the index operations of both sides.
pub fn access_operations(target: &Word, source: &Word) -> u64 {
    1 + index_operations(target) + index_operations(source)
}

/// `atomic`, for one core of a word: as `←`, its right side being the element's own read and one ⊕
/// (or `-`) for each operand. To be multiplied by the most active cores on one word.
pub fn atomic_operations(target: &Word, operands: &[AtomicOperand]) -> u64 {
    let own_read = 1 + index_operations(target);
    let applied: u64 = operands
        .iter()
        .map(|operand| 1 + operations(&operand.value))
        .sum();
    own_read + applied + 1 + index_operations(target)
}

/// The bounds of a `for`, evaluated once at entry. Each iteration is 1 more and its body.
pub fn bound_operations(from: &Expr, to: &Expr) -> u64 {
    operations(from) + operations(to)
}

fn sum(exprs: &[Expr]) -> u64 {
    exprs.iter().map(operations).sum()
}
