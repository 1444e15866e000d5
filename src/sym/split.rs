//! Sums over ranges that a condition shortens, thins out, or that behave differently at one end.

use super::atom::{Atom, Monomial};
use super::facts::Facts;
use super::sum::{Range, depends_on};
use super::{Cond, Expr, Symbol};

impl Facts {
    /// Splits the last or the first value off when all others are simpler without it: the last MP
    /// of a vector, the last chunk of a host loop.
    pub(super) fn sum_by_splitting(&self, range: &Range, body: &Expr) -> Option<Expr> {
        let complexity = undecided(body, &range.variable);
        if complexity == 0 {
            return None;
        }
        let one = Expr::one();
        let but_last = range.with(&range.low, &range.high.sub(&one));
        let but_first = range.with(&range.low.add(&one), &range.high);
        for (rest, end) in [(but_last, &range.high), (but_first, &range.low)] {
            let interior = self.with(&rest.inside()).simplify(body);
            if undecided(&interior, &range.variable) >= complexity {
                continue;
            }
            let exists = Cond::ge(&range.high, &range.low);
            let (facts, guard) = match self.prove(&exists) {
                Some(true) => (self.clone(), Expr::one()),
                Some(false) => return Some(Expr::zero()),
                None => (self.with(&exists), Expr::bracket(exists)),
            };
            let of_end = facts.simplify(&body.substitute(&range.variable, end));
            let total = facts.sum_of_range(&rest, &interior).add(&of_end);
            return Some(total.mul(&guard));
        }
        None
    }

    /// A factor `[cond]` restricts the range: to a shorter one, to one value, to multiples.
    pub(super) fn sum_bracket(&self, range: &Range, monomial: &Monomial) -> Option<Expr> {
        for (atom, _) in monomial.factors() {
            let Atom::Bracket(cond) = atom else {
                continue;
            };
            let rest = Expr::monomial(monomial.without(atom));
            let sum = match &**cond {
                Cond::NonNegative(e) => self.sum_where_non_negative(range, e, &rest),
                Cond::Not(inner) => match &**inner {
                    Cond::NonNegative(e) => self.sum_where_negative(range, e, &rest),
                    _ => None,
                },
                Cond::Zero(e) => self.sum_where_zero(range, e, &rest),
                Cond::Divides(d, e) => self.sum_of_multiples(range, d, e, &rest),
                Cond::True | Cond::False | Cond::PowerOf(..) | Cond::And(_) | Cond::Or(_) => None,
            };
            if sum.is_some() {
                return sum;
            }
        }
        None
    }

    /// offset + slope·v ≥ 0, with the slope's sign known.
    fn sum_where_non_negative(&self, range: &Range, e: &Expr, rest: &Expr) -> Option<Expr> {
        let (offset, slope) = self.linear(e, &range.variable)?;
        let crossing = offset.neg().div(&slope)?;
        if self.is_positive(&slope) {
            Some(self.sum_from(range, &crossing.ceil(), rest))
        } else if self.is_positive(&slope.neg()) {
            Some(self.sum_up_to(range, &crossing.floor(), rest))
        } else {
            None
        }
    }

    fn sum_where_negative(&self, range: &Range, e: &Expr, rest: &Expr) -> Option<Expr> {
        let (offset, slope) = self.linear(e, &range.variable)?;
        let crossing = offset.neg().div(&slope)?;
        let one = Expr::one();
        if self.is_positive(&slope) {
            Some(self.sum_up_to(range, &crossing.ceil().sub(&one), rest))
        } else if self.is_positive(&slope.neg()) {
            Some(self.sum_from(range, &crossing.floor().add(&one), rest))
        } else {
            None
        }
    }

    fn sum_where_zero(&self, range: &Range, e: &Expr, rest: &Expr) -> Option<Expr> {
        let (offset, slope) = self.linear(e, &range.variable)?;
        if !self.is_positive(&slope) && !self.is_positive(&slope.neg()) {
            return None;
        }
        let at = self.simplify(&offset.neg().div(&slope)?);
        let mut conds = vec![Cond::ge(&at, &range.low), Cond::le(&at, &range.high)];
        if !self.is_integer(&at) {
            conds.push(Cond::divides(&slope, &offset));
        }
        let guard = Expr::bracket(self.simplify_cond(&Cond::and(conds)));
        Some(
            self.simplify(&rest.substitute(&range.variable, &at))
                .mul(&guard),
        )
    }

    /// The values v with d ∣ offset + slope·v.
    fn sum_of_multiples(&self, range: &Range, d: &Expr, e: &Expr, rest: &Expr) -> Option<Expr> {
        let (offset, slope) = self.linear(e, &range.variable)?;
        let is_usable = !d.contains(&range.variable)
            && self.is_integer(d)
            && self.is_integer(&offset)
            && self.is_integer(&slope)
            && self.proves(&Cond::ge(d, &Expr::one()));
        if !is_usable {
            return None;
        }
        // With slope ±1: v = d·u ∓ offset. Without offset: v = u·d/gcd(slope, d).
        let (step, shift) = if slope.is_one() {
            (d.clone(), offset)
        } else if slope.neg().is_one() {
            (d.clone(), offset.neg())
        } else if offset.is_zero() {
            let common = self.simplify(&Expr::gcd(&slope, d));
            (d.div(&common)?, Expr::zero())
        } else {
            return None;
        };
        let after = range.high.add(&shift).add(&Expr::one());
        let first = self.simplify(&range.low.add(&shift).div(&step)?.ceil());
        let past_last = self.simplify(&after.div(&step)?.ceil());
        if !rest.contains(&range.variable) {
            return Some(rest.mul(&past_last.sub(&first)));
        }
        let variable = Expr::symbol(&range.variable);
        let reindexed = rest.substitute(&range.variable, &step.mul(&variable).sub(&shift));
        let last = past_last.sub(&Expr::one());
        let sum = self.sum_of_range(&range.with(&first, &last), &reindexed);
        Some(sum)
    }

    fn sum_from(&self, range: &Range, start: &Expr, rest: &Expr) -> Expr {
        let low = Expr::max(vec![range.low.clone(), self.simplify(start)]);
        self.sum(&range.variable, &low, &range.high, rest)
    }

    fn sum_up_to(&self, range: &Range, end: &Expr, rest: &Expr) -> Expr {
        let high = Expr::min(vec![range.high.clone(), self.simplify(end)]);
        self.sum(&range.variable, &range.low, &high, rest)
    }

    /// e as offset + slope·v.
    pub(super) fn linear(&self, e: &Expr, variable: &Symbol) -> Option<(Expr, Expr)> {
        match &*e.coefficients(variable)? {
            [offset, slope] => Some((offset.clone(), slope.clone())),
            _ => None,
        }
    }
}

/// How many floors, extremes and order brackets still depend on the variable.
fn undecided(body: &Expr, variable: &Symbol) -> usize {
    body.atoms()
        .iter()
        .filter(|atom| depends_on(atom, variable))
        .map(|atom| match atom {
            Atom::Floor(x) => 1 + undecided(x, variable),
            Atom::Min(_) | Atom::Max(_) | Atom::Bracket(_) => 1,
            _ => 0,
        })
        .sum()
}
