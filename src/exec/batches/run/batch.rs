//! The MPs of a batch: their place among all MPs, and the places of their words.
//!
//! Takes masks, forms and places; gives the number of active cores, their order, and rows of words.
//! Changes nothing but its own numbers, and touches no memory.

use std::ops::Range;

use crate::exec::batches::plan::{At, Form, Place};
use crate::exec::batches::run::masks::{Active, Runs};
use crate::exec::batches::run::rows::{Rows, Shape};
use crate::exec::batches::run::stop::{Result, Stop};

/// Neighbouring MPs that execute together.
#[derive(Debug)]
pub(super) struct Batch {
    /// The first MP's indices, then loop variables and other numbers.
    pub slots: Vec<i64>,
    /// Number of slots that are indices of the MP: the first ones.
    pub dimensions: usize,
    /// Serial number of the first MP.
    pub first: u64,
    /// Number of neighbouring MPs that differ in the last dimension only.
    pub row: usize,
    /// Number of such rows.
    pub outer: usize,
    /// b
    pub cores: usize,
    /// For each shared array, true while all MPs hold the same words; only one copy is then kept.
    pub alike: Vec<bool>,
}

impl Batch {
    /// Returns the number of MPs.
    #[inline(always)]
    pub(super) fn width(&self) -> usize {
        self.outer * self.row
    }

    /// Returns the number of active cores in the whole batch.
    pub(super) fn lanes(&self, active: &Active) -> usize {
        match active {
            Active::Range(low, high) => self.width() * (high - low),
            Active::Runs(runs) => self.width() * runs.count * runs.length,
            Active::List(cores) => self.width() * cores.len(),
            Active::Each(each) => each.lanes.len(),
            Active::Along(along) => self.width() * along.trips * (along.cores.1 - along.cores.0),
        }
    }

    /// Returns the counts of each level (rows, MPs, runs, cores), if the active cores are even.
    #[inline(always)]
    pub(super) fn shape(&self, active: &Active) -> Option<Shape> {
        let runs = active.even()?;
        Some([self.outer, self.row, runs.count, runs.length])
    }

    /// Returns true if all cores of all MPs are active.
    pub(super) fn is_everyone(&self, active: &Active) -> bool {
        matches!(active, Active::Range(0, high) if *high == self.cores)
    }

    /// Calls `visit` with the MP and core of every active core, in order.
    #[inline(always)]
    pub(super) fn each(&self, active: &Active, mut visit: impl FnMut(usize, usize)) {
        match active {
            Active::Range(low, high) => {
                for mp in 0..self.width() {
                    (*low..*high).for_each(|core| visit(mp, core));
                }
            }
            Active::Runs(runs) => {
                for mp in 0..self.width() {
                    for run in 0..runs.count {
                        let start = runs.first + run * runs.apart;
                        (start..start + runs.length).for_each(|core| visit(mp, core));
                    }
                }
            }
            Active::List(cores) => {
                for mp in 0..self.width() {
                    cores.iter().for_each(|&core| visit(mp, core as usize));
                }
            }
            Active::Along(along) => {
                for mp in 0..self.width() {
                    for _ in 0..along.trips {
                        (along.cores.0..along.cores.1).for_each(|core| visit(mp, core));
                    }
                }
            }
            Active::Each(each) => {
                for &(mp, from, to) in &each.groups {
                    let first = mp as usize * self.cores;
                    for &lane in &each.lanes[from as usize..to as usize] {
                        visit(mp as usize, lane as usize - first);
                    }
                }
            }
        }
    }

    /// Iterates over the MPs with active cores, with their range in the order of
    /// [`each`](Self::each).
    pub(super) fn groups<'a>(
        &self,
        active: &'a Active,
    ) -> impl Iterator<Item = (usize, Range<usize>)> + Clone + use<'a> {
        let (alike, each): (usize, &[(u32, u32, u32)]) = match active {
            Active::Range(..) | Active::Runs(_) | Active::List(_) | Active::Along(_) => {
                (self.width(), &[])
            }
            Active::Each(each) => (0, &each.groups),
        };
        let count = self.lanes(active) / self.width();
        let alike = (0..alike).map(move |mp| (mp, mp * count..(mp + 1) * count));
        let each = each.iter();
        alike.chain(each.map(|&(mp, from, to)| (mp as usize, from as usize..to as usize)))
    }

    /// Returns bounds on the first and the last active core of any MP.
    pub(super) fn ends(&self, active: &Active) -> (i64, i64) {
        match active {
            Active::Range(low, high) => (*low as i64, *high as i64 - 1),
            Active::Runs(runs) => (runs.first as i64, runs.last() as i64),
            Active::List(cores) => (cores[0].into(), cores[cores.len() - 1].into()),
            Active::Each(_) => (0, self.cores as i64 - 1),
            Active::Along(along) => (along.cores.0 as i64, along.cores.1 as i64 - 1),
        }
    }

    /// Returns the factors of the two dimensions of the batch in a form.
    pub(super) fn steps(&self, form: &Form) -> [i64; 2] {
        form.steps(self.dimensions)
    }

    /// Returns the least and the greatest difference between an MP's value and the first MP's.
    pub(super) fn mp_ends(&self, steps: [i64; 2]) -> (i64, i64) {
        let counts = [self.outer, self.row];
        let ends = [0, 1].map(|level| steps[level] * (counts[level] as i64 - 1));
        let low = ends.iter().map(|end| (*end).min(0)).sum();
        let high = ends.iter().map(|end| (*end).max(0)).sum();
        (low, high)
    }

    /// Returns the difference between an MP's value and the first MP's.
    #[inline(always)]
    pub(super) fn ahead(&self, [outer, inner]: [i64; 2], mp: usize) -> i64 {
        if self.outer == 1 {
            return inner * mp as i64;
        }
        outer * (mp / self.row) as i64 + inner * (mp % self.row) as i64
    }

    /// Returns the start of each MP's row.
    pub(super) fn starts(&self, rows: Rows) -> impl Iterator<Item = usize> + use<> {
        let mps = self.row;
        (0..self.outer).flat_map(move |outer| (0..mps).map(move |mp| rows.of_mp(outer, mp)))
    }

    /// Returns the values of a form as rows of numbers, if the active cores are even.
    pub(super) fn numbers(
        &self,
        form: &Form,
        steps: [i64; 2],
        active: &Active,
    ) -> Option<(Shape, Rows)> {
        let (shape, runs) = (self.shape(active)?, active.even()?);
        let step = form.core;
        let rows = Rows {
            first: (form.at(&self.slots) + step * runs.first as i64) as usize,
            steps: [steps[0], steps[1], turn(form, runs, active), step].map(|step| step as isize),
        };
        Some((shape, rows))
    }

    /// Returns ⌊form/divisor⌋, if it is the same for all active cores.
    pub(super) fn same_quotient(
        &self,
        form: &Form,
        divisor: &Form,
        active: &Active,
    ) -> Option<i64> {
        let divisor = divisor.as_constant().filter(|&divisor| divisor > 0)?;
        if let Active::Along(along) = active
            && form.factor(along.slot) != 0
        {
            return None;
        }
        // A form is monotone in each variable, so its extremes lie at the ends of cores and MPs.
        // Equal quotients there mean equal quotients everywhere.
        let base = form.at(&self.slots);
        let (first, last) = self.ends(active);
        let (least, most) = self.mp_ends(self.steps(form));
        let (one, other) = (base + form.core * first, base + form.core * last);
        let low = (one.min(other) + least).div_euclid(divisor);
        let high = (one.max(other) + most).div_euclid(divisor);
        (low == high).then_some(low)
    }

    /// Returns true if all indices of active cores are within their extents.
    #[inline(always)]
    pub(super) fn inside(&self, checked: &[(Form, i64)], active: &Active) -> bool {
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

    /// Returns the rows of a place whose indices are all within their extents; `None` if the words
    /// form no rows.
    ///
    /// Always inlined. Returned through memory, rows are written word by word and read two words at
    /// a
    /// time, and the processor waits for the write before it can read.
    #[inline(always)]
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
        let run = turn(offset, runs, active);
        Ok(Some(Rows {
            first: first as usize,
            steps: [outer, inner, run, offset.core].map(|step| step as isize),
        }))
    }

    /// Returns the first offset and the step from core to core, if the step also leads from an MP's
    /// last core to the next MP's first. So it is for arrays of b words that lie side by side.
    pub(super) fn flat(&self, place: &Place) -> Option<(i64, i64)> {
        let At::Line {
            offset, checked, ..
        } = &place.at
        else {
            return None;
        };
        // With 32 cores and arrays 32 words apart, word 32·i + j goes on from core 31 of an MP to
        // core 0 of the next one.
        let [outer, inner] = self.word_steps(place);
        let is_flat = inner == offset.core * self.cores as i64 || self.row == 1;
        let is_even = outer == inner * self.row as i64 || self.outer == 1;
        (checked.is_empty() && is_flat && is_even && (self.row > 1 || self.outer == 1))
            .then(|| (offset.at(&self.slots), offset.core))
    }

    /// Returns the words between neighbouring MPs in each dimension of the batch, counting the
    /// distance of their shared arrays.
    #[inline]
    pub(super) fn word_steps(&self, place: &Place) -> [i64; 2] {
        match &place.at {
            At::Line {
                steps: [outer, inner],
                apart,
                ..
            } => {
                if *apart != 0 && self.alike[place.array] {
                    [*outer, *inner]
                } else {
                    [outer + apart * self.row as i64, inner + apart]
                }
            }
            At::Each(_) => unreachable!("asked of lines"),
        }
    }

    /// Returns the number of copies of a shared array.
    pub(super) fn kept(&self, array: usize) -> usize {
        if self.alike[array] { 1 } else { self.width() }
    }

    /// Returns true if a form has the same value in all MPs of the batch.
    pub(super) fn is_one(&self, form: &Form) -> bool {
        self.width() == 1 || self.mp_ends(self.steps(form)) == (0, 0)
    }

    /// Returns true if all MPs of the batch use the same words of their own shared arrays.
    pub(super) fn is_alike(&self, place: &Place) -> bool {
        match &place.at {
            At::Line { steps, .. } => {
                (steps[0] == 0 || self.outer == 1) && (steps[1] == 0 || self.row == 1)
            }
            At::Each(_) => self.width() == 1,
        }
    }
}

/// Returns the increase of a form from one run of cores (or one iteration) to the next.
#[inline(always)]
fn turn(form: &Form, runs: Runs, active: &Active) -> i64 {
    match active {
        Active::Along(along) => form.factor(along.slot) * along.rise,
        Active::Range(..) | Active::Runs(_) | Active::List(_) | Active::Each(_) => {
            form.core * runs.apart as i64
        }
    }
}
