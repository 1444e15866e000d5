//! Immediate consequences of the assumptions. A divisor is at most its multiple. Bounds of powers
//! are bounds of their exponents. A maximum that is not its first item is its second.

use crate::sym::Expr;
use crate::sym::expr::types::Atom;
use crate::sym::facts::knowledge::{Facts, Source};
use crate::sym::prove::powers;

/// [`Facts::consequences`].
pub(crate) fn consequences(facts: &Facts) -> Vec<(Expr, Source)> {
    // Kept to what costs no search: every learnt fact runs through here, and each bound found
    // enters all later searches. A divisor d ≥ 1 of e ≥ 1 gives e ≥ d (8 ∣ n and n ≥ 1: n ≥ 8). A
    // power n of 2 gives log2 n ≥ 0, and log2 n ≥ 1 once n ≥ 2 is known.
    let known = facts.known();
    let mut found: Vec<(Expr, Source)> = Vec::new();
    for (d, e, from) in &known.divides {
        if !facts.is_quickly_positive(d) {
            continue;
        }
        if facts.is_quickly_positive(e) {
            found.push((e - d, *from));
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
            .any(|bound| bound.value == x - y || bound.value == x - 2);
        let least = if at_least_base {
            Expr::one()
        } else {
            Expr::zero()
        };
        found.push((&log - &least, *from));
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
    // max(x, y) ≥ r means y ≥ r if x < r is known.
    for bound in &known.bounds {
        let of_extremes = bound_of_extremes(facts, &bound.value);
        found.extend(of_extremes.map(|value| (value, bound.source)));
    }
    found
}

/// Returns the bound on the one item of a maximum (or negated minimum) that can meet it. All
/// other items are excluded by a known bound, word for word.
fn bound_of_extremes(facts: &Facts, value: &Expr) -> Option<Expr> {
    // max(x, y) − r ≥ 0 holds through x or through y. Whole numbers make the opposite of x − r ≥
    // 0 the bound r − x − 1 ≥ 0. If that one is known, y − r ≥ 0 remains. With two items left
    // nothing follows.
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
    let rest = value - &term;
    let fails = |bound: &Expr| {
        let opposite = bound.neg() - 1;
        facts
            .known()
            .bounds
            .iter()
            .any(|known| known.value == opposite)
    };
    let left = items.iter().map(|item| &rest + item.scale(coefficient));
    let mut left = left.filter(|bound| !fails(bound));
    match (left.next(), left.next()) {
        (Some(bound), None) => Some(bound),
        _ => None,
    }
}
