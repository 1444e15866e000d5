//! From a number up to the next one at which several divisibilities hold: from 1001 to 1008 for
//! `7 | n` and `2 | n`. Each condition that repeats is met in turn, and then kept by stepping with
//! the least common multiple of the periods so far.

use num_integer::Integer;
use num_traits::ToPrimitive;

use crate::number::Rational;
use crate::sym::expr::types::Atom;
use crate::sym::solve::{LARGEST, word};
use crate::sym::{Cond, Expr, Symbol};

/// Steps within one period.
const MOST_STEPS: i64 = 300;
/// Steps with which the conditions that do not repeat are met.
const LAST_STEPS: usize = 8;
/// Numbers at which an expression is compared with itself a period later.
const SAMPLES: [i64; 3] = [3, 10, 1002];
/// A longer period is none.
const LONGEST_PERIOD: i64 = 1 << 40;

/// The conditions on one symbol, those that repeat first.
pub(super) struct Sieve {
    /// Each with its index among all conditions and its period.
    periodic: Vec<(usize, i64, Option<Congruence>)>,
    /// True if some condition holds at single numbers only.
    is_discrete: bool,
}

/// d | a·x + c, which must hold where a condition does.
struct Congruence {
    divisor: i64,
    slope: i64,
    offset: i64,
}

impl Sieve {
    /// Of the conditions on a symbol in which no other symbol is left.
    pub(super) fn new<'c>(symbol: &Symbol, conditions: impl Iterator<Item = &'c Cond>) -> Sieve {
        let mut sieve = Sieve {
            periodic: Vec::new(),
            is_discrete: false,
        };
        for (at, cond) in conditions.enumerate() {
            match period(cond, symbol) {
                Some(period) => {
                    let congruence = Congruence::of(cond, symbol);
                    sieve.periodic.push((at, period, congruence));
                }
                None => sieve.is_discrete |= is_discrete(cond, symbol),
            }
        }
        sieve.periodic.sort_by_key(|(_, period, _)| *period);
        sieve
    }

    /// The next number, from one on, at which all of so many conditions hold; else the last one
    /// that was tried.
    pub(super) fn from(
        &self,
        start: i64,
        conditions: usize,
        holds: &dyn Fn(usize, i64) -> bool,
    ) -> Result<i64, i64> {
        let Some((at, step)) = self.repeating_from(start, holds) else {
            return Err(start);
        };
        let mut last = at;
        let mut numbers = numbers(at, step).take(LAST_STEPS);
        let is_met = |number: &i64| (0..conditions).all(|of| holds(of, *number));
        let met = numbers.find(|number| {
            last = *number;
            is_met(number)
        });
        met.ok_or(last)
    }

    /// The next number at which all conditions that repeat hold, and after how much they do again.
    fn repeating_from(&self, start: i64, holds: &dyn Fn(usize, i64) -> bool) -> Option<(i64, i64)> {
        if self.is_discrete || self.periodic.is_empty() {
            return None;
        }
        let (mut at, mut step) = (start, 1_i64);
        for (own, period, congruence) in &self.periodic {
            let (first, by) = match congruence {
                Some(congruence) => (congruence.next(at, step)?, lcm(step, congruence.divisor)?),
                None => (at, step),
            };
            let steps = (period / period.gcd(&by) + 1).min(MOST_STEPS);
            let mut numbers = numbers(first, by).take(steps as usize);
            at = numbers.find(|number| holds(*own, *number))?;
            step = lcm(step, *period)?;
        }
        Some((at, step))
    }
}

/// `from`, `from + step`, … up to the largest that is tried.
fn numbers(from: i64, step: i64) -> impl Iterator<Item = i64> {
    let numbers = std::iter::successors(Some(from), move |number| number.checked_add(step));
    numbers.take_while(|number| *number <= LARGEST)
}

impl Congruence {
    fn of(cond: &Cond, symbol: &Symbol) -> Option<Congruence> {
        match cond {
            Cond::Divides(d, e) => Congruence::within(e, symbol, word(&d.as_rational()?)?),
            // n − 1000⌊n/1000⌋ = 77 asks for 1000 | n − 77.
            Cond::Zero(e) => {
                let (mut rest, mut divisor) = (e.clone(), 0);
                for atom in e.atoms() {
                    let (Atom::Floor(_), [others, factor]) = (&atom, rest.beside(&atom)?) else {
                        continue;
                    };
                    divisor = word(&factor.as_rational()?)?.gcd(&divisor);
                    rest = others;
                }
                Congruence::within(&rest, symbol, divisor)
            }
            Cond::True
            | Cond::False
            | Cond::NonNegative(_)
            | Cond::PowerOf(..)
            | Cond::Not(_)
            | Cond::And(_)
            | Cond::Or(_) => None,
        }
    }

    fn within(e: &Expr, symbol: &Symbol, divisor: i64) -> Option<Congruence> {
        let [offset, slope] = e.linear_in(symbol)?;
        let whole = |e: &Expr| word(&e.as_rational()?);
        Some(Congruence {
            divisor: Some(divisor.abs()).filter(|divisor| *divisor > 1)?,
            slope: whole(&slope)?,
            offset: whole(&offset)?,
        })
    }

    /// The next number of `from`, `from + step`, … at which it holds.
    fn next(&self, from: i64, step: i64) -> Option<i64> {
        // 7 | n − 5 from 8 in steps of 4: 4t ≡ 5 − 8 (mod 7), so t = 1 and n = 12.
        let divisor = i128::from(self.divisor);
        let modulo = |number: i128| number.rem_euclid(divisor);
        let [from, step, slope] = [from, step, self.slope].map(i128::from);
        let each = modulo(modulo(slope) * modulo(step));
        let wanted = modulo(-(modulo(slope) * modulo(from)) - i128::from(self.offset));
        let found = each.extended_gcd(&divisor);
        if wanted % found.gcd != 0 {
            return None;
        }
        let modulus = divisor / found.gcd;
        let times = modulo(found.x) % modulus * (wanted / found.gcd) % modulus;
        (from + step * times)
            .to_i64()
            .filter(|there| *there <= LARGEST)
    }
}

fn lcm(one: i64, other: i64) -> Option<i64> {
    one.checked_mul(other / one.gcd(&other))
        .filter(|all| *all <= LARGEST)
}

/// Returns true if a condition holds at single numbers only, which no step meets.
fn is_discrete(cond: &Cond, symbol: &Symbol) -> bool {
    match cond {
        Cond::Zero(e) => e.linear_in(symbol).is_some(),
        Cond::PowerOf(..) => true,
        Cond::And(parts) => parts.iter().any(|part| is_discrete(part, symbol)),
        Cond::Or(parts) => parts.iter().all(|part| is_discrete(part, symbol)),
        Cond::True | Cond::False | Cond::NonNegative(_) | Cond::Divides(..) | Cond::Not(_) => false,
    }
}

/// After how much of a symbol a condition repeats, as far as can be seen.
fn period(cond: &Cond, symbol: &Symbol) -> Option<i64> {
    let mut period = 1;
    add_periods(cond, symbol, &mut period)?;
    (period > 1 && repeats(cond, symbol, period)).then_some(period)
}

fn add_periods(cond: &Cond, symbol: &Symbol, period: &mut i64) -> Option<()> {
    match cond {
        Cond::Not(inner) => add_periods(inner, symbol, period)?,
        Cond::And(parts) | Cond::Or(parts) => {
            for part in parts {
                add_periods(part, symbol, period)?;
            }
        }
        Cond::Divides(d, e) => {
            include(period, &d.as_rational()?)?;
            include_denominator(period, e, symbol)?;
            add_periods_of(e, symbol, period)?;
        }
        Cond::True | Cond::False | Cond::NonNegative(_) | Cond::Zero(_) | Cond::PowerOf(..) => {
            let mut is_known = Some(());
            cond.for_each_expr(&mut |e| {
                is_known = is_known.and_then(|()| add_periods_of(e, symbol, period));
            });
            is_known?;
        }
    }
    Some(())
}

fn add_periods_of(e: &Expr, symbol: &Symbol, period: &mut i64) -> Option<()> {
    for atom in e.atoms() {
        if !atom.contains(symbol) {
            continue;
        }
        match &atom {
            Atom::Floor(x) => include_denominator(period, x, symbol)?,
            Atom::Gcd(x, y) => {
                let number = x.as_rational().or_else(|| y.as_rational())?;
                include(period, &number)?;
            }
            Atom::Bracket(cond) => add_periods(cond, symbol, period)?,
            Atom::Symbol(_)
            | Atom::Power(..)
            | Atom::Log(..)
            | Atom::Min(_)
            | Atom::Max(_)
            | Atom::DigitSum(..)
            | Atom::FloorSum(_)
            | Atom::Inverse(_)
            | Atom::Sum(_) => {}
        }
        if !atom.is_bracket() {
            let mut is_known = Some(());
            atom.for_each_child(&mut |child| {
                is_known = is_known.and_then(|()| add_periods_of(child, symbol, period));
            });
            is_known?;
        }
    }
    Some(())
}

fn include_denominator(period: &mut i64, e: &Expr, symbol: &Symbol) -> Option<()> {
    if let Some([_, slope]) = e.linear_in(symbol)
        && let Some(slope) = slope.as_rational()
    {
        include(period, &slope.denominator().into())?;
    }
    Some(())
}

fn include(period: &mut i64, number: &Rational) -> Option<()> {
    let number = word(number)?.abs();
    if number > 1 {
        *period = lcm(*period, number)?;
    }
    (*period <= LONGEST_PERIOD).then_some(())
}

/// Whether all that a condition compares has the same value a period later, at some numbers.
fn repeats(cond: &Cond, symbol: &Symbol, period: i64) -> bool {
    if let Cond::Divides(_, e) = cond
        && e.linear_in(symbol).is_some()
    {
        return true;
    }
    let mut repeats = true;
    cond.for_each_expr(&mut |e| {
        repeats = repeats
            && SAMPLES.into_iter().all(|at| {
                let value = |at: i64| e.evaluate(&|_| Some(at.into())).ok();
                let now = value(at);
                now.is_some() && now == value(at + period)
            });
    });
    repeats
}
