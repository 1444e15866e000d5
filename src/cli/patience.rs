//! A derivation beside other work: waited for, but not for ever.
//!
//! `cost` and `run` have counts of their own; a program whose algebra takes too long must not keep
//! them from answering. `derive` itself waits as long as it takes.

use std::sync::mpsc;
use std::time::Duration;

use atgpu::check::Program;
use atgpu::count::Parameters;
use atgpu::derive::{Derivation, derive_charged};
use atgpu::machine::Tariff;

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
    tariff: Option<&Tariff>,
) -> Option<Derivation> {
    let (sender, receiver) = mpsc::channel();
    let (program, given, tariff) = (program.clone(), given.clone(), tariff.cloned());
    let work = move || {
        // Nobody may be waiting any more.
        let _ = sender.send(derive_charged(&program, &given, tariff.as_ref()));
    };
    let builder = std::thread::Builder::new().stack_size(STACK_BYTES);
    builder.spawn(work).ok()?;
    receiver.recv_timeout(PATIENCE).ok()
}
