//! Faults in the request of a study: senseless or too expensive ones.

use miette::Diagnostic;
use thiserror::Error;

use crate::count::ParseNumber;
use crate::number::Rational;
use crate::text::Known;

/// A `--vary` without valid values.
#[derive(Debug, Clone, PartialEq, Eq, Error, Diagnostic)]
#[error("`--vary {given}`: {problem}")]
#[diagnostic(
    code("atgpu::usage::value"),
    help(
        "write `--vary n=2^16..2^26`, with `:x10` or `:+1000` behind it for other steps, or `--vary n=1,10,100`"
    )
)]
pub struct BadAxis {
    /// As given.
    pub given: String,
    /// The problem.
    pub problem: AxisProblem,
}

/// The problem of a `--vary`; displays as the end of a sentence.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AxisProblem {
    /// `=1..8`
    #[error("no name before the `=`")]
    NoName,
    /// `n`
    #[error("no values")]
    NoValues,
    /// A text that is no number.
    #[error("{0}")]
    Number(ParseNumber),
    /// A range without a value.
    #[error("there is nothing from {low} to {high}")]
    Empty {
        /// Its first number.
        low: Rational,
        /// Its last number, which is smaller.
        high: Rational,
    },
    /// Factors that make no progress.
    #[error("factors need a first value above 0 and a factor above 1; write `:+1` for steps of 1")]
    Factor,
    /// Factors over numbers too large for doubles.
    #[error("factors lead to 10^308 at most")]
    FarFactors,
    /// Too many powers of a factor.
    #[error("more than {most} steps")]
    ManyFactors {
        /// The limit.
        most: usize,
    },
    /// A text after the `:` that is no step.
    #[error("`:{step}` is no step such as `:x10` or `:+1000`")]
    NoStep {
        /// As given.
        step: String,
    },
    /// A step of 0 or less.
    #[error("a step must be above 0")]
    NoProgress,
    /// More values than can be numbered.
    #[error("more than 2^53 values")]
    ManyValues,
    /// Invalid numbers of streams.
    #[error("numbers of streams are whole, from 1 to {most}")]
    Streams {
        /// The largest.
        most: u32,
    },
}

/// The reason why a study is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error, Diagnostic)]
#[non_exhaustive]
pub enum StudyError {
    /// An unknown parameter.
    #[error("`{name}`: no program has such a parameter, nor has a machine")]
    #[diagnostic(code("atgpu::usage::value"), help("{known}"))]
    Stranger {
        /// As given.
        name: String,
        /// The known parameters.
        known: Known,
    },
    /// A parameter both fixed and varied, or varied twice.
    #[error("`{name}` is given more than one set of values")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("give it by one `--vary` or one `-D`")
    )]
    Twice {
        /// The parameter.
        name: String,
    },
    /// A parameter tied to one that does not vary.
    #[error("`--vary {name}={to}`: `{to}` does not vary")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("write `--vary {to}=32..1024` too, and `--vary {name}={to}` or `{name}={to}/32`")
    )]
    Untied {
        /// The parameter.
        name: String,
        /// What it is to move with.
        to: String,
    },
    /// An invalid part.
    #[error("`--part {given}` names no part")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("write `--part 3/64` for the third of 64")
    )]
    Part {
        /// As given.
        given: String,
    },
    /// More points than can be numbered.
    #[error("the grid has more than 2^53 points")]
    #[diagnostic(code("atgpu::usage::value"), help("choose larger steps"))]
    TooManyPoints,
    /// More points than can be measured in reasonable time.
    #[error("more than {most} points to measure")]
    #[diagnostic(code("atgpu::usage::value"), help("choose larger steps"))]
    TooManyToMeasure {
        /// The limit.
        most: u64,
    },
    /// More points than a figure can show.
    #[error("a figure of more than {most} points")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("choose larger steps; `sweep` has no such limit")
    )]
    TooManyToDraw {
        /// The limit.
        most: u64,
    },
    /// Too many values of b for models that charge by a machine's own rules: they derive again for each.
    #[error("models that need a machine's own weights take at most 64 values of b")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("vary b by factors, or leave those models out")
    )]
    TooManyWidths,
    /// A figure that only unselected models have.
    #[error("`{name}` is a figure of {models}, and no such model is asked for")]
    #[diagnostic(code("atgpu::usage::value"), help("add `--model {model}`"))]
    QuantityOfModels {
        /// As given.
        name: String,
        /// A model that has it.
        model: &'static str,
        /// All models that have it.
        models: String,
    },
    /// An unknown quantity.
    #[error("`{name}`: no such quantity")]
    #[diagnostic(code("atgpu::usage::value"), help("{known}"))]
    Quantity {
        /// As given.
        name: String,
        /// The known quantities.
        known: Known,
    },
    /// No closed form, and counting takes long.
    #[error("{program} has no closed form, and counting its {points} points takes over 10 seconds")]
    #[diagnostic(
        code("atgpu::resource::memory"),
        help("add `--count` to count however long it takes, or choose fewer or smaller values")
    )]
    TooLong {
        /// The algorithm.
        program: String,
        /// The number of points.
        points: u64,
    },
}

/// The reason why a measurement is not part of a figure.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum StrayMeasurement {
    /// It belongs to another algorithm.
    #[error("line {line} is of `{name}`, which is not drawn")]
    Program {
        /// The row's line.
        line: u64,
        /// The algorithm it names.
        name: String,
    },
    /// It has no value on the x axis.
    #[error("line {line} gives no `{name}`")]
    Place {
        /// The row's line.
        line: u64,
        /// The parameter on the x axis.
        name: String,
    },
    /// It was measured at other parameters.
    #[error("line {line} was measured at {name} = {measured}, and {name} = {drawn} is drawn")]
    Elsewhere {
        /// The row's line.
        line: u64,
        /// The parameter.
        name: String,
        /// Its value in the row.
        measured: String,
        /// Its value in the figure.
        drawn: String,
    },
    /// It lacks a time that is drawn.
    #[error("line {line} lacks {lacking}")]
    Times {
        /// The row's line.
        line: u64,
        /// The missing time.
        lacking: &'static str,
    },
}

/// The reason why measured times do not fit a program.
#[derive(Debug, Clone, PartialEq, Eq, Error, Diagnostic)]
#[non_exhaustive]
pub enum CalibrateError {
    /// A row of an unknown algorithm.
    #[error("line {line} of the measurements is of `{name}`, which is no program given")]
    #[diagnostic(code("atgpu::usage::value"), help("the files hold {}", .programs.join(", ")))]
    Stranger {
        /// The row's line.
        line: u64,
        /// The algorithm it names.
        name: String,
        /// The known algorithms.
        programs: Vec<String>,
    },
    /// A row without an algorithm, although there are several.
    #[error("line {line} of the measurements does not say which program it is of")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("add a column `program` with the algorithm's name")
    )]
    WhichProgram {
        /// The row's line.
        line: u64,
    },
    /// A column that is no parameter.
    #[error("line {line} of the measurements gives `{name}`, which is no parameter")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help(
            "name columns by parameters of the program or the machine, `total_ms`, `kernel_ms`, or `program`"
        )
    )]
    Parameter {
        /// The row's line.
        line: u64,
        /// The column.
        name: String,
    },
    /// A column with a fitted figure.
    #[error("line {line} of the measurements gives `{name}`, which is fitted to them")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("leave the column out; where it is known, give `-D {name}=…` for all rows")
    )]
    Fitted {
        /// The row's line.
        line: u64,
        /// The column.
        name: String,
    },
    /// A launch without its predicted counts.
    #[error("line {line} of the measurements does not say what its launch takes")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("fill `amount`, `blocks`, `operations` and `shared`, as `atgpu measure` does")
    )]
    Uncounted {
        /// The row's line.
        line: u64,
    },
    /// Words of another width than the machine's.
    #[error("line {line} of the measurements has words of {measured} bytes, the machine of {own}")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("begin with a machine whose `word_bytes` is {measured}, or measure with other words")
    )]
    Width {
        /// The row's line.
        line: u64,
        /// Bytes of its words.
        measured: i64,
        /// Bytes of the machine's.
        own: i64,
    },
    /// Counts that are only bounds.
    #[error("{program} has no exact counts where it was measured")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("measure a program whose cost does not depend on data")
    )]
    OnlyBounds {
        /// The algorithm.
        program: String,
    },
    /// No closed form, and counting takes long.
    #[error("{program} has no closed form, and counting it takes over 10 seconds")]
    #[diagnostic(
        code("atgpu::resource::memory"),
        help("add `--count` to count however long it takes")
    )]
    TooLong {
        /// The algorithm.
        program: String,
    },
}
