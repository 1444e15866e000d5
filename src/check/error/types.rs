//! `type::mismatch`: floats where ints are needed, conditions as numbers and the reverse.

use miette::Diagnostic;
use thiserror::Error;

use crate::text::Span;

/// A fault of types.
#[derive(Debug, Clone, Error, Diagnostic)]
pub(crate) enum TypeError {
    /// A float stored into an int variable.
    #[error("a float is not stored into the int variable `{target}`")]
    #[diagnostic(
        code("atgpu::type::mismatch"),
        help("declare `{target}` with `: float`, or round with `⌊…⌋` in shared memory")
    )]
    FloatIntoInt {
        /// The variable written.
        target: String,
        /// The value.
        #[label(primary, "a float")]
        span: Span,
        /// The variable's declaration.
        #[label("declared int")]
        declared: Span,
    },
    /// A float where a whole number is needed.
    #[error("{place} is a whole number, and this is a float")]
    #[diagnostic(code("atgpu::type::mismatch"), help("write `⌊{text}⌋` or `⌈{text}⌉`"))]
    FloatForWhole {
        /// The use of the number: `an index`, `an operand of `mod``.
        place: String,
        /// The expression.
        text: String,
        /// Its place.
        #[label(primary, "a float")]
        span: Span,
    },
    /// A condition where a number is needed.
    #[error("a condition is not a number")]
    #[diagnostic(
        code("atgpu::type::mismatch"),
        help("write `[{text}]`, which is 1 or 0")
    )]
    ConditionAsNumber {
        /// The condition.
        text: String,
        /// Its place.
        #[label(primary, "a condition")]
        span: Span,
    },
    /// A number where a condition is needed.
    #[error("a number is not a condition")]
    #[diagnostic(code("atgpu::type::mismatch"), help("write `{text} ≠ 0`"))]
    NumberAsCondition {
        /// The number.
        text: String,
        /// Its place.
        #[label(primary, "a number")]
        span: Span,
    },
    /// `exp` of a whole number and the like.
    #[error("`{function}` takes a float, and this is {given}")]
    #[diagnostic(code("atgpu::type::mismatch"), help("{}", as_float(function, text)))]
    MathOfWhole {
        /// The function.
        function: &'static str,
        /// `int data` or `a parameter`.
        given: &'static str,
        /// The argument.
        text: String,
        /// Its place.
        #[label(primary, "{given}")]
        span: Span,
    },
    /// `as permutation` or `as list` of floats.
    #[error("`as {property}` holds whole numbers, and `{name}` is float")]
    #[diagnostic(code("atgpu::type::mismatch"), help("declare `{name}` with `: int`"))]
    PropertyOfFloats {
        /// `permutation` or `list`.
        property: &'static str,
        /// The variable.
        name: String,
        /// The property.
        #[label(primary, "for int only")]
        span: Span,
    },
    /// Two swapped arrays of different types.
    #[error("`swap` joins arrays of one type: `{left}` is {left_type}, `{right}` is {right_type}")]
    #[diagnostic(code("atgpu::type::mismatch"), help("declare both with the same type"))]
    SwapTypes {
        /// One array.
        left: String,
        /// Its type.
        left_type: &'static str,
        /// The other.
        right: String,
        /// Its type.
        right_type: &'static str,
        /// The statement.
        #[label(primary, "swapped here")]
        span: Span,
        /// Declaration of the one.
        #[label("{left_type}")]
        left_declared: Span,
        /// Declaration of the other.
        #[label("{right_type}")]
        right_declared: Span,
    },
}

/// A function of floats around a whole number; of logarithms, whole numbers mostly need the one to base 2.
fn as_float(function: &str, text: &str) -> String {
    if function == "ln" {
        format!("write `log2 ({text})` for the logarithm to base 2, or `ln(1.0·({text}))`")
    } else {
        format!("write `{function}(1.0·({text}))`")
    }
}
