//! Manual pages and the version.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::command;
use crate::support::programs::path;

fn atgpu(arguments: &[&str]) -> Output {
    command::atgpu(&path(""))
        .args(arguments)
        .output()
        .expect("the command starts")
}

#[test]
fn every_command_has_a_manual_page() {
    let text = |arguments: &[&str]| {
        let output = atgpu(arguments);
        assert!(output.status.success(), "{arguments:?}");
        String::from_utf8(output.stdout).expect("roff is text")
    };
    let program = text(&["man"]);
    assert!(program.contains(".TH atgpu 1"), "{program}");
    for command in [
        "check", "derive", "cost", "run", "test", "fmt", "new", "explain", "man",
    ] {
        // roff writes a hyphen as `\-`.
        assert!(
            program.contains(&format!("atgpu\\-{command}(1)")),
            "{command}: {program}"
        );
        let page = text(&["man", command]);
        assert!(
            page.starts_with(".ie") && page.contains(".SH OPTIONS"),
            "{command}: {page}"
        );
    }
    let unknown = atgpu(&["man", "chek"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("did you mean `check`?"));
}

/// What the build script tells of a folder, by profile.
fn revision_of(folder: &Path, script: &Path, profile: &str) -> String {
    let output = Command::new(script)
        .current_dir(folder)
        .env("PROFILE", profile)
        .env("CARGO_FEATURE_CLI", "1")
        .env("GIT_CEILING_DIRECTORIES", folder)
        .output()
        .expect("the script starts");
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).expect("Cargo's protocol is text");
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("cargo::rustc-env=ATGPU_REVISION="));
    line.expect("the script always says").to_owned()
}

#[test]
fn the_version_carries_the_revision_where_there_is_one() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let script = place.path().join("revision");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli/revision.rs");
    let compiled = Command::new("rustc")
        .arg("--edition=2024")
        .arg(&source)
        .arg("-o")
        .arg(&script)
        .status()
        .expect("rustc starts");
    assert!(compiled.success());
    let folder = place.path().join("crate");
    fs::create_dir(&folder).expect("a new folder");

    // Neither a checkout nor a package.
    assert_eq!(revision_of(&folder, &script, "release"), "");

    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=x", "-c", "user.email=x@example.com"]);
        let done = git.args(arguments).current_dir(&folder).output();
        done.is_ok_and(|output| output.status.success())
    };
    fs::write(folder.join("file"), "one").expect("writable");
    if git(&["init", "-q"]) && git(&["add", "-A"]) && git(&["commit", "-qm", "x"]) {
        let clean = revision_of(&folder, &script, "release");
        // ` (0123456789ab 2026-11-21)`
        let inner = clean
            .strip_prefix(" (")
            .and_then(|rest| rest.strip_suffix(')'));
        let (sha, date) = inner.and_then(|inner| inner.split_once(' ')).expect("both");
        assert!(
            sha.len() == 12 && sha.bytes().all(|c| c.is_ascii_hexdigit()),
            "{clean}"
        );
        assert!(date.len() == 10, "{clean}");
        fs::write(folder.join("file"), "two").expect("writable");
        let modified = revision_of(&folder, &script, "release");
        assert_eq!(modified, format!(" ({sha} {date}, modified)"));
        assert_eq!(revision_of(&folder, &script, "debug"), "");
    }

    // A package remembers where it came from, whatever lies around it.
    let note =
        r#"{"git": {"sha1": "0123456789abcdef0123456789abcdef01234567"}, "path_in_vcs": ""}"#;
    fs::write(folder.join(".cargo_vcs_info.json"), note).expect("writable");
    assert_eq!(revision_of(&folder, &script, "release"), " (0123456789ab)");
}
