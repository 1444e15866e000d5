//! The result of an execution: counts, memory at the end, the verdicts on its `ensure`s, and a trace.
//! Data only.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::array::Array;
use crate::count::{Charged, Counts};
use crate::diag::Diagnostic;
use crate::exec::memory::written::Written;
use crate::exec::witness::EnsureResult;
use crate::number::BigInt;

/// One statement that the traced MP executed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
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
    /// The variables of the `for` loops around it, from the outside, with their values: `2`, or `0..3` if the active
    /// cores differ.
    pub loops: Vec<(String, String)>,
    /// The active cores, ascending; where [`Options::trace_words`](crate::exec::Options::trace_words) asked.
    pub cores: Vec<usize>,
    /// The words of its operands in order of evaluation; where [`Options::trace_words`](crate::exec::Options::trace_words) asked.
    pub met: Vec<Met>,
}

/// The words of one operand of a traced statement.
///
/// ```
/// use atgpu::exec::{Input, Options};
/// use atgpu::machine::Machine;
///
/// let card = Machine::built_in("gtx650").expect("built in");
/// let mut options = Options { trace: Some(vec![1]), trace_words: true, ..Options::default() };
/// options.inputs.insert("A".into(), Input::Iota);
/// let run = atgpu::examples::vector_addition().run(&card, [("n", 64)], &options)?;
/// let load = &run.outcome().trace[0]; // _a[j] ⇐ a[ib + j]
/// let (read, written) = (&load.met[0], &load.met[1]);
/// assert_eq!((read.variable.as_str(), read.offsets[..2].to_vec()), ("a", vec![32, 33]));
/// assert_eq!(written.words[..2], ["32", "33"]);
/// # Ok::<(), atgpu::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Met {
    /// The array.
    pub variable: String,
    /// True if the array is in global memory, false if in the MP's shared memory.
    pub is_global: bool,
    /// True if its words were written, false if read.
    pub is_written: bool,
    /// The row-major offset of each active core's word in the array.
    pub offsets: Vec<usize>,
    /// Contents of these words after the statement, where it wrote them.
    pub words: Vec<String>,
}

/// An array at the end of an execution.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FinalArray {
    /// The words; those never written are 0. Variables that hold the same share it.
    pub array: Arc<Array>,
    /// The words that were ever written.
    pub written: Written,
}

/// The result of an execution.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Outcome {
    /// All counts of language.md §4. The `arrays` of a round go by the names that kernels write
    /// (an array formal by its argument's name), regardless of earlier `swap`s.
    pub counts: Counts<BigInt>,
    /// The machine's charges, where [`Options::cycle_rules`](crate::exec::Options::cycle_rules) asked.
    pub charges: Option<Charged>,
    /// Every `ensure`, in text order.
    pub ensures: Vec<EnsureResult>,
    /// `ensure::failed` for each `ensure` that does not hold, and the fault of each that has no
    /// truth (such as `value::uninitialised`).
    pub diagnostics: Vec<Diagnostic>,
    /// Σ over executed instructions of operations × active cores; a `let` of a wrapper loop counts
    /// for all b cores.
    pub lane_operations: u128,
    /// Values taken by the quantifiers of all `ensure`s. With the operations, a measure of the
    /// work.
    pub quantified: u64,
    /// The statements of the traced MP, at most [`MOST_TRACE_LINES`] of them.
    pub trace: Vec<TraceLine>,
    /// Host variables at the end, by name.
    pub host: IndexMap<String, Arc<FinalArray>>,
    /// Global variables at the end, by name, as swapped.
    pub global: IndexMap<String, Arc<FinalArray>>,
}

/// Most statements that a trace records.
pub(crate) const MOST_TRACE_LINES: usize = 100_000;

/// Most statements of a trace whose words are recorded.
pub(crate) const MOST_TRACED_WITH_WORDS: usize = 4096;
