//! Which terms read with a minus sign.

use crate::number::Rational;
use crate::sym::Expr;
use crate::sym::expr::types::{Atom, Monomial, Term};
use crate::sym::notation::layout::fractions::sign_of_one;

/// Whether a term reads without a minus: −⌊−x⌋ is the ceiling ⌈x⌉.
pub(super) fn reads_positive(monomial: &Monomial, coefficient: &Rational) -> bool {
    let ceilings: i32 = monomial
        .factors()
        .iter()
        .filter(|(atom, _)| is_ceiling(atom) || is_negative_total(atom))
        .map(|(_, exponent)| *exponent)
        .sum();
    coefficient.is_negative() == (ceilings % 2 != 0)
}

/// Whether all terms read with a minus.
pub(super) fn reads_negative(expr: &Expr) -> bool {
    expr.terms().iter().all(|(m, c)| !reads_positive(m, c))
}

/// Σ of what reads negative is written as minus the Σ of the opposite.
pub(super) fn is_negative_total(atom: &Atom) -> bool {
    let Atom::Sum(sum) = atom else {
        return false;
    };
    reads_negative(&sum.body)
}

pub(super) fn is_ceiling(atom: &Atom) -> bool {
    match atom {
        Atom::Floor(x) => {
            if let Some((monomial, coefficient)) = sign_of_one(x) {
                return !reads_positive(&monomial, &coefficient);
            }
            let negative = x
                .terms()
                .iter()
                .filter(|(m, c)| !reads_positive(m, c))
                .count();
            // Of as many terms with a minus as without, the one of the highest degree decides:
            // ⌈(n - 1)/b⌉.
            let above = |(monomial, _): &&Term| {
                let exponents = monomial.factors().iter().map(|(_, exponent)| *exponent);
                exponents.filter(|exponent| *exponent > 0).sum::<i32>()
            };
            let leading = x.terms().iter().max_by_key(above);
            negative * 2 > x.terms().len()
                || negative * 2 == x.terms().len()
                    && leading.is_some_and(|(m, c)| !reads_positive(m, c))
        }
        _ => false,
    }
}

/// Whether what is not a number reads negative.
pub(super) fn varies_negatively(expr: &Expr) -> bool {
    leads_negative(&expr.sub(&Expr::rational(expr.constant_term())))
}

pub(super) fn leads_negative(expr: &Expr) -> bool {
    let negative = expr
        .terms()
        .iter()
        .filter(|(m, c)| !reads_positive(m, c))
        .count();
    negative * 2 > expr.terms().len()
}
