//! The types of expressions and conditions. An expression is a polynomial in atoms, an atom has
//! expressions inside, a bracket a condition over expressions. So these types stand together. The
//! files beside this one build them in canonical form.

use std::sync::Arc;

use crate::number::Rational;
use crate::sym::expr::summary::Summary;
use crate::sym::expr::symbol::Symbol;

/// A canonical expression: a Laurent polynomial over atoms. Two expressions with the same
/// canonical form are `==`. Cheap to clone, to move, to hash and to find different.
#[derive(Clone)]
pub struct Expr(pub(super) Arc<Polynomial>);

/// The terms of an expression, with their hash and summary.
pub(super) struct Polynomial {
    pub(super) terms: OneOrMore<Term>,
    /// The hash of the terms.
    pub(super) hash: u64,
    /// The summary of all terms.
    pub(super) summary: Summary,
}

/// One monomial with its coefficient, which is not 0.
pub(crate) type Term = (Monomial, Rational);

/// A product of powers of different atoms, sorted by atom; exponents are not 0.
#[derive(Clone)]
pub(crate) struct Monomial(pub(super) Arc<Product>);

/// The factors of a monomial, with their hash and summary.
pub(super) struct Product {
    pub(super) factors: OneOrMore<(Atom, i32)>,
    /// The hash of the factors.
    pub(super) hash: u64,
    /// The summary of all factors.
    pub(super) summary: Summary,
}

/// A list that mostly has one element, which then needs no allocation.
pub(super) enum OneOrMore<T> {
    One(T),
    /// Any other number, none included.
    More(Vec<T>),
}

impl<T> OneOrMore<T> {
    pub(super) fn as_slice(&self) -> &[T] {
        match self {
            OneOrMore::One(only) => std::slice::from_ref(only),
            OneOrMore::More(list) => list,
        }
    }
}

impl<T> From<Vec<T>> for OneOrMore<T> {
    fn from(mut list: Vec<T>) -> Self {
        match (list.pop(), list.is_empty()) {
            (Some(only), true) => OneOrMore::One(only),
            (last, _) => {
                list.extend(last);
                OneOrMore::More(list)
            }
        }
    }
}

/// An indivisible factor. Built only through the constructors of [`Expr`], which keep it
/// canonical.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Atom {
    /// A name.
    Symbol(Symbol),
    /// ⌊x⌋; a ceiling is −⌊−x⌋.
    Floor(Expr),
    /// base^exponent, the exponent not a whole number.
    Power(Expr, Expr),
    /// log of the second to the base of the first.
    Log(Expr, Expr),
    /// The smallest of two or more.
    Min(Arc<[Expr]>),
    /// The largest of two or more.
    Max(Arc<[Expr]>),
    /// 1 where the condition holds, else 0.
    Bracket(Arc<Cond>),
    /// The greatest common divisor.
    Gcd(Expr, Expr),
    /// The sum of the digits of the first in the base of the second.
    DigitSum(Expr, Expr),
    /// Σ v ∈ 0..n-1 : ⌊(a v + c)/m⌋, in the order n, a, c, m.
    FloorSum(Arc<[Expr; 4]>),
    /// 1/P for a primitive P of at least two terms (or P = 0, which has no value).
    Inverse(Expr),
    /// A sum without a closed form.
    Sum(Arc<Sum>),
}

/// Σ variable ∈ low..high : body, 0 when high < low.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Sum {
    /// Bound here.
    pub variable: Symbol,
    pub low: Expr,
    pub high: Expr,
    pub body: Expr,
}

/// A canonical condition over [`Expr`]s. Build it with the constructors.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Cond {
    /// Always.
    True,
    /// Never.
    False,
    /// e ≥ 0
    NonNegative(Expr),
    /// e = 0
    Zero(Expr),
    /// d ∣ e (ignores signs; `0 | y` holds for y = 0 only)
    Divides(Expr, Expr),
    /// x is a power of y (a whole power ≥ 0)
    PowerOf(Expr, Expr),
    /// Not.
    Not(Box<Cond>),
    /// All of them; sorted, none repeated.
    And(Vec<Cond>),
    /// Any of them; sorted, none repeated.
    Or(Vec<Cond>),
}
