//! Host statements (language.md §2.4): loops, transfers ([`transfer`]), swaps, and the kernels that
//! an [`execute`] names, whose bodies are written out here.
//!
//! Takes a list of statements; gives the program's statements, or `None` if one is at fault. The
//! contents of wrapper loops belong to `kernel`.

pub(crate) mod execute;
mod transfer;

use crate::check::context::Context;
use crate::check::error::{AccessError, TypeError};
use crate::check::expr;
use crate::check::expr::reading::Reads;
use crate::check::kernel;
use crate::check::shapes;
use crate::check::types;
use crate::program::{HostFor, HostStmt, HostWhile, LetBinding, ParameterKind, Scope, Swap, VarId};
use crate::syntax::ast;

/// Checks the statements of a block and ends its scope. A named kernel's body holds some of the
/// host's statements: `let`s and wrapper loops.
pub(crate) fn block(ctx: &mut Context, statements: &[ast::Stmt]) -> Option<Vec<HostStmt>> {
    let mark = ctx.parameters.mark();
    let checked: Vec<Option<HostStmt>> = statements
        .iter()
        .map(|written| statement(ctx, written))
        .collect();
    ctx.parameters.cut_back(mark);
    checked.into_iter().collect()
}

fn statement(ctx: &mut Context, written: &ast::Stmt) -> Option<HostStmt> {
    match written {
        ast::Stmt::Move(written) => transfer::check(ctx, written).map(HostStmt::Transfer),
        ast::Stmt::Let(written) => host_let(ctx, written).map(HostStmt::Let),
        ast::Stmt::For(written) => for_loop(ctx, written).map(HostStmt::For),
        ast::Stmt::While(written) => while_loop(ctx, written).map(HostStmt::While),
        ast::Stmt::Wrapper(written) => kernel::wrapper(ctx, written).map(HostStmt::Kernel),
        ast::Stmt::Host(ast::HostStmt::Execute(written)) => {
            execute::check(ctx, written).map(HostStmt::Execute)
        }
        ast::Stmt::Host(ast::HostStmt::Swap(written)) => swap(ctx, written).map(HostStmt::Swap),
        // The tree builder lets none of these stand on the host.
        ast::Stmt::Core(_) | ast::Stmt::CoreLoop(_) => None,
    }
}

fn host_let(ctx: &mut Context, written: &ast::Let) -> Option<LetBinding> {
    let reads = Reads::Parameters("a `let` of the host");
    let value = expr::whole(ctx, reads, &written.value, "the value of a `let`");
    let parameter = ctx.bind(&written.name, ParameterKind::HostLet);
    Some(LetBinding {
        parameter,
        value: value?,
        span: written.span,
    })
}

fn for_loop(ctx: &mut Context, written: &ast::For) -> Option<HostFor> {
    let reads = Reads::Parameters("a loop bound of the host");
    let from = expr::whole(ctx, reads, &written.from, "the bound of a loop");
    let to = expr::whole(ctx, reads, &written.to, "the bound of a loop");
    let mark = ctx.parameters.mark();
    let variable = ctx.bind(&written.variable, ParameterKind::HostLoop);
    let until = written.until.as_ref();
    let until = until.map(|until| expr::condition(ctx, Reads::HostWords, &until.condition));
    let body = block(ctx, &written.body);
    ctx.parameters.cut_back(mark);
    Some(HostFor {
        variable,
        from: from?,
        to: to?,
        down: written.down,
        until: match until {
            Some(condition) => Some(condition?),
            None => None,
        },
        body: body?,
        span: written.span,
    })
}

fn while_loop(ctx: &mut Context, written: &ast::While) -> Option<HostWhile> {
    let condition = expr::condition(ctx, Reads::HostWords, &written.condition);
    let reads = Reads::Parameters("the bound of a host `while`");
    let at_most = written
        .at_most
        .as_ref()
        .and_then(|bound| expr::whole(ctx, reads, bound, "the bound of a `while`"));
    let body = block(ctx, &written.body);
    Some(HostWhile {
        condition: condition?,
        at_most: at_most?,
        body: body?,
        span: written.span,
    })
}

fn swap(ctx: &mut Context, written: &ast::Swap) -> Option<Swap> {
    let left = swapped(ctx, &written.left);
    let right = swapped(ctx, &written.right);
    let (left, right) = (left?, right?);
    ctx.variables.join(left, right);
    let (one, other) = (ctx.variables.get(left), ctx.variables.get(right));
    let shapes_differ = one.dimensions.len() != other.dimensions.len()
        || one
            .dimensions
            .iter()
            .zip(&other.dimensions)
            .any(|(one, other)| shapes::differ(one, other));
    if shapes_differ {
        let error = AccessError::SwapShape {
            left: one.name.clone(),
            right: other.name.clone(),
            span: written.span,
            left_declared: one.span,
            right_declared: other.span,
        };
        ctx.report(&error);
        return None;
    }
    if one.word_type != other.word_type {
        let error = TypeError::SwapTypes {
            left: one.name.clone(),
            left_type: types::word(one.word_type),
            right: other.name.clone(),
            right_type: types::word(other.word_type),
            span: written.span,
            left_declared: one.span,
            right_declared: other.span,
        };
        ctx.report(&error);
        return None;
    }
    Some(Swap {
        left,
        right,
        span: written.span,
    })
}

fn swapped(ctx: &mut Context, name: &ast::Name) -> Option<VarId> {
    let id = ctx.variable(name)?;
    let scope = ctx.variables.get(id).scope;
    if scope == Scope::Global {
        return Some(id);
    }
    ctx.report(&AccessError::SwapOfNonGlobal {
        name: name.text.clone(),
        scope,
        span: name.span,
    });
    None
}
