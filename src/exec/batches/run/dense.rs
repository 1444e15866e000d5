//! Quantities of the active cores in the order of
//! [`each`](crate::exec::batches::run::batch::Batch::each), the values of `let`s, and reusable
//! vectors for both.

use std::ops::Range;
use std::sync::Arc;

use crate::exec::Data;
use crate::exec::batches::run::masks::Active;
use crate::exec::batches::run::rows::Operand;
use crate::exec::batches::run::shared::{HeldWords, SharedRows};
use crate::exec::lanes::Buffers;
use crate::exec::memory::Admitted;
use crate::exec::memory::global::word;
use crate::meaning::value::same_bits;

/// A word per active core.
pub(super) enum Lanes {
    Ints(Vec<i64>),
    Floats(Vec<f64>),
}

impl Lanes {
    /// Returns true if a declared range admits all of them.
    pub(super) fn is_admitted(&self, range: Option<&Admitted>) -> bool {
        match (range, self) {
            (None, _) => true,
            (Some(range), Lanes::Ints(lanes)) => lanes.iter().all(|&lane| range.admits_int(lane)),
            (Some(range), Lanes::Floats(lanes)) => {
                lanes.iter().all(|&lane| range.admits_float(lane))
            }
        }
    }

    /// Turns it into shared ownership.
    pub(super) fn held(self) -> HeldWords {
        match self {
            Lanes::Ints(lanes) => HeldWords::Ints(Arc::new(lanes)),
            Lanes::Floats(lanes) => HeldWords::Floats(Arc::new(lanes)),
        }
    }

    pub(super) fn same(&self, one: usize, other: usize) -> bool {
        match self {
            Lanes::Ints(lanes) => lanes[one] == lanes[other],
            Lanes::Floats(lanes) => same_bits(lanes[one], lanes[other]),
        }
    }
}

/// The type of a word: a whole number or a float.
pub(super) trait Word: word::Word + Default {
    /// Wraps a word per core.
    fn lanes(lanes: Vec<Self>) -> Lanes;
    /// Returns the spare vectors of this type.
    fn pool(spare: &mut Spare) -> &mut Vec<Vec<Self>>;
    /// Returns the words of an array, if it is of this type.
    fn words(data: &Data) -> Option<&[Self]>;
    /// Returns the value of a `let`, if it is of this type.
    fn held(register: Register) -> Option<Held<Self>>;
    /// Returns held words, if they are of this type.
    fn held_in(words: &HeldWords) -> Option<&Arc<Vec<Self>>>;
    /// Wraps a value for a `let`.
    fn register(held: Held<Self>) -> Register;
}

impl Word for i64 {
    fn lanes(lanes: Vec<i64>) -> Lanes {
        Lanes::Ints(lanes)
    }

    fn pool(spare: &mut Spare) -> &mut Vec<Vec<i64>> {
        &mut spare.ints
    }

    fn words(data: &Data) -> Option<&[i64]> {
        match data {
            Data::Int(words) => Some(words),
            Data::Float(_) => None,
        }
    }

    fn held(register: Register) -> Option<Held<i64>> {
        match register {
            Register::Ints(held) => Some(held),
            Register::Floats(_) => None,
        }
    }

    fn held_in(words: &HeldWords) -> Option<&Arc<Vec<i64>>> {
        match words {
            HeldWords::Ints(words) => Some(words),
            HeldWords::Floats(_) => None,
        }
    }

    fn register(held: Held<i64>) -> Register {
        Register::Ints(held)
    }
}

impl Word for f64 {
    fn lanes(lanes: Vec<f64>) -> Lanes {
        Lanes::Floats(lanes)
    }

    fn pool(spare: &mut Spare) -> &mut Vec<Vec<f64>> {
        &mut spare.floats
    }

    fn words(data: &Data) -> Option<&[f64]> {
        match data {
            Data::Float(words) => Some(words),
            Data::Int(_) => None,
        }
    }

    fn held(register: Register) -> Option<Held<f64>> {
        match register {
            Register::Floats(held) => Some(held),
            Register::Ints(_) => None,
        }
    }

    fn held_in(words: &HeldWords) -> Option<&Arc<Vec<f64>>> {
        match words {
            HeldWords::Floats(words) => Some(words),
            HeldWords::Ints(_) => None,
        }
    }

    fn register(held: Held<f64>) -> Register {
        Register::Floats(held)
    }
}

/// A quantity of the active cores.
#[derive(Debug)]
pub(super) enum Dense<T> {
    /// The same for all.
    Same(T),
    /// One value each.
    Lanes(Vec<T>),
    /// One value each, owned by a `let` or a shared array.
    Held(Arc<Vec<T>>),
    /// One value each, lying in this order in a shared array. Valid until the array is written.
    Words {
        /// Index among the plan's shared arrays.
        array: usize,
        /// Their range in it.
        words: Range<usize>,
    },
}

impl<T: Word> Dense<T> {
    /// Returns one value each, or the value that is the same for all.
    pub(super) fn as_slice<'s>(&'s self, shared: &'s [SharedRows]) -> Operand<'s, T> {
        match self {
            Dense::Same(value) => Err(*value),
            Dense::Lanes(lanes) => Ok(lanes),
            Dense::Held(lanes) => Ok(lanes),
            Dense::Words { array, words } => {
                let held = T::words(shared[*array].data()).expect("checked: read as what it is");
                Ok(&held[words.clone()])
            }
        }
    }

    /// Returns one value each; empty if it is the same for all.
    pub(super) fn lanes<'s>(&'s self, shared: &'s [SharedRows]) -> &'s [T] {
        self.as_slice(shared).unwrap_or(&[])
    }

    /// Returns the same quantity again, without a copy if it is held.
    pub(super) fn shared(&self) -> Dense<T> {
        match self {
            Dense::Same(value) => Dense::Same(*value),
            Dense::Held(lanes) => Dense::Held(Arc::clone(lanes)),
            Dense::Lanes(lanes) => Dense::Lanes(lanes.clone()),
            Dense::Words { array, words } => Dense::Words {
                array: *array,
                words: words.clone(),
            },
        }
    }
}

/// The value of a `let`.
#[derive(Debug)]
pub(super) enum Register {
    Ints(Held<i64>),
    Floats(Held<f64>),
}

/// A quantity with its cores.
#[derive(Debug)]
pub(super) struct Held<T> {
    pub value: Dense<T>,
    pub active: Active,
}

impl<T: Word> Held<T> {
    pub(super) fn new(value: Dense<T>, active: &Active) -> Held<T> {
        let value = match value {
            Dense::Lanes(lanes) => Dense::Held(Arc::new(lanes)),
            value => value,
        };
        Held {
            value,
            active: active.clone(),
        }
    }
}

/// Vectors that are free to be used again.
#[derive(Debug)]
pub(super) struct Spare {
    pub ints: Vec<Vec<i64>>,
    pub floats: Vec<Vec<f64>>,
    pub bools: Vec<Vec<bool>>,
    /// Buffers for conditions of parameters.
    pub compare: Buffers,
}

impl Spare {
    /// Starts without vectors.
    pub(super) fn new(cores: usize) -> Spare {
        Spare {
            ints: Vec::new(),
            floats: Vec::new(),
            bools: Vec::new(),
            compare: Buffers::new(cores),
        }
    }

    /// Takes back a vector.
    pub(super) fn free(&mut self, lanes: Lanes) {
        match lanes {
            Lanes::Ints(lanes) => self.ints.push(lanes),
            Lanes::Floats(lanes) => self.floats.push(lanes),
        }
    }

    /// Returns a vector of arbitrary words.
    pub(super) fn some<T: Word>(&mut self, length: usize) -> Vec<T> {
        let mut lanes = T::pool(self).pop().unwrap_or_default();
        lanes.resize(length, T::default());
        lanes
    }

    /// Takes back held words, if nobody else holds them.
    pub(super) fn drop(&mut self, words: HeldWords) {
        match words {
            HeldWords::Ints(words) => self.release(Dense::Held(words)),
            HeldWords::Floats(words) => self.release(Dense::Held(words)),
        }
    }

    /// Returns an empty vector, with capacity if one is spare.
    pub(super) fn empty<T: Word>(&mut self) -> Vec<T> {
        let mut lanes = T::pool(self).pop().unwrap_or_default();
        lanes.clear();
        lanes
    }

    /// Takes back the vector of a quantity, if it has one of its own.
    pub(super) fn release<T: Word>(&mut self, value: Dense<T>) {
        match value {
            Dense::Same(_) | Dense::Words { .. } => {}
            Dense::Lanes(lanes) => T::pool(self).push(lanes),
            Dense::Held(held) => {
                if let Ok(lanes) = Arc::try_unwrap(held) {
                    T::pool(self).push(lanes);
                }
            }
        }
    }
}
