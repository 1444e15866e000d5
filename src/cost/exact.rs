//! Which counts and figures are exact, one by one, where only some are upper bounds.
//!
//! Models are monotone in what they are given, so a figure that is the same from the least counts as
//! from the greatest rests on no bound.

use crate::cost::{Estimate, Model, Subject, Value};
use crate::count::{Counts, Round};
use crate::machine::Machine;
use crate::number::{BigInt, Rational};

/// Which counts and figures are upper bounds only; by default none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exact {
    /// Totals by name.
    bounded_totals: Vec<&'static str>,
    /// Figures by their model's name and their own.
    bounded_figures: Vec<(&'static str, &'static str)>,
    /// Counts of rounds, by the entry and their key in the JSON.
    bounded_rounds: Vec<(usize, &'static str)>,
    /// Blocks of an array over all rounds, by its name and `read` or `write`.
    bounded_arrays: Vec<(String, &'static str)>,
    /// Whether what the machine charges is one.
    bounded_charges: bool,
    /// Times that are no less than this, by their model and their own name.
    least_times: Vec<(&'static str, &'static str, Rational)>,
}

impl Exact {
    /// Of counts and what models say of them. `least` holds the lower ends of the counts, none where
    /// all are exact.
    ///
    /// ```
    /// use atgpu::cost::{Exact, Subject, find};
    /// use atgpu::machine::Machine;
    ///
    /// # let program = atgpu::examples::vector_addition();
    /// let card = Machine::built_in("gtx650").expect("built in");
    /// let costs = program.cost(&card, [("n", 1024)])?;
    /// let (subject, model) = (Subject::of(costs.counts()), find("swgpu").expect("listed"));
    /// let estimate = model.estimate(&subject, &card).expect("complete");
    /// // Suppose that as few as 90 of the 96 blocks may be moved.
    /// let mut least = costs.counts().clone();
    /// least.totals.io = 90.into();
    /// least.rounds[0].1.io = 90.into();
    /// let exact = Exact::of(&subject, Some(&least), [(model, &estimate)], &card);
    /// assert!(exact.total("time") && !exact.total("io"));
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
            let pairs = subject.counts.totals.named().into_iter();
            let pairs = pairs.zip(least.totals.named());
            exact.bounded_totals.extend(
                pairs.filter_map(|((name, upper), (_, lower))| (upper != lower).then_some(name)),
            );
            exact.bounded_rounds = bounded_rounds(&subject.counts.rounds, &least.rounds);
            exact.bounded_arrays = bounded_arrays(subject.counts, least);
        }
        // How often a bounded `while` runs is in no round of its own.
        let has_rounds = exact.total("rounds");
        for (model, estimate) in estimates {
            let rests_on_bounds = has_bounds && model.needs_charges();
            let lower = least.map(|counts| {
                let subject = Subject { counts, ..*subject };
                model.estimate(&subject, machine)
            });
            let is_exact = |name: &str, value: &Value| {
                let lower = match &lower {
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
                    // Parts of a whole are exact where the whole is.
                    Value::Share(_) => has_rounds && !rests_on_bounds && times_are,
                    Value::Class(class) => class.as_ref().is_none_or(|text| text.starts_with('Θ')),
                };
                if holds {
                    continue;
                }
                exact.bounded_figures.push((model.name(), figure.name));
                if let (true, false, Some(Ok(lower))) = (has_rounds, rests_on_bounds, &lower)
                    && let Some(time) = lower.time(figure.name)
                {
                    let time = time.clone();
                    exact.least_times.push((model.name(), figure.name, time));
                }
            }
        }
        exact
    }

    /// Whether a total is exact.
    ///
    /// ```
    /// use atgpu::cost::Exact;
    ///
    /// assert!(Exact::default().total("io"));
    /// ```
    pub fn total(&self, name: &str) -> bool {
        !self.bounded_totals.contains(&name)
    }

    /// Whether a count of an entry of rounds is exact, by its key in the JSON: `k`, `t`, `q`, `inward`,
    /// `outward`, `shared` or `global`.
    ///
    /// ```
    /// use atgpu::cost::Exact;
    ///
    /// assert!(Exact::default().round(0, "q"));
    /// ```
    pub fn round(&self, entry: usize, key: &str) -> bool {
        !self.bounded_rounds.contains(&(entry, key))
    }

    /// Whether the blocks of a global array are exact over all rounds, those of its `read`s or `write`s.
    ///
    /// ```
    /// use atgpu::cost::Exact;
    ///
    /// assert!(Exact::default().array("a", "read"));
    /// ```
    pub fn array(&self, name: &str, way: &str) -> bool {
        let mut bounded = self.bounded_arrays.iter();
        !bounded.any(|(of, which)| of == name && *which == way)
    }

    /// Whether a model's figure is exact.
    ///
    /// ```
    /// use atgpu::cost::Exact;
    ///
    /// assert!(Exact::default().figure("atgpu", "gpu_cost"));
    /// ```
    pub fn figure(&self, model: &str, name: &str) -> bool {
        !self.bounded_figures.contains(&(model, name))
    }

    /// What a time that is an upper bound is no less than, where that is known.
    ///
    /// ```
    /// use atgpu::cost::Exact;
    ///
    /// assert_eq!(Exact::default().least("atgpu", "gpu_cost"), None); // exact
    /// ```
    pub fn least(&self, model: &str, name: &str) -> Option<&Rational> {
        let mut times = self.least_times.iter();
        let found = times.find(|(of, figure, _)| *of == model && *figure == name);
        found.map(|(.., time)| time)
    }

    /// Whether what the machine charges is exact.
    ///
    /// ```
    /// use atgpu::cost::Exact;
    ///
    /// assert!(Exact::default().charges());
    /// ```
    pub fn charges(&self) -> bool {
        !self.bounded_charges
    }

    /// Whether every count and charge is, and with them every figure.
    ///
    /// ```
    /// use atgpu::cost::Exact;
    ///
    /// assert!(Exact::default().all());
    /// ```
    pub fn all(&self) -> bool {
        *self == Exact::default()
    }
}

/// What of each entry of rounds is an upper bound. Equal neighbours are merged at either end by
/// themselves, so entries are matched by the rounds that they stand for.
fn bounded_rounds(
    upper: &[(u64, Round<BigInt>)],
    lower: &[(u64, Round<BigInt>)],
) -> Vec<(usize, &'static str)> {
    let mut bounded = Vec::new();
    let mut entries = lower.iter().map(|(repeated, round)| (*repeated, round));
    let mut current = entries.next();
    for (at, (repeated, round)) in upper.iter().enumerate() {
        let mut left = *repeated;
        while let (Some((there, least)), true) = (current, left > 0) {
            let pairs = keyed(round).into_iter().zip(keyed(least));
            let differ = pairs.filter(|((_, upper), (_, lower))| upper != lower);
            bounded.extend(differ.map(|((key, _), _)| (at, key)));
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

/// The counts that a table of rounds shows.
fn keyed(round: &Round<BigInt>) -> [(&'static str, &BigInt); 7] {
    [
        ("k", &round.launched_mps),
        ("t", &round.time),
        ("q", &round.io),
        ("inward", &round.inward.words),
        ("outward", &round.outward.words),
        ("shared", &round.shared_words),
        ("global", &round.global_words),
    ]
}

fn bounded_arrays(upper: &Counts<BigInt>, lower: &Counts<BigInt>) -> Vec<(String, &'static str)> {
    let least = lower.blocks_by_array();
    let mut bounded = Vec::new();
    for (name, most) in upper.blocks_by_array() {
        let least = least.get(name).cloned().unwrap_or_default();
        let ways = [
            ("read", most.read != least.read),
            ("write", most.write != least.write),
        ];
        let differ = ways.into_iter().filter(|(_, differ)| *differ);
        bounded.extend(differ.map(|(way, _)| (name.to_owned(), way)));
    }
    bounded
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
        assert_eq!(bounded_rounds(&merged, &apart), [(0, "t")]);
        assert_eq!(bounded_rounds(&apart, &merged), [(1, "t"), (2, "t")]);
        assert_eq!(bounded_rounds(&merged, &merged), []);
    }
}
