//! Faults that are certain without data: typed errors with their codes.

use std::fmt;

use miette::Diagnostic as MietteDiagnostic;
use thiserror::Error;

use crate::diag::Diagnostic;
use crate::interval::value::Fault;
use crate::text::Span;

/// An index outside its extent, in the words of an execution.
#[derive(Debug, Clone)]
pub(super) struct Outside {
    /// The variable.
    pub(super) variable: String,
    /// Which index is outside, from 0, and of how many.
    pub(super) dimension: (usize, usize),
    pub(super) index: String,
    pub(super) extent: String,
}

impl fmt::Display for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (variable, index, extent) = (&self.variable, &self.index, &self.extent);
        match self.dimension {
            (at, 2..) => write!(f, "index {} of `{variable}`", at + 1)?,
            (_, _) => write!(f, "the index of `{variable}`")?,
        }
        match extent.parse::<i128>() {
            Ok(0) => write!(f, " is {index}, but its extent is 0"),
            Ok(extent) => write!(f, " is {index}, outside 0..{}", extent - 1),
            Err(_) => write!(f, " is {index}, beyond its extent of {extent}"),
        }
    }
}

/// A word of an array as a program writes it: `a[1, 2]`.
pub(super) fn word_name(variable: &str, extents: &[i64], offset: i64) -> String {
    let mut rest = offset;
    let mut indices: Vec<String> = Vec::new();
    for extent in extents.iter().rev() {
        indices.push((rest % extent.max(&1)).to_string());
        rest /= extent.max(&1);
    }
    indices.reverse();
    match indices.is_empty() {
        true => variable.to_owned(),
        false => format!("{variable}[{}]", indices.join(", ")),
    }
}

/// A fault that every run at this point meets. `tests/suite/meaning/wordings.rs` holds that an execution that meets
/// it says the same.
#[derive(Debug, Clone, Error, MietteDiagnostic)]
pub(super) enum CertainFault {
    #[error("{fact} ({place})")]
    #[diagnostic(
        code("atgpu::bounds::shared"),
        help("guard the access by an `if`, or declare the array larger")
    )]
    SharedIndex {
        fact: Outside,
        place: String,
        #[label(primary, "outside")]
        span: Span,
        #[label("declared here")]
        declaration: Span,
    },
    #[error("{fact} ({place})")]
    #[diagnostic(
        code("atgpu::bounds::global"),
        help("guard the access by `if index < extent then`, or declare the array larger")
    )]
    GlobalIndex {
        fact: Outside,
        place: String,
        #[label(primary, "outside")]
        span: Span,
        #[label("declared here")]
        declaration: Span,
    },
    #[error("{fact} (the host)")]
    #[diagnostic(
        code("atgpu::bounds::host"),
        help("shorten the slice, or declare the array larger")
    )]
    HostIndex {
        fact: Outside,
        #[label(primary, "outside")]
        span: Span,
        #[label("declared here")]
        declaration: Span,
    },
    #[error("{fact} (the host)")]
    #[diagnostic(
        code("atgpu::bounds::global"),
        help("shorten the slice, or declare the array larger")
    )]
    TransferIndex {
        fact: Outside,
        #[label(primary, "outside")]
        span: Span,
        #[label("declared here")]
        declaration: Span,
    },
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
    #[error(
        "cores {first} and {second} write {first_value} and {second_value} to `{word}` in one instruction ({place})"
    )]
    #[diagnostic(
        code("atgpu::race::shared"),
        help("let one core write, or combine the values with `atomic`")
    )]
    SharedRace {
        word: String,
        first: usize,
        second: usize,
        first_value: String,
        second_value: String,
        place: String,
        #[label(primary, "both write here")]
        span: Span,
    },
    #[error("`{word}` is read before it is written ({place})")]
    #[diagnostic(
        code("atgpu::value::uninitialised"),
        help(
            "write the word first; shared memory is undefined at the start of every kernel on every MP"
        )
    )]
    Uninitialised {
        word: String,
        place: String,
        #[label(primary, "never written")]
        span: Span,
    },
    #[error("`{array}` is read before any of it is written (the host)")]
    #[diagnostic(
        code("atgpu::value::uninitialised"),
        help(
            "no transfer and no kernel has written it: launch MPs for all words, as in `MP[0..⌈n/b⌉-1]` with a guard, or transfer fewer words"
        )
    )]
    UninitialisedTransfer {
        array: String,
        #[label(primary, "never written")]
        span: Span,
    },
    #[error("division by zero ({place})")]
    #[diagnostic(
        code("atgpu::value::division-by-zero"),
        help(
            "`∧`, `∨` and `select` evaluate all their operands: guard the division by an `if` around it"
        )
    )]
    DivisionByZero {
        place: String,
        #[label(primary, "the divisor is 0")]
        span: Span,
    },
    #[error("{value} does not fit a 64-bit int ({place})")]
    #[diagnostic(
        code("atgpu::value::overflow"),
        help("an int lies in -2^63 .. 2^63 - 1; use float, or reduce the value first")
    )]
    Overflow {
        value: String,
        place: String,
        #[label(primary, "overflows")]
        span: Span,
    },
    #[error("{value} is not a whole number ({place})")]
    #[diagnostic(
        code("atgpu::value::not-integral"),
        help("round it with `⌈…⌉` or `⌊…⌋`, or use `div`")
    )]
    NotIntegral {
        value: String,
        place: String,
        #[label(primary, "must be whole here")]
        span: Span,
    },
    #[error("a bit function of {value}, which is negative ({place})")]
    #[diagnostic(
        code("atgpu::value::range"),
        help("bit functions take whole numbers from 0 to 2^63 - 1")
    )]
    NegativeBits {
        value: String,
        place: String,
        #[label(primary, "negative")]
        span: Span,
    },
    #[error("{value} is written to `{array}`, declared in {low}..{high} ({place})")]
    #[diagnostic(
        code("atgpu::value::range"),
        help("widen the declared range, or keep the value inside it")
    )]
    DeclaredRange {
        array: String,
        value: String,
        low: String,
        high: String,
        place: String,
        #[label(primary, "outside the declared range")]
        span: Span,
        #[label("declared here")]
        declaration: Span,
    },
    #[error("iteration {iteration} begins, but the loop was to take at most {bound} ({place})")]
    #[diagnostic(
        code("atgpu::loop::bound-exceeded"),
        help("raise the bound behind `at most`")
    )]
    BoundExceeded {
        iteration: String,
        bound: String,
        place: String,
        #[label(primary, "passes its bound")]
        span: Span,
    },
}

impl CertainFault {
    /// The fault of an operation on known values.
    pub(super) fn of(fault: Fault, place: String, span: Span) -> CertainFault {
        match fault {
            Fault::DivisionByZero => CertainFault::DivisionByZero { place, span },
            Fault::Overflow(value) => CertainFault::Overflow { value, place, span },
            Fault::NotIntegral(value) => CertainFault::NotIntegral { value, place, span },
            Fault::NegativeBits(value) => CertainFault::NegativeBits { value, place, span },
        }
    }
}

impl From<CertainFault> for Diagnostic {
    fn from(fault: CertainFault) -> Self {
        Diagnostic::of(&fault)
    }
}

/// A loop whose iterations nothing bounds.
#[derive(Debug, Clone, Error, MietteDiagnostic)]
pub(super) enum Unbounded {
    #[error("nothing bounds the iterations of this `while`")]
    #[diagnostic(
        code("atgpu::loop::unbounded"),
        help("write `while … at most e do` with a bound on the iterations of any core")
    )]
    While {
        #[label(primary, "may go on for ever")]
        span: Span,
    },
    #[error("nothing bounds the iterations of this `for`: its bounds read data of any size")]
    #[diagnostic(
        code("atgpu::loop::unbounded"),
        help("declare the range of the words it reads: `: int in lo..hi`")
    )]
    For {
        #[label(primary, "as many iterations as the data say")]
        span: Span,
    },
}

impl From<Unbounded> for Diagnostic {
    fn from(error: Unbounded) -> Self {
        Diagnostic::of(&error)
    }
}
