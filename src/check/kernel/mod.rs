//! Wrapper loops and their contents (language.md §2.5, §2.6): accesses ([`access`]) and atomic ones
//! ([`atomic`]), conditions, loops, `let`s.
//!
//! Takes a wrapper loop; gives a [`Kernel`] in which every statement has a number and every
//! operator is sorted by the memories that it joins. Knows no host statement.

mod access;
mod atomic;
mod registers;
mod waits;

use crate::check::context::{Context, KernelNames};
use crate::check::error::CheckLint;
use crate::check::expr;
use crate::check::expr::reading::Reads;
use crate::program::{
    CoreLoop, Kernel, LetBinding, MpRange, Number, ParameterKind, Stmt, StmtKind, Type, Waiting,
    WrapperStmt,
};
use crate::syntax::ast::{self, CoreStmt};

/// Checks a wrapper loop.
pub(crate) fn wrapper(ctx: &mut Context, wrapper: &ast::Wrapper) -> Option<Kernel> {
    ctx.kernel = KernelNames::default();
    // All ranges come before the first index is bound, so no range can name an index.
    let reads = Reads::Parameters("the range of the MPs");
    let ranges: Vec<Option<(Number, Number)>> = wrapper
        .ranges
        .iter()
        .map(|(low, high)| {
            let low = expr::whole(ctx, reads, low, "the number of an MP");
            let high = expr::whole(ctx, reads, high, "the number of an MP");
            low.zip(high)
        })
        .collect();
    let mark = ctx.parameters.mark();
    let mps: Vec<Option<MpRange>> = wrapper
        .indices
        .iter()
        .zip(ranges)
        .map(|(index, range)| {
            let parameter = ctx.bind(index, ParameterKind::Mp);
            let (low, high) = range?;
            Some(MpRange {
                parameter,
                low,
                high,
            })
        })
        .collect();
    let body: Vec<Option<WrapperStmt>> = wrapper
        .body
        .iter()
        .map(|statement| wrapper_statement(ctx, wrapper, statement))
        .collect();
    ctx.parameters.cut_back(mark);
    let names = std::mem::take(&mut ctx.kernel);
    // Only now may a fault end it: all parts of the loop have been checked.
    let mut kernel = Kernel {
        mps: mps.into_iter().collect::<Option<_>>()?,
        body: body.into_iter().collect::<Option<_>>()?,
        names_global: names.global.into_iter().collect(),
        writes_global: names.global_written.into_iter().collect(),
        names_shared: names.shared.into_iter().collect(),
        registers: Vec::new(),
        single_registers: Vec::new(),
        span: wrapper.span,
    };
    let registers = registers::registers(&kernel, &ctx.parameters);
    kernel.registers = registers.all;
    kernel.single_registers = registers.single;
    Some(kernel)
}

fn wrapper_statement(
    ctx: &mut Context,
    wrapper: &ast::Wrapper,
    statement: &ast::Stmt,
) -> Option<WrapperStmt> {
    match statement {
        ast::Stmt::Let(written) => {
            let value = expr::number(ctx, Reads::Wrapper, &written.value);
            bind_value(ctx, written, ParameterKind::WrapperLet, value).map(WrapperStmt::Let)
        }
        ast::Stmt::CoreLoop(cores) => core_loop(ctx, wrapper, cores).map(WrapperStmt::Cores),
        // The tree builder lets only `let`s and core loops stand here.
        ast::Stmt::Move(_)
        | ast::Stmt::For(_)
        | ast::Stmt::While(_)
        | ast::Stmt::Wrapper(_)
        | ast::Stmt::Core(_)
        | ast::Stmt::Host(_) => None,
    }
}

fn core_loop(ctx: &mut Context, wrapper: &ast::Wrapper, cores: &ast::CoreLoop) -> Option<CoreLoop> {
    lint_core_set(ctx, wrapper, cores);
    let (core, _) = cores.indices.split_last()?;
    let mark = ctx.parameters.mark();
    let parameter = ctx.bind(core, ParameterKind::Core);
    ctx.kernel.core = Some(core.text.clone());
    let body = block(ctx, &cores.body);
    ctx.kernel.core = None;
    ctx.parameters.cut_back(mark);
    let mut body = body?;
    waits::mark(&mut body);
    Some(CoreLoop {
        core: parameter,
        body,
        span: cores.span,
    })
}

/// Accepts another core set than the MP's indices, such as the paper's slip `C_p`, with a lint.
fn lint_core_set(ctx: &mut Context, wrapper: &ast::Wrapper, cores: &ast::CoreLoop) {
    let texts = |names: &[ast::Name]| -> Vec<String> {
        names.iter().map(|name| name.text.clone()).collect()
    };
    let indices = texts(&wrapper.indices);
    if texts(&cores.set) == indices {
        return;
    }
    // The cores of `mp_i` are `C_i`, those of `mp_{i,k}` are `C_{i,k}`.
    let subscript = match indices.as_slice() {
        [single] if single.chars().count() == 1 => single.clone(),
        several => format!("{{{}}}", several.join(",")),
    };
    let lint = CheckLint::CoreSet {
        mp: format!("mp_{subscript}"),
        written: ctx.text(cores.set_span),
        right: format!("C_{subscript}"),
        span: cores.set_span,
        wrapper: wrapper.span,
    };
    ctx.report(&lint);
}

/// Checks the statements of a block and ends its scope.
fn block(ctx: &mut Context, statements: &[ast::Stmt]) -> Option<Vec<Stmt>> {
    let mark = ctx.parameters.mark();
    let checked: Vec<Option<Stmt>> = statements
        .iter()
        .map(|written| statement(ctx, written))
        .collect();
    ctx.parameters.cut_back(mark);
    checked.into_iter().collect()
}

fn statement(ctx: &mut Context, written: &ast::Stmt) -> Option<Stmt> {
    let id = ctx.next_statement();
    let (kind, span) = match written {
        ast::Stmt::Move(written) => (access::check(ctx, written), written.span),
        ast::Stmt::Core(CoreStmt::Atomic(written)) => (atomic::check(ctx, written), written.span),
        ast::Stmt::Let(written) => {
            let value = expr::number(ctx, Reads::Shared, &written.value);
            let binding = bind_value(ctx, written, ParameterKind::KernelLet, value);
            (binding.map(StmtKind::Let), written.span)
        }
        ast::Stmt::Core(CoreStmt::If(written)) => {
            let condition = expr::condition(ctx, Reads::Shared, &written.condition);
            let body = block(ctx, &written.body);
            let kind = condition
                .zip(body)
                .map(|(condition, body)| StmtKind::If { condition, body });
            (kind, written.span)
        }
        ast::Stmt::For(written) => (for_loop(ctx, written), written.span),
        ast::Stmt::While(written) => (while_loop(ctx, written), written.span),
        // The tree builder lets none of these stand in a core loop.
        ast::Stmt::Wrapper(_) | ast::Stmt::CoreLoop(_) | ast::Stmt::Host(_) => return None,
    };
    Some(Stmt {
        id,
        kind: kind?,
        waiting: Waiting::Nobody,
        span,
    })
}

fn for_loop(ctx: &mut Context, written: &ast::For) -> Option<StmtKind> {
    let from = expr::whole(ctx, Reads::Shared, &written.from, "the bound of a loop");
    let to = expr::whole(ctx, Reads::Shared, &written.to, "the bound of a loop");
    let data = [&from, &to]
        .into_iter()
        .flatten()
        .any(|bound| expr::depends_on_data(ctx, bound));
    let mark = ctx.parameters.mark();
    let kind = ParameterKind::KernelLoop;
    let variable = ctx.bind_typed(&written.variable, kind, Type::Number, data);
    // `until` may read the loop variable, but no name of the body. It is tested at the end of each
    // iteration, so it becomes the last statement of the body.
    let until = written.until.as_ref().map(|until| {
        let condition = expr::condition(ctx, Reads::Shared, &until.condition);
        (condition, until.span)
    });
    let mut body = block(ctx, &written.body);
    ctx.parameters.cut_back(mark);
    if let Some((condition, span)) = until {
        let id = ctx.next_statement();
        let kind = StmtKind::Until {
            condition: condition?,
        };
        body.as_mut()?.push(Stmt {
            id,
            kind,
            waiting: Waiting::Nobody,
            span,
        });
    }
    Some(StmtKind::For {
        variable,
        from: from?,
        to: to?,
        down: written.down,
        body: body?,
    })
}

fn while_loop(ctx: &mut Context, written: &ast::While) -> Option<StmtKind> {
    let condition = expr::condition(ctx, Reads::Shared, &written.condition);
    let place = "the bound of a `while`";
    let at_most = written
        .at_most
        .as_ref()
        .map(|bound| expr::whole(ctx, Reads::Shared, bound, place));
    let body = block(ctx, &written.body);
    let at_most = match at_most {
        Some(bound) => Some(bound?),
        None => None,
    };
    Some(StmtKind::While {
        condition: condition?,
        at_most,
        body: body?,
    })
}

/// Binds a `let` of a kernel; it has the type of its value.
fn bind_value(
    ctx: &mut Context,
    written: &ast::Let,
    kind: ParameterKind,
    value: Option<Number>,
) -> Option<LetBinding> {
    let Some(value) = value else {
        ctx.bind_faulty(&written.name, kind);
        return None;
    };
    let data = expr::depends_on_data(ctx, &value);
    let parameter = ctx.bind_typed(&written.name, kind, value.ty, data);
    Some(LetBinding {
        parameter,
        value,
        span: written.span,
    })
}
