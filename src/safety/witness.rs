//! The smallest run that fails: the program executed at small points, for what is not proved.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::count::Parameters;
use crate::diag::{Code, Diagnostic, Severity};
use crate::exec::{Engine, Execution, Options, Progress, Work};
use crate::interval;
use crate::machine::Machine;
use crate::meaning::{Allowance, Point, admissible_points, example, widths};
use crate::program::{HostStmt, Program, Stmt, StmtKind, nested_on_host};
use crate::safety::verdict::{Judged, Property, Subject, Verdict, Witness};
use crate::text::Span;

/// Widths tried at every choice of the formals, the smallest first.
const WIDTHS: [i64; 7] = [1, 2, 3, 4, 5, 8, 16];

/// Runs in all.
const MOST_RUNS: usize = 150;

/// Choices looked at, most of which the `require`s may refuse.
const MOST_CHOICES: usize = 4000;

/// Admitted points taken where the small ones are not enough.
const LARGER_POINTS: usize = 6;

/// Points looked at after the first that fails: a fault hides those behind it.
const POINTS_AFTER_A_FAULT: usize = 24;

/// Bytes that the arrays of a run may take: it is small, or it is not run.
const MOST_BYTES: u64 = 1 << 20;

/// How often a run is looked after before it is given up.
const MOST_LOOKS: u64 = 256;
/// What a look counts while a kernel runs: thousands of statements lie between two of those.
const LOOK_AT_A_KERNEL: u64 = 4;

/// Operations of the cores in all runs together.
pub(super) const MOST_OPERATIONS: u64 = 400_000;
/// The same where a word beside another result is all that may come of it.
pub(super) const OPERATIONS_IN_PASSING: u64 = 100_000;

/// What a run costs besides, in operations; and one that is given up.
const OPERATIONS_OF_A_RUN: u64 = 500;
const OPERATIONS_OF_A_LOST_RUN: u64 = 100_000;

/// Codes that say that there was no run.
const NO_RUN: [&str; 4] = [
    "require::violated",
    "limit::shared",
    "limit::global",
    "resource::memory",
];

/// Whether it says that there was no run, and nothing against the program: data that no `require` admits, or a machine
/// too small.
///
/// ```
/// use atgpu::safety::says_no_run;
///
/// let program = atgpu::program("algorithm T(n)\n  require n ≥ 1\n  input A[n]\n  global a[n]\n  a ⇚ A\n")?;
/// let card = atgpu::machine::Machine::built_in("gtx650").expect("built in");
/// let refused = atgpu::meaning::Point::new(&program, card.atgpu.numbers(), &[("n", 0)].into());
/// assert!(refused.expect_err("n is too small").iter().all(says_no_run)); // require::violated
/// # Ok::<(), atgpu::Error>(())
/// ```
#[doc(hidden)]
pub fn says_no_run(fault: &Diagnostic) -> bool {
    NO_RUN.contains(&fault.code.short_name())
}

/// What the machine has, beside the formals.
const MACHINE: [&str; 4] = ["b", "p", "M", "G"];

/// Lets a run go on for a while.
#[derive(Default)]
struct Patience(AtomicU64);

impl Patience {
    fn looks(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn is_lost(&self) -> bool {
        self.looks() > MOST_LOOKS
    }
}

impl Progress for Patience {
    fn advance(&self, done: Work) -> ControlFlow<()> {
        let weight = if done.mps > 0 { LOOK_AT_A_KERNEL } else { 1 };
        self.0.fetch_add(weight, Ordering::Relaxed);
        if self.is_lost() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// What running a program at small points has shown.
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
    /// How many points had been looked at when the first fault was met.
    pub(crate) first_fault: Option<usize>,
    /// Where sizes that are as different as a few can be all fail with the machine's own b: how many
    /// there are, and what was met.
    pub(crate) everywhere: (usize, Vec<Met>),
}

/// A fault by its code and its line.
pub(crate) type Met = (Code, Option<usize>);

/// What tells a fault from another. Not its place to the letter: of `A[1..n]` now one end is outside, now the
/// other.
pub(crate) fn met(program: &Program, fault: &Diagnostic) -> Met {
    let line = fault.primary().map(|label| program.line(label.span));
    (fault.code, line)
}

/// What the quantifiers of all `require`s together may run through.
const MOST_VALUES: u64 = 1_000_000;

impl Tried {
    /// Whether a fault was met, and a few points later what else it hid has shown too.
    fn is_enough(&self) -> bool {
        self.first_fault
            .is_some_and(|first| self.points >= first + POINTS_AFTER_A_FAULT)
    }
}

/// Every `while … at most` of kernels that load nothing, so that parameters decide how often it goes round: no proof
/// says whether it stays within its bound, runs do.
fn bounded_whiles(program: &Program) -> Vec<Span> {
    let mut found = Vec::new();
    for statement in nested_on_host(&program.body) {
        let HostStmt::Kernel(kernel) = statement else {
            continue;
        };
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
    let mut tried = Tried {
        bounds: bounded_whiles(program),
        ..Tried::default()
    };
    if tried.bounds.is_empty() && is_settled(judged) {
        return tried;
    }
    let allowance = &Allowance::of(MOST_VALUES);
    if !interval::unbounded_loops(program).is_empty() {
        return tried;
    }
    let names: Vec<&str> = program
        .formals
        .iter()
        .map(|id| program.parameter(*id).name.as_str())
        .filter(|name| given.get(name).is_none())
        .collect();
    let widths = widths(program, given, &WIDTHS);
    let mut choices = 0;
    'sums: for sum in 0..=MOST_CHOICES as i64 {
        let mut any = false;
        for choice in with_sum(names.len(), sum) {
            any = true;
            let mut values = given.clone();
            for (name, value) in names.iter().zip(&choice) {
                values.set(name, *value);
            }
            for width in &widths {
                choices += 1;
                if choices > MOST_CHOICES
                    || tried.points >= MOST_RUNS
                    || tried.operations >= most_operations
                {
                    break 'sums;
                }
                run(
                    program,
                    &values,
                    *width,
                    (machine, allowance),
                    judged,
                    &mut tried,
                );
                if tried.bounds.is_empty() && is_settled(judged) || tried.is_enough() {
                    return tried;
                }
            }
        }
        if !any {
            break;
        }
    }
    for width in &widths {
        let [p, _, m, g] = machine.atgpu.numbers();
        let points = admissible_points(program, [p, *width, m, g], given, LARGER_POINTS);
        for values in points.iter().rev() {
            if tried.operations >= most_operations {
                return tried;
            }
            run(
                program,
                values,
                *width,
                (machine, allowance),
                judged,
                &mut tried,
            );
        }
    }
    tried
}

/// Whether a run could show nothing more.
fn is_settled(judged: &[Judged]) -> bool {
    !judged
        .iter()
        .any(|found| matches!(found.verdict, Verdict::Open(_)))
}

/// All choices of so many numbers from 0 with a sum, in lexicographic order.
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

fn run(
    program: &Program,
    values: &Parameters,
    width: i64,
    (machine, allowance): (&Machine, &Allowance),
    judged: &mut Vec<Judged>,
    tried: &mut Tried,
) {
    let [p, _, m, g] = machine.atgpu.numbers();
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
    let point = match Point::if_admitted(program, [p, width, m, g], formals, allowance) {
        Ok(Some(point)) => point,
        Ok(None) => return,
        Err(faults) => {
            let is_of_values = |fault: &Diagnostic| fault.code.short_name() == "usage::value";
            if !faults.iter().any(is_of_values) {
                tried.points += 1;
                enter(faults, &witness(), judged, tried);
            }
            return;
        }
    };
    match executed(program, &point, &mut tried.operations) {
        Some(Ran { faults, .. }) => {
            tried.points += 1;
            enter(faults, &witness(), judged, tried);
        }
        None => tried.skipped += 1,
    }
}

/// The formals alone.
fn without_machine(values: &Parameters) -> Parameters {
    let mut formals = values.clone();
    MACHINE.iter().for_each(|name| formals.remove(name));
    formals
}

/// What a run did.
struct Ran {
    faults: Vec<Diagnostic>,
    /// Whether any core executed anything.
    does_something: bool,
}

/// Runs a program at a point; `None` where that takes long, or the machine is too small.
fn executed(program: &Program, point: &Point, operations: &mut u64) -> Option<Ran> {
    let options = Options {
        threads: 1,
        memory_limit: Some(MOST_BYTES),
        ..Options::default()
    };
    let patience = Patience::default();
    let result = Execution::prepare(program, point, &options)
        .and_then(|execution| execution.by(Engine::Statements).execute(&patience));
    let (faults, work) = match result {
        Ok(executed) => (
            Vec::new(),
            u64::try_from(executed.lane_operations()).unwrap_or(u64::MAX),
        ),
        Err(faults) => (faults, 0),
    };
    let besides = if patience.is_lost() {
        OPERATIONS_OF_A_LOST_RUN
    } else {
        OPERATIONS_OF_A_RUN
    };
    *operations = operations.saturating_add(work).saturating_add(besides);
    let is_run = !patience.is_lost() && !faults.iter().any(says_no_run);
    is_run.then_some(Ran {
        does_something: work > 0 || !faults.is_empty(),
        faults,
    })
}

/// Runs at sizes as different as a few can be, with the machine's own b, until one that does something
/// meets no fault; how many failed if none does, and what they met.
pub(crate) fn everywhere(
    program: &Program,
    given: &Parameters,
    machine: &Machine,
) -> (usize, Vec<Met>) {
    let [p, b, m, g] = machine.atgpu.numbers();
    let width = given.get("b").and_then(|b| b.to_i64()).unwrap_or(b);
    let formals = without_machine(given);
    let allowance = &Allowance::of(MOST_VALUES);
    let points = example::others((program, allowance), [p, width, m, g], &formals);
    let mut operations = 0;
    let mut faulty = 0;
    let mut found: Vec<Met> = Vec::new();
    let mut looked_at = Vec::new();
    for point in points {
        // With values for all formals they are one.
        let values = point.values();
        if looked_at.contains(&values) {
            continue;
        }
        looked_at.push(values);
        let Some(ran) = executed(program, &point, &mut operations) else {
            continue;
        };
        let errors = ran.faults.iter().filter(|fault| fault.is_error());
        let errors: Vec<Met> = errors.map(|fault| met(program, fault)).collect();
        match (errors.is_empty(), ran.does_something) {
            (true, true) => return (0, Vec::new()),
            (true, false) => {}
            (false, _) => {
                faulty += 1;
                found.extend(errors);
            }
        }
        if operations >= MOST_OPERATIONS {
            break;
        }
    }
    (faulty, found)
}

/// Refutes what a fault is about: the same property at the same place, or else a place of its own.
fn enter(
    faults: Vec<Diagnostic>,
    values: &Parameters,
    judged: &mut Vec<Judged>,
    tried: &mut Tried,
) {
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
            found.property == property && within && is_of(fault.code.short_name(), found.subject)
        };
        tried.first_fault.get_or_insert(tried.points);
        let witness = || {
            Verdict::Refuted(Box::new(Witness {
                values: values.clone(),
                fault: fault.clone(),
                require: None,
                guard: None,
                found: tried.points,
            }))
        };
        let mut is_known = false;
        for found in judged.iter_mut().filter(is_about) {
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
            judged.push(Judged {
                property,
                span: at,
                subject: Subject::Run,
                verdict: witness(),
            });
        }
    }
}

/// Whether a fault of such a code is one of what is judged, where the property does not tell.
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
