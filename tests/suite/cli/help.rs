//! The help of the commands: groups, and examples that do what they say.

use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};

use crate::support::command;
use crate::support::programs::path;

fn atgpu(folder: &Path, words: &[&str]) -> Output {
    let mut command = command::atgpu(folder);
    command.args(words).stdin(Stdio::null());
    command.output().expect("the command starts")
}

fn told(words: &[&str]) -> String {
    let output = atgpu(&path(""), words);
    assert!(output.status.success(), "{words:?}");
    String::from_utf8(output.stdout).expect("help is text")
}

/// The commands that the help lists below the headings of their groups.
fn listed(help: &str) -> Vec<String> {
    let (groups, _) = help.split_once("\nOptions:").expect("options come last");
    let lines = groups.lines().filter(|line| line.starts_with("  "));
    let name = |line: &str| line.split_whitespace().next().map(str::to_owned);
    lines.filter_map(name).collect()
}

#[test]
fn the_help_lists_the_commands_in_groups() {
    let help = told(&["--help"]);
    let headings: Vec<&str> = help
        .lines()
        .filter_map(|line| line.strip_suffix(':'))
        .collect();
    assert_eq!(
        headings,
        [
            "Write a program",
            "Understand it",
            "Study many sizes",
            "Make it better",
            "Go to a real GPU",
            "Tools",
            "Options"
        ]
    );
    let names = listed(&help);
    assert!(names.len() >= 20, "{names:?}");
    assert_eq!(names[0], "new");
}

/// A folder as the examples find it.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (program, name) in [
        (
            "programs/paper1/vector_addition_guarded.atgpu",
            "addition.atgpu",
        ),
        ("programs/paper1/reduction_any_n.atgpu", "reduction.atgpu"),
    ] {
        fs::copy(path(program), folder.path().join(name)).expect("shipped");
    }
    let timings =
        "n,total_ms,kernel_ms\n1024,0.5,0.3\n65536,0.8,0.4\n1048576,6,1.5\n4194304,22,5\n";
    for (name, text) in [
        ("a.csv", "1\n2\n3\n"),
        ("b.csv", "10\n20\n30\n"),
        ("timings.csv", timings),
    ] {
        fs::write(folder.path().join(name), text).expect("writable");
    }
    folder
}

/// The examples of a command: the sentence, and the words of the command line.
fn examples(help: &str) -> Vec<(String, String)> {
    let lines: Vec<&str> = help.lines().collect();
    let example = |pair: &[&str]| {
        let line = pair[1].strip_prefix("    $ atgpu ")?;
        Some((pair[0].trim().to_owned(), line.to_owned()))
    };
    lines.windows(2).filter_map(example).collect()
}

#[test]
fn every_command_has_two_examples_that_work() {
    let mut faults = Vec::new();
    for name in listed(&told(&["--help"])) {
        let examples = examples(&told(&[&name, "--help"]));
        if examples.len() < 2 {
            faults.push(format!("{name} has {} examples", examples.len()));
        }
        let folder = folder();
        for (sentence, line) in examples {
            let words = sentence.split_whitespace().count();
            let begins = sentence.chars().next().is_some_and(char::is_uppercase);
            if !(3..=20).contains(&words) || !begins || !sentence.ends_with('.') {
                faults.push(format!("no sentence to read aloud: {sentence}"));
            }
            let line = line.split(" > ").next().unwrap_or_default();
            let words: Vec<&str> = line.split_whitespace().collect();
            if words.first() != Some(&name.as_str()) {
                faults.push(format!("an example of another command: {line}"));
            }
            let output = atgpu(folder.path(), &words);
            // Nobody speaks to the server here: it says so, and ends.
            let is_left_alone = name == "lsp" && output.status.code() == Some(1);
            if !output.status.success() && !is_left_alone {
                let told = String::from_utf8_lossy(&output.stderr);
                faults.push(format!("{line}: {:?}\n{told}", output.status.code()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
