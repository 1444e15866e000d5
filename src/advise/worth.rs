//! The worth of a rewritten program: its cost at a size, the quantities that change, and the sizes at which it is
//! cheaper.

use std::ops::ControlFlow;

use crate::advise::Question;
use crate::advise::right::{Ran, drawn, run};
use crate::advise::version::Version;
use crate::cost::Subject;
use crate::count::{Counts, Parameters, Quantity};
use crate::derivation::Formula;
use crate::derive::numbers::{Known, completed};
use crate::diag::Diagnostic;
use crate::exec::Options;
use crate::interval::CountOptions;
use crate::meaning::Point;
use crate::number::{BigInt, Rational};
use crate::study::{Crossover, Side, duel};

/// Budget of core-steps for counting a program without exact forms.
const MOST_WORK: u64 = 1_000_000;

/// Budget of forms and terms of sums for evaluating the formulas of a program: a tenth of a second.
const MOST_TERMS: u64 = 400_000;

/// The quantities that an advice tells of, in the order told.
const TOLD: [Quantity; 9] = [
    Quantity::Rounds,
    Quantity::Time,
    Quantity::TotalTime,
    Quantity::Io,
    Quantity::Transfer,
    Quantity::Transactions,
    Quantity::Shared,
    Quantity::Global,
    Quantity::BankConflicts,
];

/// The source of costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// Formulas, or counting without data: the costs are the same for all data.
    Exact,
    /// Runs on data drawn at random, the same for all programs.
    Data,
}

/// A quantity before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The quantity.
    pub quantity: Quantity,
    /// Its formulas; `None` where nothing was derived.
    pub formulas: [Option<String>; 2],
    /// True where a formula is exact, false where it is an upper bound.
    pub are_exact: [bool; 2],
    /// The values at the size; `None` where nothing was derived.
    pub values: [Option<Rational>; 2],
}

/// The sizes at which a rewritten program is cheaper than the original.
#[derive(Debug, Clone)]
pub struct Sizes {
    /// The parameter that runs.
    pub parameter: String,
    /// The values of the other formals.
    pub fixed: Parameters,
    /// The order of the two costs, or the reason why it is unknown.
    pub outcome: Result<Crossover, String>,
    /// The largest value at which each program fits the machine, if there is a limit.
    pub fits: [Option<BigInt>; 2],
}

/// The cost of a version at the size of the question; `None` if it has none that is exact.
pub(super) fn cost(
    version: &Version,
    question: &Question<'_>,
    size: &Parameters,
    charge_conflicts: bool,
) -> Option<Rational> {
    let program = &version.program;
    let machine = question.machine;
    let point = Point::new(program, machine.atgpu.numbers(), size).ok()?;
    let cycle_rules = if question.model.needs_charges() {
        Some(question.model.charges_by(machine).ok()?)
    } else {
        None
    };
    let options = CountOptions {
        charge_conflicts,
        work_limit: Some(MOST_WORK),
        cycle_rules,
    };
    let known = if charge_conflicts {
        Known::default()
    } else {
        Known::within(MOST_TERMS, program, version.counts(), &point)
    };
    let going = |_| ControlFlow::Continue(());
    let found = completed(program, known, &point, &options, &going).ok()?;
    let subject = Subject {
        charges: found.charges.as_ref(),
        ..Subject::of(&found.counts)
    };
    let is_priced = found.is_exact && fits(&found.counts, question);
    is_priced.then(|| headline(&subject, question)).flatten()
}

/// The cost of a version at the size of the question in a run on drawn data; `None` if the run takes long.
///
/// # Errors
/// The faults of the run.
pub(super) fn cost_on_data(
    version: &Version,
    question: &Question<'_>,
    size: &Parameters,
) -> Result<Option<Rational>, Vec<Diagnostic>> {
    let machine = question.machine;
    let Ok(point) = Point::new(&version.program, machine.atgpu.numbers(), size) else {
        return Ok(None);
    };
    let cycle_rules = if question.model.needs_charges() {
        question.model.charges_by(machine).ok()
    } else {
        None
    };
    let options = Options {
        skip_ensures: true,
        cycle_rules,
        ..drawn(0, None)
    };
    let outcome = match run(&version.program, &point, options) {
        Ran::Done(outcome) => outcome,
        Ran::NotRun => return Ok(None),
        Ran::Faulted(faults) => return Err(faults),
    };
    let subject = Subject::of(&outcome.counts).with_charges(outcome.charges.as_ref());
    let fits = fits(&outcome.counts, question);
    Ok(fits.then(|| headline(&subject, question)).flatten())
}

/// True if the machine holds what a program needs.
fn fits(counts: &Counts<BigInt>, question: &Question<'_>) -> bool {
    let machine = &question.machine.atgpu;
    counts.totals.shared <= machine.shared_words.into()
        && counts.totals.global <= machine.global_words.into()
}

fn headline(subject: &Subject<'_>, question: &Question<'_>) -> Option<Rational> {
    let estimate = question.model.estimate(subject, question.machine).ok()?;
    estimate.headline().cloned()
}

/// The quantities that differ.
pub(super) fn changes(before: &Version, after: &Version, point: &Point) -> Vec<Change> {
    let both = [before, after].map(|version| version.derivation(false));
    let values = point.parameters.iter();
    let values: Parameters = values.map(|(name, value)| (name, value.clone())).collect();
    let told = TOLD.into_iter().map(|quantity| {
        let formulas = both.map(|derivation| derivation.formula(quantity.name()).ok());
        let at = |formula: &Option<Formula>| formula.as_ref()?.exact(values.clone()).ok();
        let is_exact = |formula: &Option<Formula>| formula.as_ref().is_some_and(Formula::is_exact);
        Change {
            quantity,
            are_exact: formulas.each_ref().map(is_exact),
            values: [at(&formulas[0]), at(&formulas[1])],
            formulas: formulas.map(|formula| Some(formula?.to_string())),
        }
    });
    told.filter(|change| change.formulas[0] != change.formulas[1])
        .collect()
}

/// Compares two versions over their first formal.
pub(super) fn sizes(
    before: &Version,
    after: &Version,
    question: &Question<'_>,
    size: &Parameters,
    charges_conflicts: bool,
) -> Option<Sizes> {
    let first = *before.program.formals.first()?;
    let parameter = before.program.parameter(first).name.clone();
    let mut fixed = size.clone();
    fixed.remove(&parameter);
    let side = |version| side(version, question, &fixed, charges_conflicts);
    let (one, other) = (side(before), side(after));
    let costs = [&one, &other].map(|side| side.cost(question.model));
    let outcome = duel([&one, &other], [&costs[0], &costs[1]]);
    let fits = [one.fits(), other.fits()];
    Some(Sizes {
        parameter,
        fixed,
        outcome,
        fits,
    })
}

fn side<'v>(
    version: &'v Version,
    question: &Question<'_>,
    fixed: &Parameters,
    charges_conflicts: bool,
) -> Side<'v> {
    Side::of(
        &version.program,
        version.program.formals.first().copied(),
        fixed.clone(),
        question.machine.clone(),
        version.derivation(charges_conflicts).clone(),
    )
}
