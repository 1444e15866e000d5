//! Ends and sizes that are rounded logarithms of a bit more than a power: ⌊log2 (n + 1)⌋ where n is a power of 2.
//!
//! Whether 1 ≤ n + 1 was once asked of the logarithm, which asked whether n ≥ 0, which asked the logarithm again, until
//! the stack was gone. What is derived agrees with runs, for each base, each rounding and each place of the logarithm.

use crate::support::engines::{choice, execute};
use atgpu::count::Parameters;
use atgpu::derive::derive;
use atgpu::program::Program;
use atgpu::verify::{Verdict, verify};

/// What `n` is, and the values of `n` to run at.
const REQUIRES: [(&str, &[i64]); 3] = [
    ("n is a power of 2", &[1, 2, 8, 64]),
    ("n is a power of 4", &[1, 4, 64]),
    ("n is a power of 3", &[1, 3, 27]),
];

/// Logarithms of a bit more than `n`.
const LOGS: [&str; 6] = [
    "⌊log2 (n + 1)⌋",
    "⌈log2 (n + 1)⌉",
    "⌊log2 (n + 2)⌋",
    "⌈log_3 (n + 1)⌉",
    "⌊log_4 (n + 3)⌋",
    "⌊log2 (2n + 1)⌋",
];

/// Statements with a logarithm `L`: a loop of the host, one of a core, a number of MPs, an extent, and conditions.
const PLACES: [(&str, &str); 6] = [
    (
        "host loop",
        "  for r = 0 → L do
    for all mp_i ∈ MP[0..⌈n/b⌉ - 1] in parallel do
      for all c_{i,j} ∈ C_i in parallel do
        if ib + j < n then
          _x[j] ⇐ a[ib + j]
          c[ib + j] ⇐ _x[j]
        end if
      end for
    end for
  end for
",
    ),
    (
        "host loop, a condition of no core",
        "  for r = 1 → L do
    for all mp_i ∈ MP[0..⌈n/b⌉ - 1] in parallel do
      for all c_{i,j} ∈ C_i in parallel do
        if ib + j < 0 then
          _x[j] ← 0
        end if
      end for
    end for
  end for
",
    ),
    (
        "core loop",
        "  for all mp_i ∈ MP[0..⌈n/b⌉ - 1] in parallel do
    for all c_{i,j} ∈ C_i in parallel do
      _x[j] ← 0
      for r = 0 → L do
        if j < 2^(r) then
          _x[j] ← _x[j] + r
        end if
      end for
    end for
  end for
",
    ),
    (
        "MPs",
        "  for all mp_i ∈ MP[0..⌈n/b⌉(L + 1) - 1] in parallel do
    for all c_{i,j} ∈ C_i in parallel do
      _x[j] ← i
    end for
  end for
",
    ),
    (
        "extent",
        "  for all mp_i ∈ MP[0..⌈n/b⌉ - 1] in parallel do
    for all c_{i,j} ∈ C_i in parallel do
      _y[b(L + 1) - 1 - j] ← j
    end for
  end for
",
    ),
    (
        "condition",
        "  for all mp_i ∈ MP[0..⌈n/b⌉ - 1] in parallel do
    for all c_{i,j} ∈ C_i in parallel do
      if j < L then
        _x[j] ← 2^(j)
      end if
    end for
  end for
",
    ),
];

fn program(require: &str, log: &str, body: &str) -> Program {
    let text = format!(
        "algorithm T(n)\n  require {require}\n  input A[n]\n  output C[n]\n  global a[n], c[n]\n  \
         shared _x[b], _y[b({log} + 1)]\n  a ⇚ A\n  c ⇚ A\n{}  C ⇚ c\n",
        body.replace('L', log)
    );
    atgpu::program(&text).unwrap_or_else(|faults| panic!("{text}{faults}"))
}

/// Holds the derivation against runs.
fn agrees(program: &Program, sizes: &[i64], place: &str) {
    let derivation = derive(program, &Parameters::new());
    for n in sizes {
        for b in [1, 4] {
            let choice = choice(program, b, vec![("n".to_owned(), *n)]).expect("admitted");
            let run = execute(program, &choice, 1);
            let verdict = verify(program, &derivation, &choice.point, &run.counts);
            assert_eq!(verdict, Verdict::Agrees, "{place}: {}", choice.label);
        }
    }
}

/// Every third place of each, so that each logarithm meets every place.
#[test]
fn rounded_logs_of_more_than_a_power_are_derived_as_they_run() {
    for (at, (require, sizes)) in REQUIRES.into_iter().enumerate() {
        for log in LOGS {
            for (place, body) in PLACES.iter().skip(at).step_by(3) {
                let told = format!("{require}, {log}, {place}");
                agrees(&program(require, log, body), sizes, &told);
            }
        }
    }
}

#[test]
fn rounds_to_a_rounded_log_have_a_formula() {
    for log in &LOGS[..3] {
        for (place, body) in &PLACES[..2] {
            let derivation = derive(&program(REQUIRES[0].0, log, body), &Parameters::new());
            let rounds = derivation.formula("rounds").expect("derived").to_string();
            let is_exact = derivation.totals.rounds.is_exact();
            // The copies of `A` and `c` are in the first round, or one of their own.
            assert!(is_exact && rounds.contains(log), "{place}: {rounds}");
        }
    }
}
