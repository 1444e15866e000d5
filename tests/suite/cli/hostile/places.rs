//! Places that take no output, readers that go away, and Ctrl-C.

use std::process::Stdio;

use crate::cli::hostile::{ONE_MORE, atgpu, command, folder_with, names, status, told};

/// Every command that prints a result.
const PRINTING: &[&[&str]] = &[
    &["check", "x.atgpu"],
    &["derive", "x.atgpu"],
    &["derive", "x.atgpu", "--format", "latex"],
    &["cost", "x.atgpu", "-D", "n=64"],
    &["run", "x.atgpu", "-D", "n=64"],
    &["run", "x.atgpu", "-D", "n=64", "--format", "json"],
    &["run", "x.atgpu", "-D", "n=64", "--output", "C=-"],
    &["test", "x.atgpu"],
    &["compare", "x.atgpu", "-D", "n=64"],
    &["sweep", "x.atgpu", "--vary", "n=2^6..2^10"],
    &["plot", "x.atgpu", "--vary", "n=2^6..2^10"],
    &["overlap", "x.atgpu", "-D", "n=64"],
    &["fmt", "--diff", "untidy.atgpu"],
    &["explain", "limit::shared"],
    &["machines"],
    &["models"],
    &["man"],
    &["completions", "bash"],
    &["--help"],
    &["--version"],
];

fn programs() -> tempfile::TempDir {
    let untidy = ONE_MORE.replace("  a ⇚ A\n", "    a   ⇚ A\n");
    folder_with(&[
        ("x.atgpu", ONE_MORE.as_bytes()),
        ("untidy.atgpu", untidy.as_bytes()),
    ])
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_status_2_and_told() {
    let folder = programs();
    for args in PRINTING {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
        let mut command = command(folder.path(), args);
        let found = command
            .stdout(full.expect("a device"))
            .output()
            .expect("starts");
        assert_eq!(status(&found), 2, "{args:?}");
        let told = told(&found);
        assert!(
            told.contains("standard output cannot be written"),
            "{args:?}: {told}"
        );
    }
    let args = [
        "sweep",
        "x.atgpu",
        "--vary",
        "n=2^6..2^10",
        "-o",
        "/dev/full",
    ];
    let found = atgpu(folder.path(), &args);
    assert_eq!(status(&found), 2, "{}", told(&found));
    assert!(
        told(&found).contains("/dev/full cannot be written"),
        "{}",
        told(&found)
    );
}

#[test]
fn readers_that_go_away_are_no_fault() {
    let folder = programs();
    for args in PRINTING {
        let mut command = command(folder.path(), args);
        let child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = child.expect("starts");
        drop(child.stdout.take());
        let found = child.wait_with_output().expect("ends");
        assert_eq!(status(&found), 0, "{args:?}: {}", told(&found));
    }
}

/// A folder that is none, that is a file, or that takes no files, even of its owner.
#[test]
fn folders_that_take_no_files_are_status_2_and_nothing_is_left() {
    let folder = programs();
    let places = if cfg!(target_os = "linux") {
        &["none", "x.atgpu", "/proc", "/sys"][..]
    } else {
        &["none", "x.atgpu"]
    };
    for place in places {
        let file = |name: &str| format!("{place}/{name}");
        let (csv, svg, npy) = (file("f.csv"), file("f.svg"), file("f.npy"));
        let (table, array) = (format!("C={csv}"), format!("C={npy}"));
        let (made, fitted) = (file("f"), file("f.toml"));
        for args in [
            &["run", "x.atgpu", "-D", "n=8", "--output", &table][..],
            &["run", "x.atgpu", "-D", "n=8", "--output", &array],
            &["sweep", "x.atgpu", "--vary", "n=2^6..2^10", "-o", &csv],
            &["plot", "x.atgpu", "--vary", "n=2^6..2^10", "-o", &svg],
            &["calibrate", "x.atgpu", "--observed", "o.csv", "-o", &fitted],
            &["new", &made],
        ] {
            let found = atgpu(folder.path(), args);
            assert_eq!(status(&found), 2, "{args:?}: {}", told(&found));
            assert!(
                told(&found).contains("file::unreadable"),
                "{args:?}: {}",
                told(&found)
            );
        }
    }
    assert_eq!(names(folder.path()), ["untidy.atgpu", "x.atgpu"]);
}

/// Nobody waits for these.
#[cfg(unix)]
#[test]
fn ctrl_c_ends_every_long_command() {
    use std::process::Command;
    let endless = ONE_MORE.replace(
        "        _x[j] ← _x[j] + 1\n",
        "        while _x[j] ≥ -200 do\n          _x[j] ← _x[j]·1\n        end while\n",
    );
    let long = ONE_MORE.replace(
        "        _x[j] ← _x[j] + 1\n",
        "        for v = 1 → 2^40 do\n          if _x[j] > v then\n            _x[j] ← 1\n          \
         end if\n        end for\n",
    );
    let rounds = ONE_MORE.replace("  a ⇚ A\n", "  for r = 1 → 2^40 do\n    a ⇚ A\n  end for\n");
    let folder = folder_with(&[
        ("endless.atgpu", endless.as_bytes()),
        ("long.atgpu", long.as_bytes()),
        ("rounds.atgpu", rounds.as_bytes()),
        ("x.atgpu", ONE_MORE.as_bytes()),
    ]);
    let before = names(folder.path());
    let commands: &[&[&str]] = &[
        &["run", "endless.atgpu", "-D", "n=8", "--output", "C=f.npy"],
        &["run", "rounds.atgpu", "-D", "n=8", "--output", "C=f.csv"],
        &["cost", "long.atgpu", "-D", "n=8", "--count"],
        &["test", "long.atgpu", "-D", "n=8"],
        &[
            "sweep",
            "long.atgpu",
            "--vary",
            "n=8",
            "--count",
            "-o",
            "f.csv",
        ],
        &["sweep", "x.atgpu", "--vary", "n=1..2^40:+1", "-o", "g.csv"],
        &[
            "plot",
            "long.atgpu",
            "--vary",
            "n=8",
            "--count",
            "-o",
            "f.svg",
        ],
        &["check", "x.atgpu", "--watch"],
        &["derive", "x.atgpu", "--watch"],
    ];
    let spawn = |args: &&[&str]| {
        let mut command = command(folder.path(), args);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().expect("starts")
    };
    let children: Vec<_> = commands.iter().map(spawn).collect();
    // Long enough to have begun; the status does not depend on it once the handler stands.
    std::thread::sleep(std::time::Duration::from_millis(1500));
    for (mut child, args) in children.into_iter().zip(commands) {
        let early = child.try_wait().expect("known");
        assert!(early.is_none(), "{args:?} ended by itself: {early:?}");
        let id = child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status();
        assert!(sent.is_ok_and(|status| status.success()));
        let found = child.wait_with_output().expect("ends");
        assert_eq!(status(&found), 130, "{args:?}: {}", told(&found));
    }
    assert_eq!(names(folder.path()), before);
}

/// A file that may not be written is not replaced either, though its folder would let it be.
#[cfg(unix)]
#[test]
fn files_that_may_only_be_read_stay() {
    use std::os::unix::fs::PermissionsExt;

    let folder = programs();
    let only_read = |name: &str, mode: u32| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(folder.path().join(name), permissions).expect("owned");
    };
    std::fs::write(folder.path().join("rows.csv"), "mine").expect("writable");
    only_read("untidy.atgpu", 0o444);
    only_read("rows.csv", 0o444);
    let before = std::fs::read(folder.path().join("untidy.atgpu")).expect("readable");
    for args in [
        &["fmt", "untidy.atgpu"][..],
        &["sweep", "x.atgpu", "--vary", "n=64", "-o", "rows.csv"],
        &["run", "x.atgpu", "-D", "n=64", "--output", "C=rows.csv"],
    ] {
        let output = atgpu(folder.path(), args);
        assert_eq!(status(&output), 2, "{args:?}");
        assert!(told(&output).contains("permission denied"), "{args:?}");
    }
    let kept = |name: &str| std::fs::read(folder.path().join(name)).expect("readable");
    assert_eq!(kept("untidy.atgpu"), before);
    assert_eq!(kept("rows.csv"), b"mine");
    assert!(
        names(folder.path())
            .iter()
            .all(|name| !name.ends_with(".part"))
    );
}

#[test]
fn outputs_do_not_take_the_place_of_what_was_read() {
    let folder = programs();
    let words = "1\n".repeat(64);
    std::fs::write(folder.path().join("a.csv"), &words).expect("writable");
    let args = [
        "run",
        "x.atgpu",
        "-D",
        "n=64",
        "--input",
        "A=a.csv",
        "--output",
        "C=./a.csv",
    ];
    let output = atgpu(folder.path(), &args);
    assert_eq!(status(&output), 2);
    assert!(told(&output).contains("holds the data of an input and is not overwritten"));
    let kept = std::fs::read_to_string(folder.path().join("a.csv")).expect("readable");
    assert_eq!(kept, words);
}

#[test]
fn a_minus_is_standard_output() {
    let folder = programs();
    let before = names(folder.path());
    let output = atgpu(folder.path(), &["emit", "c", "x.atgpu", "-o", "-"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("int main"));
    assert_eq!(names(folder.path()), before);
}

#[test]
fn sizes_to_measure_are_given_once() {
    let folder = programs();
    for more in [["--vary", "n=128"], ["-D", "n=128"]] {
        let args = [
            &["measure", "x.atgpu", "--target", "c", "--vary", "n=64"][..],
            &more,
        ]
        .concat();
        let output = atgpu(folder.path(), &args);
        assert_eq!(status(&output), 2, "{more:?}: {}", told(&output));
        assert!(told(&output).contains("`n` is given more than one set of values"));
    }
}
