//! Whether an `if` is a guard: one that only keeps indices inside extents, so that cores it leaves
//! out are no sign of divergence.
//!
//! Takes a statement as written, with what the host knows; gives yes or no. Judges
//! nothing and counts nothing.

use num_traits::Zero;

use crate::interval::known::Known;
use crate::meaning::read_parameters;
use crate::number::BigInt;
use crate::program::{
    Arithmetic, Condition, ConditionKind, Number, NumberKind, Stmt, StmtKind, Written, nested,
};
use crate::syntax::ast::Comparison;

/// Whether it is an `if` whose condition only keeps indices inside extents: every comparison is `<`
/// or the like against the extent of an array that the block accesses.
pub(super) fn is_guard(known: Known<'_>, stmt: &Stmt) -> bool {
    let StmtKind::If { condition, body } = &stmt.kind else {
        return false;
    };
    let mut extents: Vec<&BigInt> = Vec::new();
    for (target, written) in nested(body).filter_map(|stmt| stmt.kind.parts().write) {
        extents.extend(&known.extents[target.variable.0 as usize]);
        if let Written::Word(source) = written {
            extents.extend(&known.extents[source.variable.0 as usize]);
        }
    }
    guards(known, condition, &extents)
}

fn guards(known: Known<'_>, condition: &Condition, extents: &[&BigInt]) -> bool {
    match &condition.kind {
        ConditionKind::And(left, right) => {
            guards(known, left, extents) && guards(known, right, extents)
        }
        ConditionKind::Compare {
            operands,
            operators,
        } => operators.iter().enumerate().all(|(at, operator)| {
            let (left, right) = (&operands[at], &operands[at + 1]);
            match operator {
                Comparison::Less => is_bound(known, right, 0, extents) || is_zero(known, left, 0),
                Comparison::AtMost => is_bound(known, right, 1, extents) || is_zero(known, left, 0),
                Comparison::Greater => {
                    is_bound(known, left, 0, extents) || is_zero(known, right, 0)
                }
                Comparison::AtLeast => {
                    is_bound(known, left, 1, extents) || is_zero(known, right, 0)
                }
                Comparison::Equal
                | Comparison::NotEqual
                | Comparison::Divides
                | Comparison::PowerOf => false,
            }
        }),
        _ => false,
    }
}

/// `n`, or `n - 1` where a neighbour is read: an extent less a written number.
fn is_bound(known: Known<'_>, expr: &Number, offset: i64, extents: &[&BigInt]) -> bool {
    let (expr, less) = match &expr.kind {
        NumberKind::Binary {
            operator: Arithmetic::Subtract,
            left,
            right,
        } if read_parameters(&**right).is_empty() => (&**left, known.whole(right)),
        _ => (expr, Some(BigInt::zero())),
    };
    let is_extent = |value: BigInt| extents.iter().any(|extent| **extent == value);
    match (known.whole(expr), less) {
        (Some(value), Some(less)) => {
            let whole = &value + offset;
            is_extent(whole.clone() - less) || is_extent(whole) || is_extent(value)
        }
        _ => false,
    }
}

fn is_zero(known: Known<'_>, expr: &Number, zero: i64) -> bool {
    known.whole(expr) == Some(zero.into())
}
