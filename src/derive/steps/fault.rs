//! Faults that are certain without data: typed errors with their codes.

use miette::Diagnostic as MietteDiagnostic;
use thiserror::Error;

use super::value::Fault;
use crate::diag::Diagnostic;
use crate::text::Span;

/// A fault that every run at this point meets.
#[derive(Debug, Clone, Error, MietteDiagnostic)]
pub(super) enum CertainFault {
    #[error("index {index} of `{array}` lies outside 0..{last} ({place})")]
    #[diagnostic(
        code("atgpu::bounds::shared"),
        help("guard the access with an `if`, or declare the array larger")
    )]
    SharedIndex {
        array: String,
        index: i128,
        last: i128,
        place: String,
        #[label(primary, "is {index} here")]
        span: Span,
        #[label("declared with {} words in this dimension", last + 1)]
        declaration: Span,
    },
    #[error("index {index} of `{array}` lies outside 0..{last} ({place})")]
    #[diagnostic(
        code("atgpu::bounds::global"),
        help("guard the access with an `if`, or declare the array larger")
    )]
    GlobalIndex {
        array: String,
        index: i128,
        last: i128,
        place: String,
        #[label(primary, "is {index} here")]
        span: Span,
        #[label("declared with {} words in this dimension", last + 1)]
        declaration: Span,
    },
    #[error("index {index} of `{array}` lies outside 0..{last}")]
    #[diagnostic(
        code("atgpu::bounds::host"),
        help("shorten the slice, or declare the array larger")
    )]
    HostIndex {
        array: String,
        index: i128,
        last: i128,
        #[label(primary, "is {index} here")]
        span: Span,
        #[label("declared with {} words in this dimension", last + 1)]
        declaration: Span,
    },
    #[error("index {index} of `{array}` lies outside 0..{last}")]
    #[diagnostic(
        code("atgpu::bounds::global"),
        help("shorten the slice, or declare the array larger")
    )]
    TransferIndex {
        array: String,
        index: i128,
        last: i128,
        #[label(primary, "is {index} here")]
        span: Span,
        #[label("declared with {} words in this dimension", last + 1)]
        declaration: Span,
    },
    #[error("the transfer takes {source_words} words to a place of {target_words}")]
    #[diagnostic(
        code("atgpu::access::shape"),
        help("both sides of `⇚` have the same number of words")
    )]
    TransferShape {
        source_words: String,
        target_words: String,
        #[label(primary, "differ in words")]
        span: Span,
    },
    #[error("the arrays of a swap differ in shape")]
    #[diagnostic(
        code("atgpu::access::shape"),
        help("swap arrays that are declared with the same extents")
    )]
    SwapShape {
        #[label(primary, "differ in shape")]
        span: Span,
    },
    #[error("two cores write {first} and {second} to one word of `{array}` ({place})")]
    #[diagnostic(
        code("atgpu::race::shared"),
        help("let one core write it, or use `atomic`")
    )]
    SharedRace {
        array: String,
        first: String,
        second: String,
        place: String,
        #[label(primary, "writes different values to one word")]
        span: Span,
    },
    #[error("a word of `{array}` is read that was never written ({place})")]
    #[diagnostic(
        code("atgpu::value::uninitialised"),
        help("write it first; shared memory starts undefined on every MP")
    )]
    Uninitialised {
        array: String,
        place: String,
        #[label(primary, "never written")]
        span: Span,
    },
    #[error("`{array}` is transferred, but nothing was ever written to it")]
    #[diagnostic(
        code("atgpu::value::uninitialised"),
        help("transfer or compute its words first")
    )]
    UninitialisedTransfer {
        array: String,
        #[label(primary, "never written")]
        span: Span,
    },
    #[error("a division by zero ({place})")]
    #[diagnostic(
        code("atgpu::value::division-by-zero"),
        help(
            "`∧` and `select` evaluate all their operands: guard the statement with an `if` of its own"
        )
    )]
    DivisionByZero {
        place: String,
        #[label(primary, "divides by 0")]
        span: Span,
    },
    #[error("a value does not fit a word of 64 bits ({place})")]
    #[diagnostic(
        code("atgpu::value::overflow"),
        help("keep intermediate results small")
    )]
    Overflow {
        place: String,
        #[label(primary, "too large")]
        span: Span,
    },
    #[error("{value} is not a whole number ({place})")]
    #[diagnostic(
        code("atgpu::value::not-integral"),
        help("round it with `⌈ ⌉` or `⌊ ⌋`")
    )]
    NotIntegral {
        value: String,
        place: String,
        #[label(primary, "needs a whole number")]
        span: Span,
    },
    #[error("{value} is negative ({place})")]
    #[diagnostic(
        code("atgpu::value::range"),
        help("bit functions work on whole numbers from 0 on")
    )]
    NegativeBits {
        value: String,
        place: String,
        #[label(primary, "needs a number of at least 0")]
        span: Span,
    },
    #[error("{value} lies outside the range declared for `{array}` ({place})")]
    #[diagnostic(
        code("atgpu::value::range"),
        help("widen the declared range, or keep the value inside it")
    )]
    DeclaredRange {
        array: String,
        value: String,
        place: String,
        #[label(primary, "writes {value}")]
        span: Span,
        #[label("declared here")]
        declaration: Span,
    },
    #[error("the loop goes beyond its bound of {bound} iterations ({place})")]
    #[diagnostic(
        code("atgpu::loop::bound-exceeded"),
        help("raise the bound behind `at most`")
    )]
    BoundExceeded {
        bound: String,
        place: String,
        #[label(primary, "goes on after {bound} iterations")]
        span: Span,
    },
}

impl CertainFault {
    /// The fault of an operation on known values.
    pub(super) fn of(fault: Fault, place: String, span: Span) -> CertainFault {
        match fault {
            Fault::DivisionByZero => CertainFault::DivisionByZero { place, span },
            Fault::Overflow => CertainFault::Overflow { place, span },
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
