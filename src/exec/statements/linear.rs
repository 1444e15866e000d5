//! Ints of constants and registers in the fast form: those that are quick to evaluate, and those
//! that are a constant plus multiples of registers.
//!
//! Takes typed ints; gives their parts. Evaluates nothing.

use crate::exec::statements::typed::Ints;
use crate::program::{Arithmetic, ParamId};

/// A constant, and the factors of registers.
type Line = (i64, Vec<(i64, ParamId)>);

/// Returns true if an expression reads only constants and registers, by operations that are quick
/// as
/// long as every register is the same for all cores or grows evenly with the core.
pub(super) fn is_straight(node: &Ints) -> bool {
    match node {
        Ints::Constant(_) | Ints::Register(_) | Ints::Linear { .. } | Ints::Straight(_) => true,
        Ints::Binary(_, left, right) | Ints::CeilQuotient(left, right) => {
            is_straight(left) && is_straight(right)
        }
        Ints::Minimum(nodes) | Ints::Maximum(nodes) => nodes.iter().all(is_straight),
        Ints::Read(_)
        | Ints::Absolute(_)
        | Ints::Select(..)
        | Ints::Bits(..)
        | Ints::Bracket(_)
        | Ints::FloorOf(_)
        | Ints::CeilOf(_)
        | Ints::Opaque => false,
    }
}

/// Returns constant + Σ factor · register, if an expression is no more than that.
pub(super) fn linear(node: &Ints) -> Option<Line> {
    // `2·(i·32 + j) − 3` with registers i and j would be −3 + 64·i + 2·j. A product of two
    // registers has no such form.
    match node {
        Ints::Constant(constant) => Some((*constant, Vec::new())),
        Ints::Register(parameter) => Some((0, vec![(1, *parameter)])),
        Ints::Linear {
            constant, terms, ..
        } => Some((*constant, terms.clone())),
        Ints::Binary(Arithmetic::Add, left, right) => sum(linear(left)?, linear(right)?, 1),
        Ints::Binary(Arithmetic::Subtract, left, right) => sum(linear(left)?, linear(right)?, -1),
        Ints::Binary(Arithmetic::Multiply, left, right) => match (linear(left)?, linear(right)?) {
            ((factor, none), line) | (line, (factor, none)) if none.is_empty() => {
                sum((0, Vec::new()), line, factor)
            }
            _ => None,
        },
        Ints::Binary(
            Arithmetic::Divide | Arithmetic::FloorDivide | Arithmetic::Modulo | Arithmetic::Power,
            ..,
        )
        | Ints::Straight(_)
        | Ints::Read(_)
        | Ints::Absolute(_)
        | Ints::CeilQuotient(..)
        | Ints::Minimum(_)
        | Ints::Maximum(_)
        | Ints::Select(..)
        | Ints::Bits(..)
        | Ints::Bracket(_)
        | Ints::FloorOf(_)
        | Ints::CeilOf(_)
        | Ints::Opaque => None,
    }
}

/// Returns left + factor · right.
fn sum((mut constant, mut terms): Line, right: Line, factor: i64) -> Option<Line> {
    constant = constant.checked_add(right.0.checked_mul(factor)?)?;
    for (times, parameter) in right.1 {
        let times = times.checked_mul(factor)?;
        match terms.iter_mut().find(|(_, known)| *known == parameter) {
            Some((known, _)) => *known = known.checked_add(times)?,
            None => terms.push((times, parameter)),
        }
    }
    Some((constant, terms))
}
