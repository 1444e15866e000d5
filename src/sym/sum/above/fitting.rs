//! Bounds that fit a width: terms join, divisors become simpler and coefficients even, until the caller
//! accepts the result.

use crate::sym::expr::types::{Atom, Term};
use crate::sym::facts::knowledge::Facts;
use crate::sym::sum::above::WORK;
use crate::sym::sum::above::joining::join_until;
use crate::sym::sum::above::shorten::{MOST_SHOWN, absorb_until, shortened};
use crate::sym::{Cond, Expr, Symbol};

/// [`Facts::joined`]: joins terms until the bound fits or no term can join another. If that does
/// not suffice, a slightly larger bound with fewer kinds of terms is tried.
pub(crate) fn joined(
    facts: &Facts,
    expr: &Expr,
    fits: &dyn Fn(&Expr) -> bool,
    fits_at_all: &dyn Fn(&Expr) -> bool,
) -> Expr {
    let joined = fewer_terms(facts, expr, fits);
    if fits(&joined) {
        return joined;
    }
    with_less_in_it(facts, expr, fits_at_all).unwrap_or_else(|| {
        let mut terms = joined.terms().to_vec();
        join_until(&facts.with_work(WORK), &mut terms, MOST_SHOWN);
        Expr::from_terms(terms)
    })
}

/// Returns a larger plain bound that fits: with simpler divisors, or without sums as divisors,
/// and only as few terms as needed.
fn with_less_in_it(facts: &Facts, expr: &Expr, fits: &dyn Fn(&Expr) -> bool) -> Option<Expr> {
    // Without subtracted terms, a larger part makes a larger whole.
    if expr.terms().iter().any(|(_, factor)| factor.is_negative()) {
        return None;
    }
    let mut plainer = expr.clone();
    for step in [without_less, without_divisors] {
        plainer = step(&facts.with_work(WORK), &plainer);
        if fits(&plainer) {
            return Some(plainer);
        }
    }
    let fewer = fewer_terms(facts, &plainer, fits);
    if fits(&fewer) {
        Some(fewer)
    } else {
        joined_from_one(facts, &plainer, fits)
    }
}

/// Joins terms beside each letter, one fewer at a time, until the bound fits or no term is below
/// another.
fn fewer_terms(facts: &Facts, expr: &Expr, fits: &dyn Fn(&Expr) -> bool) -> Expr {
    // One fewer at a time: every join makes the bound larger, so the first that fits is the
    // sharpest.
    let facts = facts.with_work(WORK);
    let parts = facts.by_letters(expr.terms());
    let most = parts.iter().map(|(_, terms)| terms.len()).max();
    let mut joined = expr.clone();
    for few in (1..most.unwrap_or(1)).rev() {
        let parts = facts.by_letters(joined.terms()).into_iter();
        let parts = parts.flat_map(|(_, mut terms)| {
            absorb_until(&facts, &mut terms, few, 0);
            terms
        });
        joined = Expr::from_terms(parts.collect());
        if fits(&joined) {
            return joined;
        }
    }
    joined
}

/// Bounds 1/(y − c) by 2/y for y ≥ 2c: 1/(wb − 1) is at most 2/(wb).
fn without_less(facts: &Facts, expr: &Expr) -> Expr {
    // y ≥ 2c means c ≤ y/2, so y − c ≥ y/2. For y = 4, c = 1: 1/3 ≤ 2/4.
    expr.replace(&|atom| {
        let Atom::Inverse(divisor) = atom else {
            return None;
        };
        let less = divisor.constant_term();
        let whole = divisor - Expr::rational(less.clone());
        let least = Expr::rational(-&less).scale(&2.into());
        let is_half = less.is_negative() && whole.as_term().is_some();
        (is_half && facts.proves(&Cond::ge(&whole, &least)))
            .then(|| whole.reciprocal().scale(&2.into()))
    })
}

/// Bounds 1/x by 1 for a sum x ≥ 1.
fn without_divisors(facts: &Facts, expr: &Expr) -> Expr {
    expr.replace(&|atom| {
        let Atom::Inverse(divisor) = atom else {
            return None;
        };
        facts
            .proves(&Cond::ge(divisor, &Expr::one()))
            .then(Expr::one)
    })
}

/// Replaces a whole r that may be 0 by r + 1, so that its powers can join each other. `None` if
/// the result does not fit.
fn joined_from_one(facts: &Facts, expr: &Expr, fits: &dyn Fn(&Expr) -> bool) -> Option<Expr> {
    // r ≤ r² fails for no whole r, but 1 ≤ r² fails at r = 0. With s = r + 1 ≥ 1 all powers
    // compare: 5r² + 7r + 9 ≤ 5s² + 7s + 9 ≤ 21s² = 21(r + 1)². Replacing r by the larger s
    // raises the bound only if r is subtracted and divided by nowhere.
    let mut facts = facts.with_work(WORK);
    let one = Expr::one();
    let mut value = expr.clone();
    let mut moved: Vec<(Symbol, Expr)> = Vec::new();
    for symbol in expr.symbols() {
        let known = Expr::symbol(&symbol);
        let may_be_none = facts.is_whole_symbol(&symbol)
            && facts.is_non_negative(&known)
            && !facts.proves(&Cond::ge(&known, &one));
        // The bound rises with the symbol if it divides nothing and no term is subtracted.
        let is_rising = |(monomial, coefficient): &Term| {
            let mut factors = monomial.factors().iter();
            !coefficient.is_negative()
                && factors.all(|(atom, exponent)| match atom {
                    Atom::Symbol(other) if *other == symbol => *exponent > 0,
                    other => !other.contains(&symbol),
                })
        };
        if may_be_none && value.terms().iter().all(is_rising) {
            let from_one = facts.unspoken(&symbol, &[&value]);
            let stands_for = Expr::symbol(&from_one);
            facts = facts.with(&Cond::ge(&stands_for, &one));
            value = value.substitute(&symbol, &stands_for);
            moved.push((from_one, known.add(&one)));
        }
    }
    let back = |value: &Expr| {
        let moved = moved.iter();
        moved.fold(value.clone(), |value, (symbol, more)| {
            value.substitute(symbol, more)
        })
    };
    let fits_back = |value: &Expr| fits(&back(value));
    let value = (!moved.is_empty()).then(|| shortened(&facts, value))?;
    let joined = fewer_terms(&facts, &value, &fits_back);
    fits_back(&joined).then(|| back(&joined))
}

/// Evens out coefficients: two terms that differ by one logarithm both get the larger one, so
/// that `3m·log n + 5m` is at most `5m(log n + 1)`.
pub(crate) fn evened(facts: &Facts, expr: &Expr) -> Expr {
    let facts = facts.with_work(WORK);
    let mut terms: Vec<Term> = expr.terms().to_vec();
    let atoms = expr.atoms().into_iter();
    let logs = atoms.filter(|atom| matches!(atom, Atom::Log(..)));
    let is_never_negative = |value: Expr| facts.proves(&Cond::ge(&value, &Expr::zero()));
    for log in logs {
        if !is_never_negative(Expr::atom(log.clone())) {
            continue;
        }
        for at in 0..terms.len() {
            if terms[at].0.exponent(&log) != 1 {
                continue;
            }
            let rest = terms[at].0.without(&log);
            let Some(other) = terms.iter().position(|(monomial, _)| *monomial == rest) else {
                continue;
            };
            if is_never_negative(Expr::monomial(rest)) {
                let larger = (&terms[at].1).max(&terms[other].1).clone();
                terms[at].1 = larger.clone();
                terms[other].1 = larger;
            }
        }
    }
    Expr::from_terms(terms)
}
