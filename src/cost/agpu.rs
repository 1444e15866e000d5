//! AGPU (Koike and Sadakane): time, I/O, space and occupancy side by side, and no cost function.
//!
//! The model speaks of asymptotic classes; at given parameters its quantities are these counts.
//! It knows no synchronisation, so the times of all kernels add up.

use crate::cost::{Estimate, Figure, Item, Model, Value};
use crate::count::Counts;
use crate::machine::{Machine, MissingFigure};
use crate::number::BigInt;

/// The model of Koike and Sadakane.
pub(super) struct Agpu;

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

    fn estimate(
        &self,
        counts: &Counts<BigInt>,
        machine: &Machine,
    ) -> Result<Estimate, MissingFigure> {
        let totals = &counts.totals;
        let with_kernel = |round: &crate::count::Round<BigInt>| round.launched_mps > BigInt::ZERO;
        let mut occupancy: Option<BigInt> = None;
        for (_, round) in counts.rounds.iter().filter(|(_, round)| with_kernel(round)) {
            let resident = machine.occupancy(&round.shared_words)?;
            occupancy = Some(occupancy.map_or(resident.clone(), |least| least.min(resident)));
        }
        let figure = |name, value: Option<BigInt>| Figure {
            name,
            value: Value::Count(value),
        };
        Ok(Estimate {
            figures: vec![
                figure("time", Some(totals.total_time.clone())),
                figure("io", Some(totals.io.clone())),
                figure("shared", Some(totals.shared.clone())),
                figure("global", Some(totals.global.clone())),
                figure("occupancy", occupancy),
            ],
            unit: None,
            note: Some("has no cost function"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::Round;

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
            let found = Agpu.estimate(&counts, &machine).expect("has H");
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
