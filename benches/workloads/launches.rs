//! What a launch costs besides its words: host loops of many small rounds, and one warp with all
//! that belongs to it, from the text to the result.

use std::hint::black_box;
use std::time::Duration;

use atgpu::exec::{Data, Execution, Options, Unwatched};
use atgpu::meaning::Point;
use atgpu::program::Program;

use crate::paired::{CORES, Given, in_turn, numbers, options, point, program, threads};
use crate::vectors;

/// Rounds of a host loop.
const ROUNDS: usize = 10_000;

/// Kernels of one round, and what a round says that is new to the kernel: nothing in the first of a
/// pair. `w` is the number of MPs.
const KERNELS: [(&str, [&str; 2], &str); 4] = [
    (
        "a word from further on",
        ["3", "t mod 7"],
        "for all mp_i ∈ MP[0..w - 1] in parallel do
          for all c_{i,j} ∈ C_i in parallel do
            _x[j] ⇐ a[ib + j + NEW]
            c[ib + j] ⇐ _x[j]
          end for
        end for",
    ),
    (
        "sums of a tree, as many MPs as the round says",
        ["w", "1 + t mod w"],
        "let k = NEW
        for all mp_i ∈ MP[0..k - 1] in parallel do
          for all c_{i,j} ∈ C_i in parallel do
            _x[j] ⇐ a[ib + j]
            for s = 1 → log2 b do
              let h = b/2^s
              if j < h then
                _x[j] ← _x[j] + _x[j + h]
              end if
            end for
            if j = 0 then
              c[i] ⇐ _x[0]
            end if
          end for
        end for",
    ),
    (
        "a value written",
        ["3", "t"],
        "for all mp_i ∈ MP[0..w - 1] in parallel do
          for all c_{i,j} ∈ C_i in parallel do
            _x[j] ⇐ a[ib + j]
            _x[j] ← _x[j] + NEW
            c[ib + j] ⇐ _x[j]
          end for
        end for",
    ),
    (
        "a guard",
        ["n - 3", "n - t mod 7"],
        "for all mp_i ∈ MP[0..w - 1] in parallel do
          for all c_{i,j} ∈ C_i in parallel do
            if ib + j < NEW then
              _x[j] ⇐ a[ib + j]
              c[ib + j] ⇐ _x[j]
            end if
          end for
        end for",
    ),
];

/// Prints a row a kernel and size, then those of one warp.
pub fn measure() {
    println!("kernel,words,rounds,nothing new,something new,more a launch");
    for (name, told, kernel) in KERNELS {
        for words in [CORES, 32 * CORES] {
            let programs = told.map(|told| rounds(&kernel.replace("NEW", told)));
            let [mut same, mut new] = programs.each_ref().map(|checked| prepared(checked, words));
            let execute = |execution: &mut Execution<'_>| {
                black_box(execution.execute(&Unwatched).expect("it runs"));
            };
            let (same, new) = in_turn(
                Duration::from_secs(2),
                || execute(&mut same),
                || execute(&mut new),
            );
            let more = (new.as_secs_f64() - same.as_secs_f64()) / ROUNDS as f64 * 1e6;
            println!("{name},{words},{ROUNDS},{same:.2?},{new:.2?},{more:.2}µs");
        }
    }
    println!("vector addition,words,again,from a point,from the text");
    for words in [CORES, 32 * CORES] {
        let text = vectors::addition(words).program;
        let inputs: [Given; 2] = ["A", "B"].map(|name| {
            let words_of = numbers(words, 1000);
            (name, Data::Int(words_of), vec![words])
        });
        let options = options(&inputs, threads());
        let checked = program(text);
        let at = |checked: &Program| point(checked, &[("n", words)]);
        let one = |checked: &Program, at: &Point, options: &Options| {
            let execution = Execution::prepare(checked, at, options);
            let mut execution = execution.unwrap_or_else(|faults| panic!("{faults:?}"));
            black_box(execution.run(&Unwatched).expect("it runs"));
        };
        let prepared = Execution::prepare(&checked, &at(&checked), &options);
        let mut prepared = prepared.unwrap_or_else(|faults| panic!("{faults:?}"));
        let mut again = || {
            black_box(prepared.execute(&Unwatched).expect("it runs"));
        };
        let mut anew = || one(&checked, &at(&checked), &options);
        let (again, anew) = in_turn(Duration::from_secs(1), &mut again, &mut anew);
        let mut read = || {
            let checked = program(text);
            one(&checked, &at(&checked), &options);
        };
        let (read, _) = in_turn(Duration::from_secs(1), &mut read, || {});
        println!("vector addition,{words},{again:.2?},{anew:.2?},{read:.2?}");
    }
}

/// A host loop over a kernel.
fn rounds(kernel: &str) -> Program {
    program(&format!(
        "algorithm Rounds(n, m)
  require b | n
  input A[n + 7] in 0..99
  output C[1]
  global a[n + 7], c[n]
  shared _x[b]
  let w = n/b
  a ⇚ A
  for t = 1 → m do
        {kernel}
  end for
  C[0] ⇚ c[0]
"
    ))
}

/// Such a loop with its data.
fn prepared(checked: &Program, words: usize) -> Execution<'_> {
    let at = point(checked, &[("n", words), ("m", ROUNDS)]);
    let inputs: [Given; 1] = [("A", Data::Int(numbers(words + 7, 100)), vec![words + 7])];
    let execution = Execution::prepare(checked, &at, &options(&inputs, threads()));
    execution.unwrap_or_else(|faults| panic!("{faults:?}"))
}
