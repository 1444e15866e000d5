//! What can be wrong with the values a user gives: typed errors with their codes.

use miette::Diagnostic as MietteDiagnostic;
use thiserror::Error;

use crate::diag::Diagnostic;
use crate::text::Span;

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

impl From<PointError> for Diagnostic {
    fn from(error: PointError) -> Self {
        Diagnostic::of(&error)
    }
}
