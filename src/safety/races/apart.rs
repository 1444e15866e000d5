//! Indices of a pair: takes the indices of both copies, and finds why they are never the same.

use crate::safety::bounds::is_never_negative;
use crate::safety::forms::{Forms, Placed};
use crate::safety::races::pair::Pair;
use crate::safety::site::Place;
use crate::safety::verdict::Rule;
use crate::sym::{Cond, Expr};

/// The most inequalities of guards that are taken case by case.
const MOST_UNEQUAL: usize = 3;

/// As [`apart`], where need be in each case of the values that guards say are not 0: below and above it.
pub(super) fn apart_in_each_case(
    pair: &Pair,
    first: &[Expr],
    second: &[Expr],
    unequal: &[Expr],
    forms: &Forms<'_>,
) -> Option<Rule> {
    if let Some(rule) = apart(pair, first, second, forms) {
        return Some(rule);
    }
    let (value, others) = unequal.split_first()?;
    let one = Expr::one();
    for side in [value.clone(), value.neg()] {
        let mut case = pair.clone();
        case.facts.suppose(&Cond::ge(&side, &one));
        if case.is_impossible() {
            continue;
        }
        apart_in_each_case(&case, first, second, others, forms)?;
    }
    Some(Rule::Disjoint)
}

/// Returns the whole values of which the guards around two touches say that they are not 0.
pub(super) fn unequal(pair: &Pair, first: &Place, second: &Place) -> Vec<Expr> {
    let of = |cond: &Cond| match cond {
        Cond::Not(inner) => match &**inner {
            Cond::Zero(value) => Some(value.clone()),
            _ => None,
        },
        _ => None,
    };
    let own = first.guards.iter().filter_map(of);
    let other = second.guards.iter().filter_map(of);
    let other = other.map(|value| pair.second(&value));
    let mut values: Vec<Expr> = Vec::new();
    for value in own.chain(other) {
        if pair.facts.is_integer(&value) && !values.contains(&value) {
            values.push(value);
        }
    }
    values.truncate(MOST_UNEQUAL);
    values
}

/// Returns why the words at two lists of indices are never the same.
pub(super) fn apart(
    pair: &Pair,
    first: &[Expr],
    second: &[Expr],
    forms: &Forms<'_>,
) -> Option<Rule> {
    let both = first.iter().zip(second);
    let differences = both.clone().map(|(first, second)| {
        let moved = pair.second(second);
        pair.facts.simplify(&(&moved - first))
    });
    let differences: Vec<Expr> = differences.collect();
    if leave_different_remainders(&differences, pair) {
        return Some(Rule::Residue);
    }
    both.zip(&differences)
        .find_map(|((first, second), difference)| {
            if is_positive(difference, pair) || is_positive(&difference.neg(), pair) {
                return Some(Rule::Stride);
            }
            if pair.facts.prove(&Cond::ne(difference, &Expr::zero())) == Some(true) {
                return Some(Rule::Stride);
            }
            if rises(difference, pair) || rises(&difference.neg(), pair) {
                return Some(Rule::MixedRadix);
            }
            // Different places of a permutation hold different numbers.
            let [one, other] = [first, second].map(|index| placed(index, forms));
            let (one, other) = (one?, other?);
            let is_same = one.permutation.is_some() && one.permutation == other.permutation;
            if is_same && apart(pair, &one.indices, &other.indices, forms).is_some() {
                return Some(Rule::Permutation);
            }
            None
        })
}

/// True if a difference of indices is positive because they only grow: h⌊w/h⌋ + w of w = ib + j.
fn rises(difference: &Expr, pair: &Pair) -> bool {
    let is_never_negative = |value: &Expr| is_never_negative(value, &pair.indices, &pair.facts);
    let less = pair
        .facts
        .without_rising_floors(difference, &is_never_negative);
    less != *difference && is_positive(&less, pair)
}

/// True if a difference of indices is never 0, because a remainder of it is not. So may the sum or difference of two of
/// them be: in `a[v + 1]` and `a[v]` where v is even for both, in
/// `l[x, s - x]` and `l[x - 1, s - x]`, of which the sums differ by 1.
fn leave_different_remainders(differences: &[Expr], pair: &Pair) -> bool {
    let mut sums = differences.to_vec();
    for (at, one) in differences.iter().enumerate() {
        for other in &differences[at + 1..] {
            sums.extend([one + other, one - other]);
        }
    }
    let facts = &pair.facts;
    // What is 0 may be added and taken away.
    let mut nothing: Vec<Expr> = vec![Expr::zero()];
    nothing.extend(
        pair.remainders
            .iter()
            .flat_map(|zero| [zero.clone(), zero.neg()]),
    );
    sums.iter().any(|sum| {
        let mut shifts = nothing.iter();
        shifts.any(|shift| {
            facts
                .simplify(&(sum + shift))
                .has_a_remainder(&|value| facts.is_integer(value))
        })
    })
}

fn placed<'f>(index: &Expr, forms: &'f Forms<'_>) -> Option<&'f Placed> {
    forms.placed.get(index.as_symbol()?)
}

fn is_positive(value: &Expr, pair: &Pair) -> bool {
    is_never_negative(&(value - 1), &pair.indices, &pair.facts)
}
