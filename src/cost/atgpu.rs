//! ATGPU, the model of paper 1 (Carroll & Wong): cost is its Expression (1), GPU-cost its
//! Expression (2). Exact until a report rounds.

use crate::cost::expressions::{Charge, Summed, kernel_time, summed, sums, symbolic};
use crate::cost::{
    Closed, Estimate, Figure, HEADLINE, Item, Missing, Model, Sheet, Subject, TRANSFER_SHARE, Value,
};
use crate::count::Quantity;
use crate::derivation::Derivation;
use crate::machine::{Machine, Millis};
use crate::sym::Expr;

/// The model of paper 1.
pub(super) struct Atgpu;

/// Its figures, with their units.
const FIGURES: [(&str, &str); 3] = [
    (Quantity::Cost.name(), "ms"),
    (HEADLINE, "ms"),
    (TRANSFER_SHARE, "1"),
];

impl Model for Atgpu {
    fn name(&self) -> &'static str {
        "atgpu"
    }

    fn summary(&self) -> &'static str {
        "time, I/O, space, synchronisation and transfers; Expressions (1) and (2) of paper 1"
    }

    fn items(&self) -> &'static [Item] {
        &Item::ALL
    }

    fn sheet(&self) -> Sheet {
        Sheet {
            formula: "cost = Σ T_I(i) + (t_i + λ q_i)/γ + T_O(i) + σ\n\
                      GPU-cost = Σ T_I(i) + (⌈k_i/(k' ℓ_i)⌉ t_i + λ q_i)/γ + T_O(i) + σ",
            inputs: &[
                (
                    "T_I(i), T_O(i)",
                    "Î_i α + I_i β and Ô_i α + O_i β: transactions and words of round i",
                ),
                (
                    "t_i, q_i",
                    "operations of the costliest MP, blocks of all MPs",
                ),
                ("k_i", "MPs launched"),
                (
                    "ℓ_i",
                    "MPs resident on one multiprocessor: min(⌊M/m_i⌋, H), H where m_i = 0",
                ),
                ("k', H", "[device] multiprocessors, max_blocks"),
                (
                    "γ, λ",
                    "[device] clock_ghz, latency_cycles (the effective cost of a block)",
                ),
                ("α, β, σ", "[transfer] alpha_ms, beta_ms_per_byte, sync_ms"),
            ],
            source: "paper 1 (Carroll & Wong), Expressions (1) and (2), section III",
        }
    }

    fn figures(&self) -> &'static [(&'static str, &'static str)] {
        &FIGURES
    }

    fn estimate(&self, subject: &Subject<'_>, machine: &Machine) -> Result<Estimate, Missing> {
        let sums = sums(subject.counts, machine, Charge::Everything)?;
        let transfer = sums.transfer.value();
        let fixed = transfer + sums.synchronisation.value();
        let cost = &fixed + sums.kernel.value();
        let gpu_cost = &fixed + sums.gpu_kernel.value();
        let share = transfer.checked_div(&gpu_cost);
        let figure = |name, value| Figure { name, value };
        Ok(Estimate {
            figures: vec![
                figure(Quantity::Cost.name(), Value::Time(cost)),
                figure(HEADLINE, Value::Time(gpu_cost)),
                figure(TRANSFER_SHARE, Value::Share(share)),
            ],
            unit: Some("ms"),
            note: None,
        })
    }

    fn kernel_time(
        &self,
        subject: &Subject<'_>,
        machine: &Machine,
    ) -> Result<Option<Millis>, Missing> {
        Ok(Some(kernel_time(subject.counts, machine)?))
    }

    fn symbolic(&self, derivation: &Derivation, machine: &Machine) -> Option<Expr> {
        symbolic(derivation, machine, Charge::Everything)
    }

    fn closed(&self, derivation: &Derivation, machine: &Machine) -> Vec<(&'static str, Closed)> {
        let sum = |which| summed(derivation, machine, Charge::Everything, which);
        let [cost, gpu_cost] = [sum(Summed::Cost), sum(Summed::GpuCost)];
        let share = sum(Summed::Transfer).zip(gpu_cost.clone());
        let all = [
            cost.map(|cost| (Quantity::Cost.name(), Closed::Time(cost))),
            gpu_cost.map(|cost| (HEADLINE, Closed::Time(cost))),
            share.map(|(part, whole)| (TRANSFER_SHARE, Closed::Share([part, whole]))),
        ];
        all.into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::{Counts, Parameters, Round, Traffic};
    use crate::number::{BigInt, Rational};

    /// Vector addition of paper 1 at n words: t = 13, q = 3k, two arrays in, one out.
    fn vector_addition(n: i64, b: i64) -> Counts<BigInt> {
        let k = (n + b - 1) / b;
        let round = Round {
            launched_mps: k.into(),
            time: 13.into(),
            io: (3 * k).into(),
            inward: Traffic {
                words: (2 * n).into(),
                transactions: 2.into(),
            },
            outward: Traffic {
                words: n.into(),
                transactions: 1.into(),
            },
            shared_words: (3 * b).into(),
            global_words: (3 * n).into(),
            ..Round::default()
        };
        Counts {
            rounds: vec![(1, round)],
            ..Counts::default()
        }
    }

    fn machine(given: &[(&str, i64)]) -> Machine {
        let given: Parameters = given.iter().copied().collect();
        let machine = Machine::built_in("gtx650").expect("built in");
        machine.with_overrides(&given, |_| false).expect("fits").0
    }

    /// 3α + 3nβ + (13 + 3kλ)/γ + σ, paper 1 section IV-A, and with ⌈k/(k'ℓ)⌉ = ⌈32/(2·16)⌉ = 1
    /// and ⌈33/32⌉ = 2 waves of t alone.
    #[test]
    fn vector_addition_costs_what_the_paper_says() {
        let machine = machine(&[
            ("alpha", 5),
            ("beta", 2),
            ("gamma", 4),
            ("lambda", 100),
            ("sigma", 7),
        ]);
        for (n, waves) in [(1024, 1), (1056, 2)] {
            let k = n / 32;
            let found = Atgpu
                .estimate(&Subject::of(&vector_addition(n, 32)), &machine)
                .expect("complete");
            let quarter = |cycles: i64| Rational::new(cycles, 4).expect("not zero");
            let fixed = Rational::from(3 * 5 + 3 * n * 2 + 7);
            let cost = &fixed + &quarter(13 + 3 * k * 100);
            let gpu_cost = &fixed + &quarter(waves * 13 + 3 * k * 100);
            assert_eq!(found.time("cost"), Some(&cost));
            assert_eq!(found.time("gpu_cost"), Some(&gpu_cost));
            let share = Rational::from(15 + 6 * n).checked_div(&gpu_cost);
            assert_eq!(found.figures[2].value, Value::Share(share));
        }
    }

    /// Each direction is charged its own α and β.
    #[test]
    fn directions_are_told_apart() {
        let mut machine = machine(&[("gamma", 1), ("lambda", 0), ("sigma", 0), ("beta", 0)]);
        let alpha = machine.transfer.alpha.as_mut().expect("has α");
        alpha.inward = Millis::new(10);
        alpha.outward = Millis::new(1000);
        let found = Atgpu
            .estimate(&Subject::of(&vector_addition(32, 32)), &machine)
            .expect("complete");
        assert_eq!(found.time("cost"), Some(&(2 * 10 + 1000 + 13).into()));
    }

    /// A round without a kernel has no waves, and a merged round counts as often as it stands for.
    #[test]
    fn idle_and_repeated_rounds() {
        let machine = machine(&[("alpha", 5), ("beta", 2), ("gamma", 4), ("sigma", 7)]);
        let idle = Round {
            inward: Traffic {
                words: 10.into(),
                transactions: 1.into(),
            },
            ..Round::default()
        };
        let counts = Counts {
            rounds: vec![(3, idle)],
            ..Counts::default()
        };
        let found = Atgpu
            .estimate(&Subject::of(&counts), &machine)
            .expect("complete");
        assert_eq!(found.time("gpu_cost"), Some(&(3 * (5 + 20 + 7)).into()));
        let nothing = Atgpu
            .estimate(&Subject::of(&Counts::default()), &machine)
            .expect("complete");
        assert_eq!(nothing.figures[2].value, Value::Share(None));
    }

    /// Paper 1, figure 6: on its card 84% of vector addition is transfer, averaged over
    /// n = 10⁶ … 10⁷. The built-in machine's λ and σ are fitted to that; this holds the fit.
    #[test]
    fn the_built_in_card_shows_the_published_share() {
        let machine = machine(&[]);
        let share = |n: i64| -> f64 {
            let found = Atgpu
                .estimate(&Subject::of(&vector_addition(n, 32)), &machine)
                .expect("complete");
            match &found.figures[2].value {
                Value::Share(Some(share)) => share.to_f64(),
                other => panic!("{other:?}"),
            }
        };
        let average = (1..=10).map(|step| share(step * 1_000_000)).sum::<f64>() / 10.0;
        assert!((average - 0.84).abs() < 0.015, "{average}");
    }
}
