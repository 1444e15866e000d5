//! Contention of an `atomic`: the most cores that meet on one word, by the index, by the range of the word, or as it is
//! assumed. Operations are counted in `stmt`.

use crate::count::{Address, Addressed};
use crate::program::{AtomicOperand, AtomicOperator, Word};
use crate::sym::{Cond, Expr, Facts};
use crate::symbolic::active::Active;
use crate::symbolic::amount::Amount;
use crate::symbolic::data::Known;
use crate::symbolic::data::range::Range;

/// The active cores on the busiest word of an `atomic`, with the reason if they are only bounded.
pub(super) fn most_on_a_word(
    known: &Known<'_, '_>,
    target: &Word,
    (operator, operands): (AtomicOperator, &[AtomicOperand]),
    active: &Active,
) -> (Amount, Option<Address>) {
    let by_index = match known.offset(target, active) {
        Ok(offset) => active.contention(&offset).ok_or(Address::Stride),
        Err(why) => Err(Address::Formless(Addressed::Word, why.formless())),
    };
    let (amount, address) = match by_index {
        Ok(amount) if amount.is_exact() => return (amount, None),
        Ok(amount) => (amount, Address::Cores),
        Err(address) => (possible(known, target, active), address),
    };
    let room = match operator {
        AtomicOperator::Add => room(known, target, operands, active),
        AtomicOperator::Multiply | AtomicOperator::Min | AtomicOperator::Max => None,
    };
    let assumed = known.program.assumed_contention();
    let assumed = assumed.map(|most| Expr::from_bigint(most.get().into()));
    let limits: Vec<Expr> = room.into_iter().chain(assumed).collect();
    (at_most(amount, limits, &active.facts), Some(address))
}

/// The most cores that can add to one word in one instruction, by the range of its words: a word `in 0..8` has
/// room for eight that add 1, and for two that add 3 or 4. Each must add at least 1, or each must subtract it.
/// A run in which more cores meet has a fault, and counts nothing.
fn room(
    known: &Known<'_, '_>,
    target: &Word,
    operands: &[AtomicOperand],
    active: &Active,
) -> Option<Expr> {
    let facts = &active.facts;
    let Range {
        lower: Some(low),
        upper: Some(high),
    } = known.words(target.variable, facts)
    else {
        return None;
    };
    let added = operands.iter().map(|operand| {
        let range = known.range(&operand.value, active);
        if operand.negated {
            range.negated()
        } else {
            range
        }
    });
    let added = added.reduce(|sum, each| sum.plus(&each))?;
    let is_some = |step: &Expr| facts.prove(&Cond::ge(step, &Expr::one())) == Some(true);
    let step = [added.lower, added.upper.map(|upper| upper.neg())];
    let step = step.into_iter().flatten().find(is_some)?;
    let room = (&high - &low).div(&step)?;
    Some(facts.simplify(&room.floor()))
}

/// Cores on one word wherever in its range the index is: r cores on w words meet at least
/// ⌈r/w⌉ to one.
fn possible(known: &Known<'_, '_>, target: &Word, active: &Active) -> Amount {
    let count = active.count();
    let least = known.offsets(target, active).and_then(|(low, high)| {
        let words = &high - &low + 1;
        let facts = &active.facts;
        let is_some = facts.prove(&Cond::ge(&words, &Expr::one())) == Some(true);
        is_some
            .then(|| count.lower.div(&words))
            .flatten()
            .map(|each| facts.simplify(&each.ceil()))
    });
    Amount {
        lower: least.unwrap_or_else(Expr::one),
        upper: count.upper,
    }
}

/// An amount that none of these exceeds, save where it is certain to: of 32 cores on two words, 16 meet at least,
/// whatever is assumed.
fn at_most(amount: Amount, limits: Vec<Expr>, facts: &Facts) -> Amount {
    if limits.is_empty() {
        return amount;
    }
    let limit = Expr::max(vec![Expr::min(limits), amount.lower.clone()]);
    let ends = amount.upper.into_iter().chain([limit]).collect();
    Amount {
        upper: Some(facts.simplify(&Expr::min(ends))),
        lower: amount.lower,
    }
}
