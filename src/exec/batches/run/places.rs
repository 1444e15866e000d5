//! The places of words of a batch, as rows or offsets, with their bounds checks. Offsets stand in
//! the order of `each`.

use crate::exec::batches::plan::{At, Form, Place};
use crate::exec::batches::run::dense::Dense;
use crate::exec::batches::run::masks::Active;
use crate::exec::batches::run::part::Part;
use crate::exec::batches::run::rows;
use crate::exec::batches::run::stop::{Result, Stop};

impl Part<'_, '_> {
    /// Returns the offset of every active core in a shared array of the batch.
    pub(super) fn shared_offsets(&mut self, place: &Place, active: &Active) -> Result<Vec<i64>> {
        let offsets = self.global_offsets(place, active)?;
        let mut offsets = self.lanes_of(offsets, active);
        if let At::Each(_) = place.at
            && !self.batch.alike[place.array]
        {
            let words = self.shared[place.array].words as i64;
            for (mp, group) in self.batch.groups(active) {
                for offset in &mut offsets[group] {
                    *offset += words * mp as i64;
                }
            }
        }
        Ok(offsets)
    }

    /// Returns the offset of every active core, one each.
    pub(super) fn global_offsets(&mut self, place: &Place, active: &Active) -> Result<Dense<i64>> {
        match &place.at {
            At::Line {
                offset, checked, ..
            } => {
                if !self.batch.inside(checked, active) {
                    return Err(Stop::Bail);
                }
                let steps = self.batch.word_steps(place);
                Ok(Dense::Lanes(self.progression(offset, steps, active)))
            }
            At::Each(indices) => {
                if let [(index, extent, 1)] = indices.as_slice() {
                    let index = match self.ints(index, active)? {
                        same @ Dense::Same(_) => Dense::Lanes(self.lanes_of(same, active)),
                        each => each,
                    };
                    return if are_inside(index.lanes(&self.shared), *extent) {
                        Ok(index)
                    } else {
                        Err(Stop::Bail)
                    };
                }
                let mut offsets: Option<Vec<i64>> = None;
                for (index, extent, stride) in indices {
                    let index = self.ints(index, active)?;
                    let mut index = self.lanes_of(index, active);
                    if !are_inside(&index, *extent) {
                        return Err(Stop::Bail);
                    }
                    if *stride != 1 {
                        index.iter_mut().for_each(|index| *index *= stride);
                    }
                    offsets = Some(match offsets {
                        None => index,
                        Some(mut offsets) => {
                            for (offset, &index) in offsets.iter_mut().zip(&index) {
                                *offset += index;
                            }
                            self.spare.ints.push(index);
                            offsets
                        }
                    });
                }
                // An array without dimensions has one word, at offset 0.
                let offsets = offsets.unwrap_or_else(|| vec![0; self.batch.lanes(active)]);
                Ok(Dense::Lanes(offsets))
            }
        }
    }

    /// Returns the value of a form for every active core; `steps` are its increases per MP.
    pub(super) fn progression(
        &mut self,
        form: &Form,
        steps: [i64; 2],
        active: &Active,
    ) -> Vec<i64> {
        let Some((shape, rows)) = self.batch.numbers(form, steps, active) else {
            let (base, step) = (form.at(&self.batch.slots), form.core);
            let mut values = self.spare.empty();
            match active {
                Active::Each(each) => {
                    for &(mp, from, to) in &each.groups {
                        let first = i64::from(mp) * self.batch.cores as i64;
                        let base = base + self.batch.ahead(steps, mp as usize) - step * first;
                        let lanes = &each.lanes[from as usize..to as usize];
                        values.extend(lanes.iter().map(|&lane| base + step * i64::from(lane)));
                    }
                }
                Active::Range(..) | Active::Runs(_) | Active::List(_) | Active::Along(_) => {
                    self.batch.each(active, |mp, core| {
                        values.push(base + self.batch.ahead(steps, mp) + step * core as i64);
                    });
                }
            }
            return values;
        };
        let mut values = self.spare.some(self.batch.lanes(active));
        rows::progression(shape, rows, &mut values);
        values
    }
}

/// Returns true if all indices are within their extent.
fn are_inside(indices: &[i64], extent: i64) -> bool {
    // One unsigned comparison covers both ends. There is no early exit, so several indices are
    // compared at once.
    (indices.iter()).fold(true, |all, &index| all & ((index as u64) < extent as u64))
}
