//! Moves in a kernel: operators sorted into load, store and assignment (language.md §2.6).
//!
//! Precedence of the codes: a host variable is `access::host-in-kernel` before anything else; one
//! bare element that only needs another arrow is `access::operator`; a global word inside an
//! expression is `access::not-moved`.

use crate::check::context::Context;
use crate::check::error::AccessError;
use crate::check::expr;
use crate::check::expr::reading::{self, Reads};
use crate::check::scopes::Known;
use crate::check::types;
use crate::check::walk::{self, Mention};
use crate::program::{Number, NumberKind, Scope, StmtKind, VarId, Word};
use crate::syntax::ast::{self, Arrow, Subscript};
use crate::text::Span;

/// A memory that a core can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Memory {
    Global,
    Shared,
}

/// One word of global or shared memory.
#[derive(Debug)]
pub(crate) struct Element {
    pub memory: Memory,
    pub word: Word,
}

/// The right side of an arrow.
enum Right {
    /// One word that an arrow could move.
    Element(Element),
    /// A computation with this global word.
    WithGlobal {
        word: Span,
        name: String,
        span: Span,
    },
    /// An expression over shared words and parameters.
    Value(Number),
}

/// Checks a move of a kernel.
pub(crate) fn check(ctx: &mut Context, statement: &ast::Move) -> Option<StmtKind> {
    let source = match &statement.source {
        ast::Source::Place(place) => Some(place),
        ast::Source::Expr(_) => None,
    };
    let sides = [Some(&statement.target), source];
    let on_host = |place: &&ast::Place| scope(ctx, &place.name) == Some(Scope::Host);
    let on_host: Vec<_> = sides.into_iter().flatten().filter(on_host).collect();
    if !on_host.is_empty() {
        for place in on_host {
            let id = ctx.variable(&place.name)?;
            let is_written = std::ptr::eq(place, &statement.target);
            reading::report_host_in_kernel(ctx, id, &place.name, is_written);
        }
        return None;
    }
    if statement.arrow == Arrow::Transfer && sides.into_iter().flatten().any(is_block) {
        let error = AccessError::TransferInKernel {
            target: statement.target.name.text.clone(),
            value: source.map_or_else(String::new, |place| place.name.text.clone()),
            span: statement.arrow_span,
        };
        ctx.report(&error);
        return None;
    }
    let target = element(ctx, &statement.target);
    let right = right(ctx, statement);
    let (target, right) = (target?, right?);
    match right {
        Right::Element(source) => element_to_element(ctx, statement, target, source),
        Right::WithGlobal { word, name, span } => {
            let error = AccessError::LoadOfExpression {
                word: ctx.text(word),
                staging: ctx.staging(&name),
                span,
                word_span: word,
            };
            ctx.report(&error);
            None
        }
        Right::Value(value) => value_to_element(ctx, statement, target, value),
    }
}

fn is_block(place: &ast::Place) -> bool {
    let is_range = |subscript: &Subscript| matches!(subscript, Subscript::Range(..));
    place.subscripts.iter().any(is_range)
}

/// Checks one word of global or shared memory, as an access names it.
pub(crate) fn element(ctx: &mut Context, place: &ast::Place) -> Option<Element> {
    let indices = place.subscripts.iter().map(|subscript| match subscript {
        Subscript::At(index) => Some(index),
        // The tree builder lets ranges stand in transfers only.
        Subscript::Range(..) => None,
    });
    let indices: Vec<&ast::Expr> = indices.collect::<Option<_>>()?;
    named_element(ctx, &place.name, &indices, place.span)
}

fn named_element(
    ctx: &mut Context,
    name: &ast::Name,
    indices: &[&ast::Expr],
    span: Span,
) -> Option<Element> {
    let found = ctx.variable(name).and_then(|id| {
        let memory = memory(ctx, id, name)?;
        reading::rank(ctx, id, indices.len(), span)?;
        Some((id, memory))
    });
    let indices = reading::indices(ctx, Reads::Shared, indices.iter().copied());
    let ((variable, memory), indices) = (found?, indices?);
    Some(Element {
        memory,
        word: Word {
            variable,
            indices,
            span,
        },
    })
}

fn memory(ctx: &mut Context, id: VarId, name: &ast::Name) -> Option<Memory> {
    match ctx.variables.get(id).scope {
        Scope::Global => Some(Memory::Global),
        Scope::Shared => Some(Memory::Shared),
        Scope::Host => {
            reading::report_host_in_kernel(ctx, id, name, true);
            None
        }
    }
}

/// Checks the right side.
fn right(ctx: &mut Context, statement: &ast::Move) -> Option<Right> {
    match (&statement.source, statement.arrow) {
        (ast::Source::Place(place), _) if place.subscripts.is_empty() => {
            let is_variable = ctx.variables.look_up(&place.name.text).is_some();
            if !is_variable && reading::is_parameter(ctx, &place.name.text) {
                return reading::bare_name(ctx, Reads::Shared, &place.name).map(Right::Value);
            }
            element(ctx, place).map(Right::Element)
        }
        (ast::Source::Place(place), _) => element(ctx, place).map(Right::Element),
        // `_x[j] ← a[i]` has the wrong arrow, so `a[i]` is let through here. In `_x[j] ← a[i] + 1`
        // the word itself is at fault, and `number` reports it.
        (ast::Source::Expr(value), Arrow::Shared) => match bare_global(ctx, value) {
            Some((name, indices)) => {
                named_element(ctx, name, &indices, value.span).map(Right::Element)
            }
            None if is_updated(ctx, &statement.target, value) => {
                let word = ctx.text(statement.target.span);
                let error = AccessError::UpdateOfGlobal {
                    staging: ctx.staging(&statement.target.name.text),
                    by_one_mp: ctx.names_mp(&word),
                    word,
                    span: statement.target.span,
                };
                ctx.report(&error);
                None
            }
            None => expr::number(ctx, Reads::Shared, value).map(Right::Value),
        },
        (ast::Source::Expr(value), Arrow::Global | Arrow::Transfer) => {
            match global_word(ctx, value) {
                Some((name, word)) => Some(Right::WithGlobal {
                    word,
                    name,
                    span: value.span,
                }),
                None => expr::number(ctx, Reads::Shared, value).map(Right::Value),
            }
        }
    }
}

/// Returns the name and indices of a lone global word. A bare name of a parameter is no word:
/// `_x[j] ← b` reads the parameter b, even beside a global `b`.
fn bare_global<'e>(
    ctx: &Context,
    value: &'e ast::Expr,
) -> Option<(&'e ast::Name, Vec<&'e ast::Expr>)> {
    let (name, indices) = walk::lone_word(value)?;
    let is_number = indices.is_empty() && reading::is_parameter(ctx, &name.text);
    (is_global(ctx, name) && !is_number).then(|| (name, indices.iter().collect()))
}

/// True if a value reads the global word that it is written to.
fn is_updated(ctx: &Context, target: &ast::Place, value: &ast::Expr) -> bool {
    let word = ctx.text(target.span);
    global_word(ctx, value).is_some_and(|(_, span)| ctx.text(span) == word)
}

/// Returns the first global word that an expression names, unless it also names a host variable,
/// which is the graver fault.
fn global_word(ctx: &Context, value: &ast::Expr) -> Option<(String, Span)> {
    let mut global = None;
    let mut host = false;
    walk::names(value, &mut |name, mention| {
        let span = match mention {
            Mention::Bare if reading::is_parameter(ctx, &name.text) => return,
            Mention::Bare => name.span,
            Mention::Word(span) => span,
        };
        match scope(ctx, name) {
            Some(Scope::Global) => {
                global.get_or_insert((name.text.clone(), span));
            }
            Some(Scope::Host) => host = true,
            Some(Scope::Shared) | None => {}
        }
    });
    global.filter(|_| !host)
}

fn is_global(ctx: &Context, name: &ast::Name) -> bool {
    scope(ctx, name) == Some(Scope::Global)
}

fn scope(ctx: &Context, name: &ast::Name) -> Option<Scope> {
    match ctx.variables.look_up(&name.text)? {
        Known::Sound(id) => Some(ctx.variables.get(id).scope),
        Known::Faulty => None,
    }
}

fn arrow_text(arrow: Arrow) -> &'static str {
    match arrow {
        Arrow::Transfer => "⇚",
        Arrow::Global => "⇐",
        Arrow::Shared => "←",
    }
}

/// Checks an arrow between two words, which must be a `⇐` between shared and global memory.
fn element_to_element(
    ctx: &mut Context,
    statement: &ast::Move,
    target: Element,
    source: Element,
) -> Option<StmtKind> {
    let written = arrow_text(statement.arrow);
    let span = statement.arrow_span;
    let text = ctx.text(target.word.span);
    let value = ctx.text(source.word.span);
    let error = match (target.memory, source.memory) {
        (Memory::Shared, Memory::Global) | (Memory::Global, Memory::Shared) => {
            if statement.arrow == Arrow::Global {
                return access(ctx, target, source);
            }
            wrong_arrow(ctx, statement, &target, source.memory, source.word.span)
        }
        (Memory::Shared, Memory::Shared) => AccessError::NoGlobalOperand {
            written,
            target: text,
            value,
            span,
        },
        (Memory::Global, Memory::Global) => {
            let name = &ctx.variables.get(source.word.variable).name;
            AccessError::GlobalToGlobal {
                written,
                staging: ctx.staging(name),
                target: text,
                value,
                span,
            }
        }
    };
    ctx.report(&error);
    None
}

/// Checks a `⇐` between a shared and a global word.
fn access(ctx: &mut Context, target: Element, source: Element) -> Option<StmtKind> {
    let ty = types::of_word(ctx.variables.get(source.word.variable).word_type);
    types::storable(ctx, target.word.variable, ty, source.word.span)?;
    let (memory, target, source) = (target.memory, target.word, source.word);
    Some(match memory {
        Memory::Shared => StmtKind::Load { target, source },
        Memory::Global => {
            ctx.kernel.global_written.insert(target.variable);
            StmtKind::Store { target, source }
        }
    })
}

/// Checks an arrow before a value, which must be a `←` into shared memory.
fn value_to_element(
    ctx: &mut Context,
    statement: &ast::Move,
    target: Element,
    value: Number,
) -> Option<StmtKind> {
    let written = arrow_text(statement.arrow);
    let span = statement.arrow_span;
    let text = ctx.text(target.word.span);
    let value_text = ctx.text(value.span);
    let name = ctx.variables.get(target.word.variable).name.clone();
    let error = match (target.memory, statement.arrow) {
        (Memory::Shared, Arrow::Shared) => {
            types::storable(ctx, target.word.variable, value.ty, value.span)?;
            return Some(StmtKind::Assign {
                target: target.word,
                value,
            });
        }
        (Memory::Shared, Arrow::Global | Arrow::Transfer) => AccessError::NoGlobalOperand {
            written,
            target: text,
            value: value_text,
            span,
        },
        (Memory::Global, Arrow::Shared) if matches!(value.kind, NumberKind::Word(_)) => {
            wrong_arrow(ctx, statement, &target, Memory::Shared, value.span)
        }
        (Memory::Global, Arrow::Shared) => AccessError::ComputedIntoGlobal {
            staging: ctx.staging(&name),
            name,
            target: text,
            value: value_text,
            span,
            target_span: target.word.span,
        },
        (Memory::Global, Arrow::Global | Arrow::Transfer)
            if matches!(
                value.kind,
                NumberKind::Integer(_) | NumberKind::Float(_) | NumberKind::Parameter(_)
            ) =>
        {
            AccessError::StoreOfNumber {
                target: text,
                value: value_text,
                staging: ctx.staging(&name),
                span: value.span,
            }
        }
        (Memory::Global, Arrow::Global | Arrow::Transfer) => AccessError::StoreOfExpression {
            target: text,
            value: value_text,
            staging: ctx.staging(&name),
            span: value.span,
        },
    };
    ctx.report(&error);
    None
}

fn wrong_arrow(
    ctx: &Context,
    statement: &ast::Move,
    target: &Element,
    from: Memory,
    value_span: Span,
) -> AccessError {
    AccessError::WrongArrow {
        written: arrow_text(statement.arrow),
        right: "⇐",
        to: scope_of(target.memory),
        from: scope_of(from),
        target: ctx.text(target.word.span),
        value: ctx.text(value_span),
        span: statement.arrow_span,
        target_span: target.word.span,
        value_span,
    }
}

fn scope_of(memory: Memory) -> Scope {
    match memory {
        Memory::Global => Scope::Global,
        Memory::Shared => Scope::Shared,
    }
}
