//! The syntax tree: what stands in the file, nothing resolved, every node with its span.
//!
//! One node per grammar rule a reader would name. Names are as written but for normalised
//! spelling: `′` is `'`, and the Greek aliases are their letters (`alpha` is `α`). Whether a name
//! is declared, or splits into a product (`ib`), is decided in `check`.
//!
//! ```
//! use atgpu::syntax::{ast::Stmt, parse};
//! use atgpu::text::Source;
//!
//! let source = Source::new("t.atgpu", "algorithm T(n)\n  input A[n]\n  global a[n]\n  a ⇚ A\n");
//! let algorithm = parse(&source).algorithm.expect("it has a first line");
//! assert_eq!((algorithm.formals.len(), algorithm.header.len()), (1, 2));
//! let Stmt::Move(copy) = &algorithm.body[0] else { panic!("a transfer") };
//! assert_eq!(source.slice(copy.span), "a ⇚ A");
//! ```

use num_bigint::BigInt;

pub use crate::syntax::functions::{BitFunction, ClaimFunction, Function, MathFunction};
use crate::text::Span;

/// A name as it occurs, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The normalised text.
    pub text: String,
    /// Where it stands.
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
    /// What comments silence, in the order written.
    pub allows: Vec<Allow>,
}

/// A lint that a comment silences: `▷ allow lint::unused`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allow {
    /// Its name as written, without `lint::`; perhaps no lint has it.
    pub lint: String,
    /// Where it is named.
    pub span: Span,
    /// The line, statement, block or file in which it is silenced.
    pub covers: Span,
}

/// One header line (a declaration line gives one item per variable).
#[derive(Debug, Clone, PartialEq)]
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
    /// What must hold.
    pub condition: Expr,
    /// The whole line without label and comment.
    pub span: Span,
}

/// The keyword a declaration stands under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
    /// Where the keyword stands.
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
    /// How it relates.
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
    /// Whether it speaks of growth: `∈ O(…)`, `∈ Ω(…)`, `∈ Θ(…)`.
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
    /// Whether it was written `global x`: an array, not a number.
    pub is_array: bool,
    /// The formal.
    pub name: Name,
}

/// Any statement. Which may stand where is enforced when the tree is built: the body of an
/// algorithm holds host statements, a named kernel's `let`s and wrappers, a wrapper's `let`s and
/// core loops, a core loop's kernel statements. A move may stand on the host and in core loops.
#[derive(Debug, Clone, PartialEq)]
pub enum Stmt {
    /// `d ⇚ s`, `d ⇐ s`, `d ← e`
    Move(Move),
    /// `atomic _x[e] ← _x[e] + e`
    Atomic(Atomic),
    /// `let v = e`
    Let(Let),
    /// `if cond then … end if`
    If(If),
    /// `for v = lo → hi do … end for`, `for v = hi downto lo do …`
    For(For),
    /// `while cond at most e do … end while`
    While(While),
    /// `for all mp_i ∈ MP[lo..hi] in parallel do … end for`
    Wrapper(Wrapper),
    /// `for all c_{i,j} ∈ C_i in parallel do … end for`
    CoreLoop(CoreLoop),
    /// `execute Name(args)`
    Execute(Execute),
    /// `swap x ↔ y`
    Swap(Swap),
}

impl Stmt {
    /// Puts statements between an opening line and its `end`.
    pub(crate) fn set_body(&mut self, body: Vec<Stmt>) {
        match self {
            Stmt::If(opened) => opened.body = body,
            Stmt::For(opened) => opened.body = body,
            Stmt::While(opened) => opened.body = body,
            Stmt::Wrapper(opened) => opened.body = body,
            Stmt::CoreLoop(opened) => opened.body = body,
            Stmt::Move(_) | Stmt::Atomic(_) | Stmt::Let(_) | Stmt::Execute(_) | Stmt::Swap(_) => {
                unreachable!("only blocks are opened")
            }
        }
    }
}

/// The three arrows, by what is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Arrow {
    /// `⇚`
    Transfer,
    /// `⇐`
    Global,
    /// `←`
    Shared,
}

/// `target ARROW source`.
#[derive(Debug, Clone, PartialEq)]
pub struct Move {
    /// What is written to.
    pub target: Place,
    /// The arrow as written.
    pub arrow: Arrow,
    /// Where the arrow stands.
    pub arrow_span: Span,
    /// What is read.
    pub source: Source,
    /// The whole statement.
    pub span: Span,
}

/// The right side of a move. After `⇚` and `⇐` a lone name with or without subscripts is a
/// [`Source::Place`]; everything else, and all right sides of `←`, is a [`Source::Expr`].
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// `a`, `a[e]`, `a[lo..hi]`
    Place(Place),
    /// Any expression.
    Expr(Expr),
}

/// A variable, one of its words, or a block of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// The variable.
    pub name: Name,
    /// What stands in brackets; empty without brackets.
    pub subscripts: Vec<Subscript>,
    /// Name and brackets.
    pub span: Span,
}

/// One place between the brackets of a [`Place`].
#[derive(Debug, Clone, PartialEq)]
pub enum Subscript {
    /// `e`
    At(Expr),
    /// `lo..hi`, both ends included.
    Range(Expr, Expr),
}

/// `atomic target ← value`; the value's shape is checked later.
#[derive(Debug, Clone, PartialEq)]
pub struct Atomic {
    /// The element.
    pub target: Place,
    /// The right side as written, the element's own read included.
    pub value: Expr,
    /// The whole statement.
    pub span: Span,
}

/// `if cond then body end if`
#[derive(Debug, Clone, PartialEq)]
pub struct If {
    /// The condition.
    pub condition: Expr,
    /// The block.
    pub body: Vec<Stmt>,
    /// The opening line.
    pub span: Span,
}

/// `for v = from → to until cond do body end for`
#[derive(Debug, Clone, PartialEq)]
pub struct For {
    /// The loop variable.
    pub variable: Name,
    /// The first number written.
    pub from: Expr,
    /// The second number written.
    pub to: Expr,
    /// Whether it says `downto`.
    pub down: bool,
    /// What ends it after an iteration.
    pub until: Option<Box<Until>>,
    /// The block.
    pub body: Vec<Stmt>,
    /// The opening line.
    pub span: Span,
}

/// `until cond`
#[derive(Debug, Clone, PartialEq)]
pub struct Until {
    /// Tested at the end of each iteration.
    pub condition: Expr,
    /// The clause.
    pub span: Span,
}

/// `while cond at most bound do body end while`
#[derive(Debug, Clone, PartialEq)]
pub struct While {
    /// The condition.
    pub condition: Expr,
    /// The bound on iterations; compulsory on the host.
    pub at_most: Option<Expr>,
    /// The block.
    pub body: Vec<Stmt>,
    /// The opening line.
    pub span: Span,
}

/// A wrapper loop: a kernel. One index and range per dimension (1 to 3).
#[derive(Debug, Clone, PartialEq)]
pub struct Wrapper {
    /// `i` of `mp_i`, `y, x` of `mp_{y,x}`.
    pub indices: Vec<Name>,
    /// `lo..hi` per dimension, in either spelling.
    pub ranges: Vec<(Expr, Expr)>,
    /// `let`s and core loops.
    pub body: Vec<Stmt>,
    /// The opening line.
    pub span: Span,
}

/// `for all c_{i,j} ∈ C_i in parallel do body end for`
#[derive(Debug, Clone, PartialEq)]
pub struct CoreLoop {
    /// `i, j` of `c_{i,j}`: the MP's indices, then the core.
    pub indices: Vec<Name>,
    /// `i` of `C_i`.
    pub set: Vec<Name>,
    /// Where `C_i` stands.
    pub set_span: Span,
    /// Kernel statements.
    pub body: Vec<Stmt>,
    /// The opening line.
    pub span: Span,
}

/// `execute Name(arguments)`
#[derive(Debug, Clone, PartialEq)]
pub struct Execute {
    /// The kernel.
    pub kernel: Name,
    /// A bare name may be an array or a number; `check` decides by the formal.
    pub arguments: Vec<Expr>,
    /// The whole statement.
    pub span: Span,
}

/// `swap left ↔ right`
#[derive(Debug, Clone, PartialEq)]
pub struct Swap {
    /// One array.
    pub left: Name,
    /// The other.
    pub right: Name,
    /// The whole statement.
    pub span: Span,
}

/// An expression or a condition.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands, without surrounding parentheses for anything but [`ExprKind::Paren`].
    pub span: Span,
}

/// What an expression is.
#[derive(Debug, Clone, PartialEq)]
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
    /// Two operands and an operator between them.
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
        /// What stands between them.
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
        /// Which.
        quantifier: Quantifier,
        /// At least one.
        binders: Vec<Binder>,
        /// What is quantified.
        body: Box<Expr>,
    },
}

/// A binary operator; comparisons are a chain of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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

/// What stands between two operands of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Relation {
    /// A comparison of what is.
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
    /// x < y as y > x; what is no order stays.
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
