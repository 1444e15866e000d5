//! Numbers and conditions over the words of the host, as far as they are known.

use crate::interval::host::Host;
use crate::interval::value::{self, Truth, Value, mixed};
use crate::meaning::launch::fold::{self, Folded};
use crate::program::{Arithmetic, Condition, ConditionKind, Number, NumberKind};

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
        let extreme = |arguments: &[Number<fold::Launched>], larger| {
            let values = arguments.iter().map(|expr| self.number(expr));
            let best = values.reduce(|x, y| value::extremum(&x, &y, larger));
            Ok(best.unwrap_or(value::ANY_INT))
        };
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
            NumberKind::Negate(inner) => Ok(value::negate(&self.number(inner))),
            NumberKind::Binary {
                operator,
                left,
                right,
            } => value::arithmetic(*operator, &self.number(left), &self.number(right)),
            NumberKind::Floor(inner) => match inner.exact_quotient() {
                Some((left, right)) => Ok(floor_quotient(&self.number(left), right)),
                None => value::floor(&self.number(inner)),
            },
            NumberKind::Ceil(inner) => match inner.exact_quotient() {
                // ⌈x/y⌉ = −⌊−x/y⌋
                Some((left, right)) => {
                    let left = value::negate(&self.number(left));
                    Ok(value::negate(&floor_quotient(&left, right)))
                }
                None => value::ceil(&self.number(inner)),
            },
            NumberKind::Abs(inner) => Ok(value::abs(&self.number(inner))),
            NumberKind::Min(arguments) => extreme(arguments, false),
            NumberKind::Max(arguments) => extreme(arguments, true),
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
            NumberKind::Math { function, argument } => {
                value::math(*function, &self.number(argument))
            }
            NumberKind::Bits {
                function,
                left,
                right,
            } => value::bits(*function, &self.number(left), &self.number(right)),
            NumberKind::Log { base, argument } => {
                value::log(&self.number(base), &self.number(argument))
            }
            NumberKind::Bracket(condition) => Ok(self.test(condition).into()),
            NumberKind::Parameter(_) => Ok(value::ANY_INT),
        };
        result.unwrap_or(Value::AnyFloat)
    }
}
