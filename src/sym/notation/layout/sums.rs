//! Sums: which terms stand together, and in which order.

use std::collections::BTreeMap;

use crate::number::Rational;
use crate::sym::Expr;
use crate::sym::expr::types::{Atom, Monomial, Term};
use crate::sym::notation::layout::Shaper;
use crate::sym::notation::layout::factors::{
    common_factor, denominator_content, denominators, divided, grouped, shared_coefficient,
    shared_factors,
};
use crate::sym::notation::layout::order::{compare_parts, cost_rank};
use crate::sym::notation::layout::products::term_shape;
use crate::sym::notation::layout::sign::{reads_positive, varies_negatively};
use crate::sym::notation::shape::{Shape, Sign};

/// A sum: one fraction for each denominator, common factors outside.
pub(super) fn sum_shape(shaper: &Shaper, expr: &Expr) -> Shape {
    if expr.terms().len() <= 1 {
        return match expr.terms().first() {
            None => Shape::Number(0.into()),
            Some((monomial, coefficient)) => {
                let shape = term_shape(shaper, monomial, coefficient, None);
                if reads_positive(monomial, coefficient) {
                    shape
                } else {
                    Shape::Sum(vec![(Sign::Minus, shape)])
                }
            }
        };
    }
    let common = common_factor(expr);
    if !common.is_one() {
        let rest = divided(expr, &common);
        // A negative whole is written as −(…); ceilings in the factor carry a sign of their own.
        let factor_sign = if reads_positive(&common, &Rational::ONE) {
            1
        } else {
            -1
        };
        let rest = rest.scale(&factor_sign.into());
        let scale = denominator_content(&rest);
        let rest = rest.scale(&scale.recip().unwrap_or(Rational::ONE));
        let (scale, rest) = shared_coefficient(scale, rest);
        let all_negative = rest.terms().iter().all(|(m, c)| !reads_positive(m, c));
        let rest = if all_negative { rest.neg() } else { rest };
        let inner = sum_shape(shaper, &rest);
        let coefficient = &scale * &Rational::from(factor_sign);
        let shape = term_shape(shaper, &common, &coefficient, Some(inner));
        return if all_negative {
            Shape::Sum(vec![(Sign::Minus, shape)])
        } else {
            shape
        };
    }
    let scale = denominator_content(expr);
    if !scale.is_one() && denominators(expr).len() == 1 {
        let inner = expr.scale(&scale.recip().unwrap_or(Rational::ONE));
        let inner = sum_shape(shaper, &inner);
        return term_shape(shaper, &Monomial::one(), &scale, Some(inner));
    }
    let mut parts: Vec<(Expr, bool, Shape)> = Vec::new();
    let by_letters = grouped(expr, leading_letter);
    if by_letters.len() > 1 {
        for (_, group) in by_letters {
            let (is_minus, shape) = signed(sum_shape(shaper, &group));
            parts.push((group, is_minus, shape));
        }
        return sum_of(parts, false);
    }
    if let Some(product) = product_of_sums(shaper, expr) {
        return product;
    }
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
        let group = numerator.mul(&Expr::monomial(denominator.clone()));
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
            let is_minus = numerator.terms().iter().all(|(m, c)| !reads_positive(m, c));
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
    let constant_first = expr.terms().iter().any(|(monomial, _)| {
        monomial
            .factors()
            .iter()
            .any(|(atom, _)| matches!(atom, Atom::Log(..)))
    }) && expr.constant_term().signum() > 0;
    sum_of(parts, constant_first)
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
fn sum_of(mut parts: Vec<(Expr, bool, Shape)>, constant_first: bool) -> Shape {
    parts.sort_by(|x, y| compare_parts(&x.0, &y.0, constant_first));
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
        let content = match ratio.is_integer() {
            true => Rational::ONE,
            false => rest.content(),
        };
        let mut sum = rest.scale(&content.recip()?);
        let is_minus = sum.terms().iter().all(|(m, c)| !reads_positive(m, c));
        if is_minus {
            sum = sum.neg();
        }
        let mut linear = Expr::atom(atom.clone())
            .scale(&(&content * &ratio))
            .add(&Expr::rational(content));
        // (m - 1)(n - 1) rather than (1 - m)(1 - n).
        if varies_negatively(&linear) && varies_negatively(&sum) {
            (linear, sum) = (linear.neg(), sum.neg());
        }
        let factors = vec![sum_shape(shaper, &linear), sum_shape(shaper, &sum)];
        let shape = Shape::Product(factors, vec![]);
        Some(match is_minus {
            true => Shape::Sum(vec![(Sign::Minus, shape)]),
            false => shape,
        })
    })
}
