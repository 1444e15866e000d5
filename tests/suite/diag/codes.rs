//! Every diagnostic code has a page, and every page keeps its word.
//!
//! A page's first example gives its code, and nothing worse; its second does not give it any more.
//! `<!-- run: COMMAND ARGS -->` before the first example says how it shows. Codes about files,
//! machines and the command line have `<!-- file: NAME -->` blocks and a console example instead.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::support::command;
use atgpu::diag::{CODES, Code, Severity};
use serde_json::Value;

/// What a page holds that a test can use.
#[derive(Default)]
struct Page {
    /// The arguments of `<!-- run: … -->`, the command first.
    run: Option<Vec<String>>,
    /// The ```` ```atgpu ```` blocks that are no `<!-- file: … -->`, with their first line's number.
    programs: Vec<String>,
    /// Files by name.
    files: Vec<(String, String)>,
    /// The arguments of the console example.
    console: Option<Vec<String>>,
}

/// Not reproducible: no program may give them.
const OUR_OWN_FAULTS: [&str; 2] = ["atgpu::derive::mismatch", "atgpu::internal::panic"];

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let pages: BTreeSet<String> = fs::read_dir(folder())
        .expect("docs/codes is there")
        .map(|entry| {
            let name = entry.expect("an entry can be read").file_name();
            name.to_string_lossy().into_owned()
        })
        .collect();
    let wanted: BTreeSet<String> = CODES.iter().map(|code| file_name(*code)).collect();
    assert_eq!(pages, wanted);
    for code in CODES {
        let text = read(*code);
        assert_eq!(text.lines().next(), Some(format!("# `{code}`").as_str()));
        assert!(text.lines().count() > 5, "{code}: the page says nothing");
    }
}

#[test]
fn every_example_gives_its_code_and_its_correction_does_not() {
    let mut examples = 0;
    let mut faults = Vec::new();
    for code in CODES {
        let page = parse(&read(*code));
        let Some(run) = page.run else { continue };
        assert_eq!(
            page.programs.len(),
            2,
            "{code}: an example and its correction"
        );
        let (status, wrong) = check(&run, &page.programs[0]);
        let names: BTreeSet<&str> = wrong.iter().map(|found| found.0.as_str()).collect();
        if names != BTreeSet::from([code.name()])
            || status != i32::from(code.severity() == Severity::Error)
        {
            faults.push(format!(
                "{code}: the example gives {wrong:?}, status {status}"
            ));
        }
        let (status, right) = check(&run, &page.programs[1]);
        if !right.is_empty() || status != 0 {
            faults.push(format!(
                "{code}: the correction gives {right:?}, status {status}"
            ));
        }
        examples += 1;
    }
    assert!(faults.is_empty(), "{faults:#?}");
    assert!(
        examples >= 37,
        "only {examples} pages have a tested example"
    );
}

#[test]
fn every_console_example_gives_its_code() {
    let mut faults = Vec::new();
    for code in CODES {
        let page = parse(&read(*code));
        if page.run.is_some() || OUR_OWN_FAULTS.contains(&code.name()) {
            continue;
        }
        let arguments = page
            .console
            .unwrap_or_else(|| panic!("{code}: neither a program nor a console example"));
        let place = tempfile::tempdir().expect("a temporary folder");
        for (name, text) in &page.files {
            fs::write(place.path().join(name), text).expect("a file can be written there");
        }
        let (status, found) = call(place.path(), &arguments);
        let names: Vec<&str> = found.iter().map(|entry| entry.0.as_str()).collect();
        let expected = match code.short_name() {
            "syntax::too-deep" | "emit::unproved" | "emit::unsupported" => 1,
            _ => 2,
        };
        if names != [code.name()] || status != expected {
            let line = arguments.join(" ");
            faults.push(format!(
                "{code}: `atgpu {line}` gives {found:?}, status {status}"
            ));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn every_program_in_the_documents_checks() {
    for name in ["language.md", "../README.md"] {
        let text = fs::read_to_string(folder().join("..").join(name)).expect("it is there");
        let page = parse(&text);
        assert!(
            name != "language.md" || page.programs.len() >= 5,
            "{name} has {} programs",
            page.programs.len()
        );
        for program in &page.programs {
            let (status, found) = check(&["check".to_owned()], program);
            assert!(
                found.is_empty() && status == 0,
                "{name}: {found:?}\n{program}"
            );
        }
    }
}

/// Runs `atgpu COMMAND` on a program: the exit status, and every diagnostic's code and severity.
fn check(run: &[String], program: &str) -> (i32, Vec<(String, String)>) {
    let place = tempfile::tempdir().expect("a temporary folder");
    fs::write(place.path().join("example.atgpu"), program).expect("a file can be written there");
    let mut arguments = vec![run[0].clone(), "example.atgpu".to_owned()];
    arguments.extend_from_slice(&run[1..]);
    call(place.path(), &arguments)
}

fn call(place: &Path, arguments: &[String]) -> (i32, Vec<(String, String)>) {
    if arguments.iter().any(|argument| argument == "--format") {
        return drawn(place, arguments);
    }
    let output = command::atgpu(place)
        .args(arguments)
        .args(["--format", "json"])
        .output()
        .expect("the command starts");
    let line = arguments.join(" ");
    let result: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!(
            "`atgpu {line}` gives no JSON ({error}): {}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        )
    });
    let found = result["diagnostics"]
        .as_array()
        .expect("the result has its diagnostics")
        .iter()
        .map(|entry| {
            let text = |key: &str| entry[key].as_str().expect("a text").to_owned();
            (text("code"), text("severity"))
        })
        .collect();
    (output.status.code().expect("it exits by itself"), found)
}

/// What a command that writes something else than JSON says beside it: each diagnostic is drawn under
/// its code.
fn drawn(place: &Path, arguments: &[String]) -> (i32, Vec<(String, String)>) {
    let output = command::atgpu(place)
        .args(arguments)
        .output()
        .expect("the command starts");
    let said = String::from_utf8_lossy(&output.stderr);
    let codes = said.lines().filter(|line| line.starts_with("atgpu::"));
    let found = codes.map(|code| (code.to_owned(), "error".to_owned()));
    let status = output.status.code().expect("it exits by itself");
    (status, found.collect())
}

/// Reads the blocks and comments of a page.
fn parse(text: &str) -> Page {
    let mut page = Page::default();
    let mut file: Option<String> = None;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(note) = line
            .strip_prefix("<!-- ")
            .and_then(|rest| rest.strip_suffix(" -->"))
        {
            if let Some(arguments) = note.strip_prefix("run: ") {
                page.run = Some(words(arguments));
            } else if let Some(name) = note.strip_prefix("file: ") {
                file = Some(name.to_owned());
            } else if note == "make: deep.atgpu with 100000 nested parentheses" {
                page.files.push(("deep.atgpu".to_owned(), deep(100_000)));
            } else if note != "shown" && !note.starts_with("status: ") {
                // Those two are for `documents`.
                panic!("`{note}` is no note a page can have");
            }
        } else if let Some(language) = line.strip_prefix("```") {
            let block: Vec<&str> = lines
                .by_ref()
                .take_while(|line| !line.starts_with("```"))
                .collect();
            let block = block.join("\n") + "\n";
            match (file.take(), language) {
                (Some(name), _) => page.files.push((name, block)),
                (None, "atgpu") => page.programs.push(block),
                (None, "console") => {
                    page.console = block
                        .lines()
                        .next()
                        .and_then(|line| line.strip_prefix("$ atgpu "))
                        .map(words);
                }
                (None, _) => {}
            }
        }
    }
    page
}

/// A program with an expression in that many parentheses.
fn deep(levels: usize) -> String {
    format!(
        "algorithm Deep(n)\n  require {}n{} ≥ 1\n",
        "(".repeat(levels),
        ")".repeat(levels)
    )
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/codes")
}

fn file_name(code: Code) -> String {
    format!("{}.md", code.short_name().replace("::", "--"))
}

fn read(code: Code) -> String {
    fs::read_to_string(folder().join(file_name(code))).expect("the page is there")
}
