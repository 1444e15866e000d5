//! What is known of one value without data: the value itself, or an interval that holds it.
//!
//! Intervals are sound, not tight: every operation's result encloses all values that data could
//! give it. Faults are reported only where known operands make them certain.

use std::cmp::Ordering;

use num_integer::Integer;
use num_traits::ToPrimitive;

use crate::meaning::arithmetic::{self, NoReal};
use crate::meaning::fault::NoValue;
use crate::meaning::value::{Value as Known, same_bits};
use crate::number::theory;
use crate::number::{BigInt, Real, legible};
use crate::program::{Arithmetic, BitFunction, MathFunction};
use crate::syntax::ast::Comparison;

/// A value as far as it is known.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    /// This whole number.
    Int(i64),
    /// Some number between these whole numbers, both included.
    Range(i64, i64),
    /// This exact number: a fraction, an irrational, or beyond 64 bits.
    Exact(Box<Real>),
    /// This float.
    Float(f64),
    /// Some float between these, and no NaN.
    Floats(f64, f64),
    /// Any float at all.
    AnyFloat,
}

/// A condition as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Truth {
    False,
    Maybe,
    True,
}

/// Any whole number of a word.
pub(super) const ANY_INT: Value = Value::Range(i64::MIN, i64::MAX);

impl From<bool> for Truth {
    fn from(holds: bool) -> Self {
        if holds { Truth::True } else { Truth::False }
    }
}

/// `[c]`
impl From<Truth> for Value {
    fn from(truth: Truth) -> Self {
        match truth {
            Truth::False => Value::Int(0),
            Truth::Maybe => Value::Range(0, 1),
            Truth::True => Value::Int(1),
        }
    }
}

impl Truth {
    pub(super) fn not(self) -> Truth {
        match self {
            Truth::False => Truth::True,
            Truth::Maybe => Truth::Maybe,
            Truth::True => Truth::False,
        }
    }

    pub(super) fn and(self, other: Truth) -> Truth {
        match (self, other) {
            (Truth::False, _) | (_, Truth::False) => Truth::False,
            (Truth::True, Truth::True) => Truth::True,
            (Truth::Maybe, _) | (_, Truth::Maybe) => Truth::Maybe,
        }
    }

    pub(super) fn or(self, other: Truth) -> Truth {
        self.not().and(other.not()).not()
    }
}

impl Value {
    /// An exact number, in its simplest form.
    pub(super) fn exact(value: Real) -> Value {
        match value.to_rational() {
            Some(rational) => match rational.to_i64() {
                Some(whole) => Value::Int(whole),
                None => Value::Exact(Box::new(rational.into())),
            },
            None => Value::Exact(Box::new(value)),
        }
    }

    /// Whatever lies between two whole numbers; the upper one when they are out of order.
    pub(super) fn between(low: i64, high: i64) -> Value {
        if low < high {
            Value::Range(low, high)
        } else {
            Value::Int(high)
        }
    }

    fn wide(low: i128, high: i128) -> Value {
        let word = |value: i128| {
            i64::try_from(value.clamp(i64::MIN.into(), i64::MAX.into())).expect("clamped to a word")
        };
        Value::between(word(low), word(high))
    }

    fn floats(low: f64, high: f64) -> Value {
        if low.is_nan() || high.is_nan() {
            Value::AnyFloat
        } else if low.to_bits() == high.to_bits() {
            Value::Float(low)
        } else {
            Value::Floats(low, high)
        }
    }

    pub(super) fn is_known(&self) -> bool {
        match self {
            Value::Int(_) | Value::Exact(_) | Value::Float(_) => true,
            Value::Range(..) | Value::Floats(..) | Value::AnyFloat => false,
        }
    }

    pub(super) fn is_float(&self) -> bool {
        match self {
            Value::Float(_) | Value::Floats(..) | Value::AnyFloat => true,
            Value::Int(_) | Value::Range(..) | Value::Exact(_) => false,
        }
    }

    /// The same value as far as one can know: both the same form with the same contents.
    pub(super) fn same(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Int(x), Value::Int(y)) => x == y,
            (Value::Range(a, b), Value::Range(c, d)) => (a, b) == (c, d),
            (Value::Exact(x), Value::Exact(y)) => x.compare(y) == Ordering::Equal,
            (Value::Float(x), Value::Float(y)) => same_bits(*x, *y),
            (Value::Floats(a, b), Value::Floats(c, d)) => same_bits(*a, *c) && same_bits(*b, *d),
            (Value::AnyFloat, Value::AnyFloat) => true,
            _ => false,
        }
    }

    /// Whole numbers around it; all of a word for floats.
    pub(super) fn bounds(&self) -> (i64, i64) {
        match self {
            Value::Int(value) => (*value, *value),
            Value::Range(low, high) => (*low, *high),
            Value::Exact(value) => (clamp(value.floor()), clamp(value.ceil())),
            Value::Float(_) | Value::Floats(..) | Value::AnyFloat => (i64::MIN, i64::MAX),
        }
    }

    fn float_bounds(&self) -> Option<(f64, f64)> {
        match self {
            Value::Int(value) => Some((*value as f64, *value as f64)),
            Value::Range(low, high) => Some((*low as f64, *high as f64)),
            Value::Exact(value) => Some((value.to_f64(), value.to_f64())),
            Value::Float(value) if value.is_nan() => None,
            Value::Float(value) => Some((*value, *value)),
            Value::Floats(low, high) => Some((*low, *high)),
            Value::AnyFloat => None,
        }
    }

    /// The float this becomes where a float is needed.
    pub(super) fn to_float(&self) -> Value {
        match (self, self.float_bounds()) {
            (Value::Float(_), _) => self.clone(),
            (_, Some((low, high))) => Value::floats(low, high),
            (_, None) => Value::AnyFloat,
        }
    }

    fn to_real(&self) -> Option<Real> {
        match self {
            Value::Int(value) => Some((*value).into()),
            Value::Exact(value) => Some((**value).clone()),
            Value::Float(_) | Value::Range(..) | Value::Floats(..) | Value::AnyFloat => None,
        }
    }

    /// Either of two values.
    pub(super) fn join(&self, other: &Value) -> Value {
        if self.same(other) {
            return self.clone();
        }
        if self.is_float() || other.is_float() {
            return match (self.float_bounds(), other.float_bounds()) {
                (Some((a, b)), Some((c, d))) => Value::floats(a.min(c), b.max(d)),
                _ => Value::AnyFloat,
            };
        }
        let ((a, b), (c, d)) = (self.bounds(), other.bounds());
        Value::between(a.min(c), b.max(d))
    }

    /// The value, known to lie in a declared range too.
    pub(super) fn within(&self, range: &Value) -> Value {
        match (self, range) {
            (Value::Range(a, b), Value::Int(_) | Value::Range(..) | Value::Exact(_)) => {
                let (c, d) = range.bounds();
                let (low, high) = ((*a).max(c), (*b).min(d));
                if low <= high {
                    Value::between(low, high)
                } else {
                    self.clone()
                }
            }
            (Value::AnyFloat, _) => range.to_float(),
            (Value::Floats(a, b), _) => match range.float_bounds() {
                Some((c, d)) if a.max(c) <= b.min(d) => Value::floats(a.max(c), b.min(d)),
                Some(_) | None => self.clone(),
            },
            (Value::Int(_) | Value::Range(..) | Value::Exact(_) | Value::Float(_), _) => {
                self.clone()
            }
        }
    }
}

impl From<&Known> for Value {
    fn from(known: &Known) -> Self {
        match known {
            Known::Whole(whole) => Value::Int(*whole),
            Known::Exact(real) => Value::exact(real.clone()),
            Known::Float(float) => Value::Float(*float),
        }
    }
}

/// The chosen side of a `select`, in the mixed type of both.
pub(super) fn mixed(chosen: &Value, other: &Value) -> Value {
    if other.is_float() {
        chosen.to_float()
    } else {
        chosen.clone()
    }
}

fn clamp(value: BigInt) -> i64 {
    value.to_i64().unwrap_or(if value < BigInt::ZERO {
        i64::MIN
    } else {
        i64::MAX
    })
}

pub(super) fn negate(value: &Value) -> Value {
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

pub(super) fn abs(value: &Value) -> Value {
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

/// x ∘ y. A fault only when both are known and it is certain.
pub(super) fn arithmetic(operator: Arithmetic, x: &Value, y: &Value) -> Result<Value, NoValue> {
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
            // The divisor is no 0, so at least 1 in size.
            let most = a.abs().max(b.abs());
            Value::wide(-most, most)
        }
        Arithmetic::Divide => {
            let (low, _) = corners(&|x, y| Integer::div_floor(&x, &y)).bounds();
            let ceilings = corners(&|x, y| -Integer::div_floor(&-x, &y));
            Value::between(low, ceilings.bounds().1)
        }
        Arithmetic::FloorDivide => corners(&|x, y| Integer::div_floor(&x, &y)),
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
        // Fractions between 0 and 1 for a base of at least 1; else anything.
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
        // Not monotone for negative bases.
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

/// ⌊x⌋
pub(super) fn floor(value: &Value) -> Result<Value, NoValue> {
    match value {
        Value::Int(_) | Value::Range(..) => Ok(value.clone()),
        Value::Exact(value) => Ok(Value::exact(value.floor().into())),
        Value::Float(_) | Value::Floats(..) | Value::AnyFloat => rounded(value, f64::floor),
    }
}

/// ⌈x⌉
pub(super) fn ceil(value: &Value) -> Result<Value, NoValue> {
    match value {
        Value::Int(_) | Value::Range(..) => Ok(value.clone()),
        Value::Exact(value) => Ok(Value::exact(value.ceil().into())),
        Value::Float(_) | Value::Floats(..) | Value::AnyFloat => rounded(value, f64::ceil),
    }
}

/// A float rounded to an int, which must fit a word.
fn rounded(value: &Value, round: fn(f64) -> f64) -> Result<Value, NoValue> {
    const WORDS: f64 = 9_223_372_036_854_775_808.0;
    let fits = |x: f64| (-WORDS..WORDS).contains(&x);
    match value.float_bounds() {
        Some((low, high)) if low == high && !fits(round(low)) => {
            Err(NoValue::Overflow(legible(&round(low)).into()))
        }
        // The conversion keeps to the ends of a word, beyond which is an error.
        Some((low, high)) => Ok(Value::between(round(low) as i64, round(high) as i64)),
        None if value.is_known() => Err(NoValue::Overflow(shown(value).into())),
        None => Ok(ANY_INT),
    }
}

/// The smaller (or the larger) of two values.
pub(super) fn extremum(x: &Value, y: &Value, larger: bool) -> Value {
    if x.is_float() || y.is_float() {
        let pick = match larger {
            true => arithmetic::float_maximum,
            false => arithmetic::float_minimum,
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

pub(super) fn math(function: MathFunction, value: &Value) -> Result<Value, NoValue> {
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
            // The last bit may break monotony.
            let slack = |x: f64| x.abs() * 1e-12;
            Value::floats(low - slack(low), high + slack(high))
        }
        (None, _) => Value::AnyFloat,
    })
}

pub(super) fn log(base: &Value, argument: &Value) -> Result<Value, NoValue> {
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

pub(super) fn bits(function: BitFunction, x: &Value, y: &Value) -> Result<Value, NoValue> {
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

/// One comparison of a chain.
pub(super) fn compare(operator: Comparison, x: &Value, y: &Value) -> Result<Truth, NoValue> {
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

/// A comparison of any two members of two intervals.
pub(super) fn compare_intervals<T: PartialOrd + Copy>(
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

/// A known value as a person would write it.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Int(value) => value.to_string(),
        Value::Exact(value) => match value.to_rational() {
            Some(value) => legible(&value),
            None => legible(&format!("{:.6}", value.to_f64())),
        },
        Value::Float(value) => legible(value),
        Value::Range(low, high) => format!("{low}..{high}"),
        Value::Floats(low, high) => format!("{}..{}", legible(low), legible(high)),
        Value::AnyFloat => "a float".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operation encloses what it does to every pair of members.
    #[test]
    fn intervals_enclose_their_members() {
        let operators = [
            Arithmetic::Add,
            Arithmetic::Subtract,
            Arithmetic::Multiply,
            Arithmetic::Divide,
            Arithmetic::FloorDivide,
            Arithmetic::Modulo,
            Arithmetic::Power,
        ];
        let functions = [
            BitFunction::And,
            BitFunction::Or,
            BitFunction::Xor,
            BitFunction::ShiftLeft,
            BitFunction::ShiftRight,
        ];
        let encloses = |outer: &Value, inner: &Value| {
            let ((a, b), (c, d)) = (outer.bounds(), inner.bounds());
            a <= c && d <= b
        };
        for low in -4..4 {
            for high in low..4 {
                for other_low in -4..4 {
                    for other_high in other_low..4 {
                        let x = Value::between(low, high);
                        let y = Value::between(other_low, other_high);
                        for a in low..=high {
                            for b in other_low..=other_high {
                                let (p, q) = (Value::Int(a), Value::Int(b));
                                for operator in operators {
                                    let Ok(exact) = arithmetic(operator, &p, &q) else {
                                        continue;
                                    };
                                    let outer = arithmetic(operator, &x, &y);
                                    assert!(
                                        outer.as_ref().is_ok_and(|outer| encloses(outer, &exact)),
                                        "{operator:?} {x:?} {y:?} = {outer:?}, {a} {b} = {exact:?}"
                                    );
                                }
                                for function in functions {
                                    if low < 0 || other_low < 0 {
                                        continue;
                                    }
                                    let exact = bits(function, &p, &q).expect("small");
                                    let outer = bits(function, &x, &y).expect("small");
                                    assert!(encloses(&outer, &exact), "{function:?} {x:?} {y:?}");
                                }
                                for larger in [false, true] {
                                    let exact = extremum(&p, &q, larger);
                                    assert!(encloses(&extremum(&x, &y, larger), &exact));
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
