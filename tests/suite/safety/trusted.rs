//! What `check` may trust: a run that faults where everything is called proved is the worst there is.

use crate::support::programs::program;
use atgpu::machine::Machine;
use atgpu::safety::safety;

const HEAD: &str = "  for all mp_i ∈ MP[0..n-1] in parallel do
    for all c_{i,j} ∈ C_i in parallel do
";
const FOOT: &str = "    end for
  end for
";

#[track_caller]
fn is_not_safe(text: &str) {
    let program = program(text);
    let card = Machine::built_in("gtx650").expect("built in");
    assert!(!safety(&program, &().into(), &card).is_safe(), "{text}");
}

/// A run reckons in floats where a literal is one: 0.7·10 is 7.
#[test]
fn floats_among_parameters_round() {
    is_not_safe(&format!(
        "algorithm T(n)\n  require n ≥ 1\n  shared _x[7]\n{HEAD}      if j ≤ ⌊0.7·10⌋ then\n        \
         _x[j] ← 1\n      end if\n{FOOT}"
    ));
}

/// An input that is written over is no permutation any more, nor in its range.
#[test]
fn properties_end_where_an_input_is_written() {
    for property in ["as permutation", "as list"] {
        is_not_safe(&format!(
            "algorithm T(n)\n  require n ≥ 1\n  input P[n] {property}\n  global p[n], q[n]\n  \
             shared _x\n{HEAD}      _x ← n\n      q[i] ⇐ _x\n{FOOT}  P ⇚ q\n  p ⇚ P\n\
             {HEAD}      _x ⇐ p[i]\n      _x ⇐ q[_x]\n{FOOT}"
        ));
    }
}

/// A swap carries words past the range of a declaration, and back again if both have it.
#[test]
fn ranges_end_where_arrays_are_swapped() {
    let swapped = |range: &str| {
        format!(
            "algorithm T(n)\n  require n ≥ 4\n  input A[n] in 0..3\n  global a[n] in 0..3, c[n] {range}, d[4]\n  \
             shared _x\n  c ⇚ A\n  d[0..3] ⇚ A[0..3]\n  swap a ↔ c\n{HEAD}      _x ⇐ a[i]\n      \
             _x ⇐ d[_x]\n{FOOT}"
        )
    };
    is_not_safe(&swapped("in 0..4").replace("input A[n] in 0..3", "input A[n] in 0..9"));
    is_not_safe(&swapped("").replace("input A[n] in 0..3", "input A[n]"));
    let program = program(&swapped("in 0..3"));
    let card = Machine::built_in("gtx650").expect("built in");
    assert!(safety(&program, &().into(), &card).is_safe());
}

/// The index of a word in a condition of the host is a whole number or a fault.
#[test]
fn indices_in_conditions_of_the_host_are_whole() {
    is_not_safe(&format!(
        "algorithm T(n)\n  require n ≥ 1\n  input A[n] in 0..3\n  shared _x\n  \
         while A[(n-1)/2] > 5 at most 3 do\n{HEAD}      _x ← 1\n{FOOT}  end while\n"
    ));
}

/// What a `require ∀` says of a word by its own index is no range of all words, and no panic.
#[test]
fn triangular_requires_are_no_ranges() {
    for bound in ["x", "Σ y ∈ 0..x : y", "n - x"] {
        is_not_safe(&format!(
            "algorithm T(n)\n  require n ≥ 1\n  require ∀ x ∈ 0..n-1 : 0 ≤ A[x] ≤ {bound}\n  input A[n]\n  \
             global a[n], d[1]\n  shared _x\n  a ⇚ A\n{HEAD}      _x ⇐ a[i]\n      _x ⇐ d[_x]\n{FOOT}"
        ));
    }
}

/// A `require` reads words that are there, divides by numbers and asks for the smallest of some.
#[test]
fn requires_have_values_themselves() {
    let requiring = |require: &str| {
        format!(
            "algorithm T(n)\n  require n ≥ 1\n  require {require}\n  input A[n] in 0..3\n  shared _x\n\
             {HEAD}      _x ← 1\n{FOOT}"
        )
    };
    for require in [
        "A[n] ≥ 0",
        "A[n/2] ≥ 0",
        "A[A[0]] ≥ 0",
        "∀ x ∈ 0..n : A[x] ≥ 0",
        "∀ x ∈ 0..n : 6 mod x < 6",
        "6 mod A[0] ≥ 0",
        "(min x ∈ 1..n-1 : x) ≥ 0",
        "∀ x ∈ 0..n-1 : A[x-1] ≤ A[x] ∨ x = 0",
    ] {
        is_not_safe(&requiring(require));
    }
    let card = Machine::built_in("gtx650").expect("built in");
    for require in [
        "A[0] ≥ 0",
        "∀ x ∈ 0..n-2 : A[x] ≤ A[x+1]",
        "∀ x ∈ 0..n-1 : x < 1 ∨ A[x-1] ≤ A[x]",
        "∀ x ∈ 0..n-1 : x > 0 ⇒ A[x-1] ≤ A[x]",
        "(max x ∈ 0..n-1 : A[x] mod (x + 1)) ≤ 3",
        "∀ x ∈ 0..n-1, y ∈ 0..x : A[y] ≤ A[x]",
    ] {
        let program = program(&requiring(require));
        assert!(safety(&program, &().into(), &card).is_safe(), "{require}");
    }
}
