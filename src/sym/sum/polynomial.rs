//! Sums of polynomials of the variable, by Faulhaber's formula.

use std::sync::LazyLock;

use crate::number::Rational;
use crate::sym::Expr;
use crate::sym::sum::range::Range;

/// Polynomials of this degree (as many nested loops) stay unsolved: their closed forms are longer
/// than anybody reads. It is also the number of precomputed power sums.
pub(crate) const MOST_DEGREE: usize = 12;

/// Returns the sum of a polynomial, given its coefficients from the constant one on; `None` if it would be too long
/// to go on with.
pub(crate) fn sum_polynomial(range: &Range, coefficients: &[Expr]) -> Option<Expr> {
    // Σ v ∈ low..high : v^k is F_k(high) − F_k(low − 1). The identity holds for low = high + 1
    // too, where both values are the same: an empty range needs no guard.
    let mut total = Expr::zero();
    let below = &range.low - 1;
    for (degree, coefficient) in coefficients.iter().enumerate() {
        if coefficient.is_zero() {
            continue;
        }
        let antiderivative = power_sum(degree);
        let difference = evaluate_polynomial(&antiderivative, &range.high)?
            - evaluate_polynomial(&antiderivative, &below)?;
        if coefficient.is_unwieldy_times(&difference) {
            return None;
        }
        total = &total + (coefficient * &difference);
    }
    Some(total)
}

/// Returns the coefficients of the polynomial F of degree k + 1 with F(m) = Σ_{v=1}^{m} v^k.
pub(crate) fn power_sum(degree: usize) -> Vec<Rational> {
    static USUAL: LazyLock<Vec<Vec<Rational>>> = LazyLock::new(|| power_sums(MOST_DEGREE));
    match USUAL.get(degree) {
        Some(sum) => sum.clone(),
        None => power_sums(degree).pop().unwrap_or_default(),
    }
}

/// Returns the power sums up to a degree.
fn power_sums(degree: usize) -> Vec<Vec<Rational>> {
    // (m+1)^(k+1) − 1 = Σ_j C(k+1, j)·F_j(m), solved for the last. For k = 1: m² + 2m = F_0 +
    // 2F_1 with F_0 = m, so F_1 = (m² + m)/2.
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

/// Returns the value of a polynomial; `None` if it would be too long to go on with.
pub(crate) fn evaluate_polynomial(coefficients: &[Rational], at: &Expr) -> Option<Expr> {
    let mut each = coefficients.iter().rev();
    each.try_fold(Expr::zero(), |value, c| {
        let is_short = !value.is_unwieldy_times(at);
        is_short.then(|| &value * at + Expr::rational(c.clone()))
    })
}
