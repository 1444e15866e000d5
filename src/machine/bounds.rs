//! The figures of `[roofline]` a model asks a machine for: the figure, or which is missing.

use crate::machine::Machine;
use crate::machine::error::MissingFigure;
use crate::machine::units::{Cycles, Millis};
use crate::number::Rational;

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
}
