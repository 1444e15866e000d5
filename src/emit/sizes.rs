//! How large sizes may be, so that indices of 32 bits are proved to fit.
//!
//! Kernels are for a machine: its words bound their sizes. A whole program is run with any size, and compared. There
//! each size is at most [`MOST_SIZE`], whatever the machine has, unless its default is larger: who emits a program with
//! `-D n=2000000000` has n in 64 bits. Whoever runs or launches what is written refuses larger sizes.

use crate::count::Parameters;
use crate::derivation::letters::symbol_of;
use crate::emit::form::{MOST_SIZE, MOST_WORDS};
use crate::emit::{Options, Parts};
use crate::machine::Machine;
use crate::meaning::Point;
use crate::number::{BigInt, Rational};
use crate::program::{Program, Scope};
use crate::safety::{self, Property, Safety};

/// The most that formals without a fixed value are.
pub(super) fn largest(program: &Program, machine: &Machine, options: &Options<'_>) -> Parameters {
    let given = match options.parts {
        Parts::Program => Parameters::new(),
        Parts::Kernels => options.defaults.clone(),
    };
    let mut most = match options.parts {
        Parts::Program => {
            let mut most = Parameters::new();
            for id in &program.formals {
                most.set(&program.parameter(*id).name, MOST_SIZE);
            }
            most
        }
        Parts::Kernels => largest_on(machine, program, options),
    };
    // A kernel that needs more shared words than M cannot run.
    let shared = Rational::from(machine.atgpu.shared_words);
    for id in safety::held_in_shared(program, &given, machine) {
        let name = &program.parameter(id).name;
        if most.get(name).is_some_and(|most| *most > shared) {
            most.set(name, shared.clone());
        }
    }
    let is_fitting = |(name, most): &(&str, &Rational)| {
        let default = options.defaults.get(name);
        default.is_none_or(|value| value <= *most)
    };
    most.iter()
        .filter(is_fitting)
        .map(|(name, most)| (name, most.clone()))
        .collect()
}

/// Returns true if every index is proved to be within its array, and no array has more words than ints tell apart.
pub(super) fn is_in_bounds(program: &Program, machine: &Machine, options: &Options<'_>) -> bool {
    let are_few = match options.parts {
        Parts::Program => {
            machine.atgpu.shared_words <= MOST_WORDS
                && !options.defaults.iter().any(|(_, value)| is_beyond(value))
                && has_few_words(program, machine, options)
        }
        Parts::Kernels => is_small(machine),
    };
    let are_proved = |safety: &Safety| {
        let mut places = safety.of(Property::Bounds);
        places.all(|place| place.verdict.is_proved())
    };
    are_few && options.safety.is_some_and(are_proved)
}

/// Returns true if a default is too large.
fn is_beyond(value: &Rational) -> bool {
    *value > Rational::from(MOST_SIZE)
}

/// Returns true if ints tell the words of each array apart, at the defaults if all formals have one.
fn has_few_words(program: &Program, machine: &Machine, options: &Options<'_>) -> bool {
    let numbers = machine.atgpu.numbers();
    let Ok(point) = Point::new(program, numbers, &options.defaults) else {
        return true;
    };
    let variables = program.variables.iter().zip(&point.extents);
    let mut arrays = variables.filter(|(variable, _)| variable.scope == Scope::Global);
    arrays.all(|(_, extents)| extents.iter().product::<BigInt>() <= BigInt::from(MOST_WORDS))
}

/// Returns true if indices of 32 bits reach all words of a machine.
fn is_small(machine: &Machine) -> bool {
    let words = machine.atgpu.global_words.max(machine.atgpu.shared_words);
    words <= i64::from(i32::MAX)
}

/// The most that formals without a value are, on a machine whose words indices of 32 bits tell apart: where one alone
/// decides what memory is needed, what the machine holds; as many as it has words, for the extent of an array; else
/// what has 32 bits. Larger ones are refused by who launches the kernels.
fn largest_on(machine: &Machine, program: &Program, options: &Options<'_>) -> Parameters {
    let mut most = Parameters::new();
    let fits = safety::fits(program, &options.defaults, machine);
    for id in program.formals.iter().filter(|_| is_small(machine)) {
        let symbol = symbol_of(program, *id);
        let is_extent = fits
            .global
            .as_ref()
            .is_some_and(|need| need.contains(&symbol));
        let value = if is_extent {
            machine.atgpu.global_words
        } else {
            i64::from(i32::MAX - 1)
        };
        most.set(&program.parameter(*id).name, value);
    }
    if let Some((name, value)) = fits.largest {
        most.set(&name, Rational::from(&value));
    }
    most
}
