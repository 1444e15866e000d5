//! The programs whose times determine a card, and what is read off them beside what a fit finds.
//!
//! α and β of each direction, γ, λ and σ are [`crate::study::calibrate()`]'s, from all launches and copies together. The
//! figures here each come from one kind of kernel: a chain of operations, a chain of accesses, a stream, rows that
//! many MPs read. Nothing is run here.

use std::iter::successors;

use thiserror::Error;

use crate::machine::Machine;
use crate::number::{BigInt, Rational};
use crate::study::least_squares::solve;
use crate::study::observed::{Event, EventKind, Observation};

/// A cache counts as one where it is that much faster than the memory.
const FASTER: f64 = 1.25;

/// A warp of the cards that the roofline's figures are of.
const WARP: i64 = 32;

/// A program, and the points at which it is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Microbenchmark {
    /// The name of its file in `programs/`.
    pub file: &'static str,
    /// The file.
    pub text: &'static str,
    /// The formal parameters.
    pub points: Vec<Vec<(&'static str, i64)>>,
}

/// The programs that determine a machine of this b and k', with arrays of at most so many words.
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
    // Down from the largest, so that all of them are whole rows of b words.
    let rows = (most / b).max(4);
    let sizes = (0..6)
        .rev()
        .map(|halvings| rows >> (2 * halvings))
        .filter(|rows| *rows > 0);
    let sizes: Vec<i64> = sizes.collect();
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
    vec![
        Microbenchmark {
            file: "machine/copies",
            text: include_str!("../../programs/machine/copies.atgpu"),
            points: one("n", by_fours(16, most / 2).chain([most]).collect()),
        },
        Microbenchmark {
            file: "machine/launches",
            text: include_str!("../../programs/machine/launches.atgpu"),
            points: one("k", by_fours(1, 4096).collect()),
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
            points: [64, 512, 4096]
                .map(|s| vec![("n", rows * b), ("s", s)])
                .into(),
        },
        Microbenchmark {
            file: "machine/rereads",
            text: include_str!("../../programs/machine/rereads.atgpu"),
            points: sizes
                .iter()
                .map(|rows| vec![("k", *rows), ("r", 16)])
                .collect(),
        },
    ]
}

/// Programs whose launches data or caches decide, and no fit of γ, λ and σ should see.
const APART: [&str; 2] = ["Chase", "Rereads"];

/// Whether a fit should see a measurement.
///
/// ```
/// use atgpu::study::{is_of_fit, measurements};
///
/// let rows = measurements("program,event,amount,ms\nChase,launch,1,2\nCopies,inward,8,1\n")?;
/// assert!(!is_of_fit(&rows[0]) && is_of_fit(&rows[1]));
/// # Ok::<(), atgpu::array::Problem>(())
/// ```
pub fn is_of_fit(observation: &Observation) -> bool {
    let is_launch = |event: &Event| event.kind == EventKind::Launch;
    let name = observation.program.as_deref().unwrap_or_default();
    !(observation.event.as_ref().is_some_and(is_launch) && APART.contains(&name))
}

/// A figure of a card that one kind of kernel tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CardFigure {
    /// The launch of a kernel, in ms.
    Launch,
    /// What a stream moves, in 10⁹ bytes a second.
    Memory,
    /// Cycles until a word of device memory arrives.
    Latency,
    /// Cycles from one operation to the next that needs its result.
    Dependent,
    /// Warps that a multiprocessor issues in a cycle.
    Issue,
    /// What the shared cache moves, in 10⁹ bytes a second.
    CacheBandwidth,
    /// Bytes of that cache.
    CacheBytes,
}

/// What was measured of a figure.
#[derive(Debug, Clone, PartialEq)]
pub struct CardAnswer {
    /// Which.
    pub figure: CardFigure,
    /// Its value and its spread, as a part of it; or why there is none.
    pub answer: Result<(f64, f64), Unmeasured>,
}

/// Why a figure of a card is not determined.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum Unmeasured {
    /// No row that tells it.
    #[error("no row tells it")]
    NoRow,
    /// Longer chains do not take longer.
    #[error("longer chains do not take longer than the noise")]
    Noise,
    /// Cycles need a clock.
    #[error("it is told in cycles, and the machine has no `clock_ghz`")]
    NoClock,
    /// An issue rate is one multiprocessor's.
    #[error("it is told by multiprocessor, and the machine does not say how many")]
    NoMultiprocessors,
    /// No size at which rows that are read again come faster.
    #[error("rows that are read again come at most {0:.2} times as fast as the memory's stream")]
    NoCache(f64),
    /// No size that it does not hold.
    #[error("the largest array that was read again came from the cache")]
    AllCached,
}

/// What the times of [`microbenchmarks`] tell of a card.
///
/// ```
/// use atgpu::{machine::Machine, study::{CardFigure, card_figures, measurements}};
///
/// let rows = "program,k,event,line,amount,blocks,operations,shared,ms,min_ms\n\
///             Launches,1,launch,15,1,0,1,32,0.005,0.004\n";
/// let card = Machine::built_in("gtx650").expect("built in");
/// let told = card_figures(&measurements(rows)?, &card);
/// assert_eq!(told[0].figure, CardFigure::Launch);
/// assert!(matches!(told[0].answer, Ok((0.005, _))));
/// assert!(told[1].answer.is_err());
/// # Ok::<(), atgpu::array::Problem>(())
/// ```
pub fn card_figures(observed: &[Observation], machine: &Machine) -> Vec<CardAnswer> {
    let rows = Rows::of(observed, machine);
    let launch = rows.launch();
    let idle = launch.map_or(0.0, |(ms, _)| ms);
    let memory = rows.stream(idle);
    let cache = match memory {
        Ok((stream, _)) => rows.cache(idle, stream),
        Err(why) => [Err(why); 2],
    };
    [
        (CardFigure::Launch, launch),
        (CardFigure::Memory, memory),
        (CardFigure::Latency, rows.latency()),
        (CardFigure::Dependent, rows.dependent()),
        (CardFigure::Issue, rows.issue(idle)),
        (CardFigure::CacheBandwidth, cache[0]),
        (CardFigure::CacheBytes, cache[1]),
    ]
    .map(|(figure, answer)| CardAnswer { figure, answer })
    .into()
}

/// A value and its spread, as a part of it.
type Measured = Result<(f64, f64), Unmeasured>;

/// One launch in numbers.
struct Row<'o> {
    observation: &'o Observation,
    mps: f64,
    operations: f64,
    bytes: f64,
    ms: f64,
    spread: f64,
}

impl CardFigure {
    /// The section and the key of a machine file.
    ///
    /// ```
    /// use atgpu::study::CardFigure;
    ///
    /// assert_eq!(CardFigure::Latency.place(), ("roofline", "latency_cycles"));
    /// ```
    pub fn place(self) -> (&'static str, &'static str) {
        match self {
            CardFigure::Launch => ("roofline", "launch_ms"),
            CardFigure::Memory => ("device", "memory_gb_s"),
            CardFigure::Latency => ("roofline", "latency_cycles"),
            CardFigure::Dependent => ("roofline", "dependent_cycles"),
            CardFigure::Issue => ("roofline", "issue_per_cycle"),
            CardFigure::CacheBandwidth => ("roofline", "l2_gb_s"),
            CardFigure::CacheBytes => ("roofline", "l2_bytes"),
        }
    }
}

impl Row<'_> {
    fn parameter(&self, name: &str) -> f64 {
        let value = self.observation.parameters.get(name);
        value.map_or(0.0, Rational::to_f64)
    }

    /// The ms that it takes beside a launch that does nothing.
    fn beside(&self, idle: f64) -> f64 {
        (self.ms - idle).max(self.ms / 10.0)
    }

    /// 10⁹ bytes a second, beside a launch that does nothing.
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

    fn stream(&self, idle: f64) -> Measured {
        let largest = self
            .program("VectorAddition")
            .max_by(|one, other| one.bytes.total_cmp(&other.bytes));
        largest
            .map(|row| (row.bandwidth(idle), row.spread))
            .ok_or(Unmeasured::NoRow)
    }

    /// The ms that one more of x takes, and its spread.
    fn slope(rows: &[&Row<'_>], x: impl Fn(&Row<'_>) -> f64) -> Measured {
        if rows.len() < 2 {
            return Err(Unmeasured::NoRow);
        }
        let columns = [
            vec![1.0; rows.len()],
            rows.iter().map(|row| x(row)).collect(),
        ];
        let ms: Vec<f64> = rows.iter().map(|row| row.ms).collect();
        let found = solve(&columns, &ms).ok_or(Unmeasured::NoRow)?;
        let spread = rows.iter().map(|row| row.spread).fold(0.0, f64::max);
        match found[1] > 0.0 && found[1].is_finite() {
            true => Ok((found[1], spread)),
            false => Err(Unmeasured::Noise),
        }
    }

    fn clock(&self) -> Result<f64, Unmeasured> {
        let clock = self.machine.device.clock.as_ref();
        clock.map(|clock| clock.to_f64()).ok_or(Unmeasured::NoClock)
    }

    fn latency(&self) -> Measured {
        let rows: Vec<&Row<'_>> = self.program("Chase").collect();
        let (ms, spread) = Self::slope(&rows, |row| row.parameter("s"))?;
        Ok((ms * self.clock()?, spread))
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

    /// The bandwidth of what fits in a cache, and the size from which on it does not.
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
        // Halfway, as factors go, between what the cache and what the memory moves.
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
