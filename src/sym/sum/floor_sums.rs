//! Sums of floors: over a variable that enters linearly, and over rounds that divide by a base
//! each time (Legendre: Σ_{r ≥ 1} ⌊x/b^r⌋ = (x − digit_sum(x, b))/(b − 1)).

use num_traits::ToPrimitive;

use crate::number::Rational;
use crate::sym::expr::types::{Atom, Monomial, Term};
use crate::sym::facts::knowledge::Facts;
use crate::sym::prove::bounds;
use crate::sym::sum::polynomial::{self, evaluate_polynomial, power_sum};
use crate::sym::sum::range::Range;
use crate::sym::{Cond, Expr};

/// Weights and floors beyond this power stay sums. The closed form's length grows with the
/// product of both.
const HIGHEST_POWER: i32 = 6;
/// Rounds that divide by a higher power of a base each time stay sums. The power is written out:
/// 2^64 still is.
const HIGHEST_DEGREE: i64 = 64;

/// Sums a floor that depends on the variable, alone or with a weight.
pub(crate) fn sum_floor(facts: &Facts, range: &Range, monomial: &Monomial) -> Option<Expr> {
    let [(Atom::Floor(x), 1)] = monomial.factors() else {
        return sum_weighted_floor(facts, range, monomial);
    };
    sum_linear_floor(facts, range, x).or_else(|| sum_of_rounds(facts, range, x))
}

/// Sums v^d·⌊(±v + c)/m⌋^e: within a stretch of m values the floor is constant.
fn sum_weighted_floor(facts: &Facts, range: &Range, monomial: &Monomial) -> Option<Expr> {
    let variable = Expr::symbol(&range.variable);
    let mut weight = 0;
    let mut floor: Option<(&Expr, i32)> = None;
    for (atom, exponent) in monomial.factors() {
        match atom {
            Atom::Symbol(symbol) if *symbol == range.variable => weight = *exponent,
            Atom::Floor(x) if floor.is_none() => floor = Some((x, *exponent)),
            _ => return None,
        }
    }
    let (x, power) = floor?;
    let allowed = 0..=HIGHEST_POWER;
    if !allowed.contains(&weight) || !(1..=HIGHEST_POWER).contains(&power) {
        return None;
    }
    let [offset, slope] = x.linear_in(&range.variable)?;
    let (slope, m) = bounds::fraction(facts, &slope)?;
    let offset = &offset * &m;
    let is_usable = (&slope * &slope).is_one()
        && facts.is_integer(&offset)
        && facts.proves(&Cond::ge(&m, &Expr::one()));
    if !is_usable {
        return None;
    }
    // With w = ±v + c: Σ P(w)·⌊w/m⌋^e, P(w) = (±(w − c))^d.
    let ends = [&range.low, &range.high].map(|end| &slope * end + &offset);
    let [low, high] = if slope.is_one() {
        ends
    } else {
        let [low, high] = ends;
        [high, low]
    };
    let weights = (&slope * (&variable - &offset)).integer_power(weight);
    let weights = weights.coefficients(&range.variable)?;
    let below = |end: &Expr| weighted_below(facts, range, end, &m, &weights, power);
    Some(below(&(&high + 1))? - below(&low)?)
}

/// Returns G with G(x + 1) − G(x) = P(x)·⌊x/m⌋^e. With F(x) − F(x − 1) = P(x) and q = ⌊x/m⌋, G is
/// Σ u ∈ 0..q-1 : u^e·(F((u + 1)m − 1) − F(um − 1)) plus q^e·(F(x − 1) − F(qm − 1)).
fn weighted_below(
    facts: &Facts,
    range: &Range,
    end: &Expr,
    m: &Expr,
    weights: &[Expr],
    power: i32,
) -> Option<Expr> {
    // Full stretches um..(u + 1)m − 1 have the floor u; the last, broken one has q. For m = 4, x
    // = 6, P = 1, e = 1: u = 0 gives 0, and q = 1 times the values 4 and 5 gives 2.
    let one = Expr::one();
    let before = |x: &Expr| {
        let x = x - &one;
        let terms = weights.iter().enumerate();
        terms
            .into_iter()
            .try_fold(Expr::zero(), |sum, (degree, weight)| {
                let below = evaluate_polynomial(&power_sum(degree), &x)?;
                (!weight.is_unwieldy_times(&below)).then(|| &sum + (weight * &below))
            })
    };
    let quotient = facts.simplify(&(end * m.reciprocal()).floor());
    let u = Expr::symbol(&range.variable);
    let stretch = before(&((&u + &one) * m))? - before(&(&u * m))?;
    let stretch = u.integer_power(power) * &stretch;
    let full = range.with(&Expr::zero(), &(&quotient - &one));
    let full = polynomial::sum_polynomial(&full, &stretch.coefficients(&range.variable)?)?;
    let rest = before(end)? - before(&(&quotient * m))?;
    Some(&full + (quotient.integer_power(power) * &rest))
}

/// Sums ⌊(a·v + c)/m⌋: in closed form for a = ±1, otherwise as `floor_sum`.
fn sum_linear_floor(facts: &Facts, range: &Range, x: &Expr) -> Option<Expr> {
    let [offset, slope] = x.linear_in(&range.variable)?;
    let (slope, denominator) = bounds::fraction(facts, &slope)?;
    let offset = &offset * &denominator;
    if !facts.proves(&Cond::ge(&denominator, &Expr::one())) {
        return None;
    }
    let one = Expr::one();
    let floors_below = |end: &Expr| floors_below(facts, end, &denominator);
    if slope.is_one() {
        let (low, high) = (&range.low + &offset, &range.high + &offset);
        return facts
            .is_integer(&low)
            .then(|| floors_below(&(&high + &one)) - floors_below(&low));
    }
    if slope.neg().is_one() {
        let (low, high) = (&offset - &range.high, &offset - &range.low);
        return facts
            .is_integer(&low)
            .then(|| floors_below(&(&high + &one)) - floors_below(&low));
    }
    let start = facts.simplify(&(&offset + (&slope * &range.low)));
    let is_whole = [&slope, &start, &denominator]
        .iter()
        .all(|e| facts.is_integer(e));
    is_whole.then(|| Expr::floor_sum(&range.count(), &slope, &start, &denominator))
}

/// Returns G with G(x + 1) − G(x) = ⌊x/m⌋: m·q(q − 1)/2 + q·(x − q·m), q = ⌊x/m⌋.
fn floors_below(facts: &Facts, end: &Expr, m: &Expr) -> Expr {
    // m = 4, x = 10: the values 0..9 have the floors 0, 1 four times each and 2 twice, in sum 8.
    // q = 2 gives 4 · 1 + 2 · (10 − 8) = 8.
    let quotient = facts.simplify(&(end * m.reciprocal()).floor());
    let half = Rational::new(1, 2).unwrap_or(Rational::ONE);
    let full = (m * &quotient * (&quotient - 1)).scale(&half);
    &full + (&quotient * (end - (&quotient * m)))
}

/// Sums ⌊A/b^v⌋ or −⌈A/b^v⌉ over enough rounds that the value after the last one is 0 (or 1).
fn sum_of_rounds(facts: &Facts, range: &Range, x: &Expr) -> Option<Expr> {
    // Legendre's formula is about all rounds to infinity. It fits a finite range exactly if the
    // rounds left out are 0, hence the proof that b^v > A after the last. For ceilings: A = 10, b
    // = 2, v = 1..4 is 5 + 3 + 2 + 1 = 11, and the floors of 9 are 4 + 2 + 1 + 0, plus one for
    // each of the four rounds.
    let (monomial, coefficient) = x.as_term()?;
    // A product of powers with one exponent is a power of the product: (2b)^r.
    let mut base: Option<(Expr, Expr)> = None;
    let mut dividend = Expr::rational(coefficient.abs());
    for (atom, exponent) in monomial.factors() {
        match atom {
            Atom::Power(b, power) if power.contains(&range.variable) => {
                let [offset, slope] = power.linear_in(&range.variable)?;
                let degree = slope.neg().as_integer()?.to_i64()?;
                let is_power = (1..=HIGHEST_DEGREE).contains(&degree) && *exponent == 1;
                if !is_power || b.contains(&range.variable) {
                    return None;
                }
                // 2^(5r) is 32^r.
                let offset = offset.scale(&Rational::new(1, degree)?);
                let b = b.pow(&Expr::int(degree));
                base = match base {
                    None => Some((b, offset)),
                    Some((known, same)) if same == offset => Some((known.mul(&b), offset)),
                    Some(_) => return None,
                };
            }
            _ => dividend = &dividend * Expr::monomial(Monomial::atom(atom.clone(), *exponent)),
        }
    }
    let (base, offset) = base?;
    if dividend.contains(&range.variable) || !facts.proves(&Cond::ge(&base, &Expr::int(2))) {
        return None;
    }
    // A = A'·b^d: divide by b^u with u = v − d − offset instead.
    let content = base.as_atom().map_or(0, |b| {
        dividend
            .terms()
            .iter()
            .map(|(m, _)| m.exponent(b))
            .min()
            .unwrap_or(0)
    });
    let dividend = &dividend * base.integer_power(content).reciprocal();
    let shift = &offset + Expr::int(content.into());
    let (low, high) = (&range.low - &shift, &range.high - &shift);
    let (low, high) = (facts.simplify(&low), facts.simplify(&high));
    if !facts.proves(&Cond::non_negative(&low)) || !facts.is_integer(&low) {
        return None;
    }
    let after = &high + 1;
    let log = Expr::log(&base, &dividend);
    if coefficient.is_negative() {
        // ⌈A/b^u⌉ = ⌊N/b^u⌋ + 1 with N = ⌈A⌉ − 1 ≥ 0; after the last round b^u ≥ A.
        let ceiling = facts.simplify(&dividend.ceil());
        let ends = facts.proves(&Cond::ge(&after, &log)) || {
            let log = without_negative_logs(facts, &log);
            facts.proves(&Cond::ge(&after, &facts.simplify(&log.ceil())))
        };
        if !ends || !facts.proves(&Cond::ge(&ceiling, &Expr::one())) {
            return None;
        }
        let floors = legendre(facts, &(&ceiling - 1), &base, &low)?;
        return Some((range.count() + &floors).neg());
    }
    let whole = facts.simplify(&dividend.floor());
    let ends =
        facts.proves(&Cond::ge(&high, &log.floor())) || facts.proves(&Cond::gt(&after, &log));
    if !ends || !facts.proves(&Cond::non_negative(&whole)) {
        return None;
    }
    legendre(facts, &whole, &base, &low)
}

/// Returns an upper bound on the value: subtracted logarithms of numbers ≥ 1 are dropped.
fn without_negative_logs(facts: &Facts, value: &Expr) -> Expr {
    let is_kept = |(monomial, coefficient): &&Term| {
        let is_log = matches!(monomial.factors(), [(Atom::Log(..), 1)]);
        let term = Expr::monomial(monomial.clone());
        !(coefficient.is_negative() && is_log && facts.is_non_negative(&term))
    };
    Expr::from_terms(value.terms().iter().filter(is_kept).cloned().collect())
}

/// Returns Σ_{u ≥ low} ⌊x/b^u⌋ for whole x ≥ 0, low ≥ 0.
fn legendre(facts: &Facts, x: &Expr, base: &Expr, low: &Expr) -> Option<Expr> {
    // From u = 1 on the sum is (x − digit_sum(x))/(b − 1): 10 in base 2 has the digit sum 2, and
    // 5 + 2 + 1 = 8. From u = low on x is replaced by ⌊x/b^(low − 1)⌋; from u = 0 on by b·x,
    // which has the same digits.
    let before = low - 1;
    let (start, digits) = if low.is_zero() {
        (x * base, Expr::digit_sum(x, base))
    } else {
        let start = x.div(&base.pow(&before))?.floor();
        let start = facts.simplify(&start);
        (start.clone(), Expr::digit_sum(&start, base))
    };
    let digits = facts.simplify(&digits);
    (&start - &digits).div(&(base - 1))
}
