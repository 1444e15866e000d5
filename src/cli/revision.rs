//! The build script: gives `atgpu --version` the revision it was built from.
//!
//! This is not a module of the command; `Cargo.toml` names it as `build`. In a checkout it asks git. In a
//! package of crates.io it reads the file left by `cargo package`. Without either, the version stands
//! alone. Development builds have no revision: it would force a full rebuild at every commit.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=src/cli/revision.rs");
    let is_release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let has_command = env::var_os("CARGO_FEATURE_CLI").is_some();
    let revision = if is_release && has_command {
        packaged().or_else(checked_out)
    } else {
        None
    };
    let shown = revision.map(|revision| format!(" ({revision})"));
    println!(
        "cargo::rustc-env=ATGPU_REVISION={}",
        shown.unwrap_or_default()
    );
}

/// The revision noted by `cargo package`: `{"git": {"sha1": "…"}, …}`.
fn packaged() -> Option<String> {
    let note = fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, rest) = note.split_once("\"sha1\"")?;
    let sha = rest.split('"').nth(1)?;
    let is_sha = sha.len() >= 12 && sha.bytes().all(|c| c.is_ascii_hexdigit());
    is_sha.then(|| sha[..12].to_owned())
}

/// The checked-out commit and its date, with `modified` if files differ from it.
fn checked_out() -> Option<String> {
    // An unpacked source may lie inside another repository.
    if !Path::new(".git").exists() {
        return None;
    }
    let commit = git(&["log", "-1", "--abbrev=12", "--format=%h %cs"])?;
    for part in ["HEAD", "logs/HEAD", "index"] {
        let path = git(&["rev-parse", "--git-path", part])?;
        if Path::new(&path).exists() {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    for path in ["src", "grammar", "docs/codes", "Cargo.toml", "Cargo.lock"] {
        println!("cargo::rerun-if-changed={path}");
    }
    let changes = git(&["status", "--porcelain", "--untracked-files=no"])?;
    Some(if changes.is_empty() {
        commit
    } else {
        format!("{commit}, modified")
    })
}

/// The output of git; `None` without git or on an error.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
