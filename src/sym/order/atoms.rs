//! The growth of one atom: a law for each kind.

use crate::sym::expr::types::{Atom, Sum};
use crate::sym::order::growth::{Growth, Growths, Minima, reciprocals};
use crate::sym::{Cond, Expr};

impl Growths<'_> {
    /// Returns true if the atom is the negative of its growth, and the growth.
    pub(super) fn of_atom(&self, atom: &Atom) -> Option<(bool, Growth)> {
        // Floors keep the growth of their inside: ⌊x⌋ ≥ x/2 from x ≥ 1 on, and below 1 there is
        // no lower bound. Brackets, minima and digit sums may be 0, so they have upper bounds
        // only. A sum is bounded by its number of terms times its largest term from above, times
        // its smallest from below.
        let sizes = &self.sizes;
        let itself_if = |is_kept: bool| {
            let monomial = is_kept.then(|| Expr::atom(atom.clone()));
            Growth::exactly(monomial.unwrap_or_else(Expr::one))
        };
        let growth = match atom {
            Atom::Symbol(symbol) => {
                itself_if(sizes.growing.contains(symbol) || !sizes.facts.is_whole_symbol(symbol))
            }
            Atom::Floor(x) => return self.of_floor(x),
            Atom::Power(base, exponent) => {
                itself_if(sizes.occur_in(base) || sizes.occur_in(exponent))
            }
            Atom::Log(base, x) => self.of_log(base, x)?,
            // A maximum is at least each item and at most their sum: max(n, 5b) grows as n + b, with both as lower bounds.
            Atom::Max(items) => {
                let parts: Option<Vec<Growth>> =
                    items.iter().map(|item| self.growth_or_zero(item)).collect();
                let parts = parts?;
                Growth {
                    upper: parts.iter().flat_map(|part| part.upper.clone()).collect(),
                    lower: parts.into_iter().flat_map(|part| part.lower).collect(),
                }
            }
            Atom::Min(items) => self.of_minimum(items)?,
            Atom::Bracket(_) => Growth::at_most(vec![Expr::one()]),
            Atom::Gcd(x, y) => self.of_gcd(x, y)?,
            Atom::DigitSum(x, base) => {
                // At most (b − 1)·(log_b x + 1), and at most x.
                let digits = Expr::log(base, x) + 1;
                let of_digits = self.growth(&(base * &digits));
                Growth::at_most(of_digits.or_else(|| self.growth(x))?.upper)
            }
            Atom::FloorSum(parts) => {
                let [n, a, c, m] = &**parts;
                let last = (a * n + c).div(m)?;
                Growth::at_most(self.growth(&(n * &last))?.upper)
            }
            Atom::Inverse(x) => self.of_inverse(x)?,
            Atom::Sum(sum) => return self.of_unsolved(sum),
        };
        Some((false, growth))
    }

    fn of_floor(&self, x: &Expr) -> Option<(bool, Growth)> {
        let facts = &self.sizes.facts;
        if facts.is_non_negative(x) {
            let mut growth = self.growth(x)?;
            if !facts.proves(&Cond::ge(x, &Expr::one())) {
                growth.lower.clear();
            }
            return Some((false, growth));
        }
        // ⌈y⌉ lies between y and y + 1, and is at least 1 for y > 0. The sign is flipped, since a
        // ceiling is kept as −⌊−y⌋.
        let y = x.neg();
        if !facts.is_non_negative(&y) {
            return None;
        }
        let mut growth = self.growth(&y)?;
        if !facts.proves(&Cond::ge(&y, &Expr::one())) {
            growth.upper.push(Expr::one());
        }
        if facts.is_positive(&y) {
            growth.lower.push(Expr::one());
        }
        Some((true, growth))
    }

    /// Returns the growth of a minimum by its present treatment.
    fn of_minimum(&self, items: &[Expr]) -> Option<Growth> {
        let each: Vec<Growth> = items.iter().filter_map(|item| self.growth(item)).collect();
        // min(n, b²) beside n: the item n adds nothing, b² would add a term. Alone, b² is the better bound, because b
        // is a constant of the machine next to n.
        // Any item bounds the minimum. The best one adds nothing to the rest of the sum.
        let beside = self.beside.borrow();
        let is_hidden = |growth: &&Growth| {
            let mut upper = growth.upper.iter();
            upper.all(|x| beside.iter().any(|other| self.sizes.dominates(other, x)))
        };
        let pace = |growth: &Growth| self.sizes.pace(&growth.upper);
        let slowest = match self.minima.get() {
            Minima::Item(place) => each.get(place).or(each.last()),
            Minima::Kept => return self.of_least(items, &each),
            Minima::Slowest | Minima::Hidden => {
                each.iter().min_by_key(|growth| match pace(growth) {
                    (1, place) => (1, place),
                    (many, _) => (many, 0),
                })
            }
        };
        let slowest = slowest?;
        let smallest = match pace(slowest) {
            // An item in the slowest symbol alone is kept, even where another one would
            // be hidden.
            (1, 0) => slowest,
            _ => each.iter().find(is_hidden).unwrap_or(slowest),
        };
        Some(Growth::at_most(smallest.upper.clone()))
    }

    /// Returns the growth of a minimum if each item grows like one monomial: the minimum of
    /// those.
    fn of_least(&self, items: &[Expr], each: &[Growth]) -> Option<Growth> {
        let alike = each.iter().map(|growth| {
            let upper = self.sizes.antichain(&growth.upper);
            let mut lower = growth.lower.iter();
            match &*upper {
                [single] if lower.any(|low| self.sizes.dominates(low, single)) => {
                    Some(single.clone())
                }
                _ => None,
            }
        });
        let alike: Vec<Expr> = alike.collect::<Option<_>>()?;
        let least = (alike.len() == items.len()).then(|| Expr::min(alike))?;
        Some(Growth::exactly(least))
    }

    /// Returns the growth of a greatest common divisor, which divides both arguments.
    fn of_gcd(&self, x: &Expr, y: &Expr) -> Option<Growth> {
        let is_least =
            |x: &Expr| x.as_rational().is_some() && !self.sizes.facts.proves(&Cond::ge(x, y));
        let divided = if is_least(x) { x } else { y };
        Some(Growth {
            upper: self.growth(divided)?.upper,
            lower: vec![Expr::one()],
        })
    }

    /// Returns the growth of 1/x: upper bounds of x bound it from below.
    fn of_inverse(&self, x: &Expr) -> Option<Growth> {
        let mut growth = self.growth(x)?;
        // A difference may stay as small as 1, however large both sides are.
        if growth.lower.is_empty() && self.sizes.facts.proves(&Cond::ge(x, &Expr::one())) {
            growth.lower.push(Expr::one());
        }
        Some(Growth {
            upper: reciprocals(&growth.lower)?,
            lower: match &*self.sizes.antichain(&growth.upper) {
                [single] => vec![single.reciprocal()],
                _ => vec![],
            },
        })
    }

    /// Returns the growth of an unsolved sum with terms of one sign.
    fn of_unsolved(&self, sum: &Sum) -> Option<(bool, Growth)> {
        // Σ i ∈ 1..n : ⌈i/b⌉ has n terms, the largest ⌈n/b⌉ and the smallest 1. So it is between n and n·(n/b + 1).
        let (variable, body, inside) = self.sizes.facts.opened(sum);
        // Only for terms of one sign; terms of both signs may cancel.
        let is_negative = !inside.is_non_negative(&body);
        let size = if is_negative { body.neg() } else { body };
        if is_negative && !inside.is_non_negative(&size) {
            return None;
        }
        let (low, high) = (&sum.low, &sum.high);
        let greatest = |value: &Expr| inside.maximum(&variable, low, high, value);
        let count = &sum.high - &sum.low + 1;
        let of_all = |one: &Expr| self.growth(&(&count * one));
        let by_parts = || inside.part_by_part(&variable, low, high, &size);
        let plainly = || inside.above_all(&variable, [low, high], &size);
        let most = greatest(&size).or_else(by_parts).or_else(plainly)?;
        let smallest = greatest(&size.neg()).map(|smallest| smallest.neg());
        let growth = Growth {
            upper: of_all(&most)?.upper,
            lower: smallest
                .and_then(|smallest| of_all(&smallest))
                .map_or(vec![], |growth| growth.lower),
        };
        Some((is_negative, growth))
    }

    /// Returns the growth of an item of a maximum. Items ≤ 0 say nothing beside one ≥ 0.
    fn growth_or_zero(&self, expr: &Expr) -> Option<Growth> {
        if self.sizes.facts.proves(&Cond::le(expr, &Expr::zero())) {
            return Some(Growth::default());
        }
        self.growth(expr)
    }

    /// Returns the growth of a logarithm: log₂ for every constant base, and a constant if nothing
    /// in it grows.
    fn of_log(&self, base: &Expr, x: &Expr) -> Option<Growth> {
        // log(c·f) = log c + log f, so the class of the inside suffices as long as it is one
        // monomial: log(3n² + n) grows like log n. A sum of monomials stays inside, e.g. log(n +
        // b).
        let base_grows = self.sizes.occur_in(base);
        if !base_grows && !self.sizes.occur_in(x) {
            return Some(Growth::exactly(Expr::one()));
        }
        let of_x = self.growth(x)?;
        let [monomial] = &*self.sizes.antichain(&of_x.upper) else {
            return Some(Growth::exactly(Expr::log(base, x)));
        };
        let base = if base_grows {
            base.clone()
        } else {
            Expr::int(2)
        };
        let log = Expr::log(&base, monomial);
        match log.terms() {
            [(monomial, _)] => Some(Growth::exactly(Expr::monomial(monomial.clone()))),
            _ => Some(Growth::exactly(Expr::atom(Atom::Log(base, x.clone())))),
        }
    }
}
