//! `atgpu measure`: rows by event, read back by `plot` and `calibrate`; what fails outside is told,
//! and writes nothing.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::command;
use crate::support::programs::path;

fn measure(place: &Path, arguments: &[&str]) -> Output {
    let program = path("programs/paper1/vector_addition.atgpu");
    command::atgpu(place)
        .arg("measure")
        .arg(program)
        .args(["--vary", "n=64..256", "-o", "times.csv"])
        .args(arguments)
        .output()
        .expect("the command starts")
}

#[test]
fn rows_by_event_are_what_plot_reads() {
    if Command::new("cc").arg("--version").output().is_err() {
        println!("skipped: no `cc` here");
        return;
    }
    let place = tempfile::tempdir().expect("a temporary folder");
    let output = measure(place.path(), &["--repeat", "3"]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    let rows = fs::read_to_string(place.path().join("times.csv")).expect("it was written");
    let rows: Vec<Vec<&str>> = rows.lines().map(|row| row.split(',').collect()).collect();
    // Three sizes; two transfers in, a launch, one out.
    assert_eq!(rows.len(), 1 + 3 * 4, "{rows:?}");
    assert_eq!(
        rows[0][..7],
        [
            "program",
            "n",
            "event",
            "line",
            "amount",
            "blocks",
            "operations"
        ]
    );
    let events: Vec<&str> = rows[1..5].iter().map(|row| row[2]).collect();
    assert_eq!(events, ["inward", "inward", "launch", "outward"]);
    // n = 64: 64 words a transfer; 2 MPs, 3 blocks each, t = 13.
    assert_eq!(rows[1][4..7], ["64", "", ""]);
    assert_eq!(rows[3][4..7], ["2", "6", "13"]);
    let plotted = command::atgpu(place.path())
        .arg("plot")
        .arg(path("programs/paper1/vector_addition.atgpu"))
        .args([
            "--vary",
            "n=64..256",
            "--observed",
            "times.csv",
            "-o",
            "figure.svg",
        ])
        .output()
        .expect("the command starts");
    let told = String::from_utf8_lossy(&plotted.stderr);
    assert!(plotted.status.success(), "{told}");
}

#[test]
fn what_fails_outside_is_told_and_writes_nothing() {
    for (compiler, why) in [
        ("no-such-compiler", "cannot be started"),
        ("false", "ends with exit status: 1"),
        // Succeeds and leaves no program.
        ("true", "cannot be started"),
    ] {
        let place = tempfile::tempdir().expect("a temporary folder");
        let output = measure(place.path(), &["--compiler", compiler]);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{compiler}: {told}");
        assert!(
            told.contains("atgpu::measure::failed") && told.contains(why),
            "{told}"
        );
        assert!(!place.path().join("times.csv").exists());
    }
}
