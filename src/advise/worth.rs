//! The worth of a rewritten program: its cost at a size, the quantities that change, and the sizes at which it is
//! cheaper.

use std::ops::ControlFlow;

use crate::advise::Question;
use crate::advise::version::Version;
use crate::cost::Subject;
use crate::count::{Parameters, Quantity};
use crate::derive::numbers::numbers;
use crate::interval::CountOptions;
use crate::meaning::Point;
use crate::number::{BigInt, Rational};
use crate::study::{Crossover, Side, duel};

/// Budget of core-steps for counting a program without exact forms.
const MOST_WORK: u64 = 1_000_000;

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

/// A quantity before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The quantity.
    pub quantity: Quantity,
    /// Its formulas; `None` where nothing was derived.
    pub formulas: [Option<String>; 2],
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
    let cycle_rules = match question.model.needs_charges() {
        true => Some(question.model.charges_by(machine).ok()?),
        false => None,
    };
    let options = CountOptions {
        charge_conflicts,
        work_limit: Some(MOST_WORK),
        cycle_rules,
    };
    let derivation = (!charge_conflicts).then(|| version.derivation(false));
    let going = |_| ControlFlow::Continue(());
    let found = numbers(program, derivation, &point, &options, &going);
    if let Ok(found) = found
        && found.is_exact
        && crate::lint::exceeded(program, machine, &found).is_empty()
    {
        let subject = Subject {
            charges: found.charges.as_ref(),
            ..Subject::of(&found.counts)
        };
        let estimate = question.model.estimate(&subject, machine).ok()?;
        return estimate.headline().cloned();
    }
    None
}

/// The quantities that differ.
pub(super) fn changes(before: &Version, after: &Version, point: &Point) -> Vec<Change> {
    let both = [before, after].map(|version| version.derivation(false));
    let values = point.parameters.iter();
    let values: Parameters = values.map(|(name, value)| (name, value.clone())).collect();
    let told = TOLD.into_iter().map(|quantity| {
        let formulas = both.map(|derivation| derivation.formula(quantity.name()).ok());
        let at = |formula: &Option<crate::derivation::Formula>| {
            formula.as_ref()?.exact(values.clone()).ok()
        };
        Change {
            quantity,
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
