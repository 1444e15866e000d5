//! The words and blocks of a program as the bytes of papers 3 and 5, and the predictions of these papers
//! for it.

use crate::cost::overlap::gomez_luna::{self, Capability, Times};
use crate::cost::overlap::roofline::{self, Bounds, Intensity, Peaks, Times as BoundTimes};
use crate::cost::overlap::werkhoven::{self, Equation};
use crate::cost::overlap::{Card, Choice, Method, Ways, Work, choices};
use crate::count::Counts;
use crate::machine::{Machine, MissingFigure};
use crate::number::{BigInt, Rational};

/// The bytes a program moves, all rounds together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bytes {
    /// Explicit transfers in.
    pub inward: f64,
    /// Explicit transfers out.
    pub outward: f64,
    /// The number of explicit transfers.
    pub transactions: Ways,
    /// Bytes that kernels read, by blocks, with repetitions; they cross the bus inward if memory is mapped.
    pub read: f64,
    /// Bytes that kernels write; they cross the bus outward if memory is mapped.
    pub written: f64,
    /// Operations of all cores, with each MP as busy as the costliest.
    pub operations: f64,
}

/// The times with one number of streams.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// n.
    pub streams: u32,
    /// Paper 3, explicit copies both ways, in ms.
    pub explicit_ms: f64,
    /// The equation that holds there.
    pub equation: Equation,
    /// Paper 3, copies in and mapped writes out, in ms.
    pub hybrid_ms: f64,
    /// Paper 5, and the number of its equation.
    pub created: Option<(f64, u32)>,
}

/// Section III of paper 3, and what it rests on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rooflines {
    /// What all kernels do together.
    pub kernel: Intensity,
    /// The rates that the peaks allow.
    pub rates: Bounds,
    /// The times at these rates.
    pub ms: BoundTimes,
}

/// All that papers 3 and 5 say of a program on a card.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Plan {
    /// The card.
    pub card: Card,
    /// t_E, in ms.
    pub kernel_ms: f64,
    /// The bytes moved.
    pub bytes: Bytes,
    /// Explicit, streams, hybrid and mapped, each with its best number of streams. Streams and hybrid are
    /// absent if nothing can be cut.
    pub choices: Vec<Choice>,
    /// The time of the transfers that move whole, before the first chunk and after the last, in ms each way.
    pub whole_ms: Ways,
    /// The real number of streams with the least time by paper 3; `None` if the time only falls.
    pub real_best: Option<f64>,
    /// One entry for each number of streams, from 1; empty if nothing can be cut.
    pub streams: Vec<Point>,
    /// Paper 5's best: the real number, the whole number next to it, and its time.
    pub created_best: Option<(f64, u32, f64)>,
    /// Section III of paper 3, where the machine gives its peaks.
    pub rooflines: Option<Rooflines>,
    /// The peak without which there is no such section, where the machine gives others.
    pub missing_peak: Option<MissingFigure>,
}

impl Bytes {
    /// Computes the bytes from counts on a machine.
    pub fn of(counts: &Counts<BigInt>, machine: &Machine) -> Bytes {
        let word = machine.word_bytes as f64;
        let block = word * machine.atgpu.cores_per_mp as f64;
        let float = |number: &BigInt| Rational::from(number).to_f64();
        let mut bytes = Bytes {
            inward: float(&counts.totals.inward) * word,
            outward: float(&counts.totals.outward) * word,
            read: 0.0,
            written: 0.0,
            operations: 0.0,
            transactions: Ways {
                inward: 0.0,
                outward: 0.0,
            },
        };
        for (repeated, round) in &counts.rounds {
            let times = *repeated as f64;
            bytes.transactions.inward += times * float(&round.inward.transactions);
            bytes.transactions.outward += times * float(&round.outward.transactions);
            for blocks in round.arrays.values() {
                bytes.read += times * float(&blocks.read) * block;
                bytes.written += times * float(&blocks.write) * block;
            }
            let cores = float(&round.launched_mps) * machine.atgpu.cores_per_mp as f64;
            bytes.operations += times * cores * float(&round.time);
        }
        bytes
    }

    /// Leaves out reads of these global arrays over the bus: they are on the device already.
    #[must_use]
    pub fn beside(self, counts: &Counts<BigInt>, machine: &Machine, there: &[String]) -> Bytes {
        let mut others = counts.clone();
        for (_, round) in &mut others.rounds {
            round.arrays.retain(|name, _| !there.contains(name));
        }
        Bytes {
            read: Bytes::of(&others, machine).read,
            ..self
        }
    }

    /// The work with explicit transfers.
    pub fn explicit(&self, kernel_ms: f64) -> Work {
        Work {
            kernel_ms,
            inward_bytes: self.inward,
            outward_bytes: self.outward,
        }
    }

    /// The work with every kernel access over the bus.
    pub fn mapped(&self, kernel_ms: f64) -> Work {
        Work {
            kernel_ms,
            inward_bytes: self.read,
            outward_bytes: self.written,
        }
    }
}

impl Plan {
    /// Predicts the times of a program with these bytes and kernel time, for 1 to `most` streams.
    ///
    /// ```
    /// use atgpu::cost::overlap::plan::{Bytes, Plan};
    /// use atgpu::machine::Machine;
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let card = Machine::built_in("gtx680").expect("built in");
    /// let costs = program.cost(&card, [("n", 1024)])?;
    /// let plan = Plan::of(Bytes::of(costs.counts(), &card), 2.5, &card, 8).expect("complete");
    /// assert_eq!(plan.streams.len(), 8);
    /// assert_eq!(plan.streams[3].streams, 4);
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the machine lacks a figure of `[overlap]` or `[transfer]`.
    pub fn of(
        bytes: Bytes,
        kernel_ms: f64,
        machine: &Machine,
        most: u32,
    ) -> Result<Plan, MissingFigure> {
        Plan::in_chunks(bytes, Some(bytes), kernel_ms, machine, most)
    }

    /// Like [`Plan::of`], but streams move only the bytes `chunks` in chunks. The rest moves whole, before
    /// and after them. `None` means that nothing can be cut.
    ///
    /// # Errors
    /// When the machine lacks a figure of `[overlap]` or `[transfer]`.
    pub fn in_chunks(
        bytes: Bytes,
        chunks: Option<Bytes>,
        kernel_ms: f64,
        machine: &Machine,
        most: u32,
    ) -> Result<Plan, MissingFigure> {
        let card = Card::of(machine)?;
        let all = Card {
            transactions: bytes.transactions,
            ..card
        };
        let (explicit, mapped) = (bytes.explicit(kernel_ms), bytes.mapped(kernel_ms));
        let (peaks, missing_peak) = match Peaks::of(machine) {
            Ok(peaks) => (peaks, None),
            Err(missing) => (None, Some(missing)),
        };
        let mut plan = Plan {
            card,
            kernel_ms,
            bytes,
            choices: choices(&all, &explicit, &mapped, None, most).into(),
            whole_ms: Ways {
                inward: 0.0,
                outward: 0.0,
            },
            real_best: None,
            streams: Vec::new(),
            created_best: None,
            rooflines: peaks.map(|peaks| {
                let kernel = Intensity {
                    operations: bytes.operations,
                    device_bytes: bytes.read + bytes.written,
                    bus_bytes: bytes.inward + bytes.outward,
                };
                Rooflines {
                    kernel,
                    rates: roofline::bounds(&kernel, &peaks),
                    ms: roofline::times(&kernel, &peaks),
                }
            }),
            missing_peak,
        };
        match chunks {
            Some(chunks) => plan.cut(&all, &chunks, &mapped, most),
            None => plan.choices.retain(|choice| choice.streams.is_none()),
        }
        Ok(plan)
    }

    /// Replaces the times of streams and hybrid by those for the part that moves in chunks.
    fn cut(&mut self, all: &Card, chunks: &Bytes, mapped: &Work, most: u32) {
        let card = Card {
            transactions: chunks.transactions,
            ..self.card
        };
        let (work, bus) = (chunks.explicit(self.kernel_ms), card.explicit_bus());
        let whole = all.explicit_bus();
        // The time of the whole part is a difference: all transfers minus those in chunks. Its start-up
        // times go with it.
        let whole_ms = Ways {
            inward: whole.inward_ms(self.bytes.inward, 1) - bus.inward_ms(chunks.inward, 1),
            outward: whole.outward_ms(self.bytes.outward, 1) - bus.outward_ms(chunks.outward, 1),
        };
        let both = whole_ms.inward + whole_ms.outward;
        let capability = Capability::of(card.class);
        let times = card.stream_creation.map(|creation| Times {
            kernel: self.kernel_ms,
            inward: bus.inward_ms(chunks.inward, 1),
            outward: bus.outward_ms(chunks.outward, 1),
            creation,
        });
        let chosen = choices(&card, &work, mapped, None, most);
        for (choice, cut) in self.choices.iter_mut().zip(chosen) {
            let beside = match choice.method {
                Method::Streams => both,
                Method::Hybrid => whole_ms.inward,
                Method::Explicit | Method::Mapped => continue,
            };
            *choice = Choice {
                ms: cut.ms + beside,
                limits: cut.limits.after(beside),
                ..cut
            };
        }
        let bus = card.streams_bus();
        let point = |n: u32| Point {
            streams: n,
            explicit_ms: card.streams(&work, n) + both,
            equation: werkhoven::equation(card.class, &work, &bus, n),
            hybrid_ms: card.hybrid(&work, mapped, n) + whole_ms.inward,
            created: times.as_ref().map(|times| {
                let ms = gomez_luna::streams(capability, times, n) + both;
                (ms, gomez_luna::equation(capability, times, n))
            }),
        };
        let best = chosen.iter().find_map(|choice| choice.streams).unwrap_or(1);
        let equation = werkhoven::equation(card.class, &work, &bus, best);
        self.real_best = equation.best(&work, &bus);
        self.streams = (1..=most.max(1)).map(point).collect();
        self.created_best = times.as_ref().map(|times| {
            let real = gomez_luna::best(capability, times);
            let (streams, ms) = gomez_luna::best_streams(capability, times, most);
            (real, streams, ms + both)
        });
        self.whole_ms = whole_ms;
    }

    /// Returns the fastest method; ties go to the first.
    pub fn best(&self) -> Choice {
        let mut choices = self.choices.iter();
        let first = *choices.next().expect("there are four");
        choices.fold(
            first,
            |best, choice| if choice.ms < best.ms { *choice } else { best },
        )
    }
}

impl Peaks {
    /// Those of a machine; none where it gives neither of the two that nothing else asks for.
    ///
    /// # Errors
    /// When it gives one of these and lacks another.
    pub(crate) fn of(machine: &Machine) -> Result<Option<Peaks>, MissingFigure> {
        let device = &machine.device;
        if device.peak_gflops.is_none() && device.bus_gb_s.is_none() {
            return Ok(None);
        }
        let need = |figure: &Option<Rational>, key, meaning| {
            let figure = machine.figure(figure.as_ref(), "device", key, meaning);
            figure.map(Rational::to_f64)
        };
        Ok(Some(Peaks {
            gflops: need(&device.peak_gflops, "peak_gflops", "how fast it computes")?,
            memory: need(&device.memory_gb_s, "memory_gb_s", "how fast its memory is")?,
            bus: need(&device.bus_gb_s, "bus_gb_s", "how fast its bus is")?,
        }))
    }
}
