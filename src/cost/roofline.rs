//! Bounds that any card obeys: a kernel takes no less than its instructions take to issue, than its MPs
//! take one after the other, than its sectors take through the cache, than its words take from memory.
//!
//! T = Σ launch + max(work, span, L2, DRAM). Every constant is the card's own, none is fitted. The formula
//! is written once, in symbols; numbers are symbols without letters.

use crate::cost::expressions::over_loops;
use crate::cost::{Estimate, Figure, HEADLINE, Item, Missing, Model, Sheet, Subject, Value};
use crate::count::{Charges, Kind, Quantity, Round};
use crate::derivation::{Derivation, Derived};
use crate::machine::{Coalescing, Machine, Millis, MissingFigure};
use crate::number::{BigInt, Rational};
use crate::sym::Expr;

/// The share of the bound that binds in all of `gpu_cost`; the rest is launches and rounds that
/// another one binds.
const SHARE: &str = "bound_share";

/// The bounds by name, with what is said where one takes most of the time.
const BOUNDS: [(&str, &str); 4] = [
    (
        "work",
        "bound by issuing instructions; does not see transfers",
    ),
    (
        "span",
        "bound by latency, MP after MP; does not see transfers",
    ),
    ("l2", "bound by the L2 cache; does not see transfers"),
    ("dram", "bound by device memory; does not see transfers"),
];

/// Ours.
pub(super) struct Roofline;

impl Model for Roofline {
    fn name(&self) -> &'static str {
        "roofline"
    }

    fn summary(&self) -> &'static str {
        "the greatest of four bounds: instructions, latency, cache, memory; ours"
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
            formula: "Σ over kernels of launch + max(work, span, L2, DRAM)",
            inputs: &[
                (
                    "work",
                    "(k c + conflicts)/(k' r γ): c operations weighted by [operations] and accesses of an MP, \
                     conflicts by the [banks] rule",
                ),
                (
                    "span",
                    "⌈k/(k' ℓ)⌉ ((c + conflicts/k)/min(1, r) + a L moved/bytes)/γ: a global accesses of an MP",
                ),
                (
                    "L2",
                    "bytes of all transactions by the [coalescing] rule, over W₂",
                ),
                (
                    "DRAM",
                    "moved over W: these bytes, with a cache no more than the live words once (twice where an \
                     array is read and written)",
                ),
                (
                    "k', H, γ, W",
                    "[device] multiprocessors, max_blocks, clock_ghz, memory_gb_s",
                ),
                (
                    "r, L, W₂, launch",
                    "[roofline] issue_per_cycle, latency_cycles, l2_gb_s, launch_ms (else sync_ms); l2_bytes is \
                     0 where there is no cache",
                ),
            ],
            source: "ours; S. Williams, A. Waterman, D. Patterson, Roofline (2009), with latency and a cache",
        }
    }

    fn needs_charges(&self) -> bool {
        true
    }

    fn estimate(&self, subject: &Subject<'_>, machine: &Machine) -> Result<Estimate, Missing> {
        let (sums, is_exact) = sums(subject, machine)?;
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
        figures.extend(named.map(|((name, _), sum)| time(name, sum)));
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
        let (sums, _) = sums(subject, machine)?;
        Ok(Some(Millis::new(sums.kernels)))
    }

    fn symbolic(&self, derivation: &Derivation, machine: &Machine) -> Option<Expr> {
        let card = Card::of(machine).ok()?;
        let exact = |quantity: &Derived| quantity.is_exact().then(|| quantity.upper.clone())?;
        let mut sum = Expr::zero();
        for round in &derivation.rounds {
            let Some(charges) = round.charges.as_deref() else {
                continue;
            };
            let kernel = Kernel::of(charges, &round.counts, &exact, &exact, &card)?;
            let bounds = kernel.bounds(&card)?;
            let time = card.launch.add(&Expr::max(bounds.to_vec()));
            sum = sum.add(&over_loops(round, time)?);
        }
        Some(sum)
    }
}

/// What is summed over the rounds of a program, in ms.
#[derive(Default)]
struct Sums {
    launches: Rational,
    /// Σ of the greatest bound of each round.
    kernels: Rational,
    /// Σ of each bound, in the order of [`BOUNDS`].
    bounds: [Rational; 4],
    /// Σ of each bound over the rounds where it is the greatest.
    bound: [Rational; 4],
}

/// The sums, and whether they rest on exact charges.
fn sums(subject: &Subject<'_>, machine: &Machine) -> Result<(Sums, bool), Missing> {
    let missing = || Missing::Charges { model: "roofline" };
    let charged = subject.charges.ok_or_else(missing)?;
    let card = Card::of(machine)?;
    let mut sums = Sums::default();
    // Charges leave rounds without MPs out, and both merge equal neighbours in their own way.
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
                &card,
            );
            let bounds = kernel.and_then(|kernel| kernel.bounds(&card));
            let bounds = bounds.ok_or_else(missing)?.map(|bound| bound.as_rational());
            sums.add(&card, both, bounds).ok_or_else(missing)?;
            left -= both;
            current = match there - both {
                0 => counted.next(),
                more => Some((more, round)),
            };
        }
    }
    Ok((sums, charged.is_exact))
}

impl Sums {
    /// Adds equal rounds with these bounds.
    fn add(&mut self, card: &Card, times: u64, bounds: [Option<Rational>; 4]) -> Option<()> {
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

/// What the bounds need of a card.
struct Card {
    multiprocessors: Expr,
    most_resident: Expr,
    shared_words: Expr,
    word_bytes: Expr,
    /// Bytes of a transaction where the charges do not know them.
    transaction_bytes: Expr,
    /// γ, in cycles a ms.
    clock: Expr,
    /// r, and what one warp alone can issue.
    issue: Expr,
    issue_alone: Expr,
    latency: Expr,
    /// Bytes a ms of the cache; none where the card has none.
    cache: Option<Expr>,
    /// Bytes a ms of device memory.
    memory: Expr,
    launch: Expr,
}

impl Card {
    fn of(machine: &Machine) -> Result<Card, MissingFigure> {
        let bytes_a_ms = |gb_s: &Rational| Expr::rational(gb_s * &1_000_000.into());
        let cache = match machine.l2_bytes()? {
            0 => None,
            _ => Some(bytes_a_ms(machine.l2_gb_s()?)),
        };
        let memory = machine.device.memory_gb_s.as_ref();
        let memory = machine.figure(memory, "device", "memory_gb_s", "how fast its memory is")?;
        let issue = machine.issue_per_cycle()?;
        let number = |value: &Rational| Expr::rational(value.clone());
        let word_bytes = machine.word_bytes;
        let transaction = match machine.coalescing {
            Coalescing::Blocks => word_bytes.saturating_mul(machine.atgpu.cores_per_mp),
            Coalescing::Sectors => Coalescing::sector_bytes(word_bytes),
            Coalescing::HalfWarp => Coalescing::segment_bytes(word_bytes),
        };
        Ok(Card {
            multiprocessors: Expr::int(machine.multiprocessors()?),
            most_resident: Expr::int(machine.max_blocks()?),
            shared_words: Expr::int(machine.atgpu.shared_words),
            word_bytes: Expr::int(word_bytes),
            transaction_bytes: Expr::int(transaction),
            clock: number(machine.clock()?.value()),
            issue: number(issue),
            issue_alone: number(&issue.clone().min(1.into())),
            latency: number(machine.access_latency()?.value()),
            cache,
            memory: bytes_a_ms(memory),
            launch: number(machine.launch()?.value()),
        })
    }
}

/// What the bounds need of a kernel.
struct Kernel {
    /// k.
    mps: Expr,
    /// c: operations and accesses of the costliest MP.
    cycles: Expr,
    /// a: its global accesses.
    accesses: Expr,
    /// Bank conflicts of all MPs.
    conflicts: Expr,
    /// Bytes of all transactions.
    bytes: Expr,
    /// Bytes of the live words, once for each direction an array is accessed in.
    live: Expr,
    /// m.
    shared: Expr,
}

impl Kernel {
    fn of<C, N>(
        charges: &Charges<C>,
        round: &Round<N>,
        charge: &impl Fn(&C) -> Option<Expr>,
        count: &impl Fn(&N) -> Option<Expr>,
        card: &Card,
    ) -> Option<Kernel> {
        let of_kind = |kind| charge(charges.kinds.get(kind));
        let accesses = of_kind(Kind::Global)?;
        let shared_operands = of_kind(Kind::Shared)?;
        let bytes = match &charges.memory_bytes {
            Some(bytes) => charge(bytes)?,
            None => charge(&charges.memory_transactions)?.mul(&card.transaction_bytes),
        };
        let mut directions = 1;
        for blocks in round.arrays.values() {
            let is_moved = |blocks: &N| Some(!count(blocks)?.is_zero());
            if is_moved(&blocks.read)? && is_moved(&blocks.write)? {
                directions = 2;
            }
        }
        let words = count(&round.global_words)?;
        Some(Kernel {
            mps: charge(&charges.launched_mps)?,
            cycles: charge(&charges.compute)?
                .add(&shared_operands)
                .add(&accesses),
            accesses,
            conflicts: charge(&charges.bank_conflicts)?,
            bytes,
            live: words.mul(&card.word_bytes).mul(&Expr::int(directions)),
            shared: count(&round.shared_words)?,
        })
    }

    /// Its bounds in ms, in the order of [`BOUNDS`].
    fn bounds(&self, card: &Card) -> Option<[Expr; 4]> {
        let issued = self.mps.mul(&self.cycles).add(&self.conflicts);
        let rate = card.multiprocessors.mul(&card.issue).mul(&card.clock);
        let work = issued.div(&rate)?;

        let resident = match card.shared_words.div(&self.shared) {
            Some(fitting) if !self.shared.is_zero() => {
                let fitting = Expr::max(vec![fitting.floor(), Expr::one()]);
                Expr::min(vec![fitting, card.most_resident.clone()])
            }
            Some(_) | None => card.most_resident.clone(),
        };
        let (through_cache, moved) = match &card.cache {
            None => (Expr::zero(), self.bytes.clone()),
            Some(bandwidth) => {
                let least = Expr::min(vec![self.bytes.clone(), self.live.clone()]);
                (self.bytes.div(bandwidth)?, least)
            }
        };
        let at_once = card.multiprocessors.mul(&resident);
        let waves = self.mps.div(&at_once)?.ceil();
        let alone = self.cycles.add(&self.conflicts.div(&self.mps)?);
        // Only what memory has to deliver is waited for.
        let delivered = match self.bytes.is_zero() {
            true => Expr::zero(),
            false => moved.div(&self.bytes)?,
        };
        let waiting = self.accesses.mul(&card.latency).mul(&delivered);
        let one = alone.div(&card.issue_alone)?.add(&waiting);
        let span = waves.mul(&one).div(&card.clock)?;
        Some([work, span, through_cache, moved.div(&card.memory)?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::{ByKind, Charged, Counts};

    /// 1000 MPs with 64 weighted cycles, 3 shared and 3 global accesses each, on the GTX 280.
    fn additions(bytes: i64, given: &[(&str, &str)]) -> Estimate {
        let round = Round {
            launched_mps: 1000.into(),
            shared_words: 96.into(),
            global_words: 96_000.into(),
            arrays: [("a".to_owned(), Default::default())].into_iter().collect(),
            ..Round::default()
        };
        let counts = Counts {
            rounds: vec![(2, round)],
            ..Counts::default()
        };
        let charges = Charges {
            launched_mps: 1000.into(),
            kinds: ByKind::from_fn(|kind| match kind {
                Kind::Shared | Kind::Global => 3.into(),
                _ => 0.into(),
            }),
            compute: 64.into(),
            memory_bytes: Some(bytes.into()),
            ..Charges::default()
        };
        let mut charged = Charged::default();
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

    /// By hand: two launches of (64 + 3 + 3)·1000 cycles on 30 multiprocessors that issue a warp every
    /// fourth cycle; five waves of 8 MPs, 70·4 + 3·500 cycles each.
    #[test]
    fn bounds_are_as_worked_out_by_hand() {
        let found = additions(384_000, &[]);
        assert_time(&found, "work", 2.0 * 70_000.0 / (30.0 * 0.25 * 1.3e6));
        assert_time(&found, "span", 2.0 * 5.0 * 1780.0 / 1.3e6);
        assert_time(
            &found,
            "gpu_cost",
            2.0 * (0.005 + 70_000.0 / (30.0 * 0.25 * 1.3e6)),
        );
        assert_eq!(found.time("l2"), Some(&0.into()));
        assert!(
            found
                .note
                .is_some_and(|note| note.starts_with("bound by issuing"))
        );
    }

    /// Without a cache all transactions reach memory; through one no more than the live words, once.
    #[test]
    fn a_cache_moves_the_live_words_once() {
        let memory = Machine::built_in("gtx280").expect("built in");
        let memory = memory.device.memory_gb_s.expect("it has one").to_f64() * 1e6;
        let plain = additions(384_000_000, &[]);
        assert_time(&plain, "dram", 2.0 * 384e6 / memory);
        let cache = ("l2_bytes = 0\n", "l2_bytes = 4000000\nl2_gb_s = 1000\n");
        let found = additions(384_000_000, &[cache]);
        assert_time(&found, "dram", 2.0 * 384e3 / memory);
        assert_time(&found, "l2", 2.0 * 384e6 / 1e9);
        assert!(
            found
                .note
                .is_some_and(|note| note.starts_with("bound by the L2"))
        );
        // One in a thousand accesses waits.
        assert_time(&found, "span", 2.0 * 5.0 * (280.0 + 1.5) / 1.3e6);
    }
}
