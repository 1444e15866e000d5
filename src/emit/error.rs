//! What keeps a program from being emitted: typed errors with their codes.

use miette::Diagnostic as MietteDiagnostic;
use thiserror::Error;

use crate::text::Span;

/// Why there is no text.
#[derive(Debug, Clone, Error, MietteDiagnostic)]
pub(crate) enum EmitError {
    /// Something has no counterpart in the language written.
    #[error("{target} has no counterpart of {what}")]
    #[diagnostic(code("atgpu::emit::unsupported"), help("{}", what.help()))]
    Unsupported {
        target: &'static str,
        what: Unsupported,
        #[label(primary, "here")]
        span: Span,
    },
    /// A declared range that the words asked for cannot hold.
    #[error("`{name}` may be {value}, which {words} does not hold")]
    #[diagnostic(
        code("atgpu::emit::unsupported"),
        help("leave `--word {words}` away, or declare a narrower range")
    )]
    Wide {
        name: String,
        value: String,
        words: &'static str,
        #[label(primary, "declared here")]
        span: Span,
    },
    /// More cores than a target has in one thread block.
    #[error("b = {cores}, and {target} has at most {most} threads in a thread block")]
    #[diagnostic(
        code("atgpu::emit::unsupported"),
        help("choose a smaller b, such as `-D b=32`")
    )]
    Cores {
        target: &'static str,
        cores: i64,
        most: i64,
    },
    /// More MPs than fit into a thread block.
    #[error(
        "Z = {mps} MPs of {cores} cores, and {target} has at most {most} threads in a thread block"
    )]
    #[diagnostic(
        code("atgpu::emit::unsupported"),
        help("choose a smaller Z, such as `-D Z=8`")
    )]
    ThreadBlock {
        target: &'static str,
        mps: i64,
        cores: i64,
        most: i64,
    },
    /// An MP needs more shared words than the machine has.
    #[error("an MP needs {need} words of shared memory, and M = {words}")]
    #[diagnostic(
        code("atgpu::limit::shared"),
        help("emit it for a machine that has as many")
    )]
    TooManyShared { need: String, words: i64 },
    /// The device needs more global words than the machine has.
    #[error("the program needs {need} words of global memory, and G = {words}")]
    #[diagnostic(
        code("atgpu::limit::global"),
        help("emit it for a machine that has as many")
    )]
    TooManyGlobal { need: String, words: i64 },
    /// A default value that no word holds.
    #[error("`{name} = {value}` is no whole number of 63 bits")]
    #[diagnostic(
        code("atgpu::emit::unsupported"),
        help("give a smaller value, or none: the program that is emitted asks for it")
    )]
    Default { name: String, value: String },
    /// With the values fixed, no size is left.
    #[error("no size is left with these values: `{text}` does not hold")]
    #[diagnostic(code("atgpu::require::violated"), help("give other values, or fewer"))]
    NoSize {
        text: String,
        #[label(primary, "does not hold")]
        span: Span,
    },
    /// Safety is not proved for all sizes.
    #[error("`{property}` is not proved here for every size")]
    #[diagnostic(
        code("atgpu::emit::unproved"),
        help(
            "what is emitted checks nothing while it runs: prove it (`atgpu check --explain`), or \
             emit it as it is with `--unchecked`"
        )
    )]
    Unproved {
        property: &'static str,
        #[label(primary, "{verdict}")]
        span: Span,
        verdict: &'static str,
    },
    /// An index that reads a word which may wrap in 32 bits.
    #[error("this index reads a word of `{array}`, which may wrap in 32 bits")]
    #[diagnostic(
        code("atgpu::emit::unproved"),
        help(
            "what is proved holds for words that do not wrap: emit it with `--word int64`, or as it is with `--unchecked`"
        )
    )]
    MayWrap {
        array: String,
        #[label(primary, "may be outside")]
        span: Span,
    },
    /// Nobody asked whether it is safe.
    #[error("nobody has judged whether the program is safe")]
    #[diagnostic(
        code("atgpu::emit::unproved"),
        help("hand over what `safety` finds, or ask for it unchecked")
    )]
    Unjudged,
}

/// What has no counterpart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unsupported {
    /// A number of more than 63 bits.
    Wide,
    /// An exact logarithm, root or fractional power that need not be whole.
    Irrational,
    /// A logarithm to a base that is no whole number of at least 2.
    Base,
    /// A word of global memory read by the host without a transfer.
    GlobalOnHost,
}

impl std::fmt::Display for Unsupported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Unsupported::Wide => "a number beyond 63 bits",
            Unsupported::Irrational => "an exact real number that need not be whole",
            Unsupported::Base => "a logarithm to this base",
            Unsupported::GlobalOnHost => "a global word read by the host",
        })
    }
}

impl Unsupported {
    fn help(self) -> &'static str {
        match self {
            Unsupported::Wide => "write a smaller number",
            Unsupported::Irrational => "round it where it stands: `⌈log2 n⌉`, `⌊sqrt(n)⌋`",
            Unsupported::Base => "the base must be a whole number of at least 2",
            Unsupported::GlobalOnHost => "transfer the word to the host first",
        }
    }
}
