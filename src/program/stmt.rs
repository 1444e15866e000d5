//! Statements: those of the host, of wrapper loops and of core loops.

use crate::program::{Condition, Expr, LetBinding, Number, ParamId, StmtId, VarId, Word};
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
    /// let program = atgpu::examples::vector_addition();
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

impl Region {
    /// Whether it is all of its variable.
    pub(crate) fn is_whole(&self) -> bool {
        let mut extents = self.extents.iter();
        extents.all(|extent| matches!(extent, Extent::All))
    }
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
    /// Those of them that would be registers: no core reads what another wrote there, as far as its text
    /// tells ([`Kind::Register`](crate::count::Kind::Register)).
    pub registers: Vec<VarId>,
    /// Those of them of which each core has one word: an array with j for its index, a scalar.
    pub single_registers: Vec<VarId>,
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

/// `for v = from → to until cond do … end for` on the host.
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
    /// Ends it after an iteration; reads host words and parameters, the variable among them.
    pub until: Option<Condition>,
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
    /// Who waits for what it loads, as far as the text tells; what it means does not depend on it.
    pub waiting: Waiting,
    /// The statement, or the opening line of a block.
    pub span: Span,
}

/// Who waits for the word of a `⇐`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Waiting {
    /// Nobody: it is stored, or it is no `⇐`.
    #[default]
    Nobody,
    /// The core, for this word and those that are [`Beside`](Waiting::Beside) it.
    Alone,
    /// The core, for those of four iterations at once.
    Quarter,
    /// The core, for those of two iterations at once.
    Half,
    /// The core, with an earlier one that is under way.
    Beside,
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
    /// `for v = from → to do … end for`; an [`Until`](StmtKind::Until) may end its block.
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
    /// `until c` of the `for` in whose block it is the last statement, and stands nowhere else: the
    /// cores for which it holds leave the loop.
    Until {
        /// Which cores leave.
        condition: Condition,
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

/// What a statement of a core loop is made of.
pub(crate) struct Parts<'p> {
    /// The word it writes, and what it writes there.
    pub write: Option<(&'p Word, Written<'p>)>,
    /// What it evaluates each time it is executed, in the order written, what it writes included; not
    /// the indices of the words that it writes or moves.
    pub values: Vec<Expr<'p>>,
    /// What bounds its iterations, which costs nothing.
    pub at_most: Option<&'p Number>,
    /// Its block.
    pub body: &'p [Stmt],
}

impl<'p> Parts<'p> {
    /// The words that it writes or moves.
    pub(crate) fn places(&self) -> impl Iterator<Item = &'p Word> + use<'p> {
        let (target, source) = match self.write {
            Some((target, Written::Word(source))) => (Some(target), Some(source)),
            Some((target, Written::Value(_) | Written::Update(..))) => (Some(target), None),
            None => (None, None),
        };
        target.into_iter().chain(source)
    }
}

/// What a statement writes to a word.
#[derive(Clone, Copy)]
pub(crate) enum Written<'p> {
    /// Another word, of the other memory: one of the two is shared, one global.
    Word(&'p Word),
    /// A value.
    Value(&'p Number),
    /// What the word held, with operands applied.
    Update(AtomicOperator, &'p [AtomicOperand]),
}

impl StmtKind {
    /// The words that it reads, those of its block left out: what it evaluates, and what it moves.
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

    /// What it is made of.
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
    /// The statements in its block, or in the kernel that it executes.
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
