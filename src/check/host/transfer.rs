//! Moves on the host: `d ⇚ s` between host and global memory (language.md §2.4).

use crate::check::context::Context;
use crate::check::error::{AccessError, SyntaxError};
use crate::check::expr;
use crate::check::expr::reading::{self, Reads};
use crate::check::shapes;
use crate::check::types;
use crate::check::walk;
use crate::number::legible;
use crate::program::{Direction, Extent, Region, Scope, Transfer, VarId};
use crate::syntax::ast::{self, Arrow, Subscript};
use crate::text::Span;

const INDEX: Reads = Reads::Parameters("an index of a transfer");

/// Checks a move of the host. `⇐` between host and global memory is read as a transfer, because
/// the paper's own listings write it so.
pub(crate) fn check(ctx: &mut Context, statement: &ast::Move) -> Option<Transfer> {
    let target = region(ctx, &statement.target);
    let source = match (&statement.source, statement.arrow) {
        (ast::Source::Place(place), _) => region(ctx, place),
        (ast::Source::Expr(value), Arrow::Shared) => match place_of(ctx, value) {
            Some(place) => region(ctx, &place),
            None => {
                ctx.report(&AccessError::ComputedOnHost {
                    span: statement.arrow_span,
                });
                None
            }
        },
        (ast::Source::Expr(value), Arrow::Transfer | Arrow::Global) => {
            let error = SyntaxError::TransferOfExpression {
                target: ctx.text(statement.target.span),
                span: value.span,
            };
            ctx.report(&error);
            None
        }
    };
    let (target, source) = (target?, source?);
    let direction = direction(ctx, statement, &target, &source)?;
    let words = same_words(ctx, statement.span, &target, &source);
    let ty = types::of_word(ctx.variables.get(source.variable).word_type);
    let stored = types::storable(ctx, target.variable, ty, source.span);
    words.and(stored)?;
    let (host, global) = match direction {
        Direction::Inward => (source, target),
        Direction::Outward => (target, source),
    };
    Some(Transfer {
        direction,
        host,
        global,
        span: statement.span,
    })
}

/// Returns a bare variable or word that was written as an expression after `←`.
fn place_of(ctx: &Context, value: &ast::Expr) -> Option<ast::Place> {
    let (name, indices) = walk::lone_word(value)?;
    ctx.variables.look_up(&name.text)?;
    Some(ast::Place {
        name: name.clone(),
        subscripts: indices.iter().cloned().map(Subscript::At).collect(),
        span: value.span,
    })
}

/// Checks one side: a whole variable, one word, a slice of rows, or a block.
fn region(ctx: &mut Context, place: &ast::Place) -> Option<Region> {
    let variable = ctx
        .variable(&place.name)
        .and_then(|id| on_bus(ctx, id, place));
    let written: Vec<Option<Extent>> = place
        .subscripts
        .iter()
        .map(|subscript| extent(ctx, subscript))
        .collect();
    let variable = variable?;
    let dimensions = ctx.variables.get(variable).dimensions.len();
    // `a[lo..hi]` of a matrix is a slice of rows: the other dimensions are whole. Any other place
    // has either no subscript or one for each dimension.
    let rows_alone =
        dimensions > 1 && matches!(place.subscripts.as_slice(), [Subscript::Range(..)]);
    if !(place.subscripts.is_empty() || rows_alone) {
        reading::rank(ctx, variable, place.subscripts.len(), place.span)?;
    }
    let mut extents = written.into_iter().collect::<Option<Vec<_>>>()?;
    extents.resize_with(dimensions, || Extent::All);
    Some(Region {
        variable,
        extents,
        span: place.span,
    })
}

fn on_bus(ctx: &mut Context, id: VarId, place: &ast::Place) -> Option<VarId> {
    let variable = ctx.variables.get(id);
    match variable.scope {
        Scope::Host | Scope::Global => Some(id),
        Scope::Shared => {
            let error = AccessError::SharedOnHost {
                name: place.name.text.clone(),
                span: place.span,
                declared: variable.span,
            };
            ctx.report(&error);
            None
        }
    }
}

fn extent(ctx: &mut Context, subscript: &Subscript) -> Option<Extent> {
    match subscript {
        Subscript::At(index) => Some(Extent::At(expr::whole(ctx, INDEX, index, "an index")?)),
        Subscript::Range(low, high) => {
            let low = expr::whole(ctx, INDEX, low, "an index");
            let high = expr::whole(ctx, INDEX, high, "an index");
            Some(Extent::Range(low?, high?))
        }
    }
}

fn direction(
    ctx: &mut Context,
    statement: &ast::Move,
    target: &Region,
    source: &Region,
) -> Option<Direction> {
    let to = ctx.variables.get(target.variable).scope;
    let from = ctx.variables.get(source.variable).scope;
    let texts = (ctx.text(target.span), ctx.text(source.span));
    if to == from {
        ctx.report(&AccessError::OneSidedTransfer {
            scope: to,
            target: texts.0,
            value: texts.1,
            span: statement.arrow_span,
            target_span: target.span,
            value_span: source.span,
        });
        return None;
    }
    match statement.arrow {
        Arrow::Transfer | Arrow::Global => Some(match to {
            Scope::Host => Direction::Outward,
            Scope::Global | Scope::Shared => Direction::Inward,
        }),
        Arrow::Shared => {
            ctx.report(&AccessError::WrongArrow {
                written: "←",
                right: "⇚",
                to,
                from,
                target: texts.0,
                value: texts.1,
                span: statement.arrow_span,
                target_span: target.span,
                value_span: source.span,
            });
            None
        }
    }
}

/// Reports two sides whose words differ for all parameters.
fn same_words(ctx: &mut Context, span: Span, target: &Region, source: &Region) -> Option<()> {
    let words = |region: &Region| {
        let variable = ctx.variables.get(region.variable);
        shapes::words(&variable.dimensions, &region.extents)
    };
    let (left, right) = (words(target), words(source));
    if !shapes::evidently_differ(left.clone(), right.clone()) {
        return Some(());
    }
    let text = |region: &Region, words: Option<shapes::Polynomial>| {
        words
            .and_then(|words| words.constant())
            .map_or_else(|| size_text(ctx, region), |words| legible(&words))
    };
    let error = AccessError::TransferWords {
        target_words: text(target, left),
        value_words: text(source, right),
        span,
        target_span: target.span,
        value_span: source.span,
    };
    ctx.report(&error);
    None
}

/// Formats the sizes of a block as written: `n × (m + 1)`.
fn size_text(ctx: &Context, region: &Region) -> String {
    let dimensions = &ctx.variables.get(region.variable).dimensions;
    let sizes = dimensions.iter().zip(&region.extents);
    let texts: Vec<String> = sizes
        .map(|(dimension, extent)| match extent {
            Extent::All => ctx.text(dimension.span),
            Extent::At(_) => "1".to_owned(),
            Extent::Range(low, high) => {
                format!("{}..{}", ctx.text(low.span), ctx.text(high.span))
            }
        })
        .collect();
    match texts.as_slice() {
        [single] => single.clone(),
        several => {
            let wrapped: Vec<String> = several
                .iter()
                .map(|text| {
                    if text.contains(' ') {
                        format!("({text})")
                    } else {
                        text.clone()
                    }
                })
                .collect();
            wrapped.join(" × ")
        }
    }
}
