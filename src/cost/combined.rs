//! Paper 1's transfers with `roofline`'s kernels: the time to expect of a program on a card whose file has the
//! figures of both.

use crate::cost::expressions::{Charge, Summed, summed, transfer_time};
use crate::cost::roofline::Roofline;
use crate::cost::{
    Closed, Estimate, Figure, HEADLINE, Item, Missing, Model, Sheet, Subject, TRANSFER_SHARE, Value,
};
use crate::count::Quantity;
use crate::derivation::Derivation;
use crate::machine::{Machine, Millis};
use crate::sym::Expr;

/// Its name, by which `cost` finds the model of its first line.
pub(super) const NAME: &str = "combined";

/// The parts of its time.
const TRANSFERS: &str = "transfers";
const KERNELS: &str = "kernels";

/// Its figures, with their units.
const FIGURES: [(&str, &str); 5] = [
    (Quantity::Cost.name(), "ms"),
    (HEADLINE, "ms"),
    (TRANSFER_SHARE, "1"),
    (TRANSFERS, "ms"),
    (KERNELS, "ms"),
];

/// Ours, of two others.
pub(super) struct Combined;

impl Model for Combined {
    fn name(&self) -> &'static str {
        NAME
    }

    fn summary(&self) -> &'static str {
        "transfers as in atgpu, kernels as in roofline; without sync_ms"
    }

    fn items(&self) -> &'static [Item] {
        &[
            Item::TimeComplexity,
            Item::IoComplexity,
            Item::SpaceComplexity,
            Item::SharedMemoryLimit,
            Item::CostFunction,
            Item::Transfer,
        ]
    }

    fn sheet(&self) -> Sheet {
        Sheet {
            formula: "GPU-cost = Σ T_I(i) + T_O(i) + roofline(i)",
            inputs: &[
                (
                    "T_I(i), T_O(i)",
                    "Î_i α + I_i β and Ô_i α + O_i β, as in atgpu",
                ),
                (
                    "roofline(i)",
                    "the launch and the kernel of round i, as in roofline",
                ),
                ("α, β", "[transfer] alpha_ms, beta_ms_per_byte"),
            ],
            source: "ours; the transfers of paper 1 (Carroll & Wong), Expression (2)",
        }
    }

    fn figures(&self) -> &'static [(&'static str, &'static str)] {
        &FIGURES
    }

    fn needs_charges(&self) -> bool {
        true
    }

    fn estimate(&self, subject: &Subject<'_>, machine: &Machine) -> Result<Estimate, Missing> {
        let transfers = transfer_time(subject.counts, machine)?.value().clone();
        let kernels = Roofline.estimate(subject, machine)?;
        let kernels = kernels.headline().cloned().unwrap_or_default();
        let all = &transfers + &kernels;
        let share = transfers.checked_div(&all);
        let figure = |name, value| Figure { name, value };
        Ok(Estimate {
            figures: vec![
                figure(Quantity::Cost.name(), Value::Time(all.clone())),
                figure(HEADLINE, Value::Time(all)),
                figure(TRANSFER_SHARE, Value::Share(share)),
                figure(TRANSFERS, Value::Time(transfers)),
                figure(KERNELS, Value::Time(kernels)),
            ],
            unit: Some("ms"),
            note: Some("transfers as in atgpu, kernels as in roofline"),
        })
    }

    fn kernel_time(
        &self,
        subject: &Subject<'_>,
        machine: &Machine,
    ) -> Result<Option<Millis>, Missing> {
        Roofline.kernel_time(subject, machine)
    }

    fn symbolic(&self, derivation: &Derivation, machine: &Machine) -> Option<Expr> {
        let [transfers, kernels] = parts(derivation, machine)?;
        Some(&transfers + &kernels)
    }

    fn closed(&self, derivation: &Derivation, machine: &Machine) -> Vec<(&'static str, Closed)> {
        let Some([transfers, kernels]) = parts(derivation, machine) else {
            return Vec::new();
        };
        let all = &transfers + &kernels;
        let share = [transfers.clone(), all.clone()];
        vec![
            (HEADLINE, Closed::Time(all)),
            (TRANSFER_SHARE, Closed::Share(share)),
            (TRANSFERS, Closed::Time(transfers)),
            (KERNELS, Closed::Time(kernels)),
        ]
    }
}

/// The times of transfers and of kernels as expressions.
fn parts(derivation: &Derivation, machine: &Machine) -> Option<[Expr; 2]> {
    let transfers = summed(derivation, machine, Charge::Everything, Summed::Transfer)?;
    Some([transfers, Roofline.symbolic(derivation, machine)?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::find;
    use crate::count::{Charged, Charges, Counts, Round, Traffic};

    /// A round of 1000 words in and none out, and its kernel: the sum of what two models say of them.
    #[test]
    fn is_the_sum_of_its_parts() {
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
        let charges = Charges {
            launched_mps: 100.into(),
            compute: 50.into(),
            memory_bytes: Some(288.into()),
            ..Charges::default()
        };
        let charged = Charged {
            rounds: vec![(2, charges)],
            is_exact: true,
        };
        let machine = Machine::built_in("h100").expect("built in");
        let subject = Subject::of(&counts).with_charges(&charged);
        let of = |name: &str| {
            let model = find(name).expect("listed");
            model.estimate(&subject, &machine).expect("has all figures")
        };
        let (both, kernels) = (of(NAME), of("roofline"));
        let kernels = kernels.headline().expect("a time");
        assert_eq!(both.time(KERNELS), Some(kernels));
        // Twice α = 10.1 µs and 4000 bytes of 1.83e-8 ms each.
        let transfers = both.time(TRANSFERS).expect("a time");
        assert!((transfers.to_f64() - 2.0 * (0.0101 + 4000.0 * 1.83e-8)).abs() < 1e-12);
        assert_eq!(both.headline(), Some(&(transfers + kernels)));
        let with = |name: &str, value: i64| {
            let given = [(name, value)].into_iter().collect();
            let (machine, _) = machine.with_overrides(&given, |_| false).expect("fits");
            let estimate = Combined.estimate(&subject, &machine).expect("complete");
            estimate.headline().cloned().expect("a time")
        };
        // σ is no part of it, β is.
        assert_eq!(with("sigma", 5), both.headline().cloned().expect("a time"));
        assert!(with("beta", 1) > with("sigma", 5));
    }
}
