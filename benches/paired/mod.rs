//! What benchmarks of executions against native code share: programs at a point, inputs, and two
//! sides measured in turn.

// Each benchmark takes a part of it.
#![allow(dead_code)]

pub mod bitonic;

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use atgpu::check;
use atgpu::count::Parameters;
use atgpu::exec::{Array, Data, Execution, Input, Options};
use atgpu::meaning::Point;
use atgpu::program::Program;
use atgpu::syntax;
use atgpu::text::Source;

/// b
pub const CORES: usize = 32;

/// A checked program.
pub fn program(text: &str) -> Program {
    let source = Source::new("bench", text);
    let parsed = syntax::parse(&source);
    let algorithm = parsed.algorithm.expect("the program parses");
    let checked = check::check(&source, &algorithm);
    checked
        .program
        .unwrap_or_else(|| panic!("{:?}", checked.diagnostics))
}

/// A program at its parameters.
pub fn point(program: &Program, given: &[(&str, usize)]) -> Point {
    let mut parameters = Parameters::new();
    for (name, value) in given {
        parameters.set(name, *value as i64);
    }
    Point::new(program, [384, CORES as i64, 12288, 1 << 30], &parameters).expect("a point")
}

/// An input by its name and shape.
pub type Given = (&'static str, Data, Vec<usize>);

/// Options with these inputs.
pub fn options(inputs: &[Given], threads: usize) -> Options {
    let inputs = inputs.iter().map(|(name, data, shape)| {
        let array = Array {
            shape: shape.clone(),
            data: data.clone(),
        };
        ((*name).to_owned(), Input::Given(array))
    });
    Options {
        inputs: inputs.collect(),
        threads,
        ..Options::default()
    }
}

/// A program ready to be executed.
pub fn prepared<'p>(program: &'p Program, at: &Point, options: &Options) -> Execution<'p> {
    let execution = Execution::prepare(program, at, options);
    execution.unwrap_or_else(|faults| panic!("{faults:?}"))
}

/// Whole numbers from 0 to before a limit.
pub fn numbers(words: usize, below: i64) -> Vec<i64> {
    (0..words as i64).map(|at| at * 7919 % below).collect()
}

/// A permutation of 0 … n − 1 that is one cycle, n a power of two.
pub fn shuffled(n: usize) -> Vec<i64> {
    let next = |x: usize| (x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)) % n;
    (0..n).map(|x| next(x) as i64).collect()
}

/// The median processor times of two calls that take turns, for about so long. What takes less time
/// than a look at the clock is called many times between two looks.
pub fn in_turn(
    budget: Duration,
    mut one: impl FnMut(),
    mut other: impl FnMut(),
) -> (Duration, Duration) {
    let mut time = |times: u32| {
        let before = now();
        (0..times).for_each(|_| one());
        let between = now();
        (0..times).for_each(|_| other());
        (between - before, now() - between)
    };
    let mut times = 1;
    while times < 1 << 10 && time(times).1 < Duration::from_micros(300) {
        times *= 2;
    }
    let start = Instant::now();
    let (mut ones, mut others) = (Vec::new(), Vec::new());
    while ones.len() < 5 || ones.len() < 301 && start.elapsed() < budget {
        let (one, other) = time(times);
        ones.push(one);
        others.push(other);
    }
    let median = |mut spans: Vec<Duration>| {
        spans.sort_unstable();
        spans[spans.len() / 2] / times
    };
    (median(ones), median(others))
}

/// The time this thread has had on a processor where the system tells, so that a busy machine
/// does not spoil the ratio; else the clock.
pub fn now() -> Duration {
    // The figure is brought up to date when the thread is scheduled.
    std::thread::yield_now();
    let on_processor = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = on_processor.and_then(|text| text.split(' ').next()?.parse().ok());
    match nanoseconds {
        Some(nanoseconds) if threads() == 1 => Duration::from_nanos(nanoseconds),
        _ => START.elapsed(),
    }
}

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// `THREADS` in the environment.
pub fn threads() -> usize {
    let threads = std::env::var("THREADS").ok();
    threads
        .and_then(|threads| threads.parse().ok())
        .unwrap_or(1)
}

/// How many times as long the first took.
pub fn ratio(executed: Duration, native: Duration) -> f64 {
    executed.as_secs_f64() / native.as_secs_f64()
}
