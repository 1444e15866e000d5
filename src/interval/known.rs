//! The host's values when it launches a kernel, and the declared ranges of words.
//!
//! Takes a program with the values bound so far; gives the values of numbers that depend on nothing
//! else. Knows no data and counts nothing.

use crate::interval::value::{self, Value};
use crate::meaning::{Environment, evaluate, read_parameters};
use crate::number::BigInt;
use crate::program::{Expr, Number, Program, Type, VarId};
use crate::syntax::ast::WordType;

/// The host's values.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    pub(super) program: &'a Program,
    pub(super) environment: &'a Environment,
    /// Extents by `VarId`.
    pub(super) extents: &'a [Vec<BigInt>],
}

impl Known<'_> {
    /// Returns the value of a number, if the host decides it and it is whole.
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

/// Returns the possible values of any word of a variable: its declared range, or anything of its
/// type. A swap carries words past a declaration, so swapped variables join their ranges.
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
            // The whole numbers between bounds that may be fractions: 1/2..7/2 is 1..3.
            Value::between(low.bounds().1, high.bounds().0)
        }
    }
}
