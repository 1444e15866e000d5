//! Rewriting under facts: every atom is rebuilt from simplified parts and then decided or reduced
//! where the facts allow.

use std::sync::Arc;

use crate::sym::expr::atom::{Atom, Sum};
use crate::sym::expr::construct::Extreme;
use crate::sym::expr::summary::Kind;
use crate::sym::facts::knowledge::Facts;
use crate::sym::sum::closed_form::Range;
use crate::sym::{Cond, Expr};
use num_traits::ToPrimitive;

/// Rewriting stops when nothing changes; this only bounds the unforeseen.
const MOST_PASSES: usize = 4;

impl Facts {
    /// The same value under the facts, in the simplest form known.
    ///
    /// ```
    /// # use atgpu::sym::{Cond, Expr, Facts, Symbol};
    /// # let symbol = |name: &str| Symbol::new(name.chars().map(u32::from).sum(), name);
    /// # let [n, b] = ["n", "b"].map(|name| Expr::symbol(&symbol(name)));
    /// # let over = |x: &Expr, y: &Expr| x.div(y).expect("not 0");
    /// let mut facts = Facts::new();
    /// facts.assume(&Cond::ge(&n, &b));
    /// assert_eq!(facts.simplify(&Expr::max(vec![n.clone(), b])), n);
    /// ```
    pub fn simplify(&self, expr: &Expr) -> Expr {
        if expr.is_plain() {
            return expr.clone();
        }
        if let Some(known) = self.remembered_form(expr) {
            return known;
        }
        self.spend(expr.terms().len() as u64);
        if self.is_exhausted() {
            return expr.clone();
        }
        let mut current = expr.clone();
        for _ in 0..MOST_PASSES {
            let next = self.simplify_once(&current);
            if next == current {
                break;
            }
            current = next;
        }
        // What an unsolved sum becomes is remembered with the sum, when it is known.
        if self.is_at_leisure() && expr.is_closed() {
            self.remember_form(expr, &current);
        }
        current
    }

    fn simplify_once(&self, expr: &Expr) -> Expr {
        let rewritten = expr.replace(&|atom| match atom {
            Atom::Symbol(_) => None,
            Atom::Bracket(cond) => Some(Expr::bracket(self.simplify_cond(cond))),
            Atom::Sum(sum) => self.simplify_sum(sum),
            other => {
                let rebuilt = other.rebuild(&|child| self.simplify(child));
                match rebuilt.as_atom() {
                    Some(same) => self.simplify_atom(same).or(Some(rebuilt)),
                    None => Some(rebuilt.replace(&|inner| self.simplify_atom(inner))),
                }
            }
        });
        let joined = self.join_powers(&rewritten);
        let joined = self.join_floor_and_ceiling(&joined);
        let joined = self.join_neighbours(&joined);
        let joined = self.part_floor_and_ceiling(&joined);
        let joined = self.join_complements(&joined);
        self.cancel_denominators(&joined)
    }

    /// The value of an atom with simplified parts, where it has a simpler one.
    fn simplify_atom(&self, atom: &Atom) -> Option<Expr> {
        match atom {
            Atom::Floor(x) => {
                let simpler = self.simplify_floor(x);
                (simpler.as_atom() != Some(atom)).then_some(simpler)
            }
            Atom::Min(items) => self
                .without_dominated(items, Extreme::Least)
                .or_else(|| self.one_or_none(items))
                .or_else(|| self.without_ratio(items))
                .or_else(|| common_constant(items, Extreme::Least)),
            Atom::Max(items) => self
                .without_dominated(items, Extreme::Greatest)
                .or_else(|| self.without_cases(items))
                .or_else(|| common_constant(items, Extreme::Greatest)),
            Atom::Gcd(x, y) => self.simplify_gcd(x, y),
            Atom::DigitSum(x, base) => self.simplify_digit_sum(x, base),
            Atom::FloorSum(parts) => {
                let [n, a, c, m] = &**parts;
                self.simplify_floor_sum(n, a, c, m)
            }
            Atom::Power(base, exponent) => self.simplify_power(base, exponent),
            Atom::Log(base, x) => self.change_base(base, x),
            Atom::Symbol(_) | Atom::Bracket(_) | Atom::Inverse(_) | Atom::Sum(_) => None,
        }
    }

    /// Items that another is provably never worse than cannot be the extreme one.
    fn without_dominated(&self, items: &[Expr], which: Extreme) -> Option<Expr> {
        let mut kept: Vec<Expr> = items.to_vec();
        let mut at = 0;
        while at < kept.len() {
            let is_dominated = kept.iter().enumerate().any(|(other_at, other)| {
                other_at != at
                    && match which {
                        Extreme::Least => self.proves(&Cond::ge(&kept[at], other)),
                        Extreme::Greatest => self.proves(&Cond::le(&kept[at], other)),
                    }
            });
            if is_dominated {
                kept.remove(at);
            } else {
                at += 1;
            }
        }
        (kept.len() < items.len()).then(|| Expr::extreme(kept, which))
    }

    /// The largest where a condition holds and where it does not, when that is plain in both cases:
    /// max(5, 8·`[k ≥ 2]`) is 5 + 3·`[k ≥ 2]`.
    fn without_cases(&self, items: &[Expr]) -> Option<Expr> {
        const MOST_BRACKETS: usize = 3;
        let is_maximum = |atom: &Atom| matches!(atom, Atom::Max(_));
        let mut brackets: Vec<Atom> = items.iter().flat_map(Expr::atoms).collect();
        brackets.retain(Atom::is_bracket);
        brackets.sort();
        brackets.dedup();
        if brackets.len() > MOST_BRACKETS {
            return None;
        }
        brackets.iter().find_map(|bracket| {
            let Atom::Bracket(cond) = bracket else {
                return None;
            };
            let largest = |facts: Facts, value: Expr| {
                let items = items.iter();
                let items =
                    items.map(|item| item.replace(&|a| (a == bracket).then(|| value.clone())));
                let largest = facts.simplify(&Expr::max(items.collect()));
                (!largest.atoms().iter().any(is_maximum)).then_some(largest)
            };
            let here = largest(self.with(cond), Expr::one())?;
            let elsewhere = largest(self.with(&(**cond).clone().negate()), Expr::zero())?;
            let more = here.sub(&elsewhere).mul(&Expr::atom(bracket.clone()));
            Some(elsewhere.add(&more))
        })
    }

    /// min(e, 1) for a whole e ≥ 0 is [e ≥ 1].
    fn one_or_none(&self, items: &[Expr]) -> Option<Expr> {
        let [x, y] = items else {
            return None;
        };
        let (one, e) = if y.is_one() { (y, x) } else { (x, y) };
        let fits = one.is_one() && self.is_integer(e) && self.is_non_negative(e);
        fits.then(|| Expr::bracket(self.simplify_cond(&Cond::ge(e, one))))
    }

    /// min(x, y) for an x with ⌊p/q⌋ or ⌈p/q⌉ that is plain up to p = q, and beyond at least y: so
    /// min(s − ⌈s/b⌉ + 1, b) is min(s, b).
    fn without_ratio(&self, items: &[Expr]) -> Option<Expr> {
        let [first, second] = items else {
            return None;
        };
        for (x, y) in [(first, second), (second, first)] {
            let atoms = x.atoms();
            let mut floors = atoms.iter().filter(|atom| matches!(atom, Atom::Floor(_)));
            let (Some(Atom::Floor(ratio)), None) = (floors.next(), floors.next()) else {
                continue;
            };
            let (Some(_), Some((numerator, denominator))) =
                (ratio.as_term(), self.cleared_with(ratio))
            else {
                continue;
            };
            let numerator = match ratio.constant_term().is_negative()
                || numerator
                    .terms()
                    .last()
                    .is_some_and(|(_, c)| c.is_negative())
            {
                true => numerator.neg(),
                false => numerator,
            };
            if numerator.as_rational().is_some() || denominator.as_rational().is_some() {
                continue;
            }
            let up_to = self.with(&Cond::le(&numerator, &denominator));
            let plain = up_to.simplify(x);
            if plain.has(Kind::Floor) || plain.has(Kind::Bracket) {
                continue;
            }
            let beyond = self.with(&Cond::ge(&numerator, &denominator));
            if beyond.proves(&Cond::ge(x, y)) && beyond.proves(&Cond::ge(&plain, y)) {
                return Some(Expr::min(vec![plain, y.clone()]));
            }
        }
        None
    }

    fn simplify_gcd(&self, x: &Expr, y: &Expr) -> Option<Expr> {
        for (x, y) in [(x, y), (y, x)] {
            if !self.proves(&Cond::ge(y, &Expr::one())) {
                continue;
            }
            if self.proves(&Cond::divides(y, x)) {
                return Some(y.clone());
            }
            // gcd(x, y) = gcd(x mod y, y), for the part of x that y visibly divides.
            let rest: Vec<_> = x
                .terms()
                .iter()
                .filter(|(monomial, coefficient)| {
                    let term = Expr::monomial(monomial.clone()).scale(coefficient);
                    !term
                        .div(y)
                        .is_some_and(|quotient| self.is_integer_by_terms(&quotient))
                })
                .cloned()
                .collect();
            if rest.len() < x.terms().len() {
                return Some(Expr::gcd(&Expr::from_terms(rest), y));
            }
        }
        None
    }

    fn simplify_digit_sum(&self, x: &Expr, base: &Expr) -> Option<Expr> {
        if self.proves(&Cond::non_negative(x)) && self.proves(&Cond::lt(x, base)) {
            return Some(x.clone());
        }
        if !self.proves(&Cond::ge(base, &Expr::int(2))) {
            return None;
        }
        if let Some(longer) = self.with_last_digit(x, base) {
            return Some(longer);
        }
        // A trailing zero digit adds nothing; a power of the base has one digit 1, and one less
        // than it has nothing but digits b − 1.
        let shorter = x.div(base)?;
        if self.is_integer(&shorter) && shorter.terms().len() == 1 {
            return Some(Expr::digit_sum(&shorter, base));
        }
        for (value, is_power) in [(x.clone(), true), (x.add(&Expr::one()), false)] {
            let log = Expr::log(base, &value);
            if self.is_integer(&log) && self.proves(&Cond::non_negative(&log)) {
                let nines = base.sub(&Expr::one()).mul(&log);
                return Some(if is_power { Expr::one() } else { nines });
            }
        }
        None
    }

    /// The digits of ⌊y/b⌋ are those of y but for the last, y mod b; likewise for ⌈y/b⌉ + k.
    fn with_last_digit(&self, x: &Expr, base: &Expr) -> Option<Expr> {
        let one = Expr::one();
        let atoms = x.atoms();
        let mut floors = atoms.iter().filter(|atom| matches!(atom, Atom::Floor(_)));
        let (Some(atom @ Atom::Floor(inner)), None) = (floors.next(), floors.next()) else {
            return None;
        };
        let coefficients = x.atom_coefficients(atom)?;
        let [offset, sign] = &*coefficients else {
            return None;
        };
        let dividend = inner.mul(base).mul(sign);
        let fits = self.is_integer(&dividend) && self.is_integer(offset);
        if !sign.mul(sign).is_one() || !fits {
            return None;
        }
        let rounded_up = match sign.is_one() {
            true => Expr::zero(),
            false => base.sub(&one),
        };
        let whole = dividend.add(&base.mul(offset)).add(&rounded_up);
        let last = whole.sub(&base.mul(x));
        self.proves(&Cond::non_negative(&whole))
            .then(|| Expr::digit_sum(&whole, base).sub(&last))
    }

    fn simplify_floor_sum(&self, n: &Expr, a: &Expr, c: &Expr, m: &Expr) -> Option<Expr> {
        if self.proves(&Cond::le(n, &Expr::zero())) {
            return Some(Expr::zero());
        }
        if !self.proves(&Cond::non_negative(n)) {
            return None;
        }
        let slope = a.div(m)?;
        let pairs = n.mul(&n.sub(&Expr::one())).scale(&half());
        if self.is_integer(&slope) {
            let start = self.simplify_floor(&c.div(m)?);
            return Some(slope.mul(&pairs).add(&n.mul(&start)));
        }
        self.rising_floor_sum(n, a, c, m)
            .or_else(|| self.unshifted_floor_sum(n, a, c, m))
    }

    /// With ⌊−x⌋ = −⌊x⌋ − 1 + [x is whole] a falling sum is a rising one; x = a(v + q)/m is whole for
    /// the multiples v + q of m/gcd(a, m).
    fn rising_floor_sum(&self, n: &Expr, a: &Expr, c: &Expr, m: &Expr) -> Option<Expr> {
        let falls = a.terms().last().is_some_and(|(_, c)| c.is_negative());
        let shift = c.div(a)?;
        let fits = falls
            && [a, c, m, &shift].into_iter().all(|e| self.is_integer(e))
            && self.proves(&Cond::ge(m, &Expr::one()));
        if !fits {
            return None;
        }
        let (a, c, one) = (a.neg(), c.neg(), Expr::one());
        let step = m.div(&self.simplify(&Expr::gcd(&a, m)))?;
        let last = shift.add(n).sub(&one).div(&step)?.floor();
        let whole = last.sub(&shift.div(&step)?.ceil()).add(&one);
        let rising = Expr::floor_sum(n, &a, &c, m);
        Some(whole.sub(&rising).sub(n))
    }

    /// ⌊a(v + q)/m⌋ for a small number q: the sum without q, but for a few values at both ends. So the
    /// blocks of rows that follow each other telescope.
    fn unshifted_floor_sum(&self, n: &Expr, a: &Expr, c: &Expr, m: &Expr) -> Option<Expr> {
        const MOST_SHIFT: i64 = 8;
        let shift = c.div(a)?.as_integer()?.to_i64()?;
        if shift == 0 || shift.abs() > MOST_SHIFT {
            return None;
        }
        let at = |v: &Expr| Some(a.mul(v).div(m)?.floor());
        let mut sum = Expr::floor_sum(n, a, &Expr::zero(), m);
        for v in 0..shift {
            sum = sum
                .add(&at(&n.add(&Expr::int(v)))?)
                .sub(&at(&Expr::int(v))?);
        }
        for v in shift..0 {
            sum = sum
                .add(&at(&Expr::int(v))?)
                .sub(&at(&n.add(&Expr::int(v)))?);
        }
        Some(self.simplify(&sum))
    }

    /// b^e·… with a base known to be a power: y^(log_y x·…) is x^….
    fn simplify_power(&self, base: &Expr, exponent: &Expr) -> Option<Expr> {
        let whole = self.is_non_negative(&base.clone()) && !exponent.has_whole_shape();
        // sqrt(x^2) = x for x ≥ 0
        let (monomial, coefficient) = base.as_term()?;
        if !whole || !coefficient.is_one() || monomial.factors().len() != 1 {
            return None;
        }
        let (atom, power) = monomial.factors().first()?;
        let inner = Expr::atom(atom.clone());
        (*power > 1 && self.is_non_negative(&inner))
            .then(|| inner.pow(&exponent.scale(&(*power).into())))
    }

    /// log_c x = log_y x · log_c y where x is known to be a power of y ≥ 2, so that logarithms of x
    /// to different bases meet.
    fn change_base(&self, base: &Expr, x: &Expr) -> Option<Expr> {
        let powers = &self.known().powers;
        let (_, root, source) = powers
            .iter()
            .find(|(power, root, _)| power == x && root != base && root != x)?;
        // With y a power of x as well the two rules would chase each other.
        let is_mutual = powers.iter().any(|(px, py, _)| px == root && py == x);
        if is_mutual || !self.proves(&Cond::ge(root, &Expr::int(2))) {
            return None;
        }
        self.mark_used(&[*source]);
        Some(Expr::log(root, x).mul(&Expr::log(base, root)))
    }

    /// Tries an unsolved sum under these facts, once.
    fn simplify_sum(&self, sum: &Arc<Sum>) -> Option<Expr> {
        if let Some(known) = self.remembered_sum(sum) {
            return known;
        }
        let inside = self.within_sum()?;
        // While it is being solved, the sum stands for itself.
        self.remember_sum(sum, None);
        let solved = inside.solve_sum(sum);
        self.remember_sum(sum, solved.clone());
        solved
    }

    fn solve_sum(&self, sum: &Arc<Sum>) -> Option<Expr> {
        let (variable, body) = self.open(sum);
        let range = Range {
            variable,
            low: self.simplify(&sum.low),
            high: self.simplify(&sum.high),
        };
        let body = self.with(&range.inside()).simplify(&body);
        let solved = self.sum(&range.variable, &range.low, &range.high, &body);
        (solved.as_atom() != Some(&Atom::Sum(sum.clone()))).then_some(solved)
    }

    /// Tries to do without the inverses: the quotient may come out exact once everything is over
    /// one denominator.
    fn cancel_denominators(&self, expr: &Expr) -> Expr {
        let inverses = expr
            .atoms()
            .into_iter()
            .filter(|atom| matches!(atom, Atom::Inverse(_)))
            .count();
        if inverses == 0 {
            return expr.clone();
        }
        match self.cleared(expr) {
            Some(cleared) if cleared.is_zero() => Expr::zero(),
            _ => expr.clone(),
        }
    }
}

/// min(x − 1, y − 1) is min(x, y) − 1, unless one of them is but a number.
fn common_constant(items: &[Expr], which: Extreme) -> Option<Expr> {
    let constant = Expr::rational(items.first()?.constant_term());
    let is_common =
        |item: &Expr| item.as_rational().is_none() && item.sub(&constant).constant_term().is_zero();
    if constant.is_zero() || !items.iter().all(is_common) {
        return None;
    }
    let rest = items.iter().map(|item| item.sub(&constant)).collect();
    Some(Expr::extreme(rest, which).add(&constant))
}

fn half() -> crate::number::Rational {
    crate::number::Rational::new(1, 2).unwrap_or(crate::number::Rational::ONE)
}
