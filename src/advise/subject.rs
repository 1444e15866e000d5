//! A program as the rewrites see it: the checked program, its tree, and its text by lines.

use std::collections::BTreeSet;

use crate::advise::names::{all_in, body_of, letters, names_of, span_of, target_of};
use crate::diag::{Edit, edited};
use crate::program::Program;
use crate::syntax::ast::{
    Algorithm, CoreLoop, CoreStmt, Declaration, DeclarationKind, Expr, ExprKind, HeaderItem,
    HostStmt, Name, Place, Stmt, WordType, Wrapper,
};
use crate::syntax::signs::spelled;
use crate::syntax::without_comment;
use crate::text::Span;

/// A checked program with its tree.
pub(super) struct Subject<'p> {
    pub(super) program: &'p Program,
    pub(super) tree: &'p Algorithm,
}

/// A core loop with the kernel around it.
#[derive(Clone, Copy)]
pub(super) struct Cores<'p> {
    pub(super) wrapper: &'p Wrapper,
    pub(super) of: &'p CoreLoop,
    /// True if two of the kernel's arrays may be one: an `execute` passes an array twice.
    pub(super) may_alias: bool,
}

impl<'p> Cores<'p> {
    /// The name of the core's index.
    pub(super) fn core(&self) -> &'p str {
        self.of.indices.last().map_or("", |name| name.text.as_str())
    }

    /// True if the kernel surely never writes this global array.
    pub(super) fn only_reads(&self, array: &str) -> bool {
        let mut targets = all_in(&self.wrapper.body).into_iter().filter_map(target_of);
        !targets.any(|target| {
            target.name.text == array || self.may_alias && !is_shared(&target.name.text)
        })
    }
}

/// True for the name of a shared variable.
pub(super) fn is_shared(name: &str) -> bool {
    name.starts_with('_')
}

impl<'p> Subject<'p> {
    pub(super) fn new(program: &'p Program, tree: &'p Algorithm) -> Self {
        Subject { program, tree }
    }

    /// Every core loop, in text order.
    pub(super) fn cores(&self) -> Vec<Cores<'p>> {
        let mut found = Vec::new();
        let kernels = self.tree.kernels.iter();
        let bodies = kernels.map(|kernel| (&kernel.body, self.may_alias(&kernel.name.text)));
        for (body, may_alias) in bodies.chain([(&self.tree.body, false)]) {
            for stmt in all_in(body) {
                let Stmt::Wrapper(wrapper) = stmt else {
                    continue;
                };
                found.extend(wrapper.body.iter().filter_map(|part| match part {
                    Stmt::CoreLoop(of) => Some(Cores {
                        wrapper,
                        of,
                        may_alias,
                    }),
                    _ => None,
                }));
            }
        }
        found
    }

    /// True if some `execute` of a kernel passes it the same name twice.
    fn may_alias(&self, kernel: &str) -> bool {
        let executes = all_in(&self.tree.body).into_iter();
        let mut executes = executes.filter_map(|stmt| match stmt {
            Stmt::Host(HostStmt::Execute(execute)) if execute.kernel.text == kernel => {
                Some(execute)
            }
            _ => None,
        });
        executes.any(|execute| {
            let names = execute.arguments.iter().filter_map(|it| match &it.kind {
                ExprKind::Name(name) => Some(name.text.as_str()),
                _ => None,
            });
            let names: Vec<&str> = names.collect();
            let repeats = |(at, name): (usize, &&str)| names[..at].contains(name);
            names.iter().enumerate().any(repeats)
        })
    }

    /// The declarations of shared arrays, in text order.
    pub(super) fn shared(&self) -> impl Iterator<Item = &'p Declaration> {
        self.tree.header.iter().filter_map(|item| match item {
            HeaderItem::Declaration(found) if found.kind == DeclarationKind::Shared => Some(found),
            _ => None,
        })
    }

    /// The declaration of a shared variable.
    pub(super) fn shared_named(&self, name: &str) -> Option<&'p Declaration> {
        self.shared().find(|declared| declared.name.text == name)
    }

    /// The text under a span.
    pub(super) fn slice(&self, span: Span) -> &'p str {
        self.program.source.slice(span)
    }

    /// The line on which a span starts.
    pub(super) fn line(&self, span: Span) -> usize {
        self.program.source.line_of(span.start)
    }

    /// A text as this file spells signs.
    pub(super) fn spelled(&self, text: &str) -> String {
        spelled(&self.program.source, text)
    }

    /// The factors of a name: itself where it is declared, else its letters.
    pub(super) fn factors<'n>(&self, name: &'n str) -> Vec<&'n str> {
        let program = self.program;
        let is_declared = program.parameters.iter().any(|it| it.name == name)
            || program.variables.iter().any(|it| it.name == name);
        match letters(name) {
            Some(letters) if !is_declared => letters,
            Some(_) | None => vec![name],
        }
    }

    /// True if a name is, or has as a factor, one of these.
    pub(super) fn mentions(&self, names: &[&Name], wanted: &[&str]) -> bool {
        let mut all = names.iter().flat_map(|name| self.factors(&name.text));
        all.any(|factor| wanted.contains(&factor))
    }

    /// True if a shared variable is among the names.
    pub(super) fn reads_shared(&self, names: &[&Name]) -> bool {
        names.iter().any(|name| is_shared(&name.text))
    }

    /// True if a variable is named in the kernels outside of a span.
    pub(super) fn is_named_outside(&self, variable: &str, span: Span) -> bool {
        let kernels = self.tree.kernels.iter().map(|kernel| &kernel.body);
        let mut names = kernels.chain([&self.tree.body]).flat_map(names_of);
        names.any(|name| {
            let is_inside = span.start <= name.span.start && name.span.end <= span.end;
            name.text == variable && !is_inside
        })
    }

    /// The lines of a span, from the start of the first to behind the line end of the last.
    pub(super) fn lines(&self, span: Span) -> Span {
        let source = &self.program.source;
        let start = source.line_span(source.line_of(span.start)).start;
        let text = source.text();
        let end = text[span.end..].find('\n').map(|at| span.end + at + 1);
        Span::new(start, end.unwrap_or(text.len()))
    }

    /// The lines of a statement, with its block and its `end`.
    pub(super) fn whole(&self, stmt: &Stmt) -> Span {
        let opening = self.lines(span_of(stmt));
        match stmt {
            Stmt::Move(_) | Stmt::Let(_) | Stmt::Host(_) => opening,
            Stmt::Core(CoreStmt::Atomic(_)) => opening,
            _ => opening.to(self.end_line(stmt)),
        }
    }

    /// The line of a block's `end`.
    pub(super) fn end_line(&self, stmt: &Stmt) -> Span {
        let last = body_of(stmt).last();
        let mut at = last.map_or(self.lines(span_of(stmt)).end, |last| self.whole(last).end);
        let text = self.program.source.text();
        loop {
            let line = self.lines(Span::new(at, at));
            let code = without_comment(self.slice(line));
            if code.split_whitespace().any(|word| word == "end") || line.end == text.len() {
                return line;
            }
            at = line.end;
        }
    }

    /// The lines inside a block.
    pub(super) fn inside(&self, stmt: &Stmt) -> Span {
        Span::new(self.lines(span_of(stmt)).end, self.end_line(stmt).start)
    }

    /// The blanks before a statement.
    pub(super) fn indent(&self, span: Span) -> &'p str {
        let line = self.slice(self.lines(span));
        &line[..line.len() - line.trim_start().len()]
    }

    /// The blanks that a block adds.
    pub(super) fn step(&self, stmt: &Stmt) -> String {
        let outer = self.indent(span_of(stmt));
        let inner = body_of(stmt)
            .first()
            .map(|first| self.indent(span_of(first)));
        let added = inner.and_then(|inner| inner.strip_prefix(outer));
        added.filter(|it| !it.is_empty()).unwrap_or("  ").to_owned()
    }

    /// A text with factors of its names replaced. `with` gives the new text of a factor.
    pub(super) fn replaced(
        &self,
        span: Span,
        names: &[&Name],
        with: &dyn Fn(&str) -> Option<String>,
    ) -> String {
        let mut edits = Vec::new();
        for name in names {
            let factors = self.factors(&name.text);
            if factors.iter().all(|factor| with(factor).is_none()) {
                continue;
            }
            let new: Vec<String> = factors
                .iter()
                .map(|factor| with(factor).unwrap_or_else(|| (*factor).to_owned()))
                .collect();
            // Letters grow together to a product again, `ib` to `sb`; anything else needs its signs.
            let are_letters = new
                .iter()
                .all(|it| it.chars().filter(|c| *c != '\'').count() == 1);
            let text = match new.as_slice() {
                // A whole index needs no parentheses.
                [one] if self.is_whole_index(name.span) => one.clone(),
                [one] => enclosed(one),
                several if are_letters => several.concat(),
                several => {
                    let factors: Vec<String> = several.iter().map(|it| enclosed(it)).collect();
                    factors.join(&self.spelled("·"))
                }
            };
            let (start, end) = (name.span.start - span.start, name.span.end - span.start);
            edits.push(Edit {
                span: Span::new(start, end),
                text,
            });
        }
        edited(self.slice(span), &edits)
    }

    /// True if a name stands alone between the brackets and commas of an index.
    fn is_whole_index(&self, span: Span) -> bool {
        let text = self.program.source.text();
        let before = text[..span.start].trim_end().chars().next_back();
        let behind = text[span.end..].trim_start().chars().next();
        matches!(before, Some('[' | ',')) && matches!(behind, Some(']' | ','))
    }

    /// New names, one for each list: its first name, or the first one with a number, that the program does not use.
    pub(super) fn fresh<const N: usize>(&self, lists: [&[&str]; N]) -> [String; N] {
        let program = self.program;
        let parameters = program.parameters.iter().map(|it| it.name.clone());
        let variables = program.variables.iter().map(|it| it.name.clone());
        let mut used: BTreeSet<String> = parameters.chain(variables).collect();
        lists.map(|list| {
            let numbered = (1..).map(|number| format!("{}{number}", list[0]));
            let plain = list.iter().map(|name| (*name).to_owned());
            let mut names = plain.chain(numbered);
            let found = names.find(|name| !used.contains(name));
            let found = found.expect("there are more numbers than names");
            used.insert(found.clone());
            found
        })
    }

    /// An edit that declares a shared array behind the other shared ones.
    pub(super) fn declare(&self, name: &str, extents: &str, word_type: WordType) -> Option<Edit> {
        let last = self.shared().last()?;
        let line = self.lines(last.span);
        let float = match word_type {
            WordType::Int => "",
            WordType::Float => "float ",
        };
        let indent = self.indent(last.keyword_span);
        let text = self.spelled(&format!("{indent}shared {float}{name}{extents}\n"));
        Some(Edit {
            span: Span::new(line.end, line.end),
            text,
        })
    }

    /// The place as written.
    pub(super) fn place(&self, place: &Place) -> &'p str {
        self.slice(place.span)
    }
}

/// An operand in parentheses, unless it is one word already.
pub(super) fn enclosed(text: &str) -> String {
    let is_one = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
    if text.chars().all(is_one) {
        text.to_owned()
    } else {
        format!("({text})")
    }
}

/// An expression without the parentheses around it.
pub(super) fn bare(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Paren(inner) => bare(inner),
        _ => expr,
    }
}

/// True for the number written here.
pub(super) fn is_number(expr: &Expr, number: i64) -> bool {
    matches!(&bare(expr).kind, ExprKind::Integer(value) if *value == number.into())
}

/// True for this name.
pub(super) fn is_name(expr: &Expr, wanted: &str) -> bool {
    matches!(&bare(expr).kind, ExprKind::Name(name) if name.text == wanted)
}
