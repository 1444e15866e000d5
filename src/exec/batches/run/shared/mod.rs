//! The shared arrays of a batch: their words, and the words written so far.
//!
//! The arrays of its MPs lie one after the other, or there is one of them as long as all hold the
//! same. Takes rows and offsets; counts nothing and evaluates nothing.

mod marks;

use std::cell::OnceCell;
use std::sync::Arc;

use crate::exec::Data;
use crate::exec::batches::plan::Place;
use crate::exec::batches::run::batch::Batch;
use crate::exec::batches::run::masks::{Active, Each};
use crate::exec::batches::run::rows::{self, Rows, Shape};
use crate::exec::memory::written::Written;
use crate::syntax::ast::WordType;

/// Shared arrays of the MPs of a batch, one after the other.
#[derive(Debug)]
pub(super) struct SharedRows {
    /// All words but those still [`pending`](Self::pending). Allocated at the first use: words
    /// that only pass never lie in memory.
    data: OnceCell<Data>,
    word_type: WordType,
    /// Words of all MPs together.
    all_words: usize,
    /// Words of one MP.
    pub words: usize,
    /// The written words: of each MP alike, or of all MPs one after the other once they differ.
    pub written: Written,
    is_apart: bool,
    /// Cores that have all written their words, with the first word and the step.
    marked: Option<(Arc<Each>, (i64, i64))>,
    /// Bits that hold the magnitude of every word, while known.
    pub magnitude: Option<u32>,
    /// The latest write, if nothing was written since.
    pub latest: Option<Latest>,
    /// Words of the array that are not copied yet.
    pub pending: Option<Pending>,
    /// The place of the last load, as long as no word was read or written since.
    pub loaded: Option<(Rows, Shape)>,
    /// For each word of an MP, the last count that met it (upper half) and a note of it.
    pub marks: Vec<u64>,
    epoch: u32,
}

/// Words that active cores wrote at their own places.
#[derive(Debug)]
pub(super) struct Latest {
    /// The cores.
    pub each: Arc<Each>,
    /// The first word and the step from core to core.
    pub flat: (i64, i64),
    /// Their words.
    pub words: HeldWords,
    /// True if the words are stored here only.
    pub is_alone: bool,
}

/// A word of each active core.
#[derive(Debug)]
pub(super) enum HeldWords {
    Ints(Arc<Vec<i64>>),
    Floats(Arc<Vec<f64>>),
}

/// Rows of a global array that the kernel does not write, copied when they are needed. Often the
/// next
/// rows come first: few words of a row are needed, or none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pending {
    /// Index among the plan's global arrays.
    pub source: usize,
    pub from: Rows,
    pub to: Rows,
    pub shape: Shape,
}

impl SharedRows {
    /// Creates arrays of `mps` MPs, with no word written.
    pub(super) fn new(word_type: WordType, words: usize, mps: usize) -> SharedRows {
        SharedRows {
            data: OnceCell::new(),
            word_type,
            all_words: words * mps,
            words,
            written: Written::none(words),
            is_apart: false,
            marked: None,
            magnitude: None,
            latest: None,
            pending: None,
            loaded: None,
            marks: Vec::new(),
            epoch: 0,
        }
    }

    /// Forgets everything, for the next batch.
    pub(super) fn forget(&mut self) {
        if std::mem::take(&mut self.is_apart) {
            self.written = Written::none(self.words)
        } else {
            self.written.clear()
        }
        self.marked = None;
        (self.pending, self.loaded) = (None, None);
        self.changes();
    }

    /// Returns its words; none may be pending.
    #[inline(always)]
    pub(super) fn data(&self) -> &Data {
        debug_assert!(
            self.pending.is_none() && self.latest.as_ref().is_none_or(|latest| !latest.is_alone),
            "read before they are there"
        );
        self.memory()
    }

    /// Returns its words for writing; none may be pending.
    #[inline(always)]
    pub(super) fn data_mut(&mut self) -> &mut Data {
        debug_assert!(self.pending.is_none(), "written before others are there");
        self.memory_mut()
    }

    fn memory(&self) -> &Data {
        self.data.get_or_init(|| match self.word_type {
            WordType::Int => Data::Int(vec![0; self.all_words]),
            WordType::Float => Data::Float(vec![0.0; self.all_words]),
        })
    }

    fn memory_mut(&mut self) -> &mut Data {
        self.memory();
        self.data.get_mut().expect("made just now")
    }

    /// Returns true if it holds ints.
    pub(super) fn is_int(&self) -> bool {
        self.word_type == WordType::Int
    }

    /// Forgets facts about its words, which are about to change or just have.
    pub(super) fn changes(&mut self) {
        debug_assert!(self.pending.is_none(), "words are lost");
        self.magnitude = None;
        self.latest = None;
    }

    /// Returns the words that just these active cores wrote last at just these places.
    pub(super) fn latest(&self, each: &Arc<Each>, flat: (i64, i64)) -> Option<&HeldWords> {
        let latest = self.latest.as_ref()?;
        (latest.flat == flat && Arc::ptr_eq(&latest.each, each)).then_some(&latest.words)
    }

    /// Copies the words that all MPs hold to each of them.
    pub(super) fn tell_apart(&mut self, mps: usize) {
        if self.written.left() == self.words {
            return;
        }
        let (own, apart) = (0..self.words, self.words);
        let data = self.memory_mut();
        for mp in 1..mps {
            match data {
                Data::Int(words) => words.copy_within(own.clone(), mp * apart),
                Data::Float(words) => words.copy_within(own.clone(), mp * apart),
            }
        }
    }

    /// Returns true if no two cores of an MP write different values to one word. `same` compares
    /// the
    /// values of two active cores, by their places in the order of all.
    pub(super) fn is_one_value_each(
        &mut self,
        batch: &Batch,
        (place, offsets): (&Place, &[i64]),
        active: &Active,
        same: impl Fn(usize, usize) -> bool,
    ) -> bool {
        if place.tells_cores_apart() {
            return true;
        }
        let apart = self.words * usize::from(!batch.alike[place.array]);
        for (mp, group) in batch.groups(active) {
            let own = (mp * apart) as i64;
            let epoch = self.begin();
            let start = group.start;
            // A mark keeps the first core on the word, relative to its group. A later core must
            // have the
            // same value as that one.
            for (at, &offset) in group.clone().zip(&offsets[group]) {
                let mark = &mut self.marks[(offset - own) as usize];
                if *mark >> 32 != epoch {
                    *mark = epoch << 32 | (at - start) as u64;
                } else if !same(start + (*mark & NOTE) as usize, at) {
                    return false;
                }
            }
        }
        true
    }

    /// Returns the bits that hold the magnitude of every word of so many MPs.
    pub(super) fn bits(&mut self, width: usize) -> u32 {
        if let Some(known) = self.magnitude {
            return known;
        }
        match self.memory() {
            Data::Int(held) => {
                let found = rows::magnitude(&held[..self.words * width]);
                self.magnitude = Some(found);
                found
            }
            Data::Float(_) => 64,
        }
    }

    /// Begins a count; returns its number, the upper half of its marks.
    pub(super) fn begin(&mut self) -> u64 {
        if self.marks.is_empty() || self.epoch == u32::MAX {
            self.marks = vec![0; self.words];
            self.epoch = 0;
        }
        self.epoch += 1;
        self.epoch.into()
    }
}

/// The lower half of a mark.
const NOTE: u64 = u32::MAX as u64;

/// Splits off one array for writing; the others stay readable.
pub(super) fn pick<'s>(
    shared: &'s mut [SharedRows],
    at: usize,
) -> (&'s mut SharedRows, impl Fn(usize) -> &'s SharedRows) {
    let (before, rest) = shared.split_at_mut(at);
    let (own, after) = rest.split_first_mut().expect("one of them");
    let (before, after): (&'s [SharedRows], &'s [SharedRows]) = (before, after);
    (own, move |other: usize| {
        if other < at {
            &before[other]
        } else {
            &after[other - at - 1]
        }
    })
}
