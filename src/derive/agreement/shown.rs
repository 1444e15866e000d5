//! Forms as they are shown and exported: each part of them has to have a value where the program runs.

use std::collections::HashMap;

use crate::count::Quantity;
use crate::derivation::Derivation;
use crate::derivation::letters::letter_expr;
use crate::derive::claims::letters::letter_named;
use crate::meaning::Point;
use crate::number::Rational;
use crate::program::{CostSymbol, Program};
use crate::sym::print::{Names, Printer};
use crate::sym::shape::{Function, Shape};
use crate::sym::{EvaluateError, Expr, Symbol, SymbolKind};

/// Terms of an unsolved sum that are added up at one point.
const TERMS: u64 = 200;

/// The forms of totals and costs in which some part may have no value.
pub(super) struct Shown<'d> {
    shapes: Vec<(Quantity, Shape)>,
    /// The program's `let` names.
    names: &'d [(String, Expr)],
}

impl<'d> Shown<'d> {
    /// Takes the forms in as they are printed, and as they are exported, without `let` names and ℓ.
    pub(super) fn of(program: &Program, derivation: &'d Derivation) -> Shown<'d> {
        let width = &program.parameter(program.machine.b).name;
        let printed = Printer::new(&derivation.let_names());
        let exported = Printer::new(&Names::default());
        let letter = letter_expr(CostSymbol::Occupancy);
        let written_out = |form: &Expr| match (&derivation.occupancy, letter.as_symbol()) {
            (Some(occupancy), Some(letter)) => form.substitute(letter, occupancy),
            _ => form.clone(),
        };
        let mut shapes: Vec<(Quantity, Shape)> = Vec::new();
        for (quantity, derived) in derivation.all() {
            for form in derived.ends().chain(&derived.short) {
                let written = [printed.shape(form), exported.shape(&written_out(form))];
                for shape in written {
                    if may_fail(&shape, width) && !shapes.iter().any(|(_, known)| *known == shape) {
                        shapes.push((quantity, shape));
                    }
                }
            }
        }
        Shown {
            shapes,
            names: &derivation.names,
        }
    }

    /// The quantities of which a form has no value at a point.
    pub(super) fn without_value(&self, point: &Point) -> Vec<Quantity> {
        let parameter = |symbol: &Symbol| match symbol.id.kind {
            SymbolKind::Letter => letter_named(&symbol.name).or(Some(Rational::ONE)),
            _ => point.parameters.get(&*symbol.name).map(Rational::from),
        };
        let values = self.names.iter();
        let values: HashMap<&str, Rational> = values
            .filter_map(|(name, value)| Some((name.as_str(), value.evaluate(&parameter).ok()?)))
            .collect();
        let at = |symbol: &Symbol| match symbol.id.kind {
            SymbolKind::Folded => values.get(&*symbol.name).cloned(),
            _ => parameter(symbol),
        };
        let fails = |shape: &Shape| {
            use EvaluateError::{DivisionByZero, Undefined};
            matches!(shape.value(&at, TERMS), Err(DivisionByZero | Undefined))
        };
        let shapes = self.shapes.iter();
        let failing = shapes.filter(|(_, shape)| fails(shape));
        failing.map(|(quantity, _)| *quantity).collect()
    }
}

/// Whether some part of a shape may have no value: a quotient by more than numbers, b and letters of the cost functions,
/// a logarithm, a root, ….
fn may_fail(shape: &Shape, width: &str) -> bool {
    let is_positive = |factor: &Shape| is_positive(factor, width);
    let here = match shape {
        Shape::Product(_, under) => !under.iter().all(is_positive),
        Shape::Power(base, exponent) => {
            !matches!(**exponent, Shape::Number(_)) && !is_positive(base)
        }
        Shape::SquareRoot(_) | Shape::Log(..) => true,
        Shape::Call(function, _) => match function {
            Function::Min | Function::Max => false,
            Function::Gcd | Function::DigitSum | Function::FloorSum => true,
        },
        Shape::Number(_)
        | Shape::Name(_)
        | Shape::Sum(_)
        | Shape::Floor(_)
        | Shape::Ceiling(_)
        | Shape::Bracket(_)
        | Shape::Total(..) => false,
    };
    here || shape.parts().into_iter().any(|part| may_fail(part, width))
}

fn is_positive(factor: &Shape, width: &str) -> bool {
    match factor {
        Shape::Number(number) => *number > 0.into(),
        Shape::Name(symbol) => symbol.id.kind == SymbolKind::Letter || *symbol.name == *width,
        Shape::Power(base, _) => is_positive(base, width),
        Shape::Product(over, under) => {
            let mut factors = over.iter().chain(under);
            factors.all(|factor| is_positive(factor, width))
        }
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
