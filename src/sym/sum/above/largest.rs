//! The largest value of a plain expression while a variable runs between two ends.
//!
//! Takes facts, the variable with its ends, and an expression. Gives an upper bound without the
//! variable, each factor bounded by itself.

use crate::sym::expr::types::{Atom, Monomial};
use crate::sym::facts::knowledge::Facts;
use crate::sym::{Cond, Expr, Symbol};

/// Bounds a plain value for a variable between two ends, each factor by itself.
pub(crate) fn at_its_largest(
    facts: &Facts,
    variable: &Symbol,
    [low, high]: [&Expr; 2],
    value: &Expr,
) -> Option<Expr> {
    // Products of non-negative factors are at most the product of the factors' maxima. Positive
    // powers of the variable take the high end, negative powers the low one: n·i/b over 1..n is
    // at most n²/b. Logarithms and positive powers grow with their insides, so the insides are
    // bounded. Everything else must be provably largest at one of the ends.
    if !value.contains(variable) {
        return Some(value.clone());
    }
    let itself = Expr::symbol(variable);
    let mut total = Expr::zero();
    for (monomial, coefficient) in value.terms() {
        let mut product = Expr::rational(coefficient.clone());
        for (atom, exponent) in monomial.factors() {
            let part = Expr::monomial(Monomial::atom(atom.clone(), *exponent));
            let part = match atom {
                _ if !atom.contains(variable) => part,
                Atom::Symbol(_) => {
                    if *exponent > 0 {
                        facts
                            .is_non_negative(&itself)
                            .then(|| high.integer_power(*exponent))?
                    } else {
                        facts
                            .is_positive(low)
                            .then(|| low.integer_power(*exponent))?
                    }
                }
                // These grow with what is inside.
                Atom::Log(base, x)
                    if *exponent == 1
                        && !base.contains(variable)
                        && has_known_signs(facts, variable, x)
                        && facts.proves(&Cond::ge(base, &Expr::int(2))) =>
                {
                    Expr::log(base, &at_its_largest(facts, variable, [low, high], x)?)
                }
                Atom::Power(x, power)
                    if *exponent == 1
                        && power.as_rational().is_some_and(|it| it.signum() > 0)
                        && has_known_signs(facts, variable, x) =>
                {
                    at_its_largest(facts, variable, [low, high], x)?.pow(power)
                }
                _ => {
                    let ends = [high, low].map(|end| part.substitute(variable, end));
                    let is_most = |end: &Expr| facts.proves(&Cond::ge(end, &part));
                    let by_exponent = || power_at_its_largest(facts, variable, [low, high], atom);
                    match by_exponent().filter(|_| *exponent == 1) {
                        Some(power) => power,
                        None => ends.into_iter().find(is_most)?,
                    }
                }
            };
            if product.is_unwieldy_times(&part) {
                return None;
            }
            product = &product * &part;
        }
        total = &total + &product;
    }
    Some(total)
}

/// Returns true if all terms with the variable are ≥ 0, and all their factors with the variable
/// too.
fn has_known_signs(facts: &Facts, variable: &Symbol, value: &Expr) -> bool {
    let mut terms = value.terms().iter();
    terms.all(|term| {
        let value = Expr::term(term);
        let mut factors = term.0.factors().iter();
        !value.contains(variable)
            || facts.is_non_negative(&value)
                && factors.all(|(atom, _)| {
                    !atom.contains(variable) || facts.is_non_negative(&Expr::atom(atom.clone()))
                })
    })
}

/// Returns the largest value of a power of a base ≥ 1: the value at the largest exponent.
fn power_at_its_largest(
    facts: &Facts,
    variable: &Symbol,
    [low, high]: [&Expr; 2],
    atom: &Atom,
) -> Option<Expr> {
    let Atom::Power(base, exponent) = atom else {
        return None;
    };
    let [_, slope] = exponent.linear_in(variable)?;
    if base.contains(variable) || !facts.proves(&Cond::ge(base, &Expr::one())) {
        return None;
    }
    let end = match (
        facts.is_non_negative(&slope),
        facts.is_non_negative(&slope.neg()),
    ) {
        (true, _) => high,
        (_, true) => low,
        (false, false) => return None,
    };
    Some(base.pow(&exponent.substitute(variable, end)))
}
