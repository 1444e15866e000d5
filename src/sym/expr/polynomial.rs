//! Expressions: sums of rational multiples of monomials, always expanded, sorted and merged.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Add, Mul, Neg, Sub};
use std::sync::{Arc, LazyLock};

use crate::number::{BigInt, Rational};
use crate::sym::Symbol;
use crate::sym::expr::atom::{Atom, Monomial};
use crate::sym::expr::inverse;
use crate::sym::expr::summary::Summary;
use rustc_hash::FxHasher;

/// A canonical expression: a Laurent polynomial over atoms. Two expressions with the same
/// canonical form are `==`. Cheap to clone, to hash and to find different.
#[derive(Clone)]
pub struct Expr {
    terms: Arc<[Term]>,
    /// Of the terms.
    hash: u64,
    /// Of all terms.
    summary: Summary,
}

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

/// One monomial with its coefficient, which is not 0.
pub(crate) type Term = (Monomial, Rational);

impl Expr {
    /// 0.
    ///
    /// ```
    /// # use atgpu::sym::{Cond, Expr, Facts, Symbol};
    /// # let symbol = |name: &str| Symbol::new(name.chars().map(u32::from).sum(), name);
    /// # let [n, b] = ["n", "b"].map(|name| Expr::symbol(&symbol(name)));
    /// # let over = |x: &Expr, y: &Expr| x.div(y).expect("not 0");
    /// assert_eq!(n.mul(&Expr::zero()), Expr::zero());
    /// ```
    pub fn zero() -> Self {
        ZERO.clone()
    }

    /// 1.
    ///
    /// ```
    /// # use atgpu::sym::{Cond, Expr, Facts, Symbol};
    /// # let symbol = |name: &str| Symbol::new(name.chars().map(u32::from).sum(), name);
    /// # let [n, b] = ["n", "b"].map(|name| Expr::symbol(&symbol(name)));
    /// # let over = |x: &Expr, y: &Expr| x.div(y).expect("not 0");
    /// assert_eq!(n.mul(&Expr::one()), n);
    /// ```
    pub fn one() -> Self {
        ONE.clone()
    }

    /// A whole number.
    ///
    /// ```
    /// # use atgpu::sym::{Cond, Expr, Facts, Symbol};
    /// # let symbol = |name: &str| Symbol::new(name.chars().map(u32::from).sum(), name);
    /// # let [n, b] = ["n", "b"].map(|name| Expr::symbol(&symbol(name)));
    /// # let over = |x: &Expr, y: &Expr| x.div(y).expect("not 0");
    /// assert_eq!(Expr::int(3).add(&Expr::int(4)), Expr::int(7));
    /// ```
    pub fn int(value: i64) -> Self {
        Expr::rational(value.into())
    }

    /// A whole number of any size.
    ///
    /// ```
    /// # use atgpu::sym::{Cond, Expr, Facts, Symbol};
    /// # let symbol = |name: &str| Symbol::new(name.chars().map(u32::from).sum(), name);
    /// # let [n, b] = ["n", "b"].map(|name| Expr::symbol(&symbol(name)));
    /// # let over = |x: &Expr, y: &Expr| x.div(y).expect("not 0");
    /// use atgpu::number::BigInt;
    ///
    /// assert_eq!(Expr::from_bigint(BigInt::from(1) << 70), Expr::int(2).pow(&Expr::int(70)));
    /// ```
    pub fn from_bigint(value: BigInt) -> Self {
        Expr::rational(value.into())
    }

    /// A number.
    ///
    /// ```
    /// # use atgpu::sym::{Cond, Expr, Facts, Symbol};
    /// # let symbol = |name: &str| Symbol::new(name.chars().map(u32::from).sum(), name);
    /// # let [n, b] = ["n", "b"].map(|name| Expr::symbol(&symbol(name)));
    /// # let over = |x: &Expr, y: &Expr| x.div(y).expect("not 0");
    /// use atgpu::number::Rational;
    ///
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
    /// # use atgpu::sym::{Cond, Expr, Facts, Symbol};
    /// # let symbol = |name: &str| Symbol::new(name.chars().map(u32::from).sum(), name);
    /// # let [n, b] = ["n", "b"].map(|name| Expr::symbol(&symbol(name)));
    /// # let over = |x: &Expr, y: &Expr| x.div(y).expect("not 0");
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
    fn sorted(terms: Vec<Term>) -> Self {
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

    /// What is inside, at a glance.
    pub(crate) fn summary(&self) -> Summary {
        self.summary
    }

    /// The terms in canonical order.
    pub(crate) fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// The only term.
    pub(crate) fn as_term(&self) -> Option<&Term> {
        match &*self.terms {
            [term] => Some(term),
            _ => None,
        }
    }

    /// The only atom, when the expression is just that.
    pub(crate) fn as_atom(&self) -> Option<&Atom> {
        let (monomial, coefficient) = self.as_term()?;
        match monomial.factors() {
            [(atom, 1)] if coefficient.is_one() => Some(atom),
            _ => None,
        }
    }

    /// The symbol, when the expression is just that.
    ///
    /// ```
    /// # use atgpu::sym::{Cond, Expr, Facts, Symbol};
    /// # let symbol = |name: &str| Symbol::new(name.chars().map(u32::from).sum(), name);
    /// # let [n, b] = ["n", "b"].map(|name| Expr::symbol(&symbol(name)));
    /// # let over = |x: &Expr, y: &Expr| x.div(y).expect("not 0");
    /// assert_eq!(n.as_symbol(), Some(&symbol("n")));
    /// assert_eq!(n.add(&Expr::one()).as_symbol(), None);
    /// ```
    pub fn as_symbol(&self) -> Option<&Symbol> {
        match self.as_atom()? {
            Atom::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// Sum.
    ///
    /// ```
    /// # use atgpu::sym::{Cond, Expr, Facts, Symbol};
    /// # let symbol = |name: &str| Symbol::new(name.chars().map(u32::from).sum(), name);
    /// # let [n, b] = ["n", "b"].map(|name| Expr::symbol(&symbol(name)));
    /// # let over = |x: &Expr, y: &Expr| x.div(y).expect("not 0");
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
    /// # use atgpu::sym::{Cond, Expr, Facts, Symbol};
    /// # let symbol = |name: &str| Symbol::new(name.chars().map(u32::from).sum(), name);
    /// # let [n, b] = ["n", "b"].map(|name| Expr::symbol(&symbol(name)));
    /// # let over = |x: &Expr, y: &Expr| x.div(y).expect("not 0");
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
    /// # use atgpu::sym::{Cond, Expr, Facts, Symbol};
    /// # let symbol = |name: &str| Symbol::new(name.chars().map(u32::from).sum(), name);
    /// # let [n, b] = ["n", "b"].map(|name| Expr::symbol(&symbol(name)));
    /// # let over = |x: &Expr, y: &Expr| x.div(y).expect("not 0");
    /// assert_eq!(n.neg().add(&n), Expr::zero());
    /// ```
    pub fn neg(&self) -> Expr {
        Expr::sorted(self.terms.iter().map(|(m, c)| (m.clone(), -c)).collect())
    }

    /// A multiple.
    ///
    /// ```
    /// # use atgpu::sym::{Cond, Expr, Facts, Symbol};
    /// # let symbol = |name: &str| Symbol::new(name.chars().map(u32::from).sum(), name);
    /// # let [n, b] = ["n", "b"].map(|name| Expr::symbol(&symbol(name)));
    /// # let over = |x: &Expr, y: &Expr| x.div(y).expect("not 0");
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
    /// # use atgpu::sym::{Cond, Expr, Facts, Symbol};
    /// # let symbol = |name: &str| Symbol::new(name.chars().map(u32::from).sum(), name);
    /// # let [n, b] = ["n", "b"].map(|name| Expr::symbol(&symbol(name)));
    /// # let over = |x: &Expr, y: &Expr| x.div(y).expect("not 0");
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

    /// `self / other`; `None` when `other` is the number 0.
    ///
    /// ```
    /// # use atgpu::sym::{Cond, Expr, Facts, Symbol};
    /// # let symbol = |name: &str| Symbol::new(name.chars().map(u32::from).sum(), name);
    /// # let [n, b] = ["n", "b"].map(|name| Expr::symbol(&symbol(name)));
    /// # let over = |x: &Expr, y: &Expr| x.div(y).expect("not 0");
    /// assert_eq!(n.mul(&b).div(&b), Some(n.clone()));
    /// assert_eq!(n.div(&Expr::zero()), None);
    /// ```
    pub fn div(&self, other: &Expr) -> Option<Expr> {
        (!other.is_zero()).then(|| self.mul(&other.reciprocal()))
    }

    /// Whether it is the number 0.
    ///
    /// ```
    /// # use atgpu::sym::{Cond, Expr, Facts, Symbol};
    /// # let symbol = |name: &str| Symbol::new(name.chars().map(u32::from).sum(), name);
    /// # let [n, b] = ["n", "b"].map(|name| Expr::symbol(&symbol(name)));
    /// # let over = |x: &Expr, y: &Expr| x.div(y).expect("not 0");
    /// assert!(n.sub(&n).is_zero());
    /// ```
    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether it is the number 1.
    ///
    /// ```
    /// # use atgpu::sym::{Cond, Expr, Facts, Symbol};
    /// # let symbol = |name: &str| Symbol::new(name.chars().map(u32::from).sum(), name);
    /// # let [n, b] = ["n", "b"].map(|name| Expr::symbol(&symbol(name)));
    /// # let over = |x: &Expr, y: &Expr| x.div(y).expect("not 0");
    /// assert!(over(&n, &n).is_one());
    /// ```
    pub fn is_one(&self) -> bool {
        self.as_rational().is_some_and(|value| value.is_one())
    }

    /// The value, when it has no atom.
    ///
    /// ```
    /// # use atgpu::sym::{Cond, Expr, Facts, Symbol};
    /// # let symbol = |name: &str| Symbol::new(name.chars().map(u32::from).sum(), name);
    /// # let [n, b] = ["n", "b"].map(|name| Expr::symbol(&symbol(name)));
    /// # let over = |x: &Expr, y: &Expr| x.div(y).expect("not 0");
    /// use atgpu::number::Rational;
    ///
    /// assert_eq!(over(&Expr::int(3), &Expr::int(6)).as_rational(), Rational::new(1, 2));
    /// assert_eq!(n.as_rational(), None);
    /// ```
    pub fn as_rational(&self) -> Option<Rational> {
        match &*self.terms {
            [] => Some(Rational::ZERO),
            [(monomial, value)] if monomial.is_one() => Some(value.clone()),
            _ => None,
        }
    }

    /// The value, when it is a whole number.
    ///
    /// ```
    /// # use atgpu::sym::{Cond, Expr, Facts, Symbol};
    /// # let symbol = |name: &str| Symbol::new(name.chars().map(u32::from).sum(), name);
    /// # let [n, b] = ["n", "b"].map(|name| Expr::symbol(&symbol(name)));
    /// # let over = |x: &Expr, y: &Expr| x.div(y).expect("not 0");
    /// assert_eq!(Expr::int(7).as_integer(), Some(7.into()));
    /// assert_eq!(over(&Expr::int(7), &Expr::int(2)).as_integer(), None);
    /// ```
    pub fn as_integer(&self) -> Option<BigInt> {
        self.as_rational()?.to_integer()
    }

    /// The coefficient of the empty monomial.
    pub(crate) fn constant_term(&self) -> Rational {
        match self.terms.first() {
            Some((monomial, value)) if monomial.is_one() => value.clone(),
            _ => Rational::ZERO,
        }
    }

    /// All free symbols.
    ///
    /// ```
    /// # use atgpu::sym::{Cond, Expr, Facts, Symbol};
    /// # let symbol = |name: &str| Symbol::new(name.chars().map(u32::from).sum(), name);
    /// # let [n, b] = ["n", "b"].map(|name| Expr::symbol(&symbol(name)));
    /// # let over = |x: &Expr, y: &Expr| x.div(y).expect("not 0");
    /// assert_eq!(over(&n, &b).ceil().symbols().len(), 2);
    /// ```
    pub fn symbols(&self) -> BTreeSet<Symbol> {
        let mut found = BTreeSet::new();
        self.collect_symbols(&mut found);
        found.retain(|symbol| !symbol.is_of_sum());
        found
    }

    fn collect_symbols(&self, found: &mut BTreeSet<Symbol>) {
        self.for_each_atom(&mut |atom| match atom {
            Atom::Symbol(symbol) => {
                found.insert(symbol.clone());
            }
            other => other.for_each_child(&mut |child| child.collect_symbols(found)),
        });
    }

    /// Whether the symbol occurs anywhere.
    ///
    /// ```
    /// # use atgpu::sym::{Cond, Expr, Facts, Symbol};
    /// # let symbol = |name: &str| Symbol::new(name.chars().map(u32::from).sum(), name);
    /// # let [n, b] = ["n", "b"].map(|name| Expr::symbol(&symbol(name)));
    /// # let over = |x: &Expr, y: &Expr| x.div(y).expect("not 0");
    /// assert!(over(&n, &b).ceil().contains(&symbol("b")));
    /// ```
    pub fn contains(&self, symbol: &Symbol) -> bool {
        self.summary.may_contain(symbol) && {
            let products = self.terms.iter().map(|(monomial, _)| monomial);
            products
                .filter(|monomial| monomial.summary().may_contain(symbol))
                .flat_map(|monomial| monomial.factors())
                .any(|(atom, _)| atom.contains(symbol))
        }
    }

    /// Whether any atom, however deep inside, satisfies the test.
    pub(crate) fn has_atom(&self, test: &dyn Fn(&Atom) -> bool) -> bool {
        self.terms
            .iter()
            .flat_map(|(m, _)| m.factors())
            .any(|(atom, _)| {
                test(atom) || {
                    let mut found = false;
                    atom.for_each_child(&mut |child| found = found || child.has_atom(test));
                    found
                }
            })
    }

    /// Calls `visit` on every atom that is a factor of a term; not on those inside.
    pub(crate) fn for_each_atom(&self, visit: &mut dyn FnMut(&Atom)) {
        for (monomial, _) in self.terms.iter() {
            for (atom, _) in monomial.factors() {
                visit(atom);
            }
        }
    }

    /// Whether it is made of fewer atoms, those inside others counted too.
    pub(crate) fn is_shorter_than(&self, other: &Expr) -> bool {
        self.summary.length() < other.summary.length()
    }

    /// The different atoms that are factors of terms.
    pub(crate) fn atoms(&self) -> BTreeSet<Atom> {
        let mut atoms = BTreeSet::new();
        self.for_each_atom(&mut |atom| {
            if !atoms.contains(atom) {
                atoms.insert(atom.clone());
            }
        });
        atoms
    }

    /// Whether it is a polynomial in names, with negative exponents or without.
    pub(crate) fn is_plain(&self) -> bool {
        let factors = self.terms.iter().flat_map(|(m, _)| m.factors());
        factors
            .into_iter()
            .all(|(atom, _)| matches!(atom, Atom::Symbol(_)))
    }

    /// Whether no unsolved `Σ` is left.
    ///
    /// ```
    /// # use atgpu::sym::{Cond, Expr, Facts, Symbol};
    /// # let symbol = |name: &str| Symbol::new(name.chars().map(u32::from).sum(), name);
    /// # let [n, b] = ["n", "b"].map(|name| Expr::symbol(&symbol(name)));
    /// # let over = |x: &Expr, y: &Expr| x.div(y).expect("not 0");
    /// assert!(over(&n, &b).ceil().is_closed());
    /// ```
    pub fn is_closed(&self) -> bool {
        self.summary.sums() == 0
    }

    /// The expression with a symbol replaced everywhere.
    ///
    /// ```
    /// # use atgpu::sym::{Cond, Expr, Facts, Symbol};
    /// # let symbol = |name: &str| Symbol::new(name.chars().map(u32::from).sum(), name);
    /// # let [n, b] = ["n", "b"].map(|name| Expr::symbol(&symbol(name)));
    /// # let over = |x: &Expr, y: &Expr| x.div(y).expect("not 0");
    /// let blocks = over(&n, &b).ceil();
    /// assert_eq!(blocks.substitute(&symbol("n"), &Expr::int(64)).to_string(), "⌈64/b⌉");
    /// ```
    pub fn substitute(&self, symbol: &Symbol, value: &Expr) -> Expr {
        if !self.summary.may_contain(symbol) {
            return self.clone();
        }
        self.replace(&|atom| match atom {
            Atom::Symbol(other) => (other == symbol).then(|| value.clone()),
            Atom::Sum(sum) if sum.variable == *symbol => Some(Expr::unsolved_sum(
                &sum.variable,
                &sum.low.substitute(symbol, value),
                &sum.high.substitute(symbol, value),
                &sum.body,
            )),
            other => other
                .contains(symbol)
                .then(|| other.rebuild(&|child| child.substitute(symbol, value))),
        })
    }

    /// The expression with some of its top atoms replaced; `None` keeps one.
    pub(crate) fn replace(&self, change: &dyn Fn(&Atom) -> Option<Expr>) -> Expr {
        let mut kept = Vec::new();
        let mut changed = Vec::new();
        for (monomial, coefficient) in self.terms.iter() {
            let mut product: Option<Expr> = None;
            let mut rest = Vec::new();
            for (atom, exponent) in monomial.factors() {
                match change(atom) {
                    Some(value) => {
                        let power = value.integer_power(*exponent);
                        product = Some(product.map_or(power.clone(), |so_far| so_far.mul(&power)));
                    }
                    None => rest.push((atom.clone(), *exponent)),
                }
            }
            match product {
                Some(product) => {
                    let rest = Expr::monomial(Monomial::from_sorted(rest));
                    let product = product.mul(&rest).scale(coefficient);
                    changed.extend(product.terms.iter().cloned());
                }
                None => kept.push((monomial.clone(), coefficient.clone())),
            }
        }
        if changed.is_empty() {
            return Expr::sorted(kept);
        }
        kept.append(&mut changed);
        Expr::from_terms(kept)
    }

    /// The coefficients c0, c1, … as a polynomial in a symbol; `None` when the symbol also occurs
    /// inside an atom or with a negative exponent.
    pub(crate) fn coefficients(&self, symbol: &Symbol) -> Option<Vec<Expr>> {
        let atom = Atom::Symbol(symbol.clone());
        let coefficients = self.atom_coefficients(&atom)?;
        let free = coefficients.iter().all(|c| !c.contains(symbol));
        free.then_some(coefficients)
    }

    /// offset + slope·symbol.
    pub(crate) fn linear_in(&self, symbol: &Symbol) -> Option<[Expr; 2]> {
        <[Expr; 2]>::try_from(self.coefficients(symbol)?).ok()
    }

    /// 1/x of a single term x with a positive coefficient.
    pub(crate) fn inverted_term(&self) -> Option<Expr> {
        let (monomial, coefficient) = self.as_term()?;
        let positive = !coefficient.is_negative();
        positive.then(|| Expr::term(&(monomial.clone(), coefficient.clone())).reciprocal())
    }

    /// The terms that stand in both, coefficients included.
    pub(crate) fn shared_terms(&self, other: &Expr) -> Expr {
        let shared = self.terms().iter();
        let shared = shared.filter(|term| other.terms().contains(term));
        Expr::from_terms(shared.cloned().collect())
    }

    /// rest + factor·atom.
    pub(crate) fn beside(&self, atom: &Atom) -> Option<[Expr; 2]> {
        <[Expr; 2]>::try_from(self.atom_coefficients(atom)?).ok()
    }

    /// The expression as `rest + factor·⌊inner⌋` with the symbol inside one floor only and not in the
    /// factor: the rest, the factor and what is inside.
    pub(crate) fn around_floor(&self, symbol: &Symbol) -> Option<(Expr, Expr, Expr)> {
        let itself = Atom::Symbol(symbol.clone());
        let atoms = self.atoms().into_iter();
        let mut holding =
            atoms.filter(|atom| *atom != itself && Expr::atom(atom.clone()).contains(symbol));
        let (Some(atom), None) = (holding.next(), holding.next()) else {
            return None;
        };
        let Atom::Floor(inner) = &atom else {
            return None;
        };
        match &*self.atom_coefficients(&atom)? {
            [rest, factor] if !factor.contains(symbol) => {
                Some((rest.clone(), factor.clone(), inner.clone()))
            }
            _ => None,
        }
    }

    /// The coefficients as a polynomial in an atom; `None` with a negative exponent. Other atoms
    /// may contain it.
    pub(crate) fn atom_coefficients(&self, atom: &Atom) -> Option<Vec<Expr>> {
        const HIGHEST_DEGREE: usize = 64;
        let mut coefficients: Vec<Vec<Term>> = vec![Vec::new()];
        for (monomial, coefficient) in self.terms.iter() {
            let exponent = usize::try_from(monomial.exponent(atom)).ok()?;
            if exponent > HIGHEST_DEGREE {
                return None;
            }
            if coefficients.len() <= exponent {
                coefficients.resize(exponent + 1, Vec::new());
            }
            coefficients[exponent].push((monomial.without(atom), coefficient.clone()));
        }
        Some(coefficients.into_iter().map(Expr::from_terms).collect())
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
    Expr::monomial(Monomial::from_sorted(plain)).mul_terms(&product)
}

impl Expr {
    /// A product in which the left side's factors are known to be canonical by themselves.
    fn mul_terms(&self, other: &Expr) -> Expr {
        if other.is_one() {
            return self.clone();
        }
        self.mul(other)
    }
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
