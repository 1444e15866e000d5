//! Global memory of a batch: arrays that are only read, and windows of those it writes.
//!
//! A plan is free of races between MPs, so words are written at once, without stamps. Written
//! stretches are noted, and entered when the batches are done. If the kernel also reads an array
//! that it writes, the former words are kept until the batch succeeds. Where MPs may meet, an array
//! has the stamps of the statement-by-statement engine. That engine finds the race when a batch
//! meets anything but equal values.

mod views;

use std::ops::Range;

use crate::exec::Data;
use crate::exec::memory::global::stamps::{Shadow, Stamp};
use crate::exec::memory::written::Written;

pub(crate) use views::{split, views};

/// The words of a global array within reach.
#[derive(Debug)]
pub(crate) enum Words<'g> {
    /// All words, for reading.
    Read(&'g Data),
    /// Words from this offset on.
    Ints(usize, &'g mut [i64]),
    /// Words from this offset on.
    Floats(usize, &'g mut [f64]),
}

impl Words<'_> {
    /// Returns an upper bound on offsets: the words within reach and all before them.
    pub(super) fn len(&self) -> usize {
        match self {
            Words::Read(data) => data.len(),
            Words::Ints(start, words) => start + words.len(),
            Words::Floats(start, words) => start + words.len(),
        }
    }
}

/// A global array.
#[derive(Debug)]
pub(crate) struct GlobalView<'g> {
    pub words: Words<'g>,
    /// The words written before the kernel.
    pub written: &'g Written,
    /// Stretches that the kernel has written.
    pub noted: Noted,
    /// Former words where this batch wrote, if the kernel could see them.
    undo: Option<Before>,
    /// Stamps, if MPs may meet on the array.
    meeting: Option<Meeting<'g>>,
}

/// The writers of an array on which MPs may meet.
#[derive(Debug)]
struct Meeting<'g> {
    shadow: &'g mut Shadow,
    written: &'g mut Written,
    /// Stamps from before this batch. The words need no copy: words that earlier MPs wrote still
    /// hold
    /// the same value, and nobody sees the others before they are written again.
    undo: Vec<(usize, u32)>,
}

/// The finding of a write under a stamp.
pub(crate) enum Found {
    /// A word without a writer, or another MP's word with the same value.
    Fine,
    /// A word that the same MP has written.
    Own,
    /// Another MP's word with another value.
    Race,
}

/// Former words, stretch by stretch; the latest last.
#[derive(Debug, Default)]
struct Before {
    /// First word, stride and number of words.
    stretches: Vec<(usize, i64, usize)>,
    /// The words, in one of the two lists by the array's type.
    ints: Vec<i64>,
    floats: Vec<f64>,
}

/// Written stretches of one array: first word, stride and number of words.
pub(crate) type Noted = Vec<(usize, i64, usize)>;

/// Iterates over the words of a stretch.
pub(super) fn places(
    (first, stride, words): (usize, i64, usize),
) -> impl DoubleEndedIterator<Item = usize> {
    (0..words as i64).map(move |word| (first as i64 + stride * word) as usize)
}

/// Saves the words of a stretch.
fn keep<T: Copy>(kept: &mut Vec<T>, words: &[T], stretch: (usize, i64, usize)) {
    match stretch {
        (first, 1, count) => kept.extend_from_slice(&words[first..first + count]),
        stretch => kept.extend(places(stretch).map(|at| words[at])),
    }
}

/// Restores the words of the latest stretch.
fn put_back<T: Copy>(kept: &mut Vec<T>, words: &mut [T], stretch: (usize, i64, usize)) {
    for at in places(stretch).rev() {
        words[at] = kept.pop().expect("kept before it was written");
    }
}

impl<'g> GlobalView<'g> {
    /// Records that a stretch is about to be written, its words `stride` apart.
    pub(super) fn note(&mut self, first: usize, stride: i64, words: usize) {
        if let Some(before) = &mut self.undo {
            match &self.words {
                Words::Ints(start, held) => {
                    keep(&mut before.ints, held, (first - start, stride, words));
                }
                Words::Floats(start, held) => {
                    keep(&mut before.floats, held, (first - start, stride, words));
                }
                Words::Read(_) => unreachable!("an array that is only read"),
            }
            before.stretches.push((first, stride, words));
        }
        if self.written.left() == 0 {
            return;
        }
        // A stretch that continues the last one is merged into it: rows 0..32 and 32..64 become
        // 0..64.
        match self.noted.last_mut() {
            Some((from, apart, count))
                if *from as i64 + *apart * *count as i64 == first as i64
                    && (stride == *apart || words == 1) =>
            {
                *count += words;
            }
            _ => self
                .noted
                .push((first, if words == 1 { 1 } else { stride }, words)),
        }
    }

    /// Writes a word for the MP of a stamp.
    #[inline]
    pub(super) fn write_stamped<T: Stamped>(&mut self, at: usize, value: T, stamp: Stamp) -> Found {
        let Some(meeting) = &mut self.meeting else {
            unreachable!("an array on which MPs may meet")
        };
        let word = T::word(&mut self.words, at);
        let before = meeting.shadow.writer(at);
        let same = || word.same(value);
        if stamp.write(meeting.shadow, at, same).is_err() {
            return Found::Race;
        }
        meeting.undo.push((at, before));
        *word = value;
        meeting.written.mark_word(at);
        if stamp.is_own(before) {
            Found::Own
        } else {
            Found::Fine
        }
    }

    /// Writes words without an earlier writer in this kernel, each MP's with its stamp. Returns
    /// `false`, with all stamps as before, if some MP or core meets another one's word.
    pub(super) fn write_new<T: Stamped>(
        &mut self,
        offsets: &[i64],
        values: &[T],
        owners: impl Iterator<Item = (Stamp, Range<usize>)> + Clone,
    ) -> bool {
        let Some(meeting) = &mut self.meeting else {
            unreachable!("an array on which MPs may meet")
        };
        let words = T::all(&mut self.words);
        let Some((any, _)) = owners.clone().next() else {
            return true;
        };
        // All old stamps are loaded first, then all new ones stored, then checked. So distant words
        // are
        // requested one after the other without waiting for any. A word of two writers keeps the
        // later stamp or value, which the check of the earlier one finds.
        let start = meeting.undo.len();
        let shadow = &mut *meeting.shadow;
        let before = offsets
            .iter()
            .map(|&at| (at as usize, shadow.writer(at as usize)));
        meeting.undo.extend(before);
        let mut is_new = (meeting.undo[start..].iter()).all(|(_, writer)| any.is_before(*writer));
        if is_new {
            for (stamp, group) in owners.clone() {
                for &at in &offsets[group] {
                    shadow.put_back(at as usize, stamp.writer());
                }
            }
            for (&at, value) in offsets.iter().zip(values) {
                words[at as usize] = *value;
            }
            for (stamp, group) in owners {
                for (&at, value) in offsets[group.clone()].iter().zip(&values[group]) {
                    is_new &= shadow.writer(at as usize) == stamp.writer();
                    is_new &= words[at as usize].same(*value);
                }
            }
            if !is_new {
                for &(at, writer) in &meeting.undo[start..] {
                    shadow.put_back(at, writer);
                }
            }
        }
        if !is_new {
            meeting.undo.truncate(start);
            return false;
        }
        for &at in offsets {
            meeting.written.mark_word(at as usize);
        }
        true
    }

    /// Drops the saved state: the batch has succeeded.
    pub(super) fn keep(&mut self) {
        if let Some(before) = &mut self.undo {
            before.stretches.clear();
            before.ints.clear();
            before.floats.clear();
        }
        if let Some(meeting) = &mut self.meeting {
            meeting.undo.clear();
        }
    }

    /// Restores the state before the batch.
    pub(super) fn restore(&mut self) {
        if let Some(meeting) = &mut self.meeting {
            for (at, writer) in meeting.undo.drain(..).rev() {
                meeting.shadow.put_back(at, writer);
            }
        }
        let Some(before) = &mut self.undo else { return };
        for (first, stride, count) in before.stretches.drain(..).rev() {
            match &mut self.words {
                Words::Ints(start, words) => {
                    put_back(&mut before.ints, words, (first - *start, stride, count));
                }
                Words::Floats(start, words) => {
                    put_back(&mut before.floats, words, (first - *start, stride, count));
                }
                Words::Read(_) => unreachable!("an array that is only read"),
            }
        }
    }
}

/// A word of an array on which MPs may meet.
pub(crate) trait Stamped: crate::exec::memory::global::word::Word {
    /// Returns the word at an offset.
    fn word<'w>(words: &'w mut Words<'_>, at: usize) -> &'w mut Self;

    /// Returns all words.
    fn all<'w>(words: &'w mut Words<'_>) -> &'w mut [Self];
}

impl Stamped for i64 {
    #[inline]
    fn word<'w>(words: &'w mut Words<'_>, at: usize) -> &'w mut i64 {
        match words {
            Words::Ints(start, words) => &mut words[at - *start],
            Words::Floats(..) | Words::Read(_) => unreachable!("ints are written to ints"),
        }
    }

    fn all<'w>(words: &'w mut Words<'_>) -> &'w mut [i64] {
        match words {
            Words::Ints(0, words) => words,
            Words::Ints(..) | Words::Floats(..) | Words::Read(_) => {
                unreachable!("ints are written to ints, and MPs meet on whole arrays")
            }
        }
    }
}

impl Stamped for f64 {
    #[inline]
    fn word<'w>(words: &'w mut Words<'_>, at: usize) -> &'w mut f64 {
        match words {
            Words::Floats(start, words) => &mut words[at - *start],
            Words::Ints(..) | Words::Read(_) => unreachable!("floats are written to floats"),
        }
    }

    fn all<'w>(words: &'w mut Words<'_>) -> &'w mut [f64] {
        match words {
            Words::Floats(0, words) => words,
            Words::Ints(..) | Words::Floats(..) | Words::Read(_) => {
                unreachable!("floats are written to floats, and MPs meet on whole arrays")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_batch_wrote_can_be_undone() {
        let written = Written::none(4);
        let mut words = [1, 2, 3, 4];
        let mut view = GlobalView {
            words: Words::Ints(0, &mut words),
            written: &written,
            noted: Vec::new(),
            undo: Some(Before::default()),
            meeting: None,
        };
        for value in [7, 8] {
            view.note(3, -2, 2);
            if let Words::Ints(_, words) = &mut view.words {
                (words[3], words[1]) = (value, value);
            }
        }
        assert_eq!(view.noted, [(3, -2, 2), (3, -2, 2)]);
        view.restore();
        drop(view);
        assert_eq!(words, [1, 2, 3, 4]);
    }
}
