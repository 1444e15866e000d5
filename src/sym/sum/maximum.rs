//! The largest value of an expression over a range of whole numbers, if it is provable.

use crate::number::Rational;
use crate::sym::expr::types::Atom;
use crate::sym::facts::knowledge::Facts;
use crate::sym::sum::range::Range;
use crate::sym::{Cond, Expr, Symbol};
use num_traits::ToPrimitive;

/// How often a range may be split. Each split makes two or more parts, and each part is
/// simplified under its own facts, so five splits make 32 parts or more.
const MOST_SPLITS: u32 = 5;
/// The most residue classes treated one by one, each under facts of its own. With 16 a bracket on
/// multiples of 32 is not split.
const MOST_CLASSES: i64 = 16;

/// The largest value over a part of the range, and the condition that the part is not empty.
struct Part {
    exists: Cond,
    value: Expr,
}

/// [`Facts::maximum`].
pub(crate) fn maximum(
    facts: &Facts,
    variable: &Symbol,
    low: &Expr,
    high: &Expr,
    body: &Expr,
) -> Option<Expr> {
    if facts.is_exhausted() {
        return None;
    }
    let range = Range {
        variable: variable.clone(),
        low: facts.simplify(low),
        high: facts.simplify(high),
    };
    let inside = facts.with(&Cond::ge(&range.high, &range.low));
    maximum_of_range(&inside, &range, body, MOST_SPLITS).map(|value| inside.simplify(&value))
}

fn maximum_of_range(facts: &Facts, range: &Range, body: &Expr, splits: u32) -> Option<Expr> {
    // Order: constant, monotone (one end), then cases. Cases multiply work, so they come last and
    // within `splits`. Convexity comes after brackets, because within one case an expression
    // without its bracket is often monotone.
    if range.low == range.high {
        return Some(facts.simplify(&body.substitute(&range.variable, &range.low)));
    }
    let body = facts.with(&range.inside()).simplify(body);
    if !body.contains(&range.variable) {
        return Some(body);
    }
    if let Some(end) = monotone_end(facts, range, &body) {
        return Some(facts.simplify(&body.substitute(&range.variable, &end)));
    }
    let left = splits.checked_sub(1)?;
    if let Some(value) = maximum_of_items(facts, range, &body, left) {
        return Some(value);
    }
    let parts = parts_by_ends(facts, range, &body, left)
        .or_else(|| parts_by_bracket(facts, range, &body, left))
        .or_else(|| parts_by_convexity(facts, range, &body))?;
    largest(facts, parts)
}

/// Takes the maximum of each item: the largest value of max(x, y) is the larger of the two
/// maxima.
fn maximum_of_items(facts: &Facts, range: &Range, body: &Expr, splits: u32) -> Option<Expr> {
    // Exact only if nothing else moves with the variable: max(v, 3) + (5 − v) must not take v and
    // 5 − v at different places. Hence one moving atom and a factor and rest free of the
    // variable.
    let atoms = body.atoms();
    let mut moving = atoms.iter().filter(|atom| atom.contains(&range.variable));
    let (Some(atom @ Atom::Max(items)), None) = (moving.next(), moving.next()) else {
        return None;
    };
    let coefficients = body.atom_coefficients(atom)?;
    let [rest, factor] = &*coefficients else {
        return None;
    };
    if !facts.is_non_negative(factor) {
        return None;
    }
    let each: Option<Vec<Expr>> = items
        .iter()
        .map(|item| maximum_of_range(facts, range, item, splits))
        .collect();
    Some(rest + (factor * Expr::max(each?)))
}

/// Returns the end at which a monotone expression is largest.
fn monotone_end(facts: &Facts, range: &Range, body: &Expr) -> Option<Expr> {
    // The difference f(v + 1) − f(v) is asked for low ≤ v < high only: beyond the range its sign
    // does not matter, and the facts of the range often decide it.
    let variable = Expr::symbol(&range.variable);
    let one = Expr::one();
    let steps = range.with(&range.low, &(&range.high - &one));
    let inside = facts.with(&steps.inside());
    let next = body.substitute(&range.variable, &(&variable + &one));
    let difference = inside.simplify(&(&next - body));
    if inside.proves(&Cond::non_negative(&difference)) {
        Some(range.high.clone())
    } else if inside.proves(&Cond::le(&difference, &Expr::zero())) {
        Some(range.low.clone())
    } else {
        None
    }
}

/// Splits off the last or the first value if the others are simpler without it.
fn parts_by_ends(facts: &Facts, range: &Range, body: &Expr, splits: u32) -> Option<Vec<Part>> {
    // min(b, n − v·b) over the blocks of a vector is b for all but the last one. Without the last
    // block the minimum is decided, and the rest is constant.
    let one = Expr::one();
    let but_last = range.with(&range.low, &(&range.high - &one));
    let but_first = range.with(&(&range.low + &one), &range.high);
    for (rest, end) in [(but_last, &range.high), (but_first, &range.low)] {
        let interior = facts.with(&rest.inside()).simplify(body);
        if dependent_atoms(&interior, &range.variable) >= dependent_atoms(body, &range.variable) {
            continue;
        }
        let of_end = facts.simplify(&body.substitute(&range.variable, end));
        let exists = Cond::ge(&rest.high, &rest.low);
        let of_rest = part(facts, &rest, exists, &interior, splits)?;
        return Some(vec![
            Part {
                exists: Cond::True,
                value: of_end,
            },
            of_rest,
        ]);
    }
    None
}

fn part(facts: &Facts, range: &Range, exists: Cond, body: &Expr, splits: u32) -> Option<Part> {
    if facts.prove(&exists) == Some(false) {
        return Some(Part {
            exists: Cond::False,
            value: Expr::zero(),
        });
    }
    let value = maximum_of_range(&facts.with(&exists), range, body, splits)?;
    Some(Part { exists, value })
}

/// Splits the range at the value where a bracket changes, or into residue classes.
fn parts_by_bracket(facts: &Facts, range: &Range, body: &Expr, splits: u32) -> Option<Vec<Part>> {
    for atom in body.atoms() {
        let cond = match &atom {
            Atom::Bracket(cond) if atom.contains(&range.variable) => cond.clone(),
            _ => continue,
        };
        let parts = match &*cond {
            Cond::NonNegative(e) => parts_at(facts, range, e, &atom, body, splits, true),
            Cond::Not(inner) => match &**inner {
                Cond::NonNegative(e) => parts_at(facts, range, e, &atom, body, splits, false),
                _ => None,
            },
            Cond::Divides(d, _) => parts_by_class(facts, range, d, body, splits),
            Cond::Zero(e) => parts_around(facts, range, e, &atom, body, splits),
            Cond::True | Cond::False | Cond::PowerOf(..) | Cond::And(_) | Cond::Or(_) => None,
        };
        if parts.is_some() {
            return parts;
        }
    }
    None
}

/// Splits at offset + slope·v ≥ 0, which holds from some value on, or up to it.
fn parts_at(
    facts: &Facts,
    range: &Range,
    e: &Expr,
    atom: &Atom,
    body: &Expr,
    splits: u32,
    when_holding: bool,
) -> Option<Vec<Part>> {
    // v ≥ 3 over 0..n − 1: the bracket is 1 on max(0, 3)..n − 1 and 0 on 0..min(n − 1, 2). Either
    // part may be empty, which `exists` states. A slope of unknown sign would not tell which side
    // holds.
    let [offset, slope] = e.linear_in(&range.variable)?;
    let crossing = offset.neg().div(&slope)?;
    let one = Expr::one();
    let (holding, failing) = if facts.is_positive(&slope) {
        let first = facts.simplify(&crossing.ceil());
        (
            range.with(
                &Expr::max(vec![range.low.clone(), first.clone()]),
                &range.high,
            ),
            range.with(
                &range.low,
                &Expr::min(vec![range.high.clone(), &first - &one]),
            ),
        )
    } else if facts.is_positive(&slope.neg()) {
        let last = facts.simplify(&crossing.floor());
        (
            range.with(
                &range.low,
                &Expr::min(vec![range.high.clone(), last.clone()]),
            ),
            range.with(
                &Expr::max(vec![range.low.clone(), &last + &one]),
                &range.high,
            ),
        )
    } else {
        return None;
    };
    [(holding, when_holding), (failing, !when_holding)]
        .into_iter()
        .map(|(range, is_one)| {
            let value = Expr::int(is_one.into());
            let body = body.replace(&|other| (other == atom).then(|| value.clone()));
            let range = range.with(&facts.simplify(&range.low), &facts.simplify(&range.high));
            let exists = Cond::ge(&range.high, &range.low);
            part(facts, &range, exists, &body, splits)
        })
        .collect()
}

/// Splits at an equation, where a single value stands out.
fn parts_around(
    facts: &Facts,
    range: &Range,
    e: &Expr,
    atom: &Atom,
    body: &Expr,
    splits: u32,
) -> Option<Vec<Part>> {
    let [offset, slope] = e.linear_in(&range.variable)?;
    // With slope 0 all values or none would stand out.
    if !facts.is_positive(&slope) && !facts.is_positive(&slope.neg()) {
        return None;
    }
    let at = facts.simplify(&offset.neg().div(&slope)?);
    if !facts.is_integer(&at) {
        return None;
    }
    let off = body.replace(&|other| (other == atom).then(Expr::zero));
    let below = range.with(
        &range.low,
        &facts.simplify(&Expr::min(vec![range.high.clone(), &at - 1])),
    );
    let above = range.with(
        &facts.simplify(&Expr::max(vec![range.low.clone(), &at + 1])),
        &range.high,
    );
    let here = Cond::and(vec![Cond::ge(&at, &range.low), Cond::le(&at, &range.high)]);
    let on = body.replace(&|other| (other == atom).then(Expr::one));
    let mut parts = vec![Part {
        value: facts
            .with(&here)
            .simplify(&on.substitute(&range.variable, &at)),
        exists: here,
    }];
    for rest in [below, above] {
        let exists = Cond::ge(&rest.high, &rest.low);
        parts.push(part(facts, &rest, exists, &off, splits)?);
    }
    if let [here, below, above] = &*parts
        && below.value == above.value
        && facts.prove(&here.exists) == Some(true)
    {
        // Another value exists exactly if the range has two, on whichever side it lies. One part
        // instead of two saves a case.
        let others = Part {
            exists: Cond::ge(&range.high, &(&range.low + 1)),
            value: below.value.clone(),
        };
        parts.truncate(1);
        parts.push(others);
    }
    Some(parts)
}

/// Splits into v = d·u + c for each class c of a small number d.
fn parts_by_class(
    facts: &Facts,
    range: &Range,
    d: &Expr,
    body: &Expr,
    splits: u32,
) -> Option<Vec<Part>> {
    let divisor = d
        .as_integer()?
        .to_i64()
        .filter(|d| (2..=MOST_CLASSES).contains(d))?;
    // u needs a fresh name: facts about v are not facts about u.
    let variable = facts.unspoken(&range.variable, &[&range.low, &range.high, body]);
    let quotient = Expr::symbol(&variable);
    let fraction = Rational::new(1, divisor)?;
    (0..divisor)
        .map(|class| {
            let class = Expr::int(class);
            let value = quotient.scale(&divisor.into()) + &class;
            let low = (&range.low - &class).scale(&fraction).ceil();
            let high = (&range.high - &class).scale(&fraction).floor();
            let body = body.substitute(&range.variable, &value);
            let range = Range {
                variable: variable.clone(),
                low: facts.simplify(&low),
                high: facts.simplify(&high),
            };
            let exists = Cond::ge(&range.high, &range.low);
            part(facts, &range, exists, &body, splits)
        })
        .collect()
}

/// Takes both ends of a convex expression.
fn parts_by_convexity(facts: &Facts, range: &Range, body: &Expr) -> Option<Vec<Part>> {
    // f(v + 2) − 2f(v + 1) + f(v) ≥ 0 makes the steps of f rise, so f falls and then grows: no
    // inner value exceeds both ends. v² − 6v over 0..5 has 0 and −5 at the ends, −9 inside.
    let variable = Expr::symbol(&range.variable);
    let shifted = |by: i64| body.substitute(&range.variable, &(&variable + Expr::int(by)));
    let second = shifted(2) - shifted(1).scale(&2.into()) + body;
    let inside = facts.with(&range.inside());
    if !inside.proves(&Cond::non_negative(&inside.simplify(&second))) {
        return None;
    }
    let ends = [&range.low, &range.high].into_iter().map(|end| Part {
        exists: Cond::True,
        value: facts.simplify(&body.substitute(&range.variable, end)),
    });
    Some(ends.collect())
}

/// Returns the largest value over all parts that exist. A part that may be missing counts with
/// its bracket, which is right if no value is negative.
fn largest(facts: &Facts, parts: Vec<Part>) -> Option<Expr> {
    // If every part may be missing and a value may be negative, value·[exists] would be 0 for a
    // missing part, and 0 would beat the true maximum −5. Such cases give `None`.
    let mut values: Vec<Expr> = Vec::new();
    let mut maybe: Vec<Part> = Vec::new();
    let mut all_non_negative = true;
    for part in parts {
        let exists = facts.simplify_cond(&part.exists);
        all_non_negative &= facts.with(&part.exists).is_non_negative(&part.value);
        match exists {
            Cond::False => {}
            Cond::True => values.push(part.value),
            exists => maybe.push(Part { exists, ..part }),
        }
    }
    if values.is_empty() && maybe.is_empty() || !maybe.is_empty() && !all_non_negative {
        return None;
    }
    // A part that may be missing is merged into the certain value if it is larger wherever it
    // exists.
    let mut value = (!values.is_empty()).then(|| facts.simplify(&Expr::max(values)));
    let mut others = Vec::new();
    for part in maybe {
        let known = value.as_ref().map(|value| raised_by(facts, value, &part));
        match known {
            Some(Some(larger)) => value = Some(larger),
            Some(None) | None => others.push(&part.value * Expr::bracket(part.exists)),
        }
    }
    let items: Vec<Expr> = value.into_iter().chain(others).collect();
    Some(facts.simplify(&Expr::max(items)))
}

/// Returns the value, raised to the part's value where the part exists. `None` unless the part is proved to be at
/// least the value there.
fn raised_by(facts: &Facts, value: &Expr, part: &Part) -> Option<Expr> {
    let there = facts.with(&part.exists);
    if !there.proves(&Cond::ge(&part.value, value)) {
        return None;
    }
    let elsewhere = facts.with(&part.exists.clone().negate()).simplify(value);
    let here = there.simplify(&part.value) - &elsewhere;
    let more = &here * Expr::bracket(part.exists.clone());
    Some(facts.simplify(&(&elsewhere + &more)))
}

fn dependent_atoms(body: &Expr, variable: &Symbol) -> usize {
    body.atoms()
        .iter()
        .filter(|atom| !matches!(atom, Atom::Symbol(_)) && atom.contains(variable))
        .count()
}
