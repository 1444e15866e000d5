//! Positive terms that outweigh the negative ones of a sum, each by a share of it that others do not
//! need: of 4nr − 2n − 6r, with n and r ≥ 4, at least an eighth of 4nr is left.

use crate::number::Rational;
use crate::sym::Cond;
use crate::sym::Expr;
use crate::sym::expr::types::Term;
use crate::sym::facts::knowledge::Facts;

/// What is tried as how many times larger one monomial is than another that it is not below.
const FACTORS: [i64; 6] = [64, 32, 16, 8, 4, 2];
/// Terms beyond this are not weighed.
const MOST_TERMS: usize = 24;

/// Whether the sum of the terms is at least an eighth of each that is not negative.
pub(crate) fn outweighs(facts: &Facts, expr: &Expr) -> bool {
    let terms = expr.terms();
    if terms.len() > MOST_TERMS {
        return false;
    }
    let mut above: Vec<(Expr, Rational)> = Vec::new();
    let mut below: Vec<Expr> = Vec::new();
    let share = Rational::new(7, 8).unwrap_or(Rational::ONE);
    for term in terms {
        let value = Expr::term(term);
        if facts.is_non_negative(&value) {
            above.push((value, share.clone()));
        } else if facts.is_non_negative(&value.neg()) {
            below.push(value.neg());
        } else {
            return false;
        }
    }
    below.iter().all(|value| is_paid(facts, value, &mut above))
}

/// Takes a value out of what is left of the terms above, those first that are far larger.
fn is_paid(facts: &Facts, value: &Expr, above: &mut [(Expr, Rational)]) -> bool {
    let mut ratios: Vec<(Rational, usize)> = Vec::new();
    for (at, (large, _)) in above.iter().enumerate() {
        ratios.extend(least_ratio(facts, large, value).map(|ratio| (ratio, at)));
    }
    ratios.sort_by(|x, y| y.cmp(x));
    let mut owed = Rational::ONE;
    for (ratio, at) in ratios {
        let left = &mut above[at].1;
        let worth = &*left * &ratio;
        if worth >= owed {
            let used = owed.checked_div(&ratio).unwrap_or(Rational::ONE);
            *left = &*left - &used;
            return true;
        }
        owed = &owed - &worth;
        *left = Rational::ZERO;
    }
    false
}

/// A number that large is provably at least as many times small, the largest of those tried.
fn least_ratio(facts: &Facts, large: &Expr, small: &Expr) -> Option<Rational> {
    let plain = |value: &Expr| -> Option<(Rational, Expr)> {
        let [(monomial, coefficient)] = value.terms() else {
            return None;
        };
        let coefficient = coefficient.abs();
        let unit: Term = (monomial.clone(), Rational::ONE);
        // A ceiling's sign is in its floor.
        let unit = match value.terms()[0].1.is_negative() {
            true => Expr::term(&unit).neg(),
            false => Expr::term(&unit),
        };
        Some((coefficient, unit))
    };
    let ((of_large, large), (of_small, small)) = (plain(large)?, plain(small)?);
    let is_times = |factor: i64| facts.proves(&Cond::ge(&large, &small.scale(&factor.into())));
    // What is not as large is not larger: that takes one proof that fails, and not seven.
    if !is_times(1) {
        return None;
    }
    let mut factors = FACTORS.into_iter();
    let factor = factors.find(|factor| is_times(*factor)).unwrap_or(1);
    Some(&of_large.checked_div(&of_small)? * &Rational::from(factor))
}
