//! How much work several evaluations may take together: an allowance of values that quantifiers run
//! through, handed down to whoever evaluates.
//!
//! It counts work, never seconds, so that answers are the same on every machine. Who hands none
//! down limits each expression by itself only.

use std::cell::Cell;

/// Cost of a refusal in values. With the usual ten million values, a search ends after a thousand refusals.
const REFUSAL: u64 = 10_000;

/// What the quantifiers of all expressions may still run through, and what very large numbers take.
#[derive(Debug)]
pub(crate) struct Allowance {
    left: Cell<u64>,
}

impl Allowance {
    /// So many values.
    pub(crate) fn of(values: u64) -> Allowance {
        Allowance {
            left: Cell::new(values),
        }
    }

    /// More than anybody uses up.
    pub(crate) fn unlimited() -> Allowance {
        Allowance::of(u64::MAX)
    }

    /// Takes so many; `None` where fewer are left. A refusal takes a few, so that a search among refused values ends.
    pub(crate) fn spend(&self, values: u64) -> Option<()> {
        let left = self.left.get();
        match left.checked_sub(values) {
            Some(rest) => {
                self.left.set(rest);
                Some(())
            }
            None => {
                self.left.set(left.saturating_sub(REFUSAL));
                None
            }
        }
    }

    /// Returns true if nothing is left. A search then ends.
    pub(crate) fn is_spent(&self) -> bool {
        self.left.get() == 0
    }
}
