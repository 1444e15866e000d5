//! The lines that open, divide and close blocks.

use std::collections::HashSet;

use miette::LabeledSpan;

use crate::diag::Diagnostic;
use crate::syntax::ast::{BlockKind, CoreStmt, Expr, Stmt};
use crate::syntax::blocks::TreeBuilder;
use crate::syntax::blocks::block::{Block, Opened};
use crate::syntax::error::SyntaxError;
use crate::syntax::limits::MAX_BLOCKS;
use crate::syntax::lower::End;
use crate::syntax::print::{opposite_of, print_expr};
use crate::text::Span;

/// Most open blocks named around one without its end.
const MOST_OPEN: usize = 4;

impl TreeBuilder<'_> {
    /// Opens a block; one without `opened` does not become part of the tree.
    pub(super) fn open(&mut self, kind: BlockKind, opened: Option<Opened>, span: Span) {
        if self.blocks.is_empty() && kind != BlockKind::Kernel {
            self.seen.first_statement.get_or_insert(span);
        }
        let too_deep = self.blocks.len() >= MAX_BLOCKS;
        if too_deep && !self.reported.too_deep {
            self.reported.too_deep = true;
            self.report(SyntaxError::TooDeep {
                what: "blocks",
                limit: MAX_BLOCKS,
                help: "join the conditions of nested `if`s with `∧`, or split the kernel",
                span,
            });
        }
        let inside = kind.inside(self.place());
        self.blocks.push(Block {
            kind,
            opened: opened.filter(|_| !too_deep),
            span,
            inside,
            is_faulty: false,
            misplaced: Vec::new(),
            body: Vec::new(),
        });
    }

    /// Reports an `else`: the model has none. The lines behind it stay in the same block.
    pub(super) fn divide(&mut self, condition: Option<&Expr>, span: Span) {
        let innermost = self
            .blocks
            .last()
            .filter(|block| block.kind == BlockKind::If);
        let first = innermost.and_then(|block| match &block.opened {
            Some(Opened::Statement(Stmt::Core(CoreStmt::If(opened)))) => Some(&opened.condition),
            Some(_) | None => None,
        });
        let error = SyntaxError::ElseBranch {
            conditions: first.map(|first| [print_expr(first), opposite_of(first, condition)]),
            span,
            opened: innermost.map(|block| block.span),
        };
        self.report(error);
    }

    /// Closes the innermost block with an `end …`.
    pub(super) fn end(&mut self, end: End, span: Span) {
        if end == End::Algorithm {
            self.close_all(span);
            self.seen.ended = Some(span);
            return;
        }
        let Some(innermost) = self.blocks.last() else {
            let found = end.phrase();
            self.report(SyntaxError::StrayEnd { found, span });
            return;
        };
        if innermost.kind.end() != end {
            // Either an `end` is missing before this line, or this one is misspelt. If it fits a
            // block
            // further out, all blocks inside that one are closed: `end for` in an open `if` closes
            // both.
            let closes = |block: &Block| block.kind.end() == end;
            let meant = self.blocks.iter().rposition(closes);
            let error = SyntaxError::WrongEnd {
                found: end.phrase(),
                open: innermost.kind.word(),
                wanted: innermost.kind.end().phrase(),
                before: match meant {
                    Some(_) => "before this line",
                    None => "instead",
                },
                span,
                opened: innermost.span,
            };
            self.report(error);
            let kept = meant.map_or(self.blocks.len(), |meant| meant + 1);
            while self.blocks.len() > kept {
                self.close();
            }
        }
        self.close();
    }

    /// Ends the algorithm, with one diagnostic for all blocks still open. Lines that could not
    /// stand in them
    /// were meant for places behind them, so their diagnostics are dropped.
    pub(super) fn close_all(&mut self, end: Span) {
        let Some((innermost, outer)) = self.blocks.split_last() else {
            return;
        };
        self.missing_end = Some(innermost.span.start);
        let echoes: HashSet<usize> = self
            .blocks
            .iter()
            .flat_map(|block| block.misplaced.iter().copied())
            .collect();
        let first_echo = echoes
            .iter()
            .min()
            .and_then(|first| self.diagnostics.get(*first));
        let error = SyntaxError::MissingEnd {
            wanted: innermost.kind.end().phrase(),
            span: innermost.span,
            noticed: first_echo
                .and_then(Diagnostic::primary)
                .map(|label| label.span),
            outer: outer
                .iter()
                .rev()
                .take(MOST_OPEN)
                .map(|block| {
                    LabeledSpan::new_with_span(Some("open as well".to_owned()), block.span)
                })
                .collect(),
            end,
        };
        let mut number = 0;
        self.diagnostics.retain(|_| {
            number += 1;
            !echoes.contains(&(number - 1))
        });
        self.report(error);
        while !self.blocks.is_empty() {
            self.close();
        }
    }

    /// Hands the innermost block to the one around it.
    pub(super) fn close(&mut self) {
        let Some(block) = self.blocks.pop() else {
            return;
        };
        if block.is_faulty
            && let Some(around) = self.blocks.last_mut()
        {
            around.is_faulty = true;
        }
        match block.opened.map(|opened| opened.with_body(block.body)) {
            Some(Opened::Kernel(kernel)) => {
                if let Some(algorithm) = &mut self.algorithm {
                    algorithm.kernels.push(kernel);
                }
            }
            Some(Opened::Statement(statement)) => {
                if let Stmt::Wrapper(wrapper) = &statement
                    && !block.is_faulty
                {
                    self.check_core_loops(wrapper);
                }
                self.add(statement);
            }
            None => {}
        }
    }
}
