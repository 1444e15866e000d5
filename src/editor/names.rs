//! The meaning of each name in a text: declarations, their uses, and the stretch where each is visible. It
//! works on the syntax tree, so it also serves a text with errors elsewhere.

use crate::syntax::ast;
use crate::syntax::ast::{
    Algorithm, CoreLoop, CoreStmt, DeclarationKind, Execute, Expr, ExprKind, HeaderItem, HostStmt,
    KernelFormal, LogBase, Name, NamedKernel, Source as Moved, Stmt, Subscript, Wrapper,
};
use crate::text::{Source, Span};

/// The kind of declaration behind a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SymbolKind {
    /// The algorithm.
    Algorithm,
    /// A formal parameter.
    Formal,
    /// A `let`.
    Let,
    /// A variable in memory.
    Variable(DeclarationKind),
    /// A named kernel.
    Kernel,
    /// A number formal of a kernel.
    KernelNumber,
    /// An array formal of a kernel.
    KernelArray,
    /// The index of an MP.
    Mp,
    /// The index of a core.
    Core,
    /// The variable of a loop.
    Loop,
    /// The variable of a quantifier or sum.
    Binder,
}

impl SymbolKind {
    /// Returns true if it names memory, not a number.
    pub fn is_memory(self) -> bool {
        matches!(self, SymbolKind::Variable(_) | SymbolKind::KernelArray)
    }
}

/// A declared name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// The name.
    pub name: String,
    /// The kind of declaration.
    pub kind: SymbolKind,
    /// The span of the name in its declaration.
    pub span: Span,
    /// The span of the whole declaration.
    pub declaration: Span,
    /// The stretch where the name is visible.
    pub reach: Span,
}

/// One place of a name; the declaration is a place too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occurrence {
    /// An index into the symbols.
    pub symbol: usize,
    /// The span.
    pub span: Span,
    /// True if the statement writes it.
    pub writes: bool,
    /// The whole word, if the name is one letter of a product such as `ib`.
    pub word: Option<Span>,
}

/// All names of a text.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// The declarations, in the order of the text.
    pub symbols: Vec<Symbol>,
    /// Every place of every name, in the order of the text.
    pub occurrences: Vec<Occurrence>,
}

impl Names {
    /// Collects the names of a syntax tree.
    pub(super) fn of(
        source: &Source,
        tree: Option<&Algorithm>,
        blocks: &[(usize, usize)],
    ) -> Names {
        let Some(tree) = tree else {
            return Names::default();
        };
        let mut walk = Walk {
            source,
            blocks,
            names: Names::default(),
            visible: Vec::new(),
        };
        walk.algorithm(tree);
        let mut names = walk.names;
        names
            .occurrences
            .sort_by_key(|found| (found.span.start, found.span.end));
        names.occurrences.dedup();
        names
    }

    /// Returns the name at an offset. A cursor at the end of a name counts as at the name.
    pub fn at(&self, offset: usize) -> Option<Occurrence> {
        // In a product `ib` the cursor between the letters is at the end of `i` and at the start of `b`;
        // `b` wins.
        let touches = |found: &&Occurrence| found.span.start <= offset && offset <= found.span.end;
        let within = self
            .occurrences
            .iter()
            .find(|found| found.span.start <= offset && offset < found.span.end);
        within
            .or_else(|| self.occurrences.iter().find(touches))
            .copied()
    }

    /// Returns every place of a symbol.
    pub fn places(&self, symbol: usize) -> impl Iterator<Item = Occurrence> {
        let all = self.occurrences.iter().copied();
        all.filter(move |found| found.symbol == symbol)
    }

    /// Returns the symbols visible at an offset, the innermost first.
    pub fn visible(&self, offset: usize) -> impl Iterator<Item = &Symbol> {
        let all = self.symbols.iter().rev();
        all.filter(move |symbol| symbol.reach.start <= offset && offset <= symbol.reach.end)
    }
}

/// A walk over the tree that keeps track of the visible names.
struct Walk<'s> {
    source: &'s Source,
    blocks: &'s [(usize, usize)],
    names: Names,
    /// The visible symbols, the innermost last.
    visible: Vec<usize>,
}

impl Walk<'_> {
    fn declare(&mut self, name: &Name, kind: SymbolKind, declaration: Span, reach: Span) -> usize {
        let symbol = self.names.symbols.len();
        self.names.symbols.push(Symbol {
            name: name.text.clone(),
            kind,
            span: name.span,
            declaration,
            reach,
        });
        self.names.occurrences.push(Occurrence {
            symbol,
            span: name.span,
            writes: false,
            word: None,
        });
        self.visible.push(symbol);
        symbol
    }

    fn algorithm(&mut self, tree: &Algorithm) {
        let all = Span::new(0, self.source.text().len());
        self.declare(&tree.name, SymbolKind::Algorithm, tree.name.span, all);
        // Nothing uses an algorithm's name.
        self.visible.clear();
        // Two passes, since the header's order is free: a size may use a `let` further down.
        for formal in &tree.formals {
            self.declare(formal, SymbolKind::Formal, formal.span, all);
        }
        for item in &tree.header {
            match item {
                HeaderItem::Declaration(declared) => {
                    let kind = SymbolKind::Variable(declared.kind);
                    self.declare(&declared.name, kind, declared.span, all);
                }
                HeaderItem::Let(binding) => {
                    self.declare(&binding.name, SymbolKind::Let, binding.span, all);
                }
                HeaderItem::Require(_) | HeaderItem::Ensure(_) | HeaderItem::Claim(_) => {}
            }
        }
        for kernel in &tree.kernels {
            self.declare(&kernel.name, SymbolKind::Kernel, kernel.span, all);
        }
        for item in &tree.header {
            match item {
                HeaderItem::Require(found) | HeaderItem::Ensure(found) => {
                    self.expr(&found.condition);
                }
                HeaderItem::Declaration(declared) => {
                    declared.dimensions.iter().for_each(|size| self.expr(size));
                    for bound in declared.range.iter().flat_map(|(low, high)| [low, high]) {
                        self.expr(bound);
                    }
                }
                HeaderItem::Let(binding) => self.expr(&binding.value),
                HeaderItem::Claim(claim) => self.expr(&claim.value),
            }
        }
        for kernel in &tree.kernels {
            self.kernel(kernel);
        }
        self.block(&tree.body, all.end);
    }

    fn kernel(&mut self, kernel: &NamedKernel) {
        let depth = self.visible.len();
        let reach = Span::new(kernel.span.start, self.end_of(kernel.span));
        for KernelFormal { is_array, name } in &kernel.formals {
            let kind = if *is_array {
                SymbolKind::KernelArray
            } else {
                SymbolKind::KernelNumber
            };
            self.declare(name, kind, name.span, reach);
        }
        self.block(&kernel.body, reach.end);
        self.visible.truncate(depth);
    }

    /// Returns the end of the block that a line opens. A line that opens none ends itself.
    fn end_of(&self, opened: Span) -> usize {
        let line = self.source.line_of(opened.start);
        let found = self.blocks.binary_search_by_key(&line, |block| block.0);
        let last = found.map_or(line, |at| self.blocks[at].1);
        self.source.line_span(last).end
    }

    fn block(&mut self, body: &[Stmt], end: usize) {
        let depth = self.visible.len();
        for statement in body {
            self.statement(statement, end);
        }
        self.visible.truncate(depth);
    }

    fn statement(&mut self, statement: &Stmt, end: usize) {
        let depth = self.visible.len();
        let inner_end = self.end_of(span_of(statement));
        let reach = Span::new(span_of(statement).start, inner_end);
        match statement {
            // The value is read before the name is declared, and the name stays visible to the end of the
            // enclosing block.
            Stmt::Let(binding) => {
                self.expr(&binding.value);
                let reach = Span::new(binding.span.start, end);
                self.declare(&binding.name, SymbolKind::Let, binding.span, reach);
                return;
            }
            Stmt::Move(moved) => {
                self.place(&moved.target, true);
                match &moved.source {
                    Moved::Place(place) => self.place(place, false),
                    Moved::Expr(value) => self.expr(value),
                }
            }
            Stmt::Core(CoreStmt::Atomic(atomic)) => {
                self.place(&atomic.target, true);
                self.expr(&atomic.value);
            }
            Stmt::Core(CoreStmt::If(opened)) => self.expr(&opened.condition),
            Stmt::For(opened) => {
                self.expr(&opened.from);
                self.expr(&opened.to);
                self.declare(&opened.variable, SymbolKind::Loop, opened.span, reach);
                if let Some(until) = &opened.until {
                    self.expr(&until.condition);
                }
            }
            Stmt::While(opened) => {
                self.expr(&opened.condition);
                opened.at_most.iter().for_each(|most| self.expr(most));
            }
            Stmt::Wrapper(opened) => self.wrapper(opened, reach),
            Stmt::CoreLoop(opened) => self.core_loop(opened, reach),
            Stmt::Host(HostStmt::Execute(execute)) => self.execute(execute),
            Stmt::Host(HostStmt::Swap(swap)) => {
                self.memory(&swap.left, true);
                self.memory(&swap.right, true);
            }
        }
        self.block(inside(statement), inner_end);
        self.visible.truncate(depth);
    }

    fn wrapper(&mut self, opened: &Wrapper, reach: Span) {
        for (low, high) in &opened.ranges {
            self.expr(low);
            self.expr(high);
        }
        for index in &opened.indices {
            self.declare(index, SymbolKind::Mp, opened.span, reach);
        }
    }

    fn core_loop(&mut self, opened: &CoreLoop, reach: Span) {
        // Of c_{i,j} only the last index, j, is new. The indices before it repeat the wrapper's.
        if let Some((own, repeated)) = opened.indices.split_last() {
            repeated.iter().for_each(|index| self.number(index));
            opened.set.iter().for_each(|index| self.number(index));
            self.declare(own, SymbolKind::Core, opened.span, reach);
        }
    }

    fn execute(&mut self, execute: &Execute) {
        self.used(&execute.kernel, false, |kind| kind == SymbolKind::Kernel);
        for argument in &execute.arguments {
            match &argument.kind {
                // A kernel may write an array that it is given, so an array argument counts as written.
                ExprKind::Name(name)
                    if self.look_up(&name.text, SymbolKind::is_memory).is_some() =>
                {
                    self.memory(name, true);
                }
                _ => self.expr(argument),
            }
        }
    }

    fn place(&mut self, place: &ast::Place, writes: bool) {
        self.memory(&place.name, writes);
        for subscript in &place.subscripts {
            match subscript {
                Subscript::At(index) => self.expr(index),
                Subscript::Range(low, high) => {
                    self.expr(low);
                    self.expr(high);
                }
            }
        }
    }

    fn memory(&mut self, name: &Name, writes: bool) {
        self.used(name, writes, SymbolKind::is_memory);
    }

    fn look_up(&self, name: &str, fits: impl Fn(SymbolKind) -> bool) -> Option<usize> {
        let found = self.visible.iter().rev().find(|at| {
            let symbol = &self.names.symbols[**at];
            symbol.name == name && fits(symbol.kind)
        });
        found.copied()
    }

    fn used(&mut self, name: &Name, writes: bool, fits: impl Fn(SymbolKind) -> bool) -> bool {
        let Some(symbol) = self.look_up(&name.text, fits) else {
            return false;
        };
        self.names.occurrences.push(Occurrence {
            symbol,
            span: name.span,
            writes,
            word: None,
        });
        true
    }

    /// Visits a name in an expression: a number, a lone word of memory, or a product of letters.
    fn number(&mut self, name: &Name) {
        let is_number = |kind: SymbolKind| !kind.is_memory() && kind != SymbolKind::Kernel;
        // The whole word comes first. Only a word that nothing declares is split: `ib` is i·b where no `ib`
        // is visible.
        if self.used(name, false, is_number) || self.used(name, false, SymbolKind::is_memory) {
            return;
        }
        for (letter, span) in letters(self.source, name.span) {
            if let Some(symbol) = self.look_up(&letter, is_number) {
                self.names.occurrences.push(Occurrence {
                    symbol,
                    span,
                    writes: false,
                    word: Some(name.span),
                });
            }
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Integer(_) | ExprKind::Float(_) => {}
            ExprKind::Name(name) => self.number(name),
            ExprKind::Word { name, indices } => {
                self.memory(name, false);
                indices.iter().for_each(|index| self.expr(index));
            }
            ExprKind::Paren(inner)
            | ExprKind::Negate(inner)
            | ExprKind::Not(inner)
            | ExprKind::Ceil(inner)
            | ExprKind::Floor(inner)
            | ExprKind::Bracket(inner) => self.expr(inner),
            ExprKind::Binary { left, right, .. } => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Compare { operands, .. } => operands.iter().for_each(|it| self.expr(it)),
            ExprKind::Call { arguments, .. } => arguments.iter().for_each(|it| self.expr(it)),
            ExprKind::Log { base, argument } => {
                match base {
                    LogBase::Name(name) => self.number(name),
                    LogBase::Braced(base) => self.expr(base),
                    LogBase::Number(_) | LogBase::Unwritten => {}
                }
                self.expr(argument);
            }
            ExprKind::Quantified { binders, body, .. } => {
                let depth = self.visible.len();
                for binder in binders {
                    self.expr(&binder.low);
                    self.expr(&binder.high);
                    self.declare(
                        &binder.name,
                        SymbolKind::Binder,
                        binder.name.span,
                        expr.span,
                    );
                }
                self.expr(body);
                self.visible.truncate(depth);
            }
        }
    }
}

/// Splits a word that could be a product into letters, each with its primes and its span. Empty for a
/// single letter, and for a word with a digit or an underscore.
pub(super) fn letters(source: &Source, word: Span) -> Vec<(String, Span)> {
    let mut found: Vec<(String, Span)> = Vec::new();
    for (at, c) in source.slice(word).char_indices() {
        let span = Span::new(word.start + at, word.start + at + c.len_utf8());
        match c {
            '\'' | '′' => {
                if let Some((letter, place)) = found.last_mut() {
                    letter.push('\'');
                    place.end = span.end;
                }
            }
            _ if c.is_alphabetic() => found.push((c.to_string(), span)),
            _ => return Vec::new(),
        }
    }
    if found.len() < 2 { Vec::new() } else { found }
}

/// Returns the statements inside a statement.
pub(super) fn inside(statement: &Stmt) -> &[Stmt] {
    match statement {
        Stmt::Core(CoreStmt::If(opened)) => &opened.body,
        Stmt::For(opened) => &opened.body,
        Stmt::While(opened) => &opened.body,
        Stmt::Wrapper(opened) => &opened.body,
        Stmt::CoreLoop(opened) => &opened.body,
        Stmt::Move(_) | Stmt::Core(CoreStmt::Atomic(_)) | Stmt::Let(_) | Stmt::Host(_) => &[],
    }
}

/// Returns the line of a statement; of a block, its opening line.
pub(super) fn span_of(statement: &Stmt) -> Span {
    match statement {
        Stmt::Move(it) => it.span,
        Stmt::Core(CoreStmt::Atomic(it)) => it.span,
        Stmt::Let(it) => it.span,
        Stmt::Core(CoreStmt::If(it)) => it.span,
        Stmt::For(it) => it.span,
        Stmt::While(it) => it.span,
        Stmt::Wrapper(it) => it.span,
        Stmt::CoreLoop(it) => it.span,
        Stmt::Host(HostStmt::Execute(it)) => it.span,
        Stmt::Host(HostStmt::Swap(it)) => it.span,
    }
}
