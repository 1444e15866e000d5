//! Floors under facts. The whole part comes out, nested floors become one, and a fraction between
//! two neighbouring whole numbers is decided. With 0 ≤ j < b, ⌊(ib + j)/b⌋ is i.

use crate::number::Rational;
use crate::sym::expr::construct::whole_part;
use crate::sym::expr::types::{Atom, Term};
use crate::sym::facts::knowledge::Facts;
use crate::sym::prove::bounds;
use crate::sym::prove::integer;
use crate::sym::simplify::rule::{self, Rule};
use crate::sym::{Cond, Expr, Symbol};

/// The rules for ⌊x⌋ once the whole terms of x are out.
pub(crate) const RULES: &[Rule<Expr, Option<Expr>>] = &[
    Rule {
        name: "⌊x⌋ = k for k ≤ x < k + 1",
        rewrite: decide_floor,
    },
    Rule {
        name: "⌊k/n⌋ for a small k as brackets",
        rewrite: few_over_symbol,
    },
    Rule {
        name: "⌈x/⌈x⌉⌉ = 1",
        rewrite: over_itself_rounded,
    },
    Rule {
        name: "⌊(⌊x⌋ + y)/d⌋ = ⌊(x + y)/d⌋ for whole y and d",
        rewrite: flatten_floor,
    },
    Rule {
        name: "⌊(p + c)/d⌋ = ⌊(p + c rounded)/d⌋",
        rewrite: fold_constant,
    },
];

/// [`Facts::simplify_floor`].
pub(crate) fn simplify_floor(facts: &Facts, x: &Expr) -> Expr {
    // Whole terms first, rules after: ⌊(ib + j)/b⌋ = i + ⌊j/b⌋, and only then can 0 ≤ j < b
    // decide the rest. A canonical rest also lets floors that differ by whole terms meet in one
    // atom.
    // ⌊log2 25⌋ is 4.
    if x.summary().is_constant()
        && let Ok(value) = x.floor().evaluate(&|_| None)
    {
        return Expr::rational(value);
    }
    if facts.is_integer(x) {
        return x.clone();
    }
    let (whole, rest) = split_whole(facts, x);
    if rest.is_zero() {
        return whole;
    }
    let value = rule::first(RULES, facts, &rest);
    &whole + value.unwrap_or_else(|| rest.floor())
}

/// Splits off the whole terms and leaves the rest with the smallest fractions.
fn split_whole(facts: &Facts, x: &Expr) -> (Expr, Expr) {
    // A whole monomial with a fraction before it is split too: 7n/2 is 3n + n/2. Then equal
    // floors have equal insides, whatever whole multiples stood in them.
    let mut whole: Vec<Term> = Vec::new();
    let mut rest: Vec<Term> = Vec::new();
    for (monomial, coefficient) in x.terms() {
        if !coefficient.is_integer() && integer::is_integer_fraction(facts, monomial, coefficient) {
            whole.push((monomial.clone(), coefficient.clone()));
            continue;
        }
        if !integer::is_integer_monomial(facts, monomial) {
            rest.push((monomial.clone(), coefficient.clone()));
            continue;
        }
        let part = whole_part(monomial, coefficient);
        rest.push((monomial.clone(), coefficient - &part));
        whole.push((monomial.clone(), part));
    }
    let (mut whole, mut rest) = (Expr::from_terms(whole), Expr::from_terms(rest));
    // Fractions of several terms may be whole together: n²/2 + n/2. Two terms without a constant
    // were asked about as a whole before, in `simplify_floor`.
    if rest.terms().len() > 2 {
        let constant = Expr::rational(rest.constant_term());
        let varying = &rest - &constant;
        if facts.is_integer(&varying) {
            whole = &whole + &varying + constant.floor();
            rest = &constant - constant.floor();
        }
    }
    (whole, rest)
}

/// Decides ⌈x/⌈x⌉⌉ = 1 for x > 0, since 0 < x ≤ ⌈x⌉. Likewise ⌊x/⌊x⌋⌋ = 1 for x ≥ 1.
fn over_itself_rounded(facts: &Facts, value: &Expr) -> Option<Expr> {
    // For x ≥ 1 the ratio lies in [1, 2): x < ⌊x⌋ + 1 ≤ 2⌊x⌋. For x = 1.9 it is 1.9/1.
    let (monomial, _) = value.as_term()?;
    let mut factors = monomial.factors().iter();
    let (rounded, inner) = factors.find_map(|(atom, exponent)| match atom {
        Atom::Floor(inner) if *exponent == -1 => Some((atom, inner)),
        _ => None,
    })?;
    let over = value * Expr::atom(rounded.clone());
    if over == *inner && facts.proves(&Cond::ge(inner, &Expr::one())) {
        return Some(Expr::one());
    }
    let is_ceiling = over == inner.neg() && facts.is_positive(&over);
    is_ceiling.then(|| Expr::one().neg())
}

/// Writes ⌊1/d⌋ as 1 − [d ≥ 2] and ⌊2/d⌋ as 2 − [d ≥ 2] − [d ≥ 3] for a symbol d ≥ 1, and
/// ceilings as one more. Other facts and brackets speak of d in the same way.
fn few_over_symbol(facts: &Facts, x: &Expr) -> Option<Expr> {
    // ⌊k/d⌋ counts the q in 1..k with q ≤ k/d, that is d ≤ ⌊k/q⌋, or not d ≥ ⌊k/q⌋ + 1. For k =
    // 2: q = 1 gives d ≥ 3, q = 2 gives d ≥ 2. ⌈k/d⌉ = ⌊(k − 1)/d⌋ + 1. MOST limits the brackets:
    // a larger k would write more of them than the floor has signs.
    const MOST: u32 = 2;
    let (monomial, coefficient) = x.as_term()?;
    let [(atom @ Atom::Symbol(_), -1)] = monomial.factors() else {
        return None;
    };
    let few = u32::try_from(coefficient.to_integer()?.magnitude().clone()).ok()?;
    let is_ceiling = coefficient.is_negative();
    let few = few - u32::from(is_ceiling);
    let divisor = Expr::atom(atom.clone());
    if few > MOST || !facts.proves(&Cond::ge(&divisor, &Expr::one())) {
        return None;
    }
    let mut floor = Expr::zero();
    for q in 1..=few {
        let beyond = Cond::ge(&divisor, &Expr::int((few / q + 1).into()));
        floor = &floor + (Expr::one() - Expr::bracket(facts.simplify_cond(&beyond)));
    }
    Some(if is_ceiling {
        (&floor + 1).neg()
    } else {
        floor
    })
}

/// Decides the floor if it is provably 0, −1 or 1.
fn decide_floor(facts: &Facts, x: &Expr) -> Option<Expr> {
    // A floor with two values at the points, or one beyond ±1, is none of them: no proof is
    // tried.
    let values = facts.known().models.values(&Atom::Floor(x.clone()));
    let mut values = values.iter().filter(|value| !value.is_nan());
    if let Some(first) = values.next()
        && (first.abs() > 1.0 || values.any(|value| value != first))
    {
        return None;
    }
    if facts.is_non_negative(x) {
        if facts.is_positive(&(Expr::one() - x)) {
            return Some(Expr::zero());
        }
        let is_one = facts.is_non_negative(&(x - 1)) && facts.is_positive(&(Expr::int(2) - x));
        return is_one.then(Expr::one);
    }
    if facts.is_positive(&x.neg()) && facts.is_non_negative(&(x + 1)) {
        return Some(Expr::int(-1));
    }
    None
}

/// Flattens ⌊(⌊x⌋ + k)/m⌋ to ⌊(x + k)/m⌋ for whole k and m ≥ 1.
fn flatten_floor(facts: &Facts, x: &Expr) -> Option<Expr> {
    // Between ⌊x⌋ + k and x + k lies no whole number but the first, so none of their m-th parts
    // differ after rounding. For x = 3.5, k = 1, m = 2: ⌊4/2⌋ = ⌊4.5/2⌋ = 2. A fraction k would
    // break it: ⌊(⌊0.5⌋ + 0.5)/1⌋ = 0, but ⌊0.5 + 0.5⌋ = 1.
    for atom in x.atoms() {
        let Atom::Floor(inner) = &atom else {
            continue;
        };
        let coefficients = x.atom_coefficients(&atom)?;
        let [rest, factor] = &*coefficients else {
            continue;
        };
        // x = (⌊inner⌋ + k)·factor with factor = 1/m
        if factor.terms().len() != 1 {
            continue;
        }
        let denominator = factor.reciprocal();
        let offset = rest * &denominator;
        let fits = facts.is_integer(&denominator)
            && facts.is_integer(&offset)
            && facts.proves(&Cond::ge(&denominator, &Expr::one()));
        if fits {
            return Some(facts.simplify_floor(&((inner + &offset) * factor)));
        }
    }
    None
}

/// [`Facts::without_rising_floors`].
pub(crate) fn without_rising(
    facts: &Facts,
    value: &Expr,
    is_never_negative: &dyn Fn(&Expr) -> bool,
) -> Expr {
    // A lower bound: f·(⌊x⌋ − ⌊y⌋) ≥ 0 is dropped if f ≥ 0 and x ≥ y. Example: n + ⌊(i + 3)/b⌋ −
    // ⌊i/b⌋ is at least n. The two floors need opposite factors, so that both disappear.
    let mut value = value.clone();
    let floors = |value: &Expr| -> Vec<Atom> {
        let atoms = value.atoms().into_iter();
        atoms
            .filter(|atom| matches!(atom, Atom::Floor(_)))
            .collect()
    };
    let before = |value: &Expr, floor: &Atom| match value.atom_coefficients(floor).as_deref() {
        Some([_, factor]) => Some(factor.clone()),
        _ => None,
    };
    for floor in floors(&value) {
        let Some(factor) = before(&value, &floor) else {
            continue;
        };
        // Each pair once, from the floor with the factor known to be ≥ 0.
        let Atom::Floor(x) = &floor else { continue };
        if !is_never_negative(&factor) {
            continue;
        }
        let less = floors(&value).into_iter().find(|other| match other {
            Atom::Floor(y) => {
                before(&value, other) == Some(factor.neg()) && is_never_negative(&(x - y))
            }
            _ => false,
        });
        if let Some(less) = less {
            let both = Expr::atom(floor.clone()) - Expr::atom(less);
            value = facts.simplify(&(&value - (&factor * &both)));
        }
    }
    value
}

/// [`Facts::without_digit`].
pub(crate) fn without_digit(facts: &Facts, value: &Expr, digit: &Symbol, width: &Expr) -> Expr {
    // (32q + d)/64 for a digit d of width 32: the multiples of 32/64 = 1/2 are q/2, and d/64 is
    // less than 1/2, so d never reaches the next one. ⌊(32q + d)/64⌋ = ⌊q/2⌋. `divisor` is m = 2,
    // and rest·m = q has to be whole.
    if !value.contains(digit) {
        return value.clone();
    }
    value.replace(&|atom| {
        if matches!(atom, Atom::Symbol(_)) {
            return None;
        }
        let anew = atom.rebuild(&|child| without_digit(facts, child, digit, width));
        let inner = match anew.as_atom() {
            Some(Atom::Floor(inner)) => inner.clone(),
            _ => return Some(anew),
        };
        let above = |inner: &Expr| {
            let [rest, slope] = inner.linear_in(digit)?;
            let divisor = (&slope * width).reciprocal();
            let is_whole = facts.is_integer(&divisor)
                && facts.proves(&Cond::ge(&divisor, &Expr::one()))
                && facts.is_integer(&(&rest * &divisor));
            is_whole.then(|| rest.floor())
        };
        Some(above(&inner).unwrap_or(anew))
    })
}

/// Rewrites ⌊(p − 1)/d⌋ as ⌈p/d⌉ − 1 and ⌈(p + 1)/d⌉ as ⌊p/d⌋ + 1 for whole p and d ≥ 1. For a
/// number d the constant ends up in 0..d-2.
fn fold_constant(facts: &Facts, x: &Expr) -> Option<Expr> {
    // Both writings mean the same, so one must be canonical: the one with the smaller constant.
    // All go by ⌊p/d⌋ = −1 − ⌊(−1 − p)/d⌋: for p = 6, d = 4, −1 − ⌊−7/4⌋ = −1 + 2 = 1.
    let unchanged = || Expr::atom(Atom::Floor(x.clone()));
    let (numerator, denominator) = bounds::whole_fraction(facts, x)?;
    let constant = numerator.constant_term();
    let minus_one = Rational::from(-1);
    let folds = match denominator.as_rational() {
        Some(number) => {
            let varying = &numerator - Expr::rational(constant.clone());
            let leads_negative = varying.terms().last().is_some_and(|(_, c)| c.is_negative());
            // The constant c is reduced mod d already. c = d − 1 is better a ceiling: ⌊(p + 3)/4⌋
            // = ⌈p/4⌉. A ceiling with a constant other than 0 is better a floor.
            let top = &number - &Rational::ONE;
            constant == top && number > Rational::from(1) || leads_negative && !constant.is_zero()
        }
        None => constant == minus_one,
    };
    if !folds {
        return Some(if numerator.is_zero() {
            Expr::zero()
        } else {
            unchanged()
        });
    }
    // ⌊p/d⌋ = −1 − ⌊(−1 − p)/d⌋
    let opposite = numerator.neg() - 1;
    Some(match opposite.div(&denominator) {
        Some(opposite) => opposite.floor().neg() - 1,
        None => unchanged(),
    })
}
