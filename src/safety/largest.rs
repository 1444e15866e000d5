//! The largest value of a formal that the `require`s admit and for which a machine has room.
//!
//! `n ≤ X` says two things: X is admitted and fits, and so does every smaller n that is admitted. So the words
//! needed must grow with n, or none is told: n + 2^28·[3 ∣ n] words do not. X is looked for from where the room
//! ends downwards, below what the `require`s say of n at most, in steps that none of them refuses: with
//! `n is a power of 3` from one power to the next. What takes too many steps has no largest value.

use std::ops::ControlFlow;

use num_traits::Signed;

use crate::count::Parameters;
use crate::derivation::letters::symbol_of;
use crate::machine::Machine;
use crate::meaning::{Allowance, Point, admissible_within, widths};
use crate::number::{BigInt, Rational};
use crate::program::{ParamId, Program};
use crate::sym::{Cond, Expr, Facts, Symbol};
use crate::symbolic;

/// Sizes beyond this are not looked for: 2^62.
const MOST_BITS: usize = 62;
/// Below this each size is looked at; n² − 3n + 10 grows from 2 on.
const FIRST: i64 = 64;
/// Sizes that are tried one after the other from above.
const MOST_STEPS: usize = 4096;
/// Sizes for which values of the other formals are looked for, and the work for each.
const MOST_TRIES: usize = 16;
const VALUES_OF_QUANTIFIERS: u64 = 100_000;

/// A formal, and what it must keep to.
pub(super) struct Search<'p> {
    program: &'p Program,
    given: &'p Parameters,
    machine: [i64; 4],
    name: &'p str,
    symbol: Symbol,
    /// Words needed, and how many there are; the formal is the only symbol.
    needs: Vec<(Expr, BigInt)>,
    /// What the `require`s say of the formal alone, and the `let`s, whole numbers all.
    asked: Vec<Cond>,
    lets: Vec<Expr>,
    /// That the formal is a whole number, not a small one.
    facts: Facts,
}

impl<'p> Search<'p> {
    pub(super) fn new(
        program: &'p Program,
        given: &'p Parameters,
        machine: &Machine,
        formal: ParamId,
        needs: &[(Expr, BigInt)],
    ) -> Search<'p> {
        let [p, b, m, g] = machine.atgpu.numbers();
        let width = widths(program, given, &[b]).first().copied().unwrap_or(b);
        let ids = program.machine;
        let numbers = [(ids.p, p), (ids.b, width), (ids.m, m), (ids.g, g)];
        let symbol = symbol_of(program, formal);
        let mut facts = Facts::new();
        facts.integer(&symbol);
        facts.suppose(&Cond::ge(&Expr::symbol(&symbol), &Expr::int(FIRST)));
        let in_numbers = |cond: &Cond| {
            numbers.iter().fold(cond.clone(), |cond, (id, value)| {
                cond.substitute(&symbol_of(program, *id), &Expr::int(*value))
            })
        };
        let (asked, lets) = symbolic::header::asked(program, given);
        let asked = asked.iter().map(in_numbers);
        let is_own = |cond: &Cond| cond.symbols().iter().eq([&symbol]);
        Search {
            program,
            given,
            machine: numbers.map(|(_, number)| number),
            name: &program.parameter(formal).name,
            needs: needs.to_vec(),
            asked: asked.filter(is_own).collect(),
            lets,
            facts,
            symbol,
        }
    }

    /// The largest value, where there is one.
    pub(super) fn largest(&self) -> Option<BigInt> {
        // With `require n mod 2 = 1 ∧ n ≤ 3000`, n words and room for 2^28: the room ends at 2^28; n ≤ 3000 is a bound from
        // above, so the search begins at 3000; that is even, and 2999 is admitted.
        let last = self.last_that_fits()?;
        let last = self
            .asked
            .iter()
            .fold(last, |last, cond| self.most(cond, last));
        let mut tries = MOST_TRIES;
        let found = self.downwards(last).into_iter().try_for_each(|value| {
            if !self.seems_admitted(&value) {
                return ControlFlow::Continue(());
            }
            if self.is_admitted(&value) {
                return ControlFlow::Break(Some(value));
            }
            tries -= 1;
            if tries == 0 {
                ControlFlow::Break(None)
            } else {
                ControlFlow::Continue(())
            }
        });
        found.break_value().flatten()
    }

    /// The last value for which there is room, whatever the `require`s admit; none where smaller ones may have no
    /// room, or all have.
    fn last_that_fits(&self) -> Option<BigInt> {
        let small = (0..=FIRST).map(BigInt::from);
        let small: Vec<(BigInt, bool)> = small
            .filter_map(|value| Some((value.clone(), self.fits(&value)?)))
            .collect();
        let first_not = small.iter().position(|(_, fits)| !fits);
        if !self.needs.iter().all(|(need, _)| self.grows(need)) {
            return None;
        }
        // Some small size does not fit. It is the end only if no larger one of these fits, and above them words grow.
        if let Some(at) = first_not {
            let is_last = small[at..].iter().all(|(_, fits)| !fits);
            return Some(small[..at].last()?.0.clone()).filter(|_| is_last);
        }
        let most = BigInt::from(1) << MOST_BITS;
        let mut ends = [BigInt::from(FIRST), BigInt::from(FIRST)];
        while self.fits(&ends[1])? {
            ends = [ends[1].clone(), &ends[1] * 2];
            if ends[1] > most {
                return None;
            }
        }
        bisected(ends, &|value| self.fits(value))
    }

    fn fits(&self, value: &BigInt) -> Option<bool> {
        let mut fits = true;
        for (need, limit) in &self.needs {
            fits = fits && self.at(need, value)?.floor() <= *limit;
        }
        Some(fits)
    }

    fn at(&self, value: &Expr, at: &BigInt) -> Option<Rational> {
        value.evaluate(&|_| Some(Rational::from(at))).ok()
    }

    /// Whether a value is no less at the next larger size.
    fn grows(&self, value: &Expr) -> bool {
        let next = Expr::symbol(&self.symbol) + 1;
        let next = value.substitute(&self.symbol, &next);
        let is_no_less = |next: &Expr, value: &Expr| self.facts.proves(&Cond::ge(next, value));
        // As they stand for ⌈n/b⌉ beside ⌈(n + 1)/b⌉; simplified for [n ≥ 2], which is 1 from 64 on.
        let simple = |value: &Expr| self.facts.simplify(value);
        is_no_less(&next, value) || is_no_less(&simple(&next), &simple(value))
    }

    /// The largest value up to one that a condition may admit: what is above it, it refuses.
    fn most(&self, cond: &Cond, last: BigInt) -> BigInt {
        let up_to = |growing: &Expr| {
            // Beyond the first size that is refused all are, because what is compared with 0 grows.
            let is_kept = |value: &BigInt| Some(self.at(growing, value)? <= Rational::from(0));
            let first = BigInt::from(FIRST);
            if last <= first || is_kept(&first) == Some(false) {
                return (&last).min(&first).clone();
            }
            let mut ends = [first.clone(), first];
            while is_kept(&ends[1]) == Some(true) {
                if ends[1] == last {
                    return last.clone();
                }
                let next: BigInt = &ends[1] * 2;
                ends = [ends[1].clone(), next.min(last.clone())];
            }
            bisected(ends, &is_kept).unwrap_or_else(|| last.clone())
        };
        match cond {
            // At most 0 is what grows: −e, and e itself.
            Cond::NonNegative(e) if self.grows(&e.neg()) => up_to(&e.neg()),
            Cond::Zero(e) if self.grows(&e.neg()) => up_to(&e.neg()),
            Cond::Zero(e) if self.grows(e) => up_to(e),
            Cond::And(parts) => parts.iter().fold(last, |last, part| self.most(part, last)),
            Cond::Or(parts) => {
                let each = parts.iter().map(|part| self.most(part, last.clone()));
                each.max().unwrap_or(last)
            }
            Cond::Not(inner) => match &**inner {
                // e < 0 is e ≤ −1/c, of whole e/c; a little more does no harm.
                Cond::NonNegative(e) if self.grows(e) => up_to(e),
                _ => last,
            },
            _ => last,
        }
    }

    /// Values from one down, at most so many, without those that the header surely refuses: of `n is a power of 3`
    /// and of `let k = log3 n` only powers, of `let k = sqrt(n)` only squares, of `b ∣ n` only multiples.
    fn downwards(&self, last: BigInt) -> Vec<BigInt> {
        if let Some(values) = self.powers(&last) {
            return values;
        }
        let own = Expr::symbol(&self.symbol);
        let mut step = BigInt::from(1);
        for cond in &self.asked {
            if let Cond::Divides(divisor, x) = cond
                && *x == own
                && let Some(divisor) = divisor.as_integer().filter(BigInt::is_positive)
            {
                step = num_integer::lcm(step, divisor);
            }
        }
        let first = &last - &last % &step;
        let down = std::iter::successors(Some(first), |value| Some(value - &step));
        let down = down.take_while(|value| !value.is_negative());
        down.take(MOST_STEPS).collect()
    }

    /// The powers of a base, or the squares or cubes, up to a value, where the header admits no others.
    fn powers(&self, last: &BigInt) -> Option<Vec<BigInt>> {
        let own = Expr::symbol(&self.symbol);
        let of_base = self.asked.iter().find_map(|cond| match cond {
            Cond::PowerOf(x, base) if *x == own => base.as_integer(),
            _ => None,
        });
        let by_let = |base: i64| self.lets.contains(&Expr::log(&Expr::int(base), &own));
        let of_base = of_base.or_else(|| (2..=10).find(|base| by_let(*base)).map(BigInt::from));
        if let Some(base) = of_base.filter(|base| *base > BigInt::from(1)) {
            let next = |power: &BigInt| Some(power * &base);
            let powers = std::iter::successors(Some(BigInt::from(1)), next);
            let mut powers: Vec<BigInt> = powers.take_while(|power| power <= last).collect();
            powers.reverse();
            return Some(powers);
        }
        // The next square below 2^28 is 2^15 away, further than the steps reach one by one.
        let is_root = |degree: &i64| {
            let part = Rational::new(1, *degree);
            part.is_some_and(|part| self.lets.contains(&own.pow(&Expr::rational(part))))
        };
        let degree = [2, 3].into_iter().find(is_root)?;
        let first = last.nth_root(degree as u32);
        let down = std::iter::successors(Some(first), |root| Some(root - 1));
        let down = down.take_while(|root| !root.is_negative()).take(MOST_STEPS);
        Some(down.map(|root| root.pow(degree as u32)).collect())
    }

    /// Whether nothing that the `require`s say of the formal alone refuses a value.
    fn seems_admitted(&self, value: &BigInt) -> bool {
        let at = |_: &Symbol| Some(Rational::from(value));
        self.asked
            .iter()
            .all(|cond| cond.evaluate(&at) != Ok(false))
    }

    /// Whether the `require`s admit a value, with some values of the other formals.
    fn is_admitted(&self, value: &BigInt) -> bool {
        let mut given = self.given.clone();
        given.set(self.name, Rational::from(value));
        let mut formals = self.program.formals.iter();
        if formals.all(|id| given.get(&self.program.parameter(*id).name).is_some()) {
            return Point::tried(self.program, self.machine, &given).is_some();
        }
        let allowance = Allowance::of(VALUES_OF_QUANTIFIERS);
        !admissible_within(self.program, self.machine, &given, 1, &allowance)
            .points
            .is_empty()
    }
}

/// The last value that has what the first has and the last has not, by halving; none where one is not known.
fn bisected(
    [mut low, mut high]: [BigInt; 2],
    holds: &dyn Fn(&BigInt) -> Option<bool>,
) -> Option<BigInt> {
    while &high - &low > BigInt::from(1) {
        let middle: BigInt = (&low + &high) >> 1;
        if holds(&middle)? {
            low = middle
        } else {
            high = middle
        }
    }
    Some(low)
}
