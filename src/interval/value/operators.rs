//! Operators on values: exact on known values, else on the ends of their ranges.

use std::cmp::Ordering;

use num_integer::Integer;

use crate::interval::value::{ANY_INT, Value, shown};
use crate::meaning::arithmetic::{self, NoReal};
use crate::meaning::fault::NoValue;
use crate::number::{Real, legible};
use crate::program::Arithmetic;

pub(in crate::interval) fn negate(value: &Value) -> Value {
    match value {
        Value::Int(value) => match value.checked_neg() {
            Some(negated) => Value::Int(negated),
            None => Value::exact(Real::from(*value).negate()),
        },
        Value::Range(low, high) => Value::wide(-i128::from(*high), -i128::from(*low)),
        Value::Exact(value) => Value::exact(value.negate()),
        Value::Float(value) => Value::Float(-value),
        Value::Floats(low, high) => Value::floats(-high, -low),
        Value::AnyFloat => Value::AnyFloat,
    }
}

pub(in crate::interval) fn abs(value: &Value) -> Value {
    match value {
        Value::Int(x) if *x >= 0 => value.clone(),
        Value::Int(_) => negate(value),
        Value::Range(low, _) if *low >= 0 => value.clone(),
        Value::Range(_, high) if *high <= 0 => negate(value),
        Value::Range(low, high) => Value::wide(0, i128::from(*high).max(-i128::from(*low))),
        Value::Exact(x) if x.compare(&0.into()) == Ordering::Less => Value::exact(x.negate()),
        Value::Exact(_) => value.clone(),
        Value::Float(x) => Value::Float(x.abs()),
        Value::Floats(low, _) if *low >= 0.0 => value.clone(),
        Value::Floats(low, high) => Value::floats(0.0, low.abs().max(high.abs())),
        Value::AnyFloat => Value::AnyFloat,
    }
}

/// Computes x ∘ y. Fails only if both are known and the fault is certain.
pub(in crate::interval) fn arithmetic(
    operator: Arithmetic,
    x: &Value,
    y: &Value,
) -> Result<Value, NoValue> {
    if x.is_float() || y.is_float() {
        return Ok(float_arithmetic(operator, x, y));
    }
    if let (Value::Int(a), Value::Int(b)) = (x, y)
        && let Some(result) = arithmetic::of_words(operator, *a, *b)
    {
        return Ok(Value::Int(result));
    }
    if let (Some(a), Some(b)) = (x.to_real(), y.to_real()) {
        return exact_arithmetic(operator, &a, &b).map(Value::exact);
    }
    interval_arithmetic(operator, x.bounds(), y.bounds())
}

fn exact_arithmetic(operator: Arithmetic, x: &Real, y: &Real) -> Result<Real, NoValue> {
    match arithmetic::of_reals(operator, x, y) {
        Ok(value) if !value.is_beyond_measure() => Ok(value),
        Ok(_) | Err(NoReal::TooLarge) => Err(NoValue::Overflow("a value".into())),
        Err(NoReal::DivisionByZero) => Err(NoValue::DivisionByZero),
        Err(NoReal::NegativeRoot) => {
            Err(NoValue::NotIntegral("the root of a negative number".into()))
        }
    }
}

fn interval_arithmetic(
    operator: Arithmetic,
    x: (i64, i64),
    y: (i64, i64),
) -> Result<Value, NoValue> {
    let (a, b) = (i128::from(x.0), i128::from(x.1));
    let (c, d) = (i128::from(y.0), i128::from(y.1));
    // Each operation is monotone in each operand, so its extremes lie at the corners of the box.
    let corners = |f: &dyn Fn(i128, i128) -> i128| {
        let all = [f(a, c), f(a, d), f(b, c), f(b, d)];
        let low = all.iter().min().expect("four corners");
        let high = all.iter().max().expect("four corners");
        Value::wide(*low, *high)
    };
    Ok(match operator {
        Arithmetic::Add => Value::wide(a + c, b + d),
        Arithmetic::Subtract => Value::wide(a - d, b - c),
        Arithmetic::Multiply => corners(&|x, y| x * y),
        Arithmetic::Divide | Arithmetic::FloorDivide | Arithmetic::Modulo if (c, d) == (0, 0) => {
            return Err(NoValue::DivisionByZero);
        }
        Arithmetic::Divide | Arithmetic::FloorDivide if c <= 0 && d >= 0 => {
            // A divisor 0 would be a fault; any other is at least 1 in size.
            let most = a.abs().max(b.abs());
            Value::wide(-most, most)
        }
        Arithmetic::Divide => {
            let (low, _) = corners(&|x, y| Integer::div_floor(&x, &y)).bounds();
            let ceilings = corners(&|x, y| -Integer::div_floor(&-x, &y));
            Value::between(low, ceilings.bounds().1)
        }
        Arithmetic::FloorDivide => corners(&|x, y| Integer::div_floor(&x, &y)),
        // x mod y is x for 0 ≤ x < y. With one divisor and one quotient it moves with x: 33..35 mod
        // 32 is
        // 1..3. Otherwise it lies between 0 and the divisor, on the divisor's side.
        Arithmetic::Modulo if a >= 0 && b < c => Value::wide(a, b),
        Arithmetic::Modulo
            if c == d && Integer::div_floor(&a, &c) == Integer::div_floor(&b, &c) =>
        {
            Value::wide(Integer::mod_floor(&a, &c), Integer::mod_floor(&b, &c))
        }
        Arithmetic::Modulo => Value::wide((c + 1).min(0), (d - 1).max(0)),
        Arithmetic::Power => interval_power((a, b), (c, d)),
    })
}

fn interval_power((a, b): (i128, i128), (c, d): (i128, i128)) -> Value {
    let power = |base: i128, exponent: i128| -> i128 {
        let exponent = u32::try_from(exponent.clamp(0, 127)).expect("clamped");
        base.saturating_pow(exponent)
    };
    if c < 0 {
        // A fraction between 0 and 1 if the base is at least 1; anything otherwise.
        return if a >= 1 {
            Value::wide(0, power(b, d.max(0)).max(1))
        } else {
            ANY_INT
        };
    }
    if a >= 0 {
        let low = if a == 0 { 0 } else { power(a, c) };
        return Value::wide(low, power(b, d).max(1));
    }
    let most = power(a.abs().max(b.abs()), d).max(1);
    Value::wide(-most, most)
}

fn float_arithmetic(operator: Arithmetic, x: &Value, y: &Value) -> Value {
    let apply = |x: f64, y: f64| arithmetic::of_floats(operator, x, y);
    let (Some((a, b)), Some((c, d))) = (x.float_bounds(), y.float_bounds()) else {
        return Value::AnyFloat;
    };
    if x.is_known() && y.is_known() {
        return Value::Float(apply(a, c));
    }
    match operator {
        Arithmetic::Divide if c <= 0.0 && d >= 0.0 => Value::AnyFloat,
        // A power of a negative base is not monotone.
        Arithmetic::Power if a < 0.0 => Value::AnyFloat,
        Arithmetic::FloorDivide | Arithmetic::Modulo => Value::AnyFloat,
        Arithmetic::Add
        | Arithmetic::Subtract
        | Arithmetic::Multiply
        | Arithmetic::Divide
        | Arithmetic::Power => {
            let corners = [apply(a, c), apply(a, d), apply(b, c), apply(b, d)];
            if corners.iter().any(|corner| corner.is_nan()) {
                return Value::AnyFloat;
            }
            let low = corners.iter().copied().fold(f64::INFINITY, f64::min);
            let high = corners.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if operator == Arithmetic::Power {
                // The last bit of a power may break monotony.
                return Value::floats(low * (1.0 - 1e-12), high * (1.0 + 1e-12));
            }
            Value::floats(low, high)
        }
    }
}

/// Computes ⌊x⌋.
pub(in crate::interval) fn floor(value: &Value) -> Result<Value, NoValue> {
    match value {
        Value::Int(_) | Value::Range(..) => Ok(value.clone()),
        Value::Exact(value) => Ok(Value::exact(value.floor().into())),
        Value::Float(_) | Value::Floats(..) | Value::AnyFloat => rounded(value, f64::floor),
    }
}

/// Computes ⌈x⌉.
pub(in crate::interval) fn ceil(value: &Value) -> Result<Value, NoValue> {
    match value {
        Value::Int(_) | Value::Range(..) => Ok(value.clone()),
        Value::Exact(value) => Ok(Value::exact(value.ceil().into())),
        Value::Float(_) | Value::Floats(..) | Value::AnyFloat => rounded(value, f64::ceil),
    }
}

/// Rounds a float to an int, which must fit a word.
fn rounded(value: &Value, round: fn(f64) -> f64) -> Result<Value, NoValue> {
    const WORDS: f64 = 9_223_372_036_854_775_808.0;
    let fits = |x: f64| (-WORDS..WORDS).contains(&x);
    match value.float_bounds() {
        Some((low, high)) if low == high && !fits(round(low)) => {
            Err(NoValue::Overflow(legible(&round(low)).into()))
        }
        // The conversion stops at the ends of a word; beyond them would be a fault.
        Some((low, high)) => Ok(Value::between(round(low) as i64, round(high) as i64)),
        None if value.is_known() => Err(NoValue::Overflow(shown(value).into())),
        None => Ok(ANY_INT),
    }
}
