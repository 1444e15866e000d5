//! From the nodes of one line to what the line says.
//!
//! A line is a header line, a whole statement, or the opening or closing line of a block; which
//! blocks they make together is found in [`tree`](crate::syntax::blocks). A faulty line is reported
//! and gives nothing.

mod expr;
mod header;
mod host;
mod kernel;
mod precedence;

use crate::diag::Diagnostic;
use crate::syntax::ast::{
    Atomic, Claim, Condition, CoreLoop, Declaration, Execute, Expr, For, If, Let, Move, Name,
    NamedKernel, Swap, While, Wrapper,
};
use crate::syntax::error::SyntaxError;
use crate::syntax::parser::{Form, Node};
use crate::text::Source;

pub(super) use expr::{alias, greek_letter};

/// What an expression may contain depends on where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clause {
    /// Statements, sizes, bounds.
    Plain,
    /// `require` and `ensure`: quantifiers and `⇒`.
    Formula,
    /// `claim`: `Σ`, `log` without a base, functions of its own.
    Claim,
}

/// What one line says. Openers have empty bodies.
#[derive(Debug)]
pub(super) enum Item {
    Algorithm {
        name: Name,
        formals: Vec<Name>,
    },
    Require(Condition),
    Ensure(Condition),
    Declarations(Vec<Declaration>),
    Claim(Claim),
    Let(Let),
    Kernel(NamedKernel),
    Wrapper(Wrapper),
    CoreLoop(CoreLoop),
    For(For),
    While(While),
    If(If),
    /// `else`, with the condition of an `else if`.
    Else(Option<Expr>),
    End(End),
    Execute(Execute),
    Swap(Swap),
    Atomic(Atomic),
    Move(Move),
}

/// The word behind `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Algorithm,
    Kernel,
    For,
    While,
    If,
}

/// The lowering of one line, with what it found wrong.
pub(super) struct Lowering<'s> {
    source: &'s Source,
    clause: Clause,
    diagnostics: Vec<Diagnostic>,
}

/// What a statement's node says; nothing, after a fault that makes the line useless. Faults that
/// leave it usable come beside it.
pub(super) fn lower(source: &Source, statement: &Node<'_>) -> (Option<Item>, Vec<Diagnostic>) {
    let mut lowering = Lowering {
        source,
        clause: Clause::Plain,
        diagnostics: Vec::new(),
    };
    let item = lowering.item(statement);
    (item, lowering.diagnostics)
}

impl Lowering<'_> {
    fn item(&mut self, node: &Node<'_>) -> Option<Item> {
        match node.form {
            Form::algorithm_line => Some(self.algorithm(node)),
            Form::require_line => self.condition(node).map(Item::Require),
            Form::ensure_line => self.condition(node).map(Item::Ensure),
            Form::declaration_line => self.declarations(node).map(Item::Declarations),
            Form::claim_line => self.claim(node).map(Item::Claim),
            Form::let_line => self.let_line(node).map(Item::Let),
            Form::kernel_line => Some(Item::Kernel(self.kernel(node))),
            Form::end_line => Some(Item::End(end(node))),
            Form::wrapper_line => self.wrapper(node).map(Item::Wrapper),
            Form::core_line => self.core_loop(node).map(Item::CoreLoop),
            Form::for_line => self.for_line(node).map(Item::For),
            Form::while_line => self.while_line(node).map(Item::While),
            Form::if_line => self.if_line(node).map(Item::If),
            Form::else_line => {
                let condition = node.find(Form::if_line).map(|line| self.if_line(line));
                Some(Item::Else(
                    condition.flatten().map(|opened| opened.condition),
                ))
            }
            Form::execute_line => self.execute(node).map(Item::Execute),
            Form::swap_line => Some(Item::Swap(self.swap(node))),
            Form::atomic_line => self.atomic(node).map(Item::Atomic),
            Form::move_line => self.move_line(node).map(Item::Move),
            other => unreachable!("{other:?} is no statement"),
        }
    }

    fn report(&mut self, error: SyntaxError) {
        self.diagnostics.push(Diagnostic::of(&error));
    }

    /// A name where it is declared: the ASCII alias of a Greek letter cannot be.
    fn binding_name(&mut self, node: &Node<'_>) -> Name {
        if let Some(letter) = greek_letter(node.text) {
            self.report(SyntaxError::ReservedAlias {
                word: node.text.to_owned(),
                letter: letter.to_owned(),
                span: node.span,
            });
        }
        expr::name(node)
    }

    fn binding_names(&mut self, node: &Node<'_>) -> Vec<Name> {
        node.all(Form::name)
            .map(|name| self.binding_name(name))
            .collect()
    }

    /// The one expression directly below a node.
    fn only_expression(&mut self, node: &Node<'_>) -> Option<Expr> {
        self.expression(node.child(Form::expression))
    }

    /// `lo..hi`
    fn range(&mut self, node: &Node<'_>) -> Option<(Expr, Expr)> {
        let mut bounds = self.expressions(node)?.into_iter();
        Some((bounds.next()?, bounds.next()?))
    }

    /// `let name = e`, wherever it stands.
    fn let_line(&mut self, node: &Node<'_>) -> Option<Let> {
        Some(Let {
            name: self.binding_name(node.child(Form::name)),
            value: self.only_expression(node)?,
            span: node.span,
        })
    }
}

fn end(node: &Node<'_>) -> End {
    match node.children[1].form {
        Form::kw_algorithm => End::Algorithm,
        Form::kw_kernel => End::Kernel,
        Form::kw_for => End::For,
        Form::kw_while => End::While,
        Form::kw_if => End::If,
        other => unreachable!("nothing ends with {other:?}"),
    }
}
