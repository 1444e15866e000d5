//! The known accuracy of a model's predictions, from measured kernels of the same kind.
//!
//! Takes a model's name and subject, and returns the figures of docs/accuracy.md for such kernels. The two
//! tables below are their only source. `tests/suite/study/accuracy/` computes each figure from programs,
//! machines and measured times, and fails if one differs. Nothing is predicted here.

use crate::cost::{Model, Subject, find};
use crate::count::Kind;
use crate::machine::Machine;
use crate::number::{BigInt, Rational};

/// The page that explains the figures.
pub const PAGE: &str = "docs/accuracy.md";

/// A kind of kernels with similar accuracy of predictions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kernels {
    /// Predicted to take at most ten launches, its own included: the surroundings of such a kernel decide
    /// its time.
    Short,
    /// Longer kernels with global accesses that touch at most two blocks each on average.
    Coalesced,
    /// Longer kernels with accesses that touch more blocks.
    Scattered,
    /// All kernels, if the kind is unknown.
    Any,
}

impl Kernels {
    /// All kinds, in the order of tables.
    pub const ALL: [Kernels; 4] = [
        Kernels::Short,
        Kernels::Coalesced,
        Kernels::Scattered,
        Kernels::Any,
    ];

    /// The name of the kind.
    pub const fn name(self) -> &'static str {
        match self {
            Kernels::Short => "short",
            Kernels::Coalesced => "coalesced",
            Kernels::Scattered => "uncoalesced",
            Kernels::Any => "any",
        }
    }

    /// Classifies a kernel by the model's own prediction. `None` if the model or the machine lacks the time
    /// to decide, or if the missing charges would decide. A kernel is short if its predicted time and its
    /// launch take at most ten launches. Transfers do not count, nor does σ, the charge of paper 1's models
    /// for a round, which is no launch.
    pub fn of(model: &dyn Model, subject: &Subject<'_>, machine: &Machine) -> Option<Kernels> {
        let launch = machine.launch().ok()?;
        let predicted = model.kernel_time(subject, machine).ok()??;
        let launching = subject.counts.rounds.iter();
        let launching = launching.filter(|(_, round)| round.launched_mps > BigInt::ZERO);
        let rounds: BigInt = launching.map(|(times, _)| BigInt::from(*times)).sum();
        // One of the ten launches is the kernel's own, so its time is compared with nine.
        let others = launch.value() * &Rational::from(rounds * 9);
        if *predicted.value() <= others {
            return Some(Kernels::Short);
        }
        let accesses = subject.charges?.rounds.iter().map(|(times, round)| {
            let each = round.kinds.get(Kind::Global) * &round.launched_mps;
            &each * &Rational::from(BigInt::from(*times))
        });
        let accesses = accesses.fold(Rational::ZERO, |sum, each| &sum + &each);
        let blocks = Rational::from(subject.counts.totals.io.clone());
        Some(if blocks <= &accesses * &2.into() {
            Kernels::Coalesced
        } else {
            Kernels::Scattered
        })
    }
}

/// The known accuracy of a model's predictions for a kind of kernels. The factor of a prediction is
/// predicted over measured time or its inverse, whichever is above 1. The mean is geometric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Known {
    /// The model's name.
    pub model: &'static str,
    /// The kernels.
    pub kernels: Kernels,
    /// The number of measured times compared.
    pub points: u32,
    /// The mean factor, rounded to hundredths.
    pub mean_factor: f64,
    /// The worst factor.
    pub worst_factor: f64,
    /// Percentage of predictions with a factor of at most 2.
    pub within_two: u32,
}

/// The number of pairs of versions of one algorithm, at the same size on the same card, for which a model
/// predicts the faster one correctly. Only pairs with measured times that differ by more than a tenth
/// count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    /// The model's name.
    pub model: &'static str,
    /// Pairs in the right order.
    pub right: u32,
    /// All pairs.
    pub pairs: u32,
}

/// Accuracy by model and kind of kernels.
pub const KNOWN: &[Known] = &[
    Known {
        model: "atgpu",
        kernels: Kernels::Short,
        points: 1556,
        mean_factor: 2.49,
        worst_factor: 10.09,
        within_two: 46,
    },
    Known {
        model: "atgpu",
        kernels: Kernels::Coalesced,
        points: 501,
        mean_factor: 2.53,
        worst_factor: 14.19,
        within_two: 51,
    },
    Known {
        model: "atgpu",
        kernels: Kernels::Scattered,
        points: 159,
        mean_factor: 2.57,
        worst_factor: 12.48,
        within_two: 52,
    },
    Known {
        model: "atgpu",
        kernels: Kernels::Any,
        points: 2216,
        mean_factor: 2.5,
        worst_factor: 14.19,
        within_two: 48,
    },
    Known {
        model: "swgpu",
        kernels: Kernels::Short,
        points: 1556,
        mean_factor: 2.49,
        worst_factor: 10.09,
        within_two: 46,
    },
    Known {
        model: "swgpu",
        kernels: Kernels::Coalesced,
        points: 501,
        mean_factor: 2.53,
        worst_factor: 14.19,
        within_two: 51,
    },
    Known {
        model: "swgpu",
        kernels: Kernels::Scattered,
        points: 159,
        mean_factor: 2.57,
        worst_factor: 12.48,
        within_two: 52,
    },
    Known {
        model: "swgpu",
        kernels: Kernels::Any,
        points: 2216,
        mean_factor: 2.5,
        worst_factor: 14.19,
        within_two: 48,
    },
    Known {
        model: "roofline",
        kernels: Kernels::Short,
        points: 1582,
        mean_factor: 2.14,
        worst_factor: 8.17,
        within_two: 58,
    },
    Known {
        model: "roofline",
        kernels: Kernels::Coalesced,
        points: 484,
        mean_factor: 1.21,
        worst_factor: 2.59,
        within_two: 99,
    },
    Known {
        model: "roofline",
        kernels: Kernels::Scattered,
        points: 150,
        mean_factor: 1.26,
        worst_factor: 2.84,
        within_two: 97,
    },
    Known {
        model: "roofline",
        kernels: Kernels::Any,
        points: 2216,
        mean_factor: 1.82,
        worst_factor: 8.17,
        within_two: 70,
    },
    Known {
        model: "combined",
        kernels: Kernels::Short,
        points: 1582,
        mean_factor: 2.14,
        worst_factor: 8.17,
        within_two: 58,
    },
    Known {
        model: "combined",
        kernels: Kernels::Coalesced,
        points: 484,
        mean_factor: 1.21,
        worst_factor: 2.59,
        within_two: 99,
    },
    Known {
        model: "combined",
        kernels: Kernels::Scattered,
        points: 150,
        mean_factor: 1.26,
        worst_factor: 2.84,
        within_two: 97,
    },
    Known {
        model: "combined",
        kernels: Kernels::Any,
        points: 2216,
        mean_factor: 1.82,
        worst_factor: 8.17,
        within_two: 70,
    },
];

/// Order by model.
pub const ORDERS: &[Order] = &[
    Order {
        model: "swgpu",
        right: 972,
        pairs: 1392,
    },
    Order {
        model: "roofline",
        right: 1315,
        pairs: 1392,
    },
];

/// Returns the known accuracy of a model's predictions for kernels of this kind, or for all kernels if the
/// kind is unknown. `None` for a model that was never compared with measured times.
///
/// ```
/// use atgpu::{cost::{Subject, accuracy::{self, Kernels}}, machine::Machine};
///
/// let program = atgpu::examples::vector_addition();
/// let card = Machine::built_in("gtx650").expect("built in");
/// let costs = program.cost(&card, [("n", 1 << 24)])?;
/// // Which kernels these are takes the charges.
/// let subject = Subject::of(costs.counts());
/// let known = accuracy::known("swgpu", &subject, &card).expect("compared");
/// assert_eq!(known.kernels, Kernels::Any);
/// assert_eq!(accuracy::known("kothapalli-max", &subject, &card), None);
/// # Ok::<(), atgpu::Error>(())
/// ```
pub fn known(model: &str, subject: &Subject<'_>, machine: &Machine) -> Option<&'static Known> {
    let of = |known: &&Known| known.model == model;
    KNOWN.iter().find(of)?;
    let kernels = Kernels::of(find(model)?, subject, machine).unwrap_or(Kernels::Any);
    KNOWN
        .iter()
        .filter(of)
        .find(|known| known.kernels == kernels)
}

/// Returns a model's count of correctly ordered pairs of versions.
pub fn order(model: &str) -> Option<&'static Order> {
    ORDERS.iter().find(|order| order.model == model)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::find;

    #[test]
    fn every_figure_is_of_a_model_and_told_once() {
        for (at, known) in KNOWN.iter().enumerate() {
            assert!(find(known.model).is_some());
            assert!(known.mean_factor >= 1.0 && known.worst_factor >= known.mean_factor);
            let same = |other: &Known| (other.model, other.kernels) == (known.model, known.kernels);
            assert!(!KNOWN[..at].iter().any(same));
        }
        assert!(
            ORDERS
                .iter()
                .all(|order| find(order.model).is_some() && order.right <= order.pairs)
        );
    }
}
