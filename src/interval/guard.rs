//! Guards: `if`s that only keep indices inside extents. Cores left out by a guard are no sign of
//! divergence.
//!
//! Takes a statement as written and the host's values; gives yes or no. Judges nothing and counts
//! nothing.

use std::collections::{BTreeMap, HashMap};

use num_traits::{Signed, Zero};

use crate::interval::known::Known;
use crate::meaning::read_parameters;
use crate::number::BigInt;
use crate::program::{
    Arithmetic, Condition, ConditionKind, Expr, Number, NumberKind, ParamId, Stmt, StmtKind, Unary,
    Word, nested,
};
use crate::syntax::ast::Comparison;

/// Facts about the block of an `if` that may be a guard.
struct Guarded<'a> {
    /// The extents of all arrays that the block accesses.
    extents: Vec<&'a BigInt>,
    /// Expressions that are ≥ 0 where all indices of the block are inside: each index i, and
    /// extent − 1 − i.
    rooms: Vec<Linear>,
}

/// Returns true if a statement is an `if` whose condition only keeps indices inside extents. Every
/// comparison must bound something by the extent of an array that the block accesses, or fail only
/// where an index of the block would be outside.
pub(super) fn is_guard(known: Known<'_>, stmt: &Stmt) -> bool {
    let StmtKind::If { condition, body } = &stmt.kind else {
        return false;
    };
    // `if ib + j < n` before `_a[j] ⇐ a[ib + j]` with a[n] is a guard: n − 1 − (ib + j) is a room
    // of
    // the block, and the comparison fails exactly where the room is negative.
    let mut lets: HashMap<ParamId, Linear> = HashMap::new();
    let mut words: Vec<&Word> = Vec::new();
    for stmt in nested(body) {
        if let StmtKind::Let(binding) = &stmt.kind {
            let value = Linear::of(known, &binding.value, &lets);
            lets.insert(binding.parameter, value);
        }
        let parts = stmt.kind.parts();
        let indices = parts.places().flat_map(|word| &word.indices);
        indices.for_each(|index| Expr::from(index).words(&mut words));
        words.extend(parts.places());
        for value in parts.values {
            value.words(&mut words);
        }
    }
    let mut guarded = Guarded {
        extents: Vec::new(),
        rooms: Vec::new(),
    };
    for word in words {
        let extents = &known.extents[word.variable.0 as usize];
        guarded.extents.extend(extents);
        for (index, extent) in word.indices.iter().zip(extents) {
            let index = Linear::of(known, index, &lets);
            let last = Linear::whole(extent - 1);
            guarded.rooms.push(last.less(&index));
            guarded.rooms.push(index);
        }
    }
    guards(known, condition, &guarded)
}

fn guards(known: Known<'_>, condition: &Condition, guarded: &Guarded<'_>) -> bool {
    match &condition.kind {
        ConditionKind::And(left, right) => {
            guards(known, left, guarded) && guards(known, right, guarded)
        }
        ConditionKind::Compare {
            operands,
            operators,
        } => operators.iter().enumerate().all(|(at, operator)| {
            let (left, right) = (&operands[at], &operands[at + 1]);
            let extents = &guarded.extents;
            // `smaller + gap ≤ larger`
            let (smaller, larger, gap) = match operator {
                Comparison::Less => (left, right, 1),
                Comparison::AtMost => (left, right, 0),
                Comparison::Greater => (right, left, 1),
                Comparison::AtLeast => (right, left, 0),
                Comparison::Equal
                | Comparison::NotEqual
                | Comparison::Divides
                | Comparison::PowerOf => return false,
            };
            is_bound(known, larger, 1 - gap, extents)
                || is_zero(known, smaller)
                || guarded.is_room(known, smaller, larger, gap)
        }),
        _ => false,
    }
}

impl Guarded<'_> {
    /// Returns true if an index is outside wherever `smaller + gap ≤ larger` fails.
    fn is_room(&self, known: Known<'_>, smaller: &Number, larger: &Number, gap: i64) -> bool {
        let none = HashMap::new();
        let [smaller, larger] = [smaller, larger].map(|side| Linear::of(known, side, &none));
        // ≥ 0 where the comparison holds, and ≤ −1 where it fails.
        let kept = larger.less(&smaller).less(&Linear::whole(gap.into()));
        // If room ≤ kept everywhere, a failing comparison makes the room negative too.
        let mut rooms = self.rooms.iter();
        rooms.any(|room| {
            let difference = room.less(&kept);
            difference.terms.is_empty() && !difference.constant.is_positive()
        })
    }
}

/// A sum of multiples of unknown numbers, each by its key, and a constant.
#[derive(Clone)]
struct Linear {
    terms: BTreeMap<String, BigInt>,
    constant: BigInt,
}

impl Linear {
    fn whole(constant: BigInt) -> Linear {
        Linear {
            terms: BTreeMap::new(),
            constant,
        }
    }

    /// Converts a number to such a sum, with the `let`s of the block written in.
    fn of(known: Known<'_>, number: &Number, lets: &HashMap<ParamId, Linear>) -> Linear {
        if let Some(value) = known.whole(number) {
            return Linear::whole(value);
        }
        match &number.kind {
            NumberKind::Parameter(id) => {
                if let Some(value) = lets.get(id) {
                    return value.clone();
                }
            }
            NumberKind::Unary {
                operation: Unary::Negate,
                operand,
            } => {
                return Linear::whole(BigInt::zero()).less(&Linear::of(known, operand, lets));
            }
            NumberKind::Binary {
                operator,
                left,
                right,
            } => {
                let [one, other] = [left, right].map(|side| Linear::of(known, side, lets));
                match operator {
                    Arithmetic::Add => return one.plus(&other, &BigInt::from(1)),
                    Arithmetic::Subtract => return one.less(&other),
                    Arithmetic::Multiply => match (known.whole(left), known.whole(right)) {
                        (Some(factor), _) => {
                            return Linear::whole(BigInt::zero()).plus(&other, &factor);
                        }
                        (_, Some(factor)) => {
                            return Linear::whole(BigInt::zero()).plus(&one, &factor);
                        }
                        (None, None) => {}
                    },
                    Arithmetic::Divide
                    | Arithmetic::FloorDivide
                    | Arithmetic::Modulo
                    | Arithmetic::Power => {}
                }
            }
            _ => {}
        }
        Linear {
            terms: [(number.key(), BigInt::from(1))].into(),
            constant: BigInt::zero(),
        }
    }

    fn less(&self, other: &Linear) -> Linear {
        self.plus(other, &BigInt::from(-1))
    }

    fn plus(&self, other: &Linear, factor: &BigInt) -> Linear {
        let mut sum = Linear {
            terms: self.terms.clone(),
            constant: &self.constant + &other.constant * factor,
        };
        for (key, count) in &other.terms {
            *sum.terms.entry(key.clone()).or_default() += count * factor;
        }
        sum.terms.retain(|_, count| !count.is_zero());
        sum
    }
}

/// Returns true for an extent, or an extent less a written number: `n`, or `n - 1` where a
/// neighbour
/// is read.
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

fn is_zero(known: Known<'_>, expr: &Number) -> bool {
    known.whole(expr).is_some_and(|value| value.is_zero())
}
