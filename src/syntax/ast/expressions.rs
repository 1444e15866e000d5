//! Expressions: numbers and conditions as they are written.

use num_bigint::BigInt;

use crate::syntax::ast::{Function, Name};
use crate::text::Span;

/// An expression or a condition.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// The kind, with its parts.
    pub kind: ExprKind,
    /// Its place, without surrounding parentheses for anything but [`ExprKind::Paren`].
    pub span: Span,
}

/// The kind of an expression.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ExprKind {
    /// `1_000`
    Integer(BigInt),
    /// `0.5`, `1e-9`
    Float(f64),
    /// `n`, `ib`, `_s`, `α`
    Name(Name),
    /// `_a[j]`, `a[i, j]`
    Word {
        /// The variable.
        name: Name,
        /// At least one index.
        indices: Vec<Expr>,
    },
    /// `(e)`
    Paren(Box<Expr>),
    /// `-e`
    Negate(Box<Expr>),
    /// `¬ c`
    Not(Box<Expr>),
    /// Two operands with an operator between them.
    Binary {
        /// The operator.
        operator: BinaryOperator,
        /// The left operand.
        left: Box<Expr>,
        /// The right operand.
        right: Box<Expr>,
    },
    /// A chain such as `0 ≤ x < n`: one more operand than operators, at least one of these.
    Compare {
        /// The operands.
        operands: Vec<Expr>,
        /// The relations between them.
        relations: Vec<Relation>,
    },
    /// `⌈e⌉`
    Ceil(Box<Expr>),
    /// `⌊e⌋`
    Floor(Box<Expr>),
    /// `[cond]`
    Bracket(Box<Expr>),
    /// `min(…)`, `select(c, x, y)` and the like; the number of arguments is not yet checked.
    Call {
        /// The function.
        function: Function,
        /// The arguments.
        arguments: Vec<Expr>,
    },
    /// `log2 e`, `log_b e`, `log_{2·4} e`; `log e` where a claim writes it.
    Log {
        /// The base as written.
        base: LogBase,
        /// One primary.
        argument: Box<Expr>,
    },
    /// `∀ x ∈ 0..n-1 : c` and the like.
    Quantified {
        /// The quantifier.
        quantifier: Quantifier,
        /// The bound variables, at least one.
        binders: Vec<Binder>,
        /// The quantified expression.
        body: Box<Expr>,
    },
}

/// A binary operator; comparisons are a chain of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BinaryOperator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`, `·`, `×`
    Multiply,
    /// Two factors side by side: `3k`.
    Juxtapose,
    /// `/`
    Divide,
    /// `div`
    FloorDivide,
    /// `mod`
    Modulo,
    /// `^`
    Power,
    /// `∧`
    And,
    /// `∨`
    Or,
    /// `⇒`
    Implies,
}

/// The relation between two operands of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Relation {
    /// An exact comparison.
    Exact(Comparison),
    /// `≈`: equal but for rounding; in `require` and `ensure` only.
    About,
}

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `=` or `==`
    Equal,
    /// `≠`
    NotEqual,
    /// `<`
    Less,
    /// `≤`
    AtMost,
    /// `>`
    Greater,
    /// `≥`
    AtLeast,
    /// `x | y`: x divides y.
    Divides,
    /// `x is a power of y`
    PowerOf,
}

impl Comparison {
    /// Mirrors an order, x < y to y > x; other comparisons stay.
    pub(crate) fn mirrored(self) -> Self {
        match self {
            Comparison::Less => Comparison::Greater,
            Comparison::AtMost => Comparison::AtLeast,
            Comparison::Greater => Comparison::Less,
            Comparison::AtLeast => Comparison::AtMost,
            Comparison::Equal
            | Comparison::NotEqual
            | Comparison::Divides
            | Comparison::PowerOf => self,
        }
    }
}

/// The base of a logarithm.
#[derive(Debug, Clone, PartialEq)]
pub enum LogBase {
    /// `log e`: base 2, in claims.
    Unwritten,
    /// `log2 e`, `log_4 e`
    Number(BigInt),
    /// `log_b e`
    Name(Name),
    /// `log_{e} e`
    Braced(Box<Expr>),
}

/// A quantifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// `∀`
    ForAll,
    /// `∃`
    Exists,
    /// `Σ`
    Sum,
    /// `min x ∈ … : e`
    Min,
    /// `max x ∈ … : e`
    Max,
}

/// `x ∈ lo..hi`
#[derive(Debug, Clone, PartialEq)]
pub struct Binder {
    /// The bound name.
    pub name: Name,
    /// The first value.
    pub low: Expr,
    /// The last value.
    pub high: Expr,
}
