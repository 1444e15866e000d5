//! Paper 2 (Kothapalli et al.): cycles of a thread, times the threads a core works through.
//!
//! C(K) = N_B N_w N_t C_T / (N_C D), T = C/R. C_T is max(N_comp, N_memory) if latencies are completely
//! hidden (MAX) and their sum if none is (SUM). An MP of paper 1 is a warp of b threads. A thread block
//! holds `warps_per_thread_block` of them, and N_B = ⌈thread blocks/multiprocessors⌉. Transfers and
//! synchronisation are not modelled. If MPs differ, a second figure spreads their own cycles over the
//! multiprocessors, beside the waves of the costliest MP.

use crate::cost::expressions::over_loops;
use crate::cost::{Estimate, Figure, HEADLINE, Item, Missing, Model, Sheet, Subject, Value};
use crate::count::{Charged, Charges, Quantity};
use crate::derivation::{Derivation, Derived};
use crate::machine::{CycleRules, Cycles, Machine, Millis, MissingFigure};
use crate::number::{BigInt, Rational};
use crate::sym::Expr;

/// The cycles of all MPs spread over the multiprocessors, if they are fewer than the costliest MP's times
/// all MPs.
const OVER_MPS: &str = "over_mps";

/// The part of the memory accesses that is hidden behind computation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hiding {
    /// The longer of the two hides the other.
    Max,
    /// Neither hides the other.
    Sum,
}

/// One of the two models of paper 2.
pub(super) struct Kothapalli(pub(super) Hiding);

/// Its figures, with their units.
const FIGURES: [(&str, &str); 3] = [
    (Quantity::Cost.name(), "ms"),
    (HEADLINE, "ms"),
    (OVER_MPS, "ms"),
];

impl Model for Kothapalli {
    fn name(&self) -> &'static str {
        match self.0 {
            Hiding::Max => "kothapalli-max",
            Hiding::Sum => "kothapalli-sum",
        }
    }

    fn summary(&self) -> &'static str {
        match self.0 {
            Hiding::Max => "weighted cycles of a thread, latencies wholly hidden; paper 2",
            Hiding::Sum => "weighted cycles of a thread, no latency hidden; paper 2",
        }
    }

    fn items(&self) -> &'static [Item] {
        &[Item::TimeComplexity, Item::IoComplexity, Item::CostFunction]
    }

    fn sheet(&self) -> Sheet {
        Sheet {
            formula: match self.0 {
                Hiding::Max => "Σ over kernels of N_B·N_w·N_t·max(N_comp, N_memory)/(N_C·D·R)",
                Hiding::Sum => "Σ over kernels of N_B·N_w·N_t·(N_comp + N_memory)/(N_C·D·R)",
            },
            inputs: &[
                (
                    "N_B",
                    "thread blocks a multiprocessor takes: ⌈⌈k/w⌉/k'⌉, w = warps_per_thread_block",
                ),
                ("N_w", "warps of a thread block: w·⌈b/N_t⌉"),
                ("N_t", "[kothapalli] warp_threads"),
                ("N_C, D", "[kothapalli] cores, pipeline_depth"),
                ("R", "[device] clock_ghz"),
                (
                    "over_mps",
                    "where MPs differ: ⌈b/N_t⌉·N_t·Σ C_T/(k'·N_C·D·R), each MP with its own C_T",
                ),
                (
                    "N_comp",
                    "operations of a thread by kind, weighted by [operations]; accesses left out",
                ),
                (
                    "N_memory",
                    "shared_cycles times the degree by the [banks] rule, and for T transactions of A cores by the \
                     [coalescing] rule global_cycles where T = A, else (global_cycles + A/T)/(A/T)",
                ),
            ],
            source: "paper 2 (Kothapalli et al.), equations (1) to (4), sections 3.2 and 3.4",
        }
    }

    fn figures(&self) -> &'static [(&'static str, &'static str)] {
        &FIGURES
    }

    fn needs_charges(&self) -> bool {
        true
    }

    fn charges_by(&self, machine: &Machine) -> Result<CycleRules, MissingFigure> {
        machine.cycle_rules()
    }

    fn estimate(&self, subject: &Subject<'_>, machine: &Machine) -> Result<Estimate, Missing> {
        let charged = subject
            .charges
            .ok_or(Missing::Charges { model: self.name() })?;
        let time = time(charged, self.0, machine)?;
        let figure = |name, value: Rational| Figure {
            name,
            value: Value::Time(value),
        };
        let mut figures = vec![
            figure(Quantity::Cost.name(), time.value().clone()),
            figure(HEADLINE, time.value().clone()),
        ];
        if let Some(spread) = over_mps(charged, self.0, machine)? {
            figures.push(figure(OVER_MPS, spread.value().clone()));
        }
        Ok(Estimate {
            figures,
            unit: Some("ms"),
            note: Some(if charged.is_exact {
                "does not see transfers"
            } else {
                "at most; does not see transfers"
            }),
        })
    }

    fn kernel_time(
        &self,
        subject: &Subject<'_>,
        machine: &Machine,
    ) -> Result<Option<Millis>, Missing> {
        let charged = subject
            .charges
            .ok_or(Missing::Charges { model: self.name() })?;
        Ok(Some(time(charged, self.0, machine)?))
    }

    fn symbolic(&self, derivation: &Derivation, machine: &Machine) -> Option<Expr> {
        let section = machine.kothapalli().ok()?;
        let clock = machine.clock().ok()?;
        let multiprocessors = Expr::int(machine.multiprocessors().ok()?);
        let warps = Expr::int(section.warps_per_thread_block);
        let width = Expr::int(machine.atgpu.cores_per_mp);
        let threads = Expr::int(section.warp_threads);
        let mut sum = Expr::zero();
        for round in &derivation.rounds {
            let Some(charges) = round.charges.as_deref() else {
                continue;
            };
            let exact = Derived::exact_form;
            let thread = match self.0 {
                Hiding::Max => Expr::max(vec![exact(&charges.compute)?, exact(&charges.memory)?]),
                Hiding::Sum => exact(&charges.both)?,
            };
            let thread_blocks = exact(&charges.launched_mps)?.div(&warps)?.ceil();
            let each = thread_blocks.div(&multiprocessors)?.ceil();
            let warps_each = &warps * width.div(&threads)?.ceil();
            let cycles = &each * &warps_each * &threads * &thread;
            sum = &sum + over_loops(derivation, round, cycles)?;
        }
        let parallel = Rational::from(section.cores * section.pipeline_depth);
        sum.div(&Expr::rational(&parallel * clock.value()))
    }
}

/// T(P) = Σ T(K), equation (1).
fn time(charged: &Charged, hiding: Hiding, machine: &Machine) -> Result<Millis, MissingFigure> {
    let mut cycles = Rational::from(0);
    for (repeated, round) in &charged.rounds {
        let one = kernel_cycles(round, hiding, machine)?;
        cycles += &(&one * &BigInt::from(*repeated).into());
    }
    machine.kernel_time(&Cycles::new(cycles))
}

/// The time of all MPs' work spread over the multiprocessors. `None` if the MPs are alike, or only the
/// costliest is known.
fn over_mps(
    charged: &Charged,
    hiding: Hiding,
    machine: &Machine,
) -> Result<Option<Millis>, MissingFigure> {
    let section = machine.kothapalli()?;
    let warps = warps_of_an_mp(machine, section.warp_threads);
    let (mut cycles, mut are_alike) = (Rational::from(0), true);
    for (repeated, round) in &charged.rounds {
        let Some(all) = &round.of_all else {
            return Ok(None);
        };
        let (all, most) = match hiding {
            Hiding::Max => (&all.longer, longer(round)),
            Hiding::Sum => (&all.both, &round.both),
        };
        // The MPs are alike exactly if the sum over all is the costliest MP's times their number.
        are_alike &= *all == &round.launched_mps * most;
        let each = all.checked_div(&machine.multiprocessors()?.into());
        let shape = Shape {
            each: 1.into(),
            warps: warps.clone(),
            threads: section.warp_threads.into(),
        };
        let each = each.expect("k' is above 0");
        let one = self::cycles(&shape, &each, section.cores, section.pipeline_depth);
        cycles += &(&one * &BigInt::from(*repeated).into());
    }
    let spread = (!are_alike).then(|| machine.kernel_time(&Cycles::new(cycles)));
    spread.transpose()
}

/// C_T if one side hides the other: the maximum of both.
fn longer(charges: &Charges<Rational>) -> &Rational {
    if charges.compute > charges.memory {
        &charges.compute
    } else {
        &charges.memory
    }
}

/// The number of warps for an MP's b threads.
fn warps_of_an_mp(machine: &Machine, warp_threads: i64) -> Rational {
    let width = Rational::from(machine.atgpu.cores_per_mp);
    let warps = width.checked_div(&warp_threads.into());
    Rational::from(warps.expect("a warp has threads").ceil())
}

/// C(K), equation (3).
fn kernel_cycles(
    charges: &Charges<Rational>,
    hiding: Hiding,
    machine: &Machine,
) -> Result<Rational, MissingFigure> {
    let section = machine.kothapalli()?;
    let multiprocessors = Rational::from(machine.multiprocessors()?);
    let ceiling = |numerator: &Rational, denominator: i64| {
        let quotient = numerator.checked_div(&denominator.into());
        Rational::from(quotient.expect("figures are above 0").ceil())
    };
    let thread_blocks = ceiling(&charges.launched_mps, section.warps_per_thread_block);
    let each = thread_blocks.checked_div(&multiprocessors);
    // The busiest multiprocessor takes ⌈blocks/k'⌉ thread blocks: 7 on 2 multiprocessors make 4.
    let each = Rational::from(each.expect("k' is above 0").ceil());
    let warps = warps_of_an_mp(machine, section.warp_threads);
    let warps = &warps * &section.warps_per_thread_block.into();
    let threads = Rational::from(section.warp_threads);
    let thread = match hiding {
        Hiding::Max => longer(charges).clone(),
        Hiding::Sum => charges.both.clone(),
    };
    Ok(cycles(
        &Shape {
            each,
            warps,
            threads,
        },
        &thread,
        section.cores,
        section.pipeline_depth,
    ))
}

/// N_B, N_w and N_t of a kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// N_B: thread blocks of each multiprocessor.
    pub each: Rational,
    /// N_w: warps of a thread block.
    pub warps: Rational,
    /// N_t: threads of a warp.
    pub threads: Rational,
}

/// C(K) = N_B N_w N_t C_T/(N_C D), equation (3), for C_T cycles of a thread. 0 if a multiprocessor has no
/// cores.
pub fn cycles(shape: &Shape, thread: &Rational, cores: i64, depth: i64) -> Rational {
    let work = &(&shape.each * &shape.warps) * &(&shape.threads * thread);
    let parallel = &Rational::from(cores) * &depth.into();
    work.checked_div(&parallel).unwrap_or_else(|| 0.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::Counts;

    /// MPs of 48 threads are ⌈48/32⌉ = 2 warps, and w = 3 of them a thread block of N_w = 6: 100 MPs are 34 thread
    /// blocks, 2 on each of 30 multiprocessors. 2·6·32 threads of 70 cycles on 8 cores of 4 stages, at 1.3 GHz.
    #[test]
    fn an_mp_is_as_many_warps_as_its_threads_fill() {
        let mut machine = Machine::built_in("gtx280").expect("built in");
        machine.atgpu.cores_per_mp = 48;
        let section = machine.kothapalli.as_mut().expect("it has one");
        section.warps_per_thread_block = 3;
        let mut charged = Charged::default();
        let charges = Charges {
            launched_mps: 100.into(),
            compute: 70.into(),
            memory: 50.into(),
            ..Charges::default()
        };
        charged.push(1, charges);
        let counts = Counts::default();
        let subject = Subject::of(&counts).with_charges(&charged);
        let estimate = Kothapalli(Hiding::Max).estimate(&subject, &machine);
        let cycles = 2 * 6 * 32 * 70 / (8 * 4);
        let found = estimate.expect("complete").headline().cloned();
        assert_eq!(found, Rational::new(cycles, 1_300_000));
    }
}
