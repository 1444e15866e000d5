//! Statements: those of the host, of wrapper loops and of core loops.

use crate::program::{Condition, LetBinding, Number, ParamId, StmtId, VarId, Word};
use crate::text::Span;

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
    /// # let program = atgpu::examples::vector_addition();
    /// let copy = program.body[0].span();
    /// assert_eq!(program.source.slice(copy), "a ⇚ A");
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
    At(Number),
    /// From the first to the second index, both included; empty when the second is smaller, and
    /// an empty range anywhere makes the whole block empty and in bounds.
    Range(Number, Number),
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
    pub low: Number,
    /// The last number.
    pub high: Number,
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
    pub from: Number,
    /// The second number written.
    pub to: Number,
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
    pub condition: Condition,
    /// Reads parameters only.
    pub at_most: Number,
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
        value: Number,
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
        /// Which cores go on.
        condition: Condition,
        /// The block.
        body: Vec<Stmt>,
    },
    /// `for v = from → to do … end for`
    For {
        /// The loop variable, of each core.
        variable: ParamId,
        /// The first number written; may differ between cores and read shared words.
        from: Number,
        /// The second number written.
        to: Number,
        /// Whether it counts down.
        down: bool,
        /// The block.
        body: Vec<Stmt>,
    },
    /// `while c at most e do … end while`
    While {
        /// Which cores go on.
        condition: Condition,
        /// The bound on the iterations of any core, evaluated once at entry, per core.
        at_most: Option<Number>,
        /// The block.
        body: Vec<Stmt>,
    },
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
    pub value: Number,
}
