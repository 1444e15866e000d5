//! Numbers known to lie between two bounds, over any type of end. Also counts made of such intervals, and
//! the plain counts at either end.

use std::fmt;

use crate::count::{Counts, Round};
use crate::number::BigInt;

/// A number between two bounds, both included. The ends may differ in type. An end may be an `Option`:
/// `None` is an unknown bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Interval<L = BigInt, U = L> {
    /// A lower bound.
    pub lower: L,
    /// An upper bound.
    pub upper: U,
}

/// A number that an interval may have as an end.
pub trait Number: Clone + PartialEq {
    /// Returns true if the number is 0.
    fn is_zero(&self) -> bool;
    /// The sum.
    fn plus(&self, other: &Self) -> Self;
    /// The product.
    fn times(&self, factor: &Self) -> Self;
    /// The minimum.
    fn least(&self, other: &Self) -> Self;
    /// The maximum.
    fn most(&self, other: &Self) -> Self;
}

/// An end of an interval: a number, or a number that may be unknown.
pub trait End: Clone {
    /// The number.
    type Number: Number;
    /// A known end.
    fn of(number: Self::Number) -> Self;
    /// The number, if known.
    fn number(&self) -> Option<&Self::Number>;
    /// Combines two ends; the result is known if both are.
    fn with(
        &self,
        other: &Self,
        join: impl Fn(&Self::Number, &Self::Number) -> Self::Number,
    ) -> Self;
    /// Combines two ends; if only one is known, returns that one.
    fn or_with(&self, other: &Self, join: fn(&Self::Number, &Self::Number) -> Self::Number)
    -> Self;
    /// Applies `change` to the number, if known.
    fn changed(&self, change: impl Fn(&Self::Number) -> Self::Number) -> Self;
}

impl<N: Number> End for N {
    type Number = N;

    fn of(number: N) -> N {
        number
    }

    fn number(&self) -> Option<&N> {
        Some(self)
    }

    fn with(&self, other: &N, join: impl Fn(&N, &N) -> N) -> N {
        join(self, other)
    }

    fn or_with(&self, other: &N, join: fn(&N, &N) -> N) -> N {
        join(self, other)
    }

    fn changed(&self, change: impl Fn(&N) -> N) -> N {
        change(self)
    }
}

impl<N: Number> End for Option<N> {
    type Number = N;

    fn of(number: N) -> Self {
        Some(number)
    }

    fn number(&self) -> Option<&N> {
        self.as_ref()
    }

    fn with(&self, other: &Self, join: impl Fn(&N, &N) -> N) -> Self {
        Some(join(self.as_ref()?, other.as_ref()?))
    }

    fn or_with(&self, other: &Self, join: fn(&N, &N) -> N) -> Self {
        match (self, other) {
            (Some(one), Some(other)) => Some(join(one, other)),
            (one, other) => one.as_ref().or(other.as_ref()).cloned(),
        }
    }

    fn changed(&self, change: impl Fn(&N) -> N) -> Self {
        self.as_ref().map(change)
    }
}

impl Number for BigInt {
    fn is_zero(&self) -> bool {
        num_traits::Zero::is_zero(self)
    }

    fn plus(&self, other: &Self) -> Self {
        self + other
    }

    fn times(&self, factor: &Self) -> Self {
        self * factor
    }

    fn least(&self, other: &Self) -> Self {
        self.min(other).clone()
    }

    fn most(&self, other: &Self) -> Self {
        self.max(other).clone()
    }
}

/// Counts of one MP. Sums and products saturate at `u64::MAX`.
impl Number for u64 {
    fn is_zero(&self) -> bool {
        *self == 0
    }

    fn plus(&self, other: &Self) -> Self {
        self.saturating_add(*other)
    }

    fn times(&self, factor: &Self) -> Self {
        self.saturating_mul(*factor)
    }

    fn least(&self, other: &Self) -> Self {
        *self.min(other)
    }

    fn most(&self, other: &Self) -> Self {
        *self.max(other)
    }
}

impl<L: End, U: End<Number = L::Number>> Interval<L, U> {
    /// The interval of a known number: both ends are the number.
    ///
    /// ```
    /// use atgpu::{count::Interval, derivation::Derived, sym::Expr};
    ///
    /// let three: Interval = Interval::exact(3.into());
    /// assert_eq!(three.lower, three.upper);
    /// assert!(Derived::exact(Expr::int(3)).is_exact());
    /// ```
    pub fn exact(number: L::Number) -> Self {
        Interval {
            lower: L::of(number.clone()),
            upper: U::of(number),
        }
    }

    /// The interval from `lower` to `upper`.
    pub(crate) fn between(lower: L::Number, upper: L::Number) -> Self {
        Interval {
            lower: L::of(lower),
            upper: U::of(upper),
        }
    }

    /// Returns true if both ends are known and equal.
    pub fn is_exact(&self) -> bool {
        let upper = self.upper.number();
        upper.is_some() && upper == self.lower.number()
    }

    /// Returns true if the number is known to be 0.
    pub(crate) fn is_zero(&self) -> bool {
        self.is_exact() && self.lower.number().is_some_and(Number::is_zero)
    }

    /// The sum.
    pub(crate) fn plus(&self, other: &Self) -> Self {
        self.with(other, Number::plus)
    }

    /// The product of two non-negative numbers. 0 times anything, even an unknown number, is 0.
    pub(crate) fn times(&self, factor: &Self) -> Self {
        // Without this case 0 × (unknown) would be unknown: `with` needs both upper ends.
        if self.is_zero() || factor.is_zero() {
            let zero = if self.is_zero() { self } else { factor };
            return zero.clone();
        }
        self.with(factor, Number::times)
    }

    /// The intersection: both intervals bound the same number, so the tighter end on each side holds.
    pub(crate) fn meet(&self, other: &Self) -> Self {
        Interval {
            lower: self.lower.or_with(&other.lower, Number::most),
            upper: self.upper.or_with(&other.upper, Number::least),
        }
    }

    /// The smallest interval that contains both.
    pub(crate) fn hull(&self, other: &Self) -> Self {
        Interval {
            lower: self.lower.with(&other.lower, Number::least),
            upper: self.upper.with(&other.upper, Number::most),
        }
    }

    /// Combines the lower ends and the upper ends by `join`, which must be increasing in both arguments.
    pub(crate) fn with(
        &self,
        other: &Self,
        join: impl Fn(&L::Number, &L::Number) -> L::Number,
    ) -> Self {
        Interval {
            lower: self.lower.with(&other.lower, &join),
            upper: self.upper.with(&other.upper, &join),
        }
    }

    /// Applies an increasing function to both ends, once if they are equal.
    pub(crate) fn map(&self, change: impl Fn(&L::Number) -> L::Number) -> Self {
        match self.upper.number() {
            Some(number) if self.is_exact() => Interval::exact(change(number)),
            Some(_) | None => Interval {
                lower: self.lower.changed(&change),
                upper: self.upper.changed(&change),
            },
        }
    }

    /// The known ends, lower first.
    pub(crate) fn ends(&self) -> impl Iterator<Item = &L::Number> {
        self.lower.number().into_iter().chain(self.upper.number())
    }
}

impl From<Interval<u64>> for Interval {
    fn from(few: Interval<u64>) -> Self {
        Interval {
            lower: few.lower.into(),
            upper: few.upper.into(),
        }
    }
}

impl<N: Number> Interval<N> {
    /// The interval times a non-negative factor.
    pub(crate) fn scale(&self, factor: &N) -> Self {
        self.map(|end| end.times(factor))
    }

    /// Adds another interval to this one.
    pub(crate) fn add(&mut self, other: &Self) {
        *self = self.plus(other);
    }

    /// Raises this interval to the maximum of both numbers.
    pub(crate) fn raise(&mut self, other: &Self) {
        *self = self.with(other, Number::most);
    }

    /// Returns true if `number` lies in the interval.
    pub(crate) fn contains(&self, number: &N) -> bool
    where
        N: Ord,
    {
        (&self.lower..=&self.upper).contains(&number)
    }
}

impl Counts<Interval> {
    /// Returns true if every number is exact.
    pub fn is_exact(&self) -> bool {
        let totals = self.totals.all();
        totals.iter().all(|(_, total)| total.is_exact())
            && self.rounds.iter().all(|(_, round)| {
                round.time.is_exact() && round.io.is_exact() && round.bank_conflicts.is_exact()
            })
    }

    /// The counts at their upper ends. Neighbouring rounds that become equal are merged.
    pub fn upper(&self) -> Counts<BigInt> {
        self.ends(|bounded| &bounded.upper)
    }

    /// The counts at their lower ends, merged likewise. A round that may not happen is still listed.
    pub fn lower(&self) -> Counts<BigInt> {
        self.ends(|bounded| &bounded.lower)
    }

    fn ends(&self, pick: fn(&Interval) -> &BigInt) -> Counts<BigInt> {
        let mut rounds: Vec<(u64, Round<BigInt>)> = Vec::new();
        for (repeated, round) in &self.rounds {
            let round = round.map(|_, bounded| pick(bounded).clone());
            match rounds.last_mut() {
                // Where a word does not hold the sum, the same round stands in a second entry.
                Some((before, last)) if *last == round && *before <= u64::MAX - repeated => {
                    *before += repeated;
                }
                _ => rounds.push((*repeated, round)),
            }
        }
        let totals = self.totals.map(|_, bounded| pick(bounded).clone());
        Counts { rounds, totals }
    }
}

impl Counts<Interval> {
    /// The intersection with bounds on the same counts from another analysis.
    pub(crate) fn meet(&self, other: &Counts<Interval>) -> Counts<Interval> {
        let others = other.totals.all();
        let totals = self.totals.map(|quantity, bounded| {
            let same = others.iter().find(|(key, _)| *key == quantity);
            same.map_or_else(|| bounded.clone(), |(_, more)| bounded.meet(more))
        });
        let number = |counts: &Counts<Interval>| -> u128 {
            let times = counts.rounds.iter().map(|(times, _)| u128::from(*times));
            times.sum()
        };
        // Where data decide the number of rounds, two lists may hold different rounds at the same place:
        // one lists the rounds of a kernel consecutively, another interleaves a transfer in each iteration.
        let are_the_same = self.totals.rounds.is_exact()
            && self.totals.rounds == other.totals.rounds
            && number(self) == number(other);
        let rounds = if are_the_same {
            round_by_round(&self.rounds, &other.rounds)
        } else {
            self.rounds.clone()
        };
        Counts { rounds, totals }
    }
}

/// Intersects two lists with equally many rounds. Runs are split where the two lists split them differently.
fn round_by_round(
    mine: &[(u64, Round<Interval>)],
    others: &[(u64, Round<Interval>)],
) -> Vec<(u64, Round<Interval>)> {
    // Example: 3A 2B against 2X 3Y splits into 2(A∩X) 1(A∩Y) 2(B∩Y).
    let mut rounds = Vec::new();
    let mut others = others.iter();
    let mut other = None;
    let mut left = 0;
    for (times, round) in mine {
        let mut times = *times;
        while times > 0 {
            if left == 0 {
                let Some((more, next)) = others.next() else {
                    rounds.push((times, round.clone()));
                    break;
                };
                (left, other) = (*more, Some(next));
                continue;
            }
            let taken = times.min(left);
            (times, left) = (times - taken, left - taken);
            rounds.push((
                taken,
                other.map_or(round.clone(), |other| round.meet(other)),
            ));
        }
    }
    rounds
}

impl Round<Interval> {
    fn meet(&self, other: &Round<Interval>) -> Round<Interval> {
        self.map(|of, mine| match other.get(of) {
            Some(more) => mine.meet(more),
            None => mine.clone(),
        })
    }
}

/// `96`, or `90 to 96`.
impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_exact() {
            write!(f, "{}", self.lower)
        } else {
            write!(f, "{} to {}", self.lower, self.upper)
        }
    }
}
