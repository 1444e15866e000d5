//! Bounds term by term. The magnitude of every atom lies between two plain values ≥ 0. Added terms
//! take the upper one, subtracted terms the lower one. Negative terms of the result are dropped,
//! which only raises it.
//!
//! Example: n − b·⌊n/b⌋ + ⌈n/b⌉. ⌊n/b⌋ is at least 0 and ⌈n/b⌉ at most n/b + 1, so the bound is n
//! + n/b + 1.

use crate::sym::expr::types::{Atom, Sum, Term};
use crate::sym::facts::knowledge::Facts;
use crate::sym::sum::above::MOST_COMPARED;
use crate::sym::sum::above::largest::at_its_largest;
use crate::sym::sum::above::plainest::{least, most};
use crate::sym::{Cond, Expr, Symbol};

/// The deepest nesting of expressions; deeper ones have no plain bound. It limits the recursion.
const DEEPEST: u32 = 24;

/// Two plain values ≥ 0 with the magnitude of an atom between them.
struct Ends {
    low: Expr,
    high: Expr,
}

impl Ends {
    fn exactly(value: Expr) -> Ends {
        Ends {
            low: value.clone(),
            high: value,
        }
    }

    fn up_to(high: Expr) -> Ends {
        Ends {
            low: Expr::zero(),
            high,
        }
    }
}

/// The sign of a value with a bounded magnitude.
#[derive(Clone, Copy)]
enum Sign {
    Plus,
    Minus,
    /// Unknown: the value lies in −high..high.
    Either,
}

impl Sign {
    fn times(self, other: Sign) -> Sign {
        match (self, other) {
            (Sign::Plus, sign) | (sign, Sign::Plus) => sign,
            (Sign::Minus, Sign::Minus) => Sign::Plus,
            (Sign::Either, _) | (_, Sign::Either) => Sign::Either,
        }
    }
}

/// The bounding of expressions under the same facts, at one depth of nesting.
#[derive(Clone, Copy)]
pub(super) struct Bounding<'a> {
    facts: &'a Facts,
    /// A symbol that grows slower than all others. A bound in it alone is preferred.
    slow: Option<&'a Symbol>,
    depth: u32,
}

impl<'a> Bounding<'a> {
    pub(super) fn new(facts: &'a Facts, slow: Option<&'a Symbol>) -> Self {
        Bounding {
            facts,
            slow,
            depth: 0,
        }
    }

    /// Replaces a minimum or maximum that occurs in several terms by one of its ends, by the sign of its common factor.
    pub(super) fn without_common_extremes(&self, expr: &Expr) -> Expr {
        // (u − v + 1)(w − z + 1), multiplied out, has the added term v·z. Bounded term by term, v and z take their upper
        // ends there, though both are subtracted. If v is a minimum, its common factor is −(w − z + 1). Where that is
        // never positive, v takes its lower end in all terms.
        let mut value = expr.clone();
        for atom in expr.atoms() {
            if !matches!(atom, Atom::Min(_) | Atom::Max(_)) {
                continue;
            }
            let Some([rest, factor]) = value.beside(&atom) else {
                continue;
            };
            if factor.terms().len() < 2 || factor.terms().len() > MOST_COMPARED {
                continue;
            }
            let Some((Sign::Plus, ends)) = self.of_atom(&atom) else {
                continue;
            };
            let end = if self.facts.is_non_negative(&factor) {
                ends.high
            } else if self.facts.is_non_negative(&factor.neg()) {
                ends.low
            } else {
                continue;
            };
            value = &rest + (&factor * &end);
        }
        value
    }

    /// Returns an upper bound without subtracted terms.
    pub(super) fn above(&self, expr: &Expr) -> Option<Expr> {
        if self.depth > DEEPEST {
            return None;
        }
        let mut total = Expr::zero();
        for term in expr.terms() {
            let (sign, ends) = self.of_term(term)?;
            total = match sign {
                Sign::Minus => &total - &ends.low,
                Sign::Plus | Sign::Either => &total + &ends.high,
            };
        }
        Some(without_minus(&total))
    }

    /// Bounds an expression inside an atom, under the facts that hold there.
    fn inside(&self, facts: &Facts, expr: &Expr) -> Option<Expr> {
        let depth = self.depth + 1;
        Bounding {
            facts,
            depth,
            slow: self.slow,
        }
        .above(expr)
    }

    fn inner(&self, expr: &Expr) -> Option<Expr> {
        self.inside(self.facts, expr)
    }

    /// Returns the sign of a term and the ends of its magnitude.
    fn of_term(&self, (monomial, coefficient): &Term) -> Option<(Sign, Ends)> {
        let mut sign = if coefficient.is_negative() {
            Sign::Minus
        } else {
            Sign::Plus
        };
        let size = Expr::rational(coefficient.abs());
        let (mut low, mut high) = (size.clone(), size);
        for (atom, exponent) in monomial.factors() {
            let (of_atom, ends) = self.of_atom(atom)?;
            if exponent % 2 != 0 {
                sign = sign.times(of_atom);
            }
            let ends = if *exponent < 0 {
                self.inverted(atom, &ends)?
            } else {
                ends
            };
            let times = i32::try_from(exponent.unsigned_abs()).ok()?;
            let power = ends.high.integer_power(times);
            if high.is_unwieldy_times(&power) {
                return None;
            }
            high = &high * &power;
            if high.is_unwieldy() {
                return None;
            }
            let power = ends.low.integer_power(times);
            low = if low.is_unwieldy_times(&power) {
                Expr::zero()
            } else {
                &low * &power
            };
        }
        Some((sign, Ends { low, high }))
    }

    /// Returns the ends of 1/x for x between two ends.
    fn inverted(&self, atom: &Atom, ends: &Ends) -> Option<Ends> {
        // 1/x falls, so the ends swap: 1/high ≤ 1/x ≤ 1/low. A sum as an end would become an
        // inverse atom, which is not plain. Then the coarse ends 0 and, for a whole x, 1 stand
        // in.
        let over = |end: &Expr| {
            let is_plain = end.as_term().is_some() && self.facts.is_positive(end);
            is_plain.then(|| end.reciprocal())
        };
        // A whole divisor is at least 1 in magnitude.
        let one = || self.facts.is_integer_atom(atom).then(Expr::one);
        Some(Ends {
            high: over(&ends.low).or_else(one)?,
            low: over(&ends.high).unwrap_or_else(Expr::zero),
        })
    }

    /// Returns the sign of an atom and the ends of its magnitude.
    fn of_atom(&self, atom: &Atom) -> Option<(Sign, Ends)> {
        // One law per kind of atom. "Never negative" is asked first: without a known sign only
        // the magnitude is bounded, by the bounds of the value and of its opposite added up. For
        // example ⌊x⌋ with x of either sign lies within ±(above(x) + above(−x) + 1).
        let facts = self.facts;
        let itself = || Ends::exactly(Expr::atom(atom.clone()));
        let may_be_negative = || !facts.is_non_negative(&Expr::atom(atom.clone()));
        let ends = match atom {
            Atom::Symbol(_) | Atom::Power(..) | Atom::Log(..) | Atom::FloorSum(_)
                if may_be_negative() =>
            {
                return None;
            }
            Atom::Symbol(_) => itself(),
            Atom::Power(x, y) | Atom::Log(x, y) if x.is_plain() && y.is_plain() => itself(),
            // 2^⌊log2 n⌋ is a power of something rounded: it grows with its exponent as the base is at least 1, so the
            // exponent's bound gives 2^(log2 n), which is n. A base below 1 would turn the bound round.
            Atom::Power(base, exponent) => {
                let grows = facts.proves(&Cond::ge(base, &Expr::one()));
                let high = grows.then(|| self.inner(exponent)).flatten()?;
                Ends::up_to(base.pow(&high))
            }
            Atom::Log(base, x) => Ends::up_to(Expr::log(base, &self.inner(x)?)),
            Atom::Floor(x) if facts.is_non_negative(x) => Ends::up_to(self.inner(x)?),
            Atom::Floor(x) => return self.of_ceiling(x),
            Atom::Min(items) | Atom::Max(items) if may_be_negative() => {
                return self.of_either_sign(items, Expr::zero());
            }
            Atom::Min(items) => {
                let each: Vec<Expr> = items.iter().filter_map(|item| self.inner(item)).collect();
                Ends::up_to(least(facts, &each, self.slow)?)
            }
            Atom::Max(items) => {
                let each: Option<_> = items.iter().map(|item| self.inner(item)).collect();
                Ends::up_to(most(facts, each?))
            }
            Atom::Bracket(_) => Ends::up_to(Expr::one()),
            // gcd(n, b) divides both, so it is at most either that is not 0: gcd(0, b) is b, which n = 0 does not bound.
            Atom::Gcd(x, y) => {
                let parts = [x, y].into_iter().filter(|part| facts.is_positive(part));
                let each: Vec<Expr> = parts.filter_map(|part| self.inner(part)).collect();
                Ends {
                    low: Expr::one(),
                    high: least(facts, &each, self.slow)?,
                }
            }
            Atom::DigitSum(x, _) => Ends::up_to(self.inner(x)?),
            Atom::FloorSum(parts) => {
                let [n, a, c, m] = &**parts;
                let last = (a * n + c).div(m)?;
                Ends::up_to(self.inner(&(n * &last))?)
            }
            Atom::Inverse(x) if x.is_plain() && facts.is_positive(x) => itself(),
            Atom::Inverse(x) => return self.of_inverse(x),
            Atom::Sum(sum) => return self.of_sum(sum),
        };
        Some((Sign::Plus, ends))
    }

    /// Bounds a ceiling, kept as −⌊−y⌋: ⌈y⌉ < y + 1.
    fn of_ceiling(&self, x: &Expr) -> Option<(Sign, Ends)> {
        let y = x.neg();
        if !self.facts.is_non_negative(&y) {
            return self.of_either_sign(std::slice::from_ref(x), Expr::one());
        }
        let (low, above) = if y.is_plain() {
            (y.clone(), y)
        } else {
            (Expr::zero(), self.inner(&y)?)
        };
        let high = &above + 1;
        Some((Sign::Minus, Ends { low, high }))
    }

    /// Bounds a magnitude by the sum of the bounds of all items and of their opposites, and `more`.
    fn of_either_sign(&self, items: &[Expr], more: Expr) -> Option<(Sign, Ends)> {
        let mut sum = more;
        for item in items {
            sum = &sum + self.inner(item)? + self.inner(&item.neg())?;
        }
        Some((Sign::Either, Ends::up_to(sum)))
    }

    /// Bounds 1/x for a whole x: its magnitude is at most 1 wherever x is not 0.
    fn of_inverse(&self, x: &Expr) -> Option<(Sign, Ends)> {
        let sign = match (self.facts.is_positive(x), self.facts.is_positive(&x.neg())) {
            (true, _) => Sign::Plus,
            (_, true) => Sign::Minus,
            (false, false) => Sign::Either,
        };
        let is_whole = self.facts.is_integer(x);
        is_whole.then(|| (sign, Ends::up_to(Expr::one())))
    }

    /// Bounds an unsolved sum by its largest term.
    fn of_sum(&self, sum: &Sum) -> Option<(Sign, Ends)> {
        let (_, body, inside) = self.facts.opened(sum);
        let most = self.of_all_terms(sum)?;
        // Terms of both signs may cancel, in part or not at all. The sum of what all bound and what all their opposites
        // bound holds whichever do.
        if inside.is_non_negative(&body) {
            return Some((Sign::Plus, Ends::up_to(most)));
        }
        let opposite = Sum {
            body: sum.body.neg(),
            ..sum.clone()
        };
        let least = self.of_all_terms(&opposite)?;
        Some((Sign::Either, Ends::up_to(&most + &least)))
    }

    /// Bounds a sum by its number of terms times its largest term.
    fn of_all_terms(&self, sum: &Sum) -> Option<Expr> {
        // Σ i ∈ 1..n : ⌈i·n/b⌉: each term is at most i·n/b + 1, at most n²/b + 1 over the range,
        // and there are n terms: n³/b + n. The product is bounded once more, since the count may
        // have floors of its own.
        let (variable, body, inside) = self.facts.opened(sum);
        let body = self.inside(&inside, &body)?;
        let most = at_its_largest(&inside, &variable, [&sum.low, &sum.high], &body)?;
        let count = &sum.high - &sum.low + 1;
        (!count.is_unwieldy_times(&most)).then(|| self.inner(&(&count * &most)))?
    }
}

/// Returns the positive terms.
fn without_minus(expr: &Expr) -> Expr {
    let kept = expr.terms().iter().filter(|(_, c)| !c.is_negative());
    Expr::from_terms(kept.cloned().collect())
}
