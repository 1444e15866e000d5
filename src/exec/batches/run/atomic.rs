//! `atomic`: the cores update one after the other, in their order.

use crate::exec::Data;
use crate::exec::batches::plan::{Place, Value};
use crate::exec::batches::run::dense::Lanes;
use crate::exec::batches::run::masks::Active;
use crate::exec::batches::run::part::Part;
use crate::exec::batches::run::stop::{Result, Stop};
use crate::meaning::arithmetic;
use crate::program::AtomicOperator;

pub(super) fn atomic(
    part: &mut Part<'_, '_>,
    target: &Place,
    operator: AtomicOperator,
    operands: &[(bool, Value)],
    operations: u64,
    active: &Active,
) -> Result<()> {
    let before = part.counted.counts.conflicts;
    let offsets = part.shared_offsets(target, active)?;
    // The element's own indices are evaluated on the right and on the left.
    part.counted.counts.conflicts += part.counted.counts.conflicts - before;
    let values = evaluated(part, operands, active)?;
    if !part.shared[target.array].are_written(&part.batch, target.array, &offsets, active) {
        return Err(Stop::Bail);
    }
    part.settle(target.array);
    contend(part, target.array, &offsets, operations, active);
    let admitted = part.fixed.launch.known.admitted(target.variable);
    let array = &mut part.shared[target.array];
    array.changes();
    let is_admitted = |int: &i64| admitted.is_none_or(|range| range.admits_int(*int));
    let is_done = match (array.data_mut(), values.as_slice()) {
        (Data::Int(words), [(negated, Lanes::Ints(lanes))]) => {
            update(words, &offsets, |word, at| {
                arithmetic::updated_int(operator, *negated, word, lanes[at]).filter(is_admitted)
            })
        }
        (Data::Int(words), values) => update(words, &offsets, |word, at| {
            let next = values
                .iter()
                .try_fold(word, |word, (negated, lanes)| match lanes {
                    Lanes::Ints(lanes) => {
                        arithmetic::updated_int(operator, *negated, word, lanes[at])
                    }
                    Lanes::Floats(_) => None,
                });
            next.filter(is_admitted)
        }),
        (Data::Float(words), values) => update(words, &offsets, |word, at| {
            let next = values.iter().fold(word, |word, (negated, lanes)| {
                let operand = match lanes {
                    Lanes::Floats(lanes) => lanes[at],
                    Lanes::Ints(lanes) => lanes[at] as f64,
                };
                arithmetic::updated_float(operator, *negated, word, operand)
            });
            let is_admitted = admitted.is_none_or(|range| range.admits_float(next));
            is_admitted.then_some(next)
        }),
    };
    if !is_done {
        return Err(Stop::Bail);
    }
    values
        .into_iter()
        .for_each(|(_, lanes)| part.spare.free(lanes));
    part.spare.ints.push(offsets);
    Ok(())
}

/// Evaluates the operands, one value per active core each.
fn evaluated(
    part: &mut Part<'_, '_>,
    operands: &[(bool, Value)],
    active: &Active,
) -> Result<Vec<(bool, Lanes)>> {
    let mut values = Vec::with_capacity(operands.len());
    for (negated, operand) in operands {
        let lanes = match operand {
            Value::Ints(value) => {
                let value = part.ints(value, active)?;
                Lanes::Ints(part.lanes_of(value, active))
            }
            Value::Floats(value) => {
                let value = part.floats(value, active)?;
                Lanes::Floats(part.lanes_of(value, active))
            }
        };
        values.push((*negated, lanes));
    }
    Ok(values)
}

/// Charges an `atomic`: its operations times the cores on the most contended word of each MP. The
/// element and the target are one place evaluated twice, so its bank conflicts count twice.
fn contend(
    part: &mut Part<'_, '_>,
    array: usize,
    offsets: &[i64],
    operations: u64,
    active: &Active,
) {
    part.counted.counts.own_time.resize(part.batch.width(), 0);
    for (mp, group) in part.batch.groups(active) {
        let cores = group.len();
        let own = mp * part.shared[array].words;
        let (most, words) =
            part.counted
                .crowds(&mut part.shared[array], &part.batch, own, &offsets[group]);
        part.counted.counts.own_time[mp] += operations * most;
        part.counted.counts.lane_operations += u128::from(operations * most) * cores as u128;
        part.counted.counts.conflicts += 2 * words.saturating_sub(1);
    }
}

/// Updates words one after the other, each from its current value. Stops and returns `false` where
/// there is no new value.
#[inline]
fn update<T: Copy>(words: &mut [T], offsets: &[i64], next: impl Fn(T, usize) -> Option<T>) -> bool {
    offsets.iter().enumerate().all(|(at, &offset)| {
        let word = &mut words[offset as usize];
        next(*word, at).map(|next| *word = next).is_some()
    })
}
