//! Sizes at which a program is measured where nobody names any.

use std::cmp::Reverse;

use crate::count::{Counts, Parameters};
use crate::machine::Machine;
use crate::meaning::{Point, admissible_points};
use crate::number::{BigInt, Rational};
use crate::program::Program;
use crate::study::counting::{Budget, Charging, Counting, counts};
use crate::study::prepared::Prepared;

/// The words of the smallest size, about; those of each following one are so many times as many.
const LEAST: i64 = 1 << 10;
const STEP: i64 = 16;

/// Choices of formals that are tried.
const MOST_CHOICES: usize = 20_000;

/// Choices whose work is counted before a size is left out.
const MOST_COUNTED: usize = 24;

/// Core-steps that a run may take: a few seconds of the interpreter.
const MOST_STEPS: i64 = 1 << 28;

/// The smallest points that are tried besides powers of two.
const MOST_SMALL: usize = 200;

/// Points of a program that are measured: of up to `most_words` words, each of about 16 times the words of the
/// one before, formals near each other. What takes very many operations is left out. Formals that are `given`
/// are kept.
///
/// ```
/// use atgpu::machine::Machine;
/// use atgpu::study::{Prepared, sizes};
///
/// let program = atgpu::examples::vector_addition();
/// let card = Machine::built_in("gtx650").expect("built in");
/// let prepared = Prepared::new(&program, Some(&program.derive()?));
/// let found = sizes(&prepared, &card, &().into(), 1 << 18);
/// let n: Vec<_> = found.iter().filter_map(|point| point.get("n")?.to_i64()).collect();
/// assert_eq!(n, [128, 2048, 32768]); // six arrays of n words, on host and card
/// # Ok::<(), atgpu::Error>(())
/// ```
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
        // Of the largest, by factors of two, that whose formals are nearest to each other.
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
    /// Of the formals.
    sum: BigInt,
    /// Whether it is tried for being small.
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

/// Powers of two up to this, so few that all choices of so many formals can be tried.
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

/// Whether a run takes few enough steps, and an MP no more words than there are.
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
