//! `let`s of data.
//!
//! A `let` keeps one word per core that was active there. Most often it is read under the same
//! mask,
//! and then nothing is copied. Under another one, inside an `if`, it is spread over all cores once.

use crate::exec::batches::plan::Value;
use crate::exec::batches::run::dense::{Dense, Held, Register, Word};
use crate::exec::batches::run::masks::Active;
use crate::exec::batches::run::part::Part;
use crate::exec::batches::run::rows::{self, Rows};
use crate::exec::batches::run::stop::{Result, Stop};

/// Executes a `let` of data.
pub(super) fn bind(
    part: &mut Part<'_, '_>,
    register: usize,
    value: &Value,
    active: &Active,
) -> Result<()> {
    match value {
        Value::Ints(value) => {
            let value = part.ints(value, active)?;
            let value = part.apart(value, active);
            hold(part, register, value, active);
        }
        Value::Floats(value) => {
            let value = part.floats(value, active)?;
            let value = part.apart(value, active);
            hold(part, register, value, active);
        }
    }
    Ok(())
}

/// Binds a `let` to a quantity of the active cores that lies in no shared array.
pub(super) fn hold<T: Word>(
    part: &mut Part<'_, '_>,
    register: usize,
    value: Dense<T>,
    active: &Active,
) {
    let bound = T::register(Held::new(value, active));
    match part.registers[register].replace(bound) {
        Some(Register::Ints(held)) => part.spare.release(held.value),
        Some(Register::Floats(held)) => part.spare.release(held.value),
        None => {}
    }
}

/// Returns the value of a `let` for the active cores.
pub(super) fn bound<T: Word>(
    part: &mut Part<'_, '_>,
    register: usize,
    active: &Active,
) -> Result<Dense<T>> {
    let taken = part.registers[register].take().and_then(T::held);
    let mut held = taken.ok_or(Stop::Bail)?;
    let mut value = held.value.shared();
    if !matches!(value, Dense::Same(_)) && held.active != *active {
        if !part.batch.is_everyone(&held.active) {
            let everyone = Active::Range(0, part.batch.cores);
            let spread = part.spread(held.value, &held.active);
            held = Held::new(Dense::Lanes(spread), &everyone);
        }
        let words = held.value.lanes(&part.shared);
        value = Dense::Lanes(gather(part, words, active));
    }
    part.registers[register] = Some(T::register(held));
    Ok(value)
}

/// Picks the words of the active cores from a word for every core of the batch.
fn gather<T: Word>(part: &Part<'_, '_>, words: &[T], active: &Active) -> Vec<T> {
    let cores = part.batch.cores;
    let mut lanes = Vec::with_capacity(part.batch.lanes(active));
    match (part.batch.shape(active), active.even()) {
        (Some(shape), Some(runs)) => {
            let steps = [part.batch.row * cores, cores, runs.apart, 1];
            let from = Rows {
                first: runs.first,
                steps: steps.map(|step| step as isize),
            };
            lanes.resize(part.batch.lanes(active), T::default());
            rows::copy(&mut lanes, Rows::dense(shape), words, from, shape);
        }
        _ => part
            .batch
            .each(active, |mp, core| lanes.push(words[mp * cores + core])),
    }
    lanes
}
