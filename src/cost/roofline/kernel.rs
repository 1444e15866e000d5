//! What the bounds need of a kernel, and the bounds: the one place of their formulas.

use crate::cost::roofline::COUNT;
use crate::cost::roofline::card::Card;
use crate::count::{Charges, Kind, Round};
use crate::sym::Expr;

/// What the bounds need of a kernel.
pub(super) struct Kernel {
    /// k.
    mps: Expr,
    /// c: operations and accesses of the costliest MP.
    cycles: Expr,
    /// a: its global accesses.
    accesses: Expr,
    /// s: its shared operands.
    shared_operands: Expr,
    /// Bank conflicts of all MPs.
    conflicts: Expr,
    /// q: blocks of all MPs, and those of them that are written.
    blocks: Expr,
    written_blocks: Expr,
    /// Bytes of all transactions.
    bytes: Expr,
    /// Bytes of the live words, once for each direction an array is accessed in.
    live: Expr,
    /// m.
    shared: Expr,
}

impl Kernel {
    pub(super) fn of<C, N>(
        charges: &Charges<C>,
        round: &Round<N>,
        charge: &impl Fn(&C) -> Option<Expr>,
        count: &impl Fn(&N) -> Option<Expr>,
        card: &Card,
    ) -> Option<Kernel> {
        let of_kind = |kind| charge(charges.kinds.get(kind));
        let accesses = of_kind(Kind::Global)?;
        let shared_operands = of_kind(Kind::Shared)?;
        let bytes = match &charges.memory_bytes {
            Some(bytes) => charge(bytes)?,
            None => charge(&charges.memory_transactions)?.mul(&card.transaction_bytes),
        };
        let (mut directions, mut written_blocks) = (1, Expr::zero());
        for blocks in round.arrays.values() {
            let (read, written) = (count(&blocks.read)?, count(&blocks.write)?);
            if !read.is_zero() && !written.is_zero() {
                directions = 2;
            }
            written_blocks = written_blocks.add(&written);
        }
        let words = count(&round.global_words)?;
        Some(Kernel {
            mps: charge(&charges.launched_mps)?,
            cycles: charge(&charges.compute)?
                .add(&shared_operands)
                .add(&accesses),
            accesses,
            shared_operands,
            blocks: count(&round.io)?,
            written_blocks,
            conflicts: charge(&charges.bank_conflicts)?,
            bytes,
            live: words.mul(&card.word_bytes).mul(&Expr::int(directions)),
            shared: count(&round.shared_words)?,
        })
    }

    /// What memory delivers, in bytes: with a cache, no more than the live words.
    pub(super) fn moved(&self, card: &Card) -> Expr {
        match &card.cache {
            None => self.bytes.clone(),
            Some(_) => Expr::min(vec![self.bytes.clone(), self.live.clone()]),
        }
    }

    /// Operations and accesses of all cores, each MP as busy as the costliest.
    pub(super) fn operations(&self, card: &Card) -> Expr {
        self.mps.mul(&self.cycles).mul(&card.width)
    }

    /// Its bounds in ms, in the order of [`BOUNDS`](super::BOUNDS).
    pub(super) fn bounds(&self, card: &Card) -> Option<[Expr; COUNT]> {
        let thread_blocks = self.mps.div(&card.thread_block)?.ceil();
        // κ: MPs of the busiest multiprocessor.
        let most = thread_blocks.div(&card.multiprocessors)?.ceil();
        let busiest = Expr::min(vec![self.mps.clone(), most.mul(&card.thread_block)]);
        let of_all = |number: &Expr| number.mul(&busiest).div(&self.mps);
        let work = busiest
            .mul(&self.cycles)
            .div(&card.issue.mul(&card.clock))?;

        let one_a_time = card.issue_of_a_kind.mul(&card.clock);
        let operands = busiest.mul(&self.shared_operands);
        let shared = operands.add(&of_all(&self.conflicts)?).div(&one_a_time)?;
        let l1 = of_all(&self.blocks)?.div(&one_a_time)?;

        let moved = self.moved(card);
        let l2 = match &card.cache {
            None => Expr::zero(),
            Some(bandwidth) => {
                let written = match self.blocks.is_zero() {
                    true => Expr::zero(),
                    false => self.bytes.mul(&self.written_blocks).div(&self.blocks)?,
                };
                let read = Expr::min(vec![self.bytes.sub(&written), self.live.clone()]);
                written.add(&read).div(bandwidth)?
            }
        };
        // What memory has to deliver is waited for, and the caches for the rest.
        let delivered = match self.bytes.is_zero() {
            true => Expr::zero(),
            false => moved.div(&self.bytes)?,
        };
        let at_once = card.multiprocessors.mul(&self.resident(card)?);
        let waves = thread_blocks.div(&at_once)?.ceil();
        let found = Expr::one().sub(&delivered);
        let each = card.latency.mul(&delivered).add(&card.cached.mul(&found));
        let waiting = self.accesses.mul(&each);
        let one = self.cycles.mul(&card.dependent).add(&waiting);
        let span = waves.mul(&one).div(&card.clock)?;
        Some([work, span, shared, l1, l2, moved.div(&card.memory)?])
    }

    /// ℓ: thread blocks resident on a multiprocessor, at least one.
    fn resident(&self, card: &Card) -> Option<Expr> {
        let mut limits = vec![card.most_resident.clone()];
        if !self.shared.is_zero() {
            let words = self.shared.mul(&card.thread_block);
            limits.push(card.shared_words.div(&words)?.floor());
        }
        if let Some(warps) = &card.most_warps {
            limits.push(warps.div(&card.thread_block)?.floor());
        }
        Some(Expr::max(vec![Expr::min(limits), Expr::one()]))
    }
}
