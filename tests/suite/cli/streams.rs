//! The command from outside: exit statuses, what goes to which stream, files left behind.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::support::command;
use serde_json::Value;
use tempfile::TempDir;

/// Doubles every word; 4 cores an MP in all tests.
const DOUBLE: &str = "\
algorithm Double(n)
  require n ≥ 1
  input A[n]
  output C[n]
  global a[n], c[n]
  shared _x[b]
  let k = ⌈n/b⌉
  ensure ∀ x ∈ 0..n-1 : C[x] = 2·A[x]
  claim rounds = 1
  a ⇚ A
  for all mp_i ∈ MP[0..k-1] in parallel do
    for all c_{i,j} ∈ C_i in parallel do
      if ib + j < n then
        _x[j] ⇐ a[ib + j]
        _x[j] ← 2·_x[j]
        c[ib + j] ⇐ _x[j]
      end if
    end for
  end for
  C ⇚ c
";

fn folder_with(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("writable");
    }
    folder
}

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = command::atgpu(folder);
    command.args(args);
    command
}

fn atgpu(folder: &Path, args: &[&str]) -> Output {
    let mut command = command(folder, args);
    command.stdin(Stdio::null()).output().expect("starts")
}

fn with_input(folder: &Path, args: &[&str], input: &[u8]) -> Output {
    let mut command = command(folder, args);
    command.stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("starts");
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(input).expect("read");
    drop(stdin);
    child.wait_with_output().expect("ends")
}

fn status(output: &Output) -> i32 {
    output.status.code().expect("ended by itself")
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("text")
}

/// Standard output as the one JSON object it must be.
fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{error}: {}{}", out(output), err(output));
    })
}

fn codes(output: &Output) -> Vec<String> {
    let json = json(output);
    let list = json["diagnostics"].as_array().expect("always there");
    let code = |fault: &Value| fault["code"].as_str().unwrap_or_default().to_owned();
    list.iter().map(code).collect()
}

#[test]
fn statuses_say_whose_fault_it_is() {
    let broken = DOUBLE.replace("_x[j] ← 2·_x[j]", "_x[j] ← 2·_y[j]");
    let folder = folder_with(&[
        ("double.atgpu", DOUBLE),
        ("broken.atgpu", &broken),
        (
            "bad.toml",
            "name = \"t\"\n[atgpu]\np = 4\nb = 0\nM = 1\nG = 1\n",
        ),
        ("bad.npy", "not an array"),
        ("bad.csv", "1,2\n3\n"),
        ("short.csv", "1\n2\n3\n"),
    ]);
    std::fs::write(folder.path().join("bytes.atgpu"), b"algorithm \xff\n").expect("writable");
    let cases: &[(i32, &str, &[&str])] = &[
        (0, "", &["check", "double.atgpu"]),
        (1, "name::unknown", &["check", "broken.atgpu"]),
        (1, "name::unknown", &["run", "broken.atgpu", "-D", "n=8"]),
        (2, "file::unreadable", &["check", "none.atgpu"]),
        (2, "file::unreadable", &["check", "bytes.atgpu"]),
        (2, "file::unreadable", &["check", "."]),
        (2, "usage::value", &["run", "double.atgpu"]),
        (2, "usage::value", &["run", "double.atgpu", "-D", "n"]),
        (2, "usage::value", &["run", "double.atgpu", "-D", "n=x"]),
        (
            2,
            "usage::value",
            &["run", "double.atgpu", "-D", "n=8", "-D", "q=1"],
        ),
        (
            2,
            "usage::value",
            &["run", "double.atgpu", "-D", "n=8", "-D", "k=1"],
        ),
        (
            2,
            "usage::value",
            &["run", "double.atgpu", "-D", "n=8", "-D", "b=0"],
        ),
        (
            2,
            "usage::value",
            &["cost", "double.atgpu", "-D", "n=8", "--model", "none"],
        ),
        (
            2,
            "usage::value",
            &["cost", "double.atgpu", "-D", "n=8", "--machine", "none"],
        ),
        (
            2,
            "machine::value",
            &["cost", "double.atgpu", "-D", "n=8", "--machine", "bad.toml"],
        ),
        (
            1,
            "require::violated",
            &["cost", "double.atgpu", "-D", "n=0"],
        ),
        (
            2,
            "data::malformed",
            &["run", "double.atgpu", "-D", "n=3", "--input", "A=bad.npy"],
        ),
        (
            2,
            "data::malformed",
            &["run", "double.atgpu", "-D", "n=3", "--input", "A=bad.csv"],
        ),
        (
            1,
            "access::shape",
            &["run", "double.atgpu", "-D", "n=4", "--input", "A=short.csv"],
        ),
        (
            2,
            "file::unreadable",
            &["run", "double.atgpu", "-D", "n=3", "--input", "A=none.csv"],
        ),
        (
            2,
            "usage::value",
            &["run", "double.atgpu", "-D", "n=3", "--input", "B=1"],
        ),
        (
            2,
            "usage::value",
            &["run", "double.atgpu", "-D", "n=3", "--input", "A=words"],
        ),
        (
            2,
            "usage::value",
            &["run", "double.atgpu", "-D", "n=3", "--output", "C=out.txt"],
        ),
        (
            2,
            "usage::value",
            &["run", "double.atgpu", "-D", "n=3", "--output", "C=-"],
        ),
        (
            2,
            "usage::value",
            &["run", "double.atgpu", "-D", "n=3", "--trace", "3"],
        ),
        (
            2,
            "usage::value",
            &["run", "double.atgpu", "-D", "n=3", "--repeat", "0"],
        ),
        (2, "usage::value", &["derive", "double.atgpu", "-D", "q=1"]),
    ];
    for (expected, code, args) in cases {
        let mut args = args.to_vec();
        args.extend(["--format", "json"]);
        let found = atgpu(folder.path(), &args);
        assert_eq!(status(&found), *expected, "{args:?}: {}", out(&found));
        assert_eq!(err(&found), "", "{args:?}");
        let codes = codes(&found);
        if code.is_empty() {
            assert_eq!(codes, [""; 0], "{args:?}");
        } else {
            assert!(
                codes.contains(&format!("atgpu::{code}")),
                "{args:?}: {codes:?}"
            );
        }
    }
}

#[test]
fn text_goes_out_and_diagnostics_go_aside() {
    let folder = folder_with(&[
        ("double.atgpu", DOUBLE),
        ("x.atgpu", "algorithm X\n  a ⇚\n"),
    ]);
    let fine = atgpu(folder.path(), &["cost", "double.atgpu", "-D", "n=1000"]);
    assert_eq!(status(&fine), 0);
    assert!(
        out(&fine).contains("GPU-cost of Double on gtx650"),
        "{}",
        out(&fine)
    );
    assert_eq!(err(&fine), "");
    let faulty = atgpu(folder.path(), &["check", "x.atgpu"]);
    assert_eq!(status(&faulty), 1);
    assert_eq!(out(&faulty), "1 file checked: 1 error\n");
    assert!(err(&faulty).contains("x.atgpu:2:"), "{}", err(&faulty));
    assert!(!err(&faulty).contains('\u{1b}'));
    for line in err(&faulty).lines().chain(out(&fine).lines()) {
        assert!(line.chars().count() <= 100, "{line}");
    }
}

#[test]
fn several_files_are_told_apart() {
    let folder = folder_with(&[("a.atgpu", "algorithm\n"), ("b.atgpu", DOUBLE)]);
    let found = atgpu(
        folder.path(),
        &["check", "a.atgpu", "b.atgpu", "none", "--format", "json"],
    );
    assert_eq!(status(&found), 2);
    assert_eq!(json(&found)["diagnostics"][0]["file"], "a.atgpu");
    let alone = atgpu(folder.path(), &["check", "a.atgpu", "--format", "json"]);
    assert_eq!(json(&alone)["diagnostics"][0].get("file"), None);
}

#[test]
fn standard_input_is_a_file_of_its_own() {
    let folder = folder_with(&[]);
    let found = with_input(
        folder.path(),
        &["check", "-", "--format", "json"],
        DOUBLE.as_bytes(),
    );
    assert_eq!(status(&found), 0, "{}", out(&found));
    let twice = with_input(folder.path(), &["check", "-", "-"], DOUBLE.as_bytes());
    assert_eq!(status(&twice), 2);
    let broken = with_input(folder.path(), &["check", "-"], b"algorithm\n");
    assert!(err(&broken).contains("standard input"), "{}", err(&broken));
}

#[test]
fn a_run_reads_and_writes_files_of_either_form() {
    let folder = folder_with(&[("double.atgpu", DOUBLE), ("in.csv", "word\n1\n-2\n30\n")]);
    let run = |extra: &[&str]| {
        let mut args = vec!["run", "double.atgpu", "-D", "n=3", "-D", "b=4"];
        args.extend(extra);
        atgpu(folder.path(), &args)
    };
    let first = run(&[
        "--input",
        "A=in.csv",
        "--output",
        "C=mid.npy",
        "--format",
        "json",
    ]);
    assert_eq!(status(&first), 0, "{}", out(&first));
    // The header of in.csv is skipped, and a note says so.
    assert_eq!(codes(&first), ["atgpu::data::malformed"]);
    assert_eq!(json(&first)["diagnostics"][0]["severity"], "note");
    let second = run(&["--input", "A=mid.npy", "--output", "C=-"]);
    assert_eq!(out(&second), "4\n-8\n120\n");
    assert!(
        err(&second).contains("GPU-cost of Double"),
        "{}",
        err(&second)
    );
    let third = run(&[
        "--input",
        "A=mid.npy",
        "--output",
        "C=out.csv",
        "--show",
        "C",
    ]);
    assert!(out(&third).contains("C[3]"), "{}", out(&third));
    let written = std::fs::read_to_string(folder.path().join("out.csv")).expect("written");
    assert_eq!(written, "4\n-8\n120\n");
    let mut names: Vec<_> = std::fs::read_dir(folder.path())
        .expect("a folder")
        .map(|entry| entry.expect("readable").file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["double.atgpu", "in.csv", "mid.npy", "out.csv"]);
}

#[test]
fn an_output_that_cannot_be_written_leaves_no_result() {
    let folder = folder_with(&[("double.atgpu", DOUBLE)]);
    let args = [
        "run",
        "double.atgpu",
        "-D",
        "n=3",
        "--output",
        "C=none/out.npy",
    ];
    let found = atgpu(folder.path(), &args);
    assert_eq!(status(&found), 2);
    assert_eq!(out(&found), "");
    assert!(err(&found).contains("file::unreadable"), "{}", err(&found));
}

#[test]
fn a_reader_that_goes_away_is_no_fault() {
    let folder = folder_with(&[]);
    let mut command = command(folder.path(), &["completions", "bash"]);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    drop(child.stdout.take());
    let found = child.wait_with_output().expect("ends");
    assert_eq!(status(&found), 0);
    assert_eq!(err(&found), "");
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_at_once() {
    // 2^40 iterations: nobody waits for those.
    let endless = DOUBLE.replace(
        "        _x[j] ← 2·_x[j]\n",
        "        for s = 1 → 2^40 do\n          _x[j] ← _x[j]\n        end for\n",
    );
    let folder = folder_with(&[("endless.atgpu", &endless)]);
    let args = ["run", "endless.atgpu", "-D", "n=8", "--output", "C=out.npy"];
    let mut command = command(folder.path(), &args);
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    // Long enough to have begun; the exit status does not depend on it once the handler stands.
    std::thread::sleep(std::time::Duration::from_millis(500));
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status();
    assert!(sent.is_ok_and(|status| status.success()));
    let found = child.wait_with_output().expect("ends");
    assert_eq!(status(&found), 130, "{}", err(&found));
    assert_eq!(out(&found), "");
    assert_eq!(
        std::fs::read_dir(folder.path()).expect("a folder").count(),
        1
    );
}

#[test]
fn fmt_changes_files_only_when_asked_to() {
    let untidy = DOUBLE.replace("  a ⇚ A\n", "     a   ⇚ A   \n");
    let folder = folder_with(&[("x.atgpu", &untidy), ("broken.atgpu", "algorithm\n")]);
    let text = || std::fs::read_to_string(folder.path().join("x.atgpu")).expect("there");
    let check = atgpu(folder.path(), &["fmt", "--check", "x.atgpu"]);
    assert_eq!((status(&check), text()), (1, untidy.clone()));
    let diff = atgpu(folder.path(), &["fmt", "--diff", "x.atgpu"]);
    assert!(out(&diff).contains("\n+  a ⇚ A\n"), "{}", out(&diff));
    assert_eq!(text(), untidy);
    let piped = with_input(folder.path(), &["fmt", "-"], untidy.as_bytes());
    let done = atgpu(folder.path(), &["fmt", "x.atgpu"]);
    assert_eq!((status(&done), out(&done)), (0, String::new()));
    assert_eq!(text(), out(&piped));
    let again = atgpu(folder.path(), &["fmt", "--check", "x.atgpu"]);
    assert_eq!((status(&again), out(&again)), (0, String::new()));
    let broken = atgpu(folder.path(), &["fmt", "broken.atgpu"]);
    assert_eq!(status(&broken), 1);
    let kept = std::fs::read_to_string(folder.path().join("broken.atgpu")).expect("there");
    assert_eq!(kept, "algorithm\n");
}

#[test]
fn a_new_program_is_sound_and_never_overwrites() {
    let folder = folder_with(&[]);
    let new = atgpu(folder.path(), &["new", "my_scan"]);
    assert_eq!(
        (status(&new), out(&new).as_str()),
        (0, "wrote my_scan.atgpu\n")
    );
    let again = atgpu(folder.path(), &["new", "my_scan"]);
    assert_eq!(status(&again), 2);
    let check = atgpu(
        folder.path(),
        &["check", "my_scan.atgpu", "--format", "json"],
    );
    assert_eq!(codes(&check), [""; 0], "{}", out(&check));
    let canonical = atgpu(folder.path(), &["fmt", "--check", "my_scan.atgpu"]);
    assert_eq!(status(&canonical), 0, "{}", out(&canonical));
    let run = atgpu(
        folder.path(),
        &["run", "my_scan.atgpu", "-D", "n=1000", "--format", "json"],
    );
    assert_eq!(json(&run)["run"]["ensures"][0]["holds"], true);
    let test = atgpu(folder.path(), &["test", "my_scan.atgpu"]);
    assert_eq!(status(&test), 0, "{}{}", out(&test), err(&test));
}

#[test]
fn test_tells_every_claim_and_ensure() {
    let wrong = DOUBLE
        .replace("claim rounds = 1", "claim io ≤ 2k - 1")
        .replace("= 2·A[x]", "= A[x]");
    let folder = folder_with(&[("good.atgpu", DOUBLE), ("wrong.atgpu", &wrong)]);
    let found = atgpu(
        folder.path(),
        &["test", ".", "-D", "n=8", "-D", "b=4", "--format", "json"],
    );
    assert_eq!(status(&found), 1, "{}", out(&found));
    let found_json = json(&found);
    let verdicts = |program: usize| -> Vec<&str> {
        let results = found_json["programs"][program]["results"]
            .as_array()
            .expect("a list");
        results
            .iter()
            .filter_map(|line| line["verdict"].as_str())
            .collect()
    };
    assert_eq!(verdicts(0), ["tested", "proved"]);
    assert_eq!(verdicts(1), ["refuted", "refuted"]);
    let codes = codes(&found);
    assert!(
        codes.contains(&"atgpu::claim::refuted".to_owned()),
        "{codes:?}"
    );
    assert!(
        codes.contains(&"atgpu::ensure::failed".to_owned()),
        "{codes:?}"
    );
    let nothing = atgpu(folder.path(), &["test", "none"]);
    assert_eq!(status(&nothing), 2);
}

/// Every page, list and script; and nothing on standard error.
#[test]
fn the_commands_without_a_program_answer() {
    let folder = folder_with(&[(
        "my.toml",
        "name = \"my\"\n[atgpu]\np = 4\nb = 4\nM = 9\nG = 9\n",
    )]);
    let cases: &[(&[&str], &str)] = &[
        (&["explain", "limit::shared"], "# `atgpu::limit::shared`"),
        (
            &["explain", "atgpu::race::global"],
            "# `atgpu::race::global`",
        ),
        (&["explain"], "lint::unused"),
        (&["machines"], "gtx650"),
        (&["machines", "gtx650"], "[atgpu]"),
        (&["machines", "gtx650", "my.toml"], "words of shared memory"),
        (&["models"], "host/device data transfer"),
        (&["models", "swgpu"], "no transfers"),
        (&["completions", "zsh"], "#compdef atgpu"),
        (&["--version"], "atgpu 0.1.0"),
        (&["--help"], "Usage: atgpu"),
        (&["help", "run"], "--input"),
    ];
    for (args, expected) in cases {
        let found = atgpu(folder.path(), args);
        assert_eq!((status(&found), err(&found).as_str()), (0, ""), "{args:?}");
        assert!(out(&found).contains(expected), "{args:?}: {}", out(&found));
    }
    for args in [
        &["explain", "limit"][..],
        &["models", "x"],
        &["machines", "x"],
        &["nonsense"],
    ] {
        let found = atgpu(folder.path(), args);
        assert_eq!((status(&found), out(&found).as_str()), (2, ""), "{args:?}");
    }
}

/// What a command makes never takes the place of a program.
#[test]
fn results_do_not_replace_programs() {
    let folder = folder_with(&[("double.atgpu", DOUBLE), ("other.atgpu", DOUBLE)]);
    for args in [
        &["emit", "c", "double.atgpu", "-o", "double.atgpu"][..],
        &["emit", "c", "double.atgpu", "-o", "other.atgpu"],
        &[
            "sweep",
            "double.atgpu",
            "--vary",
            "n=1..4",
            "-o",
            "double.atgpu",
        ],
    ] {
        let output = atgpu(folder.path(), args);
        assert!(!output.status.success(), "{args:?}");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.contains("holds a program"), "{args:?}: {told}");
        for name in ["double.atgpu", "other.atgpu"] {
            let left = std::fs::read_to_string(folder.path().join(name));
            assert_eq!(left.expect("there"), DOUBLE, "{args:?}");
        }
    }
    // `fmt` writes what it reads.
    assert!(
        atgpu(folder.path(), &["fmt", "double.atgpu"])
            .status
            .success()
    );
}
