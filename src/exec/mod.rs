//! Execution: a checked program at a point, on real data, with every check of language.md §3 and
//! §5, counted as language.md §4 says.
//!
//! Takes a [`Program`], a [`Point`] and [`Options`]; gives an [`Outcome`] or diagnostics. It shares
//! no counting with the derivation: [`ops`] is its own table of operations and [`rounds`] its own
//! way to form rounds, so that comparing the two is worth something.
//!
//! Every statement has two forms. The reference form ([`eval`], [`exact`]) walks the checked
//! expression core by core with exact numbers, and is the only one that describes faults. The fast
//! form ([`compile`], [`lanes`], [`vector`], [`warp`]) computes all cores of an MP at once in machine words;
//! whenever it meets anything it does not cover (an overflow, a fraction, a fault) it leaves the
//! statement untouched and the reference form executes it instead. So speed never costs exactness.
//!
//! Nothing here prints, reads files or looks at a clock.

mod compile;
mod ensure;
mod error;
mod eval;
mod exact;
mod global;
mod host;
mod input;
mod kernel;
mod lanes;
mod ledger;
mod memory;
mod ops;
mod rounds;
mod shared;
mod sweep;
mod value;
mod vector;
mod warp;

use std::ops::ControlFlow;
use std::sync::Arc;

use indexmap::IndexMap;

use crate::check::program::Program;
use crate::count::{Charged, Counts};
pub use crate::data::{Array, Data};
use crate::diag::Diagnostic;
use crate::machine::Tariff;
use crate::number::{BigInt, Rational};
use crate::value::Point;

/// Where the data of an `input` come from.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// These words.
    Given(Array),
    /// Drawn from the seed: ints −100 … 100, floats 0 … 1, or as declared. Also what an input
    /// gets that nothing is said about.
    Random,
    /// 0, 1, 2, …
    Iota,
    /// All 0.
    Zeros,
    /// All 1.
    Ones,
    /// One number everywhere.
    Fill(Rational),
}

/// How to execute.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Data by the name of the input.
    pub inputs: IndexMap<String, Input>,
    /// Decides all random data. Each input draws from its own sequence.
    pub seed: u64,
    /// Threads that execute MPs; 0 takes as many as the machine has. Results do not depend on it.
    pub threads: usize,
    /// Record the statements that the MP of these numbers executes.
    pub trace: Option<Vec<i64>>,
    /// Bytes that arrays may take; `None` for no limit.
    pub memory_limit: Option<u64>,
    /// Also count what a machine's own weights and memory rules charge. Everything is then executed
    /// core by core in its reference form, which is much slower.
    pub tariff: Option<Tariff>,
}

/// How far an execution has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Work {
    /// The round in progress, from 1.
    pub round: u64,
    /// MPs of its kernel that are done.
    pub mps_done: u64,
    /// MPs of its kernel.
    pub mps: u64,
}

/// Hears how far an execution has come, and may stop it.
pub trait Progress: Sync {
    /// Called many times a second, from any thread.
    fn advance(&self, done: Work) -> ControlFlow<()>;
}

/// Progress nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl Progress for Unwatched {
    fn advance(&self, _done: Work) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// An `ensure` and whether it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnsureResult {
    /// The line as written, without the keyword.
    pub text: String,
    /// Its line.
    pub line: usize,
    /// Whether it holds.
    pub holds: bool,
    /// The values of the bound variables, and both sides, where it does not.
    pub counterexample: Option<String>,
}

/// One statement that the traced MP executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceLine {
    /// The round, from 1.
    pub round: u64,
    /// The statement's line.
    pub line: usize,
    /// The statement as written.
    pub text: String,
    /// Active cores.
    pub active: u64,
    /// Operations it cost the MP.
    pub operations: u64,
    /// Blocks it touched.
    pub blocks: u64,
    /// Its bank conflicts.
    pub conflicts: u64,
}

/// An array at the end of an execution.
#[derive(Debug, Clone, PartialEq)]
pub struct FinalArray {
    /// The words; those never written are 0.
    pub array: Array,
    /// Which words were ever written.
    pub written: Vec<bool>,
}

/// What an execution gives.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// All that language.md §4 counts. `arrays` of a round goes by the names kernels write (an
    /// array formal by its argument's name), whatever `swap` did before.
    pub counts: Counts<BigInt>,
    /// What the machine charges, where [`Options::tariff`] asked.
    pub charges: Option<Charged>,
    /// Every `ensure`, in text order.
    pub ensures: Vec<EnsureResult>,
    /// `ensure::failed` for each `ensure` that does not hold, and the fault of each that has no
    /// truth (such as `value::uninitialised`).
    pub diagnostics: Vec<Diagnostic>,
    /// Σ over executed instructions of operations × active cores; a `let` of a wrapper loop counts
    /// for all b cores.
    pub lane_operations: u128,
    /// What the traced MP executed, at most [`MOST_TRACE_LINES`] statements.
    pub trace: Vec<TraceLine>,
    /// Host variables at the end, by name.
    pub host: IndexMap<String, Arc<FinalArray>>,
    /// Global variables at the end, by name, as swapped.
    pub global: IndexMap<String, Arc<FinalArray>>,
}

/// A longer trace is cut here.
pub const MOST_TRACE_LINES: usize = 100_000;

/// A program at a point with its input data, ready to run any number of times.
#[derive(Debug)]
pub struct Execution<'p> {
    machine: host::Machine<'p>,
}

impl<'p> Execution<'p> {
    /// Estimates the memory needed, makes or checks the input data, and tests the `require`s that
    /// read them.
    ///
    /// # Errors
    /// `resource::memory`; `usage::value` for data given to a name that is no input;
    /// `access::shape`, `type::mismatch` and `value::range` for data that are not as declared;
    /// `require::violated`.
    pub fn prepare(
        program: &'p Program,
        point: &Point,
        options: &Options,
    ) -> Result<Self, Vec<Diagnostic>> {
        let machine = host::Machine::prepare(program, point, options)?;
        Ok(Execution { machine })
    }

    /// Executes every statement core by core in its reference form from now on: much slower, with
    /// the same results. What the fast form is tested against.
    #[must_use]
    pub fn by_reference(mut self) -> Self {
        self.machine.by_reference = true;
        self
    }

    /// Executes the whole program, from its first transfer on. May be called again.
    ///
    /// # Errors
    /// The first fault by round, MP, instruction and core, or `limit::shared` or `limit::global`.
    /// No diagnostic at all when `progress` stopped it. An `ensure` that does not hold is part of
    /// the outcome.
    pub fn run(&mut self, progress: &dyn Progress) -> Result<Outcome, Vec<Diagnostic>> {
        self.machine.run(progress)
    }
}
