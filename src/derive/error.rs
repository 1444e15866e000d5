//! The reasons why a count did not end, as diagnostics.

use miette::Diagnostic;
use thiserror::Error;

use crate::diag;
use crate::interval::CountError;
use crate::text::Span;

/// The reason why a count did not end.
#[derive(Debug, Clone, PartialEq, Eq, Error, Diagnostic)]
enum CountingError {
    /// Over ten seconds, without leave to take longer.
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
    /// Stopped by the caller.
    #[error("counting was stopped")]
    #[diagnostic(code("atgpu::resource::memory"))]
    Interrupted,
    /// A number of more than 64 bits.
    #[error("a number of this program is too large to count with (beyond 64 bits)")]
    #[diagnostic(code("atgpu::resource::memory"), help("choose smaller parameters"))]
    TooLarge {
        /// The place in the program.
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
