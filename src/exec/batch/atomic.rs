//! `atomic`: core after core, in their order.

use crate::check::program::AtomicOperator;
use crate::exec::Data;
use crate::exec::batch::dense::Lanes;
use crate::exec::batch::masks::Active;
use crate::exec::batch::places::NOTE;
use crate::exec::batch::{Part, Stop};
use crate::exec::plan::{Place, Value};
use crate::exec::value;

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
        // The element's own indices are evaluated on the right and on the left.
        let right = self.shared_offsets(target, active)?;
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
        self.ints.push(right);
        let offsets = self.shared_offsets(target, active)?;
        // As the element and as the target.
        let before = self.counts.conflicts;
        self.conflicts_at(target, &offsets, active);
        self.counts.conflicts += self.counts.conflicts - before;
        if !self.are_written(target.array, &offsets, active) {
            return Err(Stop::Bail);
        }
        self.contend(target.array, &offsets, operations, active);
        let admitted = self.launch.admitted[target.variable.0 as usize].as_ref();
        let array = &mut self.shared[target.array];
        array.magnitude = None;
        for (at, &offset) in offsets.iter().enumerate() {
            let fine = match &mut array.data {
                Data::Int(words) => {
                    let word = &mut words[offset as usize];
                    let next = values.iter().try_fold(*word, |word, (negated, lanes)| {
                        let Lanes::Ints(lanes) = lanes else {
                            return None;
                        };
                        value::updated_int(operator, *negated, word, lanes[at])
                    });
                    match next {
                        Some(next) if admitted.is_none_or(|range| range.admits_int(next)) => {
                            *word = next;
                            true
                        }
                        _ => false,
                    }
                }
                Data::Float(words) => {
                    let word = &mut words[offset as usize];
                    let next = values.iter().fold(*word, |word, (negated, lanes)| {
                        let operand = match lanes {
                            Lanes::Floats(lanes) => lanes[at],
                            Lanes::Ints(lanes) => lanes[at] as f64,
                        };
                        value::updated_float(operator, *negated, word, operand)
                    });
                    *word = next;
                    admitted.is_none_or(|range| range.admits_float(next))
                }
            };
            if !fine {
                return Err(Stop::Bail);
            }
        }
        values.into_iter().for_each(|(_, lanes)| self.free(lanes));
        self.ints.push(offsets);
        Ok(())
    }

    /// Pays an `atomic`: as often as the most contended word of each MP has cores.
    fn contend(&mut self, array: usize, offsets: &[i64], operations: u64, active: &Active) {
        let mut start = 0;
        self.counts.own_time.resize(self.width, 0);
        for end in self.groups(active) {
            let mp = self.mp_of(active, end - 1);
            let own = (mp * self.shared[array].words) as i64;
            let epoch = self.shared[array].begin();
            let marks = &mut self.shared[array].marks;
            let mut most = 0;
            for &offset in &offsets[start..end] {
                let mark = &mut marks[(offset - own) as usize];
                let before = if *mark >> 32 == epoch {
                    *mark & NOTE
                } else {
                    0
                };
                *mark = epoch << 32 | (before + 1);
                most = most.max(before + 1);
            }
            self.counts.own_time[mp] += operations * most;
            self.counts.lane_operations += u128::from(operations * most) * (end - start) as u128;
            start = end;
        }
    }
}
