//! Programs, machines and models over a grid of parameters, point by point.
//!
//! Points of programs with exact forms are evaluated on all cores in batches, and delivered in order;
//! nothing else is held in memory. The order is programs, machines, points, and the last axis runs fastest.
//!
//! This file describes the computation; `run` walks through it, `batch` computes a batch, `point` computes
//! one point, and `closed` the figures of a table that have closed forms. `charging` derives charges,
//! `case` and `figures` are the results, `units` names units, and `vetting` finds programs at fault.

mod batch;
mod case;
mod charging;
mod closed;
mod figures;
mod heading;
mod part;
mod point;
mod run;
mod vetting;

pub use case::Case;
pub use charging::is_charge;
pub use figures::Figures;
pub(crate) use figures::{Cell, Row, rows};
pub(crate) use heading::{Heading, unit_of, unit_of_count};
pub use part::Part;
pub use run::{CutShort, Finished, Skipped};
pub use vetting::vet;

use std::ops::Range;

use crate::cost::{MODELS, Model};
use crate::count::Parameters;
use crate::machine::{CycleRules, Machine, OVERRIDABLE};
use crate::number::Rational;
use crate::study::axis::{Axis, refuse_twice};
use crate::study::counting::Counting;
use crate::study::error::StudyError;
use crate::study::prepared::Prepared;
use crate::study::sweep::charging::ChargedForms;
use crate::study::tie::Tie;
use crate::text::Known;

/// The description of a sweep.
pub struct Sweep<'p> {
    prepared: Vec<Prepared<'p>>,
    cards: Vec<Card>,
    models: Vec<&'static dyn Model>,
    grid: Grid,
    counting: Counting,
    /// True if each shared operand costs its degree.
    charges_conflicts: bool,
    charges: Vec<ChargedForms>,
}

/// A machine, with the models that have no figures for it.
struct Card {
    machine: Machine,
    /// Its charging rules, if a model needs charges.
    cycle_rules: Option<CycleRules>,
    /// The models without an estimate on it.
    silent: Vec<&'static str>,
}

/// The grid of points.
struct Grid {
    axes: Vec<Axis>,
    /// Parameters that move with the axes, each with the index of its axis.
    ties: Vec<(Tie, usize)>,
    fixed: Parameters,
    /// The parameters shown in a row.
    columns: Vec<String>,
    /// The part of the points to compute.
    part: Part,
}

impl Grid {
    /// The parameters that vary, or move with one that does.
    fn moving(&self) -> impl Iterator<Item = &str> {
        let tied = self.ties.iter().map(|(tie, _)| tie.name.as_str());
        self.axes.iter().map(|axis| axis.name.as_str()).chain(tied)
    }

    /// The values of a parameter that moves, in the order of its axis.
    fn values_of(&self, name: &str) -> Option<Vec<Rational>> {
        let values = |axis: &Axis| {
            (0..axis.len())
                .map(|place| axis.value(place))
                .collect::<Vec<_>>()
        };
        if let Some(axis) = self.axes.iter().find(|axis| axis.name == name) {
            return Some(values(axis));
        }
        let (tie, axis) = self.ties.iter().find(|(tie, _)| tie.name == name)?;
        let values = values(&self.axes[*axis]).into_iter();
        Some(values.map(|value| tie.value(&value)).collect())
    }
}

impl<'p> Sweep<'p> {
    /// Creates a sweep; `fixed` holds the parameters of `-D`.
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
    /// `usage::value` for unknown parameters, parameters given twice, and too large a grid.
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
        // `Parameters` knows the canonical names, so an axis `alpha` becomes α, like a value given for it.
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
                ties: Vec::new(),
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

    /// Charges each shared operand its degree. Every point is counted then.
    pub fn charge_conflicts(&mut self) {
        self.charges_conflicts = true;
    }

    /// Lets parameters move with the axes.
    ///
    /// # Errors
    /// `usage::value` for parameters that are unknown, have values already, or are tied to what does not vary.
    pub fn tie(&mut self, ties: &[Tie]) -> Result<(), StudyError> {
        for tie in ties.iter().map(Tie::canonical) {
            let Some(axis) = self.grid.axes.iter().position(|axis| axis.name == tie.to) else {
                let Tie { name, to, .. } = tie;
                return Err(StudyError::Untied { name, to });
            };
            let mut programs = self.prepared.iter();
            let is_formal = programs.any(|prepared| prepared.program.has_formal(&tie.name));
            if !is_formal && !OVERRIDABLE.contains(&&*tie.name) {
                let known = Known::beside(&tie.name, OVERRIDABLE.iter().copied());
                let name = tie.name;
                return Err(StudyError::Stranger { name, known });
            }
            let is_varied = self.grid.moving().any(|name| name == tie.name);
            if is_varied || self.grid.fixed.get(&tie.name).is_some() {
                return Err(StudyError::Twice { name: tie.name });
            }
            if !self.grid.columns.contains(&tie.name) {
                self.grid.columns.push(tie.name.clone());
            }
            self.grid.ties.push((tie, axis));
        }
        Ok(())
    }

    /// Leaves out models on machines without figures for them: a list of names for each machine.
    pub fn leave_out(&mut self, silent: Vec<Vec<&'static str>>) {
        let mut silent = silent.into_iter();
        for card in &mut self.cards {
            card.silent = silent.next().unwrap_or_default();
        }
    }

    /// Restricts the sweep to one part of all points: parts 1/2 and 2/2 together give all rows.
    pub fn take(&mut self, part: Part) {
        self.grid.part = part;
    }

    /// The places of the grid to compute for a program on a machine. Jobs are numbered together.
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

    /// The parameters shown in a row: every formal, and everything given or varied.
    pub fn columns(&self) -> &[String] {
        &self.grid.columns
    }

    /// The selected models.
    pub(crate) fn models(&self) -> &[&'static dyn Model] {
        &self.models
    }

    /// The axes of the grid.
    pub fn axes(&self) -> &[Axis] {
        &self.grid.axes
    }

    /// The number of points of all programs on all machines, or of the selected part.
    pub fn points(&self) -> u64 {
        let all = self.checked_points().expect("tested when it was made");
        let part = self.grid.part.of_all(all);
        part.end - part.start
    }

    /// The number of points of one program on one machine.
    pub fn places(&self) -> u64 {
        self.count_places().expect("tested when it was made")
    }

    /// All parameters at a place of the grid.
    pub fn given(&self, mut place: u64) -> Parameters {
        let mut given = self.grid.fixed.clone();
        // The place is a number in mixed radix. The last axis is its lowest digit, so it runs fastest.
        for axis in self.grid.axes.iter().rev() {
            given.set(&axis.name, axis.value(place % axis.len()));
            place /= axis.len();
        }
        for (tie, _) in &self.grid.ties {
            if let Some(value) = given.get(&tie.to).map(|value| tie.value(value)) {
                given.set(&tie.name, value);
            }
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

    /// What a table shows, in the order of its columns: of what is `wanted`, by either name, or else all figures of
    /// the models.
    pub(crate) fn shown(&self, wanted: &[String]) -> Vec<Heading> {
        let mut headings = self.headings();
        headings.retain(|heading| {
            if wanted.is_empty() {
                return heading.model.is_some();
            }
            wanted.iter().any(|name| heading.is_called(name))
        });
        headings
    }

    /// What a name means where one quantity is drawn, whatever else is asked: what is counted or charged of that
    /// name, else the figure of each model that has it.
    pub(crate) fn meant(&self, name: &str) -> Vec<Heading> {
        let mut headings = self.shown(&[name.to_owned()]);
        if headings.iter().any(|heading| heading.model.is_none()) {
            headings.retain(|heading| heading.model.is_none());
        }
        headings
    }

    /// The own name of what a name means where it is drawn: of `atgpu_cost`, the figure `cost` of one model.
    ///
    /// # Errors
    /// `usage::value` for what nobody computes, or no model that is asked for.
    pub fn own_name(&self, name: &str) -> Result<&'static str, StudyError> {
        if let Some(heading) = self.meant(name).first() {
            return Ok(heading.quantity);
        }
        let all = MODELS.iter().flat_map(|model| Heading::of_model(*model));
        let found = all.filter(|heading| heading.is_called(name));
        let models: Vec<&str> = found.filter_map(|heading| heading.model).collect();
        let known = Known::beside(name, self.quantities());
        let name = name.to_owned();
        Err(match models.first() {
            None => StudyError::Quantity { name, known },
            Some(model) => StudyError::QuantityOfModels {
                name,
                model,
                models: models.join(", "),
            },
        })
    }

    /// The figures of models of the same name as what is counted or charged, by the names that tell them apart.
    pub fn namesakes(&self, name: &str) -> Vec<String> {
        let mut headings = self.shown(&[name.to_owned()]);
        if headings.iter().all(|heading| heading.model.is_some()) {
            return Vec::new();
        }
        headings.retain(|heading| heading.model.is_some());
        headings.iter().map(Heading::full_name).collect()
    }

    /// Every figure of the models that say something on some machine, in the order of rows; then what is counted
    /// and charged.
    fn headings(&self) -> Vec<Heading> {
        let says = |model: &&&dyn Model| {
            let is_silent = |card: &Card| card.silent.contains(&model.name());
            !self.cards.iter().all(is_silent)
        };
        let models = self.models.iter().filter(says);
        let mut found: Vec<Heading> = Vec::new();
        for heading in models.flat_map(|model| Heading::of_model(*model)) {
            if !found.contains(&heading) {
                found.push(heading);
            }
        }
        found.extend(Heading::counted());
        found
    }

    /// Every figure that a row may show, by name: those of the models, then the totals.
    pub fn quantities(&self) -> Vec<&'static str> {
        let mut names: Vec<&'static str> = Vec::new();
        for Heading { quantity, .. } in self.headings() {
            if !names.contains(&quantity) {
                names.push(quantity);
            }
        }
        names
    }

    fn column(&self, name: &str) -> usize {
        let mut columns = self.grid.columns.iter();
        let at = columns.position(|column| column == name);
        at.expect("every axis has its column")
    }
}
