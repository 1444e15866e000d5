//! Host and global memory: typed arrays, and which of their words were ever written.

use crate::check::program::{Program, Scope, VarId};
use crate::exec::error::{Error, OutOfBounds, Place};
use crate::exec::value::Value;
use crate::exec::{Array, Data, FinalArray};
use crate::number::{BigInt, Rational};
use crate::syntax::ast::WordType;
use crate::text::Span;

/// The values a declaration's `in lo..hi` admits.
#[derive(Debug, Clone)]
pub(super) struct Admitted {
    /// The bounds as the program's values, for messages.
    pub low: Value,
    /// The last value admitted.
    pub high: Value,
    /// The ints between them, inclusive.
    pub ints: (i64, i64),
    /// The floats between them, inclusive.
    pub floats: (f64, f64),
}

impl Admitted {
    /// The range between two evaluated bounds.
    pub fn new(low: Value, high: Value) -> Admitted {
        let floats = (low.to_float(), high.to_float());
        let ints = (int_bound(&low, true), int_bound(&high, false));
        // A bound beyond every word leaves nothing on that side.
        let ints = match ints {
            (Some(low), Some(high)) => (low, high),
            (None, _) | (_, None) => (1, 0),
        };
        Admitted {
            low,
            high,
            ints,
            floats,
        }
    }

    /// Whether an int is admitted.
    pub fn admits_int(&self, value: i64) -> bool {
        self.ints.0 <= value && value <= self.ints.1
    }

    /// Whether a float is admitted; NaN never is.
    pub fn admits_float(&self, value: f64) -> bool {
        self.floats.0 <= value && value <= self.floats.1
    }

    /// Whether a value is admitted.
    pub fn admits(&self, value: &Value) -> bool {
        match value {
            Value::Whole(whole) => self.admits_int(*whole),
            Value::Float(float) => self.admits_float(*float),
            Value::Exact(_) | Value::Truth(_) => unreachable!("a word is an int or a float"),
        }
    }
}

/// The first (or last) int on the right side of a bound; `None` when there is none.
fn int_bound(bound: &Value, is_low: bool) -> Option<i64> {
    let exact = match bound {
        Value::Float(float) if float.is_infinite() => {
            let open = (*float < 0.0) == is_low;
            return open.then_some(if is_low { i64::MIN } else { i64::MAX });
        }
        Value::Float(float) => Rational::from_f64(*float)?.into(),
        Value::Whole(whole) => return Some(*whole),
        Value::Exact(real) => real.clone(),
        Value::Truth(_) => return None,
    };
    let whole = if is_low { exact.ceil() } else { exact.floor() };
    let (least, most) = (BigInt::from(i64::MIN), BigInt::from(i64::MAX));
    let clamped = match is_low {
        true if whole > most => return None,
        false if whole < least => return None,
        true => whole.max(least),
        false => whole.min(most),
    };
    i64::try_from(clamped).ok()
}

/// One host or global variable.
#[derive(Debug, Clone)]
pub(super) struct Store {
    /// Extents; none for a scalar.
    pub shape: Vec<usize>,
    word_type: WordType,
    /// The words, row-major.
    pub data: Data,
    /// Which of them were ever written.
    pub written: Vec<bool>,
    /// How many were not.
    pub unwritten: usize,
}

impl Store {
    /// An array of words never written. The caller made sure that it fits memory.
    pub fn new(shape: Vec<usize>, word_type: WordType) -> Store {
        let words = shape.iter().product();
        Store {
            shape,
            word_type,
            data: match word_type {
                WordType::Int => Data::Int(vec![0; words]),
                WordType::Float => Data::Float(vec![0.0; words]),
            },
            written: vec![false; words],
            unwritten: words,
        }
    }

    /// Number of words.
    pub fn len(&self) -> usize {
        self.written.len()
    }

    /// Forgets that anything was written; makes new memory where the old was handed out.
    pub fn forget(&mut self) {
        let words = self.shape.iter().product();
        if self.written.len() < words {
            *self = Store::new(std::mem::take(&mut self.shape), self.word_type);
        } else if self.unwritten < words {
            self.written.fill(false);
            self.unwritten = words;
        }
    }

    /// Replaces all words.
    pub fn fill_from(&mut self, data: &Data) {
        match (&mut self.data, data) {
            (Data::Int(to), Data::Int(from)) => to.copy_from_slice(from),
            (Data::Float(to), Data::Float(from)) => to.copy_from_slice(from),
            (Data::Float(to), Data::Int(from)) => convert(to, from),
            (Data::Int(_), Data::Float(_)) => unreachable!("checked: floats do not become ints"),
        }
        self.written.fill(true);
        self.unwritten = 0;
    }

    /// The word at an offset.
    pub fn get(&self, offset: usize) -> Value {
        match &self.data {
            Data::Int(words) => Value::Whole(words[offset]),
            Data::Float(words) => Value::Float(words[offset]),
        }
    }

    /// Writes a word of the array's own type.
    pub fn set(&mut self, offset: usize, value: &Value) {
        match (&mut self.data, value) {
            (Data::Int(words), Value::Whole(whole)) => words[offset] = *whole,
            (Data::Float(words), value) => words[offset] = value.to_float(),
            (Data::Int(_), Value::Exact(_) | Value::Float(_) | Value::Truth(_)) => {
                unreachable!("converted before it is written")
            }
        }
        self.mark(offset, 1);
    }

    /// Notes that words were written.
    pub fn mark(&mut self, offset: usize, words: usize) {
        if self.unwritten == 0 {
            return;
        }
        for written in &mut self.written[offset..offset + words] {
            self.unwritten -= usize::from(!*written);
            *written = true;
        }
    }

    /// The first word of a stretch that was never written.
    pub fn first_unwritten(&self, offset: usize, words: usize) -> Option<usize> {
        if self.unwritten == 0 {
            return None;
        }
        let stretch = &self.written[offset..offset + words];
        Some(offset + stretch.iter().position(|written| !written)?)
    }

    /// Copies a stretch of words from another array, ints becoming floats where needed.
    pub fn copy(&mut self, offset: usize, from: &Store, source: usize, words: usize) {
        let (to, taken) = (offset..offset + words, source..source + words);
        match (&mut self.data, &from.data) {
            (Data::Int(to_words), Data::Int(from)) => {
                to_words[to].copy_from_slice(&from[taken]);
            }
            (Data::Float(to_words), Data::Float(from)) => {
                to_words[to].copy_from_slice(&from[taken]);
            }
            (Data::Float(to_words), Data::Int(from)) => convert(&mut to_words[to], &from[taken]),
            (Data::Int(_), Data::Float(_)) => unreachable!("checked: floats do not become ints"),
        }
        self.mark(offset, words);
    }

    /// Moves the words out; those never written become 0.
    pub fn hand_out(&mut self) -> FinalArray {
        let mut data = std::mem::replace(&mut self.data, Data::Int(Vec::new()));
        let written = std::mem::take(&mut self.written);
        if self.unwritten > 0 {
            match &mut data {
                Data::Int(words) => erase(words, &written),
                Data::Float(words) => erase(words, &written),
            }
        }
        FinalArray {
            array: Array {
                shape: self.shape.clone(),
                data,
            },
            written,
        }
    }

    /// Takes memory back that was handed out; what it holds is forgotten.
    pub fn take_back(&mut self, array: FinalArray) {
        self.data = array.array.data;
        self.written = array.written;
        self.unwritten = 0;
    }
}

fn erase<T: Default>(words: &mut [T], written: &[bool]) {
    for (word, written) in words.iter_mut().zip(written) {
        if !written {
            *word = T::default();
        }
    }
}

fn convert(to: &mut [f64], from: &[i64]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from as f64;
    }
}

/// Words between two neighbours of each dimension, row-major.
pub(super) fn strides(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1usize; shape.len()];
    for dimension in (1..shape.len()).rev() {
        strides[dimension - 1] = strides[dimension].saturating_mul(shape[dimension]);
    }
    strides
}

/// `a[3, 4]`, for messages.
pub(super) fn word_name(program: &Program, variable: VarId, shape: &[usize], at: usize) -> String {
    let name = &program.variable(variable).name;
    if shape.is_empty() {
        return name.clone();
    }
    let indices: Vec<String> = strides(shape)
        .iter()
        .zip(shape)
        .map(|(stride, extent)| (at / stride % extent).to_string())
        .collect();
    format!("{name}[{}]", indices.join(", "))
}

/// The error of an index outside its extent.
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
        index: index.to_string(),
        extent: shape[dimension],
    };
    let declaration = declared.span;
    Box::new(match declared.scope {
        Scope::Host => Error::BoundsHost {
            fact,
            place,
            span,
            declaration,
        },
        Scope::Global => Error::BoundsGlobal {
            fact,
            place,
            span,
            declaration,
        },
        Scope::Shared => Error::BoundsShared {
            fact,
            place,
            span,
            declaration,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_ints_round_inwards() {
        let range = Admitted::new(Value::Float(-0.5), Value::Float(2.5));
        assert_eq!(range.ints, (0, 2));
        let range = Admitted::new(Value::Float(f64::NEG_INFINITY), Value::Whole(3));
        assert_eq!(range.ints, (i64::MIN, 3));
        let range = Admitted::new(Value::Float(1e30), Value::Float(1e31));
        assert!(!range.admits_int(0) && !range.admits_int(i64::MAX));
        assert!(!range.admits_float(f64::NAN));
    }

    #[test]
    fn words_are_row_major() {
        assert_eq!(strides(&[2, 3, 4]), [12, 4, 1]);
        assert_eq!(strides(&[]), [0usize; 0]);
        let mut store = Store::new(vec![2, 3], WordType::Int);
        store.set(4, &Value::Whole(7));
        assert_eq!(store.first_unwritten(4, 1), None);
        assert_eq!(store.first_unwritten(4, 2), Some(5));
        assert_eq!(store.unwritten, 5);
    }
}
