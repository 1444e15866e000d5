//! The documents as tests: every program checks, every command does what is printed below it.
//!
//! A document is followed from top to bottom in a folder of its own, as a reader would:
//!
//! - ```` ```atgpu ```` behind `<!-- file: NAME -->` is saved as NAME; any other is checked.
//! - ```` ```console ```` holds commands behind `$ `, each with what it prints: standard error, then
//!   standard output. `…` alone on a line stands for any lines, behind a line's
//!   beginning for its rest. Behind `<!-- status: 1 -->` the
//!   last command of the block ends so, else all end with 0. `> FILE` saves standard output, and a
//!   command goes on in the next line behind `\`.
//! - Behind `<!-- exercise: NAME -->` or `<!-- solution: NAME -->` stands the program of that name of docs/teaching,
//!   which is saved likewise.
//! - Any other block needs `<!-- shown -->` before it: nothing in a document goes untested unseen.
//!
//! The programs of the checkout stand in the folder as `programs`.

mod english;
mod teaching;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::command;

/// Documents and the fewest commands each must run.
const DOCUMENTS: &[(&str, usize)] = &[
    ("README.md", 7),
    ("docs/install.md", 3),
    ("docs/tutorial.md", 12),
    ("docs/model.md", 1),
    ("docs/cheatsheet.md", 1),
    ("docs/cuda.md", 3),
    ("docs/safety.md", 2),
    ("docs/compare.md", 4),
    ("docs/calibrate.md", 3),
    ("docs/codes.md", 1),
    ("docs/faq.md", 4),
    ("docs/teaching.md", 1),
    ("docs/teaching/1-memory.md", 1),
    ("docs/teaching/2-blocks.md", 1),
    ("docs/teaching/3-banks.md", 1),
    ("docs/teaching/4-safety.md", 1),
    ("docs/teaching/5-rounds.md", 1),
    ("docs/teaching/6-claims.md", 1),
    ("docs/teaching/solutions.md", 0),
];

/// Lines of the README: what a stranger reads before deciding.
const README_LINES: usize = 90;

struct Block {
    /// What is written behind the opening mark.
    language: String,
    /// The note before it.
    note: Option<String>,
    lines: Vec<String>,
    /// The line of its opening mark.
    line: usize,
}

#[test]
fn documents_do_as_they_say() {
    let mut faults = Vec::new();
    for (name, least) in DOCUMENTS {
        let text = fs::read_to_string(root().join(name)).expect("the document is there");
        let place = tempfile::tempdir().expect("a temporary folder");
        copy_programs(place.path());
        let mut commands = 0;
        for block in blocks(&text) {
            match follow(&block, place.path()) {
                Ok(ran) => commands += ran,
                Err(fault) => faults.push(format!("{name}:{}: {fault}", block.line)),
            }
        }
        if commands < *least {
            faults.push(format!("{name} runs only {commands} commands"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

/// Copies `programs` of the checkout, so that a command can write beside them.
fn copy_programs(place: &Path) {
    for folder in fs::read_dir(root().join("programs")).expect("the programs are there") {
        let folder = folder.expect("listed").path();
        let copy = place
            .join("programs")
            .join(folder.file_name().expect("a name"));
        fs::create_dir_all(&copy).expect("a folder can be made");
        for file in fs::read_dir(&folder).expect("a folder of programs") {
            let file = file.expect("listed").path();
            let to = copy.join(file.file_name().expect("a name"));
            fs::copy(&file, to).expect("a program can be copied");
        }
    }
}

/// Does what a block says; how many commands it ran.
fn follow(block: &Block, place: &Path) -> Result<usize, String> {
    let note = block.note.as_deref();
    if let Some(file) = note.and_then(teaching::file_of) {
        let text = block.lines.join("\n") + "\n";
        let name = teaching::compared(&file, &text)?;
        fs::write(place.join(name), text).map_err(|error| error.to_string())?;
        return Ok(0);
    }
    let file = note.and_then(|note| note.strip_prefix("file: "));
    match (block.language.as_str(), file) {
        (_, Some(name)) => {
            let text = block.lines.join("\n") + "\n";
            fs::write(place.join(name), text).map_err(|error| error.to_string())?;
            Ok(0)
        }
        ("atgpu", None) => {
            fs::write(place.join("block.atgpu"), block.lines.join("\n") + "\n")
                .map_err(|error| error.to_string())?;
            run("check block.atgpu", place, 0).map(|_| 1)
        }
        ("console", None) => {
            let status = note.and_then(|note| note.strip_prefix("status: "));
            let status = status.map_or(0, |status| status.parse().expect("a number"));
            console(block, place, status)
        }
        _ if note == Some("shown") => Ok(0),
        (language, None) => Err(format!("a block of `{language}` that no test reads")),
    }
}

fn console(block: &Block, place: &Path, last_status: i32) -> Result<usize, String> {
    let lines = joined(&block.lines);
    let starts: Vec<usize> = (0..lines.len())
        .filter(|at| lines[*at].starts_with("$ "))
        .collect();
    if starts.first() != Some(&0) {
        return Err("the block does not begin with a command".to_owned());
    }
    for (number, start) in starts.iter().enumerate() {
        let end = starts.get(number + 1).copied().unwrap_or(lines.len());
        let is_last = number + 1 == starts.len();
        let line = &lines[*start][2..];
        let command = line
            .strip_prefix("atgpu ")
            .ok_or_else(|| format!("`{line}` is no command of ours"))?;
        let printed = run(command, place, if is_last { last_status } else { 0 })?;
        compare(&lines[start + 1..end], &printed)
            .map_err(|fault| format!("`{line}`: {fault}\n──── it prints\n{printed}"))?;
    }
    Ok(starts.len())
}

/// The lines, a command that goes on behind a backslash as one.
fn joined(lines: &[String]) -> Vec<String> {
    let mut whole: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in lines {
        match whole.last_mut() {
            Some(command) if goes_on => command.push_str(line.trim_start()),
            _ => whole.push(line.clone()),
        }
        let last = whole.last_mut().expect("one was pushed");
        goes_on = last.starts_with("$ ") && last.ends_with('\\');
        if goes_on {
            last.pop();
        }
    }
    whole
}

/// Standard error, then standard output, of a command that must end with this status.
fn run(command: &str, place: &Path, status: i32) -> Result<String, String> {
    let (command, saved) = match command.split_once(" > ") {
        Some((command, file)) => (command, Some(file.trim())),
        None => (command, None),
    };
    let output = command::atgpu(place)
        .args(command.split_whitespace())
        .output()
        .map_err(|error| error.to_string())?;
    let told = String::from_utf8_lossy(&output.stderr);
    let mut printed = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.code() != Some(status) {
        return Err(format!(
            "`{command}` ends with {:?}, not {status}\n{told}{printed}",
            output.status.code()
        ));
    }
    if let Some(file) = saved {
        fs::write(place.join(file), &printed).map_err(|error| error.to_string())?;
        printed.clear();
    }
    Ok(format!("{told}{printed}"))
}

/// Whether the lines shown are those printed, in order and without gaps but where `…` stands.
fn compare(shown: &[String], printed: &str) -> Result<(), String> {
    let printed: Vec<&str> = printed.lines().map(str::trim_end).collect();
    let mut at = 0;
    let mut gap = false;
    for line in shown.iter().map(|line| line.trim_end()) {
        if line == "…" {
            gap = true;
            continue;
        }
        let found = printed[at..]
            .iter()
            .position(|other| match line.strip_suffix(" …") {
                Some(start) => other.starts_with(start),
                None => *other == line,
            });
        match found {
            Some(0) => at += 1,
            Some(skipped) if gap => at += skipped + 1,
            // A blank line more or less is no matter.
            Some(skipped) if printed[at..at + skipped].iter().all(|line| line.is_empty()) => {
                at += skipped + 1;
            }
            None if line.is_empty() => {}
            Some(_) | None => return Err(format!("`{line}` is not printed there")),
        }
        gap = false;
    }
    let rest = &printed[at..];
    if gap || rest.iter().all(|line| line.is_empty()) {
        Ok(())
    } else {
        Err(format!("more is printed: `{}`", rest[0]))
    }
}

/// The blocks of a document with their notes.
fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut note = None;
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let inside = lines.by_ref().map(|(_, line)| line);
            blocks.push(Block {
                language: language.to_owned(),
                note: note.take(),
                lines: inside
                    .take_while(|line| !line.starts_with("```"))
                    .map(str::to_owned)
                    .collect(),
                line: number + 1,
            });
        } else if let Some(inner) = line.strip_prefix("<!-- ") {
            note = inner.strip_suffix(" -->").map(str::to_owned);
        } else if !line.is_empty() {
            note = None;
        }
    }
    blocks
}

#[test]
fn what_is_shown_is_compared_line_for_line() {
    let lines = |text: &str| -> Vec<String> { text.lines().map(str::to_owned).collect() };
    let printed = "one\n\ntwo\nthree\n";
    for fine in [
        "one\n\ntwo\nthree",
        "one\ntwo\nthree",
        "one\n…\nthree",
        "…\ntwo\n…",
        "…",
    ] {
        assert_eq!(compare(&lines(fine), printed), Ok(()), "{fine}");
    }
    for wrong in [
        "",
        "one",
        "one\nthree",
        "…\ntwo",
        "one\n…\nthree\nfour",
        "two\n…",
    ] {
        assert!(compare(&lines(wrong), printed).is_err(), "{wrong}");
    }
}

/// The README is short, and its two commands to begin with stand alone in a block.
#[test]
fn the_readme_is_short_and_begins_with_two_commands() {
    let text = fs::read_to_string(root().join("README.md")).expect("it is there");
    let lines = text.lines().count();
    assert!(lines <= README_LINES, "{lines} lines");
    let commands = "```sh\n\
        cargo run --release -- derive programs/paper1/vector_addition.atgpu\n\
        cargo test\n\
        ```\n";
    assert!(
        text.contains(commands),
        "the block of two commands is not there"
    );
    for picture in ["light", "dark"] {
        let file = format!("docs/pictures/playground-{picture}.png");
        assert!(text.contains(&file), "{file} is not shown");
        let bytes = fs::metadata(root().join(&file))
            .expect("the picture is there")
            .len();
        assert!(bytes <= 150_000, "{file} has {bytes} bytes");
    }
}

/// The rules that language.md shows are those of the grammar, and every statement is among them.
#[test]
fn the_reference_shows_the_grammar() {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let grammar = fs::read_to_string(root().join("grammar/atgpu.pest")).expect("it is there");
    let grammar_rules: String = grammar
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .map(|line| format!("{line}\n"))
        .collect();
    let grammar_rules = words(&grammar_rules);
    let document = fs::read_to_string(root().join("docs/language.md")).expect("it is there");
    let shown: Vec<Block> = blocks(&document)
        .into_iter()
        .filter(|block| block.language == "pest")
        .collect();
    let mut names = Vec::new();
    for block in &shown {
        for rule in block.lines.join("\n").split("\n\n").map(words) {
            assert!(grammar_rules.contains(&rule), "no such rule: {rule}");
            names.push(rule.split(' ').next().unwrap_or_default().to_owned());
        }
    }
    let (_, statements) = grammar_rules
        .split_once("statement = _{")
        .expect("the rule");
    let (statements, _) = statements.split_once('}').expect("its end");
    for statement in statements.split('|').map(str::trim) {
        assert!(
            names.iter().any(|name| name == statement),
            "{statement} is not shown"
        );
    }
    assert!(names.len() >= 40, "only {} rules are shown", names.len());
}

/// Every page is in the book, every link of the book and between pages leads somewhere.
#[test]
fn every_page_is_in_the_book_and_no_link_is_dead() {
    let docs = root().join("docs");
    let summary = fs::read_to_string(docs.join("SUMMARY.md")).expect("the book has a list");
    for page in pages(&docs) {
        let name = page
            .strip_prefix(&docs)
            .expect("inside")
            .display()
            .to_string();
        assert!(
            name == "SUMMARY.md" || summary.contains(&format!("({name})")),
            "docs/SUMMARY.md does not list {name}"
        );
        let text = fs::read_to_string(&page).expect("a page is text");
        let folder = page.parent().expect("a page lies in a folder");
        assert_links(&page, folder, &text);
    }
    let readme = fs::read_to_string(root().join("README.md")).expect("it is there");
    assert_links(Path::new("README.md"), root(), &readme);
}

fn assert_links(page: &Path, folder: &Path, text: &str) {
    let prose: String = text.split("```").step_by(2).collect();
    for target in prose
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
    {
        let path = target.split('#').next().unwrap_or_default();
        if !path.is_empty() && !path.contains("://") {
            assert!(folder.join(path).exists(), "{}: {target}", page.display());
        }
    }
}

fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)
        .expect("a folder")
        .map_while(Result::ok)
    {
        let path = entry.path();
        if path.is_dir() {
            found.extend(pages(&path));
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// `mdbook build docs` makes the book, where there is an mdbook.
#[test]
fn the_book_builds() {
    let target = tempfile::tempdir().expect("a temporary folder");
    let build = Command::new("mdbook")
        .args(["build", "docs", "--dest-dir"])
        .arg(target.path())
        .current_dir(root())
        .output();
    if let Ok(output) = build {
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(target.path().join("tutorial.html").exists());
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
