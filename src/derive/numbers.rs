//! Numbers of a program at a point, without data: from closed forms if they are exact, otherwise by
//! counting, within the derived bounds.

use std::ops::ControlFlow;

use crate::count::{Charged, Counts, Interval};
use crate::derivation::evaluate::{Evaluated, NoNumbers, charged, evaluate, evaluate_within};
use crate::derivation::{Bound, Derivation, Touched};
use crate::interval::{self, CountError, CountOptions, Counted};
use crate::machine::CycleRules;
use crate::meaning::Point;
use crate::number::BigInt;
use crate::program::Program;

/// Counts at a point.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Numbers {
    /// The counts. Quantities named in `bounds` are upper bounds.
    pub counts: Counts<BigInt>,
    /// The lower bounds of the counts; `None` if all are exact.
    pub least: Option<Counts<BigInt>>,
    /// Lower bounds on the shared memory (max m) and the global memory (max g) of any run.
    pub least_words: [BigInt; 2],
    /// True if all counts are exact.
    pub is_exact: bool,
    /// The reasons why some counts are upper bounds only; empty if all are exact.
    pub bounds: Vec<Bound>,
    /// The method by which the counts were found.
    pub method: Method,
    /// The charges of the machine, if [`CountOptions::cycle_rules`] asks for them and they have a bound.
    pub charges: Option<Charged>,
    /// The reasons why the charges are upper bounds only; empty if they are exact.
    pub charge_bounds: Vec<Bound>,
    /// The core-steps counted, or tried.
    pub work: u64,
    /// Whether counting was broken off, so that bounds have to do which it might have come below.
    pub is_cut_short: bool,
}

/// The method by which numbers without data are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// From the closed forms of a derivation.
    Derived,
    /// By counting step by step.
    Counted,
}

/// The numbers that closed forms give at a point.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// The counts, if every one has a bound.
    pub counts: Option<Counts<Interval>>,
    /// The reasons why they are bounds, if they are.
    pub bounds: Vec<Bound>,
    /// The charges of the machine, if they have a bound.
    pub charges: Option<Charged>,
    /// The reasons why these are bounds, if they are.
    pub charge_bounds: Vec<Bound>,
}

/// Returns the numbers of a program at a point. Without a derivation, or if its forms give no exact
/// numbers, the program is counted. `progress` gets the core-steps done from time to time.
///
/// Closed forms do not contain charges for conflicts. To charge conflicts, pass no derivation.
///
/// ```
/// use atgpu::derive::numbers::{Method, numbers};
/// use atgpu::interval::CountOptions;
/// use atgpu::machine::Machine;
/// use std::ops::ControlFlow;
///
/// let program = atgpu::examples::vector_addition();
/// let card = Machine::built_in("gtx650").expect("built in");
/// let (derivation, point) = (program.derive()?, program.at(&card, [("n", 64)])?);
/// let go_on = |_| ControlFlow::Continue(());
/// let found = numbers(&program, Some(&derivation), &point, &CountOptions::default(), &go_on);
/// let found = found.expect("closed forms");
/// assert_eq!((found.method, found.counts.totals.io), (Method::Derived, 6.into()));
/// # Ok::<(), atgpu::Error>(())
/// ```
///
/// # Errors
/// [`CountError`]. [`CountError::TooLong`] only if no bounds were derived either.
pub fn numbers(
    program: &Program,
    derivation: Option<&Derivation>,
    point: &Point,
    options: &CountOptions,
    progress: &dyn Fn(u64) -> ControlFlow<()>,
) -> Result<Numbers, CountError> {
    let known = derivation.map(|derivation| Known::of(program, derivation, point));
    completed(program, known.unwrap_or_default(), point, options, progress)
}

/// Completes known numbers as [`numbers`] does: counts whatever is not exact.
///
/// # Errors
/// Like [`numbers`]. There is no error if only charges are missing: they are left out, or are bounds.
pub fn completed(
    program: &Program,
    known: Known,
    point: &Point,
    options: &CountOptions,
    progress: &dyn Fn(u64) -> ControlFlow<()>,
) -> Result<Numbers, CountError> {
    let has_counts = known.counts.as_ref().is_some_and(Counts::is_exact);
    let charges = known.charges.as_ref();
    let has_charges =
        options.cycle_rules.is_none() || charges.is_some_and(|charged| charged.is_exact);
    let cycle_rules = options.cycle_rules.clone().filter(|_| !has_charges);
    let missing = CountOptions {
        cycle_rules,
        ..options.clone()
    };
    let is_known = has_counts && has_charges;
    let counted = (!is_known).then(|| interval::count(program, point, &missing, progress));
    let (mut work, mut is_cut_short) = (0, false);
    let counted = match counted.transpose() {
        Ok(counted) => counted,
        // The derived bounds stand in for the count that took too long.
        Err(CountError::TooLong(done)) if known.counts.is_some() => {
            (work, is_cut_short) = (done, true);
            None
        }
        Err(CountError::Fault(_) | CountError::TooLarge(_)) if has_counts => None,
        Err(error) => return Err(error),
    };
    let mut numbers = Numbers {
        counts: Counts::default(),
        least: None,
        least_words: Default::default(),
        is_exact: has_counts,
        bounds: Vec::new(),
        method: Method::Derived,
        charges: known.charges,
        charge_bounds: known.charge_bounds,
        work,
        is_cut_short,
    };
    let Some(mut counted) = counted else {
        let counts = known.counts.expect("known, or counted");
        numbers.least_words = least_words(&counts);
        numbers.bounds = known.bounds;
        numbers.least = (!has_counts).then(|| counts.lower());
        numbers.counts = counts.upper();
        return Ok(numbers);
    };
    if let Some(fault) = counted.faults.first() {
        return Err(CountError::Fault(fault.clone()));
    }
    numbers.work = counted.work;
    if let Some(charges) = counted.charges.take() {
        let of_charges = counted.bounds.iter().filter(|bound| is_of_charges(bound));
        numbers.charge_bounds = of_charges.cloned().collect();
        numbers.charges = Some(charges);
    }
    match known.counts {
        Some(exact) if has_counts => {
            numbers.least_words = least_words(&exact);
            numbers.counts = exact.upper();
        }
        derived => {
            if let Some(derived) = derived {
                tighten(&mut counted, &derived, &known.bounds);
            }
            counted.bounds.retain(|bound| !is_of_charges(bound));
            numbers.is_exact = counted.counts.is_exact();
            numbers.least_words = least_words(&counted.counts);
            numbers.bounds = counted.bounds;
            numbers.least = (!numbers.is_exact).then(|| counted.counts.lower());
            numbers.counts = counted.counts.upper();
            numbers.method = Method::Counted;
        }
    }
    Ok(numbers)
}

/// Meets counts with derived bounds on them, whose reasons come along.
fn tighten(counted: &mut Counted, derived: &Counts<Interval>, reasons: &[Bound]) {
    // Both bound the same counts, so the intersection holds. A bound's reason stays if counting
    // gave the bound. It is replaced by the derivation's reasons if the derivation is tighter,
    // and dropped if the total became exact.
    let closer = counted.counts.meet(derived);
    let before = counted.counts.totals.all().into_iter();
    let pairs = before.zip(closer.totals.all());
    for ((which, before), (_, after)) in pairs.filter(|((_, x), (_, y))| x != y) {
        let touched = Touched::Quantity(which);
        let is_of_it = |bound: &Bound| bound.quantity == touched;
        if before.upper == after.upper && !after.is_exact() {
            continue;
        }
        counted.bounds.retain(|bound| !is_of_it(bound));
        if after.is_exact() {
            continue;
        }
        let why = reasons.iter().filter(|bound| is_of_it(bound));
        counted.bounds.extend(why.cloned());
    }
    counted.counts = closer;
}

/// Budget of core-steps for charges shown without request: a fraction of a second.
const BRIEF: u64 = 1_000_000;

/// Returns the charges of a machine at a point, to be shown beside counts. They come from closed forms (a
/// derivation under these `cycle_rules` and the machine's b) if they are exact, otherwise from a brief
/// count, otherwise they are bounds.
pub fn brief_charges(
    program: &Program,
    derivation: Option<&Derivation>,
    point: &Point,
    cycle_rules: &CycleRules,
) -> Option<Charged> {
    let known = derivation.and_then(|derivation| charged(program, derivation, point).ok());
    if known.as_ref().is_some_and(|charged| charged.is_exact) {
        return known;
    }
    let options = CountOptions {
        work_limit: Some(BRIEF),
        cycle_rules: Some(cycle_rules.clone()),
        ..CountOptions::default()
    };
    let going = |_| ControlFlow::Continue(());
    match interval::count(program, point, &options, &going) {
        Ok(counted) if counted.faults.is_empty() => counted.charges.or(known),
        Ok(_) | Err(_) => known,
    }
}

impl Known {
    /// Evaluates the counts of a derivation. Empty if it gives none, or if not all rounds could be listed.
    pub fn of(program: &Program, derivation: &Derivation, point: &Point) -> Known {
        Known::by(derivation, evaluate(program, derivation, point))
    }

    /// As [`Known::of`], but empty too where that takes more work: forms and terms of unsolved sums together.
    pub(crate) fn within(
        work: u64,
        program: &Program,
        derivation: &Derivation,
        point: &Point,
    ) -> Known {
        let evaluated = evaluate_within(work, program, derivation, point);
        Known::by(derivation, evaluated)
    }

    fn by(derivation: &Derivation, evaluated: Result<Evaluated, NoNumbers>) -> Known {
        let Ok(evaluated) = evaluated else {
            return Known::default();
        };
        if evaluated.omitted != BigInt::ZERO {
            return Known::default();
        }
        let mut bounds = Vec::new();
        if !evaluated.counts.is_exact() {
            let exact = evaluated.counts.totals.all().into_iter();
            let exact = exact.filter(|(_, total)| total.is_exact());
            let exact: Vec<Touched> = exact.map(|(which, _)| Touched::Quantity(which)).collect();
            let open = derivation.bounds.iter();
            bounds.extend(
                open.filter(|bound| !exact.contains(&bound.quantity))
                    .cloned(),
            );
        }
        Known {
            counts: Some(evaluated.counts),
            bounds,
            ..Known::default()
        }
    }

    /// Adds the charges of a derivation under a machine's `cycle_rules` and b, if it has any.
    #[must_use]
    pub fn with_charges(self, derivation: &Derivation, charges: Option<Charged>) -> Known {
        let mut charge_bounds = Vec::new();
        if charges.as_ref().is_some_and(|charged| !charged.is_exact) {
            let of_charges = derivation.bounds.iter();
            charge_bounds.extend(of_charges.filter(|bound| is_of_charges(bound)).cloned());
        }
        Known {
            charges,
            charge_bounds,
            ..self
        }
    }
}

fn least_words(counts: &Counts<Interval>) -> [BigInt; 2] {
    let totals = &counts.totals;
    [totals.shared.lower.clone(), totals.global.lower.clone()]
}

fn is_of_charges(bound: &Bound) -> bool {
    bound.quantity == Touched::Charges
}
