//! The sign of an atom and the inequalities that its definition implies, as polynomials ≥ 0. Also
//! clears positive denominators, which turns every inequality into one about polynomials.

use crate::number::Rational;
use crate::sym::expr::types::{Atom, Monomial};
use crate::sym::facts::knowledge::{Facts, Source};
use crate::sym::prove::divisors;
use crate::sym::prove::powers;
use crate::sym::{Cond, Expr};
use rustc_hash::FxHashMap;

/// Returns the greatest known number below each symbol that has a numeric lower bound.
pub(crate) fn least_values(facts: &Facts) -> FxHashMap<Atom, (Rational, Source)> {
    // Only bounds c·s + k ≥ 0 in one symbol count: 2n − 3 ≥ 0 gives 3/2. Bounds between symbols
    // stay bounds of the search; a number can be substituted once and for all.
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

/// Returns the cleared expression and the positive factor that it was multiplied by.
pub(crate) fn cleared_with(facts: &Facts, value: &Expr) -> Option<(Expr, Expr)> {
    // A product with a positive factor keeps the sign: n/b − 1 ≥ 0 for b ≥ 1 becomes n − b ≥ 0
    // with the factor b. Each round removes one kind of denominator. The limit stops expressions
    // in which clearing one denominator brings in another. An even power of a denominator is
    // positive without a proof; an odd one needs its sign, and a negative sign turns the
    // expression round.
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
                value = &value * &monomial;
                factor = &factor * &monomial;
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
                factor = &factor * &signed;
            }
        }
    }
    None
}

/// Writes a value as a numerator without fractions over a positive denominator. Neither needs to
/// be whole.
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

/// Returns true if no divisor in the value can be 0. Does not look into unsolved sums.
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

/// Returns true if the atom is provably > 0.
pub(super) fn is_positive_atom(facts: &Facts, atom: &Atom) -> bool {
    match atom {
        Atom::Symbol(symbol) if !facts.is_whole_symbol(symbol) => true,
        Atom::Power(base, _) => facts.is_positive(base),
        Atom::Inverse(x) => facts.is_positive(x),
        _ => facts.proves(&Cond::non_negative(&(Expr::atom(atom.clone()) - 1))),
    }
}

/// Returns true if the atom is provably ≥ 0 by its definition.
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

/// Returns polynomials ≥ 0 that follow from the definition of an atom.
pub(crate) fn bounds_of_atom(facts: &Facts, atom: &Atom) -> Vec<Expr> {
    // One list per kind of atom. Each bound is guarded by the weakest condition that makes it
    // true, for a bound without its guard would be unsound: b^e ≥ 1 needs b ≥ 1 and e ≥ 0. All of
    // them enter every search that meets the atom, so only bounds that proofs have needed stand
    // here.
    let value = Expr::atom(atom.clone());
    let mut bounds = Vec::new();
    match atom {
        Atom::Symbol(_) | Atom::Inverse(_) | Atom::Sum(_) | Atom::FloorSum(_) => {}
        Atom::Floor(x) => push_bounds_of_floor(facts, &value, x, &mut bounds),
        Atom::Power(base, exponent) => {
            if facts.proves(&Cond::ge(base, &Expr::one())) {
                if facts.proves(&Cond::non_negative(exponent)) {
                    bounds.push(&value - 1);
                }
                push_bounds_of_power(facts, &value, base, exponent, &mut bounds);
            }
        }
        Atom::Log(base, x) => {
            if facts.proves(&Cond::ge(base, &Expr::int(2))) {
                if facts.proves(&Cond::ge(x, base)) {
                    bounds.push(&value - 1);
                }
                if facts.proves(&Cond::le(x, base)) {
                    bounds.push(Expr::one() - &value);
                }
                bounds.extend(powers::bounds_of_log(facts, &value, base, x));
                // log_b x ≤ x − 1 and log_b x ≤ log_2 x, for x ≥ 1 and b ≥ 2.
                if facts.proves(&Cond::ge(x, &Expr::one())) && facts.is_integer(x) {
                    bounds.push(x - 1 - &value);
                    if base.as_rational().is_none() {
                        bounds.push(Expr::log(&Expr::int(2), x) - &value);
                    }
                }
            }
        }
        Atom::Min(items) => bounds.extend(items.iter().map(|item| item - &value)),
        Atom::Max(items) => bounds.extend(items.iter().map(|item| &value - item)),
        Atom::Bracket(_) => bounds.push(Expr::one() - &value),
        Atom::Gcd(x, y) => {
            for part in [x, y] {
                if facts.proves(&Cond::ge(part, &Expr::one())) {
                    bounds.push(&value - 1);
                    bounds.push(part - &value);
                }
            }
        }
        Atom::DigitSum(x, _) => {
            if facts.proves(&Cond::non_negative(x)) {
                bounds.push(x - &value);
            }
            if facts.proves(&Cond::ge(x, &Expr::one())) {
                bounds.push(&value - 1);
            }
        }
    }
    bounds
        .into_iter()
        .filter_map(|bound| facts.cleared(&bound))
        .collect()
}

/// Adds x − 1 < ⌊x⌋ ≤ x, sharper if x has a whole numerator and denominator, and the sign.
fn push_bounds_of_floor(facts: &Facts, floor: &Expr, x: &Expr, bounds: &mut Vec<Expr>) {
    // For whole p and q > 0, the remainder p − q⌊p/q⌋ is at most q − 1: for p = 10, q = 4 it is
    // 2. So q⌊p/q⌋ − p + q − 1 ≥ 0, where a real x only gives q⌊x⌋ − p + q ≥ 0.
    if let Some((numerator, denominator)) = fraction(facts, x) {
        let over = &denominator * floor;
        let is_whole = facts.is_integer(&numerator) && facts.is_integer(&denominator);
        // If 2 divides both p and q, the remainder is even as well, so it is at most q − 2. Hence
        // ⌈n/(2b)⌉ ≤ n/(2b) + 1 − 1/b for an even n, instead of 1 − 1/(2b).
        let slack = if is_whole {
            divisors::common_part(facts, &numerator, &denominator)
        } else {
            Expr::zero()
        };
        bounds.push(&numerator - &over);
        bounds.push(&over - &numerator + &denominator - &slack);
        // ⌈n/b^r⌉ ≤ n: if no bound says how large a power is, it is at least 1.
        if is_whole && has_power(&denominator) && facts.is_non_negative(&numerator.neg()) {
            bounds.push(floor - &numerator);
        }
    }
    if facts.proves(&Cond::ge(x, &Expr::one())) {
        bounds.push(floor - 1);
    } else if facts.is_positive(&x.neg()) {
        bounds.push(floor.neg() - 1);
    } else if facts.is_non_negative(&x.neg()) {
        bounds.push(floor.neg());
    }
}

fn has_power(value: &Expr) -> bool {
    let mut found = false;
    value.for_each_atom(&mut |atom| found |= matches!(atom, Atom::Power(..)));
    found
}

/// Adds b^e ≥ x if e ≥ log_b x, and b^e ≤ b(x − 1) if 1 ≤ e ≤ ⌈log_b x⌉. The logarithms come from
/// the exponent and from short bounds.
fn push_bounds_of_power(
    facts: &Facts,
    power: &Expr,
    base: &Expr,
    exponent: &Expr,
    bounds: &mut Vec<Expr>,
) {
    bounds.extend(powers::bounds_of_power(facts, power, base, exponent));
    if facts.proves(&Cond::ge(exponent, &Expr::one())) {
        bounds.push(power - base);
    }
    let mut logs: Vec<(Expr, Expr)> = Vec::new();
    collect_logs(exponent, base, &mut logs);
    for bound in &facts.known().bounds {
        // A loop "r ≤ ⌈log2 n⌉ − 1" bounds the exponent in a fact, not in the power: look there
        // too. Longer bounds rarely relate one exponent to one logarithm.
        if bound.value.terms().len() <= 3 {
            collect_logs(&bound.value, base, &mut logs);
        }
    }
    for (log, x) in logs {
        if facts.proves(&Cond::ge(exponent, &log)) {
            bounds.push(power - &x);
        } else if facts.proves(&Cond::le(exponent, &log)) {
            bounds.push(&x - power);
        } else if facts.is_integer(&x)
            && facts.is_integer(exponent)
            && facts.is_integer(base)
            && facts.proves(&Cond::ge(exponent, &Expr::one()))
            && facts.proves(&Cond::le(exponent, &log.ceil()))
        {
            // e − 1 < log_b x gives b^(e − 1) < x, hence ≤ x − 1 for whole numbers. Times b: for
            // b = 2, x = 9, e = 4 it says 16 ≤ 2 · 8.
            bounds.push((&x - 1) * base - power);
        }
    }
}

/// Collects the logarithms to a base in a value, also below floors, with their arguments.
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

/// Returns the denominator to clear first: the polynomial of an inverse, a power with a negative
/// exponent, or the atoms with negative exponents.
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

/// Returns value · P^highest, cancelling the inverses of P term by term.
fn multiply_out(value: &Expr, polynomial: &Expr, highest: i32) -> Expr {
    let atom = Atom::Inverse(polynomial.clone());
    let mut sum = Expr::zero();
    for (monomial, coefficient) in value.terms() {
        let left = highest - monomial.exponent(&atom);
        let numerator = Expr::monomial(monomial.without(&atom)).scale(coefficient);
        sum = &sum + (&numerator * polynomial.integer_power(left));
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
            let most = x + &width - &two;
            facts.proves(&Cond::le(&(&width * &blocks), &most))
        };
        assert!(!holds(&facts, &n));
        assert!(holds(&facts, &n.scale(&2.into())));
        assert!(holds(&facts, &two.pow(&m)));
        facts.assume(&Cond::divides(&two, &n));
        assert!(holds(&facts, &n));
    }
}
