//! Statements: those of the host, of wrapper loops and of core loops.

use crate::program::{Condition, Expr, LetBinding, Number, ParamId, StmtId, VarId, Word};
use crate::text::Span;

/// A statement of the host.
#[derive(Debug, Clone)]
#[non_exhaustive]
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

/// The direction of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Host to global.
    Inward,
    /// Global to host.
    Outward,
}

/// One transfer statement: one transaction each time it is executed.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Transfer {
    /// Into or out of global memory.
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
#[non_exhaustive]
pub struct Region {
    /// The variable.
    pub variable: VarId,
    /// The part taken of each dimension.
    pub extents: Vec<Extent>,
    /// The place as written.
    pub span: Span,
}

impl Region {
    /// Returns true if the region is the whole variable.
    pub(crate) fn is_whole(&self) -> bool {
        let mut extents = self.extents.iter();
        extents.all(|extent| matches!(extent, Extent::All))
    }
}

/// The part of one dimension that a [`Region`] takes.
#[derive(Debug, Clone)]
#[non_exhaustive]
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
#[non_exhaustive]
pub struct Kernel {
    /// One to three dimensions of MPs, both ends of each range included.
    pub mps: Vec<MpRange>,
    /// The statements of every MP.
    pub body: Vec<WrapperStmt>,
    /// Every global variable its text names, dead branches included.
    pub names_global: Vec<VarId>,
    /// The global variables that the kernel writes: the targets of a `⇐`.
    pub writes_global: Vec<VarId>,
    /// Every shared variable its text names.
    pub names_shared: Vec<VarId>,
    /// The shared variables that a compiler would keep in registers: as far as the text tells, no core
    /// reads a word that another core wrote ([`Kind::Register`](crate::count::Kind::Register)).
    pub registers: Vec<VarId>,
    /// The registers with one word per core: an array indexed by j, or a scalar.
    pub single_registers: Vec<VarId>,
    /// The opening line.
    pub span: Span,
}

/// One dimension of a wrapper loop.
#[derive(Debug, Clone)]
#[non_exhaustive]
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
#[non_exhaustive]
pub enum WrapperStmt {
    /// `let v = e`, evaluated once per MP; costs op(e) for each MP.
    Let(LetBinding),
    /// A core loop.
    Cores(CoreLoop),
}

/// `for all c_{i,j} ∈ C_i in parallel do … end for`
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CoreLoop {
    /// The core's index, 0 … b−1.
    pub core: ParamId,
    /// The statements that the cores run in lockstep.
    pub body: Vec<Stmt>,
    /// The opening line.
    pub span: Span,
}

/// `for v = from → to until cond do … end for` on the host.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HostFor {
    /// The loop variable.
    pub variable: ParamId,
    /// The first number written.
    pub from: Number,
    /// The second number written.
    pub to: Number,
    /// True if the loop counts down.
    pub down: bool,
    /// The condition that ends the loop after an iteration. It reads host words and parameters, the loop
    /// variable included.
    pub until: Option<Condition>,
    /// The block.
    pub body: Vec<HostStmt>,
    /// The opening line.
    pub span: Span,
}

/// `while cond at most e do … end while` on the host.
#[derive(Debug, Clone)]
#[non_exhaustive]
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
#[non_exhaustive]
pub struct Swap {
    /// One global variable.
    pub left: VarId,
    /// The other.
    pub right: VarId,
    /// The whole statement.
    pub span: Span,
}

/// `execute Name(args)`: binds the number formals, then runs the body.
#[derive(Debug, Clone)]
#[non_exhaustive]
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
#[non_exhaustive]
pub struct Stmt {
    /// The statement's id.
    pub id: StmtId,
    /// The statement itself.
    pub kind: StmtKind,
    /// Describes how a core waits for the loaded word, as far as the text tells. The meaning of the
    /// statement does not depend on it.
    pub waiting: Waiting,
    /// The statement, or the opening line of a block.
    pub span: Span,
}

/// How a core waits for the word of a `⇐`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Waiting {
    /// No wait: the word is stored, or the statement is no `⇐`.
    #[default]
    Nobody,
    /// A wait for this word, shared with the words [`Beside`](Waiting::Beside) it.
    Alone,
    /// One wait for the words of four iterations together.
    Quarter,
    /// One wait for the words of two iterations together.
    Half,
    /// No wait of its own: the word arrives with an earlier one that is pending.
    Beside,
}

/// The kind of a kernel statement.
#[derive(Debug, Clone)]
#[non_exhaustive]
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
        /// The condition of the cores that run the block.
        condition: Condition,
        /// The block.
        body: Vec<Stmt>,
    },
    /// `for v = from → to do … end for`; an [`Until`](StmtKind::Until) may end its block.
    For {
        /// The loop variable, of each core.
        variable: ParamId,
        /// The first number written; may differ between cores and read shared words.
        from: Number,
        /// The second number written.
        to: Number,
        /// True if the loop counts down.
        down: bool,
        /// The block.
        body: Vec<Stmt>,
    },
    /// `until c`, always the last statement in the block of its `for`. The cores for which c holds leave
    /// the loop.
    Until {
        /// The condition of the cores that leave.
        condition: Condition,
    },
    /// `while c at most e do … end while`
    While {
        /// The condition of the cores that run another iteration.
        condition: Condition,
        /// The bound on the iterations of any core, evaluated once at entry, per core.
        at_most: Option<Number>,
        /// The block.
        body: Vec<Stmt>,
    },
}

/// ⊕ of an `atomic`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
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
#[non_exhaustive]
pub struct AtomicOperand {
    /// True if the operand is subtracted instead of added.
    pub negated: bool,
    /// The operand's value. It does not read the element through the `atomic` itself.
    pub value: Number,
}

/// The parts of a core-loop statement, in one shape for all kinds.
pub(crate) struct Parts<'p> {
    /// The word written and the source of its new value.
    pub write: Option<(&'p Word, Written<'p>)>,
    /// The expressions evaluated at each execution, in the order written, including the value written. The
    /// indices of the words written or moved are not among them.
    pub values: Vec<Expr<'p>>,
    /// The bound on the iterations; evaluating it costs nothing.
    pub at_most: Option<&'p Number>,
    /// Its block.
    pub body: &'p [Stmt],
}

impl<'p> Parts<'p> {
    /// The words that the statement writes or moves.
    pub(crate) fn places(&self) -> impl Iterator<Item = &'p Word> + use<'p> {
        let (target, source) = match self.write {
            Some((target, Written::Word(source))) => (Some(target), Some(source)),
            Some((target, Written::Value(_) | Written::Update(..))) => (Some(target), None),
            None => (None, None),
        };
        target.into_iter().chain(source)
    }
}

/// The source of a written value.
#[derive(Clone, Copy)]
pub(crate) enum Written<'p> {
    /// A word of the other memory: one of the two is shared, the other global.
    Word(&'p Word),
    /// A value.
    Value(&'p Number),
    /// The old value of the word with operands applied.
    Update(AtomicOperator, &'p [AtomicOperand]),
}

impl StmtKind {
    /// Returns the words that the statement reads, without those of its block. They are the words in its
    /// expressions, its indices and its bound, and the source of a move.
    pub(crate) fn reads(&self) -> Vec<&Word> {
        let parts = self.parts();
        let indices = parts.places().flat_map(|word| &word.indices);
        let numbers = indices.chain(parts.at_most).map(Expr::from);
        let mut words = Vec::new();
        for expr in parts.values.iter().copied().chain(numbers) {
            expr.words(&mut words);
        }
        if let Some((_, Written::Word(source))) = parts.write {
            words.push(source);
        }
        words
    }

    /// Splits the statement into its parts.
    pub(crate) fn parts(&self) -> Parts<'_> {
        let of = |values| Parts {
            write: None,
            values,
            at_most: None,
            body: &[],
        };
        match self {
            StmtKind::Load { target, source } | StmtKind::Store { target, source } => Parts {
                write: Some((target, Written::Word(source))),
                ..of(Vec::new())
            },
            StmtKind::Assign { target, value } => Parts {
                write: Some((target, Written::Value(value))),
                ..of(vec![value.into()])
            },
            StmtKind::Atomic {
                target,
                operator,
                operands,
            } => Parts {
                write: Some((target, Written::Update(*operator, operands))),
                ..of(operands.iter().map(|it| (&it.value).into()).collect())
            },
            StmtKind::Let(binding) => of(vec![(&binding.value).into()]),
            StmtKind::If { condition, body } => Parts {
                body,
                ..of(vec![condition.into()])
            },
            StmtKind::For { from, to, body, .. } => Parts {
                body,
                ..of(vec![from.into(), to.into()])
            },
            StmtKind::Until { condition } => of(vec![condition.into()]),
            StmtKind::While {
                condition,
                at_most,
                body,
            } => Parts {
                at_most: at_most.as_ref(),
                body,
                ..of(vec![condition.into()])
            },
        }
    }
}

impl HostStmt {
    /// The statements in the block, or in the executed kernel.
    pub(crate) fn body(&self) -> &[HostStmt] {
        match self {
            HostStmt::For(repeated) => &repeated.body,
            HostStmt::While(repeated) => &repeated.body,
            HostStmt::Execute(execute) => &execute.body,
            HostStmt::Transfer(_) | HostStmt::Kernel(_) | HostStmt::Let(_) | HostStmt::Swap(_) => {
                &[]
            }
        }
    }
}
