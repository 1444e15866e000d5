//! Positive terms that outweigh the negative terms of a sum. Each negative term is paid by a
//! share of a positive one. In 4nr − 2n − 6r with n, r ≥ 4, at least an eighth of 4nr is left.

use crate::number::Rational;
use crate::sym::Cond;
use crate::sym::Expr;
use crate::sym::expr::types::Term;
use crate::sym::facts::knowledge::Facts;

/// The factors tried as a lower bound on the ratio of two monomials. Each costs one proof. A
/// larger first factor would let one term pay for more small ones.
const FACTORS: [i64; 6] = [64, 32, 16, 8, 4, 2];
/// The most terms of a sum that is weighed. The work is quadratic in them, with a proof per pair.
const MOST_TERMS: usize = 24;

/// Returns true if the sum is at least an eighth of each of its non-negative terms.
pub(crate) fn outweighs(facts: &Facts, expr: &Expr) -> bool {
    // Invariant: each positive term starts with 7/8 of itself to spend, and no share is spent
    // twice. If every negative term is paid, the unspent eighth of each positive term bounds the
    // sum. Example: 4nr − 2n − 6r with n, r ≥ 4. nr ≥ 4n and nr ≥ 4r are provable, so 4nr is at
    // least 8 · 2n and at least 8/3 · 6r. The first takes 1/8 of 4nr, the second 3/8; 3/8 + 1/8
    // are left.
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

/// Pays for a value out of the shares left of the terms above, the far larger ones first.
fn is_paid(facts: &Facts, value: &Expr, above: &mut [(Expr, Rational)]) -> bool {
    let mut ratios: Vec<(Rational, usize)> = Vec::new();
    for (at, (large, _)) in above.iter().enumerate() {
        ratios.extend(least_ratio(facts, large, value).map(|ratio| (ratio, at)));
    }
    ratios.sort_by(|x, y| y.cmp(x));
    let mut owed = Rational::ONE;
    // The largest ratio first: it spends the smallest share of a positive term per unit paid.
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

/// Returns the largest tried r with large ≥ r · small provable.
fn least_ratio(facts: &Facts, large: &Expr, small: &Expr) -> Option<Rational> {
    let plain = |value: &Expr| -> Option<(Rational, Expr)> {
        let [(monomial, coefficient)] = value.terms() else {
            return None;
        };
        let coefficient = coefficient.abs();
        let unit: Term = (monomial.clone(), Rational::ONE);
        // A ceiling ⌈x⌉ is kept as −⌊−x⌋, so its negative coefficient belongs to the unit: only
        // the size of the coefficient is split off.
        let unit = if value.terms()[0].1.is_negative() {
            Expr::term(&unit).neg()
        } else {
            Expr::term(&unit)
        };
        Some((coefficient, unit))
    };
    let ((of_large, large), (of_small, small)) = (plain(large)?, plain(small)?);
    let is_times = |factor: i64| facts.proves(&Cond::ge(&large, &small.scale(&factor.into())));
    // A term that is not provably as large is not provably larger. Asking for 1 first costs one
    // failing proof instead of seven.
    if !is_times(1) {
        return None;
    }
    let mut factors = FACTORS.into_iter();
    let factor = factors.find(|factor| is_times(*factor)).unwrap_or(1);
    Some(&of_large.checked_div(&of_small)? * &Rational::from(factor))
}
