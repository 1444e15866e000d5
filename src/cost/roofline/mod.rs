//! Lower bounds on the time of a kernel that hold on any card. Each is the time for one task:
//!
//! - to start its thread blocks
//! - to issue its instructions, and to run those of one kind through their units
//! - to run its MPs one after the other and side by side
//! - to serve its shared operands, and its blocks, on one multiprocessor
//! - to write through the cache, and to move its words from memory
//!
//! Takes counts, charges and a machine, and gives eight times a round: T = Σ launch + their maximum. Every
//! constant is the card's own; none is fitted. The formulas are written once, in symbols (`kernel`);
//! numbers are expressions without symbols. `card` holds the figures of a machine.

mod card;
mod kernel;
mod picture;

pub use picture::{Picture, Placed};

use crate::cost::expressions::over_loops;
use crate::cost::roofline::card::Card;
use crate::cost::roofline::kernel::Kernel;
use crate::cost::{
    Closed, Estimate, Figure, HEADLINE, Item, Missing, Model, Sheet, Subject, Value,
};
use crate::count::Quantity;
use crate::derivation::{Derivation, Derived};
use crate::machine::{Machine, Millis};
use crate::number::{BigInt, Rational};
use crate::sym::Expr;

/// The fraction of `gpu_cost` from rounds where the binding bound is the greatest. The rest is launches,
/// and rounds with another greatest bound.
const SHARE: &str = "bound_share";

/// The bounds for which few machine files have figures.
const STARTS: &str = "starts";
const UNITS: &str = "units";

/// The number of bounds.
const COUNT: usize = 8;

/// The bounds by name, with the remark if one takes most of the time.
const BOUNDS: [(&str, &str); COUNT] = [
    (
        STARTS,
        "bound by starting thread blocks; does not see transfers",
    ),
    (
        "work",
        "bound by issuing instructions; does not see transfers",
    ),
    (
        UNITS,
        "bound by the units of one kind of operation; does not see transfers",
    ),
    (
        "span",
        "bound by latency, MP after MP; does not see transfers",
    ),
    ("shared", "bound by shared memory; does not see transfers"),
    (
        "l1",
        "bound by the blocks a multiprocessor touches; does not see transfers",
    ),
    ("l2", "bound by the L2 cache; does not see transfers"),
    ("dram", "bound by device memory; does not see transfers"),
];

/// Both costs, each bound, and the share of the one that binds.
const FIGURES: [(&str, &str); COUNT + 3] = {
    let mut figures = [("", "ms"); COUNT + 3];
    figures[0].0 = Quantity::Cost.name();
    figures[1].0 = HEADLINE;
    let mut at = 0;
    while at < COUNT {
        figures[2 + at].0 = BOUNDS[at].0;
        at += 1;
    }
    figures[COUNT + 2] = (SHARE, "1");
    figures
};

/// Ours.
pub(super) struct Roofline;

impl Model for Roofline {
    fn name(&self) -> &'static str {
        "roofline"
    }

    fn summary(&self) -> &'static str {
        "the greatest of eight bounds, from starts to memory; ours"
    }

    fn items(&self) -> &'static [Item] {
        &[
            Item::TimeComplexity,
            Item::IoComplexity,
            Item::SpaceComplexity,
            Item::SharedMemoryLimit,
            Item::CostFunction,
        ]
    }

    fn sheet(&self) -> Sheet {
        Sheet {
            formula: "Σ over kernels of launch + max(starts, work, units, span, shared, L1, L2, DRAM)",
            inputs: &[
                (
                    "starts",
                    "⌈k/Z⌉ [roofline] start_cycles/γ (0 where the file has none)",
                ),
                (
                    "work",
                    "κ v c/(r γ): κ = min(k, Z⌈⌈k/Z⌉/k'⌉) MPs on the busiest multiprocessor, v warps across one, \
                     c instructions of an MP: operations, weighted by [operations] over its add, and accesses, each global \
                     one with [roofline] address_instructions more",
                ),
                (
                    "units",
                    "κ v u/γ: u the most cycles that an MP's operations of one kind take by [units], or its \
                     accesses, shared and global, by [roofline] warp_size (else b)/load_store_units",
                ),
                (
                    "span",
                    "⌈⌈k/Z⌉/(k' ℓ)⌉ (max(C, E) + (N - 1) max(0, min(E, 2E - C))/6) v/W: C an MP's chain of instructions and \
                     waits, E what it takes of the six that are stations, N = min(ℓ Z, κ) W/v of them side by side, ℓ \
                     thread blocks resident",
                ),
                (
                    "C",
                    "(c max(D, v/r) + a (L moved + L₁ (bytes - moved))/bytes + s Lₛ + max(0, L1 γ/κ - \
                     g/min(1, r)))/γ: a how often an MP waits for what it loads, g its global accesses",
                ),
                (
                    "shared",
                    "κ v (s + conflicts/k)/(min(1, r) γ): s shared operands of an MP that are no registers, conflicts \
                     by the [banks] rule",
                ),
                (
                    "L1",
                    "κ min(v q, transactions)/(k min(1, r) γ): q blocks, one after the other",
                ),
                (
                    "L2",
                    "(bytes written + read, no more of these than live words) over B₂, by the [coalescing] rule",
                ),
                (
                    "DRAM",
                    "moved over B: bytes of all transactions, with a cache no more than the live words once \
                     (twice where an array is read and written)",
                ),
                (
                    "k', H, γ, B",
                    "[device] multiprocessors, max_blocks, clock_ghz, memory_gb_s times memory_efficiency",
                ),
                (
                    "r, D, L, B₂, launch",
                    "[roofline] issue_per_cycle, dependent_cycles (else 1/min(1, r)), latency_cycles, l2_gb_s, \
                     launch_ms (else sync_ms); l2_bytes is 0 where there is no cache",
                ),
                (
                    "L₁, Lₛ, V",
                    "[roofline] cached_cycles, shared_cycles (else 0), max_warps: no more than ⌊V/(Z W)⌋ thread \
                     blocks are resident",
                ),
                (
                    "Z",
                    "MPs of a thread block, which share a multiprocessor: -D Z=8 or [roofline] \
                     mps_per_thread_block, else 1",
                ),
                (
                    "v, W",
                    "⌈b/[roofline] warp_size⌉ warps across an MP (else 1), and warps that it stands for, v at least: \
                     -D W=8 or [roofline] warps_per_mp",
                ),
            ],
            source: "ours; S. Williams, A. Waterman, D. Patterson, Roofline (2009), with latency and a cache; \
                     J. Zahorjan, K. Sevcik, D. Eager, B. Galler, Balanced job bound analysis of queueing \
                     networks (1982)",
        }
    }

    fn figures(&self) -> &'static [(&'static str, &'static str)] {
        &FIGURES
    }

    fn needs_charges(&self) -> bool {
        true
    }

    fn estimate(&self, subject: &Subject<'_>, machine: &Machine) -> Result<Estimate, Missing> {
        let card = Card::of(machine)?;
        let (sums, is_exact) = sums(subject, &card)?;
        let time = |name, value: &Rational| Figure {
            name,
            value: Value::Time(value.clone()),
        };
        let all = &sums.launches + &sums.kernels;
        let mut binding = 0;
        for at in 1..BOUNDS.len() {
            if sums.bound[at] > sums.bound[binding] {
                binding = at;
            }
        }
        let mut figures = vec![time(Quantity::Cost.name(), &all), time(HEADLINE, &all)];
        let named = BOUNDS.iter().zip(&sums.bounds);
        let told = named.filter(|((name, _), _)| is_told(name, &card));
        figures.extend(told.map(|((name, _), sum)| time(name, sum)));
        figures.push(Figure {
            name: SHARE,
            value: Value::Share(sums.bound[binding].checked_div(&all)),
        });
        Ok(Estimate {
            figures,
            unit: Some("ms"),
            note: match (sums.kernels.signum() > 0, is_exact) {
                (true, _) => Some(BOUNDS[binding].1),
                (false, _) => Some("does not see transfers"),
            },
        })
    }

    fn kernel_time(
        &self,
        subject: &Subject<'_>,
        machine: &Machine,
    ) -> Result<Option<Millis>, Missing> {
        let (sums, _) = sums(subject, &Card::of(machine)?)?;
        Ok(Some(Millis::new(sums.kernels)))
    }

    fn symbolic(&self, derivation: &Derivation, machine: &Machine) -> Option<Expr> {
        let card = Card::of(machine).ok()?;
        forms(derivation, &card).map(|forms| forms.all)
    }

    fn closed(&self, derivation: &Derivation, machine: &Machine) -> Vec<(&'static str, Closed)> {
        let Ok(card) = Card::of(machine) else {
            return Vec::new();
        };
        let Some(forms) = forms(derivation, &card) else {
            return Vec::new();
        };
        let named = BOUNDS.iter().zip(forms.bounds);
        let told = named.filter(|((name, _), _)| is_told(name, &card));
        let bounds = told.map(|((name, _), form)| (*name, Closed::Time(form)));
        [(HEADLINE, Closed::Time(forms.all))]
            .into_iter()
            .chain(bounds)
            .collect()
    }
}

/// Whether a bound is told: where the machine file has figures for it, which few have for two of them.
fn is_told(name: &str, card: &Card) -> bool {
    match name {
        STARTS => !card.start.is_zero(),
        UNITS => {
            let mut units = card.units.iter().map(|(_, cycles)| cycles);
            !card.load_store.is_zero() || units.any(|cycles| !cycles.is_zero())
        }
        _ => true,
    }
}

/// The sums over the rounds of a program, in ms, as formulas.
struct Forms {
    /// Σ launch and the greatest bound of each round.
    all: Expr,
    /// Σ of each bound, in the order of [`BOUNDS`].
    bounds: [Expr; COUNT],
}

/// The formulas of a derivation under the machine's rules; nothing where it has no exact form.
fn forms(derivation: &Derivation, card: &Card) -> Option<Forms> {
    let exact = Derived::exact_form;
    let mut forms = Forms {
        all: Expr::zero(),
        bounds: std::array::from_fn(|_| Expr::zero()),
    };
    for round in &derivation.rounds {
        let Some(charges) = round.charges.as_deref() else {
            continue;
        };
        // Segments that shrink by an unknown amount have no exact form.
        charges.memory_bytes.as_ref()?;
        let kernel = Kernel::of(charges, &round.counts, &exact, &exact, card, false)?;
        let bounds = kernel.bounds(card)?;
        let time = &card.launch + Expr::max(bounds.to_vec());
        forms.all = &forms.all + over_loops(derivation, round, time)?;
        for (sum, bound) in forms.bounds.iter_mut().zip(bounds) {
            *sum = &*sum + over_loops(derivation, round, bound)?;
        }
    }
    Some(forms)
}

/// The sums over the rounds of a program, in ms.
#[derive(Default)]
struct Sums {
    launches: Rational,
    /// Σ of the greatest bound of each round.
    kernels: Rational,
    /// Σ of each bound, in the order of [`BOUNDS`].
    bounds: [Rational; COUNT],
    /// Σ of each bound over the rounds where it is the greatest.
    bound: [Rational; COUNT],
}

/// The sums, and whether they rest on exact charges.
fn sums(subject: &Subject<'_>, card: &Card) -> Result<(Sums, bool), Missing> {
    let missing = || Missing::Charges { model: "roofline" };
    let mut sums = Sums::default();
    let is_exact = each_kernel(subject, card, &mut |times, kernel| {
        let bounds = kernel.bounds(card)?.map(|bound| bound.as_rational());
        sums.add(card, times, bounds)
    })?;
    is_exact
        .map(|is_exact| (sums, is_exact))
        .ok_or_else(missing)
}

/// Calls `act` for each kernel with its number of launches. Returns true if the charges are exact; `None` if a
/// kernel has no form or `act` fails.
fn each_kernel(
    subject: &Subject<'_>,
    card: &Card,
    act: &mut dyn FnMut(u64, &Kernel) -> Option<()>,
) -> Result<Option<bool>, Missing> {
    let missing = || Missing::Charges { model: "roofline" };
    let charged = subject.charges.ok_or_else(missing)?;
    // Charges leave out rounds without MPs, and each list merges equal neighbours in its own way.
    let launching = subject.counts.rounds.iter();
    let mut counted = launching
        .filter(|(_, round)| round.launched_mps > BigInt::ZERO)
        .map(|(times, round)| (*times, round));
    let mut current = counted.next();
    for (times, charges) in &charged.rounds {
        let mut left = *times;
        while left > 0 {
            let (there, round) = current.ok_or_else(missing)?;
            let both = left.min(there);
            let kernel = Kernel::of(
                charges,
                round,
                &|number: &Rational| Some(Expr::rational(number.clone())),
                &|number: &BigInt| Some(Expr::rational(number.into())),
                card,
                !charged.is_exact,
            );
            if kernel.and_then(|kernel| act(both, &kernel)).is_none() {
                return Ok(None);
            }
            left -= both;
            current = match there - both {
                0 => counted.next(),
                more => Some((more, round)),
            };
        }
    }
    Ok(Some(charged.is_exact))
}

impl Sums {
    /// Adds `times` equal rounds with these bounds.
    fn add(&mut self, card: &Card, times: u64, bounds: [Option<Rational>; COUNT]) -> Option<()> {
        let times = Rational::from(BigInt::from(times));
        self.launches += &(&card.launch.as_rational()? * &times);
        let mut greatest = (0, Rational::from(0));
        for (at, bound) in bounds.into_iter().enumerate() {
            let bound = bound?;
            self.bounds[at] += &(&bound * &times);
            if bound > greatest.1 {
                greatest = (at, bound);
            }
        }
        let (at, bound) = greatest;
        self.bound[at] += &(&bound * &times);
        self.kernels += &(&bound * &times);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::{ArrayBlocks, ByKind, Charged, Charges, Counts, Kind, Round};

    /// 1000 MPs with 256 weighted cycles, as 64 additions take, 3 shared and 3 global accesses each, 4 blocks and 7
    /// transactions, on the GTX 280.
    fn additions(bytes: i64, given: &[(&str, &str)]) -> Estimate {
        let written = ArrayBlocks {
            read: 0.into(),
            write: 1000.into(),
        };
        let round = Round {
            launched_mps: 1000.into(),
            shared_words: 96.into(),
            global_words: 96_000.into(),
            io: 4000.into(),
            arrays: [("a".to_owned(), written)].into_iter().collect(),
            ..Round::default()
        };
        let counts = Counts {
            rounds: vec![(2, round)],
            ..Counts::default()
        };
        let charges = Charges {
            launched_mps: 1000.into(),
            kinds: ByKind::from_fn(|kind| match kind {
                Kind::Shared | Kind::Global | Kind::Wait => 3.into(),
                Kind::Compare => 5.into(),
                Kind::Add => 20.into(),
                _ => 0.into(),
            }),
            compute: 256.into(),
            memory_transactions: 7000.into(),
            memory_bytes: Some(bytes.into()),
            ..Charges::default()
        };
        let mut charged = Charged {
            is_exact: true,
            ..Charged::default()
        };
        charged.push(2, charges);
        let (_, text) = crate::machine::BUILT_IN
            .iter()
            .find(|(name, _)| *name == "gtx280")
            .expect("built in");
        let text = given.iter().fold((*text).to_owned(), |text, (old, new)| {
            assert!(text.contains(old), "{old}");
            text.replace(old, new)
        });
        let machine = Machine::from_toml(&text).expect("sound");
        let subject = Subject::of(&counts).with_charges(&charged);
        Roofline.estimate(&subject, &machine).expect("complete")
    }

    #[track_caller]
    fn assert_time(estimate: &Estimate, name: &str, wanted: f64) {
        let found = estimate.time(name).expect(name).to_f64();
        assert!((found / wanted - 1.0).abs() < 1e-9, "{name}: {found}");
    }

    /// Of what all MPs move an MP has a thousandth, and 30 of them at a time the memory's bandwidth.
    const SHARE: f64 = 30.0 / 1000.0;

    /// ms of two launches whose multiprocessors take `waves` of MPs, `beside` at a time: one that is alone takes
    /// `chain` cycles, or is served for as many, the cycles given and those of its share of all bytes. Balanced
    /// job bounds, with six stations.
    fn span(waves: f64, chain: f64, (cycles, bytes): (f64, f64), beside: f64) -> f64 {
        let served = cycles + bytes / memory() * 1.3e6 * SHARE;
        let met = (beside - 1.0) * served.min(2.0 * served - chain).max(0.0) / 6.0;
        2.0 * waves * (chain.max(served) + met) / 1.3e6
    }

    /// Bytes a ms of the GTX 280's memory.
    fn memory() -> f64 {
        let card = Machine::built_in("gtx280").expect("built in").device;
        let reached = card.memory_efficiency.map_or(1.0, |part| part.to_f64());
        card.memory_gb_s.expect("it has one").to_f64() * 1e6 * reached
    }

    /// By hand: two launches of 64 + 3 + 3 instructions an MP, ⌈1000/30⌉ = 34 MPs on the busiest multiprocessor,
    /// which issues a warp every fourth cycle; five waves of 8 MPs, 70·4 + 3·500 cycles each, and 4 for the block
    /// that is looked up besides the three accesses'; 3 shared operands and 4 blocks an MP. Served are 70 + 3 + 4 at a quarter a cycle, and its bytes.
    #[test]
    fn bounds_are_as_worked_out_by_hand() {
        let found = additions(384_000, &[]);
        assert_time(&found, "work", 2.0 * 34.0 * 70.0 / (0.25 * 1.3e6));
        assert_time(&found, "shared", 2.0 * 34.0 * 3.0 / (0.25 * 1.3e6));
        assert_time(&found, "l1", 2.0 * 34.0 * 4.0 / (0.25 * 1.3e6));
        let served = (77.0 * 4.0, 384e3);
        assert_time(&found, "span", span(5.0, 1784.0, served, 8.0));
        assert_time(
            &found,
            "gpu_cost",
            2.0 * (0.005 + 34.0 * 70.0 / (0.25 * 1.3e6)),
        );
        assert_eq!(found.time("l2"), Some(&0.into()));
        assert!(
            found
                .note
                .is_some_and(|note| note.starts_with("bound by issuing"))
        );
    }

    /// Thread blocks of 16 MPs are ⌈1000/16⌉ = 63, three of them on the busiest multiprocessor: 48 MPs. Each
    /// takes 16·96 of 4096 shared words, so two are resident, and 60 run at once: two waves.
    #[test]
    fn mps_of_a_thread_block_share_a_multiprocessor() {
        let found = additions(
            384_000,
            &[(
                "launch_ms = 0.005",
                "mps_per_thread_block = 16\nlaunch_ms = 0.005",
            )],
        );
        assert_time(&found, "work", 2.0 * 48.0 * 70.0 / (0.25 * 1.3e6));
        let served = (77.0 * 4.0, 384e3);
        assert_time(&found, "span", span(2.0, 1784.0, served, 32.0));
    }

    /// MPs of 64 cores are two warps each: twice the instructions and shared operands, and as many lines as
    /// transactions, 7 an MP, since two lines a block are more.
    #[test]
    fn wide_mps_are_several_warps() {
        let found = additions(384_000, &[("\nb = 32\n", "\nb = 64\n")]);
        assert_time(&found, "work", 2.0 * 34.0 * 2.0 * 70.0 / (0.25 * 1.3e6));
        assert_time(&found, "shared", 2.0 * 34.0 * 2.0 * 3.0 / (0.25 * 1.3e6));
        assert_time(&found, "l1", 2.0 * 34.0 * 7.0 / (0.25 * 1.3e6));
        // An instruction of both takes 8 cycles to issue, more than the 4 until its result is there.
        let chain = 70.0 * 8.0 + 1500.0 + 4.0 * 4.0;
        let served = ((140.0 + 6.0 + 7.0) * 4.0, 384e3);
        assert_time(&found, "span", span(5.0, chain, served, 8.0));
        let few = additions(
            384_000,
            &[
                ("\nb = 32\n", "\nb = 64\n"),
                ("max_warps = 32", "max_warps = 8"),
            ],
        );
        // Four MPs are resident: nine waves.
        assert_time(&few, "span", span(9.0, chain, served, 4.0));
    }

    /// Four warps that go through an MP in turn are a quarter of it each; with `max_warps` for 8, two
    /// MPs are resident: seventeen waves. Nothing else changes.
    #[test]
    fn warps_in_turn_run_side_by_side() {
        let turns = ("launch_ms = 0.005", "warps_per_mp = 4\nlaunch_ms = 0.005");
        let found = additions(384_000, &[turns, ("max_warps = 32", "max_warps = 8")]);
        let served = (77.0 * 4.0, 384e3);
        assert_time(&found, "span", span(17.0, 1784.0, served, 8.0) / 4.0);
        assert_time(&found, "work", 2.0 * 34.0 * 70.0 / (0.25 * 1.3e6));
    }

    /// Of three shared operands each is waited for 40 cycles; the units of comparisons, 5 an MP, take 16
    /// cycles each, those of additions, 20, two: the former are the busier.
    #[test]
    fn shared_words_and_units_are_waited_for() {
        let found = additions(
            384_000,
            &[(
                "launch_ms = 0.005\n",
                "shared_cycles = 40\nlaunch_ms = 0.005\n\n[units]\ncompare = 16\nadd = 2\n",
            )],
        );
        let served = (77.0 * 4.0 + 80.0, 384e3);
        assert_time(&found, "span", span(5.0, 1904.0, served, 8.0));
        assert_time(&found, "units", 2.0 * 34.0 * 80.0 / 1.3e6);
        assert_eq!(additions(384_000, &[]).time("units"), None);
    }

    /// Two load/store units take 16 cycles for each of an MP's 3 shared and 3 global accesses.
    #[test]
    fn load_store_units_are_units_too() {
        let units = ("warp_size = 32", "warp_size = 32\nload_store_units = 2");
        let found = additions(384_000, &[units]);
        assert_time(&found, "units", 2.0 * 34.0 * 6.0 * 16.0 / 1.3e6);
    }

    /// Without a cache all transactions reach memory; through one no more than the live words, once, and
    /// through its L2 what is written, here a quarter, and the live words that are read.
    #[test]
    fn a_cache_moves_the_live_words_once() {
        let memory = memory();
        let plain = additions(384_000_000, &[]);
        assert_time(&plain, "dram", 2.0 * 384e6 / memory);
        let cache = ("l2_bytes = 0\n", "l2_bytes = 4000000\nl2_gb_s = 1000\n");
        let found = additions(384_000_000, &[cache]);
        assert_time(&found, "dram", 2.0 * 384e3 / memory);
        assert_time(&found, "l2", 2.0 * (96e6 + 384e3) / 1e9);
        assert!(
            found
                .note
                .is_some_and(|note| note.starts_with("bound by the L2"))
        );
        // One in a thousand accesses waits, and the cache serves for longer than that.
        let served = (77.0 * 4.0 + (96e6 + 384e3) / 1e9 * 1.3e6 * SHARE, 384e3);
        assert_time(&found, "span", span(5.0, 280.0 + 1.5, served, 8.0));
    }
}
