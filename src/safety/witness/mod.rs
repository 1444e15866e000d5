//! The smallest run that fails: the program executed at small points, for what is not proved.

mod execution;

pub use execution::says_no_run;

use std::ops::ControlFlow;

use crate::count::Parameters;
use crate::diag::{Code, Diagnostic, Severity};
use crate::exec::Input;
use crate::machine::Machine;
use crate::meaning::{
    Allowance, Point, PointValues, admissible_points, around_width, example, says, widths,
};
use crate::number::Rational;
use crate::program::{Program, Role, Stmt, StmtKind};
use crate::safety::aimed::MOST_AIMS;
use crate::safety::verdict::{Judged, Property, Reason, Subject, Verdict, Witness};
use crate::safety::witness::execution::{Ran, executed};
use crate::text::Span;

/// Widths tried at every choice of the formals, the smallest first.
const WIDTHS: [i64; 7] = [1, 2, 3, 4, 5, 8, 16];

/// The most runs in all.
const MOST_RUNS: usize = 150;

/// The most choices looked at. The `require`s may refuse nearly all of them.
const MOST_CHOICES: usize = 4000;

/// The number of admitted points taken where the small ones are not enough.
const LARGER_POINTS: usize = 6;

/// The number of points looked at after the first that fails: a fault hides those behind it.
const POINTS_AFTER_A_FAULT: usize = 24;

/// The most operations of the cores in all runs together.
pub(super) const MOST_OPERATIONS: u64 = 400_000;

/// As [`MOST_OPERATIONS`], where a remark beside another result is all that may come of it.
pub(super) const OPERATIONS_IN_PASSING: u64 = 100_000;

/// The most points that are run again with data at the ends of their ranges.
const POINTS_OF_DATA: usize = 40;

/// The data of the first input, of the second, of the first again, ….
const DATA: [[Input; 2]; 5] = [
    [Input::Least, Input::Most],
    [Input::Most, Input::Least],
    [Input::Least, Input::Least],
    [Input::Most, Input::Most],
    [Input::Rising, Input::Rising],
];

/// The most witnesses that are made larger, and the most of their sizes.
const MOST_WIDENED: usize = 3;
const MOST_FORMALS_WIDENED: usize = 4;

/// The most values that the quantifiers of all `require`s run through together.
const MOST_VALUES: u64 = 1_000_000;

/// The machine's parameters, beside the formals.
const MACHINE: [&str; 4] = ["b", "p", "M", "G"];

/// The result of running a program at small points.
#[derive(Debug, Clone, Default)]
pub struct Tried {
    /// Points at which the program was run.
    pub points: usize,
    /// Points at which it could not be: too large, or beyond the machine.
    pub skipped: usize,
    /// The `while`s whose bounds were tried with it.
    pub bounds: Vec<Span>,
    /// Operations of the cores so far.
    operations: u64,
    /// The number of points looked at when the first fault was met.
    pub(crate) first_fault: Option<usize>,
    /// The runs with the machine's own b, where some place is refuted.
    pub(crate) at_own_width: AtOwnWidth,
    /// Where each run that met a fault was stopped.
    pub(crate) stops: Vec<Span>,
}

/// Runs with the machine's own b, at sizes as different as a few can be.
#[derive(Debug, Clone, Default)]
pub(crate) struct AtOwnWidth {
    /// The number of sizes.
    pub(crate) sizes: usize,
    /// The number of sizes at which a fault was met.
    pub(crate) failed: usize,
    /// The faults met.
    pub(crate) faults: Vec<Met>,
    /// The sizes at which cores did something, and met no fault.
    pub(crate) passed: Vec<Parameters>,
}

/// A fault by its code and its line.
pub(crate) type Met = (Code, Option<usize>);

/// Returns what tells a fault from another. Its exact place does not: of `A[1..n]` now one end is outside, now the
/// other.
pub(crate) fn met(program: &Program, fault: &Diagnostic) -> Met {
    let line = fault.primary().map(|label| program.line(label.span));
    (fault.code, line)
}

impl Tried {
    /// True if a fault was met, and a few points later all that it hid has shown too.
    fn is_enough(&self) -> bool {
        self.first_fault
            .is_some_and(|first| self.points >= first + POINTS_AFTER_A_FAULT)
    }

    /// The number of runs that reached a place: those without a fault, and those that were stopped behind it.
    pub(crate) fn runs_that_reached(&self, place: Span) -> usize {
        let before = self.stops.iter().filter(|stop| stop.start <= place.start);
        self.points - before.count()
    }
}

/// Returns every `while … at most` of kernels that load nothing. Parameters decide its iterations; no proof tells if it
/// stays within its bound, but runs do.
fn bounded_whiles(program: &Program) -> Vec<Span> {
    let mut found = Vec::new();
    for kernel in program.kernels() {
        let is_load = |statement: &Stmt| matches!(statement.kind, StmtKind::Load { .. });
        if kernel.statements().any(is_load) {
            continue;
        }
        let whiles = kernel.statements().filter(|statement| {
            let kind = &statement.kind;
            matches!(
                kind,
                StmtKind::While {
                    at_most: Some(_),
                    ..
                }
            )
        });
        found.extend(whiles.map(|statement| statement.span));
    }
    found.sort_by_key(|span| span.start);
    found.dedup();
    found
}

/// Runs a program at small points, smallest first, until everything not proved is refuted or enough
/// was tried, within so many operations; enters what failed. Not at all where nothing is left to try.
pub(crate) fn refute(
    program: &Program,
    given: &Parameters,
    machine: &Machine,
    most_operations: u64,
    judged: &mut Vec<Judged>,
) -> Tried {
    let mut runs = Runs {
        program,
        machine,
        allowance: Allowance::of(MOST_VALUES),
        most_operations,
        judged,
        tried: Tried {
            bounds: bounded_whiles(program),
            ..Tried::default()
        },
        inputs: Vec::new(),
        first: Vec::new(),
    };
    if !runs.is_settled() {
        let widths = widths(program, given, &WIDTHS);
        if runs.at_small_points(given, &widths).is_continue() {
            runs.at_aimed_points();
            runs.at_larger_points(given, &widths);
            runs.beyond_own_width(given);
            runs.at_ends_of_data();
        }
    }
    runs.tried
}

/// The runs of a program, and what is judged by them.
struct Runs<'r> {
    program: &'r Program,
    machine: &'r Machine,
    allowance: Allowance,
    most_operations: u64,
    judged: &'r mut Vec<Judged>,
    tried: Tried,
    /// The data of the inputs, where they are not drawn.
    inputs: Vec<(String, Input)>,
    /// The first points that were run, each with its b.
    first: Vec<(Parameters, i64)>,
}

impl Runs<'_> {
    /// True if a run could show nothing more.
    fn is_settled(&self) -> bool {
        let is_open = |found: &Judged| matches!(found.verdict, Verdict::Open(_));
        self.tried.bounds.is_empty() && !self.judged.iter().any(is_open)
    }

    /// Runs at all choices of the formals, by their sum. Breaks off where no more is to be shown, and continues where
    /// the limits are reached first.
    fn at_small_points(&mut self, given: &Parameters, widths: &[i64]) -> ControlFlow<()> {
        let formals = self.program.formals.iter();
        let names: Vec<&str> = formals
            .map(|id| self.program.parameter(*id).name.as_str())
            .filter(|name| given.get(name).is_none())
            .collect();
        let mut choices = 0;
        for sum in 0..=MOST_CHOICES as i64 {
            let of_sum = with_sum(names.len(), sum);
            if of_sum.is_empty() {
                break;
            }
            for choice in of_sum {
                let mut values = given.clone();
                for (name, value) in names.iter().zip(&choice) {
                    values.set(name, *value);
                }
                for &width in widths {
                    choices += 1;
                    if choices > MOST_CHOICES
                        || self.tried.points >= MOST_RUNS
                        || self.tried.operations >= self.most_operations
                    {
                        return ControlFlow::Continue(());
                    }
                    self.run(&values, width);
                    if self.is_settled() || self.tried.is_enough() {
                        return ControlFlow::Break(());
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Runs at a few points that the `require`s admit, the largest first.
    fn at_larger_points(&mut self, given: &Parameters, widths: &[i64]) {
        let [p, _, m, g] = self.machine.atgpu.numbers();
        for &width in widths {
            let points = admissible_points(self.program, [p, width, m, g], given, LARGER_POINTS);
            for values in points.iter().rev() {
                if self.tried.operations >= self.most_operations {
                    return;
                }
                self.run(values, width);
            }
        }
    }

    /// Runs with twice the machine's b at sizes around it, where the text names its b: `_x[32]` is large enough for every
    /// b up to 32.
    fn beyond_own_width(&mut self, given: &Parameters) {
        let [p, own, m, g] = self.machine.atgpu.numbers();
        if !says(self.program, &[own, own - 1]) {
            return;
        }
        let admitted = widths(self.program, given, &[2 * own]).into_iter();
        for width in admitted.filter(|width| *width == 2 * own) {
            let formals = without_machine(given);
            let points = around_width(self.program, [p, width, m, g], &formals);
            let values: Vec<Parameters> = points.map(|point| of(&point)).collect();
            for values in values {
                if self.is_settled() || self.tried.operations >= self.most_operations {
                    return;
                }
                self.run(&values, width);
            }
        }
    }

    /// Runs at the points at which open places are to fail, should they ever.
    fn at_aimed_points(&mut self) {
        let mut aims: Vec<Parameters> = Vec::new();
        for found in self.judged.iter() {
            let is_open = matches!(found.verdict, Verdict::Open(_));
            if let Some(aim) = found
                .aim
                .as_ref()
                .filter(|aim| is_open && !aims.contains(aim))
            {
                aims.push(aim.clone());
            }
        }
        for aim in aims.iter().take(MOST_AIMS) {
            let width = aim.get("b").and_then(|b| b.to_i64());
            self.run(&without_machine(aim), width.unwrap_or(1));
        }
    }

    /// Runs at the first points again, with the inputs at the ends of their ranges: all the same, every second one the
    /// other way, and rising.
    fn at_ends_of_data(&mut self) {
        let inputs = self.program.variable_ids();
        let inputs = inputs.filter(|id| self.program.variable(*id).role == Role::Input);
        let names: Vec<String> = inputs
            .map(|id| self.program.variable(id).name.clone())
            .collect();
        let is_of_data = |found: &Judged| matches!(found.verdict, Verdict::Open(Reason::Data));
        if names.is_empty()
            || !self.judged.iter().any(is_of_data)
            || self.tried.first_fault.is_some()
        {
            return;
        }
        let points = std::mem::take(&mut self.first);
        for data in DATA {
            let named = names.iter().cloned().zip(data.iter().cloned().cycle());
            self.inputs = named.collect();
            for (values, width) in &points {
                if self.tried.operations >= 2 * self.most_operations {
                    return;
                }
                self.run(values, *width);
                if self.tried.first_fault.is_some() {
                    return;
                }
            }
        }
    }

    /// Runs at a point, if the `require`s admit it.
    fn run(&mut self, values: &Parameters, width: i64) {
        let [p, _, m, g] = self.machine.atgpu.numbers();
        let witness = || {
            let mut witness = values.clone();
            witness.set("b", width);
            witness
        };
        // Of thousands of choices most are refused.
        let names_the_machine = MACHINE.iter().any(|name| values.get(name).is_some());
        let formals = if names_the_machine {
            &without_machine(values)
        } else {
            values
        };
        let point =
            match Point::if_admitted(self.program, [p, width, m, g], formals, &self.allowance) {
                Ok(Some(point)) => point,
                Ok(None) => return,
                Err(faults) => {
                    let is_of_values =
                        |fault: &Diagnostic| fault.code.short_name() == "usage::value";
                    if !faults.iter().any(is_of_values) {
                        self.tried.points += 1;
                        self.enter(faults, &witness());
                    }
                    return;
                }
            };
        let operations = &mut self.tried.operations;
        match executed(self.program, &point, &self.inputs, operations) {
            Some(Ran { faults, .. }) => {
                self.tried.points += 1;
                if self.first.len() < POINTS_OF_DATA {
                    self.first.push((values.clone(), width));
                }
                self.enter(faults, &witness());
            }
            None => self.tried.skipped += 1,
        }
    }

    /// Refutes what a fault is about: the same property at the same place, or else a place of its own.
    fn enter(&mut self, faults: Vec<Diagnostic>, values: &Parameters) {
        let mut stops = faults.iter().filter(|fault| fault.is_error());
        let stop = stops.find_map(|fault| Some(fault.primary()?.span));
        self.tried.stops.extend(stop);
        for fault in faults {
            if fault.severity != Severity::Error {
                continue;
            }
            let (Some(property), Some(label)) =
                (Property::of_code(fault.code.short_name()), fault.primary())
            else {
                continue;
            };
            let at = label.span;
            let is_about = |found: &&mut Judged| {
                let span = found.span;
                let within = span.start <= at.start && at.end <= span.end
                    || at.start <= span.start && span.end <= at.end;
                found.property == property
                    && within
                    && is_of(fault.code.short_name(), found.subject)
            };
            self.tried.first_fault.get_or_insert(self.tried.points);
            let witness = || {
                Verdict::Refuted(Box::new(Witness {
                    values: values.clone(),
                    inputs: self.inputs.clone(),
                    fault: fault.clone(),
                    require: None,
                    guard: None,
                    found: self.tried.points,
                }))
            };
            let mut is_known = false;
            for found in self.judged.iter_mut().filter(is_about) {
                match found.verdict {
                    Verdict::Proved(_) => {}
                    Verdict::Refuted(_) => is_known = true,
                    Verdict::Open(_) => {
                        is_known = true;
                        found.verdict = witness();
                    }
                }
            }
            // Nobody asked about it, or it was proved: the run is right.
            if !is_known {
                let judged = Judged::new(property, at, Subject::Run, witness());
                self.judged.push(judged);
            }
        }
    }
}

/// Returns all choices of so many numbers from 0 with a sum, in lexicographic order.
fn with_sum(count: usize, sum: i64) -> Vec<Vec<i64>> {
    match count {
        0 if sum == 0 => vec![Vec::new()],
        0 => Vec::new(),
        1 => vec![vec![sum]],
        _ => (0..=sum)
            .flat_map(|first| {
                let rest = with_sum(count - 1, sum - first);
                rest.into_iter().map(move |mut choice| {
                    choice.insert(0, first);
                    choice
                })
            })
            .take(MOST_CHOICES)
            .collect(),
    }
}

/// Returns the formals of a point.
fn of(point: &Point) -> Parameters {
    let values = point.parameters.iter();
    without_machine(&values.map(|(name, value)| (name, value.clone())).collect())
}

/// Returns the formals alone.
pub(super) fn without_machine(values: &Parameters) -> Parameters {
    let mut formals = values.clone();
    MACHINE.iter().for_each(|name| formals.remove(name));
    formals
}

/// Runs with the machine's own b at sizes as different as a few can be, at those of the witnesses as much larger as b
/// is, and at sizes around b and 2b.
pub(crate) fn at_own_width(
    program: &Program,
    given: &Parameters,
    machine: &Machine,
    judged: &[Judged],
) -> AtOwnWidth {
    let [p, b, m, g] = machine.atgpu.numbers();
    let width = given.get("b").and_then(|b| b.to_i64()).unwrap_or(b);
    let formals = without_machine(given);
    let allowance = &Allowance::of(MOST_VALUES);
    let numbers = [p, width, m, g];
    // The likeliest to fail first: large ones may use up what may be run.
    let mut points = Vec::new();
    let witnesses = witnesses_of(judged).map(|witness| &witness.values);
    for witness in witnesses.clone().take(MOST_WIDENED) {
        points.extend(widened(program, numbers, witness, &formals));
    }
    points.extend(example::others((program, allowance), numbers, &formals));
    points.extend(around_width(program, numbers, &formals));
    // The data of the first witness that names any.
    let mut inputs = witnesses_of(judged).map(|witness| &witness.inputs);
    let inputs = inputs.find(|inputs| !inputs.is_empty());
    let mut found = Own {
        program,
        inputs: inputs.map_or(&[][..], Vec::as_slice),
        operations: 0,
        looked_at: Vec::new(),
        met: AtOwnWidth::default(),
    };
    found.run(points);
    if found.met.failed == 0 {
        let witnesses = witnesses.take(MOST_WIDENED);
        found.run(witnesses.flat_map(|witness| squared(program, numbers, witness, &formals)));
    }
    found.met
}

fn witnesses_of(judged: &[Judged]) -> impl Iterator<Item = &Witness> + Clone {
    judged.iter().filter_map(|found| match &found.verdict {
        Verdict::Refuted(witness) => Some(&**witness),
        Verdict::Proved(_) | Verdict::Open(_) => None,
    })
}

/// Runs with the machine's own b, and what they met.
struct Own<'p> {
    program: &'p Program,
    inputs: &'p [(String, Input)],
    operations: u64,
    looked_at: Vec<PointValues>,
    met: AtOwnWidth,
}

impl Own<'_> {
    fn run(&mut self, points: impl IntoIterator<Item = Point>) {
        for point in points {
            if self.operations >= MOST_OPERATIONS {
                return;
            }
            // With values for all formals they are one.
            let values = point.values();
            if self.looked_at.contains(&values) {
                continue;
            }
            self.looked_at.push(values);
            let Some(ran) = executed(self.program, &point, self.inputs, &mut self.operations)
            else {
                continue;
            };
            let errors = ran.faults.iter().filter(|fault| fault.is_error());
            let errors: Vec<Met> = errors.map(|fault| met(self.program, fault)).collect();
            // A run in which no core does anything says nothing.
            self.met.sizes += usize::from(ran.does_something);
            self.met.failed += usize::from(!errors.is_empty());
            if ran.does_something && errors.is_empty() {
                let mut sizes = of(&point);
                sizes.set("b", point.cores());
                self.met.passed.push(sizes);
            }
            self.met.faults.extend(errors);
        }
    }
}

/// The points of a witness with one size as many times larger as the square of the machine's b is: what fails at n = 2
/// with b = 1 for the want of b words, one an MP, fails at n = 2048 with b = 32.
fn squared(
    program: &Program,
    machine: [i64; 4],
    witness: &Parameters,
    given: &Parameters,
) -> Vec<Point> {
    let times = Rational::from(machine[1] * machine[1]);
    let formals = without_machine(witness);
    let names = formals.iter().map(|(name, _)| name);
    let free = names.filter(|name| given.get(name).is_none());
    let points = free.take(MOST_FORMALS_WIDENED).filter_map(|name| {
        let mut values = formals.clone();
        values.set(name, formals.get(name)? * &times);
        Point::tried(program, machine, &values)
    });
    points.collect()
}

/// The points of a witness with some of its sizes as many times larger as the machine's b is: what fails at n = 2,
/// u = 2, v = 1 with b = 1 may fail at n = 64, u = 2, v = 1 with b = 32.
fn widened(
    program: &Program,
    machine: [i64; 4],
    witness: &Parameters,
    given: &Parameters,
) -> Vec<Point> {
    let width = witness
        .get("b")
        .and_then(|b| b.to_i64())
        .unwrap_or(1)
        .max(1);
    let times = Rational::from((machine[1] + width - 1) / width);
    let formals = without_machine(witness);
    let free: Vec<&str> = formals
        .iter()
        .map(|(name, _)| name)
        .filter(|name| given.get(name).is_none())
        .take(MOST_FORMALS_WIDENED)
        .collect();
    let chosen = 0..1_u32 << free.len();
    let points = chosen.filter_map(|chosen| {
        let mut values = formals.clone();
        for (at, name) in free.iter().enumerate() {
            if chosen >> at & 1 == 1
                && let Some(value) = formals.get(name)
            {
                values.set(name, value * &times);
            }
        }
        Point::tried(program, machine, &values)
    });
    points.collect()
}

/// True if a fault of such a code is about a subject, where the property does not tell.
fn is_of(code: &str, subject: Subject) -> bool {
    match subject {
        Subject::Divisor => code == "value::division-by-zero",
        Subject::Whole => code == "value::not-integral",
        Subject::Iterations => code == "loop::bound-exceeded",
        Subject::Bits | Subject::Range(_) | Subject::Size(_) => code == "value::range",
        Subject::Domain
        | Subject::Read(_)
        | Subject::Write(_)
        | Subject::Update(_)
        | Subject::Array(_)
        | Subject::Run => true,
    }
}
