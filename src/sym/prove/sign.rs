//! Decides if a value is ≥ 0, or > 0: by the signs of its terms, by a search for a certificate
//! once positive denominators are cleared, or by rules about its floors and powers.

use crate::number::Rational;
use crate::sym::expr::summary::Kind;
use crate::sym::expr::types::{Atom, Term};
use crate::sym::facts::knowledge::Facts;
use crate::sym::prove::bounds;
use crate::sym::prove::decide;
use crate::sym::prove::measure;
use crate::sym::prove::powers;
use crate::sym::prove::search::{Search, Strictness, has_denominator};
use crate::sym::{Cond, Expr};

/// How often a goal is split into cases. Each split at least doubles the searches, so 3 allows 8
/// for goals with two-sided atoms. A goal with four brackets is not proved by cases alone.
const MOST_CASES: u32 = 3;

/// [`Facts::is_non_negative`].
pub(crate) fn is_non_negative(facts: &Facts, value: &Expr) -> bool {
    // From cheap to costly. A point where the value is negative ends it, and a sum of visibly
    // non-negative terms needs no search. The search comes next. The rules after it cover the
    // steps that no certificate over the reals can make, because they use that a value is whole:
    // ⌊x⌋ ≥ w from x ≥ w holds only for a whole w.
    if let Some(number) = value.as_rational() {
        return !number.is_negative();
    }
    if facts.known().models.refute_sign(value, false) {
        return false;
    }
    if is_sum_of_non_negatives(facts, value) {
        return true;
    }
    sign_once(facts, value, Strictness::Weak, || {
        facts.within_proof().is_some_and(|within| {
            within.cleared(value).is_some_and(|cleared| {
                Search::new(&within).succeeds(&cleared, Strictness::Weak, MOST_CASES)
            }) || is_non_negative_when_whole(&within, value)
        }) || is_non_negative_without_floor(facts, value)
            || is_whole_beside_floor(facts, value, Strictness::Weak)
            || is_non_negative_between_floors(facts, value)
            || is_non_negative_as_remainder(facts, value)
            || is_non_negative_beside_power(facts, value)
            || is_multiple_beside_divisor(facts, value)
    })
}

/// Returns true if a bound says outright that the value is below 0.
fn is_below(facts: &Facts, value: &Expr) -> bool {
    let is_negative = value.as_term().is_some_and(|(_, c)| c.is_negative());
    is_negative && facts.is_quickly_positive(&value.neg())
}

/// Decides ⌊x⌋ + w ≥ 0 by x + w ≥ 0, and w − ⌊x⌋ ≥ 0 by w + 1 > x, for a whole w and a single
/// floor.
fn is_whole_beside_floor(facts: &Facts, value: &Expr, strictly: Strictness) -> bool {
    // A whole w may move into the floor: ⌊x⌋ + w = ⌊x + w⌋, which is ≥ 0 exactly if x + w ≥ 0.
    // For w = 2, 2 − ⌊x⌋ ≥ 0 holds up to x < 3, hence w + 1 > x. Two floors would leave a rest
    // that is no polynomial; `is_non_negative_between_floors` has those.
    // Within a proof only one search is affordable. Logarithms have rules of their own.
    if !decide::is_at_leisure(facts) || value.has(Kind::Log) {
        return false;
    }
    let mut terms = value.terms().iter();
    let Some((term, x)) = terms.find_map(|term| match term.0.factors() {
        [(Atom::Floor(x), 1)] if term.1.abs().is_one() => Some((term, x)),
        _ => None,
    }) else {
        return false;
    };
    let rest = value - Expr::term(term);
    if rest.has(Kind::Floor) || !facts.is_integer(&rest) {
        return false;
    }
    // A positive whole number is at least 1.
    let rest = match strictly {
        Strictness::Strict => &rest - 1,
        Strictness::Weak => rest,
    };
    if term.1.is_negative() {
        facts.is_positive(&(&rest + 1 - x))
    } else {
        facts.is_non_negative(&(&rest + x))
    }
}

/// Returns the remembered answer of a search for a sign, or runs the search.
fn sign_once(
    facts: &Facts,
    value: &Expr,
    strictly: Strictness,
    search: impl FnOnce() -> bool,
) -> bool {
    let known = &facts.memory().signs;
    let key = (value.clone(), strictly == Strictness::Strict);
    if let Some((answer, depth)) = known.get(&key)
        && (answer || depth <= facts.nesting().proofs())
    {
        return answer;
    }
    let answer = !is_below(facts, value) && search();
    if answer || decide::failed_with_budget(facts) {
        known.insert(key, (answer, facts.nesting().proofs()));
    }
    answer
}

/// Returns true if every term is a product of factors of known sign with an even number of signs
/// below 0.
fn is_sum_of_non_negatives(facts: &Facts, value: &Expr) -> bool {
    // The signs are guessed from the form first, and proved only if the guess makes every term ≥
    // 0. So a value such as n − ⌊n/b⌋ is left without asking anything. n·⌈n/b⌉ is kept as
    // −n·⌊−n/b⌋: the floor reads as negative, the coefficient too, so the term reads as ≥ 0. It
    // remains to prove n/b ≥ 0 and n ≥ 0.
    let terms = value.terms();
    // A ceiling is kept as −⌊−x⌋.
    let looks_negative = |atom: &Atom| match atom {
        Atom::Floor(x) => x.terms().first().is_some_and(|(_, c)| c.is_negative()),
        _ => false,
    };
    let reads_negative = |(monomial, coefficient): &Term| {
        let factors = monomial.factors().iter();
        let odd = factors.filter(|(atom, exponent)| exponent % 2 != 0 && looks_negative(atom));
        coefficient.is_negative() == (odd.count() % 2 == 0)
    };
    if value.is_plain() || terms.iter().any(reads_negative) {
        return false;
    }
    let least = &measure::prepared(facts).least;
    let mut sources = Vec::new();
    for (atom, exponent) in terms.iter().flat_map(|(m, _)| m.factors()) {
        let is_as_it_looks = match atom {
            _ if exponent % 2 == 0 => true,
            Atom::Symbol(_) => least.get(atom).is_some_and(|(least, source)| {
                sources.push(*source);
                !least.is_negative()
            }),
            Atom::Floor(x) if looks_negative(atom) => facts.proves(&Cond::non_negative(&x.neg())),
            _ => bounds::is_non_negative_atom(facts, atom),
        };
        if !is_as_it_looks {
            return false;
        }
    }
    facts.mark_used(&sources);
    true
}

/// Decides ⌊y⌋ − ⌊x⌋ + w ≥ 0 for a whole w by y − x + w ≥ 0: rounding keeps the order.
fn is_non_negative_between_floors(facts: &Facts, value: &Expr) -> bool {
    let mut whole = value.clone();
    let mut inside = Expr::zero();
    let (mut above, mut below) = (0, 0);
    for (monomial, coefficient) in value.terms() {
        let [(Atom::Floor(x), 1)] = monomial.factors() else {
            continue;
        };
        if coefficient.is_one() {
            above += 1;
        } else if (-coefficient).is_one() {
            below += 1;
        } else {
            continue;
        }
        inside = &inside + x.scale(coefficient);
        whole = &whole - Expr::term(&(monomial.clone(), coefficient.clone()));
    }
    (above, below) == (1, 1)
        && facts.is_integer(&whole)
        && facts.proves(&Cond::non_negative(&(&inside + &whole)))
}

/// Decides a value by 0 ≤ ⌊x⌋ − m⌊x/m⌋ ≤ m − 1 for a whole m ≥ 1: the remainder of a division.
fn is_non_negative_as_remainder(facts: &Facts, value: &Expr) -> bool {
    // ⌊x⌋ − m⌊x/m⌋ is ⌊x⌋ mod m, since ⌊x/m⌋ = ⌊⌊x⌋/m⌋: for x = 11.5 and m = 4 it is 11 − 8 = 3.
    // The value is split as remainder + rest with the remainder ≥ 0, or as (m − 1 − remainder) +
    // rest′. Either rest must be ≥ 0. The floor with coefficient ±1 is the one of x; `divisor` is
    // the factor of the other one.
    let floor_in = |(monomial, coefficient): &Term| {
        let mut factors = monomial.factors().iter();
        let (floor, inner) = factors.find_map(|(atom, exponent)| match (atom, exponent) {
            (Atom::Floor(inner), 1) => Some((Expr::atom(atom.clone()), inner.clone())),
            _ => None,
        })?;
        let term = Expr::term(&(monomial.clone(), coefficient.clone()));
        let times = term.div(&floor)?;
        Some((term, times, inner))
    };
    let floors: Vec<_> = value.terms().iter().filter_map(floor_in).collect();
    let wholes = floors
        .iter()
        .filter(|(_, times, _)| times.as_rational().is_some_and(|it| it.abs().is_one()));
    wholes.into_iter().any(|(one, sign, x)| {
        let is_below = sign.is_one();
        floors.iter().any(|(other, times, part)| {
            let divisor = if is_below { times.neg() } else { times.clone() };
            if one == other || *x != &divisor * part {
                return false;
            }
            let rest = value - one - other;
            let rest = if is_below { rest } else { &rest - &divisor + 1 };
            facts.is_integer(&divisor)
                && facts.proves(&Cond::ge(&divisor, &Expr::one()))
                && facts.proves(&Cond::non_negative(&rest))
        })
    })
}

/// Compares a whole x with a whole power of y by a rounded logarithm of the facts or of the
/// power: x ≥ y^p + 1 is ⌈log_y x⌉ ≥ p + 1, and y^p ≥ x is p ≥ ⌈log_y x⌉.
fn is_non_negative_beside_power(facts: &Facts, value: &Expr) -> bool {
    // The step from powers to exponents is exact for whole numbers: 9 ≥ 2^3 + 1 and ⌈log2 9⌉ = 4
    // ≥ 3 + 1. A search over products cannot take it. `degree` 5 with base 2 stands for log_32;
    // its exponents are fifths of those of 2. In the first case the value is x − y^p − c with c ≤
    // 1, in the second y^p − x + c with c ≥ 0.
    let known = &measure::prepared(facts).logs;
    let mut own = Vec::new();
    value.for_each_atom(&mut |atom| {
        if let Atom::Power(_, exponent) = atom {
            measure::add_rounded_logs(exponent, &mut own);
        }
    });
    let others = own.iter().filter(|log| !known.contains(log));
    let whole = value;
    known.iter().chain(others).any(|log| {
        let (base, x) = (&log.base, &log.argument);
        // Scaled so that the value has x once, and the rest is a power of the base.
        let Some(value) = as_often_as_once(whole, x) else {
            return false;
        };
        let Some(part) = log.degree.recip() else {
            return false;
        };
        let up = Expr::log(base, x).scale(&part).ceil();
        let one = Expr::one();
        let exponent = |power: Expr| {
            let (exponent, sources) = powers::exponent_of(facts, power.as_term()?, base)?;
            Some((exponent.scale(&part), sources))
        };
        let below = without_number(&(x - &value));
        let above = without_number(&(&value + x));
        let (exponent, sources, goal) = match exponent(below.1) {
            Some((exponent, sources)) if below.0 <= Rational::ONE => {
                let goal = &up - &exponent - &one;
                (exponent, sources, goal)
            }
            _ => match exponent(above.1) {
                Some((exponent, sources)) if !above.0.is_negative() => {
                    let goal = &exponent - &up;
                    (exponent, sources, goal)
                }
                _ => return false,
            },
        };
        let Some(facts) = facts.within_comparison(whole) else {
            return false;
        };
        let holds = facts.is_integer(x)
            && facts.is_integer(&exponent)
            && facts.proves(&Cond::ge(base, &Expr::int(2)))
            && facts.proves(&Cond::ge(x, &one))
            && facts.proves(&Cond::non_negative(&exponent))
            && facts.proves(&Cond::non_negative(&goal));
        if holds {
            facts.mark_used(&sources);
        }
        holds
    })
}

/// Splits a sum into its number and the rest.
fn without_number(value: &Expr) -> (Rational, Expr) {
    let mut terms = value.terms().iter();
    let number = terms.find(|(monomial, _)| monomial.is_one());
    let number = number.map_or(Rational::ZERO, |(_, number)| number.clone());
    let rest = value - Expr::rational(number.clone());
    (number, rest)
}

/// Returns a positive multiple of a value in which x stands once, added or subtracted.
fn as_often_as_once(value: &Expr, x: &Expr) -> Option<Expr> {
    let (monomial, own) = x.terms().last()?;
    let mut terms = value.terms().iter();
    let (_, times) = terms.find(|(other, _)| other == monomial)?;
    let once = own.abs().checked_div(&times.abs())?;
    Some(value.scale(&once))
}

/// Decides n − 2^l if 2^l divides n and both are positive: a multiple is at least its divisor.
fn is_multiple_beside_divisor(facts: &Facts, value: &Expr) -> bool {
    // A positive whole quotient is at least 1. Only for values with a power and under some
    // divisibility, since the question if the quotient is whole is costly and otherwise
    // pointless.
    let [one, other] = value.terms() else {
        return false;
    };
    let (multiple, divisor) = match (one.1.is_negative(), other.1.is_negative()) {
        (false, true) => (one, other),
        (true, false) => (other, one),
        _ => return false,
    };
    let has_power = |(monomial, _): &Term| {
        let mut factors = monomial.factors().iter();
        factors.any(|(atom, _)| matches!(atom, Atom::Power(..)))
    };
    if facts.known().divides.is_empty() || !has_power(multiple) && !has_power(divisor) {
        return false;
    }
    let [multiple, divisor] = [Expr::term(multiple), Expr::term(divisor).neg()];
    let quotient = multiple.div(&divisor);
    quotient.is_some_and(|quotient| facts.is_integer(&quotient))
        && facts.is_positive(&multiple)
        && facts.is_positive(&divisor)
}

/// Decides a rounded logarithm against a whole number as the logarithm itself.
fn is_non_negative_without_floor(facts: &Facts, value: &Expr) -> bool {
    let has_log = |atom: &Atom| matches!(atom, Atom::Floor(x) if x.has(Kind::Log));
    value.atoms().iter().any(has_log)
        && facts
            .without_floor(value)
            .is_some_and(|cond| facts.proves(&cond))
}

/// Decides a whole e ≥ 0 by e > −1, that is d·e + d − 1 ≥ 0 for the common denominator d of e and
/// its floors. So ⌊v/b⌋ ≥ i follows from v ≥ ib, and n/b ≥ ⌈v/b⌉ from v ≤ n.
fn is_non_negative_when_whole(facts: &Facts, value: &Expr) -> bool {
    // Worked example: ⌊v/b⌋ − i. The floor has the denominator b, so the goal is b⌊v/b⌋ − ib + b
    // − 1 ≥ 0. The floor's own bound b⌊v/b⌋ ≥ v − b + 1 cancels the floor and leaves v − ib ≥ 0.
    // Without the slack b − 1 the search would need v ≥ ib + b − 1.
    let Some((mut goal, mut denominator)) = bounds::cleared_with(facts, value) else {
        return false;
    };
    let atoms = value.atoms();
    let floors = || {
        atoms.iter().filter_map(|atom| match atom {
            Atom::Floor(x) => Some(x),
            _ => None,
        })
    };
    // With at most two floors a fractional ratio of their denominators is good enough. With more,
    // a denominator only counts as covered by a whole multiple of it.
    let has_few = floors().nth(2).is_none();
    for x in floors() {
        let Some((_, of_floor)) = bounds::fraction(facts, x) else {
            return false;
        };
        let divides = |x: &Expr, y: &Expr| {
            y.div(x).is_some_and(|ratio| {
                let is_whole = has_few || ratio.content().is_integer();
                ratio.is_plain() && !has_denominator(&ratio) && is_whole
            })
        };
        if divides(&of_floor, &denominator) {
            continue;
        }
        let factor = if divides(&denominator, &of_floor) {
            &of_floor * denominator.reciprocal()
        } else {
            of_floor
        };
        goal = &goal * &factor;
        denominator = &denominator * &factor;
    }
    if denominator.is_one() || denominator.terms().len() > 2 || !facts.is_integer(&denominator) {
        return false;
    }
    if !facts.is_integer(value) {
        return false;
    }
    let goal = &goal + &denominator - 1;
    if facts.known().models.refute_sign(&goal, false) {
        return false;
    }
    Search::new(facts).succeeds(&goal, Strictness::Weak, MOST_CASES)
}

/// [`Facts::is_positive`].
pub(crate) fn is_positive(facts: &Facts, value: &Expr) -> bool {
    // A whole value is > 0 exactly if it is ≥ 1, which is a weak goal. The certificate of a weak
    // goal may end in 0, so it is found more often than that of a strict one.
    if let Some(number) = value.as_rational() {
        return number.signum() > 0;
    }
    if facts.known().models.refute_sign(value, true) {
        return false;
    }
    sign_once(facts, value, Strictness::Strict, || {
        is_whole_beside_floor(facts, value, Strictness::Strict)
            || facts.within_proof().is_some_and(|within| {
                within
                    .cleared(value)
                    .is_some_and(|cleared| is_cleared_positive(&within, &cleared))
                    || within.is_integer(value) && is_non_negative_when_whole(&within, &(value - 1))
            })
    })
}

fn is_cleared_positive(facts: &Facts, cleared: &Expr) -> bool {
    if let Some(number) = cleared.as_rational() {
        return number.signum() > 0;
    }
    let scaled = cleared.scale(&cleared.content().recip().unwrap_or(Rational::ONE));
    if facts.is_integer(&scaled) {
        let least = &scaled - 1;
        return Search::new(facts).succeeds(&least, Strictness::Weak, MOST_CASES);
    }
    Search::new(facts).succeeds(&scaled, Strictness::Strict, MOST_CASES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sym::Symbol;

    fn symbols() -> (Facts, [Expr; 4]) {
        let var = |id, name: &str| Expr::symbol(&Symbol::new(id, name));
        let all = [(0, "x"), (1, "m"), (2, "n"), (3, "w")].map(|(id, name)| var(id, name));
        let mut facts = Facts::new();
        for value in &all[1..] {
            facts.assume(&Cond::ge(value, &Expr::one()));
        }
        (facts, all)
    }

    #[test]
    fn what_is_left_of_a_division_is_less_than_the_divisor() {
        let (facts, [x, m, n, w]) = symbols();
        let power = Expr::int(2).pow(&w);
        for divisor in [Expr::int(8), m, power] {
            for by in [Expr::int(4), n.clone()] {
                let digits = x.floor_div(&by).expect("not by 0");
                let digit = digits.modulo(&divisor).expect("not by 0");
                let last = &divisor - 1;
                assert!(facts.proves(&Cond::ge(&digit, &Expr::zero())), "{digit}");
                assert!(facts.proves(&Cond::le(&digit, &last)), "{digit}");
                let less = &last - 1;
                assert!(!facts.proves(&Cond::le(&digit, &less)), "{digit}");
            }
        }
    }

    #[test]
    fn a_whole_number_is_above_a_floor_where_it_is_above_what_is_rounded() {
        let (facts, [x, m, n, w]) = symbols();
        let one = Expr::one();
        // Half of it at most, less 1/m.
        let quotient = n.div(&Expr::int(2).pow(&w)).expect("not by 0");
        let less = (&quotient - m.reciprocal()).floor();
        assert!(facts.proves(&Cond::ge(&n, &(&less + &one))));
        assert!(!facts.proves(&Cond::ge(&n, &(&less + 2))));
        let whole = x.div(&m).expect("not by 0").floor();
        let from_m = facts.with(&Cond::ge(&x, &(&m * &n)));
        assert!(from_m.proves(&Cond::ge(&whole, &n)));
        assert!(!from_m.proves(&Cond::ge(&whole, &(&n + &one))));
        let to_m = facts.with(&Cond::lt(&x, &(&m * &n)));
        assert!(to_m.proves(&Cond::gt(&n, &whole)));
    }

    #[test]
    fn a_rounded_logarithm_says_which_powers_are_below() {
        let (facts, [_, _, n, _]) = symbols();
        let two = Expr::int(2);
        let up = Expr::log(&two, &n).ceil();
        let (power, half) = (two.pow(&up), two.pow(&(&up - 1)));
        let double = n.scale(&2.into());
        assert!(facts.proves(&Cond::ge(&power, &n)));
        assert!(!facts.proves(&Cond::ge(&power, &(&n + 1))));
        let from_two = facts.with(&Cond::ge(&n, &two));
        assert!(from_two.proves(&Cond::ge(&n, &(&half + 1))));
        assert!(from_two.proves(&Cond::le(&power, &(&double - &two))));
        assert!(!from_two.proves(&Cond::le(&power, &(&double - 3))));
        assert!(!from_two.proves(&Cond::ge(&n, &(&half + &two))));
    }
}
