//! Which of two true bounds is shown: by how they grow, then by proof, then by values at a few points.

use std::cmp::Ordering;

use crate::number::Rational;
use crate::sym::{Cond, Expr, Facts};
use crate::symbolic::amount::FarOut;
use crate::symbolic::result::plain::{ONE_LINE, PlainBounds};
use crate::symbolic::result::totals::WORK_OF_A_TOTAL;

/// A difference there, between logarithms, that is worth another bound.
const CLEARLY: f64 = 0.2;

impl PlainBounds {
    /// Whether the first of two bounds is clearly less, or much shorter and no more, as far as looked.
    pub(super) fn reads_better(&self, bounds: [&Expr; 2], facts: &Facts) -> bool {
        let [short, long] = bounds.map(|bound| self.length(bound));
        // A minimum in a short bound says more than the one of its items that is left without it, if not far out.
        let [plain, known] = bounds;
        let says_more = long <= ONE_LINE && known.has_extremes() && !plain.has_extremes();
        let is_much_shorter = 3 * short <= 2 * long && !says_more;
        match self.more_far_out(bounds, facts) {
            Some(more) => more < -CLEARLY || more < CLEARLY && is_much_shorter,
            None => is_much_shorter && facts.less_at_points(bounds) == Some(true),
        }
    }

    /// The characters of a formula in these names.
    pub(super) fn length(&self, expr: &Expr) -> usize {
        let known = self.lengths.borrow().get(expr).copied();
        known.unwrap_or_else(|| {
            let length = self.printer.text(expr).chars().count();
            self.lengths.borrow_mut().insert(expr.clone(), length);
            length
        })
    }

    /// How fast two bounds grow; b is a constant of the machine next to what a problem's size may be. `None` beside
    /// powers such as b^r: what those divide may grow or not.
    pub(super) fn growths(&self, bounds: [&Expr; 2], facts: &Facts) -> Option<[[Rational; 2]; 2]> {
        if bounds.into_iter().any(Expr::has_open_power) {
            return None;
        }
        let [one, other] = bounds.map(|bound| facts.paces(bound, &self.width));
        Some([one?, other?])
    }

    /// How the first of two bounds grows beside the other; `None` where it grows faster in all but b and slower in all,
    /// or the other way about.
    pub(super) fn faster(&self, bounds: [&Expr; 2], facts: &Facts) -> Option<Ordering> {
        let [one, other] = self.growths(bounds, facts)?;
        match [0, 1].map(|at| one[at].cmp(&other[at])) {
            [Ordering::Equal, order] | [order, Ordering::Equal] => Some(order),
            [beside_b, order] => (beside_b == order).then_some(order),
        }
    }

    /// Whether the first of two bounds grows slower.
    pub(super) fn grows_less(&self, bounds: [&Expr; 2], facts: &Facts) -> bool {
        let growths = self.growths(bounds, facts);
        growths.is_some_and(|[one, other]| one < other)
    }

    /// How much more the first of two bounds is than the other where a problem is large and a warp is not: the
    /// logarithm of their quotient.
    pub(super) fn more_far_out(&self, bounds: [&Expr; 2], facts: &Facts) -> Option<f64> {
        let far_out = FarOut::of(facts, &bounds, Some(&self.width));
        // What comes with each letter by itself: which of them weighs most is the machine's.
        // A cost is a sum of parts with letters: α + nβ + 3n/γ. On one card the transfers weigh most, on another the
        // operations, so the parts are compared one by one and their quotients multiplied.
        let [one, other] = bounds.map(|bound| facts.by_letters(bound.terms()));
        if one.len() != other.len() {
            return None;
        }
        let size = |part: Expr| {
            let size = far_out.value(&part)?;
            (size > 0.0).then_some(size)
        };
        let mut more = 0_f64;
        for (letters, terms) in one {
            let (_, others) = other.iter().find(|(beside, _)| *beside == letters)?;
            let [one, other] = [terms, others.clone()].map(Expr::from_terms);
            more += libm::log(size(one)? / size(other)?);
        }
        Some(more)
    }

    /// Whether the first of two bounds that grow alike is less, as far as looked: at some of a few points where the
    /// facts hold, and at none more; or far out.
    pub(super) fn is_less(&self, bounds: [&Expr; 2], facts: &Facts) -> Option<bool> {
        facts.less_at_points(bounds).or_else(|| {
            let more = self.more_far_out(bounds, facts)?;
            (more.abs() > CLEARLY).then_some(more < 0.0)
        })
    }

    /// Whether the first of two bounds says more: it grows slower, is provably no larger or less as far as looked; or
    /// it fits and the other does not, or is shorter where nothing else is known.
    pub(super) fn is_closer(
        &self,
        [plain, coarse]: [&Expr; 2],
        room: usize,
        facts: &Facts,
    ) -> bool {
        let [short, long] = [plain, coarse].map(|bound| self.length(bound));
        // In this order: a bound that does not fit its room loses to a shorter one. Then growth decides, n/b before n.
        // Then proof. Only where all these say nothing do values at a few points decide.
        if long > room && short < long {
            return true;
        }
        let is_below = || self.is_below([plain, coarse], facts);
        match self.faster([plain, coarse], facts) {
            Some(Ordering::Less) => true,
            Some(Ordering::Greater) => is_below(),
            Some(Ordering::Equal) | None => {
                if is_below() {
                    return true;
                }
                let is_less = self.is_less([plain, coarse], facts);
                is_less.unwrap_or_else(|| short < long && !self.is_below([coarse, plain], facts))
            }
        }
    }

    /// Whether the first of two bounds is provably no more.
    pub(super) fn is_below(&self, [one, other]: [&Expr; 2], facts: &Facts) -> bool {
        let facts = facts.with_work(WORK_OF_A_TOTAL);
        facts.proves(&Cond::le(one, other))
    }
}
