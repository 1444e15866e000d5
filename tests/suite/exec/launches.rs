//! Kernels launched again and again with other values of the host: what is kept from one launch to
//! the next shows in no count and no word.

use crate::support::programs::program;
use atgpu::count::Parameters;
use atgpu::diag::Diagnostic;
use atgpu::exec::{Engine, Execution, Options, Outcome, Unwatched};
use atgpu::meaning::Point;
use atgpu::program::Program;

/// Launches over `MP[0..k-1]` for t = 1 … 40, each with these lines for every core; then a swap.
fn launches(k: &str, lines: &str) -> Program {
    program(&format!(
        "algorithm T(n)
  input A[n] in -9..9
  output C[n]
  global a[n], c[n]
  shared _x[b], _y[b]
  shared float _f[b]
  a ⇚ A
  c ⇚ A
  for t = 1 → 40 do
    let u = t mod 3
    let w = 2^(t + u)
    for all mp_i ∈ MP[0..{k}-1] in parallel do
      for all c_{{i,j}} ∈ C_i in parallel do
        {lines}
      end for
    end for
    swap a ↔ c
  end for
  C ⇚ a
"
    ))
}

type Ran = Result<Outcome, Vec<Diagnostic>>;

/// Two runs of the same execution.
fn twice(program: &Program, engine: Engine, threads: usize) -> [Ran; 2] {
    let mut parameters = Parameters::new();
    parameters.set("n", 64);
    let point = Point::new(program, [64, 8, 4096, 1 << 20], &parameters).expect("a point");
    let options = Options {
        threads,
        ..Options::default()
    };
    let execution = Execution::prepare(program, &point, &options).expect("it is ready");
    let mut execution = execution.by(engine);
    [execution.run(&Unwatched), execution.run(&Unwatched)]
}

/// Holds every engine against the reference; gives the reference's faults.
fn agree(k: &str, lines: &str) -> Vec<Diagnostic> {
    let program = launches(k, lines);
    let [reference, _] = twice(&program, Engine::Reference, 1);
    for (engine, threads) in [
        (Engine::Batches, 1),
        (Engine::Batches, 2),
        (Engine::Statements, 1),
        (Engine::Statements, 2),
    ] {
        for ran in twice(&program, engine, threads) {
            match (ran, &reference) {
                (Ok(ran), Ok(reference)) => {
                    assert_eq!(ran.counts, reference.counts, "{lines}");
                    assert_eq!(ran.host, reference.host, "{lines}");
                    assert_eq!(ran.lane_operations, reference.lane_operations, "{lines}");
                }
                (Err(ran), Err(reference)) => {
                    assert_eq!(format!("{ran:?}"), format!("{reference:?}"), "{lines}");
                }
                (ran, reference) => panic!("{lines}: {ran:?} but {reference:?}"),
            }
        }
    }
    reference.err().unwrap_or_default()
}

#[test]
fn other_values_of_the_host_give_what_the_reference_gives() {
    for k in ["1", "⌈n/b⌉", "(1 + t mod 4)", "max(1, ⌈n/(b*t)⌉)"] {
        for lines in [
            "_x[j] ⇐ a[ib + j]\n_x[j] ← _x[j] + t\nc[ib + j] ⇐ _x[j]",
            "if ib + j + u < n then\n_x[j] ⇐ a[ib + j + u]\nc[ib + j] ⇐ _x[j]\nend if",
            "_x[j] ⇐ a[(ib + j + 5*t) mod n]\n_y[(j + t) mod b] ← (_x[j]*t - u) mod 1000\n\
             c[ib + j] ⇐ _y[j]",
            "_x[j] ⇐ a[ib + j]\nfor s = 1 → u + 1 do\n_x[j] ← _x[j] + s*t\nend for\n\
             c[ib + j] ⇐ _x[j]",
            "_x[j] ⇐ a[ib + j]\nif t mod 2 = 0 ∧ j < u + 2 then\n_x[j] ← _x[j] + ⌊7t/(u + 1)⌋\n\
             end if\nc[ib + j] ⇐ _x[j]",
            "_f[j] ← t/7\n_x[j] ← ⌊_f[j]*10⌋ + min(t, j) + abs(5 - t)\nc[ib + j] ⇐ _x[j]",
            "if j < w/3 then\n_x[j] ← t\nc[ib + j] ⇐ _x[j]\nend if",
            "_x[j] ← ⌊w/(j + 1)⌋ mod 100 + log2 w\nc[ib + j] ⇐ _x[j]",
        ] {
            assert!(agree(k, lines).is_empty(), "{k}: {lines}");
        }
    }
}

#[test]
fn a_fault_that_only_a_later_launch_meets_is_met_there() {
    let late = |k: &str, lines: &str, code: &str| {
        let faults = agree(k, lines);
        assert_eq!(faults[0].code.short_name(), code, "{k}: {lines}");
    };
    for k in ["1", "8"] {
        let beyond = "_x[j] ⇐ a[b*i + j + ⌊t/30⌋*n]\nc[b*i + j] ⇐ _x[j]";
        late(k, beyond, "bounds::global");
        // The square of w is no word from t + u = 32 on.
        late(k, "_x[j] ← w*w\nc[b*i + j] ⇐ _x[j]", "value::overflow");
        // Two cores of one MP write a word, with other values once t is 20.
        let meets = "_x[j] ← ⌊t/20⌋*j\nc[b*i] ⇐ _x[j]";
        late(k, meets, "race::global");
    }
    let mps = "_x[j] ← i*⌊t/20⌋\nc[j] ⇐ _x[j]";
    late("8", mps, "race::global");
    assert!(agree("1", mps).is_empty());
}
