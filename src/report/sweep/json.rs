//! The JSON of `sweep`: `"rows"`, an object each, and `"skipped"`.
//!
//! Written row by row, since a sweep may have millions.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::number::Rational;
use crate::report::json::{Whole, value};
use crate::report::sweep::{Cell, each};
use crate::study::{Case, Skipped};

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

/// What stands before the first row.
pub const SWEEP_START: &str = "{\"rows\":[";

/// The rows of one case, each behind a comma and on a line of its own.
///
/// ```
/// use atgpu::report::json;
/// use std::ops::ControlFlow;
///
/// let program = atgpu::examples::vector_addition();
/// let sweep = atgpu::examples::sweep(&program);
/// let (columns, quantities) = (sweep.columns(), ["io".to_owned()]);
/// let mut all = String::new();
/// sweep.run(
///     &|case, out: &mut String| atgpu::report::sweep::json::sweep_rows(case, columns, &quantities, out),
///     &mut |_, rows| {
///         all += &rows;
///         ControlFlow::Continue(())
///     },
/// )?;
/// assert_eq!(all.matches(",\n{\"program\":\"VectorAddition\"").count(), 3);
/// # Ok::<(), atgpu::Error>(())
/// ```
pub fn sweep_rows(case: &Case<'_>, columns: &[String], wanted: &[String], out: &mut String) {
    let parameters: Map<String, Value> = columns
        .iter()
        .zip(case.values)
        .filter_map(|(name, value)| Some((name.clone(), parameter(value.as_ref()?))))
        .collect();
    each(case, wanted, &mut |row| {
        let row = RowJson {
            program: case.program,
            machine: case.machine,
            model: row.model,
            parameters: &parameters,
            quantity: row.quantity,
            value: match row.value {
                Cell::Nothing => Value::Null,
                Cell::Whole(count) => value(Whole(count.clone())),
                Cell::Rounded(number) => value(number),
                Cell::Text(text) => value(text),
            },
            unit: row.unit,
            exact: row.is_exact,
        };
        out.push_str(",\n");
        out.push_str(&value(row).to_string());
    });
}

/// What stands behind the last row: the points skipped, and the diagnostics.
///
/// ```
/// use atgpu::report::sweep::json::{SWEEP_START, sweep_end};
///
/// let document = format!("{SWEEP_START}{}", sweep_end(&[], &[], Vec::new()));
/// let json: serde_json::Value = serde_json::from_str(&document)?;
/// assert!(json["rows"].as_array().is_some_and(|rows| rows.is_empty()));
/// # Ok::<(), serde_json::Error>(())
/// ```
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

pub(super) fn parameter(number: &Rational) -> Value {
    match number.to_integer() {
        Some(whole) => value(Whole(whole)),
        None => value(number.to_f64()),
    }
}
