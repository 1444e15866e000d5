//! The points at which a program is run: the given one, or the smallest that its `require`s admit. Also
//! the admitted points that could not be run.

use atgpu::count::Parameters;
use atgpu::diag::{Context, Diagnostic};
use atgpu::machine::Machine;
use atgpu::meaning::{Point, PointValues, admissible};
use atgpu::program::Program;
use atgpu::report::test_run::LeftOut;

/// Points at which an `ensure` is tested, if none is given.
const POINTS: usize = 200;

/// Limit on the named points among those left out.
const MOST_NAMED: usize = 3;

/// The points of a program's runs.
pub(super) struct Points {
    pub(super) points: Vec<Point>,
    pub(super) left_out: Option<NotRun>,
}

/// The given point, or the smallest points that the `require`s admit with the given values.
pub(super) fn points(
    program: &Program,
    machine: &Machine,
    formals: &Parameters,
) -> Result<Points, Vec<Diagnostic>> {
    let numbers = machine.atgpu.numbers();
    if is_complete(program, formals) {
        return Ok(Points {
            points: vec![Point::new(program, numbers, formals)?],
            left_out: None,
        });
    }
    let found = admissible(program, numbers, formals, POINTS);
    if found.points.is_empty() {
        let faults = Point::faults_of_names(program, formals);
        if !faults.is_empty() {
            return Err(faults);
        }
    }
    let points = found
        .points
        .iter()
        .filter_map(|values| Point::new(program, numbers, values).ok());
    let values: Vec<PointValues> = found
        .first_left_out
        .iter()
        .map(|(values, _)| PointValues::of(values, numbers[1]))
        .collect();
    let left_out = found.first_left_out.into_iter().next();
    let left_out = left_out.map(|(_, fault)| {
        let mut not_run = NotRun::at(program, &fault, values[0].clone());
        not_run.report.count = found.left_out;
        not_run.report.first = values;
        not_run
    });
    Ok(Points {
        points: points.collect(),
        left_out,
    })
}

/// Returns true if every formal has a value.
pub(super) fn is_complete(program: &Program, formals: &Parameters) -> bool {
    let mut names = program.formals.iter();
    names.all(|formal| formals.get(&program.parameter(*formal).name).is_some())
}

/// Admitted points that could not be run, with the fault at the first.
pub(super) struct NotRun {
    pub(super) report: LeftOut,
    pub(super) fault: Diagnostic,
    pub(super) at: PointValues,
}

impl NotRun {
    /// An empty set of points with the fault found at this one.
    pub(super) fn at(program: &Program, fault: &Diagnostic, at: PointValues) -> NotRun {
        NotRun {
            report: LeftOut {
                count: 0,
                code: fault.code.short_name(),
                line: line_of(program, fault),
                first: Vec::new(),
            },
            fault: fault.clone(),
            at,
        }
    }

    pub(super) fn add(&mut self, at: PointValues) {
        self.report.count += 1;
        if self.report.first.len() < MOST_NAMED {
            self.report.first.push(at);
        }
    }
}

pub(super) fn line_of(program: &Program, fault: &Diagnostic) -> Option<usize> {
    let label = fault.primary()?;
    Some(program.line(label.span))
}

/// A fault with the parameters that lead to it.
pub(super) fn placed(mut fault: Diagnostic, at: &PointValues) -> Diagnostic {
    let at = at.to_string();
    fault.message = std::mem::take(&mut fault.message).within(Context::Run { at });
    fault
}
