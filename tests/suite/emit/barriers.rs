//! Which barriers the warps of an MP need, and why: what `check --explain` shows.

use crate::emit::card;
use crate::support::command;
use crate::support::programs::program;
use atgpu::emit::{Barrier, barriers};

/// Sums of 64 cores through a shared word of each, halving.
const SUM: &str = "\
algorithm Sum(n)
  require n ≥ 1 ∧ b = 64
  input A[n*b]
  output C[n]
  global a[n*b], c[n]
  shared _x[b]
  a ⇚ A
  for all mp_i ∈ MP[0..n-1] in parallel do
    for all c_{i,j} ∈ C_i in parallel do
      _x[j] ⇐ a[i*b + j]
      if j < 32 then
        _x[j] ← _x[j] + _x[j + 32]
      end if
      if j < 16 then
        _x[j] ← _x[j] + _x[j + 16]
      end if
      c[i] ⇐ _x[0]
    end for
  end for
  C ⇚ c
";

/// Line 12 reads what the other warp loaded. Line 15 reads what only its own warp wrote; all cores read word 0 in
/// line 17.
#[test]
fn each_barrier_says_what_it_waits_for() {
    let found =
        barriers(&program(SUM), &card([64, 64, 4096, 1 << 30])).expect("it has a counterpart");
    let barrier = |line, first, is_of_warp| Barrier {
        line,
        is_inside: false,
        first,
        is_again: false,
        is_of_warp,
        writes: [true, false],
        array: "_x".to_owned(),
    };
    let needed = [
        barrier(12, 10, false),
        barrier(15, 12, true),
        barrier(17, 15, false),
    ];
    assert_eq!(found.needed, needed);
    assert_eq!(found.all, 8);
    assert_eq!((found.free, found.asking_loops), (vec![10], 0));
}

/// The cores ask at every turn whether one is left; nobody else waits.
#[test]
fn a_loop_of_data_waits_at_every_turn() {
    let source = SUM.replace(
        "      c[i] ⇐ _x[0]\n",
        "      while _x[j] > 0 at most 9 do\n        _x[j] ← _x[j] - 1\n      end while\n      c[i] ⇐ _x[0]\n",
    );
    let found =
        barriers(&program(&source), &card([64, 64, 4096, 1 << 30])).expect("it has a counterpart");
    assert_eq!(found.asking_loops, 1);
    // What is written in it needs no other barrier.
    assert_eq!(found.free, [10, 18, 20]);
}

/// No thread block has so many threads.
#[test]
fn wider_mps_than_thread_blocks_have_no_barriers() {
    let source = SUM.replace("b = 64", "b = 2048");
    let faults = barriers(&program(&source), &card([2048, 2048, 4096, 1 << 30]));
    let faults = faults.expect_err("no thread block is so large");
    let told: Vec<String> = faults
        .iter()
        .map(|fault| fault.message.to_string())
        .collect();
    assert_eq!(
        told,
        ["b = 2048, and CUDA has at most 1024 threads in a thread block"]
    );
}

#[test]
fn check_and_derive_explain_the_barriers_of_wide_mps() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("sum.atgpu"), SUM).expect("writable");
    let said = |line: &str| {
        let mut command = command::atgpu(folder.path());
        let output = command
            .args(line.split_whitespace())
            .output()
            .expect("starts");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    for line in [
        "check sum.atgpu --explain -D b=64",
        "derive sum.atgpu --explain -D b=64",
    ] {
        let told = said(line);
        for part in [
            "barriers between the 2 warps of an MP: 3 needed, 5 proved superfluous",
            "before line 12: it reads of `_x` what line 10 of another warp wrote",
            "before line 15: it reads of `_x` what line 12 of another core of the same warp wrote",
            "written without a wait: line 10",
        ] {
            assert!(told.contains(part), "{line}: {told}");
        }
    }
    assert!(!said("check sum.atgpu --explain -D b=32").contains("barriers"));
}
