//! Rounds and totals of one program (language.md §4.3), over any kind of number.

use std::convert::Infallible;

use indexmap::IndexMap;

use crate::count::{OfRound, Quantity};
use crate::number::BigInt;

/// Words and transactions in one direction of transfer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Traffic<N> {
    /// I or O: words.
    pub words: N,
    /// Î or Ô: transfer statements executed.
    pub transactions: N,
}

/// Blocks of one global array touched in one round, over all MPs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ArrayBlocks<N> {
    /// By reads.
    pub read: N,
    /// By writes.
    pub write: N,
}

/// One round, or several equal consecutive rounds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Round<N> {
    /// k: MPs launched; 0 in a round without a kernel.
    pub launched_mps: N,
    /// t: operations of the MP with the most.
    pub time: N,
    /// q: blocks, over all MPs.
    pub io: N,
    /// I and Î.
    pub inward: Traffic<N>,
    /// O and Ô.
    pub outward: Traffic<N>,
    /// m: words of the shared variables its kernel names.
    pub shared_words: N,
    /// g: words of the global variables live in it.
    pub global_words: N,
    /// Σ (degree − 1) over shared operands executed, over all MPs.
    pub bank_conflicts: N,
    /// q split by global array, in declaration order. Arrays that the round does not access are absent.
    pub arrays: IndexMap<String, ArrayBlocks<N>>,
}

/// Walks two run-length lists of rounds in parallel. Yields each stretch that lies in one run of both
/// lists, with the number of its first round (from 1). Stops at the end of the shorter list.
pub(crate) fn side_by_side<'r, L, R>(
    left: &'r [(u64, L)],
    right: &'r [(u64, R)],
) -> impl Iterator<Item = (u64, &'r L, &'r R)> {
    // Example: runs (3, A) (2, B) beside (2, X) (3, Y) give (1, A, X), (3, A, Y), (4, B, Y).
    let mut left = left.iter().map(|(times, round)| (*times, round));
    let mut right = right.iter().map(|(times, round)| (*times, round));
    let (mut here, mut there) = (left.next(), right.next());
    let mut number = 1;
    std::iter::from_fn(move || {
        let ((many, one), (more, other)) = (here?, there?);
        let first = number;
        let together = many.min(more);
        number += together;
        here = match many - together {
            0 => left.next(),
            rest => Some((rest, one)),
        };
        there = match more - together {
            0 => right.next(),
            rest => Some((rest, other)),
        };
        Some((first, one, other))
    })
}

/// Totals over all rounds (language.md §4.5).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Totals<N> {
    /// R.
    pub rounds: N,
    /// max tᵢ.
    pub time: N,
    /// Σ tᵢ.
    pub total_time: N,
    /// Σ qᵢ.
    pub io: N,
    /// Σ Iᵢ.
    pub inward: N,
    /// Σ Oᵢ.
    pub outward: N,
    /// Σ Iᵢ + Oᵢ.
    pub transfer: N,
    /// Σ Îᵢ + Ôᵢ.
    pub transactions: N,
    /// max mᵢ.
    pub shared: N,
    /// max gᵢ.
    pub global: N,
    /// Σ conflicts.
    pub bank_conflicts: N,
}

/// All counts of one program, over any type of number.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counts<N> {
    /// Runs of equal consecutive rounds, each with its length.
    pub rounds: Vec<(u64, Round<N>)>,
    /// Over all rounds.
    pub totals: Totals<N>,
}

impl<N> Round<N> {
    /// Converts the round to another number type. `change` is told the quantity of each number.
    ///
    /// # Errors
    /// The first error of `change`.
    pub(crate) fn try_map<M, E>(
        &self,
        mut change: impl FnMut(OfRound<'_>, &N) -> Result<M, E>,
    ) -> Result<Round<M>, E> {
        Ok(Round {
            launched_mps: change(OfRound::LaunchedMps, &self.launched_mps)?,
            time: change(OfRound::Time, &self.time)?,
            io: change(OfRound::Io, &self.io)?,
            inward: Traffic {
                words: change(OfRound::InwardWords, &self.inward.words)?,
                transactions: change(OfRound::InwardTransactions, &self.inward.transactions)?,
            },
            outward: Traffic {
                words: change(OfRound::OutwardWords, &self.outward.words)?,
                transactions: change(OfRound::OutwardTransactions, &self.outward.transactions)?,
            },
            shared_words: change(OfRound::SharedWords, &self.shared_words)?,
            global_words: change(OfRound::GlobalWords, &self.global_words)?,
            bank_conflicts: change(OfRound::BankConflicts, &self.bank_conflicts)?,
            arrays: self
                .arrays
                .iter()
                .map(|(name, blocks)| {
                    let blocks = ArrayBlocks {
                        read: change(OfRound::Read(name), &blocks.read)?,
                        write: change(OfRound::Written(name), &blocks.write)?,
                    };
                    Ok((name.clone(), blocks))
                })
                .collect::<Result<_, E>>()?,
        })
    }

    /// Converts the round to another number type by a change that cannot fail.
    pub(crate) fn map<M>(&self, mut change: impl FnMut(OfRound<'_>, &N) -> M) -> Round<M> {
        let Ok(round) = self.try_map(|of, number| Ok::<_, Infallible>(change(of, number)));
        round
    }

    /// Iterates over the round's numbers with their quantities, arrays last.
    pub(crate) fn all(&self) -> impl Iterator<Item = (OfRound<'_>, &N)> {
        let arrays = self.arrays.iter().flat_map(|(name, blocks)| {
            [
                (OfRound::Read(name), &blocks.read),
                (OfRound::Written(name), &blocks.write),
            ]
        });
        let plain = [
            (OfRound::LaunchedMps, &self.launched_mps),
            (OfRound::Time, &self.time),
            (OfRound::Io, &self.io),
            (OfRound::InwardWords, &self.inward.words),
            (OfRound::InwardTransactions, &self.inward.transactions),
            (OfRound::OutwardWords, &self.outward.words),
            (OfRound::OutwardTransactions, &self.outward.transactions),
            (OfRound::SharedWords, &self.shared_words),
            (OfRound::GlobalWords, &self.global_words),
            (OfRound::BankConflicts, &self.bank_conflicts),
        ];
        plain.into_iter().chain(arrays)
    }

    /// Returns one of the round's numbers; `None` for an array that it does not access.
    pub(crate) fn get(&self, of: OfRound<'_>) -> Option<&N> {
        let mut all = self.all();
        all.find_map(|(each, number)| (each == of).then_some(number))
    }
}

impl<N> Totals<N> {
    /// Converts the totals to another number type. `change` is told the quantity of each total.
    ///
    /// # Errors
    /// The first error of `change`.
    pub(crate) fn try_map<M, E>(
        &self,
        mut change: impl FnMut(Quantity, &N) -> Result<M, E>,
    ) -> Result<Totals<M>, E> {
        Ok(Totals {
            rounds: change(Quantity::Rounds, &self.rounds)?,
            time: change(Quantity::Time, &self.time)?,
            total_time: change(Quantity::TotalTime, &self.total_time)?,
            io: change(Quantity::Io, &self.io)?,
            inward: change(Quantity::Inward, &self.inward)?,
            outward: change(Quantity::Outward, &self.outward)?,
            transfer: change(Quantity::Transfer, &self.transfer)?,
            transactions: change(Quantity::Transactions, &self.transactions)?,
            shared: change(Quantity::Shared, &self.shared)?,
            global: change(Quantity::Global, &self.global)?,
            bank_conflicts: change(Quantity::BankConflicts, &self.bank_conflicts)?,
        })
    }

    /// Converts the totals to another number type by a change that cannot fail.
    pub(crate) fn map<M>(&self, mut change: impl FnMut(Quantity, &N) -> M) -> Totals<M> {
        let Ok(totals) = self.try_map(|which, number| Ok::<_, Infallible>(change(which, number)));
        totals
    }

    /// The totals with their names, in the order of the JSON.
    ///
    /// ```
    /// use atgpu::count::Totals;
    ///
    /// let totals = Totals { rounds: 1, time: 13, io: 96, ..Totals::default() };
    /// assert_eq!(totals.named()[1], ("time", &13));
    /// assert_eq!(totals.named()[3], ("io", &96));
    /// ```
    pub fn named(&self) -> [(&'static str, &N); 11] {
        self.all().map(|(quantity, total)| (quantity.name(), total))
    }

    /// The totals with their quantities, in the order of the JSON.
    pub fn all(&self) -> [(Quantity, &N); 11] {
        [
            (Quantity::Rounds, &self.rounds),
            (Quantity::Time, &self.time),
            (Quantity::TotalTime, &self.total_time),
            (Quantity::Io, &self.io),
            (Quantity::Inward, &self.inward),
            (Quantity::Outward, &self.outward),
            (Quantity::Transfer, &self.transfer),
            (Quantity::Transactions, &self.transactions),
            (Quantity::Shared, &self.shared),
            (Quantity::Global, &self.global),
            (Quantity::BankConflicts, &self.bank_conflicts),
        ]
    }
}

impl Counts<BigInt> {
    /// Sums the blocks of every global array over all rounds, in declaration order.
    ///
    /// ```
    /// let program = atgpu::examples::vector_addition();
    /// let card = atgpu::machine::Machine::built_in("gtx650").expect("built in");
    /// let costs = program.cost(&card, [("n", 1024)])?;
    /// let blocks = costs.counts().blocks_by_array();
    /// assert_eq!((&blocks["a"].read, &blocks["c"].write), (&32.into(), &32.into()));
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn blocks_by_array(&self) -> IndexMap<&str, ArrayBlocks<BigInt>> {
        let mut sums: IndexMap<&str, ArrayBlocks<BigInt>> = IndexMap::new();
        for (repeated, round) in &self.rounds {
            for (name, blocks) in &round.arrays {
                let sum = sums.entry(name).or_default();
                sum.read += &blocks.read * *repeated;
                sum.write += &blocks.write * *repeated;
            }
        }
        sums
    }
}
