//! The sums of Expressions (1) and (2) of paper 1, term by term.

use crate::count::Counts;
use crate::derivation::Derivation;
use crate::derivation::DerivedRound;
use crate::machine::{Blocks, Machine, Millis, MissingFigure, Ops, Transactions, Words};
use crate::number::{BigInt, Rational};
use crate::sym::{Expr, Facts, Symbol};

/// Work budget for the sum of a round over its loops.
const WORK_OF_A_SUM: u64 = 30_000;

/// The parts of Expressions (1) and (2), each summed over all rounds.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Sums {
    /// Σ T_I(i) + T_O(i).
    pub(super) transfer: Millis,
    /// Σ (t_i + λ q_i)/γ: a perfect GPU, which runs all MPs at once.
    pub(super) kernel: Millis,
    /// Σ (⌈k_i/(k′ ℓ_i)⌉ t_i + λ q_i)/γ: the real card.
    pub(super) gpu_kernel: Millis,
    /// Σ σ.
    pub(super) synchronisation: Millis,
}

/// The parts of the cost that a model charges.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Charge {
    /// All parts.
    Everything,
    /// All parts except transfers: the model has none, and its machine need not have their figures.
    NoTransfer,
}

/// Returns the time of the kernels alone.
pub(super) fn kernel_time(
    counts: &Counts<BigInt>,
    machine: &Machine,
) -> Result<Millis, MissingFigure> {
    Ok(sums(counts, machine, Charge::NoTransfer)?.gpu_kernel)
}

/// Returns Σ T_I(i) + T_O(i).
pub(super) fn transfer_time(
    counts: &Counts<BigInt>,
    machine: &Machine,
) -> Result<Millis, MissingFigure> {
    let mut sum = Millis::default();
    for (repeated, round) in &counts.rounds {
        let inward = machine.inward_time(
            &Transactions::from(&round.inward.transactions),
            &Words::from(&round.inward.words),
        )?;
        let outward = machine.outward_time(
            &Transactions::from(&round.outward.transactions),
            &Words::from(&round.outward.words),
        )?;
        sum += Millis::new((inward + outward).value() * &times_of(*repeated));
    }
    Ok(sum)
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
    if charge == Charge::Everything {
        sums.transfer = transfer_time(counts, machine)?;
    }
    for (repeated, round) in &counts.rounds {
        let times = |one: Millis| Millis::new(one.value() * &times_of(*repeated));
        // The waves depend on the round's own occupancy: Expression (2) has ℓ_i.
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

/// The sum that an expression is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Summed {
    /// All of Expression (2).
    GpuCost,
    /// All of Expression (1): every MP runs at once.
    Cost,
    /// The time of the transfers.
    Transfer,
}

/// The GPU-cost of [`sums`] as an expression with the machine's figures in it. `None` if some round is not
/// known exactly.
pub(super) fn symbolic(derivation: &Derivation, machine: &Machine, charge: Charge) -> Option<Expr> {
    summed(derivation, machine, charge, Summed::GpuCost)
}

/// One of the sums as an expression, as in [`symbolic`].
pub(super) fn summed(
    derivation: &Derivation,
    machine: &Machine,
    charge: Charge,
    which: Summed,
) -> Option<Expr> {
    let rounds = derivation.rounds.iter();
    let mut each = rounds.map(|round| {
        let kernel = match which {
            Summed::Transfer => Expr::zero(),
            Summed::GpuCost | Summed::Cost => kernel(round, machine, which)?,
        };
        let transfer = match charge {
            Charge::Everything => transfer(round, machine)?,
            Charge::NoTransfer => Expr::zero(),
        };
        over_loops(derivation, round, &kernel + &transfer)
    });
    each.try_fold(Expr::zero(), |sum, one| Some(&sum + one?))
}

/// The time of one round without its transfers.
fn kernel(round: &DerivedRound, machine: &Machine, which: Summed) -> Option<Expr> {
    let number = |value: &Rational| Expr::rational(value.clone());
    let (clock, latency) = (machine.clock().ok()?, machine.latency().ok()?);
    let mut operations = round.counts.time.exact_form()?;
    if which == Summed::GpuCost {
        let real = Expr::int(machine.multiprocessors().ok()?);
        let most = Expr::int(machine.max_blocks().ok()?);
        let capacity = Expr::int(machine.atgpu.shared_words);
        let words = round.counts.shared_words.exact_form()?;
        let resident = match capacity.div(&words) {
            Some(fitting) if !words.is_zero() => Expr::min(vec![fitting.floor(), most]),
            Some(_) | None => most,
        };
        let mps = round.counts.launched_mps.exact_form()?;
        operations = mps.div(&(&real * &resident))?.ceil() * &operations;
    }
    let blocks = round.counts.io.exact_form()?.scale(latency.value());
    let cycles = &operations + &blocks;
    let sigma = number(machine.synchronisation().ok()?.value());
    // Transfers that may be part of another round pay σ only where they are a round of their own. If that
    // is not certain, there is no exact form.
    let sigma = match &round.joined {
        Some(joined) if joined.is_exact => &sigma * Expr::bracket(joined.alone.clone()),
        Some(_) => return None,
        None => sigma,
    };
    Some(cycles.div(&number(clock.value()))? + &sigma)
}

/// The time of the round's transfers.
fn transfer(round: &DerivedRound, machine: &Machine) -> Option<Expr> {
    let (alpha, beta) = (machine.alpha().ok()?, machine.beta().ok()?);
    let mut ms = Expr::zero();
    for (traffic, alpha, beta) in [
        (&round.counts.inward, &alpha.inward, &beta.inward),
        (&round.counts.outward, &alpha.outward, &beta.outward),
    ] {
        let start = traffic.transactions.exact_form()?.scale(alpha.value());
        let words = traffic.words.exact_form()?.scale(beta.value());
        ms = &ms + &start + &words;
    }
    Some(ms)
}

/// Sums the time of one round over its host loops. `None` if data end the loops, or if the expression is
/// unwieldy.
pub(super) fn over_loops(derivation: &Derivation, round: &DerivedRound, one: Expr) -> Option<Expr> {
    let is_ended_by_data = round.within_while.is_some() || round.within_until.is_some();
    if is_ended_by_data || one.is_unwieldy() {
        return None;
    }
    let under = |facts: &Facts| {
        let sum = |symbol: &Symbol, low: &Expr, high: &Expr, body: &Expr| {
            facts.sum(symbol, low, high, body)
        };
        round.over_loops(one.clone(), sum)
    };
    let solved = under(&Facts::new());
    if solved.is_closed() {
        return Some(solved);
    }
    // The program's requirements may bound the number of iterations, or decide a minimum.
    let known = under(&derivation.known.with_work(WORK_OF_A_SUM));
    Some(if known.is_closed() { known } else { solved })
}

fn times_of(repeated: u64) -> Rational {
    BigInt::from(repeated).into()
}
