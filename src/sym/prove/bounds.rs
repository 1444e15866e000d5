//! What is known of an atom by what it is: its sign, and the inequalities it satisfies, as
//! polynomials ≥ 0; and the clearing of positive denominators, which turns every inequality into
//! one about polynomials.

use crate::number::Rational;
use crate::sym::expr::types::{Atom, Monomial};
use crate::sym::facts::knowledge::{Facts, Source};
use crate::sym::prove::powers;
use crate::sym::{Cond, Expr};
use rustc_hash::FxHashMap;

/// The greatest number known to be a lower bound, for every symbol that has one.
pub(crate) fn least_values(facts: &Facts) -> FxHashMap<Atom, (Rational, Source)> {
    let mut least: FxHashMap<Atom, (Rational, Source)> = FxHashMap::default();
    for bound in &facts.known().bounds {
        let (constant, (monomial, coefficient)) = match bound.value.terms() {
            [term] => (Rational::ZERO, term),
            [(one, constant), term] if one.is_one() => (constant.clone(), term),
            _ => continue,
        };
        let [(atom @ Atom::Symbol(_), 1)] = monomial.factors() else {
            continue;
        };
        if coefficient.is_negative() {
            continue;
        }
        let Some(value) = (-constant).checked_div(coefficient) else {
            continue;
        };
        match least.get(atom) {
            Some((known, _)) if *known >= value => {}
            _ => {
                least.insert(atom.clone(), (value, bound.source));
            }
        }
    }
    least
}

/// [`Facts::cleared`].
pub(crate) fn cleared(facts: &Facts, value: &Expr) -> Option<Expr> {
    Some(cleared_with(facts, value)?.0)
}

/// The cleared expression and the positive factor it was multiplied by.
pub(crate) fn cleared_with(facts: &Facts, value: &Expr) -> Option<(Expr, Expr)> {
    const MOST_ROUNDS: u32 = 6;
    let mut value = value.clone();
    let mut factor = Expr::one();
    for _ in 0..MOST_ROUNDS {
        let Some(denominator) = denominator_of(&value) else {
            return Some((value, factor));
        };
        match denominator {
            Denominator::Monomial(monomial) => {
                let is_positive = monomial.factors().iter().all(|(atom, exponent)| {
                    exponent % 2 == 0 && is_nonzero_atom(facts, atom)
                        || is_positive_atom(facts, atom)
                });
                if !is_positive {
                    return None;
                }
                let monomial = Expr::monomial(monomial);
                value = value.mul(&monomial);
                factor = factor.mul(&monomial);
            }
            Denominator::Inverse(polynomial, highest) => {
                let sign = match highest % 2 {
                    0 => 1,
                    _ if facts.is_positive(&polynomial) => 1,
                    _ if facts.is_positive(&polynomial.neg()) => -1,
                    _ => return None,
                };
                let signed = polynomial
                    .integer_power(highest)
                    .scale(&Rational::from(sign));
                value = multiply_out(&value, &polynomial, highest).scale(&sign.into());
                factor = factor.mul(&signed);
            }
        }
    }
    None
}

/// A value as a numerator without fractions over a positive denominator; whether both are whole is another question.
pub(crate) fn fraction(facts: &Facts, value: &Expr) -> Option<(Expr, Expr)> {
    let (numerator, denominator) = cleared_with(facts, value)?;
    let scale = Rational::from(numerator.content().denominator());
    Some((numerator.scale(&scale), denominator.scale(&scale)))
}

/// A [`fraction`] of whole numbers.
pub(crate) fn whole_fraction(facts: &Facts, value: &Expr) -> Option<(Expr, Expr)> {
    fraction(facts, value).filter(|(numerator, denominator)| {
        facts.is_integer(numerator) && facts.is_integer(denominator)
    })
}

/// Whether nothing that the value divides by can be 0, as far as it is looked at: not within
/// unsolved sums.
pub(crate) fn always_has_value(facts: &Facts, value: &Expr) -> bool {
    let mut factors = value.terms().iter().flat_map(|(m, _)| m.factors());
    factors.all(|(atom, exponent)| {
        let is_divisor_safe = match atom {
            Atom::Inverse(x) => facts.is_positive(x) || facts.is_positive(&x.neg()),
            _ => *exponent > 0 || is_nonzero_atom(facts, atom),
        };
        let mut is_safe = is_divisor_safe;
        if !matches!(atom, Atom::Sum(_)) {
            atom.for_each_child(&mut |child| is_safe = is_safe && always_has_value(facts, child));
        }
        is_safe
    })
}

/// Whether the atom is provably not 0.
pub(crate) fn is_nonzero_atom(facts: &Facts, atom: &Atom) -> bool {
    let value = Expr::atom(atom.clone());
    is_positive_atom(facts, atom) || facts.is_positive(&value.neg())
}

/// Whether the atom is provably > 0.
fn is_positive_atom(facts: &Facts, atom: &Atom) -> bool {
    match atom {
        Atom::Symbol(symbol) if !facts.is_whole_symbol(symbol) => true,
        Atom::Power(base, _) => facts.is_positive(base),
        Atom::Inverse(x) => facts.is_positive(x),
        _ => facts.proves(&Cond::non_negative(
            &Expr::atom(atom.clone()).sub(&Expr::one()),
        )),
    }
}

/// Whether the atom is provably ≥ 0, from what it is.
pub(crate) fn is_non_negative_atom(facts: &Facts, atom: &Atom) -> bool {
    match atom {
        Atom::Symbol(_) => facts.proves(&Cond::non_negative(&Expr::atom(atom.clone()))),
        Atom::Floor(x) => facts.proves(&Cond::non_negative(x)),
        Atom::Power(base, _) => facts.proves(&Cond::non_negative(base)),
        Atom::Log(base, x) => {
            facts.proves(&Cond::ge(x, &Expr::one())) && facts.proves(&Cond::ge(base, &Expr::int(2)))
        }
        Atom::Min(items) => items.iter().all(|x| facts.proves(&Cond::non_negative(x))),
        Atom::Max(items) => items.iter().any(|x| facts.proves(&Cond::non_negative(x))),
        Atom::Bracket(_) | Atom::Gcd(..) | Atom::DigitSum(..) => true,
        Atom::FloorSum(parts) => {
            let [_, a, c, m] = &**parts;
            [a, c].iter().all(|x| facts.proves(&Cond::non_negative(x)))
                && facts.proves(&Cond::ge(m, &Expr::one()))
        }
        Atom::Inverse(x) => facts.is_positive(x),
        Atom::Sum(sum) => {
            let (_, body, inside) = facts.opened(sum);
            inside.proves(&Cond::non_negative(&body))
        }
    }
}

/// Polynomials ≥ 0 that hold for an atom because of what it is.
pub(crate) fn bounds_of_atom(facts: &Facts, atom: &Atom) -> Vec<Expr> {
    let value = Expr::atom(atom.clone());
    let mut bounds = Vec::new();
    match atom {
        Atom::Symbol(_) | Atom::Inverse(_) | Atom::Sum(_) | Atom::FloorSum(_) => {}
        Atom::Floor(x) => push_bounds_of_floor(facts, &value, x, &mut bounds),
        Atom::Power(base, exponent) => {
            if facts.proves(&Cond::ge(base, &Expr::one())) {
                if facts.proves(&Cond::non_negative(exponent)) {
                    bounds.push(value.sub(&Expr::one()));
                }
                push_bounds_of_power(facts, &value, base, exponent, &mut bounds);
            }
        }
        Atom::Log(base, x) => {
            if facts.proves(&Cond::ge(base, &Expr::int(2))) {
                if facts.proves(&Cond::ge(x, base)) {
                    bounds.push(value.sub(&Expr::one()));
                }
                if facts.proves(&Cond::le(x, base)) {
                    bounds.push(Expr::one().sub(&value));
                }
                bounds.extend(powers::bounds_of_log(facts, &value, base, x));
                // log_b x ≤ x − 1 and log_b x ≤ log_2 x, for x ≥ 1 and b ≥ 2.
                if facts.proves(&Cond::ge(x, &Expr::one())) && facts.is_integer(x) {
                    bounds.push(x.sub(&Expr::one()).sub(&value));
                    if base.as_rational().is_none() {
                        bounds.push(Expr::log(&Expr::int(2), x).sub(&value));
                    }
                }
            }
        }
        Atom::Min(items) => bounds.extend(items.iter().map(|item| item.sub(&value))),
        Atom::Max(items) => bounds.extend(items.iter().map(|item| value.sub(item))),
        Atom::Bracket(_) => bounds.push(Expr::one().sub(&value)),
        Atom::Gcd(x, y) => {
            for part in [x, y] {
                if facts.proves(&Cond::ge(part, &Expr::one())) {
                    bounds.push(value.sub(&Expr::one()));
                    bounds.push(part.sub(&value));
                }
            }
        }
        Atom::DigitSum(x, _) => {
            if facts.proves(&Cond::non_negative(x)) {
                bounds.push(x.sub(&value));
            }
            if facts.proves(&Cond::ge(x, &Expr::one())) {
                bounds.push(value.sub(&Expr::one()));
            }
        }
    }
    bounds
        .into_iter()
        .filter_map(|bound| facts.cleared(&bound))
        .collect()
}

/// x − 1 < ⌊x⌋ ≤ x, sharper where x has a whole numerator and denominator; and the sign.
fn push_bounds_of_floor(facts: &Facts, floor: &Expr, x: &Expr, bounds: &mut Vec<Expr>) {
    if let Some((numerator, denominator)) = fraction(facts, x) {
        let over = denominator.mul(floor);
        let is_whole = facts.is_integer(&numerator) && facts.is_integer(&denominator);
        // ⌈n/(2b)⌉ is at most n/(2b) + 1 - 1/b where n is even, not only that less half of it.
        let parts = denominator.content();
        let is_in_parts =
            || facts.is_integer(&numerator.scale(&parts.recip().unwrap_or(Rational::ONE)));
        let slack = match is_whole {
            true if parts > Rational::ONE && parts.is_integer() && is_in_parts() => {
                Expr::rational(parts)
            }
            true => Expr::one(),
            false => Expr::zero(),
        };
        bounds.push(numerator.sub(&over));
        bounds.push(over.sub(&numerator).add(&denominator).sub(&slack));
        // ⌈n/b^r⌉ ≤ n: where nothing says how large a power is, it is at least 1.
        if is_whole && has_power(&denominator) && facts.is_non_negative(&numerator.neg()) {
            bounds.push(floor.sub(&numerator));
        }
    }
    if facts.proves(&Cond::ge(x, &Expr::one())) {
        bounds.push(floor.sub(&Expr::one()));
    } else if facts.is_positive(&x.neg()) {
        bounds.push(floor.neg().sub(&Expr::one()));
    } else if facts.is_non_negative(&x.neg()) {
        bounds.push(floor.neg());
    }
}

fn has_power(value: &Expr) -> bool {
    let mut found = false;
    value.for_each_atom(&mut |atom| found |= matches!(atom, Atom::Power(..)));
    found
}

/// b^e ≥ x when e ≥ log_b x, and b^e ≤ b(x - 1) when 1 ≤ e ≤ ⌈log_b x⌉: for exponents that mention such a logarithm.
fn push_bounds_of_power(
    facts: &Facts,
    power: &Expr,
    base: &Expr,
    exponent: &Expr,
    bounds: &mut Vec<Expr>,
) {
    bounds.extend(powers::bounds_of_power(facts, power, base, exponent));
    if facts.proves(&Cond::ge(exponent, &Expr::one())) {
        bounds.push(power.sub(base));
    }
    let mut logs: Vec<(Expr, Expr)> = Vec::new();
    collect_logs(exponent, base, &mut logs);
    for bound in &facts.known().bounds {
        if bound.value.terms().len() <= 3 {
            collect_logs(&bound.value, base, &mut logs);
        }
    }
    for (log, x) in logs {
        if facts.proves(&Cond::ge(exponent, &log)) {
            bounds.push(power.sub(&x));
        } else if facts.proves(&Cond::le(exponent, &log)) {
            bounds.push(x.sub(power));
        } else if facts.is_integer(&x)
            && facts.is_integer(exponent)
            && facts.is_integer(base)
            && facts.proves(&Cond::ge(exponent, &Expr::one()))
            && facts.proves(&Cond::le(exponent, &log.ceil()))
        {
            // A whole x above b^(e − 1) is one more at least.
            bounds.push(x.sub(&Expr::one()).mul(base).sub(power));
        }
    }
}

/// The logarithms to a base inside, with their arguments.
fn collect_logs(value: &Expr, base: &Expr, logs: &mut Vec<(Expr, Expr)>) {
    value.for_each_atom(&mut |atom| match atom {
        Atom::Log(b, x) if b == base => {
            let log = Expr::atom(atom.clone());
            if !logs.iter().any(|(known, _)| *known == log) {
                logs.push((log, x.clone()));
            }
        }
        Atom::Floor(inner) => collect_logs(inner, base, logs),
        _ => {}
    });
}

enum Denominator {
    Monomial(Monomial),
    Inverse(Expr, i32),
}

/// What to multiply by first: an inverse's polynomial, a power with a negative exponent, or the
/// atoms with negative exponents.
fn denominator_of(value: &Expr) -> Option<Denominator> {
    let mut least: Vec<(Atom, i32)> = Vec::new();
    for atom in value.atoms() {
        let exponents = value.terms().iter().map(|(m, _)| m.exponent(&atom));
        if let Atom::Inverse(polynomial) = &atom {
            let highest = exponents.max().unwrap_or(0);
            return Some(Denominator::Inverse(polynomial.clone(), highest));
        }
        if let Atom::Power(base, exponent) = &atom
            && exponent
                .terms()
                .last()
                .is_some_and(|(_, c)| c.is_negative())
        {
            let opposite = base.pow(&exponent.neg());
            if let Some((monomial, _)) = opposite.as_term() {
                return Some(Denominator::Monomial(monomial.clone()));
            }
        }
        let lowest = exponents.min().unwrap_or(0);
        if lowest < 0 {
            least.push((atom, -lowest));
        }
    }
    (!least.is_empty()).then(|| Denominator::Monomial(Monomial::from_sorted(least)))
}

/// value · P^highest, cancelling the inverses of P term by term.
fn multiply_out(value: &Expr, polynomial: &Expr, highest: i32) -> Expr {
    let atom = Atom::Inverse(polynomial.clone());
    let mut sum = Expr::zero();
    for (monomial, coefficient) in value.terms() {
        let left = highest - monomial.exponent(&atom);
        let numerator = Expr::monomial(monomial.without(&atom)).scale(coefficient);
        sum = sum.add(&numerator.mul(&polynomial.integer_power(left)));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sym::Symbol;

    #[test]
    fn quotients_of_even_numbers_by_even_ones_are_bounded_by_halves() {
        let [n, b, m] =
            [(0, "n"), (1, "b"), (2, "m")].map(|(id, name)| Expr::symbol(&Symbol::new(id, name)));
        let mut facts = Facts::new();
        for size in [&n, &b, &m] {
            facts.assume(&Cond::ge(size, &Expr::one()));
        }
        let (two, width) = (Expr::int(2), b.scale(&2.into()));
        // 2b⌈x/(2b)⌉ ≤ x + 2b - 2
        let holds = |facts: &Facts, x: &Expr| {
            let blocks = x.div(&width).expect("not by 0").ceil();
            let most = x.add(&width).sub(&two);
            facts.proves(&Cond::le(&width.mul(&blocks), &most))
        };
        assert!(!holds(&facts, &n));
        assert!(holds(&facts, &n.scale(&2.into())));
        assert!(holds(&facts, &two.pow(&m)));
        facts.assume(&Cond::divides(&two, &n));
        assert!(holds(&facts, &n));
    }
}
