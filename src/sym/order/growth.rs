//! The growth of an expression: monomials that bound it from above and from below, up to constant
//! factors.
//!
//! Takes [`Sizes`] and an expression. Sums and products are read here, single atoms in `atoms`.

use std::cell::{Cell, RefCell};

use rustc_hash::FxHashMap;

use crate::number::Rational;
use crate::sym::expr::types::{Atom, Monomial, Term};
use crate::sym::order::sizes::Sizes;
use crate::sym::{Cond, Expr};

/// Monomials that bound an expression up to constant factors.
#[derive(Clone, Default)]
pub(super) struct Growth {
    /// Their sum is an upper bound on the expression.
    pub(super) upper: Vec<Expr>,
    /// Each is a lower bound on the expression.
    pub(super) lower: Vec<Expr>,
}

impl Growth {
    pub(super) fn exactly(monomial: Expr) -> Self {
        Growth {
            upper: vec![monomial.clone()],
            lower: vec![monomial],
        }
    }

    pub(super) fn at_most(upper: Vec<Expr>) -> Self {
        Growth {
            upper,
            lower: Vec::new(),
        }
    }
}

/// The lower bounds that are wanted of a sum.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Reached {
    All,
    /// The largest ones, or none if one of them is no lower bound: then no class of the sum is
    /// tight.
    Largest,
}

/// The treatment of a minimum.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Minima {
    /// The slowest-growing item, or an item that adds nothing to the rest of a sum.
    Slowest,
    /// The same, whatever it is multiplied by.
    Hidden,
    /// The item at this place, or the last.
    Item(usize),
    /// The minimum of the classes of its items.
    Kept,
}

/// The growth of expressions under the same facts.
pub(super) struct Growths<'a> {
    pub(super) sizes: Sizes<'a>,
    /// Lower bounds of the present sum without its minima.
    pub(super) beside: RefCell<Vec<Expr>>,
    /// The present treatment of minima.
    pub(super) minima: Cell<Minima>,
    /// The growth of sums without letters, remembered: a cost is made of the same sums as times
    /// and transfers.
    parts: RefCell<FxHashMap<(Expr, Minima, Reached), Option<Growth>>>,
}

impl<'a> Growths<'a> {
    pub(super) fn new(sizes: Sizes<'a>) -> Self {
        Growths {
            sizes,
            beside: RefCell::default(),
            minima: Cell::new(Minima::Slowest),
            parts: RefCell::default(),
        }
    }

    /// Does the work with another treatment of minima.
    pub(super) fn with_minima<T>(&self, minima: Minima, work: impl FnOnce() -> T) -> T {
        let before = self.minima.replace(minima);
        let found = work();
        self.minima.set(before);
        found
    }

    /// Returns upper and lower monomials of a sum. Negative terms weaken only the lower bounds,
    /// unless they are of a strictly lower order.
    pub(super) fn growth(&self, expr: &Expr) -> Option<Growth> {
        self.growth_with(expr, Reached::All)
    }

    /// Returns the same with the lower bounds that are wanted.
    pub(super) fn growth_with(&self, expr: &Expr, reached: Reached) -> Option<Growth> {
        if expr.is_zero() {
            return Some(Growth::default());
        }
        let mut total = Growth::default();
        for (letters, rest) in self.sizes.by_letters(expr) {
            let growth = self.growth_of_part(&rest, reached)?;
            let letters = std::slice::from_ref(&letters);
            total.upper.extend(products(&growth.upper, letters));
            total.lower.extend(products(&growth.lower, letters));
        }
        Some(total)
    }

    /// Returns the growth of a sum without letters, from memory if it is known.
    fn growth_of_part(&self, expr: &Expr, reached: Reached) -> Option<Growth> {
        let key = (expr.clone(), self.minima.get(), reached);
        if let Some(known) = self.parts.borrow().get(&key) {
            return known.clone();
        }
        let facts = &self.sizes.facts;
        let growth = facts.asked(|| self.growth_of_sum(expr, reached)).flatten();
        if !facts.is_exhausted() {
            self.parts.borrow_mut().insert(key, growth.clone());
        }
        growth
    }

    fn growth_of_sum(&self, expr: &Expr, reached: Reached) -> Option<Growth> {
        // Upper bounds ignore negative terms. Lower bounds survive them in three ways: a term of
        // a strictly higher order (n² − n), a weighing of shares (4nr − 2n − 6r), or a proof that
        // the sum is at least an eighth of a monomial. Minima come last, because the choice of
        // their item depends on the bounds of the other terms.
        let mut total = Growth::default();
        let mut taken_away: Vec<Expr> = Vec::new();
        let has_minimum = |term: &&Term| {
            let mut factors = term.0.factors().iter();
            factors.any(|(atom, _)| matches!(atom, Atom::Min(_)))
        };
        let (minima, others): (Vec<&Term>, Vec<&Term>) = expr.terms().iter().partition(has_minimum);
        let outside = self.beside.take();
        let mut used: Vec<Monomial> = Vec::new();
        for (at, term) in others.iter().chain(&minima).enumerate() {
            if at >= others.len() {
                // A lone minimum may be hidden by the other terms. As a factor, either item may
                // give the better product.
                let is_hidden = term.0.factors().len() == 1 || self.minima.get() == Minima::Hidden;
                self.beside.replace(if is_hidden {
                    total.lower.clone()
                } else {
                    Vec::new()
                });
            }
            let (is_negative, mut growth) = self.growth_of_term(term)?;
            if let Some(more) = self.beside_its_floor(term, expr.terms()) {
                growth.lower.extend(more);
            }
            if is_negative {
                taken_away.extend(growth.upper);
            } else {
                if let Some((other, less)) = self.below_its_ceiling(term, expr.terms(), &used) {
                    used.push(other);
                    growth.upper = less;
                }
                total.upper.extend(growth.upper);
                total.lower.extend(growth.lower);
            }
        }
        self.beside.replace(outside);
        let is_safe = taken_away.iter().all(|away| {
            total
                .lower
                .iter()
                .any(|low| self.sizes.strictly_dominates(low, away))
        });
        if !is_safe && !self.sizes.outweighs(expr) {
            total.lower = self.lower_bounds(expr, total.lower, reached);
        }
        Some(total)
    }

    /// Returns lower bounds of c·⌊x⌋·m beside another term c'·m of the sum, by ⌊x⌋ + 1 > x.
    fn beside_its_floor(&self, (monomial, coefficient): &Term, all: &[Term]) -> Option<Vec<Expr>> {
        // ⌊d/b⌋ alone may be 0 and has no lower bound. With the + 1 beside it, ⌊d/b⌋ + 1 is at
        // least d/b: the class is Θ(d/b + 1).
        let (floor, x) = monomial.factors().iter().find_map(|factor| match factor {
            (floor @ Atom::Floor(x), 1) if self.sizes.facts.is_non_negative(x) => Some((floor, x)),
            _ => None,
        })?;
        let rest = monomial.without(floor);
        let is_beside = |(other, factor): &Term| {
            *other == rest && factor.is_negative() == coefficient.is_negative()
        };
        if !all.iter().any(is_beside) {
            return None;
        }
        let (is_negative, of_rest) = self.growth_of_term(&(rest, coefficient.clone()))?;
        let of_x = self.growth(x).filter(|_| !is_negative)?;
        Some(products(&of_x.lower, &of_rest.lower))
    }

    /// Returns upper bounds of c·⌈x⌉·m beside a subtracted c'·m, c' ≥ c, by ⌈x⌉ − 1 < x. Also
    /// returns m, which no other term may have `used`.
    fn below_its_ceiling(
        &self,
        (monomial, coefficient): &Term,
        all: &[Term],
        used: &[Monomial],
    ) -> Option<(Monomial, Vec<Expr>)> {
        // b⌈n/b⌉ alone is at most n + b. b⌈n/b⌉ − b is less than n. Each subtracted term pays for
        // one ceiling only, hence `used`.
        monomial.factors().iter().find_map(|(floor, exponent)| {
            let Atom::Floor(inner) = floor else {
                return None;
            };
            let x = inner.neg();
            if *exponent < 1 || !self.sizes.facts.is_non_negative(&x) {
                return None;
            }
            let rest = monomial.without_one(floor);
            // With ⌈x⌉ written as −⌊−x⌋ both have the same sign.
            let is_taken = |(other, factor): &Term| {
                *other == rest
                    && factor.is_negative() == coefficient.is_negative()
                    && factor.abs() >= coefficient.abs()
            };
            if used.contains(&rest) || !all.iter().any(is_taken) {
                return None;
            }
            let (is_negative, of_rest) = self.growth_of_term(&(rest.clone(), -coefficient))?;
            let of_x = self.growth(&x).filter(|_| !is_negative)?;
            Some((rest, products(&of_x.upper, &of_rest.upper)))
        })
    }

    /// Returns the monomials with a provable eighth below the expression, without those below
    /// another one.
    fn lower_bounds(&self, expr: &Expr, monomials: Vec<Expr>, wanted: Reached) -> Vec<Expr> {
        // Any constant would do for a class; an eighth is small enough for n² − 2n at n ≥ 4 (8 ≥
        // 2) and large enough to stay provable. The largest monomials are asked first: if one of
        // them fails and only they are wanted, no proof for the rest is worth its work.
        let eighth = Rational::new(1, 8).unwrap_or(Rational::ONE);
        let is_reached = |low: &Expr| {
            self.sizes
                .facts
                .proves(&Cond::ge(expr, &low.scale(&eighth)))
        };
        let (largest, others): (Vec<Expr>, Vec<Expr>) = {
            let largest = self.sizes.antichain(&monomials);
            monomials.into_iter().partition(|low| largest.contains(low))
        };
        if wanted == Reached::Largest {
            return if largest.iter().all(is_reached) {
                largest
            } else {
                Vec::new()
            };
        }
        let mut reached: Vec<Expr> = largest.into_iter().filter(is_reached).collect();
        for low in others {
            let mut above = reached.iter();
            if !above.any(|large| self.sizes.dominates(large, &low)) && is_reached(&low) {
                reached.push(low);
            }
        }
        reached
    }

    fn growth_of_term(&self, (monomial, coefficient): &Term) -> Option<(bool, Growth)> {
        let mut is_negative = coefficient.is_negative();
        let mut growth = Growth::exactly(Expr::one());
        for (atom, exponent) in monomial.factors() {
            let (sign, of_atom) = self.of_atom(atom)?;
            is_negative ^= sign && exponent % 2 != 0;
            let factor = if *exponent > 0 {
                of_atom
            } else {
                Growth {
                    upper: reciprocals(&of_atom.lower)?,
                    lower: match &*of_atom.upper {
                        [single] => vec![single.reciprocal()],
                        _ => vec![],
                    },
                }
            };
            for _ in 0..exponent.unsigned_abs().min(64) {
                growth = Growth {
                    upper: products(&growth.upper, &factor.upper),
                    lower: products(&growth.lower, &factor.lower),
                };
            }
        }
        Some((is_negative, growth))
    }
}

fn products(left: &[Expr], right: &[Expr]) -> Vec<Expr> {
    let pairs = left.iter().flat_map(|x| right.iter().map(move |y| x * y));
    pairs.collect()
}

/// Returns 1/m for the lower bound m of the highest degree. Any lower bound gives an upper bound
/// of the inverse.
pub(super) fn reciprocals(lower: &[Expr]) -> Option<Vec<Expr>> {
    let last = lower
        .iter()
        .max_by_key(|m| m.terms().first().map(|(m, _)| m.degree()))?;
    Some(vec![last.reciprocal()])
}
