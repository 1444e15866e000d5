//! Shared words that only pass: written by a statement, read by the statements right behind it, and
//! seen by nothing else.
//!
//! Hears of reads and writes in the order of the plan's statements, and of each change of the
//! active
//! cores.

use crate::exec::batches::plan::Place;
use crate::exec::batches::plan::fuse::same;

/// The shared arrays seen so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Passing {
    /// Places that the active cores wrote in the statements before this one.
    fresh: Vec<Place>,
    /// Arrays with a word that is read elsewhere.
    seen: Vec<usize>,
}

impl Passing {
    /// Records a read.
    pub(super) fn read(&mut self, place: &Place) {
        if self.is_passing(place.array) && !self.fresh.iter().any(|fresh| same(fresh, place)) {
            self.seen.push(place.array);
        }
    }

    /// Records a write by all active cores.
    pub(super) fn written(&mut self, place: &Place) {
        self.fresh.retain(|fresh| fresh.array != place.array);
        self.fresh.push(place.clone());
    }

    /// Records that other cores are active from here on.
    pub(super) fn part(&mut self) {
        self.fresh.clear();
    }

    /// Returns true if the words of an array only pass.
    pub(super) fn is_passing(&self, array: usize) -> bool {
        !self.seen.contains(&array)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::batches::plan::{At, Form};
    use crate::program::VarId;

    /// A word for each core, from this one on.
    fn place(array: usize, first: i64) -> Place {
        let mut offset = Form::core();
        offset.constant = first;
        Place {
            array,
            variable: VarId(array as u32),
            at: At::Line {
                offset,
                steps: [0, 0],
                apart: 8,
                checked: Vec::new(),
                period: 8,
            },
        }
    }

    #[test]
    fn words_pass_to_the_same_cores_at_the_same_place() {
        let mut passing = Passing::default();
        for array in 0..5 {
            passing.written(&place(array, 0));
        }
        passing.read(&place(0, 0));
        // Words of the neighbours, words written over by other ones, and those of before.
        passing.read(&place(1, 1));
        passing.written(&place(2, 1));
        passing.read(&place(2, 1));
        passing.read(&place(2, 0));
        passing.part();
        passing.read(&place(3, 0));
        let seen = [0, 1, 2, 3, 4].map(|array| passing.is_passing(array));
        assert_eq!(seen, [true, false, false, false, true]);
    }
}
