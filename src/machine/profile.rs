//! A machine as its TOML file describes it (interface.md "Machines").
//!
//! Sections that no model reads are not accepted: a weight that changes nothing would be a lie.
//! A new section is a struct (here or in `sections`), a `Section` that reads it, and the model that
//! wants it.

use std::sync::Arc;

use toml::de::DeTable;

use crate::diag::Diagnostic;
use crate::machine::error::{MachineError, MissingFigure};
use crate::machine::reader::{Rule, Section};
use crate::machine::sections::{Banks, Coalescing, Kothapalli, Overlap, Tariff, Weights};
use crate::machine::units::{
    Blocks, Cycles, CyclesPerBlock, CyclesPerMilli, Millis, MillisPerByte, MillisPerWord,
    Transactions, Words,
};
use crate::machine::{Atgpu, BUILT_IN};
use crate::number::{BigInt, Rational};
use crate::text::Span;

/// A machine: the abstract one, and the figures of the cost functions as far as they are known.
#[derive(Debug, Clone, PartialEq)]
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
    /// Copy engines, gaps and streams.
    pub overlap: Overlap,
    /// What paper 2 needs besides.
    pub kothapalli: Option<Kothapalli>,
    /// How global accesses become memory transactions.
    pub coalescing: Coalescing,
    /// How shared accesses meet in banks.
    pub banks: Banks,
}

/// The `[device]` section: each figure is absent where the file is silent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Device {
    /// k′: MPs of the real card; at least 1.
    pub multiprocessors: Option<i64>,
    /// H: most MPs resident on one real MP; at least 1.
    pub max_blocks: Option<i64>,
    /// γ: the clock; more than 0.
    pub clock: Option<CyclesPerMilli>,
    /// λ: the cost of a block.
    pub latency: Option<CyclesPerBlock>,
    /// Most floating-point operations a second, in 10⁹.
    pub peak_gflops: Option<Rational>,
    /// Bytes a second of device memory, in 10⁹.
    pub memory_gb_s: Option<Rational>,
    /// Bytes a second of the bus one way, in 10⁹.
    pub bus_gb_s: Option<Rational>,
}

/// The `[transfer]` section: each figure is absent where the file is silent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Transfer {
    /// α: the start of a transaction.
    pub alpha: Option<PerDirection<Millis>>,
    /// β: the time of a word.
    pub beta: Option<PerDirection<MillisPerWord>>,
    /// σ: the synchronisation of a round.
    pub synchronisation: Option<Millis>,
}

/// A figure for either way.
#[derive(Debug, Clone, PartialEq)]
pub struct PerDirection<T> {
    /// Host to global memory.
    pub inward: T,
    /// Global memory to host.
    pub outward: T,
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
            overlap: Overlap::default(),
            kothapalli: None,
            coalescing: Coalescing::default(),
            banks: Banks::default(),
        }
    }

    /// The built-in machine of this name; [`BUILT_IN`] lists them.
    ///
    /// ```
    /// # use atgpu::machine::Machine;
    /// assert_eq!(Machine::built_in("gtx650").map(|card| card.atgpu.cores), Some(384));
    /// assert_eq!(Machine::built_in("gtx651"), None);
    /// ```
    pub fn built_in(name: &str) -> Option<Machine> {
        let (_, text) = BUILT_IN.iter().find(|(known, _)| *known == name)?;
        Machine::from_toml(text).ok()
    }

    /// Reads a machine file.
    ///
    /// ```
    /// use atgpu::machine::Machine;
    ///
    /// let text = "name = \"mine\"\n[atgpu]\np = 640\nb = 32\nM = 6144\nG = 1048576\n";
    /// assert_eq!(Machine::from_toml(text).expect("complete").atgpu.shared_words, 6144);
    ///
    /// let faults = Machine::from_toml(&text.replace("b = 32\n", "")).expect_err("no b");
    /// assert_eq!(faults[0].code.short_name(), "machine::key");
    /// assert_eq!(faults[0].message, "[atgpu] lacks `b`");
    /// ```
    ///
    /// # Errors
    /// `machine::key` for an unknown or missing key, `machine::value` for a value that is not of
    /// the right kind or range, each with its span in `text`.
    pub fn from_toml(text: &str) -> Result<Machine, Vec<Diagnostic>> {
        let mut errors = Vec::new();
        let machine = match DeTable::parse(text) {
            Ok(root) => read(&root, &mut errors),
            Err(error) => {
                let span = error.span().unwrap_or(0..0);
                errors.push(MachineError::NotToml {
                    message: error.message().to_owned(),
                    span: Span::new(span.start, span.end),
                });
                None
            }
        };
        match machine {
            Some(machine) if errors.is_empty() => Ok(machine),
            _ => Err(errors.iter().map(|error| Diagnostic::of(error)).collect()),
        }
    }

    /// ℓ = min(⌊M/m⌋, H) for a round of m shared words; H when m = 0. 0 when m > M, which no
    /// round that executes reaches.
    ///
    /// ```
    /// # use atgpu::machine::Machine;
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
    /// # use atgpu::machine::Machine;
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
    /// # use atgpu::machine::{Machine, Millis, Transactions, Words};
    /// # let card = Machine::built_in("gtx650").expect("built in");
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
    /// # use atgpu::machine::{Machine, Transactions, Words};
    /// let card = Machine::built_in("gtx650").expect("built in");
    /// let megabyte = card.outward_time(&Transactions::new(1), &Words::new(250_000)).expect("known");
    /// assert_eq!(format!("{:.4} ms", megabyte.to_f64()), "0.0883 ms");
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
    /// # use atgpu::machine::{Blocks, Cycles, Machine};
    /// let card = Machine::built_in("gtx650").expect("built in"); // λ = 1.25
    /// assert_eq!(card.access_cycles(&Blocks::new(96)), Ok(Cycles::new(120)));
    /// ```
    ///
    /// # Errors
    /// When the machine has no λ.
    pub fn access_cycles(&self, blocks: &Blocks) -> Result<Cycles, MissingFigure> {
        Ok(blocks.access_cycles(self.latency()?))
    }

    /// Cycles divided by γ.
    ///
    /// ```
    /// # use atgpu::machine::{Cycles, Machine, Millis};
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
    /// # use atgpu::machine::Machine;
    /// let card = Machine::built_in("gtx650").expect("built in");
    /// assert_eq!(card.synchronisation().expect("known").to_f64(), 0.26);
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
    /// # use atgpu::machine::Machine;
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
    /// # use atgpu::machine::Machine;
    /// let card = Machine::built_in("gtx650").expect("built in"); // words of 4 bytes
    /// assert_eq!(card.beta().expect("known").inward.to_f64(), 4.0 * 8.318392e-8);
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
    /// # use atgpu::machine::{CyclesPerMilli, Machine};
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

    /// λ.
    ///
    /// ```
    /// # use atgpu::machine::{Atgpu, Machine};
    /// let card = Machine::built_in("gtx650").expect("built in");
    /// assert_eq!(card.latency().expect("known").to_f64(), 1.25);
    /// // A machine of which only p, b, M, G are known says what is missing.
    /// let missing = Machine::new("bare", card.atgpu).latency().cloned().expect_err("no card");
    /// assert_eq!((missing.section, missing.key), ("device", "latency_cycles"));
    /// ```
    ///
    /// # Errors
    /// When the machine has none.
    pub fn latency(&self) -> Result<&CyclesPerBlock, MissingFigure> {
        self.need(
            self.device.latency.as_ref(),
            "device",
            "latency_cycles",
            "what a block costs",
            "lambda",
        )
    }

    /// k′.
    ///
    /// ```
    /// # use atgpu::machine::Machine;
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
    /// # use atgpu::machine::Machine;
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
    /// # use atgpu::machine::Machine;
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

    /// What the machine charges for what a kernel does.
    ///
    /// ```
    /// # use atgpu::machine::Machine;
    /// let tariff = Machine::built_in("gtx280").expect("built in").tariff().expect("known");
    /// assert_eq!((tariff.shared, tariff.global), (4.into(), 500.into()));
    /// ```
    ///
    /// # Errors
    /// When the machine has no `[kothapalli]`.
    pub fn tariff(&self) -> Result<Tariff, MissingFigure> {
        self.kothapalli().map(|_| self.rules())
    }

    /// As [`Machine::tariff`] for any machine: without `[kothapalli]` nothing says how long accesses
    /// take, and they cost no cycles.
    ///
    /// ```
    /// # use atgpu::machine::Machine;
    /// let rules = Machine::built_in("gtx650").expect("built in").rules();
    /// assert_eq!(rules.global, 0.into()); // its file does not say how long accesses take
    /// ```
    pub fn rules(&self) -> Tariff {
        let cycles = |of: fn(&Kothapalli) -> &Cycles| {
            let section = self.kothapalli.as_ref();
            section.map_or(Rational::ZERO, |section| of(section).value().clone())
        };
        Tariff {
            weights: self.operations.clone(),
            shared: cycles(|section| &section.shared),
            global: cycles(|section| &section.global),
            coalescing: self.coalescing,
            banks: self.banks,
            word_bytes: self.word_bytes,
        }
    }

    /// Whether the file says how long accesses take, or has weights or memory rules other than those
    /// of paper 1; results show what these make of a program then.
    ///
    /// ```
    /// # use atgpu::machine::Machine;
    /// assert!(Machine::built_in("gtx280").expect("built in").has_rules());
    /// assert!(!Machine::built_in("gtx650").expect("built in").has_rules());
    /// ```
    pub fn has_rules(&self) -> bool {
        let differs = (self.coalescing, self.banks) != (Coalescing::Blocks, Banks::Warp);
        self.kothapalli.is_some() || differs || self.operations != Weights::default()
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

fn read(root: &toml::Spanned<DeTable<'_>>, errors: &mut Vec<MachineError>) -> Option<Machine> {
    let mut file = Section::new(root.get_ref(), "the machine file", Span::new(0, 0), errors);
    let name = file.text("name");
    if name.is_none() && !file.has("name") {
        file.missing("name", "name = \"my-card\"");
    }
    let atgpu = file.table("atgpu", read_atgpu);
    if atgpu.is_none() && !file.has("atgpu") {
        file.missing("atgpu", "[atgpu]");
    }
    let device = file.table("device", read_device).unwrap_or_default();
    let word_bytes = atgpu.as_ref().map_or(1, |(_, word_bytes)| *word_bytes);
    let transfer = file
        .table("transfer", |section| read_transfer(section, word_bytes))
        .unwrap_or_default();
    let operations = file.table("operations", Weights::read);
    let overlap = file.table("overlap", Overlap::read);
    let kothapalli = file.table("kothapalli", Kothapalli::read);
    let coalescing = file.table("coalescing", Coalescing::read);
    let banks = file.table("banks", Banks::read);
    file.finish();
    let (atgpu, word_bytes) = atgpu?;
    Some(Machine {
        name: name?.into(),
        atgpu,
        word_bytes,
        device,
        transfer,
        operations: operations.unwrap_or_default(),
        overlap: overlap.unwrap_or_default(),
        kothapalli,
        coalescing: coalescing.unwrap_or_default(),
        banks: banks.unwrap_or_default(),
    })
}

fn read_atgpu(mut section: Section<'_, '_>) -> Option<(Atgpu, i64)> {
    let mut need = |key: &'static str, rule: Rule| {
        let number = section.whole(key, rule);
        if number.is_none() && !section.has(key) {
            section.missing(key, format!("{key} = 32"));
        }
        number
    };
    let cores = need("p", Rule::Positive);
    let cores_per_mp = need("b", Rule::Positive);
    let shared_words = need("M", Rule::NotNegative);
    let global_words = need("G", Rule::NotNegative);
    let word_bytes = section.whole("word_bytes", Rule::Positive).unwrap_or(8);
    section.finish();
    let atgpu = Atgpu {
        cores: cores?,
        cores_per_mp: cores_per_mp?,
        shared_words: shared_words?,
        global_words: global_words?,
    };
    Some((atgpu, word_bytes))
}

fn read_device(mut section: Section<'_, '_>) -> Option<Device> {
    let device = Device {
        multiprocessors: section.whole("multiprocessors", Rule::Positive),
        max_blocks: section.whole("max_blocks", Rule::Positive),
        clock: section
            .figure("clock_ghz", Rule::Positive)
            .map(|ghz| CyclesPerMilli::from_ghz(&ghz)),
        latency: section
            .figure("latency_cycles", Rule::NotNegative)
            .map(CyclesPerBlock::new),
        peak_gflops: section.figure("peak_gflops", Rule::Positive),
        memory_gb_s: section.figure("memory_gb_s", Rule::Positive),
        bus_gb_s: section.figure("bus_gb_s", Rule::Positive),
    };
    section.finish();
    Some(device)
}

fn read_transfer(mut section: Section<'_, '_>, word_bytes: i64) -> Option<Transfer> {
    let alpha = section.per_direction("alpha_ms", Rule::NotNegative);
    let beta = section.per_direction("beta_ms_per_byte", Rule::NotNegative);
    let synchronisation = section.figure("sync_ms", Rule::NotNegative);
    section.finish();
    Some(Transfer {
        alpha: alpha.map(|(inward, outward)| PerDirection {
            inward: Millis::new(inward),
            outward: Millis::new(outward),
        }),
        beta: beta.map(|(inward, outward)| PerDirection {
            inward: MillisPerByte::new(inward).per_word(word_bytes),
            outward: MillisPerByte::new(outward).per_word(word_bytes),
        }),
        synchronisation: synchronisation.map(Millis::new),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Source;

    const LEAST: &str = "name = \"t\"\n[atgpu]\np = 64\nb = 32\nM = 1024\nG = 4096\n";

    fn faults(text: &str) -> Vec<(String, usize)> {
        let source = Source::new("t.toml", text);
        Machine::from_toml(text)
            .expect_err(text)
            .iter()
            .map(|fault| {
                let line = fault
                    .primary()
                    .map(|label| source.line_of(label.span.start));
                (fault.code.short_name().to_owned(), line.unwrap_or(0))
            })
            .collect()
    }

    #[test]
    fn built_in_machines_are_complete_and_named_as_listed() {
        for (name, text) in BUILT_IN {
            let machine = Machine::from_toml(text).expect(name);
            assert_eq!(&*machine.name, *name);
            assert!(machine.alpha().is_ok() && machine.beta().is_ok());
            assert!(machine.clock().is_ok() && machine.latency().is_ok());
            assert!(machine.multiprocessors().is_ok() && machine.max_blocks().is_ok());
            assert!(machine.synchronisation().is_ok());
        }
    }

    #[test]
    fn every_figure_of_a_built_in_machine_has_its_source() {
        for (name, text) in BUILT_IN {
            let figures = text.lines().filter(|line| !line.starts_with('#'));
            for line in figures.filter(|line| line.contains(" = ")) {
                let sourced = line.starts_with("name")
                    || ["[sheet]", "[guide]", "[paper", "paper 1", "assumed"]
                        .iter()
                        .any(|source| line.contains(source));
                assert!(sourced, "{name}: {line}");
            }
        }
    }

    #[test]
    fn the_card_of_paper_one_has_its_published_figures() {
        let machine = Machine::built_in("gtx650").expect("built in");
        assert_eq!(machine.atgpu.numbers(), [384, 32, 12288, 1 << 28]);
        assert_eq!(machine.word_bytes, 4);
        assert_eq!(machine.multiprocessors(), Ok(2));
        assert_eq!(machine.max_blocks(), Ok(16));
        let clock = machine.clock().expect("has a clock");
        assert_eq!(clock, &CyclesPerMilli::new(1_058_000));
        // 8.318392e-8 ms a byte, 4 bytes a word, exactly.
        let beta = machine.beta().expect("has a β").inward.clone();
        let expected = Rational::new(8_318_392_i64 * 4, 100_000_000_000_000_i64);
        assert_eq!(Some(beta.value().clone()), expected);
    }

    #[test]
    fn only_the_abstract_machine_is_required() {
        let machine = Machine::from_toml(LEAST).expect("enough");
        assert_eq!(machine.word_bytes, 8);
        let missing = machine.latency().expect_err("no [device]");
        assert_eq!(missing.section, "device");
        assert_eq!(Diagnostic::of(&missing).code.short_name(), "machine::key");
    }

    #[test]
    fn faults_name_their_line() {
        let key = |line| ("machine::key".to_owned(), line);
        let value = |line| ("machine::value".to_owned(), line);
        assert_eq!(faults(&format!("{LEAST}q = 1\n")), [key(7)]);
        assert_eq!(faults(&format!("{LEAST}[devize]\n")), [key(7)]);
        assert_eq!(
            faults("name = \"t\"\n[atgpu]\np = 64\nb = 0\nM = -1\nG = 1.5\n"),
            [value(4), value(5), value(6)]
        );
        assert_eq!(faults("name = \"t\"\n"), [key(1)]);
        assert_eq!(faults("[atgpu]\np = 1\nb = 1\nM = 1\n"), [key(1), key(1)]);
        for bad in ["nan", "inf", "-inf", "0", "0.0", "-1.0", "\"fast\"", "true"] {
            assert_eq!(
                faults(&format!("{LEAST}[device]\nclock_ghz = {bad}\n")),
                [value(8)],
                "{bad}"
            );
        }
        assert_eq!(
            faults(&format!("{LEAST}[transfer]\nalpha_ms = {{ inward = 1 }}\n")),
            [key(8)]
        );
        assert_eq!(
            faults(&format!("{LEAST}device = 3\n[transfer]\n")),
            [key(7)]
        );
        assert_eq!(faults("name = \n"), [value(1)]);
        for (section, expected) in [
            ("[operations]\nadd = -1\n", value(8)),
            ("[operations]\nshared = 4\n", key(8)),
            ("[overlap]\ncopy_engines = 3\n", value(8)),
            ("[overlap]\nimplicit_sync = 1\n", value(8)),
            ("[overlap]\nengines = 1\n", key(8)),
            ("[coalescing]\nrule = \"warp\"\n", value(8)),
            ("[coalescing]\n", key(7)),
            ("[banks]\nrule = 16\n", value(8)),
            (
                "[kothapalli]\ncores = 8\npipeline_depth = 4\nwarp_threads = 0\nshared_cycles = 4\nglobal_cycles = 500\n",
                value(10),
            ),
            ("[device]\npeak_gflops = 0\n", value(8)),
        ] {
            assert_eq!(
                faults(&format!("{LEAST}{section}")),
                [expected],
                "{section}"
            );
        }
    }

    #[test]
    fn sections_change_what_they_say() {
        let plain = Machine::from_toml(LEAST).expect("enough");
        assert_eq!(
            (plain.coalescing, plain.banks),
            (Coalescing::Blocks, Banks::Warp)
        );
        assert_eq!(
            plain
                .tariff()
                .map(|_| ())
                .map_err(|missing| missing.section),
            Err("kothapalli")
        );
        for section in [
            "[operations]\nmod = 48\n",
            "[overlap]\nimplicit_sync = true\n",
            "[coalescing]\nrule = \"half-warp\"\n",
            "[banks]\nrule = \"half-warp-broadcast\"\n",
            "[device]\nbus_gb_s = 12.5\n",
        ] {
            let other = Machine::from_toml(&format!("{LEAST}{section}")).expect(section);
            assert_ne!(plain, other, "{section}");
        }
    }

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
