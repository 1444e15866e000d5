//! The values that a declared range admits, as the ends of ints and of floats.
//!
//! Ends are rounded inwards once, so that a word is admitted or not by two comparisons.

use crate::meaning::value::Value;
use crate::number::{BigInt, Rational};

/// The values that a declaration's `in lo..hi` admits.
#[derive(Debug, Clone)]
pub(in crate::exec) struct Admitted {
    /// The first value admitted, for messages.
    pub low: Value,
    /// The last value admitted, for messages.
    pub high: Value,
    /// The first and the last int admitted.
    pub ints: (i64, i64),
    /// The first and the last float admitted.
    pub floats: (f64, f64),
}

impl Admitted {
    /// Makes the range between two evaluated bounds.
    pub(in crate::exec) fn new(low: Value, high: Value) -> Admitted {
        let floats = (low.to_float(), high.to_float());
        let ints = (int_bound(&low, true), int_bound(&high, false));
        // If a bound lies beyond every word on the wrong side, no int is admitted: 1 … 0 is empty.
        let ints = match ints {
            (Some(low), Some(high)) => (low, high),
            (None, _) | (_, None) => (1, 0),
        };
        Admitted {
            low,
            high,
            ints,
            floats,
        }
    }

    /// Returns true if an int is admitted.
    pub(in crate::exec) fn admits_int(&self, value: i64) -> bool {
        self.ints.0 <= value && value <= self.ints.1
    }

    /// Returns true if a float is admitted; NaN never is.
    pub(in crate::exec) fn admits_float(&self, value: f64) -> bool {
        self.floats.0 <= value && value <= self.floats.1
    }

    /// Returns true if a word is admitted.
    pub(in crate::exec) fn admits(&self, value: &Value) -> bool {
        match value {
            Value::Whole(whole) => self.admits_int(*whole),
            Value::Float(float) => self.admits_float(*float),
            Value::Exact(_) => unreachable!("a word is an int or a float"),
        }
    }
}

/// Returns the first (or last) int that a lower (or upper) bound admits; `None` if there is none.
fn int_bound(bound: &Value, is_low: bool) -> Option<i64> {
    let exact = match bound {
        Value::Float(float) if float.is_infinite() => {
            let open = (*float < 0.0) == is_low;
            return open.then_some(if is_low { i64::MIN } else { i64::MAX });
        }
        Value::Float(float) => Rational::from_f64(*float)?.into(),
        Value::Whole(whole) => return Some(*whole),
        Value::Exact(real) => real.clone(),
    };
    let whole = if is_low { exact.ceil() } else { exact.floor() };
    let (least, most) = (BigInt::from(i64::MIN), BigInt::from(i64::MAX));
    let clamped = match is_low {
        true if whole > most => return None,
        false if whole < least => return None,
        true => whole.max(least),
        false => whole.min(most),
    };
    i64::try_from(clamped).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_ints_round_inwards() {
        let range = Admitted::new(Value::Float(-0.5), Value::Float(2.5));
        assert_eq!(range.ints, (0, 2));
        let range = Admitted::new(Value::Float(f64::NEG_INFINITY), Value::Whole(3));
        assert_eq!(range.ints, (i64::MIN, 3));
        let range = Admitted::new(Value::Float(1e30), Value::Float(1e31));
        assert!(!range.admits_int(0) && !range.admits_int(i64::MAX));
        assert!(!range.admits_float(f64::NAN));
    }
}
