//! What needs counts to judge: limits, provable faults, lints.
//!
//! Takes a checked program, a machine and the values given; counts without data and gives
//! diagnostics. Where formals have no values, the lints speak of an example and say which, and an
//! error is what is proved of every size: what fails at some is for `safety` to say.

pub(crate) mod error;
pub(crate) mod limits;
pub(crate) mod lints;

#[doc(hidden)]
pub use limits::exceeded;

use std::ops::ControlFlow;

use crate::check::allow::{self, Stage};
use crate::count::Parameters;
use crate::diag::{Diagnostic, Severity};
use crate::interval::{self, CountError, CountOptions, Counted};
use crate::machine::Machine;
use crate::meaning::{Allowance, Point, example};
use crate::program::Program;

/// Core-steps spent on the lints of one program.
const MOST_WORK: u64 = 2_000_000;

/// Core-steps spent at one example before a smaller one is looked for.
const MOST_WORK_OF_AN_EXAMPLE: u64 = 250_000;

/// Values that the quantifiers of `require`s may run through in all: what takes longer is not looked at.
const MOST_VALUES: u64 = 1_000_000;

/// Judges a program on a machine, at the values given; `loop::unbounded` is a note here.
///
/// With every formal given, or none declared, errors are those that any run at this point meets:
/// `usage::value`, `require::violated`, `value::…`, `limit::…`, `bounds::…`, `race::…`. Else errors
/// are limits that every size exceeds, which is proved and told for one of them.
///
/// ```
/// use atgpu::lint::lint;
/// use atgpu::machine::Machine;
///
/// let text = "algorithm T()\n  shared _s[2M]\n  for all mp_i ∈ MP[0..0] in parallel do\n    \
///             for all c_{i,j} ∈ C_i in parallel do\n      _s[j] ← 1\n    end for\n  end for\n";
/// let program = atgpu::program(text)?;
/// let card = Machine::built_in("gtx650").expect("built in");
/// let found = lint(&program, &().into(), &card);
/// assert_eq!(found[0].code.short_name(), "limit::shared");
/// # Ok::<(), atgpu::Error>(())
/// ```
pub fn lint(program: &Program, values: &Parameters, machine: &Machine) -> Vec<Diagnostic> {
    vet_within(program, values, machine, MOST_WORK).0
}

/// As [`lint()`], telling `going` the core-steps of each count from time to time; nothing, where that
/// stops it.
///
/// ```
/// use atgpu::{lint::lint_while, machine::Machine};
/// use std::ops::ControlFlow;
///
/// let program = atgpu::examples::vector_addition();
/// let card = Machine::built_in("gtx650").expect("built in");
/// let found = lint_while(&program, &().into(), &card, &|_| ControlFlow::Continue(()));
/// assert_eq!(found, Some(Vec::new()));
/// ```
pub fn lint_while(
    program: &Program,
    values: &Parameters,
    machine: &Machine,
    going: &dyn Fn(u64) -> ControlFlow<()>,
) -> Option<Vec<Diagnostic>> {
    let found = vet(program, values, machine, (MOST_WORK, going)).0;
    going(0).is_continue().then_some(found)
}

/// As [`lint()`], in no more than so many core-steps; and how many it took. What it has no steps for is
/// not complained of.
///
/// ```
/// use atgpu::lint::vet_within;
/// use atgpu::machine::Machine;
///
/// let program = atgpu::examples::vector_addition();
/// let card = Machine::built_in("gtx650").expect("built in");
/// let (found, spent) = vet_within(&program, &[("n", 64)].into(), &card, 1_000_000);
/// assert!(found.is_empty() && spent <= 1_000_000);
/// ```
#[doc(hidden)]
pub fn vet_within(
    program: &Program,
    values: &Parameters,
    machine: &Machine,
    most_work: u64,
) -> (Vec<Diagnostic>, u64) {
    let going = |_| ControlFlow::Continue(());
    vet(program, values, machine, (most_work, &going))
}

fn vet(
    program: &Program,
    values: &Parameters,
    machine: &Machine,
    (most_work, going): (u64, &dyn Fn(u64) -> ControlFlow<()>),
) -> (Vec<Diagnostic>, u64) {
    let mut spent = 0;
    let allowance = Allowance::of(MOST_VALUES);
    let limits = Limits {
        most_work,
        allowance: &allowance,
        going,
    };
    let mut is_complete = false;
    let findings = judge(
        program,
        values,
        machine,
        limits,
        (&mut spent, &mut is_complete),
    );
    let stage = (Stage::Counted, is_complete);
    (
        allow::silence(&program.source, &program.allows, findings, stage),
        spent,
    )
}

fn judge(
    program: &Program,
    values: &Parameters,
    machine: &Machine,
    limits: Limits<'_>,
    (spent, is_complete): (&mut u64, &mut bool),
) -> Vec<Diagnostic> {
    let mut findings = notes(program);
    let numbers = machine.atgpu.numbers();
    let formals = program.formals.iter();
    let is_given = formals
        .map(|id| &program.parameter(*id).name)
        .all(|name| values.get(name).is_some());
    let candidates = if is_given {
        match Point::within(program, numbers, values, limits.allowance) {
            Ok(point) => vec![point],
            Err(faults) => {
                findings.extend(faults);
                return findings;
            }
        }
    } else {
        example::points((program, limits.allowance), numbers, values)
    };
    let Some((point, smaller)) = candidates.split_first() else {
        return findings;
    };
    let mut subject = Subject {
        program,
        machine,
        point,
        values,
        is_given,
        limits,
    };
    let host = match count(&subject, interval::count_rounds) {
        Ok(host) => host,
        Err(CountError::Fault(fault)) => {
            findings.extend(is_given.then_some(fault));
            return findings;
        }
        Err(CountError::TooLarge(_)) => {
            if is_given {
                findings.extend(limits::alone(&subject));
            }
            return findings;
        }
        Err(CountError::TooLong(_) | CountError::Interrupted) => return findings,
    };
    findings.extend(limits::check(&subject, &host));
    findings.extend(lints::of_rounds(&subject, &host));
    *spent = host.work;
    match counted(&mut subject, smaller) {
        Ok(counted) => {
            *spent += counted.work;
            // What follows a fault never happens, so that lints would be echoes.
            if counted.faults.is_empty() {
                *is_complete = true;
                findings.extend(lints::of_lines(&subject, &counted));
            } else if is_given {
                findings.extend(counted.faults);
            }
        }
        Err(CountError::Fault(fault)) => {
            let known = findings
                .iter()
                .any(|finding| finding.code == fault.code && finding.labels == fault.labels);
            if !known {
                findings.extend(as_note(fault));
            }
        }
        // Where counting takes long, what was not looked at is not complained of.
        Err(CountError::TooLong(_) | CountError::Interrupted | CountError::TooLarge(_)) => {
            *spent = limits.most_work;
        }
    }
    findings.sort_by_key(|finding| finding.primary().map(|label| label.span));
    findings
}

/// What is counted at the subject's point, or at a smaller one where that takes long: the subject is
/// at that point from then on.
fn counted<'a>(subject: &mut Subject<'a>, smaller: &'a [Point]) -> Result<Counted, CountError> {
    let mut few = subject.limits;
    few.most_work = few.most_work.min(MOST_WORK_OF_AN_EXAMPLE);
    for point in smaller {
        let brief = Subject {
            limits: few,
            ..*subject
        };
        match count(&brief, interval::count_bounded) {
            Err(CountError::TooLong(_)) => subject.point = point,
            found => return found,
        }
    }
    count(subject, interval::count_bounded)
}

/// What is judged.
#[derive(Clone, Copy)]
struct Subject<'a> {
    program: &'a Program,
    machine: &'a Machine,
    point: &'a Point,
    /// The formals that have values.
    values: &'a Parameters,
    /// Whether the point is the user's own, not an example.
    is_given: bool,
    limits: Limits<'a>,
}

/// What judging may take.
#[derive(Clone, Copy)]
struct Limits<'a> {
    /// Core-steps each count may take.
    most_work: u64,
    /// Values that quantifiers may run through.
    allowance: &'a Allowance,
    /// Told how far a count is; may stop it.
    going: &'a dyn Fn(u64) -> ControlFlow<()>,
}

type Count = fn(
    &Program,
    &Point,
    &CountOptions,
    &dyn Fn(u64) -> ControlFlow<()>,
    &Allowance,
) -> Result<Counted, CountError>;

fn count(subject: &Subject<'_>, count: Count) -> Result<Counted, CountError> {
    let options = CountOptions {
        work_limit: Some(subject.limits.most_work),
        ..CountOptions::default()
    };
    let (program, point) = (subject.program, subject.point);
    let limits = subject.limits;
    count(program, point, &options, limits.going, limits.allowance)
}

fn notes(program: &Program) -> Vec<Diagnostic> {
    let loops = interval::unbounded_loops(program).into_iter();
    loops.filter_map(as_note).collect()
}

/// `loop::unbounded` keeps no one from running a program.
fn as_note(fault: Diagnostic) -> Option<Diagnostic> {
    if fault.code.short_name() != "loop::unbounded" {
        return None;
    }
    Some(Diagnostic {
        severity: Severity::Note,
        ..fault
    })
}
