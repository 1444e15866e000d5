//! Signals: whatever a run is at, it stops at once. The status tells which signal it was.
#![cfg(unix)]

use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A kernel of one MP with 10^12 iterations.
const LONG_KERNEL: &str = "algorithm Long(n)
  output C[b]
  global c[b]
  shared _x[b]
  for all mp_i ∈ MP[0..0] in parallel do
    for all c_{i,j} ∈ C_i in parallel do
      _x[j] ← 0
      for s = 1 → n do
        _x[j] ← s - _x[j]
      end for
      c[j] ⇐ _x[j]
    end for
  end for
  C ⇚ c
";

/// As long a loop of the host, with a kernel of two MPs each time.
const MANY_KERNELS: &str = "algorithm Long(n)
  output C[2b]
  global c[2b]
  shared _x[b]
  for r = 1 → n do
    for all mp_i ∈ MP[0..1] in parallel do
      for all c_{i,j} ∈ C_i in parallel do
        _x[j] ← r
        c[ib + j] ⇐ _x[j]
      end for
    end for
  end for
  C ⇚ c
";

/// An ensure about 10^24 pairs.
const LONG_ENSURE: &str = "algorithm Long(n)
  output C[b]
  global c[b]
  shared _x[b]
  ensure ∀ x ∈ 0..n-1, y ∈ 0..n-1 : x + y ≥ C[0]
  for all mp_i ∈ MP[0..0] in parallel do
    for all c_{i,j} ∈ C_i in parallel do
      _x[j] ← 0
      c[j] ⇐ _x[j]
    end for
  end for
  C ⇚ c
";

/// Time in which a run gets to where it stays.
const AWHILE: Duration = Duration::from_millis(500);

/// On a machine with nothing else to do it is a few milliseconds; the promise is 0.1 s.
const AT_ONCE: Duration = Duration::from_secs(1);

fn start(program: &str, arguments: &[&str]) -> Child {
    let mut child = Command::new(env!("CARGO_BIN_EXE_atgpu"))
        .args(["run", "-", "-D", "n=10^12"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts");
    let mut input = child.stdin.take().expect("a pipe");
    input
        .write_all(program.as_bytes())
        .expect("it reads its program");
    child
}

#[test]
fn whatever_runs_stops_at_once() {
    for (name, program) in [
        ("kernel", LONG_KERNEL),
        ("kernels", MANY_KERNELS),
        ("ensure", LONG_ENSURE),
    ] {
        for (threads, signal, ended) in
            [("1", "-INT", 130), ("2", "-TERM", 143), ("2", "-HUP", 129)]
        {
            let mut child = start(program, &["--threads", threads]);
            // There is no event to wait for: what is under way says nothing before it is done.
            std::thread::sleep(AWHILE);
            assert_eq!(child.try_wait().expect("a state"), None, "{name}: over");
            let sent = Instant::now();
            let status = Command::new("kill")
                .args([signal, &child.id().to_string()])
                .status()
                .expect("a signal");
            assert!(status.success(), "{name}: the signal is sent");
            let status = child.wait().expect("an end");
            assert_eq!(status.code(), Some(ended), "{name}, {threads} threads");
            let took = sent.elapsed();
            assert!(took < AT_ONCE, "{name}, {threads} threads: {took:?}");
        }
    }
}

/// A compiler that never ends: `measure` stops it, and leaves no folder behind.
#[test]
fn measuring_stops_with_what_it_started() {
    for (how, ended) in [("-INT", 130), ("-TERM", 143)] {
        stops_with_what_it_started(how, ended);
    }
}

fn stops_with_what_it_started(how: &str, ended: i32) {
    use std::os::unix::fs::PermissionsExt;
    let place = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| place.path().join(name);
    std::fs::create_dir(at("own")).expect("a folder can be made there");
    std::fs::write(at("compiler"), "#!/bin/sh\nsleep 300 & echo $! > started; wait\n")
        .and_then(|()| std::fs::set_permissions(at("compiler"), std::fs::Permissions::from_mode(0o755)))
        .and_then(|()| std::fs::write(at("copy.atgpu"), "algorithm Copy(n)\n  require n ≥ 1\n  input A[n]\n  output C[n]\n  global a[n]\n  a ⇚ A\n  C ⇚ a\n"))
        .expect("files can be written there");
    let mut child = Command::new(env!("CARGO_BIN_EXE_atgpu"))
        .args([
            "measure",
            "copy.atgpu",
            "--vary",
            "n=8",
            "--compiler",
            "./compiler",
        ])
        .current_dir(place.path())
        .env("TMPDIR", at("own"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts");
    let started = loop {
        match std::fs::read_to_string(at("started")) {
            Ok(id) if id.ends_with('\n') => break id.trim().to_owned(),
            Ok(_) | Err(_) => std::thread::sleep(Duration::from_millis(10)),
        }
        assert_eq!(child.try_wait().expect("a state"), None, "over");
    };
    let signal = |name: &str, id: &str| {
        let sent = Command::new("kill")
            .args([name, id])
            .stderr(Stdio::null())
            .status();
        sent.expect("a signal").success()
    };
    assert!(signal(how, &child.id().to_string()));
    assert_eq!(child.wait().expect("an end").code(), Some(ended));
    assert_eq!(
        std::fs::read_dir(at("own")).expect("it is there").count(),
        0
    );
    // What was killed may be there for a moment, until somebody asks how it ended.
    let is_gone = (0..500).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        !signal("-0", &started) || is_dead(&started)
    });
    assert!(is_gone, "process {started} goes on");
}

/// Whether a process has ended and waits to be asked how.
fn is_dead(id: &str) -> bool {
    // Not every machine has `ps`, and not every first process asks how others ended.
    if let Ok(stat) = std::fs::read_to_string(format!("/proc/{id}/stat")) {
        return stat.contains(") Z ");
    }
    let told = Command::new("ps").args(["-o", "stat=", "-p", id]).output();
    told.is_ok_and(|told| told.stdout.first() == Some(&b'Z'))
}
