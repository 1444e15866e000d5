//! `src/advise`: the changes it finds in the programs of this crate, and that it proposes nothing wrong.

mod measured;
mod refused;
mod steps;

use atgpu::advise::{Advice, NoAdvice, Question, advise};
use atgpu::cost;
use atgpu::count::Parameters;
use atgpu::machine::Machine;
use atgpu::program::Program;

/// The advice for a program on the paper's card.
fn advice(program: &Program, given: impl Into<Parameters>) -> Result<Advice, NoAdvice> {
    let machine = Machine::built_in("gtx650").expect("built in");
    let question = Question {
        machine: &machine,
        model: cost::find("atgpu").expect("listed"),
        given: &given.into(),
        charges_conflicts: false,
    };
    advise(program, &question)
}
