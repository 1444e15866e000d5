//! What the host knows when it launches a kernel, and what declarations say of words.
//!
//! Takes a program with the values bound so far; gives the values of numbers that need no more than
//! those. Knows no data and counts nothing.

use crate::interval::value::{self, Value};
use crate::meaning::{Environment, evaluate, read_parameters};
use crate::number::BigInt;
use crate::program::{Expr, Number, Program, Type, VarId};
use crate::syntax::ast::WordType;

/// What the host knows.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    pub(super) program: &'a Program,
    pub(super) environment: &'a Environment,
    /// By `VarId`.
    pub(super) extents: &'a [Vec<BigInt>],
}

impl Known<'_> {
    /// The value of a number, where the host decides it and it is whole.
    pub(super) fn whole(self, expr: &Number) -> Option<BigInt> {
        let of_host = read_parameters(expr)
            .iter()
            .all(|id| self.environment.get(*id).is_some());
        let data_free = expr.ty == Type::Number;
        if !of_host || !data_free || Expr::from(expr).reads_words() {
            return None;
        }
        evaluate(self.program, expr, self.environment)
            .ok()?
            .to_integer()
    }
}

/// What any word of a variable may hold: its declared range, or anything of its type. A swap carries words
/// past a declaration.
pub(super) fn declared(program: &Program, variable: VarId, environment: &Environment) -> Value {
    let own = declared_of(program, variable, environment);
    let others = program.swapped_with(variable).iter();
    others.fold(own, |range, other| {
        range.join(&declared_of(program, *other, environment))
    })
}

fn declared_of(program: &Program, variable: VarId, environment: &Environment) -> Value {
    let variable = program.variable(variable);
    let any = match variable.word_type {
        WordType::Int => value::ANY_INT,
        WordType::Float => Value::AnyFloat,
    };
    let Some((low, high)) = &variable.range else {
        return any;
    };
    let end = |expr: &Number| evaluate(program, expr, environment).ok();
    let (Some(low), Some(high)) = (end(low), end(high)) else {
        return any;
    };
    match variable.word_type {
        WordType::Float => Value::Float(low.to_f64()).join(&Value::Float(high.to_f64())),
        WordType::Int => {
            let (low, high) = (Value::exact(low), Value::exact(high));
            // The whole numbers between two bounds that may be fractions.
            Value::between(low.bounds().1, high.bounds().0)
        }
    }
}
