//! The sums of Expressions (1) and (2) of paper 1, term by term.

use crate::count::Counts;
use crate::derivation::Derivation;
use crate::derivation::DerivedRound;
use crate::machine::{Blocks, Machine, Millis, MissingFigure, Ops, Transactions, Words};
use crate::number::{BigInt, Rational};
use crate::sym::{Expr, Facts, Symbol};

/// How much may be tried for the sum of a round over its loops.
const WORK_OF_A_SUM: u64 = 30_000;

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

/// Which of [`sums`] a form is of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Summed {
    /// All of Expression (2).
    GpuCost,
    /// All of Expression (1): every MP runs at once.
    Cost,
    /// What the transfers take.
    Transfer,
}

/// As the GPU-cost of [`sums`], in symbols and with the machine's figures in it; `None` where some
/// round is not exactly known.
pub(super) fn symbolic(derivation: &Derivation, machine: &Machine, charge: Charge) -> Option<Expr> {
    summed(derivation, machine, charge, Summed::GpuCost)
}

/// As [`symbolic`], of any of the sums.
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
        over_loops(derivation, round, kernel.add(&transfer))
    });
    each.try_fold(Expr::zero(), |sum, one| Some(sum.add(&one?)))
}

/// What one round takes without its transfers.
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
        operations = mps.div(&real.mul(&resident))?.ceil().mul(&operations);
    }
    let blocks = round.counts.io.exact_form()?.scale(latency.value());
    let cycles = operations.add(&blocks);
    let sigma = number(machine.synchronisation().ok()?.value());
    let sigma = match &round.joined {
        Some(joined) if joined.is_exact => sigma.mul(&Expr::bracket(joined.alone.clone())),
        Some(_) => return None,
        None => sigma,
    };
    Some(cycles.div(&number(clock.value()))?.add(&sigma))
}

/// What its transfers take.
fn transfer(round: &DerivedRound, machine: &Machine) -> Option<Expr> {
    let (alpha, beta) = (machine.alpha().ok()?, machine.beta().ok()?);
    let mut ms = Expr::zero();
    for (traffic, alpha, beta) in [
        (&round.counts.inward, &alpha.inward, &beta.inward),
        (&round.counts.outward, &alpha.outward, &beta.outward),
    ] {
        let start = traffic.transactions.exact_form()?.scale(alpha.value());
        let words = traffic.words.exact_form()?.scale(beta.value());
        ms = ms.add(&start).add(&words);
    }
    Some(ms)
}

/// What one round has, summed over the host loops it stands for; `None` where data end them, or nobody would read it.
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
    // What the program requires may say how many there are, and which is the least of some.
    let known = under(&derivation.known.with_work(WORK_OF_A_SUM));
    Some(if known.is_closed() { known } else { solved })
}

fn times_of(repeated: u64) -> Rational {
    BigInt::from(repeated).into()
}
