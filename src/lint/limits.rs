//! `limit::shared` and `limit::global`: words needed against M and G, for rounds that execute.

use indexmap::IndexSet;
use num_traits::One;

use crate::count::{Parameters, Quantity};
use crate::derivation::Touched;
use crate::derive::numbers::Numbers;
use crate::diag::Diagnostic;
use crate::interval::Counted;
use crate::lint::Subject;
use crate::lint::error::LimitError;
use crate::machine::Machine;
use crate::meaning::{Point, read_parameters};
use crate::number::{BigInt, Rational, grouped};
use crate::program::{ParamId, Program, Scope, VarId};

/// Smaller admissible values tried below the largest that fits.
const MOST_STEPS: u32 = 4096;

/// The limits that a program exceeds at a point. At a sample point only those that no formal
/// decides, or that every other sample exceeds too.
pub(super) fn check(subject: &Subject<'_>, counted: &Counted) -> Vec<Diagnostic> {
    let machine = &subject.machine.atgpu;
    let mut found = Vec::new();
    let rounds = counted.counts.rounds.iter().zip(&counted.details);
    let fullest =
        rounds
            .filter(|(_, detail)| detail.is_certain)
            .max_by(|((_, left), _), ((_, right), _)| {
                left.shared_words.upper.cmp(&right.shared_words.upper)
            });
    if let Some((_, detail)) = fullest
        && let Some(excess) = Excess::of(subject, &detail.shared, machine.shared_words)
    {
        found.push(
            excess
                .shared(machine.shared_words)
                .diagnose(subject.program),
        );
    }
    if let Some(excess) = Excess::of(subject, &counted.fullest, machine.global_words) {
        found.push(
            excess
                .global(machine.global_words)
                .diagnose(subject.program),
        );
    }
    found
}

/// The limits that a program's numbers exceed, for where its host alone could not be counted:
/// `limit::shared`, `limit::global`. Upper bounds exceed nothing for certain.
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
    let mut found = Vec::new();
    if exceeds(Quantity::Shared, &totals.shared, atgpu.shared_words) {
        found.push(Excess::bare(&totals.shared).shared(atgpu.shared_words));
    }
    if exceeds(Quantity::Global, &totals.global, atgpu.global_words) {
        found.push(Excess::bare(&totals.global).global(atgpu.global_words));
    }
    found.iter().map(|error| error.diagnose(program)).collect()
}

/// The limit that some array exceeds on its own, where counts are beyond 64 bits and no round could
/// be looked at.
pub(super) fn alone(subject: &Subject<'_>) -> Option<Diagnostic> {
    let machine = &subject.machine.atgpu;
    let excess = |scope: Scope, capacity: i64| {
        let ids = (0..subject.program.variables.len() as u32).map(VarId);
        let mut own = ids.filter(|id| subject.program.variable(*id).scope == scope);
        own.find_map(|id| Excess::of(subject, &[id], capacity))
    };
    let (global, shared) = (machine.global_words, machine.shared_words);
    let error = match excess(Scope::Global, global) {
        Some(excess) => excess.global(global),
        None => excess(Scope::Shared, shared)?.shared(shared),
    };
    Some(error.diagnose(subject.program))
}

/// Arrays that need more words than there are.
struct Excess {
    formula: String,
    needed: BigInt,
    arrays: Vec<(VarId, BigInt)>,
    fits: Option<String>,
    /// At which values, where those are a sample.
    at: Option<String>,
}

impl Excess {
    /// Of words that are known without the arrays they are in.
    fn bare(needed: &BigInt) -> Excess {
        Excess {
            formula: String::new(),
            needed: needed.clone(),
            arrays: Vec::new(),
            fits: None,
            at: None,
        }
    }

    fn shared(self, capacity: i64) -> LimitError {
        LimitError::Shared {
            formula: self.formula,
            needed: self.needed,
            capacity,
            arrays: self.arrays,
            fits: self.fits,
            at: self.at,
        }
    }

    fn global(self, capacity: i64) -> LimitError {
        LimitError::Global {
            formula: self.formula,
            needed: self.needed,
            capacity,
            arrays: self.arrays,
            fits: self.fits,
            at: self.at,
        }
    }

    fn of(subject: &Subject<'_>, arrays: &[VarId], capacity: i64) -> Option<Excess> {
        let needed = words(subject.point, arrays);
        if needed <= capacity.into() {
            return None;
        }
        let formals = formals_of(subject.program, arrays);
        let is_sample = !subject.is_given && !formals.is_empty();
        if is_sample {
            let exceeds = |point: &Point| words(point, arrays) > capacity.into();
            if !subject.samples().iter().flatten().all(exceeds) {
                return None;
            }
        }
        let size = |id: &VarId| {
            let extents = &subject.point.extents[id.0 as usize];
            (*id, extents.iter().product::<BigInt>())
        };
        let sizes: Vec<(VarId, BigInt)> = arrays.iter().map(size).collect();
        let formula = match (arrays, &subject.program.variables) {
            ([only], variables) => {
                let dimensions = variables[only.0 as usize].dimensions.iter();
                let texts: Vec<&str> = dimensions
                    .map(|expr| subject.program.source.slice(expr.span))
                    .collect();
                let plain = texts
                    .iter()
                    .all(|text| text.chars().all(char::is_alphanumeric));
                match plain && texts.len() == 1 && texts[0].parse::<u64>().is_err() {
                    true => format!("{} = ", texts[0]),
                    false => String::new(),
                }
            }
            _ => String::new(),
        };
        let fits = formals
            .iter()
            .find_map(|formal| largest_that_fits(subject, arrays, *formal, capacity));
        Some(Excess {
            formula,
            needed,
            arrays: sizes,
            fits,
            at: match is_sample {
                true => Some(subject.values_found_at()),
                false => None,
            },
        })
    }
}

fn words(point: &Point, arrays: &[VarId]) -> BigInt {
    let sizes = arrays.iter().map(|id| {
        let extents = &point.extents[id.0 as usize];
        extents.iter().product::<BigInt>()
    });
    sizes.sum()
}

/// The formals that the extents of some arrays depend on, in their order.
fn formals_of(program: &Program, arrays: &[VarId]) -> Vec<ParamId> {
    let mut reads: IndexSet<ParamId> = IndexSet::new();
    for id in arrays {
        for dimension in &program.variable(*id).dimensions {
            reads.extend(read_parameters(dimension));
        }
    }
    for binding in program.lets.iter().rev() {
        if reads.contains(&binding.parameter) {
            reads.extend(read_parameters(&binding.value));
        }
    }
    let formals = program.formals.iter().copied();
    formals.filter(|id| reads.contains(id)).collect()
}

/// `the largest n that fits is 512`, the other formals as given, found by bisection; `None` where
/// the words do not grow with the formal.
fn largest_that_fits(
    subject: &Subject<'_>,
    arrays: &[VarId],
    formal: ParamId,
    capacity: i64,
) -> Option<String> {
    let program = subject.program;
    let name = &program.parameter(formal).name;
    let capacity = BigInt::from(capacity);
    let point_at = |value: &BigInt| {
        let mut values = Parameters::new();
        for id in &program.formals {
            let own = &program.parameter(*id).name;
            values.set(own, Rational::from(&subject.point.parameters[own]));
        }
        values.set(name, Rational::from(value));
        let machine = subject.machine.atgpu.numbers();
        Point::without_requires(program, machine, &values, subject.limits.allowance).ok()
    };
    // Where a `let` or an extent has no value, the point cannot run and so does not fit.
    let fits =
        |value: &BigInt| point_at(value).is_some_and(|point| words(&point, arrays) <= capacity);
    let (mut low, mut high) = (BigInt::from(0), subject.point.parameters[name].clone());
    if !fits(&low) || high <= low {
        return None;
    }
    while &high - &low > BigInt::one() {
        let middle: BigInt = (&low + &high) / 2;
        if fits(&middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    for _ in 0..MOST_STEPS {
        let mut values = Parameters::new();
        for id in &program.formals {
            let own = &program.parameter(*id).name;
            values.set(own, Rational::from(&subject.point.parameters[own]));
        }
        values.set(name, Rational::from(&low));
        let machine = subject.machine.atgpu.numbers();
        let point = Point::within(program, machine, &values, subject.limits.allowance);
        if point.is_ok() && fits(&low) {
            return Some(format!("the largest {name} that fits is {}", grouped(&low)));
        }
        if low == BigInt::from(0) {
            return None;
        }
        low -= 1;
    }
    None
}
