//! Quantifiers inside quantifiers, of which the fast engines keep what they came to: truths,
//! counterexamples and faults are those of the reference, which keeps nothing.

use crate::support::programs::program;
use atgpu::count::Parameters;
use atgpu::diag::Diagnostic;
use atgpu::exec::{Array, Data, Engine, Execution, Input, Options, Unwatched, Witness};
use atgpu::meaning::Point;

/// How many words each array has: more than are taken at once, and enough for tallies.
const WORDS: i64 = 700;

/// Ints from -9 to 8 that no order holds, each many times.
fn ints() -> Input {
    let word = |at: i64| at * at * 31 % 97 % 18 - 9;
    Input::Given(Array {
        shape: vec![WORDS as usize],
        data: Data::Int((0..WORDS).map(word).collect()),
    })
}

/// Floats whose sums depend on the order in which they are added.
fn floats() -> Input {
    let word = |at: i64| ((at * 37 % 101) as f64 - 50.0) / 7.0 * 10f64.powi((at % 5) as i32 * 3);
    Input::Given(Array {
        shape: vec![WORDS as usize],
        data: Data::Float((0..WORDS).map(word).collect()),
    })
}

/// What an `ensure` comes to.
#[derive(Debug, PartialEq)]
struct Judged {
    holds: bool,
    counterexample: Vec<Witness>,
    faults: Vec<Diagnostic>,
}

fn judged(ensure: &str, engine: Engine) -> Judged {
    let program = program(&format!(
        "algorithm T(n)
  require n ≥ 1
  input A[n]
  input float F[n]
  output C[n]
  global a[n]
  ensure {ensure}
  a ⇚ A
  C ⇚ a
"
    ));
    let mut parameters = Parameters::new();
    parameters.set("n", WORDS);
    let point = Point::new(&program, [64, 8, 4096, 1 << 20], &parameters).expect("a point");
    let options = Options {
        inputs: [("A".to_owned(), ints()), ("F".to_owned(), floats())].into(),
        threads: 1,
        ..Options::default()
    };
    let execution = Execution::prepare(&program, &point, &options).expect("it is ready");
    let outcome = execution.by(engine).run(&Unwatched).expect("it runs");
    Judged {
        holds: outcome.ensures[0].holds,
        counterexample: outcome.ensures[0].counterexample.clone(),
        faults: outcome.diagnostics,
    }
}

/// Holds the fast engines against the reference, and gives what that says.
fn agree(ensure: &str) -> Judged {
    let reference = judged(ensure, Engine::Reference);
    for engine in [Engine::Batches, Engine::Statements] {
        assert_eq!(judged(ensure, engine), reference, "{ensure}");
    }
    reference
}

#[track_caller]
fn assert_holds(ensure: &str) {
    let judged = agree(ensure);
    assert!(judged.holds, "{ensure}: {judged:?}");
}

#[track_caller]
fn assert_fails(ensure: &str, code: &str) {
    let judged = agree(ensure);
    assert!(!judged.holds, "{ensure}");
    assert_eq!(judged.faults[0].code.short_name(), code, "{ensure}");
}

#[test]
fn folds_that_go_on_come_to_what_they_come_to_from_the_start() {
    for holds in [
        "∀ x ∈ 1..n-1 : (Σ y ∈ 0..x : A[y]) = (Σ y ∈ 0..x-1 : A[y]) + A[x]",
        "∀ x ∈ 0..n-1 : (Σ y ∈ 8*(x div 8)..x : A[y]) - A[x] = Σ y ∈ 8*(x div 8)..x-1 : A[y]",
        "∀ x ∈ 0..n-1 : (Σ y ∈ x..n-1 : A[y]) + (Σ y ∈ 0..x-1 : A[y]) = Σ y ∈ 0..n-1 : A[y]",
        "∀ x ∈ 0..n-1 : (Σ y ∈ 0..n-1-x : 1) = n - x",
        "∀ x ∈ 0..n-1 : (min y ∈ 0..x : A[y]) ≤ A[x] ∧ (max y ∈ 0..x : A[y]) ≥ A[x]",
        "∀ x ∈ 1..n-1 : (max y ∈ 0..x : A[y]) = max(A[x], max y ∈ 0..x-1 : A[y])",
        "∀ x ∈ 0..40, z ∈ 0..9 : (Σ y ∈ 0..z : A[x + y]) = (Σ y ∈ 0..9 : [y ≤ z]*A[x + y])",
        "∀ x ∈ 0..40, z ∈ x..60 : (Σ y ∈ x..z : A[y]) + (Σ y ∈ 0..x-1 : A[y]) = Σ y ∈ 0..z : A[y]",
        "∀ x ∈ 1..n-1 : (Σ y ∈ 0..x : F[y]) = (Σ y ∈ 0..x-1 : F[y]) + F[x]",
        "∀ x ∈ 1..n-1 : (min y ∈ 0..x : F[y]) = min(F[x], min y ∈ 0..x-1 : F[y])",
        "∀ x ∈ 0..90 : (Σ y ∈ 0..x : (Σ z ∈ 0..y : A[z])) = Σ z ∈ 0..x : (x + 1 - z)*A[z]",
        "∀ x ∈ 0..60 : (Σ y ∈ 0..x : 2^62) = (x + 1)*2^62",
        "∀ x ∈ 0..60 : (max y ∈ 0..x : y*2^60) = x*2^60",
        "∀ x ∈ 0..n-1 : (Σ y ∈ 1..x : 1/(y*(y + 1))) = x/(x + 1)",
    ] {
        assert_holds(holds);
    }
    for (fails, code) in [
        (
            "∀ x ∈ 0..n-1 : (Σ y ∈ 0..x : [A[y] > 3]) ≤ 50",
            "ensure::failed",
        ),
        ("∀ x ∈ 0..n-1 : (max y ∈ 0..x : A[y]) < 8", "ensure::failed"),
        ("∀ x ∈ 0..n : (Σ y ∈ 0..x : A[y]) < 10^6", "bounds::host"),
        (
            "∀ x ∈ 0..n-1 : (Σ y ∈ 0..x : 100 div (600 - y)) < 10^6",
            "value::division-by-zero",
        ),
        ("∀ x ∈ 0..n-1 : (min y ∈ x..600 : A[y]) < 9", "value::range"),
    ] {
        assert_fails(fails, code);
    }
}

#[test]
fn numbers_that_are_looked_up_occur_as_often_as_those_that_are_compared() {
    for holds in [
        "∀ x ∈ 0..n-1 : (Σ y ∈ 0..n-1 : [C[y] = A[x]]) = (Σ y ∈ 0..n-1 : [A[x] = A[y]])",
        "∀ x ∈ -20..n : (Σ y ∈ 0..n-1 : [A[y] = x]) = (Σ y ∈ 0..n-1 : [x - 1 < A[y] < x + 1])",
        "∀ x ∈ 0..n-1 : (Σ y ∈ 0..n-1 : [y mod 7 = x]) = select(x < 7, 100, 0)",
        "∀ x ∈ 0..n-1 : (Σ y ∈ 0..n-1 : [A[y] = F[x]]) = (Σ y ∈ 0..n-1 : [A[y] ≤ F[x] ≤ A[y]])",
        "∀ x ∈ 0..n-1 : (Σ y ∈ 0..n-1 : [F[y] = A[x]]) = (Σ y ∈ 0..n-1 : [F[y] ≤ A[x] ≤ F[y]])",
        "∀ x ∈ 0..n-1 : (Σ y ∈ 0..n-1 : [A[y] = x/2]) = (Σ y ∈ 0..n-1 : [2*A[y] = x])",
        "∀ x ∈ 0..n-1 : (Σ y ∈ 0..n-1 : [y/2 = x]) = (Σ y ∈ 0..n-1 : [y = 2*x])",
        "∀ x ∈ 0..n-1 : (Σ y ∈ 0..n-1 : [A[y] = x*2^61]) ≤ n",
        "∀ w ∈ 0..2, x ∈ -9..90 : (Σ y ∈ 0..n-1 : [A[y] + w = x]) = \
         (Σ y ∈ 0..n-1 : [A[y] = x - w])",
        "∀ w ∈ 60..70, x ∈ -9..50 : (Σ y ∈ 0..w : [A[y] = x]) ≤ (Σ y ∈ 0..w+1 : [A[y] = x])",
        "∀ x ∈ 0..40 : (Σ y ∈ x..x+80 : [A[y] = 3]) = (Σ y ∈ 0..80 : [A[x + y] = 3])",
        "∀ x ∈ 0..n-1 : (Σ y ∈ 1..0 : [A[y] = x]) = 0",
    ] {
        assert_holds(holds);
    }
    for (fails, code) in [
        (
            "∀ x ∈ 0..n-1 : (Σ y ∈ 0..n-1 : [C[y] = x]) > 0",
            "ensure::failed",
        ),
        (
            "∀ x ∈ 0..n-1 : (Σ y ∈ 0..n-1 : [A[y] = x - 600]) = 0",
            "ensure::failed",
        ),
        (
            "∀ x ∈ 0..n-1 : (Σ y ∈ 0..n-1 : [A[y]*2^61 = x]) ≤ n",
            "value::overflow",
        ),
        (
            "∀ x ∈ 0..n : (Σ y ∈ 0..n-1 : [A[y] = A[x]]) > 0",
            "bounds::host",
        ),
        (
            "∀ x ∈ 0..n-1 : (Σ y ∈ 0..n : [A[y] = x]) ≥ 0",
            "bounds::host",
        ),
        (
            "∀ x ∈ 0..n-1 : (Σ y ∈ 0..n-1 : [A[y] = 100 div (500 - x)]) ≥ 0",
            "value::division-by-zero",
        ),
    ] {
        assert_fails(fails, code);
    }
}
