//! Upper bounds without rounding: floors, brackets and extremes of them are removed one by one, all
//! other terms stay exact.
//!
//! Takes facts and an expression, gives an expression that is at least as large: of n − b⌊n/b⌋ the
//! bound b − 1.

use crate::sym::expr::types::Atom;
use crate::sym::facts::knowledge::Facts;
use crate::sym::prove::bounds;
use crate::sym::sum::above::WORK;
use crate::sym::sum::above::plainest::plainest;
use crate::sym::{Cond, Expr};

/// The most floors, brackets and extremes that are removed from one sum. Beyond it there is no
/// unrounded bound.
const MOST_ROUNDED: usize = 12;
/// The highest power of a floor that is rounded.
const HIGHEST_POWER: usize = 3;

/// [`Facts::unrounded_above`].
pub(crate) fn unrounded_above(facts: &Facts, expr: &Expr) -> Option<Expr> {
    // In contrast to `above`, the signs are kept: terms are subtracted exactly, and only the
    // rounding is bounded. So differences such as n − b⌊n/b⌋ stay small: at most b − 1. Brackets
    // go first, because a floor inside a bracket disappears with it.
    let facts = &facts.with_work(WORK);
    let mut value = expr.clone();
    for _ in 0..=MOST_ROUNDED {
        // Atoms that contain others come first, the remaining floors last.
        let atoms = value.atoms().into_iter();
        let rounded = atoms.filter_map(|atom| Some((order_of_rounding(&atom)?, atom)));
        let Some((_, atom)) = rounded.min_by_key(|(order, _)| *order) else {
            return Some(value);
        };
        let parts = value.atom_coefficients(&atom)?;
        if parts.len() > HIGHEST_POWER + 1 {
            return None;
        }
        value = match &atom {
            Atom::Bracket(cond) => without_bracket(facts, &parts, cond)?,
            Atom::Min(items) | Atom::Max(items) => with_an_item(facts, &parts, &atom, items)?,
            Atom::Floor(x) => unrounded(facts, &parts, x)?,
            _ => return None,
        };
    }
    None
}

/// Returns the order in which an atom is removed; `None` if it stays.
fn order_of_rounding(atom: &Atom) -> Option<u32> {
    match atom {
        Atom::Bracket(_) => Some(0),
        // Extremes of plain items can be summed as they are.
        Atom::Min(items) | Atom::Max(items) => items.iter().any(is_rounded).then_some(1),
        Atom::Floor(_) => Some(2),
        _ => None,
    }
}

/// Returns true if some atom of the expression is to be removed.
fn is_rounded(expr: &Expr) -> bool {
    let atoms = expr.atoms();
    atoms.iter().any(|atom| order_of_rounding(atom).is_some())
}

/// Replaces a minimum, or a subtracted maximum, by its plainest item.
fn with_an_item(facts: &Facts, parts: &[Expr], atom: &Atom, items: &[Expr]) -> Option<Expr> {
    let [rest, factor] = parts else {
        return None;
    };
    let is_above = match atom {
        Atom::Min(_) => facts.is_non_negative(factor),
        _ => facts.is_non_negative(&factor.neg()),
    };
    let item = plainest(items, None);
    item.filter(|_| is_above).map(|item| rest + (factor * item))
}

/// Removes a bracket, keeping the larger of its two values if that is known.
fn without_bracket(facts: &Facts, parts: &[Expr], cond: &Cond) -> Option<Expr> {
    // factor·[c] ≤ factor if the factor is ≥ 0 where c fails (where c holds they are equal), and
    // ≤ 0 if the factor is ≤ 0 where c holds. All powers of a bracket are the bracket, so their
    // coefficients are added up first.
    let (rest, powers) = parts.split_first()?;
    let factor = powers.iter().fold(Expr::zero(), |sum, part| &sum + part);
    // Where c holds there is nothing to compare. Where it fails, the factor must have a value: [n
    // ≥ 1]/n must not become 1/n.
    let mut fails = facts.clone();
    fails.suppose(&cond.clone().not());
    if fails.always_have_value(&factor) && fails.is_non_negative(&factor) {
        return Some(rest + &factor);
    }
    let mut holds = facts.clone();
    holds.suppose(cond);
    holds.is_non_negative(&factor.neg()).then(|| rest.clone())
}

/// Bounds a polynomial in ⌊x⌋ by a polynomial in x, each power by itself.
fn unrounded(facts: &Facts, parts: &[Expr], x: &Expr) -> Option<Expr> {
    // ⌊x⌋^e lies between two polynomials in x, and the sign of its factor picks one. For the
    // lower one, (x − 1)^e ≥ x^e − e·x^(e − 1) for x ≥ 1; below 1 it is ≤ 0 and so below ⌊x⌋^e =
    // 0. x = 2.5, e = 2: 6.25 − 5 = 1.25 ≤ 4 ≤ 6.25. A linear floor needs no sign of x; higher
    // powers do.
    let (rest, powers) = parts.split_first()?;
    let is_linear = powers.len() == 1;
    // Even powers only keep the order on one side of 0: x itself must be ≥ 0, or −x (a ceiling).
    let is_up = if is_linear || facts.is_non_negative(x) {
        false
    } else {
        facts.is_non_negative(&x.neg()).then_some(true)?
    };
    let below = at_least_floor(facts, x);
    let mut value = rest.clone();
    for (exponent, factor) in (1..).zip(powers) {
        if factor.is_zero() {
            continue;
        }
        let [low, high] = match (is_up, exponent) {
            // ⌈y⌉, y = -x
            (true, _) => [x.neg(), below.neg()].map(|end| end.integer_power(exponent)),
            (false, 1) => [below.clone(), x.clone()],
            // (x − 1)^e ≥ x^e − e·x^(e − 1) from 1 on, and from 0 to 1 the right side is ≤ 0.
            (false, _) => {
                let power = x.integer_power(exponent);
                let less = x.integer_power(exponent - 1).scale(&exponent.into());
                [&power - &less, power]
            }
        };
        let factor = if is_up && exponent % 2 != 0 {
            factor.neg()
        } else {
            factor.clone()
        };
        value = &value + times_an_end(facts, &factor, [&low, &high])?;
    }
    Some(value)
}

/// Bounds a factor times a value between two ends from above: by its sign, or by the signs of its
/// terms.
fn times_an_end(facts: &Facts, factor: &Expr, [low, high]: [&Expr; 2]) -> Option<Expr> {
    // (n − 2m)·v with a value v in low..high: the sign of n − 2m is unknown, but n·v ≤ n·high and
    // −2m·v ≤ −2m·low. Taken as a whole where possible, since apart both ends are used at once.
    let end = |part: &Expr| {
        if facts.is_non_negative(part) {
            Some(high)
        } else {
            facts.is_non_negative(&part.neg()).then_some(low)
        }
    };
    if let Some(end) = end(factor) {
        return Some(factor * end);
    }
    let terms = factor.terms().iter().cloned();
    let mut parts = terms.map(|term| Expr::from_terms(vec![term]));
    parts.try_fold(Expr::zero(), |sum, part| Some(&sum + (&part * end(&part)?)))
}

/// Returns x − 1 ≤ ⌊x⌋, or x − 1 + 1/d if x is a whole number over d.
fn at_least_floor(facts: &Facts, x: &Expr) -> Expr {
    let less = x - 1;
    match bounds::whole_fraction(facts, x) {
        Some((_, denominator)) => &less + denominator.reciprocal(),
        None => less,
    }
}
