//! A derivation beside other work: waited for, but not for ever.
//!
//! `cost` and `run` have counts of their own; a program whose algebra takes too long must not keep
//! them from answering. `derive` itself waits as long as it takes.

use std::sync::mpsc;
use std::time::Duration;

use atgpu::count::Parameters;
use atgpu::derivation::Derivation;
use atgpu::derive::derive_charged;
use atgpu::machine::CycleRules;
use atgpu::program::Program;

use crate::cli::STACK_BYTES;

/// How long a derivation may take.
const PATIENCE: Duration = Duration::from_secs(8);

/// The derivation, or nothing when it is not done in time. (Its thread ends with the process.)
pub fn derivation(program: &Program, given: &Parameters) -> Option<Derivation> {
    charged(program, given, None)
}

/// As [`derivation`], with what a machine charges for it.
pub fn charged(
    program: &Program,
    given: &Parameters,
    cycle_rules: Option<&CycleRules>,
) -> Option<Derivation> {
    let (sender, receiver) = mpsc::channel();
    let (program, given, cycle_rules) = (program.clone(), given.clone(), cycle_rules.cloned());
    let work = move || {
        // Nobody may be waiting any more.
        let _ = sender.send(derive_charged(&program, &given, cycle_rules.as_ref()));
    };
    let builder = std::thread::Builder::new().stack_size(STACK_BYTES);
    builder.spawn(work).ok()?;
    receiver.recv_timeout(PATIENCE).ok()
}
