//! The table of figures: a program on a machine with every parameter given.

use atgpu::cost::{Estimate, Exact, Model, Subject};
use atgpu::count::Parameters;
use atgpu::derivation::Derivation;
use atgpu::derive::numbers::Numbers;
use atgpu::diag::{Context, Diagnostic, Severity};
use atgpu::interval::{CountOptions, TEN_SECONDS};
use atgpu::lint;
use atgpu::machine::Machine;
use atgpu::meaning::Point;
use atgpu::program::Program;
use atgpu::report::comparison::Row;

use crate::cli::compare::subjects::Study;
use crate::cli::cost::count;
use crate::cli::reply::Finding;

impl Study {
    /// Computes the row of a program on a machine with every parameter given.
    pub(super) fn row(
        &self,
        at: usize,
        machine: &Machine,
        findings: &mut Vec<Finding>,
    ) -> Result<Row, Vec<Finding>> {
        let program = &self.programs[at];
        let (settled, formals) = self.settle(program, machine)?;
        let mut row = Row {
            program: at,
            machine: machine.name.to_string(),
            totals: Err(String::new()),
            exact: Exact::default(),
            estimates: Vec::new(),
        };
        let (numbers, derivation) = match self.counted(program, &settled, &formals) {
            Ok(counted) => counted,
            Err(faults) => {
                let message = faults[0].message.to_string();
                let models = self.models.iter();
                let refused = models.map(|model| (model.name(), Err(message.clone())));
                row.estimates = refused.collect();
                row.totals = Err(message);
                findings.extend(Finding::all(program.source(), faults));
                return Ok(row);
            }
        };
        let subject = Subject::of(&numbers.counts)
            .with_charges(numbers.charges.as_ref())
            .with_derivation(derivation.as_ref());
        for model in &self.models {
            let cell = estimate(*model, &subject, &settled);
            let cell = cell.map_err(|missing| noted(*model, machine, missing, findings));
            row.estimates.push((model.name(), cell));
        }
        let judged = self.models.iter().zip(&row.estimates);
        let judged =
            judged.filter_map(|(model, (_, estimate))| Some((*model, estimate.as_ref().ok()?)));
        row.exact = Exact::of(&subject, numbers.least.as_ref(), judged, &settled);
        row.totals = Ok(numbers.counts.totals);
        Ok(row)
    }

    /// Counts a program that fits the machine, or returns why it has no counts there.
    fn counted(
        &self,
        program: &Program,
        machine: &Machine,
        formals: &Parameters,
    ) -> Result<(Numbers, Option<Derivation>), Vec<Diagnostic>> {
        let point = Point::new(program, machine.atgpu.numbers(), formals)?;
        let mut faults = lint::lint(program, formals, machine);
        faults.retain(Diagnostic::is_error);
        if !faults.is_empty() {
            return Err(faults);
        }
        let needs = self.models.iter().any(|model| model.needs_charges());
        let is_by_warp = self.charges_conflicts && machine.warps().is_some();
        let options = CountOptions {
            charge_conflicts: self.charges_conflicts,
            work_limit: Some(TEN_SECONDS),
            cycle_rules: (needs || is_by_warp).then(|| machine.rules()),
        };
        let counted = count(program, &point, &options).map_err(|fault| vec![fault])?;
        let exceeded = lint::exceeded(program, machine, &counted.0);
        if exceeded.is_empty() {
            Ok(counted)
        } else {
            Err(exceeded)
        }
    }
}

fn estimate(
    model: &dyn Model,
    subject: &Subject<'_>,
    machine: &Machine,
) -> Result<Estimate, Diagnostic> {
    if model.needs_charges() {
        let charges = model.charges_by(machine);
        charges.map_err(|missing| Diagnostic::of(&missing))?;
    }
    let estimate = model.estimate(subject, machine);
    estimate.map_err(|missing| Diagnostic::of(&missing))
}

/// Adds a note that a model has no estimate, since the rest of the table stands; the same note only once. Returns the
/// text of the cell.
fn noted(
    model: &dyn Model,
    machine: &Machine,
    mut missing: Diagnostic,
    findings: &mut Vec<Finding>,
) -> String {
    let message = missing.message.to_string();
    missing.severity = Severity::Note;
    missing.message = missing.message.within(Context::Model {
        name: model.name(),
        machine: machine.name.to_string(),
    });
    let mut known = findings.iter();
    if !known.any(|old| old.diagnostic.message == missing.message) {
        findings.push(Finding::bare(missing));
    }
    message
}
