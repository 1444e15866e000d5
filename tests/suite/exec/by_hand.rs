//! What an execution gives, and how it fails, on programs small enough to follow by hand.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::support::programs::program;
use atgpu::count::Parameters;
use atgpu::diag::Diagnostic;
use atgpu::exec::{Array, Data, Execution, Input, Options, Outcome, Progress, Unwatched, Work};
use atgpu::meaning::Point;
use atgpu::number::Rational;
use atgpu::program::Program;

fn point(program: &Program, n: i64, b: i64) -> Point {
    let mut parameters = Parameters::new();
    parameters.set("n", n);
    Point::new(program, [384, b, 12288, 1 << 28], &parameters).expect("a point")
}

fn execute(
    program: &Program,
    n: i64,
    b: i64,
    options: &Options,
) -> Result<Outcome, Vec<Diagnostic>> {
    Execution::prepare(program, &point(program, n, b), options)?.run(&Unwatched)
}

fn ints(words: &[i64]) -> Input {
    Input::Given(Array {
        shape: vec![words.len()],
        data: Data::Int(words.to_vec()),
    })
}

fn with(inputs: &[(&str, Input)]) -> Options {
    Options {
        inputs: inputs
            .iter()
            .map(|(name, input)| ((*name).to_owned(), input.clone()))
            .collect(),
        threads: 1,
        ..Options::default()
    }
}

/// One core loop over `MP[0..k-1]`, its words in int arrays `a`, `c` of n words and shared `_x`,
/// `_y` of b, float `_f`, `_g` of b.
fn kernel(k: &str, lines: &str) -> Program {
    program(&format!(
        "algorithm T(n)
  input A[n]
  output C[n]
  global a[n], c[n]
  shared _x[b], _y[b] in -100..100
  shared float _f[b], _g[b]
  a ⇚ A
  for all mp_i ∈ MP[0..{k}-1] in parallel do
    for all c_{{i,j}} ∈ C_i in parallel do
{lines}
    end for
  end for
  C ⇚ a
"
    ))
}

/// The code, the line within `lines` (from 1) and the message of the first fault.
fn fault(k: &str, lines: &str) -> (String, usize, String) {
    let program = kernel(k, lines);
    let found = execute(&program, 8, 4, &with(&[("A", Input::Iota)]));
    let faults = found.expect_err("a fault");
    let fault = faults.first().expect("a diagnostic");
    let line = program.line(fault.primary().expect("a place").span);
    (
        fault.code.short_name().to_owned(),
        line - 9,
        fault.message.to_string(),
    )
}

#[track_caller]
fn assert_fault(k: &str, lines: &str, code: &str, line: usize, says: &str) {
    let (found, at, message) = fault(k, lines);
    assert_eq!((found.as_str(), at), (code, line), "{message}");
    assert!(message.contains(says), "{message}");
}

#[test]
fn lane_operations_count_active_cores() {
    let program = program(
        "algorithm VectorAddition(n)
  input  A[n], B[n]
  output C[n]
  global a[n], b[n], c[n]
  shared _a[b], _b[b], _c[b]
  a ⇚ A
  b ⇚ B
  for all mp_i ∈ MP[0..⌈n/b⌉-1] in parallel do
    for all c_{i,j} ∈ C_i in parallel do
      if ib + j < n then
        _a[j] ⇐ a[ib + j]
        _b[j] ⇐ b[ib + j]
        _c[j] ← _a[j] + _b[j]
        c[ib + j] ⇐ _c[j]
      end if
    end for
  end for
  C ⇚ c
",
    );
    let mut options = with(&[]);
    options.trace = Some(vec![31]);
    let outcome = execute(&program, 1000, 32, &options).expect("it runs");
    // The guard's 3 operations for all cores of 32 MPs, the other 13 for each word.
    assert_eq!(outcome.lane_operations, 3 * 1024 + 13 * 1000);
    let active: Vec<u64> = outcome.trace.iter().map(|line| line.active).collect();
    assert_eq!(active, [32, 8, 8, 8, 8]);
    let operations: u64 = outcome.trace.iter().map(|line| line.operations).sum();
    assert_eq!(operations, 16);
    assert_eq!(outcome.trace[1].text, "_a[j] ⇐ a[ib + j]");
}

#[test]
fn the_first_fault_is_the_lowest_mp_then_instruction_then_core() {
    // MP 1 faults in its first statement, MP 0 in its second: core 2 before core 3.
    assert_fault(
        "2",
        "      if i = 1 then
        _x[j + 4] ← 0
      end if
      _x[j] ← 4 div (2 - j)",
        "value::division-by-zero",
        4,
        "MP 0, core 2",
    );
}

#[test]
fn mps_race_unless_all_values_are_equal() {
    let lines = "      _x[j] ← 7
      if j = 0 then
        c[0] ⇐ _x[0]
      end if";
    let fine = kernel("3", lines);
    assert!(execute(&fine, 8, 4, &with(&[])).is_ok());
    assert_fault(
        "3",
        "      _x[j] ← i
      c[j] ⇐ _x[j]",
        "race::global",
        2,
        "MP 0 writes `c[0]`, and MP 1, core 0 writes another value",
    );
    // MP 0 writes 1, then 2; MP 1 writes 2: not all values are equal.
    assert_fault(
        "2",
        "      _x[j] ← 1
      if i = 0 then
        c[0] ⇐ _x[0]
      end if
      _x[j] ← 2
      c[0] ⇐ _x[0]",
        "race::global",
        6,
        "c[0]",
    );
    assert_fault(
        "2",
        "      _x[j] ⇐ a[j]
      a[j] ⇐ _x[j]",
        "race::global",
        1,
        "MP 0 writes `a[0]`, and MP 1, core 0 reads",
    );
}

#[test]
fn cores_race_within_an_instruction() {
    assert_fault(
        "1",
        "      _x[j] ← j
      c[j div 2] ⇐ _x[j]",
        "race::global",
        2,
        "cores 0 and 1 write 0 and 1 to `c[0]`",
    );
    assert_fault("1", "      _x[0] ← j", "race::shared", 1, "cores 0 and 1");
    // All NaNs are equal bits; −0 and 0 are not.
    let nan = kernel("1", "      _f[0] ← (j + 1.0)·(0.0/0.0)");
    assert!(execute(&nan, 8, 4, &with(&[])).is_ok());
    assert_fault("1", "      _f[0] ← 0.0·(1 - j)", "race::shared", 1, "-0.0");
}

#[test]
fn indices_stay_within_their_own_dimension() {
    let program = program(
        "algorithm T(n)
  global a[n, n]
  shared _x[b, 2]
  for all mp_i ∈ MP[0..0] in parallel do
    for all c_{i,j} ∈ C_i in parallel do
      _x[0, j] ← 1
    end for
  end for
",
    );
    let faults = execute(&program, 8, 4, &with(&[])).expect_err("a fault");
    assert_eq!(faults[0].code.short_name(), "bounds::shared");
    assert_eq!(
        faults[0].message,
        "index 2 of `_x` is 2, outside 0..1 (MP 0, core 2)"
    );
}

#[test]
fn values_are_checked_where_they_arise() {
    assert_fault(
        "1",
        "      _y[j] ← 99 + j",
        "value::range",
        1,
        "101 is written to `_y[2]`",
    );
    assert_fault(
        "1",
        "      _x[j] ← 2^63 - 2 + j",
        "value::overflow",
        1,
        "9223372036854775808",
    );
    assert_fault("1", "      _x[j] ← n/3", "value::not-integral", 1, "8/3");
    assert_fault(
        "1",
        "      _x[j] ← _x[j] + 1",
        "value::uninitialised",
        1,
        "`_x[0]`",
    );
    assert_fault(
        "1",
        "      _x[j] ← 2^62
      _x[j] ← _x[j] + _x[j] - _x[j]",
        "value::overflow",
        2,
        "MP 0, core 0",
    );
    // Parameters are unbounded in between, and fractions compare.
    let fine = kernel(
        "1",
        "      _x[j] ← 2^70/2^69
      if j < 5/2 ∧ j/2 < 3 then
        _y[j] ← 3·(j/3)
        _f[j] ← j/2
        _y[j] ← ⌊_f[j]·2⌋ - j
      end if",
    );
    assert!(execute(&fine, 8, 4, &with(&[])).is_ok());
}

#[test]
fn loops_pass_their_bound_only_by_beginning_another_iteration() {
    let lines = |bound: &str| {
        format!(
            "      _x[j] ← 0
      while _x[j] < j at most {bound} do
        _x[j] ← _x[j] + 1
      end while"
        )
    };
    let fine = kernel("1", &lines("j"));
    assert!(execute(&fine, 8, 4, &with(&[])).is_ok());
    assert_fault("1", &lines("2"), "loop::bound-exceeded", 2, "core 3");
}

#[test]
fn every_input_is_checked() {
    let text = |declaration: &str| {
        format!("algorithm T(n)\n  input {declaration}\n  global a[n]\n  a ⇚ A\n")
    };
    let code = |declaration: &str, input: Input| {
        let program = program(&text(declaration));
        match execute(&program, 3, 4, &with(&[("A", input)])) {
            Ok(_) => "fine".to_owned(),
            Err(faults) => faults[0].code.short_name().to_owned(),
        }
    };
    assert_eq!(code("A[n]", ints(&[1, 2, 3])), "fine");
    assert_eq!(code("A[n]", ints(&[1, 2])), "access::shape");
    assert_eq!(code("A[n] in 0..2", ints(&[0, 1, 3])), "value::range");
    assert_eq!(code("A[n] as sorted", ints(&[0, 2, 1])), "value::range");
    assert_eq!(
        code("A[n] as permutation", ints(&[0, 2, 2])),
        "value::range"
    );
    assert_eq!(code("A[n] as permutation", ints(&[2, 0, 1])), "fine");
    assert_eq!(code("A[n] as list", ints(&[2, 1, 1])), "fine");
    assert_eq!(code("A[n] in 5..4", Input::Random), "value::range");
    let half = Rational::new(1, 2).expect("1/2");
    assert_eq!(code("A[n]", Input::Fill(half)), "type::mismatch");
    let floats = Input::Given(Array {
        shape: vec![3],
        data: Data::Float(vec![0.0; 3]),
    });
    assert_eq!(code("A[n]", floats), "type::mismatch");
    let program = program(&text("A[n]"));
    let faults = execute(&program, 3, 4, &with(&[("B", Input::Iota)])).expect_err("a fault");
    assert_eq!(faults[0].code.short_name(), "usage::value");
}

#[test]
fn failing_ensures_show_their_values() {
    let program = program(
        "algorithm T(n)
  input A[n]
  output C[n], D[n]
  global a[n]
  ensure ∀ x ∈ 0..n-1 : A[x] = x ∧ C[x] < n - 1
  ensure D[0] = 0
  ensure C[0] = 0
  a ⇚ A
  C ⇚ a
",
    );
    let outcome = execute(&program, 600, 4, &with(&[("A", Input::Iota)])).expect("it runs");
    let holds: Vec<bool> = outcome.ensures.iter().map(|ensure| ensure.holds).collect();
    assert_eq!(holds, [false, false, true]);
    let codes: Vec<&str> = outcome
        .diagnostics
        .iter()
        .map(|fault| fault.code.short_name())
        .collect();
    assert_eq!(codes, ["ensure::failed", "value::uninitialised"]);
    let found = outcome.ensures[0].counterexample.iter();
    let shown: Vec<String> = found.map(ToString::to_string).collect();
    assert_eq!(shown, ["x = 599", "C[x] is 599", "n - 1 is 599"]);
}

#[test]
fn memory_is_estimated_first() {
    let program = kernel("1", "      _x[j] ← 0");
    let mut options = with(&[]);
    options.memory_limit = Some(1 << 20);
    let faults = execute(&program, 1 << 40, 4, &options).expect_err("too large");
    assert_eq!(faults[0].code.short_name(), "resource::memory");
    assert!(faults[0].message.contains("TiB"), "{}", faults[0].message);
}

/// Without a limit of the caller's the library has its own, so that no size ends the process.
#[test]
fn memory_is_limited_where_nobody_says_so() {
    let program = kernel("1", "      _x[j] ← 0");
    for n in [1 << 30, 1 << 36, 1 << 40, 1 << 62, i64::MAX] {
        let faults = execute(&program, n, 4, &with(&[])).expect_err("too large");
        assert_eq!(faults[0].code.short_name(), "resource::memory", "{n}");
        assert!(faults[0].message.contains("4 GiB"), "{}", faults[0].message);
    }
}

/// What an input was is kept only where the program writes it: 17 bytes a word instead of 9.
#[test]
fn memory_is_asked_for_what_an_overwritten_input_was() {
    let n = 100_000;
    let mut options = with(&[]);
    options.memory_limit = Some(30 * n as u64);
    for (line, fits) in [("", true), ("  A ⇚ a\n", false)] {
        let program = program(&format!(
            "algorithm T(n)\n  input A[n]\n  global a[n]\n  a ⇚ A\n{line}"
        ));
        let outcome = execute(&program, n, 4, &options);
        assert_eq!(outcome.is_ok(), fits, "{line}");
        if let Err(faults) = outcome {
            assert_eq!(faults[0].code.short_name(), "resource::memory");
        }
    }
}

struct StopAt(AtomicU32);

impl Progress for StopAt {
    fn advance(&self, _done: Work) -> ControlFlow<()> {
        if self.0.fetch_sub(1, Ordering::Relaxed) == 1 {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

#[test]
fn an_endless_loop_can_be_stopped() {
    let program = kernel(
        "1",
        "      _x[j] ← 0
      while _x[j] = 0 do
        _x[j] ← 0
      end while",
    );
    let point = point(&program, 8, 4);
    let mut execution = Execution::prepare(&program, &point, &with(&[])).expect("it prepares");
    let stopped = execution.run(&StopAt(AtomicU32::new(20)));
    assert!(stopped.expect_err("stopped").is_empty());
}

#[test]
fn random_data_depend_on_the_seed_alone() {
    let program = kernel("1", "      _x[j] ← 0");
    let data = |seed: u64, threads: usize| {
        let options = Options {
            seed,
            threads,
            ..Options::default()
        };
        let outcome = execute(&program, 50, 4, &options).expect("it runs");
        outcome.host["A"].array.clone()
    };
    assert_eq!(data(1, 1), data(1, 2));
    assert_ne!(data(1, 1), data(2, 1));
}
