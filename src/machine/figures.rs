//! The figures a model asks a machine for, with their conversions: the figure, or which is missing.

use crate::diag::{Diagnostic, Severity};
use crate::machine::error::{BeyondPeak, FasterThanMemory, MissingFigure};
use crate::machine::memory_rules::{Banks, Coalescing, Warps};
use crate::machine::sections::{CycleRules, Kothapalli, Weights};
use crate::machine::units::{
    Blocks, Cycles, CyclesPerBlock, CyclesPerMilli, Millis, MillisPerWord, Transactions, Words,
};
use crate::machine::{Machine, PerDirection};
use crate::number::{BigInt, Rational};

impl Machine {
    /// ℓ = min(⌊M/m⌋, H) for a round of m shared words; H when m = 0. 0 when m > M, which no
    /// round that executes reaches.
    ///
    /// ```
    /// use atgpu::machine::Machine;
    ///
    /// let card = Machine::built_in("gtx650").expect("built in"); // M = 12288, H = 16
    /// assert_eq!(card.occupancy(&2048.into()), Ok(6.into()));
    /// assert_eq!(card.occupancy(&96.into()), Ok(16.into()));
    /// ```
    ///
    /// # Errors
    /// When the machine has no H.
    pub fn occupancy(&self, shared: &BigInt) -> Result<BigInt, MissingFigure> {
        let most = BigInt::from(self.max_blocks()?);
        if shared <= &BigInt::ZERO {
            return Ok(most);
        }
        Ok((BigInt::from(self.atgpu.shared_words) / shared).min(most))
    }

    /// ⌈k/(k′ℓ)⌉: the waves in which k MPs run on the real card; none for k = 0.
    ///
    /// ```
    /// use atgpu::machine::Machine;
    ///
    /// let card = Machine::built_in("gtx650").expect("built in"); // k' = 2
    /// assert_eq!(card.waves(&33.into(), &16.into()), Ok(2.into()));
    /// ```
    ///
    /// # Errors
    /// When the machine has no k′.
    pub fn waves(&self, mps: &BigInt, occupancy: &BigInt) -> Result<BigInt, MissingFigure> {
        let resident = BigInt::from(self.multiprocessors()?) * occupancy;
        if mps <= &BigInt::ZERO {
            return Ok(BigInt::ZERO);
        }
        // A round whose shared words exceed M cannot run; one MP at a time is the honest limit.
        let resident = resident.max(BigInt::from(1));
        Ok((mps + &resident - BigInt::from(1)) / resident)
    }

    /// T_I(i) = Î_i α + I_i β.
    ///
    /// ```
    /// use atgpu::machine::{Machine, Millis, Transactions, Words};
    ///
    /// let card = Machine::built_in("gtx650").expect("built in");
    /// let card = card.with([("alpha", 2), ("beta", 3)]).expect("in range");
    /// let time = card.inward_time(&Transactions::new(1), &Words::new(10));
    /// assert_eq!(time, Ok(Millis::new(2 + 10 * 3)));
    /// ```
    ///
    /// # Errors
    /// When the machine has no α or β.
    pub fn inward_time(&self, t: &Transactions, words: &Words) -> Result<Millis, MissingFigure> {
        let (alpha, beta) = (&self.alpha()?.inward, &self.beta()?.inward);
        Ok(t.start_time(alpha) + words.transfer_time(beta))
    }

    /// T_O(i) = Ô_i α + O_i β.
    ///
    /// ```
    /// use atgpu::machine::{Machine, Transactions, Words};
    ///
    /// let card = Machine::built_in("gtx650").expect("built in");
    /// let megabyte = card.outward_time(&Transactions::new(1), &Words::new(250_000)).expect("known");
    /// assert_eq!(format!("{:.4} ms", megabyte.to_f64()), "0.1837 ms");
    /// ```
    ///
    /// # Errors
    /// When the machine has no α or β.
    pub fn outward_time(&self, t: &Transactions, words: &Words) -> Result<Millis, MissingFigure> {
        let (alpha, beta) = (&self.alpha()?.outward, &self.beta()?.outward);
        Ok(t.start_time(alpha) + words.transfer_time(beta))
    }

    /// λ q.
    ///
    /// ```
    /// use atgpu::machine::{Blocks, Cycles, Machine};
    ///
    /// let card = Machine::built_in("gtx650").expect("built in");
    /// let card = card.with([("lambda", 2)]).expect("in range");
    /// assert_eq!(card.access_cycles(&Blocks::new(96)), Ok(Cycles::new(192)));
    /// ```
    ///
    /// # Errors
    /// When the machine has no λ.
    pub fn access_cycles(&self, blocks: &Blocks) -> Result<Cycles, MissingFigure> {
        Ok(blocks.access_cycles(&self.latency()?))
    }

    /// Cycles divided by γ.
    ///
    /// ```
    /// use atgpu::machine::{Cycles, Machine, Millis};
    ///
    /// let card = Machine::built_in("gtx650").expect("built in"); // 1.058 GHz
    /// assert_eq!(card.kernel_time(&Cycles::new(1_058_000)), Ok(Millis::new(1)));
    /// ```
    ///
    /// # Errors
    /// When the machine has no γ.
    pub fn kernel_time(&self, cycles: &Cycles) -> Result<Millis, MissingFigure> {
        let clock = self.clock()?;
        Ok(cycles.time(clock).expect("γ is above 0"))
    }

    /// σ.
    ///
    /// ```
    /// use atgpu::machine::Machine;
    ///
    /// let card = Machine::built_in("gtx650").expect("built in");
    /// assert_eq!(card.synchronisation().expect("known").to_f64(), 0.61);
    /// ```
    ///
    /// # Errors
    /// When the machine has none.
    pub fn synchronisation(&self) -> Result<&Millis, MissingFigure> {
        self.need(
            self.transfer.synchronisation.as_ref(),
            "transfer",
            "sync_ms",
            "how long a round synchronises",
            "sigma",
        )
    }

    /// α of both directions.
    ///
    /// ```
    /// use atgpu::machine::Machine;
    ///
    /// let card = Machine::built_in("gtx650").expect("built in");
    /// assert_eq!(card.alpha().expect("known").inward.to_f64(), 0.00942);
    /// ```
    ///
    /// # Errors
    /// When the machine has none.
    pub fn alpha(&self) -> Result<&PerDirection<Millis>, MissingFigure> {
        self.need(
            self.transfer.alpha.as_ref(),
            "transfer",
            "alpha_ms",
            "how long a transaction takes to start",
            "alpha",
        )
    }

    /// β of both directions.
    ///
    /// ```
    /// use atgpu::machine::Machine;
    ///
    /// let card = Machine::built_in("gtx650").expect("built in"); // words of 4 bytes
    /// assert_eq!(card.beta().expect("known").inward.to_f64(), 4.0 * 1.741965e-7);
    /// ```
    ///
    /// # Errors
    /// When the machine has none.
    pub fn beta(&self) -> Result<&PerDirection<MillisPerWord>, MissingFigure> {
        self.need(
            self.transfer.beta.as_ref(),
            "transfer",
            "beta_ms_per_byte",
            "how long a word takes to move",
            "beta",
        )
    }

    /// γ.
    ///
    /// ```
    /// use atgpu::machine::{CyclesPerMilli, Machine};
    ///
    /// let card = Machine::built_in("gtx650").expect("built in");
    /// assert_eq!(card.clock(), Ok(&CyclesPerMilli::new(1_058_000)));
    /// ```
    ///
    /// # Errors
    /// When the machine has none.
    pub fn clock(&self) -> Result<&CyclesPerMilli, MissingFigure> {
        self.need(
            self.device.clock.as_ref(),
            "device",
            "clock_ghz",
            "how fast it is clocked",
            "gamma",
        )
    }

    /// λ: as the file gives it, else what a block takes at the memory's bandwidth, b words of so many
    /// bytes at the part of `memory_gb_s` that is reached.
    ///
    /// ```
    /// use atgpu::machine::{Atgpu, Machine};
    ///
    /// let card = Machine::built_in("gtx650").expect("built in");
    /// assert_eq!(card.latency().expect("known").to_f64(), 2.46); // fitted to paper 1
    /// // 32 words of 4 bytes at 0.89 of 1008 GB/s, in cycles of 2.52 GHz.
    /// let current = Machine::built_in("rtx4090").expect("built in");
    /// let cycles = current.latency().expect("known").to_f64();
    /// assert!((cycles - 128.0 / (0.89 * 1008.0) * 2.52).abs() < 1e-12);
    /// // A machine of which only p, b, M, G are known says what is missing.
    /// let missing = Machine::new("bare", card.atgpu).latency().expect_err("no card");
    /// assert_eq!((missing.section, missing.key), ("device", "latency_cycles"));
    /// ```
    ///
    /// # Errors
    /// When the machine has none.
    pub fn latency(&self) -> Result<CyclesPerBlock, MissingFigure> {
        let given = self.device.latency.clone();
        self.need(
            given.or_else(|| self.block_at_bandwidth()),
            "device",
            "latency_cycles",
            "what a block costs",
            "lambda",
        )
    }

    fn block_at_bandwidth(&self) -> Option<CyclesPerBlock> {
        let peak = self.block_at_peak()?;
        Some(match &self.device.memory_efficiency {
            Some(part) => CyclesPerBlock::new(peak.value().checked_div(part)?),
            None => peak,
        })
    }

    /// The least λ: a block at the memory's whole bandwidth.
    pub(crate) fn block_at_peak(&self) -> Option<CyclesPerBlock> {
        let bytes = Words::new(self.atgpu.cores_per_mp).to_bytes(self.word_bytes);
        // Cycles a ms by 10⁶ bytes a ms.
        let bytes_a_ms = self.device.memory_gb_s.as_ref()? * &1_000_000.into();
        let cycles = bytes.value() * self.device.clock.as_ref()?.value();
        cycles.checked_div(&bytes_a_ms).map(CyclesPerBlock::new)
    }

    /// A warning where λ, overridden or with another γ, moves data faster than the card's memory; λ = 0 is no
    /// speed, but asks for what there is besides blocks.
    ///
    /// ```
    /// use atgpu::machine::Machine;
    ///
    /// let card = Machine::built_in("gtx650").expect("built in");
    /// assert!(card.beyond_memory().is_none());
    /// let faster = card.with([("lambda", 1)]).expect("in range"); // 135 GB/s of 80
    /// assert_eq!(faster.beyond_memory().expect("too fast").code.short_name(), "machine::value");
    /// ```
    pub fn beyond_memory(&self) -> Option<Diagnostic> {
        let latency = self.device.latency.as_ref()?;
        if latency.value().is_zero() {
            return None;
        }
        let faster = FasterThanMemory {
            latency: latency.to_f64(),
            faster: self.beyond_peak()?,
            machine: self.name.to_string(),
        };
        Some(Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::of(&faster)
        })
    }

    /// By how much the λ that is given moves data faster than the memory does, if it does.
    pub(super) fn beyond_peak(&self) -> Option<BeyondPeak> {
        let given = self.device.latency.as_ref()?.value();
        let floor = self.block_at_peak()?;
        if given >= floor.value() {
            return None;
        }
        let most = self.device.memory_gb_s.as_ref()?.to_f64();
        let moved = match given.to_f64() {
            0.0 => "no end of".to_owned(),
            given => format!("{:.0}", most * floor.to_f64() / given),
        };
        Some(BeyondPeak {
            moved,
            most: most.to_string(),
            floor: format!("{:.4}", floor.to_f64()),
        })
    }

    /// k′.
    ///
    /// ```
    /// use atgpu::machine::Machine;
    ///
    /// assert_eq!(Machine::built_in("gtx650").expect("built in").multiprocessors(), Ok(2));
    /// ```
    ///
    /// # Errors
    /// When the machine has none.
    pub fn multiprocessors(&self) -> Result<i64, MissingFigure> {
        self.need(
            self.device.multiprocessors,
            "device",
            "multiprocessors",
            "how many multiprocessors the card has",
            "\"k'\"",
        )
    }

    /// H.
    ///
    /// ```
    /// use atgpu::machine::Machine;
    ///
    /// assert_eq!(Machine::built_in("gtx650").expect("built in").max_blocks(), Ok(16));
    /// ```
    ///
    /// # Errors
    /// When the machine has none.
    pub fn max_blocks(&self) -> Result<i64, MissingFigure> {
        self.need(
            self.device.max_blocks,
            "device",
            "max_blocks",
            "how many MPs are resident at once",
            "H",
        )
    }

    /// The section paper 2 needs.
    ///
    /// ```
    /// use atgpu::machine::Machine;
    ///
    /// let card = Machine::built_in("gtx280").expect("built in");
    /// assert_eq!(card.kothapalli().map(|section| section.warp_threads), Ok(32));
    /// assert!(Machine::built_in("gtx650").expect("built in").kothapalli().is_err());
    /// ```
    ///
    /// # Errors
    /// When the machine has none.
    pub fn kothapalli(&self) -> Result<&Kothapalli, MissingFigure> {
        self.figure(
            self.kothapalli.as_ref(),
            "kothapalli",
            "cores",
            "how its multiprocessors execute warps",
        )
    }

    /// The rules by which the machine charges for a kernel.
    ///
    /// ```
    /// use atgpu::machine::Machine;
    ///
    /// let cycle_rules = Machine::built_in("gtx280").expect("built in").cycle_rules().expect("known");
    /// assert_eq!((cycle_rules.shared, cycle_rules.global), (4.into(), 500.into()));
    /// ```
    ///
    /// # Errors
    /// When the machine has no `[kothapalli]`.
    pub fn cycle_rules(&self) -> Result<CycleRules, MissingFigure> {
        self.kothapalli().map(|_| self.rules())
    }

    /// As [`Machine::cycle_rules`] for any machine: without `[kothapalli]` nothing says how long accesses
    /// take, and they cost no cycles.
    ///
    /// ```
    /// use atgpu::machine::Machine;
    ///
    /// let rules = Machine::built_in("gtx650").expect("built in").rules();
    /// assert_eq!(rules.global, 0.into()); // its file does not say how long accesses take
    /// ```
    pub fn rules(&self) -> CycleRules {
        let cycles = |of: fn(&Kothapalli) -> &Cycles| {
            let section = self.kothapalli.as_ref();
            section.map_or(Rational::ZERO, |section| of(section).value().clone())
        };
        CycleRules {
            weights: self.operations.clone(),
            shared: cycles(|section| &section.shared),
            global: cycles(|section| &section.global),
            coalescing: self.coalescing,
            banks: self.banks,
            warps: self.roofline.warp_size.map(|size| Warps {
                size,
                banks: self.roofline.shared_banks.unwrap_or(size),
            }),
            word_bytes: self.word_bytes,
        }
    }

    /// The card's warps, where an MP is a thread block of several of them that are served each for itself: with
    /// b = 1024, not with b = 32.
    pub fn warps(&self) -> Option<Warps> {
        self.rules().warps_of(self.atgpu.cores_per_mp)
    }

    /// Returns true if the file says how long accesses take, or has weights or memory rules that no other card
    /// has, or if an MP is a thread block of several warps; results show what these make of a program then. Sectors alone are no such rule: every card
    /// from compute capability 2.0 on moves them, and a model that asks for them has them.
    ///
    /// ```
    /// use atgpu::machine::Machine;
    ///
    /// assert!(Machine::built_in("gtx280").expect("built in").has_rules());
    /// assert!(!Machine::built_in("gtx650").expect("built in").has_rules()); // sectors
    /// ```
    pub fn has_rules(&self) -> bool {
        let differs = self.coalescing == Coalescing::HalfWarp || self.banks != Banks::Warp;
        let is_wide = self.warps().is_some();
        self.kothapalli.is_some() || differs || is_wide || self.operations != Weights::default()
    }

    /// A figure that no letter of the command line gives.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn figure<T>(
        &self,
        figure: Option<T>,
        section: &'static str,
        key: &'static str,
        meaning: &'static str,
    ) -> Result<T, MissingFigure> {
        figure.ok_or_else(|| MissingFigure {
            machine: self.name.to_string(),
            section,
            key,
            meaning,
            letter: None,
        })
    }

    fn need<T>(
        &self,
        figure: Option<T>,
        section: &'static str,
        key: &'static str,
        meaning: &'static str,
        letter: &'static str,
    ) -> Result<T, MissingFigure> {
        self.figure(figure, section, key, meaning)
            .map_err(|missing| MissingFigure {
                letter: Some(letter),
                ..missing
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waves_and_occupancy_at_their_edges() {
        let machine = Machine::built_in("gtx650").expect("built in");
        let whole = |number: i64| BigInt::from(number);
        let occupancy = |words| machine.occupancy(&whole(words)).expect("has H");
        assert_eq!(occupancy(0), whole(16));
        assert_eq!(occupancy(1), whole(16));
        assert_eq!(occupancy(7000), whole(1));
        assert_eq!(occupancy(6144), whole(2));
        let waves = |mps, resident| {
            machine
                .waves(&whole(mps), &whole(resident))
                .expect("has k′")
        };
        assert_eq!(waves(0, 16), whole(0));
        assert_eq!(waves(32, 16), whole(1));
        assert_eq!(waves(33, 16), whole(2));
    }
}
