//! What an expression is nowhere above, in plain terms: names, their quotients, powers and logarithms,
//! without floors, brackets, extremes and unsolved sums. Crude where it must be, and always short.
//!
//! Every atom lies between two plain values that are not negative; terms with a plus take the upper
//! one, terms with a minus the lower one, and what is left with a minus is dropped.

use std::cmp::Reverse;

use crate::number::Rational;
use crate::sym::expr::types::{Atom, Monomial, Sum, Term};
use crate::sym::facts::knowledge::Facts;
use crate::sym::prove::bounds;
use crate::sym::{Cond, Expr, Symbol, SymbolKind};
use rustc_hash::FxHashMap;

/// What may be tried for one bound, whatever was spent on the form that it stands for.
const WORK: u64 = 20_000;
/// Expressions inside expressions; deeper ones have no plain bound.
const DEEPEST: u32 = 24;
/// Terms that are compared with each other when a bound is made shorter.
const MOST_COMPARED: usize = 24;
/// Terms of a bound that a person takes in at a glance.
const FEW: usize = 4;
/// More of them, where each would make a term that it joins more than twice as large.
const MORE: usize = 1;
/// Terms of a bound at most, where sizes say how they compare.
const MOST_SHOWN: usize = 7;

/// Two plain values, neither negative, that the magnitude of an atom lies between.
struct Ends {
    low: Expr,
    high: Expr,
}

/// Of a value whose magnitude is bounded.
#[derive(Clone, Copy)]
enum Sign {
    Plus,
    Minus,
    /// Not known.
    Either,
}

impl Sign {
    fn times(self, other: Sign) -> Sign {
        match (self, other) {
            (Sign::Plus, sign) | (sign, Sign::Plus) => sign,
            (Sign::Minus, Sign::Minus) => Sign::Plus,
            (Sign::Either, _) | (_, Sign::Either) => Sign::Either,
        }
    }
}

/// [`Facts::above`].
pub(crate) fn above(facts: &Facts, expr: &Expr, slow: Option<&Symbol>) -> Option<Expr> {
    let bounding = Bounding { slow };
    let settled = bounding.without_common_extremes(&facts.with_work(WORK), expr);
    let facts = facts.with_work(WORK);
    let above = bounding.above(&facts, &settled, 0)?;
    Some(shortened(&facts, above))
}

/// Floors and brackets that are taken out of one sum.
const MOST_ROUNDED: usize = 12;
/// Powers of a floor that are rounded.
const HIGHEST_POWER: i32 = 3;

/// [`Facts::unrounded_above`].
pub(crate) fn unrounded_above(facts: &Facts, expr: &Expr) -> Option<Expr> {
    let facts = &facts.with_work(WORK);
    let mut value = expr.clone();
    for _ in 0..=MOST_ROUNDED {
        // What has others inside comes first, floors of what is left last.
        let atoms = value.atoms().into_iter();
        let rounded = atoms.filter_map(|atom| Some((order_of_rounding(&atom)?, atom)));
        let Some((_, atom)) = rounded.min_by_key(|(order, _)| *order) else {
            return Some(value);
        };
        let parts = by_powers(&value, &atom)?;
        value = match &atom {
            Atom::Bracket(cond) => without_bracket(facts, &parts, cond)?,
            Atom::Min(items) | Atom::Max(items) => with_an_item(facts, &parts, &atom, items)?,
            Atom::Floor(x) => unrounded(facts, &parts, x)?,
            _ => return None,
        };
    }
    None
}

/// When an atom is rounded; `None` of those that stay.
fn order_of_rounding(atom: &Atom) -> Option<u32> {
    match atom {
        Atom::Bracket(_) => Some(0),
        // Those of plain items add up well as they are.
        Atom::Min(items) | Atom::Max(items) => items.iter().any(is_rounded).then_some(1),
        Atom::Floor(_) => Some(2),
        _ => None,
    }
}

/// Whether there is something to round at the top of an expression.
fn is_rounded(expr: &Expr) -> bool {
    let atoms = expr.atoms();
    atoms.iter().any(|atom| order_of_rounding(atom).is_some())
}

/// A sum with the plainest item in the place of a minimum, or of a maximum that is taken away.
fn with_an_item(facts: &Facts, parts: &[Expr], atom: &Atom, items: &[Expr]) -> Option<Expr> {
    let [rest, factor] = parts else {
        return None;
    };
    let is_above = match atom {
        Atom::Min(_) => facts.is_non_negative(factor),
        _ => facts.is_non_negative(&factor.neg()),
    };
    let item = plainest(items, None);
    item.filter(|_| is_above)
        .map(|item| rest.add(&factor.mul(item)))
}

/// Of some expressions the one all of whose symbols, but for one that grows slowly, are in all others; of several such
/// that which grows slowest. Where there is none, the one without the symbols that come first, for sizes are named
/// before what is small beside them: 2r + 1 of min(n, 2r + 1). Or the shortest.
fn plainest<'e>(some: &'e [Expr], slow: Option<&Symbol>) -> Option<&'e Expr> {
    let is_of_fewest = |value: &&Expr| {
        let symbols = value.symbols_inside();
        let mut symbols = symbols.iter().filter(|symbol| Some(*symbol) != slow);
        symbols.all(|symbol| some.iter().all(|other| other.contains(symbol)))
    };
    let fewest = some.iter().filter(is_of_fewest);
    fewest
        .min_by_key(|value| (value.pace(slow), value.length()))
        .or_else(|| {
            let first_named = |value: &Expr| {
                let symbols = value.symbols_inside().into_iter();
                // How large a variable of a loop is shows only later.
                let rank = |symbol: Symbol| (symbol.id.kind == SymbolKind::Parameter, symbol.id);
                let ranks = symbols.filter(|symbol| Some(symbol) != slow).map(rank);
                ranks.min().filter(|_| slow.is_some())
            };
            some.iter()
                .min_by_key(|value| (Reverse(first_named(value)), value.length()))
        })
}

/// What stands beside each power of an atom, from the zeroth on.
fn by_powers(value: &Expr, atom: &Atom) -> Option<Vec<Expr>> {
    let mut parts: Vec<Vec<Term>> = Vec::new();
    for (monomial, coefficient) in value.terms() {
        let exponent = monomial.exponent(atom);
        if !(0..=HIGHEST_POWER).contains(&exponent) {
            return None;
        }
        let at = usize::try_from(exponent).ok()?;
        parts.resize(parts.len().max(at + 1), Vec::new());
        parts[at].push((monomial.without(atom), coefficient.clone()));
    }
    Some(parts.into_iter().map(Expr::from_terms).collect())
}

/// A sum without the bracket of a condition, where it is known which of both values is no less.
fn without_bracket(facts: &Facts, parts: &[Expr], cond: &Cond) -> Option<Expr> {
    let (rest, powers) = parts.split_first()?;
    let factor = powers.iter().fold(Expr::zero(), |sum, part| sum.add(part));
    // Where it holds there is nothing to compare; where it fails, the factor may have no value.
    let mut fails = facts.clone();
    fails.suppose(&cond.clone().not());
    if fails.always_have_value(&factor) && fails.is_non_negative(&factor) {
        return Some(rest.add(&factor));
    }
    let mut holds = facts.clone();
    holds.suppose(cond);
    holds.is_non_negative(&factor.neg()).then(|| rest.clone())
}

/// A polynomial in ⌊x⌋, that is nowhere above one in x: each power by itself.
fn unrounded(facts: &Facts, parts: &[Expr], x: &Expr) -> Option<Expr> {
    let (rest, powers) = parts.split_first()?;
    let is_linear = powers.len() == 1;
    // What it is of a number that is never negative: the number itself, or it with a minus.
    let is_up = match is_linear || facts.is_non_negative(x) {
        true => false,
        false => facts.is_non_negative(&x.neg()).then_some(true)?,
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
            // (x - 1)^e ≥ x^e - e·x^(e - 1) from 1 on, and from 0 to 1 that is not positive.
            (false, _) => {
                let power = x.integer_power(exponent);
                let less = x.integer_power(exponent - 1).scale(&exponent.into());
                [power.sub(&less), power]
            }
        };
        let factor = match is_up && exponent % 2 != 0 {
            true => factor.neg(),
            false => factor.clone(),
        };
        value = value.add(&times_an_end(facts, &factor, [&low, &high])?);
    }
    Some(value)
}

/// A factor times what lies between two ends, at most: by its sign, or by those of its terms.
fn times_an_end(facts: &Facts, factor: &Expr, [low, high]: [&Expr; 2]) -> Option<Expr> {
    let end = |part: &Expr| match facts.is_non_negative(part) {
        true => Some(high),
        false => facts.is_non_negative(&part.neg()).then_some(low),
    };
    if let Some(end) = end(factor) {
        return Some(factor.mul(end));
    }
    let terms = factor.terms().iter().cloned();
    let mut parts = terms.map(|term| Expr::from_terms(vec![term]));
    parts.try_fold(Expr::zero(), |sum, part| {
        Some(sum.add(&part.mul(end(&part)?)))
    })
}

/// ⌊x⌋ ≥ x − 1, and ≥ x − 1 + 1/d where x is whole but for a denominator d.
fn at_least_floor(facts: &Facts, x: &Expr) -> Expr {
    let less = x.sub(&Expr::one());
    match bounds::whole_fraction(facts, x) {
        Some((_, denominator)) => less.add(&denominator.reciprocal()),
        None => less,
    }
}

struct Bounding<'s> {
    /// What grows slower than all else: of several bounds that of its own is taken.
    slow: Option<&'s Symbol>,
}

impl Bounding<'_> {
    /// A sum with an end in the place of each minimum and maximum that several terms have, by the sign of what it is
    /// multiplied by in all of them: (u - v + 1)(w + 1), multiplied out, has terms that are large and cancel.
    fn without_common_extremes(&self, facts: &Facts, expr: &Expr) -> Expr {
        let mut value = expr.clone();
        for atom in expr.atoms() {
            if !matches!(atom, Atom::Min(_) | Atom::Max(_)) {
                continue;
            }
            let parts = by_powers(&value, &atom);
            let Some([rest, factor]) = parts.as_deref() else {
                continue;
            };
            if factor.terms().len() < 2 || factor.terms().len() > MOST_COMPARED {
                continue;
            }
            let Some((Sign::Plus, ends)) = self.of_atom(facts, &atom, 0) else {
                continue;
            };
            let end = match facts.is_non_negative(factor) {
                true => ends.high,
                false if facts.is_non_negative(&factor.neg()) => ends.low,
                false => continue,
            };
            value = rest.add(&factor.mul(&end));
        }
        value
    }

    fn above(&self, facts: &Facts, expr: &Expr, depth: u32) -> Option<Expr> {
        if depth > DEEPEST {
            return None;
        }
        let mut total = Expr::zero();
        for term in expr.terms() {
            let (sign, ends) = self.of_term(facts, term, depth)?;
            total = match sign {
                Sign::Minus => total.sub(&ends.low),
                Sign::Plus | Sign::Either => total.add(&ends.high),
            };
        }
        Some(without_minus(&total))
    }

    /// The sign of a term, and what its magnitude lies between.
    fn of_term(
        &self,
        facts: &Facts,
        (monomial, coefficient): &Term,
        depth: u32,
    ) -> Option<(Sign, Ends)> {
        let mut sign = match coefficient.is_negative() {
            true => Sign::Minus,
            false => Sign::Plus,
        };
        let size = Expr::rational(coefficient.abs());
        let (mut low, mut high) = (size.clone(), size);
        for (atom, exponent) in monomial.factors() {
            let (of_atom, ends) = self.of_atom(facts, atom, depth)?;
            if exponent % 2 != 0 {
                sign = sign.times(of_atom);
            }
            let ends = match *exponent < 0 {
                true => self.inverted(facts, atom, ends)?,
                false => ends,
            };
            let times = i32::try_from(exponent.unsigned_abs()).ok()?;
            low = low.mul(&ends.low.integer_power(times));
            high = high.mul(&ends.high.integer_power(times));
            if high.is_unwieldy() {
                return None;
            }
        }
        Some((sign, Ends { low, high }))
    }

    /// 1/x for an x between two values.
    fn inverted(&self, facts: &Facts, atom: &Atom, ends: Ends) -> Option<Ends> {
        let high = match ends.low.as_term() {
            Some(_) if facts.is_positive(&ends.low) => ends.low.reciprocal(),
            _ => {
                // A whole number that is divided by is at least 1.
                let is_whole = facts.is_integer_atom(atom);
                is_whole.then(Expr::one)?
            }
        };
        let low = match ends.high.as_term() {
            Some(_) if facts.is_positive(&ends.high) => ends.high.reciprocal(),
            _ => Expr::zero(),
        };
        Some(Ends { low, high })
    }

    /// The sign of an atom, and what its magnitude lies between.
    fn of_atom(&self, facts: &Facts, atom: &Atom, depth: u32) -> Option<(Sign, Ends)> {
        let itself = |value: Expr| Ends {
            low: value.clone(),
            high: value,
        };
        let up_to = |high: Expr| Ends {
            low: Expr::zero(),
            high,
        };
        let inner = |x: &Expr| self.above(facts, x, depth + 1);
        // From 0 to what neither the values nor their opposites are above.
        let either = |items: &[Expr], more: Expr| {
            let mut sum = more;
            for item in items {
                sum = sum.add(&inner(item)?).add(&inner(&item.neg())?);
            }
            Some((Sign::Either, up_to(sum)))
        };
        let is_never_negative = || facts.is_non_negative(&Expr::atom(atom.clone()));
        let ends = match atom {
            Atom::Symbol(symbol) => {
                let value = Expr::symbol(symbol);
                facts.is_non_negative(&value).then(|| itself(value))?
            }
            Atom::Floor(x) if facts.is_non_negative(x) => up_to(inner(x)?),
            // ⌈y⌉ is less than y + 1.
            Atom::Floor(x) => {
                let y = x.neg();
                if !facts.is_non_negative(&y) {
                    return either(std::slice::from_ref(x), Expr::one());
                }
                let (low, above) = match y.is_plain() {
                    true => (y.clone(), y),
                    false => (Expr::zero(), inner(&y)?),
                };
                let high = above.add(&Expr::one());
                return Some((Sign::Minus, Ends { low, high }));
            }
            Atom::Power(base, exponent) => {
                let value = Expr::atom(atom.clone());
                if !facts.is_non_negative(&value) {
                    return None;
                }
                if base.is_plain() && exponent.is_plain() {
                    itself(value)
                } else {
                    let grows = facts.proves(&Cond::ge(base, &Expr::one()));
                    let high = grows.then(|| inner(exponent)).flatten()?;
                    up_to(base.pow(&high))
                }
            }
            Atom::Log(base, x) => {
                let value = Expr::atom(atom.clone());
                if !facts.is_non_negative(&value) {
                    return None;
                }
                match base.is_plain() && x.is_plain() {
                    true => itself(value),
                    false => up_to(Expr::log(base, &inner(x)?)),
                }
            }
            Atom::Min(items) | Atom::Max(items) if !is_never_negative() => {
                return either(items, Expr::zero());
            }
            Atom::Min(items) => {
                let each: Vec<Expr> = items.iter().filter_map(inner).collect();
                up_to(self.least(facts, each)?)
            }
            Atom::Max(items) => {
                let each: Option<Vec<Expr>> = items.iter().map(inner).collect();
                up_to(most(facts, each?))
            }
            Atom::Bracket(_) => up_to(Expr::one()),
            Atom::Gcd(x, y) => {
                let each: Vec<Expr> = [x, y]
                    .into_iter()
                    .filter(|part| facts.is_positive(part))
                    .filter_map(inner)
                    .collect();
                Ends {
                    low: Expr::one(),
                    high: self.least(facts, each)?,
                }
            }
            Atom::DigitSum(x, _) => up_to(inner(x)?),
            Atom::FloorSum(_) if !is_never_negative() => return None,
            Atom::FloorSum(parts) => {
                let [n, a, c, m] = &**parts;
                let last = a.mul(n).add(c).div(m)?;
                up_to(inner(&n.mul(&last))?)
            }
            Atom::Inverse(x) if x.is_plain() && facts.is_positive(x) => {
                itself(Expr::atom(atom.clone()))
            }
            Atom::Inverse(x) => {
                let sign = match (facts.is_positive(x), facts.is_positive(&x.neg())) {
                    (true, _) => Sign::Plus,
                    (_, true) => Sign::Minus,
                    (false, false) => Sign::Either,
                };
                // Where it is divided by at all.
                return facts.is_integer(x).then(|| (sign, up_to(Expr::one())));
            }
            Atom::Sum(sum) => {
                let (_, body, inside) = facts.opened(sum);
                let most = self.of_sum(facts, sum, depth)?;
                if inside.is_non_negative(&body) {
                    up_to(most)
                } else {
                    let opposite = Sum {
                        body: sum.body.neg(),
                        ..Sum::clone(sum)
                    };
                    let least = self.of_sum(facts, &opposite, depth)?;
                    return Some((Sign::Either, up_to(most.add(&least))));
                }
            }
        };
        Some((Sign::Plus, ends))
    }

    /// As often as it has terms its largest one.
    fn of_sum(&self, facts: &Facts, sum: &Sum, depth: u32) -> Option<Expr> {
        let (variable, body, inside) = facts.opened(sum);
        let body = self.above(&inside, &body, depth + 1)?;
        let most = at_its_largest(&inside, &variable, [&sum.low, &sum.high], &body)?;
        let count = sum.high.sub(&sum.low).add(&Expr::one());
        self.above(facts, &count.mul(&most), depth + 1)
    }

    /// The one that is provably nowhere above the others, or that which grows slowest, in as few symbols as there are.
    fn least(&self, facts: &Facts, each: Vec<Expr>) -> Option<Expr> {
        let is_slow = |value: &Expr| {
            let symbols = value.symbols_inside();
            symbols.iter().all(|symbol| Some(symbol) == self.slow)
        };
        let provably = each.iter().find(|value| {
            let mut others = each.iter().filter(|other| other != value);
            others.all(|other| facts.proves(&Cond::le(value, other)))
        });
        let chosen = provably
            .or_else(|| each.iter().find(|value| value.as_rational().is_some()))
            .or_else(|| each.iter().find(|value| is_slow(value)))
            .or_else(|| plainest(&each, self.slow))?;
        Some(chosen.clone())
    }
}

/// The sum of all but those that are provably nowhere above another.
fn most(facts: &Facts, each: Vec<Expr>) -> Expr {
    let mut kept: Vec<Expr> = Vec::new();
    for value in each {
        if kept
            .iter()
            .any(|other| facts.proves(&Cond::le(&value, other)))
        {
            continue;
        }
        kept.retain(|other| !facts.proves(&Cond::le(other, &value)));
        kept.push(value);
    }
    kept.iter().fold(Expr::zero(), |sum, value| sum.add(value))
}

/// What a plain value is nowhere above for a variable between two ends: each part of it by itself.
pub(crate) fn at_its_largest(
    facts: &Facts,
    variable: &Symbol,
    [low, high]: [&Expr; 2],
    value: &Expr,
) -> Option<Expr> {
    if !value.contains(variable) {
        return Some(value.clone());
    }
    let itself = Expr::symbol(variable);
    let mut total = Expr::zero();
    for (monomial, coefficient) in value.terms() {
        let mut product = Expr::rational(coefficient.clone());
        for (atom, exponent) in monomial.factors() {
            let part = Expr::monomial(Monomial::atom(atom.clone(), *exponent));
            let part = match atom {
                _ if !atom.contains(variable) => part,
                Atom::Symbol(_) => match *exponent > 0 {
                    true => facts
                        .is_non_negative(&itself)
                        .then(|| high.integer_power(*exponent))?,
                    false => facts
                        .is_positive(low)
                        .then(|| low.integer_power(*exponent))?,
                },
                // These grow with what is inside.
                Atom::Log(base, x)
                    if *exponent == 1
                        && !base.contains(variable)
                        && has_known_signs(facts, variable, x)
                        && facts.proves(&Cond::ge(base, &Expr::int(2))) =>
                {
                    Expr::log(base, &at_its_largest(facts, variable, [low, high], x)?)
                }
                Atom::Power(x, power)
                    if *exponent == 1
                        && power.as_rational().is_some_and(|it| it.signum() > 0)
                        && has_known_signs(facts, variable, x) =>
                {
                    at_its_largest(facts, variable, [low, high], x)?.pow(power)
                }
                _ => {
                    let ends = [high, low].map(|end| part.substitute(variable, end));
                    let is_most = |end: &Expr| facts.proves(&Cond::ge(end, &part));
                    let by_exponent = || power_at_its_largest(facts, variable, [low, high], atom);
                    match by_exponent().filter(|_| *exponent == 1) {
                        Some(power) => power,
                        None => ends.into_iter().find(is_most)?,
                    }
                }
            };
            product = product.mul(&part);
        }
        total = total.add(&product);
    }
    Some(total)
}

/// Whether no term that has the variable is negative, nor a factor of one that has it.
fn has_known_signs(facts: &Facts, variable: &Symbol, value: &Expr) -> bool {
    let mut terms = value.terms().iter();
    terms.all(|term| {
        let value = Expr::term(term);
        let mut factors = term.0.factors().iter();
        !value.contains(variable)
            || facts.is_non_negative(&value)
                && factors.all(|(atom, _)| {
                    !atom.contains(variable) || facts.is_non_negative(&Expr::atom(atom.clone()))
                })
    })
}

/// A power of a base of at least 1, which is largest where its exponent is.
fn power_at_its_largest(
    facts: &Facts,
    variable: &Symbol,
    [low, high]: [&Expr; 2],
    atom: &Atom,
) -> Option<Expr> {
    let Atom::Power(base, exponent) = atom else {
        return None;
    };
    let [_, slope] = exponent.linear_in(variable)?;
    if base.contains(variable) || !facts.proves(&Cond::ge(base, &Expr::one())) {
        return None;
    }
    let end = match (
        facts.is_non_negative(&slope),
        facts.is_non_negative(&slope.neg()),
    ) {
        (true, _) => high,
        (_, true) => low,
        (false, false) => return None,
    };
    Some(base.pow(&exponent.substitute(variable, end)))
}

/// The terms that are added.
fn without_minus(expr: &Expr) -> Expr {
    let kept = expr.terms().iter().filter(|(_, c)| !c.is_negative());
    Expr::from_terms(kept.cloned().collect())
}

/// Where there are many terms, those that another one is never below join it, from the slowest on, so that what
/// grows fastest stays as it is; then those that a common multiple is little above. Coefficients come out short.
fn shortened(facts: &Facts, expr: Expr) -> Expr {
    if expr.terms().len() <= FEW {
        return expr;
    }
    let mut kept = expr.terms().to_vec();
    join_until(facts, &mut kept, MOST_COMPARED);
    // What costs nothing in common is read apart.
    let parts = facts.by_letters(&kept).into_iter();
    let mut parts: Vec<Vec<Term>> = parts.map(|part| part.1).collect();
    let most = match parts.len() {
        0 | 1 => MOST_SHOWN,
        _ => FEW,
    };
    let more = if parts.len() < 2 { MORE } else { 0 };
    for terms in &mut parts {
        absorb_until(&facts.with_work(WORK), terms, FEW, more);
        join_until(&facts.with_work(WORK), terms, most);
    }
    let short = |(monomial, coefficient): Term| (monomial, short_above(&coefficient));
    Expr::from_terms(parts.into_iter().flatten().map(short).collect())
}

/// A number that is no less and takes few digits: a whole one from 8 on, below that halves, below 1 its own
/// fraction if that is short, or one of two digits over a power of 2.
fn short_above(coefficient: &Rational) -> Rational {
    const FEW_DIGITS: i64 = 16;
    const MOST_PARTS: i64 = 4096;
    let up_to = |parts: i64| {
        let parts = Rational::from(parts);
        let whole = Rational::from((coefficient * &parts).ceil());
        whole.checked_div(&parts).unwrap_or(whole)
    };
    if *coefficient >= Rational::from(FEW_DIGITS / 2) {
        return up_to(1);
    }
    if *coefficient >= Rational::ONE {
        return up_to(2);
    }
    let is_short = coefficient.numerator() <= FEW_DIGITS.into();
    if is_short && coefficient.denominator() <= MOST_PARTS.into() {
        return coefficient.clone();
    }
    let mut parts = 2;
    while parts < MOST_PARTS && up_to(2 * parts).numerator() <= FEW_DIGITS.into() {
        parts *= 2;
    }
    up_to(parts)
}

/// Joins terms to others that are never below them until there are so few: what no other is above stays, then of
/// what is left the same, what would make the term it joins grow most first, and some more that would make it more than
/// twice as large; all else joins the last of these that is above it.
fn absorb_until(facts: &Facts, terms: &mut Vec<Term>, few: usize, mut more: usize) {
    if terms.len() <= few {
        return;
    }
    let mut above: Vec<Option<usize>> = vec![None; terms.len()];
    let mut rest: Vec<usize> = (0..terms.len()).collect();
    // The one above another is seldom the slower one.
    rest.sort_by_cached_key(|at| -Expr::monomial(terms[*at].0.clone()).pace(None));
    let mut room = few;
    while !rest.is_empty() && (room + more > 0 || rest.len() == terms.len()) {
        let mut layer = maxima(facts, terms, &rest);
        let is_first = rest.len() == terms.len();
        let growth = |at: usize, above: &[Option<usize>]| {
            above[at].and_then(|leader| terms[at].1.checked_div(&terms[leader].1))
        };
        layer.sort_by_cached_key(|(at, _)| {
            Reverse(growth(*at, &above).unwrap_or_else(|| terms[*at].1.clone()))
        });
        rest.clear();
        for (leader, members) in layer {
            let swells = growth(leader, &above).is_some_and(|growth| growth > Rational::ONE);
            let is_kept = is_first || room > 0 || more > 0 && swells;
            if is_kept {
                match room {
                    0 if is_first => {}
                    0 => more -= 1,
                    _ => room -= 1,
                }
                above[leader] = None;
            }
            for member in &members {
                above[*member] = if is_kept { Some(leader) } else { above[leader] };
            }
            rest.extend(members);
        }
    }
    for at in 0..terms.len() {
        if let Some(leader) = above[at] {
            terms[leader].1 = &terms[leader].1 + &terms[at].1;
        }
    }
    let mut kept = above.iter().map(Option::is_none);
    terms.retain(|_| kept.next() == Some(true));
}

/// Of some terms those that none of the others is above, each with those that it is above.
fn maxima(facts: &Facts, terms: &[Term], some: &[usize]) -> Vec<(usize, Vec<usize>)> {
    let is_below = |small: usize, large: usize| {
        let [small, large] = [small, large].map(|at| Expr::monomial(terms[at].0.clone()));
        facts.proves(&Cond::le(&small, &large))
    };
    let mut alone: Vec<(usize, Vec<usize>)> = Vec::new();
    for &at in some {
        if let Some((_, members)) = alone.iter_mut().find(|(leader, _)| is_below(at, *leader)) {
            members.push(at);
            continue;
        }
        let mut members = Vec::new();
        alone.retain_mut(|(leader, others)| {
            let joins = is_below(*leader, at);
            if joins {
                members.push(*leader);
                members.append(others);
            }
            !joins
        });
        alone.push((at, members));
    }
    alone
}

/// [`Facts::paces`]. Not of the bound that is shown: terms that join others grow faster than they did.
pub(crate) fn paces(facts: &Facts, bound: &Expr, slow: &Symbol) -> Option<[Rational; 2]> {
    let facts = facts.with_work(WORK);
    let plain = match bound.is_plain() {
        true => bound.clone(),
        false => Bounding { slow: Some(slow) }.above(&facts, bound, 0)?,
    };
    let parts = facts.by_letters(plain.terms()).into_iter();
    let each = parts.map(|(_, terms)| {
        let part = Expr::from_terms(terms);
        [part.pace(Some(slow)), part.pace(None)]
    });
    let sum = each.fold([Rational::ZERO, Rational::ZERO], |[x, y], [u, v]| {
        [&x + &u, &y + &v]
    });
    Some(sum)
}

/// [`Facts::joined`]: with fewer terms, until it fits or none can join another; where that does not do, of what is a
/// little more and has fewer kinds of terms.
pub(crate) fn joined(
    facts: &Facts,
    expr: &Expr,
    fits: &dyn Fn(&Expr) -> bool,
    fits_at_all: &dyn Fn(&Expr) -> bool,
) -> Expr {
    let joined = fewer_terms(facts, expr, fits);
    if fits(&joined) {
        return joined;
    }
    with_less_in_it(facts, expr, fits_at_all).unwrap_or_else(|| {
        let mut terms = joined.terms().to_vec();
        join_until(&facts.with_work(WORK), &mut terms, MOST_SHOWN);
        Expr::from_terms(terms)
    })
}

/// Of a plain bound a larger one that fits, with simpler divisors or no sums among them, and as few terms as need be.
fn with_less_in_it(facts: &Facts, expr: &Expr, fits: &dyn Fn(&Expr) -> bool) -> Option<Expr> {
    // Where nothing is taken away more of a part is more of the whole.
    if expr.terms().iter().any(|(_, factor)| factor.is_negative()) {
        return None;
    }
    let mut plainer = expr.clone();
    for step in [without_less, without_divisors] {
        plainer = step(&facts.with_work(WORK), &plainer);
        if fits(&plainer) {
            return Some(plainer);
        }
    }
    let fewer = fewer_terms(facts, &plainer, fits);
    match fits(&fewer) {
        true => Some(fewer),
        false => joined_from_one(facts, &plainer, fits),
    }
}

/// The same with fewer terms beside each letter, until it fits or none is below another.
fn fewer_terms(facts: &Facts, expr: &Expr, fits: &dyn Fn(&Expr) -> bool) -> Expr {
    let facts = facts.with_work(WORK);
    let parts = facts.by_letters(expr.terms());
    let most = parts.iter().map(|(_, terms)| terms.len()).max();
    let mut joined = expr.clone();
    for few in (1..most.unwrap_or(1)).rev() {
        let parts = facts.by_letters(joined.terms()).into_iter();
        let parts = parts.flat_map(|(_, mut terms)| {
            absorb_until(&facts, &mut terms, few, 0);
            terms
        });
        joined = Expr::from_terms(parts.collect());
        if fits(&joined) {
            return joined;
        }
    }
    joined
}

/// 1/(y − c) ≤ 2/y for y ≥ 2c: what is divided by wb − 1 is at most twice what wb divides.
fn without_less(facts: &Facts, expr: &Expr) -> Expr {
    expr.replace(&|atom| {
        let Atom::Inverse(divisor) = atom else {
            return None;
        };
        let less = divisor.constant_term();
        let whole = divisor.sub(&Expr::rational(less.clone()));
        let least = Expr::rational(-&less).scale(&2.into());
        let is_half = less.is_negative() && whole.as_term().is_some();
        (is_half && facts.proves(&Cond::ge(&whole, &least)))
            .then(|| whole.reciprocal().scale(&2.into()))
    })
}

/// 1/x ≤ 1 for a sum x that is at least 1.
fn without_divisors(facts: &Facts, expr: &Expr) -> Expr {
    expr.replace(&|atom| {
        let Atom::Inverse(divisor) = atom else {
            return None;
        };
        facts
            .proves(&Cond::ge(divisor, &Expr::one()))
            .then(Expr::one)
    })
}

/// With r + 1 in the place of a whole r that may be 0: its powers join each other. `None` where that does not fit.
fn joined_from_one(facts: &Facts, expr: &Expr, fits: &dyn Fn(&Expr) -> bool) -> Option<Expr> {
    let mut facts = facts.with_work(WORK);
    let one = Expr::one();
    let mut value = expr.clone();
    let mut moved: Vec<(Symbol, Expr)> = Vec::new();
    for symbol in expr.symbols() {
        let known = Expr::symbol(&symbol);
        let may_be_none = facts.is_whole_symbol(&symbol)
            && facts.is_non_negative(&known)
            && !facts.proves(&Cond::ge(&known, &one));
        // More of it is more: it divides nothing, and nothing is taken away.
        let is_rising = |(monomial, coefficient): &Term| {
            let mut factors = monomial.factors().iter();
            !coefficient.is_negative()
                && factors.all(|(atom, exponent)| match atom {
                    Atom::Symbol(other) if *other == symbol => *exponent > 0,
                    other => !other.contains(&symbol),
                })
        };
        if may_be_none && value.terms().iter().all(is_rising) {
            let from_one = facts.unspoken(&symbol, &[&value]);
            let stands_for = Expr::symbol(&from_one);
            facts = facts.with(&Cond::ge(&stands_for, &one));
            value = value.substitute(&symbol, &stands_for);
            moved.push((from_one, known.add(&one)));
        }
    }
    let back = |value: &Expr| {
        let moved = moved.iter();
        moved.fold(value.clone(), |value, (symbol, more)| {
            value.substitute(symbol, more)
        })
    };
    let fits_back = |value: &Expr| fits(&back(value));
    let value = (!moved.is_empty()).then(|| shortened(&facts, value))?;
    let joined = fewer_terms(&facts, &value, &fits_back);
    fits_back(&joined).then(|| back(&joined))
}

/// The same with more of it in common: of two terms that differ by one logarithm both get the larger
/// coefficient, so that `3m·log n + 5m` is at most `5m(log n + 1)`.
pub(crate) fn evened(facts: &Facts, expr: &Expr) -> Expr {
    let facts = facts.with_work(WORK);
    let mut terms: Vec<Term> = expr.terms().to_vec();
    let atoms = expr.atoms().into_iter();
    let logs = atoms.filter(|atom| matches!(atom, Atom::Log(..)));
    let is_never_negative = |value: Expr| facts.proves(&Cond::ge(&value, &Expr::zero()));
    for log in logs {
        if !is_never_negative(Expr::atom(log.clone())) {
            continue;
        }
        for at in 0..terms.len() {
            if terms[at].0.exponent(&log) != 1 {
                continue;
            }
            let rest = terms[at].0.without(&log);
            let Some(other) = terms.iter().position(|(monomial, _)| *monomial == rest) else {
                continue;
            };
            if is_never_negative(Expr::monomial(rest)) {
                let larger = (&terms[at].1).max(&terms[other].1).clone();
                terms[at].1 = larger.clone();
                terms[other].1 = larger;
            }
        }
    }
    Expr::from_terms(terms)
}

/// Joins two terms in their least common multiple, those it is least above, until there are so few.
fn join_until(facts: &Facts, terms: &mut Vec<Term>, few: usize) {
    if terms.len() <= few {
        return;
    }
    let mut joining = Joining::of(facts, terms);
    while joining.products.len() > few && joining.join() {}
    *terms = joining.terms();
}

/// Products as the exponents of their atoms, so that many pairs are looked at quickly.
struct Joining {
    /// All atoms in their order.
    atoms: Vec<Atom>,
    logs: Vec<bool>,
    /// Which atoms may get a larger power: those that are never less than 1.
    may_grow: Vec<bool>,
    products: Vec<(Vec<i32>, Rational)>,
    /// What is lost where a product is joined to each before it.
    losses: Vec<Vec<Option<[i64; 2]>>>,
}

impl Joining {
    fn of(facts: &Facts, terms: &[Term]) -> Self {
        let factors = terms.iter().flat_map(|(monomial, _)| monomial.factors());
        let mut atoms: Vec<Atom> = factors.map(|(atom, _)| atom.clone()).collect();
        atoms.sort_unstable();
        atoms.dedup();
        let may_grow = |atom: &Atom| {
            let value = Expr::atom(atom.clone());
            matches!(atom, Atom::Symbol(symbol) if facts.is_whole_symbol(symbol))
                && facts.proves(&Cond::ge(&value, &Expr::one()))
        };
        let exponents = |monomial: &Monomial| {
            let each = atoms.iter().map(|atom| monomial.exponent(atom));
            each.collect()
        };
        let products = terms.iter();
        let products = products.map(|(monomial, factor)| (exponents(monomial), factor.clone()));
        let products: Vec<_> = products.collect();
        let mut joining = Joining {
            logs: atoms
                .iter()
                .map(|atom| matches!(atom, Atom::Log(..)))
                .collect(),
            may_grow: atoms.iter().map(may_grow).collect(),
            products: Vec::new(),
            losses: Vec::new(),
            atoms,
        };
        products
            .into_iter()
            .for_each(|product| joining.push(product));
        joining
    }

    fn terms(self) -> Vec<Term> {
        let atoms = &self.atoms;
        let products = self.products.into_iter();
        let terms = products.map(|(exponents, factor)| {
            let factors = atoms.iter().cloned().zip(exponents);
            let present = factors.filter(|(_, exponent)| *exponent != 0);
            (Monomial::from_sorted(present.collect()), factor)
        });
        terms.collect()
    }

    /// Joins one pair, if any may be joined.
    fn join(&mut self) -> bool {
        let of = |at: usize| &self.products[at].0;
        let losses = self.losses.iter().enumerate();
        let joinable = losses.flat_map(|(right, losses)| {
            let losses = losses.iter().enumerate();
            losses.filter_map(move |(left, loss)| Some(((*loss)?, [left, right])))
        });
        let Some(least) = joinable.clone().map(|(loss, _)| loss[0]).min() else {
            return false;
        };
        // Of those that lose the same the one that others join for nothing, then the slowest.
        let least = joinable.filter(|(loss, _)| loss[0] == least);
        let mut joining: FxHashMap<Vec<i32>, usize> = FxHashMap::default();
        let best = least.min_by_key(|(loss, pair)| {
            let multiple = common_multiple(pair.map(of));
            let joins = match joining.get(&multiple) {
                Some(joins) => *joins,
                None => {
                    let joins = self.joining(&multiple);
                    joining.insert(multiple, joins);
                    joins
                }
            };
            (Reverse(joins), loss[1], *pair)
        });
        let Some((_, [left, right])) = best else {
            return false;
        };
        let (second, factor) = self.remove(right);
        let (first, sum) = self.remove(left);
        let (multiple, sum) = (common_multiple([&first, &second]), &sum + &factor);
        let mut others = self.products.iter_mut();
        match others.find(|(other, _)| *other == multiple) {
            Some((_, known)) => *known = &*known + &sum,
            None => self.push((multiple, sum)),
        }
        true
    }

    /// How many products a multiple is above for nothing.
    fn joining(&self, multiple: &[i32]) -> usize {
        let joins = |(other, _): &&(Vec<i32>, Rational)| {
            let mut each = self.may_grow.iter().zip(other.iter().zip(multiple));
            each.all(|(may_grow, (small, large))| small == large || (small < large && *may_grow))
        };
        self.products.iter().filter(joins).count()
    }

    fn push(&mut self, product: (Vec<i32>, Rational)) {
        let before = self.products.iter();
        let losses = before.map(|(other, _)| self.loss([other, &product.0]));
        self.losses.push(losses.collect());
        self.products.push(product);
    }

    fn remove(&mut self, at: usize) -> (Vec<i32>, Rational) {
        self.losses.remove(at);
        self.losses[at..].iter_mut().for_each(|losses| {
            losses.remove(at);
        });
        self.products.remove(at)
    }

    /// How far the least common multiple of two is above both, by degrees, and its own degree without
    /// logarithms; `None` where an atom that gets a larger power may be less than 1.
    fn loss(&self, [first, second]: [&Vec<i32>; 2]) -> Option<[i64; 2]> {
        let mut degrees = [0_i64; 3];
        let mut pace = 0;
        for (at, (first, second)) in first.iter().zip(second).enumerate() {
            if first != second && !self.may_grow[at] {
                return None;
            }
            let larger = first.max(second);
            for (degree, exponent) in degrees.iter_mut().zip([first, second, larger]) {
                *degree += i64::from(*exponent);
            }
            if !self.logs[at] {
                pace += i64::from(*larger);
            }
        }
        let [first, second, multiple] = degrees;
        Some([3 * multiple - first - second - first.min(second), pace])
    }
}

/// The larger powers of each atom.
fn common_multiple([first, second]: [&Vec<i32>; 2]) -> Vec<i32> {
    let each = first.iter().zip(second);
    each.map(|(first, second)| *first.max(second)).collect()
}

#[cfg(test)]
mod tests {
    use crate::sym::{Cond, Expr, Facts, Symbol};

    fn known() -> (Facts, [Expr; 3], Symbol) {
        let symbols = [(0, "n"), (1, "m"), (2, "b")].map(|(id, name)| Symbol::new(id, name));
        let mut facts = Facts::new();
        let values = symbols.clone().map(|symbol| {
            facts.integer(&symbol);
            Expr::symbol(&symbol)
        });
        for value in &values {
            facts.assume(&Cond::ge(value, &Expr::one()));
        }
        let [_, _, b] = symbols;
        (facts, values, b)
    }

    fn above(facts: &Facts, expr: &Expr, slow: &Symbol) -> String {
        facts.above(expr, Some(slow)).expect("bounded").to_string()
    }

    #[test]
    fn what_does_not_fit_is_written_with_less_in_it() {
        let (facts, [n, _, b], _) = known();
        let joined = |expr: &Expr, room: usize| {
            let fits = |bound: &Expr| bound.to_string().chars().count() <= room;
            facts.joined(expr, &fits, &fits).to_string()
        };
        let one = Expr::one();
        // What is divided by b − 1 is at most twice what b divides, where b ≥ 2.
        let less = n.mul(&b.sub(&one).reciprocal()).add(&one);
        assert_eq!(joined(&less, 11), "n/(b - 1) + 1");
        let above = facts.with(&Cond::ge(&b, &Expr::int(2)));
        let fits = |bound: &Expr| bound.to_string().chars().count() <= 10;
        assert_eq!(above.joined(&less, &fits, &fits).to_string(), "2n/b + 1");
        // A sum that is at least 1 divides nothing where there is no other way.
        let sum = n.add(&b);
        let over = n.mul(&n).mul(&sum.reciprocal()).add(&b);
        assert_eq!(joined(&over, 8), "n^2 + b");
        // r^2, r and 1 are all at most (r + 1)^2.
        let r = Symbol::new(7, "r");
        let symbol = Expr::symbol(&r);
        let facts = facts.with(&Cond::ge(&symbol, &Expr::zero()));
        let square = symbol.mul(&symbol);
        let powers = square.scale(&5.into()).add(&symbol.scale(&7.into()));
        let powers = powers.add(&Expr::int(9)).mul(&n);
        let fits = |bound: &Expr| bound.to_string().chars().count() <= 13;
        let found = facts.joined(&powers, &fits, &fits);
        assert_eq!(found.to_string(), "21n·(r + 1)^2");
    }

    #[test]
    fn without_ceilings_products_keep_what_is_taken_away() {
        let (mut facts, [n, m, b], _) = known();
        let less = n.sub(&m);
        facts.assume(&Cond::ge(&less, &Expr::zero()));
        let ceiling = less.div(&b).expect("b is not 0").ceil();
        let unrounded = |value: &Expr| facts.unrounded_above(value);
        // ⌈x/b⌉ ≤ (x + b - 1)/b, whatever x is.
        let rounded = less.add(&b).sub(&Expr::one());
        let plain = less.mul(&rounded).div(&b);
        assert_eq!(unrounded(&less.mul(&ceiling)), plain);
        let floor = less.div(&b).expect("b is not 0").floor();
        let below = less.sub(&b).add(&Expr::one()).div(&b).expect("b is not 0");
        assert_eq!(unrounded(&n.sub(&floor)), Some(n.sub(&below)));
        // n - 2m may be of either sign: n and 2m by themselves.
        let twice = m.add(&m);
        let exact = less.div(&b).expect("b is not 0");
        let apart = n.mul(&rounded).div(&b).expect("b is not 0");
        let apart = apart.sub(&twice.mul(&exact));
        assert_eq!(unrounded(&n.sub(&twice).mul(&ceiling)), Some(apart));
        // ⌈y⌉^2 from below is y^2; of a floor it is x^2 - 2x.
        let squared = |value: &Expr| value.integer_power(2);
        let all = squared(&n).sub(&squared(&ceiling));
        assert_eq!(unrounded(&all), Some(squared(&n).sub(&squared(&exact))));
        let less_of_floor = squared(&exact).sub(&exact.add(&exact));
        let all = squared(&n).sub(&squared(&floor));
        assert_eq!(unrounded(&all), Some(squared(&n).sub(&less_of_floor)));
        // A bracket stays where what it keeps off has no value: 1/(n - m) at n = m.
        let apart = Cond::ge(&n, &m.add(&Expr::one()));
        let guarded = |value: &Expr| value.mul(&Expr::bracket(apart.clone()));
        assert_eq!(unrounded(&guarded(&n)), Some(n.clone()));
        assert_eq!(unrounded(&guarded(&n.div(&less).expect("a form"))), None);
        // Of a minimum with something to round the shorter item, of one without none.
        let fewer = Expr::min(vec![n.clone(), floor.mul(&squared(&ceiling))]);
        assert_eq!(unrounded(&fewer), Some(n.clone()));
        let plain = Expr::min(vec![n.clone(), m.clone()]);
        assert_eq!(unrounded(&plain), Some(plain.clone()));
    }

    #[test]
    fn ceilings_brackets_and_minima_are_rounded_up() {
        let (facts, [n, m, b], slow) = known();
        let blocks = n.div(&b).expect("b is a symbol").ceil();
        assert_eq!(above(&facts, &blocks, &slow), "n/b + 1");
        let guarded = m.mul(&Expr::bracket(Cond::ge(&n, &m)));
        assert_eq!(above(&facts, &guarded, &slow), "m");
        let fewer = Expr::min(vec![b.clone(), blocks.clone()]);
        assert_eq!(above(&facts, &fewer, &slow), "b");
        // What is taken away lies between two plain values as well.
        let rest = n.sub(&b.mul(&blocks)).add(&b);
        assert_eq!(above(&facts, &rest, &slow), "b");
    }

    #[test]
    fn quotients_keep_their_sign_however_they_are_written() {
        let (facts, [n, m, _], slow) = known();
        let cores = Expr::max(vec![n, m.clone()]).sub(&m).add(&Expr::one());
        for sign in [1, -1] {
            let each = Expr::int(500 * sign).div(&cores.scale(&sign.into()));
            let each = each.expect("some core is active").add(&Expr::int(5));
            assert_eq!(above(&facts, &each, &slow), "505");
        }
        let less = Expr::int(-500).div(&cores).expect("some core is active");
        assert_eq!(above(&facts, &less.add(&Expr::int(5)), &slow), "5");
    }

    #[test]
    fn what_is_multiplied_out_is_bounded_in_one_piece() {
        let (facts, [n, m, b], slow) = known();
        let one = Expr::one();
        let of = |n: &Expr| {
            let high = Expr::min(vec![n.add(&b).sub(&one), b.scale(&2.into())]);
            let low = Expr::max(vec![Expr::zero(), b.sub(n).add(&one)]);
            high.sub(&low).add(&one)
        };
        // Both factors are from 0 to 2b + 1.
        assert_eq!(above(&facts, &of(&n).mul(&of(&m)), &slow), "(2b + 1)^2");
    }

    #[test]
    fn of_several_bounds_the_one_in_the_fewest_symbols_is_taken() {
        let (facts, [n, m, b], slow) = known();
        let fewer = |items: [Expr; 2]| above(&facts, &Expr::min(items.into()), &slow);
        let whole = |x: &Expr, y: &Expr| x.div(y).expect("it is not 0").ceil();
        assert_eq!(
            fewer([n.add(&m), whole(&m.scale(&2.into()), &b)]),
            "2m/b + 1"
        );
        assert_eq!(fewer([n.clone(), m.scale(&2.into())]), "2m");
        // b grows slowest, whatever it is beside.
        assert_eq!(fewer([n.mul(&n), n.mul(&b)]), "nb");
        assert_eq!(fewer([n.mul(&m), m.mul(&b).add(&n)]), "mb + n");
    }

    /// The width times the variable of a sum is no bound that grows slowly.
    #[test]
    fn what_grows_in_a_sum_is_no_slow_bound_of_it() {
        let (facts, [n, m, b], slow) = known();
        let turn = Symbol::new(77, "i");
        let of_turn = Expr::symbol(&turn);
        let one = Expr::one();
        let last = n.div(&b).expect("not 0").ceil().sub(&one);
        let body = Expr::min(vec![m.clone(), of_turn.add(&one).mul(&b)]);
        let sum = Expr::unsolved_sum(&turn, &Expr::zero(), &last, &body);
        assert_eq!(above(&facts, &sum, &slow), "nm/b + m");
    }

    #[test]
    fn unsolved_sums_are_as_often_their_largest_term() {
        let (facts, [n, _, b], slow) = known();
        let i = Symbol::new(9, "i");
        let term = Expr::symbol(&i).mul(&n).div(&b).expect("b is a symbol");
        let gcd = Expr::gcd(&Expr::symbol(&i), &b);
        let sum = Expr::unsolved_sum(&i, &Expr::one(), &n, &term.ceil().mul(&gcd));
        assert_eq!(above(&facts, &sum, &slow), "n(n^2 + b)");
    }
}
