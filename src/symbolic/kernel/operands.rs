//! Which shared words a statement or an expression has as operands, in the order in which they are met.

use crate::program::{Expr, NumberKind, Program, Scope, Stmt, Word, Written};

/// Every shared operand that a statement executes, those in indexes too, as often as it does.
pub(crate) fn of_statement<'p>(program: &Program, statement: &'p Stmt) -> Vec<&'p Word> {
    let parts = statement.kind.parts();
    let mut words = Vec::new();
    if let Some((element, Written::Update(..))) = parts.write {
        // It is read before the operands are, and written behind them.
        of_word(element, &mut words);
    }
    for value in parts.values {
        of_expr(value, &mut words);
    }
    match parts.write {
        Some((target, Written::Word(source))) => {
            let (shared, global) = match program.variable(target.variable).scope {
                Scope::Shared => (target, source),
                Scope::Global | Scope::Host => (source, target),
            };
            of_word(shared, &mut words);
            let indices = global.indices.iter();
            indices.for_each(|index| of_expr(index, &mut words));
        }
        Some((target, Written::Value(_) | Written::Update(..))) => of_word(target, &mut words),
        None => {}
    }
    words
}

fn of_word<'e>(word: &'e Word, words: &mut Vec<&'e Word>) {
    words.push(word);
    word.indices.iter().for_each(|index| of_expr(index, words));
}

/// Every shared operand of an expression.
pub(crate) fn of_expr<'e>(expr: impl Into<Expr<'e>>, words: &mut Vec<&'e Word>) {
    let expr = expr.into();
    if let Expr::Number(number) = expr
        && let NumberKind::Word(word) = &number.kind
    {
        return of_word(word, words);
    }
    expr.each_operand(&mut |operand| of_expr(operand, words));
}
