//! Faults of data files.

use miette::Diagnostic;
use thiserror::Error;

use crate::syntax::ast::WordType;

/// A malformed data file.
#[derive(Debug, Clone, PartialEq, Error, Diagnostic)]
#[error("{file}: {problem}")]
#[diagnostic(code("atgpu::data::malformed"))]
pub struct MalformedData {
    /// The file's name.
    pub file: String,
    /// Its fault.
    pub problem: Problem,
}

/// A fault of a data file, with the figures.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// It does not start as NumPy files do.
    #[error("not a .npy file: it does not begin with the bytes 93 4e 55 4d 50 59")]
    NotNpy,
    /// A version of the format that does not exist.
    #[error("version {0}.{1} of the .npy format is unknown (1.0, 2.0 and 3.0 are)")]
    Version(u8, u8),
    /// It ends inside its header.
    #[error("ends within its header: {needed} bytes promised, {found} there")]
    TruncatedHeader {
        /// Bytes the header should have.
        needed: usize,
        /// Bytes there are.
        found: usize,
    },
    /// The header is no dictionary of the three keys.
    #[error("its header cannot be read at byte {at}: expected {expected}")]
    Header {
        /// Offset within the header.
        at: usize,
        /// The text expected there.
        expected: &'static str,
    },
    /// Words of a type no variable can hold.
    #[error(
        "words of type '{0}'; .npy files of b1, i1 i2 i4 i8, u1 u2 u4 u8, f4 and f8 can be read"
    )]
    WordType(String),
    /// The shape asks for more words than any file holds.
    #[error("its header promises more words than memory has addresses")]
    Size,
    /// Header and content disagree.
    #[error("its header promises {promised} bytes of data, and {found} follow")]
    Length {
        /// Bytes by its shape and type.
        promised: usize,
        /// Bytes in the file.
        found: usize,
    },
    /// An unsigned word too large for an int.
    #[error("word {index} is {value}, more than an int holds (2^63 - 1)")]
    Unsigned {
        /// Its place in the file's order, from 0.
        index: usize,
        /// Its value.
        value: u64,
    },
    /// Rows of different lengths.
    #[error("line {line} has {found} values, and line {first} has {expected}")]
    Ragged {
        /// The row that differs.
        line: u64,
        /// Its values.
        found: usize,
        /// The first row's line.
        first: u64,
        /// The first row's values.
        expected: usize,
    },
    /// A cell that is no word of the wanted type.
    #[error("line {line}, value {column}: `{text}` is no {}", word(*.expected))]
    Cell {
        /// Its line.
        line: u64,
        /// Its place in the row, from 1.
        column: usize,
        /// As written.
        text: String,
        /// The type expected.
        expected: WordType,
    },
    /// A measurement that is no number of the wanted kind.
    #[error("line {line}, value {column}: `{text}` is no {expected}")]
    Measurement {
        /// Its line.
        line: u64,
        /// Its place in the row, from 1.
        column: usize,
        /// As written.
        text: String,
        /// The kind of number expected.
        expected: &'static str,
    },
    /// Kernels that take longer than everything.
    #[error("line {line}: the time of the kernels is longer than the total")]
    KernelBeyondTotal {
        /// Its line.
        line: u64,
    },
    /// Measurements without a time.
    #[error("line {line} names no column of times: `total_ms` or `kernel_ms`")]
    NoTimes {
        /// The header's line.
        line: u64,
    },
    /// Measurements with two columns for one thing.
    #[error("line {line} names two columns for `{name}`")]
    TwoColumns {
        /// The header's line.
        line: u64,
        /// The common content.
        name: String,
    },
    /// Measurements without a varied parameter.
    #[error("line {line} names no parameter, such as `n`")]
    NoParameters {
        /// The header's line.
        line: u64,
    },
    /// Measurements without a row.
    #[error("there is no row of measurements")]
    NoRows,
    /// Text that is no CSV.
    #[error("not readable as CSV: {0}")]
    Csv(String),
    /// Bytes that are no text.
    #[error("not text: byte {0} is not UTF-8")]
    NotText(usize),
}

impl Problem {
    /// Adds the name of the file.
    pub fn within(self, file: &str) -> MalformedData {
        MalformedData {
            file: file.to_owned(),
            problem: self,
        }
    }
}

fn word(word_type: WordType) -> &'static str {
    match word_type {
        WordType::Int => "int",
        WordType::Float => "float",
    }
}
