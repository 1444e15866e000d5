//! What can end an execution: a fault of the program, or what only data, a machine or the watcher
//! can do; facts, each with its code in the table of diagnostics.

use crate::diag::Diagnostic as Finding;
use crate::exec::{Witness, listed};
use crate::meaning::fault::Fault;
use crate::text::Span;

/// Why an execution ends early.
#[derive(Debug, Clone, thiserror::Error, miette::Diagnostic)]
pub(super) enum Error {
    /// The program is at fault.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Fault(#[from] Fault),

    /// Input data outside `in lo..hi`.
    #[error("`{word}` is {value}, declared in {low}..{high}")]
    #[diagnostic(
        code("atgpu::value::range"),
        help("give data within the range, or widen it")
    )]
    InputOutside {
        word: String,
        value: String,
        low: String,
        high: String,
        #[label(primary, "the data do not keep this range")]
        span: Span,
    },

    /// An empty range, so that no data can be generated.
    #[error("no value lies in {low}..{high}, so `{variable}` can have no data")]
    #[diagnostic(
        code("atgpu::value::range"),
        help("declare a range with at least one value: `in lo..hi`, lo ≤ hi")
    )]
    EmptyRange {
        variable: String,
        low: String,
        high: String,
        #[label(primary, "empty range")]
        span: Span,
    },

    /// Input data that are not `as` declared.
    #[error("`{variable}` is not {property}: {reason}")]
    #[diagnostic(
        code("atgpu::value::range"),
        help("give such data, or leave `as …` out")
    )]
    Property {
        variable: String,
        property: &'static str,
        reason: String,
        #[label(primary, "declared here")]
        span: Span,
    },

    /// Given data of another shape.
    #[error("the data for `{variable}` have shape {given}, it is declared {declared}")]
    #[diagnostic(
        code("atgpu::access::shape"),
        help("give data of the declared shape, or {}", other_parameters(fitting))
    )]
    InputShape {
        variable: String,
        given: String,
        declared: String,
        /// Formals that are extents of their own, with what the data have there.
        fitting: Vec<(String, usize)>,
        #[label(primary, "declared here")]
        span: Span,
    },

    /// Float data for an int variable.
    #[error("`{variable}` holds ints, its data are floats")]
    #[diagnostic(
        code("atgpu::type::mismatch"),
        help("declare it `: float`, or give whole numbers")
    )]
    InputType {
        variable: String,
        #[label(primary, "declared here")]
        span: Span,
    },

    /// Data for something that is no input.
    #[error("data are given for `{name}`, which is no input")]
    #[diagnostic(code("atgpu::usage::value"))]
    NoSuchInput {
        name: String,
        #[help]
        help: Option<String>,
    },

    /// A `require` on data that does not hold.
    #[error("the data do not keep `{text}`{}", shown(witnesses))]
    #[diagnostic(
        code("atgpu::require::violated"),
        help("give data that keep it, or change the `require`")
    )]
    RequireViolated {
        text: String,
        witnesses: Vec<Witness>,
        #[label(primary, "does not hold")]
        span: Span,
    },

    /// An `ensure` that does not hold.
    #[error("`{text}` does not hold{}", shown(witnesses))]
    #[diagnostic(
        code("atgpu::ensure::failed"),
        help("correct the program, or the `ensure`")
    )]
    EnsureFailed {
        text: String,
        witnesses: Vec<Witness>,
        #[label(primary, "does not hold")]
        span: Span,
    },

    /// More shared words than M.
    #[error("shared memory needs {words} words; this machine has M = {capacity}")]
    #[diagnostic(
        code("atgpu::limit::shared"),
        help("declare smaller shared arrays, or choose a machine with a larger M")
    )]
    LimitShared {
        words: String,
        capacity: String,
        #[label(primary, "this kernel")]
        span: Span,
    },

    /// More global words than G.
    #[error("global memory needs {words} words in round {round}; this machine has G = {capacity}")]
    #[diagnostic(
        code("atgpu::limit::global"),
        help("work on the data in parts, or choose a machine with a larger G")
    )]
    LimitGlobal {
        words: String,
        round: u64,
        capacity: String,
        #[label(primary, "live in that round")]
        span: Span,
    },

    /// More memory than there is.
    #[error("running this takes about {needed} of memory, more than the {available} allowed")]
    #[diagnostic(
        code("atgpu::resource::memory"),
        help("take smaller parameters; `cost` counts without data")
    )]
    Memory { needed: String, available: String },

    /// The progress callback asked to stop. Never shown.
    #[error("stopped")]
    Stopped,

    /// An MP needs global memory for itself, while others run. Never shown.
    #[error("MPs have to run one after the other")]
    NotAlone,

    /// More MPs than can be told apart.
    #[error("{count} MPs in one kernel are more than this computer can run")]
    #[diagnostic(
        code("atgpu::resource::memory"),
        help("take smaller parameters; `cost` counts without data")
    )]
    TooManyMps {
        count: String,
        #[label(primary, "launched here")]
        span: Span,
    },
}

/// What shows that a condition fails, as the end of a sentence about it.
fn shown(witnesses: &[Witness]) -> String {
    match witnesses.is_empty() {
        true => String::new(),
        false => format!(": {}", listed(witnesses)),
    }
}

impl From<Error> for Finding {
    fn from(error: Error) -> Finding {
        if let Error::Fault(fault) = error {
            return fault.into();
        }
        Finding::of(&error)
    }
}

impl Error {
    /// A fault of the program.
    #[cold]
    pub(super) fn of(fault: Fault) -> Box<Error> {
        Box::new(Error::Fault(fault))
    }
}

/// The result of anything that can fail on data. Boxed: faults are rare and large.
pub(super) type Result<T> = std::result::Result<T, Box<Error>>;

/// `-D n=3 -D m=4`
fn other_parameters(fitting: &[(String, usize)]) -> String {
    let values = fitting
        .iter()
        .map(|(name, value)| format!("-D {name}={value}"));
    match fitting {
        [] => "other parameters".to_owned(),
        [_, ..] => format!("`{}`", values.collect::<Vec<_>>().join(" ")),
    }
}
