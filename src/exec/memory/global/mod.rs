//! Global memory in a kernel, and the races of MPs that meet on a word.
//!
//! MPs run here one after the other. Any order is as good as any other, as long as no MP sees
//! another one's writes. So every word that a kernel writes remembers, for that kernel, its writers
//! and its readers ([`stamps`]). An array that a kernel only reads needs neither, and one that it
//! only
//! writes needs no readers.

pub(crate) mod log;
pub(crate) mod stamps;
pub(crate) mod word;

use crate::exec::Data;
use crate::exec::lanes::{Ints, Mask};
use crate::exec::memory::Store;
use crate::exec::memory::global::stamps::{MIXED, Meets, Shadow, Stamp, Stamps};
use crate::exec::memory::global::word::Word;
use crate::exec::memory::words::{all_written, gather, mark_written};
use crate::meaning::value::{Value, same_bits};
use crate::program::VarId;

/// All global arrays.
#[derive(Debug, Default)]
pub(crate) struct Global {
    /// Arrays by variable id; `None` for variables that live elsewhere.
    pub stores: Vec<Option<Store>>,
    shadows: Vec<Shadow>,
    /// The first stamp that no kernel has used.
    next_stamp: u32,
}

impl Global {
    /// Creates global memory with these arrays.
    pub(crate) fn new(stores: Vec<Option<Store>>) -> Global {
        Global {
            shadows: stores.iter().map(|_| Shadow::default()).collect(),
            stores,
            next_stamp: 1,
        }
    }

    /// Returns the array of a global variable.
    pub(crate) fn store(&self, variable: VarId) -> &Store {
        self.stores[variable.0 as usize]
            .as_ref()
            .expect("a global variable has an array")
    }

    /// Returns the array of a global variable for writing.
    pub(crate) fn store_mut(&mut self, variable: VarId) -> &mut Store {
        self.stores[variable.0 as usize]
            .as_mut()
            .expect("a global variable has an array")
    }

    /// Iterates over the arrays with their stamps, by variable id.
    pub(crate) fn parts_mut(&mut self) -> impl Iterator<Item = (&mut Option<Store>, &mut Shadow)> {
        self.stores.iter_mut().zip(&mut self.shadows)
    }

    /// Exchanges two arrays.
    pub(crate) fn swap(&mut self, left: VarId, right: VarId) {
        self.stores.swap(left.0 as usize, right.0 as usize);
    }

    /// Prepares for a kernel of at most [`MOST_MPS`](stamps::MOST_MPS) MPs that reads and writes
    /// these
    /// variables. Variables known to be free of races may be left out.
    pub(crate) fn begin_kernel(&mut self, mps: u64, reads: &[VarId], writes: &[VarId]) -> Stamps {
        // A kernel takes one stamp for "several MPs" and one for each MP. Three MPs from stamp 1 on
        // take
        // 1 and 2, 3, 4; the next kernel starts at 5, so all older stamps mean nobody. Stamps are
        // only
        // cleared when the numbers run out.
        let needed = mps as u32 + 1;
        if self.next_stamp > MIXED - 1 - needed {
            for shadow in &mut self.shadows {
                shadow.writer.fill(0);
                shadow.reader.fill(0);
            }
            self.next_stamp = 1;
        }
        for shadow in &mut self.shadows {
            (shadow.is_read, shadow.is_written) = (false, false);
        }
        for &variable in writes {
            let words = self.store(variable).len();
            let shadow = &mut self.shadows[variable.0 as usize];
            shadow.is_written = true;
            shadow.is_read = reads.contains(&variable);
            shadow.writer.resize(words, 0);
            if shadow.is_read {
                shadow.reader.resize(words, 0);
            }
        }
        let several = self.next_stamp;
        self.next_stamp += needed;
        Stamps { several }
    }

    /// Records that an MP reads a word, unless that is a race.
    pub(crate) fn note_read(
        &mut self,
        variable: VarId,
        offset: usize,
        stamp: Stamp,
    ) -> Result<(), Meets> {
        stamp.read(&mut self.shadows[variable.0 as usize], offset)
    }

    /// Records that an MP writes a word, unless that is a race.
    pub(crate) fn note_write(
        &mut self,
        variable: VarId,
        offset: usize,
        stamp: Stamp,
        value: &Value,
    ) -> Result<(), Meets> {
        let store = self.stores[variable.0 as usize]
            .as_ref()
            .expect("a global variable has an array");
        let same = || match (store.data(), value) {
            (Data::Int(words), Value::Whole(whole)) => words[offset] == *whole,
            (Data::Float(words), value) => same_bits(words[offset], value.to_float()),
            (Data::Int(_), _) => unreachable!("converted before it is written"),
        };
        stamp.write(&mut self.shadows[variable.0 as usize], offset, same)
    }

    /// Reads a word per active core; `None` if one was never written or another MP wrote it.
    pub(crate) fn load<'m>(
        &'m mut self,
        variable: VarId,
        offsets: &Ints,
        mask: &Mask,
        stamp: Stamp,
    ) -> Option<&'m Data> {
        let shadow = &mut self.shadows[variable.0 as usize];
        if shadow.is_written
            && !mask.all(|core| stamp.read(shadow, offsets.at(core) as usize).is_ok())
        {
            return None;
        }
        let store = self.store(variable);
        all_written(&store.written, offsets, mask).then_some(store.data())
    }

    /// Writes a word per active core. Gives `None` on a race: then no word has changed, though
    /// stamps
    /// may say so.
    pub(crate) fn store_words<T: Word>(
        &mut self,
        variable: VarId,
        offsets: &Ints,
        mask: &Mask,
        stamp: Stamp,
        values: &[T],
    ) -> Option<()> {
        let at = variable.0 as usize;
        let (data, written) = self.stores[at].as_mut()?.parts_mut();
        let words = T::words_mut(data)?;
        let shadow = &mut self.shadows[at];
        if let (Ints::Affine { base, stride: 1 }, Mask::Range(low, high)) = (offsets, mask) {
            let first = (base + *low as i64) as usize;
            let stretch = first..first + (high - low);
            if !shadow.is_written {
                words[stretch].copy_from_slice(&values[*low..*high]);
                mark_written(written, offsets, mask);
                return Some(());
            }
            let writers = &mut shadow.writer[stretch.clone()];
            if untouched(writers, stamp)
                && (!shadow.is_read || all_own(&shadow.reader[stretch.clone()], stamp))
            {
                writers.fill(stamp.own);
                words[stretch].copy_from_slice(&values[*low..*high]);
                mark_written(written, offsets, mask);
                return Some(());
            }
        }
        // Core by core, so that a second core on a word meets the first core's value. Undone unless
        // each word ends with the value of every core that wrote it.
        let mut before: Vec<T> = Vec::with_capacity(mask.count());
        let noted = mask.all(|core| {
            let offset = offsets.at(core) as usize;
            let same = || words[offset].same(values[core]);
            if stamp.write(shadow, offset, same).is_err() {
                return false;
            }
            before.push(words[offset]);
            words[offset] = values[core];
            true
        });
        let fine = noted && mask.all(|core| words[offsets.at(core) as usize].same(values[core]));
        if !fine {
            let undone = mask.iter().zip(before).collect::<Vec<_>>();
            for (core, before) in undone.into_iter().rev() {
                words[offsets.at(core) as usize] = before;
            }
            return None;
        }
        mark_written(written, offsets, mask);
        Some(())
    }
}

/// Returns true if no word has a writer in this kernel.
fn untouched(writers: &[u32], stamp: Stamp) -> bool {
    let mut latest = 0;
    for &writer in writers {
        latest = latest.max(writer & !MIXED);
    }
    latest < stamp.several
}

fn all_own(readers: &[u32], stamp: Stamp) -> bool {
    let mut all = true;
    for &reader in readers {
        all &= reader < stamp.several || reader == stamp.own;
    }
    all
}

/// Copies words to the cores that read them; `None` if they are floats.
pub(crate) fn take_ints(data: &Data, offsets: &Ints, mask: &Mask, lanes: &mut [i64]) -> Option<()> {
    match data {
        Data::Int(words) => gather(words, offsets, mask, lanes),
        Data::Float(_) => return None,
    }
    Some(())
}

/// Copies words to the cores that read them, ints becoming floats.
pub(crate) fn take_floats(data: &Data, offsets: &Ints, mask: &Mask, lanes: &mut [f64]) {
    match data {
        Data::Float(words) => gather(words, offsets, mask, lanes),
        Data::Int(words) => {
            mask.each(|core| lanes[core] = words[offsets.at(core) as usize] as f64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::memory::global::stamps::MOST_MPS;
    use crate::syntax::ast::WordType;

    const A: VarId = VarId(0);

    fn memory() -> Global {
        let mut store = Store::new(vec![8], WordType::Int);
        for at in 0..8 {
            store.set(at, &Value::Whole(0));
        }
        Global::new(vec![Some(store)])
    }

    fn write(memory: &mut Global, stamps: Stamps, mp: u64, at: i64, value: i64) -> bool {
        let written = memory.store_words(
            A,
            &Ints::Uniform(at),
            &Mask::Range(0, 1),
            stamps.of(mp),
            &[value],
        );
        written.is_some()
    }

    fn read(memory: &mut Global, stamps: Stamps, mp: u64, at: i64) -> bool {
        let read = memory.load(A, &Ints::Uniform(at), &Mask::Range(0, 1), stamps.of(mp));
        read.is_some()
    }

    #[test]
    fn mps_meet_only_within_a_kernel() {
        let mut memory = memory();
        let stamps = memory.begin_kernel(4, &[A], &[A]);
        assert!(read(&mut memory, stamps, 0, 1) && read(&mut memory, stamps, 1, 1));
        assert!(!write(&mut memory, stamps, 0, 1, 5), "two read it");
        assert!(read(&mut memory, stamps, 2, 2) && write(&mut memory, stamps, 2, 2, 5));
        assert!(read(&mut memory, stamps, 2, 2), "its own");
        assert!(!read(&mut memory, stamps, 3, 2), "written by another");
        let stamps = memory.begin_kernel(4, &[A], &[A]);
        assert!(read(&mut memory, stamps, 3, 2) && write(&mut memory, stamps, 0, 1, 5));
    }

    #[test]
    fn equal_values_may_meet_unless_a_word_had_another() {
        let mut memory = memory();
        let stamps = memory.begin_kernel(4, &[], &[A]);
        assert!(write(&mut memory, stamps, 0, 1, 5) && write(&mut memory, stamps, 1, 1, 5));
        assert!(write(&mut memory, stamps, 2, 1, 5), "three of them");
        assert!(!write(&mut memory, stamps, 3, 1, 6), "another value");
        assert!(write(&mut memory, stamps, 0, 2, 4) && write(&mut memory, stamps, 0, 2, 5));
        assert!(!write(&mut memory, stamps, 1, 2, 5), "4 was written before");
    }

    #[test]
    fn stamps_start_again_when_they_run_out() {
        let mut memory = memory();
        for _ in 0..5 {
            let stamps = memory.begin_kernel(MOST_MPS, &[], &[A]);
            assert!(write(&mut memory, stamps, MOST_MPS - 1, 1, 5));
            assert!(!write(&mut memory, stamps, 0, 1, 6));
        }
    }
}
