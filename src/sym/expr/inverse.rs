//! Division. By a monomial it only changes exponents. By a sum it leaves an atom `1/P`, and
//! numerators are reduced against it. So exact quotients come out as polynomials, and rational
//! functions over one denominator are canonical.

use crate::number::Rational;
use crate::sym::Expr;
use crate::sym::expr::types::{Atom, Monomial};

/// [`Expr::reciprocal`].
pub(crate) fn reciprocal(value: &Expr) -> Expr {
    if let Some((monomial, coefficient)) = value.as_term() {
        let factor = coefficient.recip().unwrap_or(Rational::ZERO);
        return reciprocal_monomial(monomial).scale(&factor);
    }
    if value.is_zero() {
        return Expr::atom(Atom::Inverse(Expr::zero()));
    }
    let (coefficient, content, primitive) = primitive(value);
    let factor = coefficient.recip().unwrap_or(Rational::ZERO);
    let inverse = reduce(Expr::atom(Atom::Inverse(primitive)));
    (reciprocal_monomial(&content) * &inverse).scale(&factor)
}

/// Writes a sum as number · monomial · P. P has whole coefficients without common divisor, no
/// common monomial, and a positive last term.
pub(crate) fn primitive(value: &Expr) -> (Rational, Monomial, Expr) {
    // 6n² − 4nb is 2 · n · (3n − 2b), up to the order of terms. Sums that differ by a factor
    // share one atom 1/P, so their quotients cancel.
    let content = value.common_monomial();
    let mut coefficient = value.content();
    if value.terms().last().is_some_and(|(_, c)| c.is_negative()) {
        coefficient = -coefficient;
    }
    let factor = coefficient.recip().unwrap_or(Rational::ONE);
    let primitive = (value * reciprocal_monomial(&content)).scale(&factor);
    (coefficient, content, primitive)
}

/// Returns 1 divided by a monomial.
fn reciprocal_monomial(monomial: &Monomial) -> Expr {
    let mut product = Expr::one();
    for (atom, exponent) in monomial.factors() {
        let factor = match atom {
            Atom::Power(base, power) => base.pow(&power.scale(&(-exponent).into())),
            Atom::Inverse(denominator) if *exponent > 0 => denominator.integer_power(*exponent),
            _ => Expr::monomial(Monomial::atom(atom.clone(), exponent.saturating_neg())),
        };
        product = &product * &factor;
    }
    product
}

/// Divides numerators by the denominators of inverse atoms as far as possible.
///
/// Each rewriting replaces the greatest atom of P by smaller ones, so it ends.
pub(crate) fn reduce(value: Expr) -> Expr {
    let mut result = Expr::zero();
    for term in value.terms() {
        match rewrite(&term.0) {
            Some(rewritten) => result = &result + rewritten.scale(&term.1),
            None => result = &result + Expr::term(term),
        }
    }
    result
}

/// One step: with P = c·v^d + rest, c·v^d/P = 1 − rest/P; with P = c + rest and v^-1, c/P = 1 −
/// rest/P. `None` if the exponent of v already lies in 0..d-1, or if c has an atom to divide by:
/// j/(ij + 1) has a value at i = 0, (1 − 1/(ij + 1))/i has none.
fn rewrite(monomial: &Monomial) -> Option<Expr> {
    // Polynomial division by the greatest atom v of P. For P = n + 1: n/P = 1 − 1/P, and n²/P = n
    // − n/P = n − 1 + 1/P after two steps. For P = n + 1 and 1/n: 1/(nP) = 1/n − 1/P. Each step
    // moves the exponent of v towards 0..d-1, the only range that is left alone, so the form is
    // unique.
    for (atom, count) in monomial.factors() {
        let Atom::Inverse(denominator) = atom else {
            continue;
        };
        if *count < 1 {
            continue;
        }
        let Some(main) = denominator.atoms().pop_last() else {
            continue;
        };
        let Some(coefficients) = denominator.atom_coefficients(&main) else {
            continue;
        };
        let degree = coefficients.len() as i32 - 1;
        let exponent = monomial.exponent(&main);
        let at = if exponent >= degree {
            coefficients.len() - 1
        } else if exponent < 0 {
            0
        } else {
            continue;
        };
        let Some((unit, coefficient)) = coefficients.get(at).and_then(Expr::as_term) else {
            continue;
        };
        let Some(factor) = coefficient.recip() else {
            continue;
        };
        if !unit
            .factors()
            .iter()
            .all(|(at, by)| divides(monomial, at, *by))
        {
            continue;
        }
        let taken = (Expr::monomial(unit.clone())
            * Expr::monomial(Monomial::atom(main.clone(), at as i32)))
        .scale(coefficient);
        let rest = denominator - &taken;
        let numerator: Vec<(Atom, i32)> = monomial
            .factors()
            .iter()
            .filter(|(other, _)| other != atom)
            .map(|(other, e)| {
                (
                    other.clone(),
                    if *other == main { e - at as i32 } else { *e },
                )
            })
            .collect();
        let mut numerator = numerator;
        if at > 0 && monomial.exponent(&main) == 0 {
            numerator.push((main.clone(), -(at as i32)));
            numerator.sort();
        }
        let numerator = (Expr::monomial(Monomial::from_sorted(numerator))
            * reciprocal_monomial(unit))
        .scale(&factor);
        let fewer = Expr::monomial(Monomial::atom(atom.clone(), count - 1));
        let same = Expr::monomial(Monomial::atom(atom.clone(), *count));
        let whole = if *count == 1 {
            numerator.clone()
        } else {
            &numerator * &fewer
        };
        return Some(&whole - (&numerator * &rest * &same));
    }
    None
}

/// Returns true if dividing the monomial by a power of an atom adds no division by zero.
fn divides(monomial: &Monomial, atom: &Atom, power: i32) -> bool {
    let has = monomial.exponent(atom);
    power <= 0 || has < 0 || has >= power
}
