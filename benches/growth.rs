//! How the time of a derivation grows with the program: with statements in a kernel, with kernels one
//! after the other, and with loops and conditions inside each other. Prints the table of
//! `docs/performance.md` and draws `docs/derive-growth.svg`.

use std::hint::black_box;
use std::time::{Duration, Instant};

use atgpu::count::Parameters;
use atgpu::derive::derive;
use atgpu::report::figure::{Kind, Series};

mod drawn;

/// Runs of each size, and the time after which no further one is started.
const RUNS: (usize, Duration) = (5, Duration::from_secs(2));
/// How many of each thing.
const SIZES: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];

/// The program of a size.
type Text = fn(usize) -> String;

/// What grows, by name.
const PROGRAMS: [(&str, Text); 5] = [
    ("statements of a kernel", statements),
    ("kernels", kernels),
    ("conditions inside each other", conditions),
    ("loops inside each other", loops),
    ("triangular loops", triangles),
];

fn main() {
    let names: Vec<&str> = PROGRAMS.iter().map(|(name, ..)| *name).collect();
    println!("| size | {} |", names.join(" | "));
    println!("|---|{}", "---|".repeat(names.len()));
    let empty = |name: &&str| Series {
        name: (*name).to_owned(),
        kind: Kind::Line,
        points: Vec::new(),
    };
    let mut series: Vec<Series> = names.iter().map(empty).collect();
    for size in SIZES {
        let mut cells = Vec::new();
        for ((_, text), series) in PROGRAMS.iter().zip(&mut series) {
            let millis = median(&text(size)).as_secs_f64() * 1e3;
            series.points.push((size as f64, millis));
            cells.push(format!("{millis:.1} ms"));
        }
        println!("| {size} | {} |", cells.join(" | "));
    }
    drawn::over_sizes("derive-growth", ["how many", "time to derive (ms)"], series);
}

/// The median time of a derivation, after one that is not measured.
fn median(text: &str) -> Duration {
    let program = atgpu::program(text).expect("it parses");
    let run = || {
        let start = Instant::now();
        black_box(derive(black_box(&program), &Parameters::new()));
        start.elapsed()
    };
    run();
    let start = Instant::now();
    let mut times = Vec::new();
    while times.is_empty() || times.len() < RUNS.0 && start.elapsed() < RUNS.1 {
        times.push(run());
    }
    times.sort();
    times[times.len() / 2]
}

/// A program of kernels with these bodies.
fn program(bodies: &[String]) -> String {
    let mut text =
        "algorithm T(n)\n  require n ≥ 1\n  require b | n\n  input A[n]\n  output B[n]\n  \
                    global a[n]\n  shared _s[b]\n  a ⇚ A\n"
            .to_owned();
    for body in bodies {
        text +=
            "for all mp_i ∈ MP[0..n/b-1] in parallel do\nfor all c_{i,j} ∈ C_i in parallel do\n";
        text += body;
        text += "end for\nend for\n";
    }
    text + "  B ⇚ a\n"
}

/// Reads, computes and writes in turns.
fn statements(size: usize) -> String {
    let lines = [
        "_s[j] ⇐ a[ib + j]\n",
        "_s[j] ← 2·_s[j] + j\n",
        "a[ib + j] ⇐ _s[j]\n",
        "_s[j] ← _s[b - 1 - j]\n",
    ];
    program(&[lines.iter().cycle().take(size).copied().collect()])
}

fn kernels(size: usize) -> String {
    program(&vec!["_s[j] ⇐ a[ib + j]\n".to_owned(); size])
}

fn nested(size: usize, open: impl Fn(usize) -> String, close: &str) -> String {
    let opened: String = (0..size).map(open).collect();
    program(&[format!("{opened}_s[j] ⇐ a[ib + j]\n{}", close.repeat(size))])
}

fn conditions(size: usize) -> String {
    nested(size, |at| format!("if j ≥ {at} then\n"), "end if\n")
}

fn loops(size: usize) -> String {
    nested(size, |at| format!("for s{at} = 0 → n do\n"), "end for\n")
}

fn triangles(size: usize) -> String {
    let end = |at: usize| match at {
        0 => "n".to_owned(),
        _ => format!("s{}", at - 1),
    };
    nested(
        size,
        |at| format!("for s{at} = 0 → {} do\n", end(at)),
        "end for\n",
    )
}
