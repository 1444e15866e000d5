//! Inputs that keep the `require`s about them: drawn, then repaired.
//!
//! Drawn data hardly ever keep `∀ x ∈ 0..n-2 : P[x] ≤ P[x+1]`. What fails is a comparison at one choice of
//! the quantified variables. The array in it is first tried as a whole (sorted, mirrored, all words
//! different), then word by word: one side takes a value that makes the comparison hold. A repair may break
//! another comparison, which is then repaired, as in a search for a satisfying assignment; choices are
//! random, so that two repairs do not undo each other for ever.

use crate::exec::Data;
use crate::exec::error::Result;
use crate::exec::host::context::HostContext;
use crate::exec::host::ensure::{bind_to_failure, holds};
use crate::exec::host::random::Generator;
use crate::exec::memory::{Admitted, strides};
use crate::meaning::arithmetic::compare;
use crate::meaning::eval::{self, Connectives};
use crate::meaning::value::Value;
use crate::program::{
    Condition, ConditionKind, Expr, Formula, FormulaCondition, Number, NumberKind, Over,
    Requirement, VarId, Word,
};
use crate::syntax::ast::Comparison;

/// Repairs of one set of inputs, after which they are given up.
pub(super) const MOST_REPAIRS: usize = 3_000;

/// Values of quantifiers that the search may take in all.
pub(super) const MOST_VALUES: u64 = 3_000_000;

/// A word of an input, by its offset.
type Spot = (VarId, usize);

/// A comparison that does not hold.
pub(super) struct Failing {
    left: Side,
    right: Side,
    operator: Comparison,
    /// All words read in it.
    words: Vec<Spot>,
}

/// One side of it.
struct Side {
    value: Value,
    /// The word that the side is, if it is one and may be changed.
    spot: Option<Spot>,
}

/// Finds a comparison that fails in a `require` on data. `is_drawn` tells the inputs that may be changed.
pub(super) fn failing(
    context: &mut HostContext<'_>,
    requires: &[Requirement],
    is_drawn: &dyn Fn(VarId) -> bool,
) -> Result<Option<Failing>> {
    for require in requires.iter().filter(|require| require.reads_data) {
        if !holds(context, &require.condition)? {
            return culprit(context, &require.condition, is_drawn);
        }
    }
    Ok(None)
}

/// Walks down a false condition to one comparison in it; of `∨` to one that speaks of words that may be
/// changed.
fn culprit(
    context: &mut HostContext<'_>,
    condition: &Condition<Formula>,
    is_drawn: &dyn Fn(VarId) -> bool,
) -> Result<Option<Failing>> {
    let mut at = condition;
    loop {
        at = match &at.kind {
            ConditionKind::And(left, right) => {
                if holds(context, left)? {
                    right
                } else {
                    left
                }
            }
            // Of `y = x ∨ Q[y] ≠ Q[x]` only one side speaks of words.
            ConditionKind::Or(left, right) => {
                let found = culprit(context, left, is_drawn)?;
                if found.as_ref().is_some_and(|found| !found.words.is_empty()) {
                    return Ok(found);
                }
                right
            }
            ConditionKind::Only(FormulaCondition::Implies(_, right)) => right,
            ConditionKind::Only(FormulaCondition::ForAll(Over { binders, body })) => {
                bind_to_failure(context, (binders, body), at.span)?;
                body
            }
            ConditionKind::Compare {
                operands,
                operators,
            } => return compared(context, operands, operators, is_drawn),
            ConditionKind::Only(FormulaCondition::About { operands, .. }) => {
                let operators = vec![Comparison::Equal; operands.len() - 1];
                return compared(context, operands, &operators, is_drawn);
            }
            ConditionKind::Not(_) | ConditionKind::Only(FormulaCondition::Exists(_)) => {
                return Ok(None);
            }
        };
    }
}

/// The first link of a chain of comparisons that fails.
fn compared(
    context: &mut HostContext<'_>,
    operands: &[Number<Formula>],
    operators: &[Comparison],
    is_drawn: &dyn Fn(VarId) -> bool,
) -> Result<Option<Failing>> {
    let mut sides = Vec::new();
    for operand in operands {
        let value = eval::number(context, operand, Connectives::ShortCircuit)?;
        let spot = match &operand.kind {
            NumberKind::Word(word) => spot(context, word, is_drawn),
            _ => None,
        };
        sides.push(Side { value, spot });
    }
    let is_kept = |at: &usize| {
        let sides = [&sides[*at].value, &sides[at + 1].value];
        compare(operators[*at], sides[0], sides[1])
    };
    let Some(at) = (0..operators.len()).find(|at| !is_kept(at).unwrap_or(true)) else {
        return Ok(None);
    };
    let mut words = Vec::new();
    for operand in &operands[at..at + 2] {
        words_in(context, operand.into(), is_drawn, &mut words);
    }
    let mut sides = sides.drain(at..at + 2);
    let next = "a comparison has two sides";
    Ok(Some(Failing {
        left: sides.next().expect(next),
        right: sides.next().expect(next),
        operator: operators[at],
        words,
    }))
}

/// The words of an expression that may be changed, but for those under a quantifier of its own.
fn words_in(
    context: &mut HostContext<'_>,
    expr: Expr<'_, Formula>,
    is_drawn: &dyn Fn(VarId) -> bool,
    words: &mut Vec<Spot>,
) {
    if let Expr::Number(number) = expr {
        match &number.kind {
            NumberKind::Only(_) => return,
            NumberKind::Word(word) => words.extend(spot(context, word, is_drawn)),
            _ => {}
        }
    }
    expr.each_operand(&mut |operand| words_in(context, operand, is_drawn, words));
}

/// The place of a word, where it may be changed.
fn spot(
    context: &mut HostContext<'_>,
    word: &Word<Formula>,
    is_drawn: &dyn Fn(VarId) -> bool,
) -> Option<Spot> {
    if !is_drawn(word.variable) {
        return None;
    }
    let shape = context.shape(word.variable);
    let mut offset = 0;
    for ((index, stride), extent) in word.indices.iter().zip(strides(&shape)).zip(&shape) {
        let index = eval::number(context, index, Connectives::ShortCircuit).ok()?;
        let Value::Whole(index) = index else {
            return None;
        };
        let index = usize::try_from(index).ok().filter(|index| index < extent)?;
        offset += index * stride;
    }
    Some((word.variable, offset))
}

impl Failing {
    /// The array of which both sides are words, and whether the left is before the right.
    fn of_one_array(&self) -> Option<(VarId, bool)> {
        let ((left, at), (right, other)) = (self.left.spot?, self.right.spot?);
        (left == right).then_some((left, at < other))
    }

    /// The array that a proposal changes as a whole.
    pub(super) fn array(&self) -> Option<VarId> {
        self.of_one_array().map(|(array, _)| array)
    }

    /// Changes a whole array of this shape so that comparisons like this one hold: sorted, mirrored, all
    /// words different.
    pub(super) fn propose(
        &self,
        data: &mut Data,
        shape: &[usize],
        admitted: Option<&Admitted>,
        generator: &mut Generator,
    ) {
        let Some((_, is_before)) = self.of_one_array() else {
            return;
        };
        let rises = match self.operator {
            Comparison::Less | Comparison::AtMost => is_before,
            Comparison::Greater | Comparison::AtLeast => !is_before,
            Comparison::NotEqual => {
                if let Data::Int(ints) = data {
                    let low = admitted.map_or(0, |range| range.ints.0);
                    let order = generator.permutation(ints.len());
                    *ints = order.into_iter().map(|at| low.saturating_add(at)).collect();
                }
                return;
            }
            Comparison::Equal => return mirror(data, shape),
            Comparison::Divides | Comparison::PowerOf => return,
        };
        let is_strict = matches!(self.operator, Comparison::Less | Comparison::Greater);
        match data {
            Data::Int(ints) => {
                ints.sort_unstable();
                if is_strict {
                    spread(ints, admitted);
                }
                if !rises {
                    ints.reverse();
                }
            }
            Data::Float(floats) => {
                floats.sort_unstable_by(f64::total_cmp);
                if !rises {
                    floats.reverse();
                }
            }
        }
    }

    /// Another value for one word, with which the comparison may hold. `range` gives the ends of an input.
    pub(super) fn repair(
        &self,
        generator: &mut Generator,
        range: &dyn Fn(VarId) -> (f64, f64),
    ) -> Option<(Spot, f64)> {
        let flips = generator.int(0, 2);
        let sides = match (self.left.spot, self.right.spot) {
            (Some(left), Some(right)) => {
                if flips == 0 {
                    (left, &self.right, self.operator)
                } else {
                    (right, &self.left, mirrored(self.operator))
                }
            }
            (Some(left), None) => (left, &self.right, self.operator),
            (None, Some(right)) => (right, &self.left, mirrored(self.operator)),
            // Of `P[x + 1] - P[x] ≤ w` any word is drawn again.
            (None, None) => {
                let last = i64::try_from(self.words.len()).ok()? - 1;
                let at = (last >= 0).then(|| generator.int(0, last))?;
                let spot = self.words[usize::try_from(at).ok()?];
                return Some((spot, drawn(generator, range(spot.0))));
            }
        };
        let (spot, other, operator) = sides;
        let (low, high) = range(spot.0);
        let other = other.value.to_float();
        let (low, high) = match operator {
            Comparison::Equal => (other, other),
            Comparison::AtMost => (low, other.min(high)),
            Comparison::Less => (low, (other - 1.0).min(high)),
            Comparison::AtLeast => (other.max(low), high),
            Comparison::Greater => ((other + 1.0).max(low), high),
            Comparison::NotEqual | Comparison::Divides | Comparison::PowerOf => (low, high),
        };
        // Where no admitted value will do, the end that is nearest, and another word has to give way.
        let value = match (low <= high, flips) {
            (false, _) => range(spot.0).0.max(other.min(range(spot.0).1)),
            // Often the bound itself: an ordered array stays spread.
            (true, 1) if operator == Comparison::AtMost => high,
            (true, 1) if operator == Comparison::AtLeast => low,
            (true, _) => drawn(generator, (low, high)),
        };
        Some((spot, value))
    }
}

/// The operator with its sides exchanged.
fn mirrored(operator: Comparison) -> Comparison {
    match operator {
        Comparison::Less => Comparison::Greater,
        Comparison::AtMost => Comparison::AtLeast,
        Comparison::Greater => Comparison::Less,
        Comparison::AtLeast => Comparison::AtMost,
        Comparison::Equal | Comparison::NotEqual | Comparison::Divides | Comparison::PowerOf => {
            operator
        }
    }
}

/// A whole number of a range, or any where it has none.
fn drawn(generator: &mut Generator, (low, high): (f64, f64)) -> f64 {
    let (first, last) = (low.ceil(), high.floor());
    if first <= last && first.abs() < 1e15 && last.abs() < 1e15 {
        generator.int(first as i64, last as i64) as f64
    } else {
        generator.float(low, high)
    }
}

/// Makes a square array equal to its transpose.
fn mirror(data: &mut Data, shape: &[usize]) {
    let &[rows, columns] = shape else {
        return;
    };
    if rows != columns {
        return;
    }
    for row in 0..rows {
        for column in 0..row {
            let (from, to) = (row * columns + column, column * columns + row);
            match data {
                Data::Int(ints) => ints[to] = ints[from],
                Data::Float(floats) => floats[to] = floats[from],
            }
        }
    }
}

/// Makes ascending ints different from each other, as far as their range has room.
fn spread(ints: &mut [i64], admitted: Option<&Admitted>) {
    for at in 1..ints.len() {
        ints[at] = ints[at].max(ints[at - 1].saturating_add(1));
    }
    let Some(high) = admitted.map(|range| range.ints.1) else {
        return;
    };
    // What went beyond the range is pushed back from its end.
    for (back, int) in ints.iter_mut().rev().enumerate() {
        let back = i64::try_from(back).unwrap_or(i64::MAX);
        *int = (*int).min(high.saturating_sub(back));
    }
}
