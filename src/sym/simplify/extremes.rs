//! Minima and maxima under facts. Items that never win are dropped. A minimum with a bracket or a
//! rounded ratio inside is split into its cases.

use std::cmp::Reverse;

use crate::sym::expr::construct::Extreme;
use crate::sym::expr::summary::Kind;
use crate::sym::expr::types::Atom;
use crate::sym::facts::knowledge::Facts;
use crate::sym::prove::bounds;
use crate::sym::simplify::rule::Rule;
use crate::sym::{Cond, Expr};

/// The rules for `min(…)` and `max(…)`.
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

/// Returns the items, and if the least or the greatest counts.
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

/// Drops items that are dominated: another item is provably as good everywhere.
fn without_dominated(facts: &Facts, atom: &Atom) -> Option<Expr> {
    // Dropped one by one from the list, so of two equal items one is left: the second is compared
    // only with what is still kept.
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

/// Splits a maximum at a bracket if it is plain in both cases: max(5, 8·`[k ≥ 2]`) is 5 + 3·`[k ≥
/// 2]`.
fn without_cases(facts: &Facts, atom: &Atom) -> Option<Expr> {
    // With the bracket at 1 the maximum is max(5, 8) = 8, at 0 it is 5, and 5 + (8 − 5)·[k ≥ 2]
    // joins them. Each bracket costs two simplifications of the whole maximum, hence the limit of
    // three brackets. A case that is still a maximum would only grow the form.
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
        let more = (&here - &elsewhere) * Expr::atom(bracket.clone());
        Some(&elsewhere + &more)
    })
}

/// Writes min(e, 1) for a whole e ≥ 0 as [e ≥ 1].
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

/// Removes ⌊p/q⌋ or ⌈p/q⌉ from an item x of min(x, y), if x is plain up to p = q and at least y
/// beyond. So min(s − ⌈s/b⌉ + 1, b) is min(s, b) for s ≥ 1.
fn without_ratio(facts: &Facts, atom: &Atom) -> Option<Expr> {
    // Worked example: x = s − ⌈s/b⌉ + 1, y = b. Up to s = b the ceiling is 1 and x = s. From s =
    // b on both x and s are at least b, so both minima are b. Replacing x by its plain form s
    // changes neither case.
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
        let numerator = if ratio.constant_term().is_negative()
            || numerator
                .terms()
                .last()
                .is_some_and(|(_, c)| c.is_negative())
        {
            numerator.neg()
        } else {
            numerator
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

/// Takes out a common constant: min(x − 1, y − 1) is min(x, y) − 1. Items that are mere numbers
/// have none.
fn common_constant(_: &Facts, atom: &Atom) -> Option<Expr> {
    let (items, which) = extreme(atom)?;
    let constant = Expr::rational(items.first()?.constant_term());
    let is_common =
        |item: &Expr| item.as_rational().is_none() && (item - &constant).constant_term().is_zero();
    if constant.is_zero() || !items.iter().all(is_common) {
        return None;
    }
    let rest = items.iter().map(|item| item - &constant).collect();
    Some(Expr::extreme(rest, which) + &constant)
}

/// Writes several extremes that compare the same as one: with u − v = c(x − y) and c ≥ 0, min(u, v) is v + c(min(x, y) −
/// y).
pub(crate) fn join_equal_comparisons(facts: &Facts, expr: &Expr) -> Expr {
    // A sum over the values from 0 or r − n + 1, whichever is more, to 2r or n + r − 1, whichever is less: n − 1 − r
    // decides at both ends, and min(n + r − 1, 2r) − max(0, r − n + 1) is 2·min(n − 1, r).
    if !expr.has(Kind::Other) {
        return expr.clone();
    }
    let is_pair = |atom: &Atom| extreme(atom).is_some_and(|(items, _)| items.len() == 2);
    let mut pairs: Vec<Atom> = expr.atoms().into_iter().filter(is_pair).collect();
    if pairs.len() < 2 {
        return expr.clone();
    }
    // A minimum is kept rather than a maximum, since each of its items is an upper bound. Of several, the shortest is
    // kept.
    pairs.sort_by_key(|atom| {
        let is_minimum = matches!(atom, Atom::Min(_));
        (is_minimum, Reverse(Expr::atom(atom.clone()).length()))
    });
    let mut result = expr.clone();
    while let Some(kept) = pairs.pop() {
        let mut is_joined = false;
        pairs.retain(|other| match in_terms_of(facts, &kept, other) {
            Some(value) => {
                result = result.replace(&|atom| (atom == other).then(|| value.clone()));
                is_joined = true;
                false
            }
            None => true,
        });
        if is_joined {
            result = with_common_part(&result, &kept);
        }
    }
    result
}

/// Returns an extreme of two items in terms of another one that compares the same.
fn in_terms_of(facts: &Facts, kept: &Atom, other: &Atom) -> Option<Expr> {
    let ((items, which), (others, of_other)) = (extreme(kept)?, extreme(other)?);
    let ([x, y], [u, v]) = (items, others) else {
        return None;
    };
    let factor = quotient(&(u - v), &(x - y))?;
    let (v, factor) = if facts.is_non_negative(&factor) {
        (v, factor)
    } else {
        let opposite = factor.neg();
        facts.is_non_negative(&opposite).then_some((u, opposite))?
    };
    let has_value = |item: &Expr| facts.always_have_value(item);
    if ![x, y, v].into_iter().all(has_value) {
        return None;
    }
    // With d = x − y: min(x, y) = y + min(d, 0), max(x, y) = y + max(d, 0), and min(d, 0) + max(d, 0) = d.
    let extreme = Expr::atom(kept.clone());
    let from_zero = if which == of_other {
        &extreme - y
    } else {
        x - &extreme
    };
    Some(v + (&factor * &from_zero))
}

/// Returns c with value = c·divisor: 1, −1, or for a sum of few terms a c of few.
fn quotient(value: &Expr, divisor: &Expr) -> Option<Expr> {
    const MOST_TERMS: usize = 4;
    if value == divisor {
        return Some(Expr::one());
    }
    if *value == divisor.neg() {
        return Some(Expr::int(-1));
    }
    let ([first, second] | [first, second, _] | [first, second, _, _]) = divisor.terms() else {
        return None;
    };
    // Negative exponents let any term divide any other: a term is divided by the one only where its product with the
    // other is there, too.
    [[first, second], [second, first]]
        .into_iter()
        .find_map(|[leading, other]| {
            let inverse = Expr::term(leading).reciprocal();
            let other = Expr::term(other);
            let (mut rest, mut found) = (value.clone(), Expr::zero());
            for _ in 0..MOST_TERMS {
                let mut parts = rest.terms().iter().map(|term| Expr::term(term) * &inverse);
                let has_other = |part: &Expr| {
                    let product = part * &other;
                    product
                        .terms()
                        .iter()
                        .all(|term| rest.terms().contains(term))
                };
                let Some(part) = parts.find(has_other) else {
                    break;
                };
                rest = &rest - (&part * divisor);
                found = &found + &part;
            }
            rest.is_zero().then_some(found)
        })
}

/// Moves what all items of an extreme have in common, where it cancels beside the extreme: 2·min(n + r, 2r) − 2r is
/// 2·min(n, r).
fn with_common_part(expr: &Expr, atom: &Atom) -> Expr {
    let plainer = || {
        let (items, which) = extreme(atom)?;
        let [rest, factor] = expr.beside(atom)?;
        let (first, others) = items.split_first()?;
        let common = first.terms().iter().filter_map(|(monomial, coefficient)| {
            let of_others = others.iter().map(|other| {
                let mut terms = other.terms().iter();
                let found = terms.find(|(same, _)| same == monomial);
                found.map(|(_, coefficient)| coefficient)
            });
            let each = of_others.collect::<Option<Vec<_>>>()?;
            let least = each
                .into_iter()
                .fold(coefficient, |least, other| least.min(other));
            let common = Expr::term(&(monomial.clone(), least.clone()));
            let beside = &rest + (&factor * &common);
            (beside.terms().len() <= rest.terms().len()).then_some(common)
        });
        let common = common.fold(Expr::zero(), |sum, term| &sum + &term);
        if common.is_zero() {
            return None;
        }
        let items = items.iter().map(|item| item - &common).collect();
        Some(&rest + (&factor * (Expr::extreme(items, which) + &common)))
    };
    plainer().unwrap_or_else(|| expr.clone())
}
