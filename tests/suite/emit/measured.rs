//! `atgpu measure`: rows by event, read back by `plot` and `calibrate`; what fails outside is told,
//! and writes nothing.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use atgpu::machine::Machine;

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
    assert_eq!(rows[1][4..8], ["64", "", "", ""]);
    // Three arrays of 32 words an MP; ints as wide as the machine's, 4 bytes.
    assert_eq!(rows[0][7..9], ["shared", "word_bytes"]);
    assert_eq!(rows[3][4..9], ["2", "6", "13", "96", "4"]);
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

/// A compiler in the shell, beside what is measured.
#[cfg(unix)]
fn compiler(place: &Path, script: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let path = place.join("compiler");
    let head = "#!/bin/sh\nfor word; do\n  [ \"$before\" = -o ] && out=$word\n  \
                case $word in *.c) source=$word ;; esac\n  before=$word\ndone\n";
    fs::write(&path, format!("{head}{script}")).expect("a file can be written there");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    path.to_str().expect("a path of text").to_owned()
}

#[cfg(unix)]
#[test]
fn programs_that_hang_fall_or_compute_something_else_are_told_and_write_nothing() {
    if Command::new("cc").arg("--version").output().is_err() {
        println!("skipped: no `cc` here");
        return;
    }
    let runs =
        |what: &str| format!("printf '#!/bin/sh\\n{what}\\n' > \"$out\"; chmod +x \"$out\"\n");
    for (script, why) in [
        (runs("sleep 30"), "not done after 1 s"),
        (
            runs("echo global memory: out of memory >&2; exit 3"),
            "out of memory",
        ),
        (runs("kill -SEGV $$"), "ends with signal"),
        (runs("exit 0"), "leaves no readable"),
        (
            "sed 's/_a\\[j\\] + _b\\[j\\]/_a[j] - _b[j]/' \"$source\" > \"$source.wrong.c\"\n\
             cc -o \"$out\" \"$source.wrong.c\" -lm\n"
                .to_owned(),
            "`C` is not what `run` computes",
        ),
        (
            "echo no memory left >&2; exit 1\n".to_owned(),
            "no memory left",
        ),
    ] {
        let place = tempfile::tempdir().expect("a temporary folder");
        let compiler = compiler(place.path(), &script);
        let limit = if why.contains("1 s") { "1" } else { "60" };
        let output = measure(
            place.path(),
            &["--compiler", &compiler, "--time-limit", limit],
        );
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{script}: {told}");
        let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            told.contains("atgpu::measure::failed") && told.contains(why),
            "{told}"
        );
        assert!(!place.path().join("times.csv").exists(), "{script}");
    }
}

#[test]
fn a_machine_is_measured_and_its_file_reads_back() {
    if Command::new("cc").arg("--version").output().is_err() {
        println!("skipped: no `cc` here");
        return;
    }
    let place = tempfile::tempdir().expect("a temporary folder");
    let output = command::atgpu(place.path())
        .args([
            "measure",
            "--machine-file",
            "here.toml",
            "--most-words",
            "4096",
        ])
        .args(["--repeat", "3", "-o", "times.csv"])
        .output()
        .expect("the command starts");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    let file = fs::read_to_string(place.path().join("here.toml")).expect("it was written");
    let machine = Machine::from_toml(&file).unwrap_or_else(|faults| panic!("{faults:?}"));
    assert_eq!(&*machine.name, "here");
    assert!(
        file.contains("how = \"measured\"") && file.contains("on cpu"),
        "{file}"
    );
    assert!(machine.roofline.launch.is_some());
    // The rows are what the file was made of: fitted by hand they give the same transfers.
    let again = command::atgpu(place.path())
        .args(["calibrate", "--observed", "times.csv", "--format", "json"])
        .output()
        .expect("the command starts");
    let told = String::from_utf8_lossy(&again.stdout);
    let told: serde_json::Value = serde_json::from_str(&told).expect("JSON");
    let figures = told["figures"].as_array().expect("a list");
    for (name, ours) in [
        ("β inward", &machine.beta().expect("measured").inward),
        ("β outward", &machine.beta().expect("measured").outward),
    ] {
        let figure = figures.iter().find(|figure| figure["name"] == name);
        let figure = figure.expect("listed")["value"].as_f64().expect("a number");
        assert!(
            (figure / ours.to_f64() - 1.0).abs() < 1e-5,
            "{name}: {figure}"
        );
    }
}

#[test]
fn what_cannot_be_measured_so_is_refused() {
    let place = tempfile::tempdir().expect("a temporary folder");
    for (arguments, why) in [
        (&["--pinned"][..], "`--pinned` is for CUDA"),
        (&["--machine-file", "x.toml"][..], "cannot be used with"),
    ] {
        let output = measure(place.path(), arguments);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(why), "{told}");
    }
}
