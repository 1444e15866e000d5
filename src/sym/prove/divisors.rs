//! Powers that divide each other, or both parts of a quotient.

use crate::sym::Expr;
use crate::sym::expr::types::{Atom, Monomial};
use crate::sym::facts::knowledge::Facts;
use crate::sym::prove::powers::{exponent_of, power_bases};

/// Returns a number, or powers, that visibly divide a whole denominator and provably the numerator: 2·2^d for n/(2b·2^d)
/// with n a power of 2 and d below log2 n.
pub(crate) fn common_part(facts: &Facts, numerator: &Expr, denominator: &Expr) -> Expr {
    let number = Expr::rational(denominator.content());
    let divides = |part: &Expr| {
        let is_whole = |value: Option<Expr>| value.is_some_and(|value| facts.is_integer(&value));
        !part.is_one()
            && [numerator, denominator]
                .into_iter()
                .all(|of| is_whole(of.div(part)))
    };
    let powers = denominator.as_term().map(|(monomial, _)| {
        let factors = monomial.factors().iter();
        let powers = factors.filter(|(atom, _)| matches!(atom, Atom::Power(..)));
        Monomial::from_sorted(powers.cloned().collect())
    });
    let with_powers = powers.filter(|powers| !powers.is_one());
    let with_powers = with_powers.map(|powers| &number * Expr::monomial(powers));
    let is_number = number.as_integer().is_some();
    let mut parts = with_powers.into_iter().chain([number]);
    let found = parts.find(|part| is_number && divides(part));
    found.unwrap_or_else(Expr::one)
}

/// Returns true if two products are whole powers of one base, so that one of them is a multiple of the other.
pub(crate) fn are_powers_of_one_base(facts: &Facts, one: &Expr, other: &Expr) -> bool {
    let (Some(one), Some(other)) = (one.as_term(), other.as_term()) else {
        return false;
    };
    let bases = power_bases(facts, &one.0).into_iter();
    let mut bases = bases.chain(power_bases(facts, &other.0));
    bases.any(|base| {
        let exponents = [one, other].map(|term| exponent_of(facts, term, &base));
        let [Some((first, sources)), Some((second, more))] = exponents else {
            return false;
        };
        let fits = [&first, &second].into_iter().all(|it| facts.is_integer(it))
            && facts.is_integer(&base)
            && facts.is_positive(&base);
        if fits {
            facts.mark_used(&sources);
            facts.mark_used(&more);
        }
        fits
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::symbols;
    use crate::sym::Cond;

    #[test]
    fn powers_of_one_base_divide_each_other_one_way_or_the_other() {
        let [n, b, s] = symbols(["n", "b", "s"]);
        let two = Expr::int(2);
        let mut facts = Facts::new();
        facts.suppose(&Cond::power_of(&b, &two));
        let step = two.pow(&s);
        assert!(are_powers_of_one_base(&facts, &step, &b));
        assert!(are_powers_of_one_base(&facts, &(&step * &b), &Expr::int(4)));
        assert!(!are_powers_of_one_base(&facts, &step.scale(&3.into()), &b));
        assert!(!are_powers_of_one_base(&facts, &n, &b));
    }

    /// n/2^d is whole where n is a power of 2 and d at most its logarithm: b⌈n/(2^d·b)⌉ ≤ n/2^d + b − 1.
    #[test]
    fn quotients_of_powers_are_bounded_by_whole_steps() {
        let [n, b, d] = symbols(["n", "b", "d"]);
        let two = Expr::int(2);
        let mut facts = Facts::new();
        for cond in [
            Cond::power_of(&n, &two),
            Cond::ge(&n, &Expr::one()),
            Cond::ge(&b, &Expr::one()),
            Cond::ge(&d, &Expr::zero()),
        ] {
            facts.assume(&cond);
        }
        let words = n.div(&two.pow(&d)).expect("not by 0");
        let blocks = words.div(&b).expect("not by 0").ceil();
        let holds = |facts: &Facts| facts.proves(&Cond::le(&(&b * &blocks), &(&words + &b - 1)));
        assert!(!holds(&facts));
        facts.assume(&Cond::le(&d, &Expr::log(&two, &n)));
        assert!(holds(&facts));
    }
}
