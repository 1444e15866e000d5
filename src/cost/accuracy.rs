//! How near a model's predictions are known to be: what measured kernels say of kernels like these.
//!
//! A model's name and what it looked at come in; the figures of docs/accuracy.md for such kernels go out.
//! The two tables below are the only place of them: `tests/suite/study/accuracy/` computes each figure from
//! programs, machines and measured times, and fails where one differs. Nothing is predicted here.

use crate::cost::{Estimate, Subject};
use crate::count::Kind;
use crate::machine::Machine;
use crate::number::{BigInt, Rational};

/// Where the figures are explained.
pub const PAGE: &str = "docs/accuracy.md";

/// Kernels that predictions are equally good or bad for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernels {
    /// Predicted to take no longer than ten launches: what surrounds a kernel decides.
    Short,
    /// Longer ones whose global accesses touch at most two blocks each on average.
    Coalesced,
    /// Longer ones that touch more.
    Scattered,
}

impl Kernels {
    /// All of them, in the order of tables.
    pub const ALL: [Kernels; 3] = [Kernels::Short, Kernels::Coalesced, Kernels::Scattered];

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
        }
    }

    /// Which kind this is; none where the charges are not known, or the machine's launch.
    ///
    /// ```
    /// use atgpu::cost::{Subject, accuracy::Kernels, find};
    /// use atgpu::{count::{Charged, Counts}, machine::Machine};
    ///
    /// let card = Machine::built_in("rtx3060").expect("built in");
    /// let (nothing, charged) = (Counts::default(), Charged::default());
    /// let subject = Subject::of(&nothing).with_charges(&charged);
    /// let estimate = find("roofline").expect("listed").estimate(&subject, &card).expect("complete");
    /// assert_eq!(Kernels::of(&estimate, &subject, &card), Some(Kernels::Short));
    /// assert_eq!(Kernels::of(&estimate, &Subject::of(&nothing), &card), None);
    /// ```
    pub fn of(estimate: &Estimate, subject: &Subject<'_>, machine: &Machine) -> Option<Kernels> {
        let charged = subject.charges?;
        // Paper 1's models charge σ for a round.
        let launch = machine.launch().ok()?;
        let launch = machine
            .synchronisation()
            .map_or(launch, |each| each.max(launch));
        let rounds = charged.rounds.iter().map(|(times, _)| *times).sum::<u64>();
        let launches = launch.value() * &Rational::from(BigInt::from(rounds.saturating_mul(10)));
        if *estimate.headline()? <= launches {
            return Some(Kernels::Short);
        }
        let accesses = charged.rounds.iter().map(|(times, round)| {
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
        model: "swgpu",
        kernels: Kernels::Short,
        points: 1556,
        mean_factor: 2.51,
        worst_factor: 10.09,
        within_two: 46,
    },
    Known {
        model: "swgpu",
        kernels: Kernels::Coalesced,
        points: 501,
        mean_factor: 2.55,
        worst_factor: 14.19,
        within_two: 51,
    },
    Known {
        model: "swgpu",
        kernels: Kernels::Scattered,
        points: 159,
        mean_factor: 2.62,
        worst_factor: 12.48,
        within_two: 52,
    },
    Known {
        model: "roofline",
        kernels: Kernels::Short,
        points: 1585,
        mean_factor: 2.15,
        worst_factor: 8.17,
        within_two: 58,
    },
    Known {
        model: "roofline",
        kernels: Kernels::Coalesced,
        points: 481,
        mean_factor: 1.22,
        worst_factor: 2.47,
        within_two: 99,
    },
    Known {
        model: "roofline",
        kernels: Kernels::Scattered,
        points: 150,
        mean_factor: 1.27,
        worst_factor: 2.84,
        within_two: 97,
    },
];

/// By model.
pub const ORDERS: &[Order] = &[
    Order {
        model: "swgpu",
        right: 984,
        pairs: 1429,
    },
    Order {
        model: "roofline",
        right: 1278,
        pairs: 1429,
    },
];

/// What is known of a model's predictions for kernels like these.
///
/// ```
/// use atgpu::{cost::{Subject, accuracy, find}, machine::Machine};
///
/// let program = atgpu::examples::vector_addition();
/// let card = Machine::built_in("rtx3060").expect("built in");
/// let costs = program.cost(&card, [("n", 1 << 24)])?;
/// let estimate = costs.estimate(find("roofline").expect("listed"))?;
/// // Which kernels these are takes the charges.
/// let subject = Subject::of(costs.counts());
/// assert_eq!(accuracy::known("roofline", &estimate, &subject, &card), None);
/// # Ok::<(), atgpu::Error>(())
/// ```
pub fn known(
    model: &str,
    estimate: &Estimate,
    subject: &Subject<'_>,
    machine: &Machine,
) -> Option<&'static Known> {
    let of = |known: &&Known| known.model == model;
    KNOWN.iter().find(of)?;
    let kernels = Kernels::of(estimate, subject, machine)?;
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
