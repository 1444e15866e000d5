//! Values that turn around just beyond the active cores: quadratic in the core, with guards that cut
//! cores off at either end. What is derived is what is counted, and what is counted while running.

use crate::support::engines::{self, assert_within, count, execute, numbers};
use crate::support::programs::load;
use atgpu::count::Parameters;
use atgpu::derivation::Derivation;

/// A guard, what is done under it, and the words of `a`.
type Kernel = (&'static str, &'static str, &'static str);

/// Reads, of which the first two store a triangle without gaps.
const READS: [Kernel; 11] = [
    ("ib + j < n", "j·b - j(j - 1)/2", "b·b + 1"),
    ("ib + j ≥ 1", "j(j + 1)/2", "b·b"),
    ("0 < ib + j < n", "j^2", "b·b"),
    ("j ≥ b - 3", "j^2", "b·b"),
    (
        "0 < i(b - 1) + j < n ∧ j < i",
        "j^2 + i(b - 1)",
        "b·b + k·b",
    ),
    ("ib + j < n", "(b - 1 - j)^2", "b·b"),
    ("ib + j ≥ 2 ∧ ib + j < n - 1", "(b - j)(b + j)", "b·b + 1"),
    ("ib + j ≥ 1", "(i + j)^2", "(k + b)^2"),
    ("i + j ≥ 3", "i^2 + j^2", "k·k + b·b"),
    ("ib + j ≥ b - 1", "j div 2 + j mod 2", "b + 1"),
    ("j·j ≥ 4 ∧ ib + j < n", "(j - 2)^2", "b·b + 4"),
];

/// Loops as long as such a value.
const LOOPS: [Kernel; 4] = [
    ("ib + j < n", "j·b - j(j - 1)/2", "n"),
    ("ib + j ≥ 1", "j(j + 1)/2", "n"),
    ("ib + j ≥ 1", "(b - j)(b + j)", "n"),
    ("ib + j ≥ 2", "j^2 + i", "n"),
];

fn text((guard, body, words): &(&str, String, &str)) -> String {
    format!(
        "algorithm Turning(n)\n  require n ≥ 1\n  let k = ⌈n/b⌉\n  input A[{words}] in 0..9\n  \
         global a[{words}]\n  shared _x[b]\n  a ⇚ A\n  for all mp_i ∈ MP[0..k-1] in parallel do\n    \
         for all c_{{i,j}} ∈ C_i in parallel do\n      if {guard} then\n{body}\n      end if\n    \
         end for\n  end for\n"
    )
}

/// Derives, and compares at many points.
fn compared(kernel: &(&str, String, &str)) -> Derivation {
    let (program, _) = load("turning", &text(kernel));
    let derivation = atgpu::derive::derive(&program, &Parameters::new());
    assert!(
        derivation.contradictions.is_empty(),
        "{kernel:?}: {:?}",
        derivation.contradictions
    );
    let mut compared = 0;
    for width in [1, 2, 3, 4, 5, 8] {
        for n in 1..=20 {
            let choice = engines::choice(&program, width, vec![("n".to_owned(), n)]);
            let choice = choice.expect("any n ≥ 1 is admitted");
            let what = format!("{kernel:?} at {}", choice.label);
            let outcome = execute(&program, &choice, 0);
            assert_within(
                &format!("{what}, counted"),
                &count(&program, &choice),
                &outcome.counts,
            );
            if let Some(derived) = numbers(&program, &derivation, &choice) {
                assert_within(&format!("{what}, derived"), &derived, &outcome.counts);
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 120, "{kernel:?}: formulas without values");
    derivation
}

#[test]
fn blocks_of_an_index_that_turns_around() {
    let mut exact = 0;
    for (guard, index, words) in &READS {
        let body = format!("        _x[j] ⇐ a[{index}]");
        exact += usize::from(compared(&(guard, body, words)).totals.io.is_exact());
    }
    // Steps of at most b words pass over no block.
    assert!(exact >= 3, "only {exact} of {} are exact", READS.len());
}

#[test]
fn loops_of_a_length_that_turns_around() {
    for (guard, length, words) in &LOOPS {
        let body = format!("        for w = 1 → {length} do\n          _x[j] ← w\n        end for");
        compared(&(guard, body, words));
    }
}
