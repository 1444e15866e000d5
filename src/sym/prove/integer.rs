//! Decides which expressions are whole numbers under the facts.

use crate::number::Rational;
use crate::sym::expr::types::{Atom, Monomial, Term};
use crate::sym::facts::knowledge::{Facts, Source};
use crate::sym::prove::powers;
use crate::sym::{Cond, Expr, Symbol, SymbolKind};

/// The most points at which a polynomial is tried. It bounds the atoms and the degree together:
/// degree d in k atoms takes (d + k choose k) points, so 200 allow degree 5 in 4 atoms (126).
const MOST_POINTS: usize = 200;
/// The most divisibility facts that are combined for one quotient. Each further one multiplies a
/// failing attempt by the number of known facts.
const MOST_QUOTIENTS: u32 = 6;

/// [`Facts::is_integer`].
pub(crate) fn is_integer(facts: &Facts, expr: &Expr) -> bool {
    // Cheap tests first. Terms that are whole alone are dropped, since only the rest is in
    // question: m + n(n + 1)/2 leaves n²/2 + n/2, which no term decides and the points do. The
    // last attempt writes n as u·d for each d ∣ n: with 2 ∣ n, n²/4 becomes u².
    if facts.is_integer_by_terms(expr) {
        return true;
    }
    if facts.known().models.refute_whole(expr) {
        return false;
    }
    // A term that is whole by itself says nothing about the others.
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
    if coefficient.is_integer() {
        is_integer_monomial(facts, monomial)
            || is_integer_quotient(facts, monomial, coefficient, MOST_QUOTIENTS)
            || is_over_power(monomial) && powers::is_power_quotient(facts, monomial, coefficient)
    } else {
        is_integer_fraction(facts, monomial, coefficient)
    }
}

/// Returns true for x/2^s, which a number before it may make whole: 8/2^s, 2b/2^s.
fn is_over_power(monomial: &Monomial) -> bool {
    let mut factors = monomial.factors().iter();
    !monomial.is_one()
        && factors.all(|(atom, exponent)| match atom {
            Atom::Power(base, _) => base.as_rational().is_some(),
            Atom::Symbol(_) => *exponent > 0,
            _ => false,
        })
}

/// Decides a term with a fraction before it: 2^r/2 for r ≥ 1, n/(2b) and n/2 if 2b ∣ n.
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

/// Decides a quotient made of known ones: n/b if b ∣ n, n/2 if 2b ∣ n, and 1024/b if b ∣ 1024.
fn is_integer_quotient(
    facts: &Facts,
    monomial: &Monomial,
    coefficient: &Rational,
    left: u32,
) -> bool {
    // Each fact d ∣ e lets one write the term as (e/d) · rest, with e/d whole. If the rest is
    // whole too, so is the term. Example: n/2 under 2b ∣ n. The term is (n/(2b)) · b, and b is
    // whole. The step is tried only if it removes the wanted divisor, so the recursion makes
    // progress.
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
            // Only the number is left to be divided. The fact must contain a number, and
            // everything above its line must already stand in the term, or the rest gains a
            // divisor.
            None => {
                let above = |(atom, exponent): &(Atom, i32)| monomial.exponent(atom) >= *exponent;
                !dc.is_one() && e.factors().iter().all(above)
            }
        };
        if !helps {
            return false;
        }
        // term = (e/d) · rest, so rest = term · d/e, for the numbers as for the factors.
        let Some(times) = (coefficient * dc).checked_div(ec) else {
            return false;
        };
        let rest = Expr::monomial(Monomial::from_sorted(monomial.merged(d)));
        let rest = &rest * Expr::monomial(e.clone()).reciprocal();
        let is_whole = rest.as_term().is_some_and(|(rest, _)| {
            // Under d ∣ 0 the known quotient is 0, and no rest makes the term from it.
            !ec.is_zero() && is_integer_quotient(facts, rest, &times, left - 1)
        });
        if is_whole {
            facts.mark_used(&[*source]);
        }
        is_whole
    })
}

/// Decides n/2^l if 2^L ∣ n and l ≤ L: it is the known quotient n/2^L times 2^(L − l).
fn is_divided_by_less(facts: &Facts, monomial: &Monomial, coefficient: &Rational) -> bool {
    let bases = powers::power_bases(facts, monomial);
    if bases.is_empty() {
        return false;
    }
    // The power 2^(L − l) asks if its exponent is whole, and the exponent may have such a
    // quotient in it again. The limit on nested proofs ends this.
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
        let rest = (&rest * d).div(&Expr::term(&(e.clone(), ec.clone())));
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

/// Rewrites the expression with n = u·d for every fact d ∣ n about a single name n.
fn with_quotients(facts: &Facts, expr: &Expr) -> Option<(Expr, Vec<Source>)> {
    // u gets the index of its fact as its number, so two facts never share a quotient. A fact n ∣
    // n² or 2n ∣ n would bring n back, hence the test that d is free of it.
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
        rewritten = rewritten.substitute(symbol, &(Expr::symbol(&quotient) * d));
        sources.push(*source);
    }
    (!sources.is_empty()).then_some((rewritten, sources))
}

/// Returns true if a polynomial over whole atoms is whole at all points of a simplex as large as
/// its degree. Then it is whole everywhere: those values determine its coefficients in the
/// binomial basis.
fn is_whole_at_all_points(facts: &Facts, expr: &Expr) -> bool {
    // Example: n(n + 1)/2 has degree 2, so n = 0, 1, 2 suffice. The values 0, 1, 3 are whole. n(n
    // + 1)/4 fails at n = 1 with 1/2. In two atoms of degree 2 the points are (0,0), (1,0),
    // (2,0), (0,1), (1,1), (0,2). The signs of the atoms do not matter: whole values there give
    // whole binomial coefficients, which are whole at negative arguments as well.
    let atoms: Vec<Atom> = expr.atoms().into_iter().collect();
    let mut degree = 0;
    for (monomial, _) in expr.terms() {
        if monomial.factors().iter().any(|(_, e)| *e < 0) {
            return false;
        }
        degree = degree.max(monomial.degree());
    }
    // The number of points, as a binomial coefficient. Dividing at each step is exact, since a
    // product of k consecutive numbers is k! times a whole number.
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
        // Counts like an odometer to the next point with coordinates ≥ 0 and sum ≤ degree: a
        // digit that would exceed the sum goes back to 0 and carries.
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

/// Decides (x − digit_sum(x, b))/(b − 1), whole by casting out (b − 1)s: (57 − 12)/9 = 5.
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
    let Some(quotient) = (&x - Expr::digit_sum(&x, &base)).div(&(&base - 1)) else {
        return false;
    };
    let pairs = [expr - &quotient, expr + &quotient];
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
            over(&(&n * &m), 24),
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
        assert!(!levels.is_integer(&n.div(&power(&(&l + 1))).expect("not 0")));
        // ⌊(n − 2)/(2b)⌋ with 1 ≤ b
        let two_fewer = over(&(&n - 2).div(&b).expect("not 0"), 2);
        let expected = over(&per_block, 2) - 1;
        assert_eq!(facts.simplify_floor(&two_fewer), expected);
    }
}
