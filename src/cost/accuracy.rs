//! How near a model's predictions are known to be: what measured kernels say of kernels like these.
//!
//! A model's name and what it looks at come in; the figures of docs/accuracy.md for such kernels go out.
//! The two tables below are the only place of them: `tests/suite/study/accuracy/` computes each figure from
//! programs, machines and measured times, and fails where one differs. Nothing is predicted here.

use crate::cost::{Model, Subject, find};
use crate::count::Kind;
use crate::machine::Machine;
use crate::number::{BigInt, Rational};

/// Where the figures are explained.
pub const PAGE: &str = "docs/accuracy.md";

/// Kernels that predictions are equally good or bad for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernels {
    /// Predicted to take no longer than ten launches, its own among them: what surrounds a kernel decides.
    Short,
    /// Longer ones whose global accesses touch at most two blocks each on average.
    Coalesced,
    /// Longer ones that touch more.
    Scattered,
    /// All of them, where it is not known which they are.
    Any,
}

impl Kernels {
    /// All of them, in the order of tables.
    pub const ALL: [Kernels; 4] = [
        Kernels::Short,
        Kernels::Coalesced,
        Kernels::Scattered,
        Kernels::Any,
    ];

    /// What they are called.
    ///
    /// ```
    /// assert_eq!(atgpu::cost::accuracy::Kernels::Scattered.name(), "uncoalesced");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Kernels::Short => "short",
            Kernels::Coalesced => "coalesced",
            Kernels::Scattered => "uncoalesced",
            Kernels::Any => "any",
        }
    }

    /// Which kind this is by a model's own prediction; none where the model or the machine has no time that
    /// tells, or only the charges would. A kernel is short where the time that the model predicts for it, and
    /// its launch, are no longer than ten launches: what paper 1's models charge for a round, σ, is no launch,
    /// and neither are transfers.
    ///
    /// ```
    /// use atgpu::cost::{Subject, accuracy::Kernels, find};
    /// use atgpu::{count::{Charged, Counts}, machine::Machine};
    ///
    /// let card = Machine::built_in("rtx3060").expect("built in");
    /// let (nothing, charged) = (Counts::default(), Charged::default());
    /// let (subject, model) = (Subject::of(&nothing), find("roofline").expect("listed"));
    /// assert_eq!(Kernels::of(model, &subject.with_charges(&charged), &card), Some(Kernels::Short));
    /// assert_eq!(Kernels::of(model, &subject, &card), None);
    /// ```
    pub fn of(model: &dyn Model, subject: &Subject<'_>, machine: &Machine) -> Option<Kernels> {
        let launch = machine.launch().ok()?;
        let predicted = model.kernel_time(subject, machine).ok()??;
        let launching = subject.counts.rounds.iter();
        let launching = launching.filter(|(_, round)| round.launched_mps > BigInt::ZERO);
        let rounds: BigInt = launching.map(|(times, _)| BigInt::from(*times)).sum();
        // Of ten launches one is its own.
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
        Some(match blocks <= &accesses * &2.into() {
            true => Kernels::Coalesced,
            false => Kernels::Scattered,
        })
    }
}

/// What is known of a model's predictions for some kernels. The factor of a prediction is predicted over
/// measured or its inverse, whichever is above 1; the mean is geometric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Known {
    /// The model's name.
    pub model: &'static str,
    /// The kernels.
    pub kernels: Kernels,
    /// Measured times that were compared.
    pub points: u32,
    /// The mean factor, rounded to hundredths.
    pub mean_factor: f64,
    /// The worst one.
    pub worst_factor: f64,
    /// How many in a hundred have a factor of at most 2.
    pub within_two: u32,
}

/// In how many pairs of versions of one algorithm, at the same size on the same card, a model has the
/// faster one right, where their measured times differ by more than a tenth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    /// The model's name.
    pub model: &'static str,
    /// Pairs in the right order.
    pub right: u32,
    /// All pairs.
    pub pairs: u32,
}

/// By model and kernels.
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
        points: 1583,
        mean_factor: 2.13,
        worst_factor: 8.17,
        within_two: 58,
    },
    Known {
        model: "roofline",
        kernels: Kernels::Coalesced,
        points: 483,
        mean_factor: 1.2,
        worst_factor: 2.46,
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
];

/// By model.
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

/// What is known of a model's predictions for kernels like these, or for all where it cannot be told which
/// these are; nothing of a model that was held against no measured time.
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

/// How often a model is known to have the order of two versions right.
///
/// ```
/// assert_eq!(atgpu::cost::accuracy::order("agpu"), None); // it has no times
/// ```
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
