//! How much algebra a thread has done, in factors written: what a limit on work is held against where
//! no proof is under way, as in products of long sums. A count, not a clock, so that the same program
//! is given up at the same place everywhere.

use std::cell::Cell;

thread_local! {
    static FACTORS: Cell<u64> = const { Cell::new(0) };
}

/// Books factors written on this thread.
pub(super) fn book(factors: usize) {
    FACTORS.set(FACTORS.get().wrapping_add(factors as u64));
}

/// The factors written on this thread so far.
pub(super) fn factors() -> u64 {
    FACTORS.get()
}
