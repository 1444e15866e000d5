//! The figures of `[roofline]` a model asks a machine for, or which is missing; and the thread blocks that
//! they let be resident.

use crate::machine::Machine;
use crate::machine::error::MissingFigure;
use crate::machine::residents::{Limiting, Residents};
use crate::machine::units::{Cycles, Millis};
use crate::number::{BigInt, Rational};

impl Machine {
    /// r: warps that a multiprocessor issues in a cycle.
    ///
    /// ```
    /// use atgpu::machine::Machine;
    ///
    /// let card = Machine::built_in("rtx4090").expect("built in");
    /// assert_eq!(card.issue_per_cycle().cloned(), Ok(4.into()));
    /// ```
    ///
    /// # Errors
    /// When the machine has none.
    pub fn issue_per_cycle(&self) -> Result<&Rational, MissingFigure> {
        let meaning = "how many warps a multiprocessor issues in a cycle";
        let figure = self.roofline.issue_per_cycle.as_ref();
        self.figure(figure, "roofline", "issue_per_cycle", meaning)
    }

    /// Bytes of the cache that all multiprocessors share; 0 where there is none.
    ///
    /// ```
    /// use atgpu::machine::Machine;
    ///
    /// let card = Machine::built_in("rtx4090").expect("built in");
    /// assert_eq!(card.l2_bytes(), Ok(72 << 20));
    /// ```
    ///
    /// # Errors
    /// When the machine does not say.
    pub fn l2_bytes(&self) -> Result<i64, MissingFigure> {
        let meaning = "how large its cache is";
        self.figure(self.roofline.l2_bytes, "roofline", "l2_bytes", meaning)
    }

    /// Bytes a second of that cache, in 10⁹.
    ///
    /// ```
    /// use atgpu::machine::{Atgpu, Machine};
    ///
    /// let atgpu = Atgpu { cores: 64, cores_per_mp: 32, shared_words: 1024, global_words: 4096 };
    /// let missing = Machine::new("mine", atgpu).l2_gb_s().cloned().expect_err("nothing is known");
    /// assert_eq!((missing.section, missing.key), ("roofline", "l2_gb_s"));
    /// ```
    ///
    /// # Errors
    /// When the machine has none.
    pub fn l2_gb_s(&self) -> Result<&Rational, MissingFigure> {
        let figure = self.roofline.l2_gb_s.as_ref();
        self.figure(figure, "roofline", "l2_gb_s", "how fast its cache is")
    }

    /// L: cycles until a word of device memory arrives.
    ///
    /// ```
    /// use atgpu::machine::{Cycles, Machine};
    ///
    /// let card = Machine::built_in("gtx280").expect("built in");
    /// assert_eq!(card.access_latency(), Ok(&Cycles::new(500)));
    /// ```
    ///
    /// # Errors
    /// When the machine has none.
    pub fn access_latency(&self) -> Result<&Cycles, MissingFigure> {
        let meaning = "how long a word of device memory takes to arrive";
        let figure = self.roofline.latency.as_ref();
        self.figure(figure, "roofline", "latency_cycles", meaning)
    }

    /// Z: MPs of a thread block, which share a multiprocessor.
    ///
    /// ```
    /// use atgpu::machine::Machine;
    ///
    /// let card = Machine::built_in("rtx4090").expect("built in");
    /// assert_eq!(card.mps_per_thread_block(), 1);
    /// assert_eq!(card.with([("Z", 16)]).expect("in range").mps_per_thread_block(), 16);
    /// ```
    pub fn mps_per_thread_block(&self) -> i64 {
        self.roofline.mps_per_thread_block.unwrap_or(1)
    }

    /// Warps whose threads are the b cores of an MP: they issue each of its instructions, one after the
    /// other. One where the file has no `warp_size`.
    ///
    /// ```
    /// use atgpu::machine::Machine;
    ///
    /// let card = Machine::built_in("rtx3060").expect("built in");
    /// assert_eq!(card.warps_across(), 1);
    /// assert_eq!(card.with([("b", 500)]).expect("in range").warps_across(), 16);
    /// ```
    pub fn warps_across(&self) -> i64 {
        let size = self.roofline.warp_size;
        size.map_or(1, |size| (self.atgpu.cores_per_mp - 1) / size + 1)
    }

    /// Cycles that the load/store units of a multiprocessor are busy with one access of a warp: its threads,
    /// or the b cores of an MP where the file has no `warp_size`, over the units. 0 where the file does not
    /// say how many there are.
    ///
    /// ```
    /// use atgpu::machine::Machine;
    ///
    /// let card = Machine::built_in("rtx3060").expect("built in");
    /// assert_eq!(card.load_store_cycles(), 2.into()); // 16 for 32 threads
    /// ```
    pub fn load_store_cycles(&self) -> Rational {
        let size = self.roofline.warp_size.unwrap_or(self.atgpu.cores_per_mp);
        let units = self.roofline.load_store_units;
        let cycles = units.and_then(|units| Rational::from(size).checked_div(&units.into()));
        cycles.unwrap_or_default()
    }

    /// W: warps that an MP stands for, those across it at least. More of them go through its program in
    /// turn.
    ///
    /// ```
    /// use atgpu::machine::Machine;
    ///
    /// let card = Machine::built_in("rtx3060").expect("built in");
    /// assert_eq!(card.with([("b", 500)]).expect("in range").warps_per_mp(), 16);
    /// assert_eq!(card.with([("W", 8)]).expect("in range").warps_per_mp(), 8);
    /// ```
    pub fn warps_per_mp(&self) -> i64 {
        let given = self.roofline.warps_per_mp.unwrap_or(1);
        given.max(self.warps_across())
    }

    /// The launch of a kernel; σ where the file does not tell them apart.
    ///
    /// ```
    /// use atgpu::machine::Machine;
    ///
    /// let card = Machine::built_in("gtx650").expect("built in");
    /// // Paper 1's σ holds more than a launch.
    /// assert!(card.launch().expect("known") < card.synchronisation().expect("known"));
    /// ```
    ///
    /// # Errors
    /// When the machine has neither.
    pub fn launch(&self) -> Result<&Millis, MissingFigure> {
        match &self.roofline.launch {
            Some(launch) => Ok(launch),
            None => self.synchronisation(),
        }
    }

    /// The thread blocks of Z MPs of W warps that are resident on one multiprocessor, if each MP has so many
    /// shared words. Paper 1's ℓ, [`Machine::occupancy`], knows M and H alone.
    ///
    /// # Errors
    /// When the machine has no H.
    pub fn residents(&self, shared: &BigInt) -> Result<Residents, MissingFigure> {
        let of_one = shared * BigInt::from(self.mps_per_thread_block());
        let by_memory = (of_one > BigInt::ZERO).then(|| {
            (
                BigInt::from(self.atgpu.shared_words) / of_one,
                Limiting::SharedMemory,
            )
        });
        let others = self.resident_limits()?.into_iter();
        let others = others.map(|(most, limit)| (BigInt::from(most), limit));
        // Of equal limits the first is named.
        let least = others.chain(by_memory).min_by(|one, two| one.0.cmp(&two.0));
        let (thread_blocks, limit) = least.expect("H is one of them");
        Ok(Residents {
            thread_blocks,
            limit,
        })
    }

    /// The limits on resident thread blocks that do not depend on shared memory.
    pub(crate) fn resident_limits(&self) -> Result<Vec<(i64, Limiting)>, MissingFigure> {
        let warps = self
            .mps_per_thread_block()
            .saturating_mul(self.warps_per_mp());
        let threads =
            warps.saturating_mul(self.roofline.warp_size.unwrap_or(self.atgpu.cores_per_mp));
        let of_warps = self.roofline.max_warps.map(|most| most / warps);
        let of_threads = self.roofline.max_threads.map(|most| most / threads);
        let mut limits = vec![(self.max_blocks()?, Limiting::ThreadBlocks)];
        limits.extend(of_warps.map(|most| (most, Limiting::Warps)));
        limits.extend(of_threads.map(|most| (most, Limiting::Threads)));
        Ok(limits)
    }

    /// Returns true if a launch has thread blocks of several warps: wide MPs, or Z or W of them.
    pub(crate) fn has_wide_thread_blocks(&self) -> bool {
        self.mps_per_thread_block() > 1 || self.warps_per_mp() > 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The RTX 4090 has M = 25,600, H = 24, 48 warps: a thread block of 1024 threads is 32 of them.
    #[test]
    fn the_least_figure_limits_residents() {
        let card = Machine::built_in("rtx4090").expect("built in");
        let residents = |width: i64, words: i64| {
            let card = card.with([("b", width)]).expect("in range");
            let found = card.residents(&words.into()).expect("it has H");
            (found.thread_blocks, found.limit)
        };
        assert_eq!(residents(32, 1024), (24.into(), Limiting::ThreadBlocks));
        assert_eq!(residents(1024, 1024), (1.into(), Limiting::Warps));
        assert_eq!(residents(128, 5120), (5.into(), Limiting::SharedMemory));
        let few = Machine {
            roofline: crate::machine::Roofline {
                max_threads: Some(512),
                ..card.roofline.clone()
            },
            ..card.clone()
        };
        let few = few.with([("b", 256)]).expect("in range");
        let found = few.residents(&0.into()).expect("it has H");
        assert_eq!(
            (found.thread_blocks, found.limit),
            (2.into(), Limiting::Threads)
        );
    }
}
