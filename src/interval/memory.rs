//! Shared memory of an MP, word by word, and what is known of each global and host array.

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

/// A shared array.
#[derive(Debug)]
pub(crate) struct Shared {
    cells: Vec<Cell>,
    /// What any word may hold.
    pub(super) declared: Value,
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
        }
    }

    pub(super) fn words(&self) -> i64 {
        self.cells.len() as i64
    }

    /// A word; `None` when it was not written on this MP.
    pub(super) fn read(&self, offset: i64, epoch: u64) -> Option<Word> {
        let cell = self.cells.get(usize::try_from(offset).ok()?)?;
        (cell.epoch == epoch).then(|| Word {
            value: cell.value.clone(),
            slope: cell.slope,
        })
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
        let Some(cell) = usize::try_from(offset)
            .ok()
            .and_then(|at| self.cells.get_mut(at))
        else {
            return (Met::Nothing, false);
        };
        let old = Word {
            value: cell.value.clone(),
            slope: cell.slope,
        };
        let again = cell.epoch == epoch && cell.instruction == instruction;
        let same = cell.epoch == epoch && old.same(&word);
        let race = again
            && !same
            && old.slope == word.slope
            && old.value.is_known()
            && word.value.is_known();
        let new = if again { old.join(&word, group) } else { word };
        cell.value = new.value;
        cell.slope = new.slope;
        cell.epoch = epoch;
        cell.instruction = instruction;
        (if race { Met::Race } else { Met::Nothing }, !same)
    }

    /// A write that may happen; gives whether anything changed.
    pub(super) fn weaken(&mut self, offset: i64, word: &Word, epoch: u64, group: &Group) -> bool {
        let Some(cell) = usize::try_from(offset)
            .ok()
            .and_then(|at| self.cells.get_mut(at))
        else {
            return false;
        };
        let old = Word {
            value: cell.value.clone(),
            slope: cell.slope,
        };
        let new = if cell.epoch == epoch {
            old.join(word, group)
        } else {
            word.clone()
        };
        let changed = cell.epoch != epoch || !old.same(&new);
        cell.value = new.value;
        cell.slope = new.slope;
        cell.epoch = epoch;
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
