//! Accesses as places: an even offset with the indices that must be looked at, or each index; and
//! what MPs touch of global arrays.

use crate::exec::batches::plan::build::Builder;
use crate::exec::batches::plan::form::Form;
use crate::exec::batches::plan::scope::Ranges;
use crate::exec::batches::plan::{At, GlobalArray, Index, Ints, Place, Reach};
use crate::exec::statements::typed::Access;

impl Builder<'_> {
    fn shared_place(&mut self, access: &Access) -> Option<Place> {
        self.step.reads += 1;
        let array = self
            .shared
            .iter()
            .position(|array| array.variable == access.variable)?;
        let words = self.shared[array].words as i64;
        let indices = self.indices(access)?;
        let mut at = self.at(indices)?;
        if let At::Line { apart, .. } = &mut at {
            *apart = words;
        }
        Some(Place {
            array,
            variable: access.variable,
            at,
        })
    }

    /// A shared place whose words are read.
    pub(super) fn read_place(&mut self, access: &Access) -> Option<Place> {
        let place = self.shared_place(access)?;
        self.traces.passing.read(&place);
        Some(place)
    }

    /// A shared place that is written, once what is written there is known.
    pub(super) fn written_place(&mut self, access: &Access) -> Option<Place> {
        let place = self.shared_place(access)?;
        self.traces.passing.written(&place);
        Some(place)
    }

    /// A shared place of an `atomic`.
    pub(super) fn updated_place(&mut self, access: &Access) -> Option<Place> {
        let place = self.read_place(access)?;
        self.traces.passing.written(&place);
        Some(place)
    }

    pub(super) fn global_place(&mut self, access: &Access, writes: bool) -> Option<Place> {
        let known = self
            .global
            .iter()
            .position(|array| array.variable == access.variable);
        let array = known.unwrap_or_else(|| {
            self.global.push(GlobalArray {
                variable: access.variable,
                is_read: false,
                is_written: false,
                may_race: false,
            });
            self.global.len() - 1
        });
        self.global[array].is_read |= !writes;
        self.global[array].is_written |= writes;
        let indices = self.indices(access)?;
        // Nobody meets where nobody writes.
        let is_written_to = (self.scope.launched.kernel.writes_global).contains(&access.variable);
        let known = is_written_to.then(|| self.known(&indices));
        let at = self.at(indices)?;
        if let Some(known) = known {
            let reach = self.reach((array, writes), known, &at);
            self.traces.accesses.push(reach);
        }
        Some(Place {
            array,
            variable: access.variable,
            at,
        })
    }

    /// What is known of indices as far as MPs are concerned.
    fn known(&self, indices: &[(Ints, i64, i64)]) -> Vec<Option<Index>> {
        let known = indices.iter().map(|(index, ..)| match index {
            Ints::Form(form) => Some(self.factors_and_rest(form)),
            _ => None,
        });
        known.collect()
    }

    /// Who gets to an access of which that much is known, and where it goes.
    fn reach(&self, (array, writes): (usize, bool), indices: Vec<Option<Index>>, at: &At) -> Reach {
        let Ranges {
            active,
            slots,
            except,
        } = &self.scope.ranges;
        Reach {
            array,
            writes,
            indices,
            offset: match at {
                At::Line { offset, .. } => Some(offset.clone()),
                At::Each(_) => None,
            },
            cores: *active,
            slots: slots.clone(),
            except: except.clone(),
        }
    }

    /// The factors of the MP indices, and what everything else comes to.
    fn factors_and_rest(&self, form: &Form) -> Index {
        let dimensions = self.scope.launched.mps.len();
        let Ranges { active, slots, .. } = &self.scope.ranges;
        let factors = (0..dimensions).map(|slot| form.factor(slot)).collect();
        (factors, form.interval_from(dimensions, *active, slots))
    }

    /// The indices of an access, each with its extent and the words between two neighbours.
    fn indices(&mut self, access: &Access) -> Option<Vec<(Ints, i64, i64)>> {
        let mut indices = Vec::with_capacity(access.dimensions.len());
        for (index, extent, stride) in &access.dimensions {
            indices.push((self.ints(index)?, *extent, *stride));
        }
        Some(indices)
    }

    /// Where an access of such indices goes.
    fn at(&self, indices: Vec<(Ints, i64, i64)>) -> Option<At> {
        if !(indices.iter()).all(|(index, ..)| matches!(index, Ints::Form(_))) {
            return Some(At::Each(indices));
        }
        let mut offset = Form::default();
        let mut checked = Vec::new();
        let is_sum = indices.len() > 1;
        for (index, extent, stride) in indices {
            let Ints::Form(mut form) = index else {
                unreachable!("all of them are");
            };
            let (low, high) = self.scope.bounded(&form)?;
            if low < 0 || high >= i128::from(extent) {
                checked.push((form.clone(), extent));
            }
            // Whichever has its terms already takes the other one in.
            if stride == 1 {
                form.add(1, &offset)?;
                offset = form;
            } else {
                offset.add(stride, &form)?;
            }
        }
        if is_sum {
            self.scope.bounded(&offset)?;
        }
        let banks = self.scope.launched.known.cores;
        let stride = (offset.core.unsigned_abs() % banks as u64) as usize;
        Some(At::Line {
            period: banks / num_integer::gcd(stride, banks).max(1),
            steps: offset.steps(self.scope.launched.mps.len()),
            apart: 0,
            offset,
            checked,
        })
    }
}
