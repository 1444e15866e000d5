//! The arithmetic of expressions: sums of rational multiples of monomials, always expanded, sorted
//! and merged.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Add, Mul, Neg, Sub};
use std::sync::{Arc, LazyLock};

use crate::number::{BigInt, Rational};
use crate::sym::Symbol;
use crate::sym::expr::inverse;
use crate::sym::expr::summary::Summary;
use crate::sym::expr::types::{Atom, Expr, Monomial, Term};
use rustc_hash::FxHasher;

static ZERO: LazyLock<Expr> = LazyLock::new(|| Expr::sorted(Vec::new()));
static ONE: LazyLock<Expr> = LazyLock::new(|| Expr::sorted(vec![(Monomial::one(), Rational::ONE)]));

impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash
            && (Arc::ptr_eq(&self.terms, &other.terms) || self.terms == other.terms)
    }
}

impl Eq for Expr {}

impl Hash for Expr {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

impl Ord for Expr {
    fn cmp(&self, other: &Self) -> Ordering {
        if Arc::ptr_eq(&self.terms, &other.terms) {
            return Ordering::Equal;
        }
        self.terms.cmp(&other.terms)
    }
}

impl PartialOrd for Expr {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Expr {
    /// 0.
    ///
    /// ```
    /// use atgpu::examples::symbols;
    /// use atgpu::sym::Expr;
    ///
    /// let [n] = symbols(["n"]);
    /// assert_eq!(n.mul(&Expr::zero()), Expr::zero());
    /// ```
    pub fn zero() -> Self {
        ZERO.clone()
    }

    /// 1.
    ///
    /// ```
    /// use atgpu::examples::symbols;
    /// use atgpu::sym::Expr;
    ///
    /// let [n] = symbols(["n"]);
    /// assert_eq!(n.mul(&Expr::one()), n);
    /// ```
    pub fn one() -> Self {
        ONE.clone()
    }

    /// A whole number.
    ///
    /// ```
    /// use atgpu::sym::Expr;
    ///
    /// assert_eq!(Expr::int(3).add(&Expr::int(4)), Expr::int(7));
    /// ```
    pub fn int(value: i64) -> Self {
        Expr::rational(value.into())
    }

    /// A whole number of any size.
    pub(crate) fn from_bigint(value: BigInt) -> Self {
        Expr::rational(value.into())
    }

    /// A number.
    ///
    /// ```
    /// use atgpu::examples::symbols;
    /// use atgpu::number::Rational;
    /// use atgpu::sym::Expr;
    ///
    /// let [n] = symbols(["n"]);
    /// let half = Expr::rational(Rational::new(1, 2).expect("2 is not 0"));
    /// assert_eq!(n.mul(&half).to_string(), "n/2");
    /// ```
    pub fn rational(value: Rational) -> Self {
        if value.is_zero() {
            return Expr::zero();
        }
        if value.is_one() {
            return Expr::one();
        }
        Expr::sorted(vec![(Monomial::one(), value)])
    }

    /// A name.
    ///
    /// ```
    /// use atgpu::examples::{symbol, symbols};
    /// use atgpu::sym::Expr;
    ///
    /// let [n] = symbols(["n"]);
    /// assert_eq!(Expr::symbol(&symbol("n")), n);
    /// ```
    pub fn symbol(symbol: &Symbol) -> Self {
        Expr::atom(Atom::Symbol(symbol.clone()))
    }

    pub(crate) fn atom(atom: Atom) -> Self {
        Expr::monomial(Monomial::atom(atom, 1))
    }

    pub(crate) fn monomial(monomial: Monomial) -> Self {
        Expr::sorted(vec![(monomial, Rational::ONE)])
    }

    /// One term taken out of an expression.
    pub(crate) fn term(term: &Term) -> Self {
        Expr::sorted(vec![term.clone()])
    }

    /// Terms that are sorted and merged already.
    pub(super) fn sorted(terms: Vec<Term>) -> Self {
        let mut hash = FxHasher::default();
        let mut summary = Summary::default();
        for (monomial, coefficient) in &terms {
            monomial.hash(&mut hash);
            coefficient.hash(&mut hash);
            summary.include(monomial.summary());
        }
        Expr {
            terms: terms.into(),
            hash: hash.finish(),
            summary,
        }
    }

    /// Sorts and merges terms whose monomials are canonical.
    pub(crate) fn from_terms(mut terms: Vec<Term>) -> Self {
        terms.sort_by(|x, y| x.0.cmp(&y.0));
        let mut merged: Vec<Term> = Vec::with_capacity(terms.len());
        for (monomial, coefficient) in terms {
            match merged.last_mut() {
                Some(last) if last.0 == monomial => last.1 += &coefficient,
                _ => merged.push((monomial, coefficient)),
            }
        }
        merged.retain(|term| !term.1.is_zero());
        Expr::sorted(merged)
    }

    /// `self + other`, or `self - other`.
    fn merged(&self, other: &Expr, sign: Sign) -> Expr {
        let signed = |(monomial, coefficient): &Term| match sign {
            Sign::Plus => (monomial.clone(), coefficient.clone()),
            Sign::Minus => (monomial.clone(), -coefficient),
        };
        let (mut left, mut right) = (&*self.terms, &*other.terms);
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

    /// Sum.
    ///
    /// ```
    /// use atgpu::examples::symbols;
    ///
    /// let [n, b] = symbols(["n", "b"]);
    /// assert_eq!(n.add(&b).add(&n).to_string(), "2n + b");
    /// ```
    pub fn add(&self, other: &Expr) -> Expr {
        if self.is_zero() {
            return other.clone();
        }
        if other.is_zero() {
            return self.clone();
        }
        self.merged(other, Sign::Plus)
    }

    /// Difference.
    ///
    /// ```
    /// use atgpu::examples::symbols;
    /// use atgpu::sym::Expr;
    ///
    /// let [n] = symbols(["n"]);
    /// assert_eq!(n.sub(&n), Expr::zero());
    /// ```
    pub fn sub(&self, other: &Expr) -> Expr {
        if other.is_zero() {
            return self.clone();
        }
        self.merged(other, Sign::Minus)
    }

    /// Negation.
    ///
    /// ```
    /// use atgpu::examples::symbols;
    /// use atgpu::sym::Expr;
    ///
    /// let [n] = symbols(["n"]);
    /// assert_eq!(n.neg().add(&n), Expr::zero());
    /// ```
    pub fn neg(&self) -> Expr {
        Expr::sorted(self.terms.iter().map(|(m, c)| (m.clone(), -c)).collect())
    }

    /// A multiple.
    ///
    /// ```
    /// use atgpu::examples::symbols;
    ///
    /// let [n] = symbols(["n"]);
    /// assert_eq!(n.scale(&3.into()).to_string(), "3n");
    /// ```
    pub fn scale(&self, factor: &Rational) -> Expr {
        if factor.is_zero() {
            return Expr::zero();
        }
        if factor.is_one() {
            return self.clone();
        }
        let terms = self.terms.iter();
        Expr::sorted(terms.map(|(m, c)| (m.clone(), c * factor)).collect())
    }

    /// Product.
    ///
    /// ```
    /// use atgpu::examples::symbols;
    ///
    /// let [n, b] = symbols(["n", "b"]);
    /// let (sum, difference) = (n.add(&b), n.sub(&b));
    /// assert_eq!(sum.mul(&difference), n.mul(&n).sub(&b.mul(&b)));
    /// ```
    pub fn mul(&self, other: &Expr) -> Expr {
        if let Some(factor) = other.as_rational() {
            return self.scale(&factor);
        }
        if let Some(factor) = self.as_rational() {
            return other.scale(&factor);
        }
        let mut terms = Vec::with_capacity(self.terms.len() * other.terms.len());
        for (left, c) in self.terms.iter() {
            for (right, d) in other.terms.iter() {
                let factors = left.merged(right);
                if is_canonical(&factors) {
                    terms.push((Monomial::from_sorted(factors), c * d));
                } else {
                    let product = inverse::reduce(normalise(factors)).scale(&(c * d));
                    terms.extend(product.terms.iter().cloned());
                }
            }
        }
        Expr::from_terms(terms)
    }

    /// 1 divided by the expression. For the number 0 this is an atom without a value.
    pub(crate) fn reciprocal(&self) -> Expr {
        inverse::reciprocal(self)
    }

    /// `self / other`; `None` when `other` is the number 0.
    ///
    /// ```
    /// use atgpu::examples::symbols;
    /// use atgpu::sym::Expr;
    ///
    /// let [n, b] = symbols(["n", "b"]);
    /// assert_eq!(n.mul(&b).div(&b), Some(n.clone()));
    /// assert_eq!(n.div(&Expr::zero()), None);
    /// ```
    pub fn div(&self, other: &Expr) -> Option<Expr> {
        (!other.is_zero()).then(|| self.mul(&other.reciprocal()))
    }

    /// 1/x of a single term x with a positive coefficient.
    pub(crate) fn inverted_term(&self) -> Option<Expr> {
        let (monomial, coefficient) = self.as_term()?;
        let positive = !coefficient.is_negative();
        positive.then(|| Expr::term(&(monomial.clone(), coefficient.clone())).reciprocal())
    }
}

/// Which of sum and difference.
#[derive(Clone, Copy)]
enum Sign {
    Plus,
    Minus,
}

/// Whether a product needs no more care than the merging of its factors.
fn is_canonical(factors: &[(Atom, i32)]) -> bool {
    let mut powers: Vec<&Expr> = Vec::new();
    for (atom, exponent) in factors {
        match atom {
            Atom::Inverse(_) => return false,
            Atom::Bracket(_) if *exponent != 1 => return false,
            Atom::Power(base, _) => {
                if *exponent != 1 || powers.contains(&base) {
                    return false;
                }
                powers.push(base);
            }
            _ => {}
        }
    }
    true
}

/// A product with the powers of one base merged, brackets idempotent, and no inverse of an inverse.
fn normalise(factors: Vec<(Atom, i32)>) -> Expr {
    let mut plain = Vec::new();
    let mut powers: Vec<(Expr, Expr, bool)> = Vec::new();
    let mut product = Expr::one();
    for (atom, exponent) in factors {
        match atom {
            Atom::Bracket(_) if exponent > 1 => plain.push((atom, 1)),
            Atom::Inverse(ref denominator) if exponent < 0 => {
                product = product.mul(&denominator.integer_power(exponent.saturating_neg()));
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
            product = product.mul(&base.pow(&power));
        }
    }
    plain.sort();
    Expr::monomial(Monomial::from_sorted(plain)).mul(&product)
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
