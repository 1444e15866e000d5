//! Operations without a value: takes the known operands of one, and gives its fault at a place of a run.

use std::fmt;

use crate::meaning::fault::{Fault, Place};
use crate::meaning::value::Value;
use crate::number::{BigInt, legible};
use crate::text::Span;

/// The operand of a fault: a value, or words where it is known in part only.
#[derive(Debug, Clone)]
pub(crate) enum Operand {
    /// A value.
    Value(Value),
    /// Words for it.
    Words(String),
}

impl From<Value> for Operand {
    fn from(value: Value) -> Operand {
        Operand::Value(value)
    }
}

impl From<String> for Operand {
    fn from(words: String) -> Operand {
        Operand::Words(words)
    }
}

impl From<&str> for Operand {
    fn from(words: &str) -> Operand {
        Operand::Words(words.to_owned())
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Value(value) => value.fmt(f),
            Operand::Words(words) => f.write_str(words),
        }
    }
}

/// A reason for which an operation on known operands has no value. Its evaluator knows the place.
#[derive(Debug, Clone)]
pub(crate) enum NoValue {
    /// A division by zero.
    DivisionByZero,
    /// A fractional power of a negative number.
    NoPower(Value, Value),
    /// A power beyond all measure.
    GreatPower(Value, Value),
    /// A root of a negative number.
    NoRoot(Value),
    /// A logarithm outside its domain.
    NoLogarithm {
        /// The argument.
        argument: Value,
        /// The base.
        base: Value,
    },
    /// A whole number was needed.
    NotIntegral(Operand),
    /// Beyond a word.
    Overflow(Operand),
    /// A float whose floor or ceiling is no word.
    NoInt(f64),
    /// A shift to the left beyond all measure.
    GreatShift(i64, i64),
    /// Any other number beyond all measure.
    BeyondMeasure,
    /// A bit function of a negative number.
    NegativeBits(Operand),
    /// `min` or `max` of nothing.
    EmptyExtreme(Extreme),
    /// `digit_sum` of a negative number, or to a base below 2.
    NoDigits {
        /// The number.
        value: BigInt,
        /// The base.
        base: BigInt,
    },
}

/// One of two ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extreme {
    /// `min`
    Minimum,
    /// `max`
    Maximum,
}

impl NoValue {
    /// Returns why a number is no word of an int variable: it is too large, or a fraction.
    pub(crate) fn of_no_word(value: impl Into<Operand>, is_whole: bool) -> NoValue {
        if is_whole {
            NoValue::Overflow(value.into())
        } else {
            NoValue::NotIntegral(value.into())
        }
    }

    /// Returns the fault at a place of a run.
    pub(crate) fn at(self, place: Place, span: Span) -> Fault {
        let undefined = |what: String, place| Fault::Undefined { what, place, span };
        let overflow = |value: String, place| Fault::Overflow { value, place, span };
        match self {
            NoValue::DivisionByZero => Fault::DivisionByZero { place, span },
            NoValue::NoPower(base, exponent) | NoValue::GreatPower(base, exponent) => {
                undefined(format!("{base} to the power {exponent}"), place)
            }
            NoValue::NoRoot(argument) => undefined(format!("the square root of {argument}"), place),
            NoValue::NoLogarithm { argument, base } => {
                undefined(format!("log of {argument} to base {base}"), place)
            }
            NoValue::NoDigits { value, base } => {
                let (value, base) = (legible(&value), legible(&base));
                undefined(format!("digit_sum({value}, {base})"), place)
            }
            NoValue::NotIntegral(value) => {
                let value = value.to_string();
                Fault::NotIntegral { value, place, span }
            }
            NoValue::Overflow(value) => overflow(value.to_string(), place),
            NoValue::NoInt(float) => overflow(format!("⌊{float:?}⌋"), place),
            NoValue::GreatShift(value, by) => overflow(format!("shl({value}, {by})"), place),
            NoValue::BeyondMeasure => overflow("a number of this size".to_owned(), place),
            NoValue::NegativeBits(value) => {
                let value = value.to_string();
                Fault::NegativeBits { value, place, span }
            }
            NoValue::EmptyExtreme(_) => Fault::EmptyExtreme { place, span },
        }
    }
}
