//! Which counts and figures are exact, one by one, where only some are upper bounds.
//!
//! Models are monotone in what they are given, so a figure that is the same from the least counts as
//! from the greatest rests on no bound.

use crate::cost::{Estimate, Model, Subject, Value};
use crate::count::Counts;
use crate::machine::Machine;
use crate::number::BigInt;

/// Which counts and figures are upper bounds only; by default none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exact {
    /// Totals by name.
    bounded_totals: Vec<&'static str>,
    /// Figures by their model's name and their own.
    bounded_figures: Vec<(&'static str, &'static str)>,
    /// Whether what the machine charges is one.
    bounded_charges: bool,
}

impl Exact {
    /// Of counts and what models say of them. `least` holds the lower ends of the counts, none where
    /// all are exact.
    ///
    /// ```
    /// use atgpu::cost::{Exact, Subject, find};
    /// use atgpu::machine::Machine;
    ///
    /// # macro_rules! include_str { ($file:literal) => {
    /// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
    /// # }}
    /// # let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
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
                if !holds {
                    exact.bounded_figures.push((model.name(), figure.name));
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
