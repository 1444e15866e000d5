//! Reasons for an execution to end: a fault of the program, or a fact that only data, a machine or
//! the watcher can bring about. Each has its code in the table of diagnostics.

use std::fmt;

use crate::diag::{Diagnostic as Finding, Label};
use crate::exec::{Witness, listed};
use crate::machine::{Exceeded, Memory};
use crate::meaning::fault::Fault;
use crate::meaning::value::Value;
use crate::syntax::ast::Property;
use crate::text::Span;

/// Reason for an execution to end early.
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
    #[error("`{variable}` is not {}: {breach}", words(*property))]
    #[diagnostic(
        code("atgpu::value::range"),
        help("give such data, or leave `as …` out")
    )]
    Property {
        variable: String,
        property: Property,
        breach: Breach,
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
        near: Option<NearInput>,
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
        help("{}", remedy(*by_rounding, *same_in_all))
    )]
    EnsureFailed {
        text: String,
        witnesses: Vec<Witness>,
        /// True if the sides of a float `=` differ by rounding alone.
        by_rounding: bool,
        /// The line that reads the same global words in every MP, if there is one.
        same_in_all: Option<usize>,
        #[label(primary, "does not hold")]
        span: Span,
    },

    /// More words than M or G.
    #[error("{exceeded}")]
    Limit {
        exceeded: Exceeded,
        /// The kernel, or what is live.
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

fn words(property: Property) -> &'static str {
    match property {
        Property::Sorted => "sorted",
        Property::Permutation => "a permutation",
        Property::List => "a list",
    }
}

/// Evidence that given data are not `as` declared; words go by their names, as `A[3]`.
#[derive(Debug, Clone)]
pub(super) enum Breach {
    /// A word, and the next one with a smaller value.
    Descent([(String, Value); 2]),
    /// A value that is no place of the array.
    Outside {
        word: String,
        value: i64,
        last: usize,
    },
    /// Two words of one value.
    Same { words: [String; 2], value: i64 },
    /// Two ends of a list.
    Ends([String; 2]),
    /// A list without end.
    NoEnd,
    /// A list that does not lead through all elements.
    Short {
        met: usize,
        words: usize,
        end: String,
    },
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Breach::Descent([(first, value), (next, less)]) => {
                write!(f, "{first} is {value} and {next} is {less}")
            }
            Breach::Outside { word, value, last } => {
                write!(f, "{word} is {value}, outside 0..{last}")
            }
            Breach::Same {
                words: [one, other],
                value,
            } => write!(f, "{one} and {other} are both {value}"),
            Breach::Ends([one, other]) => {
                write!(f, "{one} and {other} both point to themselves")
            }
            Breach::NoEnd => f.write_str("no element points to itself"),
            Breach::Short { met, words, end } => {
                write!(f, "only {met} of its {words} elements lead to {end}")
            }
        }
    }
}

/// The input with the nearest name; displays as a help.
#[derive(Debug, Clone)]
pub(super) struct NearInput(pub(super) String);

impl fmt::Display for NearInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the input is called `{}`", self.0)
    }
}

/// Renders witnesses as the end of a sentence about a failing condition.
fn shown(witnesses: &[Witness]) -> String {
    if witnesses.is_empty() {
        String::new()
    } else {
        format!(": {}", listed(witnesses))
    }
}

impl From<Error> for Finding {
    fn from(error: Error) -> Finding {
        match &error {
            Error::Fault(fault) => fault.clone().into(),
            Error::Limit { exceeded, span } => {
                let text = match exceeded.memory {
                    Memory::Shared => "this kernel",
                    Memory::Global => "live in that round",
                };
                let label = Label {
                    text: text.to_owned(),
                    span: *span,
                    primary: true,
                };
                exceeded.diagnose(exceeded.help().to_owned(), vec![label])
            }
            _ => Finding::of(&error),
        }
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

/// Returns the help for a failing `ensure`.
fn remedy(by_rounding: bool, same_in_all: Option<usize>) -> String {
    match same_in_all {
        _ if by_rounding => {
            "the two differ by rounding alone: compare floats with `≈`, within 10^-9 of the larger"
                .to_owned()
        }
        Some(line) => format!(
            "correct the program, or the `ensure`; line {line} reads the same words in every MP: its index does not name the MP"
        ),
        None => "correct the program, or the `ensure`".to_owned(),
    }
}

/// Suggests parameters: `-D n=3 -D m=4`.
fn other_parameters(fitting: &[(String, usize)]) -> String {
    let values = fitting
        .iter()
        .map(|(name, value)| format!("-D {name}={value}"));
    match fitting {
        [] => "other parameters".to_owned(),
        [_, ..] => format!("`{}`", values.collect::<Vec<_>>().join(" ")),
    }
}
