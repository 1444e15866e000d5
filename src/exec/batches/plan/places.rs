//! Accesses as places: an even offset with the indices that must be looked at, or each index; and
//! what MPs touch of global arrays.

use crate::exec::batches::plan::build::Builder;
use crate::exec::batches::plan::form::{Form, Interval};
use crate::exec::batches::plan::races::Touch;
use crate::exec::batches::plan::{At, GlobalArray, Ints, Place, Reach};
use crate::exec::statements::typed::Access;

impl Builder<'_> {
    fn shared_place(&mut self, access: &Access) -> Option<Place> {
        self.step.reads += 1;
        let array = self
            .shared
            .iter()
            .position(|array| array.variable == access.variable)?;
        let words = self.shared[array].words as i64;
        let (mut at, _) = self.at(access)?;
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
        let (at, forms) = self.at(access)?;
        let place = Place {
            array,
            variable: access.variable,
            at,
        };
        self.touch(&place, forms, writes);
        Some(place)
    }

    fn touch(&mut self, place: &Place, forms: Vec<Option<Form>>, writes: bool) {
        let array = place.array;
        let dimensions = self.scope.launched.mps.len();
        let except = self.scope.ranges.except.iter();
        let known = forms.into_iter();
        let touch = Touch {
            array,
            writes,
            indices: known
                .map(|form| Some(self.factors_and_rest(form?)))
                .collect(),
            mps: self.scope.ranges.slots[..dimensions].to_vec(),
            except: except
                .filter(|(slot, _)| *slot < dimensions)
                .copied()
                .collect(),
        };
        self.traces.reaches.push(Reach {
            array,
            offset: match &place.at {
                At::Line { offset, .. } => Some(offset.clone()),
                At::Each(_) => None,
            },
            cores: self.scope.ranges.active,
            slots: self.scope.ranges.slots.clone(),
        });
        self.traces.touches.push(touch);
    }

    /// The factors of the MP indices, and what everything else comes to.
    fn factors_and_rest(&self, mut form: Form) -> (Vec<i64>, Interval) {
        let dimensions = self.scope.launched.mps.len();
        let factors = (0..dimensions).map(|slot| form.factor(slot)).collect();
        form.terms.retain(|(_, slot)| *slot >= dimensions);
        (
            factors,
            form.interval(self.scope.ranges.active, &self.scope.ranges.slots),
        )
    }

    /// Where an access goes, and its indices as far as they are even.
    fn at(&mut self, access: &Access) -> Option<(At, Vec<Option<Form>>)> {
        let indices = access.dimensions.iter().map(|(index, extent, stride)| {
            let index = self.ints(index)?;
            Some((index, *extent, *stride))
        });
        let indices: Vec<(Ints, i64, i64)> = indices.collect::<Option<_>>()?;
        let forms = indices.iter().map(|(index, ..)| match index {
            Ints::Form(form) => Some(form.clone()),
            _ => None,
        });
        let forms: Vec<Option<Form>> = forms.collect();
        if forms.contains(&None) {
            return Some((At::Each(indices), forms));
        }
        let mut offset = Form::default();
        let mut checked = Vec::new();
        for (form, (_, extent, stride)) in forms.iter().flatten().zip(&access.dimensions) {
            let (low, high) = self.scope.bounded(form)?;
            offset = offset.plus(*stride, form)?;
            if low < 0 || high >= i128::from(*extent) {
                checked.push((form.clone(), *extent));
            }
        }
        self.scope.bounded(&offset)?;
        let banks = self.scope.launched.known.cores;
        let stride = (offset.core.unsigned_abs() % banks as u64) as usize;
        let line = At::Line {
            period: banks / num_integer::gcd(stride, banks).max(1),
            steps: offset.steps(self.scope.launched.mps.len()),
            apart: 0,
            offset,
            checked,
        };
        Some((line, forms))
    }
}
