//! Bounded counts as plain ones, for who takes upper bounds; and what two bounds say together.

use std::convert::Infallible;

use crate::count::{ArrayBlocks, Counts, Round, Traffic};
use crate::number::BigInt;

/// A whole number that lies between two others, both included.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bounded {
    /// Never more than the truth.
    pub lower: BigInt,
    /// Never less than the truth.
    pub upper: BigInt,
}

impl Bounded {
    /// A number that is known.
    pub(crate) fn exactly(value: impl Into<BigInt>) -> Bounded {
        let value = value.into();
        Bounded {
            lower: value.clone(),
            upper: value,
        }
    }

    /// Whether both ends agree.
    ///
    /// ```
    /// use atgpu::count::Bounded;
    ///
    /// let between = Bounded { lower: 3.into(), upper: 5.into() };
    /// assert!(!between.is_exact());
    /// ```
    pub fn is_exact(&self) -> bool {
        self.lower == self.upper
    }

    pub(crate) fn add(&mut self, other: &Bounded) {
        self.lower += &other.lower;
        self.upper += &other.upper;
    }

    pub(crate) fn raise(&mut self, other: &Bounded) {
        if other.lower > self.lower {
            self.lower = other.lower.clone();
        }
        if other.upper > self.upper {
            self.upper = other.upper.clone();
        }
    }
}

impl Counts<Bounded> {
    /// Whether every number is known, not only bounds on it.
    ///
    /// ```
    /// # use atgpu::{interval::{CountOptions, count}, machine::Machine};
    /// # use std::ops::ControlFlow;
    /// # let program = atgpu::examples::vector_addition();
    /// # let card = Machine::built_in("gtx650").expect("built in");
    /// let point = program.at(&card, [("n", 64)])?;
    /// let counted = count(&program, &point, &CountOptions::default(), &|_| ControlFlow::Continue(()))
    ///     .expect("countable");
    /// assert!(counted.counts.is_exact());
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn is_exact(&self) -> bool {
        let totals = self.totals.named();
        totals.iter().all(|(_, total)| total.is_exact())
            && self.rounds.iter().all(|(_, round)| {
                round.time.is_exact() && round.io.is_exact() && round.bank_conflicts.is_exact()
            })
    }

    /// The upper ends of the counts; rounds that became equal are joined.
    ///
    /// ```
    /// # use atgpu::{interval::{CountOptions, count}, machine::Machine};
    /// # use std::ops::ControlFlow;
    /// # let program = atgpu::examples::vector_addition();
    /// # let card = Machine::built_in("gtx650").expect("built in");
    /// let point = program.at(&card, [("n", 64)])?;
    /// let counted = count(&program, &point, &CountOptions::default(), &|_| ControlFlow::Continue(()))
    ///     .expect("countable");
    /// assert_eq!(counted.counts.upper().totals.io, 6.into());
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn upper(&self) -> Counts<BigInt> {
        self.ends(|bounded| &bounded.upper)
    }

    /// The lower ends of the counts, likewise; a round that may not happen still stands there.
    ///
    /// ```
    /// # use atgpu::{interval::{CountOptions, count}, machine::Machine};
    /// # use std::ops::ControlFlow;
    /// # let program = atgpu::examples::vector_addition();
    /// # let card = Machine::built_in("gtx650").expect("built in");
    /// let point = program.at(&card, [("n", 64)])?;
    /// let counted = count(&program, &point, &CountOptions::default(), &|_| ControlFlow::Continue(()))
    ///     .expect("countable");
    /// assert_eq!(counted.counts.lower(), counted.counts.upper());
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn lower(&self) -> Counts<BigInt> {
        self.ends(|bounded| &bounded.lower)
    }

    fn ends(&self, pick: fn(&Bounded) -> &BigInt) -> Counts<BigInt> {
        let end = |bounded: &Bounded| Ok::<_, Infallible>(pick(bounded).clone());
        let mut rounds: Vec<(u64, Round<BigInt>)> = Vec::new();
        for (repeated, round) in &self.rounds {
            let Ok(round) = round.try_map(|_, bounded| end(bounded));
            match rounds.last_mut() {
                // Where a word does not hold the sum, the same round stands in a second entry.
                Some((before, last)) if *last == round && *before <= u64::MAX - repeated => {
                    *before += repeated;
                }
                _ => rounds.push((*repeated, round)),
            }
        }
        let Ok(totals) = self.totals.try_map(|_, bounded| end(bounded));
        Counts { rounds, totals }
    }
}

impl Bounded {
    /// What lies in both bounds.
    fn within(&self, other: &Bounded) -> Bounded {
        Bounded {
            lower: self.lower.clone().max(other.lower.clone()),
            upper: self.upper.clone().min(other.upper.clone()),
        }
    }
}

impl Counts<Bounded> {
    /// The same counts, bounded in another way too.
    pub(crate) fn within(&self, other: &Counts<Bounded>) -> Counts<Bounded> {
        let others = other.totals.all();
        let Ok(totals) = self.totals.try_map(|quantity, bounded| {
            let same = others.iter().find(|(key, _)| *key == quantity);
            Ok::<_, Infallible>(match same {
                Some((_, more)) => bounded.within(more),
                None => bounded.clone(),
            })
        });
        let number = |counts: &Counts<Bounded>| -> u128 {
            let times = counts.rounds.iter().map(|(times, _)| u128::from(*times));
            times.sum()
        };
        let rounds = match number(self) == number(other) {
            true => round_by_round(&self.rounds, &other.rounds),
            false => self.rounds.clone(),
        };
        Counts { rounds, totals }
    }
}

/// Equally many rounds, written out as far as both lists repeat them.
fn round_by_round(
    mine: &[(u64, Round<Bounded>)],
    others: &[(u64, Round<Bounded>)],
) -> Vec<(u64, Round<Bounded>)> {
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
                other.map_or(round.clone(), |other| round.within(other)),
            ));
        }
    }
    rounds
}

impl Round<Bounded> {
    fn within(&self, other: &Round<Bounded>) -> Round<Bounded> {
        let traffic = |mine: &Traffic<Bounded>, more: &Traffic<Bounded>| Traffic {
            words: mine.words.within(&more.words),
            transactions: mine.transactions.within(&more.transactions),
        };
        let arrays = self.arrays.iter().map(|(name, mine)| {
            let blocks = match other.arrays.get(name) {
                Some(more) => ArrayBlocks {
                    read: mine.read.within(&more.read),
                    write: mine.write.within(&more.write),
                },
                None => mine.clone(),
            };
            (name.clone(), blocks)
        });
        Round {
            launched_mps: self.launched_mps.within(&other.launched_mps),
            time: self.time.within(&other.time),
            io: self.io.within(&other.io),
            inward: traffic(&self.inward, &other.inward),
            outward: traffic(&self.outward, &other.outward),
            shared_words: self.shared_words.within(&other.shared_words),
            global_words: self.global_words.within(&other.global_words),
            bank_conflicts: self.bank_conflicts.within(&other.bank_conflicts),
            arrays: arrays.collect(),
        }
    }
}
