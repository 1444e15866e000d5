//! The library as a user's crate sees it: `tests/embedding/` is built and tested as its own
//! package, outside the workspace, without the command's features.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

#[test]
fn a_users_crate_embeds_programs() {
    // The versions we are tested with ourselves: all of them are at hand, also without a network.
    fs::copy(root().join("Cargo.lock"), folder().join("Cargo.lock")).expect("a lock to copy");

    let faulty = cargo("faulty");
    let told = String::from_utf8_lossy(&faulty.stderr);
    assert!(!faulty.status.success(), "faulty programs build:\n{told}");
    for line in [
        "faulty/unknown.atgpu:3:7: no variable `A` is known here",
        "[atgpu::name::unknown]",
        "faulty/refuted.atgpu:5:3: this claim is wrong at ",
        "[atgpu::claim::refuted]",
    ] {
        assert!(told.contains(line), "`{line}` is missing:\n{told}");
    }
    let warned = "warning: embedding@0.1.0: faulty/refuted.atgpu:6:";
    assert!(told.contains(warned), "no warning:\n{told}");

    let fine = cargo("programs");
    let (out, told) = (
        String::from_utf8_lossy(&fine.stdout),
        String::from_utf8_lossy(&fine.stderr),
    );
    assert!(fine.status.success(), "{out}{told}");
    assert!(out.contains("test result: ok. 4 passed"), "{out}{told}");
    assert!(!told.contains("warning: embedding"), "{told}");
}

/// Builds and tests the user's crate with this folder of programs, sharing what is compiled.
fn cargo(programs: &str) -> Output {
    let binary = Path::new(env!("CARGO_BIN_EXE_atgpu"));
    let target = binary.ancestors().nth(2).expect("target/debug/atgpu");
    Command::new(env!("CARGO"))
        .args(["test", "--offline", "--tests", "--target-dir"])
        .arg(target)
        .current_dir(folder())
        .env("EMBEDDING_PROGRAMS", programs)
        .env("INSTA_UPDATE", "no")
        .output()
        .expect("cargo starts")
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn folder() -> PathBuf {
    root().join("tests/embedding")
}
