//! `atomic _x[e] ← _x[e] ⊕ operand`: its form and its types (language.md §2.6, §5).

use crate::check::context::Context;
use crate::check::error::{AccessError, SyntaxError};
use crate::check::expr;
use crate::check::expr::reading::Reads;
use crate::check::kernel::access::{self, Memory};
use crate::check::types;
use crate::program::{
    AtomicOperand, AtomicOperator, Code, Number, NumberKind, StmtKind, Type, Word,
};
use crate::syntax::ast::{self, BinaryOperator, Function};

/// An update taken apart: the element on the right side, and the operands applied to it.
struct Update<'e> {
    operator: AtomicOperator,
    element: &'e ast::Expr,
    /// The operands, with true for those that are subtracted.
    operands: Vec<(bool, &'e ast::Expr)>,
}

/// Checks an `atomic`.
pub(crate) fn check(ctx: &mut Context, statement: &ast::Atomic) -> Option<StmtKind> {
    let target = access::element(ctx, &statement.target)?;
    let target = match target.memory {
        Memory::Shared => target.word,
        Memory::Global => {
            let error = AccessError::AtomicOnGlobal {
                name: statement.target.name.text.clone(),
                target: ctx.text(statement.target.span),
                span: statement.target.span,
            };
            ctx.report(&error);
            return None;
        }
    };
    let Some(update) = update(&statement.value) else {
        // A faulty expression is reported as such; only a sound one can have the wrong form.
        if expr::number::<Code>(ctx, Reads::Shared, &statement.value).is_some() {
            report_form(ctx, statement);
        }
        return None;
    };
    let element = expr::number(ctx, Reads::Shared, update.element);
    let operands: Vec<Option<AtomicOperand>> = update
        .operands
        .into_iter()
        .map(|(negated, operand)| {
            let value = expr::number(ctx, Reads::Shared, operand)?;
            Some(AtomicOperand { negated, value })
        })
        .collect();
    let element = element?;
    if !is_word(&element, &target) {
        report_form(ctx, statement);
        return None;
    }
    let operands = operands.into_iter().collect::<Option<Vec<_>>>()?;
    let ty = operands.iter().fold(Type::Number, |ty, operand| {
        types::mixed(ty, operand.value.ty)
    });
    types::storable(ctx, target.variable, ty, statement.value.span)?;
    Some(StmtKind::Atomic {
        target,
        operator: update.operator,
        operands,
    })
}

fn update(value: &ast::Expr) -> Option<Update<'_>> {
    if let ast::ExprKind::Binary { operator, .. } = &value.kind {
        // The last operator decides: `_x[e] · u + v` is a sum whose first operand is `_x[e] · u`,
        // which is no word, so the caller refuses it.
        return match link(*operator)? {
            Link::Sum { .. } => sum(value),
            Link::Product => Some(product(value)),
        };
    }
    let ast::ExprKind::Call {
        function,
        arguments,
    } = &value.kind
    else {
        return None;
    };
    let operator = [
        (Function::Min, AtomicOperator::Min),
        (Function::Max, AtomicOperator::Max),
    ]
    .into_iter()
    .find_map(|(of, operator)| (of == *function).then_some(operator))?;
    let (element, operands) = arguments.split_first()?;
    (!operands.is_empty()).then(|| Update {
        operator,
        element,
        operands: operands.iter().map(|operand| (false, operand)).collect(),
    })
}

/// The operators that may continue the chain of an update.
#[derive(Clone, Copy)]
enum Link {
    Sum { negated: bool },
    Product,
}

fn link(operator: BinaryOperator) -> Option<Link> {
    match operator {
        BinaryOperator::Add => Some(Link::Sum { negated: false }),
        BinaryOperator::Subtract => Some(Link::Sum { negated: true }),
        BinaryOperator::Multiply | BinaryOperator::Juxtapose => Some(Link::Product),
        BinaryOperator::Divide
        | BinaryOperator::FloorDivide
        | BinaryOperator::Modulo
        | BinaryOperator::Power
        | BinaryOperator::And
        | BinaryOperator::Or
        | BinaryOperator::Implies => None,
    }
}

/// Takes apart `_x[e] + u - v`, whose first operator is ⊕ itself, a `+`.
fn sum(value: &ast::Expr) -> Option<Update<'_>> {
    let (element, operands) = spine(value, |link| match link {
        Link::Sum { negated } => Some(negated),
        Link::Product => None,
    });
    // `_x[e] - u + v` is refused: the operator behind the element must be the `+` itself.
    let starts_with_plus = operands.first().is_some_and(|(negated, _)| !negated);
    starts_with_plus.then_some(Update {
        operator: AtomicOperator::Add,
        element,
        operands,
    })
}

fn product(value: &ast::Expr) -> Update<'_> {
    let (element, operands) = spine(value, |link| match link {
        Link::Sum { .. } => None,
        Link::Product => Some(false),
    });
    Update {
        operator: AtomicOperator::Multiply,
        element,
        operands,
    }
}

/// Returns the leftmost operand of a chain, and the others in order, each with the answer of
/// `accept` for the operator before it.
fn spine(
    value: &ast::Expr,
    accept: impl Fn(Link) -> Option<bool>,
) -> (&ast::Expr, Vec<(bool, &ast::Expr)>) {
    // `_x[e] + u - v` is the tree ((_x[e] + u) - v): walking down its left side meets v, then u,
    // and ends at the element.
    let mut first = value;
    let mut others = Vec::new();
    while let ast::ExprKind::Binary {
        operator,
        left,
        right,
    } = &first.kind
    {
        let Some(negated) = link(*operator).and_then(&accept) else {
            break;
        };
        others.push((negated, &**right));
        first = left;
    }
    others.reverse();
    (first, others)
}

/// Returns true if an expression is the word itself, written the same way.
fn is_word(element: &Number, target: &Word) -> bool {
    let NumberKind::Word(word) = &element.kind else {
        return false;
    };
    let keys = |word: &Word| word.indices.iter().map(Number::key).collect::<Vec<_>>();
    word.variable == target.variable && keys(word) == keys(target)
}

fn report_form(ctx: &mut Context, statement: &ast::Atomic) {
    let error = SyntaxError::AtomicForm {
        target: ctx.text(statement.target.span),
        span: statement.value.span,
        element: statement.target.span,
    };
    ctx.report(&error);
}
