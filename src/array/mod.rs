//! Arrays of data as they come in and go out: shapes, words, and the file forms that hold them.
//!
//! Bytes and text in, arrays out (and back); no file is opened here. What a variable's
//! declaration asks of its data is checked where programs run.

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
    ///
    /// ```
    /// use atgpu::array::Data;
    ///
    /// assert_eq!(Data::Float(vec![0.5, 1.5]).len(), 2);
    /// ```
    pub fn len(&self) -> usize {
        match self {
            Data::Int(words) => words.len(),
            Data::Float(words) => words.len(),
        }
    }

    /// Whether there is no word.
    ///
    /// ```
    /// use atgpu::array::Data;
    ///
    /// assert!(Data::Int(Vec::new()).is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The type of the words.
    ///
    /// ```
    /// use atgpu::{array::Data, program::WordType};
    ///
    /// assert_eq!(Data::Float(vec![0.5]).word_type(), WordType::Float);
    /// ```
    pub fn word_type(&self) -> WordType {
        match self {
            Data::Int(_) => WordType::Int,
            Data::Float(_) => WordType::Float,
        }
    }
}
