//! Precedence: the one table, and the stack of operators that wait for their right sides.
//!
//! Operators wait on a stack of our own, not on the thread's, so a chain of a million `^` or `¬`
//! ends in
//! a diagnostic. Every node is made here, where its depth is known.

use crate::syntax::ast::{
    BinaryOperator, Binder, Comparison, Expr, ExprKind, LogBase, Quantifier, Relation,
};
use crate::syntax::error::SyntaxError;
use crate::syntax::limits::{MAX_EXPRESSION_DEPTH, abbreviated};
use crate::syntax::lower::Lowering;
use crate::syntax::parser::Form;
use crate::text::Span;

/// The strength with which an operator binds the operands on its two sides; larger is tighter. The
/// tighter side tells left- from right-associative operators.
#[derive(Debug, Clone, Copy)]
struct Binding {
    left: u8,
    right: u8,
}

/// Returns the precedence, loosest first (language.md §2.3): `⇒` (right), `∨`, `∧`, `¬`,
/// comparisons,
/// `+ -`, `* / mod div`, juxtaposition, unary minus, `^` (right), `log`. A prefix operator has only
/// `right`: the body of `∀` runs on to the end, the body of `Σ` stops at a comparison.
fn binding(operator: Operator) -> Binding {
    let (left, right) = match operator {
        Operator::Quantifier(Quantifier::ForAll | Quantifier::Exists) => (0, 0),
        Operator::Binary(BinaryOperator::Implies) => (2, 1),
        Operator::Binary(BinaryOperator::Or) => (3, 4),
        Operator::Binary(BinaryOperator::And) => (5, 6),
        Operator::Not => (0, 7),
        Operator::Compare(_) => (8, 9),
        Operator::Quantifier(Quantifier::Sum | Quantifier::Min | Quantifier::Max) => (0, 10),
        Operator::Binary(BinaryOperator::Add | BinaryOperator::Subtract) => (11, 12),
        Operator::Binary(
            BinaryOperator::Multiply
            | BinaryOperator::Divide
            | BinaryOperator::FloorDivide
            | BinaryOperator::Modulo,
        ) => (13, 14),
        Operator::Binary(BinaryOperator::Juxtapose) => (15, 16),
        Operator::Negate => (0, 17),
        Operator::Binary(BinaryOperator::Power) => (19, 18),
        Operator::Log => (0, 21),
    };
    Binding { left, right }
}

/// An operator in the table of precedence.
#[derive(Debug, Clone, Copy)]
pub(super) enum Operator {
    Binary(BinaryOperator),
    Compare(Relation),
    Negate,
    Not,
    Log,
    Quantifier(Quantifier),
}

/// An expression and the depth of its tree.
pub(super) struct Built {
    pub expr: Expr,
    pub depth: usize,
}

/// An operator that waits for its right operand.
enum Waiting {
    Prefix(Prefix, Span),
    Binary(BinaryOperator, Built),
    Chain(Vec<Built>, Vec<Relation>),
}

/// An operator in front of its operand, with the depth of its own parts.
pub(super) enum Prefix {
    Negate,
    Not,
    /// The base, and its depth.
    Log(LogBase, usize),
    /// The binders, and the depth of their ranges.
    Quantified(Quantifier, Vec<Binder>, usize),
}

impl Waiting {
    fn right(&self) -> u8 {
        binding(match self {
            Waiting::Prefix(Prefix::Negate, _) => Operator::Negate,
            Waiting::Prefix(Prefix::Not, _) => Operator::Not,
            Waiting::Prefix(Prefix::Log(..), _) => Operator::Log,
            Waiting::Prefix(Prefix::Quantified(quantifier, ..), _) => {
                Operator::Quantifier(*quantifier)
            }
            Waiting::Binary(operator, _) => Operator::Binary(*operator),
            Waiting::Chain(..) => Operator::Compare(Relation::About),
        })
        .right
    }
}

/// Builds a tree from left to right: the waiting operators, and the operand just completed.
#[derive(Default)]
pub(super) struct Builder {
    waiting: Vec<Waiting>,
    operand: Option<Built>,
}

impl Builder {
    /// Takes an operand. Directly behind another one it is a factor of a product.
    pub(super) fn operand(&mut self, lowering: &mut Lowering<'_>, operand: Built) -> Option<()> {
        self.juxtapose(lowering)?;
        self.operand = Some(operand);
        Some(())
    }

    /// Takes an operator in front of its operand; a logarithm can begin a factor of a product.
    pub(super) fn prefix(
        &mut self,
        lowering: &mut Lowering<'_>,
        prefix: Prefix,
        span: Span,
    ) -> Option<()> {
        self.juxtapose(lowering)?;
        self.waiting.push(Waiting::Prefix(prefix, span));
        Some(())
    }

    /// Returns the tree, once everything has been taken.
    pub(super) fn finish(mut self, lowering: &mut Lowering<'_>) -> Option<Built> {
        self.reduce(lowering, 0)?;
        self.operand
    }

    fn juxtapose(&mut self, lowering: &mut Lowering<'_>) -> Option<()> {
        match self.operand {
            Some(_) => self.infix(lowering, Operator::Binary(BinaryOperator::Juxtapose)),
            None => Some(()),
        }
    }

    /// Takes an operator behind a complete operand. Operators that bind at least as tightly are
    /// completed first.
    pub(super) fn infix(&mut self, lowering: &mut Lowering<'_>, operator: Operator) -> Option<()> {
        // `a + b·c`: `·` binds its left side with 13, the waiting `+` its right side with 12, so
        // `+`
        // waits on. `a - b + c`: `+` binds with 11, the waiting `-` with 12, so a - b is completed.
        // `a^b^c`: 19 against 18, so the first `^` waits: the power is right-associative.
        let Binding { left, right } = binding(operator);
        self.reduce(
            lowering,
            match operator {
                // In a chain `a < b < c` the operators do not complete each other: it becomes one
                // node.
                Operator::Compare(_) => right + 1,
                Operator::Binary(_)
                | Operator::Negate
                | Operator::Not
                | Operator::Log
                | Operator::Quantifier(_) => left,
            },
        )?;
        let operand = self.operand.take()?;
        match operator {
            Operator::Compare(relation) => match self.waiting.last_mut() {
                Some(Waiting::Chain(operands, relations)) => {
                    operands.push(operand);
                    relations.push(relation);
                }
                _ => self
                    .waiting
                    .push(Waiting::Chain(vec![operand], vec![relation])),
            },
            Operator::Binary(operator) => self.waiting.push(Waiting::Binary(operator, operand)),
            Operator::Negate | Operator::Not | Operator::Log | Operator::Quantifier(_) => {
                unreachable!("a prefix operator has no left side")
            }
        }
        Some(())
    }

    /// Gives the operand to every waiting operator that binds it at least as tightly as `left`.
    fn reduce(&mut self, lowering: &mut Lowering<'_>, left: u8) -> Option<()> {
        while let Some(waiting) = self.waiting.pop_if(|waiting| waiting.right() >= left) {
            let operand = self.operand.take()?;
            self.operand = Some(waiting.complete(lowering, operand)?);
        }
        Some(())
    }
}

impl Waiting {
    fn complete(self, lowering: &mut Lowering<'_>, operand: Built) -> Option<Built> {
        match self {
            Waiting::Prefix(prefix, start) => {
                let span = start.to(operand.expr.span);
                let depth = operand.depth;
                let inner = Box::new(operand.expr);
                let (kind, depth) = match prefix {
                    Prefix::Negate => (ExprKind::Negate(inner), depth),
                    Prefix::Not => (ExprKind::Not(inner), depth),
                    Prefix::Log(base, base_depth) => {
                        let kind = ExprKind::Log {
                            base,
                            argument: inner,
                        };
                        (kind, depth.max(base_depth))
                    }
                    Prefix::Quantified(quantifier, binders, range_depth) => {
                        let kind = ExprKind::Quantified {
                            quantifier,
                            binders,
                            body: inner,
                        };
                        (kind, depth.max(range_depth))
                    }
                };
                lowering.node(kind, span, depth)
            }
            Waiting::Binary(operator, left) => {
                let span = left.expr.span.to(operand.expr.span);
                let depth = left.depth.max(operand.depth);
                if operator == BinaryOperator::Divide {
                    lowering.check_quotient(&left.expr, &operand.expr);
                }
                let kind = ExprKind::Binary {
                    operator,
                    left: Box::new(left.expr),
                    right: Box::new(operand.expr),
                };
                lowering.node(kind, span, depth)
            }
            Waiting::Chain(mut operands, relations) => {
                operands.push(operand);
                let depth = operands.iter().map(|built| built.depth).max().unwrap_or(0);
                let operands: Vec<Expr> = operands.into_iter().map(|built| built.expr).collect();
                let span = operands[0].span.to(operands[operands.len() - 1].span);
                let kind = ExprKind::Compare {
                    operands,
                    relations,
                };
                lowering.node(kind, span, depth)
            }
        }
    }
}

impl Lowering<'_> {
    /// Makes a node one deeper than its deepest child, unless that is too deep.
    pub(super) fn node(&mut self, kind: ExprKind, span: Span, deepest: usize) -> Option<Built> {
        if deepest >= MAX_EXPRESSION_DEPTH {
            self.report(SyntaxError::TooDeep {
                what: "the operators of an expression",
                limit: MAX_EXPRESSION_DEPTH,
                help: "name parts of the expression with `let`",
                span,
            });
            return None;
        }
        Some(Built {
            expr: Expr { kind, span },
            depth: deepest + 1,
        })
    }

    /// Reports `/` followed by a juxtaposition: the product binds more tightly, which few expect.
    fn check_quotient(&mut self, left: &Expr, right: &Expr) {
        let ExprKind::Binary {
            operator: BinaryOperator::Juxtapose,
            ..
        } = right.kind
        else {
            return;
        };
        // In `n/2b c` the juxtaposition leans to the left, (2 b) c, so its first factor is
        // leftmost.
        let mut first = right;
        while let ExprKind::Binary {
            operator: BinaryOperator::Juxtapose,
            left,
            ..
        } = &first.kind
        {
            first = left;
        }
        let text = |span| abbreviated(self.source.slice(span).trim_start());
        let dividend = text(left.span);
        let product = text(right.span);
        let factor = text(first.span);
        let rest = text(Span::new(first.span.end, right.span.end));
        self.report(SyntaxError::AmbiguousProduct {
            written: format!("{dividend}/{product}"),
            whole: format!("{dividend}/({product})"),
            first: format!("{dividend}/{factor}·{rest}"),
            factor: first.span,
            span: right.span,
        });
    }
}

/// Returns the operator of an infix terminal.
pub(super) fn infix(form: Form) -> Option<Operator> {
    let exact = |comparison| Operator::Compare(Relation::Exact(comparison));
    Some(match form {
        Form::plus => Operator::Binary(BinaryOperator::Add),
        Form::minus => Operator::Binary(BinaryOperator::Subtract),
        Form::times => Operator::Binary(BinaryOperator::Multiply),
        Form::divide => Operator::Binary(BinaryOperator::Divide),
        Form::floor_divide => Operator::Binary(BinaryOperator::FloorDivide),
        Form::modulo => Operator::Binary(BinaryOperator::Modulo),
        Form::power => Operator::Binary(BinaryOperator::Power),
        Form::and => Operator::Binary(BinaryOperator::And),
        Form::or => Operator::Binary(BinaryOperator::Or),
        Form::implies => Operator::Binary(BinaryOperator::Implies),
        Form::equal => exact(Comparison::Equal),
        Form::about => Operator::Compare(Relation::About),
        Form::not_equal => exact(Comparison::NotEqual),
        Form::less => exact(Comparison::Less),
        Form::at_most => exact(Comparison::AtMost),
        Form::greater => exact(Comparison::Greater),
        Form::at_least => exact(Comparison::AtLeast),
        Form::divides => exact(Comparison::Divides),
        Form::power_of => exact(Comparison::PowerOf),
        _ => return None,
    })
}
