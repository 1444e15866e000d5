//! Expressions at many points at once: one pass over a column of values per operation, instead of
//! one walk over the expression per point.
//!
//! Only if every value within is a word, or a sum of words over one denominator. Otherwise the
//! column has no values, and the caller evaluates point by point. So all values that it has are
//! the same.

use std::cmp::Ordering;

use num_integer::Integer;

use crate::sym::evaluate::compiled::fraction::{Fraction, floor, whole};
use crate::sym::evaluate::compiled::quick::floor_of_log;
use crate::sym::evaluate::compiled::{Check, Form, Forms, Kind, Scratch, Slot, Sum, Test};

/// Powers beyond this are no words, except of 0, 1 and −1.
const MOST_TIMES: i32 = 64;

/// A value for each point.
type Words = Vec<i64>;

/// The values of the symbols at a number of points, and the values evaluated there.
pub(crate) struct Columns<'f> {
    forms: &'f Forms,
    points: usize,
    slots: Vec<Option<Words>>,
    /// The atoms evaluated so far; the inner `None` marks an atom without values at all points.
    atoms: Vec<Option<Option<Words>>>,
    scratch: Scratch,
}

/// Quotients with denominators > 0, not necessarily in lowest terms.
pub(crate) struct Quotients {
    numerators: Vec<i128>,
    denominator: i128,
    /// A further divisor of each, if any.
    divisors: Option<Words>,
}

impl Quotients {
    /// Returns numerators and denominators.
    pub(crate) fn each(&self) -> impl Iterator<Item = (i128, i128)> {
        let numerators = self.numerators.iter().enumerate();
        numerators.map(|(at, numerator)| (*numerator, self.denominator * self.divisor(at)))
    }

    fn divisor(&self, at: usize) -> i128 {
        let divisors = self.divisors.as_ref();
        divisors.map_or(1, |each| each[at].into())
    }

    /// Divides each by the other's, as numerators and denominators, not necessarily in lowest
    /// terms. `None` where they do not fit 128 bits.
    pub(crate) fn each_over(
        &self,
        other: &Quotients,
    ) -> impl Iterator<Item = Option<(i128, i128)>> {
        let common = self.denominator.gcd(&other.denominator);
        // The common part d of both denominators cancels: (x/du) / (y/dv) is xv/(yu). Without
        // this the products would overflow sooner.
        let (up, down) = (other.denominator / common, self.denominator / common);
        let pairs = self.numerators.iter().zip(&other.numerators).enumerate();
        pairs.map(move |(at, (numerator, denominator))| {
            let up = up.checked_mul(other.divisor(at))?;
            let down = down.checked_mul(self.divisor(at))?;
            Some((numerator.checked_mul(up)?, denominator.checked_mul(down)?))
        })
    }

    /// Returns the words; `None` if a quotient is not whole or no word.
    fn to_words(&self) -> Option<Words> {
        match (self.denominator, &self.divisors) {
            (1, None) => words(self.numerators.iter().copied().map(Some)),
            _ => words(
                self.each()
                    .map(|(numerator, denominator)| whole(numerator, denominator)),
            ),
        }
    }

    fn floors(&self) -> Option<Words> {
        if self.divisors.is_none() && self.denominator.count_ones() == 1 {
            // A power of two as denominator: shifting rounds towards −∞, as the floor does. −5 >>
            // 1 = −3.
            let shift = self.denominator.trailing_zeros();
            return words(
                self.numerators
                    .iter()
                    .map(|numerator| Some(numerator >> shift)),
            );
        }
        let each = self.each();
        words(each.map(|(numerator, denominator)| Some(floor(numerator, denominator))))
    }
}

impl<'f> Columns<'f> {
    /// Starts with this many points without values.
    pub(crate) fn new(forms: &'f Forms, points: usize) -> Self {
        Columns {
            forms,
            points,
            slots: vec![None; forms.slots.len()],
            atoms: vec![None; forms.atoms.len()],
            scratch: forms.scratch(),
        }
    }

    /// Gives a symbol its value at every point.
    pub(crate) fn bind(&mut self, slot: Slot, values: Words) {
        debug_assert_eq!(values.len(), self.points);
        self.slots[slot.0] = Some(values);
    }

    /// Returns the values of an expression; `None` with unsolved sums, whose limit of terms is
    /// counted per value.
    pub(crate) fn quotients(&mut self, form: Form) -> Option<Quotients> {
        (self.forms.kept == 0).then(|| self.sum(form.0))?
    }

    /// Returns a flag for each point, true if the condition holds there.
    pub(crate) fn holds(&mut self, check: Check) -> Option<Vec<bool>> {
        (self.forms.kept == 0).then(|| self.test(check.0))?
    }

    fn sum(&mut self, at: usize) -> Option<Quotients> {
        // n/b + 1 over the divisor b is (n + b)/b: every term is multiplied by the common
        // divisors, and the column keeps them once. The divisor must be > 0 at every point, or
        // signs and floors would turn round.
        let forms = self.forms;
        let sum = &forms.sums[at];
        let denominator = sum.denominator?;
        let divided = divisors(sum);
        let mut numerators = vec![0_i128; self.points];
        for term in &sum.terms {
            let coefficient = i64::try_from(term.coefficient).ok()?;
            let fits = match (term.brackets.as_slice(), term.factors.as_slice()) {
                ([], [(atom, 1)]) if divided.is_empty() => {
                    add_multiple(&mut numerators, coefficient, self.atom(*atom)?)
                }
                (brackets, factors) => {
                    let factors = with_divisors(factors, &divided)?;
                    let product = self.product(brackets, &factors)?;
                    add_multiple(&mut numerators, coefficient, &product)
                }
            };
            if !fits {
                return None;
            }
        }
        let divisors = match divided.as_slice() {
            [] => None,
            divided => Some(self.product(&[], divided)?),
        };
        let is_known = |divisors: &Words| {
            i64::try_from(denominator).is_ok() && divisors.iter().all(|divisor| *divisor > 0)
        };
        divisors.as_ref().is_none_or(is_known).then_some(Quotients {
            numerators,
            denominator,
            divisors,
        })
    }

    fn product(&mut self, brackets: &[usize], factors: &[(usize, i32)]) -> Option<Words> {
        let mut product = vec![1; self.points];
        let mut overflows = false;
        let mut multiply = |factor: &[i64]| {
            for (value, factor) in product.iter_mut().zip(factor) {
                let (next, is_over) = i64::overflowing_mul(*value, *factor);
                *value = next;
                overflows |= is_over;
            }
        };
        for bracket in brackets {
            multiply(&ones(self.test(*bracket)?));
        }
        for (atom, times) in factors {
            let factor = self.atom(*atom)?;
            if *times > MOST_TIMES {
                return None;
            }
            (0..*times).for_each(|_| multiply(factor));
        }
        (!overflows).then_some(product)
    }

    fn atom(&mut self, at: usize) -> Option<&[i64]> {
        let forms = self.forms;
        if let Kind::Symbol(slot) = forms.atoms[at].kind {
            return self.slots[slot].as_deref();
        }
        if self.atoms[at].is_none() {
            self.atoms[at] = Some(match &forms.atoms[at].kind {
                Kind::Floor(x) => self.sum(*x).and_then(|x| x.floors()),
                Kind::Extreme(items, wanted) => self.extreme(items, *wanted),
                Kind::Bracket(test) => self.test(*test).map(ones),
                _ => self.one_by_one(at),
            });
        }
        self.atoms[at].as_ref()?.as_deref()
    }

    fn words(&mut self, sum: usize) -> Option<Words> {
        self.sum(sum)?.to_words()
    }

    fn extreme(&mut self, items: &[usize], wanted: Ordering) -> Option<Words> {
        let mut items = items.iter();
        let mut best = self.words(*items.next()?)?;
        for item in items {
            for (best, value) in best.iter_mut().zip(self.words(*item)?) {
                if value.cmp(best) == wanted {
                    *best = value;
                }
            }
        }
        Some(best)
    }

    /// Returns the values of an atom, with one walk over it per point.
    fn one_by_one(&mut self, at: usize) -> Option<Words> {
        let scratch = &mut self.scratch;
        let point = |point: usize| {
            scratch.next_point();
            for (slot, values) in self.slots.iter().enumerate() {
                let value = values.as_ref().map(|values| values[point].into());
                scratch.bind_quickly(slot, value.map(Fraction::whole));
            }
            self.forms.quick_atom(at, scratch)?.to_word()
        };
        (0..self.points).map(point).collect()
    }

    fn test(&mut self, at: usize) -> Option<Vec<bool>> {
        let forms = self.forms;
        Some(match &forms.tests[at] {
            Test::Constant(truth) => vec![*truth; self.points],
            Test::NonNegative(e) => {
                let values = self.sum(*e)?.numerators.into_iter();
                values.map(|value| value >= 0).collect()
            }
            Test::Zero(e) => {
                let values = self.sum(*e)?.numerators.into_iter();
                values.map(|value| value == 0).collect()
            }
            Test::Divides(d, e) => {
                let (d, e) = (self.words(*d)?, self.words(*e)?);
                let divides = |(d, e): (&i64, &i64)| match d {
                    0 => *e == 0,
                    d => e.wrapping_rem(*d) == 0,
                };
                d.iter().zip(&e).map(divides).collect()
            }
            Test::PowerOf(x, y) => {
                let (x, y) = (self.words(*x)?, self.words(*y)?);
                let is_power = |(x, y): (&i64, &i64)| {
                    let log = || floor_of_log((*y).into(), (*x).into());
                    Some(*x == 1 || (*x > 1 && *y > 1 && log()?.1))
                };
                x.iter().zip(&y).map(is_power).collect::<Option<_>>()?
            }
            Test::Not(inner) => self.test(*inner)?.into_iter().map(|it| !it).collect(),
            Test::And(parts) => self.joined(parts, true, |x, y| x & y)?,
            Test::Or(parts) => self.joined(parts, false, |x, y| x | y)?,
        })
    }

    fn joined(
        &mut self,
        parts: &[usize],
        of_none: bool,
        join: fn(bool, bool) -> bool,
    ) -> Option<Vec<bool>> {
        let mut all = vec![of_none; self.points];
        for part in parts {
            for (all, one) in all.iter_mut().zip(self.test(*part)?) {
                *all = join(*all, one);
            }
        }
        Some(all)
    }
}

/// Returns the common divisors of a sum: each atom to the highest power in any term's
/// denominator.
fn divisors(sum: &Sum) -> Vec<(usize, i32)> {
    let mut found: Vec<(usize, i32)> = Vec::new();
    let factors = sum.terms.iter().flat_map(|term| &term.factors);
    for (atom, exponent) in factors.filter(|(_, exponent)| *exponent < 0) {
        let times = exponent.saturating_neg();
        match found.iter_mut().find(|(other, _)| other == atom) {
            Some((_, most)) => *most = times.max(*most),
            None => found.push((*atom, times)),
        }
    }
    found
}

/// Returns the factors of a term over the common divisors.
fn with_divisors(factors: &[(usize, i32)], divided: &[(usize, i32)]) -> Option<Vec<(usize, i32)>> {
    let mut factors = factors.to_vec();
    for (atom, times) in divided {
        match factors.iter_mut().find(|(other, _)| other == atom) {
            Some((_, exponent)) => *exponent = exponent.checked_add(*times)?,
            None => factors.push((*atom, *times)),
        }
    }
    Some(factors)
}

/// Adds a multiple of each value; false if a total overflows.
fn add_multiple(totals: &mut [i128], coefficient: i64, values: &[i64]) -> bool {
    // The flag is collected instead of leaving the loop at once, so the loop has no branches and
    // runs on several values at a time. The caller drops the column if it is set.
    let mut overflows = false;
    for (total, value) in totals.iter_mut().zip(values) {
        let (next, is_over) = total.overflowing_add(i128::from(coefficient) * i128::from(*value));
        *total = next;
        overflows |= is_over;
    }
    !overflows
}

/// Returns 1 where a condition holds, otherwise 0.
fn ones(holds: Vec<bool>) -> Words {
    holds.into_iter().map(i64::from).collect()
}

fn words(values: impl Iterator<Item = Option<i128>>) -> Option<Words> {
    values.map(|value| i64::try_from(value?).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::Rational;
    use crate::sym::{Cond, Expr, Symbol, SymbolKind};

    const POINTS: [[i64; 2]; 7] = [
        [-6, 2],
        [0, 3],
        [1, 1],
        [7, 2],
        [32, 2],
        [1000, 32],
        [81, 3],
    ];

    /// An expression at some points, with letters n and b: together, and each by itself.
    fn together(
        expr: &Expr,
        points: &[[i64; 2]],
    ) -> (Option<Vec<Rational>>, Vec<Option<Rational>>) {
        let [n, b] = letters();
        let mut forms = Forms::new(&[]);
        let form = forms.add(expr);
        let slots = [n, b].map(|symbol| forms.slot(&symbol));
        let mut columns = Columns::new(&forms, points.len());
        for (at, slot) in slots.into_iter().enumerate() {
            columns.bind(slot, points.iter().map(|point| point[at]).collect());
        }
        let found = columns.quotients(form).map(|found| {
            let value = |(numerator, denominator): (i128, i128)| {
                Rational::new(numerator, denominator).expect("not 0")
            };
            found.each().map(value).collect()
        });
        let alone = points.iter().map(|point| {
            expr.evaluate(&|symbol| Some(point[symbol.id.number as usize].into()))
                .ok()
        });
        (found, alone.collect())
    }

    fn sum_to(high: &Expr) -> Expr {
        let v = Symbol::of(SymbolKind::Bound, 0, "v");
        Expr::unsolved_sum(&v, &Expr::one(), high, &Expr::symbol(&v).floor())
    }

    fn letters() -> [Symbol; 2] {
        [Symbol::new(0, "n"), Symbol::new(1, "b")]
    }

    #[test]
    fn columns_have_the_values_of_their_points() {
        let [n, b] = letters().map(|symbol| Expr::symbol(&symbol));
        let one = Expr::one();
        let half = n.div(&Expr::int(2)).expect("not 0");
        let third = n.div(&Expr::int(3)).expect("not 0");
        let over_b = n.div(&b).expect("not 0");
        for expr in [
            half.clone(),
            n.mul(&n).mul(&b).sub(&third).add(&one),
            half.floor().mul(&Expr::int(3)),
            third.neg().floor().neg(),
            Expr::min(vec![n.clone(), b.clone(), Expr::int(5)]),
            Expr::max(vec![n.clone(), b.mul(&b)]),
            Expr::gcd(&n, &b),
            Expr::bracket(Cond::divides(&b, &n)).mul(&n),
            Expr::bracket(Cond::power_of(&n, &b)).mul(&b),
            Expr::bracket(Cond::eq(&n, &Expr::int(7))),
            Expr::bracket(Cond::and(vec![
                Cond::gt(&n, &b),
                Cond::ge(&b, &Expr::int(3)),
            ])),
            Expr::bracket(Cond::or(vec![
                Cond::gt(&n, &b),
                Cond::ge(&b, &Expr::int(3)),
            ])),
            Expr::bracket(Cond::divides(&b, &n).negate()),
            Expr::bracket(Cond::power_of(&n, &b).negate()).add(&n),
            Expr::int(2).pow(&b),
            over_b.add(&one).div(&b).expect("not 0").sub(&n),
            over_b.floor().mul(&over_b),
            over_b.neg().floor().neg().add(&b),
            Expr::bracket(Cond::ge(&over_b, &third)),
            Expr::floor_sum(&b, &n, &one, &Expr::int(7)),
        ] {
            let (found, alone) = together(&expr, &POINTS);
            let found = found.expect("all of it is words");
            let found: Vec<Option<Rational>> = found.into_iter().map(Some).collect();
            assert_eq!(found, alone, "{expr}");
        }
        let log = Expr::log(&b, &n);
        let digits = Expr::digit_sum(&n, &b);
        for expr in [log.floor(), n.sub(&log).floor(), digits, log.clone()] {
            let points = [[7, 2], [32, 2], [1000, 32], [81, 3]];
            let points = if expr == log { &points[1..2] } else { &points };
            let (found, alone) = together(&expr, points);
            let found = found.expect("all of it is words").into_iter().map(Some);
            assert_eq!(found.collect::<Vec<_>>(), alone, "{expr}");
        }
    }

    #[test]
    fn what_does_not_fit_has_no_column() {
        let [n, b] = letters().map(|symbol| Expr::symbol(&symbol));
        let most = [[1, 1], [i64::MAX, -2]];
        let over_b = n.div(&b).expect("not 0");
        for expr in [
            n.mul(&n),
            b.pow(&n),
            n.add(&Expr::one()).floor().mul(&n),
            over_b,
            sum_to(&n),
        ] {
            assert_eq!(together(&expr, &most).0, None, "{expr}");
        }
        // A sum of words may be longer than one.
        let (found, alone) = together(&n.scale(&3.into()), &most);
        let found = found.expect("words").into_iter().map(Some);
        assert_eq!(found.collect::<Vec<_>>(), alone);
    }
}
