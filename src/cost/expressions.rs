//! The sums of Expressions (1) and (2) of paper 1, term by term.

use crate::count::Counts;
use crate::derivation::DerivedRound;
use crate::derivation::{Derivation, Derived};
use crate::machine::{Blocks, Machine, Millis, MissingFigure, Ops, Transactions, Words};
use crate::number::{BigInt, Rational};
use crate::sym::{Expr, Facts};

/// The parts of Expressions (1) and (2), each summed over all rounds.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Sums {
    /// Σ T_I(i) + T_O(i).
    pub(super) transfer: Millis,
    /// Σ (t_i + λ q_i)/γ: a perfect GPU that runs all MPs at once.
    pub(super) kernel: Millis,
    /// Σ (⌈k_i/(k′ ℓ_i)⌉ t_i + λ q_i)/γ: the real card.
    pub(super) gpu_kernel: Millis,
    /// Σ σ.
    pub(super) synchronisation: Millis,
}

/// Quantity parts a model charges.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Charge {
    /// All of them.
    Everything,
    /// All but the transfers: the model does not know them, and its machine need not.
    NoTransfer,
}

/// What the kernels alone take.
pub(super) fn kernel_time(
    counts: &Counts<BigInt>,
    machine: &Machine,
) -> Result<Millis, MissingFigure> {
    Ok(sums(counts, machine, Charge::NoTransfer)?.gpu_kernel)
}

/// Sums the parts over the rounds of a program. Only t is multiplied by the waves: the paper's
/// closed form for vector addition multiplies λ q as well, its Expression (2) does not
/// (docs/published.md).
pub(super) fn sums(
    counts: &Counts<BigInt>,
    machine: &Machine,
    charge: Charge,
) -> Result<Sums, MissingFigure> {
    let mut sums = Sums::default();
    for (repeated, round) in &counts.rounds {
        let times = |one: Millis| Millis::new(one.value() * &times_of(*repeated));
        if charge == Charge::Everything {
            let inward = machine.inward_time(
                &Transactions::from(&round.inward.transactions),
                &Words::from(&round.inward.words),
            )?;
            let outward = machine.outward_time(
                &Transactions::from(&round.outward.transactions),
                &Words::from(&round.outward.words),
            )?;
            sums.transfer += times(inward + outward);
        }
        let occupancy = machine.occupancy(&round.shared_words)?;
        let waves = machine.waves(&round.launched_mps, &occupancy)?;
        let operations = Ops::from(&round.time);
        let blocks = machine.access_cycles(&Blocks::from(&round.io))?;
        let gpu_cycles = operations.in_waves(&waves).unit_cycles() + blocks.clone();
        let cycles = operations.unit_cycles() + blocks;
        sums.kernel += times(machine.kernel_time(&cycles)?);
        sums.gpu_kernel += times(machine.kernel_time(&gpu_cycles)?);
        sums.synchronisation += times(machine.synchronisation()?.clone());
    }
    Ok(sums)
}

/// As the GPU-cost of [`sums`], in symbols and with the machine's figures in it; `None` where some
/// round is not exactly known.
pub(super) fn symbolic(derivation: &Derivation, machine: &Machine, charge: Charge) -> Option<Expr> {
    let number = |value: &Rational| Expr::rational(value.clone());
    let (clock, latency) = (machine.clock().ok()?, machine.latency().ok()?);
    let sigma = number(machine.synchronisation().ok()?.value());
    let real = Expr::int(machine.multiprocessors().ok()?);
    let most = Expr::int(machine.max_blocks().ok()?);
    let capacity = Expr::int(machine.atgpu.shared_words);
    let mut sum = Expr::zero();
    for round in &derivation.rounds {
        let exact = |quantity: &Derived| quantity.is_exact().then(|| quantity.upper.clone())?;
        let words = exact(&round.counts.shared_words)?;
        let resident = match capacity.div(&words) {
            Some(fitting) if !words.is_zero() => Expr::min(vec![fitting.floor(), most.clone()]),
            Some(_) | None => most.clone(),
        };
        let waves = exact(&round.counts.launched_mps)?
            .div(&real.mul(&resident))?
            .ceil();
        let operations = waves.mul(&exact(&round.counts.time)?);
        let blocks = exact(&round.counts.io)?.scale(latency.value());
        let mut ms = operations
            .add(&blocks)
            .div(&number(clock.value()))?
            .add(&sigma);
        if charge == Charge::Everything {
            let (alpha, beta) = (machine.alpha().ok()?, machine.beta().ok()?);
            for (traffic, alpha, beta) in [
                (&round.counts.inward, &alpha.inward, &beta.inward),
                (&round.counts.outward, &alpha.outward, &beta.outward),
            ] {
                let start = exact(&traffic.transactions)?.scale(alpha.value());
                ms = ms
                    .add(&start)
                    .add(&exact(&traffic.words)?.scale(beta.value()));
            }
        }
        sum = sum.add(&over_loops(round, ms)?);
    }
    Some(sum)
}

/// What one round has, summed over the host loops it stands for; `None` where data end them.
pub(super) fn over_loops(round: &DerivedRound, one: Expr) -> Option<Expr> {
    let facts = Facts::new();
    if round.within_while.is_some() || round.within_until.is_some() {
        return None;
    }
    Some(round.loops.iter().rev().fold(one, |sum, repeated| {
        let (low, high) = match repeated.down {
            true => (&repeated.to, &repeated.from),
            false => (&repeated.from, &repeated.to),
        };
        facts.sum(&repeated.symbol, low, high, &sum)
    }))
}

fn times_of(repeated: u64) -> Rational {
    BigInt::from(repeated).into()
}
