//! `--watch`: runs again on every change, whatever way an editor saves, until Ctrl-C.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

/// Longer than any answer takes on a busy computer.
const PATIENCE: Duration = Duration::from_secs(60);

const FINE: &str = "algorithm T(n)\n  input A[n]\n  output C[n]\n  global a[n]\n  a ⇚ A\n  C ⇚ a\n";

/// A command that watches a file, and the lines it writes.
struct Watching {
    place: tempfile::TempDir,
    child: Child,
    lines: Receiver<String>,
}

impl Watching {
    fn start(command: &str, text: &str) -> Watching {
        Watching::of("t.atgpu", command, text)
    }

    /// Watches a path of a folder that holds one program.
    fn of(path: &str, command: &str, text: &str) -> Watching {
        let place = tempfile::tempdir().expect("a temporary folder");
        fs::write(place.path().join("t.atgpu"), text).expect("writable");
        let mut child = Command::new(env!("CARGO_BIN_EXE_atgpu"))
            .args([command, path, "--watch"])
            .current_dir(place.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let (sender, lines) = channel();
        let out: Box<dyn Read + Send> = Box::new(child.stdout.take().expect("piped"));
        let told: Box<dyn Read + Send> = Box::new(child.stderr.take().expect("piped"));
        for pipe in [out, told] {
            let sender = sender.clone();
            thread::spawn(move || {
                for line in BufReader::new(pipe).lines().map_while(Result::ok) {
                    let _ = sender.send(line);
                }
            });
        }
        Watching {
            place,
            child,
            lines,
        }
    }

    fn file(&self) -> PathBuf {
        self.place.path().join("t.atgpu")
    }

    fn write(&self, text: &str) {
        fs::write(self.file(), text).expect("writable");
    }

    /// The lines up to where it waits again.
    fn answer(&self) -> String {
        let mut answer = String::new();
        let mut watches = false;
        // The two pipes are read side by side: the result may come behind the last line told.
        while let Ok(line) = self.lines.recv_timeout(if watches {
            Duration::from_millis(300)
        } else {
            PATIENCE
        }) {
            watches |= line.starts_with("watching ");
            answer.push_str(&line);
            answer.push('\n');
        }
        assert!(watches, "no answer in time: {answer}");
        answer
    }

    /// Ctrl-C; the exit status.
    fn interrupt(mut self) -> Option<i32> {
        let sent = Command::new("kill")
            .args(["-INT", &self.child.id().to_string()])
            .status();
        assert!(sent.is_ok_and(|status| status.success()));
        self.child.wait().expect("it ends").code()
    }
}

/// A folder means the programs that it holds at the moment.
#[test]
fn check_follows_a_folder() {
    let watching = Watching::of(".", "check", FINE);
    let first = watching.answer();
    assert!(first.contains("1 file checked"), "{first}");

    let second = watching.place.path().join("u.atgpu");
    fs::write(&second, FINE).expect("writable");
    let more = watching.answer();
    assert!(more.contains("2 files checked"), "{more}");

    watching.write("algorithm T(n)\n  input A[n\n");
    let broken = watching.answer();
    assert!(broken.contains("syntax::unexpected"), "{broken}");

    fs::remove_file(&second).expect("there");
    let fewer = watching.answer();
    assert!(fewer.contains("1 file checked"), "{fewer}");
    assert_eq!(watching.interrupt(), Some(130));
}

#[test]
fn check_follows_its_file() {
    let watching = Watching::start("check", FINE);
    let first = watching.answer();
    assert!(first.contains("1 file checked"), "{first}");
    assert!(first.contains("watching t.atgpu; Ctrl-C ends"), "{first}");
    // Not a terminal: nothing is cleared.
    assert!(!first.contains('\u{1b}'), "{first}");

    // Broken meanwhile.
    watching.write("algorithm T(n)\n  input A[n\n");
    let broken = watching.answer();
    assert!(broken.contains("syntax::unexpected"), "{broken}");

    // Deleted and written anew, as editors do.
    fs::remove_file(watching.file()).expect("there");
    watching.write(&FINE.replace("a ⇚ A", "a ⇚ B"));
    let renewed = watching.answer();
    assert!(renewed.contains("name::unknown"), "{renewed}");
    assert!(!renewed.contains("file::unreadable"), "{renewed}");

    // Gone for good, and back.
    fs::remove_file(watching.file()).expect("there");
    let gone = watching.answer();
    assert!(gone.contains("file::unreadable"), "{gone}");
    let other = watching.place.path().join("other");
    fs::write(&other, FINE).expect("writable");
    fs::rename(&other, watching.file()).expect("the same folder");
    let back = watching.answer();
    assert!(back.contains("1 file checked"), "{back}");

    // Touched without a change: nothing happens until Ctrl-C.
    watching.write(FINE);
    assert!(
        watching
            .lines
            .recv_timeout(Duration::from_millis(700))
            .is_err()
    );
    assert_eq!(watching.interrupt(), Some(130));
}

#[test]
fn derive_follows_its_file() {
    let watching = Watching::start("derive", FINE);
    assert!(watching.answer().contains("transfer        2n"));
    watching.write(&FINE.replace("  C ⇚ a\n", "  C ⇚ a\n  C ⇚ a\n"));
    assert!(watching.answer().contains("transfer        3n"));
    assert_eq!(watching.interrupt(), Some(130));
}

#[test]
fn standard_input_is_refused() {
    let output = Command::new(env!("CARGO_BIN_EXE_atgpu"))
        .args(["check", "-", "--watch"])
        .stdin(Stdio::null())
        .output()
        .expect("the command starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("`--watch` needs files"));
}
