//! Words moved between global and shared memory.

use crate::exec::Data;
use crate::exec::batches::plan::Place;
use crate::exec::batches::run::batch::Batch;
use crate::exec::batches::run::counted::blocks;
use crate::exec::batches::run::dense::{Lanes, Spare, Word};
use crate::exec::batches::run::globals::{Found, Words};
use crate::exec::batches::run::masks::Active;
use crate::exec::batches::run::part::{Part, copy_rows};
use crate::exec::batches::run::rows::{self, Rows};
use crate::exec::batches::run::shared::Pending;
use crate::exec::batches::run::stop::{Result, Stop};
use crate::exec::batches::run::writes::write;

pub(super) fn load(
    part: &mut Part<'_, '_>,
    target: &Place,
    source: &Place,
    active: &Active,
) -> Result<()> {
    if let Some((low, high)) = active.range()
        && part.fixed.admits_all(target)
        && let (Some(from), Some(to)) = (
            part.batch.rows(source, active)?,
            part.batch.rows(target, active)?,
        )
        && (to.stride() != 0 || from.stride() == 0 || high - low == 1)
    {
        // If all cores of an MP read one word and write one word, the first core stands for all.
        let first = Active::Range(low, low + 1);
        let moving = if to.stride() == 0 { &first } else { active };
        if load_rows(part, (target, to), (source, from), moving)? {
            part.counted.conflicts(&part.batch, target, active);
            return Ok(());
        }
    }
    if let Active::Along(_) = active {
        return Err(Stop::Bail);
    }
    let from = part.global_offsets(source, active)?;
    let view = &part.globals[source.array];
    let offsets = from.lanes(&part.shared);
    if view.written.left() > 0 && !offsets.iter().all(|&at| view.written.get(at as usize)) {
        return Err(Stop::Bail);
    }
    let lanes = gather_global(&view.words, &mut part.spare, offsets);
    let places = (&from, offsets, view.words.len());
    let blocks = part.counted.blocks_of(&part.batch, places, active);
    part.counted.counts.blocks[source.array].0 += blocks;
    part.spare.release(from);
    write(part, target, lanes, active)
}

/// Loads row by row; `false` if that is impossible, and then nothing was done.
fn load_rows(
    part: &mut Part<'_, '_>,
    (target, to): (&Place, Rows),
    (source, from): (&Place, Rows),
    active: &Active,
) -> Result<bool> {
    let Some(shape @ [.., trips, count]) = part.batch.shape(active) else {
        return Ok(false);
    };
    let view = &part.globals[source.array];
    if view.written.left() > 0 {
        let mut is_missing = false;
        rows::strips(shape, [from], |[from], (rows, count)| {
            for row in 0..rows {
                is_missing |= match from.stride {
                    1 => view
                        .written
                        .first_unwritten(from.start(row), count)
                        .is_some(),
                    _ => (0..count).any(|word| !view.written.get(from.word(row, word))),
                };
            }
        });
        if is_missing {
            return Err(Stop::Bail);
        }
    }
    // Loading over words that nobody has asked for replaces them: they are never copied. That needs
    // a source that this kernel does not write, so that a later copy finds the same words.
    let place = (to, shape);
    let is_unread = part.shared[target.array].loaded == Some(place);
    let is_int = part.shared[target.array].is_int();
    let is_of_type = |words: &Data| matches!(words, Data::Int(_)) == is_int;
    if is_unread && matches!(view.words, Words::Read(words) if is_of_type(words)) {
        // The former pending words are dropped unread.
        let array = &mut part.shared[target.array];
        array.pending = None;
        array.changes();
        array.pending = Some(Pending {
            source: source.array,
            from,
            to,
            shape,
        });
    } else {
        part.settle(target.array);
        let array = &mut part.shared[target.array];
        let view = &part.globals[source.array];
        if !copy_rows(array, to, &view.words, from, shape) {
            return Ok(false);
        }
        array.changes();
        array.loaded = Some(place);
    }
    part.counted.counts.blocks[source.array].0 += blocks(&part.batch, from, [trips, count]);
    part.shared[target.array].mark_rows(&part.batch, target, to, active);
    Ok(true)
}

pub(super) fn store(
    part: &mut Part<'_, '_>,
    target: &Place,
    source: &Place,
    active: &Active,
) -> Result<()> {
    if let Some((low, high)) = active.range()
        && part.fixed.admits_all(target)
        && !part.fixed.plan.global[target.array].may_race
        && let (Some(from), Some(to)) = (
            part.batch.rows(source, active)?,
            part.batch.rows(target, active)?,
        )
        && (to.stride() != 0 || high - low == 1)
        && store_rows(part, (target, to), (source, from), active)?
    {
        part.counted.conflicts(&part.batch, source, active);
        return Ok(());
    }
    if let Active::Along(_) = active {
        return Err(Stop::Bail);
    }
    let value = if part.shared[source.array].is_int() {
        let value = part.read(source, active)?;
        Lanes::Ints(part.lanes_of(value, active))
    } else {
        let value = part.read(source, active)?;
        Lanes::Floats(part.lanes_of(value, active))
    };
    let to = part.global_offsets(target, active)?;
    let words = part.globals[target.array].words.len();
    let places = (&to, to.lanes(&part.shared), words);
    let blocks = part.counted.blocks_of(&part.batch, places, active);
    part.counted.counts.blocks[target.array].1 += blocks;
    let to = part.lanes_of(to, active);
    write_global(part, target, &to, value, active)?;
    part.spare.ints.push(to);
    Ok(())
}

fn store_rows(
    part: &mut Part<'_, '_>,
    (target, to): (&Place, Rows),
    (source, from): (&Place, Rows),
    active: &Active,
) -> Result<bool> {
    let Some(shape @ [.., trips, count]) = part.batch.shape(active) else {
        return Ok(false);
    };
    if !part.shared[source.array].are_rows_written(&part.batch, source, from, active) {
        return Err(Stop::Bail);
    }
    part.settle(source.array);
    let view = &mut part.globals[target.array];
    rows::strips(shape, [to], |[to], (rows, count)| {
        for row in 0..rows {
            view.note(to.start(row), to.stride as i64, count);
        }
    });
    match (&mut view.words, part.shared[source.array].data()) {
        (Words::Ints(start, words), Data::Int(source)) => {
            rows::copy(words, to.back(*start), source, from, shape);
        }
        (Words::Floats(start, words), Data::Float(source)) => {
            rows::copy(words, to.back(*start), source, from, shape);
        }
        (Words::Read(_) | Words::Ints(..) | Words::Floats(..), _) => return Ok(false),
    }
    part.counted.counts.blocks[target.array].1 += blocks(&part.batch, to, [trips, count]);
    Ok(true)
}

/// Writes a value per active core to global memory.
fn write_global(
    part: &mut Part<'_, '_>,
    target: &Place,
    to: &[i64],
    value: Lanes,
    active: &Active,
) -> Result<()> {
    let admitted = part.fixed.launch.known.admitted(target.variable);
    if !value.is_admitted(admitted) {
        return Err(Stop::Bail);
    }
    if part.fixed.plan.global[target.array].may_race {
        write_stamped(part, target, to, &value, active)?;
        part.spare.free(value);
        return Ok(());
    }
    if !is_one_value_each(&part.batch, target, to, &value, active) {
        return Err(Stop::Bail);
    }
    let view = &mut part.globals[target.array];
    for &at in to {
        view.note(at as usize, 1, 1);
    }
    match (&mut view.words, &value) {
        (Words::Ints(start, words), Lanes::Ints(values)) => {
            to.iter()
                .zip(values)
                .for_each(|(at, value)| words[*at as usize - *start] = *value);
        }
        (Words::Floats(start, words), Lanes::Floats(values)) => {
            to.iter()
                .zip(values)
                .for_each(|(at, value)| words[*at as usize - *start] = *value);
        }
        (Words::Floats(start, words), Lanes::Ints(values)) => {
            to.iter()
                .zip(values)
                .for_each(|(at, value)| words[*at as usize - *start] = *value as f64);
        }
        (Words::Read(_) | Words::Ints(..), _) => return Err(Stop::Bail),
    }
    part.spare.free(value);
    Ok(())
}

/// Writes a value per active core to an array on which MPs may meet.
fn write_stamped(
    part: &mut Part<'_, '_>,
    target: &Place,
    to: &[i64],
    value: &Lanes,
    active: &Active,
) -> Result<()> {
    let stamps = part.fixed.launch.stamps;
    let first = part.batch.first;
    let owners = part.batch.groups(active).map(|(mp, group)| {
        let stamp = stamps.of(first + mp as u64);
        (stamp, group)
    });
    let view = &mut part.globals[target.array];
    let is_new = match (value, &view.words) {
        (Lanes::Floats(values), _) => view.write_new(to, values, owners.clone()),
        (Lanes::Ints(values), Words::Ints(..)) => view.write_new(to, values, owners.clone()),
        (Lanes::Ints(_), _) => false,
    };
    if is_new {
        return Ok(());
    }
    let mut is_again = false;
    let is_floats = matches!(view.words, Words::Floats(..));
    for (stamp, group) in owners {
        for at in group {
            let offset = to[at] as usize;
            let found = match value {
                Lanes::Floats(values) => view.write_stamped(offset, values[at], stamp),
                Lanes::Ints(values) if is_floats => {
                    view.write_stamped(offset, values[at] as f64, stamp)
                }
                Lanes::Ints(values) => view.write_stamped(offset, values[at], stamp),
            };
            match found {
                Found::Fine => {}
                Found::Own => is_again = true,
                Found::Race => return Err(Stop::Bail),
            }
        }
    }
    // A stamp tells MPs apart, not cores: two cores of an MP on one word look like the MP's own
    // word. So their values are compared here.
    if is_again && !is_one_value_each(&part.batch, target, to, value, active) {
        return Err(Stop::Bail);
    }
    Ok(())
}

/// Returns the words of a global array at these offsets.
fn gather_global(words: &Words<'_>, spare: &mut Spare, from: &[i64]) -> Lanes {
    match words {
        Words::Read(Data::Int(words)) => Lanes::Ints(gather(spare, words, 0, from)),
        Words::Ints(start, words) => Lanes::Ints(gather(spare, words, *start, from)),
        Words::Read(Data::Float(words)) => Lanes::Floats(gather(spare, words, 0, from)),
        Words::Floats(start, words) => Lanes::Floats(gather(spare, words, *start, from)),
    }
}

/// Returns the words at these offsets; the array's words begin at `start`.
fn gather<T: Word>(spare: &mut Spare, words: &[T], start: usize, from: &[i64]) -> Vec<T> {
    let mut lanes = spare.empty();
    lanes.extend(from.iter().map(|&at| words[at as usize - start]));
    lanes
}

/// Returns true if no two cores of an MP write different values to one word of global memory.
fn is_one_value_each(
    batch: &Batch,
    place: &Place,
    offsets: &[i64],
    value: &Lanes,
    active: &Active,
) -> bool {
    if place.tells_cores_apart() {
        return true;
    }
    // Sorted by offset, writes to one word stand side by side, so comparing neighbours is enough:
    // equality is transitive.
    let mut order: Vec<usize> = Vec::new();
    for (_, group) in batch.groups(active) {
        order.clear();
        order.extend(group);
        order.sort_unstable_by_key(|&at| offsets[at]);
        let clash = order
            .windows(2)
            .any(|pair| offsets[pair[0]] == offsets[pair[1]] && !value.same(pair[0], pair[1]));
        if clash {
            return false;
        }
    }
    true
}
