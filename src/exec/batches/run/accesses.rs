//! Words moved between global and shared memory, and written to either.

use crate::exec::Data;
use crate::exec::batches::plan::Place;
use crate::exec::batches::run::dense::{Dense, Lanes, Word};
use crate::exec::batches::run::globals::{Found, Words};
use crate::exec::batches::run::masks::Active;
use crate::exec::batches::run::rows::{self, Rows};
use crate::exec::batches::run::{Part, Stop};

type Result<T> = std::result::Result<T, Stop>;

impl Part<'_, '_> {
    pub(super) fn load(&mut self, target: &Place, source: &Place, active: &Active) -> Result<()> {
        if let Active::Range(low, high) = *active
            && self.admits_all(target)
            && let (Some(from), Some(to)) = (self.rows(source, active)?, self.rows(target, active)?)
            && (to.stride() != 0 || high - low == 1)
            && self.load_rows((target, to), (source, from), active)?
        {
            self.conflicts(target, active);
            return Ok(());
        }
        let from = self.global_offsets(source, active)?;
        let blocks = self.blocks_of(&from, active);
        self.counts.blocks[source.array].0 += blocks;
        let view = &self.globals[source.array];
        if view.written.left() > 0 && !from.iter().all(|&at| view.written.get(at as usize)) {
            return Err(Stop::Bail);
        }
        let lanes = self.gather_global(source.array, &from);
        self.ints.push(from);
        self.write(target, lanes, active)
    }

    /// Whether it could be done with rows.
    fn load_rows(
        &mut self,
        (target, to): (&Place, Rows),
        (source, from): (&Place, Rows),
        active: &Active,
    ) -> Result<bool> {
        let Some(shape @ [.., count]) = self.shape(active) else {
            return Ok(false);
        };
        let view = &self.globals[source.array];
        if view.written.left() > 0 {
            let mut is_missing = false;
            rows::strips(shape, [from], |[from], (rows, count)| {
                for row in 0..rows {
                    is_missing |= match from.stride {
                        1 => view
                            .written
                            .first_unwritten(from.start(row), count)
                            .is_some(),
                        _ => (0..count).any(|word| !view.written.get(from.word(row, word))),
                    };
                }
            });
            if is_missing {
                return Err(Stop::Bail);
            }
        }
        let array = &mut self.shared[target.array];
        match (&mut array.data, &view.words) {
            (Data::Int(words), Words::Read(Data::Int(source))) => {
                rows::copy(words, to, source, from, shape);
            }
            (Data::Int(words), Words::Ints(start, source)) => {
                rows::copy(words, to, source, from.back(*start), shape);
            }
            (Data::Float(words), Words::Read(Data::Float(source))) => {
                rows::copy(words, to, source, from, shape);
            }
            (Data::Float(words), Words::Floats(start, source)) => {
                rows::copy(words, to, source, from.back(*start), shape);
            }
            (Data::Int(_) | Data::Float(_), _) => return Ok(false),
        }
        array.magnitude = None;
        self.counts.blocks[source.array].0 += self.blocks(from, count);
        self.mark_rows(target, to, active)?;
        Ok(true)
    }

    pub(super) fn store(&mut self, target: &Place, source: &Place, active: &Active) -> Result<()> {
        if let Active::Range(low, high) = *active
            && self.admits_all(target)
            && !self.plan.global[target.array].may_race
            && let (Some(from), Some(to)) = (self.rows(source, active)?, self.rows(target, active)?)
            && (to.stride() != 0 || high - low == 1)
            && self.store_rows((target, to), (source, from), active)?
        {
            self.conflicts(source, active);
            return Ok(());
        }
        let value = match self.shared[source.array].data {
            Data::Int(_) => {
                let value = self.read(source, active)?;
                Lanes::Ints(self.lanes_of(value, active))
            }
            Data::Float(_) => {
                let value = self.read(source, active)?;
                Lanes::Floats(self.lanes_of(value, active))
            }
        };
        let to = self.global_offsets(target, active)?;
        let blocks = self.blocks_of(&to, active);
        self.counts.blocks[target.array].1 += blocks;
        self.write_global(target, &to, value, active)?;
        self.ints.push(to);
        Ok(())
    }

    fn store_rows(
        &mut self,
        (target, to): (&Place, Rows),
        (source, from): (&Place, Rows),
        active: &Active,
    ) -> Result<bool> {
        let Some(shape @ [.., count]) = self.shape(active) else {
            return Ok(false);
        };
        if !self.is_read_written(source, from, active) {
            return Err(Stop::Bail);
        }
        let view = &mut self.globals[target.array];
        rows::strips(shape, [to], |[to], (rows, count)| {
            for row in 0..rows {
                view.note(to.start(row), to.stride as i64, count);
            }
        });
        match (&mut view.words, &self.shared[source.array].data) {
            (Words::Ints(start, words), Data::Int(source)) => {
                rows::copy(words, to.back(*start), source, from, shape);
            }
            (Words::Floats(start, words), Data::Float(source)) => {
                rows::copy(words, to.back(*start), source, from, shape);
            }
            (Words::Read(_) | Words::Ints(..) | Words::Floats(..), _) => return Ok(false),
        }
        self.counts.blocks[target.array].1 += self.blocks(to, count);
        Ok(true)
    }

    /// Writes a value per active core to global memory.
    fn write_global(
        &mut self,
        target: &Place,
        to: &[i64],
        value: Lanes,
        active: &Active,
    ) -> Result<()> {
        let admitted = self.launch.known.admitted(target.variable);
        if !value.is_admitted(admitted) {
            return Err(Stop::Bail);
        }
        if self.plan.global[target.array].may_race {
            self.write_stamped(target, to, &value, active)?;
            self.free(value);
            return Ok(());
        }
        if !self.is_one_value_each(target, to, &value, active) {
            return Err(Stop::Bail);
        }
        let view = &mut self.globals[target.array];
        for &at in to {
            view.note(at as usize, 1, 1);
        }
        match (&mut view.words, &value) {
            (Words::Ints(start, words), Lanes::Ints(values)) => {
                to.iter()
                    .zip(values)
                    .for_each(|(at, value)| words[*at as usize - *start] = *value);
            }
            (Words::Floats(start, words), Lanes::Floats(values)) => {
                to.iter()
                    .zip(values)
                    .for_each(|(at, value)| words[*at as usize - *start] = *value);
            }
            (Words::Floats(start, words), Lanes::Ints(values)) => {
                to.iter()
                    .zip(values)
                    .for_each(|(at, value)| words[*at as usize - *start] = *value as f64);
            }
            (Words::Read(_) | Words::Ints(..), _) => return Err(Stop::Bail),
        }
        self.free(value);
        Ok(())
    }

    /// Writes a value per active core where MPs may meet.
    fn write_stamped(
        &mut self,
        target: &Place,
        to: &[i64],
        value: &Lanes,
        active: &Active,
    ) -> Result<()> {
        let mut is_again = false;
        for (mp, group) in self.groups(active) {
            let stamp = self.launch.stamps.of(self.first + mp as u64);
            let view = &mut self.globals[target.array];
            let is_floats = matches!(view.words, Words::Floats(..));
            for at in group {
                let offset = to[at] as usize;
                let found = match value {
                    Lanes::Floats(values) => view.write_stamped(offset, values[at], stamp),
                    Lanes::Ints(values) if is_floats => {
                        view.write_stamped(offset, values[at] as f64, stamp)
                    }
                    Lanes::Ints(values) => view.write_stamped(offset, values[at], stamp),
                };
                match found {
                    Found::Fine => {}
                    Found::Own => is_again = true,
                    Found::Race => return Err(Stop::Bail),
                }
            }
        }
        // Two cores of an MP on one word are seen as an MP on a word of its own.
        if is_again && !self.is_one_value_each(target, to, value, active) {
            return Err(Stop::Bail);
        }
        Ok(())
    }

    /// Writes a quantity to shared memory.
    pub(super) fn put<T: Word>(
        &mut self,
        target: &Place,
        value: Dense<T>,
        active: &Active,
    ) -> Result<()> {
        let value = self.apart(value, active);
        if let Dense::Held(held) = &value
            && self.write_rows(target, held, active)?
        {
            return Ok(());
        }
        let lanes = T::lanes(self.lanes_of(value, active));
        self.write(target, lanes, active)
    }

    /// Writes a value per active core to shared memory.
    pub(super) fn write(&mut self, target: &Place, value: Lanes, active: &Active) -> Result<()> {
        let is_done = match &value {
            Lanes::Ints(lanes) => self.write_rows(target, lanes, active)?,
            Lanes::Floats(lanes) => self.write_rows(target, lanes, active)?,
        };
        if is_done {
            self.free(value);
            return Ok(());
        }
        let offsets = self.shared_offsets(target, active)?;
        self.conflicts_at(target, &offsets, active);
        let value = match (value, &self.shared[target.array].data) {
            (Lanes::Ints(ints), Data::Float(_)) => {
                let mut floats = self.empty();
                floats.extend(ints.iter().map(|&int| int as f64));
                self.ints.push(ints);
                Lanes::Floats(floats)
            }
            (value, _) => value,
        };
        let admitted = self.launch.known.admitted(target.variable);
        if !value.is_admitted(admitted)
            || !self.is_one_value_each_shared(target, &offsets, &value, active)
        {
            return Err(Stop::Bail);
        }
        self.mark_offsets(target, &offsets, active)?;
        let array = &mut self.shared[target.array];
        array.magnitude = None;
        match (&mut array.data, &value) {
            (Data::Int(words), Lanes::Ints(values)) => {
                for (&at, value) in offsets.iter().zip(values) {
                    words[at as usize] = *value;
                }
            }
            (Data::Float(words), Lanes::Floats(values)) => {
                for (&at, value) in offsets.iter().zip(values) {
                    words[at as usize] = *value;
                }
            }
            (Data::Int(_) | Data::Float(_), _) => {
                unreachable!("checked: floats do not become ints")
            }
        }
        self.ints.push(offsets);
        self.free(value);
        Ok(())
    }

    /// Writes a word per active core to rows of different words; `false` where these are none, or
    /// of another type, or not every word is admitted.
    fn write_rows<T: Word>(
        &mut self,
        target: &Place,
        lanes: &[T],
        active: &Active,
    ) -> Result<bool> {
        let (Some(shape), Some(to)) = (self.shape(active), self.rows(target, active)?) else {
            return Ok(false);
        };
        if to.stride() == 0 || !self.admits_all(target) {
            return Ok(false);
        }
        let array = &mut self.shared[target.array];
        let Some(words) = T::words_mut(&mut array.data) else {
            return Ok(false);
        };
        rows::copy(words, to, lanes, Rows::dense(shape), shape);
        array.magnitude = None;
        self.mark_rows(target, to, active)?;
        self.conflicts(target, active);
        Ok(true)
    }

    /// The words of a global array at these offsets.
    fn gather_global(&mut self, array: usize, from: &[i64]) -> Lanes {
        let (mut ints, mut floats) = (Vec::new(), Vec::new());
        match self.globals[array].words {
            Words::Read(Data::Int(_)) | Words::Ints(..) => ints = self.empty(),
            Words::Read(Data::Float(_)) | Words::Floats(..) => floats = self.empty(),
        }
        match &self.globals[array].words {
            Words::Read(Data::Int(words)) => ints.extend(from.iter().map(|&at| words[at as usize])),
            Words::Ints(start, words) => {
                ints.extend(from.iter().map(|&at| words[at as usize - start]));
            }
            Words::Read(Data::Float(words)) => {
                floats.extend(from.iter().map(|&at| words[at as usize]));
                return Lanes::Floats(floats);
            }
            Words::Floats(start, words) => {
                floats.extend(from.iter().map(|&at| words[at as usize - start]));
                return Lanes::Floats(floats);
            }
        }
        Lanes::Ints(ints)
    }
}
