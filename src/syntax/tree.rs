//! From lines to blocks: which `end` closes what, and what may stand where.
//!
//! Open blocks wait on a stack of our own, so the depth of a program costs no recursion. A fault
//! is reported once: a faulty opening line still opens a block, so that its `end` is no second
//! fault, but the block is left out of the tree.

use miette::LabeledSpan;

use crate::diag::Diagnostic;
use crate::syntax::ast::{
    Algorithm, Arrow, CoreLoop, Expr, For, HeaderItem, If, Name, NamedKernel, Stmt, While, Wrapper,
};
use crate::syntax::blame::Opening;
use crate::syntax::error::SyntaxError;
use crate::syntax::limits::MAX_BLOCKS;
use crate::syntax::lower::{End, Item};
use crate::syntax::print::two_ifs;
use crate::text::{Source, Span};

/// What may stand in a block's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Host,
    NamedKernel,
    Wrapper,
    Core,
    /// Inside a block that should not be there: anything, so that one fault stays one.
    Anywhere,
}

impl Place {
    fn phrase(self) -> &'static str {
        match self {
            Place::Host | Place::Anywhere => "among the host statements",
            Place::NamedKernel => "in a named kernel outside its wrapper loops",
            Place::Wrapper => "in a wrapper loop outside its core loops",
            Place::Core => "in a core loop",
        }
    }
}

/// A block whose `end` has not come yet.
struct Block {
    opener: Opener,
    /// The opening line.
    span: Span,
    inside: Place,
    /// Whether the block becomes part of the tree.
    kept: bool,
    /// Whether a line of its body was faulty.
    faulty: bool,
    body: Vec<Stmt>,
}

/// An opening line, waiting for its body.
enum Opener {
    Kernel(Option<NamedKernel>),
    Wrapper(Option<Wrapper>),
    CoreLoop(Option<CoreLoop>),
    For(Option<For>),
    While(Option<While>),
    If(Option<If>),
}

impl Opener {
    fn end(&self) -> End {
        match self {
            Opener::Kernel(_) => End::Kernel,
            Opener::Wrapper(_) | Opener::CoreLoop(_) | Opener::For(_) => End::For,
            Opener::While(_) => End::While,
            Opener::If(_) => End::If,
        }
    }

    fn word(&self) -> &'static str {
        match self {
            Opener::Kernel(_) => "kernel",
            Opener::Wrapper(_) | Opener::CoreLoop(_) => "for all",
            Opener::For(_) => "for",
            Opener::While(_) => "while",
            Opener::If(_) => "if",
        }
    }
}

impl End {
    fn phrase(self) -> &'static str {
        match self {
            End::Algorithm => "end algorithm",
            End::Kernel => "end kernel",
            End::For => "end for",
            End::While => "end while",
            End::If => "end if",
        }
    }
}

/// Puts items together; lines come in order.
pub(super) struct TreeBuilder<'s> {
    source: &'s Source,
    algorithm: Option<Algorithm>,
    /// The line `algorithm …`, once seen or once its absence was reported.
    started: Option<Span>,
    blocks: Vec<Block>,
    first_kernel: Option<Span>,
    first_statement: Option<Span>,
    /// `end algorithm`
    ended: Option<Span>,
    reported: Reported,
    diagnostics: Vec<Diagnostic>,
}

/// Faults that are reported once in a file, however many lines repeat them.
#[derive(Default)]
struct Reported {
    after_end: bool,
    late_header: bool,
    late_kernel: bool,
    too_deep: bool,
}

impl<'s> TreeBuilder<'s> {
    pub fn new(source: &'s Source) -> Self {
        TreeBuilder {
            source,
            algorithm: None,
            started: None,
            blocks: Vec::new(),
            first_kernel: None,
            first_statement: None,
            ended: None,
            reported: Reported::default(),
            diagnostics: Vec::new(),
        }
    }

    /// Takes a line whose statement was understood.
    pub fn item(&mut self, item: Item, span: Span) {
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
            Item::Let(binding) if self.in_header() => {
                self.header([HeaderItem::Let(binding)], span);
            }
            Item::Let(binding) => self.statement(Stmt::Let(binding), span),
            Item::Execute(execute) => self.statement(Stmt::Execute(execute), span),
            Item::Swap(swap) => self.statement(Stmt::Swap(swap), span),
            Item::Atomic(atomic) => self.statement(Stmt::Atomic(atomic), span),
            Item::Move(transfer) => self.statement(Stmt::Move(transfer), span),
            Item::Kernel(kernel) => self.kernel(Some(kernel), span),
            Item::Wrapper(wrapper) => self.open(Opener::Wrapper(Some(wrapper)), span),
            Item::CoreLoop(core_loop) => self.core_loop(core_loop, span),
            Item::For(opened) => self.open(Opener::For(Some(opened)), span),
            Item::While(opened) => self.open(Opener::While(Some(opened)), span),
            Item::If(opened) => self.open(Opener::If(Some(opened)), span),
            Item::Else(condition) => self.else_line(condition, span),
            Item::End(end) => self.end(end, span),
        }
    }

    /// Takes a line that was reported as faulty; `opening` tells what it seems to open or close.
    pub fn faulty(&mut self, opening: Opening, span: Span) {
        if !self.admits(matches!(opening, Opening::Algorithm), span) {
            return;
        }
        if let Some(block) = self.blocks.last_mut() {
            block.faulty = true;
        }
        let inside = match self.place() {
            Place::Host => Place::Anywhere,
            other => other,
        };
        let (opener, inside) = match opening {
            Opening::Nothing => return,
            Opening::Algorithm => {
                self.started.get_or_insert(span);
                return;
            }
            Opening::End => {
                if let Some(block) = self.blocks.pop() {
                    self.close(block);
                }
                return;
            }
            Opening::Kernel => (Opener::Kernel(None), Place::NamedKernel),
            Opening::Wrapper => (Opener::Wrapper(None), Place::Wrapper),
            Opening::CoreLoop => (Opener::CoreLoop(None), Place::Core),
            Opening::For => (Opener::For(None), self.place()),
            Opening::While => (Opener::While(None), self.place()),
            Opening::If => (Opener::If(None), inside),
        };
        self.push(opener, span, inside, false);
    }

    /// The algorithm, as far as it was understood, and what is wrong with its structure.
    pub fn finish(mut self) -> (Option<Algorithm>, Vec<Diagnostic>) {
        if self.ended.is_none() {
            self.close_all();
        }
        if self.started.is_none() {
            let end = self.source.text().len();
            self.report(SyntaxError::NoAlgorithm {
                found: "nothing but blank lines and comments".to_owned(),
                span: Span::new(end, end),
            });
        }
        (self.algorithm, self.diagnostics)
    }

    /// Whether a line is to be looked at: not before `algorithm`, not behind `end algorithm`.
    fn admits(&mut self, is_start: bool, span: Span) -> bool {
        if let Some(end) = self.ended {
            if !self.reported.after_end {
                self.reported.after_end = true;
                self.report(SyntaxError::AfterEnd { span, end });
            }
            return false;
        }
        if self.started.is_none() && !is_start {
            self.started = Some(span);
            let found = self.source.slice(span).split_whitespace().next();
            self.report(SyntaxError::NoAlgorithm {
                found: format!("`{}`", found.unwrap_or("")),
                span,
            });
        }
        true
    }

    fn algorithm(&mut self, name: Name, formals: Vec<Name>, span: Span) {
        match self.started {
            Some(first) => self.report(SyntaxError::SecondAlgorithm { span, first }),
            None => {
                self.started = Some(span);
                self.algorithm = Some(Algorithm {
                    name,
                    formals,
                    header: Vec::new(),
                    kernels: Vec::new(),
                    body: Vec::new(),
                });
            }
        }
    }

    fn in_header(&self) -> bool {
        self.blocks.is_empty() && self.first_kernel.is_none() && self.first_statement.is_none()
    }

    fn header(&mut self, items: impl IntoIterator<Item = HeaderItem>, span: Span) {
        let earlier = match (self.first_statement, self.first_kernel) {
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

    fn kernel(&mut self, kernel: Option<NamedKernel>, span: Span) {
        if !self.blocks.is_empty() {
            self.misplaced(
                "a named kernel",
                "kernels stand between the header and the first statement, outside all blocks",
                span,
            );
            self.push(Opener::Kernel(None), span, Place::NamedKernel, false);
            return;
        }
        self.first_kernel.get_or_insert(span);
        if let Some(first) = self.first_statement
            && !self.reported.late_kernel
        {
            self.reported.late_kernel = true;
            self.report(SyntaxError::LateKernel { span, first });
        }
        self.push(Opener::Kernel(kernel), span, Place::NamedKernel, true);
    }

    fn statement(&mut self, statement: Stmt, span: Span) {
        if self.check_place(&statement, span) {
            self.add(statement);
        } else if let Some(block) = self.blocks.last_mut() {
            block.faulty = true;
        }
    }

    fn open(&mut self, opener: Opener, span: Span) {
        let place = self.place();
        let (statement_fits, inside) = match &opener {
            Opener::Wrapper(_) => (
                self.fits(
                    "a wrapper loop",
                    &[Place::Host, Place::NamedKernel],
                    "a wrapper loop is a kernel; kernels are started on the host, not by kernels",
                    span,
                ),
                Place::Wrapper,
            ),
            Opener::For(_) => (
                self.fits(
                    "a `for` loop",
                    &[Place::Host, Place::Core],
                    "put it inside a core loop, or around the wrapper loop on the host",
                    span,
                ),
                place,
            ),
            Opener::While(opened) => {
                let fits = self.fits(
                    "a `while` loop",
                    &[Place::Host, Place::Core],
                    "put it inside a core loop, or around the wrapper loop on the host",
                    span,
                );
                let unbounded = opened
                    .as_ref()
                    .filter(|opened| place == Place::Host && opened.at_most.is_none())
                    .map(|opened| self.source.slice(opened.condition.span).to_owned());
                let is_bounded = unbounded.is_none();
                if let Some(condition) = unbounded {
                    self.report(SyntaxError::UnboundedHostWhile { condition, span });
                }
                (fits && is_bounded, place)
            }
            Opener::If(_) => (
                self.fits(
                    "an `if`",
                    &[Place::Core],
                    "conditional blocks stand in core loops",
                    span,
                ),
                if place == Place::Core {
                    place
                } else {
                    Place::Anywhere
                },
            ),
            Opener::Kernel(_) | Opener::CoreLoop(_) => {
                unreachable!("kernels and core loops are opened by functions of their own")
            }
        };
        let inside = match inside {
            Place::NamedKernel if !matches!(opener, Opener::Kernel(_)) => Place::Anywhere,
            Place::Wrapper if !matches!(opener, Opener::Wrapper(_)) => Place::Anywhere,
            other => other,
        };
        self.push(opener, span, inside, statement_fits);
    }

    fn core_loop(&mut self, core_loop: CoreLoop, span: Span) {
        let fits = self.fits(
            "a core loop",
            &[Place::Wrapper],
            "core loops stand directly inside a wrapper loop `for all mp_i ∈ MP[…] in parallel do`",
            span,
        );
        if fits {
            self.check_indices(&core_loop);
        }
        self.push(Opener::CoreLoop(Some(core_loop)), span, Place::Core, fits);
    }

    /// The core's indices are the MP's and one more.
    fn check_indices(&mut self, core_loop: &CoreLoop) {
        let Some(Block {
            opener: Opener::Wrapper(Some(wrapper)),
            ..
        }) = self.blocks.last()
        else {
            return;
        };
        let texts = |names: &[Name]| -> Vec<String> {
            names.iter().map(|name| name.text.clone()).collect()
        };
        let mp = texts(&wrapper.indices);
        let found = texts(&core_loop.indices);
        let (last, leading) = match found.split_last() {
            Some((last, leading)) => (last.clone(), leading),
            None => return,
        };
        if leading == mp {
            return;
        }
        let span_of = |names: &[Name]| {
            let spans = names.iter().map(|name| name.span);
            spans.reduce(Span::to).unwrap_or(core_loop.span)
        };
        let own = if mp.contains(&last) {
            "j".to_owned()
        } else {
            last
        };
        let error = SyntaxError::CoreIndices {
            found: subscripted("c", &found),
            wanted: format!("c_{{{},{own}}}", mp.join(",")),
            span: span_of(&core_loop.indices),
            mp: Some(span_of(&wrapper.indices)),
        };
        self.report(error);
    }

    fn else_line(&mut self, condition: Option<Expr>, span: Span) {
        let innermost = self
            .blocks
            .last()
            .filter(|block| matches!(block.opener, Opener::If(_)));
        let opened = innermost.map(|block| block.span);
        let first = innermost.and_then(|block| match &block.opener {
            Opener::If(Some(opened)) => Some(&opened.condition),
            _ => None,
        });
        let help = two_ifs(first, condition.as_ref());
        self.report(SyntaxError::ElseBranch { help, span, opened });
    }

    fn end(&mut self, end: End, span: Span) {
        if end == End::Algorithm {
            self.close_all();
            self.ended = Some(span);
            return;
        }
        let Some(innermost) = self.blocks.last() else {
            let found = end.phrase().to_owned();
            self.report(SyntaxError::StrayEnd { found, span });
            return;
        };
        if innermost.opener.end() != end {
            // Either an `end` is missing before this line, or this one is misspelt.
            let depth = self
                .blocks
                .iter()
                .rposition(|block| block.opener.end() == end);
            let error = SyntaxError::WrongEnd {
                found: end.phrase().to_owned(),
                open: innermost.opener.word(),
                wanted: innermost.opener.end().phrase(),
                before: if depth.is_some() {
                    "before this line"
                } else {
                    "instead"
                },
                span,
                opened: innermost.span,
            };
            self.report(error);
            while depth.is_some_and(|depth| self.blocks.len() > depth + 1) {
                if let Some(block) = self.blocks.pop() {
                    self.close(block);
                }
            }
        }
        if let Some(block) = self.blocks.pop() {
            self.close(block);
        }
    }

    /// The end of the algorithm: one diagnostic for all blocks still open.
    fn close_all(&mut self) {
        if let Some((innermost, outer)) = self.blocks.split_last() {
            let error = SyntaxError::MissingEnd {
                wanted: innermost.opener.end().phrase(),
                span: innermost.span,
                outer: outer
                    .iter()
                    .rev()
                    .map(|block| {
                        LabeledSpan::new_with_span(Some("open as well".to_owned()), block.span)
                    })
                    .collect(),
            };
            self.report(error);
        }
        while let Some(block) = self.blocks.pop() {
            self.close(block);
        }
    }

    /// Hands a block that has ended to the block around it.
    fn close(&mut self, block: Block) {
        let Block {
            opener,
            span,
            kept,
            faulty,
            body,
            ..
        } = block;
        if faulty && let Some(around) = self.blocks.last_mut() {
            around.faulty = true;
        }
        if let Opener::Wrapper(Some(wrapper)) = &opener {
            let has_core_loop = body
                .iter()
                .any(|statement| matches!(statement, Stmt::CoreLoop(_)));
            if kept && !faulty && !has_core_loop {
                let indices: Vec<_> = wrapper
                    .indices
                    .iter()
                    .map(|name| name.text.clone())
                    .collect();
                self.report(SyntaxError::NoCoreLoop {
                    core: format!("c_{{{},j}}", indices.join(",")),
                    set: subscripted("C", &indices),
                    span,
                });
            }
        }
        if !kept {
            return;
        }
        match opener {
            Opener::Kernel(Some(kernel)) => {
                if let Some(algorithm) = &mut self.algorithm {
                    algorithm.kernels.push(NamedKernel { body, ..kernel });
                }
            }
            Opener::Wrapper(Some(opened)) => self.add(Stmt::Wrapper(Wrapper { body, ..opened })),
            Opener::CoreLoop(Some(opened)) => self.add(Stmt::CoreLoop(CoreLoop { body, ..opened })),
            Opener::For(Some(opened)) => {
                self.add(Stmt::For(For { body, ..opened }));
            }
            Opener::While(Some(opened)) => {
                self.add(Stmt::While(While { body, ..opened }));
            }
            Opener::If(Some(opened)) => {
                self.add(Stmt::If(If { body, ..opened }));
            }
            Opener::Kernel(None)
            | Opener::Wrapper(None)
            | Opener::CoreLoop(None)
            | Opener::For(None)
            | Opener::While(None)
            | Opener::If(None) => {}
        }
    }

    fn add(&mut self, statement: Stmt) {
        match (self.blocks.last_mut(), &mut self.algorithm) {
            (Some(block), _) => block.body.push(statement),
            (None, Some(algorithm)) => algorithm.body.push(statement),
            (None, None) => {}
        }
    }

    fn push(&mut self, opener: Opener, span: Span, inside: Place, kept: bool) {
        if self.blocks.is_empty() && !matches!(opener, Opener::Kernel(_)) {
            self.first_statement.get_or_insert(span);
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
        self.blocks.push(Block {
            opener,
            span,
            inside,
            kept: kept && !too_deep,
            faulty: false,
            body: Vec::new(),
        });
    }

    fn place(&self) -> Place {
        self.blocks.last().map_or(Place::Host, |block| block.inside)
    }

    /// Whether a statement without a block may stand here; reports it when not.
    fn check_place(&mut self, statement: &Stmt, span: Span) -> bool {
        if self.blocks.is_empty() {
            self.first_statement.get_or_insert(span);
        }
        match statement {
            Stmt::Let(_) => true,
            Stmt::Move(moved) => self.fits(
                match moved.arrow {
                    Arrow::Transfer => "a transfer",
                    Arrow::Global => "a global access",
                    Arrow::Shared => "a shared access",
                },
                &[Place::Host, Place::Core],
                match moved.arrow {
                    Arrow::Transfer => "transfers stand on the host, outside all kernels",
                    Arrow::Global | Arrow::Shared => {
                        "put it into a core loop `for all c_{i,j} ∈ C_i in parallel do`"
                    }
                },
                span,
            ),
            Stmt::Atomic(_) => self.fits(
                "an `atomic`",
                &[Place::Core],
                "shared memory is reached in core loops only",
                span,
            ),
            Stmt::Execute(_) => self.fits(
                "an `execute`",
                &[Place::Host],
                "kernels are executed by the host, not by kernels",
                span,
            ),
            Stmt::Swap(_) => self.fits(
                "a `swap`",
                &[Place::Host],
                "arrays are exchanged by the host, between kernels",
                span,
            ),
            Stmt::If(_) | Stmt::For(_) | Stmt::While(_) | Stmt::Wrapper(_) | Stmt::CoreLoop(_) => {
                unreachable!("blocks are opened, not added")
            }
        }
    }

    fn fits(
        &mut self,
        what: &'static str,
        places: &[Place],
        help: &'static str,
        span: Span,
    ) -> bool {
        let place = self.place();
        let fits = place == Place::Anywhere || places.contains(&place);
        if !fits {
            self.misplaced(what, help, span);
        }
        fits
    }

    fn misplaced(&mut self, what: &'static str, help: &'static str, span: Span) {
        let error = SyntaxError::Misplaced {
            what,
            place: self.place().phrase(),
            help,
            span,
            block: self.blocks.last().map(|block| block.span),
        };
        self.report(error);
    }

    fn report(&mut self, error: SyntaxError) {
        self.diagnostics.push(Diagnostic::of(&error));
    }
}

/// `C_i` or `C_{y,x}`
fn subscripted(letter: &str, indices: &[String]) -> String {
    match indices {
        [only] => format!("{letter}_{only}"),
        _ => format!("{letter}_{{{}}}", indices.join(",")),
    }
}
