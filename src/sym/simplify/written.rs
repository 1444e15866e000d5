//! Whether a form has a value as it is written: part for part, wherever the facts hold. Beside a bracket as a factor it
//! has to have one only where that holds.

use crate::sym::facts::knowledge::Facts;
use crate::sym::print::Printer;
use crate::sym::shape::{Condition, Function, Shape};
use crate::sym::simplify::domain;
use crate::sym::{Cond, Expr, Symbol};

/// Whether the shape has a value as `printer` has written it.
pub(crate) fn has_value(facts: &Facts, printer: &Printer, shape: &Shape) -> bool {
    Written { printer }.shape(facts, shape)
}

struct Written<'p> {
    printer: &'p Printer,
}

impl Written<'_> {
    fn shape(&self, facts: &Facts, shape: &Shape) -> bool {
        let read = |part: &Shape| self.printer.read(part);
        let has = |part: &Shape| self.shape(facts, part);
        let all = |parts: &[Shape]| parts.iter().all(has);
        match shape {
            Shape::Number(_) | Shape::Name(_) => true,
            Shape::Sum(terms) => terms.iter().all(|(_, term)| has(term)),
            Shape::Product(over, under) => self.product(facts, over, under),
            Shape::Floor(x) | Shape::Ceiling(x) => has(x),
            Shape::SquareRoot(x) => {
                let x_read = read(x);
                has(x) && domain::no_less(facts, &x_read, 0) == x_read
            }
            Shape::Power(base, exponent) => {
                let base_read = read(base);
                let keeps = domain::power_base(facts, &base_read, &read(exponent)) == base_read;
                has(base) && has(exponent) && keeps
            }
            Shape::Log(base, x) => {
                let [base_read, x_read] = [base, x].map(|part| read(part));
                has(base)
                    && has(x)
                    && domain::log_base(facts, &base_read) == base_read
                    && domain::log_argument(facts, &x_read) == x_read
            }
            Shape::Call(function, items) => {
                all(items)
                    && takes(
                        facts,
                        *function,
                        &items.iter().map(read).collect::<Vec<_>>(),
                    )
            }
            Shape::Bracket(condition) => self.condition(facts, condition),
            Shape::Total(variable, low, high, body) => {
                let inside = self.within(facts, variable, low, high);
                has(low) && has(high) && self.shape(&inside, body)
            }
        }
    }

    /// All factors, and no divisor that may be 0: where all brackets hold, which are asked first.
    fn product(&self, facts: &Facts, over: &[Shape], under: &[Shape]) -> bool {
        let (brackets, others): (Vec<&Shape>, Vec<&Shape>) = over
            .iter()
            .partition(|factor| matches!(factor, Shape::Bracket(_)));
        if !brackets.iter().all(|bracket| self.shape(facts, bracket)) {
            return false;
        }
        let have_value = |facts: &Facts| {
            let is_divisor = |factor: &Shape| {
                let divisor = self.printer.read(factor);
                self.shape(facts, factor) && domain::divisor(facts, facts, &divisor) == divisor
            };
            others.iter().all(|factor| self.shape(facts, factor)) && under.iter().all(is_divisor)
        };
        let asked = || {
            brackets
                .iter()
                .fold(facts.clone(), |facts, bracket| match bracket {
                    Shape::Bracket(condition) => facts.with(&self.printer.read_cond(condition)),
                    _ => facts,
                })
        };
        have_value(facts) || !brackets.is_empty() && have_value(&asked())
    }

    fn condition(&self, facts: &Facts, condition: &Condition) -> bool {
        condition
            .parts()
            .into_iter()
            .all(|part| self.shape(facts, part))
    }

    fn within(&self, facts: &Facts, variable: &Symbol, low: &Shape, high: &Shape) -> Facts {
        let [low, high] = [low, high].map(|end| self.printer.read(end));
        let value = Expr::symbol(variable);
        let above = facts.with(&Cond::ge(&value, &low));
        above.with(&Cond::le(&value, &high))
    }
}

/// Whether a function has a value for these operands.
fn takes(facts: &Facts, function: Function, items: &[Expr]) -> bool {
    let is_whole = |x: &Expr| facts.is_integer(x);
    match (function, items) {
        (Function::Min | Function::Max, _) => true,
        (Function::Gcd, items) => items.iter().all(is_whole),
        (Function::DigitSum, [x, base]) => {
            let at_least = |x: &Expr, least| domain::no_less(facts, x, least) == *x;
            is_whole(x) && is_whole(base) && at_least(x, 0) && at_least(base, 2)
        }
        (Function::FloorSum, [n, _, _, m]) => {
            domain::number_of_terms(facts, n) == *n && domain::divisor(facts, facts, m) == *m
        }
        (Function::DigitSum | Function::FloorSum, _) => false,
    }
}
