//! What can go wrong in an expression over parameters, before anything runs: every fault with its
//! code, its words and its help, which speak of what a user gives, not of MPs and cores.

use crate::diag::Diagnostic as Finding;
use crate::meaning::fault::{Extreme, NoValue, Operand};
use crate::meaning::value::Value;
use crate::number::{Real, legible};
use crate::text::Span;

/// A fault of an expression over parameters.
#[derive(Debug, Clone, thiserror::Error, miette::Diagnostic)]
pub(crate) enum ParameterFault {
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
    /// `n^1000 > 3^n` at thousands of sizes.
    #[error("numbers of thousands of digits take too long here")]
    #[diagnostic(
        code("atgpu::resource::memory"),
        help("check the exponent, or compare logarithms: n > m·log2(3) for 2^n > 3^m")
    )]
    TooLong {
        #[label(primary, "this number")]
        span: Span,
    },
}

impl NoValue {
    /// The fault it is of an expression over parameters, or of an operand of it.
    pub(crate) fn of_parameters(self, whole: Span, operand: Span) -> ParameterFault {
        let (span, text) = (operand, |operand: Operand| match operand {
            Operand::Value(value) => value_shown(&value),
            Operand::Words(words) => words,
        });
        match self {
            NoValue::DivisionByZero => ParameterFault::DivisionByZero { span },
            NoValue::NotIntegral(value) => ParameterFault::NotIntegral {
                value: text(value),
                span,
            },
            NoValue::NoLogarithm { argument, base } => ParameterFault::NoLogarithm {
                argument: value_shown(&argument),
                base: value_shown(&base),
                span: whole,
            },
            NoValue::NoPower(argument, _) | NoValue::NoRoot(argument) => ParameterFault::NoRoot {
                argument: value_shown(&argument),
                span: whole,
            },
            NoValue::GreatPower(..)
            | NoValue::GreatShift(..)
            | NoValue::NoInt(_)
            | NoValue::BeyondMeasure => ParameterFault::TooLarge { span: whole },
            NoValue::Overflow(value) => ParameterFault::BeyondWord {
                value: text(value),
                span,
            },
            NoValue::NegativeBits(value) => ParameterFault::NegativeBits {
                value: text(value),
                span,
            },
            NoValue::NoDigits { value, base } => ParameterFault::NoDigits {
                value: legible(&value),
                base: legible(&base),
                span: whole,
            },
            NoValue::EmptyExtreme(which) => ParameterFault::EmptyRange {
                which: match which {
                    Extreme::Minimum => "minimum",
                    Extreme::Maximum => "maximum",
                },
                span: whole,
            },
        }
    }
}

impl From<ParameterFault> for Finding {
    fn from(error: ParameterFault) -> Self {
        Finding::of(&error)
    }
}

fn value_shown(value: &Value) -> String {
    match value {
        Value::Whole(_) | Value::Float(_) => value.to_string(),
        Value::Exact(real) => shown(real),
    }
}

/// A value as a person would write it.
pub(crate) fn shown(value: &Real) -> String {
    match value.to_rational() {
        Some(value) => legible(&value),
        None => legible(&format!("{:.6}", value.to_f64())),
    }
}
