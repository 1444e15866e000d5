//! The product that all terms of a sum share, and what is left without it.

use crate::sym::Expr;
use crate::sym::expr::types::Monomial;

/// Factors of all terms, and denominators that all terms have.
pub(super) fn common_factor(expr: &Expr) -> Monomial {
    let mut factors = Vec::new();
    for atom in expr.atoms() {
        let exponents = || expr.terms().iter().map(|(m, _)| m.exponent(&atom));
        let (least, most) = (
            exponents().min().unwrap_or(0),
            exponents().max().unwrap_or(0),
        );
        if least > 0 || most < 0 {
            factors.push((atom, least));
        }
    }
    Monomial::from_sorted(factors)
}

/// Every term divided by a factor of all of them. Multiplying by its reciprocal would expand the
/// sum of a factor 1/(x + y) instead of cancelling it.
pub(super) fn divided(expr: &Expr, common: &Monomial) -> Expr {
    let inverse = common.factors().iter();
    let inverse = Monomial::from_sorted(inverse.map(|(atom, e)| (atom.clone(), -e)).collect());
    let terms = expr.terms().iter();
    let divided = terms.map(|(monomial, coefficient)| {
        let factors = monomial.merged(&inverse);
        (Monomial::from_sorted(factors), coefficient.clone())
    });
    Expr::from_terms(divided.collect())
}
