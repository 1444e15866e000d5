//! The suite of executions: a file of `programs/` is a program with its data, seed and machine in
//! its head; its snapshot shows the program and, for each `▷ run:` line, every output, the counts
//! and the ensures, or the hazards that ended it.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::support::command;
use crate::support::snapshots;
use serde_json::Value;

/// Every fault that data can bring to light; each has its program.
const CODES: [&str; 14] = [
    "access::shape",
    "bounds::global",
    "bounds::host",
    "bounds::shared",
    "ensure::failed",
    "loop::bound-exceeded",
    "race::global",
    "race::shared",
    "require::violated",
    "value::division-by-zero",
    "value::not-integral",
    "value::overflow",
    "value::range",
    "value::uninitialised",
];

#[test]
fn executions_are_as_read_by_hand() {
    let mut codes = BTreeSet::new();
    snapshots::each("exec/programs", "atgpu", |file| {
        let program = fs::read_to_string(file).expect("a program is text");
        let mut shown = program.clone();
        for arguments in program
            .lines()
            .filter_map(|line| line.strip_prefix("▷ run: "))
        {
            let answer = run(file, &program, arguments);
            describe(&mut shown, arguments, &answer, &mut codes).expect("a string takes all text");
        }
        assert_ne!(shown, program, "a file without a line `▷ run:`");
        insta::assert_snapshot!("run", shown);
    });
    for code in CODES {
        assert!(
            codes.contains(&format!("atgpu::{code}")),
            "no program fails with {code}"
        );
    }
}

/// What the command says of one program, outputs included.
fn run(file: &Path, program: &str, arguments: &str) -> Value {
    let mut command = command::atgpu(file.parent().expect("a file lies in a folder"));
    command
        .args(["run", "--format", "json"])
        .arg(file.file_name().expect("a file has a name"))
        .args(arguments.split_whitespace());
    for name in outputs(program) {
        command.args(["--show", name]);
    }
    let output = command.output().expect("the command starts");
    let mut answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        let errors = String::from_utf8_lossy(&output.stderr);
        panic!("{error} of {}: {errors}", file.display());
    });
    answer["status"] = output.status.code().expect("it exits by itself").into();
    answer
}

/// The names that the header's `output` lines declare.
fn outputs(program: &str) -> Vec<&str> {
    let lines = program.lines().map(str::trim_start);
    let declared = lines.filter_map(|line| line.strip_prefix("output "));
    let words = declared.flat_map(|line| line.split([' ', ',', ':', '[', ']']));
    words
        .filter(|word| word.starts_with(char::is_uppercase))
        .collect()
}

fn describe(
    out: &mut String,
    arguments: &str,
    answer: &Value,
    codes: &mut BTreeSet<String>,
) -> std::fmt::Result {
    writeln!(out, "\n──── run {arguments}: status {}", answer["status"])?;
    for (name, array) in answer["variables"].as_object().into_iter().flatten() {
        writeln!(out, "{name}{} = {}", array["shape"], array["words"])?;
    }
    for round in list(&answer["rounds"]) {
        writeln!(
            out,
            "round {} × {}: k {} t {} q {} in {} out {} m {} g {} conflicts {} occupancy {}",
            round["round"],
            round["count"],
            round["k"],
            round["t"],
            round["q"],
            moved(&round["inward"]),
            moved(&round["outward"]),
            round["shared"],
            round["global"],
            round["bank_conflicts"],
            round["occupancy"],
        )?;
        for (name, blocks) in round["arrays"].as_object().into_iter().flatten() {
            let (read, written) = (&blocks["read_blocks"], &blocks["write_blocks"]);
            writeln!(out, "    {name}: {read} blocks read, {written} written")?;
        }
    }
    if let Some(totals) = answer.get("totals") {
        writeln!(out, "totals {totals}")?;
    }
    if let Some(run) = answer.get("run") {
        for ensure in list(&run["ensures"]) {
            let (text, holds) = (&ensure["text"], &ensure["holds"]);
            writeln!(out, "line {}: {text} holds: {holds}", ensure["line"])?;
        }
        writeln!(out, "lane operations {}", run["lane_operations"])?;
        assert_ne!(run["matches_derivation"], false, "{arguments}");
    }
    for diagnostic in list(&answer["diagnostics"]) {
        let code = text(&diagnostic["code"]);
        if diagnostic["severity"] == "error" {
            codes.insert(code.to_owned());
        }
        let message = text(&diagnostic["message"]);
        writeln!(out, "{} {code}: {message}", text(&diagnostic["severity"]))?;
        for label in list(&diagnostic["labels"]) {
            let mark = if label["primary"] == true { "→" } else { " " };
            writeln!(
                out,
                "  {mark} {}:{}–{}:{} {}",
                label["line"],
                label["column"],
                label["end_line"],
                label["end_column"],
                text(&label["text"])
            )?;
        }
        if let Some(help) = diagnostic["help"].as_str() {
            writeln!(out, "    help: {help}")?;
        }
    }
    Ok(())
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn moved(transfer: &Value) -> String {
    format!("{}/{}", transfer["words"], transfer["transactions"])
}
