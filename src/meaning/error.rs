//! What can be wrong with the values a user gives: typed errors with their codes.

use miette::Diagnostic as MietteDiagnostic;
use thiserror::Error;

use crate::diag::Diagnostic;
use crate::meaning::fault::parameters::shown;
use crate::number::Real;
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
        help("give values to formal parameters only ({})", those(formals))
    )]
    OfLet {
        name: String,
        formals: Vec<String>,
        #[label(primary, "defined here")]
        span: Option<Span>,
    },
    /// A value for a name that is no parameter.
    #[error("the algorithm has no parameter `{name}`")]
    #[diagnostic(
        code("atgpu::usage::value"),
        help("{}", match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("give values to formal parameters: {}", those(formals)),
        })
    )]
    Unknown {
        name: String,
        /// The nearest name that may have a value.
        near: Option<String>,
        formals: Vec<String>,
    },
    /// A `require` that does not hold.
    #[error("`{text}` does not hold{}", at(values))]
    #[diagnostic(
        code("atgpu::require::violated"),
        help(
            "choose values that satisfy it{}, or weaken the `require`",
            if *fixes_width { " (b is the machine's, unless `-D b=…` says another)" } else { "" }
        )
    )]
    Violated {
        text: String,
        /// What it reads, with its values.
        values: Vec<(String, Real)>,
        /// Whether it says what b is.
        fixes_width: bool,
        #[label(primary, "violated")]
        span: Span,
    },
    /// A `require` that the others contradict.
    #[error("no size is admitted: the `require`s contradict each other")]
    #[diagnostic(code("atgpu::require::violated"), help("weaken one of them"))]
    Contradicted {
        text: String,
        #[label(primary, "`{text}` never holds")]
        span: Span,
    },
    /// No point is admitted.
    #[error("no point could be run: the `require`s admit none of the sizes tried")]
    #[diagnostic(
        code("atgpu::require::violated"),
        help("weaken the `require`s, or give sizes with `-D`")
    )]
    NoneAdmitted {
        #[label(primary, "admits none of them")]
        span: Option<Span>,
    },
}

impl From<PointError> for Diagnostic {
    fn from(error: PointError) -> Self {
        Diagnostic::of(&error)
    }
}

fn those(formals: &[String]) -> String {
    match formals {
        [] => "it has none".to_owned(),
        names => format!("it has {}", names.join(", ")),
    }
}

/// ` for n = 9, b = 4`
fn at(values: &[(String, Real)]) -> String {
    let values = values
        .iter()
        .map(|(name, value)| format!("{name} = {}", shown(value)));
    match values.collect::<Vec<_>>() {
        none if none.is_empty() => String::new(),
        values => format!(" for {}", values.join(", ")),
    }
}
