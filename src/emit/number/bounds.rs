//! Between which values numbers lie, as far as their form tells: enough to know where C's own
//! division is floor division.

use crate::emit::number::Numbers;
use crate::meaning::value::Value;
use crate::program::{
    Arithmetic, Comparison, Condition, ConditionKind, Extreme, Number, NumberKind, PairFunction,
    Place, Type, Unary,
};

/// The values between two ends, each known or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Bounds {
    pub low: Option<i64>,
    pub high: Option<i64>,
}

impl Bounds {
    pub(crate) fn of(value: i64) -> Bounds {
        Bounds {
            low: Some(value),
            high: Some(value),
        }
    }

    pub(crate) fn from(low: i64) -> Bounds {
        Bounds {
            low: Some(low),
            high: None,
        }
    }

    pub(crate) fn between(low: Option<i64>, high: Option<i64>) -> Bounds {
        Bounds { low, high }
    }

    pub(crate) fn is_at_least(self, value: i64) -> bool {
        self.low.is_some_and(|low| low >= value)
    }
}

impl Numbers<'_> {
    /// Between which values a number lies.
    pub(crate) fn bounds_of<P: Place>(&self, number: &Number<P>) -> Bounds {
        if number.ty == Type::Float {
            return Bounds::default();
        }
        let of = |number: &Number<P>| self.bounds_of(number);
        match &number.kind {
            NumberKind::Integer(value) => i64::try_from(value).map(Bounds::of).unwrap_or_default(),
            NumberKind::Float(_) | NumberKind::Only(_) => Bounds::default(),
            NumberKind::Parameter(id) => self.bounds.get(id).copied().unwrap_or_default(),
            NumberKind::Word(word) => {
                let range = &self.program.variable(word.variable).range;
                let Some((low, high)) = range else {
                    return Bounds::default();
                };
                Bounds::between(self.bounds_of(low).low, self.bounds_of(high).high)
            }
            NumberKind::Unary { operation, operand } => match operation {
                Unary::Negate => {
                    let inner = of(operand);
                    let negated = |end: Option<i64>| end.and_then(i64::checked_neg);
                    Bounds::between(negated(inner.high), negated(inner.low))
                }
                // Ends are whole numbers already.
                Unary::Ceil | Unary::Floor => of(operand),
                Unary::Abs | Unary::Math(_) => Bounds::from(0),
            },
            NumberKind::Binary {
                operator,
                left,
                right,
            } => of_binary(*operator, of(left), of(right)),
            NumberKind::Extreme { extreme, arguments } => {
                let all: Vec<Bounds> = arguments.iter().map(of).collect();
                of_extreme(*extreme, &all)
            }
            NumberKind::Select {
                then, otherwise, ..
            } => {
                let (x, y) = (of(then), of(otherwise));
                let low = x.low.zip(y.low).map(|(x, y)| x.min(y));
                Bounds::between(low, x.high.zip(y.high).map(|(x, y)| x.max(y)))
            }
            NumberKind::Pair {
                function: PairFunction::Bits(_),
                ..
            } => Bounds::from(0),
            NumberKind::Pair {
                function: PairFunction::Log,
                left,
                right,
            } => match self.constant(number) {
                Some(Value::Whole(whole)) => Bounds::of(whole),
                _ if of(left).is_at_least(2) && of(right).is_at_least(1) => Bounds::from(0),
                _ => Bounds::default(),
            },
            NumberKind::Bracket(_) => Bounds::between(Some(0), Some(1)),
        }
    }

    /// Takes in what a requirement says of one parameter.
    pub(crate) fn suppose<P: Place>(&mut self, condition: &Condition<P>) {
        match &condition.kind {
            ConditionKind::And(left, right) => {
                self.suppose(left);
                self.suppose(right);
            }
            ConditionKind::Compare {
                operands,
                operators,
            } => {
                for (operator, pair) in operators.iter().zip(operands.windows(2)) {
                    self.suppose_order(*operator, &pair[0], &pair[1]);
                }
            }
            ConditionKind::Or(..) | ConditionKind::Not(_) | ConditionKind::Only(_) => {}
        }
    }

    fn suppose_order<P: Place>(&mut self, relation: Comparison, x: &Number<P>, y: &Number<P>) {
        let (of, low) = match relation {
            Comparison::AtLeast | Comparison::Equal => (x, self.bounds_of(y).low),
            Comparison::Greater => (x, self.bounds_of(y).low.and_then(|low| low.checked_add(1))),
            Comparison::AtMost => (y, self.bounds_of(x).low),
            Comparison::Less => (y, self.bounds_of(x).low.and_then(|low| low.checked_add(1))),
            Comparison::PowerOf => (x, Some(1)),
            Comparison::NotEqual | Comparison::Divides => return,
        };
        if let (NumberKind::Parameter(id), Some(low)) = (&of.kind, low) {
            let bounds = self.bounds.entry(*id).or_default();
            bounds.low = Some(bounds.low.map_or(low, |known| known.max(low)));
        }
    }
}

fn of_extreme(extreme: Extreme, all: &[Bounds]) -> Bounds {
    let (lows, highs) = (
        all.iter().map(|one| one.low),
        all.iter().map(|one| one.high),
    );
    match extreme {
        Extreme::Min => {
            let low = lows.collect::<Option<Vec<_>>>();
            Bounds::between(
                low.and_then(|low| low.into_iter().min()),
                highs.flatten().min(),
            )
        }
        Extreme::Max => {
            let high = highs.collect::<Option<Vec<_>>>();
            Bounds::between(
                lows.flatten().max(),
                high.and_then(|high| high.into_iter().max()),
            )
        }
    }
}

fn of_binary(operator: Arithmetic, x: Bounds, y: Bounds) -> Bounds {
    let both = |x: Option<i64>, y: Option<i64>, join: fn(i64, i64) -> Option<i64>| {
        x.zip(y).and_then(|(x, y)| join(x, y))
    };
    let are_natural = x.is_at_least(0) && y.is_at_least(0);
    match operator {
        Arithmetic::Add => Bounds::between(
            both(x.low, y.low, i64::checked_add),
            both(x.high, y.high, i64::checked_add),
        ),
        Arithmetic::Subtract => Bounds::between(
            both(x.low, y.high, i64::checked_sub),
            both(x.high, y.low, i64::checked_sub),
        ),
        Arithmetic::Multiply if are_natural => Bounds::between(
            both(x.low, y.low, i64::checked_mul),
            both(x.high, y.high, i64::checked_mul),
        ),
        Arithmetic::Divide | Arithmetic::FloorDivide if x.is_at_least(0) && y.is_at_least(1) => {
            Bounds::between(Some(0), x.high)
        }
        Arithmetic::Modulo if y.is_at_least(1) => Bounds::between(Some(0), y.high),
        Arithmetic::Power if x.is_at_least(1) && y.is_at_least(0) => Bounds::from(1),
        Arithmetic::Multiply
        | Arithmetic::Divide
        | Arithmetic::FloorDivide
        | Arithmetic::Modulo
        | Arithmetic::Power => Bounds::default(),
    }
}
