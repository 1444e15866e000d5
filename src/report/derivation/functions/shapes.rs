//! Facts about a formula's shape that decide how it is written: whole, positive, without a value, a literal.

use num_traits::Signed;

use crate::report::derivation::functions::names::Names;
use crate::sym::shape::{Condition, Function, Shape};

/// Returns true if a factor is positive for all possible parameters.
pub(super) fn is_positive(names: &Names, shape: &Shape) -> bool {
    match shape {
        Shape::Number(number) => number.is_positive(),
        Shape::Name(symbol) => names.is_positive(symbol),
        Shape::Power(base, _) => is_positive(names, base),
        Shape::Product(over, under) => over.iter().chain(under).all(|x| is_positive(names, x)),
        Shape::Sum(_)
        | Shape::SquareRoot(_)
        | Shape::Floor(_)
        | Shape::Ceiling(_)
        | Shape::Log(..)
        | Shape::Call(..)
        | Shape::Bracket(_)
        | Shape::Total(..) => false,
    }
}

/// Returns true if a part of the shape may have no value.
pub(super) fn may_fail(names: &Names, shape: &Shape) -> bool {
    let here = match shape {
        Shape::Product(_, under) => !under.iter().all(|factor| is_positive(names, factor)),
        Shape::Log(base, x) => !matches!(**base, Shape::Number(_)) || !is_positive(names, x),
        Shape::Power(_, exponent) => !matches!(**exponent, Shape::Number(_)),
        Shape::Call(function, _) => match function {
            Function::Gcd | Function::DigitSum | Function::FloorSum => true,
            Function::Min | Function::Max => false,
        },
        Shape::Number(_)
        | Shape::Name(_)
        | Shape::Sum(_)
        | Shape::SquareRoot(_)
        | Shape::Floor(_)
        | Shape::Ceiling(_)
        | Shape::Bracket(_)
        | Shape::Total(..) => false,
    };
    here || shape.parts().into_iter().any(|part| may_fail(names, part))
}

/// The condition of a bracket, a factor that is 1 or 0.
pub(super) fn condition(factor: &Shape) -> Option<&Condition> {
    match factor {
        Shape::Bracket(condition) => Some(condition),
        _ => None,
    }
}

/// Returns true for a minimum or maximum that may be 0, used as a repetition count.
pub(super) fn may_be_no_times(factor: &Shape) -> bool {
    let is_above = |item: &Shape| matches!(item, Shape::Number(number) if number.is_positive());
    match factor {
        Shape::Call(Function::Min, _) => true,
        Shape::Call(Function::Max, items) => !items.iter().any(is_above),
        _ => false,
    }
}

/// Returns true if the shape is whole at whole parameters. A logarithm counts: it is whole or irrational.
pub(super) fn is_whole(shape: &Shape) -> bool {
    match shape {
        Shape::Number(_)
        | Shape::Floor(_)
        | Shape::Ceiling(_)
        | Shape::Bracket(_)
        | Shape::Log(..) => true,
        Shape::Name(symbol) => !"αβγλσ".contains(&*symbol.name),
        Shape::Sum(terms) => {
            let has_log = |shape: &Shape| matches!(shape, Shape::Log(..));
            terms.iter().all(|(_, term)| is_whole(term)) && !shape.parts().into_iter().any(has_log)
        }
        Shape::Product(over, under) => under.is_empty() && over.iter().all(is_whole),
        Shape::Power(base, exponent) => is_whole(base) && is_whole(exponent),
        Shape::SquareRoot(_) => false,
        Shape::Call(function, items) => match function {
            Function::Min | Function::Max => items.iter().all(is_whole),
            Function::Gcd | Function::DigitSum | Function::FloorSum => true,
        },
        Shape::Total(_, _, _, body) => is_whole(body),
    }
}

/// Returns true if the target sees a value of its own number type in the shape, not only literals.
pub(super) fn is_value(shape: &Shape) -> bool {
    match shape {
        Shape::Number(_) | Shape::Bracket(_) | Shape::Total(..) => false,
        Shape::Name(_)
        | Shape::SquareRoot(_)
        | Shape::Floor(_)
        | Shape::Ceiling(_)
        | Shape::Log(..) => true,
        Shape::Sum(terms) => terms.iter().any(|(_, term)| is_value(term)),
        Shape::Product(over, _) => {
            over.iter().all(|factor| condition(factor).is_none()) && over.iter().any(is_value)
        }
        Shape::Power(base, exponent) => is_value(base) || !matches!(**exponent, Shape::Number(_)),
        Shape::Call(function, items) => match function {
            Function::Min | Function::Max => items.iter().all(is_value),
            Function::Gcd | Function::DigitSum | Function::FloorSum => true,
        },
    }
}
