//! Figures of a card: takes the measured times of the microbenchmarks, and gives each figure, or the reason why there is
//! none.

use crate::machine::Machine;
use crate::study::microbenchmarks::rows::{Rows, Unmeasured};
use crate::study::observed::Observation;

/// A figure of a card from one kind of kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
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

/// The measurement of a figure.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CardAnswer {
    /// The figure.
    pub figure: CardFigure,
    /// Its value and its relative spread, or the reason why there is none.
    pub answer: Result<(f64, f64), Unmeasured>,
}

/// Reads the figures off the times of [`microbenchmarks`](crate::study::microbenchmarks()). `cache_bytes` is the size of
/// the shared cache as the card reports it, if it does.
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
