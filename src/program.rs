//! The checked program: ids for names, operators sorted into accesses, nothing unresolved.
//!
//! Everything here was verified by `check`: every name resolves, every rank fits, every type
//! agrees, every statement stands where it may. Later phases do not check again.
//!
//! Parameters (whole numbers, language.md §2.2) and variables (memory) have ids of their own.
//! Every binding occurrence of a parameter has its own id, so no id is ever bound twice at once,
//! and shadowing is gone. A named kernel's body appears once per `execute`, with its array formals
//! replaced by the arguments and its number formals bound as parameters (language.md §2.7).
//!
//! All of it is plain data to walk through:
//!
//! ```
//! # macro_rules! include_str { ($file:literal) => {
//! #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
//! # }}
//! use atgpu::program::{Direction, HostStmt};
//!
//! let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
//! let inward: Vec<&str> = program
//!     .body
//!     .iter()
//!     .filter_map(|stmt| match stmt {
//!         HostStmt::Transfer(transfer) => Some(transfer),
//!         _ => None,
//!     })
//!     .filter(|transfer| transfer.direction == Direction::Inward)
//!     .map(|transfer| program.variable(transfer.global.variable).name.as_str())
//!     .collect();
//! assert_eq!(inward, ["a", "b"]);
//! # Ok::<(), atgpu::Error>(())
//! ```

use num_bigint::BigInt;

use crate::syntax::ast::{self, Comparison, Property, Quantifier, WordType};
use crate::text::{Source, Span};

/// Identifies a [`Parameter`] of a [`Program`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ParamId(pub u32);

/// Identifies a [`Variable`] of a [`Program`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// Identifies a kernel statement, unique in its [`Program`] (numbered from 0 in text order, each
/// `execute` of a named kernel with numbers of its own).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StmtId(pub u32);

/// A program that passed every static check.
#[derive(Debug, Clone)]
pub struct Program {
    /// The text it came from.
    pub source: Source,
    /// The algorithm's name.
    pub name: String,
    /// Every parameter, by [`ParamId`].
    pub parameters: Vec<Parameter>,
    /// Every variable, by [`VarId`].
    pub variables: Vec<Variable>,
    /// The formal parameters, in order.
    pub formals: Vec<ParamId>,
    /// The machine's p, b, M, G. A formal of the same name does not exist (`name::duplicate`).
    pub machine: MachineParameters,
    /// Header `let`s, each after those it uses.
    pub lets: Vec<LetBinding>,
    /// `require`s in text order.
    pub requires: Vec<Requirement>,
    /// `ensure`s in text order.
    pub ensures: Vec<Requirement>,
    /// Claims in text order.
    pub claims: Vec<Claim>,
    /// The host statements.
    pub body: Vec<HostStmt>,
    /// Sets of global variables that some `swap` in the text joins (transitively); only sets of
    /// two or more. For the live words of a round such a set counts as one (language.md §5).
    pub swap_groups: Vec<Vec<VarId>>,
    /// Number of [`StmtId`]s in use.
    pub statement_count: u32,
}

/// The ids of the machine's parameters.
#[derive(Debug, Clone, Copy)]
pub struct MachineParameters {
    /// `p`: cores in all.
    pub p: ParamId,
    /// `b`: cores per MP, words per block, banks.
    pub b: ParamId,
    /// `M`: words of shared memory per MP.
    pub m: ParamId,
    /// `G`: words of global memory.
    pub g: ParamId,
}

/// A parameter: one binding of one name.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// The name as the program writes it.
    pub name: String,
    /// What binds it.
    pub kind: ParameterKind,
    /// The type of its value: [`Type::Number`] but for a kernel `let` that holds data.
    pub ty: Type,
    /// Whether its value may depend on data (a kernel `let` over a shared read, a loop variable
    /// whose bounds read data, and what is computed from those).
    pub depends_on_data: bool,
    /// Where it is declared; `None` for the machine's.
    pub span: Option<Span>,
}

/// What binds a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ParameterKind {
    /// A formal parameter of the algorithm.
    Formal,
    /// `p`, `b`, `M` or `G`.
    Machine,
    /// A header `let`.
    HeaderLet,
    /// A host `let`, or a `let` of a named kernel's body.
    HostLet,
    /// The variable of a host `for`.
    HostLoop,
    /// A number formal of a named kernel.
    KernelFormal,
    /// An index of the MP.
    Mp,
    /// The index of the core.
    Core,
    /// A `let` directly inside a wrapper loop (per MP).
    WrapperLet,
    /// A `let` inside a core loop (per core).
    KernelLet,
    /// The variable of a kernel `for`.
    KernelLoop,
    /// The variable of a quantifier.
    Quantifier,
}

/// Where a variable lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Host memory.
    Host,
    /// Global memory.
    Global,
    /// Shared memory of each MP.
    Shared,
}

/// What a host variable is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Given.
    Input,
    /// A result.
    Output,
    /// Neither; also every global and shared variable.
    None,
}

/// A declared variable.
#[derive(Debug, Clone)]
pub struct Variable {
    /// The name as the program writes it.
    pub name: String,
    /// Where it lives.
    pub scope: Scope,
    /// Input, output, or neither.
    pub role: Role,
    /// int or float.
    pub word_type: WordType,
    /// Its extents over formals, machine parameters and header `let`s; none for a scalar.
    pub dimensions: Vec<Expr>,
    /// `in lo..hi`: data-free expressions of type [`Type::Number`] or [`Type::Float`].
    pub range: Option<(Expr, Expr)>,
    /// `as …`
    pub property: Option<Property>,
    /// The declaration (name to property).
    pub span: Span,
}

/// A parameter bound to a value.
#[derive(Debug, Clone)]
pub struct LetBinding {
    /// The parameter.
    pub parameter: ParamId,
    /// Its value.
    pub value: Expr,
    /// The whole statement.
    pub span: Span,
}

/// A `require` or `ensure`.
#[derive(Debug, Clone)]
pub struct Requirement {
    /// Of type [`Type::Condition`].
    pub condition: Expr,
    /// Whether it reads variables; a `require` without data is tested before any data exist.
    pub reads_data: bool,
    /// The header line without label and comment.
    pub span: Span,
}

/// The quantities a claim may speak of (language.md §4.5, §5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Quantity {
    /// `rounds`: R.
    Rounds,
    /// `time`: max tᵢ.
    Time,
    /// `total_time`: Σ tᵢ.
    TotalTime,
    /// `io`: Σ qᵢ.
    Io,
    /// `inward`: Σ Iᵢ, words.
    Inward,
    /// `outward`: Σ Oᵢ, words.
    Outward,
    /// `transfer`: Σ Iᵢ + Oᵢ, words.
    Transfer,
    /// `transactions`: Σ Îᵢ + Ôᵢ.
    Transactions,
    /// `transfer_cost`: Σ T_I + T_O.
    TransferCost,
    /// `shared`: max mᵢ.
    Shared,
    /// `global`: max gᵢ.
    Global,
    /// `bank_conflicts`: Σ (degree − 1).
    BankConflicts,
    /// `cost`: Expression (1) of paper 1.
    Cost,
    /// `gpu_cost`: Expression (2) of paper 1.
    GpuCost,
}

/// A claim.
#[derive(Debug, Clone)]
pub struct Claim {
    /// What it speaks of.
    pub quantity: Quantity,
    /// `=`, `≤`, `∈ O`, `∈ Θ`.
    pub relation: ast::ClaimRelation,
    /// The right side; may hold [`ExprKind::Symbol`] and the functions of claims.
    pub value: Expr,
    /// The header line without label and comment.
    pub span: Span,
}

/// A statement of the host.
#[derive(Debug, Clone)]
pub enum HostStmt {
    /// `d ⇚ s`
    Transfer(Transfer),
    /// A wrapper loop.
    Kernel(Kernel),
    /// `for v = lo → hi do … end for`
    For(HostFor),
    /// `while cond at most e do … end while`
    While(HostWhile),
    /// `let v = e`
    Let(LetBinding),
    /// `swap x ↔ y`
    Swap(Swap),
    /// `execute Name(args)`, written out.
    Execute(Execute),
}

impl HostStmt {
    /// The statement, or the opening line of a block.
    ///
    /// ```
    /// # macro_rules! include_str { ($file:literal) => {
    /// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
    /// # }}
    /// # let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
    /// let copy = program.body[0].span();
    /// assert_eq!(program.source.slice(copy), "a ⇚ A");
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn span(&self) -> Span {
        match self {
            HostStmt::Transfer(transfer) => transfer.span,
            HostStmt::Kernel(kernel) => kernel.span,
            HostStmt::For(host_for) => host_for.span,
            HostStmt::While(host_while) => host_while.span,
            HostStmt::Let(binding) => binding.span,
            HostStmt::Swap(swap) => swap.span,
            HostStmt::Execute(execute) => execute.span,
        }
    }
}

/// Which way a transfer goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Host to global.
    Inward,
    /// Global to host.
    Outward,
}

/// One transfer statement: one transaction each time it is executed.
#[derive(Debug, Clone)]
pub struct Transfer {
    /// Which way.
    pub direction: Direction,
    /// The host side.
    pub host: Region,
    /// The global side.
    pub global: Region,
    /// The whole statement.
    pub span: Span,
}

/// A rectangular block of a variable: one extent per dimension, none for a scalar.
#[derive(Debug, Clone)]
pub struct Region {
    /// The variable.
    pub variable: VarId,
    /// One per dimension.
    pub extents: Vec<Extent>,
    /// The place as written.
    pub span: Span,
}

/// What a [`Region`] takes of one dimension.
#[derive(Debug, Clone)]
pub enum Extent {
    /// All of it.
    All,
    /// One index.
    At(Expr),
    /// From the first to the second index, both included; empty when the second is smaller, and
    /// an empty range anywhere makes the whole block empty and in bounds.
    Range(Expr, Expr),
}

/// A wrapper loop.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// One to three dimensions of MPs, both ends of each range included.
    pub mps: Vec<MpRange>,
    /// What every MP does.
    pub body: Vec<WrapperStmt>,
    /// Every global variable its text names, dead branches included.
    pub names_global: Vec<VarId>,
    /// Those of them that stand left of a `⇐`.
    pub writes_global: Vec<VarId>,
    /// Every shared variable its text names.
    pub names_shared: Vec<VarId>,
    /// The opening line.
    pub span: Span,
}

/// One dimension of a wrapper loop.
#[derive(Debug, Clone)]
pub struct MpRange {
    /// The index.
    pub parameter: ParamId,
    /// The first number.
    pub low: Expr,
    /// The last number.
    pub high: Expr,
}

/// A statement directly inside a wrapper loop.
#[derive(Debug, Clone)]
pub enum WrapperStmt {
    /// `let v = e`, evaluated once per MP; costs op(e) for each MP.
    Let(LetBinding),
    /// A core loop.
    Cores(CoreLoop),
}

/// `for all c_{i,j} ∈ C_i in parallel do … end for`
#[derive(Debug, Clone)]
pub struct CoreLoop {
    /// The core's index, 0 … b−1.
    pub core: ParamId,
    /// What the cores do in lockstep.
    pub body: Vec<Stmt>,
    /// The opening line.
    pub span: Span,
}

/// `for v = from → to do … end for` on the host.
#[derive(Debug, Clone)]
pub struct HostFor {
    /// The loop variable.
    pub variable: ParamId,
    /// The first number written.
    pub from: Expr,
    /// The second number written.
    pub to: Expr,
    /// Whether it counts down.
    pub down: bool,
    /// The block.
    pub body: Vec<HostStmt>,
    /// The opening line.
    pub span: Span,
}

/// `while cond at most e do … end while` on the host.
#[derive(Debug, Clone)]
pub struct HostWhile {
    /// Reads host words and parameters.
    pub condition: Expr,
    /// Reads parameters only.
    pub at_most: Expr,
    /// The block.
    pub body: Vec<HostStmt>,
    /// The opening line.
    pub span: Span,
}

/// `swap x ↔ y`
#[derive(Debug, Clone)]
pub struct Swap {
    /// One global variable.
    pub left: VarId,
    /// The other.
    pub right: VarId,
    /// The whole statement.
    pub span: Span,
}

/// `execute Name(args)`: bind the number formals, then do the body.
#[derive(Debug, Clone)]
pub struct Execute {
    /// The kernel's name.
    pub kernel: String,
    /// The number formals and their arguments, evaluated in the caller.
    pub arguments: Vec<LetBinding>,
    /// `let`s and wrapper loops, array formals already replaced.
    pub body: Vec<HostStmt>,
    /// The `execute` statement.
    pub span: Span,
}

/// A statement of a core loop.
#[derive(Debug, Clone)]
pub struct Stmt {
    /// Its number.
    pub id: StmtId,
    /// What it is.
    pub kind: StmtKind,
    /// The statement, or the opening line of a block.
    pub span: Span,
}

/// What a kernel statement is.
#[derive(Debug, Clone)]
pub enum StmtKind {
    /// `_x[e] ⇐ a[e]`
    Load {
        /// The shared word written.
        target: Word,
        /// The global word read.
        source: Word,
    },
    /// `a[e] ⇐ _x[e]`
    Store {
        /// The global word written.
        target: Word,
        /// The shared word read.
        source: Word,
    },
    /// `_x[e] ← value`
    Assign {
        /// The shared word written.
        target: Word,
        /// Over shared words and parameters.
        value: Expr,
    },
    /// `atomic _x[e] ← _x[e] ⊕ operand …`
    Atomic {
        /// The shared word updated; its own read on the right has the same indices.
        target: Word,
        /// ⊕.
        operator: AtomicOperator,
        /// The operands after the element, applied from left to right; at least one. A negated
        /// one was written behind `-` in a `+` chain (`_x[e] + u - v`).
        operands: Vec<AtomicOperand>,
    },
    /// `let v = e`: one value per core.
    Let(LetBinding),
    /// `if c then … end if`
    If {
        /// Of type [`Type::Condition`].
        condition: Expr,
        /// The block.
        body: Vec<Stmt>,
    },
    /// `for v = from → to do … end for`
    For {
        /// The loop variable, of each core.
        variable: ParamId,
        /// The first number written; may differ between cores and read shared words.
        from: Expr,
        /// The second number written.
        to: Expr,
        /// Whether it counts down.
        down: bool,
        /// The block.
        body: Vec<Stmt>,
    },
    /// `while c at most e do … end while`
    While {
        /// Of type [`Type::Condition`].
        condition: Expr,
        /// The bound on the iterations of any core, evaluated once at entry, per core.
        at_most: Option<Expr>,
        /// The block.
        body: Vec<Stmt>,
    },
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

/// ⊕ of an `atomic`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AtomicOperator {
    /// `+`
    Add,
    /// `*`, also juxtaposed
    Multiply,
    /// `min(_x[e], …)`
    Min,
    /// `max(_x[e], …)`
    Max,
}

/// An operand of an `atomic`. Each ⊕ (and each `-` of the chain) is one operation.
#[derive(Debug, Clone)]
pub struct AtomicOperand {
    /// Subtracted instead of added.
    pub negated: bool,
    /// Does not read the element through the `atomic` itself.
    pub value: Expr,
}

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

impl Expr {
    /// Whether the expression or an operand, however deep, is such a one.
    pub(crate) fn has(&self, wanted: &dyn Fn(&ExprKind) -> bool) -> bool {
        let mut found = wanted(&self.kind);
        self.kind
            .operands(&mut |operand| found = found || operand.has(wanted));
        found
    }
}

impl ExprKind {
    /// Calls `visit` on every direct operand, from left to right, the indices of a word included.
    pub(crate) fn operands<'e>(&'e self, visit: &mut dyn FnMut(&'e Expr)) {
        match self {
            ExprKind::Integer(_)
            | ExprKind::Float(_)
            | ExprKind::Parameter(_)
            | ExprKind::Symbol(_) => {}
            ExprKind::Word(word) => word.indices.iter().for_each(visit),
            ExprKind::Negate(e)
            | ExprKind::Ceil(e)
            | ExprKind::Floor(e)
            | ExprKind::Abs(e)
            | ExprKind::Bracket(e)
            | ExprKind::Not(e) => visit(e),
            ExprKind::Math { argument, .. } => visit(argument),
            ExprKind::Binary { left, right, .. } | ExprKind::Bits { left, right, .. } => {
                visit(left);
                visit(right);
            }
            ExprKind::Log { base, argument } => {
                visit(base);
                visit(argument);
            }
            ExprKind::And(left, right)
            | ExprKind::Or(left, right)
            | ExprKind::Implies(left, right)
            | ExprKind::Gcd(left, right)
            | ExprKind::DigitSum(left, right) => {
                visit(left);
                visit(right);
            }
            ExprKind::Min(list) | ExprKind::Max(list) => list.iter().for_each(visit),
            ExprKind::Compare { operands, .. } => operands.iter().for_each(visit),
            ExprKind::FloorSum(arguments) => arguments.iter().for_each(visit),
            ExprKind::Select {
                condition,
                then,
                otherwise,
            } => {
                visit(condition);
                visit(then);
                visit(otherwise);
            }
            ExprKind::Quantified { binders, body, .. } => {
                for binder in binders {
                    visit(&binder.low);
                    visit(&binder.high);
                }
                visit(body);
            }
        }
    }
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

impl Program {
    /// A parameter by its id.
    ///
    /// ```
    /// # macro_rules! include_str { ($file:literal) => {
    /// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
    /// # }}
    /// # let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
    /// assert_eq!(program.parameter(program.formals[0]).name, "n");
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn parameter(&self, id: ParamId) -> &Parameter {
        &self.parameters[id.0 as usize]
    }

    /// A variable by its id.
    ///
    /// ```
    /// use atgpu::program::HostStmt;
    ///
    /// # macro_rules! include_str { ($file:literal) => {
    /// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
    /// # }}
    /// # let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
    /// let HostStmt::Transfer(copy) = &program.body[0] else { panic!("a ⇚ A") };
    /// assert_eq!(program.variable(copy.global.variable).name, "a");
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn variable(&self, id: VarId) -> &Variable {
        &self.variables[id.0 as usize]
    }

    /// The ids of all variables, in declaration order.
    pub(crate) fn variable_ids(&self) -> impl Iterator<Item = VarId> + use<> {
        (0..self.variables.len() as u32).map(VarId)
    }

    /// The line (from 1) a span starts on.
    ///
    /// ```
    /// # macro_rules! include_str { ($file:literal) => {
    /// #     std::include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/paper1/", $file))
    /// # }}
    /// # let program = atgpu::program(include_str!("vector_addition.atgpu"))?;
    /// assert_eq!(program.line(program.body[1].span()), program.line(program.body[0].span()) + 1);
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn line(&self, span: Span) -> usize {
        self.source.line_of(span.start)
    }
}
