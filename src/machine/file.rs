//! Reading a machine file: each section once, every fault with its line.

use toml::de::DeTable;

use crate::diag::Diagnostic;
use crate::machine::error::MachineError;
use crate::machine::memory_rules::{Banks, Coalescing};
use crate::machine::reader::{Rule, Section, span_of};
use crate::machine::roofline::Roofline;
use crate::machine::sections::{Kothapalli, Overlap, Units, Weights};
use crate::machine::source;
use crate::machine::units::{CyclesPerBlock, CyclesPerMilli, Millis, MillisPerByte};
use crate::machine::{Atgpu, Device, Machine, PerDirection, Transfer};
use crate::text::Span;

impl Machine {
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
    let units = file.table("units", Units::read);
    let overlap = file.table("overlap", Overlap::read);
    let roofline = file.table("roofline", Roofline::read);
    let kothapalli = file.table("kothapalli", Kothapalli::read);
    let coalescing = file.table("coalescing", Coalescing::read);
    let banks = file.table("banks", Banks::read);
    let sources = file.table("source", |section| source::read(section, root.get_ref()));
    file.finish();
    let (atgpu, word_bytes) = atgpu?;
    let machine = Machine {
        name: name?.into(),
        atgpu,
        word_bytes,
        device,
        transfer,
        operations: operations.unwrap_or_default(),
        units: units.unwrap_or_default(),
        overlap: overlap.unwrap_or_default(),
        roofline: roofline.unwrap_or_default(),
        kothapalli,
        coalescing: coalescing.unwrap_or_default(),
        banks: banks.unwrap_or_default(),
        sources: sources.unwrap_or_default().into(),
    };
    errors.extend(too_fast(&machine, root.get_ref()));
    Some(machine)
}

/// A λ that moves data faster than the memory does.
fn too_fast(machine: &Machine, file: &DeTable<'_>) -> Option<MachineError> {
    let faster = machine.beyond_peak()?;
    let device = file.get("device")?.get_ref().as_table()?;
    Some(MachineError::TooFast {
        faster,
        span: span_of(device.get("latency_cycles")?),
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
        memory_efficiency: section.figure("memory_efficiency", Rule::Part),
        bus_gb_s: section.figure("bus_gb_s", Rule::Positive),
    };
    // A part of nothing would be ignored wherever λ is given.
    if device.memory_efficiency.is_some() {
        section.need("memory_gb_s", "memory_gb_s = 256");
    }
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
    use crate::machine::BUILT_IN;
    use crate::number::Rational;
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
            let machine = Machine::from_toml(text).expect(name);
            let file = DeTable::parse(text).expect(name);
            let mut figures = 0;
            for (section, value) in file.get_ref() {
                let section = section.get_ref().as_ref();
                let Some(table) = value.get_ref().as_table().filter(|_| section != "source") else {
                    continue;
                };
                for key in table.keys() {
                    let key = key.get_ref().as_ref();
                    let mut sources = machine.sources.iter();
                    let found =
                        sources.find(|source| (source.section, &*source.key) == (section, key));
                    assert!(found.is_some(), "{name}: {section}.{key}");
                    figures += 1;
                }
            }
            assert_eq!(figures, machine.sources.len(), "{name}");
        }
    }

    /// With h100, 128 B at 0.83 of 3350 GB/s are 0.0460 ns, at 1.98 cycles a ns 0.0911 cycles; the card
    /// of paper 1 alone has a λ of its own.
    #[test]
    fn a_block_costs_what_the_memory_makes_it() {
        for (name, _) in BUILT_IN {
            let machine = Machine::built_in(name).expect("built in");
            let lambda = machine.latency().expect("it has one").to_f64();
            let bandwidth = machine.device.memory_gb_s.clone().expect("it has one");
            let cycles_a_ns = machine.clock().expect("it has one").to_f64() / 1e6;
            let at_peak = 128.0 / bandwidth.to_f64() * cycles_a_ns;
            assert!(
                lambda > at_peak && lambda < 1.5 * at_peak,
                "{name}: {lambda}"
            );
            assert_eq!(
                machine.device.latency.is_some(),
                *name == "gtx650",
                "{name}"
            );
        }
        let machine = Machine::built_in("h100").expect("built in");
        let lambda = |machine: &Machine| machine.latency().expect("it has one").to_f64();
        assert!((lambda(&machine) - 0.0911).abs() < 1e-4);
        // Wider words and wider MPs make larger blocks; a faster clock counts more cycles for them.
        let wide = Machine {
            word_bytes: 8,
            ..machine.clone()
        };
        assert_eq!(lambda(&wide), 2.0 * lambda(&machine));
        let narrow = machine.with([("b", 8)]).expect("in range");
        assert_eq!(lambda(&narrow), lambda(&machine) / 4.0);
        let fast = machine.with([("gamma", 3_960_000)]).expect("in range");
        assert_eq!(lambda(&fast), 2.0 * lambda(&machine));
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
        // 1.741965e-7 ms a byte, 4 bytes a word, exactly.
        let beta = machine.beta().expect("has a β").inward.clone();
        let expected = Rational::new(1_741_965_i64 * 4, 10_000_000_000_000_i64);
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
            ("[overlap]\ncopy_engines = 0\n", value(8)),
            (
                "[device]\nmemory_gb_s = 255\nmemory_efficiency = 1.1\n",
                value(9),
            ),
            ("[device]\nmemory_efficiency = 0.9\n", key(7)),
            (
                "[device]\nclock_ghz = 1\nmemory_gb_s = 255\nlatency_cycles = 1\n",
                value(10),
            ),
            (
                "[source.atgpu]\np = { how = \"guessed\", from = \"x\" }\n",
                value(8),
            ),
            ("[source.atgpu]\np = { how = \"sheet\" }\n", key(8)),
            ("[source.atgpu]\np = \"sheet\"\n", value(8)),
            (
                "[source.atgpu]\nq = { how = \"sheet\", from = \"x\" }\n",
                key(8),
            ),
            ("[source.atgpus]\n", key(7)),
            (
                "[source.device]\nclock_ghz = { how = \"sheet\", from = \"x\" }\n",
                key(8),
            ),
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
            ("[roofline]\nissue_per_cycle = 0\n", value(8)),
            ("[roofline]\nl2_bytes = 1.5\n", value(8)),
            ("[roofline]\nl2 = 1\n", key(8)),
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
                .cycle_rules()
                .map(|_| ())
                .map_err(|missing| missing.section),
            Err("kothapalli")
        );
        for section in [
            "[operations]\nmod = 48\n",
            "[overlap]\nimplicit_sync = true\n",
            "[coalescing]\nrule = \"half-warp\"\n",
            "[coalescing]\nrule = \"sectors\"\n",
            "[roofline]\nl2_bytes = 0\n",
            "[roofline]\nlaunch_ms = 0.005\n",
            "[banks]\nrule = \"half-warp-broadcast\"\n",
            "[device]\nbus_gb_s = 12.5\n",
            "[source.atgpu]\nb = { how = \"measured\", from = \"us\" }\n",
            // As fast as the memory is not faster: 32 words of 8 bytes at 256 GB/s.
            "[device]\nclock_ghz = 1\nmemory_gb_s = 256\nlatency_cycles = 1\n",
        ] {
            let other = Machine::from_toml(&format!("{LEAST}{section}")).expect(section);
            assert_ne!(plain, other, "{section}");
        }
    }
}
