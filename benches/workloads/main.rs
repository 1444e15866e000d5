//! Twenty-eight programs against native Rust that does the same job unchecked: arrays copied to
//! device arrays, every warp staged through 32-word buffers, 64-bit words, one thread, both sides in
//! turn. Prints the medians of their processor times and the ratio, for the size that fills caches
//! and for a small launch, and the geometric means.
//!
//! ```text
//! cargo bench --bench workloads                 all of them
//! cargo bench --bench workloads -- stencil      those whose name has this in it
//! cargo bench --bench workloads -- --growth     from 2^10 words up, drawn in docs/run-growth.svg
//! cargo bench --bench workloads -- --launches   what a launch costs besides its words
//! cargo bench --bench workloads -- --memory     what both sides hold at most; on Linux
//! ```

#[path = "../drawn/mod.rs"]
mod drawn;
#[path = "../paired/mod.rs"]
mod paired;

mod dense;
mod graphs;
mod launches;
mod memory;
mod scans;
mod sorts;
mod vectors;

use std::hint::black_box;
use std::time::Duration;

use atgpu::exec::{Data, Unwatched};
use atgpu::report::figure::{Kind, Series};

use paired::{Given, in_turn, options, point, prepared, program, ratio, threads};

/// A program at a size, with native code for the same.
pub struct Case {
    /// The text of the program.
    pub program: &'static str,
    /// Its size.
    pub parameters: Vec<(&'static str, usize)>,
    /// Its data.
    pub inputs: Vec<Given>,
    /// The array whose words both sides must agree on.
    pub output: &'static str,
    /// Native code: writes what comes back to the host.
    pub native: Box<dyn FnMut(&mut Data)>,
}

/// A program with the sizes it is measured at, and how it is made at one of them.
struct Workload {
    name: &'static str,
    large: usize,
    small: usize,
    case: fn(usize) -> Case,
}

const fn workload(
    name: &'static str,
    large: usize,
    small: usize,
    case: fn(usize) -> Case,
) -> Workload {
    Workload {
        name,
        large,
        small,
        case,
    }
}

const WORKLOADS: [Workload; 28] = [
    workload("vector addition", 1_000_000, 1024, vectors::addition),
    workload("saxpy (float)", 1_000_000, 1024, vectors::saxpy),
    workload("convolution", 1 << 20, 1024, vectors::convolution),
    workload("stencil 1-D", 1 << 20, 1024, vectors::stencil_1d),
    workload("stencil 2-D", 1024, 64, dense::stencil_2d),
    workload("FFT pass (float)", 1 << 18, 1024, vectors::fft_pass),
    workload("Mandelbrot (float)", 1 << 14, 1024, vectors::mandelbrot),
    workload("transpose naive", 1024, 64, dense::transpose_naive),
    workload("transpose tiled", 1024, 64, dense::transpose_tiled),
    workload("transpose padded", 1024, 64, dense::transpose_padded),
    workload("matmul naive", 256, 32, dense::matmul_naive),
    workload("matmul tiled", 256, 32, dense::matmul_tiled),
    workload("matrix-vector rows", 1024, 32, dense::vector_rows),
    workload("matrix-vector columns", 1024, 32, dense::vector_columns),
    workload("matrix-vector warp", 1024, 32, dense::vector_warp),
    workload("Floyd-Warshall tiled", 256, 64, dense::floyd_warshall),
    workload("scan Hillis-Steele", 1 << 18, 1024, scans::hillis_steele),
    workload("scan Blelloch", 1 << 20, 1024, scans::blelloch),
    workload("scan any n", 1 << 20, 1024, scans::any_n),
    workload("compaction", 1 << 20, 1024, scans::compaction),
    workload("radix pass", 1 << 20, 1024, scans::radix_pass),
    workload("histogram", 1 << 20, 1024, sorts::histogram),
    workload("bitonic sort", 1 << 16, 1024, sorts::bitonic),
    workload("odd-even sort", 64, 4, sorts::odd_even),
    workload("merge", 1 << 18, 1024, sorts::merge),
    workload("sparse matrix-vector", 1 << 16, 1024, graphs::sparse),
    workload("breadth-first search", 256, 32, graphs::breadth_first),
    workload("list ranking local", 1 << 18, 1024, graphs::list_ranking),
];

/// What both sides took.
struct Measured {
    executed: Duration,
    native: Duration,
}

impl Measured {
    fn ratio(&self) -> f64 {
        ratio(self.executed, self.native)
    }

    fn print(&self, name: &str, size: usize) {
        let (executed, native, ratio) = (self.executed, self.native, self.ratio());
        println!("{name} {size}: executed {executed:.2?}, native {native:.2?}, ratio {ratio:.2}");
    }
}

/// Both sides of a case, which must agree.
fn measure(case: Case, budget: Duration) -> Measured {
    let checked = program(case.program);
    let point = point(&checked, &case.parameters);
    let mut options = options(&case.inputs, threads());
    options.skip_ensures = true;
    let mut execution = prepared(&checked, &point, &options);
    drop((options, case.inputs));
    let outcome = execution.run(&Unwatched).expect("it runs");
    let expected = &outcome.host[case.output].array.data;
    let mut result = match expected {
        Data::Int(words) => Data::Int(vec![0; words.len()]),
        Data::Float(words) => Data::Float(vec![0.0; words.len()]),
    };
    let mut native = case.native;
    native(&mut result);
    assert!(agree(&result, expected), "native code does another job");
    drop(outcome);
    let execute = || {
        black_box(execution.execute(&Unwatched).expect("it runs"));
    };
    let (executed, native) = in_turn(budget, execute, || native(&mut result));
    Measured { executed, native }
}

fn agree(one: &Data, other: &Data) -> bool {
    match (one, other) {
        (Data::Int(one), Data::Int(other)) => one == other,
        (Data::Float(one), Data::Float(other)) => {
            let near = |(x, y): (&f64, &f64)| (x - y).abs() <= 1e-9 * (1.0 + x.abs());
            one.len() == other.len() && one.iter().zip(other).all(near)
        }
        _ => false,
    }
}

fn geometric_mean(ratios: &[f64]) -> f64 {
    (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, side @ ..] = &arguments[..]
        && flag == memory::FLAG
    {
        let side: Vec<&str> = side.iter().map(String::as_str).collect();
        return memory::measure(&WORKLOADS, &side);
    }
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let names: Vec<&String> = arguments
        .iter()
        .filter(|text| !text.starts_with('-'))
        .collect();
    let wanted = |workload: &&Workload| {
        names.is_empty()
            || names
                .iter()
                .any(|name| workload.name.contains(name.as_str()))
    };
    let chosen: Vec<&Workload> = WORKLOADS.iter().filter(wanted).collect();
    if has("--launches") {
        return launches::measure();
    }
    if has("--growth") {
        return growth(&chosen);
    }
    if has("--memory") {
        return memory::compare(&chosen);
    }
    let (mut large, mut small) = (Vec::new(), Vec::new());
    for workload in chosen {
        let Workload { name, case, .. } = workload;
        let full = measure(case(workload.large), Duration::from_secs(2));
        full.print(name, workload.large);
        large.push(full.ratio());
        if has("--large") {
            continue;
        }
        let few = measure(case(workload.small), Duration::from_millis(500));
        few.print(name, workload.small);
        small.push(few.ratio());
    }
    println!("geometric mean: large {:.2}", geometric_mean(&large));
    if !small.is_empty() {
        println!("geometric mean: small {:.2}", geometric_mean(&small));
    }
}

/// Whose ratio is drawn as it grows: they are of vectors.
const GROWING: [&str; 8] = [
    "vector addition",
    "stencil 1-D",
    "FFT pass (float)",
    "scan any n",
    "compaction",
    "merge",
    "histogram",
    "list ranking local",
];

/// The ratio at 2^10 to 2^24 words, printed and drawn.
fn growth(workloads: &[&Workload]) {
    let mut series = Vec::new();
    for workload in workloads
        .iter()
        .filter(|workload| GROWING.contains(&workload.name))
    {
        let mut points = Vec::new();
        for bits in (10..=24).step_by(2) {
            let size = 1 << bits;
            let ratio = measure((workload.case)(size), Duration::from_secs(1)).ratio();
            println!("{},{size},{ratio:.3}", workload.name);
            points.push((size as f64, ratio));
        }
        series.push(Series {
            name: workload.name.to_owned(),
            kind: Kind::Line,
            points,
        });
    }
    drawn::over_sizes("run-growth", ["words", "executed / native"], series);
}

/// The words of an array of ints.
pub fn ints(data: &mut Data) -> &mut [i64] {
    match data {
        Data::Int(words) => words,
        Data::Float(_) => unreachable!("an array of ints"),
    }
}

/// The words of an array of floats.
pub fn floats(data: &mut Data) -> &mut [f64] {
    match data {
        Data::Float(words) => words,
        Data::Int(_) => unreachable!("an array of floats"),
    }
}
