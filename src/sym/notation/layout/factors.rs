//! The common parts of the terms of a sum: factors, coefficients, denominators.

use num_traits::One;

use crate::number::{BigInt, Rational};
use crate::sym::Expr;
use crate::sym::expr::types::{Atom, Monomial, Term};
use crate::sym::notation::layout::sign::leads_negative;

/// The terms by a factor that one would take out: a floor or a bracket that several of them share.
/// The last group has none.
pub(super) fn shared_factors(expr: &Expr) -> Vec<(Option<Atom>, Expr)> {
    // A name is taken out from logarithms: 7 + R(10 + 9 log2 b), but 15nb + 21n.
    let has_log = |monomial: &Monomial| {
        let mut factors = monomial.factors().iter();
        factors.any(|(atom, _)| matches!(atom, Atom::Log(..)))
    };
    let with_log = |atom: &Atom| {
        let mut terms = expr.terms().iter();
        terms.any(|(monomial, _)| monomial.exponent(atom) > 0 && has_log(monomial))
    };
    let takes_out = |atom: &Atom| match atom {
        Atom::Floor(_) | Atom::Bracket(_) | Atom::Min(_) | Atom::Max(_) | Atom::Sum(_) => true,
        Atom::Symbol(_) => with_log(atom),
        Atom::Power(..)
        | Atom::Log(..)
        | Atom::Gcd(..)
        | Atom::DigitSum(..)
        | Atom::FloorSum(_)
        | Atom::Inverse(_) => false,
    };
    let count = |wanted: &(Atom, i32)| {
        let terms = expr.terms().iter();
        terms
            .filter(|(monomial, _)| monomial.exponent(&wanted.0).signum() == wanted.1.signum())
            .count()
    };
    let groups = grouped(expr, |monomial| {
        let factors = monomial.factors().iter();
        let mut shared = factors.filter(|factor| {
            let number = if takes_out(&factor.0) {
                count(factor)
            } else {
                0
            };
            number > 1 && number < expr.terms().len()
        });
        let chosen = shared.next();
        chosen.map(|(atom, exponent)| (atom.clone(), exponent.signum()))
    });
    let mut groups: Vec<(Option<Atom>, Expr)> = groups
        .into_iter()
        .map(|(factor, group)| (factor.map(|(atom, _)| atom), group))
        .collect();
    groups.sort_by_key(|(factor, _)| factor.is_none());
    groups
}

/// The terms with the same key together, in the order of their first terms.
pub(super) fn grouped<K: PartialEq>(expr: &Expr, key: impl Fn(&Monomial) -> K) -> Vec<(K, Expr)> {
    let mut groups: Vec<(K, Vec<Term>)> = Vec::new();
    for term in expr.terms() {
        let key = key(&term.0);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, terms)) => terms.push(term.clone()),
            None => groups.push((key, vec![term.clone()])),
        }
    }
    let groups = groups.into_iter();
    groups
        .map(|(key, terms)| (key, Expr::from_terms(terms)))
        .collect()
}

/// 2n − 2 as a factor is 2(n − 1): a coefficient that all terms have joins the factor outside.
pub(super) fn shared_coefficient(scale: Rational, expr: Expr) -> (Rational, Expr) {
    let Some((_, first)) = expr.terms().first() else {
        return (scale, expr);
    };
    let shared = first.abs();
    let is_shared = expr.terms().len() > 1 && expr.terms().iter().all(|(_, c)| c.abs() == shared);
    match shared.recip() {
        Some(inverse) if is_shared => (&scale * &shared, expr.scale(&inverse)),
        _ => (scale, expr),
    }
}

/// 1/lcm of the coefficients' denominators.
pub(super) fn denominator_content(expr: &Expr) -> Rational {
    use num_integer::Integer;
    let mut common = BigInt::one();
    for (_, coefficient) in expr.terms() {
        common = common.lcm(&coefficient.denominator());
    }
    Rational::new(1, common).unwrap_or(Rational::ONE)
}

/// The terms grouped by what they are divided by, inverses included.
pub(super) fn denominators(expr: &Expr) -> Vec<(Monomial, Expr)> {
    let mut groups: Vec<(Monomial, Vec<Term>)> = Vec::new();
    for (monomial, coefficient) in expr.terms() {
        let (under, over): (Vec<_>, Vec<_>) =
            monomial
                .factors()
                .iter()
                .cloned()
                .partition(|(atom, exponent)| {
                    *exponent < 0
                        || matches!(atom, Atom::Inverse(_))
                        || matches!(atom, Atom::Power(_, power) if leads_negative(power))
                });
        let (under, over) = (Monomial::from_sorted(under), Monomial::from_sorted(over));
        let term = (over, coefficient.clone());
        match groups.iter_mut().find(|(known, _)| *known == under) {
            Some((_, terms)) => terms.push(term),
            None => groups.push((under, vec![term])),
        }
    }
    groups
        .into_iter()
        .map(|(under, terms)| (under, Expr::from_terms(terms)))
        .collect()
}
