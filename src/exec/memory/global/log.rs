//! Global memory for MPs that run at the same time: their accesses are logged, and replayed in
//! order
//! when all of them have finished.
//!
//! An MP takes a [`View`] and does not know which kind it has. An access that a log cannot answer
//! gives `None`, and the MP runs by itself later.

use crate::exec::Data;
use crate::exec::lanes::{Ints, Mask};
use crate::exec::memory::global::Global;
use crate::exec::memory::global::stamps::Stamp;
use crate::exec::memory::global::word::Word;
use crate::exec::memory::words::all_written;
use crate::meaning::value::Value;
use crate::program::VarId;

/// Global memory from the view of an MP.
#[derive(Debug)]
pub(crate) enum View<'g> {
    /// For this MP alone: MPs run one after the other.
    Direct(&'g mut Global),
    /// As it was before the wave of MPs that run at the same time. Their accesses are logged, and
    /// replayed when all of them have finished.
    Logged(&'g Global, Log),
}

/// Accesses of MPs to global memory, in their order.
#[derive(Debug, Default)]
pub(crate) struct Log {
    entries: Vec<Entry>,
    ints: Vec<i64>,
    floats: Vec<f64>,
    /// The arrays that the MP in progress has written.
    written: Vec<VarId>,
    /// Words left for more entries.
    room: usize,
}

#[derive(Debug)]
struct Entry {
    variable: VarId,
    /// The offsets of `count` cores, which stand for the active ones.
    offsets: Ints,
    count: usize,
    words: Logged,
}

/// The effect of an entry; written words by their start in the log.
#[derive(Debug)]
pub(crate) enum Logged {
    Read,
    Ints(usize),
    Floats(usize),
}

/// Size of an entry without its words, in words.
const ENTRY: usize = std::mem::size_of::<Entry>() / 8 + 1;

impl Log {
    /// Starts empty, with room for this many words.
    pub(crate) fn new(room: usize) -> Log {
        Log {
            room,
            ..Log::default()
        }
    }

    /// Takes the room for an access of these cores; `None` if the log is full.
    fn take_room(&mut self, mask: &Mask) -> Option<()> {
        self.room = self.room.checked_sub(ENTRY + 2 * mask.count())?;
        Some(())
    }

    /// Begins the next MP; returns the start of its entries.
    pub(crate) fn begin(&mut self) -> usize {
        self.written.clear();
        self.entries.len()
    }

    fn note(&mut self, variable: VarId, offsets: &Ints, mask: &Mask, words: Logged) {
        let count = mask.count();
        // The active cores move together: cores 4 and 7 become 0 and 1.
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
    /// As [`Global::load`]; also `None` if the log cannot tell.
    pub(crate) fn load(
        &mut self,
        variable: VarId,
        offsets: &Ints,
        mask: &Mask,
        stamp: Stamp,
    ) -> Option<&Data> {
        match self {
            View::Direct(global) => global.load(variable, offsets, mask, stamp),
            View::Logged(global, log) => {
                // The MP would have to see its own writes, which are only in the log.
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

    /// As [`Global::store_words`], done at the replay if MPs run at the same time.
    pub(crate) fn store_words<T: Noted>(
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

    /// Returns the memory itself, unless other MPs use it at the same time.
    pub(crate) fn direct(&mut self) -> Option<&mut Global> {
        match self {
            View::Direct(global) => Some(global),
            View::Logged(..) => None,
        }
    }
}

impl Global {
    /// Replays the accesses of an MP in order. Undoes them and gives `None` if one of them is a
    /// race.
    pub(crate) fn replay(
        &mut self,
        log: &Log,
        entries: std::ops::Range<usize>,
        stamp: Stamp,
    ) -> Option<()> {
        let mut undo: Vec<(VarId, usize, Value)> = Vec::new();
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

    fn remember(&self, entry: &Entry, undo: &mut Vec<(VarId, usize, Value)>) {
        // If the kernel does not read an array, nobody sees words of it that are not undone.
        if !self.shadows[entry.variable.0 as usize].is_read {
            return;
        }
        let store = self.store(entry.variable);
        for core in 0..entry.count {
            let offset = entry.offsets.at(core) as usize;
            undo.push((entry.variable, offset, store.get(offset)));
        }
    }

    /// Returns true if the current kernel both reads and writes an array.
    fn is_read_and_written(&self, variable: VarId) -> bool {
        let shadow = &self.shadows[variable.0 as usize];
        shadow.is_read && shadow.is_written
    }
}

/// A word that a log can keep.
pub(crate) trait Noted: Word {
    /// Logs the words of the active cores.
    fn log(log: &mut Log, mask: &Mask, values: &[Self]) -> Logged;
}

impl Noted for i64 {
    fn log(log: &mut Log, mask: &Mask, values: &[i64]) -> Logged {
        let start = log.ints.len();
        log.ints.extend(mask.iter().map(|core| values[core]));
        Logged::Ints(start)
    }
}

impl Noted for f64 {
    fn log(log: &mut Log, mask: &Mask, values: &[f64]) -> Logged {
        let start = log.floats.len();
        log.floats.extend(mask.iter().map(|core| values[core]));
        Logged::Floats(start)
    }
}
