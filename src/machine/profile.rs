//! A machine as its TOML file describes it (interface.md "Machines").
//!
//! Sections that no model reads are not accepted: a weight that changes nothing would be a lie.
//! A new section is a struct (here or in `sections`), a `Section` that reads it in `file`, and the model
//! that wants it; `figures` asks for a figure by name, and says which is missing.

use std::sync::Arc;

use crate::machine::memory_rules::{Banks, Coalescing};
use crate::machine::roofline::Roofline;
use crate::machine::sections::{Kothapalli, Overlap, Units, Weights};
use crate::machine::source::Source;
use crate::machine::units::{CyclesPerBlock, CyclesPerMilli, Millis, MillisPerWord};
use crate::machine::{Atgpu, BUILT_IN, PerDirection};
use crate::number::Rational;

/// A machine: the abstract one, and the figures of the cost functions as far as they are known.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Machine {
    /// The name its file gives it.
    pub name: Arc<str>,
    /// p, b, M, G.
    pub atgpu: Atgpu,
    /// Bytes of a word on the real card; scales β only.
    pub word_bytes: i64,
    /// The real card.
    pub device: Device,
    /// Transfers and synchronisation.
    pub transfer: Transfer,
    /// Cycles by kind of operation.
    pub operations: Weights,
    /// Cycles by kind of operation of units that are narrower than a warp.
    pub units: Units,
    /// Copy engines, gaps and streams.
    pub overlap: Overlap,
    /// What bounds a kernel besides the clock and the memory.
    pub roofline: Roofline,
    /// What paper 2 needs besides.
    pub kothapalli: Option<Kothapalli>,
    /// How global accesses become memory transactions.
    pub coalescing: Coalescing,
    /// How shared accesses meet in banks.
    pub banks: Banks,
    /// How the file says its figures are known.
    pub sources: Arc<[Source]>,
}

/// The `[device]` section: each figure is absent where the file is silent.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Device {
    /// k′: MPs of the real card; at least 1.
    pub multiprocessors: Option<i64>,
    /// H: most MPs resident on one real MP; at least 1.
    pub max_blocks: Option<i64>,
    /// γ: the clock; more than 0.
    pub clock: Option<CyclesPerMilli>,
    /// λ: the cost of a block, where it is given; [`Machine::latency`] else makes it of the memory's
    /// bandwidth.
    pub latency: Option<CyclesPerBlock>,
    /// Most floating-point operations a second, in 10⁹.
    pub peak_gflops: Option<Rational>,
    /// Bytes a second of device memory, in 10⁹.
    pub memory_gb_s: Option<Rational>,
    /// The part of them that is reached; 1 where the file is silent.
    pub memory_efficiency: Option<Rational>,
    /// Bytes a second of the bus one way, in 10⁹.
    pub bus_gb_s: Option<Rational>,
}

/// The `[transfer]` section: each figure is absent where the file is silent.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Transfer {
    /// α: the start of a transaction.
    pub alpha: Option<PerDirection<Millis>>,
    /// β: the time of a word.
    pub beta: Option<PerDirection<MillisPerWord>>,
    /// σ: the synchronisation of a round.
    pub synchronisation: Option<Millis>,
}

impl Machine {
    /// An abstract machine, of whose card nothing is known yet; words of 8 bytes. What a card adds
    /// is set in its fields, or by name with [`Machine::with`].
    ///
    /// ```
    /// use atgpu::machine::{Atgpu, Machine};
    ///
    /// let atgpu = Atgpu { cores: 640, cores_per_mp: 32, shared_words: 6144, global_words: 1 << 29 };
    /// let card = Machine::new("my card", atgpu).with([
    ///     ("alpha", 1), ("beta", 0), ("gamma", 1_000_000), ("lambda", 4), ("sigma", 0),
    ///     ("k'", 5), ("H", 32),
    /// ])?;
    /// assert_eq!(card.multiprocessors(), Ok(5));
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn new(name: &str, atgpu: Atgpu) -> Machine {
        Machine {
            name: name.into(),
            atgpu,
            word_bytes: 8,
            device: Device::default(),
            transfer: Transfer::default(),
            operations: Weights::default(),
            units: Units::default(),
            overlap: Overlap::default(),
            roofline: Roofline::default(),
            kothapalli: None,
            coalescing: Coalescing::default(),
            banks: Banks::default(),
            sources: Arc::default(),
        }
    }

    /// The built-in machine of this name; [`BUILT_IN`] lists them.
    ///
    /// ```
    /// use atgpu::machine::Machine;
    ///
    /// assert_eq!(Machine::built_in("gtx650").map(|card| card.atgpu.cores), Some(384));
    /// assert_eq!(Machine::built_in("gtx651"), None);
    /// ```
    pub fn built_in(name: &str) -> Option<Machine> {
        let (_, text) = BUILT_IN.iter().find(|(known, _)| *known == name)?;
        Machine::from_toml(text).ok()
    }
}
