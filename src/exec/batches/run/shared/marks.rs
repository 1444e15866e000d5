//! The words of shared arrays that were written: asked before a read, marked after a write.
//!
//! As long as the MPs of a batch write alike, one set of words stands for all of them.

use std::sync::Arc;

use crate::exec::batches::plan::Place;
use crate::exec::batches::run::batch::Batch;
use crate::exec::batches::run::masks::{Active, Each};
use crate::exec::batches::run::rows::Rows;
use crate::exec::batches::run::shared::SharedRows;
use crate::exec::memory::written::Written;

impl SharedRows {
    /// Returns true if active cores are known to have written their words at these places.
    pub(in crate::exec::batches::run) fn have_written(
        &self,
        each: &Arc<Each>,
        flat: (i64, i64),
    ) -> bool {
        // A mask narrowed from one that wrote everything there has written its words too.
        let is_marked =
            |(root, of): &(Arc<Each>, (i64, i64))| *of == flat && Each::is_within(each, root);
        self.written.left() == 0 || self.marked.as_ref().is_some_and(is_marked)
    }

    /// Records a write of active cores at these places.
    pub(in crate::exec::batches::run) fn mark_each(
        &mut self,
        batch: &Batch,
        each: &Arc<Each>,
        flat: (i64, i64),
    ) {
        if self.have_written(each, flat) {
            return;
        }
        self.tell_written_apart(batch.width());
        for &lane in &each.lanes {
            let at = flat.0 + flat.1 * i64::from(lane);
            self.written.mark_word(at as usize);
        }
        if each.is_root() {
            self.marked = Some((Arc::clone(each), flat));
        }
    }

    /// Returns true if every word at these offsets was written.
    pub(in crate::exec::batches::run) fn are_written(
        &self,
        batch: &Batch,
        array: usize,
        offsets: &[i64],
        active: &Active,
    ) -> bool {
        if self.written.left() == 0 {
            return true;
        }
        if self.is_apart || batch.alike[array] {
            return offsets.iter().all(|&at| self.written.get(at as usize));
        }
        let mut groups = batch.groups(active);
        groups.all(|(mp, group)| {
            let mut own = offsets[group]
                .iter()
                .map(|&at| at as usize - mp * self.words);
            own.all(|at| self.written.get(at))
        })
    }

    /// Returns true if all words of rows were written.
    #[inline(always)]
    pub(in crate::exec::batches::run) fn are_rows_written(
        &self,
        batch: &Batch,
        place: &Place,
        from: Rows,
        active: &Active,
    ) -> bool {
        self.written.left() == 0 || self.is_each_row_written(batch, place, from, active)
    }

    fn is_each_row_written(
        &self,
        batch: &Batch,
        place: &Place,
        from: Rows,
        active: &Active,
    ) -> bool {
        let SharedRows { words, written, .. } = self;
        // If all MPs read the same words of their own arrays, one of them decides for all.
        let mps = if !self.is_apart && batch.is_alike(place) {
            1
        } else {
            batch.width()
        };
        let back = if self.is_apart || batch.alike[place.array] {
            0
        } else {
            *words
        };
        let runs = active.even().expect("rows have even cores");
        batch.starts(from).take(mps).enumerate().all(|(mp, start)| {
            let own = start - mp * back;
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

    /// Records that rows were written.
    #[inline(always)]
    pub(in crate::exec::batches::run) fn mark_rows(
        &mut self,
        batch: &Batch,
        place: &Place,
        to: Rows,
        active: &Active,
    ) {
        if self.written.left() > 0 {
            self.mark_each_row(batch, place, to, active);
        }
    }

    fn mark_each_row(&mut self, batch: &Batch, place: &Place, to: Rows, active: &Active) {
        let mps = if !self.is_apart && batch.is_alike(place) {
            1
        } else {
            self.tell_written_apart(batch.width());
            batch.width()
        };
        let written = &mut self.written;
        let runs = active.even().expect("rows have even cores");
        for start in batch.starts(to).take(mps) {
            for run in 0..runs.count as isize {
                let start = start.wrapping_add_signed(to.steps[2] * run);
                match to.stride() {
                    1 => written.mark(start, runs.length),
                    0 => written.mark(start, 1),
                    stride => (0..runs.length as isize).for_each(|word| {
                        written.mark_word(start.wrapping_add_signed(stride * word));
                    }),
                }
            }
        }
    }

    /// Records that words at these offsets were written.
    pub(in crate::exec::batches::run) fn mark_offsets(
        &mut self,
        batch: &Batch,
        place: &Place,
        offsets: &[i64],
        active: &Active,
    ) {
        if self.written.left() == 0 {
            return;
        }
        let is_alike = batch.width() == 1
            || !self.is_apart && !matches!(active, Active::Each(_)) && batch.is_alike(place);
        let count = if is_alike {
            offsets.len() / batch.width()
        } else {
            self.tell_written_apart(batch.width());
            offsets.len()
        };
        for offset in &offsets[..count] {
            self.written.mark_word(*offset as usize);
        }
    }

    /// Keeps the written words of each MP apart from now on.
    fn tell_written_apart(&mut self, mps: usize) {
        if std::mem::replace(&mut self.is_apart, true) {
            return;
        }
        let mut apart = Written::none(self.words * mps);
        if self.written.left() < self.words {
            let own: Vec<usize> = (0..self.words).filter(|&at| self.written.get(at)).collect();
            for mp in 0..mps {
                own.iter()
                    .for_each(|at| apart.mark_word(mp * self.words + at));
            }
        }
        self.written = apart;
    }
}
