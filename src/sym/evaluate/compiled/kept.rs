//! The totals of an unsolved sum that were found at earlier points.

use std::collections::BTreeMap;

use crate::sym::evaluate::compiled::fraction::Fraction;

/// The most totals kept of one sum. Beyond it all but the largest are dropped, so a longer sweep
/// back down starts anew.
const MOST_KEPT: usize = 4096;

/// The totals of a sum, by the last value added.
#[derive(Debug, Clone, Default)]
pub(super) struct Kept {
    first: i128,
    others: Vec<Option<Fraction>>,
    /// Each total with the terms that it took, those of inner sums included.
    pub(super) totals: BTreeMap<i128, (Fraction, u64)>,
}

impl Kept {
    /// Returns the largest known last value ≤ `high` with its total, if all else is the same.
    pub(super) fn begun(
        &mut self,
        (low, high): (i128, i128),
        others: Vec<Option<Fraction>>,
    ) -> Option<(i128, Fraction, u64)> {
        // A total is valid only for the same start and the same values of all other symbols. If
        // any of them changed, everything kept is dropped: points usually vary one parameter at a
        // time.
        if self.first != low || self.others != others {
            *self = Kept {
                first: low,
                others,
                totals: BTreeMap::new(),
            };
        }
        let (last, (total, terms)) = self.totals.range(..=high).next_back()?;
        Some((*last, *total, *terms))
    }

    /// Keeps a total with the terms that it took, by the last value added.
    pub(super) fn keep(&mut self, last: i128, total: (Fraction, u64)) {
        if self.totals.len() == MOST_KEPT {
            let largest = self.totals.pop_last();
            self.totals.clear();
            self.totals.extend(largest);
        }
        self.totals.insert(last, total);
    }
}
