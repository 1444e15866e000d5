//! The atoms of expressions: symbols, and functions that no polynomial can express. Also the
//! products of their powers.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, LazyLock};

use crate::sym::expr::summary::{Kind, Summary};
use crate::sym::expr::types::{Atom, Monomial, OneOrMore, Product};
use crate::sym::{Expr, Symbol};
use rustc_hash::FxHasher;

impl Atom {
    /// `[c]`
    pub(crate) fn is_bracket(&self) -> bool {
        matches!(self, Atom::Bracket(_))
    }

    /// Returns true if the value is whole for all values of the symbols.
    pub(crate) fn is_always_whole(&self) -> bool {
        match self {
            Atom::Floor(_)
            | Atom::Bracket(_)
            | Atom::Gcd(..)
            | Atom::DigitSum(..)
            | Atom::FloorSum(_) => true,
            Atom::Symbol(_)
            | Atom::Power(..)
            | Atom::Log(..)
            | Atom::Min(_)
            | Atom::Max(_)
            | Atom::Inverse(_)
            | Atom::Sum(_) => false,
        }
    }

    /// Returns true if it contains no unsolved `Σ`.
    pub(crate) fn is_closed(&self) -> bool {
        let mut is_closed = !matches!(self, Atom::Sum(_));
        self.for_each_child(&mut |child| is_closed &= child.is_closed());
        is_closed
    }

    /// Returns true if the symbol occurs anywhere.
    pub(crate) fn contains(&self, symbol: &Symbol) -> bool {
        match self {
            Atom::Symbol(other) => other == symbol,
            other => {
                let mut found = false;
                other.for_each_child(&mut |child| found = found || child.contains(symbol));
                found
            }
        }
    }

    /// Calls `visit` on the expressions directly inside, also on a condition's.
    pub(crate) fn for_each_child(&self, visit: &mut dyn FnMut(&Expr)) {
        match self {
            Atom::Symbol(_) => {}
            Atom::Floor(x) | Atom::Inverse(x) => visit(x),
            Atom::Power(x, y) | Atom::Log(x, y) | Atom::Gcd(x, y) | Atom::DigitSum(x, y) => {
                visit(x);
                visit(y);
            }
            Atom::Min(items) | Atom::Max(items) => items.iter().for_each(visit),
            Atom::Bracket(cond) => cond.for_each_expr(visit),
            Atom::FloorSum(parts) => parts.iter().for_each(visit),
            Atom::Sum(sum) => {
                visit(&sum.low);
                visit(&sum.high);
                visit(&sum.body);
            }
        }
    }

    /// Rebuilds the atom from changed parts.
    pub(crate) fn rebuild(&self, change: &dyn Fn(&Expr) -> Expr) -> Expr {
        match self {
            Atom::Symbol(symbol) => Expr::symbol(symbol),
            Atom::Floor(x) => change(x).floor(),
            Atom::Power(base, exponent) => change(base).pow(&change(exponent)),
            Atom::Log(base, x) => Expr::log(&change(base), &change(x)),
            Atom::Min(items) => Expr::min(items.iter().map(change).collect()),
            Atom::Max(items) => Expr::max(items.iter().map(change).collect()),
            Atom::Bracket(cond) => Expr::bracket(cond.map(change)),
            Atom::Gcd(x, y) => Expr::gcd(&change(x), &change(y)),
            Atom::DigitSum(x, base) => Expr::digit_sum(&change(x), &change(base)),
            Atom::FloorSum(parts) => {
                let [n, a, c, m] = &**parts;
                Expr::floor_sum(&change(n), &change(a), &change(c), &change(m))
            }
            Atom::Inverse(x) => change(x).reciprocal(),
            Atom::Sum(sum) => Expr::unsolved_sum(
                &sum.variable,
                &change(&sum.low),
                &change(&sum.high),
                &change(&sum.body),
            ),
        }
    }
}

static ONE: LazyLock<Monomial> = LazyLock::new(|| Monomial::new(OneOrMore::More(Vec::new())));

impl PartialEq for Monomial {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || self.0.hash == other.0.hash && self.factors() == other.factors()
    }
}

impl Eq for Monomial {}

impl Hash for Monomial {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}

impl Ord for Monomial {
    fn cmp(&self, other: &Self) -> Ordering {
        if Arc::ptr_eq(&self.0, &other.0) {
            return Ordering::Equal;
        }
        self.factors().cmp(other.factors())
    }
}

impl PartialOrd for Monomial {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Monomial {
    /// Returns the empty product.
    pub(crate) fn one() -> Self {
        ONE.clone()
    }

    fn new(factors: OneOrMore<(Atom, i32)>) -> Self {
        let mut hash = FxHasher::default();
        let list = factors.as_slice();
        list.hash(&mut hash);
        let mut summary = Summary::default();
        for (atom, _) in list {
            summary.include(summarise(atom));
        }
        Monomial(Arc::new(Product {
            factors,
            hash: hash.finish(),
            summary,
        }))
    }

    /// Returns one atom to a power.
    pub(crate) fn atom(atom: Atom, exponent: i32) -> Self {
        match exponent {
            0 => Monomial::one(),
            _ => Monomial::new(OneOrMore::One((atom, exponent))),
        }
    }

    /// Returns the product of factors that are sorted and without repetition.
    pub(crate) fn from_sorted(mut factors: Vec<(Atom, i32)>) -> Self {
        factors.retain(|(_, exponent)| *exponent != 0);
        debug_assert!(factors.is_sorted_by(|x, y| x.0 < y.0));
        if factors.is_empty() {
            return Monomial::one();
        }
        Monomial::new(factors.into())
    }

    /// Returns the summary of the insides.
    pub(crate) fn summary(&self) -> Summary {
        self.0.summary
    }

    /// Returns the factors in order.
    pub(crate) fn factors(&self) -> &[(Atom, i32)] {
        self.0.factors.as_slice()
    }

    /// Returns true if it is the empty product.
    pub(crate) fn is_one(&self) -> bool {
        self.factors().is_empty()
    }

    /// Returns the exponent of an atom, 0 if absent.
    pub(crate) fn exponent(&self, atom: &Atom) -> i32 {
        // A linear search: two different atoms mostly differ in their hash, while a binary search
        // would compare their insides.
        let found = self.factors().iter().find(|(other, _)| other == atom);
        found.map_or(0, |(_, exponent)| *exponent)
    }

    /// Returns the product without an atom.
    pub(crate) fn without(&self, atom: &Atom) -> Monomial {
        let factors = self.factors().iter().filter(|(a, _)| a != atom);
        Monomial::from_sorted(factors.cloned().collect())
    }

    /// Returns the product divided by one of its factors.
    pub(crate) fn without_one(&self, atom: &Atom) -> Monomial {
        let less = self.factors().iter().filter_map(|(a, exponent)| {
            let exponent = exponent - i32::from(a == atom);
            (exponent != 0).then(|| (a.clone(), exponent))
        });
        Monomial::from_sorted(less.collect())
    }

    /// Returns the sum of the exponents.
    pub(crate) fn degree(&self) -> i64 {
        self.factors().iter().map(|(_, e)| i64::from(*e)).sum()
    }

    /// Returns the product, or the list of its factors if merging exponents is not enough.
    pub(super) fn times(&self, other: &Monomial) -> Result<Monomial, Vec<(Atom, i32)>> {
        // Inverses reduce against numerators, powers of one base add their exponents, and
        // brackets are idempotent: those products may turn into sums, so the caller normalises
        // them. All others, nearly all, merge two sorted lists.
        for (one, rest) in [(other, self), (self, other)] {
            if one.is_one() && is_canonical(rest.factors()) {
                return Ok(rest.clone());
            }
        }
        let factors = self.merged(other);
        if is_canonical(&factors) {
            Ok(Monomial::from_sorted(factors))
        } else {
            Err(factors)
        }
    }

    /// Returns the product as a list of factors. Exponents saturate far beyond any use.
    pub(crate) fn merged(&self, other: &Monomial) -> Vec<(Atom, i32)> {
        let (mut left, mut right) = (self.factors(), other.factors());
        let mut factors = Vec::with_capacity(left.len() + right.len());
        while let ([x, more_left @ ..], [y, more_right @ ..]) = (left, right) {
            match x.0.cmp(&y.0) {
                Ordering::Less => {
                    factors.push(x.clone());
                    left = more_left;
                }
                Ordering::Greater => {
                    factors.push(y.clone());
                    right = more_right;
                }
                Ordering::Equal => {
                    let exponent = x.1.saturating_add(y.1);
                    if exponent != 0 {
                        factors.push((x.0.clone(), exponent));
                    }
                    (left, right) = (more_left, more_right);
                }
            }
        }
        factors.extend_from_slice(left);
        factors.extend_from_slice(right);
        factors
    }
}

/// Returns true if merging exponents is enough for a canonical product.
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

/// Returns the summary of an atom.
fn summarise(atom: &Atom) -> Summary {
    let mut summary = Summary::of_kind(kind(atom));
    match atom {
        Atom::Symbol(symbol) => summary.name(symbol),
        Atom::Sum(sum) => {
            summary.name(&sum.variable);
            summary.nest(sum.body.summary().sums());
        }
        Atom::Floor(_)
        | Atom::Power(..)
        | Atom::Log(..)
        | Atom::Min(_)
        | Atom::Max(_)
        | Atom::Bracket(_)
        | Atom::Gcd(..)
        | Atom::DigitSum(..)
        | Atom::FloorSum(_)
        | Atom::Inverse(_) => {}
    }
    atom.for_each_child(&mut |child| summary.include(child.summary()));
    summary.close();
    summary
}

fn kind(atom: &Atom) -> Kind {
    match atom {
        Atom::Floor(_) => Kind::Floor,
        Atom::Power(..) => Kind::Power,
        Atom::Log(..) => Kind::Log,
        Atom::Bracket(_) => Kind::Bracket,
        Atom::Symbol(_)
        | Atom::Min(_)
        | Atom::Max(_)
        | Atom::Gcd(..)
        | Atom::DigitSum(..)
        | Atom::FloorSum(_)
        | Atom::Sum(_)
        | Atom::Inverse(_) => Kind::Other,
    }
}
