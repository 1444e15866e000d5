//! Between which values numbers lie, as far as their form tells: enough to know where C's own
//! division is floor division, and which numbers have room in 32 bits.

use crate::emit::number::Numbers;
use crate::meaning::value::Value;
use crate::program::{
    Arithmetic, BitFunction, Comparison, Condition, ConditionKind, Extreme, Number, NumberKind,
    PairFunction, Place, Type, Unary,
};

/// The first and the last value that something of 32 bits has here: one more step of a loop must fit, and an opposite.
pub(crate) const SHORT_ENDS: (i64, i64) = (-(i32::MAX as i64 - 1), i32::MAX as i64 - 1);

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

    /// Both ends, where all values have room in 32 bits.
    pub(crate) fn short(self) -> Option<(i64, i64)> {
        let (low, high) = (self.low?, self.high?);
        (SHORT_ENDS.0 <= low && high <= SHORT_ENDS.1).then_some((low, high))
    }

    /// The values between the outer ends of both.
    pub(crate) fn joined(self, other: Bounds) -> Bounds {
        let low = self.low.zip(other.low).map(|(x, y)| x.min(y));
        Bounds::between(low, self.high.zip(other.high).map(|(x, y)| x.max(y)))
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
            NumberKind::Unary { operation, operand } => of_unary(*operation, of(operand)),
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
            } => of(then).joined(of(otherwise)),
            NumberKind::Pair {
                function: PairFunction::Bits(function),
                left,
                right,
            } => Bounds::between(Some(0), of_bits(*function, of(left).high, of(right).high)),
            NumberKind::Pair {
                function: PairFunction::Log,
                left,
                right,
            } => match self.constant(number) {
                Some(Value::Whole(whole)) => Bounds::of(whole),
                _ if of(left).is_at_least(2) && of(right).is_at_least(1) => {
                    Bounds::between(Some(0), of_log(of(left).low, of(right).high))
                }
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
        let (of_x, of_y) = (self.bounds_of(x), self.bounds_of(y));
        let next = |low: Option<i64>| low.and_then(|low| low.checked_add(1));
        let before = |high: Option<i64>| high.and_then(|high| high.checked_sub(1));
        match relation {
            Comparison::AtLeast => self.suppose_at_least(x, of_y.low),
            Comparison::Greater => self.suppose_at_least(x, next(of_y.low)),
            Comparison::AtMost => self.suppose_at_least(y, of_x.low),
            Comparison::Less => self.suppose_at_least(y, next(of_x.low)),
            Comparison::Equal => self.suppose_at_least(x, of_y.low),
            Comparison::PowerOf => self.suppose_at_least(x, Some(1)),
            Comparison::NotEqual | Comparison::Divides => {}
        }
        match relation {
            Comparison::AtMost | Comparison::Equal => self.suppose_at_most(x, of_y.high),
            Comparison::Less => self.suppose_at_most(x, before(of_y.high)),
            Comparison::AtLeast => self.suppose_at_most(y, of_x.high),
            Comparison::Greater => self.suppose_at_most(y, before(of_x.high)),
            Comparison::PowerOf | Comparison::NotEqual | Comparison::Divides => {}
        }
    }

    fn suppose_at_least<P: Place>(&mut self, of: &Number<P>, low: Option<i64>) {
        if let (NumberKind::Parameter(id), Some(low)) = (&of.kind, low) {
            let bounds = self.bounds.entry(*id).or_default();
            bounds.low = Some(bounds.low.map_or(low, |known| known.max(low)));
        }
    }

    fn suppose_at_most<P: Place>(&mut self, of: &Number<P>, high: Option<i64>) {
        if let (NumberKind::Parameter(id), Some(high)) = (&of.kind, high) {
            let bounds = self.bounds.entry(*id).or_default();
            bounds.high = Some(bounds.high.map_or(high, |known| known.min(high)));
        }
    }
}

fn of_unary(operation: Unary, of: Bounds) -> Bounds {
    match operation {
        Unary::Negate => {
            let negated = |end: Option<i64>| end.and_then(i64::checked_neg);
            Bounds::between(negated(of.high), negated(of.low))
        }
        // Ends are whole numbers already.
        Unary::Ceil | Unary::Floor => of,
        Unary::Abs => {
            let ends = of.low.zip(of.high);
            let high = ends.and_then(|(x, y)| Some(x.checked_abs()?.max(y.checked_abs()?)));
            Bounds::between(Some(0), high)
        }
        Unary::Math(_) => Bounds::between(Some(0), of_root(of.high)),
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
        // The whole number above a quotient, as it may be rounded up.
        Arithmetic::Divide if x.is_at_least(0) && y.is_at_least(1) => {
            let quotient = |x: i64, y: i64| Some(x / y + i64::from(x % y != 0));
            Bounds::between(Some(0), both(x.high, y.low, quotient))
        }
        Arithmetic::FloorDivide if x.is_at_least(0) && y.is_at_least(1) => {
            Bounds::between(Some(0), both(x.high, y.low, i64::checked_div))
        }
        // A rest of fractions may be above y - 1.
        Arithmetic::Modulo if y.is_at_least(1) => Bounds::between(Some(0), y.high),
        Arithmetic::Power if x.is_at_least(1) && y.is_at_least(0) => {
            let power = |x: i64, y: i64| x.checked_pow(u32::try_from(y).ok()?);
            let low = both(x.low, y.low, power).unwrap_or(1);
            Bounds::between(Some(low), both(x.high, y.high, power))
        }
        Arithmetic::Multiply => of_product(x, y).unwrap_or_default(),
        Arithmetic::Divide | Arithmetic::FloorDivide | Arithmetic::Modulo | Arithmetic::Power => {
            Bounds::default()
        }
    }
}

/// A product of numbers of either sign.
fn of_product(x: Bounds, y: Bounds) -> Option<Bounds> {
    let (x, y) = ([x.low?, x.high?], [y.low?, y.high?]);
    let ends = x.iter().flat_map(|x| y.iter().map(|y| x.checked_mul(*y)));
    let ends = ends.collect::<Option<Vec<i64>>>()?;
    Some(Bounds::between(
        ends.iter().min().copied(),
        ends.iter().max().copied(),
    ))
}

/// The most that a function of bits gives, of numbers from 0 to these.
fn of_bits(function: BitFunction, x: Option<i64>, y: Option<i64>) -> Option<i64> {
    let all_ones = |x: i64| {
        (x.max(0) as u64)
            .checked_add(1)?
            .checked_next_power_of_two()
    };
    match function {
        BitFunction::And => x.into_iter().chain(y).min(),
        BitFunction::Or | BitFunction::Xor => {
            let ones = all_ones(x?.max(y?))? - 1;
            i64::try_from(ones).ok()
        }
        BitFunction::ShiftLeft => {
            let power = 1i64.checked_shl(u32::try_from(y?).ok()?)?;
            x?.checked_mul(power).filter(|_| power > 0)
        }
        BitFunction::ShiftRight => x,
    }
}

/// A whole number that no root of numbers up to this is above.
fn of_root(high: Option<i64>) -> Option<i64> {
    let high = high.filter(|high| *high >= 0)?;
    Some((high as u64).isqrt() as i64 + 1)
}

/// A whole number that no logarithm of numbers up to this is above, to bases from this on.
fn of_log(base: Option<i64>, high: Option<i64>) -> Option<i64> {
    let (base, high) = (base?, high?.max(1));
    high.checked_ilog(base).map(|log| i64::from(log) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_those_of_what_is_computed() {
        let upto = |high| Bounds::between(Some(0), Some(high));
        let one_to = |high| Bounds::between(Some(1), Some(high));
        for (operator, x, y, ends) in [
            (Arithmetic::Divide, upto(100), Bounds::of(32), upto(4)),
            (Arithmetic::FloorDivide, upto(100), Bounds::of(32), upto(3)),
            (Arithmetic::Modulo, upto(100), Bounds::of(32), upto(32)),
            (Arithmetic::Power, Bounds::of(2), upto(30), one_to(1 << 30)),
            (Arithmetic::Power, Bounds::of(2), upto(63), Bounds::from(1)),
            (
                Arithmetic::Power,
                Bounds::of(3),
                one_to(2),
                Bounds::between(Some(3), Some(9)),
            ),
            (
                Arithmetic::Multiply,
                upto(1 << 32),
                upto(1 << 32),
                Bounds::from(0),
            ),
        ] {
            assert_eq!(of_binary(operator, x, y), ends, "{operator:?}");
        }
        let log = |base, high| of_log(Some(base), Some(high));
        assert_eq!(
            (log(2, 1), log(2, 1024), log(3, 80)),
            (Some(1), Some(11), Some(4))
        );
        assert_eq!((of_root(Some(16)), of_root(Some(-1))), (Some(5), None));
        for (function, x, y, most) in [
            (BitFunction::And, 12, 5, 5),
            (BitFunction::Or, 12, 5, 15),
            (BitFunction::Xor, 16, 5, 31),
            (BitFunction::ShiftLeft, 3, 4, 48),
            (BitFunction::ShiftRight, 9, 1, 9),
        ] {
            assert_eq!(
                of_bits(function, Some(x), Some(y)),
                Some(most),
                "{function:?}"
            );
        }
        assert_eq!(of_bits(BitFunction::ShiftLeft, Some(1), Some(63)), None);
    }
}
