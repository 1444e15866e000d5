//! The accuracy of predictions for measurements, by program.

use indexmap::IndexMap;

use crate::number::BigInt;
use crate::study::calibrate::Compared;
use crate::study::observed::EventKind;

/// The accuracy of predictions for one program. The factor of a point is predicted over measured or its
/// inverse, whichever is above 1. The mean is geometric.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Nearness {
    /// The algorithm.
    pub program: String,
    /// The number of points, which are choices of parameters.
    pub points: usize,
    /// The mean factor of whole times, and the largest.
    pub whole: (f64, f64),
    /// The mean factor of kernels, if there are any.
    pub kernels: Option<f64>,
    /// The mean factor of transfers, if there are any.
    pub transfers: Option<f64>,
    /// The number of points with a factor of at most 2.
    pub within_two: usize,
    /// The share of transfers, if both transfers and kernels are measured: measured, predicted, and their
    /// absolute difference, each as a mean over all points.
    pub share: Option<[f64; 3]>,
}

/// The parameters with the times there.
type Point<'p> = (&'p IndexMap<String, BigInt>, At);

/// Measured and predicted ms.
type Times = (f64, f64);

/// The times of one program at one choice of parameters.
#[derive(Default)]
struct At {
    transfers: Option<Times>,
    kernels: Option<Times>,
}

impl At {
    fn whole(&self) -> Times {
        let parts = [self.transfers, self.kernels].into_iter().flatten();
        parts.fold((0.0, 0.0), plus)
    }

    /// Measured and predicted share of transfers.
    fn share(&self) -> Option<Times> {
        self.kernels?;
        let (transfers, whole) = (self.transfers?, self.whole());
        Some((transfers.0 / whole.0, transfers.1 / whole.1))
    }
}

fn plus(one: Times, other: Times) -> Times {
    (one.0 + other.0, one.1 + other.1)
}

/// Computes the accuracy for each program in the rows, in order of appearance.
pub(super) fn nearness(rows: &[Compared]) -> Vec<Nearness> {
    let mut programs: IndexMap<&str, Vec<Point<'_>>> = IndexMap::new();
    for row in rows {
        let points = programs.entry(row.program.as_deref().unwrap_or_default());
        let points = points.or_default();
        // The rows of one point are adjacent.
        if row.event.is_none() || points.last().is_none_or(|(at, _)| **at != row.parameters) {
            points.push((&row.parameters, At::default()));
        }
        let Some((_, at)) = points.last_mut() else {
            continue;
        };
        let add = |sum: &mut Option<Times>, times: Option<Times>| {
            if let Some(times) = times {
                *sum = Some(plus(sum.unwrap_or_default(), times));
            }
        };
        let transfers = match (row.event, row.total, row.kernel) {
            (Some(EventKind::Launch), ..) => None,
            (_, Some(total), Some(kernel)) => Some((total.0 - kernel.0, total.1 - kernel.1)),
            (_, total, None) => total,
            (_, None, Some(_)) => None,
        };
        add(&mut at.transfers, transfers);
        add(&mut at.kernels, row.kernel);
    }
    let of_program = |(program, points): (&str, Vec<(_, At)>)| {
        let factors: Vec<f64> = points.iter().map(|(_, at)| factor(at.whole())).collect();
        let shares: Vec<Times> = points.iter().filter_map(|(_, at)| at.share()).collect();
        let share =
            |of: fn(&Times) -> f64| shares.iter().map(of).sum::<f64>() / shares.len() as f64;
        let mean_of = |part: fn(&At) -> Option<Times>| {
            let parts = points.iter().filter_map(|(_, at)| part(at));
            mean(&parts.map(factor).collect::<Vec<_>>())
        };
        Nearness {
            program: program.to_owned(),
            points: points.len(),
            whole: (
                mean(&factors).unwrap_or(1.0),
                factors.iter().copied().fold(1.0, f64::max),
            ),
            kernels: mean_of(|at| at.kernels),
            transfers: mean_of(|at| at.transfers),
            within_two: factors.iter().filter(|factor| **factor <= 2.0).count(),
            share: (!shares.is_empty()).then(|| {
                [
                    share(|(measured, _)| *measured),
                    share(|(_, predicted)| *predicted),
                    share(|(measured, predicted)| (measured - predicted).abs()),
                ]
            }),
        }
    };
    programs.into_iter().map(of_program).collect()
}

fn factor((measured, predicted): Times) -> f64 {
    let ratio = predicted / measured;
    ratio.max(1.0 / ratio)
}

/// The geometric mean.
fn mean(factors: &[f64]) -> Option<f64> {
    let logs: f64 = factors.iter().map(|factor| libm::log(*factor)).sum();
    (!factors.is_empty()).then(|| libm::exp(logs / factors.len() as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(program: &str, n: i64, event: EventKind, times: Times) -> Compared {
        let is_launch = event == EventKind::Launch;
        Compared {
            line: 1,
            program: Some(program.to_owned()),
            event: Some(event),
            mostly: None,
            parameters: IndexMap::from([("n".to_owned(), n.into())]),
            total: (!is_launch).then_some(times),
            kernel: is_launch.then_some(times),
        }
    }

    #[test]
    fn events_of_a_point_make_up_its_time_and_its_share() {
        use crate::program::Direction::Inward;
        let inward = EventKind::Transfer(Inward);
        let rows = [
            // Twice too long: 4 for 2. Measured share 1/2, predicted 3/4.
            row("T", 8, inward, (1.0, 3.0)),
            row("T", 8, EventKind::Launch, (1.0, 1.0)),
            // Right; shares of 1/4 and 1/2.
            row("T", 16, inward, (1.0, 2.0)),
            row("T", 16, EventKind::Launch, (3.0, 2.0)),
            row("U", 8, EventKind::Launch, (8.0, 1.0)),
        ];
        let found = nearness(&rows);
        assert_eq!((found[0].points, found[0].within_two), (2, 2));
        assert!((found[0].whole.0 - 2.0_f64.sqrt()).abs() < 1e-9 && found[0].whole.1 == 2.0);
        assert_eq!(found[0].share, Some([0.375, 0.625, 0.25]));
        assert!((found[0].transfers.expect("measured") - 6.0_f64.sqrt()).abs() < 1e-9);
        assert_eq!((found[1].share, found[1].within_two), (None, 0));
        assert!((found[1].whole.0 - 8.0).abs() < 1e-9 && found[1].transfers.is_none());
    }
}
