//! Rounds in the order in which they happen. Equal consecutive ones share an entry, and transfers join
//! the round beside them.

use num_bigint::BigInt;
use num_traits::Zero;

use crate::count::{Charges, Interval, Round, Traffic};
use crate::derivation::Neighbour;
use crate::number::Rational;

/// Limit on listed entries of rounds. The totals do not depend on the listing.
pub(super) const MOST_ROUNDS: usize = 100_000;

/// The contribution of a kernel line to its round at a point. `None` for a quantity that has no form, or no
/// value there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LineAt {
    /// Its line number, and the line of the `execute` that led there.
    pub(crate) place: (usize, Option<usize>),
    /// In the order of [`DerivedLine::all`](crate::derivation::DerivedLine::all).
    pub(crate) numbers: [Option<Interval>; 4],
}

/// The form in which a round is listed.
pub(super) trait Listed: Clone + PartialEq {
    /// Turns the transfers into an upper bound: they happen between 0 and `times` times.
    fn at_most(&mut self, times: u64);
    /// Adds transfers that belong to the same round.
    fn take_in(&mut self, transfers: &Self);
}

impl Listed for Round<Interval> {
    fn at_most(&mut self, times: u64) {
        change_traffic(self, |number| *number = up_to(number, times));
    }

    fn take_in(&mut self, transfers: &Self) {
        take_in(self, transfers, Interval::plus);
    }
}

impl Listed for Round<Option<Interval>> {
    fn at_most(&mut self, times: u64) {
        change_traffic(self, |number| {
            *number = number.as_ref().map(|number| up_to(number, times));
        });
    }

    fn take_in(&mut self, transfers: &Self) {
        take_in(self, transfers, |one, other| {
            Some(one.as_ref()?.plus(other.as_ref()?))
        });
    }
}

impl Listed for Option<Charges<Rational>> {
    fn at_most(&mut self, _: u64) {}

    /// Transfers have no charges.
    fn take_in(&mut self, _: &Self) {}
}

impl Listed for Vec<LineAt> {
    fn at_most(&mut self, _: u64) {}

    /// Transfers are not kernel lines.
    fn take_in(&mut self, _: &Self) {}
}

/// The interval from 0 to `times` times the number's upper end.
fn up_to(number: &Interval, times: u64) -> Interval {
    Interval {
        lower: BigInt::zero(),
        upper: &number.upper * times,
    }
}

fn change_traffic<N>(round: &mut Round<N>, mut change: impl FnMut(&mut N)) {
    for side in [&mut round.inward, &mut round.outward] {
        change(&mut side.words);
        change(&mut side.transactions);
    }
}

fn take_in<N>(round: &mut Round<N>, transfers: &Round<N>, plus: impl Fn(&N, &N) -> N) {
    let add = |side: &mut Traffic<N>, more: &Traffic<N>| {
        side.words = plus(&side.words, &more.words);
        side.transactions = plus(&side.transactions, &more.transactions);
    };
    add(&mut round.inward, &transfers.inward);
    add(&mut round.outward, &transfers.outward);
}

/// The list of rounds under construction, in the form asked for.
pub(super) struct Listing<T> {
    pub(super) rounds: Vec<(u64, T)>,
    pub(super) listed: BigInt,
    /// True if the number of rounds is known exactly.
    pub(super) knows_how_many: bool,
    /// Transfers that continue in the next round.
    begun: Option<T>,
}

impl<T: Listed> Listing<T> {
    pub(super) fn new(knows_how_many: bool) -> Self {
        Listing {
            knows_how_many,
            rounds: Vec::new(),
            listed: BigInt::zero(),
            begun: None,
        }
    }

    /// Appends a round `times` times. Returns false if the list is full.
    pub(super) fn push(&mut self, round: T, times: u64) -> bool {
        let Some(begun) = self.begun.take() else {
            return self.push_alike(round, times);
        };
        // Pending transfers belong to the first of these rounds only.
        let mut first = round.clone();
        first.take_in(&begun);
        self.push_alike(first, 1) && (times == 1 || self.push_alike(round, times - 1))
    }

    /// Adds transfers to the previous or to the next round. Returns false if the list is full.
    pub(super) fn join(&mut self, mut transfers: T, with: Neighbour) -> bool {
        if let Some(begun) = self.begun.take() {
            transfers.take_in(&begun);
        }
        match (with, self.rounds.pop()) {
            (Neighbour::Next, last) => {
                self.rounds.extend(last);
                self.begun = Some(transfers);
                true
            }
            (Neighbour::Previous, None) => self.push_alike(transfers, 1),
            (Neighbour::Previous, Some((times, last))) => {
                // Only the last repetition takes the transfers in: (3, A) becomes (2, A) and (1, A with
                // them).
                let mut merged = last.clone();
                merged.take_in(&transfers);
                self.listed -= BigInt::from(times);
                (times == 1 || self.push_alike(last, times - 1)) && self.push_alike(merged, 1)
            }
        }
    }

    /// Ends the list. Transfers that no round followed become a round of their own.
    pub(super) fn finish(mut self) -> Self {
        if let Some(begun) = self.begun.take() {
            self.push_alike(begun, 1);
        }
        self
    }

    fn push_alike(&mut self, round: T, times: u64) -> bool {
        let full = self.rounds.len() == MOST_ROUNDS;
        match self.rounds.last_mut() {
            // A run's length is a u64. If extending it would overflow, the same round opens a second run.
            Some((count, last)) if *last == round && *count <= u64::MAX - times => *count += times,
            Some(_) if full => return false,
            Some(_) | None => self.rounds.push((times, round)),
        }
        self.listed += BigInt::from(times);
        true
    }
}
