//! Exactness of single counts and figures, when some of them are upper bounds.
//!
//! Models are monotone in their inputs. So a figure that is the same for the lower as for the upper counts
//! is exact.

use indexmap::IndexMap;

use crate::cost::{Estimate, HEADLINE, Missing, Model, Subject, Value};
use crate::count::{ArrayBlocks, Counts, OfRound, Quantity, Round};
use crate::machine::Machine;
use crate::number::{BigInt, Rational};

/// The counts shown in a table of rounds.
const SHOWN: [OfRound<'static>; 7] = [
    OfRound::LaunchedMps,
    OfRound::Time,
    OfRound::Io,
    OfRound::InwardWords,
    OfRound::OutwardWords,
    OfRound::SharedWords,
    OfRound::GlobalWords,
];

/// The counts and figures that are only upper bounds; by default none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exact {
    /// Totals.
    bounded_totals: Vec<Quantity>,
    /// Figures, by the model's name and their own.
    bounded_figures: Vec<(&'static str, &'static str)>,
    /// Quantities of [`SHOWN`], by entry of rounds.
    bounded_rounds: Vec<(usize, OfRound<'static>)>,
    /// For arrays with bounded blocks over all rounds: reads, writes, or both.
    bounded_arrays: IndexMap<String, ArrayBlocks<bool>>,
    /// True if the charges of the machine are bounds.
    bounded_charges: bool,
    /// Lower bounds on times, by the model's name and their own.
    least_times: Vec<(&'static str, &'static str, Rational)>,
}

impl Exact {
    /// Finds the exact ones among counts and estimates. `least` holds the lower bounds of the counts;
    /// `None` if all are exact.
    ///
    /// ```
    /// use atgpu::cost::{Exact, Subject, find};
    /// use atgpu::count::Quantity;
    /// use atgpu::machine::Machine;
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let card = Machine::built_in("gtx650").expect("built in");
    /// let costs = program.cost(&card, [("n", 1024)])?;
    /// let (subject, model) = (Subject::of(costs.counts()), find("swgpu").expect("listed"));
    /// let estimate = model.estimate(&subject, &card).expect("complete");
    /// // Suppose that as few as 90 of the 96 blocks may be moved.
    /// let mut least = costs.counts().clone();
    /// least.totals.io = 90.into();
    /// least.rounds[0].1.io = 90.into();
    /// let exact = Exact::of(&subject, Some(&least), [(model, &estimate)], &card);
    /// assert!(exact.total(Quantity::Time) && !exact.total(Quantity::Io));
    /// assert!(!exact.figure("swgpu", "gpu_cost"));
    /// assert!(exact.least("swgpu", "gpu_cost") < estimate.headline());
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn of<'e>(
        subject: &Subject<'_>,
        least: Option<&Counts<BigInt>>,
        estimates: impl IntoIterator<Item = (&'e dyn Model, &'e Estimate)>,
        machine: &Machine,
    ) -> Exact {
        let has_bounds = subject.charges.is_some_and(|charged| !charged.is_exact);
        let mut exact = Exact {
            bounded_charges: has_bounds,
            ..Exact::default()
        };
        if least.is_none() && !has_bounds {
            return exact;
        }
        if let Some(least) = least {
            let pairs = subject.counts.totals.all().into_iter();
            let pairs = pairs.zip(least.totals.all());
            let bounded = pairs.filter(|((_, upper), (_, lower))| upper != lower);
            let bounded = bounded.map(|((which, _), _)| which);
            exact.bounded_totals.extend(bounded);
            exact.bounded_rounds = bounded_rounds(&subject.counts.rounds, &least.rounds);
            exact.bounded_arrays = bounded_arrays(subject.counts, least);
        }
        // A bounded `while` appears in no single round, so an unknown number of rounds makes every figure a
        // bound.
        let has_rounds = exact.total(Quantity::Rounds);
        for (model, estimate) in estimates {
            let rests_on_bounds = has_bounds && model.needs_charges();
            let lower = least.map(|counts| {
                let subject = Subject { counts, ..*subject };
                model.estimate(&subject, machine)
            });
            let of = (model.name(), estimate);
            exact.compare(of, lower.as_ref(), (has_rounds, rests_on_bounds));
        }
        exact
    }

    /// Notes the figures of a model that are bounds. `lower` is its estimate at the lower counts, if these
    /// differ.
    fn compare(
        &mut self,
        (model, estimate): (&'static str, &Estimate),
        lower: Option<&Result<Estimate, Missing>>,
        (has_rounds, rests_on_bounds): (bool, bool),
    ) {
        // A figure is exact if the lower counts give the same value. A model that needs charges gets
        // the same charges both times, so bounded charges make its figures bounds, whatever the
        // comparison says.
        let is_exact = |name: &str, value: &Value| {
            let lower = match lower {
                None => return true,
                Some(Err(_)) => return false,
                Some(Ok(lower)) => lower.figures.iter().find(|figure| figure.name == name),
            };
            lower.is_some_and(|lower| lower.value == *value)
        };
        let times_are = estimate.figures.iter().all(|figure| match &figure.value {
            Value::Time(_) => is_exact(figure.name, &figure.value),
            Value::Share(_) | Value::Count(_) | Value::Class(_) => true,
        });
        for figure in &estimate.figures {
            let holds = match &figure.value {
                Value::Time(_) | Value::Count(_) => {
                    has_rounds && !rests_on_bounds && is_exact(figure.name, &figure.value)
                }
                // Shares are exact if the times they divide are.
                Value::Share(_) => has_rounds && !rests_on_bounds && times_are,
                Value::Class(class) => class.as_ref().is_none_or(|text| text.starts_with('Θ')),
            };
            if holds {
                continue;
            }
            self.bounded_figures.push((model, figure.name));
            if let (true, false, Some(Ok(lower))) = (has_rounds, rests_on_bounds, lower)
                && let Some(time) = lower.time(figure.name)
            {
                let time = time.clone();
                self.least_times.push((model, figure.name, time));
            }
        }
    }

    /// Returns true if a total is exact.
    pub fn total(&self, which: Quantity) -> bool {
        !self.bounded_totals.contains(&which)
    }

    /// Returns true if a count of an entry of rounds is exact, among those a table of rounds shows.
    pub(crate) fn round(&self, entry: usize, of: OfRound<'_>) -> bool {
        !self.bounded_rounds.contains(&(entry, of))
    }

    /// Returns exactness of the blocks of a global array over all rounds, for reads and for writes.
    pub(crate) fn array(&self, name: &str) -> ArrayBlocks<bool> {
        let bounded = self.bounded_arrays.get(name).cloned().unwrap_or_default();
        ArrayBlocks {
            read: !bounded.read,
            write: !bounded.write,
        }
    }

    /// Returns true if a model's headline figure, its GPU-cost, is exact.
    pub(crate) fn headline(&self, model: &str) -> bool {
        self.figure(model, HEADLINE)
    }

    /// Returns true if a model's figure is exact.
    pub fn figure(&self, model: &str, name: &str) -> bool {
        !self.bounded_figures.contains(&(model, name))
    }

    /// Returns a lower bound on a time that is only an upper bound, if one is known.
    pub fn least(&self, model: &str, name: &str) -> Option<&Rational> {
        let mut times = self.least_times.iter();
        let found = times.find(|(of, figure, _)| *of == model && *figure == name);
        found.map(|(.., time)| time)
    }

    /// Returns true if every count and charge is exact, and so every figure.
    pub fn all(&self) -> bool {
        *self == Exact::default()
    }
}

/// Finds the bounded quantities of each entry of rounds. Equal neighbours are merged separately at the
/// lower and the upper end, so entries are matched by the rounds they cover.
fn bounded_rounds(
    upper: &[(u64, Round<BigInt>)],
    lower: &[(u64, Round<BigInt>)],
) -> Vec<(usize, OfRound<'static>)> {
    let mut bounded = Vec::new();
    let mut entries = lower.iter().map(|(repeated, round)| (*repeated, round));
    let mut current = entries.next();
    for (at, (repeated, round)) in upper.iter().enumerate() {
        let mut left = *repeated;
        while let (Some((there, least)), true) = (current, left > 0) {
            let differ = SHOWN
                .into_iter()
                .filter(|of| round.get(*of) != least.get(*of));
            bounded.extend(differ.map(|of| (at, of)));
            let both = there.min(left);
            left -= both;
            current = match there - both {
                0 => entries.next(),
                rest => Some((rest, least)),
            };
        }
    }
    bounded.dedup();
    bounded
}

fn bounded_arrays(
    upper: &Counts<BigInt>,
    lower: &Counts<BigInt>,
) -> IndexMap<String, ArrayBlocks<bool>> {
    let least = lower.blocks_by_array();
    let arrays = upper.blocks_by_array().into_iter().map(|(name, most)| {
        let least = least.get(name).cloned().unwrap_or_default();
        let bounded = ArrayBlocks {
            read: most.read != least.read,
            write: most.write != least.write,
        };
        (name.to_owned(), bounded)
    });
    arrays
        .filter(|(_, bounded)| bounded.read || bounded.write)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(time: i64) -> Round<BigInt> {
        Round {
            time: time.into(),
            ..Round::default()
        }
    }

    /// Three rounds of 9 at most: the first takes 9, the others 7 and 8 at least.
    #[test]
    fn entries_merged_at_one_end_are_told_apart_at_the_other() {
        let merged = [(3, round(9)), (1, round(2))];
        let apart = [(1, round(9)), (1, round(7)), (1, round(8)), (1, round(2))];
        assert_eq!(bounded_rounds(&merged, &apart), [(0, OfRound::Time)]);
        assert_eq!(
            bounded_rounds(&apart, &merged),
            [(1, OfRound::Time), (2, OfRound::Time)]
        );
        assert_eq!(bounded_rounds(&merged, &merged), []);
    }
}
