//! `name::…`: names nothing declares, names declared twice, names of the wrong scope.

use std::fmt;

use miette::Diagnostic;
use thiserror::Error;

use crate::check::error::Suggestion;
use crate::program::Scope;
use crate::text::Span;

/// The kind of thing that a name was looked up as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameKind {
    /// A whole number: formal, `let`, loop variable, index.
    Parameter,
    /// A host, global or shared variable.
    Variable,
    /// A named kernel.
    Kernel,
    /// The left side of a claim.
    Quantity,
}

impl fmt::Display for NameKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NameKind::Parameter => "parameter",
            NameKind::Variable => "variable",
            NameKind::Kernel => "kernel",
            NameKind::Quantity => "quantity",
        })
    }
}

/// A fault of a name.
#[derive(Debug, Clone, Error, Diagnostic)]
pub(crate) enum NameError {
    /// Nothing of that kind has the name.
    #[error("no {kind} `{name}` is known here")]
    #[diagnostic(code("atgpu::name::unknown"))]
    Unknown {
        /// The name as written.
        name: String,
        /// The kind it was looked up as.
        kind: NameKind,
        /// The probable meaning.
        #[help]
        suggestion: Option<Suggestion>,
        /// Its place.
        #[label(primary, "unknown")]
        span: Span,
    },
    /// A variable was needed, and only a parameter has the name.
    #[error("`{name}` is a parameter, and a variable is needed here")]
    #[diagnostic(
        code("atgpu::name::unknown"),
        help("declare a variable `{name}`: parameters and variables are named apart")
    )]
    NoVariable {
        /// The parameter's name.
        name: String,
        /// Its place.
        #[label(primary, "no variable of this name")]
        span: Span,
        /// The parameter's declaration.
        #[label("the parameter")]
        declared: Option<Span>,
    },
    /// A `let` whose value needs the `let` itself.
    #[error("`{name}` is defined by itself: {path}")]
    #[diagnostic(
        code("atgpu::name::unknown"),
        help("define one of them by formal parameters and p, b, M, G alone")
    )]
    Cycle {
        /// The `let`'s name.
        name: String,
        /// `k, m, k`
        path: String,
        /// The name in its `let`.
        #[label(primary, "not known before itself")]
        span: Span,
    },
    /// Declared again while it is visible.
    #[error("`{name}` is declared again while it is visible")]
    #[diagnostic(code("atgpu::name::duplicate"), help("choose another name"))]
    Duplicate {
        /// The name.
        name: String,
        /// The second declaration.
        #[label(primary, "again here")]
        span: Span,
        /// The first.
        #[label("first declared here")]
        first: Option<Span>,
    },
    /// A name of the machine, declared where it may not be hidden.
    #[error("`{name}` is a parameter of the machine")]
    #[diagnostic(code("atgpu::name::duplicate"), help("{}", of_the_machine(name)))]
    OfTheMachine {
        /// `p`, `b`, `M` or `G`.
        name: String,
        /// Its declaration.
        #[label(primary, "always declared")]
        span: Span,
    },
    /// The first character disagrees with the keyword.
    #[error("`{name}` is declared {declared} and begins like a {spelt} variable")]
    #[diagnostic(code("atgpu::name::scope"), help("write `{right}`"))]
    Scope {
        /// The name as written.
        name: String,
        /// The keyword's scope.
        declared: Scope,
        /// The first character's scope.
        spelt: Scope,
        /// The name respelt for its keyword.
        right: String,
        /// The name.
        #[label(primary, "names of {spelt} variables begin so")]
        span: Span,
        /// The keyword.
        #[label("declares {declared} variables")]
        keyword: Option<Span>,
    },
    /// A parameter that begins with an underscore.
    #[error("the parameter `{name}` begins like a shared variable")]
    #[diagnostic(code("atgpu::name::scope"), help("write `{right}`"))]
    UnderscoreParameter {
        /// The name as written.
        name: String,
        /// Without the underscore.
        right: String,
        /// Its declaration.
        #[label(primary, "an underscore begins shared variables")]
        span: Span,
    },
}

/// The name of the cores of an MP is never free; the others are, for indices.
fn of_the_machine(name: &str) -> &'static str {
    if name == "b" {
        "leave it out: `b` is the number of cores of an MP, and `require b = 256` asks for one number"
    } else {
        "choose another name; only indices and loop variables may hide p, M and G, and nothing hides b"
    }
}
