//! `syntax::…` that only checking can see: what the grammar lets through and the place forbids.

use miette::Diagnostic;
use thiserror::Error;

use super::Counted;
use crate::text::Span;

/// Something that may not stand where it stands.
#[derive(Debug, Clone, Error, Diagnostic)]
pub enum SyntaxError {
    /// A split name where its reading is in doubt.
    #[error("`{name}` is the product {product}, and {place} could mean only its first letter")]
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
    #[error("`{function}` takes {expected}, and {given} stand here")]
    #[diagnostic(code("atgpu::syntax::unexpected"), help("write `{form}`"))]
    ArgumentCount {
        /// The function.
        function: &'static str,
        /// How many it takes.
        expected: Counted,
        /// How many stand there.
        given: Counted,
        /// `select(c, x, y)`
        form: &'static str,
        /// The call.
        #[label(primary, "{given}")]
        span: Span,
    },
    /// A quantifier or `⇒` outside the conditions that may hold one.
    #[error("`{word}` stands in {allowed} only")]
    #[diagnostic(code("atgpu::syntax::unexpected"), help("{remedy}"))]
    Logic {
        /// `∀`, `⇒` …
        word: &'static str,
        /// Where it may stand.
        allowed: &'static str,
        /// What to write instead.
        remedy: &'static str,
        /// The expression.
        #[label(primary, "not here")]
        span: Span,
    },
    /// `log x` outside a claim.
    #[error("`log` without a base stands in claims only")]
    #[diagnostic(code("atgpu::syntax::unexpected"), help("write `log2 {argument}`"))]
    LogWithoutBase {
        /// What follows.
        argument: String,
        /// The logarithm.
        #[label(primary, "base expected")]
        span: Span,
    },
    /// A slice where one word is needed.
    #[error("a range of indices stands in transfers only")]
    #[diagnostic(
        code("atgpu::syntax::unexpected"),
        help("write one index; each core moves its own word")
    )]
    Slice {
        /// The range.
        #[label(primary, "a range")]
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
        /// Where it stands.
        #[label(primary, "not an input")]
        span: Span,
    },
    /// A host `while` without `at most`.
    #[error("a `while` of the host needs a bound on its iterations")]
    #[diagnostic(
        code("atgpu::syntax::unexpected"),
        help("write `while {condition} at most e do`, with e over parameters")
    )]
    UnboundedHostWhile {
        /// The condition.
        condition: String,
        /// The opening line.
        #[label(primary, "`at most` expected")]
        span: Span,
    },
    /// Core indices that do not repeat the MP's.
    #[error("the core's indices begin with the MP's: {expected}")]
    #[diagnostic(code("atgpu::syntax::unexpected"), help("write `{right}`"))]
    CoreIndices {
        /// The MP's indices.
        expected: String,
        /// `c_{i,j} ∈ C_i`
        right: String,
        /// The indices.
        #[label(primary, "other indices")]
        span: Span,
        /// The wrapper loop.
        #[label("the MPs")]
        wrapper: Span,
    },
    /// A wrapper loop without a core loop.
    #[error("a wrapper loop holds at least one core loop")]
    #[diagnostic(
        code("atgpu::syntax::unexpected"),
        help("write `for all {core} in parallel do … end for` inside")
    )]
    NoCoreLoop {
        /// `c_{i,j} ∈ C_i`
        core: String,
        /// The wrapper loop.
        #[label(primary, "no core loop inside")]
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
    /// A statement where it may not stand.
    #[error("{statement} may not stand {place}")]
    #[diagnostic(code("atgpu::syntax::unexpected"), help("move it out of here"))]
    Misplaced {
        /// What it is.
        statement: &'static str,
        /// Where it stands.
        place: &'static str,
        /// The statement.
        #[label(primary, "not here")]
        span: Span,
    },
}
