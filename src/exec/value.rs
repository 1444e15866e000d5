//! One value and its arithmetic, exactly as language.md §2.3 and §5 define it.
//!
//! Whole numbers that fit a word are kept inline; everything else that is no float is an exact
//! real. What a value may be (a fraction, beyond 64 bits) depends on where it stands and is
//! decided in [`eval`](crate::exec::reference::eval).

use std::cmp::Ordering;
use std::fmt;

use num_traits::{Signed, ToPrimitive};

use crate::meaning::fault::NoValue;
use crate::number::theory;
use crate::number::{BigInt, MOST_BITS, Rational, Real};
use crate::program::{AtomicOperator, BitFunction, MathFunction};
use crate::syntax::ast::Comparison;

/// A number.
#[derive(Debug, Clone)]
pub(super) enum Value {
    /// A whole number that fits a word.
    Whole(i64),
    /// Any other exact number.
    Exact(Real),
    /// IEEE.
    Float(f64),
}

impl Value {
    /// The canonical form of an exact number.
    pub fn exact(value: Real) -> Value {
        match value.to_integer().and_then(|whole| whole.to_i64()) {
            Some(whole) => Value::Whole(whole),
            None => Value::Exact(value),
        }
    }

    /// A whole number of any size.
    pub fn whole(value: BigInt) -> Value {
        match value.to_i64() {
            Some(whole) => Value::Whole(whole),
            None => Value::Exact(Rational::from(value).into()),
        }
    }

    /// The number as an exact real.
    ///
    /// # Panics
    /// For floats, which `check` keeps out of exact arithmetic.
    pub fn to_real(&self) -> Real {
        match self {
            Value::Whole(whole) => Rational::from(*whole).into(),
            Value::Exact(real) => real.clone(),
            Value::Float(_) => unreachable!("checked to be an exact number"),
        }
    }

    /// The nearest double.
    pub fn to_float(&self) -> f64 {
        match self {
            Value::Whole(whole) => *whole as f64,
            Value::Exact(real) => real.to_f64(),
            Value::Float(float) => *float,
        }
    }

    /// The whole number, when it is one, of any size.
    pub fn to_integer(&self) -> Option<BigInt> {
        match self {
            Value::Whole(whole) => Some((*whole).into()),
            Value::Exact(real) => real.to_integer(),
            Value::Float(_) => None,
        }
    }

    fn is_float(&self) -> bool {
        matches!(self, Value::Float(_))
    }

    fn is_zero(&self) -> bool {
        matches!(self, Value::Whole(0))
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Whole(whole) => write!(f, "{whole}"),
            Value::Exact(real) => match real.to_rational() {
                Some(rational) => write!(f, "{rational}"),
                None => write!(f, "{}…", real.to_f64()),
            },
            Value::Float(float) => write!(f, "{float:?}"),
        }
    }
}

fn either_float(left: &Value, right: &Value) -> Option<(f64, f64)> {
    (left.is_float() || right.is_float()).then(|| (left.to_float(), right.to_float()))
}

/// Both as rationals, where both are.
fn rationals(left: &Value, right: &Value) -> Option<(Rational, Rational)> {
    Some((
        left.to_real().to_rational()?,
        right.to_real().to_rational()?,
    ))
}

fn exactly(
    left: &Value,
    right: &Value,
    rational: impl Fn(&Rational, &Rational) -> Rational,
    real: impl Fn(&Real, &Real) -> Real,
) -> Value {
    Value::exact(match rationals(left, right) {
        Some((left, right)) => rational(&left, &right).into(),
        None => real(&left.to_real(), &right.to_real()),
    })
}

/// `x + y`
pub(super) fn add(left: &Value, right: &Value) -> Value {
    if let (Value::Whole(x), Value::Whole(y)) = (left, right)
        && let Some(sum) = x.checked_add(*y)
    {
        return Value::Whole(sum);
    }
    match either_float(left, right) {
        Some((x, y)) => Value::Float(x + y),
        None => exactly(left, right, |x, y| x + y, Real::add),
    }
}

/// `x - y`
pub(super) fn subtract(left: &Value, right: &Value) -> Value {
    if let (Value::Whole(x), Value::Whole(y)) = (left, right)
        && let Some(difference) = x.checked_sub(*y)
    {
        return Value::Whole(difference);
    }
    match either_float(left, right) {
        Some((x, y)) => Value::Float(x - y),
        None => exactly(left, right, |x, y| x - y, Real::subtract),
    }
}

/// `x · y`
pub(super) fn multiply(left: &Value, right: &Value) -> Value {
    if let (Value::Whole(x), Value::Whole(y)) = (left, right)
        && let Some(product) = x.checked_mul(*y)
    {
        return Value::Whole(product);
    }
    match either_float(left, right) {
        Some((x, y)) => Value::Float(x * y),
        None => exactly(left, right, |x, y| x * y, Real::multiply),
    }
}

/// `x / y`: exact, or IEEE with a float.
pub(super) fn divide(left: &Value, right: &Value) -> Result<Value, NoValue> {
    if let (Value::Whole(x), Value::Whole(y)) = (left, right)
        && let (Some(0), Some(quotient)) = (x.checked_rem(*y), x.checked_div(*y))
    {
        return Ok(Value::Whole(quotient));
    }
    if let Some((x, y)) = either_float(left, right) {
        return Ok(Value::Float(x / y));
    }
    if right.is_zero() {
        return Err(NoValue::DivisionByZero);
    }
    let quotient = match rationals(left, right) {
        Some((x, y)) => x.checked_div(&y).map(Real::from),
        None => left.to_real().divide(&right.to_real()),
    };
    quotient.map(Value::exact).ok_or(NoValue::DivisionByZero)
}

/// `x div y`: ⌊x/y⌋.
pub(super) fn floor_divide(left: &Value, right: &Value) -> Result<Value, NoValue> {
    if let (Value::Whole(x), Value::Whole(y)) = (left, right)
        && let Some(quotient) = theory::floor_quotient(*x, *y)
    {
        return Ok(Value::Whole(quotient));
    }
    divide(left, right).map(|quotient| floor_exact(&quotient))
}

/// `x mod y` = x − y·⌊x/y⌋.
pub(super) fn modulo(left: &Value, right: &Value) -> Result<Value, NoValue> {
    if let (Value::Whole(x), Value::Whole(y)) = (left, right)
        && let Some(remainder) = theory::floor_remainder(*x, *y)
    {
        return Ok(Value::Whole(remainder));
    }
    let quotient = floor_divide(left, right)?;
    Ok(subtract(left, &multiply(right, &quotient)))
}

/// `x ^ y`
pub(super) fn power(left: &Value, right: &Value) -> Result<Value, NoValue> {
    if let (Value::Whole(x), Value::Whole(y)) = (left, right)
        && let Ok(exponent) = u32::try_from(*y)
        && let Some(power) = x.checked_pow(exponent)
    {
        return Ok(Value::Whole(power));
    }
    if let Some((x, y)) = either_float(left, right) {
        return Ok(Value::Float(libm::pow(x, y)));
    }
    let undefined = || NoValue::Undefined(format!("{left} to the power {right}"));
    if left.is_zero() && right.to_real().compare(&Rational::ZERO.into()) == Ordering::Less {
        return Err(NoValue::DivisionByZero);
    }
    let power = left.to_real().power(&right.to_real());
    power.map(Value::exact).ok_or_else(undefined)
}

/// log of `argument` to `base`.
pub(super) fn log(base: &Value, argument: &Value) -> Result<Value, NoValue> {
    if let Some((base, argument)) = either_float(base, argument) {
        return Ok(Value::Float(float_log(base, argument)));
    }
    let log = argument.to_real().log(&base.to_real());
    log.map(Value::exact)
        .ok_or_else(|| NoValue::Undefined(format!("log of {argument} to base {base}")))
}

/// log of a float, correctly rounded where the base has a function of its own.
pub(super) fn float_log(base: f64, argument: f64) -> f64 {
    if base == 2.0 {
        libm::log2(argument)
    } else if base == 10.0 {
        libm::log10(argument)
    } else {
        libm::log(argument) / libm::log(base)
    }
}

/// `sqrt exp ln sin cos`
pub(super) fn math(function: MathFunction, argument: &Value) -> Result<Value, NoValue> {
    match (function, argument) {
        (MathFunction::Sqrt, Value::Whole(_) | Value::Exact(_)) => {
            let root = argument.to_real().sqrt();
            root.map(Value::exact)
                .ok_or_else(|| NoValue::Undefined(format!("the square root of {argument}")))
        }
        (function, argument) => Ok(Value::Float(float_math(function, argument.to_float()))),
    }
}

/// The functions of a float; the same bits on every platform.
pub(super) fn float_math(function: MathFunction, argument: f64) -> f64 {
    match function {
        MathFunction::Sqrt => libm::sqrt(argument),
        MathFunction::Exp => libm::exp(argument),
        MathFunction::Ln => libm::log(argument),
        MathFunction::Sin => libm::sin(argument),
        MathFunction::Cos => libm::cos(argument),
    }
}

/// `-x`
pub(super) fn negate(of: &Value) -> Value {
    match of {
        Value::Float(float) => Value::Float(-float),
        _ => subtract(&Value::Whole(0), of),
    }
}

/// `abs(x)`
pub(super) fn absolute(of: &Value) -> Value {
    match of {
        Value::Float(float) => Value::Float(float.abs()),
        _ if compare_exact(of, &Value::Whole(0)) == Ordering::Less => negate(of),
        _ => of.clone(),
    }
}

fn floor_exact(of: &Value) -> Value {
    match of {
        Value::Exact(real) => Value::whole(real.floor()),
        Value::Whole(_) | Value::Float(_) => of.clone(),
    }
}

/// `⌊x⌋`; of a float, an int.
pub(super) fn floor(of: &Value) -> Result<Value, NoValue> {
    match of {
        Value::Float(float) => float_to_int(float.floor()),
        _ => Ok(floor_exact(of)),
    }
}

/// `⌈x⌉`; of a float, an int.
pub(super) fn ceil(of: &Value) -> Result<Value, NoValue> {
    match of {
        Value::Float(float) => float_to_int(float.ceil()),
        Value::Exact(real) => Ok(Value::whole(real.ceil())),
        Value::Whole(_) => Ok(of.clone()),
    }
}

fn float_to_int(float: f64) -> Result<Value, NoValue> {
    whole_float(float)
        .map(Value::Whole)
        .ok_or_else(|| NoValue::Overflow(format!("⌊{float:?}⌋")))
}

/// A float without fraction as an int, where it fits.
pub(super) fn whole_float(float: f64) -> Option<i64> {
    // 2^63 itself does not fit; every float below it does. NaN fails both.
    let limit = 9_223_372_036_854_775_808.0;
    (float >= -limit && float < limit).then_some(float as i64)
}

/// The smaller of two; with a float, as floats: a number beats NaN, −0 < 0.
pub(super) fn minimum(left: &Value, right: &Value) -> Value {
    match either_float(left, right) {
        Some((x, y)) => Value::Float(float_minimum(x, y)),
        None if compare_exact(right, left) == Ordering::Less => right.clone(),
        None => left.clone(),
    }
}

/// The larger of two; with a float, as floats: a number beats NaN, −0 < 0.
pub(super) fn maximum(left: &Value, right: &Value) -> Value {
    match either_float(left, right) {
        Some((x, y)) => Value::Float(float_maximum(x, y)),
        None if compare_exact(right, left) == Ordering::Greater => right.clone(),
        None => left.clone(),
    }
}

/// The smaller of two floats.
pub(super) fn float_minimum(x: f64, y: f64) -> f64 {
    if y.is_nan() || x < y || (x == y && x.is_sign_negative()) {
        x
    } else {
        y
    }
}

/// The larger of two floats.
pub(super) fn float_maximum(x: f64, y: f64) -> f64 {
    if y.is_nan() || x > y || (x == y && x.is_sign_positive()) {
        x
    } else {
        y
    }
}

/// An operand applied to a word by an `atomic`; `None` where it overflows.
pub(super) fn updated_int(
    operator: AtomicOperator,
    negated: bool,
    word: i64,
    operand: i64,
) -> Option<i64> {
    match operator {
        AtomicOperator::Add if negated => word.checked_sub(operand),
        AtomicOperator::Add => word.checked_add(operand),
        AtomicOperator::Multiply => word.checked_mul(operand),
        AtomicOperator::Min => Some(word.min(operand)),
        AtomicOperator::Max => Some(word.max(operand)),
    }
}

/// As [`updated_int`].
pub(super) fn updated_float(
    operator: AtomicOperator,
    negated: bool,
    word: f64,
    operand: f64,
) -> f64 {
    match operator {
        AtomicOperator::Add if negated => word - operand,
        AtomicOperator::Add => word + operand,
        AtomicOperator::Multiply => word * operand,
        AtomicOperator::Min => float_minimum(word, operand),
        AtomicOperator::Max => float_maximum(word, operand),
    }
}

/// The order of two exact numbers.
fn compare_exact(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Whole(x), Value::Whole(y)) => x.cmp(y),
        _ => match rationals(left, right) {
            Some((x, y)) => x.cmp(&y),
            None => left.to_real().compare(&right.to_real()),
        },
    }
}

/// A comparison of a chain.
pub(super) fn compare(operator: Comparison, left: &Value, right: &Value) -> Result<bool, NoValue> {
    let ordering = match (either_float(left, right), operator) {
        (_, Comparison::Divides) => return divides(left, right),
        (_, Comparison::PowerOf) => return is_power(left, right),
        (Some((x, y)), _) => x.partial_cmp(&y),
        (None, _) => Some(compare_exact(left, right)),
    };
    Ok(holds(operator, ordering))
}

/// Whether an order satisfies a comparison; `None` is unordered (NaN).
pub(super) fn holds(operator: Comparison, ordering: Option<Ordering>) -> bool {
    match operator {
        Comparison::Equal => ordering == Some(Ordering::Equal),
        Comparison::NotEqual => ordering != Some(Ordering::Equal),
        Comparison::Less => ordering == Some(Ordering::Less),
        Comparison::AtMost => matches!(ordering, Some(Ordering::Less | Ordering::Equal)),
        Comparison::Greater => ordering == Some(Ordering::Greater),
        Comparison::AtLeast => {
            matches!(ordering, Some(Ordering::Greater | Ordering::Equal))
        }
        Comparison::Divides | Comparison::PowerOf => {
            unreachable!("these are no orders")
        }
    }
}

fn needs_integer(value: &Value) -> Result<BigInt, NoValue> {
    value
        .to_integer()
        .ok_or_else(|| NoValue::NotIntegral(value.to_string()))
}

/// `x | y`: signs ignored, `0 | 0` holds, `0 | y` not.
fn divides(left: &Value, right: &Value) -> Result<bool, NoValue> {
    Ok(theory::divides(
        &needs_integer(left)?,
        &needs_integer(right)?,
    ))
}

/// `x is a power of y`: x = yᵏ for a whole k ≥ 0; nothing below 1 is one.
fn is_power(left: &Value, right: &Value) -> Result<bool, NoValue> {
    let (left, right) = (needs_integer(left)?, needs_integer(right)?);
    Ok(theory::is_power_of(&left, &right))
}

/// `bitand bitor bitxor shl shr`: operands are whole, at least 0 and fit a word. The result is
/// exact; where it is data, the caller checks that it fits.
pub(super) fn bits(function: BitFunction, left: &Value, right: &Value) -> Result<Value, NoValue> {
    let (x, y) = (bit_operand(left)?, bit_operand(right)?);
    Ok(match function {
        BitFunction::And => Value::Whole(x & y),
        BitFunction::Or => Value::Whole(x | y),
        BitFunction::Xor => Value::Whole(x ^ y),
        BitFunction::ShiftRight if y >= 63 => Value::Whole(0),
        BitFunction::ShiftRight => Value::Whole(x >> y),
        BitFunction::ShiftLeft if x == 0 => Value::Whole(0),
        BitFunction::ShiftLeft if y as u64 > MOST_BITS => {
            return Err(NoValue::Overflow(format!("shl({x}, {y})")));
        }
        BitFunction::ShiftLeft => Value::whole(BigInt::from(x) << (y as u64)),
    })
}

fn bit_operand(value: &Value) -> Result<i64, NoValue> {
    let whole = needs_integer(value)?;
    if whole.is_negative() {
        return Err(NoValue::NegativeBits(whole.to_string()));
    }
    whole
        .to_i64()
        .ok_or_else(|| NoValue::Overflow(whole.to_string()))
}

/// Whether two floats have equal bits, all NaNs counting as equal.
pub(super) fn same_bits(x: f64, y: f64) -> bool {
    x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minimum_prefers_numbers_and_orders_zeros() {
        assert_eq!(float_minimum(f64::NAN, 1.0), 1.0);
        assert_eq!(float_minimum(1.0, f64::NAN), 1.0);
        assert!(float_minimum(0.0, -0.0).is_sign_negative());
        assert!(float_minimum(-0.0, 0.0).is_sign_negative());
        assert!(float_maximum(-0.0, 0.0).is_sign_positive());
        assert!(float_maximum(0.0, -0.0).is_sign_positive());
        assert!(float_maximum(f64::NAN, f64::NAN).is_nan());
    }

    #[test]
    fn powers_and_divisors() {
        let power =
            |x: i64, y: i64| compare(Comparison::PowerOf, &Value::Whole(x), &Value::Whole(y));
        for (x, y) in [(1, 0), (1, 7), (8, 2), (9, -3), (4, -2), (1, -1)] {
            assert_eq!(power(x, y), Ok(true), "{x} {y}");
        }
        for (x, y) in [(0, 2), (-2, -2), (6, 2), (2, 1), (8, -2), (2, 4)] {
            assert_eq!(power(x, y), Ok(false), "{x} {y}");
        }
        let divides =
            |x: i64, y: i64| compare(Comparison::Divides, &Value::Whole(x), &Value::Whole(y));
        assert_eq!(divides(0, 0), Ok(true));
        assert_eq!(divides(0, 5), Ok(false));
        assert_eq!(divides(-2, 4), Ok(true));
        assert_eq!(divides(2, 5), Ok(false));
    }

    #[test]
    fn floats_become_ints_only_where_they_fit() {
        assert_eq!(whole_float(-9_223_372_036_854_775_808.0), Some(i64::MIN));
        assert_eq!(whole_float(9_223_372_036_854_775_808.0), None);
        assert_eq!(whole_float(f64::NAN), None);
    }
}
