//! `src/emit`: programs as C, CUDA and OpenCL, compiled and run where the tools are.

mod barriers;
mod emulated;
mod expressions;
mod kernels;
mod measured;
mod refused;
mod runs;
mod sizes;
mod texts;

use crate::support::engines::{Choice, choices};
use atgpu::diag::Diagnostic;
use atgpu::emit::{Emitted, Options, Parts, Target, Words, emit};
use atgpu::machine::Machine;
use atgpu::program::Program;
use atgpu::safety::Safety;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The card of the paper with other p, b, M and G.
fn card(numbers: [i64; 4]) -> Machine {
    let mut card = Machine::built_in("gtx650").expect("built in");
    let [p, b, m, g] = numbers;
    card.atgpu.cores = p;
    card.atgpu.cores_per_mp = b;
    card.atgpu.shared_words = m;
    card.atgpu.global_words = g;
    card
}

/// A program as text, whatever is proved of it.
fn unchecked(program: &Program, numbers: [i64; 4], target: Target) -> Emitted {
    on_card(program, &card(numbers), target, Words::default(), None)
        .unwrap_or_else(|faults| panic!("{}: {faults:#?}", program.name()))
}

/// The same for a card, with words of this width, or why there is none.
fn on_card(
    program: &Program,
    card: &Machine,
    target: Target,
    words: Words,
    safety: Option<&Safety>,
) -> Result<Emitted, Vec<Diagnostic>> {
    let options = Options {
        target,
        parts: Parts::Program,
        words,
        defaults: ().into(),
        safety,
        unchecked: true,
    };
    emit(program, card, &options)
}

/// A program in CUDA for thread blocks of so many MPs, each a warp.
fn in_thread_blocks(program: &Program, mps: i64) -> Result<Emitted, Vec<Diagnostic>> {
    let card = card([64, 32, 12_288, 1 << 30]);
    let card = card.with([("Z", mps)]).expect("in range");
    on_card(program, &card, Target::Cuda, Words::default(), None)
}

/// A choice of parameters with some work in it.
fn choice_of(program: &Program) -> Choice {
    let words = |choice: &Choice| -> u64 {
        let extents = choice.point.extents.iter().flatten();
        let extents = extents.map(|extent| u64::try_from(extent).unwrap_or(0));
        extents.sum::<u64>() * (choice.machine[1] > 2) as u64
    };
    let found = choices(program, 12, 11);
    let best = found.into_iter().max_by_key(words);
    best.unwrap_or_else(|| panic!("{}: no choice of parameters", program.name()))
}

/// Whether a command is there; a test that needs it ends otherwise.
fn is_there(command: &str, argument: &str) -> bool {
    let found = Command::new(command).arg(argument).output().is_ok();
    if !found {
        println!("skipped: no `{command}` here");
    }
    found
}

/// Whether OpenCL programs can be compiled and run.
fn opencl_is_there() -> bool {
    // Where compilers and the loader of drivers look, unless they are told of other folders.
    let headers = std::env::var("CPATH").unwrap_or_else(|_| "/usr/include".to_owned());
    let vendors = std::env::var("OCL_ICD_VENDORS");
    let vendors = vendors.unwrap_or_else(|_| "/etc/OpenCL/vendors".to_owned());
    let is_here = headers
        .split(':')
        .any(|folder| Path::new(folder).join("CL/cl.h").exists())
        && fs::read_dir(vendors).is_ok_and(|vendors| vendors.count() > 0);
    if !is_here {
        println!("skipped: no OpenCL here");
    }
    is_here && is_there("cc", "--version")
}
