//! Products of powers that stem from one base, written as a power of that base.

use crate::number::Rational;
use crate::sym::Expr;
use crate::sym::expr::types::{Atom, Monomial};
use crate::sym::facts::knowledge::{Facts, Source};
use crate::sym::prove::powers::{is_composite, parts};

/// Joins powers that stem from one base: 2^L·b^L with L = log_{2b} n is n.
pub(crate) fn join_powers(facts: &Facts, expr: &Expr) -> Expr {
    // A power of a product is kept as a product of powers, which hides that (2b)^L is n. Only
    // facts "x is a power of y" with a composite y can cause this, so without one nothing is
    // searched. If 2 has the exponent L + 1 and b has L, the term is still 2 · n: the exponents
    // are compared only in L.
    let composite = |(_, y, _): &&(Expr, Expr, Source)| is_composite(y);
    let known: Vec<_> = facts.known().powers.iter().filter(composite).collect();
    if known.is_empty() {
        return expr.clone();
    }
    let mut result = expr.clone();
    for (x, base, _) in known {
        let log = Expr::log(base, x);
        let Some(atom) = log.as_atom() else {
            continue;
        };
        for term in expr.terms() {
            let Some(times) = joined_exponent(&term.0, base, atom) else {
                continue;
            };
            let power = base.pow(&log.scale(&times));
            let joined = Expr::term(term)
                .div(&power)
                .map(|rest| &rest * x.pow(&Expr::rational(times)));
            if let Some(joined) = joined {
                result = &result - Expr::term(term) + &joined;
            }
        }
    }
    result
}

/// Returns the coefficient of the logarithm in the exponents of all factors of the base, if they
/// agree.
fn joined_exponent(monomial: &Monomial, base: &Expr, log: &Atom) -> Option<Rational> {
    let mut found: Option<Rational> = None;
    for (part, count) in parts(base)? {
        let times = monomial
            .factors()
            .iter()
            .find_map(|(atom, outer)| match atom {
                Atom::Power(inner, exponent) if *inner == part => {
                    let only = Monomial::atom(log.clone(), 1);
                    let term = exponent.terms().iter().find(|(m, _)| *m == only)?;
                    Some(&term.1 * &Rational::from(*outer))
                }
                _ => None,
            })?;
        let times = times.checked_div(&Rational::from(count))?;
        if found.as_ref().is_some_and(|known| *known != times) {
            return None;
        }
        found = Some(times);
    }
    found
}
