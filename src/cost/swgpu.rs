//! SWGPU, as paper 1 evaluates it: "the GPU cost function of our model minus the data transfer".

use crate::cost::expressions::{Charge, Summed, kernel_time, summed, sums, symbolic};
use crate::cost::{
    Closed, Estimate, Figure, HEADLINE, Item, Missing, Model, Sheet, Subject, Value,
};
use crate::count::Quantity;
use crate::derivation::Derivation;
use crate::machine::{Machine, Millis};
use crate::sym::Expr;

/// The model of Sitchinava and Weichert.
pub(super) struct Swgpu;

/// Its figures, with their units.
const FIGURES: [(&str, &str); 2] = [(Quantity::Cost.name(), "ms"), (HEADLINE, "ms")];

impl Model for Swgpu {
    fn name(&self) -> &'static str {
        "swgpu"
    }

    fn summary(&self) -> &'static str {
        "time, I/O and synchronisation, but no transfers; as paper 1 evaluates it"
    }

    fn items(&self) -> &'static [Item] {
        &[
            Item::TimeComplexity,
            Item::IoComplexity,
            Item::Synchronisation,
            Item::CostFunction,
        ]
    }

    fn sheet(&self) -> Sheet {
        Sheet {
            formula: "GPU-cost = Σ (⌈k_i/(k' ℓ_i)⌉ t_i + λ q_i)/γ + σ",
            inputs: &[
                (
                    "t_i, q_i",
                    "operations of the costliest MP, blocks of all MPs",
                ),
                (
                    "k_i, ℓ_i",
                    "MPs launched, MPs resident on one multiprocessor",
                ),
                (
                    "k', H, γ, λ",
                    "[device] multiprocessors, max_blocks, clock_ghz, latency_cycles",
                ),
                ("σ", "[transfer] sync_ms"),
            ],
            source: "Sitchinava & Weichert, as paper 1 (section IV) evaluates it: GPU-cost without transfers",
        }
    }

    fn figures(&self) -> &'static [(&'static str, &'static str)] {
        &FIGURES
    }

    fn estimate(&self, subject: &Subject<'_>, machine: &Machine) -> Result<Estimate, Missing> {
        let sums = sums(subject.counts, machine, Charge::NoTransfer)?;
        let cost = sums.kernel + sums.synchronisation.clone();
        let gpu_cost = sums.gpu_kernel + sums.synchronisation;
        let figure = |name, value| Figure { name, value };
        Ok(Estimate {
            figures: vec![
                figure(Quantity::Cost.name(), Value::Time(cost.value().clone())),
                figure(HEADLINE, Value::Time(gpu_cost.value().clone())),
            ],
            unit: Some("ms"),
            note: Some("does not see transfers"),
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
        symbolic(derivation, machine, Charge::NoTransfer)
    }

    fn closed(&self, derivation: &Derivation, machine: &Machine) -> Vec<(&'static str, Closed)> {
        let sum = |which| summed(derivation, machine, Charge::NoTransfer, which);
        let names = [Quantity::Cost.name(), HEADLINE];
        let sums = names.into_iter().zip([Summed::Cost, Summed::GpuCost]);
        let forms = sums.filter_map(|(name, which)| Some((name, Closed::Time(sum(which)?))));
        forms.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::{Counts, Round, Traffic};

    #[test]
    fn is_the_gpu_cost_without_transfer() {
        let round = Round {
            launched_mps: 100.into(),
            time: 50.into(),
            io: 9.into(),
            inward: Traffic {
                words: 1000.into(),
                transactions: 1.into(),
            },
            ..Round::default()
        };
        let counts = Counts {
            rounds: vec![(2, round)],
            ..Counts::default()
        };
        let given = [("gamma", 2), ("lambda", 10), ("sigma", 1)];
        let machine = Machine::built_in("gtx650").expect("built in");
        let (mut machine, _) = machine
            .with_overrides(&given.into_iter().collect(), |_| false)
            .expect("fits");
        // The machine need not even know what a transfer costs.
        machine.transfer.alpha = None;
        machine.transfer.beta = None;
        let found = Swgpu
            .estimate(&Subject::of(&counts), &machine)
            .expect("enough");
        // (50 + 90)/2 + 1, and with ⌈100/32⌉ = 4 waves (200 + 90)/2 + 1; twice each.
        assert_eq!(found.time("cost"), Some(&142.into()));
        assert_eq!(found.time("gpu_cost"), Some(&292.into()));
    }
}
