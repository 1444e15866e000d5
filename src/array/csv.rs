//! Arrays as comma-separated values: a row of the file is a row of the matrix.
//!
//! A first line of names is a header and is skipped. The words of a vector may stand in one row or
//! one
//! to a line.

use csv::{Reader, ReaderBuilder, StringRecord, Trim};

use crate::array::error::Problem;
use crate::array::{Array, Data};
use crate::syntax::ast::WordType;

/// Reads an array as [`read`] does, from bytes.
///
/// ```
/// use atgpu::{array::csv, program::WordType};
///
/// assert_eq!(csv::read_bytes(b"1,2\n3,4\n", WordType::Int).expect("a matrix").shape, [2, 2]);
/// let problem = csv::read_bytes(b"1,\xff\n", WordType::Int).expect_err("no text");
/// assert_eq!(problem.to_string(), "not text: byte 2 is not UTF-8");
/// ```
///
/// # Errors
/// Those of [`read`], and bytes that are not UTF-8.
pub fn read_bytes(bytes: &[u8], word_type: WordType) -> Result<Array, Problem> {
    let text = std::str::from_utf8(bytes);
    let text = text.map_err(|error| Problem::NotText(error.valid_up_to()))?;
    read(text, word_type)
}

/// Reads the words of a variable of the given type. The shape is rows × values; it is flat if there
/// is only one row or one column, or nothing.
///
/// ```
/// use atgpu::array::{Data, csv};
/// use atgpu::program::WordType;
///
/// let array = csv::read("1,2,3\n4,5,6\n", WordType::Int).expect("a matrix");
/// assert_eq!(array.shape, [2, 3]);
/// assert_eq!(array.data, Data::Int(vec![1, 2, 3, 4, 5, 6]));
/// ```
///
/// # Errors
/// Rows of different lengths, and cells that are no word of the type, with their line.
pub fn read(text: &str, word_type: WordType) -> Result<Array, Problem> {
    let (text, mut reader) = reader(text);
    let mut data = match word_type {
        WordType::Int => Data::Int(Vec::new()),
        WordType::Float => Data::Float(Vec::new()),
    };
    let mut rows = 0_usize;
    // Offset and length of the first row of data, with which all others are compared.
    let mut first: Option<(u64, usize)> = None;
    for (number, record) in reader.records().enumerate() {
        let record = record.map_err(|error| Problem::Csv(error.to_string()))?;
        if number == 0 && is_header(&record) {
            continue;
        }
        let offset = record.position().map_or(0, |position| position.byte());
        let (first_offset, expected) = *first.get_or_insert((offset, record.len()));
        if record.len() != expected {
            return Err(Problem::Ragged {
                line: line_of(text, offset),
                found: record.len(),
                first: line_of(text, first_offset),
                expected,
            });
        }
        for (column, cell) in record.iter().enumerate() {
            let fits = match &mut data {
                Data::Int(words) => cell.parse().map(|word| words.push(word)).is_ok(),
                Data::Float(words) => cell.parse().map(|word| words.push(word)).is_ok(),
            };
            if !fits {
                return Err(Problem::Cell {
                    line: line_of(text, offset),
                    column: column + 1,
                    text: cell.to_owned(),
                    expected: word_type,
                });
            }
        }
        rows += 1;
    }
    let columns = first.map_or(0, |(_, columns)| columns);
    let shape = match (rows, columns) {
        (0 | 1, _) | (_, 0 | 1) => vec![rows * columns],
        (rows, columns) => vec![rows, columns],
    };
    Ok(Array { shape, data })
}

/// Returns the first line if it is a header, as [`read`] skips it: names, none beginning with a
/// digit.
///
/// ```
/// use atgpu::array::csv;
///
/// assert_eq!(csv::header("word, weight\n1, 2\n").as_deref(), Some("word,weight"));
/// assert_eq!(csv::header("1, 2\n"), None);
/// ```
pub fn header(text: &str) -> Option<String> {
    let first = reader(text).1.records().next()?.ok()?;
    is_header(&first).then(|| first.iter().collect::<Vec<_>>().join(","))
}

/// Returns true if every cell is a name. Names have letters; digits alone (`1_000`, `1;2`) are
/// meant as
/// words, and so is `0x10`.
fn is_header(first: &StringRecord) -> bool {
    let is_name = |cell: &str| {
        let starts_as_number = cell.starts_with(|first: char| first.is_numeric());
        let has_number = cell.chars().any(char::is_numeric);
        let has_letter = cell.chars().any(char::is_alphabetic);
        cell.parse::<f64>().is_err() && !starts_as_number && (has_letter || !has_number)
    };
    first.iter().all(is_name)
}

/// Returns the text without a byte order mark, and its records.
fn reader(text: &str) -> (&str, Reader<&[u8]>) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(Trim::All)
        .from_reader(text.as_bytes());
    (text, reader)
}

/// Returns the line (from 1) of the record that begins at or behind an offset. Blank lines in
/// between
/// belong to no record.
fn line_of(text: &str, offset: u64) -> u64 {
    let start = usize::try_from(offset).unwrap_or(text.len());
    let rest = text.get(start..).unwrap_or("");
    let blank = rest.len() - rest.trim_start_matches(['\r', '\n']).len();
    let before = text.get(..start + blank).unwrap_or(text);
    before.matches('\n').count() as u64 + 1
}

/// Writes an array: a matrix row by row, a vector one word to a line. With more dimensions, the
/// last
/// one makes the rows. Floats are written so that reading gives the same bits (but for the payload
/// of a NaN).
///
/// ```
/// use atgpu::array::{Array, Data, csv};
///
/// let array = Array { shape: vec![2, 2], data: Data::Int(vec![1, 2, 3, 4]) };
/// assert_eq!(csv::write(&array), "1,2\n3,4\n");
/// ```
pub fn write(array: &Array) -> String {
    let columns = match array.shape.as_slice() {
        [] | [_] => 1,
        [.., columns] => *columns,
    };
    let cells: Vec<String> = match &array.data {
        Data::Int(words) => words.iter().map(i64::to_string).collect(),
        Data::Float(words) => words.iter().map(|word| format!("{word:?}")).collect(),
    };
    let mut out = String::new();
    for row in cells.chunks(columns.max(1)) {
        out.push_str(&row.join(","));
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ints(text: &str) -> Result<Array, Problem> {
        read(text, WordType::Int)
    }

    #[test]
    fn reads_rows_with_and_without_header() {
        let expected = Array {
            shape: vec![2, 2],
            data: Data::Int(vec![1, -2, 3, 4]),
        };
        for text in [
            "1,-2\n3,4\n",
            "x,y\n1, -2\r\n3,4",
            "\u{feff}1,-2\n\n3,4\n",
            "\"1\",-2\n3,+4\n",
        ] {
            assert_eq!(ints(text).as_ref(), Ok(&expected), "{text:?}");
        }
        for (text, words) in [("", 0), ("x\n", 0), ("7", 1), ("1\n2\n", 2), ("1,2,3", 3)] {
            assert_eq!(
                ints(text).map(|array| array.shape),
                Ok(vec![words]),
                "{text:?}"
            );
        }
    }

    #[test]
    fn faults_have_line_and_figure() {
        assert_eq!(
            ints("a,b\n1,2\n\n3\n"),
            Err(Problem::Ragged {
                line: 4,
                found: 1,
                first: 2,
                expected: 2
            })
        );
        for (text, line, column) in [
            ("1,2\n3,x\n", 2, 2),
            ("1.5\n", 1, 1),
            ("9223372036854775808\n", 1, 1),
            ("1\n2,\n", 2, 2),
            ("a,1\n", 1, 1),
        ] {
            let fault = ints(text).expect_err(text);
            let there = matches!(
                &fault,
                Problem::Cell { line: l, column: c, .. } if (*l, *c) == (line, column)
            );
            let ragged = matches!(&fault, Problem::Ragged { line: l, .. } if *l == line);
            assert!(there || ragged, "{text:?}: {fault}");
        }
    }

    #[test]
    fn floats_come_back_bit_by_bit() {
        let array = Array {
            shape: vec![6],
            data: Data::Float(vec![
                0.1,
                -0.0,
                1e300,
                f64::INFINITY,
                f64::MIN_POSITIVE,
                5.0,
            ]),
        };
        let text = write(&array);
        let back = read(&text, WordType::Float).expect(&text);
        assert_eq!(back.data, array.data);
        assert!(text.contains("-0.0\n"));
        let nan = read("NaN\nnan\n", WordType::Float).expect("numbers");
        assert!(matches!(nan.data, Data::Float(words) if words.iter().all(|word| word.is_nan())));
    }

    #[test]
    fn writes_by_rows() {
        let array = |shape: &[usize]| Array {
            shape: shape.to_vec(),
            data: Data::Int((0..shape.iter().product::<usize>() as i64).collect()),
        };
        assert_eq!(write(&array(&[])), "0\n");
        assert_eq!(write(&array(&[2])), "0\n1\n");
        assert_eq!(write(&array(&[2, 2])), "0,1\n2,3\n");
        assert_eq!(write(&array(&[1, 2, 2])), "0,1\n2,3\n");
        assert_eq!(write(&array(&[0])), "");
        assert_eq!(write(&array(&[2, 0])), "");
    }
}
