//! Conditions under facts: decided if possible, otherwise in their plainest form. A lone floor, a
//! lone logarithm or two powers of one base compare as their insides: ⌈n/b⌉ ≥ 2 is n > b, and 2^s
//! ≥ b is s ≥ log2 b for a power b of 2.

use num_traits::ToPrimitive;

use crate::number::Rational;
use crate::sym::expr::summary::Kind;
use crate::sym::expr::types::{Atom, Monomial, Term};
use crate::sym::facts::knowledge::Facts;
use crate::sym::prove::powers;
use crate::sym::simplify::rule::{self, Rule};
use crate::sym::{Cond, Expr};

/// The most forms of one condition. Each is plainer than the one before, so the limit only stops
/// unforeseen loops.
const MOST_STEPS: u32 = 16;

/// The largest exponent written out: log2 x ≥ 64 becomes x ≥ 2^64, log2 x ≥ 65 stays. A larger
/// limit writes longer numbers into conditions that people read.
const MOST_LOG: i32 = 64;

/// value ≥ 0, or value > 0.
pub(crate) struct Inequality {
    pub(crate) value: Expr,
    pub(crate) is_strict: bool,
}

/// The rules for an undecided inequality.
pub(crate) const RULES: &[Rule<Inequality, Option<Cond>>] = &[
    Rule {
        name: "⌊x⌋ ≥ k is x ≥ k",
        rewrite: without_floor,
    },
    Rule {
        name: "max(x, y) ≥ k is y ≥ k where x < k",
        rewrite: without_extreme,
    },
    Rule {
        name: "log_b x ≥ k is x ≥ b^k",
        rewrite: without_log,
    },
    Rule {
        name: "sqrt(x) ≥ k is x ≥ k²",
        rewrite: without_root,
    },
    Rule {
        name: "b^x ≥ b^y is x ≥ y",
        rewrite: without_powers,
    },
    Rule {
        name: "1024/b ≥ 2 is b ≤ 512",
        rewrite: without_divisor,
    },
    Rule {
        name: "b·x ≥ 1 is x ≥ 1",
        rewrite: without_factor,
    },
];

/// [`Facts::said_by`].
pub(crate) fn said_by(facts: &Facts, cond: &Cond) -> Option<Expr> {
    match cond {
        Cond::NonNegative(value) => Some(value.clone()),
        Cond::Not(inner) => match &**inner {
            Cond::NonNegative(value) if facts.is_integer(value) => Some(value.neg() - 1),
            _ => None,
        },
        _ => None,
    }
}

/// [`Facts::simplify_cond`].
pub(crate) fn simplify_cond(facts: &Facts, cond: &Cond) -> Cond {
    simplify_cond_in(facts, cond, MOST_STEPS)
}

fn simplify_cond_in(facts: &Facts, cond: &Cond, steps: u32) -> Cond {
    // Decide first: a decided part makes the rest of a conjunction or alternative shorter. The
    // rules may give a condition that is decidable although the first form was not, so each new
    // form is proved anew, `steps` times at most.
    let simplify_cond = |cond: &Cond| simplify_cond_in(facts, cond, steps);
    match facts.prove(cond) {
        Some(true) => Cond::True,
        Some(false) => Cond::False,
        None => match cond {
            Cond::And(parts) => Cond::and(parts.iter().map(simplify_cond).collect()),
            Cond::Or(parts) => Cond::or(parts.iter().map(simplify_cond).collect()),
            Cond::Divides(d, e) => simplify_divides(facts, d, e),
            Cond::Not(inner) => match &**inner {
                Cond::NonNegative(e) => simplify_sign(facts, e, true, steps),
                other => simplify_cond(other).negate(),
            },
            Cond::Zero(e) => {
                let e = without_positive_factors(facts, &facts.simplify(e));
                remainder_as_divisor(facts, &e).unwrap_or_else(|| Cond::eq(&e, &Expr::zero()))
            }
            Cond::NonNegative(e) => simplify_sign(facts, e, false, steps),
            other => other.map(&|e| facts.simplify(e)),
        },
    }
}

/// Returns h for e = h·q with q > 0: it is 0 exactly where e is.
fn without_positive_factors(facts: &Facts, e: &Expr) -> Expr {
    let common = e.common_monomial();
    let factors = common.factors().iter();
    let positive = factors.filter(|(atom, _)| facts.is_positive(&Expr::atom(atom.clone())));
    let positive = Monomial::from_sorted(positive.cloned().collect());
    if positive.is_one() {
        e.clone()
    } else {
        e * Expr::monomial(positive).reciprocal()
    }
}

/// Simplifies e ≥ 0, or e < 0 if `is_negative`.
fn simplify_sign(facts: &Facts, e: &Expr, is_negative: bool, steps: u32) -> Cond {
    let e = facts.simplify(e);
    let plain = if is_negative {
        Cond::non_negative(&e).negate()
    } else {
        Cond::non_negative(&e)
    };
    // e < 0 is −e > 0.
    let (value, is_strict) = if is_negative {
        (e.neg(), true)
    } else {
        (e, false)
    };
    match rule::first(RULES, facts, &Inequality { value, is_strict }) {
        Some(simpler) if simpler != plain && steps > 0 => {
            simplify_cond_in(facts, &simpler, steps - 1)
        }
        Some(_) | None => plain,
    }
}

/// [`Facts::without_floor`].
pub(crate) fn non_negative_without_floor(facts: &Facts, value: &Expr) -> Option<Cond> {
    let value = value.clone();
    let is_strict = false;
    without_floor(facts, &Inequality { value, is_strict })
}

fn without_floor(facts: &Facts, goal: &Inequality) -> Option<Cond> {
    // Worked example: ⌈n/b⌉ ≥ 2, kept as −⌊−n/b⌋ − 2 ≥ 0. Here x = −n/b, the coefficient is −1
    // and the room is w = −2. −⌊x⌋ + w ≥ 0 holds exactly for x < w + 1, that is n/b − 1 > 0,
    // cleared to n > b. For +⌊x⌋ + w ≥ 0 the condition is x + w ≥ 0, without a slack.
    let (value, is_strict) = (&goal.value, goal.is_strict);
    for term in value.terms() {
        let (monomial, coefficient) = term;
        let mut factors = monomial.factors().iter();
        let Some((floor @ Atom::Floor(x), 1)) =
            factors.find(|(atom, _)| matches!(atom, Atom::Floor(_)))
        else {
            continue;
        };
        let factor = Expr::term(&(monomial.without(floor), coefficient.abs()));
        let rest = value - Expr::term(term);
        // A floor that stands twice would come back in another form.
        if rest.has_atom(&|atom| atom == floor) {
            continue;
        }
        // ⌊x⌋ + rest, or rest − ⌊x⌋.
        let Some(rest) = whole_room(facts, &rest, &factor, is_strict) else {
            continue;
        };
        let cond = if coefficient.is_negative() {
            let room = &rest + 1 - x;
            Cond::gt(&positively_cleared(facts, &room), &Expr::zero())
        } else {
            Cond::ge(&positively_cleared(facts, &(x + &rest)), &Expr::zero())
        };
        return Some(with_whole_bound(facts, cond));
    }
    None
}

/// Returns the whole w such that factor·v + rest ≥ 0 (or > 0) is v + w ≥ 0 for every whole v.
fn whole_room(facts: &Facts, rest: &Expr, factor: &Expr, is_strict: bool) -> Option<Expr> {
    // Divide by the factor and round down: b·v − b − 1 ≥ 0 gives v − 1 − 1/b ≥ 0. The whole terms
    // −1 stay; the fraction −1/b lies in [−1, 0), so its floor is −1 and w = −2: b⌈n/b⌉ ≥ b + 1
    // is ⌈n/b⌉ ≥ 2. Only fractions provably between −1 and 1 are rounded, since more candidates
    // would cost two proofs each.
    let one = Expr::one();
    if factor.is_one() {
        return facts
            .is_integer(rest)
            .then(|| if is_strict { rest - &one } else { rest.clone() });
    }
    if rest.has(Kind::Floor) || !facts.is_positive(factor) {
        return None;
    }
    let room = rest.div(factor)?;
    let (whole, fraction): (Vec<Term>, Vec<Term>) = room
        .terms()
        .iter()
        .cloned()
        .partition(|term| facts.is_integer_by_terms(&Expr::term(term)));
    let (whole, fraction) = (Expr::from_terms(whole), Expr::from_terms(fraction));
    // The largest whole number that is ≤ the fraction, or < it for a strict goal.
    let below = |bound: &Expr| {
        if is_strict {
            Cond::gt(&fraction, bound)
        } else {
            Cond::ge(&fraction, bound)
        }
    };
    let floors = [one.neg(), Expr::zero()];
    let floor = floors.into_iter().find(|floor| {
        facts.proves(&below(floor)) && facts.proves(&below(&(floor + &one)).negate())
    })?;
    Some(&whole + &floor)
}

/// Drops a factor: bx ≥ 1 is x ≥ 1.
fn without_factor(facts: &Facts, goal: &Inequality) -> Option<Cond> {
    // b·x ≥ 1 says x ≥ 1/b, and a whole x is then at least 1. The rounding needs a constant; b·x
    // ≥ 0 has none.
    let (value, is_strict) = (&goal.value, goal.is_strict);
    let constant = Expr::rational(value.constant_term());
    let varying = value - &constant;
    let common = Expr::monomial(varying.common_monomial());
    if constant.is_zero() || common.is_one() {
        return None;
    }
    for (atom, _) in common.terms().first()?.0.factors() {
        let factor = Expr::atom(atom.clone());
        let whole = varying.div(&factor)?;
        if !facts.is_integer(&whole) {
            continue;
        }
        let Some(room) = whole_room(facts, &constant, &factor, is_strict) else {
            continue;
        };
        return Some(Cond::ge(&(&whole + &room), &Expr::zero()));
    }
    None
}

/// Clears the divisors: 1024/b ≥ 2 is b ≤ 512.
fn without_divisor(facts: &Facts, goal: &Inequality) -> Option<Cond> {
    let (value, is_strict) = (&goal.value, goal.is_strict);
    let mut factors = value.terms().iter().flat_map(|(m, _)| m.factors());
    let has_only_divisors = value.as_rational().is_none() && factors.all(|(_, e)| *e < 0);
    let cleared = facts.cleared(value).filter(|_| has_only_divisors)?;
    let content = cleared.content().recip()?;
    let cleared = cleared.scale(&content);
    Some(if is_strict {
        with_whole_bound(facts, Cond::gt(&cleared, &Expr::zero()))
    } else {
        Cond::ge(&cleared, &Expr::zero())
    })
}

/// Drops the extreme from max(…) ≥ r or min(…) ≥ r if all items but one are decided.
fn without_extreme(facts: &Facts, goal: &Inequality) -> Option<Cond> {
    // max(x, y) ≥ r is "x ≥ r or y ≥ r", min(x, y) ≥ r is "and"; a negative coefficient swaps the
    // two. Taken only if a single condition remains, for an alternative is no plainer than the
    // maximum.
    let (value, is_strict) = (&goal.value, goal.is_strict);
    for (monomial, coefficient) in value.terms() {
        let [(atom @ (Atom::Min(items) | Atom::Max(items)), 1)] = monomial.factors() else {
            continue;
        };
        if !coefficient.abs().is_one() {
            continue;
        }
        let rest = value - Expr::term(&(monomial.clone(), coefficient.clone()));
        let each = items.iter().map(|item| {
            let value = &rest + item.scale(coefficient);
            let cond = if is_strict {
                Cond::gt(&value, &Expr::zero())
            } else {
                Cond::ge(&value, &Expr::zero())
            };
            match facts.prove(&cond) {
                Some(true) => Cond::True,
                Some(false) => Cond::False,
                None => with_whole_bound(facts, cond),
            }
        });
        let is_max = matches!(atom, Atom::Max(_));
        let cond = if is_max != coefficient.is_negative() {
            Cond::or(each.collect())
        } else {
            Cond::and(each.collect())
        };
        match cond {
            Cond::Or(_) | Cond::And(_) => continue,
            decided => return Some(decided),
        }
    }
    None
}

/// Writes v > 0 for a whole v as v ≥ 1.
fn with_whole_bound(facts: &Facts, cond: Cond) -> Cond {
    if let Cond::Not(inner) = &cond
        && let Cond::NonNegative(e) = &**inner
        && facts.is_integer(e)
    {
        return Cond::ge(&e.neg(), &Expr::one());
    }
    cond
}

/// Multiplies by the positive denominator, if there is one.
fn positively_cleared(facts: &Facts, value: &Expr) -> Expr {
    facts.cleared(value).unwrap_or_else(|| value.clone())
}

/// Compares x with b^∓k for ±log_b x + k ≥ 0 and a whole k: log2 n − 3 ≥ 0 is n ≥ 8.
fn without_log(facts: &Facts, goal: &Inequality) -> Option<Cond> {
    let (value, is_strict) = (&goal.value, goal.is_strict);
    let constant = value.constant_term();
    let varying = value - Expr::rational(constant.clone());
    let (monomial, coefficient) = varying.as_term()?;
    let [(Atom::Log(base, x), 1)] = monomial.factors() else {
        return None;
    };
    let bound = -constant.checked_div(coefficient)?;
    let exponent = bound
        .to_integer()?
        .to_i32()
        .filter(|k| k.abs() <= MOST_LOG)?;
    if !facts.proves(&Cond::ge(base, &Expr::int(2))) || !facts.is_positive(x) {
        return None;
    }
    let power = base.pow(&Expr::int(exponent.into()));
    let difference = if coefficient.is_negative() {
        &power - x
    } else {
        x - &power
    };
    let difference = positively_cleared(facts, &difference);
    Some(if is_strict {
        with_whole_bound(facts, Cond::gt(&difference, &Expr::zero()))
    } else {
        Cond::ge(&difference, &Expr::zero())
    })
}

/// Squares both sides of a comparison of sqrt(x), x ≥ 0, with a number ≥ 0: sqrt(x) ≥ 3 is x ≥ 9.
fn without_root(facts: &Facts, goal: &Inequality) -> Option<Cond> {
    let constant = goal.value.constant_term();
    let varying = &goal.value - Expr::rational(constant.clone());
    let (monomial, coefficient) = varying.as_term()?;
    let [(Atom::Power(x, exponent), 1)] = monomial.factors() else {
        return None;
    };
    let half = Rational::new(1, 2)?;
    let bound = -constant.checked_div(coefficient)?;
    if exponent.as_rational()? != half || bound.is_negative() || !facts.is_non_negative(x) {
        return None;
    }
    let difference = x - Expr::rational(&bound * &bound);
    let difference = if coefficient.is_negative() {
        difference.neg()
    } else {
        difference
    };
    let difference = positively_cleared(facts, &difference);
    Some(if goal.is_strict {
        with_whole_bound(facts, Cond::gt(&difference, &Expr::zero()))
    } else {
        Cond::ge(&difference, &Expr::zero())
    })
}

/// Compares exponents: b^x ≥ b^y is x ≥ y, and b^x ≥ b^y + 1 between whole numbers is x > y.
fn without_powers(facts: &Facts, goal: &Inequality) -> Option<Cond> {
    let (value, is_strict) = (&goal.value, goal.is_strict);
    if value.is_plain() && facts.known().powers.is_empty() {
        return None;
    }
    let (large, small, is_strict) = two_powers(facts, value, is_strict)?;
    let mut bases = powers::power_bases(facts, &large.0);
    bases.extend(powers::power_bases(facts, &small.0));
    for base in bases {
        let (Some((above, above_sources)), Some((below, below_sources))) = (
            powers::exponent_of(facts, &large, &base),
            powers::exponent_of(facts, &small, &base),
        ) else {
            continue;
        };
        // Between symbols alone the powers read better: n ≥ b, not log2 n ≥ log2 b.
        let is_about_exponents = value.has(Kind::Power);
        if !is_about_exponents || !facts.proves(&Cond::ge(&base, &Expr::int(2))) {
            continue;
        }
        facts.mark_used(&above_sources);
        facts.mark_used(&below_sources);
        let difference = &above - &below;
        return Some(if is_strict {
            with_whole_bound(facts, Cond::gt(&difference, &Expr::zero()))
        } else {
            Cond::ge(&difference, &Expr::zero())
        });
    }
    None
}

/// Splits large − small ≥ 0 (or > 0), and large − small − 1 ≥ 0 between whole numbers, which is
/// strict.
fn two_powers(facts: &Facts, value: &Expr, is_strict: bool) -> Option<(Term, Term, bool)> {
    let negated = |(m, c): &Term| (m.clone(), -c);
    let ordered = |x: &Term, y: &Term| match (x.1.is_negative(), y.1.is_negative()) {
        (false, true) => Some((x.clone(), negated(y))),
        (true, false) => Some((y.clone(), negated(x))),
        _ => None,
    };
    match value.terms() {
        [x, y] => {
            let (large, small) = ordered(x, y)?;
            Some((large, small, is_strict))
        }
        [one, x, y] if one.0.is_one() && one.1 == Rational::from(-1) && !is_strict => {
            let (large, small) = ordered(x, y)?;
            let are_whole =
                facts.is_integer(&Expr::term(&large)) && facts.is_integer(&Expr::term(&small));
            are_whole.then_some((large, small, true))
        }
        _ => None,
    }
}

/// Turns p mod d = c with 0 ≤ c < d, kept as p − d·⌊p/d⌋ − c = 0, into d ∣ p − c.
fn remainder_as_divisor(facts: &Facts, e: &Expr) -> Option<Cond> {
    // Divisibility is what programs assume, so a remainder in this form meets those facts. The
    // range of c matters: p mod 4 = 5 never holds, but 4 ∣ p − 5 does for p = 1.
    for atom in e.atoms() {
        let Atom::Floor(quotient) = &atom else {
            continue;
        };
        let coefficients = e.atom_coefficients(&atom)?;
        let [rest, factor] = &*coefficients else {
            continue;
        };
        let (rest, divisor) = if facts.proves(&Cond::ge(factor, &Expr::one())) {
            (rest.neg(), factor.clone())
        } else {
            (rest.clone(), factor.neg())
        };
        let remainder = quotient * &divisor - &rest;
        let fits = facts.is_integer(&divisor)
            && facts.is_integer(&rest)
            && facts.proves(&Cond::non_negative(&remainder))
            && facts.proves(&Cond::lt(&remainder, &divisor));
        if fits {
            return Some(simplify_divides(facts, &divisor, &rest));
        }
    }
    None
}

fn simplify_divides(facts: &Facts, d: &Expr, e: &Expr) -> Cond {
    let (d, e) = (facts.simplify(d), facts.simplify(e));
    if !facts.is_integer(&d) {
        return Cond::divides(&d, &e);
    }
    // Terms that are multiples of the divisor change nothing: b ∣ n + 3b is b ∣ n.
    let rest: Vec<_> = e
        .terms()
        .iter()
        .filter(|term| {
            let quotient = Expr::term(term).div(&d);
            !quotient.is_some_and(|quotient| facts.is_integer_by_terms(&quotient))
        })
        .cloned()
        .collect();
    Cond::divides(&d, &Expr::from_terms(rest))
}
