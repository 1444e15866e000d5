//! Functions of whole numbers under facts: common divisors, digits, sums of floors, powers,
//! logarithms.

use num_traits::ToPrimitive;

use crate::sym::expr::types::Atom;
use crate::sym::facts::knowledge::Facts;
use crate::sym::simplify::rule::Rule;
use crate::sym::{Cond, Expr};

/// The rules for functions of numbers.
pub(crate) const RULES: &[Rule<Atom, Option<Expr>>] = &[
    Rule {
        name: "gcd(x, y) = gcd(x mod y, y)",
        rewrite: gcd_of_remainder,
    },
    Rule {
        name: "digit_sum(x, b) = x for 0 ≤ x < b",
        rewrite: single_digit,
    },
    Rule {
        name: "digit_sum(⌊y/b⌋, b) = digit_sum(y, b) − y mod b",
        rewrite: with_last_digit,
    },
    Rule {
        name: "digit_sum(b·x, b) = digit_sum(x, b)",
        rewrite: without_trailing_zero,
    },
    Rule {
        name: "digit_sum(b^k, b) = 1 and digit_sum(b^k − 1, b) = (b − 1)·k",
        rewrite: digits_of_powers,
    },
    Rule {
        name: "Σ v ∈ 0..n-1 : ⌊(a·v + c)/m⌋ = 0 for n ≤ 0",
        rewrite: empty_floor_sum,
    },
    Rule {
        name: "Σ v ∈ 0..n-1 : ⌊(a·v + c)/m⌋ = a/m·n(n − 1)/2 + n⌊c/m⌋ where m ∣ a",
        rewrite: floor_sum_of_whole_steps,
    },
    Rule {
        name: "Σ ⌊−x⌋ = −Σ ⌊x⌋ − n + how often x is whole",
        rewrite: rising_floor_sum,
    },
    Rule {
        name: "Σ ⌊a(v + q)/m⌋ = Σ ⌊a·v/m⌋ but for the ends",
        rewrite: unshifted_floor_sum,
    },
    Rule {
        name: "(x^k)^e = x^(k·e) for x ≥ 0",
        rewrite: power_of_power,
    },
    Rule {
        name: "log_c x = log_y x · log_c y where x is a power of y",
        rewrite: change_base,
    },
];

/// Drops the terms of x that y visibly divides; returns y itself if that is all of x.
fn gcd_of_remainder(facts: &Facts, atom: &Atom) -> Option<Expr> {
    // gcd(12b + n, b) = gcd(n, b): adding multiples of y to x keeps the common divisors. Only for
    // a proved y ≥ 1, since the gcd is never negative and gcd(x, y) = y needs that.
    let Atom::Gcd(x, y) = atom else {
        return None;
    };
    for (x, y) in [(x, y), (y, x)] {
        if !facts.proves(&Cond::ge(y, &Expr::one())) {
            continue;
        }
        if facts.proves(&Cond::divides(y, x)) {
            return Some(y.clone());
        }
        let rest: Vec<_> = x
            .terms()
            .iter()
            .filter(|(monomial, coefficient)| {
                let term = Expr::monomial(monomial.clone()).scale(coefficient);
                !term
                    .div(y)
                    .is_some_and(|quotient| facts.is_integer_by_terms(&quotient))
            })
            .cloned()
            .collect();
        if rest.len() < x.terms().len() {
            return Some(Expr::gcd(&Expr::from_terms(rest), y));
        }
    }
    None
}

/// Returns the number and the base of a digit sum, if the base is provably ≥ 2.
fn digits<'e>(facts: &Facts, atom: &'e Atom) -> Option<(&'e Expr, &'e Expr)> {
    let Atom::DigitSum(x, base) = atom else {
        return None;
    };
    facts
        .proves(&Cond::ge(base, &Expr::int(2)))
        .then_some((x, base))
}

fn single_digit(facts: &Facts, atom: &Atom) -> Option<Expr> {
    let Atom::DigitSum(x, base) = atom else {
        return None;
    };
    let is_digit = facts.proves(&Cond::non_negative(x)) && facts.proves(&Cond::lt(x, base));
    is_digit.then(|| x.clone())
}

/// Appends the last digit: ⌊y/b⌋ has the digits of y without the last one, y mod b. Likewise for
/// ⌈y/b⌉ + k.
fn with_last_digit(facts: &Facts, atom: &Atom) -> Option<Expr> {
    // digit_sum(⌊57/10⌋) = 5 = digit_sum(57) − 7. A ceiling is the floor of a number b − 1
    // larger: ⌈57/10⌉ = ⌊66/10⌋ = 6, so digit_sum = digit_sum(66) − 6. Rounds of division thus
    // end in the digit sum of one number and remainders of it.
    let (x, base) = digits(facts, atom)?;
    let one = Expr::one();
    let atoms = x.atoms();
    let mut floors = atoms.iter().filter(|atom| matches!(atom, Atom::Floor(_)));
    let (Some(atom @ Atom::Floor(inner)), None) = (floors.next(), floors.next()) else {
        return None;
    };
    let coefficients = x.atom_coefficients(atom)?;
    let [offset, sign] = &*coefficients else {
        return None;
    };
    let dividend = inner * base * sign;
    let fits = facts.is_integer(&dividend) && facts.is_integer(offset);
    if !(sign * sign).is_one() || !fits {
        return None;
    }
    let rounded_up = if sign.is_one() {
        Expr::zero()
    } else {
        base - &one
    };
    let whole = &dividend + (base * offset) + &rounded_up;
    let last = &whole - (base * x);
    facts
        .proves(&Cond::non_negative(&whole))
        .then(|| Expr::digit_sum(&whole, base) - &last)
}

/// Drops a trailing zero digit, which adds nothing.
fn without_trailing_zero(facts: &Facts, atom: &Atom) -> Option<Expr> {
    let (x, base) = digits(facts, atom)?;
    let shorter = x.div(base)?;
    let fits = facts.is_integer(&shorter) && shorter.terms().len() == 1;
    fits.then(|| Expr::digit_sum(&shorter, base))
}

/// Gives the digit sums of b^k (a single 1) and of b^k − 1 (only digits b − 1): 1 and 27 for 10^3
/// and 999.
fn digits_of_powers(facts: &Facts, atom: &Atom) -> Option<Expr> {
    let (x, base) = digits(facts, atom)?;
    for (value, is_power) in [(x.clone(), true), (x + 1, false)] {
        let log = Expr::log(base, &value);
        if facts.is_integer(&log) && facts.proves(&Cond::non_negative(&log)) {
            let nines = (base - 1) * &log;
            return Some(if is_power { Expr::one() } else { nines });
        }
    }
    None
}

/// Returns n, a, c and m of Σ v ∈ 0..n-1 : ⌊(a v + c)/m⌋ if n is provably ≥ 0.
fn floor_sum<'e>(facts: &Facts, atom: &'e Atom) -> Option<&'e [Expr; 4]> {
    let Atom::FloorSum(parts) = atom else {
        return None;
    };
    facts
        .proves(&Cond::non_negative(&parts[0]))
        .then_some(parts)
}

fn empty_floor_sum(facts: &Facts, atom: &Atom) -> Option<Expr> {
    let Atom::FloorSum(parts) = atom else {
        return None;
    };
    facts
        .proves(&Cond::le(&parts[0], &Expr::zero()))
        .then(Expr::zero)
}

fn floor_sum_of_whole_steps(facts: &Facts, atom: &Atom) -> Option<Expr> {
    // A whole slope a/m leaves the floor: ⌊(8v + 5)/4⌋ = 2v + 1. For n = 3 the values are 1, 3,
    // 5, and 2 · 3 + 3 · 1 = 9 is their sum.
    let [n, a, c, m] = floor_sum(facts, atom)?;
    let slope = a.div(m)?;
    if !facts.is_integer(&slope) {
        return None;
    }
    let pairs = (n * (n - 1)).div(&Expr::int(2))?;
    let start = facts.simplify_floor(&c.div(m)?);
    Some(&slope * &pairs + (n * &start))
}

/// Turns a falling sum into a rising one by ⌊−x⌋ = −⌊x⌋ − 1 + [x is whole]. x = a(v + q)/m is
/// whole for the multiples v + q of m/gcd(a, m).
fn rising_floor_sum(facts: &Facts, atom: &Atom) -> Option<Expr> {
    // Falling sums come from ceilings. One orientation is kept, so that equal sums are equal
    // forms. Example: Σ v ∈ 0..4 : ⌊−2v/4⌋ = 0 − 1 − 1 − 2 − 2 = −6. The rising sum is 0 + 0 + 1
    // + 1 + 2 = 4, v/2 is whole for v = 0, 2, 4, and 3 − 4 − 5 = −6.
    let [n, a, c, m] = floor_sum(facts, atom)?;
    let falls = a.terms().last().is_some_and(|(_, c)| c.is_negative());
    let shift = c.div(a)?;
    let fits = falls
        && [a, c, m, &shift].into_iter().all(|e| facts.is_integer(e))
        && facts.proves(&Cond::ge(m, &Expr::one()));
    if !fits {
        return None;
    }
    let (a, c, one) = (a.neg(), c.neg(), Expr::one());
    let step = m.div(&facts.simplify(&Expr::gcd(&a, m)))?;
    let last = (&shift + n - &one).div(&step)?.floor();
    let whole = &last - shift.div(&step)?.ceil() + &one;
    let rising = Expr::floor_sum(n, &a, &c, m);
    Some(&whole - &rising - n)
}

/// Drops a small shift q from ⌊a(v + q)/m⌋, adding and subtracting a few values at the ends. So
/// the blocks of consecutive rows telescope.
fn unshifted_floor_sum(facts: &Facts, atom: &Atom) -> Option<Expr> {
    // With q = 1 the values at 1..n replace those at 0..n − 1: add the value at n, subtract the
    // one at 0. For a = 1, m = 2, n = 3: 0 + 1 + 1 = 2, unshifted 0 + 0 + 1, plus ⌊3/2⌋ − 0.
    // MOST_SHIFT bounds the terms written: each unit of q writes two floors.
    const MOST_SHIFT: i64 = 8;
    let [n, a, c, m] = floor_sum(facts, atom)?;
    let shift = c.div(a)?.as_integer()?.to_i64()?;
    if shift == 0 || shift.abs() > MOST_SHIFT {
        return None;
    }
    let at = |v: &Expr| Some((a * v).div(m)?.floor());
    let mut sum = Expr::floor_sum(n, a, &Expr::zero(), m);
    for v in 0..shift {
        sum = &sum + at(&(n + Expr::int(v)))? - at(&Expr::int(v))?;
    }
    for v in shift..0 {
        sum = &sum + at(&Expr::int(v))? - at(&(n + Expr::int(v)))?;
    }
    Some(facts.simplify(&sum))
}

fn power_of_power(facts: &Facts, atom: &Atom) -> Option<Expr> {
    let Atom::Power(base, exponent) = atom else {
        return None;
    };
    let whole = facts.is_non_negative(&base.clone()) && !exponent.has_whole_shape();
    let (monomial, coefficient) = base.as_term()?;
    if !whole || !coefficient.is_one() || monomial.factors().len() != 1 {
        return None;
    }
    let (atom, power) = monomial.factors().first()?;
    let inner = Expr::atom(atom.clone());
    (*power > 1 && facts.is_non_negative(&inner))
        .then(|| inner.pow(&exponent.scale(&(*power).into())))
}

/// Writes logarithms of x to the base y that x is a known power of, so that logarithms to
/// different bases meet.
fn change_base(facts: &Facts, atom: &Atom) -> Option<Expr> {
    let Atom::Log(base, x) = atom else {
        return None;
    };
    let powers = &facts.known().powers;
    let (_, root, source) = powers
        .iter()
        .find(|(power, root, _)| power == x && root != base && root != x)?;
    // If y is known to be a power of x as well, the two rewrites would undo each other for ever.
    let is_mutual = powers.iter().any(|(px, py, _)| px == root && py == x);
    if is_mutual || !facts.proves(&Cond::ge(root, &Expr::int(2))) {
        return None;
    }
    facts.mark_used(&[*source]);
    Some(Expr::log(root, x) * Expr::log(base, root))
}
