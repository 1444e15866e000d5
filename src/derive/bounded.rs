//! Bounded counts as plain ones, for who takes upper bounds.

use std::convert::Infallible;

use crate::count::{Counts, Round};
use crate::derive::steps::Bounded;
use crate::number::BigInt;

impl Counts<Bounded> {
    /// Whether every number is known, not only bounds on it.
    ///
    /// ```
    /// # use atgpu::{derive::steps::{CountOptions, count}, machine::Machine};
    /// # use std::ops::ControlFlow;
    /// # macro_rules! include_str { ($file:literal) => {
    /// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
    /// # }}
    /// # let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
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
    /// # use atgpu::{derive::steps::{CountOptions, count}, machine::Machine};
    /// # use std::ops::ControlFlow;
    /// # macro_rules! include_str { ($file:literal) => {
    /// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
    /// # }}
    /// # let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
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
    /// # use atgpu::{derive::steps::{CountOptions, count}, machine::Machine};
    /// # use std::ops::ControlFlow;
    /// # macro_rules! include_str { ($file:literal) => {
    /// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
    /// # }}
    /// # let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
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
        let end = |_, bounded: &Bounded| Ok::<_, Infallible>(pick(bounded).clone());
        let mut rounds: Vec<(u64, Round<BigInt>)> = Vec::new();
        for (repeated, round) in &self.rounds {
            let Ok(round) = round.try_map(end);
            match rounds.last_mut() {
                // Where a word does not hold the sum, the same round stands in a second entry.
                Some((before, last)) if *last == round && *before <= u64::MAX - repeated => {
                    *before += repeated;
                }
                _ => rounds.push((*repeated, round)),
            }
        }
        let Ok(totals) = self.totals.try_map(end);
        Counts { rounds, totals }
    }
}
