//! Arrays of data as they come in and go out: shapes, words, and their file formats.
//!
//! Takes bytes and text, gives arrays, and the other way round; no file is opened here. Data are
//! checked against declarations where programs run.

pub mod csv;
pub(crate) mod error;
pub mod npy;

use crate::syntax::ast::WordType;

pub use error::{MalformedData, Problem};

/// The words of an array, in row-major order.
#[derive(Debug, Clone, PartialEq)]
pub enum Data {
    /// 64-bit signed words.
    Int(Vec<i64>),
    /// IEEE doubles.
    Float(Vec<f64>),
}

/// An array of data.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    /// Extents, outermost first; none for a scalar. Their product is the number of words.
    pub shape: Vec<usize>,
    /// The words.
    pub data: Data,
}

impl Data {
    /// Number of words.
    pub fn len(&self) -> usize {
        match self {
            Data::Int(words) => words.len(),
            Data::Float(words) => words.len(),
        }
    }

    /// Returns true if there are no words.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The type of the words.
    pub fn word_type(&self) -> WordType {
        match self {
            Data::Int(_) => WordType::Int,
            Data::Float(_) => WordType::Float,
        }
    }
}
