//! Which expressions are whole numbers under the facts.

use crate::number::Rational;
use crate::sym::expr::types::{Atom, Monomial, Term};
use crate::sym::facts::knowledge::{Facts, Source};
use crate::sym::prove::powers;
use crate::sym::{Cond, Expr, Symbol, SymbolKind};

/// A polynomial in more atoms, or of a higher degree, is not tried point by point.
const MOST_POINTS: usize = 200;
/// How many divisibility facts may be combined for one quotient.
const MOST_QUOTIENTS: u32 = 6;

/// [`Facts::is_integer`].
pub(crate) fn is_integer(facts: &Facts, expr: &Expr) -> bool {
    if facts.is_integer_by_terms(expr) {
        return true;
    }
    if facts.known().models.refute_whole(expr) {
        return false;
    }
    // Terms that are whole by themselves say nothing about the others.
    let open: Vec<_> = expr
        .terms()
        .iter()
        .filter(|term| !is_integer_term(facts, term))
        .cloned()
        .collect();
    let rest = Expr::from_terms(open);
    if is_whole_at_all_points(facts, &rest) {
        return true;
    }
    if is_digit_quotient(facts, &rest) {
        return true;
    }
    with_quotients(facts, &rest).is_some_and(|(rewritten, sources)| {
        let is_whole =
            facts.is_integer_by_terms(&rewritten) || is_whole_at_all_points(facts, &rewritten);
        if is_whole {
            facts.mark_used(&sources);
        }
        is_whole
    })
}

/// [`Facts::is_integer_by_terms`].
pub(crate) fn is_integer_by_terms(facts: &Facts, expr: &Expr) -> bool {
    expr.terms().iter().all(|term| is_integer_term(facts, term))
}

fn is_integer_term(facts: &Facts, (monomial, coefficient): &Term) -> bool {
    match coefficient.is_integer() {
        true => {
            is_integer_monomial(facts, monomial)
                || is_integer_quotient(facts, monomial, coefficient, MOST_QUOTIENTS)
                || is_over_power(monomial)
                    && powers::is_power_quotient(facts, monomial, coefficient)
        }
        false => is_integer_fraction(facts, monomial, coefficient),
    }
}

/// x/2^s, of which a number before it may make a whole: 8/2^s, 2b/2^s.
fn is_over_power(monomial: &Monomial) -> bool {
    let mut factors = monomial.factors().iter();
    !monomial.is_one()
        && factors.all(|(atom, exponent)| match atom {
            Atom::Power(base, _) => base.as_rational().is_some(),
            Atom::Symbol(_) => *exponent > 0,
            _ => false,
        })
}

/// A term with a fraction before it: 2^r/2 for r ≥ 1, n/(2b) and n/2 where 2b ∣ n.
pub(crate) fn is_integer_fraction(
    facts: &Facts,
    monomial: &Monomial,
    coefficient: &Rational,
) -> bool {
    powers::is_power_quotient(facts, monomial, coefficient)
        || is_integer_quotient(facts, monomial, coefficient, MOST_QUOTIENTS)
        || is_divided_by_less(facts, monomial, coefficient)
}

pub(crate) fn is_integer_monomial(facts: &Facts, monomial: &Monomial) -> bool {
    let is_plain = monomial
        .factors()
        .iter()
        .all(|(atom, exponent)| *exponent > 0 && facts.is_integer_atom(atom));
    is_plain
        || is_integer_quotient(facts, monomial, &Rational::ONE, MOST_QUOTIENTS)
        || powers::is_power_quotient(facts, monomial, &Rational::ONE)
        || is_divided_by_less(facts, monomial, &Rational::ONE)
}

/// [`Facts::is_integer_atom`].
pub(crate) fn is_integer_atom(facts: &Facts, atom: &Atom) -> bool {
    match atom {
        Atom::Symbol(symbol) => facts.is_whole_symbol(symbol),
        Atom::Floor(_)
        | Atom::Bracket(_)
        | Atom::Gcd(..)
        | Atom::DigitSum(..)
        | Atom::FloorSum(_) => true,
        Atom::Power(base, exponent) => {
            facts.is_integer(base)
                && facts.is_integer(exponent)
                && facts.proves(&Cond::non_negative(exponent))
        }
        Atom::Log(base, x) => {
            let fact = facts
                .known()
                .powers
                .iter()
                .find(|(px, py, _)| px == x && py == base);
            fact.is_some_and(|(_, _, source)| {
                facts.mark_used(&[*source]);
                true
            })
        }
        Atom::Min(items) | Atom::Max(items) => items.iter().all(|item| facts.is_integer(item)),
        Atom::Sum(sum) => facts.is_integer(&sum.body),
        Atom::Inverse(_) => false,
    }
}

/// A quotient made of known ones: n/b when b ∣ n, n/2 when 2b ∣ n, and 1024/b when b ∣ 1024.
fn is_integer_quotient(
    facts: &Facts,
    monomial: &Monomial,
    coefficient: &Rational,
    left: u32,
) -> bool {
    let wanted = monomial.factors().iter().find(|(_, e)| *e < 0);
    if wanted.is_none() && coefficient.is_integer() {
        let mut factors = monomial.factors().iter();
        return factors.all(|(atom, _)| facts.is_integer_atom(atom));
    }
    if left == 0 {
        return false;
    }
    facts.known().divides.iter().any(|(d, e, source)| {
        let (Some((d, dc)), Some((e, ec))) = (d.as_term(), e.as_term()) else {
            return false;
        };
        let helps = match wanted {
            Some((wanted, _)) => d.exponent(wanted) > 0,
            // Only the number is left to be divided, by no new divisor.
            None => {
                let above = |(atom, exponent): &(Atom, i32)| monomial.exponent(atom) >= *exponent;
                !dc.is_one() && e.factors().iter().all(above)
            }
        };
        if !helps {
            return false;
        }
        // The term is the known quotient e/d times what is left.
        let Some(times) = (coefficient * dc).checked_div(ec) else {
            return false;
        };
        let rest = Expr::monomial(Monomial::from_sorted(monomial.merged(d)));
        let rest = rest.mul(&Expr::monomial(e.clone()).reciprocal());
        let is_whole = rest.as_term().is_some_and(|(rest, _)| {
            // What divides 0 divides it 0 times, whatever stands above.
            !ec.is_zero() && is_integer_quotient(facts, rest, &times, left - 1)
        });
        if is_whole {
            facts.mark_used(&[*source]);
        }
        is_whole
    })
}

/// n/2^l where 2^L ∣ n and l ≤ L: the known quotient n/2^L times 2^(L - l).
fn is_divided_by_less(facts: &Facts, monomial: &Monomial, coefficient: &Rational) -> bool {
    let bases = powers::power_bases(facts, monomial);
    if bases.is_empty() {
        return false;
    }
    // Of 2^(L - l) it is asked whether the exponent is whole, which may have such a quotient in it again.
    let Some(within) = facts.within_proof() else {
        return false;
    };
    facts.known().divides.iter().any(|(d, e, source)| {
        let (Some(Atom::Power(base, _)), Some((e, ec))) = (d.as_atom(), e.as_term()) else {
            return false;
        };
        let above = |(atom, exponent): &(Atom, i32)| monomial.exponent(atom) >= *exponent;
        if ec.is_zero() || !bases.contains(base) || !e.factors().iter().all(above) {
            return false;
        }
        let rest = Expr::term(&(monomial.clone(), coefficient.clone()));
        let rest = rest.mul(d).div(&Expr::term(&(e.clone(), ec.clone())));
        let is_whole = rest.is_some_and(|rest| {
            rest.as_term().is_some_and(|(rest, number)| {
                let mut factors = rest.factors().iter();
                number.is_integer()
                    && factors.all(|(atom, exponent)| *exponent > 0 && within.is_integer_atom(atom))
            })
        });
        if is_whole {
            facts.mark_used(&[*source]);
        }
        is_whole
    })
}

/// The expression with n = u·d for every fact d ∣ n about a single name n.
fn with_quotients(facts: &Facts, expr: &Expr) -> Option<(Expr, Vec<Source>)> {
    let mut rewritten = expr.clone();
    let mut sources = Vec::new();
    for (index, (d, e, source)) in facts.known().divides.iter().enumerate() {
        let Some(symbol) = e.as_symbol() else {
            continue;
        };
        if d.contains(symbol) || !rewritten.contains(symbol) {
            continue;
        }
        let quotient = Symbol::of(SymbolKind::Quotient, index as u32, "u");
        rewritten = rewritten.substitute(symbol, &Expr::symbol(&quotient).mul(d));
        sources.push(*source);
    }
    (!sources.is_empty()).then_some((rewritten, sources))
}

/// A polynomial over whole atoms is whole everywhere when it is at the points of a simplex as
/// large as its degree: those determine its coefficients in the binomial basis.
fn is_whole_at_all_points(facts: &Facts, expr: &Expr) -> bool {
    let atoms: Vec<Atom> = expr.atoms().into_iter().collect();
    let mut degree = 0;
    for (monomial, _) in expr.terms() {
        if monomial.factors().iter().any(|(_, e)| *e < 0) {
            return false;
        }
        degree = degree.max(monomial.degree());
    }
    // A binomial coefficient: the product up to k is k! times a whole number.
    let points = (1..=atoms.len()).try_fold(1usize, |points, k| {
        let next = usize::try_from(degree).ok()?.checked_add(k)?;
        Some(points.checked_mul(next)? / k).filter(|points| *points <= MOST_POINTS)
    });
    if atoms.is_empty() {
        return expr.as_rational().is_some_and(|value| value.is_integer());
    }
    if points.is_none() || !atoms.iter().all(|atom| facts.is_integer_atom(atom)) {
        return false;
    }
    let mut point = vec![0i64; atoms.len()];
    loop {
        if !value_at(expr, &atoms, &point).is_integer() {
            return false;
        }
        // The next point with coordinates ≥ 0 whose sum is at most the degree.
        let mut at = 0;
        loop {
            if at == point.len() {
                return true;
            }
            point[at] += 1;
            if point.iter().sum::<i64>() <= degree {
                break;
            }
            point[at] = 0;
            at += 1;
        }
    }
}

/// (x − digit_sum(x, b))/(b − 1), whole by casting out (b − 1)s.
fn is_digit_quotient(facts: &Facts, expr: &Expr) -> bool {
    let mut digits = None;
    expr.for_each_atom(&mut |atom| {
        if let Atom::DigitSum(x, base) = atom {
            digits = Some((x.clone(), base.clone()));
        }
    });
    let Some((x, base)) = digits else {
        return false;
    };
    let Some(quotient) = x
        .sub(&Expr::digit_sum(&x, &base))
        .div(&base.sub(&Expr::one()))
    else {
        return false;
    };
    let pairs = [expr.sub(&quotient), expr.add(&quotient)];
    pairs.iter().any(|rest| facts.is_integer_by_terms(rest))
}

fn value_at(expr: &Expr, atoms: &[Atom], point: &[i64]) -> Rational {
    let mut sum = Rational::ZERO;
    for (monomial, coefficient) in expr.terms() {
        let mut product = coefficient.clone();
        for (atom, value) in atoms.iter().zip(point) {
            let power = Rational::from(*value).pow(monomial.exponent(atom));
            product = &product * &power.unwrap_or(Rational::ZERO);
        }
        sum += &product;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_whole_by_what_divides_their_numerator() {
        let var = |id, name: &str| Expr::symbol(&Symbol::new(id, name));
        let [n, m, b] = [(0, "n"), (1, "m"), (2, "b")].map(|(id, name)| var(id, name));
        let over = |x: &Expr, y: i64| x.scale(&Rational::new(1, y).expect("not 0"));
        let mut facts = Facts::new();
        for cond in [
            Cond::ge(&b, &Expr::one()),
            Cond::ge(&n, &Expr::one()),
            Cond::divides(&b.scale(&Rational::from(6)), &n),
            Cond::divides(&Expr::int(4), &m),
        ] {
            facts.assume(&cond);
        }
        let per_block = n.div(&b).expect("not 0");
        for whole in [
            over(&n, 2),
            over(&n, 6),
            over(&per_block, 3),
            over(&m, 4),
            over(&n.mul(&m), 24),
        ] {
            assert!(facts.is_integer(&whole), "{whole}");
        }
        for open in [over(&n, 4), over(&per_block, 4), over(&b, 2), over(&m, 8)] {
            assert!(!facts.is_integer(&open), "{open}");
        }
        // n/2^l with 2^k ∣ n and l ≤ k.
        let [k, l] = [(3, "k"), (4, "l")].map(|(id, name)| var(id, name));
        let power = |exponent: &Expr| Expr::int(2).pow(exponent);
        let per_level = n.div(&power(&l)).expect("not 0");
        assert!(!facts.is_integer(&per_level));
        let mut levels = facts.clone();
        for cond in [
            Cond::non_negative(&k),
            Cond::non_negative(&l),
            Cond::le(&l, &k),
            Cond::divides(&power(&k), &n),
        ] {
            levels.assume(&cond);
        }
        assert!(levels.is_integer(&per_level));
        assert!(levels.proves(&Cond::ge(&power(&k), &power(&l))), "powers");
        assert!(levels.proves(&Cond::ge(&n, &power(&k))), "divisor");
        assert!(levels.proves(&Cond::ge(&n, &power(&l))), "both");
        assert!(!levels.is_integer(&n.div(&power(&l.add(&Expr::one()))).expect("not 0")));
        // ⌊(n − 2)/(2b)⌋ with 1 ≤ b
        let two_fewer = over(&n.sub(&Expr::int(2)).div(&b).expect("not 0"), 2);
        let expected = over(&per_block, 2).sub(&Expr::one());
        assert_eq!(facts.simplify_floor(&two_fewer), expected);
    }
}
