//! Launches as numbers: takes the rows of a table of measured times, and reads one figure off those of each program.

use thiserror::Error;

use crate::machine::Machine;
use crate::number::{BigInt, Rational};
use crate::study::least_squares::solve;
use crate::study::microbenchmarks::{BEYOND, MANY_MPS};
use crate::study::observed::Observation;

/// The reason why a figure of a card is not determined.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[non_exhaustive]
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

/// A cache counts as one if it is this factor faster than the memory.
const FASTER: f64 = 1.25;

/// Times that differ by less than this fraction count as equal.
const SAME: f64 = 0.25;

/// Operations in a step of the first kernel of `machine/operations`.
const OPERATIONS_OF_A_STEP: f64 = 5.0;

/// Threads of a warp on the cards of the roofline's figures.
const WARP: i64 = 32;

/// A value and its relative spread.
pub(super) type Measured = Result<(f64, f64), Unmeasured>;

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

/// The launches of a table of measured times, on a machine.
pub(super) struct Rows<'o> {
    launches: Vec<Row<'o>>,
    machine: &'o Machine,
}

impl<'o> Rows<'o> {
    pub(super) fn of(observed: &'o [Observation], machine: &'o Machine) -> Self {
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

    /// The time of the smallest launch.
    pub(super) fn launch(&self) -> Measured {
        let least = self
            .program("Launches")
            .min_by(|one, other| one.mps.total_cmp(&other.mps));
        least
            .map(|row| (row.ms, row.spread))
            .ok_or(Unmeasured::NoRow)
    }

    /// Cycles per thread block, from launches of many of them.
    pub(super) fn start(&self) -> Measured {
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

    /// The bandwidth of the largest stream, which must not fit in a cache.
    pub(super) fn stream(&self, idle: f64, cache_bytes: Option<i64>) -> Measured {
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
    pub(super) fn latencies(&self) -> [Measured; 2] {
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

    /// The cycles between two operations of one MP, which wait for each other.
    pub(super) fn dependent(&self) -> Measured {
        let rows: Vec<&Row<'_>> = self
            .program("Arithmetic")
            .filter(|row| row.mps == 1.0)
            .collect();
        let (ms, spread) = Self::slope(&rows, |row| row.operations)?;
        Ok((ms * self.clock()?, spread))
    }

    /// The warps that a multiprocessor issues per cycle, at the best.
    pub(super) fn issue(&self, idle: f64) -> Measured {
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
    pub(super) fn weights(&self, idle: f64) -> [Measured; 3] {
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
    pub(super) fn shared(&self) -> [Measured; 2] {
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
    pub(super) fn sector(&self, idle: f64) -> Measured {
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
    pub(super) fn cache(&self, idle: f64, stream: f64) -> [Measured; 2] {
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
