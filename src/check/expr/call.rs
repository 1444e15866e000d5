//! Functions written as calls: their arguments in number and type.

use crate::check::context::Context;
use crate::check::error::{CheckLint, Counted, SyntaxError, TypeError};
use crate::check::expr::reading::Reads;
use crate::check::expr::{self, made};
use crate::check::places::CheckedPlace;
use crate::check::types::mixed;
use crate::program::{
    BitFunction, Extreme, MathFunction, Number, NumberKind, PairFunction, Type, Unary,
};
use crate::syntax::ast::{self, Function};
use crate::text::Span;

/// Checks a call.
pub(crate) fn check<P: CheckedPlace>(
    ctx: &mut Context,
    reads: Reads,
    function: Function,
    arguments: &[ast::Expr],
    span: Span,
) -> Option<Number<P>> {
    let form = function.form();
    // `min` and `max` take any number of arguments from 1 on.
    let fits = match form.arity {
        Some(arity) => arguments.len() == arity,
        None => !arguments.is_empty(),
    };
    if !fits {
        ctx.report(&SyntaxError::ArgumentCount {
            function: form.name,
            expected: Counted::arguments(form.arity.unwrap_or(1)),
            given: Counted::arguments(arguments.len()),
            form: form.call,
            span,
        });
        return None;
    }
    if let [operand] = arguments
        && matches!(function, Function::Min | Function::Max)
    {
        let operand = ctx.source.slice(operand.span).to_owned();
        ctx.report(&CheckLint::OneOperand {
            function: form.name,
            operand,
            span,
        });
    }
    let (kind, ty) = match function {
        Function::Min => extremum(ctx, reads, arguments, Extreme::Min)?,
        Function::Max => extremum(ctx, reads, arguments, Extreme::Max)?,
        Function::Abs => {
            let argument = expr::number(ctx, reads, &arguments[0])?;
            let ty = argument.ty;
            (expr::unary(Unary::Abs, argument), ty)
        }
        Function::Select => select(ctx, reads, arguments)?,
        Function::Math(function) => math(ctx, reads, (form.name, function), &arguments[0])?,
        Function::Bits(function) => bits(ctx, reads, function, arguments)?,
        Function::Claim(function) => {
            let place = format!("an argument of `{}`", form.name);
            let arguments = wholes(ctx, reads, arguments, &place)?;
            (P::call(function, arguments)?, Type::Number)
        }
    };
    Some(made(kind, ty, span))
}

fn extremum<P: CheckedPlace>(
    ctx: &mut Context,
    reads: Reads,
    arguments: &[ast::Expr],
    extreme: Extreme,
) -> Option<(NumberKind<P>, Type)> {
    let checked: Vec<Option<Number<P>>> = arguments
        .iter()
        .map(|argument| expr::number(ctx, reads, argument))
        .collect();
    let arguments = checked.into_iter().collect::<Option<Vec<_>>>()?;
    let ty = arguments
        .iter()
        .fold(Type::Number, |ty, argument| mixed(ty, argument.ty));
    Some((NumberKind::Extreme { extreme, arguments }, ty))
}

fn select<P: CheckedPlace>(
    ctx: &mut Context,
    reads: Reads,
    arguments: &[ast::Expr],
) -> Option<(NumberKind<P>, Type)> {
    let condition = expr::condition(ctx, reads, &arguments[0]);
    let then = expr::number(ctx, reads, &arguments[1]);
    let otherwise = expr::number(ctx, reads, &arguments[2]);
    let (condition, then, otherwise) = (condition?, then?, otherwise?);
    let ty = mixed(then.ty, otherwise.ty);
    let kind = NumberKind::Select {
        condition: Box::new(condition),
        then: Box::new(then),
        otherwise: Box::new(otherwise),
    };
    Some((kind, ty))
}

/// Checks `sqrt exp ln sin cos`, which take floats; `sqrt` takes parameters too (language.md §5).
fn math<P: CheckedPlace>(
    ctx: &mut Context,
    reads: Reads,
    (name, function): (&'static str, MathFunction),
    argument: &ast::Expr,
) -> Option<(NumberKind<P>, Type)> {
    let argument = expr::number(ctx, reads, argument)?;
    let given = match (argument.ty, function) {
        (Type::Float, _) | (Type::Number, MathFunction::Sqrt) => None,
        (Type::Number, _) => Some("a parameter"),
        (Type::Int, _) => Some("int data"),
    };
    if let Some(given) = given {
        let error = TypeError::MathOfWhole {
            function: name,
            given,
            text: ctx.text(argument.span),
            span: argument.span,
        };
        ctx.report(&error);
        return None;
    }
    let ty = argument.ty;
    Some((expr::unary(Unary::Math(function), argument), ty))
}

fn bits<P: CheckedPlace>(
    ctx: &mut Context,
    reads: Reads,
    function: BitFunction,
    arguments: &[ast::Expr],
) -> Option<(NumberKind<P>, Type)> {
    let both = wholes(ctx, reads, arguments, "an argument of a bit function")?;
    let [left, right] = both.try_into().ok()?;
    let ty = mixed(left.ty, right.ty);
    Some((expr::pair(PairFunction::Bits(function), left, right), ty))
}

/// Checks that all arguments are whole numbers.
fn wholes<P: CheckedPlace>(
    ctx: &mut Context,
    reads: Reads,
    arguments: &[ast::Expr],
    place: &str,
) -> Option<Vec<Number<P>>> {
    let checked: Vec<Option<Number<P>>> = arguments
        .iter()
        .map(|argument| expr::whole(ctx, reads, argument, place))
        .collect();
    checked.into_iter().collect()
}
