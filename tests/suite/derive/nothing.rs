//! Where nothing runs: no MPs, or no iterations of a host loop. Formulas have a value there, which is what
//! is counted.

use crate::support::engines::{self, assert_within, count, execute, numbers};
use crate::support::programs::load;
use atgpu::count::Parameters;

/// Each MP from 2m + 1 to n has the same words in every iteration, whose blocks depend on both.
const STRETCHES: &str = "algorithm Stretches(n, m)
  require n ≥ 0 ∧ m ≥ 0
  input A[(n + b)^2 + m + 1] in 0..9
  global a[(n + b)^2 + m + 1]
  shared _x[b]
  a ⇚ A
  for all mp_i ∈ MP[2m + 1..n] in parallel do
    for all c_{i,j} ∈ C_i in parallel do
      for u = 0 → m do
        _x[j] ⇐ a[(j + i)^2 + u]
      end for
    end for
  end for
";

/// m rounds, of which all from the ⌈b/m⌉-th on bring b words.
const ROUNDS: &str = "algorithm Rounds(n, m)
  require n ≥ 0 ∧ m ≥ 0
  input A[b + m + n + 1] in 0..9
  output C[b + m + n + 1]
  global a[b + m + n + 1]
  a ⇚ A
  for r = m downto 1 do
    C[0..min(m, b)] ⇚ a[0..min(m + m·r, b)]
  end for
  C ⇚ a
";

/// Derives, and compares at these sizes, n, m and b.
fn compared(text: &str, sizes: impl Iterator<Item = (i64, i64, i64)>) {
    let (program, _) = load("nothing", text);
    let derivation = atgpu::derive::derive(&program, &Parameters::new());
    let contradictions = &derivation.contradictions;
    assert!(contradictions.is_empty(), "{contradictions:?}");
    for (n, m, width) in sizes {
        let sizes = vec![("n".to_owned(), n), ("m".to_owned(), m)];
        let choice = engines::choice(&program, width, sizes).expect("any sizes are admitted");
        let label = &choice.label;
        let outcome = execute(&program, &choice, 0);
        let derived = numbers(&program, &derivation, &choice);
        let derived = derived.unwrap_or_else(|| panic!("no value at {label}"));
        let counted = count(&program, &choice);
        assert_within(&format!("{label}, counted"), &counted, &outcome.counts);
        assert_within(&format!("{label}, derived"), &derived, &outcome.counts);
    }
}

#[test]
fn no_mps_touch_no_blocks_however_their_iterations_lie() {
    let of_width = |b| (0..=6).flat_map(move |n| (0..=4).map(move |m| (n, m, b)));
    compared(STRETCHES, (1..=4).flat_map(of_width));
}

/// Where there are some, the sizes of the two sides differ, and no run gets through.
#[test]
fn no_rounds_divide_by_nothing() {
    let of_width = |b| (0..=6).map(move |n| (n, 0, b));
    compared(ROUNDS, (1..=4).flat_map(of_width));
}
