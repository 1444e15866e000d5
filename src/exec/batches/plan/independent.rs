//! Loops with independent iterations: `for s … _a[s, j] ⇐ a[yb + s, tb + j]`.
//!
//! Each array that is written is met at one place only, which moves with the loop, and nothing but
//! words and numbers is computed. So a statement may run for many iterations at once before the
//! next one, as far as the rows of iterations are different words. A launch knows how far.

use crate::exec::batches::plan::fuse::same;
use crate::exec::batches::plan::{At, Block, Floats, Ints, Place, Slot, Step, Value};

/// Returns the shared words that a block inside a loop over a slot meets, if its iterations are
/// independent.
pub(super) fn met(body: &Block, slot: Slot) -> Option<Vec<Place>> {
    let mut found = Found {
        slot,
        shared: Vec::new(),
        global: Vec::new(),
    };
    let is_plain = !body.steps.is_empty() && body.steps.iter().all(|step| found.step(step));
    (is_plain && found.is_private()).then(|| {
        found
            .shared
            .iter()
            .map(|(place, _)| (*place).clone())
            .collect()
    })
}

struct Found<'s> {
    slot: Slot,
    /// Places of shared arrays, with true for those that are written.
    shared: Vec<(&'s Place, bool)>,
    /// The same for global arrays.
    global: Vec<(&'s Place, bool)>,
}

impl<'s> Found<'s> {
    fn step(&mut self, step: &'s Step) -> bool {
        match step {
            Step::Load { target, source } => {
                self.shared.push((target, true));
                self.global.push((source, false));
                true
            }
            Step::Store { target, source } => {
                self.shared.push((source, false));
                self.global.push((target, true));
                true
            }
            Step::Assign { target, value } => {
                self.shared.push((target, true));
                match value {
                    Value::Ints(ints) => self.ints(ints),
                    Value::Floats(floats) => self.floats(floats),
                }
            }
            Step::Atomic { .. }
            | Step::Let { .. }
            | Step::If { .. }
            | Step::Loop(_)
            | Step::Walk(_)
            | Step::Number { .. }
            | Step::While { .. }
            | Step::Accumulate(_)
            | Step::Exchange(_) => false,
        }
    }

    fn ints(&mut self, ints: &'s Ints) -> bool {
        match ints {
            Ints::Form(_) => true,
            Ints::Read(place) => {
                self.shared.push((place, false));
                true
            }
            Ints::Absolute(of) => self.ints(of),
            Ints::Binary(_, left, right) | Ints::CeilQuotient(left, right) => {
                self.ints(left) && self.ints(right)
            }
            Ints::Minimum(nodes) | Ints::Maximum(nodes) => nodes.iter().all(|node| self.ints(node)),
            Ints::Table(_)
            | Ints::Register(_)
            | Ints::Select(..)
            | Ints::Bits(..)
            | Ints::Bracket(_)
            | Ints::FloorOf(_)
            | Ints::CeilOf(_) => false,
        }
    }

    fn floats(&mut self, floats: &'s Floats) -> bool {
        match floats {
            Floats::Constant(_) => true,
            Floats::Read(place) => {
                self.shared.push((place, false));
                true
            }
            Floats::OfInts(ints) => self.ints(ints),
            Floats::Negate(of) | Floats::Absolute(of) | Floats::Math(_, of) => self.floats(of),
            Floats::Binary(_, left, right) => self.floats(left) && self.floats(right),
            Floats::Minimum(nodes) | Floats::Maximum(nodes) => {
                nodes.iter().all(|node| self.floats(node))
            }
            Floats::Quotient(..) | Floats::Log(..) | Floats::Register(_) | Floats::Select(..) => {
                false
            }
        }
    }

    /// Returns true if all places are lines, and a written one moves and is the only one of its
    /// array.
    fn is_private(&self) -> bool {
        // If all accesses to a written array are at the same moving place, an iteration meets only
        // its
        // own words. `_a[s, j]` may be read and written; `_a[s − 1, j]` beside it may not.
        let is_line = |place: &Place| matches!(place.at, At::Line { .. });
        let moves = |place: &Place| match &place.at {
            At::Line { offset, .. } => offset.core != 0 && offset.factor(self.slot) != 0,
            At::Each(_) => false,
        };
        [&self.shared, &self.global].into_iter().all(|places| {
            places.iter().all(|(place, is_written)| {
                let others = || places.iter().map(|(other, _)| *other);
                let mut of_array = others().filter(|other| other.array == place.array);
                is_line(place)
                    && (!is_written || moves(place) && of_array.all(|other| same(place, other)))
            })
        })
    }
}
