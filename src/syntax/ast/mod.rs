//! The syntax tree: the content of a file, nothing resolved, every node with its span.
//!
//! One node per grammar rule a reader would name. Names are as written but for normalised
//! spelling: `′` is `'`, and the Greek aliases are their letters (`alpha` is `α`). `check` decides
//! whether a name is declared, or splits into a product (`ib`).

mod expressions;
mod statements;

pub use crate::syntax::functions::{BitFunction, ClaimFunction, Function, MathFunction};
use crate::text::Span;

pub use expressions::{
    BinaryOperator, Binder, Comparison, Expr, ExprKind, LogBase, Quantifier, Relation,
};
pub use statements::{
    Arrow, Atomic, CoreLoop, CoreStmt, Execute, For, HostStmt, If, Move, Place, Source, Stmt,
    Subscript, Swap, Until, While, Wrapper,
};
pub(crate) use statements::{BlockKind, FIRST_WORDS, Habitat, Manner};

/// A name as it occurs, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The normalised text.
    pub text: String,
    /// Its place.
    pub span: Span,
}

/// A whole file: one algorithm.
#[derive(Debug, Clone, PartialEq)]
pub struct Algorithm {
    /// `algorithm NAME(…)`.
    pub name: Name,
    /// The formal parameters.
    pub formals: Vec<Name>,
    /// `require`, declarations, `let`, `ensure` and `claim`, in the order written.
    pub header: Vec<HeaderItem>,
    /// `kernel NAME(…) … end kernel`, in the order written.
    pub kernels: Vec<NamedKernel>,
    /// The host statements.
    pub body: Vec<Stmt>,
    /// Lints silenced by comments, in the order written.
    pub allows: Vec<Allow>,
}

/// A lint that a comment silences: `▷ allow lint::unused`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allow {
    /// Its name as written, without `lint::`; perhaps no lint has it.
    pub lint: String,
    /// The place of the name.
    pub span: Span,
    /// The line, statement, block or file in which it is silenced.
    pub covers: Span,
}

/// One header line (a declaration line gives one item per variable).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum HeaderItem {
    /// `require cond`
    Require(Condition),
    /// `ensure cond`
    Ensure(Condition),
    /// `input A[n] : int in 0..9 as sorted` and the like.
    Declaration(Declaration),
    /// `let k = ⌈n/b⌉`
    Let(Let),
    /// `claim time = 16`
    Claim(Claim),
}

/// The condition of a `require` or `ensure`.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// The condition.
    pub condition: Expr,
    /// The whole line without label and comment.
    pub span: Span,
}

/// The keyword a declaration stands under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeclarationKind {
    /// `input`: a host variable with given data.
    Input,
    /// `output`: a host variable that is a result.
    Output,
    /// `host`: a host variable with neither role.
    Host,
    /// `global`
    Global,
    /// `shared`
    Shared,
}

/// The type of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WordType {
    /// 64-bit signed.
    Int,
    /// IEEE 64-bit.
    Float,
}

/// `as …` of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Property {
    /// `as sorted`: ascending.
    Sorted,
    /// `as permutation`: of 0 … size−1.
    Permutation,
    /// `as list`: a successor array, one list through all elements.
    List,
}

/// One declared variable: `a[n, m] : float in 0..1 as sorted`.
#[derive(Debug, Clone, PartialEq)]
pub struct Declaration {
    /// The line's keyword.
    pub kind: DeclarationKind,
    /// The place of the keyword.
    pub keyword_span: Span,
    /// The variable.
    pub name: Name,
    /// Its extents; none for a scalar.
    pub dimensions: Vec<Expr>,
    /// Its own `: type`, else the line's, else `int`.
    pub word_type: WordType,
    /// `in lo..hi`
    pub range: Option<(Expr, Expr)>,
    /// `as …`
    pub property: Option<(Property, Span)>,
    /// Name, extents, type, range and property.
    pub span: Span,
}

/// `let name = value`, in the header, on the host or in a kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Let {
    /// The parameter it declares.
    pub name: Name,
    /// Its value.
    pub value: Expr,
    /// The whole statement.
    pub span: Span,
}

/// `claim QUANTITY = e`, `≤ e`, `≥ e`, `∈ O(e)`, `∈ Ω(e)`, `∈ Θ(e)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The word before the relation, not yet known to be a quantity.
    pub quantity: Name,
    /// The relation.
    pub relation: ClaimRelation,
    /// The right side.
    pub value: Expr,
    /// The whole line without label and comment.
    pub span: Span,
}

/// The relation of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ClaimRelation {
    /// `=`
    Equal,
    /// `≤`
    AtMost,
    /// `≥`
    AtLeast,
    /// `∈ O(…)`
    BigO,
    /// `∈ Ω(…)`
    Omega,
    /// `∈ Θ(…)`
    Theta,
}

impl ClaimRelation {
    /// Returns true for claims of growth: `∈ O(…)`, `∈ Ω(…)`, `∈ Θ(…)`.
    pub(crate) fn is_asymptotic(self) -> bool {
        match self {
            ClaimRelation::Equal | ClaimRelation::AtMost | ClaimRelation::AtLeast => false,
            ClaimRelation::BigO | ClaimRelation::Omega | ClaimRelation::Theta => true,
        }
    }
}

/// `kernel Name(global x, w) … end kernel`
#[derive(Debug, Clone, PartialEq)]
pub struct NamedKernel {
    /// Its name, in a namespace of its own.
    pub name: Name,
    /// Its formals, in order.
    pub formals: Vec<KernelFormal>,
    /// `let`s and wrapper loops.
    pub body: Vec<Stmt>,
    /// The opening line.
    pub span: Span,
}

/// A formal of a named kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelFormal {
    /// True for `global x`, an array; false for a number.
    pub is_array: bool,
    /// The formal.
    pub name: Name,
}
