//! From lines to blocks: each `end` closes a block, and statements are checked for their place.
//!
//! Open blocks wait on a stack of our own, so the depth of a program costs no recursion. A fault is
//! reported once: a faulty opening line still opens a block, so that its `end` is no second fault,
//! but
//! the block is left out of the tree.

mod block;
mod guess;
mod nesting;
mod place;

use crate::diag::Diagnostic;
use crate::syntax::ast::{
    Algorithm, BlockKind, Habitat, HeaderItem, Manner, Name, NamedKernel, Stmt,
};
use crate::syntax::blocks::block::{Block, Opened};
use crate::syntax::error::SyntaxError;
use crate::syntax::limits::abbreviated;
use crate::syntax::lower::Item;
use crate::text::{Source, Span};

pub(super) use guess::Guess;

/// Puts the lines together, in order.
pub(super) struct TreeBuilder<'s> {
    source: &'s Source,
    algorithm: Option<Algorithm>,
    blocks: Vec<Block>,
    seen: Landmarks,
    reported: Reported,
    diagnostics: Vec<Diagnostic>,
    /// The beginning of the last faulty line inside a block.
    last_faulty: Option<usize>,
    /// The opening line of the innermost block that nothing closes.
    missing_end: Option<usize>,
}

/// Lines that decide what may follow.
#[derive(Default)]
struct Landmarks {
    /// The line `algorithm …`, once seen or once its absence was reported.
    started: Option<Span>,
    first_kernel: Option<Span>,
    first_statement: Option<Span>,
    /// `end algorithm`
    ended: Option<Span>,
}

/// Faults that are reported once per file, however many lines repeat them.
#[derive(Default)]
struct Reported {
    after_end: bool,
    late_header: bool,
    late_kernel: bool,
    too_deep: bool,
}

impl<'s> TreeBuilder<'s> {
    pub(super) fn new(source: &'s Source) -> Self {
        TreeBuilder {
            source,
            algorithm: None,
            blocks: Vec::new(),
            seen: Landmarks::default(),
            reported: Reported::default(),
            diagnostics: Vec::new(),
            last_faulty: None,
            missing_end: None,
        }
    }

    /// Takes a line whose statement was understood.
    pub(super) fn item(&mut self, item: Item, span: Span) {
        if !self.admits(matches!(item, Item::Algorithm { .. }), span) {
            return;
        }
        match item {
            Item::Algorithm { name, formals } => self.algorithm(name, formals, span),
            Item::Require(condition) => self.header([HeaderItem::Require(condition)], span),
            Item::Ensure(condition) => self.header([HeaderItem::Ensure(condition)], span),
            Item::Claim(claim) => self.header([HeaderItem::Claim(claim)], span),
            Item::Declarations(declarations) => {
                self.header(declarations.into_iter().map(HeaderItem::Declaration), span);
            }
            Item::Statement(Stmt::Let(binding)) if self.in_header() => {
                self.header([HeaderItem::Let(binding)], span);
            }
            Item::Statement(statement) => self.statement(statement, span),
            Item::Kernel(kernel) => self.kernel(kernel, span),
            Item::Else(condition) => self.divide(condition.as_ref(), span),
            Item::End(end) => self.end(end, span),
        }
    }

    /// Takes a line that was reported as faulty; `guess` says if it seems to open or close a block.
    pub(super) fn faulty(&mut self, guess: Guess, span: Span) {
        if !self.admits(guess == Guess::Algorithm, span) {
            return;
        }
        if let Some(block) = self.blocks.last_mut() {
            block.is_faulty = true;
            self.last_faulty = Some(span.start);
        }
        match guess {
            Guess::Nothing => {}
            Guess::Algorithm => {
                self.seen.started.get_or_insert(span);
            }
            Guess::Opens(kind) => self.open(kind, None, span),
            Guess::Closes => self.close(),
        }
    }

    /// Returns the algorithm, as far as it was understood, and the faults of its structure, each
    /// with the
    /// place by which it is sorted.
    pub(super) fn finish(mut self) -> (Option<Algorithm>, Vec<(usize, Diagnostic)>) {
        if self.seen.ended.is_none() {
            let end = self.source.text().len();
            self.close_all(Span::new(end, end));
        }
        if self.seen.started.is_none() {
            let end = self.source.text().len();
            self.report(SyntaxError::NoAlgorithm {
                found: "nothing but blank lines and comments".to_owned(),
                span: Span::new(end, end),
            });
        }
        let last_faulty = self.last_faulty;
        let placed = |diagnostic: Diagnostic| {
            let start = start_of(&diagnostic);
            // A missing `end` may be that faulty line, so the faulty line is told first.
            let is_missing_end = self.missing_end == Some(start);
            match last_faulty {
                Some(faulty) if is_missing_end => (start.max(faulty + 1), diagnostic),
                _ => (start, diagnostic),
            }
        };
        let placed = self.diagnostics.into_iter().map(placed).collect();
        (self.algorithm, placed)
    }

    /// Returns true if a line is examined: not before `algorithm`, not behind `end algorithm`.
    fn admits(&mut self, is_start: bool, span: Span) -> bool {
        if let Some(end) = self.seen.ended {
            if !self.reported.after_end {
                self.reported.after_end = true;
                self.report(SyntaxError::AfterEnd { span, end });
            }
            return false;
        }
        if self.seen.started.is_none() && !is_start {
            self.seen.started = Some(span);
            let found = self.source.slice(span).split_whitespace().next();
            self.report(SyntaxError::NoAlgorithm {
                found: format!("`{}`", abbreviated(found.unwrap_or(""))),
                span,
            });
        }
        true
    }

    fn algorithm(&mut self, name: Name, formals: Vec<Name>, span: Span) {
        match self.seen.started {
            Some(first) => self.report(SyntaxError::SecondAlgorithm { span, first }),
            None => {
                self.seen.started = Some(span);
                self.algorithm = Some(Algorithm {
                    name,
                    formals,
                    header: Vec::new(),
                    kernels: Vec::new(),
                    body: Vec::new(),
                    allows: Vec::new(),
                });
            }
        }
    }

    fn in_header(&self) -> bool {
        self.blocks.is_empty()
            && self.seen.first_kernel.is_none()
            && self.seen.first_statement.is_none()
    }

    fn header(&mut self, items: impl IntoIterator<Item = HeaderItem>, span: Span) {
        let earlier = match (self.seen.first_statement, self.seen.first_kernel) {
            (Some(first), _) => Some((first, "a statement")),
            (None, Some(first)) => Some((first, "a kernel")),
            (None, None) => None,
        };
        if let Some((first, behind)) = earlier
            && !self.reported.late_header
        {
            self.reported.late_header = true;
            let keyword = self.source.slice(span).split_whitespace().next();
            self.report(SyntaxError::LateHeader {
                keyword: keyword.unwrap_or("").to_owned(),
                behind,
                span,
                first,
            });
        }
        if let Some(algorithm) = &mut self.algorithm {
            algorithm.header.extend(items);
        }
    }

    fn kernel(&mut self, kernel: NamedKernel, span: Span) {
        if !self.blocks.is_empty() {
            self.misplaced(&place::NAMED_KERNEL, span);
            self.open(BlockKind::Kernel, None, span);
            return;
        }
        self.seen.first_kernel.get_or_insert(span);
        if let Some(first) = self.seen.first_statement
            && !self.reported.late_kernel
        {
            self.reported.late_kernel = true;
            self.report(SyntaxError::LateKernel { span, first });
        }
        self.open(BlockKind::Kernel, Some(Opened::Kernel(kernel)), span);
    }

    fn statement(&mut self, statement: Stmt, span: Span) {
        let manner = statement.manner();
        if let Some(kind) = manner.opens {
            return self.block(kind, statement, &manner, span);
        }
        if self.blocks.is_empty() {
            self.seen.first_statement.get_or_insert(span);
        }
        if self.fits(&manner, span) {
            self.add(statement);
        }
    }

    /// Opens a block. One in the wrong place is opened too, and left out of the tree.
    fn block(&mut self, kind: BlockKind, opened: Stmt, manner: &Manner, span: Span) {
        let mut fits = self.fits(manner, span);
        if let Stmt::CoreLoop(core_loop) = &opened
            && fits
        {
            self.check_indices(core_loop);
        }
        if let Stmt::While(repeated) = &opened
            && self.place() == Habitat::Host
            && repeated.at_most.is_none()
        {
            let condition = abbreviated(self.source.slice(repeated.condition.span));
            self.report(SyntaxError::UnboundedHostWhile { condition, span });
            fits = false;
        }
        self.open(kind, fits.then_some(Opened::Statement(opened)), span);
    }

    /// Appends a whole statement to the innermost block.
    fn add(&mut self, statement: Stmt) {
        match (self.blocks.last_mut(), &mut self.algorithm) {
            (Some(block), _) => block.body.push(statement),
            (None, Some(algorithm)) => algorithm.body.push(statement),
            (None, None) => {}
        }
    }

    fn report(&mut self, error: SyntaxError) {
        self.diagnostics
            .push(Diagnostic::mendable(&error, self.source));
    }
}

/// Returns the beginning of a diagnostic's primary label.
pub(super) fn start_of(diagnostic: &Diagnostic) -> usize {
    diagnostic.primary().map_or(0, |label| label.span.start)
}
