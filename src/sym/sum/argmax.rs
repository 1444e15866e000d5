//! Finds where an expression over a range is largest, if its parts show it: at a value where no
//! bracket, floor, minimum or maximum is smaller than elsewhere.

use crate::sym::expr::types::Atom;
use crate::sym::facts::knowledge::Facts;
use crate::sym::{Cond, Expr, Symbol};
use num_traits::ToPrimitive;

/// The most values tried as the place, and the most bounds formed from items of minima. Each
/// costs proofs for every atom of every expression.
const MOST_CANDIDATES: usize = 12;

/// [`Facts::costliest`].
pub(crate) fn costliest(
    facts: &Facts,
    variable: &Symbol,
    low: &Expr,
    high: &Expr,
    values: &[&Expr],
) -> Option<Expr> {
    // The ends first, for the range is not empty and they need no proof that they are inside.
    // Then the values where a bracket changes: [i ≥ 3] suggests 3, where it begins to hold, and
    // its neighbours 2 and 4. One place must suit all expressions at once.
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

/// Returns upper bounds on a value with one item in place of each minimum that is added, or
/// maximum that is subtracted: hi − lo for every pair of ends of a loop. Empty if there is no
/// such extreme, or if the pairs are too many.
fn with_items(facts: &Facts, variable: &Symbol, value: &Expr) -> Vec<Expr> {
    // Example: min(n − 1, v) − max(0, v − m + 1). min(x, y) ≤ x and −max(x, y) ≤ −x, so each
    // choice of items is an upper bound: n − 1, n + m − 2 − v, v, and m − 1. The sign of the
    // factor has to be known, or the choice would bound from the wrong side.
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
            let each = items.iter().map(|item| rest + (factor * item));
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

/// Bounds each part of a value by its own maximum over the range.
fn each_part(
    facts: &Facts,
    variable: &Symbol,
    low: &Expr,
    high: &Expr,
    value: &Expr,
) -> Option<Expr> {
    // Sound but not sharp: v − ⌊v/2⌋ takes v at the high end and ⌊v/2⌋ at the low one. A factor ≥
    // 0 takes the atom's maximum, a factor ≤ 0 its minimum (the maximum of its opposite). Atoms
    // are gone for good once bounded, so each round has one less.
    let mut bound = value.clone();
    let dependent = |atom: &Atom| !matches!(atom, Atom::Symbol(_)) && atom.contains(variable);
    for atom in value.atoms().into_iter().filter(dependent) {
        let coefficients = bound.atom_coefficients(&atom)?;
        let [rest, factor] = &*coefficients else {
            // Gone together with another atom, or in a power: the rest is bounded below or fails
            // there.
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
        bound = rest + (factor * &extreme);
    }
    let bound = facts.simplify(&bound);
    if bound.contains(variable) {
        facts.maximum(variable, low, high, &bound)
    } else {
        Some(bound)
    }
}

/// Returns an upper bound on one atom or one negated atom.
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

/// Adds the values at which brackets of the expression begin or cease to hold.
fn push_crossings(
    facts: &Facts,
    value: &Expr,
    variable: &Symbol,
    low: &Expr,
    found: &mut Vec<Expr>,
) {
    // 2v − 5 ≥ 0 crosses at 5/2: the last failing value is 2, the first holding one 3. Four
    // roundings of the crossing cover strict, weak and equal conditions. For d ∣ v + c the first
    // multiple from the low end on: low + ((−c − low) mod d).
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
                    push(crossing.floor() + 1);
                    push(crossing.ceil() - 1);
                }
            }
            Cond::Divides(d, e) => {
                let linear = e.linear_in(variable).filter(|[_, slope]| slope.is_one());
                let offset = linear.map(|[offset, _]| offset);
                let is_small = d.as_integer().and_then(|d| d.to_i64()).is_some();
                if let (Some(offset), true) = (offset, is_small)
                    && let Some(past) = (&offset + low).neg().modulo(d)
                {
                    push(low + &past);
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

/// Returns true if the expression is provably as large at the candidate as anywhere.
fn is_largest_at(facts: &Facts, value: &Expr, variable: &Symbol, candidate: &Expr) -> bool {
    // Each atom that is provably largest at the candidate (or smallest, under a factor ≤ 0) is
    // replaced by its value there. This only raises the expression elsewhere, so if the rest is
    // still largest at the candidate, the expression is. Atoms not bounded stay, and the final
    // difference decides.
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
            bound = rest + (factor * &there);
        }
    }
    let bound = facts.simplify(&bound);
    if !bound.contains(variable) {
        return true;
    }
    let difference = bound.substitute(variable, candidate) - &bound;
    facts.is_non_negative(&facts.simplify(&difference))
}

/// Returns true if an atom is provably at most its value at the candidate.
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

/// Returns true if an atom is provably at least its value at the candidate.
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
