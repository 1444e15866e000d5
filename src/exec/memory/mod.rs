//! Host and global memory: typed arrays, and the words of them that were ever written.

mod admitted;
pub(crate) mod blocks;
pub(crate) mod global;
pub(crate) mod shared;
pub(crate) mod words;
pub(crate) mod written;

use std::sync::Arc;

use num_traits::ToPrimitive;

use crate::exec::error::Error;
use crate::exec::memory::written::Written;
use crate::exec::{Array, Data};
use crate::meaning::fault::{self, Fault, OutOfBounds, Place};
use crate::meaning::value::Value;
use crate::number::{BigInt, legible};
use crate::program::{Program, Scope, VarId};
use crate::syntax::ast::WordType;
use crate::text::Span;

pub(super) use admitted::Admitted;

/// The array of one variable.
#[derive(Debug)]
pub(super) struct Store {
    /// Extents; none for a scalar.
    pub shape: Vec<usize>,
    word_type: WordType,
    held: Held,
    /// Memory of the right size from former words, to be used again.
    spare: Option<Data>,
    /// The words that were ever written.
    pub written: Written,
}

/// The owner of an array's words.
#[derive(Debug)]
enum Held {
    /// This variable alone.
    Own(Data),
    /// Others as well; the words are copied before one is written.
    Shared(Arc<Array>),
}

impl Store {
    /// Creates an array of words never written. The caller made sure that it fits memory.
    pub(super) fn new(shape: Vec<usize>, word_type: WordType) -> Store {
        let words = shape.iter().product();
        Store {
            shape,
            word_type,
            held: Held::Own(zeros(word_type, words)),
            spare: None,
            written: Written::none(words),
        }
    }

    /// Number of words.
    pub(super) fn len(&self) -> usize {
        self.written.words()
    }

    /// Returns the words, row-major; words never written are arbitrary.
    #[inline]
    pub(super) fn data(&self) -> &Data {
        match &self.held {
            Held::Own(data) => data,
            Held::Shared(array) => &array.data,
        }
    }

    /// Returns the words for writing; copies them first if others hold them too.
    #[inline]
    pub(super) fn data_mut(&mut self) -> &mut Data {
        self.parts_mut().0
    }

    /// Returns the words for writing, and the record of written ones.
    #[inline]
    pub(super) fn parts_mut(&mut self) -> (&mut Data, &mut Written) {
        if let Held::Shared(array) = &mut self.held {
            let array = std::mem::replace(
                array,
                Arc::new(Array {
                    shape: Vec::new(),
                    data: Data::Int(Vec::new()),
                }),
            );
            // If nothing was written, only the size of the shared memory matters, so there is no
            // need to
            // copy its words. Spare memory of the right size saves an allocation.
            self.held = Held::Own(match Arc::try_unwrap(array) {
                Ok(array) => array.data,
                Err(array) => {
                    let spare = self.spare.take();
                    let is_new = self.written.left() == self.written.words();
                    match (spare, &array.data) {
                        (Some(spare), _) if is_new => spare,
                        (None, _) if is_new => zeros(self.word_type, self.written.words()),
                        (Some(Data::Int(mut words)), Data::Int(held)) => {
                            words.copy_from_slice(held);
                            Data::Int(words)
                        }
                        (Some(Data::Float(mut words)), Data::Float(held)) => {
                            words.copy_from_slice(held);
                            Data::Float(words)
                        }
                        (_, held) => held.clone(),
                    }
                }
            });
        }
        match &mut self.held {
            Held::Own(data) => (data, &mut self.written),
            Held::Shared(_) => unreachable!("made its own"),
        }
    }

    /// Forgets that anything was written.
    pub(super) fn forget(&mut self) {
        self.written.clear();
    }

    /// Forgets that anything was written, and gives up memory that others hold too.
    pub(super) fn let_go(&mut self) {
        self.forget();
        if matches!(self.held, Held::Shared(_)) {
            self.held = Held::Own(zeros(self.word_type, self.len()));
        }
    }

    /// Shares the array with others. Words never written become 0.
    pub(super) fn share(&mut self) -> Arc<Array> {
        if self.written.left() == self.len() && self.len() > 0 {
            return Arc::new(Array {
                shape: self.shape.clone(),
                data: zeros(self.word_type, self.len()),
            });
        }
        if self.written.left() > 0 {
            let (data, written) = self.parts_mut();
            match data {
                Data::Int(words) => erase(words, written),
                Data::Float(words) => erase(words, written),
            }
        }
        match &mut self.held {
            Held::Shared(array) => Arc::clone(array),
            Held::Own(data) => {
                let array = Arc::new(Array {
                    shape: self.shape.clone(),
                    data: std::mem::replace(data, Data::Int(Vec::new())),
                });
                self.held = Held::Shared(Arc::clone(&array));
                array
            }
        }
    }

    /// Takes an array of its own shape and type as its words, all of them written.
    pub(super) fn hold(&mut self, array: Arc<Array>) {
        debug_assert_eq!(array.shape, self.shape);
        match std::mem::replace(&mut self.held, Held::Shared(array)) {
            Held::Own(data) => self.spare = Some(data),
            Held::Shared(array) => {
                if let Ok(array) = Arc::try_unwrap(array) {
                    self.spare = Some(array.data);
                }
            }
        }
        self.written.fill();
    }

    /// Returns true if a copy of the other array can be the same memory.
    pub(super) fn may_hold(&self, other: &Store) -> bool {
        self.shape == other.shape && self.word_type == other.word_type
    }

    /// Returns the word at an offset.
    pub(super) fn get(&self, offset: usize) -> Value {
        match self.data() {
            Data::Int(words) => Value::Whole(words[offset]),
            Data::Float(words) => Value::Float(words[offset]),
        }
    }

    /// Writes a word of the array's own type.
    pub(super) fn set(&mut self, offset: usize, value: &Value) {
        match (self.data_mut(), value) {
            (Data::Int(words), Value::Whole(whole)) => words[offset] = *whole,
            (Data::Float(words), value) => words[offset] = value.to_float(),
            (Data::Int(_), Value::Exact(_) | Value::Float(_)) => {
                unreachable!("converted before it is written")
            }
        }
        self.written.mark(offset, 1);
    }

    /// Copies a stretch of words from another array, ints becoming floats where needed.
    pub(super) fn copy(&mut self, offset: usize, from: &Store, source: usize, words: usize) {
        let (to, taken) = (offset..offset + words, source..source + words);
        match (self.data_mut(), from.data()) {
            (Data::Int(to_words), Data::Int(from)) => {
                to_words[to].copy_from_slice(&from[taken]);
            }
            (Data::Float(to_words), Data::Float(from)) => {
                to_words[to].copy_from_slice(&from[taken]);
            }
            (Data::Float(to_words), Data::Int(from)) => convert(&mut to_words[to], &from[taken]),
            (Data::Int(_), Data::Float(_)) => unreachable!("checked: floats do not become ints"),
        }
        self.written.mark(offset, words);
    }
}

fn zeros(word_type: WordType, words: usize) -> Data {
    match word_type {
        WordType::Int => Data::Int(vec![0; words]),
        WordType::Float => Data::Float(vec![0.0; words]),
    }
}

fn erase<T: Default>(words: &mut [T], written: &Written) {
    for (at, word) in words.iter_mut().enumerate() {
        if !written.get(at) {
            *word = T::default();
        }
    }
}

fn convert(to: &mut [f64], from: &[i64]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from as f64;
    }
}

/// Returns the words between neighbours in each dimension, row-major: [12, 4, 1] for [2, 3, 4].
pub(super) fn strides(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1usize; shape.len()];
    for dimension in (1..shape.len()).rev() {
        strides[dimension - 1] = strides[dimension].saturating_mul(shape[dimension]);
    }
    strides
}

/// Names a word for messages, as `a[3, 4]`.
pub(super) fn word_name(program: &Program, variable: VarId, shape: &[usize], at: usize) -> String {
    fault::word_name(&program.variable(variable).name, shape, at as u64)
}

/// Describes an index outside its extent.
pub(super) fn out_of_bounds(
    program: &Program,
    variable: VarId,
    shape: &[usize],
    (dimension, index): (usize, &BigInt),
    place: Place,
    span: Span,
) -> Box<Error> {
    let declared = program.variable(variable);
    let fact = OutOfBounds {
        variable: declared.name.clone(),
        dimension,
        dimensions: shape.len(),
        index: legible(index),
        extent: shape[dimension].into(),
    };
    let declaration = declared.span;
    Error::of(match declared.scope {
        Scope::Host => Fault::BoundsHost {
            fact,
            place,
            span,
            declaration,
        },
        Scope::Global if place.mp.is_empty() => Fault::BoundsTransfer {
            fact,
            place,
            span,
            declaration,
        },
        Scope::Global => Fault::BoundsGlobal {
            fact,
            place,
            span,
            declaration,
        },
        Scope::Shared => Fault::BoundsShared {
            fact,
            place,
            span,
            declaration,
        },
    })
}

/// Returns the index as a machine number, if it lies in 0 … extent − 1.
pub(super) fn within(index: &BigInt, extent: usize) -> Option<usize> {
    index.to_usize().filter(|&index| index < extent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_row_major() {
        assert_eq!(strides(&[2, 3, 4]), [12, 4, 1]);
        assert_eq!(strides(&[]), [0usize; 0]);
        let mut store = Store::new(vec![2, 3], WordType::Int);
        store.set(4, &Value::Whole(7));
        assert_eq!(store.written.first_unwritten(4, 1), None);
        assert_eq!(store.written.first_unwritten(4, 2), Some(5));
        assert_eq!(store.written.left(), 5);
    }

    #[test]
    fn shared_words_are_copied_before_one_is_written() {
        let mut one = Store::new(vec![2], WordType::Int);
        let mut other = Store::new(vec![2], WordType::Int);
        one.set(0, &Value::Whole(3));
        one.set(1, &Value::Whole(4));
        other.hold(one.share());
        other.set(0, &Value::Whole(5));
        assert_eq!(one.data(), &Data::Int(vec![3, 4]));
        assert_eq!(other.data(), &Data::Int(vec![5, 4]));
        other.forget();
        assert_eq!(other.share().data, Data::Int(vec![0, 0]));
    }
}
