//! Where the words of a batch are: rows or offsets of a place, and what is checked of them. Offsets
//! stand in the order of [`each`](Part::each).

use crate::exec::batches::plan::{At, Form, Place};
use crate::exec::batches::run::dense::Lanes;
use crate::exec::batches::run::masks::Active;
use crate::exec::batches::run::rows::{self, Rows, Shape};
use crate::exec::batches::run::{Part, SharedRows, Stop};

type Result<T> = std::result::Result<T, Stop>;

impl Part<'_, '_> {
    /// Whether all indices of active cores are within their extents.
    #[inline]
    fn inside(&self, checked: &[(Form, i64)], active: &Active) -> bool {
        checked.iter().all(|(form, extent)| {
            let (base, steps) = (form.at(&self.slots), self.steps(form));
            if let Active::Each(_) = active {
                let mut all = true;
                self.each(active, |mp, core| {
                    let value = base + self.ahead(steps, mp) + form.core * core as i64;
                    all &= 0 <= value && value < *extent;
                });
                return all;
            }
            let (first, last) = self.ends(active);
            let (least, most) = self.mp_ends(steps);
            [first, last].iter().all(|core| {
                let value = base + form.core * core;
                0 <= value + least && value + most < *extent
            })
        })
    }

    /// What an MP of the batch adds to the first one's value.
    #[inline(always)]
    pub(super) fn ahead(&self, [outer, inner]: [i64; 2], mp: usize) -> i64 {
        if self.outer == 1 {
            return inner * mp as i64;
        }
        outer * (mp / self.row) as i64 + inner * (mp % self.row) as i64
    }

    /// The rows of a place, every index within its extent; `None` where it has none.
    #[inline]
    pub(super) fn rows(&self, place: &Place, active: &Active) -> Result<Option<Rows>> {
        let (
            At::Line {
                offset, checked, ..
            },
            Some(runs),
        ) = (&place.at, active.even())
        else {
            return Ok(None);
        };
        if !self.inside(checked, active) {
            return Err(Stop::Bail);
        }
        let first = offset.at(&self.slots) + offset.core * runs.first as i64;
        let [outer, inner] = self.word_steps(place);
        let run = offset.core * runs.apart as i64;
        Ok(Some(Rows {
            first: first as usize,
            steps: [outer, inner, run, offset.core].map(|step| step as isize),
        }))
    }

    /// Words from an MP's to that of the next one in each dimension of the batch; shared arrays of
    /// a batch lie one after the other.
    fn word_steps(&self, place: &Place) -> [i64; 2] {
        match &place.at {
            At::Line {
                steps: [outer, inner],
                apart,
                ..
            } => [outer + apart * self.row as i64, inner + apart],
            At::Each(_) => unreachable!("asked of lines"),
        }
    }

    /// Whether every MP of the batch has the same words of its own shared array.
    fn is_alike(&self, place: &Place) -> bool {
        match &place.at {
            At::Line { steps, .. } => {
                (steps[0] == 0 || self.outer == 1) && (steps[1] == 0 || self.row == 1)
            }
            At::Each(_) => self.width == 1,
        }
    }

    /// The offset of every active core in a shared array of the batch.
    pub(super) fn shared_offsets(&mut self, place: &Place, active: &Active) -> Result<Vec<i64>> {
        let mut offsets = self.global_offsets(place, active)?;
        if let At::Each(_) = place.at {
            let words = self.shared[place.array].words as i64;
            let mut at = 0;
            self.each(active, |mp, _| {
                offsets[at] += words * mp as i64;
                at += 1;
            });
        }
        Ok(offsets)
    }

    /// The offset of every active core.
    pub(super) fn global_offsets(&mut self, place: &Place, active: &Active) -> Result<Vec<i64>> {
        match &place.at {
            At::Line {
                offset, checked, ..
            } => {
                if !self.inside(checked, active) {
                    return Err(Stop::Bail);
                }
                let (base, core_step) = (offset.at(&self.slots), offset.core);
                Ok(self.progression(base, self.word_steps(place), core_step, active))
            }
            At::Each(indices) => {
                let mut offsets: Option<Vec<i64>> = None;
                for (index, extent, stride) in indices {
                    let index = self.ints(index, active)?;
                    let mut index = self.lanes_of(index, active);
                    let mut outside = false;
                    for index in &index {
                        outside |= *index as u64 >= *extent as u64;
                    }
                    if outside {
                        return Err(Stop::Bail);
                    }
                    if *stride != 1 {
                        index.iter_mut().for_each(|index| *index *= stride);
                    }
                    offsets = Some(match offsets {
                        None => index,
                        Some(mut offsets) => {
                            for (offset, &index) in offsets.iter_mut().zip(&index) {
                                *offset += index;
                            }
                            self.ints.push(index);
                            offsets
                        }
                    });
                }
                // An array without dimensions has one word.
                Ok(offsets.unwrap_or_else(|| vec![0; self.lanes(active)]))
            }
        }
    }

    /// base + outer · (row of MPs) + inner · (MP of the row) + step · core, of every active core.
    pub(super) fn progression(
        &mut self,
        base: i64,
        steps: [i64; 2],
        step: i64,
        active: &Active,
    ) -> Vec<i64> {
        let Some((shape, rows)) = self.numbers(base, steps, step, active) else {
            let mut values = self.empty();
            self.each(active, |mp, core| {
                values.push(base + self.ahead(steps, mp) + step * core as i64);
            });
            return values;
        };
        let mut values = self.some(self.lanes(active));
        rows::progression(shape, rows, &mut values);
        values
    }

    /// The same as if the numbers were places of words, where the cores are even.
    pub(super) fn numbers(
        &self,
        base: i64,
        steps: [i64; 2],
        step: i64,
        active: &Active,
    ) -> Option<(Shape, Rows)> {
        let (shape, runs) = (self.shape(active)?, active.even()?);
        let run = step * runs.apart as i64;
        let rows = Rows {
            first: (base + step * runs.first as i64) as usize,
            steps: [steps[0], steps[1], run, step].map(|step| step as isize),
        };
        Some((shape, rows))
    }

    /// Where the rows of each MP start.
    pub(super) fn starts(&self, rows: Rows) -> impl Iterator<Item = usize> + use<> {
        let mps = self.row;
        (0..self.outer).flat_map(move |outer| (0..mps).map(move |mp| rows.of_mp(outer, mp)))
    }

    /// Whether every word at the offsets of a shared array was written.
    pub(super) fn are_written(&self, array: usize, offsets: &[i64], active: &Active) -> bool {
        let shared = &self.shared[array];
        if shared.written.left() == 0 {
            return true;
        }
        let mut all = true;
        let mut at = 0;
        self.each(active, |mp, _| {
            all &= shared.written.get(offsets[at] as usize - mp * shared.words);
            at += 1;
        });
        all
    }

    /// Whether all words of rows of shared memory were written.
    pub(super) fn is_read_written(&self, place: &Place, from: Rows, active: &Active) -> bool {
        let SharedRows { words, written, .. } = &self.shared[place.array];
        if written.left() == 0 {
            return true;
        }
        // Where all MPs read the same words of theirs, one of them tells.
        let mps = if self.is_alike(place) { 1 } else { self.width };
        let runs = active.even().expect("rows have even cores");
        self.starts(from).take(mps).enumerate().all(|(mp, start)| {
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
    pub(super) fn mark_rows(&mut self, place: &Place, to: Rows, active: &Active) -> Result<()> {
        if self.shared[place.array].written.left() == 0 {
            return Ok(());
        }
        if !self.is_alike(place) {
            return Err(Stop::Split);
        }
        let written = &mut self.shared[place.array].written;
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
        place: &Place,
        offsets: &[i64],
        active: &Active,
    ) -> Result<()> {
        let (width, count) = (self.width, offsets.len());
        if self.shared[place.array].written.left() == 0 {
            return Ok(());
        }
        let alike = width == 1 || !matches!(active, Active::Each(_)) && self.is_alike(place);
        if !alike {
            return match self.are_written(place.array, offsets, active) {
                true => Ok(()),
                false => Err(Stop::Split),
            };
        }
        let written = &mut self.shared[place.array].written;
        for offset in &offsets[..count / width] {
            written.mark(*offset as usize, 1);
        }
        Ok(())
    }

    /// Whether no two cores of an MP write different values to one word of global memory.
    pub(super) fn is_one_value_each(
        &self,
        place: &Place,
        offsets: &[i64],
        value: &Lanes,
        active: &Active,
    ) -> bool {
        if place.tells_cores_apart() {
            return true;
        }
        let mut order: Vec<usize> = Vec::new();
        for (_, group) in self.groups(active) {
            order.clear();
            order.extend(group);
            order.sort_unstable_by_key(|&at| offsets[at]);
            let clash = order
                .windows(2)
                .any(|pair| offsets[pair[0]] == offsets[pair[1]] && !value.same(pair[0], pair[1]));
            if clash {
                return false;
            }
        }
        true
    }

    /// As [`is_one_value_each`](Self::is_one_value_each), for shared memory.
    pub(super) fn is_one_value_each_shared(
        &mut self,
        place: &Place,
        offsets: &[i64],
        value: &Lanes,
        active: &Active,
    ) -> bool {
        if place.tells_cores_apart() {
            return true;
        }
        for (mp, group) in self.groups(active) {
            let array = &mut self.shared[place.array];
            let own = (mp * array.words) as i64;
            let epoch = array.begin();
            let start = group.start;
            for (at, &offset) in group.clone().zip(&offsets[group]) {
                let mark = &mut array.marks[(offset - own) as usize];
                if *mark >> 32 != epoch {
                    *mark = epoch << 32 | (at - start) as u64;
                } else if !value.same(start + (*mark & NOTE) as usize, at) {
                    return false;
                }
            }
        }
        true
    }
}

/// The lower half of a mark.
const NOTE: u64 = u32::MAX as u64;

impl SharedRows {
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
