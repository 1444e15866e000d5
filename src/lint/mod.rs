//! The findings that need counts: limits, provable faults and lints.
//!
//! Takes a checked program, a machine and the given values; counts without data and returns diagnostics.
//! Where formals have no values, the lints speak of an example point and name it. An error is then proved
//! of every size; faults at some sizes only are left to `safety`.

pub(crate) mod error;
pub(crate) mod limits;
pub(crate) mod lints;
mod warps_in_step;

#[doc(hidden)]
pub use limits::exceeded;
pub use warps_in_step::warps_in_step;

use std::ops::ControlFlow;

use crate::check::allow::{self, Stage};
use crate::count::Parameters;
use crate::diag::{Diagnostic, Severity};
use crate::interval::{self, CountError, CountOptions, Counted};
use crate::machine::Machine;
use crate::meaning::{Allowance, Point, example};
use crate::program::Program;

/// Budget of core-steps for the lints of one program.
const MOST_WORK: u64 = 2_000_000;

/// Budget of core-steps at one example, before a smaller example is tried.
const MOST_WORK_OF_AN_EXAMPLE: u64 = 250_000;

/// Budget of values that the quantifiers of all `require`s may run through. A longer test is skipped.
const MOST_VALUES: u64 = 1_000_000;

/// Judges a program on a machine, at the given values. `loop::unbounded` is only a note here.
///
/// With every formal given, or none declared, the errors are met by any run at this point: `usage::value`,
/// `require::violated`, `value::…`, `limit::…`, `bounds::…`, `race::…`. Otherwise the errors are limits
/// that every size exceeds; the excess is proved for all sizes and shown at one.
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

/// Like [`lint()`], but tells `going` the core-steps of each count from time to time. Returns `None` if
/// `going` stops it.
pub fn lint_while(
    program: &Program,
    values: &Parameters,
    machine: &Machine,
    going: &dyn Fn(u64) -> ControlFlow<()>,
) -> Option<Vec<Diagnostic>> {
    let found = vet(program, values, machine, (MOST_WORK, going)).0;
    going(0).is_continue().then_some(found)
}

/// Like [`lint()`], within a budget of core-steps; also returns the core-steps spent. Findings that the
/// budget does not reach are left out.
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
    findings.extend(lints::of_program(program));
    // Several stages, each on the result of the last: a point, the host's rounds, then the kernels' lines.
    // The host alone is cheap, so limits and lints of rounds are told even where the kernels take too long.
    let formals = program.formals.iter();
    let is_given = formals
        .map(|id| &program.parameter(*id).name)
        .all(|name| values.get(name).is_some());
    let numbers = machine.atgpu.numbers();
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
    if let Some(work) = judge_rounds(&subject, &mut findings) {
        *spent = work;
        judge_lines(&mut subject, smaller, &mut findings, (spent, is_complete));
        findings.sort_by_key(|finding| finding.primary().map(|label| label.span));
    }
    findings
}

/// Adds the findings about rounds; returns the core-steps of counting them, or `None` if they cannot be
/// counted.
fn judge_rounds(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) -> Option<u64> {
    let host = match count(subject, interval::count_rounds) {
        Ok(host) => host,
        Err(CountError::Fault(fault)) => {
            findings.extend(subject.is_given.then_some(fault));
            return None;
        }
        Err(CountError::TooLarge(_)) => {
            if subject.is_given {
                findings.extend(limits::alone(subject));
            }
            return None;
        }
        Err(CountError::TooLong(_) | CountError::Interrupted) => return None,
    };
    findings.extend(limits::check(subject, &host));
    findings.extend(lints::of_rounds(subject, &host));
    Some(host.work)
}

/// Adds the findings about single lines of kernels.
fn judge_lines<'a>(
    subject: &mut Subject<'a>,
    smaller: &'a [Point],
    findings: &mut Vec<Diagnostic>,
    (spent, is_complete): (&mut u64, &mut bool),
) {
    match counted(subject, smaller) {
        Ok(counted) => {
            *spent += counted.work;
            // A fault ends the run, so lints of later lines would only be echoes.
            if counted.faults.is_empty() {
                *is_complete = true;
                findings.extend(lints::of_lines(subject, &counted));
            } else if subject.is_given {
                findings.extend(counted.faults);
            }
        }
        Err(CountError::Fault(fault)) => {
            // `notes` may have told the same loop already.
            let known = findings
                .iter()
                .any(|finding| finding.code == fault.code && finding.labels == fault.labels);
            if !known {
                findings.extend(as_note(fault));
            }
        }
        // A line that the budget did not reach is not complained of.
        Err(CountError::TooLong(_) | CountError::Interrupted | CountError::TooLarge(_)) => {
            *spent = subject.limits.most_work;
        }
    }
}

/// Counts at the subject's point, or at a smaller one where that takes long. The subject keeps the point
/// that was counted.
fn counted<'a>(subject: &mut Subject<'a>, smaller: &'a [Point]) -> Result<Counted, CountError> {
    // Each point but the last gets a small budget. The last one gets all of it: nothing smaller is left to
    // try.
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

/// The program to judge, and where.
#[derive(Clone, Copy)]
struct Subject<'a> {
    program: &'a Program,
    machine: &'a Machine,
    point: &'a Point,
    /// The values of the formals that have one.
    values: &'a Parameters,
    /// True if the point is the user's own, not an example.
    is_given: bool,
    limits: Limits<'a>,
}

/// The budgets of judging.
#[derive(Clone, Copy)]
struct Limits<'a> {
    /// Budget of core-steps for each count.
    most_work: u64,
    /// Budget of values that quantifiers may run through.
    allowance: &'a Allowance,
    /// Receives the progress of a count and may stop it.
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
    let machine = subject.machine;
    let options = CountOptions {
        work_limit: Some(subject.limits.most_work),
        // The conflicts of an MP of several warps are those of the card.
        cycle_rules: machine.warps().map(|_| machine.rules()),
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

/// Turns `loop::unbounded` into a note, since it keeps no one from running a program. Other faults give
/// `None`.
fn as_note(fault: Diagnostic) -> Option<Diagnostic> {
    if fault.code.short_name() != "loop::unbounded" {
        return None;
    }
    Some(Diagnostic {
        severity: Severity::Note,
        ..fault
    })
}
