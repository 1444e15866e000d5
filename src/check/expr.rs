//! Expressions and conditions: names to ids, split names to products, every node its type.
//!
//! `None` means that the fault is reported; whatever stands beside it is still checked, so that
//! one pass finds all mistakes and none twice.

use num_bigint::BigInt;

use super::call;
use super::context::Context;
use super::error::{AccessError, Counted, NameError, NameKind, Nearest, SyntaxError};
use super::names::{self, letters};
use super::program::{
    Arithmetic, Binder, CostSymbol, Expr, ExprKind, ParamId, ParameterKind, Role, Scope, Type,
    VarId, Word,
};
use super::scopes::Known;
use super::types::{self, mixed};
use crate::syntax::ast::{self, BinaryOperator, Comparison, LogBase, Quantifier};
use crate::text::{Span, nearest};

/// What an expression may read, by the place where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reads {
    /// Parameters only; the words say what the place is, as `a size`.
    Parameters(&'static str),
    /// Shared words and parameters: inside a core loop.
    Shared,
    /// Inputs and parameters.
    Require,
    /// Host and global words at the end, and parameters.
    Ensure,
    /// Host words and parameters: the condition of a host `while`.
    HostWords,
    /// Parameters and the letters of the cost functions.
    Claim,
}

/// Checks a number.
pub(super) fn number(ctx: &mut Context, reads: Reads, expr: &ast::Expr) -> Option<Expr> {
    let checked = check(ctx, reads, expr)?;
    types::numeric(ctx, checked)
}

/// Checks a whole number; `place` says what it is for, as `an index`.
pub(super) fn whole(
    ctx: &mut Context,
    reads: Reads,
    expr: &ast::Expr,
    place: &'static str,
) -> Option<Expr> {
    let checked = check(ctx, reads, expr)?;
    types::whole(ctx, checked, place)
}

/// Checks a condition.
pub(super) fn condition(ctx: &mut Context, reads: Reads, expr: &ast::Expr) -> Option<Expr> {
    let checked = check(ctx, reads, expr)?;
    types::logical(ctx, checked)
}

/// Checks an expression or a condition.
pub(super) fn check(ctx: &mut Context, reads: Reads, expr: &ast::Expr) -> Option<Expr> {
    let span = expr.span;
    match &expr.kind {
        ast::ExprKind::Integer(value) => {
            Some(made(ExprKind::Integer(value.clone()), Type::Number, span))
        }
        ast::ExprKind::Float(value) => Some(made(ExprKind::Float(*value), Type::Float, span)),
        ast::ExprKind::Name(name) => bare_name(ctx, reads, name),
        ast::ExprKind::Word { name, indices } => word(ctx, reads, name, indices, span),
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
pub(super) fn depends_on_data(ctx: &Context, expr: &Expr) -> bool {
    expr.any(&mut |part| match part.kind {
        ExprKind::Word(_) => true,
        ExprKind::Parameter(id) => ctx.parameters.get(id).depends_on_data,
        _ => false,
    })
}

/// Checks the indices between the brackets of one word.
pub(super) fn indices<'a>(
    ctx: &mut Context,
    reads: Reads,
    indices: impl IntoIterator<Item = &'a ast::Expr>,
) -> Option<Vec<Expr>> {
    let checked: Vec<Option<Expr>> = indices
        .into_iter()
        .map(|index| whole(ctx, reads, index, "an index"))
        .collect();
    checked.into_iter().collect()
}

/// Whether a place has as many indices as its variable has dimensions; reports otherwise.
pub(super) fn rank(ctx: &mut Context, variable: VarId, given: usize, span: Span) -> Option<()> {
    let declared = ctx.variables.get(variable);
    let expected = declared.dimensions.len();
    if given == expected {
        return Some(());
    }
    let form = match expected {
        0 => declared.name.clone(),
        1 => format!("{}[e]", declared.name),
        2 => format!("{}[e, f]", declared.name),
        _ => format!("{}[e, f, …]", declared.name),
    };
    let error = AccessError::Rank {
        name: declared.name.clone(),
        expected: Counted::dimensions(expected),
        given: Counted::indices(given),
        form,
        span,
        declared: declared.span,
    };
    ctx.report(&error);
    None
}

/// What a bare name in an expression stands for.
enum Meaning {
    Parameter(ParamId),
    Symbol(CostSymbol),
    /// A word without indices.
    Variable,
    /// Declared one-letter parameters side by side.
    Product(Vec<Factor>),
    /// Declared with a fault that is reported.
    Faulty,
    Unknown,
}

/// A letter of a split name.
enum Factor {
    Parameter(ParamId),
    Symbol(CostSymbol),
}

fn meaning(ctx: &Context, reads: Reads, name: &str) -> Meaning {
    match ctx.parameters.look_up(name) {
        Some(Known::Sound(id)) => return Meaning::Parameter(id),
        Some(Known::Faulty) => return Meaning::Faulty,
        None => {}
    }
    if let Some(symbol) = symbol(reads, name) {
        return Meaning::Symbol(symbol);
    }
    let variable = ctx.variables.look_up(name);
    if let Some(Known::Sound(id)) = variable
        && may_stand_bare(ctx, reads, id)
    {
        return Meaning::Variable;
    }
    match split(ctx, reads, name) {
        Some(Known::Sound(factors)) => Meaning::Product(factors),
        Some(Known::Faulty) => Meaning::Faulty,
        None if variable == Some(Known::Faulty) => Meaning::Faulty,
        None if variable.is_some() || names::scope_of(name) == Scope::Shared => Meaning::Variable,
        None => Meaning::Unknown,
    }
}

/// Shared scalars stand bare in expressions, host scalars in the conditions of the host, and
/// global ones in `ensure` (language.md §2.2, §5).
fn may_stand_bare(ctx: &Context, reads: Reads, variable: VarId) -> bool {
    let variable = ctx.variables.get(variable);
    if !variable.dimensions.is_empty() {
        return false;
    }
    match variable.scope {
        Scope::Shared => true,
        Scope::Host => matches!(reads, Reads::Require | Reads::Ensure | Reads::HostWords),
        Scope::Global => reads == Reads::Ensure,
    }
}

fn split(ctx: &Context, reads: Reads, name: &str) -> Option<Known<Vec<Factor>>> {
    let mut factors = Vec::new();
    let mut faulty = false;
    for letter in letters(name)? {
        match ctx.parameters.look_up(letter) {
            Some(Known::Sound(id)) => factors.push(Factor::Parameter(id)),
            Some(Known::Faulty) => faulty = true,
            None => factors.push(Factor::Symbol(symbol(reads, letter)?)),
        }
    }
    Some(if faulty {
        Known::Faulty
    } else {
        Known::Sound(factors)
    })
}

fn symbol(reads: Reads, name: &str) -> Option<CostSymbol> {
    if reads != Reads::Claim {
        return None;
    }
    match name {
        "α" => Some(CostSymbol::Alpha),
        "β" => Some(CostSymbol::Beta),
        "γ" => Some(CostSymbol::Gamma),
        "λ" => Some(CostSymbol::Lambda),
        "σ" => Some(CostSymbol::Sigma),
        "k'" => Some(CostSymbol::RealMps),
        "H" => Some(CostSymbol::MaxResident),
        "ℓ" => Some(CostSymbol::Occupancy),
        _ => None,
    }
}

/// Whether a bare name in a kernel or on the host is a parameter, or splits into parameters.
pub(super) fn is_parameter(ctx: &Context, name: &str) -> bool {
    let kernel = Reads::Shared;
    ctx.parameters.look_up(name).is_some() || split(ctx, kernel, name).is_some()
}

/// Checks a bare name: a parameter, a product of parameters, or a scalar where one may be read.
pub(super) fn bare_name(ctx: &mut Context, reads: Reads, name: &ast::Name) -> Option<Expr> {
    match meaning(ctx, reads, &name.text) {
        Meaning::Parameter(id) => Some(factor(ctx, &Factor::Parameter(id), name.span)),
        Meaning::Symbol(symbol) => Some(factor(ctx, &Factor::Symbol(symbol), name.span)),
        Meaning::Variable => word(ctx, reads, name, &[], name.span),
        Meaning::Product(factors) => {
            let factors: Vec<Expr> = factors
                .iter()
                .map(|letter| factor(ctx, letter, name.span))
                .collect();
            factors.into_iter().reduce(|left, right| {
                let ty = mixed(left.ty, right.ty);
                arithmetic(Arithmetic::Multiply, left, right, ty, name.span)
            })
        }
        Meaning::Faulty => None,
        Meaning::Unknown => {
            report_unknown(ctx, reads, name);
            None
        }
    }
}

fn factor(ctx: &Context, factor: &Factor, span: Span) -> Expr {
    match *factor {
        Factor::Parameter(id) => made(ExprKind::Parameter(id), ctx.parameters.get(id).ty, span),
        Factor::Symbol(symbol) => made(ExprKind::Symbol(symbol), Type::Number, span),
    }
}

fn report_unknown(ctx: &mut Context, reads: Reads, name: &ast::Name) {
    let readable = ctx.variables.iter().filter(|variable| {
        variable.dimensions.is_empty()
            && match variable.scope {
                Scope::Shared => reads == Reads::Shared,
                Scope::Host => {
                    matches!(reads, Reads::Require | Reads::Ensure | Reads::HostWords)
                }
                Scope::Global => reads == Reads::Ensure,
            }
    });
    let candidates = ctx
        .parameters
        .visible()
        .chain(readable.map(|variable| variable.name.as_str()));
    let error = NameError::Unknown {
        name: name.text.clone(),
        kind: NameKind::Parameter,
        nearest: nearest(&name.text, candidates).map(|near| Nearest(near.to_owned())),
        span: name.span,
    };
    ctx.report(&error);
}

/// A word in an expression: its variable must be readable there.
fn word(
    ctx: &mut Context,
    reads: Reads,
    name: &ast::Name,
    written: &[ast::Expr],
    span: Span,
) -> Option<Expr> {
    let variable = ctx.variable(name).and_then(|id| {
        readable(ctx, reads, id, name, span)?;
        rank(ctx, id, written.len(), span)?;
        Some(id)
    });
    let indices = indices(ctx, reads, written);
    let (variable, indices) = (variable?, indices?);
    let ty = types::of_word(ctx.variables.get(variable).word_type);
    let word = Word {
        variable,
        indices,
        span,
    };
    Some(made(ExprKind::Word(word), ty, span))
}

fn readable(
    ctx: &mut Context,
    reads: Reads,
    id: VarId,
    name: &ast::Name,
    span: Span,
) -> Option<()> {
    let variable = ctx.variables.get(id);
    let text = || ctx.text(span);
    let error = match (reads, variable.scope) {
        (Reads::Shared, Scope::Shared)
        | (Reads::Ensure, Scope::Host | Scope::Global)
        | (Reads::HostWords, Scope::Host) => return Some(()),
        (Reads::Require, Scope::Host) if variable.role == Role::Input => return Some(()),
        (Reads::Shared, Scope::Host) => {
            report_host_in_kernel(ctx, id, name);
            return None;
        }
        (Reads::Shared, Scope::Global) => AccessError::NotMoved {
            word: text(),
            staging: ctx.staging(&name.text),
            span,
        },
        (
            Reads::Parameters(_) | Reads::Require | Reads::Ensure | Reads::HostWords | Reads::Claim,
            Scope::Shared,
        ) => AccessError::SharedOnHost {
            name: name.text.clone(),
            span,
            declared: variable.span,
        },
        (Reads::Parameters(place), Scope::Host | Scope::Global) => AccessError::DataInFixed {
            word: text(),
            place,
            span,
        },
        (Reads::Claim, Scope::Host | Scope::Global) => AccessError::DataInFixed {
            word: text(),
            place: "a claim",
            span,
        },
        (Reads::Require, Scope::Host | Scope::Global) => AccessError::RequireOfNonInput {
            name: name.text.clone(),
            given: match (variable.scope, variable.role) {
                (Scope::Global | Scope::Shared, _) => "global",
                (Scope::Host, Role::Output) => "an output",
                (Scope::Host, Role::Input | Role::None) => "no input",
            },
            span,
        },
        (Reads::HostWords, Scope::Global) => AccessError::HostTestsGlobal {
            word: text(),
            staging: names::respelt(&name.text, Scope::Host),
            span,
        },
    };
    ctx.report(&error);
    None
}

/// Reports a host variable in a kernel.
pub(super) fn report_host_in_kernel(ctx: &mut Context, id: VarId, name: &ast::Name) {
    let error = AccessError::HostInKernel {
        name: name.text.clone(),
        global: names::respelt(&name.text, Scope::Global),
        span: name.span,
        declared: ctx.variables.get(id).span,
    };
    ctx.report(&error);
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
            if !matches!(reads, Reads::Require | Reads::Ensure) {
                report_logic(
                    ctx,
                    "⇒",
                    "`require` and `ensure`",
                    "write `¬ c ∨ d` for `c ⇒ d`",
                    span,
                );
                return None;
            }
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
        && let Meaning::Product(_) = meaning(ctx, reads, &name.text)
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
    let two = || made(ExprKind::Integer(BigInt::from(2)), Type::Number, span);
    let base = match base {
        LogBase::Unwritten if reads == Reads::Claim => Some(two()),
        LogBase::Unwritten => {
            let argument = ctx.text(argument.span);
            ctx.report(&SyntaxError::LogWithoutBase { argument, span });
            None
        }
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
    let (word, is_sum) = match quantifier {
        Quantifier::ForAll => ("∀", false),
        Quantifier::Exists => ("∃", false),
        Quantifier::Sum => ("Σ", true),
        Quantifier::Min => ("min … :", false),
        Quantifier::Max => ("max … :", false),
    };
    match reads {
        Reads::Require | Reads::Ensure => {}
        Reads::Claim if is_sum => {}
        Reads::Claim | Reads::Parameters(_) | Reads::Shared | Reads::HostWords => {
            let allowed = if is_sum {
                "`require`, `ensure` and claims"
            } else {
                "`require` and `ensure`"
            };
            report_logic(ctx, word, allowed, "compute it in a loop of a kernel", span);
            return None;
        }
    }
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

fn report_logic(
    ctx: &mut Context,
    word: &'static str,
    allowed: &'static str,
    remedy: &'static str,
    span: Span,
) {
    ctx.report(&SyntaxError::Logic {
        word,
        allowed,
        remedy,
        span,
    });
}

fn arithmetic(operator: Arithmetic, left: Expr, right: Expr, ty: Type, span: Span) -> Expr {
    let kind = ExprKind::Binary {
        operator,
        left: Box::new(left),
        right: Box::new(right),
    };
    made(kind, ty, span)
}

/// An expression from its parts.
pub(super) fn made(kind: ExprKind, ty: Type, span: Span) -> Expr {
    Expr { kind, ty, span }
}
