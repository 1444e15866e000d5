//! Sums: which terms stand together, and in which order.

use std::collections::BTreeMap;

use crate::number::Rational;
use crate::sym::Expr;
use crate::sym::expr::types::{Atom, Monomial, Term};
use crate::sym::notation::layout::Shaper;
use crate::sym::notation::layout::common::{common_factor, divided};
use crate::sym::notation::layout::factors::{
    denominator_content, denominators, grouped, shared_coefficient, shared_factors,
};
use crate::sym::notation::layout::fractions::{Fraction, as_one};
use crate::sym::notation::layout::order::{compare_parts, cost_rank, degree_of};
use crate::sym::notation::layout::powers::factored;
use crate::sym::notation::layout::products::{power, product, term_shape};
use crate::sym::notation::layout::sign::{reads_negative, reads_positive, varies_negatively};
use crate::sym::notation::layout::weight::weight;
use crate::sym::notation::shape::{Shape, Sign};

/// A sum: one fraction for each denominator, common factors outside.
pub(super) fn sum_shape(shaper: &Shaper, expr: &Expr) -> Shape {
    if expr.terms().len() <= 1 {
        return match expr.terms().first() {
            None => Shape::Number(0.into()),
            Some((monomial, coefficient)) => single(shaper, monomial, coefficient),
        };
    }
    let has_letters = |(monomial, _): &Term| {
        let mut factors = monomial.factors().iter();
        factors.any(|(atom, _)| cost_rank(atom) > 0)
    };
    if let Some(fraction) = as_one(expr).filter(|_| !expr.terms().iter().any(has_letters)) {
        let one = of_fraction(shaper, &fraction);
        let plain = of_terms(shaper, expr);
        return if weight(&one) < weight(&plain) {
            one
        } else {
            plain
        };
    }
    of_terms(shaper, expr)
}

/// One term with its sign.
fn single(shaper: &Shaper, monomial: &Monomial, coefficient: &Rational) -> Shape {
    let shape = term_shape(shaper, monomial, coefficient, None);
    with_minus(!reads_positive(monomial, coefficient), shape)
}

/// A shape, behind a minus where it takes one.
fn with_minus(is_minus: bool, shape: Shape) -> Shape {
    if is_minus {
        Shape::Sum(vec![(Sign::Minus, shape)])
    } else {
        shape
    }
}

/// A numerator over all it is divided by.
fn of_fraction(shaper: &Shaper, fraction: &Fraction) -> Shape {
    let (numerator, divisor) = (&fraction.numerator, &fraction.divisor);
    if let Some((monomial, coefficient)) = numerator.as_term() {
        let monomial = Monomial::from_sorted(monomial.merged(divisor));
        return single(shaper, &monomial, coefficient);
    }
    let scale = denominator_content(numerator);
    let inner = numerator.scale(&scale.recip().unwrap_or(Rational::ONE));
    let inner = sum_shape(shaper, &inner);
    term_shape(shaper, divisor, &scale, Some(inner))
}

/// Two terms or more, but as one fraction.
fn of_terms(shaper: &Shaper, expr: &Expr) -> Shape {
    if let Some((common, rest)) = factored_out(expr) {
        // A negative whole is written as −(…); ceilings in the factor carry a sign of their own.
        let factor_sign = if reads_positive(&common, &Rational::ONE) {
            1
        } else {
            -1
        };
        let rest = rest.scale(&factor_sign.into());
        // t stays as it is beside λq: (13⌈k/(k'ℓ)⌉ + λn(n + 1)/2)/γ.
        let scale = match grouped(&rest, leading_letter).len() {
            1 => denominator_content(&rest),
            _ => Rational::ONE,
        };
        let rest = rest.scale(&scale.recip().unwrap_or(Rational::ONE));
        let (scale, rest) = shared_coefficient(scale, rest);
        // 3k - (k - 1)·[b | n], but (n - 2)/b where nothing else multiplies.
        let is_multiplied = common.factors().iter().any(|(atom, exponent)| {
            *exponent > 0 && !matches!(atom, Atom::Inverse(_)) && cost_rank(atom) == 0
        });
        let is_turned = if is_multiplied {
            falls(shaper, &rest)
        } else {
            reads_negative(&rest)
        };
        let rest = if is_turned { rest.neg() } else { rest };
        let (turns, inner) = signed(sum_shape(shaper, &rest));
        let coefficient = &scale * &Rational::from(factor_sign);
        let shape = term_shape(shaper, &common, &coefficient, Some(inner));
        return with_minus(is_turned ^ turns, shape);
    }
    let mut parts: Vec<(Expr, bool, Shape)> = Vec::new();
    let by_letters = grouped(expr, leading_letter);
    if by_letters.len() > 1 {
        for (_, group) in by_letters {
            let (is_minus, shape) = signed(sum_shape(shaper, &group));
            parts.push((group, is_minus, shape));
        }
        return sum_of(shaper, parts);
    }
    let scale = denominator_content(expr);
    if !scale.is_one() && denominators(expr).len() == 1 {
        let inner = expr.scale(&scale.recip().unwrap_or(Rational::ONE));
        let inner = sum_shape(shaper, &inner);
        return term_shape(shaper, &Monomial::one(), &scale, Some(inner));
    }
    let (shared, inner) = shared_coefficient(Rational::ONE, expr.clone());
    if !shared.is_one() && expr.constant_term().is_negative() && expr.terms().len() == 2 {
        // 38(n - 1)
        let inner = sum_shape(shaper, &inner);
        return term_shape(shaper, &Monomial::one(), &shared, Some(inner));
    }
    if let Some(product) = product_of_sums(shaper, expr) {
        return product;
    }
    let sum = of_groups(shaper, expr);
    match product_of_powers(shaper, expr) {
        Some((product, slack)) if weight(&product) <= weight(&sum) + slack => product,
        Some(_) | None => sum,
    }
}

/// The terms in groups that share a factor or a denominator.
fn of_groups(shaper: &Shaper, expr: &Expr) -> Shape {
    let mut parts: Vec<(Expr, bool, Shape)> = Vec::new();
    let mut others: Vec<Term> = Vec::new();
    for (factor, group) in shared_factors(expr) {
        if factor.is_none() || group.terms().len() == 1 {
            others.extend(group.terms().iter().cloned());
            continue;
        }
        let (is_minus, shape) = signed(sum_shape(shaper, &group));
        parts.push((group, is_minus, shape));
    }
    for (denominator, numerator) in denominators(&Expr::from_terms(others)) {
        let group = &numerator * Expr::monomial(denominator.clone());
        if numerator.terms().len() == 1 || denominator.is_one() {
            for (monomial, coefficient) in group.terms() {
                let shape = term_shape(shaper, monomial, coefficient, None);
                let is_minus = !reads_positive(monomial, coefficient);
                parts.push((
                    Expr::term(&(monomial.clone(), coefficient.clone())),
                    is_minus,
                    shape,
                ));
            }
        } else {
            let mut numerator = numerator;
            let is_minus = reads_negative(&numerator);
            if is_minus {
                numerator = numerator.neg();
            }
            let scale = denominator_content(&numerator);
            let inner = numerator.scale(&scale.recip().unwrap_or(Rational::ONE));
            let (scale, inner) = shared_coefficient(scale, inner);
            let inner = sum_shape(shaper, &inner);
            let shape = term_shape(shaper, &denominator, &scale, Some(inner));
            parts.push((group, is_minus, shape));
        }
    }
    sum_of(shaper, parts)
}

/// Returns the common factor of all terms and the rest; `None` if nothing is better written
/// outside.
fn factored_out(expr: &Expr) -> Option<(Monomial, Expr)> {
    let common = common_factor(expr);
    if common.is_one() {
        return None;
    }
    let rest = divided(expr, &common);
    (!leaves_fractions(&rest, &common)).then_some((common, rest))
}

/// Returns true if some terms are left with a denominator and some without: 4n + 2n/b is not n(4
/// + 2/b).
fn leaves_fractions(rest: &Expr, common: &Monomial) -> bool {
    let groups = denominators(rest);
    let is_whole = |(under, _): &(Monomial, Expr)| under.is_one();
    let over = common.factors().iter().all(|(atom, exponent)| {
        *exponent > 0 && !matches!(atom, Atom::Inverse(_)) && cost_rank(atom) == 0
    });
    over && groups.len() > 1 && groups.iter().any(is_whole)
}

/// Returns true if a reader would take the minus out: all terms have one, or the term of the
/// highest degree does.
fn falls(shaper: &Shaper, expr: &Expr) -> bool {
    let of_cost = |atom: &Atom| cost_rank(atom) > 0;
    if expr.has_atom(&of_cost) {
        return reads_negative(expr);
    }
    let positive = |is: bool| {
        let terms = expr.terms().iter();
        let chosen = terms.filter(move |(m, c)| reads_positive(m, c) == is);
        chosen.map(|(m, _)| degree_of(shaper, m)).max()
    };
    match (positive(true), positive(false)) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(plus), Some(minus)) => {
            let terms = expr.terms();
            let positive = terms.iter().filter(|(m, c)| reads_positive(m, c)).count();
            minus > plus.max(0) && 2 * positive <= terms.len()
        }
    }
}

/// 2(4k − 1)(n − 2)², where a polynomial has rational roots, and how much longer it may be: a little, where
/// the roots are whole.
fn product_of_powers(shaper: &Shaper, expr: &Expr) -> Option<(Shape, usize)> {
    let has_high = |atom: &Atom| {
        let mut terms = expr.terms().iter();
        terms.any(|(monomial, _)| monomial.exponent(atom) > 1)
    };
    let atoms = expr.atoms().into_iter();
    let found = atoms
        .filter(|atom| !matches!(atom, Atom::Inverse(_)) && has_high(atom))
        .find_map(|atom| factored(expr, &atom))?;
    let mut scale = found.scale;
    let mut rest = found.rest;
    if falls(shaper, &rest) {
        (scale, rest) = (-&scale, rest.neg());
    }
    let content = rest.content();
    let rest = rest.scale(&content.recip()?);
    let scale = &scale * &content;
    let mut factors: Vec<Shape> = Vec::new();
    if !rest.is_one() {
        factors.push(sum_shape(shaper, &rest));
    }
    for (linear, times) in &found.linear {
        factors.push(power(sum_shape(shaper, linear), *times));
    }
    if !scale.abs().is_one() {
        factors.insert(0, sum_shape(shaper, &Expr::rational(scale.abs())));
    }
    let shape = product(factors, vec![]);
    let is_whole = |(linear, _): &(Expr, i32)| {
        let mut terms = linear.terms().iter();
        terms.any(|(monomial, coefficient)| !monomial.is_one() && coefficient.is_one())
    };
    let slack = if found.linear.iter().all(is_whole) {
        2
    } else {
        0
    };
    Some((with_minus(scale.is_negative(), shape), slack))
}

/// A shape without the minus in front of it.
fn signed(shape: Shape) -> (bool, Shape) {
    match shape {
        Shape::Sum(mut parts) if parts.len() == 1 => {
            let (sign, part) = parts.remove(0);
            (sign == Sign::Minus, part)
        }
        shape => (false, shape),
    }
}

/// Parts in the order in which one would write them, one without a minus first.
fn sum_of(shaper: &Shaper, mut parts: Vec<(Expr, bool, Shape)>) -> Shape {
    parts.sort_by(|x, y| compare_parts(shaper, &x.0, &y.0));
    if parts.first().is_some_and(|(_, is_minus, _)| *is_minus)
        && let Some(at) = parts.iter().position(|(_, is_minus, _)| !is_minus)
    {
        let first = parts.remove(at);
        parts.insert(0, first);
    }
    match parts.len() {
        1 => match parts.remove(0) {
            (_, false, shape) => shape,
            (_, true, shape) => Shape::Sum(vec![(Sign::Minus, shape)]),
        },
        _ => {
            let flat = parts.into_iter().flat_map(|(_, minus, shape)| match shape {
                Shape::Sum(inner) if !minus => inner,
                shape if minus => vec![(Sign::Minus, shape)],
                shape => vec![(Sign::Plus, shape)],
            });
            Shape::Sum(flat.collect())
        }
    }
}

/// The letter of a cost by which a term is grouped with others: γ below, else the first.
fn leading_letter(monomial: &Monomial) -> Option<(Atom, i32)> {
    let letters = monomial.factors().iter();
    letters
        .filter(|(atom, _)| cost_rank(atom) > 0)
        .min_by_key(|(atom, exponent)| (*exponent > 0, cost_rank(atom)))
        .map(|(atom, exponent)| (atom.clone(), exponent.signum()))
}

/// (6 + 9 log2 b)(R + 1) for 6R + 6 + 9R log2 b + 9 log2 b: where the coefficients of an atom and
/// of the rest are multiples of one sum.
fn product_of_sums(shaper: &Shaper, expr: &Expr) -> Option<Shape> {
    if expr.terms().len() < 4 {
        return None;
    }
    // A fraction stays apart, except from a logarithm: n + (n - 1)/(b - 1) - 1.
    let mut atoms: BTreeMap<&Atom, usize> = BTreeMap::new();
    for (monomial, _) in expr.terms() {
        for (atom, _) in monomial.factors() {
            *atoms.entry(atom).or_default() += 1;
        }
    }
    // The product has as many terms with the atom as without.
    let is_in_half = |count: &usize| 2 * count == expr.terms().len();
    let has_fraction = atoms.keys().any(|atom| matches!(atom, Atom::Inverse(_)));
    let mut candidates = atoms.iter().rev().filter(|(atom, count)| match atom {
        Atom::Log(..) => is_in_half(count),
        _ => is_in_half(count) && !has_fraction,
    });
    candidates.find_map(|(&atom, _)| {
        let coefficients = expr.atom_coefficients(atom)?;
        let [rest, factor] = &*coefficients else {
            return None;
        };
        let ((_, of_rest), (_, of_factor)) = (rest.terms().first()?, factor.terms().first()?);
        let ratio = of_factor.checked_div(of_rest)?;
        if rest.terms().len() < 2 || rest.scale(&ratio) != *factor {
            return None;
        }
        let content = if ratio.is_integer() {
            Rational::ONE
        } else {
            rest.content()
        };
        let mut sum = rest.scale(&content.recip()?);
        let is_minus = reads_negative(&sum);
        if is_minus {
            sum = sum.neg();
        }
        let mut linear =
            Expr::atom(atom.clone()).scale(&(&content * &ratio)) + Expr::rational(content);
        // (m - 1)(n - 1) rather than (1 - m)(1 - n).
        if varies_negatively(&linear) && varies_negatively(&sum) {
            (linear, sum) = (linear.neg(), sum.neg());
        }
        // (gcd(s, b) - 1)(T + 1) rather than -(1 - gcd(s, b))(T + 1).
        let has_both = |expr: &Expr| {
            let positive = expr.terms().iter().filter(|(m, c)| reads_positive(m, c));
            (1..expr.terms().len()).contains(&positive.count())
        };
        let turns = is_minus && has_both(&linear);
        if turns {
            linear = linear.neg();
        }
        let (scale, sum) = shared_coefficient(Rational::ONE, sum);
        let (left, linear) = signed(sum_shape(shaper, &linear));
        let (right, sum) = signed(sum_shape(shaper, &sum));
        let mut factors = vec![linear, sum];
        if !scale.is_one() {
            factors.insert(0, sum_shape(shaper, &Expr::rational(scale)));
        }
        let shape = product(factors, vec![]);
        Some(with_minus(is_minus ^ turns ^ left ^ right, shape))
    })
}
