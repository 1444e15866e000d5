//! Names in the tree: their occurrences in statements and expressions, and the factors of a split name.

use crate::syntax::ast::{
    Atomic, CoreStmt, Expr, ExprKind, For, HostStmt, LogBase, Move, Name, Place, Source, Stmt,
    Subscript,
};
use crate::text::Span;

/// Collects the names that statements read and write, nested ones included, in text order. The names that a `let` or a
/// loop binds are not among them.
pub(super) fn names_of<'t>(stmts: impl IntoIterator<Item = &'t Stmt>) -> Vec<&'t Name> {
    let mut names = Vec::new();
    for stmt in stmts {
        own_names(stmt, &mut names);
        names.extend(names_of(body_of(stmt)));
    }
    names
}

/// Collects the names of one statement without its block.
pub(super) fn names_of_one(stmt: &Stmt) -> Vec<&Name> {
    let mut names = Vec::new();
    own_names(stmt, &mut names);
    names
}

/// Collects the names of an expression.
pub(super) fn names_in(expr: &Expr) -> Vec<&Name> {
    let mut names = Vec::new();
    of_expr(expr, &mut names);
    names
}

/// Collects the names that a `let` or a loop binds in these statements.
pub(super) fn bound_in(stmts: &[Stmt]) -> Vec<&str> {
    let mut bound = Vec::new();
    for stmt in all_in(stmts) {
        match stmt {
            Stmt::Let(binding) => bound.push(binding.name.text.as_str()),
            Stmt::For(repeated) => bound.push(repeated.variable.text.as_str()),
            Stmt::Move(_)
            | Stmt::While(_)
            | Stmt::Wrapper(_)
            | Stmt::CoreLoop(_)
            | Stmt::Core(_)
            | Stmt::Host(_) => {}
        }
    }
    bound
}

/// The block of a statement; empty for a statement without one.
pub(super) fn body_of(stmt: &Stmt) -> &[Stmt] {
    match stmt {
        Stmt::For(block) => &block.body,
        Stmt::While(block) => &block.body,
        Stmt::Wrapper(block) => &block.body,
        Stmt::CoreLoop(block) => &block.body,
        Stmt::Core(CoreStmt::If(block)) => &block.body,
        Stmt::Move(_) | Stmt::Let(_) | Stmt::Core(CoreStmt::Atomic(_)) | Stmt::Host(_) => &[],
    }
}

/// The statements and all statements nested in them, in text order.
pub(super) fn all_in(stmts: &[Stmt]) -> Vec<&Stmt> {
    let mut all = Vec::new();
    for stmt in stmts {
        all.push(stmt);
        all.extend(all_in(body_of(stmt)));
    }
    all
}

/// The blocks of statements, the outermost first.
pub(super) fn blocks_in(stmts: &[Stmt]) -> Vec<&[Stmt]> {
    let mut blocks = vec![stmts];
    for stmt in stmts {
        if !body_of(stmt).is_empty() {
            blocks.extend(blocks_in(body_of(stmt)));
        }
    }
    blocks
}

/// The `for` loops among the statements, nested ones included.
pub(super) fn loops_in(stmts: &[Stmt]) -> Vec<(&Stmt, &For)> {
    let loops = all_in(stmts).into_iter();
    let loops = loops.filter_map(|stmt| match stmt {
        Stmt::For(repeated) => Some((stmt, repeated)),
        _ => None,
    });
    loops.collect()
}

/// The place of a statement; of a block, its opening line.
pub(super) fn span_of(stmt: &Stmt) -> Span {
    match stmt {
        Stmt::Move(it) => it.span,
        Stmt::Let(it) => it.span,
        Stmt::For(it) => it.span,
        Stmt::While(it) => it.span,
        Stmt::Wrapper(it) => it.span,
        Stmt::CoreLoop(it) => it.span,
        Stmt::Core(CoreStmt::Atomic(it)) => it.span,
        Stmt::Core(CoreStmt::If(it)) => it.span,
        Stmt::Host(HostStmt::Execute(it)) => it.span,
        Stmt::Host(HostStmt::Swap(it)) => it.span,
    }
}

/// The variable that a statement writes.
pub(super) fn target_of(stmt: &Stmt) -> Option<&Place> {
    match stmt {
        Stmt::Move(Move { target, .. }) | Stmt::Core(CoreStmt::Atomic(Atomic { target, .. })) => {
            Some(target)
        }
        Stmt::Let(_)
        | Stmt::For(_)
        | Stmt::While(_)
        | Stmt::Wrapper(_)
        | Stmt::CoreLoop(_)
        | Stmt::Core(CoreStmt::If(_))
        | Stmt::Host(_) => None,
    }
}

/// True if one of the statements, nested ones included, writes this variable.
pub(super) fn writes(stmts: &[Stmt], variable: &str) -> bool {
    let mut targets = all_in(stmts).into_iter().filter_map(target_of);
    targets.any(|target| target.name.text == variable)
}

/// The letters, each with its primes, of a name of letters: `ib` has i and b. `None` for a name of one letter, or with
/// a digit or an underscore.
pub(super) fn letters(name: &str) -> Option<Vec<&str>> {
    let mut starts: Vec<usize> = Vec::new();
    for (at, letter) in name.char_indices() {
        match letter {
            '\'' => {}
            letter if letter.is_alphabetic() => starts.push(at),
            _ => return None,
        }
    }
    let ends = starts.iter().skip(1).copied().chain([name.len()]);
    let letters: Vec<&str> = starts
        .iter()
        .zip(ends)
        .map(|(start, end)| &name[*start..end])
        .collect();
    (letters.len() > 1).then_some(letters)
}

fn own_names<'t>(stmt: &'t Stmt, names: &mut Vec<&'t Name>) {
    match stmt {
        Stmt::Move(moved) => {
            of_place(&moved.target, names);
            match &moved.source {
                Source::Place(place) => of_place(place, names),
                Source::Expr(expr) => of_expr(expr, names),
            }
        }
        Stmt::Let(binding) => of_expr(&binding.value, names),
        Stmt::For(repeated) => {
            of_expr(&repeated.from, names);
            of_expr(&repeated.to, names);
            if let Some(until) = &repeated.until {
                of_expr(&until.condition, names);
            }
        }
        Stmt::While(repeated) => {
            of_expr(&repeated.condition, names);
            repeated.at_most.iter().for_each(|it| of_expr(it, names));
        }
        Stmt::Wrapper(wrapper) => {
            for (low, high) in &wrapper.ranges {
                of_expr(low, names);
                of_expr(high, names);
            }
        }
        Stmt::CoreLoop(_) => {}
        Stmt::Core(CoreStmt::Atomic(atomic)) => {
            of_place(&atomic.target, names);
            of_expr(&atomic.value, names);
        }
        Stmt::Core(CoreStmt::If(guarded)) => of_expr(&guarded.condition, names),
        Stmt::Host(HostStmt::Execute(execute)) => {
            let arguments = execute.arguments.iter();
            arguments.for_each(|argument| of_expr(argument, names));
        }
        Stmt::Host(HostStmt::Swap(swap)) => names.extend([&swap.left, &swap.right]),
    }
}

fn of_place<'t>(place: &'t Place, names: &mut Vec<&'t Name>) {
    names.push(&place.name);
    for subscript in &place.subscripts {
        match subscript {
            Subscript::At(index) => of_expr(index, names),
            Subscript::Range(low, high) => {
                of_expr(low, names);
                of_expr(high, names);
            }
        }
    }
}

fn of_expr<'t>(expr: &'t Expr, names: &mut Vec<&'t Name>) {
    match &expr.kind {
        ExprKind::Integer(_) | ExprKind::Float(_) => {}
        ExprKind::Name(name) => names.push(name),
        ExprKind::Word { name, indices } => {
            names.push(name);
            indices.iter().for_each(|index| of_expr(index, names));
        }
        ExprKind::Paren(inner)
        | ExprKind::Negate(inner)
        | ExprKind::Not(inner)
        | ExprKind::Ceil(inner)
        | ExprKind::Floor(inner)
        | ExprKind::Bracket(inner) => of_expr(inner, names),
        ExprKind::Binary { left, right, .. } => {
            of_expr(left, names);
            of_expr(right, names);
        }
        ExprKind::Compare { operands, .. } => operands.iter().for_each(|it| of_expr(it, names)),
        ExprKind::Call { arguments, .. } => arguments.iter().for_each(|it| of_expr(it, names)),
        ExprKind::Log { base, argument } => {
            match base {
                LogBase::Unwritten | LogBase::Number(_) => {}
                LogBase::Name(name) => names.push(name),
                LogBase::Braced(base) => of_expr(base, names),
            }
            of_expr(argument, names);
        }
        ExprKind::Quantified { binders, body, .. } => {
            for binder in binders {
                of_expr(&binder.low, names);
                of_expr(&binder.high, names);
            }
            of_expr(body, names);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_name_has_letters_with_their_primes() {
        assert_eq!(letters("ib"), Some(vec!["i", "b"]));
        assert_eq!(letters("k'b"), Some(vec!["k'", "b"]));
        for whole in ["i", "k'", "x1", "_a"] {
            assert_eq!(letters(whole), None, "{whole}");
        }
    }
}
