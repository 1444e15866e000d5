//! Digits of numbers that grow evenly: `(v div 2^s) mod 2`.

use crate::exec::batches::plan::{Form, Ints};
use crate::exec::batches::run::dense::Dense;
use crate::exec::batches::run::masks::Active;
use crate::exec::batches::run::part::Part;
use crate::exec::batches::run::rows::{self, Digits};
use crate::program::Arithmetic;

/// Returns digits of a form, computed in one pass if they are not the same for all.
pub(super) fn even_digits(
    part: &mut Part<'_, '_>,
    form: &Form,
    digits: Digits,
    active: &Active,
) -> Dense<i64> {
    let divisor = Form::constant(1 << digits.shift);
    match part.batch.same_quotient(form, &divisor, active) {
        Some(quotient) => Dense::Same(quotient & digits.mask),
        None => Dense::Lanes(each_digits(part, form, digits, active)),
    }
}

/// Returns digits of a form for every active core.
fn each_digits(part: &mut Part<'_, '_>, form: &Form, digits: Digits, active: &Active) -> Vec<i64> {
    let steps = part.batch.steps(form);
    match part.batch.numbers(form, steps, active) {
        Some((shape, rows)) => {
            let mut values = part.spare.some(part.batch.lanes(active));
            rows::digits(shape, rows, digits, &mut values);
            values
        }
        None => {
            let mut values = part.progression(form, steps, active);
            for value in &mut values {
                *value = digits.of(*value);
            }
            values
        }
    }
}

/// Returns the form and the digits of it that a quantity is, as `(v div 2^s) mod 2^k`.
pub(super) fn digits(node: &Ints) -> Option<(&Form, Digits)> {
    let Ints::Binary(operator, left, right) = node else {
        return None;
    };
    let Ints::Form(right) = &**right else {
        return None;
    };
    let bits = power_of_two(&Dense::Same(right.as_constant()?))?;
    // `v div 2^s` drops s low digits; `mod 2^k` keeps the k lowest of the rest. Both hold for
    // negative numbers too: shifting right and masking round towards −∞.
    match (operator, &**left) {
        (Arithmetic::FloorDivide, Ints::Form(form)) => {
            let all = Digits {
                shift: bits,
                mask: -1,
            };
            Some((form, all))
        }
        (Arithmetic::Modulo, Ints::Form(form)) => {
            let lowest = Digits {
                shift: 0,
                mask: (1 << bits) - 1,
            };
            Some((form, lowest))
        }
        (Arithmetic::Modulo, quotient) => {
            let (form, digits) = digits(quotient)?;
            let mask = digits.mask & ((1 << bits) - 1);
            Some((form, Digits { mask, ..digits }))
        }
        _ => None,
    }
}

/// Returns k if a quantity is 2^k for all cores.
pub(super) fn power_of_two(value: &Dense<i64>) -> Option<u32> {
    match value {
        Dense::Same(value) if *value > 0 && value.count_ones() == 1 => Some(value.trailing_zeros()),
        Dense::Same(_) | Dense::Lanes(_) | Dense::Held(_) | Dense::Words { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::theory;

    #[test]
    fn shifts_are_floors() {
        assert_eq!(power_of_two(&Dense::Same(8)), Some(3));
        for bad in [0, 3, -8, i64::MIN] {
            assert_eq!(power_of_two(&Dense::Same(bad)), None);
        }
        for x in [-9i64, -8, -1, 0, 7, 8] {
            assert_eq!(Some(x >> 3), theory::floor_quotient(x, 8));
            assert_eq!(Some(x & 7), theory::floor_remainder(x, 8));
        }
    }
}
