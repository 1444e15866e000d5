//! Values without data: a known value, or an interval that holds it.
//!
//! Intervals are sound, not tight: the result of every operation encloses all values that data
//! could
//! give it. Faults are reported only where known operands make them certain.
//!
//! [`operators`], [`functions`] and [`relations`] compute with values; the type itself stands here.

mod functions;
mod operators;
mod relations;

use std::cmp::Ordering;

use num_traits::ToPrimitive;

use crate::meaning::value::{Value as Known, same_bits};
use crate::number::{BigInt, Real, legible};

pub(super) use functions::{extremum, pair, unary};
pub(super) use operators::{arithmetic, negate};
pub(super) use relations::{compare, compare_intervals};

/// A known value, or a range of values.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    /// A known whole number.
    Int(i64),
    /// Some number between two whole numbers, both included.
    Range(i64, i64),
    /// A known exact number: a fraction, an irrational, or beyond 64 bits.
    Exact(Box<Real>),
    /// A known float.
    Float(f64),
    /// Some float between two others, no NaN.
    Floats(f64, f64),
    /// Any float, also NaN.
    AnyFloat,
}

/// The truth of a condition, if it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Truth {
    False,
    Maybe,
    True,
}

/// Any whole number that fits a word.
pub(super) const ANY_INT: Value = Value::Range(i64::MIN, i64::MAX);

impl From<bool> for Truth {
    fn from(holds: bool) -> Self {
        if holds { Truth::True } else { Truth::False }
    }
}

/// The Iverson bracket `[c]`.
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
    /// Converts an exact number to its simplest form.
    pub(super) fn exact(value: Real) -> Value {
        match value.to_rational() {
            Some(rational) => match rational.to_i64() {
                Some(whole) => Value::Int(whole),
                None => Value::Exact(Box::new(rational.into())),
            },
            None => Value::Exact(Box::new(value)),
        }
    }

    /// Returns the range between two whole numbers; just the upper one if they are out of order.
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

    /// Returns true if both have the same form with the same contents.
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

    /// Returns whole numbers around it; all of a word for floats.
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

    /// Converts it to a float, as where a float is needed.
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

    /// Returns a value that encloses both.
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

    /// Narrows the value to a declared range.
    pub(super) fn within(&self, range: &Value) -> Value {
        match (self, range) {
            (Value::Range(a, b), Value::Int(_) | Value::Range(..) | Value::Exact(_)) => {
                let (c, d) = range.bounds();
                let (low, high) = ((*a).max(c), (*b).min(d));
                // Without a common number every run that comes here has a fault, so any value is
                // sound.
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

/// Returns the chosen side of a `select`, in the mixed type of both.
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

/// Renders a value for messages.
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
    use crate::program::{Arithmetic, BitFunction, Extreme, PairFunction};

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
                                    let function = PairFunction::Bits(function);
                                    let exact = pair(function, &p, &q).expect("small");
                                    let outer = pair(function, &x, &y).expect("small");
                                    assert!(encloses(&outer, &exact), "{function:?} {x:?} {y:?}");
                                }
                                for extreme in [Extreme::Min, Extreme::Max] {
                                    let exact = extremum(extreme, &p, &q);
                                    assert!(encloses(&extremum(extreme, &x, &y), &exact));
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
