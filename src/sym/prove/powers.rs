//! Products written as powers of one base, under facts. With n and b powers of 2, n/(2b) is
//! 2^(log2 n − log2 b − 1). Facts about the exponents then become facts about the products.

use num_traits::{One, ToPrimitive};

use crate::number::{BigInt, Rational};
use crate::sym::expr::types::{Atom, Monomial, Term};
use crate::sym::facts::knowledge::{Bound, Facts, Source};
use crate::sym::{Cond, Expr};

/// The longest chain of facts "x is a power of y". It bounds a recursion through facts that may
/// form a circle. A program that chains four such facts loses the link from the first to the
/// last.
const LONGEST_CHAIN: u32 = 3;
/// The largest exponent, up or down, tried when a number is compared with powers of a base.
/// Beyond 2^±256 a logarithm of a number has no bound here.
const MOST_DOUBLINGS: u32 = 256;

/// A product with all powers of one base taken out: coefficient · rest · base^exponent.
struct Split {
    exponent: Expr,
    rest: Monomial,
    coefficient: Rational,
    sources: Vec<Source>,
}

/// Returns true if a product is whole because it is made of powers with exponents ≥ 0. Example:
/// n/b^r for r ≤ log_b n, when n is a power of b.
pub(crate) fn is_power_quotient(
    facts: &Facts,
    monomial: &Monomial,
    coefficient: &Rational,
) -> bool {
    // Why one exponent decides: n/(4b) with n, b powers of 2 is 2^(log2 n − log2 b − 2). It is
    // whole exactly if that exponent is ≥ 0, although n/b and 1/4 are not whole by themselves.
    // Factors without the base stay in `rest` and must be whole on their own; what is left may
    // again be a quotient of powers of another base, so the question recurs on a strictly smaller
    // product.
    let has_quotient = !coefficient.is_integer()
        || monomial
            .factors()
            .iter()
            .any(|(atom, e)| *e < 0 || matches!(atom, Atom::Power(..)));
    let value = Expr::term(&(monomial.clone(), coefficient.clone()));
    if !has_quotient || facts.known().models.refute_whole(&value) {
        return false;
    }
    power_bases(facts, monomial).into_iter().any(|base| {
        let Some(split) = split_powers(facts, monomial, coefficient, &base) else {
            return false;
        };
        let rest_is_whole = split.coefficient.is_integer()
            && (split.rest.factors().iter().all(|(atom, exponent)| {
                *exponent > 0 && !matches!(atom, Atom::Power(..)) && facts.is_integer_atom(atom)
            }) || split.rest != *monomial
                && is_power_quotient(facts, &split.rest, &split.coefficient));
        let is_whole = rest_is_whole
            && facts.is_integer(&base)
            && facts.is_integer_by_terms(&split.exponent)
            && facts.is_non_negative(&split.exponent);
        if is_whole {
            facts.mark_used(&split.sources);
        }
        is_whole
    })
}

/// Returns e with term = base^e, and the facts that this equality needs.
pub(crate) fn exponent_of(
    facts: &Facts,
    (monomial, coefficient): &Term,
    base: &Expr,
) -> Option<(Expr, Vec<Source>)> {
    let split = split_powers(facts, monomial, coefficient, base)?;
    (split.rest.is_one() && split.coefficient.is_one()).then_some((split.exponent, split.sources))
}

/// Returns e and c with term = c·base^e, and the facts that this equality needs.
pub(crate) fn without_powers(
    facts: &Facts,
    (monomial, coefficient): &Term,
    base: &Expr,
) -> Option<(Expr, Expr, Vec<Source>)> {
    let split = split_powers(facts, monomial, coefficient, base)?;
    let factor = Expr::term(&(split.rest, split.coefficient));
    Some((split.exponent, factor, split.sources))
}

/// Returns the bases that some factor of the product may be a power of.
pub(crate) fn power_bases(facts: &Facts, monomial: &Monomial) -> Vec<Expr> {
    let mut bases: Vec<Expr> = Vec::new();
    let mut add = |base: &Expr| {
        if !bases.contains(base) {
            bases.push(base.clone());
        }
    };
    for (atom, _) in monomial.factors() {
        if let Atom::Power(base, _) = atom {
            add(base);
        }
    }
    for (x, y, _) in &facts.known().powers {
        let occurs = x.as_atom().is_some_and(|x| monomial.exponent(x) != 0);
        if occurs {
            roots(facts, y, LONGEST_CHAIN, &mut add);
        }
    }
    bases
}

/// Adds the base, then every base that it is a power of, up to `left` links away.
fn roots(facts: &Facts, base: &Expr, left: u32, add: &mut dyn FnMut(&Expr)) {
    add(base);
    if left == 0 {
        return;
    }
    for (x, y, _) in &facts.known().powers {
        if x == base && y != base {
            roots(facts, y, left - 1, add);
        }
    }
}

/// Takes all powers of a base out of a product. Returns `None` if there is none.
fn split_powers(
    facts: &Facts,
    monomial: &Monomial,
    coefficient: &Rational,
    base: &Expr,
) -> Option<Split> {
    // Worked example: 24n/b for base 2, with n and b powers of 2. The factors give log2 n − log2
    // b, the number 24 = 2^3 · 3 adds 3. Result: exponent log2 n − log2 b + 3, rest 1,
    // coefficient 3. A number without other factors (n = 1) still splits, hence the test of
    // `is_one`.
    let mut exponent = Expr::zero();
    let mut rest = Vec::new();
    let mut sources = Vec::new();
    for (atom, count) in monomial.factors() {
        match log_of_atom(facts, atom, base, LONGEST_CHAIN, &mut sources) {
            Some(log) => exponent = &exponent + log.scale(&(*count).into()),
            None => rest.push((atom.clone(), *count)),
        }
    }
    if is_composite(base) {
        let rest = Monomial::from_sorted(rest);
        let (more, rest, coefficient) = split_composite(facts, &rest, coefficient, base)?;
        return Some(Split {
            exponent: &exponent + &more,
            rest,
            coefficient,
            sources,
        });
    }
    if rest.len() == monomial.factors().len() && !monomial.is_one() {
        return None;
    }
    let mut coefficient = coefficient.clone();
    if let Some(number) = base.as_integer().filter(|b| *b > BigInt::one()) {
        let (power, left) = power_in(&coefficient, &number);
        exponent = &exponent + Expr::int(power);
        coefficient = left;
    }
    Some(Split {
        exponent,
        rest: Monomial::from_sorted(rest),
        coefficient,
        sources,
    })
}

/// Splits a product by a base with several factors, such as 2b. All of them need the same
/// exponent.
fn split_composite(
    facts: &Facts,
    monomial: &Monomial,
    coefficient: &Rational,
    base: &Expr,
) -> Option<(Expr, Monomial, Rational)> {
    // 4b² is (2b)²: b stands in it twice and 2 stands in it twice. 2b² is no power of 2b, because
    // the exponents 2 and 1 differ. A base 4b² counts b with 2, so its exponent is halved.
    let mut found: Option<Expr> = None;
    let (mut rest, mut coefficient) = (monomial.clone(), coefficient.clone());
    for (part, count) in parts(base)? {
        let (exponent, left, number) = match split_powers(facts, &rest, &coefficient, &part) {
            Some(split) => (split.exponent, split.rest, split.coefficient),
            None => (Expr::zero(), rest.clone(), coefficient.clone()),
        };
        let exponent = exponent.scale(&Rational::new(1, i64::from(count))?);
        if found.as_ref().is_some_and(|known| *known != exponent) {
            return None;
        }
        found = Some(exponent);
        (rest, coefficient) = (left, number);
    }
    Some((found?, rest, coefficient))
}

/// Returns the logarithm of an atom that is a power of the base, by its form or by the facts.
fn log_of_atom(
    facts: &Facts,
    atom: &Atom,
    base: &Expr,
    left: u32,
    sources: &mut Vec<Source>,
) -> Option<Expr> {
    if base.as_atom() == Some(atom) {
        return Some(Expr::one());
    }
    if let Atom::Power(inner, power) = atom {
        if inner == base {
            return Some(power.clone());
        }
        let inner = log_of_atom(facts, inner.as_atom()?, base, left.checked_sub(1)?, sources)?;
        return Some(&inner * power);
    }
    for (x, y, source) in &facts.known().powers {
        if x.as_atom() != Some(atom) || x == y {
            // Logarithms multiply along a chain: if n is a power of b and b is a power of 2, then
            // log2 n = log_b n · log2 b.
            continue;
        }
        let of_root = if y == base {
            Expr::one()
        } else {
            let Some(of_root) = y
                .as_atom()
                .and_then(|y| log_of_atom(facts, y, base, left.checked_sub(1)?, sources))
            else {
                continue;
            };
            of_root
        };
        sources.push(*source);
        return Some(Expr::log(y, x) * &of_root);
    }
    None
}

/// Turns a bound p ≥ c·q between powers of one base into a bound on their exponents: log p − log
/// q ≥ ⌈log c⌉.
pub(crate) fn bound_of_exponents(facts: &Facts, bound: &Expr) -> Vec<(Expr, Vec<Source>)> {
    // The difference of the exponents is whole, so it may be rounded up. For powers n and b of 2,
    // n ≥ 5b says 2^d ≥ 5 with d = log2 n − log2 b, hence d ≥ 3. For a symbolic base only the
    // comparison of c with 1 is decidable: c = 1 gives d ≥ 0, and c > 1 gives d ≥ 1.
    let [first, second] = bound.terms() else {
        return Vec::new();
    };
    let (large, small) = match (first.1.is_negative(), second.1.is_negative()) {
        (true, false) => (second, first),
        (false, true) => (first, second),
        _ => return Vec::new(),
    };
    let Some(ratio) = (-&small.1).checked_div(&large.1) else {
        return Vec::new();
    };
    let product = Monomial::from_sorted(large.0.merged(&small.0));
    let mut found = Vec::new();
    for base in power_bases(facts, &product) {
        let one = Rational::ONE;
        let of = |monomial: &Monomial| {
            if monomial.is_one() {
                return Some((Expr::zero(), Vec::new()));
            }
            exponent_of(facts, &(monomial.clone(), one.clone()), &base)
        };
        let (Some((above, mut sources)), Some((below, more))) = (of(&large.0), of(&small.0)) else {
            continue;
        };
        sources.extend(more);
        let difference = &above - &below;
        if difference.as_rational().is_some() || !facts.is_integer_by_terms(&difference) {
            continue;
        }
        let least = match base.as_integer() {
            Some(number) if number > BigInt::one() => ceil_log(&ratio, &number),
            Some(_) => None,
            None if ratio.is_one() => Some(0),
            None if ratio > one => Some(1),
            None => None,
        };
        if let Some(least) = least {
            found.push((&difference - Expr::int(least), sources));
        }
    }
    found
}

/// Turns a bound log_b x − log_b y ≥ c into a bound x ≥ b^c·y.
pub(crate) fn bound_of_powers(facts: &Facts, bound: &Expr) -> Option<Expr> {
    // Products are compared because logarithms add: log2 n − log2 b − 2 ≥ 0 becomes n/4 − b ≥ 0.
    // Coefficients other than ±1 would need roots or powers of x, so such bounds are skipped. A
    // shift beyond 64 would write numbers of more than 64 bits into every later search.
    let constant = bound.constant_term();
    let mut base: Option<&Expr> = None;
    let (mut large, mut small) = (Expr::one(), Expr::one());
    for (monomial, coefficient) in bound.terms() {
        if monomial.is_one() {
            continue;
        }
        let [(Atom::Log(b, x), 1)] = monomial.factors() else {
            return None;
        };
        if base.is_some_and(|known| known != b) || !coefficient.abs().is_one() {
            return None;
        }
        base = Some(b);
        if coefficient.is_negative() {
            small = &small * x
        } else {
            large = &large * x
        }
    }
    let shift = constant.to_integer()?.to_i32()?;
    let base = base?;
    if shift.abs() > 64 || !facts.is_quickly_positive(&(base - 1)) {
        return None;
    }
    let factor = base.pow(&Expr::int(shift.into()));
    Some(&factor * &large - &small)
}

/// Bounds base^exponent by bounds on a symbol of the exponent: with s ≤ log2 b − 1, 2^s is at
/// most b/2. Each bound is an expression ≥ 0.
pub(crate) fn bounds_of_power(
    facts: &Facts,
    power: &Expr,
    base: &Expr,
    exponent: &Expr,
) -> Vec<Expr> {
    // base ≥ 1 holds for every caller, so the power grows with its exponent. The bound a·s + r ≥
    // 0 ends s at −r/a: from above if a < 0, from below if a > 0. A negative slope of the
    // exponent in s swaps the two. Example: log2 b − 1 − s ≥ 0 has a = −1, its end is log2 b − 1,
    // and 2^(log2 b − 1) = b/2 is an upper bound of 2^s.
    const MOST: usize = 6;
    let mut found = Vec::new();
    for symbol in exponent.symbols() {
        let Some([_, slope]) = exponent.linear_in(&symbol) else {
            continue;
        };
        let Some(slope) = slope.as_rational() else {
            continue;
        };
        for bound in &facts.known().bounds {
            let Some([rest, factor]) = bound.value.linear_in(&symbol) else {
                continue;
            };
            let Some(factor) = factor.as_rational() else {
                continue;
            };
            let Some(end) = factor.recip().map(|inverse| rest.scale(&-inverse)) else {
                continue;
            };
            if found.len() >= MOST {
                return found;
            }
            let at_end = base.pow(&exponent.substitute(&symbol, &end));
            let is_upper = factor.is_negative() != slope.is_negative();
            found.push(if is_upper {
                &at_end - power
            } else {
                power - &at_end
            });
        }
    }
    found
}

/// Bounds log_b x, for a number b, by bounds on x: with x ≤ 40, log2 x is at most 6. Each bound
/// is an expression ≥ 0.
pub(crate) fn bounds_of_log(facts: &Facts, log: &Expr, base: &Expr, x: &Expr) -> Vec<Expr> {
    let Some(number) = base.as_integer().filter(|b| *b > BigInt::one()) else {
        return Vec::new();
    };
    let of_bound = |bound: &Bound| {
        let found = if let Some(least) = (x - &bound.value).as_rational() {
            // x ≥ least. The largest k with b^k ≤ 9 is the largest k with b^k < 10, so `ceil_log`
            // is asked about 10: 4, and log2 x ≥ 3. log_b x ≥ 0 for x ≥ 1 is known anyway.
            let above = &Rational::from(least.floor()) + &Rational::ONE;
            let whole = ceil_log(&above, &number)? - 1;
            (whole > 0).then(|| log - Expr::int(whole))?
        } else {
            let most = (x + &bound.value).as_rational()?;
            Expr::int(ceil_log(&most, &number)?) - log
        };
        facts.mark_used(&[bound.source]);
        Some(found)
    };
    facts.known().bounds.iter().filter_map(of_bound).collect()
}

/// Returns true if a base is a product, such as 2b.
pub(crate) fn is_composite(base: &Expr) -> bool {
    base.as_term()
        .is_some_and(|_| base.as_atom().is_none() && base.as_rational().is_none())
}

/// Returns the factors of a base with their exponents, its number last. Returns `None` for a sum.
pub(crate) fn parts(base: &Expr) -> Option<Vec<(Expr, i32)>> {
    let (factors, number) = base.as_term()?;
    let mut parts: Vec<(Expr, i32)> = factors
        .factors()
        .iter()
        .map(|(atom, count)| (Expr::atom(atom.clone()), *count))
        .collect();
    if !number.is_one() {
        parts.push((Expr::rational(number.clone()), 1));
    }
    Some(parts)
}

/// Writes a number as base^k · rest with |k| as large as possible: 24 = 2^3 · 3, 3/8 = 2^−3 · 3.
fn power_in(value: &Rational, base: &BigInt) -> (i64, Rational) {
    use num_integer::Integer;
    let mut count = 0;
    let (mut over, mut under) = (value.numerator(), value.denominator());
    while !over.is_one() && over.is_multiple_of(base) && count < i64::from(MOST_DOUBLINGS) {
        over /= base;
        count += 1;
    }
    while under.is_multiple_of(base) && count > -i64::from(MOST_DOUBLINGS) {
        under /= base;
        count -= 1;
    }
    let left = Rational::new(over, under).unwrap_or(Rational::ONE);
    (count, left)
}

/// Returns the least whole k with base^k ≥ value > 0: 3 for 5 and base 2, −2 for 1/4.
fn ceil_log(value: &Rational, base: &BigInt) -> Option<i64> {
    let base = Rational::from(base.clone());
    let mut power = Rational::ONE;
    let mut k = 0;
    while power < *value {
        power = &power * &base;
        k += 1;
        if k > i64::from(MOST_DOUBLINGS) {
            return None;
        }
    }
    loop {
        let lower = power.checked_div(&base)?;
        if lower < *value {
            return Some(k);
        }
        power = lower;
        k -= 1;
        if k < -i64::from(MOST_DOUBLINGS) {
            return None;
        }
    }
}

/// Turns ⌊log_b x⌋ − k ≥ 0 into x ≥ b^k, and ⌈log_b x⌉ − k ≥ 0 into x > b^(k − 1). Proofs need
/// this form where a power is subtracted from something larger than x.
pub(crate) fn of_rounded_log(value: &Expr) -> Option<Cond> {
    // A ceiling is kept as −⌊−log_b x⌋, so the sign of the floor's coefficient tells them apart.
    // ⌈log2 9⌉ = 4 ≥ 4 says 9 > 2^3; the strict sign is what makes it equivalent.
    let (floor, coefficient) =
        value
            .terms()
            .iter()
            .find_map(|(monomial, coefficient)| match monomial.factors() {
                [(floor @ Atom::Floor(_), 1)] if coefficient.abs().is_one() => {
                    Some((Expr::atom(floor.clone()).scale(coefficient), coefficient))
                }
                _ => None,
            })?;
    let limit = &floor - value;
    let inner = floor.scale(coefficient).in_floor()?;
    let inner = inner.scale(coefficient);
    let Atom::Log(base, x) = inner.as_atom()? else {
        return None;
    };
    let is_short = limit.is_plain() && base.as_integer().is_some();
    is_short.then(|| {
        if coefficient.is_negative() {
            Cond::gt(x, &base.pow(&(&limit - 1)))
        } else {
            Cond::ge(x, &base.pow(&limit))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{symbol, symbols};
    use crate::sym::Cond;

    #[test]
    fn logarithms_are_bounded_as_their_arguments() {
        let [n, x] = symbols(["n", "x"]);
        let two = Expr::int(2);
        let [of_n, of_x] = [&n, &x].map(|it| Expr::log(&two, it));
        let mut facts = Facts::new();
        facts.positive_real(&symbol("x"));
        facts.suppose(&Cond::ge(&n, &Expr::int(9)));
        facts.suppose(&Cond::le(&n, &Expr::int(40)));
        facts.suppose(&Cond::ge(
            &x,
            &Expr::rational(Rational::new(7, 2).expect("not 0")),
        ));
        let holds = |log: &Expr, least: i64| facts.prove(&Cond::ge(log, &Expr::int(least)));
        assert_eq!([holds(&of_n, 3), holds(&of_n, 6)], [Some(true), None]);
        assert_eq!(facts.prove(&Cond::le(&of_n, &Expr::int(6))), Some(true));
        assert_eq!(facts.prove(&Cond::le(&of_n, &Expr::int(5))), None);
        assert_ne!(holds(&of_x, 2), Some(true));
    }

    #[test]
    fn a_power_of_32_has_a_whole_logarithm_to_32() {
        let [n, r] = symbols(["n", "r"]);
        let base = Expr::int(32);
        let mut facts = Facts::new();
        facts.suppose(&Cond::power_of(&n, &base));
        let log = Expr::log(&base, &n);
        assert!(facts.is_integer(&log));
        assert!(!facts.is_integer(&Expr::log(&Expr::int(1024), &n)));
        facts.suppose(&Cond::ge(&r, &Expr::one()));
        facts.suppose(&Cond::le(&r, &log));
        let quotient = &n * base.pow(&r.neg());
        assert!(facts.is_integer(&quotient));
    }

    /// 2^r < n for every r < ⌈log2 n⌉, so it is below the next multiple of b as well.
    #[test]
    fn a_step_of_a_scan_is_less_than_the_whole() {
        let [n, b, r] = symbols(["n", "b", "r"]);
        let two = Expr::int(2);
        let mut facts = Facts::new();
        for least in [
            Cond::ge(&n, &two),
            Cond::ge(&b, &Expr::one()),
            Cond::non_negative(&r),
        ] {
            facts.assume(&least);
        }
        let last = Expr::log(&two, &n).ceil() - 1;
        facts.assume(&Cond::le(&r, &last));
        let step = two.pow(&r) + 1;
        assert!(facts.proves(&Cond::ge(&n, &step)), "n");
        let whole = &b * n.div(&b).expect("not 0").ceil();
        assert!(facts.proves(&Cond::ge(&whole, &n)), "whole ≥ n");
        assert!(facts.proves(&Cond::ge(&whole, &step)), "whole");
    }
}
