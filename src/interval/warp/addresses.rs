//! Addresses of the cores of a group in an array, and the conflicts of their shared words.

use crate::interval::access::Offsets;
use crate::interval::lanes::{Active, Bail, DIMENSIONS, FLAT, Lanes, Slope};
use crate::interval::launch::Shape;
use crate::interval::value::{self, Value};
use crate::interval::warp::Warp;
use crate::meaning::fault::{Fault, NoValue, OutOfBounds};
use crate::meaning::launch::fold::Launched;
use crate::program::Word;
use crate::text::Span;

impl Warp<'_, '_> {
    /// Evaluates the offsets of the cores in an array on the first MP of the group, and their slope
    /// with the MP's number.
    pub(in crate::interval) fn offsets(
        &mut self,
        word: &Word<Launched>,
        active: &Active,
    ) -> Result<(Offsets, Slope), Bail> {
        let mut places = Vec::with_capacity(word.indices.len());
        for index in &word.indices {
            places.push(self.number(index, active)?);
        }
        let Shape { extents, strides } = self.setting.launch.shape(word.variable);
        let known = places
            .iter()
            .all(|place| matches!(place, Lanes::Known { .. }));
        if known {
            return self.known_offsets(word, &places, active);
        }
        let mut ranges = vec![(0i64, 0i64); self.cores()];
        for (at, place) in places.iter().enumerate() {
            self.flat(place)?;
            let extent = extents[at];
            for core in active.may.iter() {
                let index = place.get(core);
                if let Value::Exact(_) = index {
                    let fault = NoValue::NotIntegral(value::shown(&index).into());
                    self.core_fault(active, core, fault, word.indices[at].span);
                }
                let (mut low, mut high) = index.bounds();
                // An index that is certainly outside is a fault. One that may be outside is taken
                // to be inside:
                // any run that goes on has it there.
                if high < 0 || low >= extent {
                    let wrong = if high < 0 { high } else { low };
                    self.outside(word, at, wrong.into(), core, active);
                    (low, high) = (0, extent - 1);
                }
                let low = low.clamp(0, (extent - 1).max(0));
                let high = high.clamp(0, (extent - 1).max(0));
                ranges[core].0 += low * strides[at];
                ranges[core].1 += high * strides[at];
            }
        }
        Ok((Offsets::Between(ranges), FLAT))
    }

    fn known_offsets(
        &mut self,
        word: &Word<Launched>,
        places: &[Lanes],
        active: &Active,
    ) -> Result<(Offsets, Slope), Bail> {
        let Shape { extents, strides } = self.setting.launch.shape(word.variable);
        let mut offsets = vec![0i64; self.cores()];
        let mut slope = FLAT;
        for (at, place) in places.iter().enumerate() {
            let Lanes::Known { base, slope: own } = place else {
                continue;
            };
            let extent = i128::from(extents[at]);
            let (least, most) = self.group.extremes(own);
            let first = self.group.at_first(own);
            // The extremes over the group decide: wholly outside is a fault, partly outside halves
            // the
            // group until each part is one or the other.
            for core in active.may.iter() {
                let value = i128::from(base.get(core));
                let (low, high) = (value + least, value + most);
                let mut index = value + first;
                if high < 0 || low >= extent {
                    self.outside(word, at, index, core, active);
                    index = 0;
                } else if low < 0 || high >= extent {
                    return Err(self.group.halve(own));
                }
                offsets[core] += index as i64 * strides[at];
            }
            for d in 0..DIMENSIONS {
                let step = own[d].checked_mul(strides[at]);
                let sum = step.and_then(|step| slope[d].checked_add(step));
                slope[d] = sum.ok_or(Bail::Separate(self.group.spread(own)))?;
            }
        }
        Ok((Offsets::Known(offsets), slope))
    }

    fn outside(
        &mut self,
        word: &Word<Launched>,
        at: usize,
        index: i128,
        core: usize,
        active: &Active,
    ) {
        if !active.must.contains(core) {
            return;
        }
        let variable = self.setting.program.variable(word.variable);
        let extents = &self.setting.launch.shape(word.variable).extents;
        let fact = OutOfBounds {
            variable: variable.name.clone(),
            dimension: at,
            dimensions: extents.len(),
            index: index.to_string(),
            extent: extents[at].into(),
        };
        let place = self.place(core);
        let (span, declaration) = (word.indices[at].span, variable.span);
        let is_shared = self.held.shared[word.variable.0 as usize].is_some();
        self.report(if is_shared {
            Fault::BoundsShared {
                fact,
                place,
                span,
                declaration,
            }
        } else {
            Fault::BoundsGlobal {
                fact,
                place,
                span,
                declaration,
            }
        });
    }

    /// Tallies the conflict of one shared operand. The slope does not matter: for another MP all
    /// banks
    /// turn by the same number.
    pub(in crate::interval) fn operand(&mut self, offsets: &Offsets, active: &Active, span: Span) {
        let conflicts = offsets.conflicts(&active.must, &active.may, self.setting.b());
        self.record.operand(offsets, active, conflicts, span);
    }
}
