//! Numbers and conditions of all operators in all places, emitted, compiled and run: what comes out is what comes out
//! here. An operator without the brackets it needs, in a bound, an index, a condition or an argument, computes something
//! else there, or never ends.

mod places;
mod tree;

use crate::emit::runs::{Case, faults_at};
use crate::emit::{is_there, opencl_is_there};
use crate::support::cases;
use crate::support::engines::Choice;
use crate::support::programs::program;
use atgpu::emit::{Target, Words};
use atgpu::program::Program;

/// Where every expression has a value: the formals n and m.
const POINTS: [[i64; 2]; 3] = [[7, 3], [12, 5], [1, 2]];
/// b
const CORES: i64 = 4;
/// Of what is made up.
const SEEDS: [u64; 2] = [1, 2];

fn judge(target: Target, words: Words) {
    let programs = SEEDS
        .iter()
        .step_by(cases::every(2))
        .flat_map(|seed| places::programs(*seed));
    let cases = programs.map(|text| {
        let program = program(&text);
        Case {
            name: program.name().to_owned(),
            choice: choices(&program).remove(0),
            program,
            words,
        }
    });
    let found = faults_at(&cases.collect::<Vec<_>>(), target, choices);
    assert!(found.is_empty(), "{found}");
}

fn choices(program: &Program) -> Vec<Choice> {
    let choices = POINTS.map(|[n, m]| {
        let values = vec![("n".to_owned(), n), ("m".to_owned(), m)];
        let choice = crate::support::engines::choice(program, CORES, values);
        choice.unwrap_or_else(|| panic!("{}: n = {n}, m = {m} is not admitted", program.name()))
    });
    choices.to_vec()
}

#[test]
fn every_operator_in_every_place_is_in_c_what_it_is_here() {
    if is_there("cc", "--version") {
        judge(Target::C, Words::default());
    }
}

/// Whole numbers have 64 bits, whatever words have.
#[test]
fn every_operator_in_every_place_is_with_narrow_words_what_it_is_here() {
    if is_there("cc", "--version") {
        let words = Words {
            int32: true,
            float: false,
        };
        judge(Target::C, words);
    }
}

#[test]
fn every_operator_in_every_place_is_in_opencl_what_it_is_here() {
    if opencl_is_there() {
        judge(Target::OpenCl, Words::default());
    }
}
