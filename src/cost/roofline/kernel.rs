//! The inputs of the bounds from a kernel, and the bounds: the one place of their formulas.

use crate::cost::roofline::COUNT;
use crate::cost::roofline::card::Card;
use crate::count::{Charges, Kind, Round};
use crate::sym::Expr;

/// Index of the L1 among the stations.
const LOOKED_UP: usize = 3;

/// [`Kind::Stream`] counts quarters of a wait.
const QUARTERS: i64 = 4;

/// The inputs of the bounds from a kernel.
pub(super) struct Kernel {
    /// k.
    mps: Expr,
    /// c: instructions of the costliest MP: operations, accesses and address computations.
    cycles: Expr,
    /// a: waits for global memory.
    waits: Expr,
    /// Its global accesses.
    accesses: Expr,
    /// s: its shared operands.
    shared_operands: Expr,
    /// Cycles of the busiest unit. Each kind of operation has its own unit.
    unit_cycles: Expr,
    /// Bank conflicts of all MPs.
    conflicts: Expr,
    /// q: blocks of all MPs, and those of them that are written.
    blocks: Expr,
    written_blocks: Expr,
    /// Transactions of all MPs, by the `[coalescing]` rule.
    transactions: Expr,
    /// Bytes of all transactions.
    bytes: Expr,
    /// Bytes of the live words, counted twice if an array is both read and written.
    live: Expr,
    /// m.
    shared: Expr,
    /// True if these are upper bounds. Then no formula may decrease in any of them.
    is_bound: bool,
}

impl Kernel {
    pub(super) fn of<C, N>(
        charges: &Charges<C>,
        round: &Round<N>,
        charge: &impl Fn(&C) -> Option<Expr>,
        count: &impl Fn(&N) -> Option<Expr>,
        card: &Card,
        is_bound: bool,
    ) -> Option<Kernel> {
        let of_kind = |kind| charge(charges.kinds.get(kind));
        let accesses = of_kind(Kind::Global)?;
        let shared_operands = of_kind(Kind::Shared)?;
        let transactions = charge(&charges.memory_transactions)?;
        let bytes = match &charges.memory_bytes {
            Some(bytes) => charge(bytes)?,
            None => &transactions * &card.transaction_bytes,
        };
        let narrow = card.units.iter().filter(|(_, cycles)| !cycles.is_zero());
        let units = narrow.map(|(kind, cycles)| Some(of_kind(kind)? * cycles));
        let mut units = units.collect::<Option<Vec<_>>>()?;
        if !card.load_store.is_zero() {
            units.push((&shared_operands + &accesses) * &card.load_store);
        }
        let (mut directions, mut written_blocks) = (1, Expr::zero());
        for blocks in round.arrays.values() {
            let (read, written) = (count(&blocks.read)?, count(&blocks.write)?);
            if !read.is_zero() && !written.is_zero() {
                directions = 2;
            }
            written_blocks = &written_blocks + &written;
        }
        let words = count(&round.global_words)?;
        Some(Kernel {
            mps: charge(&charges.launched_mps)?,
            // `compute` is weighted by cycles. Division by the cycles of an addition turns it into
            // instructions.
            cycles: charge(&charges.compute)?.div(&card.addition)?
                + &shared_operands
                + (&accesses * &card.of_access),
            waits: of_kind(Kind::Wait)? + of_kind(Kind::Stream)?.div(&Expr::int(QUARTERS))?,
            accesses,
            shared_operands,
            unit_cycles: if units.is_empty() {
                Expr::zero()
            } else {
                Expr::max(units)
            },
            transactions,
            blocks: count(&round.io)?,
            written_blocks,
            conflicts: charge(&charges.bank_conflicts)?,
            bytes,
            live: &words * &card.word_bytes * Expr::int(directions),
            shared: count(&round.shared_words)?,
            is_bound,
        })
    }

    /// Bytes delivered by memory. With a cache they are at most the live words.
    pub(super) fn moved(&self, card: &Card) -> Expr {
        match &card.cache {
            None => self.bytes.clone(),
            Some(_) => Expr::min(vec![self.bytes.clone(), self.live.clone()]),
        }
    }

    /// Instructions of all cores, with each MP as busy as the costliest.
    pub(super) fn operations(&self, card: &Card) -> Expr {
        &self.mps * &self.cycles * &card.width
    }

    /// The bounds in ms, in the order of [`BOUNDS`](super::BOUNDS).
    pub(super) fn bounds(&self, card: &Card) -> Option<[Expr; COUNT]> {
        let thread_blocks = self.mps.div(&card.thread_block)?.ceil();
        // κ: MPs of the busiest multiprocessor.
        let most = thread_blocks.div(&card.multiprocessors)?.ceil();
        let busiest = Expr::min(vec![self.mps.clone(), &most * &card.thread_block]);
        let of_one = |number: &Expr| number.div(&self.mps);

        // The time of one MP on its multiprocessor. Each instruction is issued once per warp across the MP.
        let work = (&card.across * &self.cycles).div(&(&card.issue * &card.clock))?;
        let units = (&card.across * &self.unit_cycles).div(&card.clock)?;
        let one_a_time = &card.issue_of_a_kind * &card.clock;
        // Conflicts are those of all warps already.
        let operands = &card.across * &self.shared_operands + of_one(&self.conflicts)?;
        let shared = operands.div(&one_a_time)?;
        let l1 = of_one(&self.looked_up(card))?.div(&one_a_time)?;

        let moved = self.moved(card);
        let l2 = match &card.cache {
            None => Expr::zero(),
            // An upper bound has to assume that all bytes are written.
            Some(bandwidth) if self.is_bound => self.bytes.div(bandwidth)?,
            Some(bandwidth) => {
                let written = if self.blocks.is_zero() {
                    Expr::zero()
                } else {
                    (&self.bytes * &self.written_blocks).div(&self.blocks)?
                };
                let read = Expr::min(vec![&self.bytes - &written, self.live.clone()]);
                (&written + &read).div(bandwidth)?
            }
        };
        let dram = moved.div(&card.memory)?;

        // The working multiprocessors share the stations beyond them.
        let working = Expr::min(vec![card.multiprocessors.clone(), thread_blocks.clone()]);
        let for_all = [&l2, &dram].map(|all| of_one(&(all * &working)));
        let on_one = [&work, &units, &shared, &l1].map(|one| Some(one.clone()));
        let stations = on_one.into_iter().chain(for_all);
        let stations = stations.collect::<Option<Vec<_>>>()?;
        let span = self.span(card, &moved, &thread_blocks, &busiest, &stations)?;
        let of_all = |one: &Expr| one * &busiest;
        let [work, units, shared, l1] = [&work, &units, &shared, &l1].map(of_all);
        let starts = (&thread_blocks * &card.start).div(&card.clock)?;
        Some([starts, work, units, span, shared, l1, l2, dram])
    }

    /// The time of the MPs that are resident one after the other on a multiprocessor, each from its first
    /// to its last instruction. `stations` is the time of one MP alone at each station.
    ///
    /// The customers of the stations are the warps of an MP where W is given: v across it, each with the whole
    /// chain of instructions, or W/v behind each other that share the chain. So 8 MPs of a warp as a thread block,
    /// one MP of 8 warps' width, and one MP of a warp's width for 8 in turn take the same time. Where W is not
    /// given, barriers keep the warps across an MP in step: the MP is the customer.
    fn span(
        &self,
        card: &Card,
        moved: &Expr,
        thread_blocks: &Expr,
        busiest: &Expr,
        stations: &[Expr],
    ) -> Option<Expr> {
        // A word from memory has the full latency, any other word the latency of the cache.
        let delivered = match self.bytes.is_zero() {
            true => Expr::zero(),
            false if self.is_bound => Expr::one(),
            false => moved.div(&self.bytes)?,
        };
        let found = Expr::one() - &delivered;
        let each = &card.latency * &delivered + (&card.cached * &found);
        let waiting = &self.waits * &each;
        // The next instruction waits for the result, and for this one to be issued to all in step.
        let apart = Expr::max(vec![card.dependent.clone(), card.in_step.div(&card.issue)?]);
        let operands = &self.shared_operands * &card.shared;
        let chain = &self.cycles * &apart + &waiting + &operands;
        // An access is complete when the last of its blocks has been looked up.
        let looked_up = (&stations[LOOKED_UP] * &card.in_step).div(&card.across)?;
        let looked_up = if self.is_bound {
            looked_up
        } else {
            let first = self.accesses.div(&(&card.issue_of_a_kind * &card.clock))?;
            Expr::max(vec![Expr::zero(), &looked_up - &first])
        };
        let turns = card.warps.div(&card.across)?;
        let chain = (chain.div(&card.clock)? + &looked_up).div(&turns)?;

        let resident = self.resident(card)?;
        let waves = thread_blocks
            .div(&(&card.multiprocessors * &resident))?
            .ceil();
        let most = &resident * &card.thread_block;
        let beside = Expr::min(vec![most, busiest.clone()]) * &card.beside;
        // Balanced job bounds: queueing is least if all stations are equally busy. Then it is
        // served²/chain. The tangent 2·served − chain is below this, and keeps the formula short.
        let served = stations.iter().fold(Expr::zero(), |sum, one| &sum + one);
        let served = served.div(&card.beside)?;
        let tangent = served.scale(&2.into()) - &chain;
        let met = if self.is_bound {
            served.clone()
        } else {
            Expr::max(vec![Expr::zero(), Expr::min(vec![served.clone(), tangent])])
        };
        let others = &beside - 1;
        let met = (&met * &others).div(&Expr::int(stations.len() as i64))?;
        let alone = Expr::max(vec![chain, served]);
        Some(&waves * (&alone + &met))
    }

    /// Lines that all MPs look up in their L1. At most one per warp across the MP and block, and at most
    /// one per transaction.
    fn looked_up(&self, card: &Card) -> Expr {
        let most = &self.blocks * &card.across;
        if card.has_transactions && !card.across.is_one() {
            Expr::min(vec![most, self.transactions.clone()])
        } else {
            most
        }
    }

    /// ℓ: thread blocks resident on a multiprocessor, at least one.
    fn resident(&self, card: &Card) -> Option<Expr> {
        let mut limits = card.most_resident.clone();
        if !self.shared.is_zero() {
            let words = &self.shared * &card.thread_block;
            limits.push(card.shared_words.div(&words)?.floor());
        }
        Some(Expr::max(vec![Expr::min(limits), Expr::one()]))
    }
}
