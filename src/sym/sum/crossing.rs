//! Sums with a minimum, a maximum or a bracket of two values whose quotient is a power in the variable.
//!
//! The quotient only rises, or only falls, so one value is the smaller one up to some place and the other one from there
//! on. The sum is split at this place.

use crate::number::Rational;
use crate::sym::expr::summary::Kind;
use crate::sym::expr::types::Atom;
use crate::sym::facts::knowledge::Facts;
use crate::sym::prove::powers;
use crate::sym::sum::range::Range;
use crate::sym::{Cond, Expr, Symbol};

/// An atom that is one value up to a place and another one behind it.
struct Crossing {
    /// The last value of the variable where the atom is still the first value.
    last: Expr,
    before: Expr,
    behind: Expr,
}

/// Splits where the quotient of two values that are compared passes 1.
pub(crate) fn sum_by_crossing(facts: &Facts, range: &Range, body: &Expr) -> Option<Expr> {
    // Σ d ∈ 0..log2 n - 1 : min(n/b, n/2^(d + 1)), with n and b powers of 2. The quotient 2^(d + 1)/b is 1 at d = log2 b
    // − 1: n/b up to there, n/2^(d + 1) behind it. Taken only if both parts close.
    let mut compared = body.atoms().into_iter().filter(|atom| {
        matches!(atom, Atom::Min(_) | Atom::Max(_) | Atom::Bracket(_))
            && atom.contains(&range.variable)
            && Expr::atom(atom.clone()).has(Kind::Power)
    });
    let first = compared.next()?;
    let inside = facts.with(&range.inside());
    for atom in std::iter::once(first).chain(compared) {
        let Some(crossing) = crossing(&inside, &range.variable, &atom) else {
            continue;
        };
        let Crossing {
            last,
            before,
            behind,
        } = crossing;
        let end = Expr::min(vec![range.high.clone(), last.clone()]);
        let start = Expr::max(vec![range.low.clone(), &last + 1]);
        let parts = [(&range.low, &end, before), (&start, &range.high, behind)];
        let mut total = Expr::zero();
        for (low, high, value) in parts {
            let body = body.replace(&|other| (*other == atom).then(|| value.clone()));
            let [low, high] = [low, high].map(|end| facts.simplify(end));
            total = &total + facts.sum(&range.variable, &low, &high, &body);
        }
        if total.is_closed() {
            return Some(total);
        }
    }
    None
}

/// Finds where an atom takes its other value.
fn crossing(facts: &Facts, variable: &Symbol, atom: &Atom) -> Option<Crossing> {
    let [one, other] = compared(facts, atom)?;
    let has_power = |value: &Expr| value.contains(variable) && value.has(Kind::Power);
    if !has_power(&one) && !has_power(&other) {
        return None;
    }
    if !facts.is_positive(&one) || !facts.is_positive(&other) {
        return None;
    }
    let (at, rises) = passes_one(facts, &one.div(&other)?, variable)?;
    // At the place itself both are equal. A bracket `one ≤ other` holds there, and either value of an extreme is right.
    let last = if rises { at.floor() } else { at.ceil() - 1 };
    let last = facts.simplify(&last);
    let [mut before, mut behind] = match atom {
        Atom::Min(items) => [items[0].clone(), items[1].clone()],
        Atom::Max(items) => [items[1].clone(), items[0].clone()],
        Atom::Bracket(cond) if matches!(**cond, Cond::Not(_)) => [Expr::zero(), Expr::one()],
        _ => [Expr::one(), Expr::zero()],
    };
    if !rises {
        std::mem::swap(&mut before, &mut behind);
    }
    Some(Crossing {
        last,
        before,
        behind,
    })
}

/// Returns two values that an atom compares: it is the first item of a minimum, or the second of a maximum, or a bracket
/// that holds, exactly where the first value is at most the second.
fn compared(facts: &Facts, atom: &Atom) -> Option<[Expr; 2]> {
    match atom {
        Atom::Min(items) | Atom::Max(items) => {
            let [one, other] = &**items else {
                return None;
            };
            let [(one, up), (other, down)] = [one, other].map(unrounded);
            // ⌈x⌉ and ⌈y⌉ are in the order of x and y, ⌈x⌉ and a whole y as well.
            let is_in_order = match (up, down) {
                (Some(one), Some(other)) => one == other,
                (Some(_), None) => facts.is_integer(&other),
                (None, Some(_)) => facts.is_integer(&one),
                (None, None) => true,
            };
            is_in_order.then_some([one, other])
        }
        Atom::Bracket(cond) => {
            let difference = match &**cond {
                Cond::NonNegative(difference) => difference,
                Cond::Not(inner) => match &**inner {
                    Cond::NonNegative(difference) => difference,
                    _ => return None,
                },
                _ => return None,
            };
            let [one, other] = difference.terms() else {
                return None;
            };
            match [&one.1, &other.1].map(Rational::is_negative) {
                [true, false] => Some([Expr::term(one).neg(), Expr::term(other)]),
                [false, true] => Some([Expr::term(other).neg(), Expr::term(one)]),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Returns what is rounded, and true if it is rounded up; a value that is not rounded stays.
fn unrounded(value: &Expr) -> (Expr, Option<bool>) {
    if let Some(inner) = value.in_floor() {
        (inner, Some(false))
    } else if let Some(inner) = value.neg().in_floor() {
        (inner.neg(), Some(true))
    } else {
        (value.clone(), None)
    }
}

/// Returns the place where a positive quotient c·base^(α·v + β) passes 1, and true if it rises with v.
fn passes_one(facts: &Facts, quotient: &Expr, variable: &Symbol) -> Option<(Expr, bool)> {
    let quotient = facts.simplify(quotient);
    let term = quotient.as_term()?;
    for base in powers::power_bases(facts, &term.0) {
        let Some((exponent, factor, sources)) = powers::without_powers(facts, term, &base) else {
            continue;
        };
        let Some([offset, slope]) = exponent.linear_in(variable) else {
            continue;
        };
        let rises = facts.is_positive(&slope);
        let moves = rises || facts.is_positive(&slope.neg());
        if !moves || factor.contains(variable) || !facts.proves(&Cond::ge(&base, &Expr::int(2))) {
            continue;
        }
        // Logarithms of numbers from 1 on only.
        let one = Expr::one();
        let log = if factor.is_one() {
            Expr::zero()
        } else if facts.proves(&Cond::ge(&factor, &one)) {
            Expr::log(&base, &factor)
        } else {
            let inverse = factor.reciprocal();
            let is_large = facts.proves(&Cond::ge(&inverse, &one));
            is_large.then(|| Expr::log(&base, &inverse).neg())?
        };
        facts.mark_used(&sources);
        let at = (&offset + &log).neg().div(&slope)?;
        return Some((facts.simplify(&at), rises));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Σ d ∈ 0..m : body in closed form, held against adding up for all n and b of a grid.
    fn holds(body: impl Fn(&Expr, &Expr, &Expr) -> Expr) {
        let names = [(0, "n"), (1, "b"), (2, "m"), (3, "d")];
        let [n, b, m, d] = names.map(|(id, name)| Symbol::new(id, name));
        let [of_n, of_b, of_m, of_d] = [&n, &b, &m, &d].map(Expr::symbol);
        let mut facts = Facts::new();
        for (value, least) in [(&of_n, 1), (&of_b, 1), (&of_m, 0)] {
            facts.assume(&Cond::ge(value, &Expr::int(least)));
        }
        let body = body(&of_n, &of_b, &of_d);
        let sum = facts.sum(&d, &Expr::zero(), &of_m, &body);
        assert!(sum.is_closed(), "{sum}");
        for (of_n, of_b, of_m) in [(1, 1, 0), (7, 1, 5), (40, 3, 6), (64, 8, 2), (5, 9, 7)] {
            let at = |of_d: i64| {
                let values = [(&n, of_n), (&b, of_b), (&m, of_m), (&d, of_d)];
                move |symbol: &Symbol| {
                    let known = values.into_iter().find(|(known, _)| *known == symbol);
                    known.map(|(_, value)| Rational::from(value))
                }
            };
            let each = (0..=of_m).map(|of_d| body.evaluate(&at(of_d)).expect("it has a value"));
            let expected = each.fold(Rational::ZERO, |sum, value| &sum + &value);
            let found = sum.evaluate(&at(0)).expect("it has a value");
            assert_eq!(
                found, expected,
                "{sum} at n = {of_n}, b = {of_b}, m = {of_m}"
            );
        }
    }

    #[test]
    fn the_smaller_of_two_values_is_one_up_to_a_place_and_the_other_behind_it() {
        let two = Expr::int(2);
        let over = |x: &Expr, y: &Expr| x.div(y).expect("not 0");
        holds(|n, b, d| Expr::min(vec![over(n, b), over(n, &two.pow(d))]));
        holds(|_, b, d| Expr::min(vec![b.clone(), two.pow(d)]));
        holds(|_, b, d| Expr::max(vec![b.clone(), two.pow(d)]));
        holds(|n, b, d| n * Expr::bracket(Cond::lt(&two.pow(d), b)));
        holds(|n, b, d| n * Expr::bracket(Cond::ge(b, &two.pow(d))));
        // Ceilings are in the order of what is rounded.
        holds(|n, b, d| Expr::min(vec![b.ceil(), over(&(n * &two.pow(d)), n).ceil()]));
    }
}
