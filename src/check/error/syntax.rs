//! `syntax::…` faults that only checking can see: allowed by the grammar, forbidden by their place.

use miette::Diagnostic;
use thiserror::Error;

use crate::check::error::Counted;
use crate::text::Span;

/// Something in a place that forbids it.
#[derive(Debug, Clone, Error, Diagnostic)]
pub(crate) enum SyntaxError {
    /// A split name where its reading is in doubt.
    #[error("`{name}` is the product {product}, and as {place} it can be read in two ways")]
    #[diagnostic(code("atgpu::syntax::ambiguous-product"), help("write `({product})`"))]
    AmbiguousProduct {
        /// The name as written.
        name: String,
        /// `i·b`
        product: String,
        /// `an operand of `^``, `the argument of `log``, `the divisor after `/``.
        place: &'static str,
        /// The name.
        #[label(primary, "a product without parentheses")]
        span: Span,
    },
    /// A function with a wrong number of arguments.
    #[error("`{function}` takes {expected} and has {given} here")]
    #[diagnostic(code("atgpu::syntax::unexpected"), help("write `{form}`"))]
    ArgumentCount {
        /// The function.
        function: &'static str,
        /// Number of arguments it takes.
        expected: Counted,
        /// Number of arguments found.
        given: Counted,
        /// `select(c, x, y)`
        form: &'static str,
        /// The call.
        #[label(primary, "{given}")]
        span: Span,
    },
    /// `a ⇚ A + 1`
    #[error("a transfer moves words and computes nothing")]
    #[diagnostic(
        code("atgpu::syntax::unexpected"),
        help("write `{target} ⇚` and one variable, word or slice; compute in shared memory")
    )]
    TransferOfExpression {
        /// The left side.
        target: String,
        /// The right side.
        #[label(primary, "a variable, word or slice expected")]
        span: Span,
    },
    /// `as …` of a variable that is no input.
    #[error("`as {property}` stands on inputs only")]
    #[diagnostic(
        code("atgpu::syntax::unexpected"),
        help("remove it, or declare an input")
    )]
    PropertyOfNonInput {
        /// The property.
        property: &'static str,
        /// Its place.
        #[label(primary, "not an input")]
        span: Span,
    },
    /// An `atomic` that is no read-modify-write of its element.
    #[error(
        "an `atomic` updates one element: it stands first on the right, written as on the left"
    )]
    #[diagnostic(
        code("atgpu::syntax::unexpected"),
        help("write `atomic {target} ← {target} + e`, with +, *, min(…) or max(…)")
    )]
    AtomicForm {
        /// The element.
        target: String,
        /// The right side.
        #[label(primary, "not `{target}` and one of + * min max")]
        span: Span,
        /// The left side.
        #[label("the element")]
        element: Span,
    },
}
