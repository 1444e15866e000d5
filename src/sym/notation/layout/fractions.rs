//! Sums of fractions as one: M/(b(b + 2)) for M/(2b) − M/(2(b + 2)).

use crate::number::Rational;
use crate::sym::Expr;
use crate::sym::expr::types::{Atom, Monomial};

/// Denominators multiplied out; more are left as they are.
const MOST_FACTORS: i32 = 6;

/// A numerator without fractions, and what it is divided by.
pub(super) struct Fraction {
    pub(super) numerator: Expr,
    /// Reciprocals: sums as inverses, names with negative exponents.
    pub(super) divisor: Monomial,
}

/// The terms over one denominator, where two or more differ in what they are divided by and one of
/// those is a sum.
pub(super) fn as_one(expr: &Expr) -> Option<Fraction> {
    let is_inverse = |atom: &Atom| matches!(atom, Atom::Inverse(_));
    let mut divisors: Vec<(Atom, i32)> = Vec::new();
    let mut seen: Vec<Vec<(Atom, i32)>> = Vec::new();
    for (monomial, _) in expr.terms() {
        let factors = monomial.factors().iter();
        let under: Vec<(Atom, i32)> = factors
            .filter(|(atom, exponent)| *exponent < 0 || is_inverse(atom))
            .cloned()
            .collect();
        for (atom, exponent) in &under {
            let times = exponent.abs();
            match divisors.iter_mut().find(|(known, _)| known == atom) {
                Some((_, most)) => *most = (*most).max(times),
                None => divisors.push((atom.clone(), times)),
            }
        }
        if !seen.contains(&under) {
            seen.push(under);
        }
    }
    let times: i32 = divisors.iter().map(|(_, times)| *times).sum();
    let has_sum = divisors.iter().any(|(atom, _)| is_inverse(atom));
    if !has_sum || seen.len() < 2 || seen.iter().any(Vec::is_empty) || times > MOST_FACTORS {
        return None;
    }
    let mut numerator = Expr::zero();
    for (monomial, coefficient) in expr.terms() {
        let mut product = Expr::rational(coefficient.clone());
        let mut rest = monomial.clone();
        for (atom, most) in &divisors {
            // A name may divide one term and multiply another: n/b − nb/(b² + 1).
            let exponent = monomial.exponent(atom);
            rest = rest.without(atom);
            let more = match atom {
                Atom::Inverse(x) => x.integer_power(most - exponent),
                other => Expr::atom(other.clone()).integer_power(most + exponent),
            };
            product = &product * &more;
        }
        numerator = &numerator + (&product * Expr::monomial(rest));
    }
    divisors.sort();
    let divisor = divisors.into_iter().map(|(atom, times)| {
        let exponent = if is_inverse(&atom) { times } else { -times };
        (atom, exponent)
    });
    Some(Fraction {
        numerator,
        divisor: Monomial::from_sorted(divisor.collect()),
    })
}

/// The numerator's sign, where a sum of fractions is one term over what they are divided by.
pub(super) fn sign_of_one(expr: &Expr) -> Option<(Monomial, Rational)> {
    let fraction = as_one(expr)?;
    let (monomial, coefficient) = fraction.numerator.as_term()?;
    Some((monomial.clone(), coefficient.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::symbols;

    /// A name may divide one term and multiply another.
    #[test]
    fn one_fraction_is_what_its_terms_are_together() {
        let [n, b] = symbols(["n", "b"]);
        let sum = &b * &b + 1;
        for (over, text) in [
            (&b * &sum, "n/(b(b^2 + 1))"),
            (&b * &b * &sum, "n/(b^2(b^2 + 1))"),
        ] {
            let whole = n.div(&over).expect("not by 0");
            let one = as_one(&whole).expect("it has two terms");
            let divided = Expr::monomial(one.divisor);
            assert_eq!(&one.numerator * &divided, whole);
            assert_eq!(whole.to_string(), text);
        }
    }
}
