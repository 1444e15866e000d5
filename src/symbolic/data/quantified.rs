//! What a `require ∀` says of every word of an input: `require ∀ x ∈ 0..n-1 : 0 ≤ A[x] < h` is a range,
//! like one that is declared.

use crate::program::{
    Binder, Condition, ConditionKind, Formula, FormulaCondition, Number, NumberKind, VarId, Word,
};
use crate::sym::{Expr, Facts};
use crate::symbolic::data::Known;
use crate::symbolic::data::range::Range;
use crate::syntax::ast::Comparison;

impl Known<'_, '_> {
    /// The range that the `require`s give to every word of an input that nothing writes.
    pub(crate) fn required_range(&self, input: VarId, facts: &Facts) -> Range {
        let mut range = Range::default();
        let requires = self.program.requires.iter();
        let mut left: Vec<(&Condition<Formula>, &[Binder<Formula>])> = requires
            .map(|require| (&require.condition, &[][..]))
            .collect();
        while let Some((condition, binders)) = left.pop() {
            match &condition.kind {
                ConditionKind::And(x, y) => left.extend([(&**x, binders), (&**y, binders)]),
                ConditionKind::Only(FormulaCondition::ForAll(over)) if binders.is_empty() => {
                    left.push((&over.body, &over.binders));
                }
                ConditionKind::Compare {
                    operands,
                    operators,
                } => {
                    for (operator, pair) in operators.iter().zip(operands.windows(2)) {
                        let [first, second] = pair else { continue };
                        for (word, other, operator) in [
                            (first, second, *operator),
                            (second, first, operator.mirrored()),
                        ] {
                            // What changes with the word is no bound on all of them.
                            let varies = binders.iter().any(|it| other.reads(it.parameter));
                            if !varies && self.is_every_word(word, input, binders, facts) {
                                range = range.meet(&self.related(operator, other));
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        range
    }

    /// Whether the expression is A\[x, y\] for x and y through all of A.
    fn is_every_word(
        &self,
        expr: &Number<Formula>,
        input: VarId,
        binders: &[Binder<Formula>],
        facts: &Facts,
    ) -> bool {
        let NumberKind::Word(Word {
            variable, indices, ..
        }) = &expr.kind
        else {
            return false;
        };
        let extents = &self.program.variable(input).dimensions;
        let vanishes = |value: Expr| facts.simplify(&value).is_zero();
        let is_whole_range =
            |index: &Number<Formula>, binder: &Binder<Formula>, extent: &Number| {
                let ends = [&binder.low, &binder.high].map(|end| self.symbols.expr(end));
                let ([Ok(low), Ok(high)], Ok(extent)) = (ends, self.symbols.expr(extent)) else {
                    return false;
                };
                matches!(index.kind, NumberKind::Parameter(id) if id == binder.parameter)
                    && vanishes(low)
                    && vanishes(&high + 1 - &extent)
            };
        let is_apart = |binder: &Binder<Formula>| {
            let mut ends = [&binder.low, &binder.high].into_iter();
            ends.all(|end| !binders.iter().any(|other| end.reads(other.parameter)))
        };
        *variable == input
            && binders.iter().all(is_apart)
            && indices.len() == binders.len()
            && indices.len() == extents.len()
            && indices
                .iter()
                .zip(binders)
                .zip(extents)
                .all(|((index, binder), extent)| is_whole_range(index, binder, extent))
    }

    /// The whole numbers that stand so to a value which is the same for all words.
    fn related(&self, operator: Comparison, other: &Number<Formula>) -> Range {
        let Ok(value) = self.symbols.expr(other) else {
            return Range::default();
        };
        let one = Expr::one();
        let (low, high) = match operator {
            Comparison::Equal => (Some(value.ceil()), Some(value.floor())),
            Comparison::NotEqual | Comparison::Divides | Comparison::PowerOf => (None, None),
            Comparison::Less => (None, Some(value.ceil() - &one)),
            Comparison::AtMost => (None, Some(value.floor())),
            Comparison::Greater => (Some(value.floor() + &one), None),
            Comparison::AtLeast => (Some(value.ceil()), None),
        };
        Range {
            lower: low,
            upper: high,
        }
    }
}
