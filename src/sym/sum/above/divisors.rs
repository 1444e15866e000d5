//! Bounds of values that are 0 unless a number and a prime have a common divisor. A stride of 2 has no bank conflicts if
//! b is odd.

use crate::sym::expr::types::{Atom, Monomial};
use crate::sym::facts::knowledge::Facts;
use crate::sym::sum::above::above;
use crate::sym::{Expr, Symbol};

/// The primes looked at.
const PRIMES: [i64; 4] = [2, 3, 5, 7];
/// The most brackets whose cases are told apart.
const MOST_BRACKETS: u32 = 3;

/// [`Facts::above_by_divisor`].
pub(crate) fn above_by_divisor(facts: &Facts, expr: &Expr, slow: Option<&Symbol>) -> Option<Expr> {
    // gcd(b, 2) is 1 or 2. What is at most 0 at 1 is at most its value at 2, times gcd(b, 2) − 1.
    let atoms = expr.atoms().into_iter();
    let mut divisors = atoms.filter(|atom| matches!(atom, Atom::Gcd(..)));
    let (Some(divisor), None) = (divisors.next(), divisors.next()) else {
        return None;
    };
    let Atom::Gcd(x, y) = &divisor else {
        return None;
    };
    let mut primes = PRIMES.into_iter().map(Expr::int);
    let prime = primes.find(|prime| prime == x || prime == y)?;
    let at = |value: &Expr| facts.simplify(&with(expr, &divisor, value));
    if !is_never_positive(facts, &at(&Expr::one()), MOST_BRACKETS) {
        return None;
    }
    let most = above(facts, &at(&prime), slow)?;
    let share = (Expr::atom(divisor) - 1).div(&(&prime - 1))?;
    Some(&most * &share)
}

/// True if a value is provably at most 0, in each case of a few brackets by itself.
fn is_never_positive(facts: &Facts, value: &Expr, brackets: u32) -> bool {
    let value = facts.simplify(value);
    let atoms = value.atoms();
    let mut conds = atoms.iter().filter_map(|atom| match atom {
        Atom::Bracket(cond) => Some((atom, cond)),
        _ => None,
    });
    match conds.next() {
        Some((atom, cond)) if brackets > 0 => {
            let cases = [
                ((**cond).clone(), Expr::one()),
                ((**cond).clone().not(), Expr::zero()),
            ];
            cases.into_iter().all(|(cond, of_bracket)| {
                let case = value.replace(&|found| (found == atom).then(|| of_bracket.clone()));
                is_never_positive(&facts.with(&cond), &case, brackets - 1)
            })
        }
        _ => {
            let opposite = without_common(facts, &value).neg();
            let is_never_negative = |value: &Expr| facts.is_non_negative(value);
            let least = facts.without_rising_floors(&opposite, &is_never_negative);
            facts.is_non_negative(&least)
        }
    }
}

/// The value without the factors, none of them negative, that all its terms have.
fn without_common(facts: &Facts, value: &Expr) -> Expr {
    let Some(((first, _), others)) = value.terms().split_first() else {
        return value.clone();
    };
    let factors = first.factors().iter().filter(|(atom, exponent)| {
        let mut others = others.iter();
        others.all(|(monomial, _)| monomial.exponent(atom) == *exponent)
            && facts.is_non_negative(&Expr::atom(atom.clone()))
    });
    let common = Monomial::from_sorted(factors.cloned().collect());
    value * Expr::monomial(common).reciprocal()
}

/// The value with another one in the place of an atom, at any depth.
fn with(value: &Expr, atom: &Atom, other: &Expr) -> Expr {
    value.replace(&|found| {
        if found == atom {
            return Some(other.clone());
        }
        let rebuilt = found.rebuild(&|child| with(child, atom, other));
        (rebuilt.as_atom() != Some(found)).then_some(rebuilt)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::symbols;
    use crate::sym::Cond;

    #[test]
    fn what_is_nothing_without_a_common_divisor_has_it_as_a_factor() {
        let [n, b] = symbols(["n", "b"]);
        let mut facts = Facts::new();
        for size in [&n, &b] {
            facts.assume(&Cond::ge(size, &Expr::one()));
        }
        let (one, two) = (Expr::one(), Expr::int(2));
        let common = Expr::gcd(&b, &two);
        let bound = |expr: &Expr| above_by_divisor(&facts, expr, None).map(|it| it.to_string());
        // ⌈r·gcd(b, 2)/b⌉ − 1 for r ≤ b cores, here all of them, n times.
        let conflicts = &n * (&common - &one);
        assert_eq!(bound(&conflicts).as_deref(), Some("n(gcd(b, 2) - 1)"));
        let half = n.div(&two).expect("not by 0").floor();
        let more = &conflicts + (&half * (&common - &one)) - &one;
        let expected = Some("3n(gcd(b, 2) - 1)/2");
        assert_eq!(bound(&more).as_deref(), expected);
        assert_eq!(bound(&(&conflicts + &one)), None);
        assert_eq!(bound(&n), None);
    }
}
