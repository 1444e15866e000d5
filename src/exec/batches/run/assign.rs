//! Assignments: row by row where the words are evenly spaced, else a value per active core.

use crate::exec::Data;
use crate::exec::batches::plan::{Floats, Form, Ints, Place, Value};
use crate::exec::batches::run::dense::Word;
use crate::exec::batches::run::masks::Active;
use crate::exec::batches::run::part::Part;
use crate::exec::batches::run::rows::{self, Rows, Shape};
use crate::exec::batches::run::shared::pick;
use crate::exec::batches::run::stop::{Result, Stop};
use crate::exec::batches::run::writes;
use crate::program::Arithmetic;

/// Writes a value to a word per active core.
pub(super) fn assign(
    part: &mut Part<'_, '_>,
    target: &Place,
    value: &Value,
    active: &Active,
) -> Result<()> {
    if goes_by_rows(value)
        && active.range().is_some()
        && part.fixed.admits_all(target)
        && let Some(to) = part.batch.rows(target, active)?
        && to.stride() == 1
        && assign_rows(part, (target, to), value, active)?
    {
        part.counted.conflicts(&part.batch, target, active);
        return Ok(());
    }
    match value {
        Value::Ints(value) => {
            let value = part.ints(value, active)?;
            writes::put(part, target, value, active)
        }
        Value::Floats(value) => {
            let value = part.floats(value, active)?;
            writes::put(part, target, value, active)
        }
    }
}

/// Returns true if a value is of a kind that [`assign_rows`] knows.
fn goes_by_rows(value: &Value) -> bool {
    match value {
        Value::Ints(Ints::Form(_) | Ints::Read(_)) | Value::Floats(Floats::Read(_)) => true,
        Value::Ints(Ints::Binary(_, left, right)) => {
            matches!((&**left, &**right), (Ints::Read(_), Ints::Read(_)))
        }
        Value::Floats(Floats::Binary(_, left, right)) => {
            matches!((&**left, &**right), (Floats::Read(_), Floats::Read(_)))
        }
        Value::Ints(_) | Value::Floats(_) => false,
    }
}

/// Assigns row by row; `false` if that is impossible.
fn assign_rows(
    part: &mut Part<'_, '_>,
    (target, to): (&Place, Rows),
    value: &Value,
    active: &Active,
) -> Result<bool> {
    let Some(shape) = part.batch.shape(active) else {
        return Ok(false);
    };
    part.settle(target.array);
    let is_done = match value {
        Value::Ints(Ints::Form(form)) if matches!(active, Active::Range(..)) => {
            assign_form(part, (target, to, shape[3]), form, active)
        }
        Value::Ints(Ints::Read(place)) | Value::Floats(Floats::Read(place)) => {
            assign_words(part, (target, to, shape), place, active)?
        }
        Value::Ints(Ints::Binary(operator, left, right)) => {
            let (Ints::Read(left), Ints::Read(right)) = (&**left, &**right) else {
                return Ok(false);
            };
            let (places, sources) = ((target, to), (&**left, &**right));
            let fits = match operator {
                Arithmetic::Add => combine(part, places, sources, active, add)?,
                Arithmetic::Subtract => combine(part, places, sources, active, subtract)?,
                _ => None,
            };
            if fits == Some(false) {
                return Err(Stop::Bail);
            }
            fits.is_some()
        }
        Value::Floats(Floats::Binary(operator, left, right)) => {
            let (Floats::Read(left), Floats::Read(right)) = (&**left, &**right) else {
                return Ok(false);
            };
            let (places, sources) = ((target, to), (&**left, &**right));
            let done = match operator {
                Arithmetic::Add => combine(part, places, sources, active, |x: f64, y| (x + y, 0))?,
                Arithmetic::Subtract => {
                    combine(part, places, sources, active, |x: f64, y| (x - y, 0))?
                }
                Arithmetic::Multiply => {
                    combine(part, places, sources, active, |x: f64, y| (x * y, 0))?
                }
                _ => None,
            };
            done.is_some()
        }
        Value::Ints(_) | Value::Floats(_) => false,
    };
    if is_done {
        part.shared[target.array].changes();
        part.shared[target.array].mark_rows(&part.batch, target, to, active);
    }
    Ok(is_done)
}

/// Writes numbers that grow evenly from core to core; `false` if the words are floats.
fn assign_form(
    part: &mut Part<'_, '_>,
    (target, to, count): (&Place, Rows, usize),
    form: &Form,
    active: &Active,
) -> bool {
    let steps = part.batch.steps(form);
    let first = form.at(&part.batch.slots) + form.core * part.batch.ends(active).0;
    let firsts = (0..part.batch.width()).map(|mp| first.wrapping_add(part.batch.ahead(steps, mp)));
    let starts: Vec<(usize, i64)> = part.batch.starts(to).zip(firsts).collect();
    let Data::Int(words) = part.shared[target.array].data_mut() else {
        return false;
    };
    for (start, mut next) in starts {
        for word in &mut words[start..start + count] {
            *word = next;
            next = next.wrapping_add(form.core);
        }
    }
    true
}

/// Copies rows of another array of the same type; `false` if there are none.
fn assign_words(
    part: &mut Part<'_, '_>,
    (target, to, shape): (&Place, Rows, Shape),
    place: &Place,
    active: &Active,
) -> Result<bool> {
    if place.array == target.array {
        return Ok(false);
    }
    let Some(from) = part.read_rows(place, active)? else {
        return Ok(false);
    };
    part.settle(place.array);
    let (array, others) = pick(&mut part.shared, target.array);
    match (array.data_mut(), others(place.array).data()) {
        (Data::Int(words), Data::Int(source)) => {
            rows::copy(words, to, source, from, shape);
        }
        (Data::Float(words), Data::Float(source)) => {
            rows::copy(words, to, source, from, shape);
        }
        (Data::Int(_) | Data::Float(_), _) => return Ok(false),
    }
    part.counted.conflicts(&part.batch, place, active);
    Ok(true)
}

/// Combines two rows of words. Returns true if all results are good, or `None` if the words form no
/// such rows.
fn combine<T: Word>(
    part: &mut Part<'_, '_>,
    (target, to): (&Place, Rows),
    (left, right): (&Place, &Place),
    active: &Active,
    operation: impl Fn(T, T) -> (T, i64) + Copy,
) -> Result<Option<bool>> {
    let (Some(shape), Some(x), Some(y)) = (
        part.batch.shape(active),
        part.read_rows(left, active)?,
        part.read_rows(right, active)?,
    ) else {
        return Ok(None);
    };
    if x.stride() != 1 || y.stride() != 1 {
        return Ok(None);
    }
    for place in [left, right] {
        part.settle(place.array);
    }
    // The target may also be a source. Its words are taken out for the time of the operation, and
    // `None` stands for them among the sources.
    let no_words = Data::Int(Vec::new());
    let mut data = std::mem::replace(part.shared[target.array].data_mut(), no_words);
    let source = |place: &Place| match T::words(part.shared[place.array].data()) {
        _ if place.array == target.array => None,
        Some(words) => Some(words),
        None => unreachable!("checked: read as what it is"),
    };
    let words = T::words_mut(&mut data).expect("checked: written as what it is");
    let sources = ((source(left), x), (source(right), y));
    let fits = rows::combine(words, to, sources.0, sources.1, shape, operation);
    *part.shared[target.array].data_mut() = data;
    part.counted.conflicts(&part.batch, left, active);
    part.counted.conflicts(&part.batch, right, active);
    Ok(Some(fits))
}

/// Returns a sum, with a negative number beside it if the sum overflows.
#[inline(always)]
pub(super) fn add(x: i64, y: i64) -> (i64, i64) {
    // Overflow gives a sum whose sign differs from both summands. A flag in the sign bit can be
    // united over a whole row by `|` and tested once.
    let sum = x.wrapping_add(y);
    (sum, (x ^ sum) & (y ^ sum))
}

/// Returns a difference, with a negative number beside it if it overflows.
#[inline(always)]
pub(super) fn subtract(x: i64, y: i64) -> (i64, i64) {
    let difference = x.wrapping_sub(y);
    (difference, (x ^ y) & (x ^ difference))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_differences_tell_when_they_overflow() {
        let values = [
            i64::MIN,
            i64::MIN + 1,
            -2,
            -1,
            0,
            1,
            2,
            i64::MAX - 1,
            i64::MAX,
        ];
        for x in values {
            for y in values {
                let told = |(value, sign): (i64, i64)| (value, sign < 0);
                assert_eq!(told(add(x, y)), x.overflowing_add(y), "{x} + {y}");
                assert_eq!(told(subtract(x, y)), x.overflowing_sub(y), "{x} - {y}");
            }
        }
    }
}
