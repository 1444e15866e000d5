//! How much a reader has to take in: about the letters of a written form, so that of several forms the
//! shortest is chosen.

use crate::sym::notation::shape::{Condition, Shape};

/// About how many characters it takes, brackets counted.
pub(super) fn weight(shape: &Shape) -> usize {
    let all = |items: &[Shape]| items.iter().map(factor).sum::<usize>();
    match shape {
        Shape::Number(number) => number.to_string().len(),
        Shape::Name(symbol) => symbol.name.chars().count(),
        Shape::Sum(terms) => {
            let each: usize = terms.iter().map(|(_, term)| weight(term) + 3).sum();
            each.saturating_sub(2)
        }
        Shape::Product(over, under) => {
            let brackets = if under.len() > 1 { 2 } else { 0 };
            all(over) + all(under) + brackets + usize::from(!under.is_empty())
        }
        Shape::Power(base, exponent) => {
            let brackets = match **base {
                Shape::Log(..) | Shape::Product(..) | Shape::Power(..) => 2,
                _ => 0,
            };
            factor(base) + brackets + 1 + factor(exponent)
        }
        Shape::SquareRoot(x) => weight(x) + 6,
        Shape::Floor(x) | Shape::Ceiling(x) => weight(x) + 2,
        Shape::Log(base, x) => match **x {
            Shape::Name(_) | Shape::Number(_) => 4 + weight(base) + weight(x),
            _ => 6 + weight(base) + weight(x),
        },
        Shape::Call(function, items) => {
            let each: usize = items.iter().map(|item| weight(item) + 2).sum();
            function.name().len() + each
        }
        Shape::Bracket(condition) => of_condition(condition) + 2,
        Shape::Total(_, low, high, body) => 10 + weight(low) + weight(high) + weight(body),
    }
}

/// As a factor, where a sum takes brackets.
fn factor(shape: &Shape) -> usize {
    match shape {
        Shape::Sum(_) | Shape::Total(..) => weight(shape) + 2,
        _ => weight(shape),
    }
}

fn of_condition(condition: &Condition) -> usize {
    let inside: usize = condition.parts().into_iter().map(weight).sum();
    inside + 3 * condition.parts().len().saturating_sub(1)
}
