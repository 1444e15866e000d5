//! The walk over the host loops of a derivation at a point, iteration by iteration.
//!
//! Takes the entries of rounds and values. Gives their [`Listing`], or the reason why a loop or a
//! round has no number.

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::count::Quantity;
use crate::derivation::evaluate::forms::{LoopForms, RoundForms};
use crate::derivation::evaluate::listing::{Listed, Listing};
use crate::derivation::evaluate::values::{NoNumbers, Values};

/// Limit on the iterations of one host loop that are evaluated one by one. Equal rounds share an entry, so
/// time is the limit, not room.
const MOST_ITERATIONS: u64 = 2_000_000;

/// Makes the listed form of a round.
pub(super) type Make<'m, T> = dyn FnMut(&mut Values<'_>, &RoundForms) -> Result<T, NoNumbers> + 'm;

/// Returns the entries that apply to these parameters. The remaining entries of a loop alternate in it,
/// each under its own condition.
pub(super) fn applying<'r>(
    rounds: &'r [RoundForms],
    values: &mut Values<'_>,
) -> Result<Vec<&'r RoundForms>, NoNumbers> {
    let mut applying = Vec::with_capacity(rounds.len());
    for round in rounds {
        let applies = match round.when {
            Some(when) => !values.number(Quantity::Rounds.name(), when)?.is_zero(),
            None => true,
        };
        if applies {
            applying.push(round);
        }
    }
    Ok(applying)
}

/// Lists entries of rounds. Also returns true if the list holds all of them.
pub(super) fn listed<T: Listed>(
    rounds: &[&RoundForms],
    knows_how_many: bool,
    values: &mut Values<'_>,
    make: &mut Make<'_, T>,
) -> Result<(Listing<T>, bool), NoNumbers> {
    let mut walk = Walk {
        listing: Listing::new(knows_how_many),
        values,
        make,
    };
    let is_whole = walk.list(rounds, 0)?;
    Ok((walk.listing.finish(), is_whole))
}

struct Walk<'w, 'v, 'm, T> {
    listing: Listing<T>,
    values: &'w mut Values<'v>,
    make: &'w mut Make<'m, T>,
}

impl<T: Listed> Walk<'_, '_, '_, T> {
    /// Lists the rounds of entries that share their first `depth` loops, iteration by iteration. Returns
    /// false if the list is full.
    fn list(&mut self, rounds: &[&RoundForms], depth: usize) -> Result<bool, NoNumbers> {
        // Entries of one loop are adjacent and alternate within an iteration. Example: entries A and B in a
        // loop 1..2 list as A B A B. So the loop walks once over all of them, and recursion handles the
        // inner loops.
        let mut rest = rounds;
        while let Some(first) = rest.first() {
            let listed;
            (listed, rest) = match first.loops.get(depth) {
                None => (self.list_one(first)?, &rest[1..]),
                Some(repeated) => {
                    let same = |round: &&&RoundForms| {
                        let other = round.loops.get(depth);
                        other.is_some_and(|other| other.symbol.id == repeated.symbol.id)
                    };
                    let (inside, rest) = rest.split_at(rest.iter().take_while(same).count());
                    (self.list_loop(repeated, inside, depth)?, rest)
                }
            };
            if !listed {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Lists an entry within all its loops, as often as a host `while` may repeat it.
    fn list_one(&mut self, round: &RoundForms) -> Result<bool, NoNumbers> {
        let times = match round.at_most {
            Some(at_most) => self.values.number("the host loop", at_most)?,
            None => BigInt::one(),
        };
        if !times.is_positive() {
            // The `while` runs no iteration.
            return Ok(true);
        }
        let times = times.to_u64().unwrap_or(u64::MAX);
        if let Some(joined) = &round.joined
            // If the number of rounds is known, a part that may or may not be a round is none.
            && (self.listing.knows_how_many && !joined.is_exact
                || self.values.number(Quantity::Rounds.name(), joined.alone)?.is_zero())
        {
            let mut transfers = (self.make)(self.values, round)?;
            if round.ends_by_data {
                transfers.at_most(times);
            }
            return Ok(self.listing.join(transfers, joined.with));
        }
        let listed = (self.make)(self.values, round)?;
        Ok(self.listing.push(listed, times))
    }

    /// Lists the entries of one loop, the one at `depth`.
    fn list_loop(
        &mut self,
        repeated: &LoopForms,
        inside: &[&RoundForms],
        depth: usize,
    ) -> Result<bool, NoNumbers> {
        let (from, to) = self.ends_of(repeated)?;
        let alike = |round: &&RoundForms| {
            let own = &round.loops[depth];
            own.from == repeated.from && own.to == repeated.to
        };
        if !inside.iter().all(alike) {
            return self.list_some(inside, depth);
        }
        let iterations = iterations(&from, &to, repeated.down);
        // If nothing depends on the loop variable, one evaluation stands for all iterations. Joined parts
        // need the walk, as they change their neighbours.
        if let [round] = inside
            && !round.loops[depth].is_mentioned
            && round.loops.len() == depth + 1
            && round.at_most.is_none()
            && round.joined.is_none()
            && iterations > 0
        {
            let listed = self.at(repeated, &from, |walk| (walk.make)(walk.values, round))?;
            return Ok(self.listing.push(listed, iterations));
        }
        if iterations > MOST_ITERATIONS {
            return Ok(false);
        }
        let (mut at, step) = (from, if repeated.down { -1 } else { 1 });
        for _ in 0..iterations {
            if !self.at(repeated, &at, |walk| walk.list(inside, depth + 1))? {
                return Ok(false);
            }
            at += step;
        }
        Ok(true)
    }

    /// Lists the rounds of entries that share a loop, some of them without its first or last iteration, as
    /// [`Walk::list`].
    fn list_some(&mut self, rounds: &[&RoundForms], depth: usize) -> Result<bool, NoNumbers> {
        // Example: A in r = 2..3 and B in r = 1..3 list as B A B A B.
        let mut each = Vec::with_capacity(rounds.len());
        for round in rounds {
            let repeated = &round.loops[depth];
            let (from, to) = self.ends_of(repeated)?;
            let (low, high) = if repeated.down {
                (to, from)
            } else {
                (from, to)
            };
            if low <= high {
                each.push((*round, low, high));
            }
        }
        let (Some(low), Some(high)) = (
            each.iter().map(|(_, low, _)| low).min().cloned(),
            each.iter().map(|(_, _, high)| high).max().cloned(),
        ) else {
            return Ok(true);
        };
        let repeated = &rounds[0].loops[depth];
        let iterations = iterations(&low, &high, false);
        if iterations > MOST_ITERATIONS {
            return Ok(false);
        }
        let (mut at, step) = if repeated.down { (high, -1) } else { (low, 1) };
        for _ in 0..iterations {
            let there = each
                .iter()
                .filter(|(_, low, high)| *low <= at && at <= *high);
            let there: Vec<&RoundForms> = there.map(|(round, _, _)| *round).collect();
            if !self.at(repeated, &at, |walk| walk.list(&there, depth + 1))? {
                return Ok(false);
            }
            at += step;
        }
        Ok(true)
    }

    /// Does the work of one iteration, with the loop variable bound to its value.
    fn at<R>(
        &mut self,
        repeated: &LoopForms,
        iteration: &BigInt,
        work: impl FnOnce(&mut Self) -> R,
    ) -> R {
        // A value of the loop variable must not outlive its iteration: forms outside the loop have none
        // without it.
        self.values.scratch.bind(repeated.slot, iteration.into());
        let done = work(self);
        self.values.scratch.unbind(repeated.slot);
        done
    }

    /// Returns the ends of a loop, the first iteration first.
    fn ends_of(&mut self, repeated: &LoopForms) -> Result<(BigInt, BigInt), NoNumbers> {
        let from = self.values.number("the host loop", repeated.from)?;
        let to = self.values.number("the host loop", repeated.to)?;
        Ok((from, to))
    }
}

fn iterations(from: &BigInt, to: &BigInt, down: bool) -> u64 {
    let length = if down { from - to } else { to - from };
    let iterations = (length + BigInt::one()).max(BigInt::zero());
    iterations.to_u64().unwrap_or(u64::MAX)
}
