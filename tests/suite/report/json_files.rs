//! The suite of JSON: for each `▷ json:` line of a program of `json_files/`, the exact object that
//! the command prints, with every key that a reader may count on. Floats are
//! left out of the snapshots: their last digits are not for reading.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::support::command;
use crate::support::snapshots;
use serde_json::Value;

const COUNTS: &str = "algorithm machine parameters exact rounds totals models bounds diagnostics";
const DERIVATION: &str = "algorithm rounds totals bounds lines facts cost gpu_cost transfer_cost \
                          classes claims diagnostics";
const ROUND: &str =
    "round count k t q inward outward shared global bank_conflicts occupancy arrays";
const TOTALS: &str = "rounds time total_time io inward outward transfer transactions shared global \
                      bank_conflicts";
const RUN: &str =
    "ensures matches_derivation seconds seconds_min seconds_max ensure_seconds lane_operations";
const LINE: &str = "line text executions operations blocks conflicts rule";
const EXPRESSION: &str = "text expanded latex exact closed";
const DIAGNOSTIC: &str = "code severity message help labels";
const LABEL: &str = "text line column end_line end_column primary";

#[test]
fn objects_are_as_promised() {
    snapshots::each("report/json_files", "atgpu", |file| {
        let program = fs::read_to_string(file).expect("a program is text");
        let mut shown = program.clone();
        for arguments in program
            .lines()
            .filter_map(|line| line.strip_prefix("▷ json: "))
        {
            let (status, mut object) = answer(file, arguments);
            let at = format!("{} of {}", arguments, file.display());
            validate(arguments, &object, &at);
            redact(&mut object);
            let text = serde_json::to_string_pretty(&object).expect("a value is JSON");
            write!(shown, "\n──── {arguments}: status {status}\n{text}\n")
                .expect("a string takes all text");
        }
        assert_ne!(shown, program, "a file without a line `▷ json:`");
        insta::assert_snapshot!("json", shown);
    });
}

/// The one object on standard output; nothing but progress may stand beside it.
fn answer(file: &Path, arguments: &str) -> (i32, Value) {
    let mut words = arguments.split_whitespace();
    let output = command::atgpu(file.parent().expect("a file lies in a folder"))
        .arg(words.next().expect("a command"))
        .arg(file.file_name().expect("a file has a name"))
        .args(words)
        .args(["--format", "json"])
        .output()
        .expect("the command starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(errors, "", "{arguments} of {}", file.display());
    let object = serde_json::from_slice(&output.stdout).expect("one JSON object");
    (output.status.code().expect("it exits by itself"), object)
}

fn validate(arguments: &str, object: &Value, at: &str) {
    for diagnostic in items(&object["diagnostics"], at) {
        has(diagnostic, DIAGNOSTIC, at);
        for label in items(&diagnostic["labels"], at) {
            has(label, LABEL, at);
        }
    }
    if object.get("totals").is_none() {
        return;
    }
    has(&object["totals"], TOTALS, at);
    for round in items(&object["rounds"], at) {
        has(round, ROUND, at);
        has(&round["inward"], "words transactions", at);
        has(&round["outward"], "words transactions", at);
    }
    for bound in items(&object["bounds"], at) {
        has(bound, "quantity line reason remedy", at);
    }
    if arguments.starts_with("derive") {
        has(object, DERIVATION, at);
        for line in items(&object["lines"], at) {
            has(line, LINE, at);
        }
        for claim in items(&object["claims"], at) {
            has(claim, "text line verdict", at);
        }
        let totals = object["totals"].as_object().expect("an object");
        for expression in totals.values().filter(|total| !total.is_null()) {
            has(expression, EXPRESSION, at);
            let exact = expression["exact"] == true;
            assert_eq!(exact, expression.get("lower").is_none(), "{at}");
        }
        let is_open =
            |total: &Value| total.is_null() || total["exact"] == false || total["closed"] == false;
        for (quantity, _) in totals.iter().filter(|(_, total)| is_open(total)) {
            let mut bounds = items(&object["bounds"], at).iter();
            let told = bounds.any(|bound| bound["quantity"] == quantity.as_str());
            assert!(told, "{quantity} is not listed under bounds: {at}");
        }
    } else {
        has(object, COUNTS, at);
        if arguments.starts_with("run") {
            has(&object["run"], RUN, at)
        } else {
            has(object, "method", at)
        }
    }
}

fn items<'a>(value: &'a Value, at: &str) -> &'a [Value] {
    value
        .as_array()
        .unwrap_or_else(|| panic!("no list: {value}: {at}"))
}

fn has(value: &Value, keys: &str, at: &str) {
    for key in keys.split_whitespace() {
        assert!(value.get(key).is_some(), "no key {key} in {value}: {at}");
    }
}

/// Floats become the word `float`.
fn redact(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => *value = "float".into(),
        Value::Array(items) => items.iter_mut().for_each(redact),
        Value::Object(entries) => entries.values_mut().for_each(redact),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
