//! `lint::…` that need no counts.

use miette::Diagnostic;
use thiserror::Error;

use crate::program::{Role, Scope};
use crate::text::Span;

/// Something that works but is probably not meant.
#[derive(Debug, Clone, Error, Diagnostic)]
pub(crate) enum CheckLint {
    /// `C_p` in the wrapper loop of `mp_i`.
    #[error("the cores of `{mp}` are written as `{written}`")]
    #[diagnostic(code("atgpu::lint::core-set"), help("write `{right}`"))]
    CoreSet {
        /// `mp_i`
        mp: String,
        /// The set as written.
        written: String,
        /// `C_i`
        right: String,
        /// The set.
        #[label(primary, "another index than the MP's")]
        span: Span,
        /// The wrapper loop.
        #[label("the MPs")]
        wrapper: Span,
    },
    /// A named kernel no `execute` runs.
    #[error("the kernel `{name}` is never executed")]
    #[diagnostic(
        code("atgpu::lint::unused"),
        help("write `execute {call}`, or remove it")
    )]
    UnusedKernel {
        /// The kernel.
        name: String,
        /// `Sum(a, 1)`: how an `execute` would look.
        call: String,
        /// Its opening line.
        #[label(primary, "never executed")]
        span: Span,
    },
    /// An `allow` of a lint that is not reported there.
    #[error("this `allow` silences no `{name}`")]
    #[diagnostic(
        code("atgpu::lint::unused"),
        help("{}", match (is_known, nearest) {
            (true, _) => "remove it".to_owned(),
            (false, Some(near)) => format!("did you mean `{near}`?"),
            (false, None) => "no lint is called so: remove it".to_owned(),
        })
    )]
    IdleAllow {
        /// The name in it.
        name: String,
        /// True if a lint has that name.
        is_known: bool,
        /// The lint that was probably meant.
        nearest: Option<&'static str>,
        /// The name in the comment.
        #[label(primary, "silences nothing")]
        span: Span,
    },
    /// `_x[j] // 2`
    #[error("`// {divisor}` is a comment: nothing is divided here")]
    #[diagnostic(
        code("atgpu::lint::comment"),
        help("write `div {divisor}` for the quotient rounded down, or `▷` before the comment")
    )]
    CommentedDivisor {
        /// The text behind the mark.
        divisor: String,
        /// The mark.
        #[label(primary, "starts a comment")]
        span: Span,
    },
    /// `min(_x[j])`
    #[error("`{function}` of one value is that value")]
    #[diagnostic(
        code("atgpu::lint::one-operand"),
        help(
            "give it another operand, as in `{function}({operand}, …)`; over a range, write a loop, or in claims `{function} x ∈ lo..hi : …`"
        )
    )]
    OneOperand {
        /// `min` or `max`.
        function: &'static str,
        /// The operand as written.
        operand: String,
        /// The call.
        #[label(primary, "one operand")]
        span: Span,
    },
    /// `j ^ 1`
    #[error("`{base}^{exponent}` is a power, no exclusive or")]
    #[diagnostic(
        code("atgpu::lint::power"),
        help("write `bitxor({base}, {exponent})` for the exclusive or")
    )]
    PowerOfIndex {
        /// The base as written.
        base: String,
        /// The exponent as written.
        exponent: String,
        /// The power.
        #[label(primary, "a power")]
        span: Span,
    },
    /// A character without width, or a control of bidirectional text.
    #[error("the character {code} is not seen here")]
    #[diagnostic(
        code("atgpu::lint::invisible"),
        help("delete it: it may part a name, or show the line in another order than it is read")
    )]
    Invisible {
        /// `U+202E`
        code: String,
        /// Its place.
        #[label(primary, "here")]
        span: Span,
    },
    /// A variable nothing names.
    #[error("the {scope} variable `{name}` is never used")]
    #[diagnostic(code("atgpu::lint::unused"), help("{}", unused_help(name, *role)))]
    UnusedVariable {
        /// The variable.
        name: String,
        /// Its scope's word.
        scope: Scope,
        /// Its role.
        role: Role,
        /// Its declaration.
        #[label(primary, "never used")]
        span: Span,
    },
}

/// Returns the help. For an input or output a missing transfer is likelier than a superfluous
/// variable, so it is named first.
fn unused_help(name: &str, role: Role) -> String {
    match role {
        Role::Input => format!("read it, as `… ⇚ {name}` does, or remove it"),
        Role::Output => format!("write it, as `{name} ⇚ …` does, or remove it"),
        Role::None => "remove it".to_owned(),
    }
}
