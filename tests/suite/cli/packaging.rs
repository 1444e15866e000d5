//! Manual pages, the version, and the files of the package.

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

fn read(file: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    fs::read_to_string(&file).unwrap_or_else(|fault| panic!("{}: {fault}", file.display()))
}

/// The files of the package, as Cargo lists them.
fn packaged() -> Vec<String> {
    let output = Command::new(env!("CARGO"))
        .args(["package", "--list", "--allow-dirty", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo starts");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    let list = String::from_utf8_lossy(&output.stdout);
    list.lines().map(|line| line.replace('\\', "/")).collect()
}

#[test]
fn the_package_holds_whatever_is_compiled_into_the_tool() {
    let packaged = packaged();
    let has = |file: &str| packaged.iter().any(|each| each == file);
    assert!(!packaged.iter().any(|file| file.starts_with("tests/")));
    let mut seen = 0;
    for file in packaged.iter().filter(|file| file.starts_with("src/")) {
        // Names that are put together are those of programs and codes, whose folders are there.
        let text = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).expect("it is there");
        let text = String::from_utf8_lossy(&text);
        let lines = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        for line in lines {
            let Some((_, rest)) = line.split_once("include_str!(\"") else {
                continue;
            };
            let name = rest.split('"').next().expect("a name ends");
            let mut path: Vec<&str> = file.split('/').collect();
            path.pop();
            for part in name.split('/') {
                match part {
                    ".." => drop(path.pop()),
                    part => path.push(part),
                }
            }
            seen += 1;
            assert!(has(&path.join("/")), "{file} includes {name}");
        }
    }
    assert!(seen > 20, "{seen} files are included");
    for file in [
        "grammar/atgpu.pest",
        "docs/codes/name--unknown.md",
        "programs/paper1/reduction.atgpu",
        "src/report/figure/font/outlines.bin",
    ] {
        assert!(has(file), "{file}");
    }
}

#[test]
fn address_and_version_are_the_same_wherever_they_stand() {
    let address = env!("CARGO_PKG_REPOSITORY");
    let version = env!("CARGO_PKG_VERSION");
    let citation = read("CITATION.cff");
    assert!(citation.contains(&format!("\nrepository-code: {address}\n")));
    assert!(citation.contains(&format!("\nversion: {version}\n")));
    for (file, address_at, version_at) in [
        ("editors/vscode/package.json", "/repository/url", "/version"),
        (
            "editors/tree-sitter/tree-sitter.json",
            "/metadata/links/repository",
            "/metadata/version",
        ),
    ] {
        let text: serde_json::Value = serde_json::from_str(&read(file)).expect("JSON");
        assert_eq!(
            text.pointer(address_at).expect(address_at),
            address,
            "{file}"
        );
        assert_eq!(
            text.pointer(version_at).expect(version_at),
            version,
            "{file}"
        );
    }
}
