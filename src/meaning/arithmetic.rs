//! The arithmetic of language.md §2.3 and §5, once: on values, and on the words, floats and exact
//! numbers they hold, for those who know which.
//!
//! Operands come in, values or [`NoValue`] go out. An int mixes with a float to a float; everything
//! else is exact and of any size. What must fit a word or be whole where it stands is the
//! evaluator's to say, and what it counts as nobody's here.

use std::cmp::Ordering;

use num_traits::{Signed, ToPrimitive};

use crate::meaning::fault::NoValue;
use crate::meaning::value::Value;
use crate::number::{BigInt, MOST_BITS, Real, theory};
use crate::program::{
    Arithmetic, AtomicOperator, BitFunction, Extreme, MathFunction, PairFunction, Unary,
};
use crate::syntax::ast::{Comparison, Relation};

fn either_float(left: &Value, right: &Value) -> Option<(f64, f64)> {
    (left.is_float() || right.is_float()).then(|| (left.to_float(), right.to_float()))
}

/// The result on words, where it is one: the fast form of [`arithmetic`]. What has none, or none
/// that fits, is for [`of_reals`] to say.
#[inline]
pub(crate) fn of_words(operator: Arithmetic, x: i64, y: i64) -> Option<i64> {
    match operator {
        Arithmetic::Add => x.checked_add(y),
        Arithmetic::Subtract => x.checked_sub(y),
        Arithmetic::Multiply => x.checked_mul(y),
        Arithmetic::Divide if x.checked_rem(y)? == 0 => x.checked_div(y),
        Arithmetic::Divide => None,
        Arithmetic::FloorDivide => theory::floor_quotient(x, y),
        Arithmetic::Modulo => theory::floor_remainder(x, y),
        Arithmetic::Power => x.checked_pow(u32::try_from(y).ok()?),
    }
}

/// The result on floats: IEEE.
#[inline]
pub(crate) fn of_floats(operator: Arithmetic, x: f64, y: f64) -> f64 {
    match operator {
        Arithmetic::Add => x + y,
        Arithmetic::Subtract => x - y,
        Arithmetic::Multiply => x * y,
        Arithmetic::Divide => x / y,
        Arithmetic::Power => libm::pow(x, y),
        // `check` refuses these of floats.
        Arithmetic::FloorDivide | Arithmetic::Modulo => f64::NAN,
    }
}

/// Why exact numbers have no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoReal {
    /// A division by 0, or 0 to a negative power.
    DivisionByZero,
    /// A fractional power of a negative number.
    NegativeRoot,
    /// A power beyond all measure.
    TooLarge,
}

/// The exact result of any size, and be it beyond all measure.
pub(crate) fn of_reals(operator: Arithmetic, x: &Real, y: &Real) -> Result<Real, NoReal> {
    let quotient = || x.divide(y).ok_or(NoReal::DivisionByZero);
    Ok(match operator {
        Arithmetic::Add => x.add(y),
        Arithmetic::Subtract => x.subtract(y),
        Arithmetic::Multiply => x.multiply(y),
        Arithmetic::Divide => quotient()?,
        Arithmetic::FloorDivide => quotient()?.floor().into(),
        Arithmetic::Modulo => x.subtract(&y.multiply(&quotient()?.floor().into())),
        Arithmetic::Power => x.power(y).ok_or_else(|| {
            let zero = Real::from(0);
            match (x.compare(&zero), y.compare(&zero)) {
                (Ordering::Equal, Ordering::Less) => NoReal::DivisionByZero,
                (Ordering::Less, _) if y.to_integer().is_none() => NoReal::NegativeRoot,
                _ => NoReal::TooLarge,
            }
        })?,
    })
}

/// About how many machine words the result of an exact operation takes; 0 if it fits one, and for what is refused before
/// it is computed.
pub(crate) fn words_of_result(operator: Arithmetic, x: &Value, y: &Value) -> u64 {
    let bits = |value: &Value| match value {
        Value::Exact(real) => real.bits() as u64,
        Value::Whole(_) | Value::Float(_) => 0,
    };
    let bits = match (operator, y) {
        (Arithmetic::Power, Value::Whole(exponent)) => match x {
            Value::Whole(-1..=1) | Value::Float(_) => 0,
            // 3^100 has 159 bits: one less than those of 3 a factor, and half a bit more.
            Value::Whole(base) => {
                let twice = 2 * u64::from(base.unsigned_abs().ilog2()) + 1;
                twice.saturating_mul(exponent.unsigned_abs()) / 2
            }
            Value::Exact(_) => bits(x).saturating_mul(exponent.unsigned_abs()),
        },
        _ => bits(x).saturating_add(bits(y)),
    };
    if bits > 4 * MOST_BITS { 0 } else { bits / 64 }
}

/// `x ∘ y`: exact, or IEEE with a float.
pub(crate) fn arithmetic(operator: Arithmetic, x: &Value, y: &Value) -> Result<Value, NoValue> {
    if let (Value::Whole(x), Value::Whole(y)) = (x, y)
        && let Some(result) = of_words(operator, *x, *y)
    {
        return Ok(Value::Whole(result));
    }
    if let Some((x, y)) = either_float(x, y) {
        return Ok(Value::Float(of_floats(operator, x, y)));
    }
    match of_reals(operator, &x.to_real(), &y.to_real()) {
        Ok(result) => Ok(Value::exact(result)),
        Err(NoReal::DivisionByZero) => Err(NoValue::DivisionByZero),
        Err(NoReal::NegativeRoot) => Err(NoValue::NoPower(x.clone(), y.clone())),
        Err(NoReal::TooLarge) => Err(NoValue::GreatPower(x.clone(), y.clone())),
    }
}

/// `x + y`
pub(crate) fn add(x: &Value, y: &Value) -> Value {
    always(Arithmetic::Add, x, y)
}

/// `x - y`
pub(crate) fn subtract(x: &Value, y: &Value) -> Value {
    always(Arithmetic::Subtract, x, y)
}

/// `x · y`
pub(crate) fn multiply(x: &Value, y: &Value) -> Value {
    always(Arithmetic::Multiply, x, y)
}

fn always(operator: Arithmetic, x: &Value, y: &Value) -> Value {
    arithmetic(operator, x, y).expect("numbers have sums, differences and products")
}

/// The operation on one value.
pub(crate) fn unary(operation: Unary, of: &Value) -> Result<Value, NoValue> {
    match operation {
        Unary::Negate => Ok(negate(of)),
        Unary::Ceil => ceil(of),
        Unary::Floor => floor(of),
        Unary::Abs => Ok(absolute(of)),
        Unary::Math(function) => math(function, of),
    }
}

/// The function of two values.
pub(crate) fn pair(function: PairFunction, left: &Value, right: &Value) -> Result<Value, NoValue> {
    match function {
        PairFunction::Bits(function) => bits(function, left, right),
        PairFunction::Log => log(left, right),
    }
}

/// The function that picks one of two values.
pub(crate) fn better(extreme: Extreme) -> fn(&Value, &Value) -> Value {
    match extreme {
        Extreme::Min => minimum,
        Extreme::Max => maximum,
    }
}

/// log of `argument` to `base`.
pub(crate) fn log(base: &Value, argument: &Value) -> Result<Value, NoValue> {
    if let Some((base, argument)) = either_float(base, argument) {
        return Ok(Value::Float(float_log(base, argument)));
    }
    let log = argument.to_real().log(&base.to_real());
    log.map(Value::exact).ok_or_else(|| NoValue::NoLogarithm {
        argument: argument.clone(),
        base: base.clone(),
    })
}

/// log of a float, correctly rounded where the base has a function of its own.
pub(crate) fn float_log(base: f64, argument: f64) -> f64 {
    if base == 2.0 {
        libm::log2(argument)
    } else if base == 10.0 {
        libm::log10(argument)
    } else {
        libm::log(argument) / libm::log(base)
    }
}

/// `sqrt exp ln sin cos`
pub(crate) fn math(function: MathFunction, argument: &Value) -> Result<Value, NoValue> {
    match (function, argument) {
        (MathFunction::Sqrt, Value::Whole(_) | Value::Exact(_)) => {
            let root = argument.to_real().sqrt();
            root.map(Value::exact)
                .ok_or_else(|| NoValue::NoRoot(argument.clone()))
        }
        (function, argument) => Ok(Value::Float(float_math(function, argument.to_float()))),
    }
}

/// The functions of a float; the same bits on every platform.
pub(crate) fn float_math(function: MathFunction, argument: f64) -> f64 {
    match function {
        MathFunction::Sqrt => libm::sqrt(argument),
        MathFunction::Exp => libm::exp(argument),
        MathFunction::Ln => libm::log(argument),
        MathFunction::Sin => libm::sin(argument),
        MathFunction::Cos => libm::cos(argument),
    }
}

/// `-x`
pub(crate) fn negate(of: &Value) -> Value {
    match of {
        Value::Float(float) => Value::Float(-float),
        _ => subtract(&Value::Whole(0), of),
    }
}

/// `abs(x)`
pub(crate) fn absolute(of: &Value) -> Value {
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
pub(crate) fn floor(of: &Value) -> Result<Value, NoValue> {
    match of {
        Value::Float(float) => float_to_int(float.floor()),
        _ => Ok(floor_exact(of)),
    }
}

/// `⌈x⌉`; of a float, an int.
pub(crate) fn ceil(of: &Value) -> Result<Value, NoValue> {
    match of {
        Value::Float(float) => float_to_int(float.ceil()),
        Value::Exact(real) => Ok(Value::whole(real.ceil())),
        Value::Whole(_) => Ok(of.clone()),
    }
}

fn float_to_int(float: f64) -> Result<Value, NoValue> {
    whole_float(float)
        .map(Value::Whole)
        .ok_or(NoValue::NoInt(float))
}

/// A float without fraction as an int, where it fits.
pub(crate) fn whole_float(float: f64) -> Option<i64> {
    // 2^63 itself does not fit; every float below it does. NaN fails both.
    let limit = 9_223_372_036_854_775_808.0;
    (float >= -limit && float < limit).then_some(float as i64)
}

/// The smaller of two; with a float, as floats: a number beats NaN, −0 < 0.
pub(crate) fn minimum(left: &Value, right: &Value) -> Value {
    match either_float(left, right) {
        Some((x, y)) => Value::Float(float_minimum(x, y)),
        None if compare_exact(right, left) == Ordering::Less => right.clone(),
        None => left.clone(),
    }
}

/// The larger of two; with a float, as floats: a number beats NaN, −0 < 0.
pub(crate) fn maximum(left: &Value, right: &Value) -> Value {
    match either_float(left, right) {
        Some((x, y)) => Value::Float(float_maximum(x, y)),
        None if compare_exact(right, left) == Ordering::Greater => right.clone(),
        None => left.clone(),
    }
}

/// The smaller of two floats.
pub(crate) fn float_minimum(x: f64, y: f64) -> f64 {
    if y.is_nan() || x < y || (x == y && x.is_sign_negative()) {
        x
    } else {
        y
    }
}

/// The larger of two floats.
pub(crate) fn float_maximum(x: f64, y: f64) -> f64 {
    if y.is_nan() || x > y || (x == y && x.is_sign_positive()) {
        x
    } else {
        y
    }
}

/// An operand applied to a word by an `atomic`; `None` where it overflows.
pub(crate) fn updated_int(
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
pub(crate) fn updated_float(
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
        _ => left.to_real().compare(&right.to_real()),
    }
}

/// A comparison of a chain.
pub(crate) fn compare(operator: Comparison, left: &Value, right: &Value) -> Result<bool, NoValue> {
    let ordering = match (either_float(left, right), operator) {
        (_, Comparison::Divides) => return divides(left, right),
        (_, Comparison::PowerOf) => return is_power(left, right),
        (Some((x, y)), _) => x.partial_cmp(&y),
        (None, _) => Some(compare_exact(left, right)),
    };
    Ok(holds(operator, ordering))
}

/// A comparison or `≈` of a chain.
pub(crate) fn relate(relation: Relation, left: &Value, right: &Value) -> Result<bool, NoValue> {
    match relation {
        Relation::Exact(operator) => compare(operator, left, right),
        Relation::About => Ok(about(left, right)),
    }
}

/// `x ≈ y`: whole numbers exactly, all else as floats.
fn about(left: &Value, right: &Value) -> bool {
    match (left.to_integer(), right.to_integer()) {
        (Some(x), Some(y)) => x == y,
        (_, _) => floats_about(left.to_float(), right.to_float()),
    }
}

/// Equal but for rounding. A NaN is about nothing, an infinity about itself.
fn floats_about(x: f64, y: f64) -> bool {
    let tolerance = (1e-9 * x.abs().max(y.abs())).max(1e-12);
    x == y || (x.is_finite() && y.is_finite() && (x - y).abs() <= tolerance)
}

/// Whether an order satisfies a comparison; `None` is unordered (NaN).
pub(crate) fn holds(operator: Comparison, ordering: Option<Ordering>) -> bool {
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
        .ok_or_else(|| NoValue::NotIntegral(value.clone().into()))
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
pub(crate) fn bits(function: BitFunction, left: &Value, right: &Value) -> Result<Value, NoValue> {
    let (x, y) = (bit_operand(left)?, bit_operand(right)?);
    bits_of_words(function, x, y).ok_or(NoValue::GreatShift(x, y))
}

/// As [`bits`], of words that are at least 0; `None` beyond all measure.
pub(crate) fn bits_of_words(function: BitFunction, x: i64, y: i64) -> Option<Value> {
    match word_bits(function, x, y) {
        Some(word) => Some(Value::Whole(word)),
        // Only `shl` leaves the words.
        None if y as u64 > MOST_BITS => None,
        None => Some(Value::whole(BigInt::from(x) << y)),
    }
}

/// As [`bits`], of words; `None` where it is not defined or does not fit one.
#[inline]
pub(crate) fn word_bits(function: BitFunction, x: i64, y: i64) -> Option<i64> {
    if x < 0 || y < 0 {
        return None;
    }
    match function {
        BitFunction::And => Some(x & y),
        BitFunction::Or => Some(x | y),
        BitFunction::Xor => Some(x ^ y),
        BitFunction::ShiftRight => Some(x >> y.min(63)),
        BitFunction::ShiftLeft if x == 0 => Some(0),
        BitFunction::ShiftLeft => {
            let fits = y < 63 && x <= i64::MAX >> y;
            fits.then(|| x << y)
        }
    }
}

/// Which operands, the first and the second, the value is never larger than.
pub(crate) fn bits_at_most(function: BitFunction) -> (bool, bool) {
    match function {
        BitFunction::And => (true, true),
        BitFunction::ShiftRight => (true, false),
        BitFunction::Or | BitFunction::Xor | BitFunction::ShiftLeft => (false, false),
    }
}

/// What a bit function takes: a whole number of at least 0 that fits a word.
pub(crate) fn bit_operand(value: &Value) -> Result<i64, NoValue> {
    let whole = needs_integer(value)?;
    if whole.is_negative() {
        return Err(NoValue::NegativeBits(value.clone().into()));
    }
    whole
        .to_i64()
        .ok_or_else(|| NoValue::Overflow(value.clone().into()))
}

#[cfg(test)]
mod tests;
