//! The sections that single models need: `[operations]`, `[units]`, `[overlap]` and `[kothapalli]` of a machine
//! file, as read; and all rules by which a machine charges.

use crate::count::{ByKind, Kind};
use crate::machine::PerDirection;
use crate::machine::memory_rules::{Banks, Coalescing, Warps};
use crate::machine::reader::{Rule, Section};
use crate::machine::units::{Cycles, Millis, MillisPerByte};
use crate::number::{BigInt, Rational};

/// Cycles of each kind of operation; 1 where `[operations]` is silent. The two kinds of access
/// have no weight: a model charges them by what they touch.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights(ByKind<Rational>);

impl Default for Weights {
    fn default() -> Self {
        Weights(ByKind::from_fn(|_| 1.into()))
    }
}

impl Weights {
    /// The cycles of one operation of a kind.
    ///
    /// ```
    /// use atgpu::{count::Kind, machine::Weights};
    ///
    /// assert_eq!(Weights::default().of(Kind::Divide), &1.into());
    /// ```
    pub fn of(&self, kind: Kind) -> &Rational {
        self.0.get(kind)
    }

    /// The cycles of operations that compute, accesses left out.
    pub(crate) fn compute_cycles(&self, operations: &ByKind<u64>) -> Rational {
        let computing = operations.iter().filter(|(kind, _)| kind.computes());
        computing.fold(Rational::from(0), |sum, (kind, count)| {
            &sum + &(self.of(kind) * &Rational::from(BigInt::from(*count)))
        })
    }

    pub(super) fn read(section: Section<'_, '_>) -> Option<Weights> {
        let Weights(silent) = Weights::default();
        Some(Weights(by_kind(section, silent)))
    }
}

/// Cycles that a multiprocessor's unit for a kind of operation is busy with one of a warp, where it has
/// fewer lanes than a warp has threads; 0, no limit, where `[units]` is silent.
#[derive(Debug, Clone, PartialEq)]
pub struct Units(ByKind<Rational>);

impl Default for Units {
    fn default() -> Self {
        Units(ByKind::from_fn(|_| Rational::ZERO))
    }
}

impl Units {
    /// The cycles of one operation of a kind.
    ///
    /// ```
    /// use atgpu::{count::Kind, machine::Units};
    ///
    /// assert_eq!(Units::default().of(Kind::Select), &0.into());
    /// ```
    pub fn of(&self, kind: Kind) -> &Rational {
        self.0.get(kind)
    }

    pub(super) fn read(section: Section<'_, '_>) -> Option<Units> {
        let Units(silent) = Units::default();
        Some(Units(by_kind(section, silent)))
    }
}

/// A figure for each kind of operation that computes.
fn by_kind(mut section: Section<'_, '_>, mut figures: ByKind<Rational>) -> ByKind<Rational> {
    for kind in Kind::ALL.into_iter().filter(|kind| kind.computes()) {
        if let Some(figure) = section.figure(kind.key(), Rule::NotNegative) {
            *figures.get_mut(kind) = figure;
        }
    }
    section.finish();
    figures
}

/// `[kothapalli]`: what paper 2 needs of a card beyond its clock and multiprocessors.
#[derive(Debug, Clone, PartialEq)]
pub struct Kothapalli {
    /// N_C: cores of a multiprocessor.
    pub cores: i64,
    /// D: stages of a core's pipeline.
    pub pipeline_depth: i64,
    /// N_t: threads of a warp.
    pub warp_threads: i64,
    /// w: MPs of paper 1 that a multiprocessor takes as one, a thread block of w⌈b/N_t⌉ warps.
    pub warps_per_thread_block: i64,
    /// Cycles of a shared access without conflict.
    pub shared: Cycles,
    /// Cycles of a global access that is not coalesced.
    pub global: Cycles,
}

impl Kothapalli {
    pub(super) fn read(mut section: Section<'_, '_>) -> Option<Kothapalli> {
        let mut whole = |key, example| {
            let number = section.whole(key, Rule::Positive);
            section.need(key, example);
            number
        };
        let cores = whole("cores", "cores = 8");
        let pipeline_depth = whole("pipeline_depth", "pipeline_depth = 4");
        let warp_threads = whole("warp_threads", "warp_threads = 32");
        let warps = section.whole("warps_per_thread_block", Rule::Positive);
        let shared = section.figure("shared_cycles", Rule::NotNegative);
        section.need("shared_cycles", "shared_cycles = 4");
        let global = section.figure("global_cycles", Rule::NotNegative);
        section.need("global_cycles", "global_cycles = 500");
        section.finish();
        Some(Kothapalli {
            cores: cores?,
            pipeline_depth: pipeline_depth?,
            warp_threads: warp_threads?,
            warps_per_thread_block: warps.unwrap_or(1),
            shared: Cycles::new(shared?),
            global: Cycles::new(global?),
        })
    }
}

/// `[overlap]`: what papers 3 and 5 need of a card and its bus; each figure is absent where the
/// file is silent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Overlap {
    /// Copy engines: 1, or more when both directions can be under way at once.
    pub copy_engines: Option<i64>,
    /// True if outward transfers wait until every kernel has started.
    pub implicit_sync: Option<bool>,
    /// g: from one transfer of a direction to the next.
    pub gap: Option<PerDirection<Millis>>,
    /// t_sc: the creation of a stream.
    pub stream_creation: Option<Millis>,
    /// G of a direction while explicit copies run in the other.
    pub bidirectional: Option<PerDirection<MillisPerByte>>,
    /// G of a direction while explicit copies run inward and mapped writes outward.
    pub mapped: Option<PerDirection<MillisPerByte>>,
}

impl Overlap {
    pub(super) fn read(mut section: Section<'_, '_>) -> Option<Overlap> {
        let copy_engines = section.whole("copy_engines", Rule::Positive);
        let implicit_sync = section.truth("implicit_sync");
        let mut pair = |key| section.per_direction(key, Rule::NotNegative);
        let gap = pair("gap_ms");
        let bidirectional = pair("bidirectional_ms_per_byte");
        let mapped = pair("mapped_ms_per_byte");
        let stream_creation = section.figure("stream_creation_ms", Rule::NotNegative);
        section.finish();
        let per_byte = |pair: Option<(Rational, Rational)>| {
            pair.map(|(inward, outward)| PerDirection {
                inward: MillisPerByte::new(inward),
                outward: MillisPerByte::new(outward),
            })
        };
        Some(Overlap {
            copy_engines,
            implicit_sync,
            gap: gap.map(|(inward, outward)| PerDirection {
                inward: Millis::new(inward),
                outward: Millis::new(outward),
            }),
            stream_creation: stream_creation.map(Millis::new),
            bidirectional: per_byte(bidirectional),
            mapped: per_byte(mapped),
        })
    }
}

/// All that decides what a machine charges for what a kernel does.
#[derive(Debug, Clone, PartialEq)]
pub struct CycleRules {
    /// Cycles by kind of operation.
    pub weights: Weights,
    /// Cycles of a shared access, times its degree.
    pub shared: Rational,
    /// Cycles of a global access served alone.
    pub global: Rational,
    /// The rule by which words become memory transactions.
    pub coalescing: Coalescing,
    /// The rule by which shared accesses meet in banks.
    pub banks: Banks,
    /// The warps and banks of the card; `None` where its file has no `warp_size`.
    pub warps: Option<Warps>,
    /// Bytes of a word.
    pub word_bytes: i64,
}

impl CycleRules {
    /// The warps of an MP of so many cores, if each is served for itself: where the MP is wider than one, and
    /// banks serve whole warps. 1024 cores on a card with warps of 32 are 32 of them; 32 cores are `None`.
    pub fn warps_of(&self, cores: i64) -> Option<Warps> {
        let warps = self.warps.filter(|warps| cores > warps.size);
        warps.filter(|_| self.banks == Banks::Warp)
    }

    /// The cycles of a global access of `active` cores in `transactions`: alone 500, and (500 + k)/k
    /// where k cores share a transaction (paper 2, section 3.2.2), here on average.
    ///
    /// ```
    /// use atgpu::machine::Machine;
    ///
    /// let cycle_rules = Machine::built_in("gtx280").expect("built in").cycle_rules().expect("known");
    /// assert_eq!(cycle_rules.global_cycles(32, 32), 500.into()); // each core alone
    /// assert_eq!(cycle_rules.global_cycles(1, 32).to_f64(), (500.0 + 32.0) / 32.0);
    /// ```
    pub fn global_cycles(&self, transactions: u64, active: u64) -> Rational {
        if transactions == 0 || active == 0 {
            return Rational::from(0);
        }
        if transactions >= active {
            return self.global.clone();
        }
        let sharing = Rational::new(transactions, active).expect("cores are active");
        &(&self.global * &sharing) + &1.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Paper 2, section 3.2.1: two additions and two multiplications are 2·4 + 2·16 = 40 cycles
    /// (it prints 72).
    #[test]
    fn two_additions_and_two_multiplications() {
        let mut weights = Weights::default();
        *weights.0.get_mut(Kind::Add) = 4.into();
        *weights.0.get_mut(Kind::Multiply) = 16.into();
        let operations = ByKind::from_fn(|kind| match kind {
            Kind::Add | Kind::Multiply => 2,
            Kind::Shared => 9,
            _ => 0,
        });
        assert_eq!(weights.compute_cycles(&operations), 40.into());
        assert_eq!(Weights::default().compute_cycles(&operations), 4.into());
    }

    /// Paper 2, section 3.2.2: 500 alone, (500 + k)/k where k cores share.
    #[test]
    fn sharing_a_transaction_makes_an_access_cheaper() {
        let cycle_rules = CycleRules {
            weights: Weights::default(),
            shared: 4.into(),
            global: 500.into(),
            coalescing: Coalescing::Blocks,
            banks: Banks::Warp,
            warps: None,
            word_bytes: 4,
        };
        for (transactions, active, cycles) in [
            (32, 32, (500, 1)),
            (2, 32, (516, 16)),
            (1, 4, (504, 4)),
            (1, 1, (500, 1)),
            (0, 0, (0, 1)),
        ] {
            let expected = Rational::new(cycles.0, cycles.1).expect("no zero");
            assert_eq!(cycle_rules.global_cycles(transactions, active), expected);
        }
    }
}
