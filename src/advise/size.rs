//! The size that an advice is for, and the cost of the program there.

use crate::advise::version::Version;
use crate::advise::worth::{Basis, cost, cost_on_data};
use crate::advise::{NoAdvice, Question};
use crate::count::Parameters;
use crate::machine::Machine;
use crate::meaning::{Point, admissible_points};
use crate::number::{BigInt, Rational};
use crate::program::{Program, Scope};

/// Where no size is given: the largest power of two that a single formal gets, or each of several, and the most words
/// of global memory.
const MOST_POWER: u32 = 24;
const MOST_POWER_OF_SEVERAL: u32 = 11;
const MOST_WORDS: i64 = 1 << 25;

/// The same where programs are run on data: every change is run there, too.
const MOST_POWER_ON_DATA: u32 = 16;
const MOST_POWER_OF_SEVERAL_ON_DATA: u32 = 8;

/// The most sizes whose cost is looked for, and the powers of two between them.
const MOST_SIZES: usize = 3;
const SIZES_APART: usize = 3;

/// A size with the cost of the program there.
pub(super) struct Asked {
    pub(super) size: Parameters,
    pub(super) cost: Rational,
    pub(super) basis: Basis,
}

/// The size that is asked about. Without values it is a large one: the free formals are all the same power of two, the
/// largest whose words the machine holds and whose cost is known.
pub(super) fn size(original: &Version, question: &Question<'_>) -> Result<Asked, NoAdvice> {
    let program = &original.program;
    let names = program.formals.iter();
    let names = names.map(|id| program.parameter(*id).name.as_str());
    let free: Vec<&str> = names
        .filter(|name| question.given.get(name).is_none())
        .collect();
    let alike = |power: u32| {
        let mut size = question.given.clone();
        free.iter().for_each(|name| size.set(name, 1_i64 << power));
        size
    };
    let numbers = question.machine.atgpu.numbers();
    if free.is_empty() {
        Point::new(program, numbers, question.given).map_err(NoAdvice::Fails)?;
    }
    let has_room = |size: &Parameters| {
        let point = Point::new(program, numbers, size);
        point.is_ok_and(|point| has_room(program, question.machine, &point))
    };
    let sizes = |most: [u32; 2]| -> Vec<Parameters> {
        let most = most[usize::from(free.len() > 1)];
        let alike = (0..=most).rev().map(alike).filter(has_room);
        match free.as_slice() {
            [] => vec![question.given.clone()],
            _ => alike
                .chain(admissible_points(program, numbers, question.given, 1))
                .collect(),
        }
    };
    let exact = sizes([MOST_POWER, MOST_POWER_OF_SEVERAL]);
    let priced = |size: &Parameters| {
        Some(Asked {
            size: size.clone(),
            cost: cost(original, question, size, question.charges_conflicts)?,
            basis: Basis::Exact,
        })
    };
    // A size that takes long to count is followed by much smaller ones.
    let mut tried = exact.iter().step_by(SIZES_APART).take(MOST_SIZES);
    if let Some(asked) = tried.find_map(priced) {
        return Ok(asked);
    }
    // Runs do not charge conflicts.
    let is_run = !question.charges_conflicts;
    let data = is_run.then(|| sizes([MOST_POWER_ON_DATA, MOST_POWER_OF_SEVERAL_ON_DATA]));
    // From the smallest on: to draw and to order the data of a size that takes too long takes long, too.
    let mut asked = None;
    for size in data.into_iter().flatten().rev() {
        match cost_on_data(original, question, &size) {
            Ok(Some(cost)) => {
                let basis = Basis::Data;
                asked = Some(Ok(Asked { size, cost, basis }));
            }
            Ok(None) if asked.is_some() => break,
            Ok(None) => {}
            Err(faults) => asked = Some(Err(NoAdvice::Fails(faults))),
        }
    }
    if let Some(asked) = asked {
        return asked;
    }
    // The smallest size says little, and is better than none.
    exact.last().and_then(priced).ok_or(if exact.is_empty() {
        NoAdvice::NoSize
    } else {
        NoAdvice::NoCost
    })
}

/// True if a machine holds the words of a program, and they are not too many for a size of our own choice.
fn has_room(program: &Program, machine: &Machine, point: &Point) -> bool {
    let words = |scope: Scope| -> BigInt {
        let variables = program.variables.iter().zip(&point.extents);
        let of = variables.filter(|(variable, _)| variable.scope == scope);
        of.map(|(_, extents)| extents.iter().product::<BigInt>())
            .sum()
    };
    words(Scope::Global) <= BigInt::from(MOST_WORDS.min(machine.atgpu.global_words))
        && words(Scope::Shared) <= BigInt::from(machine.atgpu.shared_words)
}
