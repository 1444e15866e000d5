//! Ctrl-C: whatever a run is at, it stops at once with status 130.
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
        for threads in ["1", "2"] {
            let mut child = start(program, &["--threads", threads]);
            // There is no event to wait for: what is under way says nothing before it is done.
            std::thread::sleep(AWHILE);
            assert_eq!(child.try_wait().expect("a state"), None, "{name}: over");
            let sent = Instant::now();
            let status = Command::new("kill")
                .args(["-INT", &child.id().to_string()])
                .status()
                .expect("a signal");
            assert!(status.success(), "{name}: the signal is sent");
            let status = child.wait().expect("an end");
            assert_eq!(status.code(), Some(130), "{name}, {threads} threads");
            let took = sent.elapsed();
            assert!(took < AT_ONCE, "{name}, {threads} threads: {took:?}");
        }
    }
}
