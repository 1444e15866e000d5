//! Minima and maxima under facts: items that never win are left out, and a minimum with a bracket or
//! a rounded ratio inside becomes what it is in each case.

use crate::sym::expr::construct::Extreme;
use crate::sym::expr::summary::Kind;
use crate::sym::expr::types::Atom;
use crate::sym::facts::knowledge::Facts;
use crate::sym::prove::bounds;
use crate::sym::simplify::rule::Rule;
use crate::sym::{Cond, Expr};

/// What becomes of `min(…)` and `max(…)`.
pub(crate) const RULES: &[Rule<Atom, Option<Expr>>] = &[
    Rule {
        name: "max(x, y) = x where x ≥ y",
        rewrite: without_dominated,
    },
    Rule {
        name: "max(x, y) is one thing where c holds and another where not",
        rewrite: without_cases,
    },
    Rule {
        name: "min(e, 1) = [e ≥ 1] for a whole e ≥ 0",
        rewrite: one_or_none,
    },
    Rule {
        name: "min(x, y) without ⌊p/q⌋ where it is 0 up to p = q and x ≥ y beyond",
        rewrite: without_ratio,
    },
    Rule {
        name: "min(x + c, y + c) = min(x, y) + c",
        rewrite: common_constant,
    },
];

/// The items, and which of them it is.
fn extreme(atom: &Atom) -> Option<(&[Expr], Extreme)> {
    match atom {
        Atom::Min(items) => Some((items, Extreme::Least)),
        Atom::Max(items) => Some((items, Extreme::Greatest)),
        Atom::Symbol(_)
        | Atom::Floor(_)
        | Atom::Power(..)
        | Atom::Log(..)
        | Atom::Bracket(_)
        | Atom::Gcd(..)
        | Atom::DigitSum(..)
        | Atom::FloorSum(_)
        | Atom::Inverse(_)
        | Atom::Sum(_) => None,
    }
}

/// Items that another is provably never worse than cannot be the extreme one.
fn without_dominated(facts: &Facts, atom: &Atom) -> Option<Expr> {
    let (items, which) = extreme(atom)?;
    let mut kept: Vec<Expr> = items.to_vec();
    let mut at = 0;
    while at < kept.len() {
        let is_dominated = kept.iter().enumerate().any(|(other_at, other)| {
            other_at != at
                && match which {
                    Extreme::Least => facts.proves(&Cond::ge(&kept[at], other)),
                    Extreme::Greatest => facts.proves(&Cond::le(&kept[at], other)),
                }
        });
        if is_dominated {
            kept.remove(at);
        } else {
            at += 1;
        }
    }
    (kept.len() < items.len()).then(|| Expr::extreme(kept, which))
}

/// The largest where a condition holds and where it does not, when that is plain in both cases:
/// max(5, 8·`[k ≥ 2]`) is 5 + 3·`[k ≥ 2]`.
fn without_cases(facts: &Facts, atom: &Atom) -> Option<Expr> {
    const MOST_BRACKETS: usize = 3;
    let Atom::Max(items) = atom else {
        return None;
    };
    let is_maximum = |atom: &Atom| matches!(atom, Atom::Max(_));
    let mut brackets: Vec<Atom> = items.iter().flat_map(Expr::atoms).collect();
    brackets.retain(Atom::is_bracket);
    brackets.sort();
    brackets.dedup();
    if brackets.len() > MOST_BRACKETS {
        return None;
    }
    brackets.iter().find_map(|bracket| {
        let Atom::Bracket(cond) = bracket else {
            return None;
        };
        let largest = |case: Facts, value: Expr| {
            let items = items.iter();
            let items = items.map(|item| item.replace(&|a| (a == bracket).then(|| value.clone())));
            let largest = case.simplify(&Expr::max(items.collect()));
            (!largest.atoms().iter().any(is_maximum)).then_some(largest)
        };
        let here = largest(facts.with(cond), Expr::one())?;
        let elsewhere = largest(facts.with(&(**cond).clone().negate()), Expr::zero())?;
        let more = here.sub(&elsewhere).mul(&Expr::atom(bracket.clone()));
        Some(elsewhere.add(&more))
    })
}

/// min(e, 1) for a whole e ≥ 0 is [e ≥ 1].
fn one_or_none(facts: &Facts, atom: &Atom) -> Option<Expr> {
    let Atom::Min(items) = atom else {
        return None;
    };
    let [x, y] = &**items else {
        return None;
    };
    let (one, e) = if y.is_one() { (y, x) } else { (x, y) };
    let fits = one.is_one() && facts.is_integer(e) && facts.is_non_negative(e);
    fits.then(|| Expr::bracket(facts.simplify_cond(&Cond::ge(e, one))))
}

/// min(x, y) for an x with ⌊p/q⌋ or ⌈p/q⌉ that is plain up to p = q, and beyond at least y: so
/// min(s − ⌈s/b⌉ + 1, b) is min(s, b).
fn without_ratio(facts: &Facts, atom: &Atom) -> Option<Expr> {
    let Atom::Min(items) = atom else {
        return None;
    };
    let [first, second] = &**items else {
        return None;
    };
    for (x, y) in [(first, second), (second, first)] {
        let atoms = x.atoms();
        let mut floors = atoms.iter().filter(|atom| matches!(atom, Atom::Floor(_)));
        let (Some(Atom::Floor(ratio)), None) = (floors.next(), floors.next()) else {
            continue;
        };
        let (Some(_), Some((numerator, denominator))) =
            (ratio.as_term(), bounds::cleared_with(facts, ratio))
        else {
            continue;
        };
        let numerator = match ratio.constant_term().is_negative()
            || numerator
                .terms()
                .last()
                .is_some_and(|(_, c)| c.is_negative())
        {
            true => numerator.neg(),
            false => numerator,
        };
        if numerator.as_rational().is_some() || denominator.as_rational().is_some() {
            continue;
        }
        let up_to = facts.with(&Cond::le(&numerator, &denominator));
        let plain = up_to.simplify(x);
        if plain.has(Kind::Floor) || plain.has(Kind::Bracket) {
            continue;
        }
        let beyond = facts.with(&Cond::ge(&numerator, &denominator));
        if beyond.proves(&Cond::ge(x, y)) && beyond.proves(&Cond::ge(&plain, y)) {
            return Some(Expr::min(vec![plain, y.clone()]));
        }
    }
    None
}

/// min(x − 1, y − 1) is min(x, y) − 1, unless one of them is but a number.
fn common_constant(_: &Facts, atom: &Atom) -> Option<Expr> {
    let (items, which) = extreme(atom)?;
    let constant = Expr::rational(items.first()?.constant_term());
    let is_common =
        |item: &Expr| item.as_rational().is_none() && item.sub(&constant).constant_term().is_zero();
    if constant.is_zero() || !items.iter().all(is_common) {
        return None;
    }
    let rest = items.iter().map(|item| item.sub(&constant)).collect();
    Some(Expr::extreme(rest, which).add(&constant))
}
