//! What can go wrong on data: facts, and the code each of them has in the table of diagnostics.
//!
//! Every fault in a kernel carries its [`Place`]: which MP and, where one is at fault, which core.

use std::fmt;

use crate::diag::Diagnostic as Finding;
use crate::text::Span;

/// Where in the machine something happened; the host has neither MP nor core.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// The MP's numbers, one per dimension.
    pub mp: Vec<i64>,
    /// The core, 0 … b−1.
    pub core: Option<usize>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mp.as_slice() {
            [] => return f.write_str("the host"),
            [number] => write!(f, "MP {number}")?,
            numbers => {
                let numbers: Vec<String> = numbers.iter().map(i64::to_string).collect();
                write!(f, "MP ({})", numbers.join(", "))?;
            }
        }
        match self.core {
            Some(core) => write!(f, ", core {core}"),
            None => Ok(()),
        }
    }
}

/// Which dimension an index is out of, for messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OutOfBounds {
    /// The variable.
    pub variable: String,
    /// The index, from 0.
    pub dimension: usize,
    /// How many dimensions there are.
    pub dimensions: usize,
    /// The value of the index.
    pub index: String,
    /// The extent.
    pub extent: usize,
}

impl fmt::Display for OutOfBounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OutOfBounds {
            variable,
            index,
            extent,
            ..
        } = self;
        if self.dimensions > 1 {
            write!(f, "index {} of `{variable}`", self.dimension + 1)?;
        } else {
            write!(f, "the index of `{variable}`")?;
        }
        match extent {
            0 => write!(f, " is {index}, but its extent is 0"),
            _ => write!(f, " is {index}, outside 0..{}", extent - 1),
        }
    }
}

/// A fault of an execution.
#[derive(Debug, Clone, thiserror::Error, miette::Diagnostic)]
pub(super) enum Error {
    /// A word read before anything wrote it.
    #[error("`{word}` is read before it is written ({place})")]
    #[diagnostic(
        code("atgpu::value::uninitialised"),
        help(
            "write the word first; shared memory is undefined at the start of every kernel on every MP"
        )
    )]
    Uninitialised {
        word: String,
        place: Place,
        #[label(primary, "never written")]
        span: Span,
    },

    /// A transfer or a condition of the host that reads a word nothing has written.
    #[error("`{word}` is read before it is written ({place})")]
    #[diagnostic(
        code("atgpu::value::uninitialised"),
        help(
            "no transfer and no kernel has written it: launch MPs for all words, as in `MP[0..⌈n/b⌉-1]` with a guard, or transfer fewer words"
        )
    )]
    Unwritten {
        word: String,
        place: Place,
        #[label(primary, "never written")]
        span: Span,
    },

    /// An int beyond 64 bits.
    #[error("{value} does not fit a 64-bit int ({place})")]
    #[diagnostic(
        code("atgpu::value::overflow"),
        help("an int lies in -2^63 .. 2^63 - 1; use float, or reduce the value first")
    )]
    Overflow {
        value: String,
        place: Place,
        #[label(primary, "overflows")]
        span: Span,
    },

    /// A division by zero.
    #[error("division by zero ({place})")]
    #[diagnostic(
        code("atgpu::value::division-by-zero"),
        help(
            "`∧`, `∨` and `select` evaluate all their operands: guard the division by an `if` around it"
        )
    )]
    DivisionByZero {
        place: Place,
        #[label(primary, "the divisor is 0")]
        span: Span,
    },

    /// A fraction where a whole number is needed.
    #[error("{value} is not a whole number ({place})")]
    #[diagnostic(
        code("atgpu::value::not-integral"),
        help("round it with `⌈…⌉` or `⌊…⌋`, or use `div`")
    )]
    NotIntegral {
        value: String,
        place: Place,
        #[label(primary, "must be whole here")]
        span: Span,
    },

    /// A logarithm, root or power that does not exist, or is beyond all measure.
    #[error("{what} has no value ({place})")]
    #[diagnostic(
        code("atgpu::value::not-integral"),
        help("keep what is inside in the range where it has a value, with an `if` or a `require`")
    )]
    Undefined {
        what: String,
        place: Place,
        #[label(primary, "undefined")]
        span: Span,
    },

    /// A bit function of a negative number.
    #[error("a bit function of {value}, which is negative ({place})")]
    #[diagnostic(
        code("atgpu::value::range"),
        help("bit functions take whole numbers from 0 to 2^63 - 1")
    )]
    NegativeBits {
        value: String,
        place: Place,
        #[label(primary, "negative")]
        span: Span,
    },

    /// `min` or `max` over nothing.
    #[error("`min` or `max` over an empty range ({place})")]
    #[diagnostic(
        code("atgpu::value::range"),
        help("guard it, or `require` that the range has a value")
    )]
    EmptyExtreme {
        place: Place,
        #[label(primary, "no value to choose from")]
        span: Span,
    },

    /// A written value outside `in lo..hi`.
    #[error("{value} is written to `{word}`, declared in {low}..{high} ({place})")]
    #[diagnostic(
        code("atgpu::value::range"),
        help("widen the declared range, or keep the value inside it")
    )]
    OutsideDeclared {
        word: String,
        value: String,
        low: String,
        high: String,
        place: Place,
        #[label(primary, "outside the declared range")]
        span: Span,
        #[label("declared here")]
        declaration: Span,
    },

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

    /// Outside a host array.
    #[error("{fact} ({place})")]
    #[diagnostic(
        code("atgpu::bounds::host"),
        help("shorten the slice, or declare the array larger")
    )]
    BoundsHost {
        fact: OutOfBounds,
        place: Place,
        #[label(primary, "outside")]
        span: Span,
        #[label("declared here")]
        declaration: Span,
    },

    /// A transfer from or to words outside a global array.
    #[error("{fact} ({place})")]
    #[diagnostic(
        code("atgpu::bounds::global"),
        help("shorten the slice, or declare the array larger")
    )]
    BoundsTransfer {
        fact: OutOfBounds,
        place: Place,
        #[label(primary, "outside")]
        span: Span,
        #[label("declared here")]
        declaration: Span,
    },
    /// Outside a global array.
    #[error("{fact} ({place})")]
    #[diagnostic(
        code("atgpu::bounds::global"),
        help("guard the access by `if index < extent then`, or declare the array larger")
    )]
    BoundsGlobal {
        fact: OutOfBounds,
        place: Place,
        #[label(primary, "outside")]
        span: Span,
        #[label("declared here")]
        declaration: Span,
    },

    /// Outside a shared array.
    #[error("{fact} ({place})")]
    #[diagnostic(
        code("atgpu::bounds::shared"),
        help("guard the access by an `if`, or declare the array larger")
    )]
    BoundsShared {
        fact: OutOfBounds,
        place: Place,
        #[label(primary, "outside")]
        span: Span,
        #[label("declared here")]
        declaration: Span,
    },

    /// Two cores, one shared word, two values.
    #[error(
        "cores {first} and {second} write {first_value} and {second_value} to `{word}` in one instruction ({place})"
    )]
    #[diagnostic(
        code("atgpu::race::shared"),
        help("let one core write, or combine the values with `atomic`")
    )]
    RaceShared {
        word: String,
        first: usize,
        second: usize,
        first_value: String,
        second_value: String,
        place: Place,
        #[label(primary, "both write here")]
        span: Span,
    },

    /// Two cores of one MP, one global word, two values.
    #[error(
        "cores {first} and {second} write {first_value} and {second_value} to `{word}` in one instruction ({place})"
    )]
    #[diagnostic(code("atgpu::race::global"), help("let one core write"))]
    RaceCores {
        word: String,
        first: usize,
        second: usize,
        first_value: String,
        second_value: String,
        place: Place,
        #[label(primary, "both write here")]
        span: Span,
    },

    /// Two MPs meet on a global word.
    #[error(
        "{other} {other_does} `{word}`, and {place} {does} it in the same kernel, where MPs run in no order"
    )]
    #[diagnostic(
        code("atgpu::race::global"),
        help("split the work into two kernels, or write to another array")
    )]
    RaceMps {
        word: String,
        does: String,
        other_does: String,
        place: Place,
        other: String,
        #[label(primary, "this access")]
        span: Span,
        #[label("and this one")]
        other_span: Option<Span>,
    },

    /// `at most` passed.
    #[error("iteration {iteration} begins, but the loop was to take at most {bound} ({place})")]
    #[diagnostic(
        code("atgpu::loop::bound-exceeded"),
        help("raise the bound behind `at most`")
    )]
    BoundExceeded {
        iteration: String,
        bound: String,
        place: Place,
        #[label(primary, "passes its bound")]
        span: Span,
    },

    /// The two sides of a transfer differ in words.
    #[error("the left side has {left} words, the right side {right}")]
    #[diagnostic(
        code("atgpu::access::shape"),
        help("both sides of `⇚` have the same number of words")
    )]
    TransferShape {
        left: String,
        right: String,
        #[label(primary, "different numbers of words")]
        span: Span,
    },

    /// Swapped arrays differ in shape.
    #[error("`{left}` is {left_shape} and `{right}` is {right_shape}: only equal shapes swap")]
    #[diagnostic(
        code("atgpu::access::shape"),
        help("declare both with the same dimensions")
    )]
    SwapShape {
        left: String,
        right: String,
        left_shape: String,
        right_shape: String,
        #[label(primary, "different shapes")]
        span: Span,
    },

    /// Given data of another shape.
    #[error("the data for `{variable}` have shape {given}, it is declared {declared}")]
    #[diagnostic(
        code("atgpu::access::shape"),
        help("give data of the declared shape, or other parameters")
    )]
    InputShape {
        variable: String,
        given: String,
        declared: String,
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
    #[error("the data do not keep `{text}`{values}")]
    #[diagnostic(
        code("atgpu::require::violated"),
        help("give data that keep it, or change the `require`")
    )]
    RequireViolated {
        text: String,
        values: String,
        #[label(primary, "does not hold")]
        span: Span,
    },

    /// An `ensure` that does not hold.
    #[error("`{text}` does not hold{values}")]
    #[diagnostic(
        code("atgpu::ensure::failed"),
        help("correct the program, or the `ensure`")
    )]
    EnsureFailed {
        text: String,
        values: String,
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

impl From<Error> for Finding {
    fn from(error: Error) -> Finding {
        Finding::of(&error)
    }
}

/// The result of anything that can fail on data. Boxed: faults are rare and large.
pub(super) type Result<T> = std::result::Result<T, Box<Error>>;
