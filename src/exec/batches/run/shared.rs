//! The shared arrays of a batch: their words, which of them were written, and by whom.
//!
//! The arrays of its MPs lie one after the other; what was written is the same in all of them, or
//! the batch splits. Takes rows and offsets; counts nothing and evaluates nothing.

use crate::exec::Data;
use crate::exec::batches::plan::Place;
use crate::exec::batches::run::batch::Batch;
use crate::exec::batches::run::masks::Active;
use crate::exec::batches::run::rows::{self, Rows};
use crate::exec::batches::run::stop::{Result, Stop};
use crate::exec::memory::written::Written;
use crate::syntax::ast::WordType;

/// Shared arrays of the MPs of a batch, one after the other.
#[derive(Debug)]
pub(super) struct SharedRows {
    pub data: Data,
    /// Words of one MP.
    pub words: usize,
    /// Which of them were written, by every MP of the batch alike.
    pub written: Written,
    /// Bits that hold the magnitude of every word, while it is known.
    pub magnitude: Option<u32>,
    /// Per word of an MP, the last count that met it (upper half) and what it noted.
    pub marks: Vec<u64>,
    epoch: u32,
}

impl SharedRows {
    /// None of the words of so many MPs written.
    pub(super) fn new(word_type: WordType, words: usize, mps: usize) -> SharedRows {
        SharedRows {
            data: match word_type {
                WordType::Int => Data::Int(vec![0; words * mps]),
                WordType::Float => Data::Float(vec![0.0; words * mps]),
            },
            words,
            written: Written::none(words),
            magnitude: None,
            marks: Vec::new(),
            epoch: 0,
        }
    }

    /// Forgets everything, for the next batch.
    pub(super) fn forget(&mut self) {
        self.written.clear();
        self.magnitude = None;
    }

    /// Whether every word at the offsets of a shared array was written.
    pub(super) fn are_written(&self, batch: &Batch, offsets: &[i64], active: &Active) -> bool {
        if self.written.left() == 0 {
            return true;
        }
        let mut all = true;
        let mut at = 0;
        batch.each(active, |mp, _| {
            all &= self.written.get(offsets[at] as usize - mp * self.words);
            at += 1;
        });
        all
    }

    /// Whether all words of rows of shared memory were written.
    pub(super) fn are_rows_written(
        &self,
        batch: &Batch,
        place: &Place,
        from: Rows,
        active: &Active,
    ) -> bool {
        let SharedRows { words, written, .. } = self;
        if written.left() == 0 {
            return true;
        }
        // Where all MPs read the same words of theirs, one of them tells.
        let mps = if batch.is_alike(place) {
            1
        } else {
            batch.width
        };
        let runs = active.even().expect("rows have even cores");
        batch.starts(from).take(mps).enumerate().all(|(mp, start)| {
            let own = start - mp * words;
            (0..runs.count as isize).all(|run| {
                let start = own.wrapping_add_signed(from.steps[2] * run);
                match from.stride() {
                    1 => written.first_unwritten(start, runs.length).is_none(),
                    0 => written.get(start),
                    stride => (0..runs.length as isize)
                        .all(|word| written.get(start.wrapping_add_signed(stride * word))),
                }
            })
        })
    }

    /// Notes that rows of shared memory were written.
    pub(super) fn mark_rows(
        &mut self,
        batch: &Batch,
        place: &Place,
        to: Rows,
        active: &Active,
    ) -> Result<()> {
        if self.written.left() == 0 {
            return Ok(());
        }
        if !batch.is_alike(place) {
            return Err(Stop::Split);
        }
        let written = &mut self.written;
        let runs = active.even().expect("rows have even cores");
        for run in 0..runs.count as isize {
            let start = to.first.wrapping_add_signed(to.steps[2] * run);
            match to.stride() {
                1 => written.mark(start, runs.length),
                0 => written.mark(start, 1),
                stride => (0..runs.length as isize)
                    .for_each(|word| written.mark(start.wrapping_add_signed(stride * word), 1)),
            }
        }
        Ok(())
    }

    /// Notes that shared words are written; `Split` where it would differ between the MPs.
    pub(super) fn mark_offsets(
        &mut self,
        batch: &Batch,
        place: &Place,
        offsets: &[i64],
        active: &Active,
    ) -> Result<()> {
        let (width, count) = (batch.width, offsets.len());
        if self.written.left() == 0 {
            return Ok(());
        }
        let alike = width == 1 || !matches!(active, Active::Each(_)) && batch.is_alike(place);
        if !alike {
            return match self.are_written(batch, offsets, active) {
                true => Ok(()),
                false => Err(Stop::Split),
            };
        }
        let written = &mut self.written;
        for offset in &offsets[..count / width] {
            written.mark(*offset as usize, 1);
        }
        Ok(())
    }

    /// Whether no two cores of an MP write different values to one word; `same` compares those
    /// of two active cores, by where they stand in the order of all.
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
        for (mp, group) in batch.groups(active) {
            let own = (mp * self.words) as i64;
            let epoch = self.begin();
            let start = group.start;
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
    /// Bits that hold every word of the MPs of a batch.
    pub(super) fn bits(&mut self, batch: &Batch) -> u32 {
        let width = batch.width;
        let SharedRows {
            data,
            words,
            magnitude,
            ..
        } = self;
        match (&*magnitude, data) {
            (Some(known), _) => *known,
            (None, Data::Int(held)) => {
                let found = rows::magnitude(&held[..*words * width]);
                *magnitude = Some(found);
                found
            }
            (None, Data::Float(_)) => 64,
        }
    }
    /// Begins a count: gives the upper half of its marks.
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

/// An array to be written beside all the others.
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
