//! The checks `limit::shared` and `limit::global`: the words needed against M and G, over the rounds that
//! execute.

use indexmap::IndexSet;

use crate::count::{Parameters, Quantity};
use crate::derivation::Touched;
use crate::derive::numbers::Numbers;
use crate::diag::Diagnostic;
use crate::interval::Counted;
use crate::lint::Subject;
use crate::lint::error::{Fitting, LimitError};
use crate::machine::{Exceeded, Machine, Memory};
use crate::meaning::{Point, read_parameters};
use crate::number::{BigInt, Rational};
use crate::program::{ParamId, Program, Scope, VarId};
use crate::safety;

/// Returns the limits that a program exceeds at a point. At an example point, only limits that it provably
/// exceeds at every size.
pub(super) fn check(subject: &Subject<'_>, counted: &Counted) -> Vec<Diagnostic> {
    // Shared memory lives for one kernel, so the round that needs most decides alone. A round that the data
    // may skip proves nothing. For global memory, counting has already found the round whose live arrays
    // need most.
    let mut found = Vec::new();
    let rounds = counted.counts.rounds.iter().zip(&counted.details);
    let fullest =
        rounds
            .filter(|(_, detail)| detail.is_certain)
            .max_by(|((_, left), _), ((_, right), _)| {
                left.shared_words.upper.cmp(&right.shared_words.upper)
            });
    if let Some((_, detail)) = fullest {
        found.extend(excess(subject, &detail.shared, Memory::Shared));
    }
    found.extend(excess(subject, &counted.fullest, Memory::Global));
    found
        .iter()
        .map(|error| error.diagnose(subject.program))
        .collect()
}

/// Returns the limits that a program's numbers exceed: `limit::shared`, `limit::global`. It serves programs
/// that counting the host alone cannot judge. A number that is only an upper bound exceeds nothing for
/// certain.
///
/// ```
/// use atgpu::lint::exceeded;
/// use atgpu::{derive::numbers::numbers, interval::CountOptions, machine::Machine};
/// use std::ops::ControlFlow;
///
/// let program = atgpu::examples::vector_addition();
/// let card = Machine::built_in("gtx650").expect("built in");
/// let point = program.at(&card, [("n", 64)])?;
/// let (options, going) = (CountOptions::default(), |_| ControlFlow::Continue(()));
/// let found = numbers(&program, Some(&program.derive()?), &point, &options, &going);
/// let numbers = found.expect("closed forms");
/// // m = 3b = 96 words.
/// let small = card.with([("M", 95)])?;
/// assert!(exceeded(&program, &card, &numbers).is_empty());
/// assert_eq!(exceeded(&program, &small, &numbers)[0].code.short_name(), "limit::shared");
/// # Ok::<(), atgpu::Error>(())
/// ```
pub fn exceeded(program: &Program, machine: &Machine, numbers: &Numbers) -> Vec<Diagnostic> {
    let totals = &numbers.counts.totals;
    let atgpu = &machine.atgpu;
    let is_exact = |which| {
        let mut bounds = numbers.bounds.iter();
        bounds.all(|bound| bound.quantity != Touched::Quantity(which))
    };
    let exceeds =
        |which, words: &BigInt, capacity: i64| is_exact(which) && *words > capacity.into();
    let judged = [
        (
            Quantity::Shared,
            Memory::Shared,
            &totals.shared,
            atgpu.shared_words,
        ),
        (
            Quantity::Global,
            Memory::Global,
            &totals.global,
            atgpu.global_words,
        ),
    ];
    judged
        .into_iter()
        .filter(|(which, _, words, capacity)| exceeds(*which, words, *capacity))
        .map(|(_, memory, words, capacity)| {
            let exceeded = Exceeded::new(memory, words.clone(), capacity);
            LimitError {
                need: safety::memory_text(program, memory),
                fits: largest(program, &Parameters::new(), machine),
                ..LimitError::bare(exceeded)
            }
            .diagnose(program)
        })
        .collect()
}

/// Returns a limit that one array exceeds by itself. It serves counts beyond 64 bits, where no round could
/// be looked at.
pub(super) fn alone(subject: &Subject<'_>) -> Option<Diagnostic> {
    let of_one = |scope: Scope, memory: Memory| {
        let ids = (0..subject.program.variables.len() as u32).map(VarId);
        let mut own = ids.filter(|id| subject.program.variable(*id).scope == scope);
        own.find_map(|id| excess(subject, &[id], memory))
    };
    let error =
        of_one(Scope::Global, Memory::Global).or_else(|| of_one(Scope::Shared, Memory::Shared))?;
    Some(error.diagnose(subject.program))
}

/// Describes arrays that need more words than there are; `None` if they fit.
fn excess(subject: &Subject<'_>, arrays: &[VarId], memory: Memory) -> Option<LimitError> {
    let machine = &subject.machine.atgpu;
    let capacity = match memory {
        Memory::Shared => machine.shared_words,
        Memory::Global => machine.global_words,
    };
    let needed = words(subject.point, arrays);
    if needed <= capacity.into() {
        return None;
    }
    let formals = formals_of(subject.program, arrays);
    // An example's values are ours, not the user's. An excess there is an error only if every size exceeds
    // too.
    let is_example = !subject.is_given && !formals.is_empty();
    if is_example
        && !safety::always_exceeds(subject.program, subject.values, subject.machine, memory)
    {
        return None;
    }
    let size = |id: &VarId| {
        let extents = &subject.point.extents[id.0 as usize];
        (*id, extents.iter().product::<BigInt>())
    };
    let sizes: Vec<(VarId, BigInt)> = arrays.iter().map(size).collect();
    let fits = formals.iter().find_map(|formal| fitting(subject, *formal));
    Some(LimitError {
        exceeded: Exceeded {
            formula: extent_text(subject.program, arrays),
            ..Exceeded::new(memory, needed, capacity)
        },
        need: safety::memory_text(subject.program, memory),
        arrays: sizes,
        fits,
        at: is_example.then(|| subject.point.values()),
    })
}

/// Returns the extent of a single array as written, where it is one name.
fn extent_text(program: &Program, arrays: &[VarId]) -> Option<String> {
    let [only] = arrays else {
        return None;
    };
    let [extent] = &*program.variable(*only).dimensions else {
        return None;
    };
    let text = program.source.slice(extent.span);
    let is_name = text.chars().all(char::is_alphanumeric) && text.parse::<u64>().is_err();
    is_name.then(|| text.to_owned())
}

fn words(point: &Point, arrays: &[VarId]) -> BigInt {
    let sizes = arrays.iter().map(|id| {
        let extents = &point.extents[id.0 as usize];
        extents.iter().product::<BigInt>()
    });
    sizes.sum()
}

/// Returns the formals that the extents of some arrays depend on, in declaration order.
fn formals_of(program: &Program, arrays: &[VarId]) -> Vec<ParamId> {
    let mut reads: IndexSet<ParamId> = IndexSet::new();
    for id in arrays {
        for dimension in &program.variable(*id).dimensions {
            reads.extend(read_parameters(dimension));
        }
    }
    // Backwards, because `lets` stand in the order of need: with `let k = n/b` and `let m = 2k`, an extent
    // m reaches k first and then n.
    for binding in program.lets.iter().rev() {
        if reads.contains(&binding.parameter) {
            reads.extend(read_parameters(&binding.value));
        }
    }
    let formals = program.formals.iter().copied();
    formals.filter(|id| reads.contains(id)).collect()
}

/// Returns the largest value of a formal with which the program fits, the other formals as given.
fn fitting(subject: &Subject<'_>, formal: ParamId) -> Option<Fitting> {
    let mut others = Parameters::new();
    for id in subject.program.formals.iter().filter(|id| **id != formal) {
        let own = &subject.program.parameter(*id).name;
        others.set(own, Rational::from(&subject.point.parameters[own]));
    }
    largest(subject.program, &others, subject.machine)
}

fn largest(program: &Program, given: &Parameters, machine: &Machine) -> Option<Fitting> {
    let (parameter, largest) = safety::fits(program, given, machine).largest?;
    Some(Fitting { parameter, largest })
}
