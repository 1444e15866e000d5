//! Walks over expressions as written.

use crate::syntax::ast;
use crate::text::Span;

/// Returns the name and indices of an expression that is just a bare name or a word.
pub(super) fn lone_word(expr: &ast::Expr) -> Option<(&ast::Name, &[ast::Expr])> {
    if let ast::ExprKind::Name(name) = &expr.kind {
        return Some((name, &[]));
    }
    if let ast::ExprKind::Word { name, indices } = &expr.kind {
        return Some((name, indices));
    }
    None
}

/// The way an expression mentions a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mention {
    /// Bare.
    Bare,
    /// With indices; the span is the whole word's.
    Word(Span),
}

/// Calls `visit` with every name an expression mentions.
pub(super) fn names<'a>(expr: &'a ast::Expr, visit: &mut impl FnMut(&'a ast::Name, Mention)) {
    use ast::ExprKind;
    match &expr.kind {
        ExprKind::Integer(_) | ExprKind::Float(_) => {}
        ExprKind::Name(name) => visit(name, Mention::Bare),
        ExprKind::Word { name, indices } => {
            visit(name, Mention::Word(expr.span));
            indices.iter().for_each(|index| names(index, visit));
        }
        ExprKind::Paren(inner)
        | ExprKind::Negate(inner)
        | ExprKind::Not(inner)
        | ExprKind::Ceil(inner)
        | ExprKind::Floor(inner)
        | ExprKind::Bracket(inner) => names(inner, visit),
        ExprKind::Binary { left, right, .. } => {
            names(left, visit);
            names(right, visit);
        }
        ExprKind::Compare { operands, .. } => {
            operands.iter().for_each(|operand| names(operand, visit));
        }
        ExprKind::Call { arguments, .. } => {
            arguments.iter().for_each(|argument| names(argument, visit));
        }
        ExprKind::Log { base, argument } => {
            match base {
                ast::LogBase::Unwritten | ast::LogBase::Number(_) => {}
                ast::LogBase::Name(name) => visit(name, Mention::Bare),
                ast::LogBase::Braced(base) => names(base, visit),
            }
            names(argument, visit);
        }
        ExprKind::Quantified { binders, body, .. } => {
            for binder in binders {
                names(&binder.low, visit);
                names(&binder.high, visit);
            }
            names(body, visit);
        }
    }
}
