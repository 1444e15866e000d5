//! `atgpu measure`: rows by event, read back by `plot` and `calibrate`; what fails outside is told,
//! and writes nothing.

use std::fs;
use std::path::Path;
use std::process::Output;

use atgpu::machine::Machine;

use crate::emit::{is_there, opencl_is_there};
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
    if !is_there("cc", "--version") {
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
    if !is_there("cc", "--version") {
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
        // With what an emitted program ends where the device refuses.
        (
            runs("echo no OpenCL platform >&2; exit 3"),
            "see that the device's driver is installed",
        ),
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
        fs::write(place.path().join("times.csv"), "of before").expect("a file can be written");
        let compiler = compiler(place.path(), &script);
        let limit = if why.contains("1 s") { "1" } else { "60" };
        let output = measure(
            place.path(),
            &["--compiler", &compiler, "--time-limit", limit],
        );
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{script}: {told}");
        let words = told.split_whitespace().filter(|word| *word != "│");
        let told = words.collect::<Vec<_>>().join(" ");
        assert!(
            told.contains("atgpu::measure::failed") && told.contains(why),
            "{told}"
        );
        let kept = fs::read_to_string(place.path().join("times.csv")).expect("it is there");
        assert_eq!(kept, "of before", "{script}");
    }
}

#[test]
fn a_machine_is_measured_and_its_file_reads_back() {
    if !is_there("cc", "--version") {
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

/// What only a device does wrong: none, none of that name, one with too little memory.
#[test]
fn devices_that_are_absent_or_too_small_are_told() {
    if !opencl_is_there() {
        return;
    }
    for (arguments, driver, why) in [
        (&["--vary", "n=64"][..], "/nowhere", "no OpenCL"),
        (
            &["--vary", "n=64", "--device", "nobody"],
            "",
            "no OpenCL device is called nobody",
        ),
        (
            &["--vary", "n=2^44", "--compare-up-to", "64"],
            "",
            "too little memory",
        ),
    ] {
        let place = tempfile::tempdir().expect("a temporary folder");
        let mut command = command::atgpu(place.path());
        if !driver.is_empty() {
            command.env("OCL_ICD_VENDORS", driver);
        }
        let output = command
            .arg("measure")
            .arg(path("programs/paper1/vector_addition.atgpu"))
            .args(arguments)
            .args(["--target", "opencl", "-o", "times.csv"])
            .output()
            .expect("the command starts");
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        let words = told.split_whitespace().filter(|word| *word != "│");
        let told = words.collect::<Vec<_>>().join(" ");
        assert!(
            told.contains("atgpu::measure::failed") && told.contains(why),
            "{told}"
        );
        assert!(!place.path().join("times.csv").exists());
    }
}

#[test]
fn programs_are_measured_at_sizes_of_our_own_choice_and_held_against_a_machine() {
    if !is_there("cc", "--version") {
        return;
    }
    let place = tempfile::tempdir().expect("a temporary folder");
    // The second is no program that can be emitted: the others are measured all the same.
    let refused = "algorithm L(n)\n  require n ≥ 4\n  output C[⌈n/log2 n⌉]\n  global c[⌈n/log2 n⌉]\n  \
                   C ⇚ c\n";
    fs::write(place.path().join("refused.atgpu"), refused).expect("a file can be written");
    let output = command::atgpu(place.path())
        .arg("measure")
        .arg(path("programs/paper1/vector_addition.atgpu"))
        .arg("refused.atgpu")
        .arg(path("programs/paper1/matrix_multiplication.atgpu"))
        .args(["--most-words", "16384", "--repeat", "1", "-o", "times.csv"])
        .args(["--keep-going", "--unchecked", "--compare-up-to", "2000"])
        .output()
        .expect("the command starts");
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("emit::unsupported"), "{told}");
    let rows = fs::read_to_string(place.path().join("times.csv")).expect("it was written");
    let points = rows.lines().skip(1).map(|row| {
        let cells: Vec<&str> = row.split(',').collect();
        (cells[0].to_owned(), cells[1].to_owned())
    });
    let mut points: Vec<(String, String)> = points.collect();
    points.dedup();
    let points: Vec<String> = points
        .iter()
        .map(|(name, n)| format!("{name} {n}"))
        .collect();
    // Six arrays of n words, then six of n²; each size of about 16 times the words.
    assert_eq!(
        points,
        [
            "VectorAddition 128",
            "VectorAddition 2048",
            "MatrixMultiplication 32"
        ]
    );
    // What was counted, not run, is predicted as if it had been: 2048 words by 64 MPs, 3 blocks each.
    assert!(
        rows.contains("VectorAddition,2048,launch,44,64,192,13,96,4,"),
        "{rows}"
    );
    let output = command::atgpu(place.path())
        .args([
            "calibrate",
            "--keep",
            "--observed",
            "times.csv",
            "--format",
            "json",
        ])
        .output()
        .expect("the command starts");
    assert!(output.status.success());
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let programs = told["programs"].as_array().expect("a list");
    let names: Vec<_> = programs
        .iter()
        .map(|program| program["program"].as_str())
        .collect();
    assert_eq!(
        names,
        [Some("VectorAddition"), Some("MatrixMultiplication")]
    );
    assert_eq!(programs[0]["points"], 2);
    assert_eq!(told["fitted"], false);
}

#[test]
fn a_whole_study_is_one_command() {
    if !is_there("cc", "--version") {
        return;
    }
    let place = tempfile::tempdir().expect("a temporary folder");
    let own = fs::copy(
        path("programs/cookbook/saxpy.atgpu"),
        place.path().join("saxpy.atgpu"),
    );
    own.expect("a file can be written");
    let output = command::atgpu(place.path())
        .args(["measure", "--study", "here", "--most-words", "10000"])
        .args(["--repeat", "1", "--warm-up", "0"])
        .arg("saxpy.atgpu")
        .output()
        .expect("the command starts");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    let mut files: Vec<String> = fs::read_dir(place.path().join("here"))
        .expect("it was made")
        .map(|file| {
            file.expect("readable")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    files.sort();
    insta::assert_snapshot!(files.join("\n"));
    let said = fs::read_to_string(place.path().join("here/study.txt")).expect("it was written");
    assert_eq!(said, String::from_utf8_lossy(&output.stdout));
    let commands: Vec<&str> = said.lines().filter(|line| line.starts_with("$ ")).collect();
    insta::assert_snapshot!(commands.join("\n"));
    // Every program has its line in the table; long names take two.
    for program in ["VectorAddition", "Reduction", "Matrix", "Saxpy"] {
        assert!(
            said.contains(&format!("\n  {program}")),
            "{program}: {said}"
        );
    }
}

#[test]
fn what_cannot_be_measured_so_is_refused() {
    let place = tempfile::tempdir().expect("a temporary folder");
    for (arguments, why) in [
        (&["--pinned"][..], "`--pinned` is for cuda"),
        (&["--device", "x"], "`--device` is for opencl"),
        (&["--study", "x"], "cannot be used with"),
        (&["--machine-file", "x.toml"], "cannot be used with"),
    ] {
        let output = measure(place.path(), arguments);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(why), "{told}");
    }
}
