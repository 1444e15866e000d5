//! The table of figures: a program on a machine with every parameter given.

use atgpu::cost::{Exact, Subject};
use atgpu::diag::{Context, Diagnostic, Severity};
use atgpu::interval::{CountOptions, TEN_SECONDS};
use atgpu::lint;
use atgpu::machine::Machine;
use atgpu::meaning::Point;
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
        let mut fault = |faults: Vec<Diagnostic>, row: &mut Row| {
            row.totals = Err(faults[0].message.to_string());
            row.estimates = self
                .models
                .iter()
                .map(|model| (model.name(), Err(faults[0].message.to_string())))
                .collect();
            findings.extend(Finding::all(program.source(), faults));
        };
        let point = match Point::new(program, settled.atgpu.numbers(), &formals) {
            Ok(point) => point,
            Err(faults) => {
                fault(faults, &mut row);
                return Ok(row);
            }
        };
        let mut faults = lint::lint(program, &formals, &settled);
        faults.retain(Diagnostic::is_error);
        if !faults.is_empty() {
            fault(faults, &mut row);
            return Ok(row);
        }
        let needs = self.models.iter().any(|model| model.needs_charges());
        let is_by_warp = self.charges_conflicts && settled.warps().is_some();
        let cycle_rules = (needs || is_by_warp).then(|| settled.rules());
        let options = CountOptions {
            charge_conflicts: self.charges_conflicts,
            work_limit: Some(TEN_SECONDS),
            cycle_rules,
        };
        let (numbers, derivation) = match count(program, &point, &options) {
            Ok(counted) => counted,
            Err(found) => {
                fault(vec![found], &mut row);
                return Ok(row);
            }
        };
        let exceeded = lint::exceeded(program, &settled, &numbers);
        if !exceeded.is_empty() {
            fault(exceeded, &mut row);
            return Ok(row);
        }
        let subject = Subject::of(&numbers.counts)
            .with_charges(numbers.charges.as_ref())
            .with_derivation(derivation.as_ref());
        for model in &self.models {
            let missing = match model.charges_by(&settled) {
                Err(missing) if model.needs_charges() => Some(Diagnostic::of(&missing)),
                Ok(_) | Err(_) => None,
            };
            let estimate = match missing {
                Some(missing) => Err(missing),
                None => model
                    .estimate(&subject, &settled)
                    .map_err(|missing| Diagnostic::of(&missing)),
            };
            let cell = estimate.map_err(|mut missing| {
                let message = missing.message.to_string();
                // The rest of the table stands, so this is a note. A note for several programs appears once.
                missing.severity = Severity::Note;
                missing.message = missing.message.within(Context::Model {
                    name: model.name(),
                    machine: machine.name.to_string(),
                });
                let known = findings
                    .iter()
                    .any(|old| old.diagnostic.message == missing.message);
                if !known {
                    findings.push(Finding::bare(missing));
                }
                message
            });
            row.estimates.push((model.name(), cell));
        }
        let judged = self.models.iter().zip(&row.estimates);
        let judged =
            judged.filter_map(|(model, (_, estimate))| Some((*model, estimate.as_ref().ok()?)));
        row.exact = Exact::of(&subject, numbers.least.as_ref(), judged, &settled);
        row.totals = Ok(numbers.counts.totals);
        Ok(row)
    }
}
