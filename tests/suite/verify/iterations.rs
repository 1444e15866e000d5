//! Iterations that are counted together: loops whose iterations are alike but for something, held against
//! what a run counts, exactly.

use std::ops::ControlFlow;

use crate::support::engines::{assert_within, choice, count, execute};
use crate::support::programs::{load, load_file, path};
use atgpu::interval::{self, CountOptions, Counted};
use atgpu::machine::Machine;
use atgpu::meaning::Point;
use atgpu::program::Program;

/// What a loop over t = 0 … n does, after `_s[j] ← 0`, and what comes behind it. `_x` and `_s` have b words, `_m`
/// has n + 1 rows of b.
const KERNELS: [(&str, &str, &str); 14] = [
    (
        "one iteration does more",
        "if t = n div 2 then\n_s[j] ← 1\nend if",
        "",
    ),
    (
        "the later ones do more",
        "if 3t > n then\n_s[j] ← 1\n_s[j] ← 2\nend if",
        "",
    ),
    (
        "every second one does more",
        "if t mod 2 = 0 then\n_x[j] ← 1\nend if",
        "",
    ),
    (
        "a word holds the iteration",
        "_s[j] ← t",
        "for u = 0 → _s[j] do\n_x[j] ← u\nend for",
    ),
    (
        "a word counts iterations",
        "_s[j] ← _s[j] + 1",
        "for u = 2 → _s[j] do\n_x[j] ← u\nend for",
    ),
    (
        "a word is put back",
        "_s[j] ← t\n_x[j] ⇐ a[_s[j]·b + j]\n_s[j] ← 0",
        "",
    ),
    (
        "words follow each other",
        "_x[j] ← _s[j]\n_s[j] ← t",
        "for u = 0 → _x[j] do\n_s[j] ← u\nend for",
    ),
    ("blocks that are not aligned", "_x[j] ⇐ a[t + j]", ""),
    ("words in turn", "_x[(t + j) mod b] ⇐ a[t·b + j]", ""),
    (
        "rows written twice",
        "_m[t, j] ← 7",
        "for u = 0 → n do\n_m[u, j] ← 7\nend for",
    ),
    (
        "rows of which one differs",
        "_m[t, j] ← 0",
        "_m[n div 2, j] ← 3\nfor u = 0 → n do\nfor w = 0 → _m[u, j] do\n_x[j] ← 1\nend for\nend for",
    ),
    (
        "loops inside",
        "for u = 0 → t do\nfor w = 0 → n do\n_x[j] ⇐ a[w·b + j]\nend for\nend for",
        "",
    ),
    (
        "cores that end apart",
        "for u = j → t do\n_x[j] ⇐ a[u·b + j]\nend for",
        "",
    ),
    (
        "downwards",
        "for u = n downto 1 do\nif u ≤ 2 then\n_x[j] ⇐ a[(u + i)·b + j]\nend if\nend for",
        "",
    ),
];

fn program(text: (&str, &str)) -> Program {
    let (inside, behind) = text;
    let text = format!(
        "algorithm Iterations(n)\n  require n ≥ 0\n  input A[(n + 3)·b]\n  global a[(n + 3)·b]\n  \
         shared _x[b], _s[b], _m[n + 1, b]\n  a ⇚ A\n  \
         for all mp_i ∈ MP[0..2] in parallel do\n    for all c_{{i,j}} ∈ C_i in parallel do\n      \
         _s[j] ← 0\n      for t = 0 → n do\n{inside}\n      end for\n{behind}\n    \
         end for\n  end for\nend algorithm\n"
    );
    load("iterations", &text).0
}

#[test]
fn iterations_counted_together_count_as_each_alone() {
    for (what, inside, behind) in KERNELS {
        let program = program((inside, behind));
        for n in [0, 1, 2, 3, 4, 7, 8, 21] {
            for width in [1, 2, 4, 8, 32] {
                let choice = choice(&program, width, vec![("n".to_owned(), n)]).expect("admitted");
                let what = format!("{what}, {}", choice.label);
                let counted = count(&program, &choice);
                assert_within(&what, &counted, &execute(&program, &choice, 3).counts);
                for (name, bounds) in counted.totals.named() {
                    assert_eq!(bounds.lower, bounds.upper, "{what}: {name}");
                }
            }
        }
    }
}

/// What one iteration does that no other does is found, where it stands.
#[test]
fn a_fault_of_one_iteration_is_found() {
    let inside = "if t = 9 then\n_x[j] ⇐ a[(t + n)·b + j]\nend if";
    let program = program((inside, ""));
    let counted = counted(&program, 12);
    let fault = counted.faults.first().expect("it is out of bounds");
    assert_eq!(fault.code.name(), "atgpu::bounds::global");
    assert!(
        fault.message.contains(&(21 * 32).to_string()),
        "{}",
        fault.message
    );
}

/// Sixteen times as many iterations in each of two loops, one inside the other, take hardly more work.
#[test]
fn iterations_that_are_alike_take_no_work() {
    let file = path("programs/cookbook/breadth_first_search.atgpu");
    let (program, _) = load_file(&file);
    let [few, many] = [64, 1024].map(|n| counted(&program, n).work);
    assert!(many < 32 * few, "{few} core-steps grow to {many}");
}

/// Every core adds up the same n floats. The range of a sum grows with every iteration.
const SUM: &str = "\
algorithm Sum(n)
  require n ≥ 1
  input float A[n] in 0..1
  output float C[b]
  global float a[n], c[b]
  shared float _s[b], _x[b]
  a ⇚ A
  for all mp_i ∈ MP[0..0] in parallel do
    for all c_{i,j} ∈ C_i in parallel do
      _s[j] ← 0.0
      for t = 0 → n - 1 do
        _x[j] ⇐ a[t]
        _s[j] ← _s[j] + _x[j]
      end for
      c[j] ⇐ _s[j]
    end for
  end for
  C ⇚ c
end algorithm
";

#[test]
fn a_sum_of_floats_is_counted_once() {
    let program = atgpu::program(SUM).expect("sound");
    let machine = Machine::built_in("rtx4090").expect("built in");
    let count = |n: i64| {
        let point = Point::new(&program, machine.atgpu.numbers(), &[("n", n)].into());
        let options = CountOptions {
            // Forty iterations of all cores: far less than one after the other take.
            work_limit: Some(400 * 32),
            cycle_rules: Some(machine.rules()),
            ..CountOptions::default()
        };
        let going = |_| ControlFlow::Continue(());
        let counted = interval::count(&program, &point.expect("admitted"), &options, &going);
        counted.expect("counted within the limit")
    };
    let (few, many) = (count(1000), count(1_000_000));
    // A load is a block an iteration, and a block is written at the end.
    for (counted, blocks) in [(few, 1001), (many, 1_000_001)] {
        assert!(counted.bounds.is_empty(), "{:?}", counted.bounds);
        assert_eq!(counted.counts.totals.io.upper, blocks.into());
    }
}

fn counted(program: &Program, n: i64) -> Counted {
    let choice = choice(program, 32, vec![("n".to_owned(), n)]).expect("admitted");
    let going = |_| ControlFlow::Continue(());
    let counted = atgpu::interval::count(program, &choice.point, &CountOptions::default(), &going);
    counted.expect("countable")
}
