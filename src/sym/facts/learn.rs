//! Learning: a condition becomes bounds, divisibilities, powers and literals, as sharp as whole numbers
//! allow.

use std::cell::Cell;
use std::sync::Arc;

use crate::sym::expr::types::Atom;
use crate::sym::facts::knowledge::Facts;
use crate::sym::facts::known::{Bound, Source};
use crate::sym::{Cond, Expr, SymbolKind};

impl Facts {
    /// Adds a condition, with the number under which its use is reported.
    pub(super) fn learn(&mut self, cond: &Cond, source: Source) {
        // Every condition becomes bounds, divisibilities and powers, because searches only read
        // those. The literal is kept as well where its own words decide later questions. The
        // order matters in two places. The points learn first, or an old point could refute
        // something that the new condition implies. Consequences come last, when all parts of the
        // condition are known.
        let is_case = |(literal, _): &(Cond, Source)| matches!(literal, Cond::Or(parts) if parts.contains(cond));
        if self.known.literals.iter().any(is_case) {
            // Once one case of an alternative is known, the alternative says nothing more.
            // Keeping it would make every later proof distinguish its cases again.
            let known = Arc::make_mut(&mut self.known);
            known.literals.retain(|literal| !is_case(literal));
        }
        if !matches!(cond, Cond::True | Cond::And(_)) {
            let is_exhausted = self.is_exhausted();
            let known = Arc::make_mut(&mut self.known);
            known.open_sums = known.open_sums.max(open_sums(cond));
            if is_exhausted {
                known.models.forget()
            } else {
                known.models.learn(cond)
            }
            known.forget();
        }
        let literal = |facts: &mut Facts| {
            let known = Arc::make_mut(&mut facts.known);
            known.literals.push((cond.clone(), source));
        };
        match cond {
            Cond::True => {}
            Cond::False => self.learn_bound(&Expr::int(-1), source),
            Cond::And(parts) => {
                for part in parts {
                    self.learn(part, source);
                }
            }
            Cond::NonNegative(e) => {
                self.learn_bound(e, source);
                if let Some(of_powers) = self.said_of_powers(e) {
                    self.learn(&of_powers, source);
                }
            }
            Cond::Zero(e) => {
                literal(self);
                self.learn_bound(e, source);
                self.learn_bound(&e.neg(), source);
            }
            Cond::Divides(d, e) => {
                literal(self);
                let known = Arc::make_mut(&mut self.known);
                known.divides.push((d.clone(), e.clone(), source));
            }
            Cond::PowerOf(x, y) => {
                literal(self);
                let (root, degree) = y.perfect_root();
                // A power of 32 is a power of 2 with an exponent that 5 divides. Logarithms are
                // kept to the least root, so that log_32 n and log2 n meet in one atom.
                let exponent = Expr::log(&root, x);
                let known = Arc::make_mut(&mut self.known);
                known.powers.push((x.clone(), root, source));
                if !degree.is_one() {
                    known
                        .divides
                        .push((Expr::rational(degree), exponent, source));
                }
                self.learn_bound(&(x - 1), source);
            }
            Cond::Not(inner) => match &**inner {
                // e < 0 with a whole e·d, d > 0, says e·d ≤ −1.
                Cond::NonNegative(e) => self.learn_negative(e, source),
                Cond::Zero(e) => {
                    literal(self);
                    // A whole e ≥ 0 that is not 0 is at least 1.
                    for e in [e.clone(), e.neg()] {
                        let has_sign = |bound: &Bound| bound.value == e;
                        if self.known.bounds.iter().any(has_sign) && self.is_integer_by_terms(&e) {
                            self.learn_bound(&(&e - 1), source);
                        }
                    }
                }
                _ => literal(self),
            },
            Cond::Or(_) => literal(self),
        }
        for (value, from) in self.consequences() {
            self.learn_bound(&value, from);
        }
        Arc::make_mut(&mut self.known).forget();
    }

    /// Adds e < 0, sharpened where a multiple of e is whole.
    fn learn_negative(&mut self, e: &Expr, source: Source) {
        // Example: ¬(n − b ≥ 0) means b − n > 0, and whole numbers make it b − n − 1 ≥ 0. The
        // literal is kept too, since the sharper bound no longer shows what was assumed.
        let opposite = e.neg();
        let bound = match self.cleared(&opposite) {
            Some(cleared) if self.is_integer(&cleared) => &cleared - self.least_of(&cleared),
            Some(cleared) => cleared,
            None => opposite,
        };
        self.learn_bound(&bound, source);
        let known = Arc::make_mut(&mut self.known);
        known
            .literals
            .push((Cond::NonNegative(e.clone()).negate(), source));
    }

    /// Returns a lower bound on a positive whole number: a divisor of it that is known to divide
    /// something, a base that has powers, or 1. So `yb + 16⌊j/16⌋ < 16n`, under `16 | b`, says
    /// that it is less by at least 16. `2j < n` for a power n ≥ 2 of 2 says that it is less by at
    /// least 2.
    fn least_of(&self, whole: &Expr) -> Expr {
        let literals = self.known.literals.iter();
        let divisors = literals.filter_map(|(literal, _)| match literal {
            Cond::Divides(divisor, _) => Some(divisor),
            _ => None,
        });
        let bases = self.known.powers.iter().map(|(_, base, _)| base);
        let mut divisors = divisors.chain(bases);
        let divides = |divisor: &&Expr| {
            let quotient = whole.div(divisor);
            quotient.is_some_and(|quotient| self.is_integer(&quotient))
                && self.proves(&Cond::ge(divisor, &Expr::one()))
        };
        divisors.find(divides).cloned().unwrap_or_else(Expr::one)
    }

    /// Adds a bound as a polynomial with the sharpest whole constant.
    fn learn_bound(&mut self, value: &Expr, source: Source) {
        let cleared = self.cleared(value).unwrap_or_else(|| value.clone());
        let value = self.tightened(&cleared);
        if value
            .as_rational()
            .is_some_and(|number| !number.is_negative())
        {
            return;
        }
        if self.known.bounds.iter().any(|bound| bound.value == value) {
            return;
        }
        let known = Arc::make_mut(&mut self.known);
        known.bounds.push(Bound { value, source });
        known.forget();
    }

    /// Divides a bound on a whole-valued expression by the common divisor of all terms but its
    /// constant, and rounds the constant down.
    fn tightened(&self, value: &Expr) -> Expr {
        // 4n − 6 ≥ 0 says n − 3/2 ≥ 0. n is whole, so n ≥ 2, and the bound becomes n − 2 ≥ 0.
        // Rounding down is rounding the lower bound −k up. A bound on real letters keeps its
        // constant.
        let constant = value.constant_term();
        let varying = value - Expr::rational(constant.clone());
        if varying.is_zero() {
            return value.clone();
        }
        let Some(factor) = varying.content().recip() else {
            return value.clone();
        };
        let varying = varying.scale(&factor);
        let constant = &constant * &factor;
        if self.is_integer_by_terms(&varying) {
            return &varying + Expr::from_bigint(constant.floor());
        }
        &varying + Expr::rational(constant)
    }
}

/// Returns one more than the highest number of an opened sum's variable in the condition.
fn open_sums(cond: &Cond) -> u32 {
    let highest = Cell::new(0);
    cond.for_each_expr(&mut |e| {
        e.has_atom(&|atom| {
            if let Atom::Symbol(symbol) = atom
                && symbol.id.kind == SymbolKind::Open
            {
                highest.set(highest.get().max(symbol.id.number + 1));
            }
            false
        });
    });
    highest.get()
}
