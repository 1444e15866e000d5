//! What can go wrong when parameters get values: typed errors with their codes.

use miette::Diagnostic as MietteDiagnostic;
use thiserror::Error;

use crate::diag::Diagnostic;
use crate::text::Span;

/// A fault of an expression over parameters.
#[derive(Debug, Clone, Error, MietteDiagnostic)]
pub(crate) enum ValueError {
    /// `n/0`, `n mod 0`, `0^-1`
    #[error("division by zero")]
    #[diagnostic(
        code("atgpu::value::division-by-zero"),
        help("guard it with a `require`, or make the divisor at least 1")
    )]
    DivisionByZero {
        #[label(primary, "the divisor is 0 here")]
        span: Span,
    },
    /// A fraction where a whole number is needed.
    #[error("{value} is not a whole number")]
    #[diagnostic(
        code("atgpu::value::not-integral"),
        help("round it with `⌈ ⌉` or `⌊ ⌋`, or `require` what makes it come out whole")
    )]
    NotIntegral {
        value: String,
        #[label(primary, "needs a whole number")]
        span: Span,
    },
    /// A logarithm that does not exist.
    #[error("the logarithm of {argument} to the base {base} does not exist")]
    #[diagnostic(
        code("atgpu::value::not-integral"),
        help("a logarithm needs a positive argument and a positive base other than 1")
    )]
    NoLogarithm {
        argument: String,
        base: String,
        #[label(primary, "has no value")]
        span: Span,
    },
    /// `sqrt` or a fractional power of a negative number.
    #[error("a root of the negative number {argument} does not exist")]
    #[diagnostic(
        code("atgpu::value::not-integral"),
        help("`require` that the number is at least 0")
    )]
    NoRoot {
        argument: String,
        #[label(primary, "has no value")]
        span: Span,
    },
    /// `2^(10^9)`
    #[error("the value has more than a million binary digits")]
    #[diagnostic(
        code("atgpu::value::overflow"),
        help("no count is that large; check the exponent")
    )]
    TooLarge {
        #[label(primary, "too large")]
        span: Span,
    },
    /// A bit function of a number beyond a word.
    #[error("{value} does not fit a 64-bit int")]
    #[diagnostic(
        code("atgpu::value::overflow"),
        help("bit functions work on whole numbers from 0 to 2^63 - 1")
    )]
    BeyondWord {
        value: String,
        #[label(primary, "too large for a bit function")]
        span: Span,
    },
    /// A bit function of a negative number, or a shift by one.
    #[error("{value} is negative")]
    #[diagnostic(
        code("atgpu::value::range"),
        help("bit functions work on whole numbers from 0 on")
    )]
    NegativeBits {
        value: String,
        #[label(primary, "needs a number of at least 0")]
        span: Span,
    },
    /// `digit_sum` of a negative number, or to a base below 2.
    #[error("`digit_sum` of {value} to the base {base} does not exist")]
    #[diagnostic(
        code("atgpu::value::range"),
        help("`digit_sum(x, b)` needs x ≥ 0 and b ≥ 2")
    )]
    NoDigits {
        value: String,
        base: String,
        #[label(primary, "has no value")]
        span: Span,
    },
    /// `min` or `max` of nothing.
    #[error("the {which} of nothing: the range is empty")]
    #[diagnostic(
        code("atgpu::value::range"),
        help("`require` that the range holds at least one number")
    )]
    EmptyRange {
        which: &'static str,
        #[label(primary, "has no value")]
        span: Span,
    },
    /// A negative extent of an array.
    #[error("`{variable}` would have {value} words in one dimension")]
    #[diagnostic(
        code("atgpu::value::range"),
        help("an extent is at least 0; `require` what keeps it so")
    )]
    NegativeExtent {
        variable: String,
        value: String,
        #[label(primary, "is {value}")]
        span: Span,
    },
    /// A quantifier over more values than anybody waits for.
    #[error("more than {limit} values to try")]
    #[diagnostic(
        code("atgpu::resource::memory"),
        help("narrow the range of the quantifier, or write a closed form")
    )]
    TooManyValues {
        limit: u64,
        #[label(primary, "this quantifier")]
        span: Span,
    },
}

/// A fault of the values a user gives.
#[derive(Debug, Clone, Error, MietteDiagnostic)]
pub(crate) enum PointError {
    /// A formal without a value.
    #[error("`{name}` has no value")]
    #[diagnostic(code("atgpu::usage::value"), help("give it one with `-D {name}=…`"))]
    Missing {
        name: String,
        #[label(primary, "declared here")]
        span: Option<Span>,
    },
    /// A formal with a fraction for a value.
    #[error("`{name}` is {value}, which is not a whole number")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("parameters are whole numbers: write `-D {name}={floor}`, say")
    )]
    Fraction {
        name: String,
        value: String,
        floor: String,
        #[label(primary, "declared here")]
        span: Option<Span>,
    },
    /// A value for a `let`.
    #[error("`{name}` is a `let` of the program and follows from its definition")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("give values to formal parameters only ({formals})")
    )]
    OfLet {
        name: String,
        formals: String,
        #[label(primary, "defined here")]
        span: Option<Span>,
    },
    /// A value for a name that is no parameter.
    #[error("the algorithm has no parameter `{name}`")]
    #[diagnostic(code("atgpu::usage::value"), help("{help}"))]
    Unknown { name: String, help: String },
    /// A `require` that does not hold.
    #[error("`{text}` does not hold{given}")]
    #[diagnostic(
        code("atgpu::require::violated"),
        help("choose values that satisfy it, or weaken the `require`")
    )]
    Violated {
        text: String,
        /// ` for n = 9, b = 4`, or nothing.
        given: String,
        #[label(primary, "violated")]
        span: Span,
    },
}

impl From<ValueError> for Diagnostic {
    fn from(error: ValueError) -> Self {
        Diagnostic::of(&error)
    }
}

impl From<PointError> for Diagnostic {
    fn from(error: PointError) -> Self {
        Diagnostic::of(&error)
    }
}
