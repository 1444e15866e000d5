//! The exercises of docs/teaching: each fails as it is given, each solution passes, and both promise the same.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::root;
use crate::support::command;

/// The one exercise in which claims are what is wrong.
const OF_CLAIMS: &str = "6a-claims";

/// The file that a note names: `exercise: 1a-double` is docs/teaching/exercises/1a-double.atgpu.
pub(super) fn file_of(note: &str) -> Option<PathBuf> {
    let (kind, name) = note.split_once(": ")?;
    let folder = match kind {
        "exercise" => "exercises",
        "solution" => "solutions",
        _ => return None,
    };
    Some(folder_of(folder).join(format!("{name}.atgpu")))
}

/// The name of a file whose text is the one shown.
pub(super) fn compared(file: &Path, shown: &str) -> Result<String, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    if text != shown {
        return Err(format!("the block is not {}", file.display()));
    }
    let name = file.file_name().expect("a file has a name");
    Ok(name.to_string_lossy().into_owned())
}

#[test]
fn exercises_fail_and_solutions_pass() {
    let names = names("exercises");
    assert_eq!(names.len(), 12);
    assert_eq!(
        names,
        self::names("solutions"),
        "an exercise without a solution, or the reverse"
    );
    for name in &names {
        let given = judged("exercises", name, "test");
        assert_eq!(given, Some(1), "{name} does not fail as it is given");
        for command in ["check", "test"] {
            let solved = judged("solutions", name, command);
            assert_eq!(solved, Some(0), "the solution of {name} by {command}");
        }
    }
}

/// A solution changes the program, and the claims only where they are what is wrong.
#[test]
fn solutions_keep_what_exercises_promise() {
    for name in names("exercises") {
        let (given, solved) = (promises("exercises", &name), promises("solutions", &name));
        assert!(!given.is_empty(), "{name} promises nothing");
        if name == OF_CLAIMS {
            assert_ne!(given, solved, "{name}");
            assert_eq!(given.len(), solved.len(), "{name}");
        } else {
            assert_eq!(given, solved, "{name}");
        }
    }
}

/// Every exercise is shown in a lesson, and every solution on its page.
#[test]
fn every_exercise_and_solution_is_shown() {
    let mut lessons = String::new();
    for entry in fs::read_dir(root().join("docs/teaching")).expect("the folder is there") {
        let path = entry.expect("listed").path();
        if path.extension().is_some_and(|ending| ending == "md") {
            lessons.push_str(&fs::read_to_string(path).expect("a page is text"));
        }
    }
    for name in names("exercises") {
        for kind in ["exercise", "solution"] {
            let note = format!("<!-- {kind}: {name} -->");
            assert_eq!(lessons.matches(&note).count(), 1, "{note}");
        }
    }
}

fn folder_of(kind: &str) -> PathBuf {
    root().join("docs/teaching").join(kind)
}

fn names(kind: &str) -> BTreeSet<String> {
    let files = fs::read_dir(folder_of(kind)).expect("the folder is there");
    files
        .map(|entry| entry.expect("listed").path())
        .map(|path| {
            path.file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned()
        })
        .collect()
}

fn promises(kind: &str, name: &str) -> Vec<String> {
    let file = folder_of(kind).join(format!("{name}.atgpu"));
    let text = fs::read_to_string(file).expect("a program is text");
    let lines = text.lines().map(str::trim);
    lines
        .filter(|line| line.starts_with("ensure ") || line.starts_with("claim "))
        .map(str::to_owned)
        .collect()
}

/// The status with which a command ends for a program.
fn judged(kind: &str, name: &str, with: &str) -> Option<i32> {
    let output = command::atgpu(&folder_of(kind))
        .args([with, &format!("{name}.atgpu")])
        .output()
        .expect("the command starts");
    output.status.code()
}
