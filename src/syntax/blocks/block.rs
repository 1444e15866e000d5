//! What an open block is: its kind, what may stand in it, and what it becomes.

use crate::syntax::ast::{NamedKernel, Stmt};
use crate::syntax::lower::End;
use crate::text::Span;

/// The kinds of blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Kernel,
    Wrapper,
    CoreLoop,
    For,
    While,
    If,
}

impl Kind {
    /// The `end` that closes it.
    pub(crate) fn end(self) -> End {
        match self {
            Kind::Kernel => End::Kernel,
            Kind::Wrapper | Kind::CoreLoop | Kind::For => End::For,
            Kind::While => End::While,
            Kind::If => End::If,
        }
    }

    /// How its opening line begins.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Kind::Kernel => "kernel",
            Kind::Wrapper | Kind::CoreLoop => "for all",
            Kind::For => "for",
            Kind::While => "while",
            Kind::If => "if",
        }
    }

    /// What its body takes, given what takes the block itself.
    pub(super) fn inside(self, around: Place) -> Place {
        match (self, around) {
            (Kind::Kernel, _) => Place::NamedKernel,
            (Kind::Wrapper, _) => Place::Wrapper,
            (Kind::CoreLoop, _) => Place::Core,
            (Kind::For | Kind::While, Place::Host) => Place::Host,
            (Kind::For | Kind::While | Kind::If, Place::Core) => Place::Core,
            (Kind::For | Kind::While | Kind::If, _) => Place::Anywhere,
        }
    }
}

impl End {
    /// As it is written.
    pub(crate) fn phrase(self) -> &'static str {
        match self {
            End::Algorithm => "end algorithm",
            End::Kernel => "end kernel",
            End::For => "end for",
            End::While => "end while",
            End::If => "end if",
        }
    }
}

/// What may stand in a block's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Host,
    NamedKernel,
    Wrapper,
    Core,
    /// Inside a block that should not be there: anything, so that one fault stays one.
    Anywhere,
}

impl Place {
    /// Where it is, in messages.
    pub(super) fn phrase(self) -> &'static str {
        match self {
            Place::Host | Place::Anywhere => "among the host statements",
            Place::NamedKernel => "in a named kernel outside its wrapper loops",
            Place::Wrapper => "in a wrapper loop outside its core loops",
            Place::Core => "in a core loop",
        }
    }
}

/// What an opening line says, waiting for its body.
pub(super) enum Opened {
    Kernel(NamedKernel),
    Statement(Stmt),
}

impl Opened {
    /// The same with the statements between the opening line and the `end`.
    pub(super) fn with_body(self, body: Vec<Stmt>) -> Opened {
        let mut opened = self;
        match &mut opened {
            Opened::Kernel(kernel) => kernel.body = body,
            Opened::Statement(statement) => statement.set_body(body),
        }
        opened
    }
}

/// A block whose `end` has not come yet.
pub(super) struct Block {
    pub kind: Kind,
    /// Nothing where the opening line was faulty or stands in the wrong place.
    pub opened: Option<Opened>,
    /// The opening line.
    pub span: Span,
    pub inside: Place,
    /// Whether a line of its body was faulty.
    pub is_faulty: bool,
    /// Which diagnostics say that a line cannot stand in this block. When the block turns out
    /// never to be closed, they were its echoes.
    pub misplaced: Vec<usize>,
    pub body: Vec<Stmt>,
}
