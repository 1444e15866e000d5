//! `--input` and `--output`: sources and targets of data.

use atgpu::array::{Array, csv, npy};
use atgpu::count::parse_number;
use atgpu::diag::{Code, Diagnostic, Severity};
use atgpu::exec::Input;
use atgpu::syntax::ast::WordType;

use crate::cli::error::UsageError;
use crate::cli::files;

/// Bytes of a data file that are read whatever its sizes ask for, so that a file of a wrong shape is told by its shape.
const LEAST_BYTES: u64 = 64 << 20;

/// The bytes of a word in a data file, at most. The digits of a float take up to 25, and somebody may write more.
const BYTES_OF_A_WORD: u64 = 64;

/// The bytes that data of a shape have at most.
fn asked(shape: &[usize]) -> u64 {
    let words = shape
        .iter()
        .try_fold(1_u64, |words, &extent| words.checked_mul(extent as u64));
    let bytes = words.and_then(|words| words.checked_mul(BYTES_OF_A_WORD));
    bytes.unwrap_or(u64::MAX).saturating_add(LEAST_BYTES)
}

/// The form of a data file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Npy,
    Csv,
}

impl Form {
    fn of(path: &str) -> Option<Form> {
        let (_, extension) = path.rsplit_once('.')?;
        match extension.to_ascii_lowercase().as_str() {
            "npy" => Some(Form::Npy),
            "csv" => Some(Form::Csv),
            _ => None,
        }
    }
}

/// Splits `--input NAME=SOURCE`.
pub fn input_assignment(given: &str) -> Result<(&str, &str), Diagnostic> {
    assignment("--input", given, "A=data.npy")
}

/// Reads the data of one input. Files are read as words of the variable's type. `shape` is its declared
/// shape, so that a CSV can hold more than two dimensions. Remarks go to `notes`.
pub fn read(
    name: &str,
    source: &str,
    word_type: WordType,
    shape: &[usize],
    notes: &mut Vec<Diagnostic>,
) -> Result<Input, Diagnostic> {
    if let Some(input) = Input::named(source) {
        return Ok(input);
    }
    Ok(match (Form::of(source), parse_number(source)) {
        // A known extension makes it a file, so `1.npy` is a file and `0.5` a number.
        (Some(Form::Npy), _) => Input::Given(read_npy(source, Some(shape))?),
        (Some(Form::Csv), _) => Input::Given(read_csv(source, word_type, Some(shape), notes)?),
        (None, Ok(number)) => Input::Fill(number),
        (None, Err(_)) => {
            return Err(Diagnostic::of(&UsageError::Source {
                name: name.to_owned(),
                given: source.to_owned(),
            }));
        }
    })
}

/// The shape of the data in a file; `None` if the source is no file.
pub fn shape(source: &str, word_type: WordType) -> Result<Option<Vec<usize>>, Diagnostic> {
    let array = match Form::of(source) {
        Some(Form::Npy) => read_npy(source, None)?,
        Some(Form::Csv) => read_csv(source, word_type, None, &mut Vec::new())?,
        None => return Ok(None),
    };
    Ok(Some(array.shape))
}

fn read_npy(path: &str, shape: Option<&[usize]>) -> Result<Array, Diagnostic> {
    let bytes = files::read_data(path, shape.map(asked))?;
    npy::read(&bytes).map_err(|problem| Diagnostic::of(&problem.within(path)))
}

fn read_csv(
    path: &str,
    word_type: WordType,
    shape: Option<&[usize]>,
    notes: &mut Vec<Diagnostic>,
) -> Result<Array, Diagnostic> {
    let bytes = files::read_data(path, shape.map(asked))?;
    let shape = shape.unwrap_or_default();
    notes.extend(header_note(path, &bytes));
    let mut array = csv::read_bytes(&bytes, word_type)
        .map_err(|problem| Diagnostic::of(&problem.within(path)))?;
    // A CSV has at most two dimensions, so its rows are rows of the last dimension.
    let words = shape
        .iter()
        .try_fold(1_usize, |words, extent| words.checked_mul(*extent));
    let is_folded = shape.len() > 2 && array.shape.last() == shape.last();
    if is_folded && Some(array.data.len()) == words {
        array.shape = shape.to_vec();
    }
    Ok(array)
}

/// A note about a skipped first line: it may be data with a slip.
fn header_note(path: &str, bytes: &[u8]) -> Option<Diagnostic> {
    let header = csv::header(std::str::from_utf8(bytes).ok()?)?;
    let message = format!("{path}: line 1, `{header}`, holds no number and is taken for a header");
    let note = Diagnostic::new(Code::find("data::malformed")?, message);
    Some(note.with_severity(Severity::Note))
}

/// The target of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// The variable.
    pub name: String,
    sink: Sink,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Sink {
    StandardOutput,
    Npy(String),
    Csv(String),
}

impl Output {
    /// Parses `--output NAME=FILE`.
    pub fn parse(given: &str) -> Result<Output, Diagnostic> {
        let (name, file) = assignment("--output", given, "C=result.npy")?;
        let sink = match (file, Form::of(file)) {
            ("-", _) => Sink::StandardOutput,
            (_, Some(Form::Npy)) => Sink::Npy(file.to_owned()),
            (_, Some(Form::Csv)) => Sink::Csv(file.to_owned()),
            (_, None) => {
                return Err(Diagnostic::of(&UsageError::Sink {
                    name: name.to_owned(),
                    given: file.to_owned(),
                }));
            }
        };
        Ok(Output {
            name: name.to_owned(),
            sink,
        })
    }

    /// Its file; `None` for standard output.
    pub fn file(&self) -> Option<&str> {
        match &self.sink {
            Sink::StandardOutput => None,
            Sink::Npy(path) | Sink::Csv(path) => Some(path),
        }
    }

    /// Returns true if it goes to standard output.
    pub fn is_standard_output(&self) -> bool {
        self.sink == Sink::StandardOutput
    }

    /// Writes a file. For standard output, returns the text instead.
    pub fn write(&self, array: &Array) -> Result<Option<String>, Diagnostic> {
        match &self.sink {
            Sink::StandardOutput => Ok(Some(csv::write(array))),
            Sink::Npy(path) => files::write_result(path, &npy::write(array)).map(|()| None),
            Sink::Csv(path) => {
                files::write_result(path, csv::write(array).as_bytes()).map(|()| None)
            }
        }
    }
}

fn assignment<'a>(
    option: &'static str,
    given: &'a str,
    example: &'static str,
) -> Result<(&'a str, &'a str), Diagnostic> {
    match given.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.is_empty() => {
            Ok((name.trim(), value))
        }
        _ => Err(Diagnostic::of(&UsageError::Assignment {
            option,
            given: given.to_owned(),
            example,
        })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Result<Input, Diagnostic> {
        read("A", text, WordType::Int, &[2], &mut Vec::new())
    }

    #[test]
    fn sources_are_told_apart_by_their_words() {
        assert_eq!(source("iota"), Ok(Input::Iota));
        assert_eq!(source("rising"), Ok(Input::Rising));
        assert_eq!(source("7"), Ok(Input::Fill(7.into())));
        assert_eq!(source("2^10"), Ok(Input::Fill(1024.into())));
        assert!(source("-0.5").is_ok());
        let code = |text| source(text).expect_err(text).code.short_name();
        assert_eq!(code("iotas"), "usage::value");
        assert_eq!(code("data.txt"), "usage::value");
        assert_eq!(code("none.npy"), "file::unreadable");
        assert_eq!(code("none.CSV"), "file::unreadable");
    }

    #[test]
    fn assignments_need_both_sides() {
        assert_eq!(input_assignment("A=x=y.csv"), Ok(("A", "x=y.csv")));
        for bad in ["A", "=x", "A="] {
            assert!(input_assignment(bad).is_err(), "{bad}");
        }
        assert!(Output::parse("C=out.txt").is_err());
        assert!(Output::parse("C=-").is_ok_and(|output| output.is_standard_output()));
    }
}
