//! Default sizes at which a program is measured.

use std::cmp::Reverse;

use crate::count::{Counts, Parameters};
use crate::machine::Machine;
use crate::meaning::{Point, admissible_points};
use crate::number::{BigInt, Rational};
use crate::program::Program;
use crate::study::counting::{Budget, Charging, Counting, counts};
use crate::study::prepared::Prepared;

/// The words of the smallest size, about, and the factor between two sizes.
const LEAST: i64 = 1 << 10;
const STEP: i64 = 16;

/// Limit on the choices of formals tried.
const MOST_CHOICES: usize = 20_000;

/// Limit on the choices counted for one size.
const MOST_COUNTED: usize = 24;

/// Limit on the core-steps of a run: a few seconds of the interpreter.
const MOST_STEPS: i64 = 1 << 28;

/// Limit on the small points tried besides powers of two.
const MOST_SMALL: usize = 200;

/// Returns points at which a program is measured: up to `most_words` words, each size about 16 times the
/// one before, with formals close to each other. Points with too many operations are left out. `given`
/// formals are kept.
pub fn sizes(
    program: &Prepared<'_>,
    machine: &Machine,
    given: &Parameters,
    most_words: i64,
) -> Vec<Parameters> {
    let choices = choices(program.program, machine, given, most_words);
    let mut place = program.evaluation.as_ref().map(|forms| forms.workplace());
    let mut budget = Budget::new(Counting::Briefly);
    let mut is_quick = |choice: &Choice| {
        let charging = Charging::default();
        let found = counts(
            program,
            &choice.point,
            place.as_mut(),
            charging,
            &mut budget,
        );
        found.is_ok_and(|found| fits(&found.counts, machine))
    };
    let mut found: Vec<Parameters> = Vec::new();
    let mut most = LEAST;
    while most <= most_words {
        let least = if most == LEAST { 0 } else { most / STEP };
        let within = |words: &BigInt| *words <= most.into() && *words > least.into();
        let mut of_size: Vec<&Choice> = choices.iter().filter(|it| within(&it.words)).collect();
        // Prefers the largest (by powers of two of words), then powers of two to other small points, then the
        // smallest sum of formals: such formals are close to each other.
        of_size.sort_by_key(|choice| {
            (
                Reverse(choice.words.bits()),
                choice.is_small,
                choice.sum.clone(),
            )
        });
        let mut tried = of_size.into_iter().take(MOST_COUNTED);
        if let Some(choice) = tried.find(|choice| is_quick(choice)) {
            found.push(choice.formals.clone());
        }
        most *= STEP;
    }
    found
}

/// A choice of formals that the program admits.
struct Choice {
    formals: Parameters,
    point: Point,
    words: BigInt,
    /// The sum of the free formals.
    sum: BigInt,
    /// True for one of the smallest admitted points.
    is_small: bool,
}

fn choices(
    program: &Program,
    machine: &Machine,
    given: &Parameters,
    most_words: i64,
) -> Vec<Choice> {
    let numbers = machine.atgpu.numbers();
    let names = program.formals.iter();
    let names = names.map(|id| program.parameter(*id).name.as_str());
    let free: Vec<&str> = names.filter(|name| given.get(name).is_none()).collect();
    let powers = powers(free.len(), most_words);
    let small = admissible_points(program, numbers, given, MOST_SMALL);
    let mut grid = vec![given.clone()];
    for name in &free {
        let with = |point: Parameters| {
            powers.iter().map(move |power| {
                let mut point = point.clone();
                point.set(name, Rational::from(*power));
                point
            })
        };
        grid = grid.into_iter().flat_map(with).collect();
    }
    let grid = grid.into_iter().map(|formals| (formals, false));
    let all = grid.chain(small.into_iter().map(|formals| (formals, true)));
    let choice = |(formals, is_small): (Parameters, bool)| {
        let point = Point::tried(program, numbers, &formals)?;
        let of_array = |extents: &Vec<BigInt>| extents.iter().product::<BigInt>();
        let words = point.extents.iter().map(of_array).sum::<BigInt>();
        let of_program = free.iter().filter_map(|name| formals.get(name));
        let sum = of_program.map(Rational::floor).sum();
        Some(Choice {
            formals,
            point,
            words,
            sum,
            is_small,
        })
    };
    all.filter_map(choice).collect()
}

/// Powers of two up to `most`, few enough that all combinations of the formals can be tried.
fn powers(formals: usize, most: i64) -> Vec<i64> {
    let logarithm = most.ilog2() as usize;
    let step = (1..=logarithm.max(1)).find(|step| {
        let values = logarithm / step + 1;
        let choices = (0..formals).try_fold(1_usize, |all, _| all.checked_mul(values));
        choices.is_some_and(|choices| choices <= MOST_CHOICES)
    });
    let step = step.unwrap_or(logarithm.max(1));
    (0..=logarithm)
        .step_by(step)
        .map(|power| 1 << power)
        .collect()
}

/// Returns true if a run takes few enough steps, and the shared memory suffices.
fn fits(counts: &Counts<BigInt>, machine: &Machine) -> bool {
    let [_, cores, shared, _] = machine.atgpu.numbers();
    let steps = counts.rounds.iter().map(|(times, round)| {
        BigInt::from(*times) * &round.launched_mps * &round.time * BigInt::from(cores)
    });
    let is_small = |words: &BigInt| *words <= shared.into();
    steps.sum::<BigInt>() <= MOST_STEPS.into()
        && counts
            .rounds
            .iter()
            .all(|(_, round)| is_small(&round.shared_words))
}
