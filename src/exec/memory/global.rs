//! Global memory in a kernel: blocks, and the races of MPs that meet on a word.
//!
//! MPs run here one after the other, and any order is as good as any other, as long as none of
//! them sees what another one wrote. So every word a kernel writes remembers, for that kernel, who
//! wrote it and who read it: a [`Shadow`]. An array that a kernel only reads needs none, one that
//! it only writes no readers.

use crate::exec::Data;
use crate::exec::lanes::{Ints, Mask};
use crate::exec::memory::Store;
use crate::exec::memory::shared::{all_written, gather, mark_written};
use crate::exec::value;
use crate::program::VarId;

/// All global arrays.
#[derive(Debug, Default)]
pub(crate) struct Global {
    /// By variable id; `None` for variables that live elsewhere.
    pub stores: Vec<Option<Store>>,
    shadows: Vec<Shadow>,
    /// The first stamp that no kernel has used.
    next_stamp: u32,
}

/// Who touched each word in the kernel that runs: 0 or an earlier kernel's stamp for nobody,
/// the kernel's first stamp for several MPs, and one of the stamps after it for each MP.
#[derive(Debug, Default)]
pub(crate) struct Shadow {
    writer: Vec<u32>,
    reader: Vec<u32>,
    /// Whether the kernel that runs writes it and may race for it; nothing needs noting otherwise.
    is_written: bool,
    /// Whether it also reads it.
    is_read: bool,
}

/// Set in a writer's stamp when the word was written with different values.
const MIXED: u32 = 1 << 31;

/// Most MPs of a kernel that stamps can tell apart.
pub(crate) const MOST_MPS: u64 = 1 << 30;

/// The stamps of a kernel.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Stamps {
    several: u32,
}

impl Stamps {
    /// The stamp of the MP with this serial number.
    pub fn of(self, serial: u64) -> Stamp {
        Stamp {
            several: self.several,
            own: self.several + 1 + serial as u32,
        }
    }
}

/// The stamp of an MP in a kernel.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stamp {
    several: u32,
    own: u32,
}

/// With whom an access collides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meets {
    /// The MP of this serial number, which wrote the word.
    Writer(u64),
    /// Several MPs, which wrote the word.
    Writers,
    /// The MP of this serial number, which read the word.
    Reader(u64),
    /// Several MPs, which read the word.
    Readers,
}

impl Shadow {
    /// The stamp of the last writer of a word, to be put back.
    pub fn writer(&self, offset: usize) -> u32 {
        self.writer[offset]
    }

    /// Puts back the stamp of a writer.
    pub fn put_back(&mut self, offset: usize, writer: u32) {
        self.writer[offset] = writer;
    }
}

impl Stamp {
    /// Whether a word's writer is this MP.
    pub fn is_own(self, writer: u32) -> bool {
        writer & !MIXED == self.own
    }

    fn serial(self, stamp: u32) -> u64 {
        u64::from(stamp - self.several - 1)
    }

    /// Notes a read of a word.
    fn read(self, shadow: &mut Shadow, offset: usize) -> Result<(), Meets> {
        if !shadow.is_written {
            return Ok(());
        }
        let writer = shadow.writer[offset] & !MIXED;
        if writer >= self.several && writer != self.own {
            return Err(if writer == self.several {
                Meets::Writers
            } else {
                Meets::Writer(self.serial(writer))
            });
        }
        let reader = &mut shadow.reader[offset];
        if *reader < self.several {
            *reader = self.own;
        } else if *reader != self.own {
            *reader = self.several;
        }
        Ok(())
    }

    /// Notes a write of a word; `same` says whether the word already holds this value.
    pub fn write(
        self,
        shadow: &mut Shadow,
        offset: usize,
        same: impl FnOnce() -> bool,
    ) -> Result<(), Meets> {
        if !shadow.is_written {
            return Ok(());
        }
        if shadow.is_read {
            let reader = shadow.reader[offset];
            if reader == self.several {
                return Err(Meets::Readers);
            }
            if reader > self.several && reader != self.own {
                return Err(Meets::Reader(self.serial(reader)));
            }
        }
        let stamp = shadow.writer[offset];
        let writer = stamp & !MIXED;
        let noted = if writer < self.several {
            self.own
        } else if writer == self.own {
            if same() { stamp } else { stamp | MIXED }
        } else if stamp & MIXED == 0 && same() {
            self.several
        } else if writer == self.several {
            return Err(Meets::Writers);
        } else {
            return Err(Meets::Writer(self.serial(writer)));
        };
        shadow.writer[offset] = noted;
        Ok(())
    }
}

impl Global {
    /// Global memory with these arrays.
    pub fn new(stores: Vec<Option<Store>>) -> Global {
        Global {
            shadows: stores.iter().map(|_| Shadow::default()).collect(),
            stores,
            next_stamp: 1,
        }
    }

    /// The array of a global variable.
    pub fn store(&self, variable: VarId) -> &Store {
        self.stores[variable.0 as usize]
            .as_ref()
            .expect("a global variable has an array")
    }

    /// The array of a global variable.
    pub fn store_mut(&mut self, variable: VarId) -> &mut Store {
        self.stores[variable.0 as usize]
            .as_mut()
            .expect("a global variable has an array")
    }

    /// Each array with who touched its words, by variable id.
    pub fn parts_mut(&mut self) -> impl Iterator<Item = (&mut Option<Store>, &mut Shadow)> {
        self.stores.iter_mut().zip(&mut self.shadows)
    }

    /// Exchanges two arrays.
    pub fn swap(&mut self, left: VarId, right: VarId) {
        self.stores.swap(left.0 as usize, right.0 as usize);
    }

    /// Prepares for a kernel of at most [`MOST_MPS`] MPs that reads and writes these variables.
    /// Those that are known to be free of races may be left out.
    pub fn begin_kernel(&mut self, mps: u64, reads: &[VarId], writes: &[VarId]) -> Stamps {
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

    /// Notes that an MP reads a word, unless that is a race.
    pub fn note_read(&mut self, variable: VarId, offset: usize, stamp: Stamp) -> Result<(), Meets> {
        stamp.read(&mut self.shadows[variable.0 as usize], offset)
    }

    /// Notes that an MP writes a word, unless that is a race.
    pub fn note_write(
        &mut self,
        variable: VarId,
        offset: usize,
        stamp: Stamp,
        value: &value::Value,
    ) -> Result<(), Meets> {
        let store = self.stores[variable.0 as usize]
            .as_ref()
            .expect("a global variable has an array");
        let same = || match (store.data(), value) {
            (Data::Int(words), value::Value::Whole(whole)) => words[offset] == *whole,
            (Data::Float(words), value) => value::same_bits(words[offset], value.to_float()),
            (Data::Int(_), _) => unreachable!("converted before it is written"),
        };
        stamp.write(&mut self.shadows[variable.0 as usize], offset, same)
    }

    /// Reads a word per active core; `None` where one was never written, or another MP wrote it.
    pub fn load<'m>(
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

    /// Writes a word per active core; `None` where that is a race, and then some words may be
    /// noted as written, but none is.
    pub fn store_words<T: Word>(
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
            let untouched = |stamps: &[u32]| {
                let mut latest = 0;
                for &stamp in stamps {
                    latest = latest.max(stamp & !MIXED);
                }
                latest < stamp.several
            };
            if !shadow.is_written {
                words[stretch].copy_from_slice(&values[*low..*high]);
                mark_written(written, offsets, mask);
                return Some(());
            }
            let writers = &mut shadow.writer[stretch.clone()];
            if untouched(writers)
                && (!shadow.is_read || all_own(&shadow.reader[stretch.clone()], stamp))
            {
                writers.fill(stamp.own);
                words[stretch].copy_from_slice(&values[*low..*high]);
                mark_written(written, offsets, mask);
                return Some(());
            }
        }
        // Core by core, so that a second core on a word meets the first one's value; undone when a
        // word does not end with the value of every core that wrote it.
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

impl Global {
    /// Does again, in order, what an MP did to the memory as it was before the kernel (or its
    /// wave). Undoes its part and gives `None` where that is a race.
    pub fn replay(
        &mut self,
        log: &Log,
        entries: std::ops::Range<usize>,
        stamp: Stamp,
    ) -> Option<()> {
        let mut undo: Vec<(VarId, usize, value::Value)> = Vec::new();
        for entry in &log.entries[entries] {
            let mask = Mask::Range(0, entry.count);
            let fine = match &entry.words {
                Logged::Read => self
                    .load(entry.variable, &entry.offsets, &mask, stamp)
                    .is_some(),
                Logged::Ints(at) => {
                    self.remember(entry, &mut undo);
                    let words = &log.ints[*at..*at + entry.count];
                    self.store_words(entry.variable, &entry.offsets, &mask, stamp, words)
                        .is_some()
                }
                Logged::Floats(at) => {
                    self.remember(entry, &mut undo);
                    let words = &log.floats[*at..*at + entry.count];
                    self.store_words(entry.variable, &entry.offsets, &mask, stamp, words)
                        .is_some()
                }
            };
            if !fine {
                for (variable, offset, value) in undo.into_iter().rev() {
                    self.store_mut(variable).set(offset, &value);
                }
                return None;
            }
        }
        Some(())
    }

    fn remember(&self, entry: &Entry, undo: &mut Vec<(VarId, usize, value::Value)>) {
        // An array that the kernel does not read cannot show what was written too early.
        if !self.shadows[entry.variable.0 as usize].is_read {
            return;
        }
        let store = self.store(entry.variable);
        for core in 0..entry.count {
            let offset = entry.offsets.at(core) as usize;
            undo.push((entry.variable, offset, store.get(offset)));
        }
    }

    /// Whether the kernel that runs both reads and writes an array.
    fn is_read_and_written(&self, variable: VarId) -> bool {
        let shadow = &self.shadows[variable.0 as usize];
        shadow.is_read && shadow.is_written
    }
}

/// Global memory as an MP sees it.
#[derive(Debug)]
pub(crate) enum View<'g> {
    /// Its own for now: MPs run one after the other.
    Direct(&'g mut Global),
    /// As it was before the wave of MPs that run at the same time; what they do is noted, and done
    /// when all of them have finished.
    Logged(&'g Global, Log),
}

/// What MPs did to global memory, in their order.
#[derive(Debug, Default)]
pub(crate) struct Log {
    entries: Vec<Entry>,
    ints: Vec<i64>,
    floats: Vec<f64>,
    /// The arrays that the MP that runs has written.
    written: Vec<VarId>,
    /// Words that more notes may take.
    room: usize,
}

#[derive(Debug)]
struct Entry {
    variable: VarId,
    /// Of the first `count` cores.
    offsets: Ints,
    count: usize,
    words: Logged,
}

/// What an entry did; written words by where they start in the log.
#[derive(Debug)]
pub(crate) enum Logged {
    Read,
    Ints(usize),
    Floats(usize),
}

/// What an entry takes besides its words, in words.
const ENTRY: usize = std::mem::size_of::<Entry>() / 8 + 1;

impl Log {
    /// Nothing noted, with room for this many words of notes.
    pub fn new(room: usize) -> Log {
        Log {
            room,
            ..Log::default()
        }
    }

    /// Takes the room for an access of these cores; `None` when the log is full.
    fn take_room(&mut self, mask: &Mask) -> Option<()> {
        self.room = self.room.checked_sub(ENTRY + 2 * mask.count())?;
        Some(())
    }

    /// Begins the next MP; gives where its entries start.
    pub fn begin(&mut self) -> usize {
        self.written.clear();
        self.entries.len()
    }

    fn note(&mut self, variable: VarId, offsets: &Ints, mask: &Mask, words: Logged) {
        let count = mask.count();
        // The active cores, closed up.
        let offsets = match (offsets, mask) {
            (Ints::Uniform(offset), _) => Ints::Uniform(*offset),
            (Ints::Affine { base, stride }, Mask::Range(low, _)) => Ints::Affine {
                base: base + stride * *low as i64,
                stride: *stride,
            },
            _ => Ints::Lanes(mask.iter().map(|core| offsets.at(core)).collect()),
        };
        self.entries.push(Entry {
            variable,
            offsets,
            count,
            words,
        });
    }
}

impl View<'_> {
    /// As [`Global::load`]; `None` also where the log cannot tell.
    pub fn load(
        &mut self,
        variable: VarId,
        offsets: &Ints,
        mask: &Mask,
        stamp: Stamp,
    ) -> Option<&Data> {
        match self {
            View::Direct(global) => global.load(variable, offsets, mask, stamp),
            View::Logged(global, log) => {
                if log.written.contains(&variable) {
                    return None;
                }
                if global.is_read_and_written(variable) {
                    log.take_room(mask)?;
                    log.note(variable, offsets, mask, Logged::Read);
                }
                let store = global.store(variable);
                all_written(&store.written, offsets, mask).then_some(store.data())
            }
        }
    }

    /// As [`Global::store_words`], done later where MPs run at the same time.
    pub fn store_words<T: Word>(
        &mut self,
        variable: VarId,
        offsets: &Ints,
        mask: &Mask,
        stamp: Stamp,
        values: &[T],
    ) -> Option<()> {
        match self {
            View::Direct(global) => global.store_words(variable, offsets, mask, stamp, values),
            View::Logged(_, log) => {
                log.take_room(mask)?;
                let words = T::log(log, mask, values);
                log.note(variable, offsets, mask, words);
                if !log.written.contains(&variable) {
                    log.written.push(variable);
                }
                Some(())
            }
        }
    }

    /// The memory, unless others use it at the same time.
    pub fn direct(&mut self) -> Option<&mut Global> {
        match self {
            View::Direct(global) => Some(global),
            View::Logged(..) => None,
        }
    }
}

fn all_own(readers: &[u32], stamp: Stamp) -> bool {
    let mut all = true;
    for &reader in readers {
        all &= reader < stamp.several || reader == stamp.own;
    }
    all
}

/// A word of either type.
pub(crate) trait Word: Copy {
    /// The words of an array of this type.
    fn words_mut(data: &mut Data) -> Option<&mut [Self]>;
    /// Equal bits.
    fn same(self, other: Self) -> bool;
    /// Keeps the words of the active cores.
    fn log(log: &mut Log, mask: &Mask, values: &[Self]) -> Logged;
}

impl Word for i64 {
    fn words_mut(data: &mut Data) -> Option<&mut [i64]> {
        match data {
            Data::Int(words) => Some(words),
            Data::Float(_) => None,
        }
    }

    fn same(self, other: i64) -> bool {
        self == other
    }

    fn log(log: &mut Log, mask: &Mask, values: &[i64]) -> Logged {
        let start = log.ints.len();
        log.ints.extend(mask.iter().map(|core| values[core]));
        Logged::Ints(start)
    }
}

impl Word for f64 {
    fn words_mut(data: &mut Data) -> Option<&mut [f64]> {
        match data {
            Data::Float(words) => Some(words),
            Data::Int(_) => None,
        }
    }

    fn same(self, other: f64) -> bool {
        value::same_bits(self, other)
    }

    fn log(log: &mut Log, mask: &Mask, values: &[f64]) -> Logged {
        let start = log.floats.len();
        log.floats.extend(mask.iter().map(|core| values[core]));
        Logged::Floats(start)
    }
}

/// Copies words to the cores that read them.
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

/// The number of distinct blocks the active cores touch.
pub(crate) fn blocks(offsets: &Ints, mask: &Mask, block: usize) -> u64 {
    let block_of = |core: usize| offsets.at(core) / block as i64;
    match (offsets, mask) {
        (Ints::Uniform(_), _) => 1,
        (Ints::Affine { stride, .. }, _) if stride.unsigned_abs() >= block as u64 => {
            mask.count() as u64
        }
        // Steps within a block leave none out.
        (Ints::Affine { .. }, Mask::Range(low, high)) => {
            block_of(*low).abs_diff(block_of(high - 1)) + 1
        }
        (Ints::Affine { .. } | Ints::Lanes(_), _) => {
            count_blocks(mask.iter().map(|core| offsets.at(core) as usize), block)
        }
    }
}

/// The number of distinct blocks of any offsets.
pub(crate) fn count_blocks(offsets: impl Iterator<Item = usize>, block: usize) -> u64 {
    let mut touched: Vec<usize> = Vec::new();
    let mut is_sorted = true;
    for offset in offsets {
        let number = offset / block;
        match touched.last() {
            Some(&last) if last == number => {}
            Some(&last) => {
                is_sorted &= last < number;
                touched.push(number);
            }
            None => touched.push(number),
        }
    }
    if !is_sorted {
        touched.sort_unstable();
        touched.dedup();
    }
    touched.len() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::ast::WordType;
    use proptest::prelude::*;

    const A: VarId = VarId(0);

    fn memory() -> Global {
        let mut store = Store::new(vec![8], WordType::Int);
        for at in 0..8 {
            store.set(at, &value::Value::Whole(0));
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

    proptest! {
        #[test]
        fn blocks_in_closed_form(
            base in 80i64..200,
            stride in -9i64..10,
            block in 1usize..9,
            low in 0usize..4,
            count in 1usize..8,
        ) {
            let offsets = if stride == 0 {
                Ints::Uniform(base)
            } else {
                Ints::Affine { base, stride }
            };
            let mask = Mask::Range(low, low + count);
            let each = mask.iter().map(|core| offsets.at(core) as usize);
            prop_assert_eq!(blocks(&offsets, &mask, block), count_blocks(each, block));
        }
    }
}
