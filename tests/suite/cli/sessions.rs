//! The suite of commands: a case of `sessions/` is a session in a folder that holds a copy of
//! `sessions/given/`. Its lines `$ atgpu …` run the command (`< FILE` gives standard input),
//! `$ show FILE` prints a file, `$ copy FILE NAME` copies one; `▷` begins a comment. The snapshot shows the session with each exit
//! status, standard output and standard error.

use std::fmt::Write;
use std::fs::{self, File};
use std::path::Path;
use std::process::Stdio;

use crate::support::command;
use crate::support::snapshots;

const SUITE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite/cli/sessions");

#[test]
fn sessions_are_as_read_by_hand() {
    snapshots::each("cli/sessions", "txt", |case| {
        let session = fs::read_to_string(case).expect("a case is text");
        let folder = tempfile::tempdir().expect("a folder");
        for given in fs::read_dir(Path::new(SUITE).join("given")).expect("the folder exists") {
            let given = given.expect("it can be listed");
            fs::copy(given.path(), folder.path().join(given.file_name())).expect("writable");
        }
        let mut shown = String::new();
        for line in session.lines() {
            writeln!(shown, "{line}").expect("a string takes all text");
            if let Some(arguments) = line.strip_prefix("$ atgpu ") {
                // The mark that begins a colour, as a sign that a reader sees.
                let told = run(folder.path(), arguments).replace('\u{1b}', "␛");
                shown.push_str(&told);
            } else if let Some(file) = line.strip_prefix("$ show ") {
                let text = fs::read_to_string(folder.path().join(file));
                shown.push_str(&text.unwrap_or_else(|error| format!("{error}\n")));
            } else if let Some(names) = line.strip_prefix("$ copy ") {
                let (from, to) = names.split_once(' ').expect("two names");
                let to = folder.path().join(to);
                let beside = to.parent().expect("it lies in the folder");
                fs::create_dir_all(beside).expect("writable");
                let copied = fs::copy(folder.path().join(from), to);
                copied.expect("a given file");
            } else {
                assert!(line.is_empty() || line.starts_with('▷'), "{line}");
            }
        }
        let place = folder.path().to_string_lossy();
        assert!(!shown.contains(&*place), "a path from outside:\n{shown}");
        insta::assert_snapshot!("cli", shown);
    });
}

/// One command: its exit status, what it printed, what it complained of.
fn run(folder: &Path, arguments: &str) -> String {
    let (arguments, input) = match arguments.split_once(" < ") {
        Some((arguments, file)) => (arguments, Some(file)),
        None => (arguments, None),
    };
    let input = input.map_or_else(Stdio::null, |file| {
        File::open(folder.join(file)).expect("a given file").into()
    });
    let output = command::atgpu(folder)
        .args(arguments.split_whitespace())
        .stdin(input)
        .output()
        .expect("the command starts");
    let status = output.status.code().expect("it exits by itself");
    let mut shown = match status {
        0 => String::new(),
        _ => format!("[status {status}]\n"),
    };
    shown.push_str(&without_seconds(&String::from_utf8_lossy(&output.stdout)));
    let errors = without_seconds(&String::from_utf8_lossy(&output.stderr));
    if !errors.is_empty() {
        shown.push_str("[standard error]\n");
        shown.push_str(&errors);
    }
    shown
}

/// Leaves out what a clock decided: the numbers and units of a line, after `ran in`, and the line
/// about `ensure`s that took long.
fn without_seconds(text: &str) -> String {
    let mut shown = String::new();
    let lines = text.split_inclusive('\n');
    for line in lines.filter(|line| !line.starts_with("  the ensures took")) {
        let (kept, timed) = line.split_at(line.find("ran in ").unwrap_or(line.len()));
        let is_unit =
            |word: &&str| ["ns", "µs", "ms", "s"].contains(&word.trim_matches([',', ')']));
        let words = timed.split_whitespace().filter(|word| !is_unit(word));
        let words = words.map(|word| {
            if word.parse::<f64>().is_ok() {
                "…"
            } else {
                word
            }
        });
        let words: Vec<&str> = words.collect();
        shown.push_str(kept);
        shown.push_str(&words.join(" "));
        if !timed.is_empty() {
            shown.push('\n');
        }
    }
    shown
}
