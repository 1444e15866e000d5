//! Statements, with their places and their names in messages.

use crate::syntax::ast::{Expr, Let, Name};
use crate::text::Span;

/// Any statement. The tree builder enforces their places: an algorithm's body holds host
/// statements,
/// a named kernel's `let`s and wrappers, a wrapper's `let`s and core loops, a core loop's kernel
/// statements. A move may stand on the host and in core loops.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Stmt {
    /// `d ⇚ s`, `d ⇐ s`, `d ← e`
    Move(Move),
    /// `let v = e`
    Let(Let),
    /// `for v = lo → hi do … end for`, `for v = hi downto lo do …`
    For(For),
    /// `while cond at most e do … end while`
    While(While),
    /// `for all mp_i ∈ MP[lo..hi] in parallel do … end for`
    Wrapper(Wrapper),
    /// `for all c_{i,j} ∈ C_i in parallel do … end for`
    CoreLoop(CoreLoop),
    /// A statement of core loops only.
    Core(CoreStmt),
    /// A statement of the host only.
    Host(HostStmt),
}

/// A statement of core loops.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum CoreStmt {
    /// `atomic _x[e] ← _x[e] + e`
    Atomic(Atomic),
    /// `if cond then … end if`
    If(If),
}

/// A statement of the host.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum HostStmt {
    /// `execute Name(args)`
    Execute(Execute),
    /// `swap x ↔ y`
    Swap(Swap),
}

/// First words of a line with a statement other than a move.
pub(crate) const FIRST_WORDS: [&str; 7] =
    ["let", "execute", "for", "while", "if", "swap", "atomic"];

/// The place of statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Habitat {
    Host,
    NamedKernel,
    Wrapper,
    Core,
    /// A block that should not be there: it takes anything, so that one fault stays one.
    Anywhere,
}

/// The kinds of blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockKind {
    Kernel,
    Wrapper,
    CoreLoop,
    For,
    While,
    If,
}

/// The name of a kind of statement, its places, and the help for any other place.
pub(crate) struct Manner {
    pub(crate) what: &'static str,
    pub(crate) habitats: &'static [Habitat],
    pub(crate) help: &'static str,
    /// The block that its line opens.
    pub(crate) opens: Option<BlockKind>,
}

const LOOP_HELP: &str = "put it inside a core loop, or around the wrapper loop on the host";

impl Stmt {
    /// Puts statements between an opening line and its `end`.
    pub(crate) fn set_body(&mut self, body: Vec<Stmt>) {
        match self {
            Stmt::For(opened) => opened.body = body,
            Stmt::While(opened) => opened.body = body,
            Stmt::Wrapper(opened) => opened.body = body,
            Stmt::CoreLoop(opened) => opened.body = body,
            Stmt::Core(CoreStmt::If(opened)) => opened.body = body,
            Stmt::Move(_) | Stmt::Let(_) | Stmt::Core(CoreStmt::Atomic(_)) | Stmt::Host(_) => {
                unreachable!("only blocks are opened")
            }
        }
    }

    /// Returns the row of this statement.
    pub(crate) fn manner(&self) -> Manner {
        let (opens, what, habitats, help): (_, _, &[Habitat], _) = match self {
            Stmt::Let(_) => (
                None,
                "a `let`",
                &[
                    Habitat::Host,
                    Habitat::NamedKernel,
                    Habitat::Wrapper,
                    Habitat::Core,
                ],
                "",
            ),
            Stmt::Move(moved) => match moved.arrow {
                Arrow::Transfer => (
                    None,
                    "a transfer",
                    &[Habitat::Host, Habitat::Core],
                    "transfers stand on the host, outside all kernels",
                ),
                Arrow::Global | Arrow::Shared => (
                    None,
                    if moved.arrow == Arrow::Global {
                        "a global access"
                    } else {
                        "a shared access"
                    },
                    &[Habitat::Host, Habitat::Core],
                    "put it into a core loop `for all c_{i,j} ∈ C_i in parallel do`",
                ),
            },
            Stmt::Core(CoreStmt::Atomic(_)) => (
                None,
                "an `atomic`",
                &[Habitat::Core],
                "shared memory is reached in core loops only",
            ),
            Stmt::Core(CoreStmt::If(_)) => (
                Some(BlockKind::If),
                "an `if`",
                &[Habitat::Core],
                "conditional blocks stand in core loops",
            ),
            Stmt::For(_) => (
                Some(BlockKind::For),
                "a `for` loop",
                &[Habitat::Host, Habitat::Core],
                LOOP_HELP,
            ),
            Stmt::While(_) => (
                Some(BlockKind::While),
                "a `while` loop",
                &[Habitat::Host, Habitat::Core],
                LOOP_HELP,
            ),
            Stmt::Wrapper(_) => (
                Some(BlockKind::Wrapper),
                "a wrapper loop",
                &[Habitat::Host, Habitat::NamedKernel],
                "a wrapper loop is a kernel; kernels are started on the host, not by kernels",
            ),
            Stmt::CoreLoop(_) => (
                Some(BlockKind::CoreLoop),
                "a core loop",
                &[Habitat::Wrapper],
                "core loops stand directly inside a wrapper loop `for all mp_i ∈ MP[…] in parallel do`",
            ),
            Stmt::Host(HostStmt::Execute(_)) => (
                None,
                "an `execute`",
                &[Habitat::Host],
                "kernels are executed by the host, not by kernels",
            ),
            Stmt::Host(HostStmt::Swap(_)) => (
                None,
                "a `swap`",
                &[Habitat::Host],
                "arrays are exchanged by the host, between kernels",
            ),
        };
        Manner {
            what,
            habitats,
            help,
            opens,
        }
    }
}

/// The arrow of a move, as written.
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
    /// The place written.
    pub target: Place,
    /// The arrow as written.
    pub arrow: Arrow,
    /// The place of the arrow.
    pub arrow_span: Span,
    /// The value read.
    pub source: Source,
    /// The whole statement.
    pub span: Span,
}

/// The right side of a move. After `⇚` and `⇐` a lone name with or without subscripts is a
/// [`Source::Place`]; everything else, and all right sides of `←`, is a [`Source::Expr`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
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
    /// The subscripts; empty without brackets.
    pub subscripts: Vec<Subscript>,
    /// Name and brackets.
    pub span: Span,
}

/// One place between the brackets of a [`Place`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
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
    /// True for `downto`.
    pub down: bool,
    /// The condition that ends it after an iteration.
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
    /// The place of `C_i`.
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
