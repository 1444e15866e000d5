//! `atomic`: core after core, in their order.

use crate::exec::Data;
use crate::exec::batches::plan::{Place, Value};
use crate::exec::batches::run::dense::Lanes;
use crate::exec::batches::run::masks::Active;
use crate::exec::batches::run::{Part, Stop};
use crate::exec::value;
use crate::program::AtomicOperator;

type Result<T> = std::result::Result<T, Stop>;

impl Part<'_, '_> {
    pub(super) fn atomic(
        &mut self,
        target: &Place,
        operator: AtomicOperator,
        operands: &[(bool, Value)],
        operations: u64,
        active: &Active,
    ) -> Result<()> {
        let before = self.counts.conflicts;
        let offsets = self.shared_offsets(target, active)?;
        // The element's own indices are evaluated on the right and on the left.
        self.counts.conflicts += self.counts.conflicts - before;
        let mut values = Vec::with_capacity(operands.len());
        for (negated, operand) in operands {
            let lanes = match operand {
                Value::Ints(value) => {
                    let value = self.ints(value, active)?;
                    Lanes::Ints(self.lanes_of(value, active))
                }
                Value::Floats(value) => {
                    let value = self.floats(value, active)?;
                    Lanes::Floats(self.lanes_of(value, active))
                }
            };
            values.push((*negated, lanes));
        }
        if !self.are_written(target.array, &offsets, active) {
            return Err(Stop::Bail);
        }
        self.contend(target.array, &offsets, operations, active);
        let admitted = self.launch.known.admitted(target.variable);
        let array = &mut self.shared[target.array];
        array.magnitude = None;
        let is_admitted = |int: &i64| admitted.is_none_or(|range| range.admits_int(*int));
        let is_done = match (&mut array.data, values.as_slice()) {
            (Data::Int(words), [(negated, Lanes::Ints(lanes))]) => {
                update(words, &offsets, |word, at| {
                    value::updated_int(operator, *negated, word, lanes[at]).filter(is_admitted)
                })
            }
            (Data::Int(words), values) => update(words, &offsets, |word, at| {
                let next = values
                    .iter()
                    .try_fold(word, |word, (negated, lanes)| match lanes {
                        Lanes::Ints(lanes) => {
                            value::updated_int(operator, *negated, word, lanes[at])
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
                    value::updated_float(operator, *negated, word, operand)
                });
                let is_admitted = admitted.is_none_or(|range| range.admits_float(next));
                is_admitted.then_some(next)
            }),
        };
        if !is_done {
            return Err(Stop::Bail);
        }
        values.into_iter().for_each(|(_, lanes)| self.free(lanes));
        self.ints.push(offsets);
        Ok(())
    }

    /// Pays an `atomic`: as often as the most contended word of each MP has cores. Its bank
    /// conflicts are those of the element and of the target.
    fn contend(&mut self, array: usize, offsets: &[i64], operations: u64, active: &Active) {
        self.counts.own_time.resize(self.width, 0);
        for (mp, group) in self.groups(active) {
            let cores = group.len();
            let (most, words) = self.crowds(array, mp, &offsets[group]);
            self.counts.own_time[mp] += operations * most;
            self.counts.lane_operations += u128::from(operations * most) * cores as u128;
            self.counts.conflicts += 2 * words.saturating_sub(1);
        }
    }
}

/// Updates words one after the other, each from what it is by then; stops where there is nothing
/// to update it to.
#[inline]
fn update<T: Copy>(words: &mut [T], offsets: &[i64], next: impl Fn(T, usize) -> Option<T>) -> bool {
    offsets.iter().enumerate().all(|(at, &offset)| {
        let word = &mut words[offset as usize];
        next(*word, at).map(|next| *word = next).is_some()
    })
}
