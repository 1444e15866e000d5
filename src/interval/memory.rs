//! Shared memory of an MP, word by word, with what it was before a trial, and what is known of each
//! global and host array.

use rustc_hash::FxHashMap;

use crate::interval::lanes::{FLAT, Group, Slope};
use crate::interval::value::Value;

/// One word of shared memory.
#[derive(Debug, Clone)]
struct Cell {
    value: Value,
    slope: Slope,
    /// The MP it was written for, as a number that grows; older is unwritten.
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
    /// What any word may hold.
    pub(super) declared: Value,
    /// Of each trial that runs, the innermost last, what the words were before that it changed.
    trials: Vec<FxHashMap<usize, Cell>>,
}

/// A word's value and how it grows with the MP's number.
#[derive(Debug, Clone)]
pub(crate) struct Word {
    pub(super) value: Value,
    pub(super) slope: Slope,
}

/// What a write met.
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

    /// The values on all MPs of a group, without a slope.
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

    /// A word; `None` when it was not written on this MP.
    pub(super) fn read(&self, offset: i64, epoch: u64) -> Option<Word> {
        let cell = self.cells.get(usize::try_from(offset).ok()?)?;
        (cell.epoch == epoch).then(|| cell.word())
    }

    /// Whether words at all these distances from an offset hold the same as this one.
    pub(super) fn hold(&self, offset: i64, distances: &[i64], word: &Word, epoch: u64) -> bool {
        distances.iter().all(|distance| {
            let at = usize::try_from(offset + distance).ok();
            let cell = at.and_then(|at| self.cells.get(at));
            cell.is_some_and(|cell| cell.holds(word, epoch))
        })
    }

    /// Begins a trial: what it changes can be taken back.
    pub(super) fn begin_trial(&mut self) {
        self.trials.push(FxHashMap::default());
    }

    /// Whether every word is again what it was before the innermost trial.
    pub(super) fn is_as_before_trial(&self) -> bool {
        let mut changed = self.trials.last().into_iter().flatten();
        changed.all(|(at, old)| self.cells[*at].holds(&old.word(), old.epoch))
    }

    /// Ends the innermost trial, which left every word as it was.
    pub(super) fn keep_trial(&mut self) {
        self.trials.pop();
    }

    /// Ends the innermost trial: every word is again what it was before.
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
        let old = std::mem::replace(&mut self.cells[at], cell);
        if let Some(trial) = self.trials.last_mut() {
            trial.entry(at).or_insert(old);
        }
    }

    /// Any of the words in a range; what is unwritten is not read.
    pub(super) fn read_between(&self, low: i64, high: i64, epoch: u64, group: &Group) -> Value {
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

    /// A write that certainly happens; gives what else the instruction wrote there, and whether
    /// anything changed.
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
        let again = cell.epoch == epoch && cell.instruction == instruction;
        let old = cell.word();
        let race =
            again && old.slope == word.slope && old.value.is_known() && word.value.is_known();
        let new = if again { old.join(&word, group) } else { word };
        self.change(at, new, (epoch, instruction));
        (if race { Met::Race } else { Met::Nothing }, true)
    }

    /// A write that may happen; gives whether anything changed.
    pub(super) fn weaken(&mut self, offset: i64, word: &Word, epoch: u64, group: &Group) -> bool {
        let at = usize::try_from(offset).ok();
        let Some((at, cell)) = at.and_then(|at| Some((at, self.cells.get(at)?))) else {
            return false;
        };
        let (was_written, instruction) = (cell.epoch == epoch, cell.instruction);
        let old = cell.word();
        let new = match was_written {
            true => old.join(word, group),
            false => word.clone(),
        };
        let changed = !was_written || !old.same(&new);
        if changed {
            self.change(at, new, (epoch, instruction));
        }
        changed
    }
}

/// What is known of the words of each global and host array, all together.
#[derive(Debug, Clone)]
pub(crate) struct Summaries {
    /// By `VarId`; `None` where nothing was ever written.
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

    /// Adds what a word may hold; gives whether that is new.
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

    /// What holds after either of two ways.
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
