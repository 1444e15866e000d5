//! What is derived where parameters are bounded or given: nothing is proved of values that no `require`
//! admits, and what no symbol is left in is a number.

use crate::support::programs::program;
use atgpu::count::Parameters;
use atgpu::derivation::{Derivation, Verdict};
use atgpu::derive::{derive, faults_of_given};

const COPY: &str = "  input A[n], D[d]
  output C[n]
  global a[n], e[d]
  a ⇚ A
  e ⇚ D
  C ⇚ a
";

fn copy(header: &str) -> String {
    format!("algorithm Copy(n, d)\n{header}{COPY}")
}

#[track_caller]
fn class(derivation: &Derivation, quantity: &str) -> String {
    let classes = derivation.classes.iter();
    let mut found = classes.filter(|(found, _)| found.name() == quantity);
    found
        .next()
        .map(|(_, class)| class.to_string())
        .expect("it has a class")
}

#[track_caller]
fn formula(derivation: &Derivation, name: &str) -> String {
    derivation.formula(name).expect("derived").to_string()
}

/// A parameter that stays small does not grow, and proves nothing of those that do.
#[test]
fn a_small_parameter_is_a_constant() {
    for bound in ["d ≤ 3", "d = 2", "d ≤ 1", "d < 3 ∧ b ≤ 3"] {
        let header = format!("  require n ≥ 1 ∧ d ≥ 1\n  require {bound}\n");
        let claims = "  claim outward ∈ O(1)\n  claim outward ∈ Θ(n^2)\n  claim transfer ∈ Θ(n)\n";
        let program = program(&copy(&format!("{header}{claims}")));
        let derivation = derive(&program, &().into());
        assert_eq!(class(&derivation, "outward"), "Θ(n)", "{bound}");
        assert_eq!(class(&derivation, "transfer"), "Θ(n)", "{bound}");
        let verdicts: Vec<&Verdict> = derivation.claims.iter().map(|it| &it.verdict).collect();
        let are_right = matches!(
            verdicts[..],
            [Verdict::Refuted(_), Verdict::Refuted(_), Verdict::Proved]
        );
        assert!(are_right, "{bound}: {verdicts:?}");
    }
    // 0 is no constant factor; more than 3 grows as anything does.
    for bound in ["d ≤ 3", "1 ≤ d ≤ 1000"] {
        let program = program(&copy(&format!("  require n ≥ 1\n  require {bound}\n")));
        let class = class(&derive(&program, &().into()), "transfer");
        assert!(class == "Θ(n + d)" || class == "Θ(n)", "{bound}: {class}");
    }
}

/// `require`s that contradict each other, or the values given.
#[test]
fn nothing_is_derived_of_no_size() {
    let admits = |header: &str, given: Parameters| {
        let program = program(&copy(&format!("  require n ≥ 1 ∧ d ≥ 1\n{header}")));
        let faults = faults_of_given(&program, &given);
        let codes = faults.iter().map(|fault| fault.code.short_name());
        assert!(codes.clone().all(|code| code == "require::violated"));
        codes.count() == 0
    };
    for header in [
        "  require n ≥ 5\n  require n ≤ 3\n",
        "  require n ≥ 5 ∧ n ≤ 3\n",
        "  require 2 | n ∧ n = 7\n",
        "  require n = 7\n  require 2 | n\n",
        "  require b ≥ 3 ∧ b ≤ 2\n",
        "  require n^2 < 1\n",
        "  require n ≥ d ∧ d ≥ b ∧ b > n\n",
    ] {
        assert!(!admits(header, ().into()), "{header}");
    }
    for header in [
        "  require 2 | n ∧ n = 6\n",
        "  require n ≥ d ∧ d ≥ b ∧ b ≥ n\n",
    ] {
        assert!(admits(header, ().into()), "{header}");
    }
    // Each thing that is asked is tested as soon as its values are there, though others beside it are not.
    let window = "  require n ≥ d ∧ d ≤ b + 1\n";
    assert!(admits(window, [("n", 9), ("d", 3)].into()));
    assert!(!admits(window, [("n", 3), ("d", 9)].into()));
    assert!(!admits("  require 4 ≤ n ≤ b\n", [("n", 3)].into()));
    assert!(!admits(
        "  require 4 ≤ n ≤ b\n",
        [("n", 9), ("b", 8)].into()
    ));
    // Only together: b would be at least 9 and at most 8.
    assert!(!admits(
        "  require n ≤ b ∧ b ≤ d\n",
        [("n", 9), ("d", 8)].into()
    ));
}

/// A round's number is that of its first: kernels in one loop take turns.
#[test]
fn rounds_of_one_loop_are_numbered_in_turn() {
    let kernel = |word: &str| {
        format!(
            "    for all mp_i ∈ MP[0..n-1] in parallel do
      for all c_{{i,j}} ∈ C_i in parallel do
        _x[j] ⇐ a[{word}]
      end for
    end for
"
        )
    };
    let one = kernel("0");
    let text = format!(
        "algorithm Turns(n, t)
  require n ≥ 1 ∧ t ≥ 2
  global a[n]
  shared _x[b]
{one}  for r = 1 → t do
{one}    for q = 1 → r do
{one}{one}    end for
{one}  end for
{one}end algorithm
"
    );
    let program = program(&text);
    let derivation = derive(&program, &().into());
    let numbers = derivation.rounds.iter();
    let numbers = numbers.map(|round| round.number.as_ref().expect("known").to_string());
    // 1, then in the first iteration of r: 2, of q: 3 and 4, 5; last t iterations of 2 and two of each q.
    let last = "t(t + 1) + 2t + 2";
    let numbers: Vec<String> = numbers.collect();
    assert_eq!(numbers[..5], ["1", "2", "3", "4", "5"]);
    let at = |t: i64| {
        let first = derivation.rounds[5].number.as_ref().expect("known");
        let value = first.evaluate(&|symbol| (&*symbol.name == "t").then(|| t.into()));
        value.expect("a number")
    };
    assert_eq!(
        [at(2), at(3)],
        [12.into(), 20.into()],
        "{last}: {numbers:?}"
    );
}

/// Logarithms, roots and sums of numbers are numbers, and so is what is compared with them.
#[test]
fn what_has_no_symbol_is_a_number() {
    let text = "algorithm Sieve(n)
  require n ≥ 4
  global z[n]
  shared _x[b]
  let Q = ⌊sqrt(n - 1)⌋
  let R = ⌈log2 n⌉
  for q = 2 → Q do
    let w = ⌊(n - 1)/q⌋ - q + 1
    for all mp_i ∈ MP[0..⌈w/b⌉-1] in parallel do
      for all c_{i,j} ∈ C_i in parallel do
        if ib + j < w then
          _x[j] ← 1
          z[q(q + ib + j)] ⇐ _x[j]
        end if
      end for
    end for
  end for
  for r = 1 → R do
    for all mp_i ∈ MP[0..0] in parallel do
      for all c_{i,j} ∈ C_i in parallel do
        _x[j] ← r
      end for
    end for
  end for
end algorithm
";
    let program = program(text);
    for (n, rounds, io) in [(100, 15, 26), (5, 4, 1), (1000, 40, 676)] {
        let derivation = derive(&program, &[("n", n), ("b", 32)].into());
        assert_eq!(
            formula(&derivation, "rounds"),
            rounds.to_string(),
            "n = {n}"
        );
        assert_eq!(formula(&derivation, "io"), io.to_string(), "n = {n}");
    }
}
