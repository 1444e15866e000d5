//! Where an expression over a range is largest, when what it is made of says so: at a value where no
//! bracket is 0 that is 1 elsewhere, no floor, minimum or maximum less than elsewhere.

use crate::sym::expr::types::Atom;
use crate::sym::facts::knowledge::Facts;
use crate::sym::{Cond, Expr, Symbol};
use num_traits::ToPrimitive;

/// How many values are tried.
const MOST_CANDIDATES: usize = 12;

/// [`Facts::costliest`].
pub(crate) fn costliest(
    facts: &Facts,
    variable: &Symbol,
    low: &Expr,
    high: &Expr,
    values: &[&Expr],
) -> Option<Expr> {
    let mut candidates = vec![high.clone(), low.clone()];
    for value in values {
        push_crossings(facts, value, variable, low, &mut candidates);
    }
    candidates.truncate(MOST_CANDIDATES);
    candidates
        .into_iter()
        .enumerate()
        .find_map(|(at, candidate)| {
            let is_inside = at < 2
                || facts.proves(&Cond::ge(&candidate, low))
                    && facts.proves(&Cond::le(&candidate, high));
            let wins = |value: &&Expr| is_largest_at(facts, value, variable, &candidate);
            (is_inside && values.iter().all(wins)).then_some(candidate)
        })
}

/// What a value is nowhere above, with one of the items in the place of each minimum that speaks of a variable, and of
/// each maximum that is taken away: hi − lo for every two ends that a loop may have. None where there is none of them,
/// or many.
fn with_items(facts: &Facts, variable: &Symbol, value: &Expr) -> Vec<Expr> {
    let mut open = vec![value.clone()];
    for atom in value.atoms() {
        let is_above = match &atom {
            Atom::Min(_) => true,
            Atom::Max(_) => false,
            _ => continue,
        };
        let (Atom::Min(items) | Atom::Max(items)) = &atom else {
            continue;
        };
        if !atom.contains(variable) || open.len() * items.len() > MOST_CANDIDATES {
            continue;
        }
        let chosen = open.iter().map(|value| {
            let coefficients = value.atom_coefficients(&atom)?;
            let [rest, factor] = &*coefficients else {
                return None;
            };
            let sign = if is_above {
                factor.clone()
            } else {
                factor.neg()
            };
            let each = items.iter().map(|item| rest.add(&factor.mul(item)));
            facts
                .is_non_negative(&sign)
                .then(|| each.collect::<Vec<_>>())
        });
        if let Some(chosen) = chosen.collect::<Option<Vec<_>>>() {
            open = chosen.concat();
        }
    }
    match open.as_slice() {
        [_] => Vec::new(),
        _ => open.iter().map(|value| facts.simplify(value)).collect(),
    }
}

/// [`Facts::without_variable`].
pub(crate) fn without_variable(facts: &Facts, variable: &Symbol, value: &Expr) -> Option<Expr> {
    let mut free = with_items(facts, variable, value);
    free.retain(|value| !value.contains(variable));
    (!free.is_empty()).then(|| facts.simplify(&Expr::min(free)))
}

/// [`Facts::part_by_part`].
pub(crate) fn part_by_part(
    facts: &Facts,
    variable: &Symbol,
    low: &Expr,
    high: &Expr,
    value: &Expr,
) -> Option<Expr> {
    let free = without_variable(facts, variable, value);
    match (free, each_part(facts, variable, low, high, value)) {
        (Some(free), Some(apart)) => Some(match facts.less_at_points([&free, &apart]) {
            Some(true) => free,
            _ => apart,
        }),
        (free, apart) => free.or(apart),
    }
}

/// Each part of a value at its largest by itself.
fn each_part(
    facts: &Facts,
    variable: &Symbol,
    low: &Expr,
    high: &Expr,
    value: &Expr,
) -> Option<Expr> {
    let mut bound = value.clone();
    let dependent = |atom: &Atom| !matches!(atom, Atom::Symbol(_)) && atom.contains(variable);
    for atom in value.atoms().into_iter().filter(dependent) {
        let coefficients = bound.atom_coefficients(&atom)?;
        let [rest, factor] = &*coefficients else {
            // Gone with another.
            continue;
        };
        let most = |part: &Expr| {
            let found = facts.maximum(variable, low, high, part);
            found.or_else(|| part_of(facts, variable, low, high, part))
        };
        let alone = Expr::atom(atom.clone());
        let extreme = if facts.is_non_negative(factor) {
            most(&alone)?
        } else if facts.is_non_negative(&factor.neg()) {
            most(&alone.neg())?.neg()
        } else {
            return None;
        };
        bound = rest.add(&factor.mul(&extreme));
    }
    let bound = facts.simplify(&bound);
    match bound.contains(variable) {
        true => facts.maximum(variable, low, high, &bound),
        false => Some(bound),
    }
}

/// What one atom, or one negated, is nowhere above.
fn part_of(facts: &Facts, variable: &Symbol, low: &Expr, high: &Expr, part: &Expr) -> Option<Expr> {
    let (monomial, coefficient) = part.as_term()?;
    let [(atom, 1)] = monomial.factors() else {
        return None;
    };
    let is_negated = coefficient.is_negative();
    match (atom, is_negated) {
        (Atom::Bracket(_), false) => Some(Expr::one()),
        (Atom::Bracket(_), true) => Some(Expr::zero()),
        (Atom::Floor(x), false) => Some(facts.part_by_part(variable, low, high, x)?.floor()),
        (Atom::Floor(x), true) => Some(facts.part_by_part(variable, low, high, &x.neg())?.ceil()),
        (Atom::Min(items), false) | (Atom::Max(items), false) => {
            let each = items
                .iter()
                .map(|item| facts.part_by_part(variable, low, high, item));
            let each: Vec<Expr> = each.collect::<Option<_>>()?;
            Some(match atom {
                Atom::Min(_) => Expr::min(each),
                _ => Expr::max(each),
            })
        }
        _ => None,
    }
}

/// The values from which on, or up to which, brackets in the expression hold.
fn push_crossings(
    facts: &Facts,
    value: &Expr,
    variable: &Symbol,
    low: &Expr,
    found: &mut Vec<Expr>,
) {
    let mut push = |candidate: Expr| {
        let candidate = facts.simplify(&candidate);
        if !candidate.contains(variable) && !found.contains(&candidate) {
            found.push(candidate);
        }
    };
    for atom in value.atoms() {
        let Atom::Bracket(cond) = &atom else {
            continue;
        };
        let positive = match &**cond {
            Cond::Not(inner) => &**inner,
            cond => cond,
        };
        match positive {
            Cond::NonNegative(e) | Cond::Zero(e) => {
                let crossing = e
                    .linear_in(variable)
                    .and_then(|[offset, slope]| offset.neg().div(&slope));
                if let Some(crossing) = crossing {
                    push(crossing.ceil());
                    push(crossing.floor());
                    push(crossing.floor().add(&Expr::one()));
                    push(crossing.ceil().sub(&Expr::one()));
                }
            }
            Cond::Divides(d, e) => {
                let linear = e.linear_in(variable).filter(|[_, slope]| slope.is_one());
                let offset = linear.map(|[offset, _]| offset);
                let is_small = d.as_integer().and_then(|d| d.to_i64()).is_some();
                if let (Some(offset), true) = (offset, is_small)
                    && let Some(past) = offset.add(low).neg().modulo(d)
                {
                    push(low.add(&past));
                }
            }
            Cond::True
            | Cond::False
            | Cond::PowerOf(..)
            | Cond::Not(_)
            | Cond::And(_)
            | Cond::Or(_) => {}
        }
    }
}

/// Whether the expression is provably at least as large at the candidate as anywhere.
fn is_largest_at(facts: &Facts, value: &Expr, variable: &Symbol, candidate: &Expr) -> bool {
    let mut bound = value.clone();
    let dependent = |atom: &Atom| !matches!(atom, Atom::Symbol(_)) && atom.contains(variable);
    for atom in value.atoms().into_iter().filter(dependent) {
        let Some(coefficients) = bound.atom_coefficients(&atom) else {
            return false;
        };
        let [rest, factor] = &*coefficients else {
            return false;
        };
        let there = Expr::atom(atom.clone()).substitute(variable, candidate);
        let there = facts.simplify(&there);
        let is_bounded = facts.is_non_negative(factor)
            && is_never_above(facts, &atom, &there, variable, candidate)
            || facts.is_non_negative(&factor.neg())
                && is_never_below(facts, &atom, &there, variable, candidate);
        if is_bounded {
            bound = rest.add(&factor.mul(&there));
        }
    }
    let bound = facts.simplify(&bound);
    if !bound.contains(variable) {
        return true;
    }
    let difference = bound.substitute(variable, candidate).sub(&bound);
    facts.is_non_negative(&facts.simplify(&difference))
}

/// Whether an atom is provably never above what it is at the candidate.
fn is_never_above(facts: &Facts, atom: &Atom, there: &Expr, variable: &Symbol, at: &Expr) -> bool {
    let is_below = |x: &Expr| facts.proves(&Cond::ge(&x.substitute(variable, at), x));
    match atom {
        Atom::Bracket(cond) => {
            there.is_one() || facts.with(cond).proves(&cond.substitute(variable, at))
        }
        Atom::Floor(x) => is_below(x),
        Atom::Min(items) | Atom::Max(items) => items.iter().all(is_below),
        Atom::Symbol(_)
        | Atom::Power(..)
        | Atom::Log(..)
        | Atom::Gcd(..)
        | Atom::DigitSum(..)
        | Atom::FloorSum(_)
        | Atom::Inverse(_)
        | Atom::Sum(_) => facts.proves(&Cond::ge(there, &Expr::atom(atom.clone()))),
    }
}

/// Whether an atom is provably never below what it is at the candidate.
fn is_never_below(facts: &Facts, atom: &Atom, there: &Expr, variable: &Symbol, at: &Expr) -> bool {
    let is_above = |x: &Expr| facts.proves(&Cond::le(&x.substitute(variable, at), x));
    match atom {
        Atom::Bracket(cond) => {
            there.is_zero() || facts.with(&cond.substitute(variable, at)).proves(cond)
        }
        Atom::Floor(x) => is_above(x),
        Atom::Min(items) | Atom::Max(items) => items.iter().all(is_above),
        Atom::Symbol(_)
        | Atom::Power(..)
        | Atom::Log(..)
        | Atom::Gcd(..)
        | Atom::DigitSum(..)
        | Atom::FloorSum(_)
        | Atom::Inverse(_)
        | Atom::Sum(_) => facts.proves(&Cond::le(there, &Expr::atom(atom.clone()))),
    }
}
