//! From the nodes of one line to its meaning.
//!
//! A line is a header line, a whole statement, or the opening or closing line of a block;
//! [`blocks`](crate::syntax::blocks) puts blocks together. A faulty line is reported and gives
//! nothing.

mod expr;
mod header;
mod precedence;
mod statement;

use crate::diag::Diagnostic;
use crate::syntax::ast::{
    Claim, Condition, CoreStmt, Declaration, Expr, HostStmt, Let, Name, NamedKernel, Stmt,
};
use crate::syntax::error::SyntaxError;
use crate::syntax::parser::{Form, Node};
use crate::text::Source;

pub(super) use expr::{ALIASES, alias, greek_letter};

/// The place of an expression, which decides its permitted constructs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clause {
    /// Statements, sizes, bounds.
    Plain,
    /// `require` and `ensure`: quantifiers, `⇒` and `≈`.
    Formula,
    /// `claim`: `Σ`, `log` without a base, functions of its own.
    Claim,
}

/// The meaning of one line. Opening lines have empty bodies.
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
    Kernel(NamedKernel),
    /// A whole statement, or the opening line of one; also a `let` of the header.
    Statement(Stmt),
    /// `else`, with the condition of an `else if`.
    Else(Option<Expr>),
    End(End),
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

/// The lowering of one line, with the faults found.
pub(super) struct Lowering<'s> {
    source: &'s Source,
    clause: Clause,
    diagnostics: Vec<Diagnostic>,
}

/// Lowers the node of a statement. Gives no item after a fault that makes the line useless; the
/// faults
/// come beside it.
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
            Form::kernel_line => Some(Item::Kernel(self.kernel(node))),
            Form::end_line => Some(Item::End(end(node))),
            Form::else_line => {
                let condition = node.find(Form::if_line).map(|line| self.if_line(line));
                Some(Item::Else(
                    condition.flatten().map(|opened| opened.condition),
                ))
            }
            _ => self.statement(node).map(Item::Statement),
        }
    }

    fn statement(&mut self, node: &Node<'_>) -> Option<Stmt> {
        match node.form {
            Form::let_line => self.let_line(node).map(Stmt::Let),
            Form::wrapper_line => self.wrapper(node).map(Stmt::Wrapper),
            Form::core_line => self.core_loop(node).map(Stmt::CoreLoop),
            Form::for_line => self.for_line(node).map(Stmt::For),
            Form::while_line => self.while_line(node).map(Stmt::While),
            Form::if_line => self.if_line(node).map(CoreStmt::If).map(Stmt::Core),
            Form::execute_line => self.execute(node).map(HostStmt::Execute).map(Stmt::Host),
            Form::swap_line => Some(Stmt::Host(HostStmt::Swap(self.swap(node)))),
            Form::atomic_line => self.atomic(node).map(CoreStmt::Atomic).map(Stmt::Core),
            Form::move_line => self.move_line(node).map(Stmt::Move),
            other => unreachable!("{other:?} is no statement"),
        }
    }

    fn report(&mut self, error: SyntaxError) {
        self.diagnostics
            .push(Diagnostic::mendable(&error, self.source));
    }

    /// Lowers a name that is declared; it cannot be the ASCII alias of a Greek letter.
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

    /// Lowers the one expression directly below a node.
    fn only_expression(&mut self, node: &Node<'_>) -> Option<Expr> {
        self.expression(node.child(Form::expression))
    }

    /// Lowers `lo..hi`.
    fn range(&mut self, node: &Node<'_>) -> Option<(Expr, Expr)> {
        let mut bounds = self.expressions(node)?.into_iter();
        Some((bounds.next()?, bounds.next()?))
    }

    /// Lowers `let name = e`, in any place.
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
