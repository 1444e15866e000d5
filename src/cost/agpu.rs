//! AGPU (Koike and Sadakane): time, I/O, space and occupancy side by side, and no cost function.
//!
//! The model speaks of asymptotic classes; at given parameters its quantities are these counts.
//! It has no synchronisation, so the times of all kernels add up.

use crate::cost::{Estimate, Figure, Item, Missing, Model, OCCUPANCY, Sheet, Subject, Value};
use crate::count::{Quantity, Round};
use crate::machine::Machine;
use crate::number::BigInt;

/// The model of Koike and Sadakane.
pub(super) struct Agpu;

/// Its figures, with their units.
const FIGURES: [(&str, &str); 5] = [
    (Quantity::Time.name(), "operations"),
    (Quantity::Io.name(), "blocks"),
    (Quantity::Shared.name(), "words"),
    (Quantity::Global.name(), "words"),
    (OCCUPANCY, "MPs"),
];

impl Model for Agpu {
    fn name(&self) -> &'static str {
        "agpu"
    }

    fn summary(&self) -> &'static str {
        "time, I/O, space and occupancy side by side; has no cost function"
    }

    fn items(&self) -> &'static [Item] {
        &[
            Item::Pseudocode,
            Item::TimeComplexity,
            Item::IoComplexity,
            Item::SpaceComplexity,
            Item::SharedMemoryLimit,
        ]
    }

    fn sheet(&self) -> Sheet {
        Sheet {
            formula: "no cost function: asymptotic classes of t, q, m and g, and occupancy min(⌊M/m⌋, H)",
            inputs: &[
                (
                    "t",
                    "Σ of the rounds' operations; the model knows no synchronisation",
                ),
                ("q", "blocks of global memory"),
                ("m, g", "words of shared and of global memory"),
                ("M, H", "[atgpu] M, [device] max_blocks"),
            ],
            source: "Koike & Sadakane, as paper 1 (section I-C and Table I) describes it",
        }
    }

    fn figures(&self) -> &'static [(&'static str, &'static str)] {
        &FIGURES
    }

    fn estimate(&self, subject: &Subject<'_>, machine: &Machine) -> Result<Estimate, Missing> {
        let counts = subject.counts;
        let totals = &counts.totals;
        let with_kernel = |round: &Round<BigInt>| round.launched_mps > BigInt::ZERO;
        let mut occupancy: Option<BigInt> = None;
        for (_, round) in counts.rounds.iter().filter(|(_, round)| with_kernel(round)) {
            let resident = machine.occupancy(&round.shared_words)?;
            occupancy = Some(occupancy.map_or(resident.clone(), |least| least.min(resident)));
        }
        let figure = |name, value: Option<BigInt>| Figure {
            name,
            value: Value::Count(value),
        };
        let mut figures = vec![
            figure(Quantity::Time.name(), Some(totals.total_time.clone())),
            figure(Quantity::Io.name(), Some(totals.io.clone())),
            figure(Quantity::Shared.name(), Some(totals.shared.clone())),
            figure(Quantity::Global.name(), Some(totals.global.clone())),
            figure(OCCUPANCY, occupancy),
        ];
        if let Some(derivation) = subject.derivation {
            let classes = [
                ("time_class", Quantity::TotalTime),
                ("io_class", Quantity::Io),
                ("shared_class", Quantity::Shared),
                ("global_class", Quantity::Global),
            ];
            figures.extend(classes.map(|(name, total)| Figure {
                name,
                value: Value::Class(derivation.classes.get(&total).cloned()),
            }));
        }
        Ok(Estimate {
            figures,
            unit: None,
            note: Some("has no cost function"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::Counts;

    #[test]
    fn occupancy_is_that_of_the_tightest_kernel() {
        let round = |mps: i64, shared: i64| Round {
            launched_mps: mps.into(),
            shared_words: shared.into(),
            ..Round::default()
        };
        let machine = Machine::built_in("gtx650").expect("built in");
        let occupancy = |rounds| {
            let counts = Counts {
                rounds,
                ..Counts::default()
            };
            let found = Agpu
                .estimate(&Subject::of(&counts), &machine)
                .expect("has H");
            assert_eq!(found.headline(), None);
            found.figures[4].value.clone()
        };
        let found = occupancy(vec![
            (1, round(4, 32)),
            (1, round(4, 6000)),
            (1, round(0, 12288)),
        ]);
        assert_eq!(found, Value::Count(Some(2.into())));
        assert_eq!(occupancy(vec![(1, round(0, 0))]), Value::Count(None));
    }
}
