//! How much work several evaluations may take together: an allowance of values that quantifiers run
//! through, handed down to whoever evaluates.
//!
//! It counts work, never seconds, so that answers are the same on every machine. Who hands none
//! down limits each expression by itself only.

use std::cell::Cell;

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

    /// Takes so many; `None`, and takes none, where fewer are left.
    pub(crate) fn spend(&self, values: u64) -> Option<()> {
        self.left.set(self.left.get().checked_sub(values)?);
        Some(())
    }
}
