//! Accumulating loops, all iterations at once: everything is checked before the first one, and the
//! sums stay in registers.

use pulp::Arch;

use crate::exec::Data;
use crate::exec::batches::plan::{Accumulate, At, Form, Loop, Place, Trips};
use crate::exec::batches::run::masks::Active;
use crate::exec::batches::run::part::Part;
use crate::exec::batches::run::rows::{self, AccumulateRows, Rows, Strip};
use crate::exec::batches::run::shared::pick;
use crate::exec::batches::run::stop::Result;

/// Executes all iterations of an accumulating loop; `false` if it must go one by one.
pub(super) fn accumulate(
    part: &mut Part<'_, '_>,
    step: &Accumulate,
    active: &Active,
) -> Result<bool> {
    let Active::Range(low, high) = *active else {
        return Ok(false);
    };
    let (frame, count) = (&step.frame, high - low);
    let Trips {
        from,
        to,
        rise,
        count: trips,
    } = frame.trips(&part.batch.slots);
    if trips < 2 {
        return Ok(false);
    }
    // An index in bounds at the first and the last iteration is in bounds between them: it is even.
    part.batch.slots[frame.slot] = to;
    let right = step.right.as_ref();
    for place in [Some(&step.left), right].into_iter().flatten() {
        if part.batch.rows(place, active)?.is_none() || part.shared[place.array].written.left() > 0
        {
            return Ok(false);
        }
    }
    part.batch.slots[frame.slot] = from;
    let Some(operands) = operands(part, step, active)? else {
        return Ok(false);
    };
    let read = [Some(&step.target), Some(&step.left), right];
    (read.into_iter().flatten()).for_each(|place| part.settle(place.array));
    if !sums_fit(part, step, operands.target, trips, count) {
        return Ok(false);
    }
    part.counted
        .pay(&part.batch, frame.body.operations * trips as u64, active);
    part.spend(trips * part.batch.lanes(active) as i64 / 4)?;
    add_up(part, step, operands, (trips as usize, rise, count));
    Ok(true)
}

/// The rows of the target and of the words read, at the first iteration.
#[derive(Clone, Copy)]
struct Operands {
    target: Rows,
    left: Rows,
    right: Option<Rows>,
}

/// Returns the rows of all operands, if cores beside each other have words beside each other.
fn operands(
    part: &mut Part<'_, '_>,
    step: &Accumulate,
    active: &Active,
) -> Result<Option<Operands>> {
    let (Some(target), Some(left)) = (
        part.read_rows(&step.target, active)?,
        part.read_rows(&step.left, active)?,
    ) else {
        return Ok(None);
    };
    let right = match &step.right {
        Some(place) => match part.read_rows(place, active)? {
            Some(rows) => Some(rows),
            None => return Ok(None),
        },
        None => None,
    };
    let has_conflicts = [Some(target), Some(left), right]
        .iter()
        .flatten()
        .any(|rows| rows.stride().unsigned_abs() > 1);
    if has_conflicts || target.stride() != 1 || !part.fixed.admits_all(&step.target) {
        return Ok(None);
    }
    Ok(Some(Operands {
        target,
        left,
        right,
    }))
}

/// Adds up all iterations; nothing can fail any more.
fn add_up(
    part: &mut Part<'_, '_>,
    step: &Accumulate,
    operands: Operands,
    (trips, rise, count): (usize, i64, usize),
) {
    let is_small = |array: usize| part.shared[array].magnitude.is_some_and(|bits| bits < 32);
    let right = step.right.as_ref();
    let is_narrow = is_small(step.left.array) && right.is_none_or(|place| is_small(place.array));
    let trip = |place: &Place| (trip_of(place, &step.frame) * rise) as isize;
    let shape = (part.batch.outer, part.batch.row, trips, count);
    let (array, others) = pick(&mut part.shared, step.target.array);
    array.changes();
    let Operands { target, left, .. } = operands;
    let right_rows = right.zip(operands.right);
    let left = (left, trip(&step.left));
    match (array.data_mut(), others(step.left.array).data()) {
        (Data::Int(words), Data::Int(lefts)) => {
            let right = right_rows.map(|(place, rows)| match others(place.array).data() {
                Data::Int(rights) => (rights.as_slice(), rows, trip(place)),
                Data::Float(_) => unreachable!("an int is read"),
            });
            let left = (lefts.as_slice(), left.0, left.1);
            if is_narrow {
                // Products of 32-bit halves of words are faster.
                let sum = |sum: i64, x: i64, y: i64| {
                    sum.wrapping_add(i64::from(x as i32) * i64::from(y as i32))
                };
                accumulated(words, target, left, right, shape, (sum, i64::wrapping_add));
            } else {
                let sum = |sum: i64, x: i64, y: i64| sum.wrapping_add(x.wrapping_mul(y));
                accumulated(words, target, left, right, shape, (sum, i64::wrapping_add));
            }
        }
        (Data::Float(words), Data::Float(lefts)) => {
            let right = right_rows.map(|(place, rows)| match others(place.array).data() {
                Data::Float(rights) => (rights.as_slice(), rows, trip(place)),
                Data::Int(_) => unreachable!("a float is read"),
            });
            let sum = |sum: f64, x: f64, y: f64| sum + x * y;
            let left = (lefts.as_slice(), left.0, left.1);
            let plain = |sum: f64, x: f64| sum + x;
            accumulated(words, target, left, right, shape, (sum, plain));
        }
        (Data::Int(_) | Data::Float(_), _) => unreachable!("checked: all of one type"),
    }
}

/// Returns true if no partial sum of an accumulating loop can overflow, whatever the order.
fn sums_fit(
    part: &mut Part<'_, '_>,
    step: &Accumulate,
    target: Rows,
    trips: i64,
    count: usize,
) -> bool {
    if !part.shared[step.target.array].is_int() {
        return true;
    }
    let kept = |array: usize| part.batch.kept(array);
    let left = part.shared[step.left.array].bits(kept(step.left.array));
    let right = match &step.right {
        Some(place) => part.shared[place.array].bits(kept(place.array)),
        None => 0,
    };
    let Data::Int(words) = part.shared[step.target.array].data() else {
        return false;
    };
    let sums = part
        .batch
        .starts(target)
        .map(|start| rows::magnitude(&words[start..][..count]));
    // A product has at most left + right bits, and `trips` of them add at most the bits of
    // `trips`. With at most 61 bits there and at most 61 in the target, every sum is within 2^62.
    let sum = sums.max().unwrap_or(0);
    let trips = 64 - trips.leading_zeros();
    left + right + trips < 62 && sum < 62
}

/// Returns the increase of a place's offset per iteration.
fn trip_of(place: &Place, frame: &Loop) -> i64 {
    match &place.at {
        At::Line { offset, .. } => Form::factor(offset, frame.slot),
        At::Each(_) => unreachable!("an accumulating loop has lines"),
    }
}

/// Words that are read, their rows, and the step of a row from one iteration to the next.
type Walking<'s, T> = (&'s [T], Rows, isize);

fn accumulated<'s, T: Copy + Default>(
    words: &mut [T],
    to: Rows,
    left: Walking<'s, T>,
    right: Option<Walking<'s, T>>,
    (outers, mps, trips, count): (usize, usize, usize, usize),
    (product, plain): (impl Fn(T, T, T) -> T + Copy, impl Fn(T, T) -> T + Copy),
) {
    let no_factor = [T::default()];
    for outer in 0..outers {
        let of = |(words, rows, trip): Walking<'s, T>| (words, rows.strip(outer), trip);
        let (to, left, right) = (to.strip(outer), of(left), right.map(of));
        let factors = match right {
            Some(right) if left.1.stride == 0 && right.1.stride == 1 => Some((left, right)),
            Some(right) if left.1.stride == 1 && right.1.stride == 0 => Some((right, left)),
            Some(_) | None => None,
        };
        match (factors, right) {
            (Some((scalar, vector)), _) if count == rows::FIXED => {
                Arch::new().dispatch(AccumulateRows {
                    target: words,
                    to,
                    scalar,
                    vector,
                    rows: mps,
                    trips,
                    step: product,
                });
            }
            (None, None) if count == rows::FIXED && left.1.stride == 1 => {
                Arch::new().dispatch(AccumulateRows {
                    target: words,
                    to,
                    scalar: (&no_factor, Strip::default(), 0),
                    vector: left,
                    rows: mps,
                    trips,
                    step: |sum, _, x| plain(sum, x),
                });
            }
            _ => {
                let step = |sum, x, y: Option<T>| match y {
                    Some(y) => product(sum, x, y),
                    None => plain(sum, x),
                };
                rows::accumulate_any(words, left, right, to, (mps, trips, count), step);
            }
        }
    }
}
