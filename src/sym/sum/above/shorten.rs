//! Bounds of fewer terms: a term joins one that is at least as large everywhere, and coefficients are
//! rounded up to short numbers.

use std::cmp::Reverse;

use crate::number::Rational;
use crate::sym::expr::types::Term;
use crate::sym::facts::knowledge::Facts;
use crate::sym::sum::above::joining::join_until;
use crate::sym::sum::above::{MOST_COMPARED, WORK};
use crate::sym::{Cond, Expr};

/// The number of terms that a reader takes in at a glance. Bounds up to this length stay as they
/// are.
const FEW: usize = 4;
/// Further terms kept beside [`FEW`], if joining one would more than double the term that it
/// joins. More of them make bounds sharper and longer.
const MORE: usize = 1;
/// The most terms of a bound without real letters.
pub(super) const MOST_SHOWN: usize = 7;

/// The most terms of which each is compared with the largest. More are left where hardly two can be joined, and no reader
/// looks at them.
const MOST_ABSORBED: usize = 200;

/// Shortens a bound of many terms. A term joins another one that is at least as large everywhere,
/// the slowest first, so the fastest-growing terms keep their form. Then pairs with a close
/// common multiple are joined. Coefficients are rounded up to short numbers.
pub(super) fn shortened(facts: &Facts, expr: Expr) -> Expr {
    // For n, m ≥ 1: 3n² + 2n is at most 5n², since n ≤ n². The leading term's coefficient grows,
    // its asymptotic growth does not. Terms with different real letters (α, β) are shortened
    // apart, because no letter bounds another. A sum of up to four terms is readable and stays
    // exact.
    if expr.terms().len() <= FEW {
        return expr;
    }
    let mut kept = expr.terms().to_vec();
    join_until(facts, &mut kept, MOST_COMPARED);
    // Terms with different letters are read apart.
    let parts = facts.by_letters(&kept).into_iter();
    let mut parts: Vec<Vec<Term>> = parts.map(|part| part.1).collect();
    let most = match parts.len() {
        0 | 1 => MOST_SHOWN,
        _ => FEW,
    };
    let more = if parts.len() < 2 { MORE } else { 0 };
    for terms in &mut parts {
        absorb_until(&facts.with_work(WORK), terms, FEW, more);
        join_until(&facts.with_work(WORK), terms, most);
    }
    let short = |(monomial, coefficient): Term| (monomial, short_above(&coefficient));
    Expr::from_terms(parts.into_iter().flatten().map(short).collect())
}

/// Rounds a coefficient up to a short number: whole from 8 on, halves from 1 on. Below 1 a short
/// fraction stays, others become a numerator up to 16 over a power of 2.
fn short_above(coefficient: &Rational) -> Rational {
    // 8.1 becomes 9 and 3.2 becomes 7/2. 3/10 stays. 17/100 becomes 88/512 = 11/64, which is
    // 0.172.
    const FEW_DIGITS: i64 = 16;
    const MOST_PARTS: i64 = 4096;
    let up_to = |parts: i64| {
        let parts = Rational::from(parts);
        let whole = Rational::from((coefficient * &parts).ceil());
        whole.checked_div(&parts).unwrap_or(whole)
    };
    if *coefficient >= Rational::from(FEW_DIGITS / 2) {
        return up_to(1);
    }
    if *coefficient >= Rational::ONE {
        return up_to(2);
    }
    let is_short = coefficient.numerator() <= FEW_DIGITS.into();
    if is_short && coefficient.denominator() <= MOST_PARTS.into() {
        return coefficient.clone();
    }
    let mut parts = 2;
    while parts < MOST_PARTS && up_to(2 * parts).numerator() <= FEW_DIGITS.into() {
        parts *= 2;
    }
    up_to(parts)
}

/// Joins terms to larger ones until `few` are left. Terms without a larger one stay. Of the
/// others, layer by layer, the terms stay first that would swell their larger term most. Up to
/// `more` further ones stay that would more than double it. All others join the nearest larger
/// term kept.
pub(super) fn absorb_until(facts: &Facts, terms: &mut Vec<Term>, few: usize, mut more: usize) {
    // Invariant: `above[t]` is a kept term that is provably ≥ t, or none if t is kept itself.
    // Adding t's coefficient to it keeps an upper bound. Example: n² + 9n + 1 for n ≥ 1 and few =
    // 2: the first layer is n², the second 9n (it would make n² ten times as large), and 1 joins
    // n: n² + 10n.
    if terms.len() <= few || terms.len() > MOST_ABSORBED {
        return;
    }
    let mut above: Vec<Option<usize>> = vec![None; terms.len()];
    let mut rest: Vec<usize> = (0..terms.len()).collect();
    // Fast-growing terms first, so that most terms find their leader at once.
    rest.sort_by_cached_key(|at| -Expr::monomial(terms[*at].0.clone()).pace(None));
    let mut room = few;
    while !rest.is_empty() && (room + more > 0 || rest.len() == terms.len()) {
        let mut layer = maxima(facts, terms, &rest);
        let is_first = rest.len() == terms.len();
        let growth = |at: usize, above: &[Option<usize>]| {
            above[at].and_then(|leader| terms[at].1.checked_div(&terms[leader].1))
        };
        layer.sort_by_cached_key(|(at, _)| {
            Reverse(growth(*at, &above).unwrap_or_else(|| terms[*at].1.clone()))
        });
        rest.clear();
        for (leader, members) in layer {
            let swells = growth(leader, &above).is_some_and(|growth| growth > Rational::ONE);
            let is_kept = is_first || room > 0 || more > 0 && swells;
            if is_kept {
                match room {
                    0 if is_first => {}
                    0 => more -= 1,
                    _ => room -= 1,
                }
                above[leader] = None;
            }
            for member in &members {
                above[*member] = if is_kept { Some(leader) } else { above[leader] };
            }
            rest.extend(members);
        }
    }
    for at in 0..terms.len() {
        if let Some(leader) = above[at] {
            terms[leader].1 = &terms[leader].1 + &terms[at].1;
        }
    }
    let mut kept = above.iter().map(Option::is_none);
    terms.retain(|_| kept.next() == Some(true));
}

/// Returns the terms without a larger one among the others, each with the terms that it is above.
fn maxima(facts: &Facts, terms: &[Term], some: &[usize]) -> Vec<(usize, Vec<usize>)> {
    // A partial order: n and m may be unrelated. Each term is compared with the maxima so far
    // only; a new maximum takes over the followers of those that it dethrones.
    let is_below = |small: usize, large: usize| {
        let [small, large] = [small, large].map(|at| Expr::monomial(terms[at].0.clone()));
        facts.proves(&Cond::le(&small, &large))
    };
    let mut alone: Vec<(usize, Vec<usize>)> = Vec::new();
    for &at in some {
        if let Some((_, members)) = alone.iter_mut().find(|(leader, _)| is_below(at, *leader)) {
            members.push(at);
            continue;
        }
        let mut members = Vec::new();
        alone.retain_mut(|(leader, others)| {
            let joins = is_below(*leader, at);
            if joins {
                members.push(*leader);
                members.append(others);
            }
            !joins
        });
        alone.push((at, members));
    }
    alone
}
