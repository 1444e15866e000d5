//! Transfers that overlap with computation: papers 3 and 5 as plain functions of times and bytes.
//!
//! Takes the computation and traffic of a program ([`Work`]) and the abilities of a card and its bus
//! ([`Card`]). Gives milliseconds for each number of streams, and the best number. [`werkhoven`] is paper
//! 3, [`gomez_luna`] paper 5. [`Limits`] are the times of each method with no overlap and with full
//! overlap; [`roofline`] is paper 3's section III. Where text and equations of a paper differ, the
//! equations hold (docs/published.md).

mod choice;
pub mod cut;
pub mod gomez_luna;
mod limits;
mod method;
pub mod plan;
pub mod roofline;
pub mod werkhoven;

pub use choice::{Choice, choices};
pub use limits::Limits;
pub use method::Method;

use crate::machine::{Machine, MillisPerByte, MissingFigure, PerDirection};

/// Limit on the streams that a search tries: the most that paper 3 measured.
pub const MOST_STREAMS: u32 = 256;

/// The work to be overlapped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Work {
    /// t_E: the kernel of all streams together, in ms.
    pub kernel_ms: f64,
    /// B_hd: bytes in.
    pub inward_bytes: f64,
    /// B_dh: bytes out.
    pub outward_bytes: f64,
}

/// One figure for each direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ways {
    /// hd: host to device.
    pub inward: f64,
    /// dh: device to host.
    pub outward: f64,
}

/// The LogGP figures of a bus (paper 3, section V).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bus {
    /// L + o: time before the first byte, in ms.
    pub start: Ways,
    /// G: ms a byte.
    pub per_byte: Ways,
    /// g: time between two transfers, in ms.
    pub gap: Ways,
}

impl Bus {
    /// L + o + B G + g (n − 1): an inward transfer in n parts.
    pub fn inward_ms(&self, bytes: f64, parts: u32) -> f64 {
        self.start.inward + bytes * self.per_byte.inward + self.gap.inward * f64::from(parts - 1)
    }

    /// L + o + B G + g (n − 1): an outward transfer in n parts.
    pub fn outward_ms(&self, bytes: f64, parts: u32) -> f64 {
        self.start.outward + bytes * self.per_byte.outward + self.gap.outward * f64::from(parts - 1)
    }

    /// The same bus with the start-up times of this many transactions each way.
    #[must_use]
    fn starting(self, transactions: Ways) -> Bus {
        let start = Ways {
            inward: self.start.inward * transactions.inward,
            outward: self.start.outward * transactions.outward,
        };
        Bus { start, ..self }
    }

    /// The same bus with another G.
    #[must_use]
    pub(crate) fn with_per_byte(self, per_byte: Ways) -> Bus {
        Bus { per_byte, ..self }
    }
}

/// The things that a card can do at once (paper 3, section IV).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceClass {
    /// One copy engine; outward transfers wait until every kernel has started.
    ImplicitSync,
    /// One copy engine.
    OneEngine,
    /// Two copy engines: both directions at once.
    TwoEngines,
}

impl DeviceClass {
    fn of(machine: &Machine) -> Result<DeviceClass, MissingFigure> {
        let overlap = &machine.overlap;
        let engines = machine.figure(
            overlap.copy_engines,
            "overlap",
            "copy_engines",
            "how many copy engines it has",
        )?;
        let waits = machine.figure(
            overlap.implicit_sync,
            "overlap",
            "implicit_sync",
            "whether its transfers wait for kernels to start",
        )?;
        Ok(match (waits, engines) {
            (true, _) => DeviceClass::ImplicitSync,
            (false, 1) => DeviceClass::OneEngine,
            (false, _) => DeviceClass::TwoEngines,
        })
    }
}

/// A card and its bus.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Card {
    /// The class, which decides the possible overlap.
    pub class: DeviceClass,
    /// The bus for transfers one way at a time.
    pub bus: Bus,
    /// G while explicit copies run both ways.
    pub bidirectional: Ways,
    /// G while explicit copies run in and mapped writes out.
    pub mapped: Ways,
    /// t_sc of paper 5, in ms.
    pub stream_creation: Option<f64>,
    /// The number of explicit transfers each way; each of them costs L + o.
    pub transactions: Ways,
}

impl Card {
    /// Reads the card of a machine file. If figures for both ways at once are absent, a card that never
    /// copies both ways takes its one-way figures, and any other card lacks them.
    ///
    /// ```
    /// use atgpu::cost::overlap::{Card, DeviceClass};
    /// use atgpu::machine::Machine;
    ///
    /// let card = Card::of(&Machine::built_in("gtx680").expect("built in")).expect("complete");
    /// assert_eq!(card.class, DeviceClass::ImplicitSync);
    /// ```
    ///
    /// # Errors
    /// The machine lacks a figure of `[overlap]` or `[transfer]`.
    pub fn of(machine: &Machine) -> Result<Card, MissingFigure> {
        let overlap = &machine.overlap;
        let absent = |key, meaning| machine.figure(None::<Ways>, "overlap", key, meaning);
        let class = DeviceClass::of(machine)?;
        let gap = machine.figure(
            overlap.gap.as_ref(),
            "overlap",
            "gap_ms",
            "how long one transfer waits for another",
        )?;
        let (alpha, beta) = (machine.alpha()?, machine.beta()?);
        let word = machine.word_bytes as f64;
        let per_byte = Ways {
            inward: beta.inward.to_f64() / word,
            outward: beta.outward.to_f64() / word,
        };
        let bidirectional = overlap.bidirectional.as_ref().map(per_byte_ways);
        let bidirectional = match (bidirectional, class) {
            (Some(ways), _) => ways,
            (None, DeviceClass::ImplicitSync | DeviceClass::OneEngine) => per_byte,
            (None, DeviceClass::TwoEngines) => absent(
                "bidirectional_ms_per_byte",
                "how fast it copies both ways at once",
            )?,
        };
        let mapped = match overlap.mapped.as_ref().map(per_byte_ways) {
            Some(ways) => ways,
            None => absent(
                "mapped_ms_per_byte",
                "how fast it copies while kernels write mapped memory",
            )?,
        };
        Ok(Card {
            class,
            bus: Bus {
                start: Ways {
                    inward: alpha.inward.to_f64(),
                    outward: alpha.outward.to_f64(),
                },
                per_byte,
                gap: Ways {
                    inward: gap.inward.to_f64(),
                    outward: gap.outward.to_f64(),
                },
            },
            bidirectional,
            mapped,
            stream_creation: overlap.stream_creation.as_ref().map(|ms| ms.to_f64()),
            transactions: Ways {
                inward: 1.0,
                outward: 1.0,
            },
        })
    }
}

fn per_byte_ways(pair: &PerDirection<MillisPerByte>) -> Ways {
    Ways {
        inward: pair.inward.to_f64(),
        outward: pair.outward.to_f64(),
    }
}

/// Returns the number of streams from 1 to `most` with the least time; ties go to the smallest.
pub fn search(most: u32, time: impl Fn(u32) -> f64) -> (u32, f64) {
    let mut best = (1, time(1));
    for streams in 2..=most.max(1) {
        let ms = time(streams);
        if ms < best.1 {
            best = (streams, ms);
        }
    }
    best
}

/// Like [`search`], for a time that first falls and then rises, in about log₂ `most` steps.
pub(crate) fn least(most: u32, time: impl Fn(u32) -> f64) -> (u32, f64) {
    let (mut low, mut high) = (1, most.max(1));
    // Invariant: the minimum lies in low..=high. If the time still falls after `middle`, it lies behind
    // `middle`.
    while low < high {
        let middle = low + (high - low) / 2;
        if time(middle + 1) < time(middle) {
            low = middle + 1
        } else {
            high = middle
        }
    }
    (low, time(low))
}

/// The number of streams where what is cut, t/n, and what each stream takes, c n, are least together: √(t/c).
/// Without either every number is as good as the first.
fn root(cut: f64, each: f64) -> f64 {
    if cut == 0.0 && each == 0.0 {
        1.0
    } else {
        (cut / each).sqrt()
    }
}

/// The whole number of streams beside a real one, from 1 to `most`, with the least time.
pub fn nearest(real: f64, most: u32, time: impl Fn(u32) -> f64) -> (u32, f64) {
    let floor = real.floor().clamp(1.0, f64::from(most.max(1))) as u32;
    let ceiling = real.ceil().clamp(1.0, f64::from(most.max(1))) as u32;
    let (low, high) = (time(floor), time(ceiling));
    if high < low {
        (ceiling, high)
    } else {
        (floor, low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What neither computes nor moves is as good in one stream as in many: no number of streams is 0/0.
    #[test]
    fn nothing_has_a_best_number_of_streams_too() {
        assert_eq!(
            (root(9.0, 4.0), root(0.0, 4.0), root(0.0, 0.0)),
            (1.5, 0.0, 1.0)
        );
        assert_eq!(root(9.0, 0.0), f64::INFINITY);
        let machine = Machine::built_in("gtx680").expect("built in");
        let card = Card::of(&machine).expect("complete");
        let nothing = Work {
            kernel_ms: 0.0,
            inward_bytes: 0.0,
            outward_bytes: 0.0,
        };
        let free = Bus {
            gap: Ways {
                inward: 0.0,
                outward: 0.0,
            },
            ..card.bus
        };
        use werkhoven::Equation::{Five, Four, One, Three, Two};
        for bus in [card.bus, free] {
            for equation in [One, Two, Three, Four, Five] {
                let best = equation.best(&nothing, &bus);
                assert!(
                    best.is_none_or(|best| best <= 1.0),
                    "{equation:?}: {best:?}"
                );
            }
        }
        let times = gomez_luna::Times {
            kernel: 0.0,
            inward: 0.0,
            outward: 0.0,
            creation: 0.0,
        };
        for capability in [gomez_luna::Capability::One, gomez_luna::Capability::Two] {
            assert_eq!(gomez_luna::best_streams(capability, &times, 8), (1, 0.0));
        }
    }

    #[test]
    fn the_least_of_a_valley_is_found_by_halving() {
        let time = |streams: u32| 8.0 / f64::from(streams) + 0.5 * f64::from(streams);
        assert_eq!(least(1 << 20, time), (4, 4.0));
    }
}
