//! The programs that determine a card by their times, and the figures read off them in addition to a fit.
//!
//! [`crate::study::calibrate()`] fits α and β of each direction, γ, λ and σ to all launches and copies
//! together. Each figure here comes from one kind of kernel: a chain of operations, a chain of accesses, a
//! stream, or rows read by many MPs. Nothing is run here.

mod figures;
mod rows;

pub use figures::{CardAnswer, CardFigure, card_figures};
pub use rows::Unmeasured;

use std::iter::successors;

use crate::machine::Machine;
use crate::study::observed::{Event, EventKind, Observation};

/// Number of MPs that read each row of `machine/rereads`.
const REREAD: i64 = 16;

/// The size of the data written to flush the caches before a list is followed, in sizes of the largest array.
const FLUSHED: i64 = 4;

/// MPs of a launch long enough to measure the start of thread blocks, which start one after the other.
const MANY_MPS: i64 = 1 << 14;

/// A program with the points at which it is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Microbenchmark {
    /// The name of its file in `programs/`.
    pub file: &'static str,
    /// The text of the file.
    pub text: &'static str,
    /// The formal parameters.
    pub points: Vec<Vec<(&'static str, i64)>>,
}

/// A program of `programs/` with its points.
macro_rules! program {
    ($file:literal, $points:expr) => {
        Microbenchmark {
            file: $file,
            text: include_str!(concat!("../../../programs/", $file, ".atgpu")),
            points: $points,
        }
    };
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
    // Sizes fall from the largest by factors of 4, so that every size is a whole number of rows of b words.
    let rows = (most / b).max(4);
    let sizes = (0..6).rev().map(|halvings| rows >> (2 * halvings));
    let sizes = sizes.filter(|rows| *rows > 0);
    let rereads = sizes.clone().map(|rows| rows / REREAD).filter(|m| *m > 0);
    let arithmetic = [
        (1, 1_000),
        (1, 10_000),
        (1, 100_000),
        (many, 1_000),
        (many, 4_000),
        (4 * many, 1_000),
    ];
    let flushed = (FLUSHED * rows).min(global / b - rows - 1).max(1);
    let chased = [1, flushed].into_iter();
    let chased =
        chased.flat_map(|m| [64, 512, 4096].map(|s| vec![("n", rows * b), ("s", s), ("m", m)]));
    let copied = (rows / b).max(1) * b;
    let conflicts = [1, widest_conflict(machine)];
    let conflicts = conflicts.map(|s| [1_000, 4_000].map(|t| vec![("s", s), ("T", t)]));
    vec![
        program!(
            "machine/copies",
            one("n", by_fours(16, most / 2).chain([most]))
        ),
        program!("machine/launches", one("k", by_fours(1, 1 << 20))),
        program!(
            "machine/arithmetic",
            arithmetic.map(|(k, s)| vec![("k", k), ("s", s)]).into()
        ),
        program!(
            "paper1/vector_addition",
            one("n", sizes.map(|rows| rows * b))
        ),
        program!("machine/chase", chased.collect()),
        program!(
            "machine/rereads",
            rereads.map(|m| vec![("m", m), ("r", REREAD)]).collect()
        ),
        program!(
            "machine/operations",
            vec![vec![("k", 4 * many), ("s", 1_000)]]
        ),
        program!(
            "cookbook/strided_copy",
            strides(b).map(|s| vec![("n", copied), ("s", s)]).collect()
        ),
        program!("machine/banks", conflicts.concat()),
    ]
}

/// Points that give one parameter its values.
fn one(name: &'static str, values: impl Iterator<Item = i64>) -> Vec<Vec<(&'static str, i64)>> {
    values.map(|value| vec![(name, value)]).collect()
}

fn by_fours(from: i64, to: i64) -> impl Iterator<Item = i64> {
    successors(Some(from), |n| n.checked_mul(4)).take_while(move |n| *n <= to)
}

/// The strides 1, 2, 4, … up to b.
fn strides(b: i64) -> impl Iterator<Item = i64> {
    successors(Some(1), |stride| Some(2 * stride)).take_while(move |it| *it <= b)
}

/// The widest stride for which shared memory holds the words of an MP.
fn widest_conflict(machine: &Machine) -> i64 {
    let [_, b, shared, _] = machine.atgpu.numbers();
    let fits = |stride: &i64| (stride + 1) * b <= shared;
    strides(b).take_while(fits).last().unwrap_or(1)
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
