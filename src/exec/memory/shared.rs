//! The shared memory of one MP: its arrays, its banks, and accesses of all cores together.
//!
//! Shared memory is undefined at the start of every kernel (language.md §5), so an MP forgets it
//! all
//! before it starts. Conflicts and contention of a whole warp are counted here too, in closed form
//! if the offsets grow evenly from core to core.

use num_integer::Integer;

use crate::exec::Data;
use crate::exec::lanes::{Floats, Ints, Mask};
use crate::exec::memory::words::{Words, mark_written, scatter};
use crate::exec::memory::{Admitted, Store};
use crate::meaning::value::same_bits;
use crate::program::VarId;
use crate::syntax::ast::WordType;

/// All shared arrays a kernel names.
#[derive(Debug)]
pub(crate) struct Shared {
    arrays: Vec<SharedArray>,
    /// Index of each variable's array, by variable id; `usize::MAX` if it has none.
    slots: Vec<usize>,
    banks: usize,
    /// Words found in each bank; all 0 between two counts.
    in_bank: Vec<u32>,
}

#[derive(Debug)]
struct SharedArray {
    store: Store,
    /// For each word, the last count that met it (upper half) and a note of it (lower half).
    /// Allocated at the first use.
    marks: Vec<u64>,
    /// Number of the last count.
    epoch: u32,
}

impl SharedArray {
    /// Begins a count; returns the upper half of its marks.
    fn begin(&mut self) -> u64 {
        if self.marks.is_empty() || self.epoch == u32::MAX {
            self.marks = vec![0; self.store.len()];
            self.epoch = 0;
        }
        self.epoch += 1;
        u64::from(self.epoch) << 32
    }
}

const NOTE: u64 = u32::MAX as u64;

impl Shared {
    /// Creates the arrays of a kernel's shared variables, with no word written.
    pub(crate) fn new(
        variables: &[VarId],
        word_type: impl Fn(VarId) -> WordType,
        extents: &[Vec<usize>],
        banks: usize,
    ) -> Shared {
        let mut slots = vec![usize::MAX; extents.len()];
        let mut arrays = Vec::new();
        for &variable in variables {
            let at = variable.0 as usize;
            slots[at] = arrays.len();
            arrays.push(SharedArray {
                store: Store::new(extents[at].clone(), word_type(variable)),
                marks: Vec::new(),
                epoch: 0,
            });
        }
        Shared {
            arrays,
            slots,
            banks,
            in_bank: vec![0; banks],
        }
    }

    /// Makes all words undefined.
    pub(crate) fn forget(&mut self) {
        for array in &mut self.arrays {
            array.store.forget();
        }
    }

    fn array(&mut self, variable: VarId) -> &mut SharedArray {
        &mut self.arrays[self.slots[variable.0 as usize]]
    }

    /// Returns the array of a variable.
    pub(crate) fn store(&self, variable: VarId) -> &Store {
        &self.arrays[self.slots[variable.0 as usize]].store
    }

    /// Returns the array of a variable for writing.
    pub(crate) fn store_mut(&mut self, variable: VarId) -> &mut Store {
        &mut self.array(variable).store
    }

    /// As [`conflict`](Self::conflict), for any offsets.
    pub(crate) fn count_conflict(
        &mut self,
        variable: VarId,
        offsets: impl Iterator<Item = usize> + Clone,
    ) -> u64 {
        let banks = self.banks;
        let array = &mut self.arrays[self.slots[variable.0 as usize]];
        let epoch = array.begin();
        // A word counts in its bank once, however many cores meet it: its mark says if this count
        // has
        // met it. Only the banks that were met are reset.
        let mut degree = 0;
        for offset in offsets.clone() {
            if array.marks[offset] != epoch {
                array.marks[offset] = epoch;
                let words = &mut self.in_bank[offset % banks];
                *words += 1;
                degree = degree.max(*words);
            }
        }
        for offset in offsets {
            self.in_bank[offset % banks] = 0;
        }
        u64::from(degree.saturating_sub(1))
    }

    /// Returns the most active cores on one word.
    pub(crate) fn contention(&mut self, variable: VarId, offsets: &Ints, mask: &Mask) -> u64 {
        match offsets {
            Ints::Uniform(_) => mask.count() as u64,
            Ints::Affine { .. } => 1,
            Ints::Lanes(lanes) => {
                self.count_contention(variable, mask.iter().map(|core| lanes[core] as usize))
            }
        }
    }

    /// As [`contention`](Self::contention), for any offsets.
    pub(crate) fn count_contention(
        &mut self,
        variable: VarId,
        offsets: impl Iterator<Item = usize>,
    ) -> u64 {
        let array = self.array(variable);
        let epoch = array.begin();
        let mut most = 0;
        for offset in offsets {
            let mark = &mut array.marks[offset];
            let cores = if *mark & !NOTE == epoch {
                *mark & NOTE
            } else {
                0
            } + 1;
            *mark = epoch | cores;
            most = most.max(cores);
        }
        most
    }

    /// Writes an int per core. Gives `None`, with nothing written, if a value is not admitted or
    /// two
    /// values for one word differ.
    #[inline]
    pub(crate) fn write_ints(
        &mut self,
        variable: VarId,
        offsets: &Ints,
        mask: &Mask,
        values: &Ints,
        admitted: Option<&Admitted>,
    ) -> Option<()> {
        if let Some(range) = admitted
            && !mask.all(|core| range.admits_int(values.at(core)))
        {
            return None;
        }
        self.unless_racing(variable, offsets, mask, |one, other| {
            values.at(one) == values.at(other)
        })?;
        let store = self.store_mut(variable);
        let (Data::Int(words), _) = store.parts_mut() else {
            unreachable!("compiled as ints");
        };
        match values {
            Ints::Lanes(values) => scatter(words, offsets, mask, values),
            Ints::Uniform(_) | Ints::Affine { .. } => {
                mask.each(|core| words[offsets.at(core) as usize] = values.at(core));
            }
        }
        mark_written(&mut store.written, offsets, mask);
        Some(())
    }

    /// Writes a float per core, as [`write_ints`](Self::write_ints).
    #[inline]
    pub(crate) fn write_floats(
        &mut self,
        variable: VarId,
        offsets: &Ints,
        mask: &Mask,
        values: &Floats,
        admitted: Option<&Admitted>,
    ) -> Option<()> {
        if let Some(range) = admitted
            && !mask.all(|core| range.admits_float(values.at(core)))
        {
            return None;
        }
        self.unless_racing(variable, offsets, mask, |one, other| {
            same_bits(values.at(one), values.at(other))
        })?;
        let store = self.store_mut(variable);
        let (Data::Float(words), _) = store.parts_mut() else {
            unreachable!("compiled as floats");
        };
        match values {
            Floats::Lanes(values) => scatter(words, offsets, mask, values),
            Floats::Uniform(value) => {
                mask.each(|core| words[offsets.at(core) as usize] = *value);
            }
        }
        mark_written(&mut store.written, offsets, mask);
        Some(())
    }

    /// Fails with `None` if two cores write different values to one word.
    fn unless_racing(
        &mut self,
        variable: VarId,
        offsets: &Ints,
        mask: &Mask,
        same: impl Fn(usize, usize) -> bool,
    ) -> Option<()> {
        // The mark of a word notes the first core on it. A later core with the same value as the
        // first
        // has the same value as all before it.
        let fine = match offsets {
            Ints::Affine { .. } => true,
            Ints::Uniform(_) => {
                let first = mask.first();
                mask.all(|core| same(first, core))
            }
            Ints::Lanes(lanes) => {
                let array = self.array(variable);
                let epoch = array.begin();
                mask.all(|core| {
                    let mark = &mut array.marks[lanes[core] as usize];
                    if *mark & !NOTE == epoch {
                        return same((*mark & NOTE) as usize, core);
                    }
                    *mark = epoch | core as u64;
                    true
                })
            }
        };
        fine.then_some(())
    }
}

impl Words for Shared {
    fn conflict(&mut self, variable: VarId, offsets: &Ints, mask: &Mask) -> u64 {
        let banks = self.banks;
        match offsets {
            Ints::Uniform(_) | Ints::Affine { stride: 1, .. } => return 0,
            Ints::Affine { stride, .. } => {
                // Words of neighbouring cores are `stride` banks apart, so cores banks/gcd apart
                // share a
                // bank, and different cores have different words. Stride 2 and 32 banks: period 16,
                // the
                // cores 0..32 have degree 2, and (32 − 1)/16 = 1 conflict.
                let period = banks / (stride.unsigned_abs() as usize).gcd(&banks);
                match mask {
                    _ if period == banks => return 0,
                    Mask::Range(low, high) => return ((high - low - 1) / period) as u64,
                    Mask::List(_) => {}
                }
            }
            Ints::Lanes(_) => {}
        }
        self.count_conflict(variable, mask.iter().map(|core| offsets.at(core) as usize))
    }

    #[inline]
    fn readable(&self, variable: VarId) -> Option<&Store> {
        Some(self.store(variable))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shared(words: usize, banks: usize) -> Shared {
        Shared::new(&[VarId(0)], |_| WordType::Int, &[vec![words]], banks)
    }

    proptest! {
        /// The closed form and the count of words agree.
        #[test]
        fn conflicts_in_closed_form(
            base in 0i64..40,
            stride in -9i64..10,
            banks in 1usize..12,
            low in 0usize..8,
            count in 1usize..8,
        ) {
            let cores = banks.max(low + count);
            let base = base + 9 * cores as i64;
            let offsets = if stride == 0 {
                Ints::Uniform(base)
            } else {
                Ints::Affine { base, stride }
            };
            // The machine has as many banks as cores.
            let banks = cores;
            let mask = Mask::Range(low, low + count);
            let mut shared = shared(1000, banks);
            let closed = shared.conflict(VarId(0), &offsets, &mask);
            let each = mask.iter().map(|core| offsets.at(core) as usize);
            prop_assert_eq!(closed, shared.count_conflict(VarId(0), each));
        }
    }

    #[test]
    fn distinct_words_conflict_and_equal_words_contend() {
        let mut shared = shared(64, 4);
        let count = |shared: &mut Shared, offsets: &[usize]| {
            let conflict = shared.count_conflict(VarId(0), offsets.iter().copied());
            (
                conflict,
                shared.count_contention(VarId(0), offsets.iter().copied()),
            )
        };
        assert_eq!(count(&mut shared, &[0, 1, 2, 3]), (0, 1));
        assert_eq!(count(&mut shared, &[5, 5, 5, 5]), (0, 4));
        // Once, where paper 4's rule takes two steps.
        assert_eq!(count(&mut shared, &[0, 1, 1]), (0, 2));
        assert_eq!(count(&mut shared, &[0, 4, 8, 0]), (2, 2));
        assert_eq!(count(&mut shared, &[]), (0, 0));
    }

    #[test]
    fn racing_writes_change_nothing() {
        let mut shared = shared(4, 4);
        let offsets = Ints::Lanes(vec![0, 1, 1, 2]);
        let mask = Mask::Range(0, 4);
        let racing = Ints::Lanes(vec![7, 8, 9, 7]);
        let equal = Ints::Lanes(vec![7, 8, 8, 7]);
        assert!(
            shared
                .write_ints(VarId(0), &offsets, &mask, &racing, None)
                .is_none()
        );
        assert_eq!(shared.store(VarId(0)).written.left(), 4);
        assert!(
            shared
                .write_ints(VarId(0), &offsets, &mask, &equal, None)
                .is_some()
        );
        assert_eq!(shared.store(VarId(0)).written.left(), 1);
    }
}
