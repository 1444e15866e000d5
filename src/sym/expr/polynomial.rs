//! The arithmetic of expressions: sums of rational multiples of monomials, always expanded,
//! sorted and merged.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Add, Mul, Neg, Sub};
use std::sync::{Arc, LazyLock};

use crate::number::{BigInt, Rational};
use crate::sym::Symbol;
use crate::sym::expr::inverse;
use crate::sym::expr::summary::Summary;
use crate::sym::expr::types::{Atom, Expr, Monomial, OneOrMore, Polynomial, Term};
use rustc_hash::FxHasher;

static ZERO: LazyLock<Expr> = LazyLock::new(|| Expr::sorted(Vec::new()));
static ONE: LazyLock<Expr> = LazyLock::new(|| Expr::single(Monomial::one(), Rational::ONE));

impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || self.0.hash == other.0.hash && self.terms() == other.terms()
    }
}

impl Eq for Expr {}

impl Hash for Expr {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}

impl Ord for Expr {
    fn cmp(&self, other: &Self) -> Ordering {
        if Arc::ptr_eq(&self.0, &other.0) {
            return Ordering::Equal;
        }
        self.terms().cmp(other.terms())
    }
}

impl PartialOrd for Expr {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Expr {
    /// Returns 0.
    pub fn zero() -> Self {
        ZERO.clone()
    }

    /// Returns 1.
    pub fn one() -> Self {
        ONE.clone()
    }

    /// Returns a whole number.
    pub fn int(value: i64) -> Self {
        Expr::rational(value.into())
    }

    /// Returns a whole number of any size.
    pub(crate) fn from_bigint(value: BigInt) -> Self {
        Expr::rational(value.into())
    }

    /// Returns a number.
    ///
    /// ```
    /// use atgpu::examples::symbols;
    /// use atgpu::number::Rational;
    /// use atgpu::sym::Expr;
    ///
    /// let [n] = symbols(["n"]);
    /// let half = Expr::rational(Rational::new(1, 2).expect("2 is not 0"));
    /// assert_eq!((&n * &half).to_string(), "n/2");
    /// ```
    pub fn rational(value: Rational) -> Self {
        if value.is_zero() {
            return Expr::zero();
        }
        if value.is_one() {
            return Expr::one();
        }
        Expr::single(Monomial::one(), value)
    }

    /// Returns a symbol as an expression.
    pub fn symbol(symbol: &Symbol) -> Self {
        Expr::atom(Atom::Symbol(symbol.clone()))
    }

    pub(crate) fn atom(atom: Atom) -> Self {
        Expr::monomial(Monomial::atom(atom, 1))
    }

    pub(crate) fn monomial(monomial: Monomial) -> Self {
        Expr::single(monomial, Rational::ONE)
    }

    /// Returns one term of an expression as an expression.
    pub(crate) fn term(term: &Term) -> Self {
        Expr::single(term.0.clone(), term.1.clone())
    }

    /// Returns the sum of terms that are sorted and merged already.
    pub(super) fn sorted(terms: Vec<Term>) -> Self {
        Expr::of(terms.into())
    }

    /// Returns one term; its coefficient must not be 0.
    fn single(monomial: Monomial, coefficient: Rational) -> Self {
        Expr::of(OneOrMore::One((monomial, coefficient)))
    }

    fn of(terms: OneOrMore<Term>) -> Self {
        let mut hash = FxHasher::default();
        let mut summary = Summary::default();
        for (monomial, coefficient) in terms.as_slice() {
            monomial.hash(&mut hash);
            coefficient.hash(&mut hash);
            summary.include(monomial.summary());
        }
        Expr(Arc::new(Polynomial {
            terms,
            hash: hash.finish(),
            summary,
        }))
    }

    /// Sorts and merges terms whose monomials are canonical.
    pub(crate) fn from_terms(mut terms: Vec<Term>) -> Self {
        if !terms.is_sorted_by(|x, y| x.0 < y.0) {
            terms.sort_by(|x, y| x.0.cmp(&y.0));
            terms.dedup_by(|next, last| {
                let is_same = next.0 == last.0;
                if is_same {
                    last.1 += &next.1;
                }
                is_same
            });
        }
        terms.retain(|term| !term.1.is_zero());
        Expr::sorted(terms)
    }

    /// Returns `self + other` or `self - other`, for sorted and merged terms.
    fn merged(&self, other: &[Term], sign: Sign) -> Expr {
        // Both lists are sorted, so one pass over both makes the sorted sum: linear, where
        // sorting anew would not be. This is the most frequent operation of all proofs.
        let signed = |(monomial, coefficient): &Term| match sign {
            Sign::Plus => (monomial.clone(), coefficient.clone()),
            Sign::Minus => (monomial.clone(), -coefficient),
        };
        let (mut left, mut right) = (self.terms(), other);
        let mut terms = Vec::with_capacity(left.len() + right.len());
        while let ([x, more_left @ ..], [y, more_right @ ..]) = (left, right) {
            match x.0.cmp(&y.0) {
                Ordering::Less => {
                    terms.push(x.clone());
                    left = more_left;
                }
                Ordering::Greater => {
                    terms.push(signed(y));
                    right = more_right;
                }
                Ordering::Equal => {
                    let total = match sign {
                        Sign::Plus => &x.1 + &y.1,
                        Sign::Minus => &x.1 - &y.1,
                    };
                    if !total.is_zero() {
                        terms.push((x.0.clone(), total));
                    }
                    (left, right) = (more_left, more_right);
                }
            }
        }
        terms.extend(left.iter().cloned());
        terms.extend(right.iter().map(signed));
        Expr::sorted(terms)
    }

    /// Returns the sum.
    ///
    /// ```
    /// use atgpu::examples::symbols;
    ///
    /// let [n, b] = symbols(["n", "b"]);
    /// assert_eq!((&n + &b + &n).to_string(), "2n + b");
    /// ```
    pub fn add(&self, other: &Expr) -> Expr {
        if self.is_zero() {
            return other.clone();
        }
        if other.is_zero() {
            return self.clone();
        }
        self.merged(other.terms(), Sign::Plus)
    }

    /// Returns the difference.
    pub fn sub(&self, other: &Expr) -> Expr {
        if other.is_zero() {
            return self.clone();
        }
        self.merged(other.terms(), Sign::Minus)
    }

    /// Returns the negation.
    pub fn neg(&self) -> Expr {
        self.each_coefficient(|coefficient| -coefficient)
    }

    /// Returns a multiple.
    pub fn scale(&self, factor: &Rational) -> Expr {
        if factor.is_zero() {
            return Expr::zero();
        }
        if factor.is_one() {
            return self.clone();
        }
        self.each_coefficient(|coefficient| coefficient * factor)
    }

    /// Changes all coefficients; none may become 0.
    fn each_coefficient(&self, change: impl Fn(&Rational) -> Rational) -> Expr {
        if let Some((monomial, coefficient)) = self.as_term() {
            return Expr::single(monomial.clone(), change(coefficient));
        }
        let terms = self.terms().iter();
        Expr::sorted(terms.map(|(m, c)| (m.clone(), change(c))).collect())
    }

    /// Returns the product.
    ///
    /// ```
    /// use atgpu::examples::symbols;
    ///
    /// let [n, b] = symbols(["n", "b"]);
    /// let (sum, difference) = (&n + &b, &n - &b);
    /// assert_eq!(&sum * &difference, &n * &n - (&b * &b));
    /// ```
    pub fn mul(&self, other: &Expr) -> Expr {
        if let Some(factor) = other.as_rational() {
            return self.scale(&factor);
        }
        if let Some(factor) = self.as_rational() {
            return other.scale(&factor);
        }
        if let (Some((left, c)), Some((right, d))) = (self.as_term(), other.as_term()) {
            return match left.times(right) {
                Ok(product) => Expr::single(product, c * d),
                Err(factors) => inverse::reduce(normalise(factors)).scale(&(c * d)),
            };
        }
        let mut terms = Vec::with_capacity(self.terms().len() * other.terms().len());
        for (left, c) in self.terms() {
            for (right, d) in other.terms() {
                match left.times(right) {
                    Ok(product) => terms.push((product, c * d)),
                    Err(factors) => {
                        let product = inverse::reduce(normalise(factors)).scale(&(c * d));
                        terms.extend(product.terms().iter().cloned());
                    }
                }
            }
        }
        Expr::from_terms(terms)
    }

    /// Returns self − factor·monomial·other.
    pub(crate) fn sub_multiple(
        &self,
        other: &Expr,
        monomial: &Monomial,
        factor: &Rational,
    ) -> Expr {
        // The step of every proof search. Multiplying all terms by one monomial mostly keeps
        // their order, and then one merge suffices: no product is built and no list sorted.
        if monomial.is_one() {
            return self - other.scale(factor);
        }
        let mut product = Vec::with_capacity(other.terms().len());
        for (each, coefficient) in other.terms() {
            let Ok(each) = each.times(monomial) else {
                return self - (other * Expr::monomial(monomial.clone())).scale(factor);
            };
            product.push((each, coefficient * factor));
        }
        if product.is_sorted_by(|x, y| x.0 < y.0) {
            self.merged(&product, Sign::Minus)
        } else {
            self - Expr::from_terms(product)
        }
    }

    /// Returns 1 divided by the expression. For the number 0 this is an atom without a value.
    pub(crate) fn reciprocal(&self) -> Expr {
        inverse::reciprocal(self)
    }

    /// Returns `self / other`; `None` if `other` is the number 0.
    ///
    /// ```
    /// use atgpu::examples::symbols;
    /// use atgpu::sym::Expr;
    ///
    /// let [n, b] = symbols(["n", "b"]);
    /// assert_eq!((&n * &b).div(&b), Some(n.clone()));
    /// assert_eq!(n.div(&Expr::zero()), None);
    /// ```
    pub fn div(&self, other: &Expr) -> Option<Expr> {
        (!other.is_zero()).then(|| self * other.reciprocal())
    }

    /// Returns 1/x for a single term x with a positive coefficient.
    pub(crate) fn inverted_term(&self) -> Option<Expr> {
        let (monomial, coefficient) = self.as_term()?;
        let positive = !coefficient.is_negative();
        positive.then(|| Expr::term(&(monomial.clone(), coefficient.clone())).reciprocal())
    }
}

/// Sum or difference.
#[derive(Clone, Copy)]
enum Sign {
    Plus,
    Minus,
}

/// Returns a product with the powers of one base merged, brackets idempotent, and no inverse of
/// an inverse.
fn normalise(factors: Vec<(Atom, i32)>) -> Expr {
    // 2^n · 2^n · [c]²: the powers merge to 2^(2n) and the bracket loses its exponent. A merged
    // power may be a number (2^n · 2^(−n) = 1) or a product, so it is multiplied in at the end,
    // while untouched powers stay factors.
    let mut plain = Vec::new();
    let mut powers: Vec<(Expr, Expr, bool)> = Vec::new();
    let mut product = Expr::one();
    for (atom, exponent) in factors {
        match atom {
            Atom::Bracket(_) if exponent > 1 => plain.push((atom, 1)),
            Atom::Inverse(ref denominator) if exponent < 0 => {
                product = &product * denominator.integer_power(exponent.saturating_neg());
            }
            Atom::Power(base, power) => {
                let power = power.scale(&exponent.into());
                match powers.iter_mut().find(|(other, _, _)| *other == base) {
                    Some(known) => *known = (base, Expr::add(&known.1, &power), false),
                    None => powers.push((base, power, exponent == 1)),
                }
            }
            other => plain.push((other, exponent)),
        }
    }
    for (base, power, is_unchanged) in powers {
        if is_unchanged {
            plain.push((Atom::Power(base, power), 1));
        } else {
            product = &product * base.pow(&power);
        }
    }
    plain.sort();
    Expr::monomial(Monomial::from_sorted(plain)) * &product
}

macro_rules! operators {
    ($($trait:ident $method:ident),*) => {$(
        impl $trait<&Expr> for &Expr {
            type Output = Expr;
            fn $method(self, other: &Expr) -> Expr {
                Expr::$method(self, other)
            }
        }
        impl $trait<Expr> for &Expr {
            type Output = Expr;
            fn $method(self, other: Expr) -> Expr {
                Expr::$method(self, &other)
            }
        }
        impl $trait<&Expr> for Expr {
            type Output = Expr;
            fn $method(self, other: &Expr) -> Expr {
                Expr::$method(&self, other)
            }
        }
        impl $trait<Expr> for Expr {
            type Output = Expr;
            fn $method(self, other: Expr) -> Expr {
                Expr::$method(&self, &other)
            }
        }
        impl $trait<i64> for &Expr {
            type Output = Expr;
            fn $method(self, other: i64) -> Expr {
                Expr::$method(self, &Expr::int(other))
            }
        }
        impl $trait<i64> for Expr {
            type Output = Expr;
            fn $method(self, other: i64) -> Expr {
                Expr::$method(&self, &Expr::int(other))
            }
        }
    )*};
}
operators!(Add add, Sub sub, Mul mul);

impl Neg for &Expr {
    type Output = Expr;
    fn neg(self) -> Expr {
        Expr::neg(self)
    }
}

impl Neg for Expr {
    type Output = Expr;
    fn neg(self) -> Expr {
        Expr::neg(&self)
    }
}

impl Default for Expr {
    fn default() -> Self {
        Expr::zero()
    }
}

impl From<i64> for Expr {
    fn from(value: i64) -> Self {
        Expr::int(value)
    }
}

impl From<&Symbol> for Expr {
    fn from(symbol: &Symbol) -> Self {
        Expr::symbol(symbol)
    }
}

impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use crate::number::Rational;
    use crate::sym::{Cond, Expr, Symbol};

    /// In one step it is what it is in three, also where factors do not just stand side by side.
    #[test]
    fn a_multiple_taken_away_in_one_step_is_the_same() {
        let [n, b] = [(0, "n"), (1, "b")].map(|(id, name)| Expr::symbol(&Symbol::new(id, name)));
        let quotient = n.div(&b).expect("b is a symbol");
        let bracket = Expr::bracket(Cond::ge(&n, &b));
        let inverse = (&n + &b).reciprocal();
        let power = Expr::int(2).pow(&n);
        let all = [
            &n - &b - 3,
            quotient.floor() * &n + 1,
            &bracket * &b - &quotient,
            &power + &bracket + &n,
            &inverse * &n + &b,
        ];
        let products = [Expr::one(), &n * &b, quotient, bracket, inverse, power];
        let half = Rational::new(-3, 2).expect("2 is not 0");
        for (one, other) in all
            .iter()
            .flat_map(|one| all.iter().map(move |other| (one, other)))
        {
            for product in &products {
                let (monomial, _) = product.as_term().expect("one term");
                let steps = one - (other * product).scale(&half);
                assert_eq!(one.sub_multiple(other, monomial, &half), steps);
            }
        }
    }
}
