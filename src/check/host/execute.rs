//! Named kernels: their formals, and their bodies written out at each `execute` (language.md §2.7).
//!
//! A body sees only the header's names and its formals. It is checked once for each `execute`,
//! because the arguments' ranks and types may decide; a fault found each time is reported once.

use std::collections::HashMap;

use indexmap::IndexMap;

use crate::check::context::{Context, NamedKernel};
use crate::check::error::{AccessError, Counted, NameError, NameKind};
use crate::check::expr;
use crate::check::expr::reading::{self, Reads};
use crate::check::host;
use crate::check::names::{respelt, scope_of, suggestion};
use crate::check::scopes::Known;
use crate::check::walk;
use crate::program::{Execute, LetBinding, ParameterKind, Scope, Type, VarId};
use crate::syntax::ast;

/// Checks the names and formals of all named kernels, and makes the kernels known.
pub(crate) fn declare<'a>(ctx: &mut Context<'a>, kernels: &'a [ast::NamedKernel]) {
    for written in kernels {
        check_formals(ctx, written);
        let name = &written.name;
        if let Some(first) = ctx.kernels.get(&name.text) {
            let first = Some(first.written.name.span);
            ctx.report(&NameError::Duplicate {
                name: name.text.clone(),
                span: name.span,
                first,
            });
            continue;
        }
        let kernel = NamedKernel {
            written,
            executed: false,
        };
        ctx.kernels.insert(name.text.clone(), kernel);
    }
}

/// Checks formals: arrays are global names, numbers are new parameters; each name occurs once.
fn check_formals(ctx: &mut Context, kernel: &ast::NamedKernel) {
    let (made, mark) = (ctx.parameters.len(), ctx.parameters.mark());
    let mut arrays: IndexMap<&str, &ast::Name> = IndexMap::new();
    for formal in &kernel.formals {
        let name = &formal.name;
        if !formal.is_array {
            ctx.bind(name, ParameterKind::KernelFormal);
            continue;
        }
        let spelt = scope_of(&name.text);
        if spelt != Scope::Global {
            ctx.report(&NameError::Scope {
                name: name.text.clone(),
                declared: Scope::Global,
                spelt,
                right: respelt(&name.text, Scope::Global),
                span: name.span,
                keyword: None,
            });
        }
        if let Some(first) = arrays.insert(&name.text, name) {
            ctx.report(&NameError::Duplicate {
                name: name.text.clone(),
                span: name.span,
                first: Some(first.span),
            });
        }
    }
    ctx.parameters.cut_back(mark);
    ctx.parameters.forget_since(made);
}

/// Checks an `execute` and the body that it runs.
pub(crate) fn check(ctx: &mut Context, statement: &ast::Execute) -> Option<Execute> {
    let name = &statement.kernel;
    let Some(kernel) = ctx.kernels.get_mut(&name.text) else {
        report_unknown(ctx, name);
        return None;
    };
    kernel.executed = true;
    let kernel = kernel.written;
    let arguments = arguments(ctx, kernel, statement);
    // Faults of the body name this `execute` too, because its arguments may be their cause.
    let outer = ctx.findings.label_at(Some(statement.span));
    let body = body(ctx, kernel, &arguments);
    ctx.findings.label_at(outer);
    let (bindings, body) = body?;
    Some(Execute {
        kernel: name.text.clone(),
        arguments: bindings,
        body,
        span: statement.span,
    })
}

/// Checks a body that nothing executes, so that the names in it count as used.
pub(crate) fn note_names(ctx: &mut Context, kernel: &ast::NamedKernel) {
    let unknown: Vec<Argument> = kernel.formals.iter().map(|_| Argument::Faulty).collect();
    ctx.muted(|ctx| {
        body(ctx, kernel, &unknown);
    });
}

fn report_unknown(ctx: &mut Context, name: &ast::Name) {
    let known = ctx.kernels.keys().map(String::as_str);
    let error = NameError::Unknown {
        name: name.text.clone(),
        kind: NameKind::Kernel,
        suggestion: suggestion(&name.text, known),
        span: name.span,
    };
    ctx.report(&error);
}

/// The argument of a formal.
enum Argument {
    Array(VarId),
    Number(crate::program::Number),
    /// Faulty, and reported.
    Faulty,
}

fn arguments(
    ctx: &mut Context,
    kernel: &ast::NamedKernel,
    statement: &ast::Execute,
) -> Vec<Argument> {
    if kernel.formals.len() != statement.arguments.len() {
        let error = AccessError::ArgumentCount {
            kernel: kernel.name.text.clone(),
            expected: Counted::arguments(kernel.formals.len()),
            given: Counted::arguments(statement.arguments.len()),
            form: format!("execute {}", call_text(kernel)),
            span: statement.span,
            declared: kernel.span,
        };
        ctx.report(&error);
        // It is unknown which argument belongs to which formal, so none is judged.
        return kernel.formals.iter().map(|_| Argument::Faulty).collect();
    }
    kernel
        .formals
        .iter()
        .zip(&statement.arguments)
        .map(|(formal, argument)| {
            let checked = if formal.is_array {
                array(ctx, kernel, formal, argument).map(Argument::Array)
            } else {
                number(ctx, kernel, formal, argument).map(Argument::Number)
            };
            checked.unwrap_or(Argument::Faulty)
        })
        .collect()
}

/// Formats a call: `Sum(x, y, w)`.
pub(crate) fn call_text(kernel: &ast::NamedKernel) -> String {
    let formals: Vec<&str> = kernel
        .formals
        .iter()
        .map(|formal| formal.name.text.as_str())
        .collect();
    format!("{}({})", kernel.name.text, formals.join(", "))
}

fn array(
    ctx: &mut Context,
    kernel: &ast::NamedKernel,
    formal: &ast::KernelFormal,
    argument: &ast::Expr,
) -> Option<VarId> {
    // Only a bare name of a global array will do: `x[0]` is one word, and `2n` or a parameter `n`
    // is a number.
    let given = match walk::lone_word(argument) {
        Some((name, [])) if !names_number(ctx, name) => {
            let id = ctx.variable(name)?;
            match ctx.variables.get(id).scope {
                Scope::Global => return Some(id),
                Scope::Host => "a host variable",
                Scope::Shared => "a shared variable",
            }
        }
        Some((_, [])) | None => "a number",
        Some((name, _)) => {
            ctx.variable(name)?;
            "one word"
        }
    };
    let error = AccessError::ArrayExpected {
        kernel: kernel.name.text.clone(),
        formal: formal.name.text.clone(),
        argument: ctx.text(argument.span),
        given,
        span: argument.span,
        declared: formal.name.span,
    };
    ctx.report(&error);
    None
}

/// Returns true if a bare name is a parameter and no variable.
fn names_number(ctx: &Context, name: &ast::Name) -> bool {
    ctx.variables.look_up(&name.text).is_none() && reading::is_parameter(ctx, &name.text)
}

fn number(
    ctx: &mut Context,
    kernel: &ast::NamedKernel,
    formal: &ast::KernelFormal,
    argument: &ast::Expr,
) -> Option<crate::program::Number> {
    if let ast::ExprKind::Name(name) = &argument.kind
        && !reading::is_parameter(ctx, &name.text)
        && ctx.variables.look_up(&name.text).is_some()
    {
        ctx.variable(name)?;
        ctx.report(&AccessError::NumberExpected {
            kernel: kernel.name.text.clone(),
            formal: formal.name.text.clone(),
            argument: name.text.clone(),
            span: argument.span,
            declared: formal.name.span,
        });
        return None;
    }
    let reads = Reads::Parameters("an argument of `execute`");
    expr::whole(ctx, reads, argument, "an argument of `execute`")
}

/// Checks a body with its formals bound; the caller's names are hidden.
fn body(
    ctx: &mut Context,
    kernel: &ast::NamedKernel,
    arguments: &[Argument],
) -> Option<(Vec<LetBinding>, Vec<crate::program::HostStmt>)> {
    let hidden = ctx.parameters.hide_since(ctx.parameters.header());
    let mut arrays = HashMap::new();
    let mut bindings = Vec::new();
    let mut faulty = false;
    for (formal, argument) in kernel.formals.iter().zip(arguments) {
        let name = &formal.name;
        let kind = ParameterKind::KernelFormal;
        match argument {
            Argument::Array(id) => {
                arrays.insert(name.text.clone(), Known::Sound(*id));
                // A formal with a misspelt scope is reported already; its body may spell it right.
                arrays.insert(respelt(&name.text, Scope::Global), Known::Sound(*id));
            }
            Argument::Number(value) => {
                let span = Some(name.span);
                let id = ctx
                    .parameters
                    .add(&name.text, kind, Type::Number, false, span);
                ctx.parameters
                    .show(&name.text, kind, Known::Sound(id), span);
                bindings.push(LetBinding {
                    parameter: id,
                    value: value.clone(),
                    span: value.span,
                });
            }
            Argument::Faulty => {
                faulty = true;
                if formal.is_array {
                    arrays.insert(name.text.clone(), Known::Faulty);
                    arrays.insert(respelt(&name.text, Scope::Global), Known::Faulty);
                } else {
                    let span = Some(name.span);
                    ctx.parameters.show(&name.text, kind, Known::Faulty, span);
                }
            }
        }
    }
    let outer = ctx.variables.replace_formals(arrays);
    let statements = host::block(ctx, &kernel.body);
    ctx.variables.replace_formals(outer);
    ctx.parameters.cut_back(ctx.parameters.header());
    ctx.parameters.bring_back(hidden);
    let statements = statements?;
    (!faulty).then_some((bindings, statements))
}
