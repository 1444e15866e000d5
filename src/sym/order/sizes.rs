//! The sizes that grow, and the comparison of monomials as they do.
//!
//! Takes facts and the growing symbols. Tells which of two monomials is the larger one once all sizes
//! have grown, and which outgrows the other in some direction.

use crate::number::Rational;
use crate::sym::expr::types::{Atom, Monomial, Term};
use crate::sym::facts::knowledge::Facts;
use crate::sym::prove::dominance;
use crate::sym::{Cond, Expr, Symbol};

/// The least value of a growing symbol when classes are compared, if the facts allow it. A larger
/// value proves more comparisons (n ≥ 4·log2 n holds from 16 on) and treats more bounded symbols
/// as small.
const GROWN: i64 = 4;
/// The least value far out, where positive terms are weighed against negative ones.
const FAR: i64 = 64;

fn is_grown(symbol: &Symbol) -> Cond {
    Cond::ge(&Expr::symbol(symbol), &Expr::int(GROWN))
}

/// Returns true if the facts keep a symbol below [`GROWN`]: n ≤ 3.
pub(crate) fn stays_small(symbol: &Symbol, facts: &Facts) -> bool {
    !facts.with(&is_grown(symbol)).are_met() && facts.prove(&is_grown(symbol)) == Some(false)
}

/// The values of the symbols at a point.
type At<'p> = &'p dyn Fn(&Symbol) -> Option<Rational>;

/// The growing sizes, with the facts about them.
pub(super) struct Sizes<'a> {
    /// The growing symbols, without those known to stay small.
    pub(super) growing: Vec<Symbol>,
    /// The symbols that stay small, each with a possible value.
    small: Vec<(Symbol, i64)>,
    /// The facts, with every growing symbol ≥ [`GROWN`].
    pub(super) facts: Facts,
    /// The same with every growing symbol ≥ [`FAR`], if the facts allow it.
    far: Facts,
    original: &'a Facts,
}

impl<'a> Sizes<'a> {
    pub(super) fn new(growing: &[Symbol], original: &'a Facts) -> Self {
        // Supposing n ≥ 4 beside a fact n ≤ 3 would be a contradiction, from which every
        // comparison follows. So symbols that stay small are sorted out first. A small symbol
        // that may be 0 still counts as growing: 0 times a size is not of its order.
        let mut growing = growing.to_vec();
        let mut small = Vec::new();
        // Everything follows from bounds that contradict each other, so each supposition is
        // checked first.
        let mut facts = original.clone();
        growing.retain(|symbol| {
            if !stays_small(symbol, &facts) {
                facts.suppose(&is_grown(symbol));
                return true;
            }
            let value = Expr::symbol(symbol);
            // Between 1 and 3 it is a constant factor; 0 would not be.
            let is_constant = facts.proves(&Cond::ge(&value, &Expr::one()));
            if is_constant {
                let may_be = |number: &i64| {
                    let is_number = Cond::eq(&value, &Expr::int(*number));
                    facts.with(&is_number).are_met()
                };
                let number = (1..GROWN).find(may_be).unwrap_or(1);
                small.push((symbol.clone(), number));
            }
            !is_constant
        });
        let mut far = facts.clone();
        for symbol in &growing {
            far.suppose(&Cond::ge(&Expr::symbol(symbol), &Expr::int(FAR)));
        }
        let far = if far.are_met() { far } else { facts.clone() };
        Sizes {
            growing,
            small,
            facts,
            far,
            original,
        }
    }

    /// Returns true if a growing symbol occurs in the expression.
    pub(super) fn occur_in(&self, expr: &Expr) -> bool {
        expr.symbols().iter().any(|s| self.growing.contains(s))
    }

    /// Splits an expression into products of letters and their factors.
    pub(super) fn by_letters(&self, expr: &Expr) -> Vec<(Expr, Expr)> {
        let without = |letters: &Monomial, (monomial, coefficient): Term| {
            let factors = monomial.factors().iter().cloned();
            let rest = factors.filter(|factor| !letters.factors().contains(factor));
            (Monomial::from_sorted(rest.collect()), coefficient)
        };
        let parts = self.facts.by_letters(expr.terms()).into_iter();
        parts
            .map(|(letters, terms)| {
                let terms = terms.into_iter().map(|term| without(&letters, term));
                let rest = Expr::from_terms(terms.collect());
                (Expr::monomial(letters), rest)
            })
            .collect()
    }

    /// Returns the monomials without the provably dominated ones.
    pub(super) fn antichain(&self, monomials: &[Expr]) -> Vec<Expr> {
        let mut kept: Vec<Expr> = Vec::new();
        for monomial in monomials {
            if kept.iter().any(|other| self.dominates(other, monomial)) {
                continue;
            }
            kept.retain(|other| !self.dominates(monomial, other));
            kept.push(monomial.clone());
        }
        kept
    }

    /// Returns true if large ≥ small for monomials, once every growing symbol has grown.
    pub(super) fn dominates(&self, large: &Expr, small: &Expr) -> bool {
        if large == small {
            return true;
        }
        let [large, small] = [large, small].map(|monomial| self.by_letters(monomial));
        let ([(one, large)], [(other, small)]) = (large.as_slice(), small.as_slice()) else {
            return false;
        };
        one == other
            && (self.is_multiple(large, small) || self.facts.proves(&Cond::ge(large, small)))
    }

    /// Returns true if a monomial is another one times growing symbols. This takes no proof.
    fn is_multiple(&self, large: &Expr, small: &Expr) -> bool {
        let Some(quotient) = large.div(small) else {
            return false;
        };
        quotient.as_term().is_some_and(|(monomial, coefficient)| {
            let mut factors = monomial.factors().iter();
            *coefficient >= Rational::ONE
                && factors.all(|(atom, exponent)| match atom {
                    Atom::Symbol(symbol) => *exponent > 0 && self.growing.contains(symbol),
                    _ => false,
                })
        })
    }

    /// Returns true if large/small grows without bound: at least like a growing symbol of large,
    /// or its logarithm.
    pub(super) fn strictly_dominates(&self, large: &Expr, small: &Expr) -> bool {
        // A monomial that is not as large is not larger by any factor: one failing proof instead
        // of many.
        if !self.dominates(large, small) {
            return false;
        }
        let own = large.symbols().into_iter();
        let own: Vec<Expr> = own
            .filter(|symbol| self.growing.contains(symbol))
            .map(|symbol| Expr::symbol(&symbol))
            .collect();
        let is_larger_by = |factor: &Expr| self.dominates(large, &(small * factor));
        own.iter().any(is_larger_by)
            || own
                .iter()
                .any(|size| is_larger_by(&Expr::log(&Expr::int(2), size)))
    }

    /// Returns true if the positive terms of a sum outweigh the negative ones far out.
    pub(super) fn outweighs(&self, expr: &Expr) -> bool {
        dominance::outweighs(&self.far, expr)
    }

    /// Ranks a bound on a minimum: few growing symbols first, then the slowest of them.
    pub(super) fn pace(&self, upper: &[Expr]) -> (usize, usize) {
        let mut places: Vec<usize> = Vec::new();
        for symbol in upper.iter().flat_map(Expr::symbols) {
            let place = self.growing.iter().rev().position(|known| *known == symbol);
            places.extend(place.filter(|place| !places.contains(place)));
        }
        (places.len(), places.into_iter().max().unwrap_or(0))
    }

    /// Returns true if some direction of growth, allowed by the facts, makes the monomial exceed
    /// every multiple of all the others.
    pub(super) fn outgrows(&self, monomial: &Expr, others: &[Expr]) -> bool {
        // A refutation of O needs one path to infinity. Each symbol runs as 2^(size·speed + 4)
        // with a speed of 0 to 3, at the sizes 12 and 24. With speed 1 for n and 0 for b, n goes
        // from 2^16 to 2^28 while b stays 16, so n/b grows by 2^12. log2 n goes from 16 to 28, by
        // 7/4, so a growth by 3/2 tells growth from none. Four symbols have 4^4 = 256 directions;
        // more would not be finished in time.
        const SPEEDS: usize = 4;
        let count = self.growing.len() as u32;
        if count == 0 || count > 4 {
            return false;
        }
        (1..SPEEDS.pow(count)).any(|code| {
            let speed = |at: usize| (code / SPEEDS.pow(at as u32) % SPEEDS) as u32;
            let far = |size: u32| move |symbol: &Symbol| self.runs_to(symbol, size, &speed);
            self.outgrows_along([&far(12), &far(24)], monomial, others) == Some(true)
        })
    }

    /// Returns the value of a symbol at a size: 2^(size·speed + 4) if it grows.
    fn runs_to(
        &self,
        symbol: &Symbol,
        size: u32,
        speed: &dyn Fn(usize) -> u32,
    ) -> Option<Rational> {
        if let Some(at) = self.growing.iter().position(|known| known == symbol) {
            let exponent = size * speed(at) + 4;
            return Rational::from(2).pow(exponent as i32);
        }
        let held = self.small.iter().find(|(known, _)| known == symbol);
        Some(held.map_or(1, |(_, number)| *number).into())
    }

    /// Returns true if the monomial grows faster than all others from one admitted point to another
    /// one.
    fn outgrows_along(
        &self,
        points: [At<'_>; 2],
        monomial: &Expr,
        others: &[Expr],
    ) -> Option<bool> {
        if !points.iter().all(|point| self.is_admitted(*point)) {
            return None;
        }
        let at = |expr: &Expr| {
            let [near, far] = points.map(|point| expr.evaluate(&point).ok());
            Some([near?, far?])
        };
        let [near, far] = at(monomial)?;
        // Between the two points a growing power at least multiplies by 2^12, and a growing
        // logarithm by 7/4.
        let three_halves = Rational::new(3, 2)?;
        let is_outgrown = |other: &Expr| {
            let [other_near, other_far] = at(other)?;
            let [near, far] = [near.checked_div(&other_near)?, far.checked_div(&other_far)?];
            // A value of 0 outgrows nothing: log2 ⌈n/b⌉ where b grows faster than n.
            Some(near.signum() > 0 && far >= &near * &three_halves)
        };
        Some(others.iter().all(|other| is_outgrown(other) == Some(true)))
    }

    /// Returns true if all facts hold at a point.
    fn is_admitted(&self, point: At<'_>) -> bool {
        let known = self.original.known();
        let mut literals = known.literals.iter();
        literals.all(|(literal, _)| literal.evaluate(&point) == Ok(true))
            && known.bounds.iter().all(|bound| {
                let value = bound.value.evaluate(&point);
                value.is_ok_and(|value| !value.is_negative())
            })
    }
}

/// Drops the monomials between two others: n/b is at most the mean of (n/b)² and 1.
pub(super) fn without_means(mut monomials: Vec<Expr>) -> Vec<Expr> {
    let mut at = 0;
    while at < monomials.len() {
        let monomial = monomials.remove(at);
        if !is_mean(&monomial, &monomials) {
            monomials.insert(at, monomial);
            at += 1;
        }
    }
    monomials
}

/// Returns true if a monomial is the geometric mean of two others, which is at most half their
/// sum.
pub(super) fn is_mean(monomial: &Expr, others: &[Expr]) -> bool {
    let square = monomial * monomial;
    let mut pairs = others
        .iter()
        .enumerate()
        .flat_map(|(at, one)| others[..at].iter().map(move |other| (one, other)));
    pairs.any(|(one, other)| one * other == square)
}
