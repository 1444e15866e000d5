//! One row a point: programs, machines and models over a grid of parameters.
//!
//! Points whose program has exact forms are evaluated on all cores of the computer, a batch at a
//! time, and handed on in order; nothing else is held. The order is programs, machines, points
//! (the last axis runs fastest).
//!
//! This file says what is computed where; `run` goes through it, `batch` takes so many at a time, `point` computes one point,
//! `closed` those that a table shows of it where they have closed forms, `charging` derives what machines
//! charge, `case` and `figures` are what is handed on, and `units` names its units.

mod batch;
mod case;
mod charging;
mod closed;
mod figures;
mod part;
mod point;
mod run;
mod units;

pub use case::Case;
pub use charging::is_charge;
pub use figures::Figures;
pub(crate) use figures::{Cell, Row};
pub use part::Part;
pub use run::{Finished, Skipped};
pub(crate) use units::{unit_of, unit_of_count};

use std::ops::Range;

use crate::cost::{MODELS, Model, Subject};
use crate::count::{Charged, Counts, Parameters};
use crate::machine::{CycleRules, Machine, OVERRIDABLE};
use crate::number::BigInt;
use crate::study::axis::{Axis, refuse_twice};
use crate::study::counting::Counting;
use crate::study::error::StudyError;
use crate::study::prepared::Prepared;
use crate::study::sweep::charging::{CHARGES, ChargedForms};
use crate::study::sweep::figures::is_wanted;
use crate::text::Known;

/// What to compute where.
pub struct Sweep<'p> {
    prepared: Vec<Prepared<'p>>,
    cards: Vec<Card>,
    models: Vec<&'static dyn Model>,
    grid: Grid,
    counting: Counting,
    /// Whether each shared operand costs its degree.
    charges_conflicts: bool,
    charges: Vec<ChargedForms>,
}

/// A machine, and what the models make of it.
struct Card {
    machine: Machine,
    /// What it charges, where a model asks.
    cycle_rules: Option<CycleRules>,
    /// The models that say nothing on it.
    silent: Vec<&'static str>,
}

/// The places at which it is computed.
struct Grid {
    axes: Vec<Axis>,
    fixed: Parameters,
    /// The parameters that a row shows.
    columns: Vec<String>,
    /// Which of its points to go through.
    part: Part,
}

impl<'p> Sweep<'p> {
    /// A sweep; the parameters given with `-D` are `fixed`.
    ///
    /// ```
    /// use atgpu::cost::find;
    /// use atgpu::count::Parameters;
    /// use atgpu::machine::Machine;
    /// use atgpu::study::{Axis, Counting, Prepared, Sweep};
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let sweep = Sweep::new(
    ///     vec![Prepared::new(&program, Some(&program.derive()?))],
    ///     vec![Machine::built_in("gtx650").expect("built in")],
    ///     vec![find("atgpu").expect("listed")],
    ///     vec![Axis::parse("n=2^10..2^20", &|_| true).expect("a range")],
    ///     Parameters::new(),
    ///     Counting::Briefly,
    /// ).expect("n is the program's");
    /// assert_eq!(sweep.points(), 11);
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    ///
    /// # Errors
    /// `usage::value` for parameters nobody has or that are given twice, and too large a grid.
    pub fn new(
        prepared: Vec<Prepared<'p>>,
        machines: Vec<Machine>,
        models: Vec<&'static dyn Model>,
        axes: Vec<Axis>,
        fixed: Parameters,
        counting: Counting,
    ) -> Result<Self, StudyError> {
        let formals: Vec<&str> = prepared
            .iter()
            .flat_map(|subject| {
                let program = subject.program;
                let formals = program.formals.iter();
                formals.map(|id| program.parameter(*id).name.as_str())
            })
            .collect();
        let mut columns: Vec<String> = Vec::new();
        let canonical = |name: &str| {
            let named: Parameters = [(name, 0)].into_iter().collect();
            let name = named.iter().next().map(|(name, _)| name.to_owned());
            name.unwrap_or_default()
        };
        let axes: Vec<Axis> = axes
            .into_iter()
            .map(|axis| axis.renamed(canonical))
            .collect();
        let varied = axes.iter().map(|axis| axis.name.as_str());
        let given = varied.chain(fixed.iter().map(|(name, _)| name));
        for name in formals.iter().copied().chain(given) {
            let known = || formals.iter().copied().chain(OVERRIDABLE.iter().copied());
            if !known().any(|known| known == name) {
                let known = Known::beside(name, known());
                let name = name.to_owned();
                return Err(StudyError::Stranger { name, known });
            }
            if !columns.iter().any(|column| column == name) {
                columns.push(name.to_owned());
            }
        }
        refuse_twice(&axes, &fixed)?;
        let cards = machines.into_iter().map(|machine| Card {
            machine,
            cycle_rules: None,
            silent: Vec::new(),
        });
        let sweep = Sweep {
            prepared,
            cards: cards.collect(),
            models,
            grid: Grid {
                axes,
                fixed,
                columns,
                part: Part::ALL,
            },
            counting,
            charges_conflicts: false,
            charges: Vec::new(),
        };
        match sweep.checked_points() {
            Some(_) => Ok(sweep),
            None => Err(StudyError::TooManyPoints),
        }
    }

    /// Lets each shared operand cost its degree; every point is counted then.
    ///
    /// ```
    /// use atgpu::{cost::find, machine::Machine, study::{Axis, Counting, Prepared, Sweep}};
    /// use std::ops::ControlFlow;
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let mut sweep = Sweep::new(
    ///     vec![Prepared::new(&program, Some(&program.derive()?))],
    ///     vec![Machine::built_in("gtx650").expect("built in")],
    ///     vec![find("atgpu").expect("listed")],
    ///     vec![Axis::parse("n=32,64", &|_| true).expect("values")],
    ///     ().into(),
    ///     Counting::Briefly,
    /// ).expect("n is the program's");
    /// sweep.charge_conflicts();
    /// let mut times = Vec::new();
    /// sweep.run(
    ///     &|case, out: &mut Vec<String>| out.push(case.counts.totals.time.to_string()),
    ///     &mut |_, batch| {
    ///         times.extend(batch);
    ///         ControlFlow::Continue(())
    ///     },
    /// )?;
    /// assert_eq!(times, ["13", "13"]); // it has no conflicts
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn charge_conflicts(&mut self) {
        self.charges_conflicts = true;
    }

    /// Leaves out models on machines that have no figures for them: a list of names for each machine.
    ///
    /// ```
    /// use atgpu::{cost::find, machine::Machine, study::{Axis, Counting, Prepared, Sweep}};
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let mut sweep = Sweep::new(
    ///     vec![Prepared::new(&program, Some(&program.derive()?))],
    ///     vec![Machine::built_in("gtx650").expect("built in")],
    ///     vec![find("atgpu").expect("listed"), find("kothapalli-max").expect("listed")],
    ///     vec![Axis::parse("n=32,64,128", &|_| true).expect("values")],
    ///     ().into(),
    ///     Counting::Briefly,
    /// ).expect("n is the program's");
    /// // The card of paper 1 does not say how its multiprocessors execute warps.
    /// sweep.leave_out(vec![vec!["kothapalli-max"]]);
    /// assert!(sweep.charge(&[]).is_ok());
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn leave_out(&mut self, silent: Vec<Vec<&'static str>>) {
        let mut silent = silent.into_iter();
        for card in &mut self.cards {
            card.silent = silent.next().unwrap_or_default();
        }
    }

    /// Goes through one part of all points only: parts 1/2 and 2/2 give the rows of the whole.
    ///
    /// ```
    /// use atgpu::study::Part;
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let mut sweep = atgpu::examples::sweep(&program);
    /// sweep.take(Part::parse("2/3")?);
    /// assert_eq!(sweep.points(), 1); // the second of three
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn take(&mut self, part: Part) {
        self.grid.part = part;
    }

    /// The places of the grid to go through for a program on a machine, counted together.
    fn places_of(&self, job: u64) -> Range<u64> {
        let all = self.checked_points().expect("tested when it was made");
        let (grid, part) = (self.places(), self.grid.part.of_all(all));
        let here = |at: u64| at.saturating_sub(job * grid).min(grid);
        here(part.start)..here(part.end)
    }

    /// The models that a machine has figures for.
    fn models_on(&self, machine: usize) -> impl Iterator<Item = &'static dyn Model> {
        let silent = &self.cards[machine].silent;
        let models = self.models.iter().copied();
        models.filter(|model| !silent.contains(&model.name()))
    }

    /// The parameters a row shows: every formal, and what else was given or varied.
    ///
    /// ```
    /// let program = atgpu::examples::vector_addition();
    /// let sweep = atgpu::examples::sweep(&program);
    /// assert_eq!(sweep.columns(), ["n"]);
    /// ```
    pub fn columns(&self) -> &[String] {
        &self.grid.columns
    }

    /// The models asked for.
    pub(crate) fn models(&self) -> &[&'static dyn Model] {
        &self.models
    }

    /// The values that vary.
    ///
    /// ```
    /// let program = atgpu::examples::vector_addition();
    /// let sweep = atgpu::examples::sweep(&program);
    /// assert_eq!(sweep.axes()[0].name, "n");
    /// ```
    pub fn axes(&self) -> &[Axis] {
        &self.grid.axes
    }

    /// All points of all programs on all machines, or those of the part that is taken.
    ///
    /// ```
    /// let program = atgpu::examples::vector_addition();
    /// let sweep = atgpu::examples::sweep(&program);
    /// assert_eq!(sweep.points(), 3); // one program, one machine, three values of n
    /// ```
    pub fn points(&self) -> u64 {
        let all = self.checked_points().expect("tested when it was made");
        let part = self.grid.part.of_all(all);
        part.end - part.start
    }

    /// The points of one program on one machine.
    ///
    /// ```
    /// let program = atgpu::examples::vector_addition();
    /// let sweep = atgpu::examples::sweep(&program);
    /// assert_eq!(sweep.places(), 3);
    /// ```
    pub fn places(&self) -> u64 {
        self.count_places().expect("tested when it was made")
    }

    /// All parameters given at a place of the grid.
    ///
    /// ```
    /// let program = atgpu::examples::vector_addition();
    /// let sweep = atgpu::examples::sweep(&program);
    /// assert_eq!(sweep.given(2).get("n"), Some(&128.into()));
    /// ```
    pub fn given(&self, mut place: u64) -> Parameters {
        let mut given = self.grid.fixed.clone();
        for axis in self.grid.axes.iter().rev() {
            given.set(&axis.name, axis.value(place % axis.len()));
            place /= axis.len();
        }
        given
    }

    fn checked_points(&self) -> Option<u64> {
        let jobs = self.prepared.len() as u64 * self.cards.len() as u64;
        let points = self.count_places()?.checked_mul(jobs)?;
        (points <= 1 << 53).then_some(points)
    }

    fn count_places(&self) -> Option<u64> {
        let mut axes = self.grid.axes.iter();
        axes.try_fold(1_u64, |points, axis| points.checked_mul(axis.len()))
    }

    /// The figures that a table shows, each with its model, in the order of the columns.
    pub(crate) fn shown(&self, wanted: &[String]) -> Vec<(Option<&'static str>, &'static str)> {
        let mut figures = self.figures();
        figures.retain(|(model, name)| is_wanted(wanted, *model, name));
        figures
    }

    /// Every figure of the models, with its model, in the order of rows; then what is counted and
    /// charged, without one.
    pub(crate) fn figures(&self) -> Vec<(Option<&'static str>, &'static str)> {
        let mut found = self.estimated_by(&self.models);
        let nothing: Counts<BigInt> = Counts::default();
        found.extend(nothing.totals.named().map(|(name, _)| (None, name)));
        found.extend(CHARGES.map(|(name, _)| (None, name)));
        let mut seen = Vec::new();
        found.retain(|figure| {
            let is_new = !seen.contains(figure);
            seen.push(*figure);
            is_new
        });
        found
    }

    /// Every figure a row may show, by name: those of the models, then the totals.
    ///
    /// ```
    /// let program = atgpu::examples::vector_addition();
    /// let sweep = atgpu::examples::sweep(&program);
    /// let quantities = sweep.quantities();
    /// assert!(quantities.contains(&"gpu_cost") && quantities.contains(&"bank_conflicts"));
    /// ```
    pub fn quantities(&self) -> Vec<&'static str> {
        let mut names: Vec<&'static str> = Vec::new();
        for (_, name) in self.figures() {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// The models that have a figure of this name on some of the cards, asked for or not.
    pub(crate) fn models_with(&self, name: &str) -> Vec<&'static str> {
        let figures = self.estimated_by(MODELS).into_iter();
        let mut models: Vec<&str> = figures
            .filter(|(_, figure)| *figure == name)
            .filter_map(|(model, _)| model)
            .collect();
        models.dedup();
        models
    }

    /// What these models figure on each of the cards.
    fn estimated_by(&self, models: &[&dyn Model]) -> Vec<(Option<&'static str>, &'static str)> {
        let (nothing, uncharged) = (Counts::default(), Charged::default());
        let subject = Subject::of(&nothing).with_charges(&uncharged);
        let mut found = Vec::new();
        for model in models {
            for card in &self.cards {
                for estimate in model.estimate(&subject, &card.machine).iter() {
                    let figures = estimate.figures.iter();
                    found.extend(figures.map(|figure| (Some(model.name()), figure.name)));
                }
            }
        }
        found
    }

    fn column(&self, name: &str) -> usize {
        let mut columns = self.grid.columns.iter();
        let at = columns.position(|column| column == name);
        at.expect("every axis has its column")
    }
}
