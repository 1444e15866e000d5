//! Whether an index lies in its extent, wherever it is used.

use crate::number::Rational;
use crate::safety::digits::{self, Digits};
use crate::safety::numbered::{Numbered, divides_number};
use crate::safety::site::{Ask, Index, Place};
use crate::safety::verdict::{Lack, Reason, Rule, Verdict};
use crate::sym::{Cond, Expr, Facts, Symbol};

/// The most multiples of powers that one guard is held against.
const MOST_LOWERED: usize = 2;

/// How often indices are taken apart.
const MOST_DIGITS: u32 = 3;

/// Whether `0 ≤ index < extent` at a place.
pub(crate) fn within(index: &Expr, extent: &Expr, place: &Place) -> Verdict {
    between(index, &Expr::zero(), &(extent - 1), place)
}

/// Whether `low ≤ value ≤ high` at a place.
pub(crate) fn between(value: &Expr, low: &Expr, high: &Expr, place: &Place) -> Verdict {
    let mut sides = [(low, value), (value, high)].into_iter();
    let Some((less, more)) = sides.find(|(less, more)| !never_negative(&(*more - *less), place))
    else {
        return Verdict::Proved(rule(value, place));
    };
    if is_never_reached(place) {
        return Verdict::Proved(Rule::Never);
    }
    Verdict::Open(if place.words.iter().any(|word| value.contains(word)) {
        Reason::Data
    } else {
        Reason::Unproved(Lack::Order([less.clone(), more.clone()]))
    })
}

fn rule(value: &Expr, place: &Place) -> Rule {
    if place.words.iter().any(|word| value.contains(word)) {
        return Rule::DeclaredRange;
    }
    let is_range = |cond: &Cond| {
        place.indices.iter().any(|index| {
            let symbol = Expr::symbol(&index.symbol);
            [
                Cond::ge(&symbol, &index.low),
                Cond::le(&symbol, &index.high),
            ]
            .contains(cond)
        })
    };
    let symbols = value.symbols();
    let speaks = |cond: &Cond| !cond.symbols().is_disjoint(&symbols);
    if place
        .guards
        .iter()
        .any(|guard| !is_range(guard) && speaks(guard))
    {
        Rule::Guard
    } else {
        Rule::AffineRange
    }
}

/// Whether a value is never negative at a place.
pub(crate) fn never_negative(value: &Expr, place: &Place) -> bool {
    is_known_by_a_guard(value, place)
        || {
            place.begin(Ask::Question);
            never_negative_as_it_stands(value, place) || is_above_a_guard(value, place)
        }
        || {
            place.begin(Ask::Digits);
            let is_proved = is_never_negative_by_number(value, place)
                || is_never_negative_by_digits(value, place, MOST_DIGITS);
            place.begin(Ask::Question);
            is_proved
        }
}

/// The same with no index taken apart.
pub(crate) fn never_negative_as_it_stands(value: &Expr, place: &Place) -> bool {
    is_never_negative(value, &place.indices, &place.facts)
}

/// As [`is_above_a_guard`], with little work, of guards that leave less to prove than the value itself.
fn is_known_by_a_guard(value: &Expr, place: &Place) -> bool {
    place.begin(Ask::Guard);
    let facts = &place.facts;
    let mut known = place.guards.iter().flat_map(|guard| said_by(guard, facts));
    known.any(|known| {
        let left = value - &known;
        let is_less = left.symbols().len() < value.symbols().len();
        is_less
            && (facts.proves(&Cond::non_negative(&left))
                || facts.is_non_negative_beside_powers(&left))
    })
}

/// Whether a value is no less than what a guard says is never negative: d - 2, under 1 ≤ u and 1 ≤ d - u.
fn is_above_a_guard(value: &Expr, place: &Place) -> bool {
    let symbols = value.symbols();
    let facts = &place.facts;
    let known = place.guards.iter().flat_map(|guard| said_by(guard, facts));
    let mut known = known.flat_map(|known| {
        let lowered = lowered_by_powers(&known, facts);
        std::iter::once(known).chain(lowered)
    });
    known.any(|known| {
        let speaks = !known.symbols().is_disjoint(&symbols);
        let goal = Cond::ge(value, &known);
        speaks && !facts.fails(&goal).contains(&true) && facts.proves(&goal)
    })
}

/// What is never negative beside x where x + 1 > 0: x + 1 - 2^s, if 2^s divides x + 1. Of b - 1 - 2^s·j that is
/// b - 2^s·(j + 1), where b is a power of 2 and no less than 2^s.
///
/// Theorem: a positive multiple of c is no less than c.
fn lowered_by_powers(known: &Expr, facts: &Facts) -> Vec<Expr> {
    let above = facts.simplify(&(known + 1));
    let above = facts.cleared(&above).unwrap_or(above);
    let mut lowered = Vec::new();
    for step in above.powers_of_terms() {
        let is_new = step.is_power_of_two() && !step.is_one() && lowered.len() < MOST_LOWERED;
        let times = above.div(&step).filter(|_| is_new);
        if times.is_some_and(|times| facts.is_integer(&times)) && facts.is_positive(&step) {
            let less = &above - &step;
            if !lowered.contains(&less) {
                lowered.push(less);
            }
        }
    }
    lowered
}

/// What a condition says is never negative.
fn said_by(cond: &Cond, facts: &Facts) -> Vec<Expr> {
    match cond {
        Cond::And(parts) => parts.iter().flat_map(|part| said_by(part, facts)).collect(),
        _ => facts.said_by(cond).into_iter().collect(),
    }
}

/// The same where the indices are taken apart, where values or guards speak of their digits.
fn is_never_negative_by_digits(value: &Expr, place: &Place, more: u32) -> bool {
    let facts = &place.facts;
    let goal = Cond::ge(value, &Expr::zero());
    if more == 0 || facts.is_exhausted() || facts.fails(&goal).contains(&true) {
        return false;
    }
    let indices = place.indices.iter().rev();
    let indices = indices.filter(|index| value.contains(&index.symbol));
    let mut digits = indices.flat_map(|index| {
        let widths = digits::widths(std::slice::from_ref(value), place, &index.symbol);
        widths.into_iter().map(move |width| (index, width))
    });
    digits.any(|(index, width)| {
        let higher = facts.unspoken(&index.symbol, &[value, &width]);
        let lower = facts.unspoken(&index.symbol, &[value, &width, &Expr::symbol(&higher)]);
        let Some(digits) = Digits::new(place, index, &width, [higher, lower]) else {
            return false;
        };
        let value = digits.of(value);
        never_negative_as_it_stands(&value, &digits.place)
            || is_never_negative_by_digits(&value, &digits.place, more - 1)
    })
}

/// The same where cores are numbered through all MPs, if a value speaks of what that number is divided by.
fn is_never_negative_by_number(value: &Expr, place: &Place) -> bool {
    let facts = &place.facts;
    let goal = Cond::ge(value, &Expr::zero());
    if !divides_number(value, place) || facts.fails(&goal).contains(&true) {
        return false;
    }
    let Some(core) = place.core() else {
        return false;
    };
    let number = facts.unspoken(&core.symbol, &[value]);
    let numbered = Numbered::new(place, number);
    numbered.is_some_and(|numbered| match numbered.of(value) {
        Some(value) => {
            never_negative_as_it_stands(&value, &numbered.place)
                || is_never_negative_by_digits(&value, &numbered.place, MOST_DIGITS)
        }
        None => false,
    })
}

/// Whether a value is never negative while indices run through their ranges.
pub(crate) fn is_never_negative(value: &Expr, indices: &[Index], facts: &Facts) -> bool {
    let zero = Expr::zero();
    let goal = Cond::ge(value, &zero);
    if facts.fails(&goal).contains(&true) {
        return false;
    }
    if facts.proves(&goal) {
        return true;
    }
    if below_a_whole(value, facts).is_some_and(|goal| facts.proves(&goal)) {
        return true;
    }
    if is_whole_above_minus_one(value, facts) {
        return true;
    }
    match least(value, indices, facts) {
        Some(least) => facts.proves(&Cond::ge(&least, &zero)),
        None => false,
    }
}

/// True if a value is c·x with a whole x > -1 and c > 0: n - 1 - x under x < n, 2^m - 2x - 2 under 2x < 2^m.
fn is_whole_above_minus_one(value: &Expr, facts: &Facts) -> bool {
    let content = value.content().max(Rational::ONE);
    let Some(part) = Rational::ONE.checked_div(&content) else {
        return false;
    };
    let above = value + Expr::rational(content);
    facts.proves(&Cond::gt(&above, &Expr::zero())) && facts.is_integer(&value.scale(&part))
}

/// w - ⌊x⌋ ≥ 0 as x < w + 1, where w is whole: ⌊n/2⌋ < n, as n/2 is, where n ≥ 1.
fn below_a_whole(value: &Expr, facts: &Facts) -> Option<Cond> {
    let value = facts.simplify(value);
    let (floor, x) = value.subtracted_floor()?;
    let above = &value + &floor + 1;
    facts.is_integer(&above).then(|| Cond::lt(&x, &above))
}

/// The least value over the ranges of the indices it is linear in, or in which a single floor is, innermost first;
/// `None` where there is none of them with a slope of known sign.
fn least(value: &Expr, indices: &[Index], facts: &Facts) -> Option<Expr> {
    let mut value = facts.simplify(value);
    let mut is_changed = false;
    let zero = Expr::zero();
    for index in indices.iter().rev() {
        if !value.contains(&index.symbol) {
            continue;
        }
        let slope = match value.linear_in(&index.symbol) {
            Some([_, slope]) => slope,
            None => match slope_of_floor(&value, &index.symbol) {
                Some(slope) => slope,
                None => continue,
            },
        };
        let end = if facts.proves(&Cond::ge(&slope, &zero)) {
            &index.low
        } else if facts.proves(&Cond::le(&slope, &zero)) {
            &index.high
        } else {
            continue;
        };
        value = facts.simplify(&value.substitute(&index.symbol, end));
        is_changed = true;
    }
    is_changed.then_some(value)
}

/// What has the sign that `rest + factor·⌊x⌋` goes by as an index grows, x linear in it and nothing else with it.
fn slope_of_floor(value: &Expr, index: &Symbol) -> Option<Expr> {
    let (rest, factor, inner) = value.around_floor(index)?;
    let [_, slope] = inner.linear_in(index)?;
    (!rest.contains(index)).then(|| &factor * &slope)
}

/// Whether what is known at a place contradicts itself, so that nothing happens there.
pub(crate) fn is_never_reached(place: &Place) -> bool {
    if place.guards.contains(&Cond::False) {
        return true;
    }
    if place.facts.are_met() {
        return false;
    }
    place
        .indices
        .iter()
        .any(|index| place.facts.proves(&Cond::lt(&index.high, &index.low)))
        || place.guards.iter().enumerate().any(|(number, guard)| {
            let before = &place.guards[..number];
            let symbols = guard.symbols();
            before.iter().any(|other| {
                !other.symbols().is_disjoint(&symbols) && *other == guard.clone().not()
            })
        })
}
