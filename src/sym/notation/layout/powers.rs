//! Sums that are products: 2(4k − 1)(n − 2)² for 8kn² − 32kn + 32k − 2n² + 8n − 8.

use num_integer::Integer;

use crate::number::{BigInt, Rational};
use crate::sym::Expr;
use crate::sym::expr::types::Atom;

/// Degrees of polynomials that are taken apart.
const MOST_DEGREE: usize = 4;
/// Numbers whose divisors are tried as roots.
const MOST_ROOT: i64 = 64;

/// A sum as a product of a number, a sum free of an atom, and powers of sums linear in it.
pub(super) struct Factored {
    pub(super) scale: Rational,
    /// Without the atom; 1 where all of it depends on the atom.
    pub(super) rest: Expr,
    /// Linear in the atom, with how often it is a factor.
    pub(super) linear: Vec<(Expr, i32)>,
}

/// For an atom in which the coefficients are multiples of one sum, and the polynomial of these multiples
/// has rational roots.
pub(super) fn factored(expr: &Expr, atom: &Atom) -> Option<Factored> {
    let coefficients = expr.atom_coefficients(atom)?;
    let degree = coefficients.len().checked_sub(1)?;
    if !(1..=MOST_DEGREE).contains(&degree) {
        return None;
    }
    let leading = coefficients.last()?;
    let (_, first) = leading.terms().first()?;
    let rest = leading.scale(&first.recip()?);
    let numbers: Option<Vec<Rational>> = coefficients
        .iter()
        .map(|coefficient| match coefficient.terms().first() {
            None => Some(Rational::ZERO),
            Some((_, number)) => (rest.scale(number) == *coefficient).then(|| number.clone()),
        })
        .collect();
    let (scale, mut left) = whole(numbers?)?;
    if left.first().is_none_or(Rational::is_zero) || degree == 1 && rest.terms().len() < 2 {
        return None;
    }
    let variable = Expr::atom(atom.clone());
    let mut linear: Vec<(Expr, i32)> = Vec::new();
    while left.len() > 1 {
        let (over, under) = root(&left)?;
        // under·v − over
        let factor = variable.scale(&Rational::from(under)) - Expr::rational(Rational::from(over));
        left = divided(&left, over, under)?;
        match linear.iter_mut().find(|(known, _)| *known == factor) {
            Some((_, times)) => *times += 1,
            None => linear.push((factor, 1)),
        }
    }
    let scale = &scale * left.first()?;
    Some(Factored {
        scale,
        rest,
        linear,
    })
}

/// Numbers as whole ones without a common divisor, times a number.
fn whole(numbers: Vec<Rational>) -> Option<(Rational, Vec<Rational>)> {
    let (mut over, mut under) = (BigInt::from(0), BigInt::from(1));
    for number in &numbers {
        over = over.gcd(&number.numerator());
        under = under.lcm(&number.denominator());
    }
    let content = Rational::new(over, under)?;
    let inverse = content.recip()?;
    let numbers = numbers.iter().map(|number| number * &inverse).collect();
    Some((content, numbers))
}

/// A rational root over/under of a polynomial with whole coefficients.
fn root(coefficients: &[Rational]) -> Option<(i64, i64)> {
    let (last, first) = (coefficients.first()?, coefficients.last()?);
    let small = |number: &Rational| {
        let value = number.to_i64()?.abs();
        (1..=MOST_ROOT * MOST_ROOT)
            .contains(&value)
            .then_some(value)
    };
    let (last, first) = (small(last)?, small(first)?);
    let divisors = |number: i64| (1..=number.min(MOST_ROOT)).filter(move |d| number % d == 0);
    divisors(first).find_map(|under| {
        divisors(last).find_map(|over| {
            [over, -over].into_iter().find_map(|over| {
                let at = Rational::new(over, under)?;
                let value = coefficients
                    .iter()
                    .rev()
                    .fold(Rational::ZERO, |sum, c| &(&sum * &at) + c);
                value.is_zero().then_some((over, under))
            })
        })
    })
}

/// The polynomial over under·v − over, which divides it.
fn divided(coefficients: &[Rational], over: i64, under: i64) -> Option<Vec<Rational>> {
    let inverse = Rational::new(1, BigInt::from(under))?;
    let mut quotient: Vec<Rational> = Vec::new();
    let mut carried = Rational::ZERO;
    for coefficient in coefficients.iter().skip(1).rev() {
        // From the highest power down.
        let next = &(coefficient + &(&carried * &Rational::from(over))) * &inverse;
        quotient.push(next.clone());
        carried = next;
    }
    quotient.reverse();
    Some(quotient)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sym::Symbol;

    #[test]
    fn a_polynomial_is_the_product_of_its_factors() {
        let [k, n] = [(0, "k"), (1, "n")].map(|(id, name)| Symbol::new(id, name));
        let (k, n) = (Expr::symbol(&k), Expr::symbol(&n));
        let two = Expr::int(2);
        let less = &n - &two;
        let other = k.scale(&4.into()) - 1;
        let product = (&other * &less * &less).scale(&2.into());
        let atom = n.as_atom().expect("a symbol").clone();
        let found = factored(&product, &atom).expect("it has a double root");
        assert_eq!(found.linear, [(less.clone(), 2)]);
        let powers = (&less * &less * &found.rest).scale(&found.scale);
        assert_eq!(powers, product);
        // (3n + 1)(5n + 4)
        let mixed = (n.scale(&3.into()) + 1) * (n.scale(&5.into()) + 4);
        let found = factored(&mixed, &atom).expect("it has rational roots");
        let back = found
            .linear
            .iter()
            .fold(found.rest.scale(&found.scale), |so_far, (f, times)| {
                &so_far * f.integer_power(*times)
            });
        assert_eq!(back, mixed);
        assert!(factored(&(&n * &n + 1), &atom).is_none());
    }
}
