//! Products of powers beside each other: n·b^(r − 1) ≥ n, also where both sides are rounded. Indices of a reduction over
//! several rounds need them.
//!
//! Asked for by name, and no part of the usual proofs: with them other proofs would go other ways.

use crate::number::Rational;
use crate::sym::expr::summary::Kind;
use crate::sym::expr::types::{Atom, Term};
use crate::sym::facts::knowledge::Facts;
use crate::sym::prove::bounds;
use crate::sym::{Cond, Expr};

/// [`Facts::is_non_negative_beside_powers`].
pub(crate) fn is_non_negative(facts: &Facts, value: &Expr) -> bool {
    is_power_times_beside_once(facts, value)
        || is_floor_beside_power(facts, value)
        || is_non_negative_without_ceiling(facts, value)
}

/// Decides w + ⌊x⌋ by w + x for a whole w: n − ⌈n/2^r⌉ by n − n/2^r.
fn is_floor_beside_power(facts: &Facts, value: &Expr) -> bool {
    let mut terms = value.terms().iter();
    let Some((term, x)) = terms.find_map(|term| match term.0.factors() {
        [(Atom::Floor(x), 1)] if term.1.is_one() => Some((term, x)),
        _ => None,
    }) else {
        return false;
    };
    let rest = value - Expr::term(term);
    !rest.has(Kind::Floor)
        && facts.is_integer(&rest)
        && is_power_times_beside_once(facts, &(&rest + x))
}

/// Decides x·y − x if x is ≥ 0 and y is a product of powers ≥ 1: n·b^(r − 1)·w^(r − 1) − n for r ≥ 1.
fn is_power_times_beside_once(facts: &Facts, value: &Expr) -> bool {
    let [one, other] = value.terms() else {
        return false;
    };
    let (times, once) = match (one.1.is_negative(), other.1.is_negative()) {
        (false, true) => (one, other),
        (true, false) => (other, one),
        _ => return false,
    };
    let once = Expr::term(once).neg();
    let Some(ratio) = Expr::term(times).div(&once) else {
        return false;
    };
    let Some((monomial, coefficient)) = ratio.as_term().filter(|_| ratio.has(Kind::Power)) else {
        return false;
    };
    // b^r stands beside 1/b where the exponent is r − 1.
    let mut exponents: Vec<(Expr, Expr)> = Vec::new();
    for (atom, times) in monomial.factors() {
        let (base, exponent) = match atom {
            Atom::Power(base, exponent) => (base.clone(), exponent.clone()),
            _ => (Expr::atom(atom.clone()), Expr::one()),
        };
        let exponent = &exponent * &Expr::int((*times).into());
        match exponents.iter_mut().find(|(known, _)| *known == base) {
            Some((_, sum)) => *sum = &*sum + &exponent,
            None => exponents.push((base, exponent)),
        }
    }
    // 2^r/2 is 2^(r - 1).
    let mut coefficient = coefficient.clone();
    if let Some((base, exponent)) = exponents.iter_mut().find(|(base, _)| is_number(base)) {
        while coefficient.signum() > 0 && coefficient < Rational::ONE {
            coefficient = &coefficient * &base.content();
            *exponent = &*exponent - 1;
        }
    }
    let one = Expr::one();
    coefficient >= Rational::ONE
        && exponents.iter().all(|(base, exponent)| {
            facts.proves(&Cond::ge(base, &one)) && facts.proves(&Cond::non_negative(exponent))
        })
        && facts.is_non_negative(&once)
}

/// Decides c·⌈x⌉ + ⌊y⌋ + w by c·x + ⌊y⌋ + w for c ≥ 0: no ceiling is below what is rounded. So b⌈n/b⌉ ≥ ⌈n/2^r⌉
/// follows from n ≥ ⌈n/2^r⌉.
fn is_non_negative_without_ceiling(facts: &Facts, value: &Expr) -> bool {
    // A ceiling is kept as −⌊−x⌋.
    let ceiling = |term: &Term| {
        let mut factors = term.0.factors().iter();
        let (floor, x) = factors.find_map(|(atom, exponent)| match (atom, exponent) {
            (Atom::Floor(x), 1) => Some((Expr::atom(atom.clone()), x.clone())),
            _ => None,
        })?;
        let times = Expr::term(term).div(&floor)?;
        term.1.is_negative().then_some((times, x))
    };
    let terms = value.terms();
    let floors = terms.iter().filter(|(monomial, _)| {
        let mut factors = monomial.factors().iter();
        factors.any(|(atom, _)| matches!(atom, Atom::Floor(_)))
    });
    // Alone it has rules of its own.
    if floors.count() != 2 {
        return false;
    }
    terms.iter().any(|term| {
        let Some((times, x)) = ceiling(term) else {
            return false;
        };
        let less = value - Expr::term(term) + &times * &x;
        facts.is_non_negative(&times.neg()) && is_floor_beside_power(facts, &less)
    })
}

/// True of a number from 2.
fn is_number(base: &Expr) -> bool {
    base.as_rational()
        .is_some_and(|base| base >= Rational::from(2))
}

/// [`Facts::is_product_of_powers`].
pub(crate) fn is_product_of_powers(facts: &Facts, value: &Expr) -> bool {
    let Some((monomial, coefficient)) = value.as_term().filter(|_| value.has(Kind::Power)) else {
        return false;
    };
    let mut factors = monomial.factors().iter();
    coefficient.signum() > 0 && factors.all(|(atom, _)| bounds::is_positive_atom(facts, atom))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::symbols;

    #[test]
    fn a_product_with_a_power_of_one_or_more_is_no_less_than_without() {
        let [x, m, n, w] = symbols(["x", "m", "n", "w"]);
        let mut facts = Facts::new();
        for value in [&m, &n, &w] {
            facts.assume(&Cond::ge(value, &Expr::one()));
        }
        let at_least = |value: &Expr, least: &Expr| is_non_negative(&facts, &(value - least));
        let powers = Expr::int(2).pow(&w) * &m.pow(&w) * &n.pow(&w);
        assert!(is_product_of_powers(&facts, &powers));
        let once_less = &powers * &m.reciprocal();
        for times in [&powers, &once_less] {
            assert!(at_least(&(&n * times), &n), "{times}");
            assert!(at_least(times, &Expr::one()), "{times}");
            assert!(!at_least(&(&x * times), &x), "x may be below 0");
        }
        let halved = powers.div(&Expr::int(2)).expect("not by 0");
        assert!(at_least(&halved, &Expr::one()), "w is at least 1");
        let quarter = powers.div(&Expr::int(4)).expect("not by 0");
        assert!(!at_least(&quarter, &Expr::one()), "w may be 1");
        let twice_less = &once_less * &m.reciprocal();
        assert!(!at_least(&twice_less, &Expr::one()), "w may be 1");
    }

    #[test]
    fn what_is_rounded_up_is_below_what_it_is_a_part_of() {
        let [b, n, r] = symbols(["b", "n", "r"]);
        let mut facts = Facts::new();
        for value in [&b, &n, &r] {
            facts.assume(&Cond::ge(value, &Expr::one()));
        }
        let part = n.div(&b.pow(&r)).expect("not by 0").ceil();
        let rounded = &b * &n.div(&b).expect("not by 0").ceil();
        assert!(is_non_negative(&facts, &(&n - &part)));
        assert!(is_non_negative(&facts, &(&rounded - &part)));
        assert!(!is_non_negative(&facts, &(&n - &part - 1)), "b may be 1");
    }
}
