//! Sums over ranges that a condition shortens, thins out, or that behave differently at one end.

use crate::number::Rational;
use crate::sym::expr::atom::{Atom, Monomial};
use crate::sym::facts::knowledge::Facts;
use crate::sym::sum::closed_form::Range;
use crate::sym::{Cond, Expr, Symbol};
use num_traits::ToPrimitive;

impl Facts {
    /// Splits the last or the first value off when all others are simpler without it: the last MP
    /// of a vector, the last chunk of a host loop.
    pub(crate) fn sum_by_splitting(&self, range: &Range, body: &Expr) -> Option<Expr> {
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

    /// Splits where a power of a base passes 1: ⌊2^s/b⌋ is 0 before log2 b and 2^s/b from there on.
    pub(crate) fn sum_by_threshold(&self, range: &Range, body: &Expr) -> Option<Expr> {
        let complexity = undecided(body, &range.variable);
        if complexity == 0 {
            return None;
        }
        let one = Expr::one();
        for atom in body.atoms() {
            let Atom::Floor(x) = &atom else {
                continue;
            };
            let Some((at, rises)) = self.threshold(x, &range.variable) else {
                continue;
            };
            // At the threshold itself the power is 1.
            let (end, start) = match rises {
                true => (at.sub(&one), at),
                false => (at.clone(), at.add(&one)),
            };
            let end = self.simplify(&Expr::min(vec![range.high.clone(), end]));
            let start = self.simplify(&Expr::max(vec![range.low.clone(), start]));
            let parts = [
                range.with(&range.low, &end),
                range.with(&start, &range.high),
            ];
            let mut total = Expr::zero();
            let mut is_simpler = true;
            for part in &parts {
                let inside = self.with(&part.inside()).simplify(body);
                is_simpler &= undecided(&inside, &range.variable) < complexity;
                if is_simpler {
                    let sum = self.sum(&range.variable, &part.low, &part.high, &inside);
                    total = total.add(&sum);
                }
            }
            if is_simpler && total.is_closed() {
                return Some(total);
            }
        }
        None
    }

    /// Where x = ±base^(α·v + β) passes 1, and whether it grows with v.
    fn threshold(&self, x: &Expr, variable: &Symbol) -> Option<(Expr, bool)> {
        // What stands beside the power is constant and moves nothing across a multiple.
        let mut moving = x
            .terms()
            .iter()
            .filter(|(monomial, _)| Expr::monomial(monomial.clone()).contains(variable));
        let (Some((monomial, coefficient)), None) = (moving.next(), moving.next()) else {
            return None;
        };
        let term = (monomial.clone(), coefficient.abs());
        for base in self.power_bases(monomial) {
            let Some((exponent, sources)) = self.exponent_of(&term, &base) else {
                continue;
            };
            let Some((offset, slope)) = self.linear(&exponent, variable) else {
                continue;
            };
            let rises = self.is_positive(&slope);
            let at = self.simplify(&offset.neg().div(&slope)?);
            let is_usable = (rises || self.is_positive(&slope.neg()))
                && self.is_integer(&at)
                && self.proves(&Cond::ge(&base, &Expr::int(2)));
            if is_usable {
                self.mark_used(&sources);
                return Some((at, rises));
            }
        }
        None
    }

    /// v = d·u + c for each class c of a small number d that floors divide by.
    pub(crate) fn sum_by_residues(&self, range: &Range, body: &Expr) -> Option<Expr> {
        let divisor = body.small_divisor(&range.variable)?;
        let variable = Expr::symbol(&range.variable);
        let fraction = Rational::new(1, divisor)?;
        let mut total = Expr::zero();
        for class in (0..divisor).map(Expr::int) {
            let value = variable.scale(&divisor.into()).add(&class);
            let low = range.low.sub(&class).scale(&fraction).ceil();
            let high = range.high.sub(&class).scale(&fraction).floor();
            let part = range.with(&self.simplify(&low), &self.simplify(&high));
            let body = body.substitute(&range.variable, &value);
            let body = self.with(&part.inside()).simplify(&body);
            // What still divides is to divide by less, or this would go on for ever.
            if body.small_divisor(&range.variable) >= Some(divisor) {
                return None;
            }
            let sum = self.sum(&range.variable, &part.low, &part.high, &body);
            if !sum.is_closed() {
                return None;
            }
            total = total.add(&sum);
        }
        Some(total)
    }

    /// A factor `[cond]` restricts the range: to a shorter one, to one value, to multiples.
    pub(crate) fn sum_bracket(&self, range: &Range, monomial: &Monomial) -> Option<Expr> {
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
    pub(crate) fn linear(&self, e: &Expr, variable: &Symbol) -> Option<(Expr, Expr)> {
        match &*e.coefficients(variable)? {
            [offset, slope] => Some((offset.clone(), slope.clone())),
            _ => None,
        }
    }
}

impl Expr {
    /// A number up to 8 by which a floor or divisibility about the variable divides.
    pub(crate) fn small_divisor(&self, variable: &Symbol) -> Option<i64> {
        const LARGEST: i64 = 8;
        let mut found = None;
        let mut visit = |divisor: Option<i64>| {
            if let Some(divisor) = divisor.filter(|d| (2..=LARGEST).contains(d)) {
                found = found.max(Some(divisor));
            }
        };
        self.for_each_atom(&mut |atom| match atom {
            Atom::Floor(x) => {
                if let Some([_, slope]) = x.coefficients(variable).as_deref()
                    && let Some(slope) = slope.as_rational()
                {
                    visit(slope.denominator().to_i64());
                } else if x.contains(variable) {
                    visit(x.small_divisor(variable));
                }
            }
            Atom::Bracket(cond) => match &**cond {
                Cond::Divides(d, e) if e.contains(variable) => {
                    visit(d.as_integer().and_then(|d| d.to_i64()));
                }
                other => other.for_each_expr(&mut |e| visit(e.small_divisor(variable))),
            },
            Atom::Min(items) | Atom::Max(items) => {
                items
                    .iter()
                    .for_each(|item| visit(item.small_divisor(variable)));
            }
            _ => {}
        });
        found
    }
}

/// How many floors, extremes and order brackets still depend on the variable.
fn undecided(body: &Expr, variable: &Symbol) -> usize {
    body.atoms()
        .iter()
        .filter(|atom| atom.contains(variable))
        .map(|atom| match atom {
            Atom::Floor(x) => 1 + undecided(x, variable),
            Atom::Min(_) | Atom::Max(_) | Atom::Bracket(_) => 1,
            _ => 0,
        })
        .sum()
}
