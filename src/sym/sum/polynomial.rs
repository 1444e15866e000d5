//! Sums of polynomials of the variable, by Faulhaber's formula.

use std::sync::LazyLock;

use crate::number::Rational;
use crate::sym::Expr;
use crate::sym::sum::range::Range;

/// Polynomials of this degree, as of so many loops inside each other, stay unsolved: their closed
/// forms are longer than anybody reads.
pub(crate) const MOST_DEGREE: usize = 12;

/// The sum of a polynomial with these coefficients, from the constant one on.
pub(crate) fn sum_polynomial(range: &Range, coefficients: &[Expr]) -> Expr {
    let mut total = Expr::zero();
    let below = range.low.sub(&Expr::one());
    for (degree, coefficient) in coefficients.iter().enumerate() {
        if coefficient.is_zero() {
            continue;
        }
        let antiderivative = power_sum(degree);
        let difference = evaluate_polynomial(&antiderivative, &range.high)
            .sub(&evaluate_polynomial(&antiderivative, &below));
        total = total.add(&coefficient.mul(&difference));
    }
    total
}

/// The polynomial F of degree k + 1 with F(m) = Σ_{v=1}^{m} v^k, as its coefficients.
pub(crate) fn power_sum(degree: usize) -> Vec<Rational> {
    static USUAL: LazyLock<Vec<Vec<Rational>>> = LazyLock::new(|| power_sums(MOST_DEGREE));
    match USUAL.get(degree) {
        Some(sum) => sum.clone(),
        None => power_sums(degree).pop().unwrap_or_default(),
    }
}

/// Those up to a degree.
fn power_sums(degree: usize) -> Vec<Vec<Rational>> {
    // (m+1)^(k+1) − 1 = Σ_j C(k+1, j)·F_j(m), solved for the last.
    let mut sums: Vec<Vec<Rational>> = Vec::new();
    for k in 0..=degree {
        let mut total = vec![Rational::ZERO; k + 2];
        for (j, coefficient) in total.iter_mut().enumerate().skip(1) {
            *coefficient = num_integer::binomial(k as i64 + 1, j as i64).into();
        }
        for (j, lower) in sums.iter().enumerate() {
            let binomial = Rational::from(num_integer::binomial(k as i64 + 1, j as i64));
            for (at, coefficient) in lower.iter().enumerate() {
                total[at] -= &(coefficient * &binomial);
            }
        }
        let factor = Rational::new(1, k as i64 + 1).unwrap_or(Rational::ONE);
        sums.push(total.iter().map(|c| c * &factor).collect());
    }
    sums
}

pub(crate) fn evaluate_polynomial(coefficients: &[Rational], at: &Expr) -> Expr {
    coefficients.iter().rev().fold(Expr::zero(), |value, c| {
        value.mul(at).add(&Expr::rational(c.clone()))
    })
}
