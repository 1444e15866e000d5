//! Words written to shared memory: rows where they are evenly spaced, else a word per active core.

use std::sync::Arc;

use crate::exec::Data;
use crate::exec::batches::plan::Place;
use crate::exec::batches::run::dense::{Dense, Lanes, Word};
use crate::exec::batches::run::masks::{Active, Each};
use crate::exec::batches::run::part::Part;
use crate::exec::batches::run::rows::{self, Rows};
use crate::exec::batches::run::shared::Latest;
use crate::exec::batches::run::stop::{Result, Stop};

/// Fewest words that are held for the next read; a shorter list is read again faster.
const WORTH_HOLDING: usize = 64;

/// Writes a quantity to shared memory.
pub(super) fn put<T: Word>(
    part: &mut Part<'_, '_>,
    target: &Place,
    value: Dense<T>,
    active: &Active,
) -> Result<()> {
    // Words that are copied to their own place need no copy, only their conflicts count.
    if let Dense::Words { array, words } = &value
        && *array == target.array
        && let Some(shape) = part.batch.shape(active)
        && let Some(to) = part.batch.rows(target, active)?
        && to.are_dense(shape)
        && to.first == words.start
        && part.fixed.admits_all(target)
    {
        part.counted.conflicts(&part.batch, target, active);
        return Ok(());
    }
    let value = part.apart(value, active);
    if let Dense::Same(one) = value
        && let Active::Range(low, high) = *active
        && high - low > 1
        && let Some(to) = part.batch.rows(target, active)?
        && to.stride() == 0
    {
        // All cores of an MP write the same value to one word, so the first core stands for all.
        let lanes = T::lanes(part.lanes_of(Dense::Same(one), &Active::Range(low, low + 1)));
        return write(part, target, lanes, &Active::Range(low, low + 1));
    }
    if let Dense::Held(held) = &value
        && write_rows(part, target, held, active)?
    {
        return Ok(());
    }
    let lanes = T::lanes(part.lanes_of(value, active));
    write(part, target, lanes, active)
}

/// Writes a value per active core to shared memory.
pub(super) fn write(
    part: &mut Part<'_, '_>,
    target: &Place,
    value: Lanes,
    active: &Active,
) -> Result<()> {
    let is_done = match &value {
        Lanes::Ints(lanes) => write_rows(part, target, lanes, active)?,
        Lanes::Floats(lanes) => write_rows(part, target, lanes, active)?,
    };
    if is_done {
        part.spare.free(value);
        return Ok(());
    }
    if let Active::Along(_) = active {
        return Err(Stop::Bail);
    }
    if let Active::Each(each) = active
        && part.fixed.admits_all(target)
        && target.tells_cores_apart()
        && target.has_no_conflicts(part.batch.cores)
        && let Some(flat) = part.batch.flat(target)
        && matches!(value, Lanes::Ints(_)) == part.shared[target.array].is_int()
    {
        write_flat(part, (target, flat), value, each);
        return Ok(());
    }
    write_at(part, target, value, active)
}

/// Writes a value per active core to words of their own, evenly spaced over the whole batch. Many
/// words are held for the next read, and those that only pass never get to memory.
fn write_flat(
    part: &mut Part<'_, '_>,
    (target, (first, step)): (&Place, (i64, i64)),
    value: Lanes,
    each: &Arc<Each>,
) {
    part.settle(target.array);
    let array = &mut part.shared[target.array];
    let before = array.latest.take();
    array.changes();
    let is_held = each.lanes.len() >= WORTH_HOLDING;
    let is_alone = is_held && part.fixed.plan.shared[target.array].is_passing;
    if !is_alone {
        array.mark_each(&part.batch, each, (first, step));
        let place = |&lane: &u32| (first + step * i64::from(lane)) as usize;
        let places = each.lanes.iter().map(place);
        match (array.data_mut(), &value) {
            (Data::Int(words), Lanes::Ints(values)) => {
                places
                    .zip(values)
                    .for_each(|(at, value)| words[at] = *value);
            }
            (Data::Float(words), Lanes::Floats(values)) => {
                places
                    .zip(values)
                    .for_each(|(at, value)| words[at] = *value);
            }
            (Data::Int(_) | Data::Float(_), _) => unreachable!("checked: of one type"),
        }
    }
    if is_held {
        array.latest = Some(Latest {
            each: Arc::clone(each),
            flat: (first, step),
            words: value.held(),
            is_alone,
        });
    } else {
        part.spare.free(value)
    }
    if let Some(before) = before {
        part.spare.drop(before.words);
    }
}

/// Writes a value per active core at its offset, after all checks that rows make needless.
fn write_at(part: &mut Part<'_, '_>, target: &Place, value: Lanes, active: &Active) -> Result<()> {
    part.settle(target.array);
    let offsets = part.shared_offsets(target, active)?;
    part.counted.conflicts_at(
        &part.batch,
        &mut part.shared[target.array],
        (target, &offsets),
        active,
    );
    let value = match (value, part.shared[target.array].is_int()) {
        (Lanes::Ints(ints), false) => {
            let mut floats = part.spare.empty();
            floats.extend(ints.iter().map(|&int| int as f64));
            part.spare.ints.push(ints);
            Lanes::Floats(floats)
        }
        (value, _) => value,
    };
    let admitted = part.fixed.launch.known.admitted(target.variable);
    if !value.is_admitted(admitted)
        || !part.shared[target.array].is_one_value_each(
            &part.batch,
            (target, &offsets),
            active,
            |one, other| value.same(one, other),
        )
    {
        return Err(Stop::Bail);
    }
    part.shared[target.array].mark_offsets(&part.batch, target, &offsets, active);
    let array = &mut part.shared[target.array];
    array.changes();
    match (array.data_mut(), &value) {
        (Data::Int(words), Lanes::Ints(values)) => {
            for (&at, value) in offsets.iter().zip(values) {
                words[at as usize] = *value;
            }
        }
        (Data::Float(words), Lanes::Floats(values)) => {
            for (&at, value) in offsets.iter().zip(values) {
                words[at as usize] = *value;
            }
        }
        (Data::Int(_) | Data::Float(_), _) => {
            unreachable!("checked: floats do not become ints")
        }
    }
    part.spare.ints.push(offsets);
    part.spare.free(value);
    Ok(())
}

/// Writes a word per active core to rows of different words. Returns `false` if there are no such
/// rows, the types differ, or a declared range may refuse words.
fn write_rows<T: Word>(
    part: &mut Part<'_, '_>,
    target: &Place,
    lanes: &[T],
    active: &Active,
) -> Result<bool> {
    let (Some(shape), Some(to)) = (part.batch.shape(active), part.batch.rows(target, active)?)
    else {
        return Ok(false);
    };
    if to.stride() == 0 && shape[2..] != [1, 1] || !part.fixed.admits_all(target) {
        return Ok(false);
    }
    part.settle(target.array);
    let array = &mut part.shared[target.array];
    let Some(words) = T::words_mut(array.data_mut()) else {
        return Ok(false);
    };
    rows::copy(words, to, lanes, Rows::dense(shape), shape);
    array.changes();
    part.shared[target.array].mark_rows(&part.batch, target, to, active);
    part.counted.conflicts(&part.batch, target, active);
    Ok(true)
}
