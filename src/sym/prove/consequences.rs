//! What follows at once from what is assumed: a divisor is at most what it divides, the bounds of
//! powers are bounds of their exponents, a maximum that is not the one item is the other.

use crate::sym::Expr;
use crate::sym::expr::types::Atom;
use crate::sym::facts::knowledge::{Facts, Source};
use crate::sym::prove::powers;

/// [`Facts::consequences`].
pub(crate) fn consequences(facts: &Facts) -> Vec<(Expr, Source)> {
    let known = facts.known();
    let mut found: Vec<(Expr, Source)> = Vec::new();
    for (d, e, from) in &known.divides {
        if !facts.is_quickly_positive(d) {
            continue;
        }
        if facts.is_quickly_positive(e) {
            found.push((e.sub(d), *from));
        }
    }
    for (x, y, from) in &known.powers {
        let log = Expr::log(y, x);
        if log.as_rational().is_some() {
            continue;
        }
        let at_least_base = known
            .bounds
            .iter()
            .any(|bound| bound.value == x.sub(y) || bound.value == x.sub(&Expr::int(2)));
        let least = if at_least_base {
            Expr::one()
        } else {
            Expr::zero()
        };
        found.push((log.sub(&least), *from));
    }
    if !known.powers.is_empty() {
        for bound in &known.bounds {
            let of_exponents = powers::bound_of_exponents(facts, &bound.value);
            found.extend(
                of_exponents
                    .into_iter()
                    .map(|(value, _)| (value, bound.source)),
            );
            let of_powers = powers::bound_of_powers(facts, &bound.value);
            found.extend(of_powers.map(|value| (value, bound.source)));
        }
    }
    // max(x, y) ≥ r is y ≥ r where x is less.
    for bound in &known.bounds {
        let of_extremes = bound_of_extremes(facts, &bound.value);
        found.extend(of_extremes.map(|value| (value, bound.source)));
    }
    found
}

/// The item of a maximum (or, negated, a minimum) that a bound is about, where another bound says
/// outright that it is not about the others.
fn bound_of_extremes(facts: &Facts, value: &Expr) -> Option<Expr> {
    let choice = value.terms().iter().find_map(|(monomial, coefficient)| {
        let items = match monomial.factors() {
            [(Atom::Max(items), 1)] if coefficient.is_one() => items,
            [(Atom::Min(items), 1)] if (-coefficient).is_one() => items,
            _ => return None,
        };
        Some((
            items,
            Expr::monomial(monomial.clone()).scale(coefficient),
            coefficient,
        ))
    });
    let (items, term, coefficient) = choice?;
    let rest = value.sub(&term);
    let fails = |bound: &Expr| {
        let opposite = bound.neg().sub(&Expr::one());
        facts
            .known()
            .bounds
            .iter()
            .any(|known| known.value == opposite)
    };
    let left = items.iter().map(|item| rest.add(&item.scale(coefficient)));
    let mut left = left.filter(|bound| !fails(bound));
    match (left.next(), left.next()) {
        (Some(bound), None) => Some(bound),
        _ => None,
    }
}
