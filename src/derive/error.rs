//! Why a count came to no end, as diagnostics.

use miette::Diagnostic;
use thiserror::Error;

use crate::diag;
use crate::interval::CountError;
use crate::text::Span;

/// Why a count came to no end.
#[derive(Debug, Clone, PartialEq, Eq, Error, Diagnostic)]
enum CountingError {
    /// Over ten seconds, and nobody said that is fine.
    #[error(
        "closed forms do not give all rounds here, and counting takes over 10 seconds or a million rounds \
         ({millions} million core-steps so far)"
    )]
    #[diagnostic(
        code("atgpu::resource::memory"),
        help("add `--count` to count for longer, or choose smaller parameters")
    )]
    TooLong {
        /// Core-steps done.
        millions: u64,
    },
    /// Stopped.
    #[error("counting was stopped")]
    #[diagnostic(code("atgpu::resource::memory"))]
    Interrupted,
    /// A number beyond 64 bits.
    #[error("a number of this program is too large to count with (beyond 64 bits)")]
    #[diagnostic(code("atgpu::resource::memory"), help("choose smaller parameters"))]
    TooLarge {
        /// Where.
        #[label(primary)]
        span: Span,
    },
}

impl From<CountError> for diag::Diagnostic {
    fn from(error: CountError) -> Self {
        diag::Diagnostic::of(&match error {
            CountError::Fault(fault) => return fault,
            CountError::TooLong(work) => CountingError::TooLong {
                millions: work / 1_000_000,
            },
            CountError::Interrupted => CountingError::Interrupted,
            CountError::TooLarge(span) => CountingError::TooLarge { span },
        })
    }
}
