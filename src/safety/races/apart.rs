//! Indices of a pair: takes the indices of both copies, and finds why they are never the same.

use crate::safety::bounds::is_never_negative;
use crate::safety::forms::{Forms, Placed};
use crate::safety::maps::without_unit;
use crate::safety::races::pair::Pair;
use crate::safety::site::Place;
use crate::safety::verdict::Rule;
use crate::sym::{Cond, Expr};

/// The most inequalities of guards that are taken case by case.
const MOST_UNEQUAL: usize = 3;

/// The most numbers whose multiples are taken away from one difference.
const MOST_STEPS: usize = 4;

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
    if both
        .clone()
        .any(|(first, second)| are_partners(first, second, pair, forms))
    {
        return Some(Rule::Involution);
    }
    let differences = both.clone().map(|(first, second)| {
        let moved = pair.second(second);
        pair.facts.simplify(&(&moved - first))
    });
    let differences: Vec<Expr> = differences.collect();
    if leave_different_remainders(&differences, pair) {
        return Some(Rule::Residue);
    }
    // In every index what is found at once, then what takes more work.
    let is_either = |test: &dyn Fn(&Expr) -> bool, difference: &Expr| {
        test(difference) || test(&difference.neg())
    };
    let facts = &pair.facts;
    let zero = Expr::zero();
    let is_apart = |difference: &Expr| {
        is_either(&|value| is_positive(value, pair), difference)
            || facts.prove(&Cond::ne(difference, &zero)) == Some(true)
    };
    let has_risen = |difference: &Expr| is_either(&|value| rises(value, pair), difference);
    let is_ahead = |value: &Expr| is_above_what_is_said(&(value - 1), pair);
    if differences.iter().any(is_apart) {
        return Some(Rule::Stride);
    }
    if differences.iter().any(has_risen) {
        return Some(Rule::MixedRadix);
    }
    // Different places of a permutation hold different numbers.
    let hold_other_numbers = |(first, second): (&Expr, &Expr)| {
        let [one, other] = [first, second].map(|index| placed(index, forms));
        let (Some(one), Some(other)) = (one, other) else {
            return false;
        };
        let is_same = one.permutation.is_some() && one.permutation == other.permutation;
        is_same && apart(pair, &one.indices, &other.indices, forms).is_some()
    };
    if both.clone().any(hold_other_numbers) {
        return Some(Rule::Permutation);
    }
    if differences
        .iter()
        .any(|difference| is_between_multiples(difference, pair))
    {
        return Some(Rule::MixedRadix);
    }
    let mut ahead = differences
        .iter()
        .map(|difference| is_either(&is_ahead, difference));
    ahead.any(|is_ahead| is_ahead).then_some(Rule::Disjoint)
}

/// True if a difference of indices is positive because they only grow: h⌊w/h⌋ + w of w = ib + j.
fn rises(difference: &Expr, pair: &Pair) -> bool {
    let is_never_negative = |value: &Expr| is_never_negative(value, &pair.indices, &pair.facts);
    let less = pair
        .facts
        .without_rising_floors(difference, &is_never_negative);
    less != *difference && is_positive(&less, pair)
}

/// True if a difference of indices is never 0, because it lies between two multiples of some n.
///
/// Theorem: n·k + d with whole n and k and 0 < d < n is no multiple of n, and 0 is one. In the loop over the grid,
/// `a[(s·m + i)b + j]`, the difference is m·b·(s' - s) + d with the distance d of two cores within m·b; in
/// `c[(v + o) mod n]` it is v' - v less some n.
fn is_between_multiples(difference: &Expr, pair: &Pair) -> bool {
    let facts = &pair.facts;
    steps(difference, pair).iter().any(|step| {
        let Some(times) = Expr::one().div(step) else {
            return false;
        };
        let terms = difference.terms().iter();
        let rest = terms.filter(|term| !facts.is_integer(&(Expr::term(term) * &times)));
        let rest = without_unit(&Expr::from_terms(rest.cloned().collect()), step, facts);
        let is_between = |rest: &Expr| {
            is_positive(rest, pair)
                && (is_positive(&(step - rest), pair)
                    || is_above_what_is_said(&(step - rest - 1), pair))
        };
        !rest.is_zero() && (is_between(&rest) || is_between(&rest.neg()))
    })
}

/// The whole positive n of which some term of a difference is a multiple, n times a number that the copies do not share.
fn steps(difference: &Expr, pair: &Pair) -> Vec<Expr> {
    let mut steps: Vec<Expr> = Vec::new();
    for term in difference.terms() {
        let term = Expr::term(term);
        for atom in term.atoms() {
            let atom = Expr::atom(atom);
            let Some(step) = term.div(&atom) else {
                continue;
            };
            let is_own = |value: &Expr| match value.as_symbol() {
                Some(symbol) => pair.is_own(symbol),
                None => value.in_floor().is_some(),
            };
            if steps.len() == MOST_STEPS || !is_own(&atom) {
                continue;
            }
            let one = Expr::one();
            let known = [step.clone(), step.neg()].into_iter().find(|step| {
                *step != one
                    && !steps.contains(step)
                    && pair.facts.is_integer(step)
                    && pair.facts.proves(&Cond::ge(step, &one))
            });
            steps.extend(known);
        }
    }
    steps
}

/// True if two indices are never the same because one or both are partners of another, `bitxor(v, m)` of v, under one m.
///
/// Theorem: xor with m is its own inverse. So two partners are the same only where their numbers are. And where the
/// partner w of v is v', the partner w' of v' is v: w > v and w' > v' are never both true.
fn are_partners(first: &Expr, second: &Expr, pair: &Pair, forms: &Forms<'_>) -> bool {
    let facts = &pair.facts;
    let rises = |from: &Expr, to: &Expr| facts.proves(&Cond::gt(to, from));
    // A word that the second copy has not met is still the first's.
    let is_told = |value: &Expr| {
        forms
            .words_in(value)
            .iter()
            .all(|word| pair.is_renamed(word))
    };
    let is_same = |one: &Expr, other: &Expr| is_told(other) && pair.agree(one, other);
    let are_unlike = |one: &Expr, other: &Expr| {
        let [one, other] = [one, other].map(std::slice::from_ref);
        is_told(&other[0])
            && forms.xor_of(&one[0]).is_none()
            && apart(pair, one, other, forms).is_some()
    };
    // The first copy's number, its partner, and the same of the second.
    let is_mirrored = |[one, partner]: [&Expr; 2], [other, its]: [&Expr; 2]| {
        is_told(other) && is_told(its) && {
            let [other, its] = [other, its].map(|value| pair.second(value));
            rises(one, partner) && rises(&other, &its) || rises(partner, one) && rises(&its, &other)
        }
    };
    let [ones, others] = [first, second].map(|index| forms.partners_of(index));
    ones.iter().any(|[number, mask]| {
        let same = others.iter().filter(|[_, its]| is_same(mask, its));
        let mut numbers = same.map(|[other, _]| other);
        let mut under = forms.partners_under(second).into_iter();
        numbers.any(|other| are_unlike(number, other))
            || under.any(|[partner, its]| {
                is_same(mask, &its) && is_mirrored([number, first], [second, &partner])
            })
    }) || others.iter().any(|[number, mask]| {
        let mut under = forms.partners_under(first).into_iter();
        under.any(|[partner, its]| {
            is_same(&its, mask) && is_mirrored([first, &partner], [number, second])
        })
    })
}

/// True if a value is no less than what a guard of either copy says is never negative: n - (u' - u) - 1, under u' < n.
fn is_above_what_is_said(value: &Expr, pair: &Pair) -> bool {
    let mut said = pair.said.iter();
    said.any(|said| is_never_negative(&(value - said), &pair.indices, &pair.facts))
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
