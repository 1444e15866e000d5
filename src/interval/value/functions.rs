//! Functions of values: exact on known values, else on the ends of their ranges.

use std::cmp::Ordering;

use crate::interval::value::operators::{abs, ceil, floor, negate};
use crate::interval::value::{Value, clamp, shown};
use crate::meaning::arithmetic;
use crate::meaning::fault::NoValue;
use crate::meaning::value::Value as Known;
use crate::number::Real;
use crate::program::{BitFunction, Extreme, MathFunction, PairFunction, Unary};

/// Returns the value of an operation on one number. It may have none, and then any value may stand for it.
pub(in crate::interval) fn unary(operation: Unary, of: &Value) -> Result<Value, NoValue> {
    match operation {
        Unary::Negate => Ok(negate(of)),
        Unary::Ceil => ceil(of),
        Unary::Floor => floor(of),
        Unary::Abs => Ok(abs(of)),
        Unary::Math(function) => math(function, of),
    }
}

/// Returns the value of a function of two numbers.
pub(in crate::interval) fn pair(
    function: PairFunction,
    left: &Value,
    right: &Value,
) -> Result<Value, NoValue> {
    match function {
        PairFunction::Bits(function) => bits(function, left, right),
        PairFunction::Log => log(left, right),
    }
}

/// Returns the smaller or the larger of two values.
pub(in crate::interval) fn extremum(extreme: Extreme, x: &Value, y: &Value) -> Value {
    let larger = extreme == Extreme::Max;
    if x.is_float() || y.is_float() {
        let pick = if larger {
            arithmetic::float_maximum
        } else {
            arithmetic::float_minimum
        };
        return match (x.float_bounds(), y.float_bounds()) {
            (Some((a, b)), Some((c, d))) => Value::floats(pick(a, c), pick(b, d)),
            _ => Value::AnyFloat,
        };
    }
    if let (Some(a), Some(b)) = (x.to_real(), y.to_real()) {
        let first = (a.compare(&b) == Ordering::Greater) == larger;
        return if first { x.clone() } else { y.clone() };
    }
    let ((a, b), (c, d)) = (x.bounds(), y.bounds());
    if larger {
        Value::between(a.max(c), b.max(d))
    } else {
        Value::between(a.min(c), b.min(d))
    }
}

fn math(function: MathFunction, value: &Value) -> Result<Value, NoValue> {
    if !value.is_float() && function == MathFunction::Sqrt {
        return match value.to_real() {
            Some(real) => match real.sqrt() {
                Some(root) => Ok(Value::exact(root)),
                None => Err(NoValue::NotIntegral("the root of a negative number".into())),
            },
            None => {
                let (_, high) = value.bounds();
                let root = Real::from(high.max(0)).sqrt();
                Ok(Value::between(
                    0,
                    root.map_or(i64::MAX, |root| clamp(root.ceil())),
                ))
            }
        };
    }
    let apply = |x: f64| arithmetic::float_math(function, x);
    Ok(match (value.float_bounds(), function) {
        (Some((x, _)), _) if value.is_known() => Value::Float(apply(x)),
        (Some(_), MathFunction::Sin | MathFunction::Cos) => Value::Floats(-1.0, 1.0),
        (Some((low, high)), MathFunction::Sqrt) => Value::floats(apply(low), apply(high)),
        (Some((low, high)), MathFunction::Exp | MathFunction::Ln) => {
            let (low, high) = (apply(low), apply(high));
            // The library's function may break monotony in the last bit, so the ends get some
            // slack.
            let slack = |x: f64| x.abs() * 1e-12;
            Value::floats(low - slack(low), high + slack(high))
        }
        (None, _) => Value::AnyFloat,
    })
}

fn log(base: &Value, argument: &Value) -> Result<Value, NoValue> {
    if let (Some(base), Some(argument)) = (base.to_real(), argument.to_real()) {
        return match argument.log(&base) {
            Some(log) => Ok(Value::exact(log)),
            None => Err(NoValue::NotIntegral(
                "a logarithm that does not exist".into(),
            )),
        };
    }
    if base.is_known()
        && argument.is_known()
        && let (Some((base, _)), Some((argument, _))) =
            (base.float_bounds(), argument.float_bounds())
    {
        return Ok(Value::Float(arithmetic::float_log(base, argument)));
    }
    Ok(Value::AnyFloat)
}

fn bits(function: BitFunction, x: &Value, y: &Value) -> Result<Value, NoValue> {
    for operand in [x, y] {
        if let Value::Exact(_) = operand {
            return Err(NoValue::NotIntegral(shown(operand).into()));
        }
        if let Value::Int(value) = operand
            && *value < 0
        {
            return Err(NoValue::NegativeBits(value.to_string().into()));
        }
    }
    let ((a, b), (c, d)) = (x.bounds(), y.bounds());
    let (a, b, c, d) = (a.max(0), b.max(0), c.max(0), d.max(0));
    let shift_left = |x: i64, bits: i64| match u32::try_from(bits) {
        _ if x == 0 => Some(0),
        Ok(bits) if bits < 63 => x.checked_mul(1 << bits),
        Ok(_) | Err(_) => None,
    };
    let shift_right = |x: i64, bits: i64| if bits > 62 { 0 } else { x >> bits };
    if x.is_known() && y.is_known() {
        let beyond = || NoValue::Overflow("a value".into());
        return match arithmetic::bits_of_words(function, a, c).ok_or_else(beyond)? {
            Known::Whole(whole) => Ok(Value::Int(whole)),
            beyond => Ok(Value::exact(beyond.to_real())),
        };
    }
    // `x or y` may have any bits below the highest bit of either: at most 7 for values up to 5.
    let all_ones = |value: i64| i64::MAX.checked_shr(value.leading_zeros() - 1).unwrap_or(0);
    Ok(match function {
        BitFunction::And => Value::between(0, b.min(d)),
        BitFunction::Or => Value::between(a.max(c), all_ones(b.max(d))),
        BitFunction::Xor => Value::between(0, all_ones(b.max(d))),
        BitFunction::ShiftRight => Value::between(shift_right(a, d), shift_right(b, c)),
        BitFunction::ShiftLeft => Value::between(
            shift_left(a, c).unwrap_or(i64::MAX),
            shift_left(b, d).unwrap_or(i64::MAX),
        ),
    })
}
