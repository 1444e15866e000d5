//! Expressions: what each node is, its type, and the operations it counts as.

use num_bigint::BigInt;

use crate::program::{ParamId, VarId};
use crate::syntax::ast::{Comparison, Quantifier};
use crate::text::Span;

/// The type of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Type {
    /// Over parameters only: an exact number, whole where one is needed.
    Number,
    /// Int data, or int data mixed with parameters.
    Int,
    /// Float data, a float literal, or a mix with either.
    Float,
    /// True or false.
    Condition,
}

/// A checked expression.
#[derive(Debug, Clone)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Type,
    /// Where it stands.
    pub span: Span,
}

/// What a checked expression is. Parentheses are gone (they cost nothing); a split name (`ib`) is
/// a product; every other node is one operation unless its doc says otherwise (language.md §4.1).
#[derive(Debug, Clone)]
pub enum ExprKind {
    /// A whole number. 0 operations.
    Integer(BigInt),
    /// A float. 0 operations.
    Float(f64),
    /// A parameter. 0 operations.
    Parameter(ParamId),
    /// A word: shared in kernels, host or global in conditions of the host. In a kernel: 1
    /// operation, its indices', and 2(d − 1) for d indices.
    Word(Word),
    /// `-e`
    Negate(Box<Expr>),
    /// Arithmetic.
    Binary {
        /// The operator.
        operator: Arithmetic,
        /// The left operand.
        left: Box<Expr>,
        /// The right operand.
        right: Box<Expr>,
    },
    /// `⌈e⌉`
    Ceil(Box<Expr>),
    /// `⌊e⌋`
    Floor(Box<Expr>),
    /// `abs(e)`
    Abs(Box<Expr>),
    /// `min(…)`: n − 1 operations for n ≥ 1 arguments.
    Min(Vec<Expr>),
    /// `max(…)`: n − 1 operations for n ≥ 1 arguments.
    Max(Vec<Expr>),
    /// `select(c, x, y)`; its type is the mixed type of x and y.
    Select {
        /// Decides.
        condition: Box<Expr>,
        /// Where it holds.
        then: Box<Expr>,
        /// Where it does not. (Both are evaluated.)
        otherwise: Box<Expr>,
    },
    /// `sqrt exp ln sin cos`; of a [`Type::Number`] only `sqrt`.
    Math {
        /// Which.
        function: MathFunction,
        /// Its argument.
        argument: Box<Expr>,
    },
    /// `bitand bitor bitxor shl shr`
    Bits {
        /// Which.
        function: BitFunction,
        /// The first argument.
        left: Box<Expr>,
        /// The second argument.
        right: Box<Expr>,
    },
    /// `log_base e`: 1 operation, the base's, and the argument's.
    Log {
        /// The base: a whole number where none was written out (`log2`).
        base: Box<Expr>,
        /// The argument.
        argument: Box<Expr>,
    },
    /// `[cond]`
    Bracket(Box<Expr>),
    /// A chain: n comparisons and n − 1 connectives, each operand evaluated once.
    Compare {
        /// One more than operators.
        operands: Vec<Expr>,
        /// At least one.
        operators: Vec<Comparison>,
    },
    /// `c ∧ d`
    And(Box<Expr>, Box<Expr>),
    /// `c ∨ d`
    Or(Box<Expr>, Box<Expr>),
    /// `¬ c`
    Not(Box<Expr>),
    /// `c ⇒ d`; in `require` and `ensure` only.
    Implies(Box<Expr>, Box<Expr>),
    /// A quantifier; in `require`, `ensure`, and `Σ` in claims.
    Quantified {
        /// Which.
        quantifier: Quantifier,
        /// At least one; a later range may use an earlier variable.
        binders: Vec<Binder>,
        /// What is quantified.
        body: Box<Expr>,
    },
    /// A letter of the cost functions; in claims only.
    Symbol(CostSymbol),
    /// `gcd(x, y)`; in claims only.
    Gcd(Box<Expr>, Box<Expr>),
    /// `digit_sum(x, b)`: the sum of the base-b digits of x ≥ 0; in claims only.
    DigitSum(Box<Expr>, Box<Expr>),
    /// `floor_sum(n, a, c, m)` = Σ v ∈ 0..n−1 : ⌊(a v + c)/m⌋; in claims only.
    FloorSum(Box<[Expr; 4]>),
}

/// One word of a variable: as many indices as it has dimensions.
#[derive(Debug, Clone)]
pub struct Word {
    /// The variable.
    pub variable: VarId,
    /// Row-major; none for a scalar.
    pub indices: Vec<Expr>,
    /// The place as written.
    pub span: Span,
}

/// `x ∈ low..high`
#[derive(Debug, Clone)]
pub struct Binder {
    /// The bound parameter.
    pub parameter: ParamId,
    /// The first value.
    pub low: Expr,
    /// The last value.
    pub high: Expr,
}

/// A binary operator of arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`, juxtaposition, split names
    Multiply,
    /// `/`: exact for numbers and ints, IEEE for floats
    Divide,
    /// `div`: floor division
    FloorDivide,
    /// `mod`: its remainder
    Modulo,
    /// `^`
    Power,
}

/// A function of one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MathFunction {
    /// `sqrt`
    Sqrt,
    /// `exp`
    Exp,
    /// `ln`
    Ln,
    /// `sin`
    Sin,
    /// `cos`
    Cos,
}

/// A function of two whole numbers ≥ 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BitFunction {
    /// `bitand`
    And,
    /// `bitor`
    Or,
    /// `bitxor`
    Xor,
    /// `shl`
    ShiftLeft,
    /// `shr`
    ShiftRight,
}

/// A letter of Expressions (1) and (2), as a claim may write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CostSymbol {
    /// α: ms a transaction.
    Alpha,
    /// β: ms a word.
    Beta,
    /// γ: cycles a ms.
    Gamma,
    /// λ: cycles a block.
    Lambda,
    /// σ: ms a round.
    Sigma,
    /// k′: MPs of the real machine.
    RealMps,
    /// H: most MPs resident on one real MP.
    MaxResident,
    /// ℓ: occupancy; only when all rounds share one.
    Occupancy,
}
