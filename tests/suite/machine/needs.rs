//! A figure of a machine file that needs another one: without that it has a default, or what lacks it is said.
//! Nothing that a file says is ignored without a word.

use std::collections::HashMap;

use crate::support::programs::load;
use atgpu::cost::overlap::plan::{Bytes, Plan};
use atgpu::cost::{MODELS, Subject};
use atgpu::count::{Charged, Counts, Parameters};
use atgpu::derivation::evaluate::{charged, evaluate};
use atgpu::derive::derive_charged;
use atgpu::machine::{CycleRules, Machine};
use atgpu::meaning::Point;
use atgpu::number::BigInt;
use atgpu::program::Program;

/// Words that neighbours wrote, products, remainders, a block read again and again, and bytes both ways.
const WORK: &str = "\
algorithm Work(n)
  require n ≥ 1
  input A[n*b], D[b]
  output C[n*b]
  global a[n*b], d[b]
  shared _x[b], _y[b]
  a ⇚ A
  d ⇚ D
  for all mp_i ∈ MP[0..n-1] in parallel do
    for all c_{i,j} ∈ C_i in parallel do
      for r = 0 → 7 do
        _x[j] ⇐ d[j]
      end for
      _x[j] ⇐ a[i*b + j]
      _y[j] ← _x[2*j mod b] * 3 + _x[j] mod 5
      a[i*b + j] ⇐ _y[j]
    end for
  end for
  C ⇚ a
end algorithm
";

/// Every key of a machine file but the name, p and the sources, with two values that differ in what some model or
/// `overlap` says. The first of them are one file.
const FIGURES: &[(&str, &str, [&str; 2])] = &[
    ("atgpu", "b", ["64", "32"]),
    ("atgpu", "M", ["1024", "200"]),
    ("atgpu", "word_bytes", ["4", "8"]),
    ("device", "multiprocessors", ["4", "2"]),
    ("device", "max_blocks", ["16", "1"]),
    ("device", "clock_ghz", ["1", "2"]),
    ("device", "latency_cycles", ["20", "30"]),
    ("device", "peak_gflops", ["500", "0.001"]),
    ("device", "memory_gb_s", ["100", "90"]),
    ("device", "memory_efficiency", ["0.9", "0.8"]),
    ("device", "bus_gb_s", ["6", "5"]),
    ("transfer", "alpha_ms", ["0.01", "0.02"]),
    ("transfer", "beta_ms_per_byte", ["1e-7", "2e-7"]),
    ("transfer", "sync_ms", ["0.01", "0.02"]),
    ("operations", "mul", ["2", "3"]),
    ("units", "mod", ["150", "250"]),
    ("overlap", "copy_engines", ["2", "1"]),
    ("overlap", "implicit_sync", ["false", "true"]),
    ("overlap", "gap_ms", ["0.002", "0.003"]),
    ("overlap", "bidirectional_ms_per_byte", ["2e-7", "3e-7"]),
    ("overlap", "mapped_ms_per_byte", ["2e-7", "3e-7"]),
    ("overlap", "stream_creation_ms", ["0.1", "0.2"]),
    ("kothapalli", "cores", ["8", "16"]),
    ("kothapalli", "pipeline_depth", ["4", "5"]),
    ("kothapalli", "warp_threads", ["32", "24"]),
    ("kothapalli", "warps_per_thread_block", ["2", "64"]),
    ("kothapalli", "shared_cycles", ["4", "400"]),
    ("kothapalli", "global_cycles", ["500", "600"]),
    ("roofline", "issue_per_cycle", ["2", "1"]),
    ("roofline", "l2_bytes", ["1000000", "0"]),
    ("roofline", "l2_gb_s", ["200", "300"]),
    ("roofline", "latency_cycles", ["300", "400"]),
    ("roofline", "dependent_cycles", ["60", "70"]),
    ("roofline", "cached_cycles", ["50", "60"]),
    ("roofline", "shared_cycles", ["20", "30"]),
    ("roofline", "start_cycles", ["7", "8"]),
    ("roofline", "warp_size", ["32", "16"]),
    ("roofline", "shared_banks", ["32", "8"]),
    ("roofline", "load_store_units", ["1", "2"]),
    ("roofline", "address_instructions", ["2", "3"]),
    ("roofline", "max_warps", ["64", "2"]),
    ("roofline", "max_threads", ["2048", "64"]),
    ("roofline", "mps_per_thread_block", ["2", "8"]),
    ("roofline", "warps_per_mp", ["4", "16"]),
    ("roofline", "launch_ms", ["0.005", "0.006"]),
    ("coalescing", "rule", ["\"sectors\"", "\"blocks\""]),
    ("banks", "rule", ["\"warp\"", "\"half-warp-broadcast\""]),
];

/// Those that need no other figure to be left out: a file must have the first two, and a rule is its section.
const REQUIRED: [&str; 2] = ["b", "M"];

/// A file of all figures but one, another of which has its second value.
fn file(without: Option<usize>, changed: Option<usize>) -> String {
    let mut text = String::from("name = \"t\"\n");
    let mut section = "";
    for (at, (table, key, values)) in FIGURES.iter().enumerate() {
        if *table != section {
            section = table;
            text += &format!("[{section}]\n");
            if section == "atgpu" {
                text += "p = 256\nG = 100000000\n";
            }
        }
        let is_changed = usize::from(changed == Some(at));
        if without != Some(at) {
            text += &format!("{key} = {}\n", values[is_changed]);
        }
    }
    let is_rule = |at: &usize| ["coalescing", "banks"].contains(&FIGURES[*at].0);
    match without.filter(is_rule) {
        // A section without its one key says nothing.
        Some(at) => text.replace(&format!("[{}]\n", FIGURES[at].0), ""),
        None => text,
    }
}

/// What the models and `overlap` say of the program at a few points, on machines that differ little.
struct Told {
    program: Program,
    known: HashMap<String, (Counts<BigInt>, Charged)>,
}

impl Told {
    fn counted(&mut self, n: i64, machine: &Machine) -> &(Counts<BigInt>, Charged) {
        let rules: CycleRules = machine.rules();
        let numbers = machine.atgpu.numbers();
        let program = &self.program;
        self.known
            .entry(format!("{n} {numbers:?} {rules:?}"))
            .or_insert_with(|| {
                let given: Parameters = [("n", n)].into_iter().collect();
                let point = Point::new(program, numbers, &given).expect("admitted");
                let b = [("b", numbers[1])].into();
                let derivation = derive_charged(program, &b, Some(&rules));
                let counts = evaluate(program, &derivation, &point).expect("closed");
                let charged = charged(program, &derivation, &point).expect("closed");
                (counts.counts.upper(), charged)
            })
    }

    /// Of a file, and of the same with units so fast that MPs wait for latencies instead.
    fn of(&mut self, text: &str) -> String {
        let waiting = text.replace("mod = 150", "mod = 1");
        let waiting = waiting.replace("load_store_units = 1\n", "load_store_units = 32\n");
        self.of_one(text) + &self.of_one(&waiting)
    }

    fn of_one(&mut self, text: &str) -> String {
        let machine = match Machine::from_toml(text) {
            Ok(machine) => machine,
            Err(faults) => return format!("{}", faults[0].message),
        };
        let mut told = String::new();
        for n in [1, 3000] {
            let (counts, charged) = self.counted(n, &machine);
            let subject = Subject::of(counts).with_charges(charged);
            for model in MODELS {
                told += &match model.estimate(&subject, &machine) {
                    Ok(estimate) => format!("{:?}\n", estimate.figures),
                    Err(missing) => format!("{missing}\n"),
                };
            }
            let bytes = Bytes::of(counts, &machine);
            told += &match Plan::of(bytes, 0.001, &machine, 8) {
                Ok(plan) => match plan.missing_peak {
                    Some(missing) => format!("{:?} {missing}\n", plan.choices),
                    None => format!("{plan:?}\n"),
                },
                Err(missing) => format!("{missing}\n"),
            };
        }
        told
    }
}

fn told() -> Told {
    Told {
        program: load("work", WORK).0,
        known: HashMap::new(),
    }
}

#[test]
fn every_figure_says_something() {
    let mut told = told();
    let all = told.of(&file(None, None));
    assert!(!all.contains("does not say"), "{all}");
    for (at, (section, key, _)) in FIGURES.iter().enumerate() {
        assert_ne!(told.of(&file(None, Some(at))), all, "[{section}] {key}");
    }
}

#[test]
fn no_figure_is_ignored_without_a_word_where_another_is_missing() {
    let mut told = told();
    for (without, (_, missing, _)) in FIGURES.iter().enumerate() {
        if REQUIRED.contains(missing) {
            continue;
        }
        let all = told.of(&file(Some(without), None));
        for (at, (section, key, _)) in FIGURES.iter().enumerate() {
            let is_ignored = at != without && told.of(&file(Some(without), Some(at))) == all;
            assert!(
                !is_ignored || all.contains(&format!("`{missing}`")),
                "[{section}] {key} says nothing without {missing}"
            );
        }
    }
}

/// 64 cores to one unit are 64 cycles, however many warps they are: two of 32, or one of the MP's width where
/// nothing tells a warp from an MP.
#[test]
fn an_mp_is_a_warp_where_nothing_says_how_wide_that_is() {
    let mut told = told();
    let units = |text: &str, told: &mut Told| {
        let machine = Machine::from_toml(text).expect("complete");
        let (counts, charged) = told.counted(3000, &machine);
        let model = atgpu::cost::find("roofline").expect("listed");
        let subject = Subject::of(counts).with_charges(charged);
        let estimate = model.estimate(&subject, &machine).expect("complete");
        estimate.time("units").expect("told").to_f64()
    };
    let text = file(None, None).replace("mod = 150", "mod = 0");
    let apart = units(&text, &mut told);
    let as_one = units(
        &text.replace("warp_size = 32\nshared_banks = 32\n", ""),
        &mut told,
    );
    // 750 MPs a multiprocessor, 12 accesses of 64 cycles at 10⁶ cycles a ms: ten global, two of words of others.
    let expected = 750.0 * 12.0 * 64.0 / 1e6;
    assert_eq!((apart, as_one), (expected, expected));
}
