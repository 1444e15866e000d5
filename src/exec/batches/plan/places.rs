//! Accesses as places: an even offset with the indices that need a bounds check, or index by index.
//! Also the reach of MPs in global arrays.

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

    /// Returns the place of a shared word that is read.
    pub(super) fn read_place(&mut self, access: &Access) -> Option<Place> {
        let place = self.shared_place(access)?;
        self.traces.passing.read(&place);
        Some(place)
    }

    /// Returns the place of a shared word that is written. Called after its value has been planned.
    pub(super) fn written_place(&mut self, access: &Access) -> Option<Place> {
        let place = self.shared_place(access)?;
        self.traces.passing.written(&place);
        Some(place)
    }

    /// Returns the place of a shared word that an `atomic` reads and writes.
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
        // MPs cannot race on an array that no statement writes.
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

    /// Returns the factors and the rest of each index that is a form.
    fn known(&self, indices: &[(Ints, i64, i64)]) -> Vec<Option<Index>> {
        let known = indices.iter().map(|(index, ..)| match index {
            Ints::Form(form) => Some(self.factors_and_rest(form)),
            _ => None,
        });
        known.collect()
    }

    /// Describes an access: the MPs, cores and iterations that get there, and its words.
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

    /// Splits a form into the factors of the MP indices and the interval of everything else.
    fn factors_and_rest(&self, form: &Form) -> Index {
        let dimensions = self.scope.launched.mps.len();
        let Ranges { active, slots, .. } = &self.scope.ranges;
        let factors = (0..dimensions).map(|slot| form.factor(slot)).collect();
        (factors, form.interval_from(dimensions, *active, slots))
    }

    /// Returns the indices of an access, each with its extent and its stride in words.
    fn indices(&mut self, access: &Access) -> Option<Vec<(Ints, i64, i64)>> {
        let mut indices = Vec::with_capacity(access.dimensions.len());
        for (index, extent, stride) in &access.dimensions {
            indices.push((self.ints(index)?, *extent, *stride));
        }
        Some(indices)
    }

    /// Joins indices to an offset, if all of them are forms.
    fn at(&self, indices: Vec<(Ints, i64, i64)>) -> Option<At> {
        if !(indices.iter()).all(|(index, ..)| matches!(index, Ints::Form(_))) {
            return Some(At::Each(indices));
        }
        // In a[n, m], `a[y, 32x + j]` has the offset m·y + 32x + j. An index whose interval leaves
        // its
        // extent is kept in `checked` and compared at run time.
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
            // The side that already has terms takes in the other one, which saves a copy.
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
        // With stride s and b banks, cores b/gcd(s, b) apart share a bank: s = 2 and b = 32 give
        // 16.
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
