//! What an open block is: its kind, what may stand in it, and what it becomes.

use crate::syntax::ast::{BlockKind, Habitat, NamedKernel, Stmt};
use crate::syntax::lower::End;
use crate::text::Span;

impl BlockKind {
    /// The `end` that closes it.
    pub(in crate::syntax) fn end(self) -> End {
        match self {
            BlockKind::Kernel => End::Kernel,
            BlockKind::Wrapper | BlockKind::CoreLoop | BlockKind::For => End::For,
            BlockKind::While => End::While,
            BlockKind::If => End::If,
        }
    }

    /// How its opening line begins.
    pub(crate) fn word(self) -> &'static str {
        match self {
            BlockKind::Kernel => "kernel",
            BlockKind::Wrapper | BlockKind::CoreLoop => "for all",
            BlockKind::For => "for",
            BlockKind::While => "while",
            BlockKind::If => "if",
        }
    }

    /// What its body takes, given what takes the block itself.
    pub(super) fn inside(self, around: Habitat) -> Habitat {
        match (self, around) {
            (BlockKind::Kernel, _) => Habitat::NamedKernel,
            (BlockKind::Wrapper, _) => Habitat::Wrapper,
            (BlockKind::CoreLoop, _) => Habitat::Core,
            (BlockKind::For | BlockKind::While, Habitat::Host) => Habitat::Host,
            (BlockKind::For | BlockKind::While | BlockKind::If, Habitat::Core) => Habitat::Core,
            (BlockKind::For | BlockKind::While | BlockKind::If, _) => Habitat::Anywhere,
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

impl Habitat {
    /// Where it is, in messages.
    pub(super) fn phrase(self) -> &'static str {
        match self {
            Habitat::Host | Habitat::Anywhere => "among the host statements",
            Habitat::NamedKernel => "in a named kernel outside its wrapper loops",
            Habitat::Wrapper => "in a wrapper loop outside its core loops",
            Habitat::Core => "in a core loop",
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
    pub kind: BlockKind,
    /// Nothing where the opening line was faulty or stands in the wrong place.
    pub opened: Option<Opened>,
    /// The opening line.
    pub span: Span,
    pub inside: Habitat,
    /// Whether a line of its body was faulty.
    pub is_faulty: bool,
    /// Which diagnostics say that a line cannot stand in this block. When the block turns out
    /// never to be closed, they were its echoes.
    pub misplaced: Vec<usize>,
    pub body: Vec<Stmt>,
}
