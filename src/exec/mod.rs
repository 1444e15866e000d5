//! Execution: a checked program at a point, on real data, with every check of language.md §3 and
//! §5, counted as language.md §4 says.
//!
//! Takes a [`Program`], a [`Point`] and [`Options`]; gives an [`Outcome`] or diagnostics. It shares
//! no counting with the derivation: [`ops`] is its own table of operations and [`rounds`] its own
//! way to form rounds, so that comparing the two is worth something.
//!
//! There are three engines ([`Engine`]), each the reference of the one above it:
//!
//! - *Batches* ([`batches`]): a kernel whose MPs provably cannot meet is planned for what
//!   its launch knows, and many MPs execute a statement together, as rows of words.
//! - *Statements* ([`statements`], [`lanes`]): the cores of one MP execute a
//!   statement together, in machine words; races between MPs are found by stamps ([`memory`]).
//! - *Reference* ([`mod@reference`]): core by core along the checked expression, with exact
//!   numbers. The only one that describes faults.
//!
//! An engine that meets anything it does not cover (an overflow, a fraction, a fault) leaves the
//! statement or the batch as it was, and the next one executes it. So speed never costs exactness.
//!
//! Each file and folder uses only those before it: [`witness`], [`error`], [`ops`]; [`lanes`] and
//! [`memory`], the words of cores and of arrays; [`outcome`], the result; [`cycles`], [`rounds`] and [`tally`], what is
//! counted; [`launch`] and [`mp`], what is fixed and what changes while a kernel runs;
//! [`mod@reference`], [`statements`] and [`batches`], the engines; [`prepared`], what is kept of kernels
//! between launches; [`engines`], which takes one of the engines; [`host`].
//!
//! Nothing here prints, reads files or looks at a clock.

mod batches;
mod cycles;
mod engines;
mod error;
mod host;
mod lanes;
mod launch;
mod memory;
mod mp;
mod ops;
mod outcome;
mod prepared;
mod reference;
mod rounds;
mod statements;
mod tally;
mod witness;

use std::ops::ControlFlow;

use indexmap::IndexMap;

pub use crate::array::{Array, Data};
use crate::diag::Diagnostic;
use crate::machine::CycleRules;
use crate::meaning::Point;
use crate::number::Rational;
use crate::program::Program;
pub use memory::written::Written;
pub use outcome::{FinalArray, Met, Outcome, TraceLine};
pub(crate) use outcome::{MOST_TRACE_LINES, MOST_TRACED_WITH_WORDS};
pub(crate) use witness::listed;
pub use witness::{EnsureResult, Witness};

/// The source of the data of an `input`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Input {
    /// These words.
    Given(Array),
    /// Drawn from the seed: ints −100 … 100, floats 0 … 1, or as declared. The default of every
    /// input that is not named.
    Random,
    /// 0, 1, 2, …
    Iota,
    /// All 0.
    Zeros,
    /// All 1.
    Ones,
    /// One number everywhere.
    Fill(Rational),
    /// The least number of the declared range everywhere, or of that of random data. A permutation is 0, 1, 2, ….
    Least,
    /// The largest number of that range everywhere. A permutation falls.
    Most,
    /// From the least number of that range to the largest, in equal steps as far as they are whole.
    Rising,
}

impl Input {
    /// All data that have a name.
    const NAMED: [(&'static str, Input); 7] = [
        ("random", Input::Random),
        ("iota", Input::Iota),
        ("zeros", Input::Zeros),
        ("ones", Input::Ones),
        ("least", Input::Least),
        ("most", Input::Most),
        ("rising", Input::Rising),
    ];

    /// The data of a name, as `--input A=least` gives it; none for any other text.
    pub fn named(name: &str) -> Option<Input> {
        let found = Input::NAMED.into_iter().find(|(known, _)| *known == name);
        found.map(|(_, input)| input)
    }

    /// The name; none for words and for a number.
    pub fn name(&self) -> Option<&'static str> {
        let found = Input::NAMED.into_iter().find(|(_, known)| known == self);
        found.map(|(name, _)| name)
    }
}

/// Default memory limit of an execution in bytes: 4 GiB. A program that needs more is refused
/// with `resource::memory` before anything is allocated.
pub const DEFAULT_MEMORY: u64 = 1 << 32;

/// Settings of an execution. Write `..Options::default()` behind those you set: a later version may have more.
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
    /// Also record, for the first 4096 of these statements, the active cores and the words they
    /// meet. As long as words are recorded, that MP is executed core by core.
    pub trace_words: bool,
    /// Bytes that arrays may take; `None` for [`DEFAULT_MEMORY`].
    pub memory_limit: Option<u64>,
    /// Changes drawn inputs where a `require` about them fails, until it holds. Data that keep one are
    /// hardly ever drawn, and a test needs some.
    pub mends_inputs: bool,
    /// Test no `ensure`; the outcome then has none.
    pub skip_ensures: bool,
    /// Also count the charges of a machine's own weights and memory rules. Kernels are then
    /// executed statement by statement, MP by MP, which is slower.
    pub cycle_rules: Option<CycleRules>,
}

/// The engine that executes kernels. The choice affects running time only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Engine {
    /// Many MPs at the same time where a kernel allows it, else statement by statement.
    #[default]
    Batches,
    /// Statement by statement, all cores of an MP at once.
    Statements,
    /// Core by core with exact numbers.
    Reference,
}

/// The progress of an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Work {
    /// Number of the round in progress, from 1.
    pub round: u64,
    /// MPs of its kernel that are done.
    pub mps_done: u64,
    /// MPs of its kernel.
    pub mps: u64,
}

/// A watcher that hears how far an execution has come and may stop it.
///
/// ```
/// use atgpu::exec::{Execution, Options, Progress, Work};
/// use atgpu::machine::Machine;
/// use std::ops::ControlFlow;
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// /// Shows how far it is, and stops after a while.
/// struct Patience(AtomicU64);
///
/// impl Progress for Patience {
///     fn advance(&self, done: Work) -> ControlFlow<()> {
///         assert!(done.mps_done <= done.mps);
///         match self.0.fetch_sub(1, Ordering::Relaxed) {
///             1 => ControlFlow::Break(()),
///             _ => ControlFlow::Continue(()),
///         }
///     }
/// }
///
/// let program = atgpu::examples::vector_addition();
/// let card = Machine::built_in("gtx650").expect("built in");
/// let point = program.at(&card, [("n", 1 << 12)])?;
/// let mut execution = Execution::prepare(&program, &point, &Options::default())?;
/// // Stopped at the first word: no outcome, and nothing wrong either.
/// let stopped = execution.run(&Patience(AtomicU64::new(1)));
/// assert!(stopped.is_err_and(|faults| faults.is_empty()));
/// # Ok::<(), atgpu::Error>(())
/// ```
pub trait Progress: Sync {
    /// Called many times a second, from any thread.
    fn advance(&self, done: Work) -> ControlFlow<()>;
}

/// A watcher that never stops an execution.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl Progress for Unwatched {
    fn advance(&self, _done: Work) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// The counts of an execution whose `ensure`s are not tested yet.
#[derive(Debug)]
pub struct Executed(host::Executed);

impl Executed {
    /// Operations × active cores, summed over all instructions.
    pub(crate) fn lane_operations(&self) -> u128 {
        self.0.lane_operations
    }
}

/// A program at a point with its input data, ready to run any number of times.
#[derive(Debug)]
pub struct Execution<'p> {
    machine: host::Machine<'p>,
}

impl<'p> Execution<'p> {
    /// Prepares a program at a point. Estimates the memory needed, makes or checks the input data,
    /// and tests the `require`s that read them.
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

    /// Switches to [`Engine::Reference`]: core by core, much slower, with the same results. Tests
    /// hold the faster engines against it.
    #[must_use]
    pub fn by_reference(self) -> Self {
        self.by(Engine::Reference)
    }

    /// Switches to another engine, with the same results.
    #[must_use]
    pub fn by(mut self, engine: Engine) -> Self {
        self.machine.use_engine(engine);
        self
    }

    /// Executes the whole program, from its first transfer on, and tests its `ensure`s. May be
    /// called again.
    ///
    /// ```
    /// use atgpu::exec::{Data, Execution, Input, Options, Unwatched};
    /// use atgpu::machine::Machine;
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let card = Machine::built_in("gtx650").expect("built in");
    /// let point = program.at(&card, [("n", 64)])?;
    /// let mut options = Options::default();
    /// options.inputs.insert("A".into(), Input::Iota);
    /// options.inputs.insert("B".into(), Input::Ones);
    /// let outcome = Execution::prepare(&program, &point, &options)?.run(&Unwatched)?;
    /// assert_eq!(outcome.host["C"].array.data, Data::Int((1..=64).collect()));
    /// assert!(outcome.ensures[0].holds);
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    ///
    /// # Errors
    /// The first fault by round, MP, instruction and core, or `limit::shared` or `limit::global`.
    /// No diagnostic at all when `progress` stopped it. An `ensure` that does not hold is part of
    /// the outcome.
    pub fn run(&mut self, progress: &dyn Progress) -> Result<Outcome, Vec<Diagnostic>> {
        let executed = self.execute(progress)?;
        self.conclude(executed, progress)
    }

    /// Executes and counts all transfers and rounds, with every check, but tests no `ensure`. This
    /// is the part that a benchmark times. May be called again.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn execute(&mut self, progress: &dyn Progress) -> Result<Executed, Vec<Diagnostic>> {
        self.machine.execute(progress).map(Executed)
    }

    /// Tests the `ensure`s on memory as the latest [`execute`](Self::execute) left it.
    ///
    /// # Errors
    /// Only a stop by `progress`, which gives no diagnostic at all.
    pub fn conclude(
        &mut self,
        executed: Executed,
        progress: &dyn Progress,
    ) -> Result<Outcome, Vec<Diagnostic>> {
        self.machine.conclude(executed.0, progress)
    }
}
