//! The words of a variable after a run.

use serde_json::{Map, Value};

use crate::array::Data;
use crate::exec::FinalArray;
use crate::number::BigInt;
use crate::report::json::{Whole, value};
use crate::report::numbers::grouped;

/// Columns of a report.
const WIDTH: usize = 100;
/// Limit on the lines of words; the rest is only counted.
const MOST_LINES: usize = 60;

/// Renders the words row by row, each line with the index of its first; `·` is a word never written.
///
/// ```
/// use atgpu::report::counts::arrays;
///
/// let run = atgpu::examples::run();
/// let c = arrays::text("C", &run.outcome().host["C"]);
/// assert!(c.starts_with("C[64]\n"));
/// ```
pub fn text(name: &str, shown: &FinalArray) -> String {
    let words: Vec<String> = (0..shown.array.data.len())
        .map(|at| word_text(shown, at))
        .collect();
    let extents: Vec<String> = shown.array.shape.iter().map(usize::to_string).collect();
    let mut out = match extents.as_slice() {
        [] => format!("{name}\n"),
        extents => format!("{name}[{}]\n", extents.join(", ")),
    };
    let row = shown.array.shape.last().copied().unwrap_or(1).max(1);
    let width = words.iter().map(|word| word.chars().count()).max();
    let width = width.unwrap_or(0);
    let label_width = index_text(&shown.array.shape, words.len().saturating_sub(1)).len();
    let in_a_line = ((WIDTH - 4).saturating_sub(label_width) / (width + 1)).max(1);
    let mut lines = 0;
    for (number, row_words) in words.chunks(row).enumerate() {
        for (part, line) in row_words.chunks(in_a_line).enumerate() {
            let first = number * row + part * in_a_line;
            if lines == MOST_LINES {
                let rest = BigInt::from(words.len() - first);
                out.push_str(&format!("  … {} more words\n", grouped(&rest)));
                return out;
            }
            let label = index_text(&shown.array.shape, first);
            let cells: Vec<String> = line.iter().map(|word| format!("{word:>width$}")).collect();
            out.push_str(&format!("  {label:>label_width$}  {}\n", cells.join(" ")));
            lines += 1;
        }
    }
    out
}

/// Renders shape and words. `null` is a word never written; floats without a JSON form become strings.
pub fn json(shown: &FinalArray) -> Value {
    let words =
        (0..shown.array.data.len()).map(|at| match (is_written(shown, at), &shown.array.data) {
            (false, _) => Value::Null,
            (true, Data::Int(words)) => value(Whole(words[at].into())),
            (true, Data::Float(words)) if words[at].is_finite() => value(words[at]),
            (true, Data::Float(words)) => Value::String(words[at].to_string()),
        });
    let mut object = Map::new();
    object.insert("shape".to_owned(), value(&shown.array.shape));
    object.insert("words".to_owned(), words.collect());
    Value::Object(object)
}

/// The number of words never written.
pub fn unwritten(shown: &FinalArray) -> usize {
    shown.written.left()
}

fn is_written(shown: &FinalArray, at: usize) -> bool {
    shown.written.get(at)
}

fn word_text(shown: &FinalArray, at: usize) -> String {
    match (is_written(shown, at), &shown.array.data) {
        (false, _) => "·".to_owned(),
        (true, Data::Int(words)) => words[at].to_string(),
        (true, Data::Float(words)) => words[at].to_string(),
    }
}

/// The index of the word at an offset, row-major: `3` or `1, 0`.
fn index_text(shape: &[usize], offset: usize) -> String {
    let mut rest = offset;
    let mut places: Vec<String> = shape
        .iter()
        .rev()
        .map(|extent| {
            let place = rest % extent.max(&1);
            rest /= extent.max(&1);
            place.to_string()
        })
        .collect();
    places.reverse();
    places.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use crate::array::Array;

    fn shown(shape: &[usize], data: Data) -> FinalArray {
        let mut written = vec![true; data.len()];
        if let Some(first) = written.first_mut() {
            *first = false;
        }
        FinalArray {
            array: Arc::new(Array {
                shape: shape.to_vec(),
                data,
            }),
            written: written.into_iter().collect(),
        }
    }

    #[test]
    fn words_stand_under_their_index() {
        let matrix = shown(&[2, 2], Data::Int(vec![1, 20, 3, 4]));
        assert_eq!(
            text("A", &matrix),
            "A[2, 2]\n  0, 0   · 20\n  1, 0   3  4\n"
        );
        let scalar = shown(&[], Data::Float(vec![0.5]));
        assert_eq!(text("S", &scalar), "S\n    ·\n");
        assert_eq!(text("E", &shown(&[0], Data::Int(vec![]))), "E[0]\n");
        assert_eq!(unwritten(&matrix), 1);
        let many = shown(&[100_000], Data::Int(vec![7; 100_000]));
        let text = text("V", &many);
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH));
        assert_eq!(text.lines().count(), MOST_LINES + 2);
        assert!(text.contains("more words"));
    }

    #[test]
    fn json_keeps_every_word() {
        let ints = shown(&[2], Data::Int(vec![0, i64::MIN]));
        assert_eq!(
            json(&ints).to_string(),
            r#"{"shape":[2],"words":[null,"-9223372036854775808"]}"#
        );
        let floats = shown(&[3], Data::Float(vec![0.0, f64::NAN, -0.5]));
        assert_eq!(
            json(&floats).to_string(),
            r#"{"shape":[3],"words":[null,"NaN",-0.5]}"#
        );
    }
}
