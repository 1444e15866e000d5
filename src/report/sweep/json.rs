//! The JSON of `sweep`: `"rows"`, one object each, and `"skipped"`.
//!
//! It is written row by row, since a sweep may have millions of rows.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::number::Rational;
use crate::report::json::{Whole, value};

use crate::study::{Cell, Figures, Skipped};

#[derive(Serialize)]
struct RowJson<'r> {
    program: &'r str,
    machine: &'r str,
    model: Option<&'static str>,
    parameters: &'r Map<String, Value>,
    quantity: &'static str,
    value: Value,
    unit: &'static str,
    exact: bool,
}

#[derive(Serialize)]
struct SkippedJson<'s> {
    program: &'s str,
    machine: &'s str,
    points: u64,
    out_of: u64,
    code: &'static str,
    first: &'s str,
}

/// The text before the first row.
pub const SWEEP_START: &str = "{\"rows\":[";

/// Renders the rows of one point, each on its own line after a comma.
pub fn sweep_rows(figures: &Figures<'_>, columns: &[String], out: &mut String) {
    let parameters = parameters(figures, columns);
    for row in figures.rows {
        let row = RowJson {
            program: figures.program,
            machine: figures.machine,
            model: row.heading.model,
            parameters: &parameters,
            quantity: row.heading.quantity,
            value: cell(row.value),
            unit: row.heading.unit,
            exact: row.is_exact,
        };
        out.push_str(",\n");
        out.push_str(&value(row).to_string());
    }
}

/// The values of the parameters that the program has, by name.
pub(super) fn parameters(figures: &Figures<'_>, columns: &[String]) -> Map<String, Value> {
    let values = columns.iter().zip(figures.values);
    let known = values.filter_map(|(name, value)| Some((name.clone(), parameter(value.as_ref()?))));
    known.collect()
}

pub(super) fn cell(cell: Cell<'_>) -> Value {
    match cell {
        Cell::Nothing => Value::Null,
        Cell::Whole(count) => value(Whole(count.clone())),
        Cell::Short(count) => value(Whole(count.into())),
        Cell::Rounded(number) => value(number),
        Cell::Text(text) => value(text),
    }
}

/// Renders the text after the last row: the skipped points and the diagnostics.
pub fn sweep_end(skipped: &[Skipped], programs: &[&str], diagnostics: Vec<Value>) -> String {
    let skipped: Vec<SkippedJson<'_>> = skipped
        .iter()
        .map(|skipped| SkippedJson {
            program: programs[skipped.program],
            machine: &skipped.machine,
            points: skipped.points,
            out_of: skipped.out_of,
            code: skipped.first.code.name(),
            first: &skipped.first.message,
        })
        .collect();
    let skipped = value(skipped);
    let diagnostics = Value::Array(diagnostics);
    format!("\n],\"skipped\":{skipped},\"diagnostics\":{diagnostics}}}\n")
}

fn parameter(number: &Rational) -> Value {
    match number.to_integer() {
        Some(whole) => value(Whole(whole)),
        None => value(number.to_f64()),
    }
}
