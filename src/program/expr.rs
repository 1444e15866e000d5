//! Expressions: numbers and conditions, by the place where they stand.
//!
//! Numbers and conditions are distinct types; `[c]`, `select` and comparisons link them. [`NumberKind`] and
//! [`ConditionKind`] hold the forms allowed at every place; a [`Place`] adds its own forms. So a quantifier
//! in a kernel, or a condition as an operand of `+`, cannot be built, and a walk over expressions never
//! meets one.

use std::fmt::Debug;

use num_bigint::BigInt;

use crate::program::{BitFunction, MathFunction, ParamId, VarId};
use crate::sym;
use crate::syntax::ast::{Comparison, Relation};
use crate::text::Span;

/// The type of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Type {
    /// An exact number over parameters only, whole where a whole number is needed.
    Number,
    /// Int data, or int data mixed with parameters.
    Int,
    /// Float data, a float literal, or a mix with either.
    Float,
}

/// The place of an expression, which decides the forms it may hold in addition to the common ones.
///
/// There are three: [`Code`], [`Formula`] and [`Claimed`].
///
/// ```
/// use atgpu::program::{Expr, Place};
///
/// /// Expressions in an expression, itself included, wherever it stands.
/// fn size<P: Place>(expr: Expr<'_, P>) -> usize {
///     1 + expr.operands().into_iter().map(size).sum::<usize>()
/// }
///
/// let program = atgpu::examples::vector_addition();
/// assert_eq!(size(Expr::from(&program.lets()[0].value)), 3); // n/b
/// ```
pub trait Place: Copy + Debug + 'static {
    /// The numbers allowed only at this place.
    type Number: Clone + Debug;
    /// The conditions allowed only at this place.
    type Condition: Clone + Debug;

    /// Calls `visit` on every direct operand of a number allowed only here, in the order written.
    fn number_operands<'e>(number: &'e Self::Number, visit: &mut dyn FnMut(Expr<'e, Self>));

    /// Calls `visit` on every direct operand of a condition allowed only here, in the order written.
    fn condition_operands<'e>(
        condition: &'e Self::Condition,
        visit: &mut dyn FnMut(Expr<'e, Self>),
    );
}

/// Statements, sizes, ranges and `let`s; no forms of their own.
#[derive(Debug, Clone, Copy)]
pub enum Code {}

/// `require` and `ensure`.
#[derive(Debug, Clone, Copy)]
pub enum Formula {}

/// The right side of a `claim`.
#[derive(Debug, Clone, Copy)]
pub enum Claimed {}

/// The empty type, for a place without forms of its own.
#[derive(Debug, Clone, Copy)]
pub enum Nothing {}

/// A checked number.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Number<P: Place = Code> {
    /// The kind of the number.
    pub kind: NumberKind<P>,
    /// Its type.
    pub ty: Type,
    /// Where it stands.
    pub span: Span,
}

/// A checked condition.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Condition<P: Place = Code> {
    /// The kind of the condition.
    pub kind: ConditionKind<P>,
    /// Where it stands.
    pub span: Span,
}

/// A number or a condition, for code that accepts either.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Expr<'e, P: Place = Code> {
    /// A number.
    Number(&'e Number<P>),
    /// A condition.
    Condition(&'e Condition<P>),
}

/// The kinds of numbers. Parentheses are gone, as they cost nothing; a split name (`ib`) is a product.
/// Every other node is one operation unless its doc says otherwise (language.md §4.1).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum NumberKind<P: Place = Code> {
    /// A whole number. 0 operations.
    Integer(BigInt),
    /// A float. 0 operations.
    Float(f64),
    /// A parameter. 0 operations.
    Parameter(ParamId),
    /// A word: shared in kernels, host or global in conditions of the host. In a kernel: 1
    /// operation, its indices', and 2(d − 1) for d indices.
    Word(Word<P>),
    /// `-e ⌈e⌉ ⌊e⌋ abs(e)`, and `sqrt exp ln sin cos`.
    Unary {
        /// The operation.
        operation: Unary,
        /// Its operand.
        operand: Box<Number<P>>,
    },
    /// Arithmetic.
    Binary {
        /// The operator.
        operator: Arithmetic,
        /// The left operand.
        left: Box<Number<P>>,
        /// The right operand.
        right: Box<Number<P>>,
    },
    /// `bitand bitor bitxor shl shr` and `log_base e`.
    Pair {
        /// The function.
        function: PairFunction,
        /// The first argument; of a logarithm the base, a whole number where none was written out (`log2`).
        left: Box<Number<P>>,
        /// The second argument.
        right: Box<Number<P>>,
    },
    /// `min(…)` or `max(…)`: n − 1 operations for n ≥ 1 arguments.
    Extreme {
        /// Which of the arguments.
        extreme: Extreme,
        /// The arguments.
        arguments: Vec<Number<P>>,
    },
    /// `select(c, x, y)`; its type is the mixed type of x and y.
    Select {
        /// The condition that decides.
        condition: Box<Condition<P>>,
        /// The value where the condition holds.
        then: Box<Number<P>>,
        /// The value where it does not. Both values are evaluated.
        otherwise: Box<Number<P>>,
    },
    /// `[cond]`
    Bracket(Box<Condition<P>>),
    /// A form allowed only at this place.
    Only(P::Number),
}

/// The operations on one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unary {
    /// `-e`
    Negate,
    /// `⌈e⌉`
    Ceil,
    /// `⌊e⌋`
    Floor,
    /// `abs(e)`
    Abs,
    /// `sqrt exp ln sin cos`; of a [`Type::Number`] only `sqrt`.
    Math(MathFunction),
}

/// The functions of two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PairFunction {
    /// `bitand bitor bitxor shl shr`
    Bits(BitFunction),
    /// The logarithm of the second argument to the first.
    Log,
}

/// The functions of any number of arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Extreme {
    /// `min(…)`
    Min,
    /// `max(…)`
    Max,
}

/// The kinds of conditions; operations are counted as for numbers.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ConditionKind<P: Place = Code> {
    /// A chain: n comparisons and n − 1 connectives, each operand evaluated once.
    Compare {
        /// The operands: one more than operators.
        operands: Vec<Number<P>>,
        /// The operators: at least one.
        operators: Vec<Comparison>,
    },
    /// `c ∧ d`
    And(Box<Condition<P>>, Box<Condition<P>>),
    /// `c ∨ d`
    Or(Box<Condition<P>>, Box<Condition<P>>),
    /// `¬ c`
    Not(Box<Condition<P>>),
    /// A form allowed only at this place.
    Only(P::Condition),
}

/// The numbers allowed only in `require` and `ensure`.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum FormulaNumber {
    /// `Σ x ∈ lo..hi : e`
    Sum(Over<Number<Formula>, Formula>),
    /// `min x ∈ lo..hi : e`
    Min(Over<Number<Formula>, Formula>),
    /// `max x ∈ lo..hi : e`
    Max(Over<Number<Formula>, Formula>),
}

/// The conditions allowed only in `require` and `ensure`.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum FormulaCondition {
    /// A chain with `≈` in it, such as `0 < x ≈ y`: one more operand than relations.
    About {
        /// The operands.
        operands: Vec<Number<Formula>>,
        /// The relations between the operands; at least one of them is `≈`.
        relations: Vec<Relation>,
    },
    /// `c ⇒ d`
    Implies(Box<Condition<Formula>>, Box<Condition<Formula>>),
    /// `∀ x ∈ lo..hi : c`
    ForAll(Over<Condition<Formula>, Formula>),
    /// `∃ x ∈ lo..hi : c`
    Exists(Over<Condition<Formula>, Formula>),
}

/// The numbers allowed only in claims.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ClaimNumber {
    /// A letter of the cost functions.
    Symbol(CostSymbol),
    /// `Σ x ∈ lo..hi : e`
    Sum(Over<Number<Claimed>, Claimed>),
    /// `gcd(x, y)`
    Gcd(Box<Number<Claimed>>, Box<Number<Claimed>>),
    /// `digit_sum(x, b)`: the sum of the base-b digits of x ≥ 0.
    DigitSum(Box<Number<Claimed>>, Box<Number<Claimed>>),
    /// `floor_sum(n, a, c, m)` = Σ v ∈ 0..n−1 : ⌊(a v + c)/m⌋.
    FloorSum(Box<[Number<Claimed>; 4]>),
}

/// A body evaluated for every choice of values of some variables.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Over<B, P: Place> {
    /// At least one; a later range may use an earlier variable.
    pub binders: Vec<Binder<P>>,
    /// The expression evaluated for each choice.
    pub body: Box<B>,
}

/// `x ∈ low..high`
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Binder<P: Place> {
    /// The bound parameter.
    pub parameter: ParamId,
    /// The first value.
    pub low: Number<P>,
    /// The last value.
    pub high: Number<P>,
}

/// One word of a variable, selected by one index per dimension.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Word<P: Place = Code> {
    /// The variable.
    pub variable: VarId,
    /// Row-major; none for a scalar.
    pub indices: Vec<Number<P>>,
    /// The place as written.
    pub span: Span,
}

/// A binary operator of arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
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

/// A letter of Expressions (1) and (2), as a claim may write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
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

impl CostSymbol {
    /// All letters.
    pub(crate) const ALL: [CostSymbol; 8] = [
        CostSymbol::Alpha,
        CostSymbol::Beta,
        CostSymbol::Gamma,
        CostSymbol::Lambda,
        CostSymbol::Sigma,
        CostSymbol::RealMps,
        CostSymbol::MaxResident,
        CostSymbol::Occupancy,
    ];

    /// The letter.
    pub(crate) fn name(self) -> &'static str {
        match self {
            CostSymbol::Alpha => "α",
            CostSymbol::Beta => "β",
            CostSymbol::Gamma => "γ",
            CostSymbol::Lambda => "λ",
            CostSymbol::Sigma => "σ",
            CostSymbol::RealMps => "k'",
            CostSymbol::MaxResident => "H",
            CostSymbol::Occupancy => "ℓ",
        }
    }

    /// Returns the letter that a claim names: the letter itself, or `α_GPU` where the program has an α of
    /// its own.
    pub(crate) fn named(name: &str) -> Option<CostSymbol> {
        let letter = sym::bare(name);
        let mut all = CostSymbol::ALL.into_iter();
        all.find(|symbol| symbol.name() == letter)
    }
}
