//! Expressions and conditions: names to ids, split names to products, every node its type.
//!
//! `None` means that a fault was reported. Everything beside it is still checked, so one pass finds
//! all mistakes and none twice.
//!
//! Takes a tree and its place ([`Reads`]: the names it may read there); gives a typed [`Expr`].
//! [`reading`] tells names apart, [`call`] functions. Knows no statement.

use num_bigint::BigInt;

mod call;
pub(crate) mod reading;

use crate::check::context::Context;
use crate::check::error::{CheckLint, SyntaxError};
use crate::check::expr::reading::{Meaning, Reads, bare_name};
use crate::check::names::letters;
use crate::check::places::{Checked, CheckedPlace};
use crate::check::types::{self, mixed};
use crate::program::{
    Arithmetic, Binder, Condition, ConditionKind, Expr, Number, NumberKind, Over, PairFunction,
    ParameterKind, Place, Type, Unary,
};
use crate::syntax::ast::{self, BinaryOperator, Comparison, LogBase, Quantifier, Relation};
use crate::text::Span;

/// Checks a number.
pub(crate) fn number<P: CheckedPlace>(
    ctx: &mut Context,
    reads: Reads,
    expr: &ast::Expr,
) -> Option<Number<P>> {
    let checked = check(ctx, reads, expr)?;
    types::numeric(ctx, checked)
}

/// Checks a whole number; `place` names its use, as `an index`.
pub(crate) fn whole<P: CheckedPlace>(
    ctx: &mut Context,
    reads: Reads,
    expr: &ast::Expr,
    place: &str,
) -> Option<Number<P>> {
    let checked = check(ctx, reads, expr)?;
    types::whole(ctx, checked, place)
}

/// Checks a condition.
pub(crate) fn condition<P: CheckedPlace>(
    ctx: &mut Context,
    reads: Reads,
    expr: &ast::Expr,
) -> Option<Condition<P>> {
    let checked = check(ctx, reads, expr)?;
    types::logical(ctx, checked)
}

/// Checks an expression, number or condition.
fn check<P: CheckedPlace>(ctx: &mut Context, reads: Reads, expr: &ast::Expr) -> Option<Checked<P>> {
    let span = expr.span;
    let number = match &expr.kind {
        ast::ExprKind::Integer(value) => {
            made(NumberKind::Integer(value.clone()), Type::Number, span)
        }
        ast::ExprKind::Float(value) => made(NumberKind::Float(*value), Type::Float, span),
        ast::ExprKind::Name(name) => bare_name(ctx, reads, name)?,
        ast::ExprKind::Word { name, indices } => reading::word(ctx, reads, name, indices, span)?,
        ast::ExprKind::Paren(inner) => return check(ctx, reads, inner),
        ast::ExprKind::Negate(inner) => {
            let inner = number(ctx, reads, inner)?;
            let ty = inner.ty;
            made(unary(Unary::Negate, inner), ty, span)
        }
        ast::ExprKind::Not(inner) => {
            let kind = ConditionKind::Not(Box::new(condition(ctx, reads, inner)?));
            return Some(Checked::Condition(Condition { kind, span }));
        }
        ast::ExprKind::Binary {
            operator,
            left,
            right,
        } => return binary(ctx, reads, *operator, left, right, span),
        ast::ExprKind::Compare {
            operands,
            relations,
        } => {
            let kind = compare(ctx, reads, operands, relations)?;
            return Some(Checked::Condition(Condition { kind, span }));
        }
        ast::ExprKind::Ceil(inner) => rounded(ctx, reads, inner, Unary::Ceil, span)?,
        ast::ExprKind::Floor(inner) => rounded(ctx, reads, inner, Unary::Floor, span)?,
        ast::ExprKind::Bracket(inner) => bracket(ctx, reads, inner, span)?,
        ast::ExprKind::Call {
            function,
            arguments,
        } => call::check(ctx, reads, *function, arguments, span)?,
        ast::ExprKind::Log { base, argument } => log(ctx, reads, base, argument, span)?,
        ast::ExprKind::Quantified {
            quantifier,
            binders,
            body,
        } => return quantified(ctx, reads, *quantifier, binders, body, span),
    };
    Some(Checked::Number(number))
}

/// Returns true if a value may differ with the data: it reads a word, or a parameter that does.
pub(crate) fn depends_on_data<P: Place>(ctx: &Context, number: &Number<P>) -> bool {
    Expr::from(number).any(&mut |part| match part {
        Expr::Number(part) => {
            matches!(part.kind, NumberKind::Word(_))
                || matches!(part.kind, NumberKind::Parameter(id) if ctx.parameters.get(id).depends_on_data)
        }
        Expr::Condition(_) => false,
    })
}

fn binary<P: CheckedPlace>(
    ctx: &mut Context,
    reads: Reads,
    operator: BinaryOperator,
    left: &ast::Expr,
    right: &ast::Expr,
    span: Span,
) -> Option<Checked<P>> {
    let connective = |ctx: &mut Context, make: fn(_, _) -> Option<ConditionKind<P>>| {
        let left = condition(ctx, reads, left);
        let right = condition(ctx, reads, right);
        let kind = make(left?, right?)?;
        Some(Checked::Condition(Condition { kind, span }))
    };
    let arithmetic_operator = match operator {
        BinaryOperator::Add => Arithmetic::Add,
        BinaryOperator::Subtract => Arithmetic::Subtract,
        BinaryOperator::Multiply | BinaryOperator::Juxtapose => Arithmetic::Multiply,
        BinaryOperator::Divide => Arithmetic::Divide,
        BinaryOperator::FloorDivide => Arithmetic::FloorDivide,
        BinaryOperator::Modulo => Arithmetic::Modulo,
        BinaryOperator::Power => Arithmetic::Power,
        BinaryOperator::And => {
            return connective(ctx, |left, right| {
                Some(ConditionKind::And(Box::new(left), Box::new(right)))
            });
        }
        BinaryOperator::Or => {
            return connective(ctx, |left, right| {
                Some(ConditionKind::Or(Box::new(left), Box::new(right)))
            });
        }
        BinaryOperator::Implies => return connective(ctx, P::implies),
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
    // Both sides are checked before either fails, so that faults on both are reported.
    let (left, right) = (left?, right?);
    if arithmetic_operator == Arithmetic::Power {
        doubt_power(ctx, &left, &right, span);
    }
    let ty = mixed(left.ty, right.ty);
    Some(Checked::Number(arithmetic(
        arithmetic_operator,
        left,
        right,
        ty,
        span,
    )))
}

/// Reports a power that was probably meant as an exclusive or. A first power changes nothing, and the
/// index of a core is raised to a variable by nobody: partners in a butterfly are `j ^ s` in C.
fn doubt_power<P: CheckedPlace>(
    ctx: &mut Context,
    base: &Number<P>,
    exponent: &Number<P>,
    span: Span,
) {
    let is_one = matches!(&exponent.kind, NumberKind::Integer(one) if *one == BigInt::from(1));
    let is_literal = matches!(exponent.kind, NumberKind::Integer(_) | NumberKind::Float(_));
    let is_core = match &base.kind {
        NumberKind::Parameter(id) => ctx.parameters.get(*id).kind == ParameterKind::Core,
        _ => false,
    };
    if is_one || is_core && !is_literal {
        let text = |of: Span| ctx.source.slice(of).trim().to_owned();
        let (base, exponent) = (text(base.span), text(exponent.span));
        ctx.report(&CheckLint::PowerOfIndex {
            base,
            exponent,
            span,
        });
    }
}

/// Checks both operands; they must be whole if `place` names a use that needs it.
fn operands<P: CheckedPlace>(
    ctx: &mut Context,
    reads: Reads,
    left: &ast::Expr,
    right: &ast::Expr,
    place: Option<&'static str>,
) -> (Option<Number<P>>, Option<Number<P>>) {
    let mut operand = |expr: &ast::Expr| match place {
        Some(place) => whole(ctx, reads, expr, place),
        None => number(ctx, reads, expr),
    };
    let left = operand(left);
    (left, operand(right))
}

/// Checks a number that must not be a split name (language.md §5: `syntax::ambiguous-product`).
fn unambiguous<P: CheckedPlace>(
    ctx: &mut Context,
    reads: Reads,
    expr: &ast::Expr,
    place: &'static str,
) -> Option<Number<P>> {
    // `ib^2` may mean i·b² or (i·b)², so only `(ib)^2` and `i·b^2` are taken. A minus sign before
    // the name changes nothing.
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

fn compare<P: CheckedPlace>(
    ctx: &mut Context,
    reads: Reads,
    operands: &[ast::Expr],
    relations: &[Relation],
) -> Option<ConditionKind<P>> {
    let checked: Vec<Option<Number<P>>> = operands
        .iter()
        .enumerate()
        .map(|(at, operand)| {
            // An operand stands between two relations, and either may need it whole: in `b ∣ n = m`
            // that is so for b and n, but not for m.
            let beside = [at.checked_sub(1), Some(at)].into_iter().flatten();
            let place = beside
                .filter_map(|at| relations.get(at))
                .find_map(|relation| needs_whole(*relation));
            match place {
                Some(place) => whole(ctx, reads, operand, place),
                None => number(ctx, reads, operand),
            }
        })
        .collect();
    let operands = checked.into_iter().collect::<Option<_>>()?;
    let exact = relations.iter().map(|relation| match relation {
        Relation::Exact(comparison) => Some(*comparison),
        Relation::About => None,
    });
    match exact.collect() {
        Some(operators) => Some(ConditionKind::Compare {
            operands,
            operators,
        }),
        None => P::about(operands, relations),
    }
}

fn needs_whole(relation: Relation) -> Option<&'static str> {
    match relation {
        Relation::Exact(Comparison::Divides) => Some("an operand of `|`"),
        Relation::Exact(Comparison::PowerOf) => Some("an operand of `is a power of`"),
        Relation::Exact(
            Comparison::Equal
            | Comparison::NotEqual
            | Comparison::Less
            | Comparison::AtMost
            | Comparison::Greater
            | Comparison::AtLeast,
        )
        | Relation::About => None,
    }
}

fn rounded<P: CheckedPlace>(
    ctx: &mut Context,
    reads: Reads,
    inner: &ast::Expr,
    rounding: Unary,
    span: Span,
) -> Option<Number<P>> {
    let inner = number(ctx, reads, inner)?;
    // Rounded data stay data: ⌊_x[j]⌋ of a float is int data, and ⌈n/b⌉ is as exact as n and b.
    let ty = match inner.ty {
        Type::Number => Type::Number,
        Type::Int | Type::Float => Type::Int,
    };
    Some(made(unary(rounding, inner), ty, span))
}

/// Checks `[cond]`, which is 1 or 0: int data if the condition reads data.
fn bracket<P: CheckedPlace>(
    ctx: &mut Context,
    reads: Reads,
    inner: &ast::Expr,
    span: Span,
) -> Option<Number<P>> {
    let inner = condition(ctx, reads, inner)?;
    let ty = if Expr::from(&inner).reads_words() {
        Type::Int
    } else {
        Type::Number
    };
    Some(made(NumberKind::Bracket(Box::new(inner)), ty, span))
}

fn log<P: CheckedPlace>(
    ctx: &mut Context,
    reads: Reads,
    base: &LogBase,
    argument: &ast::Expr,
    span: Span,
) -> Option<Number<P>> {
    let base = match base {
        // In claims only, where `log x` is log₂ x.
        LogBase::Unwritten => Some(made(
            NumberKind::Integer(BigInt::from(2)),
            Type::Number,
            span,
        )),
        LogBase::Number(value) => {
            Some(made(NumberKind::Integer(value.clone()), Type::Number, span))
        }
        LogBase::Name(name) => bare_name(ctx, reads, name),
        LogBase::Braced(base) => number(ctx, reads, base),
    };
    let argument = unambiguous(ctx, reads, argument, "the argument of `log`");
    let (base, argument) = (base?, argument?);
    let ty = mixed(base.ty, argument.ty);
    Some(made(pair(PairFunction::Log, base, argument), ty, span))
}

fn quantified<P: CheckedPlace>(
    ctx: &mut Context,
    reads: Reads,
    quantifier: Quantifier,
    written: &[ast::Binder],
    body: &ast::Expr,
    span: Span,
) -> Option<Checked<P>> {
    // The bound variables are visible in later ranges and in the body, and nowhere else.
    let mark = ctx.parameters.mark();
    let binders = binders(ctx, reads, written);
    let (number, logical) = match quantifier {
        Quantifier::ForAll | Quantifier::Exists => (None, condition(ctx, reads, body)),
        Quantifier::Sum | Quantifier::Min | Quantifier::Max => (number(ctx, reads, body), None),
    };
    ctx.parameters.cut_back(mark);
    let binders = binders?;
    if let Some(body) = logical {
        let body = Box::new(body);
        let kind = P::quantified_condition(quantifier, Over { binders, body })?;
        return Some(Checked::Condition(Condition { kind, span }));
    }
    let body = Box::new(number?);
    let ty = body.ty;
    let kind = P::quantified_number(quantifier, Over { binders, body })?;
    Some(Checked::Number(made(kind, ty, span)))
}

/// Binds the variables of a quantifier, and leaves them visible.
fn binders<P: CheckedPlace>(
    ctx: &mut Context,
    reads: Reads,
    written: &[ast::Binder],
) -> Option<Vec<Binder<P>>> {
    let mut bound = Vec::new();
    for binder in written {
        let low = whole(ctx, reads, &binder.low, "the bound of a range");
        let high = whole(ctx, reads, &binder.high, "the bound of a range");
        // In `∀ i ∈ 0..A[0]` the variable depends on data, as its bound does.
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
    bound.into_iter().collect()
}

/// Joins two operands.
pub(crate) fn arithmetic<P: Place>(
    operator: Arithmetic,
    left: Number<P>,
    right: Number<P>,
    ty: Type,
    span: Span,
) -> Number<P> {
    let kind = NumberKind::Binary {
        operator,
        left: Box::new(left),
        right: Box::new(right),
    };
    made(kind, ty, span)
}

/// Applies an operation to an operand.
pub(crate) fn unary<P: Place>(operation: Unary, operand: Number<P>) -> NumberKind<P> {
    NumberKind::Unary {
        operation,
        operand: Box::new(operand),
    }
}

/// Applies a function to two arguments.
pub(crate) fn pair<P: Place>(
    function: PairFunction,
    left: Number<P>,
    right: Number<P>,
) -> NumberKind<P> {
    NumberKind::Pair {
        function,
        left: Box::new(left),
        right: Box::new(right),
    }
}

/// Makes a number from its parts.
pub(crate) fn made<P: Place>(kind: NumberKind<P>, ty: Type, span: Span) -> Number<P> {
    Number { kind, ty, span }
}
