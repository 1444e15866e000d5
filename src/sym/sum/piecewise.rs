//! Sums over ranges that a condition shortens or thins out, or with one end that behaves
//! differently.

use crate::number::Rational;
use crate::sym::expr::types::{Atom, Monomial};
use crate::sym::facts::knowledge::Facts;
use crate::sym::prove::powers;
use crate::sym::sum::range::Range;
use crate::sym::{Cond, Expr, Symbol};

/// Splits off the last or the first value if all others are simpler without it: the last MP of a
/// vector, the last chunk of a host loop.
pub(crate) fn sum_by_splitting(facts: &Facts, range: &Range, body: &Expr) -> Option<Expr> {
    // Σ v ∈ 0..⌈n/b⌉-1 : min(b, n − v·b). Up to ⌈n/b⌉ − 2 the minimum is b, so the sum is
    // b·(⌈n/b⌉ − 1) plus the last value n − b(⌈n/b⌉ − 1): n in all. For n = 10, b = 4: 4 + 4 + 2.
    // A range without a value has no end to split off, hence the guard.
    let complexity = undecided(body, &range.variable);
    if complexity == 0 {
        return None;
    }
    let one = Expr::one();
    let but_last = range.with(&range.low, &(&range.high - &one));
    let but_first = range.with(&(&range.low + &one), &range.high);
    for (rest, end) in [(but_last, &range.high), (but_first, &range.low)] {
        let interior = facts.with(&rest.inside()).simplify(body);
        if undecided(&interior, &range.variable) >= complexity {
            continue;
        }
        let exists = Cond::ge(&range.high, &range.low);
        let (within, guard) = match facts.prove(&exists) {
            Some(true) => (facts.clone(), Expr::one()),
            Some(false) => return Some(Expr::zero()),
            None => (facts.with(&exists), Expr::bracket(exists)),
        };
        let of_end = within.simplify(&body.substitute(&range.variable, end));
        let total = within.sum_of_range(&rest, &interior) + &of_end;
        return Some(&total * &guard);
    }
    None
}

/// Splits where a power of a base passes 1: ⌊2^s/b⌋ is 0 before log2 b and 2^s/b from there on.
pub(crate) fn sum_by_threshold(facts: &Facts, range: &Range, body: &Expr) -> Option<Expr> {
    // Taken only if both parts are simpler and both close: half a closed form beside a `Σ` helps
    // nobody. The facts of each part decide its floor, e.g. 2^s < b before the threshold, if b is
    // a power of 2.
    let complexity = undecided(body, &range.variable);
    if complexity == 0 {
        return None;
    }
    let one = Expr::one();
    for atom in body.atoms() {
        let Atom::Floor(x) = &atom else {
            continue;
        };
        let Some((at, rises)) = threshold(facts, x, &range.variable) else {
            continue;
        };
        // At the threshold itself the power is 1.
        let (end, start) = if rises {
            (&at - &one, at)
        } else {
            (at.clone(), &at + &one)
        };
        let end = facts.simplify(&Expr::min(vec![range.high.clone(), end]));
        let start = facts.simplify(&Expr::max(vec![range.low.clone(), start]));
        let parts = [
            range.with(&range.low, &end),
            range.with(&start, &range.high),
        ];
        let mut total = Expr::zero();
        let mut is_simpler = true;
        for part in &parts {
            let inside = facts.with(&part.inside()).simplify(body);
            is_simpler &= undecided(&inside, &range.variable) < complexity;
            if is_simpler {
                let sum = facts.sum(&range.variable, &part.low, &part.high, &inside);
                total = &total + &sum;
            }
        }
        if is_simpler && total.is_closed() {
            return Some(total);
        }
    }
    None
}

/// Returns the place where x = ±base^(α·v + β) passes 1, and true if x grows with v.
fn threshold(facts: &Facts, x: &Expr, variable: &Symbol) -> Option<(Expr, bool)> {
    // Terms beside the power are constant, and the case facts decide if the floor simplifies.
    let mut moving = x
        .terms()
        .iter()
        .filter(|(monomial, _)| Expr::monomial(monomial.clone()).contains(variable));
    let (Some((monomial, coefficient)), None) = (moving.next(), moving.next()) else {
        return None;
    };
    let term = (monomial.clone(), coefficient.abs());
    for base in powers::power_bases(facts, monomial) {
        let Some((exponent, sources)) = powers::exponent_of(facts, &term, &base) else {
            continue;
        };
        let Some([offset, slope]) = exponent.linear_in(variable) else {
            continue;
        };
        let rises = facts.is_positive(&slope);
        let at = facts.simplify(&offset.neg().div(&slope)?);
        let is_usable = (rises || facts.is_positive(&slope.neg()))
            && facts.is_integer(&at)
            && facts.proves(&Cond::ge(&base, &Expr::int(2)));
        if is_usable {
            facts.mark_used(&sources);
            return Some((at, rises));
        }
    }
    None
}

/// Splits into v = d·u + c for each class c of a small number d that floors divide by.
pub(crate) fn sum_by_residues(facts: &Facts, range: &Range, body: &Expr) -> Option<Expr> {
    // ⌊v/2⌋·⌊v/3⌋ has no rule. On v = 3u it is ⌊3u/2⌋·u, whose classes u = 2w and u = 2w + 1 are
    // polynomials. Every class has to close, and each must divide by less than d afterwards, so
    // the recursion ends.
    let divisor = body.small_divisor(&range.variable)?;
    let variable = Expr::symbol(&range.variable);
    let fraction = Rational::new(1, divisor)?;
    let mut total = Expr::zero();
    for class in (0..divisor).map(Expr::int) {
        let value = variable.scale(&divisor.into()) + &class;
        let low = (&range.low - &class).scale(&fraction).ceil();
        let high = (&range.high - &class).scale(&fraction).floor();
        let part = range.with(&facts.simplify(&low), &facts.simplify(&high));
        let body = body.substitute(&range.variable, &value);
        let body = facts.with(&part.inside()).simplify(&body);
        // A divisor left in the class must be smaller than d.
        if body.small_divisor(&range.variable) >= Some(divisor) {
            return None;
        }
        let sum = facts.sum(&range.variable, &part.low, &part.high, &body);
        if !sum.is_closed() {
            return None;
        }
        total = &total + &sum;
    }
    Some(total)
}

/// Sums a product with a factor `[cond]`, which restricts the range: to a shorter one, to one
/// value, to multiples.
pub(crate) fn sum_bracket(facts: &Facts, range: &Range, monomial: &Monomial) -> Option<Expr> {
    for (atom, _) in monomial.factors() {
        let Atom::Bracket(cond) = atom else {
            continue;
        };
        let rest = Expr::monomial(monomial.without(atom));
        let sum = match &**cond {
            Cond::NonNegative(e) => sum_where_non_negative(facts, range, e, &rest),
            Cond::Not(inner) => match &**inner {
                Cond::NonNegative(e) => sum_where_negative(facts, range, e, &rest),
                _ => None,
            },
            Cond::Zero(e) => sum_where_zero(facts, range, e, &rest),
            Cond::Divides(d, e) => sum_of_multiples(facts, range, d, e, &rest),
            Cond::True | Cond::False | Cond::PowerOf(..) | Cond::And(_) | Cond::Or(_) => None,
        };
        if sum.is_some() {
            return sum;
        }
    }
    None
}

/// Sums over the v with offset + slope·v ≥ 0, if the sign of the slope is known.
fn sum_where_non_negative(facts: &Facts, range: &Range, e: &Expr, rest: &Expr) -> Option<Expr> {
    let [offset, slope] = e.linear_in(&range.variable)?;
    let crossing = offset.neg().div(&slope)?;
    if facts.is_positive(&slope) {
        Some(sum_from(facts, range, &crossing.ceil(), rest))
    } else if facts.is_positive(&slope.neg()) {
        Some(sum_up_to(facts, range, &crossing.floor(), rest))
    } else {
        None
    }
}

fn sum_where_negative(facts: &Facts, range: &Range, e: &Expr, rest: &Expr) -> Option<Expr> {
    let [offset, slope] = e.linear_in(&range.variable)?;
    let crossing = offset.neg().div(&slope)?;
    let one = Expr::one();
    if facts.is_positive(&slope) {
        Some(sum_up_to(facts, range, &(crossing.ceil() - &one), rest))
    } else if facts.is_positive(&slope.neg()) {
        Some(sum_from(facts, range, &(crossing.floor() + &one), rest))
    } else {
        None
    }
}

fn sum_where_zero(facts: &Facts, range: &Range, e: &Expr, rest: &Expr) -> Option<Expr> {
    let [offset, slope] = e.linear_in(&range.variable)?;
    if !facts.is_positive(&slope) && !facts.is_positive(&slope.neg()) {
        return None;
    }
    let at = facts.simplify(&offset.neg().div(&slope)?);
    let mut conds = vec![Cond::ge(&at, &range.low), Cond::le(&at, &range.high)];
    if !facts.is_integer(&at) {
        conds.push(Cond::divides(&slope, &offset));
    }
    let guard = Expr::bracket(facts.simplify_cond(&Cond::and(conds)));
    Some(facts.simplify(&rest.substitute(&range.variable, &at)) * &guard)
}

/// Sums over the values v with d ∣ offset + slope·v.
fn sum_of_multiples(facts: &Facts, range: &Range, d: &Expr, e: &Expr, rest: &Expr) -> Option<Expr> {
    // Counting example: 3 ∣ v over 1..10. The multiples are 3u with u from ⌈1/3⌉ = 1 to ⌈11/3⌉ −
    // 1 = 3: three values. Both ends are ceilings of the same form, so the counts of neighbouring
    // ranges telescope.
    let [offset, slope] = e.linear_in(&range.variable)?;
    let is_usable = !d.contains(&range.variable)
        && facts.is_integer(d)
        && facts.is_integer(&offset)
        && facts.is_integer(&slope)
        && facts.proves(&Cond::ge(d, &Expr::one()));
    if !is_usable {
        return None;
    }
    // With slope ±1: v = d·u ∓ offset. Without offset: v = u·d/gcd(slope, d).
    let (step, shift) = if slope.is_one() {
        (d.clone(), offset)
    } else if slope.neg().is_one() {
        (d.clone(), offset.neg())
    } else if offset.is_zero() {
        let common = facts.simplify(&Expr::gcd(&slope, d));
        (d.div(&common)?, Expr::zero())
    } else {
        return None;
    };
    let after = &range.high + &shift + 1;
    let first = facts.simplify(&(&range.low + &shift).div(&step)?.ceil());
    let past_last = facts.simplify(&after.div(&step)?.ceil());
    if !rest.contains(&range.variable) {
        return Some(rest * (&past_last - &first));
    }
    let variable = Expr::symbol(&range.variable);
    let reindexed = rest.substitute(&range.variable, &(&step * &variable - &shift));
    let last = &past_last - 1;
    let sum = facts.sum_of_range(&range.with(&first, &last), &reindexed);
    Some(sum)
}

fn sum_from(facts: &Facts, range: &Range, start: &Expr, rest: &Expr) -> Expr {
    let low = Expr::max(vec![range.low.clone(), facts.simplify(start)]);
    facts.sum(&range.variable, &low, &range.high, rest)
}

fn sum_up_to(facts: &Facts, range: &Range, end: &Expr, rest: &Expr) -> Expr {
    let high = Expr::min(vec![range.high.clone(), facts.simplify(end)]);
    facts.sum(&range.variable, &range.low, &high, rest)
}

/// Returns the number of floors, extremes and brackets that still depend on the variable.
fn undecided(body: &Expr, variable: &Symbol) -> usize {
    body.atoms()
        .iter()
        .filter(|atom| atom.contains(variable))
        .map(|atom| match atom {
            Atom::Floor(x) => 1 + undecided(x, variable),
            Atom::Min(_) | Atom::Max(_) | Atom::Bracket(_) => 1,
            _ => 0,
        })
        .sum()
}
