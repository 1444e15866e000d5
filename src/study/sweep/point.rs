//! One point of one program on one machine: the machine, the counts, the limits, and the estimates of the
//! models.

use std::borrow::Cow;
use std::ops::Range;

use crate::cost::{Exact, Model, Subject};
use crate::count::{Charged, Parameters};
use crate::derivation::evaluate::{Evaluation, Workplace};
use crate::diag::Diagnostic;
use crate::machine::{CycleRules, Exceeded, Machine, Memory};
use crate::meaning::Point;
use crate::number::{BigInt, Rational};
use crate::study::counting::{Budget, Charging, NoCounts, counts};
use crate::study::prepared::Prepared;
use crate::study::sweep::charging::ChargedForms;
use crate::study::sweep::closed::ClosedFigures;
use crate::study::sweep::{Case, Sweep};

/// A program on a machine.
pub(super) struct Job<'s, 'p> {
    pub(super) subject: &'s Prepared<'p>,
    pub(super) machine: &'s Machine,
    /// The machine with all overrides, if none of them varies.
    pub(super) settled: Option<(Machine, Parameters)>,
    /// The values of `-D` that this program or any machine knows.
    pub(super) fixed: Parameters,
    /// For each axis its column; `None` if this program does not have the parameter.
    pub(super) columns: Vec<Option<usize>>,
    /// For each tie its column, likewise.
    pub(super) ties: Vec<Option<usize>>,
    /// For each axis: true if it is a parameter of the machine.
    pub(super) is_of_machine: Vec<bool>,
    pub(super) charges: Vec<&'s ChargedForms>,
    /// The models that the machine has figures for.
    pub(super) models: Vec<&'static dyn Model>,
    pub(super) cycle_rules: Option<&'s CycleRules>,
    /// True if closed forms give all inputs of the models exactly.
    pub(super) is_exact: bool,
    /// The closed forms of a table for every choice of machine parameters. Empty without a table, or for
    /// too many choices.
    pub(super) closed: Vec<Option<ClosedFigures>>,
}

/// The reason why a point has no result.
pub(super) enum Stop {
    /// A fault of this point, or of all.
    Fault(Vec<Diagnostic>),
    /// Its counts exceed the budget.
    TooLong,
}

/// The values of one thread.
pub(super) struct Workplaces {
    counts: Option<Workplace>,
    charges: Vec<Workplace>,
}

impl Workplaces {
    pub(super) fn new(job: &Job<'_, '_>) -> Self {
        let evaluation = job.subject.evaluation.as_ref();
        Workplaces {
            counts: evaluation.map(Evaluation::workplace),
            charges: job
                .charges
                .iter()
                .map(|forms| forms.evaluation.workplace())
                .collect(),
        }
    }

    /// The charges of the machine at a point, if they were derived for its b.
    fn charged(&mut self, job: &Job<'_, '_>, point: &Point) -> Option<Charged> {
        let is_of = |forms: &&ChargedForms| BigInt::from(forms.b) == *point.cores();
        let at = job.charges.iter().position(is_of)?;
        let forms = &job.charges[at].evaluation;
        forms
            .charged_at(&point.parameters, &mut self.charges[at])
            .ok()
    }
}

impl<'p> Sweep<'p> {
    /// Computes a point. Its requirements and memory limits are checked here, at every point.
    pub(super) fn point(
        &self,
        job: &Job<'_, 'p>,
        place: u64,
        workplaces: &mut Workplaces,
        budget: &mut Budget,
        use_case: impl FnOnce(&Case<'_>),
    ) -> Result<bool, Stop> {
        let fault = |error: &dyn miette::Diagnostic| Stop::Fault(vec![Diagnostic::of(error)]);
        let values = self.values(job, place);
        let (machine, formals) = self.settled(job, &values)?;
        let machine = machine.as_ref();
        let point = Point::new(job.subject.program, machine.atgpu.numbers(), &formals)
            .map_err(Stop::Fault)?;
        let charging = Charging {
            cycle_rules: job.cycle_rules,
            known: workplaces.charged(job, &point),
            conflicts: self.charges_conflicts,
        };
        let workplace = workplaces.counts.as_mut();
        let found = counts(job.subject, &point, workplace, charging, budget);
        let found = found.map_err(|no| match no {
            NoCounts::TooLong => Stop::TooLong,
            NoCounts::Fault(fault) => Stop::Fault(vec![*fault]),
        })?;
        // The least words are lower bounds. Only a need that no run can avoid refuses the point.
        let [shared, global] = &found.least_words;
        for (memory, needed, capacity) in [
            (Memory::Shared, shared, machine.atgpu.shared_words),
            (Memory::Global, global, machine.atgpu.global_words),
        ] {
            if *needed > BigInt::from(capacity) {
                let exceeded = Exceeded::new(memory, needed.clone(), capacity);
                let help = exceeded.help_at_a_point().to_owned();
                return Err(Stop::Fault(vec![exceeded.diagnose(help, Vec::new())]));
            }
        }
        let judged = Subject {
            counts: &found.counts,
            charges: found.charges.as_ref(),
            derivation: None,
        };
        let mut estimates = Vec::with_capacity(job.models.len());
        for model in &job.models {
            let estimate = model.estimate(&judged, machine);
            estimates.push((model.name(), estimate.map_err(|missing| fault(&missing))?));
        }
        let pairs = job.models.iter().zip(&estimates);
        let pairs = pairs.map(|(model, (_, estimate))| (*model, estimate));
        let exact = Exact::of(&judged, found.least.as_ref(), pairs, machine);
        use_case(&Case {
            program: &job.subject.program.name,
            machine: &machine.name,
            values: &values,
            counts: &found.counts,
            estimates: &estimates,
            exact: &exact,
            subject: judged,
            on: machine,
        });
        Ok(found.is_cut_short)
    }

    /// The machine at a place of the grid, and the formals.
    pub(super) fn settled<'j>(
        &self,
        job: &'j Job<'_, 'p>,
        values: &[Option<Rational>],
    ) -> Result<(Cow<'j, Machine>, Parameters), Stop> {
        let with_axes = |mut given: Parameters| {
            for name in self.grid.moving() {
                if let Some(value) = &values[self.column(name)] {
                    given.set(name, value.clone());
                }
            }
            given
        };
        if let Some((machine, fixed)) = &job.settled {
            return Ok((Cow::Borrowed(machine), with_axes(fixed.clone())));
        }
        let is_formal = |name: &str| job.subject.program.has_formal(name);
        let given = with_axes(job.fixed.clone());
        let settled = job.machine.with_overrides(&given, is_formal);
        let (machine, formals) = settled.map_err(Stop::Fault)?;
        Ok((Cow::Owned(machine), formals))
    }

    /// The number of choices of the machine parameters that vary.
    pub(super) fn machines(&self, job: &Job<'_, 'p>) -> u64 {
        let axes = self.grid.axes.iter().zip(&job.is_of_machine);
        let lengths = axes.filter(|(_, is_of_machine)| **is_of_machine);
        lengths.map(|(axis, _)| axis.len()).product()
    }

    /// The index of a place's choice.
    pub(super) fn machine_at(&self, job: &Job<'_, 'p>, mut place: u64) -> u64 {
        let (mut choice, mut below) = (0, 1);
        if job.closed.len() <= 1 {
            return choice;
        }
        for (axis, is_of_machine) in self.grid.axes.iter().zip(&job.is_of_machine).rev() {
            if *is_of_machine {
                choice += place % axis.len() * below;
                below *= axis.len();
            }
            place /= axis.len();
        }
        choice
    }

    /// The first place with a choice.
    pub(super) fn place_of_machine(&self, job: &Job<'_, 'p>, mut choice: u64) -> u64 {
        let (mut place, mut below) = (0, 1);
        for (axis, is_of_machine) in self.grid.axes.iter().zip(&job.is_of_machine).rev() {
            if *is_of_machine {
                place += choice % axis.len() * below;
                choice /= axis.len();
            }
            below *= axis.len();
        }
        place
    }

    /// The values of all columns at a place of the grid.
    pub(super) fn values(&self, job: &Job<'_, 'p>, place: u64) -> Vec<Option<Rational>> {
        let columns = self.grid.columns.iter();
        let mut values: Vec<_> = columns.map(|name| job.fixed.get(name).cloned()).collect();
        self.move_to(job, place, &mut values);
        values
    }

    /// The values of a column at several places, if all are words.
    pub(super) fn words(
        &self,
        job: &Job<'_, 'p>,
        places: &Range<u64>,
        column: usize,
    ) -> Option<Vec<i64>> {
        let mut below = 1;
        for (axis, filled) in self.grid.axes.iter().zip(&job.columns).rev() {
            if *filled == Some(column) {
                return axis.words(places.clone(), below);
            }
            below *= axis.len();
        }
        let mut ties = self.grid.ties.iter().zip(&job.ties);
        if let Some(((tie, _), _)) = ties.find(|(_, filled)| **filled == Some(column)) {
            let base = self.words(job, places, self.column(&tie.to))?;
            let values = base
                .into_iter()
                .map(|base| tie.value(&base.into()).to_i64());
            return values.collect();
        }
        let fixed = job.fixed.get(&self.grid.columns[column])?.to_i64()?;
        let points = usize::try_from(places.end - places.start).ok()?;
        Some(vec![fixed; points])
    }

    /// Changes the values to those of another place.
    pub(super) fn move_to(
        &self,
        job: &Job<'_, 'p>,
        mut place: u64,
        values: &mut [Option<Rational>],
    ) {
        let mut varied = vec![Rational::ZERO; self.grid.axes.len()];
        let axes = self.grid.axes.iter().zip(&job.columns);
        for (at, (axis, column)) in axes.enumerate().rev() {
            varied[at] = axis.value(place % axis.len());
            if let Some(column) = column {
                values[*column] = Some(varied[at].clone());
            }
            place /= axis.len();
        }
        for ((tie, axis), column) in self.grid.ties.iter().zip(&job.ties) {
            if let Some(column) = column {
                values[*column] = Some(tie.value(&varied[*axis]));
            }
        }
    }
}
