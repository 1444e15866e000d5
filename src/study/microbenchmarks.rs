//! The programs that determine a card by their times, and the figures read off them in addition to a fit.
//!
//! [`crate::study::calibrate()`] fits α and β of each direction, γ, λ and σ to all launches and copies
//! together. Each figure here comes from one kind of kernel: a chain of operations, a chain of accesses, a
//! stream, or rows read by many MPs. Nothing is run here.

use std::iter::successors;

use thiserror::Error;

use crate::machine::Machine;
use crate::number::{BigInt, Rational};
use crate::study::least_squares::solve;
use crate::study::observed::{Event, EventKind, Observation};

/// A cache counts as one if it is this factor faster than the memory.
const FASTER: f64 = 1.25;

/// Times that differ by less than this fraction count as equal.
const SAME: f64 = 0.25;

/// Operations in a step of the first kernel of `machine/operations`.
const OPERATIONS_OF_A_STEP: f64 = 5.0;

/// Number of MPs that read each row of `machine/rereads`.
const REREAD: i64 = 16;

/// The size of the data written to flush the caches before a list is followed, in sizes of the largest array.
const FLUSHED: i64 = 4;

/// MPs of a launch long enough to measure the start of thread blocks, which start one after the other.
const MANY_MPS: i64 = 1 << 14;

/// Threads of a warp on the cards of the roofline's figures.
const WARP: i64 = 32;

/// A program with the points at which it is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Microbenchmark {
    /// The name of its file in `programs/`.
    pub file: &'static str,
    /// The text of the file.
    pub text: &'static str,
    /// The formal parameters.
    pub points: Vec<Vec<(&'static str, i64)>>,
}

/// The required size of arrays, in sizes of the shared cache, so that contents left from a transfer do not
/// matter.
const BEYOND: i64 = 4;

/// The words of the largest array for a card with a shared cache of this many bytes.
pub fn words_beyond(cache_bytes: i64, word_bytes: i64) -> i64 {
    BEYOND * cache_bytes / 3 / word_bytes
}

/// The programs that determine a machine of this b and k', with arrays of at most `most_words` words.
///
/// ```
/// use atgpu::{machine::Machine, study::microbenchmarks};
///
/// let card = Machine::built_in("gtx650").expect("built in");
/// let suite = microbenchmarks(&card, 1 << 20);
/// assert_eq!(suite[0].file, "machine/copies");
/// assert_eq!(suite[0].points.last(), Some(&vec![("n", 1 << 20)]));
/// ```
pub fn microbenchmarks(machine: &Machine, most_words: i64) -> Vec<Microbenchmark> {
    let [_, b, _, global] = machine.atgpu.numbers();
    let most = most_words.min(global / 4).max(4 * b);
    let many = 16 * machine.device.multiprocessors.unwrap_or(16);
    let by_fours = |from: i64, to: i64| {
        successors(Some(from), |n| n.checked_mul(4)).take_while(move |n| *n <= to)
    };
    // Sizes fall from the largest by factors of 4, so that every size is a whole number of rows of b words.
    let rows = (most / b).max(4);
    let sizes = (0..6)
        .rev()
        .map(|halvings| rows >> (2 * halvings))
        .filter(|rows| *rows > 0);
    let sizes: Vec<i64> = sizes.collect();
    let flushed = (FLUSHED * rows).min(global / b - rows - 1).max(1);
    let one = |name, values: Vec<i64>| {
        values
            .into_iter()
            .map(|value| vec![(name, value)])
            .collect()
    };
    let arithmetic = [
        (1, 1_000),
        (1, 10_000),
        (1, 100_000),
        (many, 1_000),
        (many, 4_000),
        (4 * many, 1_000),
    ];
    let [_, _, shared, _] = machine.atgpu.numbers();
    let strides = successors(Some(1), |stride| Some(2 * stride)).take_while(move |it| *it <= b);
    let fits = |stride: &i64| (stride + 1) * b <= shared;
    let widest = strides.clone().take_while(fits).last().unwrap_or(1);
    let conflicts = [1, widest].map(|s| [1_000, 4_000].map(|t| vec![("s", s), ("T", t)]));
    vec![
        Microbenchmark {
            file: "machine/copies",
            text: include_str!("../../programs/machine/copies.atgpu"),
            points: one("n", by_fours(16, most / 2).chain([most]).collect()),
        },
        Microbenchmark {
            file: "machine/launches",
            text: include_str!("../../programs/machine/launches.atgpu"),
            points: one("k", by_fours(1, 1 << 20).collect()),
        },
        Microbenchmark {
            file: "machine/arithmetic",
            text: include_str!("../../programs/machine/arithmetic.atgpu"),
            points: arithmetic.map(|(k, s)| vec![("k", k), ("s", s)]).into(),
        },
        Microbenchmark {
            file: "paper1/vector_addition",
            text: include_str!("../../programs/paper1/vector_addition.atgpu"),
            points: one("n", sizes.iter().map(|rows| rows * b).collect()),
        },
        Microbenchmark {
            file: "machine/chase",
            text: include_str!("../../programs/machine/chase.atgpu"),
            points: [1, flushed]
                .into_iter()
                .flat_map(|m| [64, 512, 4096].map(|s| vec![("n", rows * b), ("s", s), ("m", m)]))
                .collect(),
        },
        Microbenchmark {
            file: "machine/rereads",
            text: include_str!("../../programs/machine/rereads.atgpu"),
            points: sizes
                .iter()
                .map(|rows| rows / REREAD)
                .filter(|m| *m > 0)
                .map(|m| vec![("m", m), ("r", REREAD)])
                .collect(),
        },
        Microbenchmark {
            file: "machine/operations",
            text: include_str!("../../programs/machine/operations.atgpu"),
            points: vec![vec![("k", 4 * many), ("s", 1_000)]],
        },
        Microbenchmark {
            file: "cookbook/strided_copy",
            text: include_str!("../../programs/cookbook/strided_copy.atgpu"),
            points: strides
                .map(|s| vec![("n", (rows / b).max(1) * b), ("s", s)])
                .collect(),
        },
        Microbenchmark {
            file: "machine/banks",
            text: include_str!("../../programs/machine/banks.atgpu"),
            points: conflicts.concat(),
        },
    ]
}

/// Programs with launches decided by data, caches, conflicts or kinds of operations. A fit of γ, λ and σ
/// excludes them.
const APART: [&str; 5] = ["Chase", "Rereads", "Operations", "StridedCopy", "Banks"];

/// Returns true if a fit should use a measurement.
pub fn is_of_fit(observation: &Observation) -> bool {
    let is_launch = |event: &Event| event.kind == EventKind::Launch;
    let name = observation.program.as_deref().unwrap_or_default();
    let launched = observation.event.as_ref().filter(|event| is_launch(event));
    let is_many = |event: &Event| name == "Launches" && event.amount >= MANY_MPS.into();
    !launched.is_some_and(|event| APART.contains(&name) || is_many(event))
}

/// Returns true if a measurement determines only the clock: a chain of operations.
pub fn tells_clock(observation: &Observation) -> bool {
    observation.program.as_deref() == Some("Arithmetic")
}

/// A figure of a card from one kind of kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CardFigure {
    /// The launch of a kernel, in ms.
    Launch,
    /// Cycles between the starts of two thread blocks on the card.
    Start,
    /// Bandwidth of a stream, in 10⁹ bytes a second.
    Memory,
    /// Latency of a word of device memory, in cycles.
    Latency,
    /// Latency of a word of the shared cache, in cycles, for a list that fits in it.
    CacheLatency,
    /// Cycles between two dependent operations.
    Dependent,
    /// Warps that a multiprocessor issues per cycle.
    Issue,
    /// Minimum bytes moved by one access.
    Sector,
    /// Cycles of a step of a loop that reads a shared word.
    SharedStep,
    /// Cycles of one more bank conflict.
    Conflict,
    /// Cycles of a product, in cycles of a sum.
    Product,
    /// Cycles of a division.
    Division,
    /// Cycles of a remainder.
    Remainder,
    /// Bandwidth of the shared cache, in 10⁹ bytes a second.
    CacheBandwidth,
    /// Bytes of the shared cache.
    CacheBytes,
}

/// The measurement of a figure.
#[derive(Debug, Clone, PartialEq)]
pub struct CardAnswer {
    /// The figure.
    pub figure: CardFigure,
    /// Its value and its relative spread, or the reason why there is none.
    pub answer: Result<(f64, f64), Unmeasured>,
}

/// The reason why a figure of a card is not determined.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum Unmeasured {
    /// No row for it.
    #[error("no row tells it")]
    NoRow,
    /// Longer chains do not take longer.
    #[error("longer chains do not take longer than the noise")]
    Noise,
    /// Launches of more thread blocks do not take longer.
    #[error("launches of more thread blocks do not take longer than the noise")]
    NoStart,
    /// Cycles need a clock.
    #[error("it is told in cycles, and the machine has no `clock_ghz`")]
    NoClock,
    /// An issue rate is per multiprocessor.
    #[error("it is told by multiprocessor, and the machine does not say how many")]
    NoMultiprocessors,
    /// The arrays are so small that a cache holds them.
    #[error(
        "the largest arrays that were added lie in the card's cache: `--most-words` says how large"
    )]
    Cached,
    /// No size at which rows read again come faster.
    #[error("rows that are read again come at most {0:.2} times as fast as the memory's stream")]
    NoCache(f64),
    /// Times do not grow with the stride.
    #[error("words far apart take at most {0:.2} times as long as neighbours")]
    NoSector(f64),
    /// Conflicts cost nothing.
    #[error("words that meet in a bank do not take longer than others")]
    NoConflict,
    /// The operation costs nothing.
    #[error("a step with one more of it does not take longer than the noise")]
    NoWeight,
    /// The cache holds every size.
    #[error("the largest array that was read again came from the cache")]
    AllCached,
}

/// Reads the figures off the times of [`microbenchmarks`]. `cache_bytes` is the size of the shared cache as
/// the card reports it, if it does.
pub fn card_figures(
    observed: &[Observation],
    machine: &Machine,
    cache_bytes: Option<i64>,
) -> Vec<CardAnswer> {
    let rows = Rows::of(observed, machine);
    let launch = rows.launch();
    let idle = launch.map_or(0.0, |(ms, _)| ms);
    let memory = rows.stream(idle, cache_bytes);
    let shared = rows.shared();
    let weights = rows.weights(idle);
    let latencies = rows.latencies();
    let cache = match memory {
        Ok((stream, _)) => rows.cache(idle, stream),
        Err(why) => [Err(why); 2],
    };
    [
        (CardFigure::Launch, launch),
        (CardFigure::Start, rows.start()),
        (CardFigure::Memory, memory),
        (CardFigure::Latency, latencies[1]),
        (CardFigure::CacheLatency, latencies[0]),
        (CardFigure::Dependent, rows.dependent()),
        (CardFigure::Issue, rows.issue(idle)),
        (CardFigure::Product, weights[0]),
        (CardFigure::Division, weights[1]),
        (CardFigure::Remainder, weights[2]),
        (CardFigure::SharedStep, shared[0]),
        (CardFigure::Conflict, shared[1]),
        (CardFigure::Sector, rows.sector(idle)),
        (CardFigure::CacheBandwidth, cache[0]),
        (CardFigure::CacheBytes, cache[1]),
    ]
    .map(|(figure, answer)| CardAnswer { figure, answer })
    .into()
}

/// A value and its relative spread.
type Measured = Result<(f64, f64), Unmeasured>;

/// The difference of two times and its relative spread; `None` if it is within the noise.
fn difference(long: (f64, f64), short: (f64, f64)) -> Option<(f64, f64)> {
    let more = long.0 - short.0;
    let noise = long.0 * long.1 + short.0 * short.1;
    (more > noise).then(|| (more, noise / more))
}

/// One launch as numbers.
struct Row<'o> {
    observation: &'o Observation,
    mps: f64,
    operations: f64,
    bytes: f64,
    ms: f64,
    /// The shortest repetition, which other work on the device does not lengthen.
    least: f64,
    spread: f64,
}

impl CardFigure {
    /// The section and the key in a machine file; `None` if no model needs the figure.
    pub fn place(self) -> Option<(&'static str, &'static str)> {
        let section = match self {
            CardFigure::Memory => "device",
            CardFigure::Launch
            | CardFigure::Start
            | CardFigure::Latency
            | CardFigure::Dependent
            | CardFigure::Issue
            | CardFigure::CacheBandwidth
            | CardFigure::CacheBytes => "roofline",
            CardFigure::Product | CardFigure::Division | CardFigure::Remainder => "operations",
            CardFigure::Sector => return Some(("coalescing", "rule")),
            CardFigure::CacheLatency | CardFigure::SharedStep | CardFigure::Conflict => {
                return None;
            }
        };
        Some((section, self.name()))
    }

    /// The name of the figure.
    pub fn name(self) -> &'static str {
        match self {
            CardFigure::Launch => "launch_ms",
            CardFigure::Start => "start_cycles",
            CardFigure::Memory => "memory_gb_s",
            CardFigure::Latency => "latency_cycles",
            CardFigure::CacheLatency => "l2_latency_cycles",
            CardFigure::Dependent => "dependent_cycles",
            CardFigure::Issue => "issue_per_cycle",
            CardFigure::Sector => "sector_bytes",
            CardFigure::SharedStep => "shared_step_cycles",
            CardFigure::Conflict => "conflict_cycles",
            CardFigure::Product => "mul",
            CardFigure::Division => "div",
            CardFigure::Remainder => "mod",
            CardFigure::CacheBandwidth => "l2_gb_s",
            CardFigure::CacheBytes => "l2_bytes",
        }
    }
}

impl Row<'_> {
    fn parameter(&self, name: &str) -> f64 {
        let value = self.observation.parameters.get(name);
        value.map_or(0.0, Rational::to_f64)
    }

    /// Its ms without those of an empty launch.
    fn beside(&self, idle: f64) -> f64 {
        (self.least - idle).max(self.least / 10.0)
    }

    /// Its bandwidth in 10⁹ bytes a second, without the time of an empty launch.
    fn bandwidth(&self, idle: f64) -> f64 {
        self.bytes / self.beside(idle) / 1e6
    }
}

struct Rows<'o> {
    launches: Vec<Row<'o>>,
    machine: &'o Machine,
}

impl<'o> Rows<'o> {
    fn of(observed: &'o [Observation], machine: &'o Machine) -> Self {
        let [_, b, ..] = machine.atgpu.numbers();
        let block = (b * machine.word_bytes) as f64;
        let launch = |observation: &'o Observation| {
            let event = observation.event.as_ref()?;
            let ms = observation.kernel.filter(|ms| *ms > 0.0)?;
            let float = |count: &Option<BigInt>| {
                count.as_ref().map_or(0.0, |it| Rational::from(it).to_f64())
            };
            Some(Row {
                observation,
                mps: Rational::from(&event.amount).to_f64(),
                operations: float(&event.operations),
                bytes: float(&event.blocks) * block,
                ms,
                least: event.least.unwrap_or(ms),
                spread: event.least.map_or(0.0, |least| (ms - least).max(0.0) / ms),
            })
        };
        Rows {
            launches: observed.iter().filter_map(launch).collect(),
            machine,
        }
    }

    fn program(&self, name: &'static str) -> impl Iterator<Item = &Row<'o>> {
        let is_of = move |row: &&Row<'o>| row.observation.program.as_deref() == Some(name);
        self.launches.iter().filter(is_of)
    }

    fn launch(&self) -> Measured {
        let least = self
            .program("Launches")
            .min_by(|one, other| one.mps.total_cmp(&other.mps));
        least
            .map(|row| (row.ms, row.spread))
            .ok_or(Unmeasured::NoRow)
    }

    /// Cycles per thread block, from launches of many of them.
    fn start(&self) -> Measured {
        let is_many = |row: &&Row<'_>| row.mps >= MANY_MPS as f64;
        let rows: Vec<&Row<'_>> = self.program("Launches").filter(is_many).collect();
        let of_one = self.machine.mps_per_thread_block() as f64;
        let slope = Self::slope(&rows, |row| (row.mps / of_one).ceil());
        let (ms, spread) = slope.map_err(|why| match why {
            Unmeasured::Noise => Unmeasured::NoStart,
            other => other,
        })?;
        Ok((ms * self.clock()?, spread))
    }

    fn stream(&self, idle: f64, cache_bytes: Option<i64>) -> Measured {
        let largest = self
            .program("VectorAddition")
            .max_by(|one, other| one.bytes.total_cmp(&other.bytes));
        let largest = largest.ok_or(Unmeasured::NoRow)?;
        match cache_bytes {
            Some(held) if largest.bytes < BEYOND as f64 * held as f64 => Err(Unmeasured::Cached),
            _ => Ok((largest.bandwidth(idle), largest.spread)),
        }
    }

    /// The ms per unit of x, by a linear fit, and the spread.
    fn slope(rows: &[&Row<'_>], x: impl Fn(&Row<'_>) -> f64) -> Measured {
        if rows.len() < 2 {
            return Err(Unmeasured::NoRow);
        }
        let columns = [
            vec![1.0; rows.len()],
            rows.iter().map(|row| x(row)).collect(),
        ];
        let ms: Vec<f64> = rows.iter().map(|row| row.least).collect();
        let found = solve(&columns, &ms).ok_or(Unmeasured::NoRow)?;
        let spread = rows.iter().map(|row| row.spread).fold(0.0, f64::max);
        if found[1] > 0.0 && found[1].is_finite() {
            Ok((found[1], spread))
        } else {
            Err(Unmeasured::Noise)
        }
    }

    fn clock(&self) -> Result<f64, Unmeasured> {
        let clock = self.machine.device.clock.as_ref();
        clock.map(|clock| clock.to_f64()).ok_or(Unmeasured::NoClock)
    }

    /// The cycles of a step along a list in the cache, and along one outside of it.
    fn latencies(&self) -> [Measured; 2] {
        let line = |row: &Row<'_>| row.observation.event.as_ref().map(|event| event.line);
        // The launch before only writes, to flush the list from the cache.
        let chase = self.program("Chase").map(line).max().flatten();
        let rows: Vec<&Row<'_>> = self
            .program("Chase")
            .filter(|row| line(row) == chase)
            .collect();
        let written = |row: &Row<'_>| row.parameter("m");
        let most = rows.iter().map(|row| written(row)).fold(1.0, f64::max);
        let of = |is_of: &dyn Fn(f64) -> bool| {
            let rows = rows.iter().copied().filter(|row| is_of(written(row)));
            let (ms, spread) = Self::slope(&rows.collect::<Vec<_>>(), |row| row.parameter("s"))?;
            Ok((ms * self.clock()?, spread))
        };
        [of(&|m| m < most), of(&|m| m >= most)]
    }

    fn dependent(&self) -> Measured {
        let rows: Vec<&Row<'_>> = self
            .program("Arithmetic")
            .filter(|row| row.mps == 1.0)
            .collect();
        let (ms, spread) = Self::slope(&rows, |row| row.operations)?;
        Ok((ms * self.clock()?, spread))
    }

    fn issue(&self, idle: f64) -> Measured {
        let [_, b, ..] = self.machine.atgpu.numbers();
        let warps = (b + WARP - 1).div_euclid(WARP) as f64;
        let multiprocessors = self
            .machine
            .device
            .multiprocessors
            .ok_or(Unmeasured::NoMultiprocessors)?;
        let clock = self.clock()?;
        let rate = |row: &Row<'_>| {
            let cycles = row.beside(idle) * clock * multiprocessors as f64;
            (row.operations * row.mps * warps / cycles, row.spread)
        };
        let rates = self
            .program("Arithmetic")
            .filter(|row| row.mps > 1.0)
            .map(rate);
        let best = rates.max_by(|one, other| one.0.total_cmp(&other.0));
        best.ok_or(Unmeasured::NoRow)
    }

    /// The cycles of a product, a division and a remainder, in cycles of a mean operation of the basic step.
    fn weights(&self, idle: f64) -> [Measured; 3] {
        let mut rows: Vec<&Row<'_>> = self.program("Operations").collect();
        rows.sort_by_key(|row| row.observation.event.as_ref().map(|event| event.line));
        let [plain, rest @ ..] = rows.as_slice() else {
            return [Err(Unmeasured::NoRow); 3];
        };
        let operation = plain.beside(idle) / OPERATIONS_OF_A_STEP;
        [0, 1, 2].map(|at| {
            let row: &Row<'_> = rest.get(at).ok_or(Unmeasured::NoRow)?;
            difference((row.least, row.spread), (plain.least, plain.spread))
                .map(|(more, spread)| (more / operation, spread))
                .ok_or(Unmeasured::NoWeight)
        })
    }

    /// The cycles of a step that reads a shared word, and of one more bank conflict.
    fn shared(&self) -> [Measured; 2] {
        let rows: Vec<&Row<'_>> = self.program("Banks").collect();
        let stride = |row: &Row<'_>| row.parameter("s");
        let widest = rows.iter().map(|row| stride(row)).fold(0.0, f64::max);
        let step = |wanted: f64| {
            let of_stride = rows.iter().copied().filter(|row| stride(row) == wanted);
            let (ms, spread) =
                Self::slope(&of_stride.collect::<Vec<_>>(), |row| row.parameter("T"))?;
            Ok((ms * self.clock()?, spread))
        };
        let near: Measured = step(1.0);
        let conflict = near.and_then(|near| {
            let (more, spread) = difference(step(widest)?, near).ok_or(Unmeasured::NoConflict)?;
            if widest > 1.0 {
                Ok((more / (widest - 1.0), spread))
            } else {
                Err(Unmeasured::NoRow)
            }
        });
        [near, conflict]
    }

    /// The bytes moved by one access: the stride from which on larger strides take no longer.
    fn sector(&self, idle: f64) -> Measured {
        let mut rows: Vec<&Row<'_>> = self.program("StridedCopy").collect();
        rows.sort_by(|one, other| one.parameter("s").total_cmp(&other.parameter("s")));
        let (Some(near), Some(far)) = (rows.first(), rows.last()) else {
            return Err(Unmeasured::NoRow);
        };
        let most = far.beside(idle) / near.beside(idle);
        if most < 1.0 + SAME {
            return Err(Unmeasured::NoSector(most));
        }
        let is_as_far = |row: &&&Row<'_>| row.beside(idle) * (1.0 + SAME) >= far.beside(idle);
        let edge = rows.iter().find(is_as_far).unwrap_or(far);
        // Strides are tried by factors of two, so the spread is at least half.
        let bytes = edge.parameter("s") * self.machine.word_bytes as f64;
        Ok((bytes, edge.spread.max(0.5)))
    }

    /// The bandwidth for data in the cache, and the size of the cache.
    fn cache(&self, idle: f64, stream: f64) -> [Measured; 2] {
        let [_, b, ..] = self.machine.atgpu.numbers();
        let row_bytes = (b * self.machine.word_bytes) as f64;
        let sizes = self.program("Rereads");
        let mut sizes: Vec<(f64, f64, f64)> = sizes
            .map(|row| (row.mps * row_bytes, row.bandwidth(idle), row.spread))
            .collect();
        sizes.sort_by(|one, other| one.0.total_cmp(&other.0));
        let best = sizes.iter().max_by(|one, other| one.1.total_cmp(&other.1));
        let Some((_, best, spread)) = best.copied() else {
            return [Err(Unmeasured::NoRow); 2];
        };
        if best < FASTER * stream {
            return [Err(Unmeasured::NoCache(best / stream)); 2];
        }
        // The geometric mean of the bandwidths of cache and memory.
        let halfway = (best * stream).sqrt();
        let fits = |size: &&(f64, f64, f64)| size.1 >= halfway;
        let largest = sizes.iter().rev().find(fits).map_or(0.0, |size| size.0);
        let bytes = match sizes.iter().find(|size| size.0 > largest) {
            None => Err(Unmeasured::AllCached),
            Some((beyond, ..)) => {
                let edge = (largest * beyond).sqrt();
                Ok((edge, (beyond - largest) / 2.0 / edge))
            }
        };
        [Ok((best, spread)), bytes]
    }
}
