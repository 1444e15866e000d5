//! Numbers and conditions over the words of the host, as far as they are known.

use crate::interval::host::Host;
use crate::interval::value::{self, Truth, Value, mixed};
use crate::meaning::launch::fold::{self, Folded};
use crate::program::{Arithmetic, Condition, ConditionKind, Number, NumberKind, Unary};

impl Host<'_, '_> {
    pub(super) fn test(&self, condition: &Condition<fold::Launched>) -> Truth {
        match &condition.kind {
            ConditionKind::Only(Folded::Known(holds)) => (*holds).into(),
            ConditionKind::Only(Folded::Left(nothing)) => match *nothing {},
            ConditionKind::And(left, right) => self.test(left).and(self.test(right)),
            ConditionKind::Or(left, right) => self.test(left).or(self.test(right)),
            ConditionKind::Not(inner) => self.test(inner).not(),
            ConditionKind::Compare {
                operands,
                operators,
            } => {
                let values: Vec<Value> = operands.iter().map(|expr| self.number(expr)).collect();
                let mut truth = Truth::True;
                for (operator, pair) in operators.iter().zip(values.windows(2)) {
                    let held = value::compare(*operator, &pair[0], &pair[1]);
                    truth = truth.and(held.unwrap_or(Truth::Maybe));
                }
                truth
            }
        }
    }

    /// Evaluates a number of the host. A faulty operation may give any value.
    pub(super) fn number(&self, expr: &Number<fold::Launched>) -> Value {
        let floor_quotient = |left: &Value, right: &Number<fold::Launched>| {
            let quotient = value::arithmetic(Arithmetic::FloorDivide, left, &self.number(right));
            quotient.unwrap_or(Value::AnyFloat)
        };
        let result = match &expr.kind {
            NumberKind::Only(Folded::Known(value)) => Ok(value.into()),
            NumberKind::Only(Folded::Left(nothing)) => match *nothing {},
            NumberKind::Integer(value) => Ok(Value::exact(value.clone().into())),
            NumberKind::Float(value) => Ok(Value::Float(*value)),
            NumberKind::Word(word) => {
                let at = word.variable.0 as usize;
                let known = self.state.summaries.get(at);
                Ok(known.unwrap_or(&self.fixed.declared[at]).clone())
            }
            NumberKind::Binary {
                operator,
                left,
                right,
            } => value::arithmetic(*operator, &self.number(left), &self.number(right)),
            NumberKind::Unary { operation, operand } => {
                match (operation, operand.exact_quotient()) {
                    (Unary::Floor, Some((left, right))) => {
                        Ok(floor_quotient(&self.number(left), right))
                    }
                    // ⌈x/y⌉ = −⌊−x/y⌋
                    (Unary::Ceil, Some((left, right))) => {
                        let left = value::negate(&self.number(left));
                        Ok(value::negate(&floor_quotient(&left, right)))
                    }
                    _ => value::unary(*operation, &self.number(operand)),
                }
            }
            NumberKind::Pair {
                function,
                left,
                right,
            } => value::pair(*function, &self.number(left), &self.number(right)),
            NumberKind::Extreme { extreme, arguments } => {
                let values = arguments.iter().map(|expr| self.number(expr));
                let best = values.reduce(|x, y| value::extremum(*extreme, &x, &y));
                Ok(best.unwrap_or(value::ANY_INT))
            }
            NumberKind::Select {
                condition,
                then,
                otherwise,
            } => {
                let (then, otherwise) = (self.number(then), self.number(otherwise));
                Ok(match self.test(condition) {
                    Truth::True => mixed(&then, &otherwise),
                    Truth::False => mixed(&otherwise, &then),
                    Truth::Maybe => mixed(&then, &otherwise).join(&mixed(&otherwise, &then)),
                })
            }
            NumberKind::Bracket(condition) => Ok(self.test(condition).into()),
            NumberKind::Parameter(_) => Ok(value::ANY_INT),
        };
        result.unwrap_or(Value::AnyFloat)
    }
}
