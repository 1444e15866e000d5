//! Upper bounds in plain terms: symbols, their quotients, powers and logarithms, without floors,
//! brackets, extremes and unsolved sums. Coarse where it must be, and always short.
//!
//! The magnitude of every atom lies between two plain values ≥ 0. Added terms take the upper one,
//! subtracted terms the lower one. Negative terms of the result are dropped, which only raises
//! it.
//!
//! Example: n − b·⌊n/b⌋ + ⌈n/b⌉. ⌊n/b⌋ is at least 0 and ⌈n/b⌉ at most n/b + 1, so the bound is n
//! + n/b + 1.

use std::cmp::Reverse;

use crate::number::Rational;
use crate::sym::expr::types::{Atom, Monomial, Sum, Term};
use crate::sym::facts::knowledge::Facts;
use crate::sym::prove::bounds;
use crate::sym::{Cond, Expr, Symbol, SymbolKind};
use rustc_hash::FxHashMap;

/// The work allowed for one bound, whatever was spent on its exact form before: a program whose
/// budget is gone still gets bounds. Raising it lets longer expressions be bounded and their
/// terms be compared.
const WORK: u64 = 20_000;
/// The deepest nesting of expressions; deeper ones have no plain bound. It limits the recursion.
const DEEPEST: u32 = 24;
/// The most terms that are compared with each other when a bound is shortened. The proofs are
/// quadratic in them.
const MOST_COMPARED: usize = 24;
/// The number of terms that a reader takes in at a glance. Bounds up to this length stay as they
/// are.
const FEW: usize = 4;
/// Further terms kept beside [`FEW`], if joining one would more than double the term that it
/// joins. More of them make bounds sharper and longer.
const MORE: usize = 1;
/// The most terms of a bound without real letters.
const MOST_SHOWN: usize = 7;

/// Two plain values ≥ 0 with the magnitude of an atom between them.
struct Ends {
    low: Expr,
    high: Expr,
}

/// The sign of a value with a bounded magnitude.
#[derive(Clone, Copy)]
enum Sign {
    Plus,
    Minus,
    /// Unknown: the value lies in −high..high.
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
    // Each stage gets its own work, so that the first cannot starve the second. Shortening comes
    // last: it needs the finished terms, and its result is only larger.
    let bounding = Bounding { slow };
    let settled = bounding.without_common_extremes(&facts.with_work(WORK), expr);
    let facts = facts.with_work(WORK);
    let above = bounding.above(&facts, &settled, 0)?;
    Some(shortened(&facts, above))
}

/// The most floors, brackets and extremes that are removed from one sum. Beyond it there is no
/// unrounded bound.
const MOST_ROUNDED: usize = 12;
/// The highest power of a floor that is rounded.
const HIGHEST_POWER: i32 = 3;

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

/// Returns the expression whose symbols (ignoring `slow`) occur in every other one; ties go to
/// the slowest-growing. Without such a one, avoids the symbols that were named first, as sizes
/// are named before small parameters: 2r + 1 of min(n, 2r + 1). Otherwise the shortest.
fn plainest<'e>(some: &'e [Expr], slow: Option<&Symbol>) -> Option<&'e Expr> {
    // An expression in fewer symbols stays put while the others grow: of n + m and 2m/b + 1 the
    // second is smaller for large n, whatever m is. `slow` does not count as a symbol, since it
    // hardly grows.
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
                // Loop variables count as first: their size is only known once their own range is
                // bounded.
                let rank = |symbol: Symbol| (symbol.id.kind == SymbolKind::Parameter, symbol.id);
                let ranks = symbols.filter(|symbol| Some(symbol) != slow).map(rank);
                ranks.min().filter(|_| slow.is_some())
            };
            some.iter()
                .min_by_key(|value| (Reverse(first_named(value)), value.length()))
        })
}

/// Returns the coefficients of the powers of an atom, from the zeroth on.
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

struct Bounding<'s> {
    /// A symbol that grows slower than all others. A bound in it alone is preferred.
    slow: Option<&'s Symbol>,
}

impl Bounding<'_> {
    /// Replaces each extreme that occurs in several terms by one end, by the sign of its common
    /// factor. (u − v + 1)(w + 1), multiplied out, has large terms that cancel.
    fn without_common_extremes(&self, facts: &Facts, expr: &Expr) -> Expr {
        // (u − v + 1)(w − z + 1), multiplied out, has the added term v·z. Bounded term by term it
        // takes the upper ends of v and z, although both are subtracted. The common factor −(w −
        // z + 1) ≤ 0 of v decides for all its terms at once: v takes its lower end.
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
            value = rest + (factor * &end);
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
                Sign::Minus => &total - &ends.low,
                Sign::Plus | Sign::Either => &total + &ends.high,
            };
        }
        Some(without_minus(&total))
    }

    /// Returns the sign of a term and the ends of its magnitude.
    fn of_term(
        &self,
        facts: &Facts,
        (monomial, coefficient): &Term,
        depth: u32,
    ) -> Option<(Sign, Ends)> {
        let mut sign = if coefficient.is_negative() {
            Sign::Minus
        } else {
            Sign::Plus
        };
        let size = Expr::rational(coefficient.abs());
        let (mut low, mut high) = (size.clone(), size);
        for (atom, exponent) in monomial.factors() {
            let (of_atom, ends) = self.of_atom(facts, atom, depth)?;
            if exponent % 2 != 0 {
                sign = sign.times(of_atom);
            }
            let ends = if *exponent < 0 {
                self.inverted(facts, atom, ends)?
            } else {
                ends
            };
            let times = i32::try_from(exponent.unsigned_abs()).ok()?;
            low = &low * ends.low.integer_power(times);
            high = &high * ends.high.integer_power(times);
            if high.is_unwieldy() {
                return None;
            }
        }
        Some((sign, Ends { low, high }))
    }

    /// Returns the ends of 1/x for x between two ends.
    fn inverted(&self, facts: &Facts, atom: &Atom, ends: Ends) -> Option<Ends> {
        // 1/x falls, so the ends swap: 1/high ≤ 1/x ≤ 1/low. A sum as an end would become an
        // inverse atom, which is not plain. Then the coarse ends 0 and, for a whole x, 1 stand
        // in.
        let high = match ends.low.as_term() {
            Some(_) if facts.is_positive(&ends.low) => ends.low.reciprocal(),
            _ => {
                // A whole divisor is at least 1 in magnitude.
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

    /// Returns the sign of an atom and the ends of its magnitude.
    fn of_atom(&self, facts: &Facts, atom: &Atom, depth: u32) -> Option<(Sign, Ends)> {
        // One law per kind of atom. "Never negative" is asked first: without a known sign only
        // the magnitude is bounded, by the bounds of the value and of its opposite added up. For
        // example ⌊x⌋ with x of either sign lies within ±(above(x) + above(−x) + 1).
        let itself = |value: Expr| Ends {
            low: value.clone(),
            high: value,
        };
        let up_to = |high: Expr| Ends {
            low: Expr::zero(),
            high,
        };
        let inner = |x: &Expr| self.above(facts, x, depth + 1);
        // Magnitudes up to the sum of the bounds of all values and of their opposites.
        let either = |items: &[Expr], more: Expr| {
            let mut sum = more;
            for item in items {
                sum = &sum + inner(item)? + inner(&item.neg())?;
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
            // A ceiling, kept as −⌊−y⌋: ⌈y⌉ < y + 1.
            Atom::Floor(x) => {
                let y = x.neg();
                if !facts.is_non_negative(&y) {
                    return either(std::slice::from_ref(x), Expr::one());
                }
                let (low, above) = if y.is_plain() {
                    (y.clone(), y)
                } else {
                    (Expr::zero(), inner(&y)?)
                };
                let high = &above + 1;
                return Some((Sign::Minus, Ends { low, high }));
            }
            // 2^⌊log2 n⌋ is a power of something rounded: it grows with its exponent as the base is at least 1, so the
            // exponent's bound gives 2^(log2 n), which is n. A base below 1 would turn the bound round.
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
                if base.is_plain() && x.is_plain() {
                    itself(value)
                } else {
                    up_to(Expr::log(base, &inner(x)?))
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
            // gcd(n, b) divides both, so it is at most either that is not 0: gcd(0, b) is b, which n = 0 does not bound.
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
                let last = (a * n + c).div(m)?;
                up_to(inner(&(n * &last))?)
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
                // Wherever the whole divisor is not 0, its magnitude is at least 1.
                return facts.is_integer(x).then(|| (sign, up_to(Expr::one())));
            }
            Atom::Sum(sum) => {
                let (_, body, inside) = facts.opened(sum);
                let most = self.of_sum(facts, sum, depth)?;
                // Terms of both signs may cancel, in part or not at all. The sum of what all bound and what all their opposites
                // bound holds whichever do.
                if inside.is_non_negative(&body) {
                    up_to(most)
                } else {
                    let opposite = Sum {
                        body: sum.body.neg(),
                        ..Sum::clone(sum)
                    };
                    let least = self.of_sum(facts, &opposite, depth)?;
                    return Some((Sign::Either, up_to(&most + &least)));
                }
            }
        };
        Some((Sign::Plus, ends))
    }

    /// Bounds a sum by its number of terms times its largest term.
    fn of_sum(&self, facts: &Facts, sum: &Sum, depth: u32) -> Option<Expr> {
        // Σ i ∈ 1..n : ⌈i·n/b⌉: each term is at most i·n/b + 1, at most n²/b + 1 over the range,
        // and there are n terms: n³/b + n. The product is bounded once more, since the count may
        // have floors of its own.
        let (variable, body, inside) = facts.opened(sum);
        let body = self.above(&inside, &body, depth + 1)?;
        let most = at_its_largest(&inside, &variable, [&sum.low, &sum.high], &body)?;
        let count = &sum.high - &sum.low + 1;
        self.above(facts, &(&count * &most), depth + 1)
    }

    /// Returns the expression that is provably the least, otherwise a number, otherwise one in
    /// the slow symbol, otherwise the plainest.
    fn least(&self, facts: &Facts, each: Vec<Expr>) -> Option<Expr> {
        // Any item bounds a minimum from above, so the choice affects sharpness only. A proof is
        // best. After that a bound that does not grow, or hardly grows, wins for large inputs.
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

/// Returns the sum of all values but those provably below another one: an upper bound on the
/// maximum of values ≥ 0.
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
    kept.iter().fold(Expr::zero(), |sum, value| &sum + value)
}

/// Bounds a plain value for a variable between two ends, each factor by itself.
pub(crate) fn at_its_largest(
    facts: &Facts,
    variable: &Symbol,
    [low, high]: [&Expr; 2],
    value: &Expr,
) -> Option<Expr> {
    // Products of non-negative factors are at most the product of the factors' maxima. Positive
    // powers of the variable take the high end, negative powers the low one: n·i/b over 1..n is
    // at most n²/b. Logarithms and positive powers grow with their insides, so the insides are
    // bounded. Everything else must be provably largest at one of the ends.
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
                Atom::Symbol(_) => {
                    if *exponent > 0 {
                        facts
                            .is_non_negative(&itself)
                            .then(|| high.integer_power(*exponent))?
                    } else {
                        facts
                            .is_positive(low)
                            .then(|| low.integer_power(*exponent))?
                    }
                }
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
            product = &product * &part;
        }
        total = &total + &product;
    }
    Some(total)
}

/// Returns true if all terms with the variable are ≥ 0, and all their factors with the variable
/// too.
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

/// Returns the largest value of a power of a base ≥ 1: the value at the largest exponent.
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

/// Returns the positive terms.
fn without_minus(expr: &Expr) -> Expr {
    let kept = expr.terms().iter().filter(|(_, c)| !c.is_negative());
    Expr::from_terms(kept.cloned().collect())
}

/// Shortens a bound of many terms. A term joins another one that is at least as large everywhere,
/// the slowest first, so the fastest-growing terms keep their form. Then pairs with a close
/// common multiple are joined. Coefficients are rounded up to short numbers.
fn shortened(facts: &Facts, expr: Expr) -> Expr {
    // For n, m ≥ 1: 3n² + 2n is at most 5n², since n ≤ n². The leading term's coefficient grows,
    // its asymptotic growth does not. Terms with different real letters (α, β) are shortened
    // apart, because no letter bounds another. A sum of up to four terms is readable and stays
    // exact.
    if expr.terms().len() <= FEW {
        return expr;
    }
    let mut kept = expr.terms().to_vec();
    join_until(facts, &mut kept, MOST_COMPARED);
    // Terms with different letters are read apart.
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

/// Rounds a coefficient up to a short number: whole from 8 on, halves from 1 on. Below 1 a short
/// fraction stays, others become a numerator up to 16 over a power of 2.
fn short_above(coefficient: &Rational) -> Rational {
    // 8.1 becomes 9 and 3.2 becomes 7/2. 3/10 stays. 17/100 becomes 88/512 = 11/64, which is
    // 0.172.
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

/// Joins terms to larger ones until `few` are left. Terms without a larger one stay. Of the
/// others, layer by layer, the terms stay first that would swell their larger term most. Up to
/// `more` further ones stay that would more than double it. All others join the nearest larger
/// term kept.
fn absorb_until(facts: &Facts, terms: &mut Vec<Term>, few: usize, mut more: usize) {
    // Invariant: `above[t]` is a kept term that is provably ≥ t, or none if t is kept itself.
    // Adding t's coefficient to it keeps an upper bound. Example: n² + 9n + 1 for n ≥ 1 and few =
    // 2: the first layer is n², the second 9n (it would make n² ten times as large), and 1 joins
    // n: n² + 10n.
    if terms.len() <= few {
        return;
    }
    let mut above: Vec<Option<usize>> = vec![None; terms.len()];
    let mut rest: Vec<usize> = (0..terms.len()).collect();
    // Fast-growing terms first, so that most terms find their leader at once.
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

/// Returns the terms without a larger one among the others, each with the terms that it is above.
fn maxima(facts: &Facts, terms: &[Term], some: &[usize]) -> Vec<(usize, Vec<usize>)> {
    // A partial order: n and m may be unrelated. Each term is compared with the maxima so far
    // only; a new maximum takes over the followers of those that it dethrones.
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

/// [`Facts::paces`]. Measured before shortening, because terms that join others grow faster than
/// before.
pub(crate) fn paces(facts: &Facts, bound: &Expr, slow: &Symbol) -> Option<[Rational; 2]> {
    let facts = facts.with_work(WORK);
    let plain = if bound.is_plain() {
        bound.clone()
    } else {
        Bounding { slow: Some(slow) }.above(&facts, bound, 0)?
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

/// [`Facts::joined`]: joins terms until the bound fits or no term can join another. If that does
/// not suffice, a slightly larger bound with fewer kinds of terms is tried.
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

/// Returns a larger plain bound that fits: with simpler divisors, or without sums as divisors,
/// and only as few terms as needed.
fn with_less_in_it(facts: &Facts, expr: &Expr, fits: &dyn Fn(&Expr) -> bool) -> Option<Expr> {
    // Without subtracted terms, a larger part makes a larger whole.
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
    if fits(&fewer) {
        Some(fewer)
    } else {
        joined_from_one(facts, &plainer, fits)
    }
}

/// Joins terms beside each letter, one fewer at a time, until the bound fits or no term is below
/// another.
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

/// Bounds 1/(y − c) by 2/y for y ≥ 2c: 1/(wb − 1) is at most 2/(wb).
fn without_less(facts: &Facts, expr: &Expr) -> Expr {
    // y ≥ 2c means c ≤ y/2, so y − c ≥ y/2. For y = 4, c = 1: 1/3 ≤ 2/4.
    expr.replace(&|atom| {
        let Atom::Inverse(divisor) = atom else {
            return None;
        };
        let less = divisor.constant_term();
        let whole = divisor - Expr::rational(less.clone());
        let least = Expr::rational(-&less).scale(&2.into());
        let is_half = less.is_negative() && whole.as_term().is_some();
        (is_half && facts.proves(&Cond::ge(&whole, &least)))
            .then(|| whole.reciprocal().scale(&2.into()))
    })
}

/// Bounds 1/x by 1 for a sum x ≥ 1.
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

/// Replaces a whole r that may be 0 by r + 1, so that its powers can join each other. `None` if
/// the result does not fit.
fn joined_from_one(facts: &Facts, expr: &Expr, fits: &dyn Fn(&Expr) -> bool) -> Option<Expr> {
    // r ≤ r² fails for no whole r, but 1 ≤ r² fails at r = 0. With s = r + 1 ≥ 1 all powers
    // compare: 5r² + 7r + 9 ≤ 5s² + 7s + 9 ≤ 21s² = 21(r + 1)². Replacing r by the larger s
    // raises the bound only if r is subtracted and divided by nowhere.
    let mut facts = facts.with_work(WORK);
    let one = Expr::one();
    let mut value = expr.clone();
    let mut moved: Vec<(Symbol, Expr)> = Vec::new();
    for symbol in expr.symbols() {
        let known = Expr::symbol(&symbol);
        let may_be_none = facts.is_whole_symbol(&symbol)
            && facts.is_non_negative(&known)
            && !facts.proves(&Cond::ge(&known, &one));
        // The bound rises with the symbol if it divides nothing and no term is subtracted.
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

/// Evens out coefficients: two terms that differ by one logarithm both get the larger one, so
/// that `3m·log n + 5m` is at most `5m(log n + 1)`.
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

/// Joins pairs of terms in their least common multiple, the closest pair first, until `few` are
/// left.
fn join_until(facts: &Facts, terms: &mut Vec<Term>, few: usize) {
    // For unrelated terms: n and m are both at most n·m, for n, m ≥ 1. It is coarser than
    // absorbing one term in another, so it comes after `absorb_until`.
    if terms.len() <= few {
        return;
    }
    let mut joining = Joining::of(facts, terms);
    while joining.products.len() > few && joining.join() {}
    *terms = joining.terms();
}

/// Products as vectors of exponents, so that many pairs can be compared quickly.
struct Joining {
    /// All atoms, sorted.
    atoms: Vec<Atom>,
    logs: Vec<bool>,
    /// Flags of the atoms that may get a larger power: the atoms provably ≥ 1.
    may_grow: Vec<bool>,
    products: Vec<(Vec<i32>, Rational)>,
    /// The loss of joining each product with each one before it.
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

    /// Joins the best pair; false if no pair may be joined.
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
        // Among equal losses the multiple wins that most other products can join free of loss,
        // then the slowest-growing.
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

    /// Returns the number of products that divide a multiple.
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

    /// Returns the distance of the least common multiple from both products in degrees, and its
    /// own degree without logarithms. `None` if an atom that gets a larger power may be less than
    /// 1.
    fn loss(&self, [first, second]: [&Vec<i32>; 2]) -> Option<[i64; 2]> {
        // Twice the multiple's degree less both degrees, plus its distance from the slower one,
        // so that of equal sums the pair with the closer terms wins. n² and n: 3 · 2 − 2 − 1 − 1
        // = 2. n and m: 3 · 2 − 1 − 1 − 1 = 3.
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

/// Returns the larger power of each atom.
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
        let less = &n * (&b - &one).reciprocal() + &one;
        assert_eq!(joined(&less, 11), "n/(b - 1) + 1");
        let above = facts.with(&Cond::ge(&b, &Expr::int(2)));
        let fits = |bound: &Expr| bound.to_string().chars().count() <= 10;
        assert_eq!(above.joined(&less, &fits, &fits).to_string(), "2n/b + 1");
        // A sum that is at least 1 divides nothing where there is no other way.
        let sum = &n + &b;
        let over = &n * &n * sum.reciprocal() + &b;
        assert_eq!(joined(&over, 8), "n^2 + b");
        // r^2, r and 1 are all at most (r + 1)^2.
        let r = Symbol::new(7, "r");
        let symbol = Expr::symbol(&r);
        let facts = facts.with(&Cond::ge(&symbol, &Expr::zero()));
        let square = &symbol * &symbol;
        let powers = square.scale(&5.into()) + symbol.scale(&7.into());
        let powers = (&powers + 9) * &n;
        let fits = |bound: &Expr| bound.to_string().chars().count() <= 13;
        let found = facts.joined(&powers, &fits, &fits);
        assert_eq!(found.to_string(), "21n·(r + 1)^2");
    }

    #[test]
    fn without_ceilings_products_keep_what_is_taken_away() {
        let (mut facts, [n, m, b], _) = known();
        let less = &n - &m;
        facts.assume(&Cond::ge(&less, &Expr::zero()));
        let ceiling = less.div(&b).expect("b is not 0").ceil();
        let unrounded = |value: &Expr| facts.unrounded_above(value);
        // ⌈x/b⌉ ≤ (x + b - 1)/b, whatever x is.
        let rounded = &less + &b - 1;
        let plain = (&less * &rounded).div(&b);
        assert_eq!(unrounded(&(&less * &ceiling)), plain);
        let floor = less.div(&b).expect("b is not 0").floor();
        let below = (&less - &b + 1).div(&b).expect("b is not 0");
        assert_eq!(unrounded(&(&n - &floor)), Some(&n - &below));
        // n - 2m may be of either sign: n and 2m by themselves.
        let twice = &m + &m;
        let exact = less.div(&b).expect("b is not 0");
        let apart = (&n * &rounded).div(&b).expect("b is not 0");
        let apart = &apart - (&twice * &exact);
        assert_eq!(unrounded(&((&n - &twice) * &ceiling)), Some(apart));
        // ⌈y⌉^2 from below is y^2; of a floor it is x^2 - 2x.
        let squared = |value: &Expr| value.integer_power(2);
        let all = squared(&n) - squared(&ceiling);
        assert_eq!(unrounded(&all), Some(squared(&n) - squared(&exact)));
        let less_of_floor = squared(&exact) - (&exact + &exact);
        let all = squared(&n) - squared(&floor);
        assert_eq!(unrounded(&all), Some(squared(&n) - &less_of_floor));
        // A bracket stays where what it keeps off has no value: 1/(n - m) at n = m.
        let apart = Cond::ge(&n, &(&m + 1));
        let guarded = |value: &Expr| value * Expr::bracket(apart.clone());
        assert_eq!(unrounded(&guarded(&n)), Some(n.clone()));
        assert_eq!(unrounded(&guarded(&n.div(&less).expect("a form"))), None);
        // Of a minimum with something to round the shorter item, of one without none.
        let fewer = Expr::min(vec![n.clone(), &floor * squared(&ceiling)]);
        assert_eq!(unrounded(&fewer), Some(n.clone()));
        let plain = Expr::min(vec![n.clone(), m.clone()]);
        assert_eq!(unrounded(&plain), Some(plain.clone()));
    }

    #[test]
    fn ceilings_brackets_and_minima_are_rounded_up() {
        let (facts, [n, m, b], slow) = known();
        let blocks = n.div(&b).expect("b is a symbol").ceil();
        assert_eq!(above(&facts, &blocks, &slow), "n/b + 1");
        let guarded = &m * Expr::bracket(Cond::ge(&n, &m));
        assert_eq!(above(&facts, &guarded, &slow), "m");
        let fewer = Expr::min(vec![b.clone(), blocks.clone()]);
        assert_eq!(above(&facts, &fewer, &slow), "b");
        // What is taken away lies between two plain values as well.
        let rest = &n - (&b * &blocks) + &b;
        assert_eq!(above(&facts, &rest, &slow), "b");
    }

    #[test]
    fn quotients_keep_their_sign_however_they_are_written() {
        let (facts, [n, m, _], slow) = known();
        let cores = Expr::max(vec![n, m.clone()]) - &m + 1;
        for sign in [1, -1] {
            let each = Expr::int(500 * sign).div(&cores.scale(&sign.into()));
            let each = each.expect("some core is active") + 5;
            assert_eq!(above(&facts, &each, &slow), "505");
        }
        let less = Expr::int(-500).div(&cores).expect("some core is active");
        assert_eq!(above(&facts, &(&less + 5), &slow), "5");
    }

    #[test]
    fn what_is_multiplied_out_is_bounded_in_one_piece() {
        let (facts, [n, m, b], slow) = known();
        let one = Expr::one();
        let of = |n: &Expr| {
            let high = Expr::min(vec![n + &b - &one, b.scale(&2.into())]);
            let low = Expr::max(vec![Expr::zero(), &b - n + &one]);
            &high - &low + &one
        };
        // Both factors are from 0 to 2b + 1.
        assert_eq!(above(&facts, &(of(&n) * of(&m)), &slow), "(2b + 1)^2");
    }

    #[test]
    fn of_several_bounds_the_one_in_the_fewest_symbols_is_taken() {
        let (facts, [n, m, b], slow) = known();
        let fewer = |items: [Expr; 2]| above(&facts, &Expr::min(items.into()), &slow);
        let whole = |x: &Expr, y: &Expr| x.div(y).expect("it is not 0").ceil();
        assert_eq!(fewer([&n + &m, whole(&m.scale(&2.into()), &b)]), "2m/b + 1");
        assert_eq!(fewer([n.clone(), m.scale(&2.into())]), "2m");
        // b grows slowest, whatever it is beside.
        assert_eq!(fewer([&n * &n, &n * &b]), "nb");
        assert_eq!(fewer([&n * &m, &m * &b + &n]), "mb + n");
    }

    /// The width times the variable of a sum is no bound that grows slowly.
    #[test]
    fn what_grows_in_a_sum_is_no_slow_bound_of_it() {
        let (facts, [n, m, b], slow) = known();
        let turn = Symbol::new(77, "i");
        let of_turn = Expr::symbol(&turn);
        let one = Expr::one();
        let last = n.div(&b).expect("not 0").ceil() - &one;
        let body = Expr::min(vec![m.clone(), (&of_turn + &one) * &b]);
        let sum = Expr::unsolved_sum(&turn, &Expr::zero(), &last, &body);
        assert_eq!(above(&facts, &sum, &slow), "nm/b + m");
    }

    #[test]
    fn unsolved_sums_are_as_often_their_largest_term() {
        let (facts, [n, _, b], slow) = known();
        let i = Symbol::new(9, "i");
        let term = (Expr::symbol(&i) * &n).div(&b).expect("b is a symbol");
        let gcd = Expr::gcd(&Expr::symbol(&i), &b);
        let sum = Expr::unsolved_sum(&i, &Expr::one(), &n, &(term.ceil() * &gcd));
        assert_eq!(above(&facts, &sum, &slow), "n(n^2 + b)");
    }
}
