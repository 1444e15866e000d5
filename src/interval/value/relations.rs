//! Relations between values: decided if all of their members agree.

use crate::interval::value::{Truth, Value, shown};
use crate::meaning::arithmetic;
use crate::meaning::fault::NoValue;
use crate::number::Real;
use crate::number::theory;
use crate::syntax::ast::Comparison;

/// Decides one comparison of a chain, if it can be decided.
pub(in crate::interval) fn compare(
    operator: Comparison,
    x: &Value,
    y: &Value,
) -> Result<Truth, NoValue> {
    match operator {
        Comparison::Divides | Comparison::PowerOf => return relate_whole(operator, x, y),
        Comparison::Equal
        | Comparison::NotEqual
        | Comparison::Less
        | Comparison::AtMost
        | Comparison::Greater
        | Comparison::AtLeast => {}
    }
    if x.is_float() || y.is_float() {
        return Ok(compare_floats(operator, x, y));
    }
    if let (Some(a), Some(b)) = (x.to_real(), y.to_real()) {
        let ordering = match (x, y) {
            (Value::Int(a), Value::Int(b)) => a.cmp(b),
            _ => a.compare(&b),
        };
        return Ok(arithmetic::holds(operator, Some(ordering)).into());
    }
    let ((a, b), (c, d)) = (x.bounds(), y.bounds());
    Ok(compare_intervals(operator, (a, b), (c, d)))
}

/// Decides a comparison of any member of one interval with any member of another.
pub(in crate::interval) fn compare_intervals<T: PartialOrd + Copy>(
    operator: Comparison,
    (a, b): (T, T),
    (c, d): (T, T),
) -> Truth {
    let less = if b < c {
        Truth::True
    } else if a >= d {
        Truth::False
    } else {
        Truth::Maybe
    };
    let at_most = if b <= c {
        Truth::True
    } else if a > d {
        Truth::False
    } else {
        Truth::Maybe
    };
    let equal = if b < c || d < a {
        Truth::False
    } else if a == b && c == d && a == c {
        Truth::True
    } else {
        Truth::Maybe
    };
    match operator {
        Comparison::Less => less,
        Comparison::AtLeast => less.not(),
        Comparison::AtMost => at_most,
        Comparison::Greater => at_most.not(),
        Comparison::Equal => equal,
        Comparison::NotEqual => equal.not(),
        Comparison::Divides | Comparison::PowerOf => Truth::Maybe,
    }
}

fn compare_floats(operator: Comparison, x: &Value, y: &Value) -> Truth {
    let is_nan = |value: &Value| matches!(value, Value::Float(value) if value.is_nan());
    if is_nan(x) || is_nan(y) {
        return (operator == Comparison::NotEqual).into();
    }
    match (x.float_bounds(), y.float_bounds()) {
        (Some(x), Some(y)) => compare_intervals(operator, x, y),
        _ => Truth::Maybe,
    }
}

fn relate_whole(operator: Comparison, x: &Value, y: &Value) -> Result<Truth, NoValue> {
    let (Some(a), Some(b)) = (x.to_real(), y.to_real()) else {
        return Ok(Truth::Maybe);
    };
    let whole = |real: &Real, value: &Value| {
        real.to_integer()
            .ok_or_else(|| NoValue::NotIntegral(shown(value).into()))
    };
    let (a, b) = (whole(&a, x)?, whole(&b, y)?);
    Ok(if operator == Comparison::Divides {
        theory::divides(&a, &b)
    } else {
        theory::is_power_of(&a, &b)
    }
    .into())
}
