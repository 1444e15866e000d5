//! An open block: its kind, the statements it takes, and its node.

use crate::syntax::ast::{BlockKind, Habitat, NamedKernel, Stmt};
use crate::syntax::lower::End;
use crate::text::Span;

impl BlockKind {
    /// Returns the `end` that closes it.
    pub(in crate::syntax) fn end(self) -> End {
        match self {
            BlockKind::Kernel => End::Kernel,
            BlockKind::Wrapper | BlockKind::CoreLoop | BlockKind::For => End::For,
            BlockKind::While => End::While,
            BlockKind::If => End::If,
        }
    }

    /// Returns the first words of its opening line.
    pub(crate) fn word(self) -> &'static str {
        match self {
            BlockKind::Kernel => "kernel",
            BlockKind::Wrapper | BlockKind::CoreLoop => "for all",
            BlockKind::For => "for",
            BlockKind::While => "while",
            BlockKind::If => "if",
        }
    }

    /// Returns the kind of place inside, given the kind around the block.
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
    /// Returns its spelling.
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
    /// Returns its name in messages.
    pub(super) fn phrase(self) -> &'static str {
        match self {
            Habitat::Host | Habitat::Anywhere => "among the host statements",
            Habitat::NamedKernel => "in a named kernel outside its wrapper loops",
            Habitat::Wrapper => "in a wrapper loop outside its core loops",
            Habitat::Core => "in a core loop",
        }
    }
}

/// A lowered opening line that waits for its body.
pub(super) enum Opened {
    Kernel(NamedKernel),
    Statement(Stmt),
}

impl Opened {
    /// Adds the statements between the opening line and the `end`.
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
    /// The opening line; `None` if it was faulty or in the wrong place.
    pub opened: Option<Opened>,
    /// The opening line.
    pub span: Span,
    pub inside: Habitat,
    /// True if a line of its body was faulty.
    pub is_faulty: bool,
    /// Diagnostics of lines that cannot stand in this block. If the block turns out never to be
    /// closed, they were its echoes.
    pub misplaced: Vec<usize>,
    pub body: Vec<Stmt>,
}
