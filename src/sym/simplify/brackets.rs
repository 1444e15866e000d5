//! Joins brackets and drops idle ones: ⌊x⌋ + ⌊−x⌋ is [x is whole] − 1, `[c] + [not c]` is 1, and
//! `(n − 1)·[n ≥ 2]` is n − 1 for n ≥ 1.

use std::cell::RefCell;

use crate::sym::expr::types::{Atom, Monomial, Term};
use crate::sym::facts::knowledge::Facts;
use crate::sym::prove::bounds;
use crate::sym::{Cond, Expr};

/// The most brackets of an expression treated in one pass. Each costs two extended contexts.
pub(crate) const MOST_BRACKETS: usize = 8;

/// The most nested case distinctions in one proof: 2^3 cases. One more doubles the work of
/// failures.
const MOST_CASES: u32 = 3;

/// [`Facts::without_idle_brackets`].
pub(crate) fn without_idle_brackets(facts: &Facts, expr: &Expr) -> Expr {
    // Let e = rest + here·[c] + elsewhere·[not c]. If here = elsewhere wherever c fails, the
    // brackets may go: e = rest + here. Example: (n − 1)·[n ≥ 2] under n ≥ 1. c fails only at n =
    // 1, where n − 1 = 0 = elsewhere. If instead here is the larger on its side and elsewhere on
    // its own, e is rest + max(here, elsewhere).
    let mut result = expr.clone();
    let brackets = expr.atoms().into_iter();
    let brackets = brackets.filter(Atom::is_bracket);
    for atom in brackets.take(MOST_BRACKETS) {
        let Atom::Bracket(cond) = &atom else {
            continue;
        };
        let opposites = opposites(facts, cond).into_iter().map(Expr::bracket);
        let opposite = opposites
            .filter_map(|bracket| bracket.as_atom().cloned())
            .find(|opposite| result.atoms().contains(opposite));
        let Some(split) = split_at(&result, &atom, opposite.as_ref()) else {
            continue;
        };
        let [rest, here, elsewhere] = split;
        let difference = &here - &elsewhere;
        let outside = facts.with(&(**cond).clone().negate());
        // Without its bracket a term is evaluated also where the bracket was 0. It must have a
        // value there: 1/n·[n ≥ 1] has to keep its bracket at n = 0.
        let here_has_value = bounds::always_has_value(&outside, &difference);
        if here_has_value && vanishes(&outside, &difference) {
            result = &rest + &here;
            continue;
        }
        let within = facts.with(cond);
        if opposite.is_none() || !bounds::always_has_value(&within, &difference) {
            continue;
        }
        if vanishes(&within, &difference) {
            result = &rest + &elsewhere;
        } else if here_has_value {
            let both =
                |inside: &Cond, beyond: &Cond| within.proves(inside) && outside.proves(beyond);
            let (above, below) = (Cond::ge(&here, &elsewhere), Cond::le(&here, &elsewhere));
            let ends = vec![here.clone(), elsewhere.clone()];
            if both(&above, &below) {
                result = &rest + Expr::max(ends);
            } else if both(&below, &above) {
                result = &rest + Expr::min(ends);
            }
        }
    }
    if result == *expr {
        result
    } else {
        facts.simplify(&result)
    }
}

/// [`Facts::is_always_zero`].
pub(crate) fn is_always_zero(facts: &Facts, value: &Expr) -> bool {
    is_zero_in_cases(facts, value, MOST_CASES)
}

fn is_zero_in_cases(facts: &Facts, value: &Expr, cases_left: u32) -> bool {
    let simple = facts.simplify(value);
    if simple.is_zero() {
        return true;
    }
    let cond = RefCell::new(None);
    simple.has_atom(&|atom| match atom {
        Atom::Bracket(found) => {
            cond.replace(Some((**found).clone()));
            true
        }
        _ => false,
    });
    let (Some(cond), Some(left)) = (cond.into_inner(), cases_left.checked_sub(1)) else {
        // Within a case such as g = 0 the rest may be 0 by the condition itself.
        return cases_left < MOST_CASES && facts.proves(&Cond::eq(&simple, &Expr::zero()));
    };
    let mut cases = [cond.clone(), cond.negate()].into_iter();
    cases.all(|case| is_zero_in_cases(&facts.with(&case), &simple, left))
}

fn vanishes(facts: &Facts, value: &Expr) -> bool {
    let simple = facts.simplify(value);
    simple.is_zero() || facts.proves(&Cond::eq(&simple, &Expr::zero()))
}

/// Joins ⌊x⌋ + ⌊−x⌋ to [x is whole] − 1 if both have the same factor.
pub(crate) fn join_floor_and_ceiling(facts: &Facts, expr: &Expr) -> Expr {
    let mut result = expr.clone();
    for atom in expr.atoms() {
        let Atom::Floor(x) = &atom else {
            continue;
        };
        let opposite = Atom::Floor(x.neg());
        if opposite <= atom {
            continue;
        }
        let (Some(of_floor), Some(of_ceiling)) = (
            result.atom_coefficients(&atom),
            result.atom_coefficients(&opposite),
        ) else {
            continue;
        };
        let ([_, of_floor], [_, of_ceiling]) = (&*of_floor, &*of_ceiling) else {
            continue;
        };
        // With different factors one of the floors would stay, beside a new bracket.
        if of_floor != of_ceiling {
            continue;
        }
        let Some(is_whole) = wholeness(facts, x) else {
            continue;
        };
        let both = Expr::atom(atom.clone()) + Expr::atom(opposite);
        let joined = Expr::bracket(is_whole) - 1;
        result = &result + (of_floor * (&joined - &both));
    }
    result
}

/// Rewrites ⌈(p + 1)/d⌉ as ⌊p/d⌋ + 1 for whole p and d ≥ 1, if both occur.
pub(crate) fn join_neighbours(facts: &Facts, expr: &Expr) -> Expr {
    // Insides x = p/d and y = −(p + 1)/d are recognised by −(x + y) = 1/d: the inverse of one
    // term, and d·x = p has to be whole.
    let atoms = expr.atoms();
    let floors = atoms.iter().filter_map(|atom| match atom {
        Atom::Floor(x) => Some((atom, x)),
        _ => None,
    });
    let floors: Vec<_> = floors.collect();
    for (at, (atom, x)) in floors.iter().enumerate() {
        for (other, y) in &floors[at + 1..] {
            let Some(denominator) = (*x + *y).neg().inverted_term() else {
                continue;
            };
            let fits = facts.is_integer(&denominator)
                && facts.is_integer(&(&denominator * *x))
                && facts.proves(&Cond::ge(&denominator, &Expr::one()));
            if fits {
                // ⌊−(p + 1)/d⌋ = −⌊p/d⌋ − 1
                let value = Expr::atom((*atom).clone()).neg() - 1;
                let joined = expr.replace(&|inner| (inner == *other).then(|| value.clone()));
                return join_neighbours(facts, &joined);
            }
        }
    }
    expr.clone()
}

/// Writes ⌈x⌉ as ⌊x⌋ + [x is not whole] in products of ⌊x⌋ and ⌈x⌉, if fewer products are left.
/// The square of a bracket is the bracket itself.
pub(crate) fn part_floor_and_ceiling(facts: &Facts, expr: &Expr) -> Expr {
    // Example with F = ⌊x⌋, C = ⌈x⌉ = F + p, p = p²: F·C + C² = 2F² + 3Fp + p. Two products in
    // floors have become one. Without a gain the form stays, since a bracket is harder to read
    // than a ceiling.
    for atom in expr.atoms() {
        let Atom::Floor(x) = &atom else {
            continue;
        };
        let opposite = Atom::Floor(x.neg());
        if opposite <= atom || !expr.atoms().contains(&opposite) {
            continue;
        }
        let products = |expr: &Expr| {
            let degree = |monomial: &Monomial| {
                i64::from(monomial.exponent(&atom)) + i64::from(monomial.exponent(&opposite))
            };
            let terms = expr.terms().iter();
            terms.filter(|(m, _)| degree(m) >= 2).count()
        };
        let before = products(expr);
        if before < 2 {
            continue;
        }
        let Some(is_whole) = wholeness(facts, x) else {
            continue;
        };
        let (floor, ceiling) = if x.terms().last().is_some_and(|(_, c)| c.is_negative()) {
            (&opposite, &atom)
        } else {
            (&atom, &opposite)
        };
        let part = Expr::bracket(facts.simplify_cond(&is_whole.negate()));
        let whole = Expr::atom(floor.clone());
        let parted = (&whole + &part).neg();
        let (mixed, linear): (Vec<_>, Vec<_>) = expr.terms().iter().cloned().partition(|(m, _)| {
            m.exponent(floor) + m.exponent(ceiling) >= 2 && m.exponent(ceiling) > 0
        });
        let mixed = Expr::from_terms(mixed);
        let mixed = mixed.replace(&|other| (other == ceiling).then(|| parted.clone()));
        let result = Expr::from_terms(linear) + &mixed;
        if products(&result) >= before {
            continue;
        }
        // A lone bracket p may be traded back for C − F, by adding a multiple of F + p − C = 0.
        let none = &whole + &part + Expr::atom(ceiling.clone());
        let alone = |(monomial, _): &&Term| {
            matches!(monomial.factors(), [(Atom::Bracket(_), 1)])
                && part.terms().iter().any(|(of_part, _)| of_part == monomial)
        };
        let (in_part, in_result) = (part.terms().iter(), result.terms().iter());
        let ratio = match (in_part.clone().find(alone), in_result.clone().find(alone)) {
            (Some((_, unit)), Some((_, coefficient))) => coefficient.checked_div(unit),
            _ => None,
        };
        return match ratio {
            Some(ratio) => &result - none.scale(&ratio),
            None => result,
        };
    }
    expr.clone()
}

/// Joins `[c] + [not c]` to 1, as far as both have the same factors, and drops `[c]·[not c]`. For
/// a whole e ≥ 0, e = 0 and e ≥ 1 are opposites.
pub(crate) fn join_complements(facts: &Facts, expr: &Expr) -> Expr {
    let mut result = expr.clone();
    let brackets = || {
        let atoms = expr.atoms().into_iter();
        atoms.filter(Atom::is_bracket)
    };
    if brackets().nth(1).is_none() {
        return result;
    }
    for atom in brackets() {
        let Atom::Bracket(cond) = &atom else {
            continue;
        };
        for opposite in opposites(facts, cond) {
            let Some(opposite) = Expr::bracket(opposite).as_atom().cloned() else {
                continue;
            };
            let has_both = |(monomial, _): &&Term| {
                let mut pair = [&atom, &opposite].into_iter();
                pair.all(|bracket| monomial.exponent(bracket) > 0)
            };
            let never: Vec<Term> = result.terms().iter().filter(has_both).cloned().collect();
            result = &result - Expr::from_terms(never);
            let (Some(of_this), Some(of_opposite)) = (
                result.atom_coefficients(&atom),
                result.atom_coefficients(&opposite),
            ) else {
                continue;
            };
            let ([_, of_this], [_, of_opposite]) = (&*of_this, &*of_opposite) else {
                continue;
            };
            let shared = common_part(of_this, of_opposite);
            if !shared.is_zero() {
                let both = Expr::atom(atom.clone()) + Expr::atom(opposite);
                result = &result + (&shared * (Expr::one() - &both));
            }
        }
    }
    result
}

/// Returns the part that two factors share: 32x for 33x + y and 32x − y.
fn common_part(this: &Expr, other: &Expr) -> Expr {
    let common = |(monomial, coefficient): &Term| {
        let (_, of_other) = other.terms().iter().find(|(same, _)| same == monomial)?;
        let less = if coefficient.abs() <= of_other.abs() {
            coefficient
        } else {
            of_other
        };
        let is_alike = coefficient.signum() == of_other.signum();
        is_alike.then(|| (monomial.clone(), less.clone()))
    };
    Expr::from_terms(this.terms().iter().filter_map(common).collect())
}

/// Returns conditions that hold exactly when this one does not.
fn opposites(facts: &Facts, cond: &Cond) -> Vec<Cond> {
    let mut found = vec![cond.clone().negate()];
    if let Cond::NonNegative(e) = cond
        && facts.is_integer(e)
    {
        found.push(Cond::non_negative(&(e.neg() - 1)));
    }
    if let Cond::Zero(e) = cond
        && facts.is_integer(e)
    {
        for e in [e.clone(), e.neg()] {
            if facts.is_non_negative(&e) {
                found.push(Cond::ge(&e, &Expr::one()));
                found.push(Cond::lt(&e, &Expr::one()).negate());
            }
        }
    }
    found
}

/// Returns the condition that p/d is whole: d ∣ p.
fn wholeness(facts: &Facts, x: &Expr) -> Option<Cond> {
    let (numerator, denominator) = bounds::whole_fraction(facts, x)?;
    Some(facts.simplify_cond(&Cond::divides(&denominator, &numerator)))
}

/// Splits an expression into rest + here·atom + elsewhere·opposite.
fn split_at(expr: &Expr, atom: &Atom, opposite: Option<&Atom>) -> Option<[Expr; 3]> {
    let [rest, here] = expr.beside(atom)?;
    match opposite {
        None => Some([rest, here, Expr::zero()]),
        Some(opposite) => {
            let [rest, elsewhere] = rest.beside(opposite)?;
            Some([rest, here, elsewhere])
        }
    }
}
