//! Powers and logarithms in canonical form, by laws that hold for all values.

use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};

use crate::number::theory;
use crate::number::{BigInt, Rational};
use crate::sym::Expr;
use crate::sym::expr::inverse;
use crate::sym::expr::types::{Atom, Monomial};

/// Powers of numbers with more bits than this stay unevaluated. Higher, and 2^(2^20) would be
/// written out.
const MOST_BITS: u64 = 1 << 16;
/// Powers of sums beyond this stay unexpanded: (n + b)^24 has 25 terms.
const HIGHEST_EXPANDED_POWER: i32 = 24;

/// [`Expr::integer_power`].
pub(super) fn whole_power(base: &Expr, exponent: i32) -> Expr {
    // By squaring: x^13 = ((x^3)^2)^2 · x. A single term needs no multiplication, except with
    // powers, inverses and brackets, which merge in their own ways ([c]² = [c]).
    if exponent < 0 {
        return base.reciprocal().integer_power(exponent.saturating_neg());
    }
    match exponent {
        0 => return Expr::one(),
        1 => return base.clone(),
        _ => {}
    }
    if let Some((monomial, coefficient)) = base.as_term() {
        let is_simple = monomial.factors().iter().all(|(atom, _)| {
            !matches!(atom, Atom::Power(..) | Atom::Inverse(_) | Atom::Bracket(_))
        });
        let bits = coefficient.numerator().bits() + coefficient.denominator().bits();
        if is_simple && bits * (exponent as u64) < MOST_BITS * 2 {
            let factors = monomial.factors().iter();
            let factors = factors.map(|(a, e)| (a.clone(), e.saturating_mul(exponent)));
            let coefficient = coefficient.pow(exponent).unwrap_or(Rational::ONE);
            return Expr::monomial(Monomial::from_sorted(factors.collect())).scale(&coefficient);
        }
    }
    if exponent > HIGHEST_EXPANDED_POWER && base.terms().len() > 1 {
        return Expr::atom(Atom::Power(base.clone(), Expr::int(exponent.into())));
    }
    let half = base.integer_power(exponent / 2);
    if half.is_unwieldy_times(&half) {
        return Expr::atom(Atom::Power(base.clone(), Expr::int(exponent.into())));
    }
    let square = &half * &half;
    if exponent % 2 == 0 {
        square
    } else {
        &square * base
    }
}

/// [`Expr::pow`].
pub(super) fn power(base: &Expr, exponent: &Expr) -> Expr {
    // The steps end in a unique form: a numeric value, an expanded power, one exponent
    // instead of a tower, factors apart, and a least root as the base. 8^s becomes 2^(3s), so
    // that 8^s and 2^s meet. Nothing about signs is assumed: (x·y)^s splits only for a whole
    // s or a positive number.
    if let Some(whole) = exponent.as_integer() {
        if let Some(value) = numeric_power(base, &whole) {
            return value;
        }
        if base.as_rational().is_none()
            && let Some(small) = whole.to_i32().filter(|e| e.abs() <= 1 << 20)
        {
            return base.integer_power(small);
        }
        return Expr::atom(Atom::Power(base.clone(), exponent.clone()));
    }
    if base.is_one() {
        return Expr::one();
    }
    if let Some(Atom::Power(lower, inner)) = base.as_atom() {
        return lower.pow(&(inner * exponent));
    }
    if let Some(product) = split_power(base, exponent) {
        return product;
    }
    let (root, scale) = base.perfect_root();
    irreducible_power(&root, &exponent.scale(&scale))
}

/// Returns a number to a whole power, if the result is not too long.
fn numeric_power(base: &Expr, exponent: &BigInt) -> Option<Expr> {
    let value = base.as_rational()?;
    if exponent.is_zero() || value.is_one() {
        return Some(Expr::one());
    }
    let exponent = exponent.to_i32()?;
    if value.is_zero() {
        let is_positive = exponent > 0;
        return Some(if is_positive {
            Expr::zero()
        } else {
            Expr::zero().reciprocal()
        });
    }
    let bits = value.numerator().bits().max(value.denominator().bits());
    (bits * u64::from(exponent.unsigned_abs()) <= MOST_BITS)
        .then(|| value.pow(exponent).map(Expr::rational))?
}

/// Distributes a power over the factors of a single term: always over a positive number, over
/// atoms if the exponent has the shape of a whole number.
fn split_power(base: &Expr, exponent: &Expr) -> Option<Expr> {
    let (monomial, coefficient) = base.as_term()?;
    if coefficient.is_negative() {
        return None;
    }
    if monomial.is_one() {
        let (over, under) = (coefficient.numerator(), coefficient.denominator());
        if under.is_one() {
            return None;
        }
        let under = Expr::from_bigint(under).pow(&exponent.neg());
        return Some(Expr::from_bigint(over).pow(exponent) * &under);
    }
    let has_whole_shape = exponent.has_whole_shape();
    let is_one_atom = matches!(monomial.factors(), [(_, 1)]);
    if coefficient.is_one() && (is_one_atom || !has_whole_shape) {
        return None;
    }
    let mut product = Expr::rational(coefficient.clone()).pow(exponent);
    if !has_whole_shape {
        return Some(&product * Expr::monomial(monomial.clone()).pow(exponent));
    }
    for (atom, power) in monomial.factors() {
        let power = exponent.scale(&(*power).into());
        product = &product * Expr::atom(atom.clone()).pow(&power);
    }
    Some(product)
}

/// Returns base^exponent for a base that splits no further. The whole constant and the
/// logarithms to this base leave the exponent.
fn irreducible_power(base: &Expr, exponent: &Expr) -> Expr {
    // 2^(s + log2 n + 3) is 8n·2^s. The constant is rounded down, so 2^(s − 1/2) is 2^(s +
    // 1/2)/2 and the exponent's fraction stays in [0, 1).
    let constant = Expr::from_bigint(exponent.constant_term().floor());
    let taken_out = base.pow(&constant);
    // A constant too long to be worked out would only merge with the rest again.
    let is_power = |atom: &Atom| matches!(atom, Atom::Power(other, _) if other == base);
    let (mut product, mut rest) = if taken_out.has_atom(&is_power) {
        (Expr::one(), exponent.clone())
    } else {
        (taken_out, exponent - &constant)
    };
    for (monomial, coefficient) in exponent.terms() {
        let [(Atom::Log(other, x), 1)] = monomial.factors() else {
            continue;
        };
        if other == base && coefficient.is_integer() {
            product = &product * x.pow(&Expr::rational(coefficient.clone()));
            rest = &rest - Expr::term(&(monomial.clone(), coefficient.clone()));
        }
    }
    match rest.as_integer() {
        Some(value) => &product * base.pow(&Expr::from_bigint(value)),
        None => &product * Expr::atom(Atom::Power(base.clone(), rest)),
    }
}

/// [`Expr::log`].
pub(super) fn log(base: &Expr, x: &Expr) -> Expr {
    // The base is a least root first: log_32 n is log2(n)/5, so that logarithms to 2, 4 and
    // 32 meet in one atom. Products become sums: log2(8n²) = 3 + 2·log2 n. A sum is split
    // into content and primitive part: log2(6n + 6) = 1 + log2 3 + log2(n + 1).
    if x.is_one() {
        return Expr::zero();
    }
    if base == x {
        return Expr::one();
    }
    let (root, scale) = base.perfect_root();
    if let Some(inverse) = scale.recip().filter(|inverse| !inverse.is_one()) {
        return Expr::log(&root, x).scale(&inverse);
    }
    if let Some((monomial, coefficient)) = x.as_term()
        && coefficient.signum() > 0
    {
        if let (Some(b), Some(value)) = (base.as_rational(), x.as_rational())
            && let Some(exact) = theory::rational_log(&value, &b)
        {
            return Expr::rational(exact);
        }
        let mut sum = log_number(base, coefficient);
        for (atom, exponent) in monomial.factors() {
            let log = match atom {
                Atom::Power(inner, power) => Expr::log(base, inner) * power,
                Atom::Inverse(inner) => Expr::log(base, inner).neg(),
                other if base.as_atom() == Some(other) => Expr::one(),
                other => Expr::atom(Atom::Log(base.clone(), Expr::atom(other.clone()))),
            };
            sum = &sum + log.scale(&(*exponent).into());
        }
        return sum;
    }
    if x.terms().len() < 2 {
        return Expr::atom(Atom::Log(base.clone(), x.clone()));
    }
    let (coefficient, content, primitive) = inverse::primitive(x);
    if coefficient.is_negative() || (coefficient.is_one() && content.is_one()) {
        return Expr::atom(Atom::Log(base.clone(), x.clone()));
    }
    let content = Expr::monomial(content).scale(&coefficient);
    Expr::log(base, &content) + Expr::atom(Atom::Log(base.clone(), primitive))
}

/// Returns the logarithm of a positive number; powers of a numeric base are taken out.
fn log_number(base: &Expr, value: &Rational) -> Expr {
    if value.is_one() {
        return Expr::zero();
    }
    let Some(base_number) = base.as_integer().filter(|b| *b > BigInt::one()) else {
        let log = |x: BigInt| {
            if x.is_one() {
                Expr::zero()
            } else {
                let (root, degree) = theory::perfect_root(&x);
                Expr::atom(Atom::Log(base.clone(), Expr::from_bigint(root)))
                    .scale(&i64::from(degree).into())
            }
        };
        return log(value.numerator()) - log(value.denominator());
    };
    let mut sum = Expr::zero();
    for (part, sign) in [(value.numerator(), 1), (value.denominator(), -1)] {
        let mut rest = part;
        let mut count = 0;
        while rest.is_multiple_of(&base_number) {
            rest /= &base_number;
            count += sign;
        }
        sum = &sum + Expr::int(count);
        if !rest.is_one() {
            let log = Expr::atom(Atom::Log(base.clone(), Expr::from_bigint(rest)));
            sum = &sum + log.scale(&sign.into());
        }
    }
    sum
}
