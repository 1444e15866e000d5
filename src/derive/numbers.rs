//! Numbers of a program at a point, without data: from the closed forms where they are exact, else
//! by counting, within the bounds that were derived.

use std::ops::ControlFlow;

use crate::count::{Charged, Counts, Interval};
use crate::derivation::evaluate::{charged, evaluate};
use crate::derivation::{Bound, Derivation, Touched};
use crate::interval::{self, CountError, CountOptions};
use crate::machine::CycleRules;
use crate::meaning::Point;
use crate::number::BigInt;
use crate::program::Program;

/// Counts at a point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numbers {
    /// The counts; upper bounds of the quantities that `bounds` names.
    pub counts: Counts<BigInt>,
    /// The lower ends of the counts; none where all are exact.
    pub least: Option<Counts<BigInt>>,
    /// No run needs less shared memory than this (max m), nor less global memory (max g).
    pub least_words: [BigInt; 2],
    /// Whether all counts are exact.
    pub is_exact: bool,
    /// Why some counts are upper bounds only; empty when all are exact.
    pub bounds: Vec<Bound>,
    /// How they were found.
    pub method: Method,
    /// What the machine charges, where [`CountOptions::cycle_rules`] asked and there is a bound.
    pub charges: Option<Charged>,
    /// Why the charges are upper bounds only; empty when they are exact.
    pub charge_bounds: Vec<Bound>,
    /// Core-steps that were counted, or tried.
    pub work: u64,
}

/// How numbers without data were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// From the closed forms of a derivation.
    Derived,
    /// By counting step by step.
    Counted,
}

/// What closed forms say at a point.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// The counts, where every one has a bound.
    pub counts: Option<Counts<Interval>>,
    /// Why they are bounds, where they are.
    pub bounds: Vec<Bound>,
    /// What the machine charges, where it has a bound.
    pub charges: Option<Charged>,
    /// Why these are bounds, where they are.
    pub charge_bounds: Vec<Bound>,
}

/// The numbers of a program at a point. Without a derivation, and where its forms are no exact
/// numbers, the program is counted, telling `progress` the core-steps done from time to time.
///
/// Conflicts that are to be charged are no part of the closed forms: give no derivation then.
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
/// [`CountError`], but [`CountError::TooLong`] only where no bounds were derived either.
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

/// As [`numbers`], beginning with what is known already: what is not exact there is counted.
///
/// # Errors
/// As [`numbers`]; none where only charges are missing, which are left out or bounds then.
///
/// ```
/// use atgpu::derive::numbers::{Known, Method, completed};
/// use atgpu::interval::CountOptions;
/// use atgpu::machine::Machine;
/// use std::ops::ControlFlow;
///
/// let program = atgpu::examples::vector_addition();
/// let card = Machine::built_in("gtx650").expect("built in");
/// let point = program.at(&card, [("n", 64)])?;
/// let go_on = |_| ControlFlow::Continue(());
/// let options = CountOptions::default();
/// let found = completed(&program, Known::default(), &point, &options, &go_on).expect("countable");
/// assert_eq!(found.method, Method::Counted); // nothing was known
/// # Ok::<(), atgpu::Error>(())
/// ```
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
    let counted = match (has_counts, has_charges) {
        (true, true) => None,
        (true, false) | (false, _) => Some(interval::count(program, point, &missing, progress)),
    };
    let mut work = 0;
    let counted = match counted {
        None => None,
        Some(Ok(counted)) => Some(counted),
        // The bounds have to do.
        Some(Err(CountError::TooLong(done))) if known.counts.is_some() => {
            work = done;
            None
        }
        Some(Err(CountError::Fault(_) | CountError::TooLarge(_))) if has_counts => None,
        Some(Err(error)) => return Err(error),
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
    };
    let Some(mut counted) = counted else {
        let counts = known.counts.expect("known, or counted");
        numbers.least_words = least_words(&counts);
        numbers.bounds = known.bounds;
        numbers.least = (!has_counts).then(|| counts.lower());
        numbers.counts = counts.upper();
        return Ok(numbers);
    };
    if let Some(fault) = counted.faults.into_iter().next() {
        return Err(CountError::Fault(fault));
    }
    numbers.work = counted.work;
    if let Some(charges) = counted.charges {
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
                let closer = counted.counts.meet(&derived);
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
                    let why = known.bounds.iter().filter(|bound| is_of_it(bound));
                    counted.bounds.extend(why.cloned());
                }
                counted.counts = closer;
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

/// Core-steps spent on charges that nobody asked for by name: a fraction of a second.
const BRIEF: u64 = 1_000_000;

/// What a machine charges at a point, to be shown beside counts: from closed forms (a derivation under
/// this cycle_rules and the machine's b) where they are exact, else by a brief count, else bounds.
///
/// ```
/// use atgpu::derive::numbers::brief_charges;
/// use atgpu::machine::Machine;
///
/// let program = atgpu::examples::vector_addition();
/// let card = Machine::built_in("gtx280").expect("built in");
/// let cycle_rules = card.cycle_rules().expect("known");
/// let charged = brief_charges(&program, None, &program.at(&card, [("n", 64)])?, &cycle_rules);
/// // Per MP 3 accesses of 2 half-warps, each one segment of 64 bytes.
/// let transactions = charged.expect("few steps").total(|round| &round.memory_transactions).clone();
/// assert_eq!(transactions, (2 * 3 * 2).into());
/// # Ok::<(), atgpu::Error>(())
/// ```
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
    /// The counts of a derivation; none where it has none, or not all rounds of the many there are.
    ///
    /// ```
    /// use atgpu::derive::numbers::Known;
    /// use atgpu::machine::Machine;
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let card = Machine::built_in("gtx650").expect("built in");
    /// let point = program.at(&card, [("n", 64)])?;
    /// let known = Known::of(&program, &program.derive()?, &point);
    /// assert!(known.counts.is_some_and(|counts| counts.is_exact()));
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn of(program: &Program, derivation: &Derivation, point: &Point) -> Known {
        let Ok(evaluated) = evaluate(program, derivation, point) else {
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

    /// The same with the charges of a derivation under a machine's cycle_rules and b, if it has any.
    ///
    /// ```
    /// use atgpu::count::Charged;
    /// use atgpu::derive::numbers::Known;
    /// use atgpu::machine::Machine;
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let card = Machine::built_in("gtx650").expect("built in");
    /// let point = program.at(&card, [("n", 64)])?;
    /// let derivation = program.derive()?;
    /// let known = Known::of(&program, &derivation, &point).with_charges(&derivation, Some(Charged::default()));
    /// assert!(known.charges.is_some());
    /// # Ok::<(), atgpu::Error>(())
    /// ```
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
