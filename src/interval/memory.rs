//! Shared memory of an MP, word by word, with its state before a trial, and a summary of each
//! global
//! and host array.

use std::ops::RangeInclusive;

use rustc_hash::FxHashMap;

use crate::interval::lanes::{FLAT, Group, Slope};
use crate::interval::value::Value;

/// One word of shared memory.
#[derive(Debug, Clone)]
struct Cell {
    value: Value,
    slope: Slope,
    /// The MP that it was written for, as a growing number; an older one means unwritten.
    epoch: u64,
    /// The instruction that wrote it last.
    instruction: u64,
}

impl Cell {
    fn holds(&self, word: &Word, epoch: u64) -> bool {
        self.epoch == epoch && self.slope == word.slope && self.value.same(&word.value)
    }

    fn word(&self) -> Word {
        Word {
            value: self.value.clone(),
            slope: self.slope,
        }
    }
}

/// A shared array.
#[derive(Debug)]
pub(crate) struct Shared {
    cells: Vec<Cell>,
    /// The values that any word may hold.
    pub(super) declared: Value,
    /// For each running trial, the innermost last, the former contents of the words it changed.
    trials: Vec<FxHashMap<usize, Cell>>,
}

/// The value of a word, and its growth with the MP's number.
#[derive(Debug, Clone)]
pub(crate) struct Word {
    pub(super) value: Value,
    pub(super) slope: Slope,
}

/// The collision of a write.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Met {
    Nothing,
    /// Another certain write of another known value in the same instruction.
    Race,
}

impl Word {
    pub(super) fn flat(value: Value) -> Word {
        Word { value, slope: FLAT }
    }

    /// Returns the values on all MPs of a group as one range.
    pub(super) fn spread(&self, group: &Group) -> Value {
        if self.slope == FLAT {
            return self.value.clone();
        }
        let (least, most) = group.extremes(&self.slope);
        let (low, high) = self.value.bounds();
        let word = |value: i128| {
            i64::try_from(value.clamp(i64::MIN.into(), i64::MAX.into())).expect("clamped to a word")
        };
        Value::between(word(i128::from(low) + least), word(i128::from(high) + most))
    }

    fn same(&self, other: &Word) -> bool {
        self.slope == other.slope && self.value.same(&other.value)
    }

    fn join(&self, other: &Word, group: &Group) -> Word {
        if self.same(other) {
            return self.clone();
        }
        Word::flat(self.spread(group).join(&other.spread(group)))
    }
}

impl Shared {
    pub(super) fn new(words: usize, declared: Value) -> Shared {
        let cell = Cell {
            value: Value::Int(0),
            slope: FLAT,
            epoch: 0,
            instruction: 0,
        };
        Shared {
            cells: vec![cell; words],
            declared,
            trials: Vec::new(),
        }
    }

    pub(super) fn words(&self) -> i64 {
        self.cells.len() as i64
    }

    /// Returns a word; `None` if it was not written on this MP.
    pub(super) fn read(&self, offset: i64, epoch: u64) -> Option<Word> {
        let cell = self.cells.get(usize::try_from(offset).ok()?)?;
        (cell.epoch == epoch).then(|| cell.word())
    }

    /// Returns true if the words at all these distances from an offset hold the same as this one.
    pub(super) fn hold(&self, offset: i64, distances: &[i64], word: &Word, epoch: u64) -> bool {
        distances.iter().all(|distance| {
            let at = usize::try_from(offset + distance).ok();
            let cell = at.and_then(|at| self.cells.get(at));
            cell.is_some_and(|cell| cell.holds(word, epoch))
        })
    }

    /// Returns true if all of these words are written and hold the same.
    pub(super) fn is_uniform(&self, offsets: RangeInclusive<i64>, epoch: u64) -> bool {
        let place = |offset: &i64| usize::try_from(*offset).ok();
        let ends = place(offsets.start()).zip(place(offsets.end()));
        let cells = ends.and_then(|(low, high)| self.cells.get(low..=high));
        cells.is_some_and(|cells| {
            let first = cells.first().map(Cell::word);
            first.is_none_or(|first| cells.iter().all(|cell| cell.holds(&first, epoch)))
        })
    }

    /// Begins a trial, so that its changes can be undone.
    pub(super) fn begin_trial(&mut self) {
        self.trials.push(FxHashMap::default());
    }

    /// Returns true if every word is as it was before the innermost trial.
    pub(super) fn is_as_before_trial(&self) -> bool {
        let mut changed = self.trials.last().into_iter().flatten();
        changed.all(|(at, old)| self.cells[*at].holds(&old.word(), old.epoch))
    }

    /// The words of which the innermost trial changed the range of a float; `None` if it changed anything else.
    pub(super) fn grown_floats(&self) -> Option<Vec<usize>> {
        let changed = self.trials.last().into_iter().flatten();
        let changed = changed.filter(|(at, old)| !self.cells[**at].holds(&old.word(), old.epoch));
        let grown = changed.map(|(at, old)| {
            let new = &self.cells[*at];
            let is_float = new.value.is_float() && old.value.is_float();
            (is_float && new.epoch == old.epoch).then_some(*at)
        });
        grown.collect()
    }

    /// Forgets all that is known of these words: they hold any float.
    pub(super) fn widen(&mut self, words: &[usize]) {
        for at in words {
            let cell = &self.cells[*at];
            let place = (cell.epoch, cell.instruction);
            self.change(*at, Word::flat(Value::AnyFloat), place);
        }
    }

    /// Ends the innermost trial, which left every word as it was.
    pub(super) fn keep_trial(&mut self) {
        self.trials.pop();
    }

    /// Ends the innermost trial, and undoes its changes.
    pub(super) fn take_back_trial(&mut self) {
        for (at, old) in self.trials.pop().into_iter().flatten() {
            self.cells[at] = old;
        }
    }

    fn change(&mut self, at: usize, new: Word, (epoch, instruction): (u64, u64)) {
        let cell = Cell {
            value: new.value,
            slope: new.slope,
            epoch,
            instruction,
        };
        // Only the first change of a word in a trial is recorded: it holds the word from before.
        let old = std::mem::replace(&mut self.cells[at], cell);
        if let Some(trial) = self.trials.last_mut() {
            trial.entry(at).or_insert(old);
        }
    }

    /// Returns a range for the words between two offsets; unwritten words are not read.
    pub(super) fn read_between(&self, low: i64, high: i64, epoch: u64, group: &Group) -> Value {
        // Unwritten words are left out, because reading one is a fault and gives no value. If all
        // are
        // unwritten, the declared range is still sound.
        let mut joined: Option<Value> = None;
        for offset in low..=high {
            if let Some(word) = self.read(offset, epoch) {
                let value = word.spread(group);
                joined = Some(match joined {
                    Some(joined) => joined.join(&value),
                    None => value,
                });
            }
        }
        joined.unwrap_or_else(|| self.declared.clone())
    }

    /// Performs a certain write. Returns its collision in the same instruction, and true if
    /// anything
    /// changed.
    pub(super) fn write(
        &mut self,
        offset: i64,
        word: Word,
        epoch: u64,
        instruction: u64,
        group: &Group,
    ) -> (Met, bool) {
        let at = usize::try_from(offset).ok();
        let Some((at, cell)) = at.and_then(|at| Some((at, self.cells.get_mut(at)?))) else {
            return (Met::Nothing, false);
        };
        if cell.holds(&word, epoch) {
            cell.instruction = instruction;
            return (Met::Nothing, false);
        }
        // Two cores of one instruction on one word: equal values are allowed, different known
        // values
        // are a race, and unknown ones join.
        let again = cell.epoch == epoch && cell.instruction == instruction;
        let old = cell.word();
        let race =
            again && old.slope == word.slope && old.value.is_known() && word.value.is_known();
        let new = if again { old.join(&word, group) } else { word };
        self.change(at, new, (epoch, instruction));
        (if race { Met::Race } else { Met::Nothing }, true)
    }

    /// Performs a possible write; returns true if anything changed.
    pub(super) fn weaken(&mut self, offset: i64, word: &Word, epoch: u64, group: &Group) -> bool {
        let at = usize::try_from(offset).ok();
        let Some((at, cell)) = at.and_then(|at| Some((at, self.cells.get(at)?))) else {
            return false;
        };
        // The word may keep its old value, so both are joined. If it was unwritten, reading the old
        // value would be a fault, so the new one stands alone.
        let (was_written, instruction) = (cell.epoch == epoch, cell.instruction);
        let old = cell.word();
        let new = if was_written {
            old.join(word, group)
        } else {
            word.clone()
        };
        let changed = !was_written || !old.same(&new);
        if changed {
            self.change(at, new, (epoch, instruction));
        }
        changed
    }
}

/// A summary of each global and host array: one range for all of its words.
#[derive(Debug, Clone)]
pub(crate) struct Summaries {
    /// Ranges by `VarId`; `None` if nothing was ever written.
    values: Vec<Option<Value>>,
}

impl Summaries {
    pub(super) fn new(variables: usize) -> Summaries {
        Summaries {
            values: vec![None; variables],
        }
    }

    pub(super) fn get(&self, variable: usize) -> Option<&Value> {
        self.values[variable].as_ref()
    }

    pub(super) fn replace(&mut self, variable: usize, value: Option<Value>) {
        self.values[variable] = value;
    }

    /// Adds a possible value of a word; returns true if it is new.
    pub(super) fn join(&mut self, variable: usize, value: &Value) -> bool {
        let old = self.values[variable].as_ref();
        let joined = old.map_or_else(|| value.clone(), |old| old.join(value));
        let changed = old.is_none_or(|old| !old.same(&joined));
        self.values[variable] = Some(joined);
        changed
    }

    pub(super) fn swap(&mut self, left: usize, right: usize) {
        self.values.swap(left, right);
    }

    /// Returns the summaries after either of two paths.
    pub(super) fn either(&self, other: &Summaries) -> Summaries {
        let mut result = self.clone();
        for (at, value) in other.values.iter().enumerate() {
            if let Some(value) = value {
                result.join(at, value);
            }
        }
        result
    }

    pub(super) fn same(&self, other: &Summaries) -> bool {
        self.values
            .iter()
            .zip(&other.values)
            .all(|(x, y)| match (x, y) {
                (Some(x), Some(y)) => x.same(y),
                (None, None) => true,
                (Some(_), None) | (None, Some(_)) => false,
            })
    }
}
