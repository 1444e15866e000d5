//! Closed forms of sums over a range of whole numbers, under facts.
//!
//! A sum is split by linearity into terms, and factors free of the variable come out. The rest is
//! closed by a rule for its kind: powers (Faulhaber), geometric terms, brackets (which shorten or
//! thin out the range), floors. A term that no rule closes stays a `Σ`.

use crate::sym::expr::summary::Kind;
use crate::sym::expr::types::{Atom, Monomial};
use crate::sym::facts::knowledge::Facts;
use crate::sym::prove::bounds;
use crate::sym::sum::crossing;
use crate::sym::sum::floor_sums;
use crate::sym::sum::piecewise;
use crate::sym::sum::polynomial::{self, MOST_DEGREE};
use crate::sym::sum::range::Range;
use crate::sym::{Cond, Expr, Symbol};

/// The largest shift between two terms of a telescoping sum. Each unit writes one value at both
/// ends.
const MOST_TELESCOPED: i64 = 4;

/// The most numbers that are added up one by one. Longer sums of numbers stay as they are or go
/// by a rule.
const MOST_ADDED_UP: i64 = 256;

/// [`Facts::sum`].
pub(crate) fn sum(facts: &Facts, variable: &Symbol, low: &Expr, high: &Expr, body: &Expr) -> Expr {
    // Three cases by count = high − low + 1. For Σ v ∈ 0..n-1 the count is n.
    // count ≥ 0 is proved: the closed form holds, and gives 0 for the empty range. A bracket guards it where it might
    // divide by 0.
    // count < 0 is proved: the sum is 0.
    // Neither: the form is closed for high ≥ low and multiplied by [high ≥ low]. The bracket goes where the form is 0
    // without it.
    // Without work left the sum stays a Σ, which is always right.
    let low = facts.simplify(low);
    let high = facts.simplify(high);
    if body.is_zero() {
        return Expr::zero();
    }
    let range = Range {
        variable: variable.clone(),
        low: low.clone(),
        high: high.clone(),
    };
    let count = range.count();
    if let Some(value) = added_up(&range, body) {
        return value;
    }
    if facts.is_exhausted() {
        if !body.contains(variable) && facts.is_integer(&count) {
            return body * Expr::max(vec![Expr::zero(), count]);
        }
        return Expr::unsolved_sum(variable, &low, &high, body);
    }
    if !facts.is_integer(&count) || !facts.is_integer(&low) {
        return Expr::unsolved_sum(variable, &low, &high, body);
    }
    match facts.prove(&Cond::non_negative(&count)) {
        Some(true) => {
            let closed = facts.simplify(&facts.sum_of_range(&range, body));
            // Divisors inside may be 0 where nothing is added up, and so may divisors that a case
            // distinction brought in.
            let has_value = |of: &Expr| bounds::always_has_value(facts, of);
            if has_value(body) && has_value(&closed) {
                closed
            } else {
                let guard = Expr::bracket(facts.simplify_cond(&Cond::ge(&high, &low)));
                facts.simplify(&(&closed * &guard))
            }
        }
        Some(false) => Expr::zero(),
        None => {
            if !body.contains(variable) {
                let count = Expr::max(vec![Expr::zero(), count]);
                return facts.simplify(&(body * &count));
            }
            let exists = Cond::ge(&high, &low);
            let inside = facts.with(&exists);
            let close = |body: &Expr| inside.simplify(&inside.sum_of_range(&range, body));
            let closed = close(body);
            let (closed, open) = if closed.is_closed() {
                (closed, Expr::zero())
            } else {
                // If the whole does not close, the terms that do leave the sum.
                let terms = body.terms().iter().map(Expr::term);
                terms.fold((Expr::zero(), Expr::zero()), |(closed, open), term| {
                    let alone = close(&term);
                    if alone.is_closed() {
                        (&closed + &alone, open)
                    } else {
                        (closed, &open + &term)
                    }
                })
            };
            // A closed form that is right for the empty range as well needs no guard. Otherwise
            // the bracket stays.
            let guard = Expr::bracket(facts.simplify_cond(&exists));
            let closed = facts.without_idle_brackets(&(&closed * &guard));
            if open.is_zero() {
                closed
            } else {
                &closed + Expr::unsolved_sum(variable, &low, &high, &open)
            }
        }
    }
}

/// Adds up a short sum of numbers: Σ q ∈ 3..9 : ⌊q²/32⌋.
fn added_up(range: &Range, body: &Expr) -> Option<Expr> {
    let terms = range.count().as_rational()?;
    let is_short = terms <= MOST_ADDED_UP.into() && range.low.as_rational().is_some();
    let mut symbols = body.symbols().into_iter();
    if !is_short || !symbols.all(|symbol| symbol == range.variable) {
        return None;
    }
    let sum = Expr::unsolved_sum(&range.variable, &range.low, &range.high, body);
    sum.evaluate(&|_| None).ok().map(Expr::rational)
}

/// [`Facts::sum_of_range`].
pub(crate) fn sum_of_range(facts: &Facts, range: &Range, body: &Expr) -> Expr {
    // Splits come before linearity: at the last value of a range a minimum may take another
    // branch in all terms at once. Residue classes come last, since they multiply the terms by
    // the divisor.
    if range.low == range.high {
        return facts.simplify(&body.substitute(&range.variable, &range.low));
    }
    let inside = facts.with(&range.inside());
    let body = inside.simplify(body);
    if let Some(split) = piecewise::sum_by_splitting(facts, range, &body) {
        return split;
    }
    if let Some(split) = piecewise::sum_by_threshold(facts, range, &body) {
        return split;
    }
    if let Some(split) = crossing::sum_by_crossing(facts, range, &body) {
        return split;
    }
    let sum = sum_terms(facts, range, &body);
    if sum.is_closed() {
        return sum;
    }
    piecewise::sum_by_residues(facts, range, &body).unwrap_or(sum)
}

/// Sums by linearity, term by term.
fn sum_terms(facts: &Facts, range: &Range, body: &Expr) -> Expr {
    let mut total = Expr::zero();
    // Terms with the same dependence on the variable are summed once.
    let mut groups: Vec<(Monomial, Expr)> = Vec::new();
    for (monomial, coefficient) in body.terms() {
        let (inner, outer): (Vec<_>, Vec<_>) = monomial
            .factors()
            .iter()
            .cloned()
            .partition(|(atom, _)| atom.contains(&range.variable));
        let inner = Monomial::from_sorted(inner);
        let outer = Expr::monomial(Monomial::from_sorted(outer)).scale(coefficient);
        match groups.iter_mut().find(|(known, _)| *known == inner) {
            Some((_, factor)) => *factor = &*factor + &outer,
            None => groups.push((inner, outer)),
        }
    }
    total = &total + telescoped(range, &mut groups);
    for (inner, factor) in groups {
        let sum = if inner.is_one() {
            range.count()
        } else {
            sum_monomial(facts, range, &inner)
        };
        total = &total + (&factor * &sum);
    }
    total
}

/// Removes pairs c·f(v) − c·f(v + t) of products with a floor. Only the ends of their sum are
/// left: c·(f(low) + … + f(low + t − 1) − f(high + 1) − … − f(high + t)).
fn telescoped(range: &Range, groups: &mut Vec<(Monomial, Expr)>) -> Expr {
    // Σ v ∈ 0..n-1 : ⌊v/b⌋ − ⌊(v + 1)/b⌋ = ⌊0/b⌋ − ⌊n/b⌋. Each floor alone might have no closed
    // form. Taken in pairs before the terms are summed one by one.
    let variable = Expr::symbol(&range.variable);
    let mut total = Expr::zero();
    let mut at = 0;
    while at < groups.len() {
        let (inner, factor) = groups[at].clone();
        let body = Expr::monomial(inner);
        let opposite = factor.neg();
        let partner = |by: i64| {
            let moved = body.substitute(&range.variable, &(&variable + Expr::int(by)));
            let fits = |(other, factor): &(Monomial, Expr)| {
                *factor == opposite && Expr::monomial(other.clone()) == moved
            };
            groups.iter().position(fits).map(|partner| (by, partner))
        };
        // Terms without a floor have closed forms of their own.
        let found = if body.has(Kind::Floor) {
            (1..=MOST_TELESCOPED).find_map(partner)
        } else {
            None
        };
        let Some((by, partner)) = found else {
            at += 1;
            continue;
        };
        for step in 0..by {
            let first = &range.low + Expr::int(step);
            let after = &range.high + Expr::int(step + 1);
            let ends =
                body.substitute(&range.variable, &first) - body.substitute(&range.variable, &after);
            total = &total + (&factor * &ends);
        }
        // Later entries first, so that the earlier place stays the same.
        groups.remove(at.max(partner));
        groups.remove(at.min(partner));
        at = 0;
    }
    total
}

/// Returns the sum of a product of factors that all depend on the variable.
fn sum_monomial(facts: &Facts, range: &Range, monomial: &Monomial) -> Expr {
    let body = Expr::monomial(monomial.clone());
    if let Some(coefficients) = body.coefficients(&range.variable)
        && coefficients.len() <= MOST_DEGREE
    {
        let closed = polynomial::sum_polynomial(range, &coefficients);
        return closed.unwrap_or_else(|| {
            Expr::unsolved_sum(&range.variable, &range.low, &range.high, &body)
        });
    }
    let closed = piecewise::sum_bracket(facts, range, monomial)
        .or_else(|| sum_geometric(facts, range, monomial))
        .or_else(|| sum_extreme(facts, range, monomial))
        .or_else(|| floor_sums::sum_floor(facts, range, monomial))
        .or_else(|| piecewise::sum_by_threshold(facts, range, &body));
    closed.unwrap_or_else(|| Expr::unsolved_sum(&range.variable, &range.low, &range.high, &body))
}

/// Sums v^k·c^(a·v + d) with ratio ρ = c^a ≠ 1, by parts for k > 0.
fn sum_geometric(facts: &Facts, range: &Range, monomial: &Monomial) -> Option<Expr> {
    // The closed form divides by ρ − 1, so ρ must not be 1 for any values of the symbols. Every
    // base is ≥ 1 and one of them ≥ 2. If all exponents move the same way, the factors are on one
    // side of 1 and so is ρ. 2^v·b^(−v) has ρ = 2/b, which is 1 at b = 2: it is refused.
    let symbol = Atom::Symbol(range.variable.clone());
    let mut degree = 0;
    let mut ratio = Expr::one();
    let mut grows: Option<bool> = None;
    let mut is_mixed = false;
    let mut is_proper = false;
    for (atom, exponent) in monomial.factors() {
        match atom {
            _ if *atom == symbol => degree = usize::try_from(*exponent).ok()?,
            Atom::Power(base, power) if !base.contains(&range.variable) => {
                let coefficients = power.coefficients(&range.variable)?;
                let [_, slope] = &*coefficients else {
                    return None;
                };
                let at_least_two = facts.proves(&Cond::ge(base, &Expr::int(2)));
                if !at_least_two && !facts.proves(&Cond::ge(base, &Expr::one())) {
                    return None;
                }
                is_proper |= at_least_two;
                let slope = slope.scale(&(*exponent).into());
                let rises = facts.is_positive(&slope);
                let moves = rises || facts.is_positive(&slope.neg());
                if !moves {
                    return None;
                }
                is_mixed |= grows.is_some_and(|known| known != rises);
                grows = Some(rises);
                ratio = &ratio * base.pow(&slope);
            }
            _ => return None,
        }
    }
    // Factors that all grow or all shrink have a product other than 1. Mixed ones are only safe
    // with a number as their ratio.
    let may_be_one = is_mixed && ratio.as_rational().is_none();
    if !is_proper || may_be_one || ratio.is_one() || degree > 8 {
        return None;
    }
    let geometric = Expr::monomial(monomial.without(&symbol));
    Some(geometric_sum(range, &geometric, &ratio, degree))
}

/// Sums a minimum or maximum of two items, written with a bracket. Of both ways to write it, the
/// one with fewer comparisons in the result is taken.
fn sum_extreme(facts: &Facts, range: &Range, monomial: &Monomial) -> Option<Expr> {
    // min(x, y) = y + (x − y)·[x ≤ y], or the same with x and y exchanged. They differ at the
    // crossing, where both items are equal and either is right. One of the two often gives range
    // ends without a minimum of their own.
    for (atom, exponent) in monomial.factors() {
        let (items, is_min) = match atom {
            Atom::Min(items) => (items, true),
            Atom::Max(items) => (items, false),
            _ => continue,
        };
        let [x, y] = &**items else {
            continue;
        };
        if *exponent != 1 {
            continue;
        }
        let rest = Expr::monomial(monomial.without(atom));
        let mut best: Option<(usize, Expr)> = None;
        for (x, y) in [(x, y), (y, x)] {
            let x_wins = if is_min {
                Cond::le(x, y)
            } else {
                Cond::ge(x, y)
            };
            let value = y + ((x - y) * Expr::bracket(x_wins));
            let sum = sum_terms(facts, range, &(value * &rest));
            if !sum.is_closed() {
                continue;
            }
            let comparisons = comparisons(&sum);
            if best.as_ref().is_none_or(|(least, _)| comparisons < *least) {
                best = Some((comparisons, sum));
            }
            if comparisons == 0 {
                break;
            }
        }
        return best.map(|(_, sum)| sum);
    }
    None
}

/// Returns the number of extremes and brackets in a form.
fn comparisons(form: &Expr) -> usize {
    let is_comparison =
        |atom: &Atom| matches!(atom, Atom::Min(_) | Atom::Max(_) | Atom::Bracket(_));
    let atoms = form.atoms();
    atoms.iter().filter(|atom| is_comparison(atom)).count()
}

/// Returns Σ_{v=lo}^{hi} v^k·g(v) for g(v + 1) = ρ·g(v). With S = Σ v^k g(v) and hi' = hi + 1: (ρ
/// − 1)·S = hi'^k g(hi') − lo^k g(lo) − Σ ((v+1)^k − v^k)·g(v + 1).
fn geometric_sum(range: &Range, geometric: &Expr, ratio: &Expr, degree: usize) -> Expr {
    // Summation by parts; (v + 1)^k − v^k has lower powers only, whose sums are known by then.
    // Example: Σ v ∈ 0..2 : v·2^v = 0 + 2 + 8 = 10. k = 0 gives 8 − 1 = 7, and k = 1 gives 3 · 8
    // − 0 − 2 · 7 = 10.
    let at = |value: &Expr| geometric.substitute(&range.variable, value);
    let after = &range.high + 1;
    let inverse = (ratio - 1).reciprocal();
    let mut sums: Vec<Expr> = Vec::new();
    for k in 0..=degree {
        let power = k as i32;
        let mut total = after.integer_power(power) * at(&after)
            - (range.low.integer_power(power) * at(&range.low));
        for (j, lower) in sums.iter().enumerate() {
            let binomial = num_integer::binomial(k as i64, j as i64);
            total = &total - (lower * ratio).scale(&binomial.into());
        }
        sums.push(&total * &inverse);
    }
    sums.pop().unwrap_or_default()
}
