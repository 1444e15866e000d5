//! The rules of types (language.md §2.3, §5): mixing, and the types that places need.

use crate::check::context::Context;
use crate::check::error::TypeError;
use crate::check::places::Checked;
use crate::program::{Condition, Number, Place, Type, VarId};
use crate::syntax::ast::WordType;

/// Returns the type of two numbers mixed by an operator.
pub(super) fn mixed(left: Type, right: Type) -> Type {
    match (left, right) {
        (Type::Float, _) | (_, Type::Float) => Type::Float,
        (Type::Int, _) | (_, Type::Int) => Type::Int,
        (Type::Number, Type::Number) => Type::Number,
    }
}

/// Returns the type of a word of a variable.
pub(super) fn of_word(word_type: WordType) -> Type {
    match word_type {
        WordType::Int => Type::Int,
        WordType::Float => Type::Float,
    }
}

/// Returns the type as users write it.
pub(super) fn word(word_type: WordType) -> &'static str {
    match word_type {
        WordType::Int => "int",
        WordType::Float => "float",
    }
}

/// Passes a number, reports a condition.
pub(super) fn numeric<P: Place>(ctx: &mut Context, checked: Checked<P>) -> Option<Number<P>> {
    match checked {
        Checked::Number(number) => Some(number),
        Checked::Condition(condition) => {
            let error = TypeError::ConditionAsNumber {
                text: ctx.text(condition.span),
                span: condition.span,
            };
            ctx.report(&error);
            None
        }
    }
}

/// Passes a number that can be whole, reports a float or a condition. `place` names the use of the
/// number, as `an index`.
pub(super) fn whole<P: Place>(
    ctx: &mut Context,
    checked: Checked<P>,
    place: &str,
) -> Option<Number<P>> {
    let number = numeric(ctx, checked)?;
    if number.ty != Type::Float {
        return Some(number);
    }
    let error = TypeError::FloatForWhole {
        place: place.to_owned(),
        text: ctx.text(number.span),
        span: number.span,
    };
    ctx.report(&error);
    None
}

/// Passes a condition, reports a number.
pub(super) fn logical<P: Place>(ctx: &mut Context, checked: Checked<P>) -> Option<Condition<P>> {
    match checked {
        Checked::Condition(condition) => Some(condition),
        Checked::Number(number) => {
            let error = TypeError::NumberAsCondition {
                text: ctx.text(number.span),
                span: number.span,
            };
            ctx.report(&error);
            None
        }
    }
}

/// Checks that a value of this type may be stored into the variable; reports a float for an int.
pub(super) fn storable(
    ctx: &mut Context,
    target: VarId,
    value: Type,
    value_span: crate::text::Span,
) -> Option<()> {
    let variable = ctx.variables.get(target);
    if variable.word_type == WordType::Float || value != Type::Float {
        return Some(());
    }
    let error = TypeError::FloatIntoInt {
        target: variable.name.clone(),
        span: value_span,
        declared: variable.span,
    };
    ctx.report(&error);
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_win_over_ints_and_data_over_parameters() {
        use Type::{Float, Int, Number};
        assert_eq!(mixed(Number, Number), Number);
        assert_eq!(mixed(Number, Int), Int);
        assert_eq!(mixed(Float, Int), Float);
        assert_eq!(mixed(Number, Float), Float);
    }
}
