//! The last number of blocks, kept because the next access often has the same offsets: a word is
//! loaded, changed and stored again.

use std::sync::{Arc, Weak};

use crate::exec::batches::run::dense::Dense;
use crate::exec::batches::run::masks::Active;

/// The last number of blocks, with its offsets.
#[derive(Debug)]
pub(super) struct LastBlocks {
    /// The vector of offsets, if it is held. It may be gone by now, but the weak reference keeps
    /// its address from being used again.
    held: Weak<Vec<i64>>,
    /// A copy of the offsets, if they are not held.
    offsets: Vec<i64>,
    active: Active,
    pub blocks: u64,
}

impl LastBlocks {
    /// Starts without a count.
    pub(super) fn none() -> LastBlocks {
        LastBlocks {
            held: Weak::new(),
            offsets: Vec::new(),
            active: Active::Range(0, 0),
            blocks: 0,
        }
    }

    /// Returns true if the last count was for these offsets and cores.
    pub(super) fn are_of(&self, held: &Dense<i64>, offsets: &[i64], active: &Active) -> bool {
        let are_same = match held {
            Dense::Held(held) => std::ptr::eq(self.held.as_ptr(), Arc::as_ptr(held)),
            Dense::Same(_) | Dense::Lanes(_) | Dense::Words { .. } => self.offsets == offsets,
        };
        are_same && self.active == *active
    }

    /// Keeps the count of these offsets and cores.
    pub(super) fn note(
        &mut self,
        held: &Dense<i64>,
        offsets: &[i64],
        active: &Active,
        blocks: u64,
    ) {
        self.offsets.clear();
        self.held = match held {
            Dense::Held(held) => Arc::downgrade(held),
            Dense::Same(_) | Dense::Lanes(_) | Dense::Words { .. } => {
                self.offsets.extend_from_slice(offsets);
                Weak::new()
            }
        };
        (self.active, self.blocks) = (active.clone(), blocks);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_taken_again_of_the_same_offsets_only() {
        let all = Active::Range(0, 2);
        let offsets = [3, 5];
        let mut last = LastBlocks::none();
        let own = Dense::Lanes(offsets.to_vec());
        assert!(!last.are_of(&own, &offsets, &all));
        last.note(&own, &offsets, &all, 1);
        assert!(last.are_of(&own, &offsets, &all));
        assert!(!last.are_of(&own, &[3, 6], &all));
        assert!(!last.are_of(&own, &offsets, &Active::Range(0, 1)));
        let held = Dense::Held(Arc::new(offsets.to_vec()));
        last.note(&held, &offsets, &all, 1);
        assert!(last.are_of(&held, &offsets, &all));
        drop(held);
        for _ in 0..100 {
            let next = Dense::Held(Arc::new(vec![4, 6]));
            assert!(!last.are_of(&next, &[4, 6], &all));
        }
    }
}
