//! Expressions and conditions: names to ids, split names to products, every node its type.
//!
//! `None` means that the fault is reported; whatever stands beside it is still checked, so that
//! one pass finds all mistakes and none twice.
//!
//! Takes a tree and where it stands ([`Reads`]: what it may read there); gives a typed
//! [`Expr`]. Names are told apart in [`reading`], functions in [`call`]. Knows no statement.

use num_bigint::BigInt;

mod call;
pub(crate) mod reading;

use crate::check::context::Context;
use crate::check::error::SyntaxError;
use crate::check::expr::reading::{Meaning, Reads, bare_name};
use crate::check::names::letters;
use crate::check::types::{self, mixed};
use crate::program::{Arithmetic, Binder, Expr, ExprKind, ParameterKind, Type};
use crate::syntax::ast::{self, BinaryOperator, Comparison, LogBase, Quantifier};
use crate::text::Span;

/// Checks a number.
pub(crate) fn number(ctx: &mut Context, reads: Reads, expr: &ast::Expr) -> Option<Expr> {
    let checked = check(ctx, reads, expr)?;
    types::numeric(ctx, checked)
}

/// Checks a whole number; `place` says what it is for, as `an index`.
pub(crate) fn whole(
    ctx: &mut Context,
    reads: Reads,
    expr: &ast::Expr,
    place: &'static str,
) -> Option<Expr> {
    let checked = check(ctx, reads, expr)?;
    types::whole(ctx, checked, place)
}

/// Checks a condition.
pub(crate) fn condition(ctx: &mut Context, reads: Reads, expr: &ast::Expr) -> Option<Expr> {
    let checked = check(ctx, reads, expr)?;
    types::logical(ctx, checked)
}

/// Checks an expression or a condition.
pub(crate) fn check(ctx: &mut Context, reads: Reads, expr: &ast::Expr) -> Option<Expr> {
    let span = expr.span;
    match &expr.kind {
        ast::ExprKind::Integer(value) => {
            Some(made(ExprKind::Integer(value.clone()), Type::Number, span))
        }
        ast::ExprKind::Float(value) => Some(made(ExprKind::Float(*value), Type::Float, span)),
        ast::ExprKind::Name(name) => bare_name(ctx, reads, name),
        ast::ExprKind::Word { name, indices } => reading::word(ctx, reads, name, indices, span),
        ast::ExprKind::Paren(inner) => check(ctx, reads, inner),
        ast::ExprKind::Negate(inner) => {
            let inner = number(ctx, reads, inner)?;
            let ty = inner.ty;
            Some(made(ExprKind::Negate(Box::new(inner)), ty, span))
        }
        ast::ExprKind::Not(inner) => {
            let inner = condition(ctx, reads, inner)?;
            Some(made(ExprKind::Not(Box::new(inner)), Type::Condition, span))
        }
        ast::ExprKind::Binary {
            operator,
            left,
            right,
        } => binary(ctx, reads, *operator, left, right, span),
        ast::ExprKind::Compare {
            operands,
            operators,
        } => compare(ctx, reads, operands, operators, span),
        ast::ExprKind::Ceil(inner) => rounded(ctx, reads, inner, ExprKind::Ceil, span),
        ast::ExprKind::Floor(inner) => rounded(ctx, reads, inner, ExprKind::Floor, span),
        ast::ExprKind::Bracket(inner) => bracket(ctx, reads, inner, span),
        ast::ExprKind::Call {
            function,
            arguments,
        } => call::check(ctx, reads, *function, arguments, span),
        ast::ExprKind::Log { base, argument } => log(ctx, reads, base, argument, span),
        ast::ExprKind::Quantified {
            quantifier,
            binders,
            body,
        } => quantified(ctx, reads, *quantifier, binders, body, span),
    }
}

/// Whether a value may differ with the data: it reads a word, or a parameter that does.
pub(crate) fn depends_on_data(ctx: &Context, expr: &Expr) -> bool {
    expr.any(&mut |part| {
        let is_word = matches!(part.kind, ExprKind::Word(_));
        is_word
            || matches!(part.kind, ExprKind::Parameter(id) if ctx.parameters.get(id).depends_on_data)
    })
}

fn binary(
    ctx: &mut Context,
    reads: Reads,
    operator: BinaryOperator,
    left: &ast::Expr,
    right: &ast::Expr,
    span: Span,
) -> Option<Expr> {
    let arithmetic_operator = match operator {
        BinaryOperator::Add => Arithmetic::Add,
        BinaryOperator::Subtract => Arithmetic::Subtract,
        BinaryOperator::Multiply | BinaryOperator::Juxtapose => Arithmetic::Multiply,
        BinaryOperator::Divide => Arithmetic::Divide,
        BinaryOperator::FloorDivide => Arithmetic::FloorDivide,
        BinaryOperator::Modulo => Arithmetic::Modulo,
        BinaryOperator::Power => Arithmetic::Power,
        BinaryOperator::And => return connective(ctx, reads, left, right, ExprKind::And, span),
        BinaryOperator::Or => return connective(ctx, reads, left, right, ExprKind::Or, span),
        BinaryOperator::Implies => {
            return connective(ctx, reads, left, right, ExprKind::Implies, span);
        }
    };
    let (left, right) = match arithmetic_operator {
        Arithmetic::Power => {
            let left = unambiguous(ctx, reads, left, "an operand of `^`");
            let right = unambiguous(ctx, reads, right, "an operand of `^`");
            (left, right)
        }
        Arithmetic::Divide => {
            let left = number(ctx, reads, left);
            (
                left,
                unambiguous(ctx, reads, right, "the divisor after `/`"),
            )
        }
        Arithmetic::FloorDivide => operands(ctx, reads, left, right, Some("an operand of `div`")),
        Arithmetic::Modulo => operands(ctx, reads, left, right, Some("an operand of `mod`")),
        Arithmetic::Add | Arithmetic::Subtract | Arithmetic::Multiply => {
            operands(ctx, reads, left, right, None)
        }
    };
    let (left, right) = (left?, right?);
    let ty = mixed(left.ty, right.ty);
    Some(arithmetic(arithmetic_operator, left, right, ty, span))
}

/// Both operands; whole numbers when `place` says what needs them so.
fn operands(
    ctx: &mut Context,
    reads: Reads,
    left: &ast::Expr,
    right: &ast::Expr,
    place: Option<&'static str>,
) -> (Option<Expr>, Option<Expr>) {
    let mut operand = |expr: &ast::Expr| match place {
        Some(place) => whole(ctx, reads, expr, place),
        None => number(ctx, reads, expr),
    };
    let left = operand(left);
    (left, operand(right))
}

/// A number that must not be a split name (language.md §5: `syntax::ambiguous-product`).
fn unambiguous(
    ctx: &mut Context,
    reads: Reads,
    expr: &ast::Expr,
    place: &'static str,
) -> Option<Expr> {
    let mut bare = expr;
    while let ast::ExprKind::Negate(inner) = &bare.kind {
        bare = inner;
    }
    if let ast::ExprKind::Name(name) = &bare.kind
        && let Meaning::Product(_) = reading::meaning(ctx, reads, &name.text)
    {
        let product = letters(&name.text).unwrap_or_default().join("·");
        ctx.report(&SyntaxError::AmbiguousProduct {
            name: name.text.clone(),
            product,
            place,
            span: name.span,
        });
        return None;
    }
    number(ctx, reads, expr)
}

fn connective(
    ctx: &mut Context,
    reads: Reads,
    left: &ast::Expr,
    right: &ast::Expr,
    make: impl FnOnce(Box<Expr>, Box<Expr>) -> ExprKind,
    span: Span,
) -> Option<Expr> {
    let left = condition(ctx, reads, left);
    let right = condition(ctx, reads, right);
    let kind = make(Box::new(left?), Box::new(right?));
    Some(made(kind, Type::Condition, span))
}

fn compare(
    ctx: &mut Context,
    reads: Reads,
    operands: &[ast::Expr],
    operators: &[Comparison],
    span: Span,
) -> Option<Expr> {
    let checked: Vec<Option<Expr>> = operands
        .iter()
        .enumerate()
        .map(|(at, operand)| {
            let beside = [at.checked_sub(1), Some(at)].into_iter().flatten();
            let place = beside
                .filter_map(|at| operators.get(at))
                .find_map(|operator| needs_whole(*operator));
            match place {
                Some(place) => whole(ctx, reads, operand, place),
                None => number(ctx, reads, operand),
            }
        })
        .collect();
    let kind = ExprKind::Compare {
        operands: checked.into_iter().collect::<Option<_>>()?,
        operators: operators.to_vec(),
    };
    Some(made(kind, Type::Condition, span))
}

fn needs_whole(operator: Comparison) -> Option<&'static str> {
    match operator {
        Comparison::Divides => Some("an operand of `|`"),
        Comparison::PowerOf => Some("an operand of `is a power of`"),
        Comparison::Equal
        | Comparison::NotEqual
        | Comparison::Less
        | Comparison::AtMost
        | Comparison::Greater
        | Comparison::AtLeast => None,
    }
}

fn rounded(
    ctx: &mut Context,
    reads: Reads,
    inner: &ast::Expr,
    make: impl FnOnce(Box<Expr>) -> ExprKind,
    span: Span,
) -> Option<Expr> {
    let inner = number(ctx, reads, inner)?;
    let ty = match inner.ty {
        Type::Number => Type::Number,
        Type::Int | Type::Float | Type::Condition => Type::Int,
    };
    Some(made(make(Box::new(inner)), ty, span))
}

/// 1 or 0: int data when the condition reads data.
fn bracket(ctx: &mut Context, reads: Reads, inner: &ast::Expr, span: Span) -> Option<Expr> {
    let inner = condition(ctx, reads, inner)?;
    let ty = if inner.reads_words() {
        Type::Int
    } else {
        Type::Number
    };
    Some(made(ExprKind::Bracket(Box::new(inner)), ty, span))
}

fn log(
    ctx: &mut Context,
    reads: Reads,
    base: &LogBase,
    argument: &ast::Expr,
    span: Span,
) -> Option<Expr> {
    let base = match base {
        // In claims only, where `log x` is log₂ x.
        LogBase::Unwritten => Some(made(ExprKind::Integer(BigInt::from(2)), Type::Number, span)),
        LogBase::Number(value) => Some(made(ExprKind::Integer(value.clone()), Type::Number, span)),
        LogBase::Name(name) => {
            bare_name(ctx, reads, name).and_then(|base| types::numeric(ctx, base))
        }
        LogBase::Braced(base) => number(ctx, reads, base),
    };
    let argument = unambiguous(ctx, reads, argument, "the argument of `log`");
    let (base, argument) = (base?, argument?);
    let ty = mixed(base.ty, argument.ty);
    let kind = ExprKind::Log {
        base: Box::new(base),
        argument: Box::new(argument),
    };
    Some(made(kind, ty, span))
}

fn quantified(
    ctx: &mut Context,
    reads: Reads,
    quantifier: Quantifier,
    binders: &[ast::Binder],
    body: &ast::Expr,
    span: Span,
) -> Option<Expr> {
    let mark = ctx.parameters.mark();
    let mut bound = Vec::new();
    for binder in binders {
        let low = whole(ctx, reads, &binder.low, "the bound of a range");
        let high = whole(ctx, reads, &binder.high, "the bound of a range");
        let data = [&low, &high]
            .into_iter()
            .flatten()
            .any(|bound| depends_on_data(ctx, bound));
        let parameter = ctx.bind_typed(&binder.name, ParameterKind::Quantifier, Type::Number, data);
        bound.push(low.zip(high).map(|(low, high)| Binder {
            parameter,
            low,
            high,
        }));
    }
    let body = match quantifier {
        Quantifier::ForAll | Quantifier::Exists => condition(ctx, reads, body),
        Quantifier::Sum | Quantifier::Min | Quantifier::Max => number(ctx, reads, body),
    };
    ctx.parameters.cut_back(mark);
    let binders = bound.into_iter().collect::<Option<Vec<_>>>()?;
    let body = body?;
    let ty = body.ty;
    let kind = ExprKind::Quantified {
        quantifier,
        binders,
        body: Box::new(body),
    };
    Some(made(kind, ty, span))
}

/// Two operands joined.
pub(crate) fn arithmetic(
    operator: Arithmetic,
    left: Expr,
    right: Expr,
    ty: Type,
    span: Span,
) -> Expr {
    let kind = ExprKind::Binary {
        operator,
        left: Box::new(left),
        right: Box::new(right),
    };
    made(kind, ty, span)
}

/// An expression from its parts.
pub(crate) fn made(kind: ExprKind, ty: Type, span: Span) -> Expr {
    Expr { kind, ty, span }
}
