//! What a launch costs besides its words: host loops of many small rounds, and one warp with all
//! that belongs to it, from the text to the result.

use std::hint::black_box;
use std::time::Duration;

use atgpu::exec::{Data, Execution, Options, Unwatched};
use atgpu::meaning::Point;
use atgpu::program::Program;

use crate::paired::{CORES, Given, in_turn, numbers, options, point, prepared, program, threads};
use crate::vectors;

/// Rounds of a host loop.
const ROUNDS: usize = 10_000;

/// A kernel of one round, where `NEW` stands for what the round says.
struct Told {
    name: &'static str,
    /// Nothing new to the kernel, and something.
    new: [&'static str; 2],
    /// How many MPs; `w` has one for each b words.
    mps: &'static str,
    /// What a core does.
    body: &'static str,
}

const KERNELS: [Told; 4] = [
    Told {
        name: "a word from further on",
        new: ["3", "t mod 7"],
        mps: "w",
        body: "_x[j] ⇐ a[ib + j + NEW]
        c[ib + j] ⇐ _x[j]",
    },
    Told {
        name: "sums of a tree, as many MPs as the round says",
        new: ["w", "1 + t mod w"],
        mps: "NEW",
        body: "_x[j] ⇐ a[ib + j]
        for s = 1 → log2 b do
          let h = b/2^s
          if j < h then
            _x[j] ← _x[j] + _x[j + h]
          end if
        end for
        if j = 0 then
          c[i] ⇐ _x[0]
        end if",
    },
    Told {
        name: "a value written",
        new: ["3", "t"],
        mps: "w",
        body: "_x[j] ⇐ a[ib + j]
        _x[j] ← _x[j] + NEW
        c[ib + j] ⇐ _x[j]",
    },
    Told {
        name: "a guard",
        new: ["n - 3", "n - t mod 7"],
        mps: "w",
        body: "if ib + j < NEW then
          _x[j] ⇐ a[ib + j]
          c[ib + j] ⇐ _x[j]
        end if",
    },
];

/// Prints a row a kernel and size, then those of one warp.
pub fn measure() {
    println!("kernel,words,rounds,nothing new,something new,more a launch");
    for told in KERNELS {
        for words in [CORES, 32 * CORES] {
            let programs = told.new.map(|new| rounds(&told, new));
            let [mut same, mut new] = programs.each_ref().map(|checked| looping(checked, words));
            let execute = |execution: &mut Execution<'_>| {
                black_box(execution.execute(&Unwatched).expect("it runs"));
            };
            let (same, new) = in_turn(
                Duration::from_secs(2),
                || execute(&mut same),
                || execute(&mut new),
            );
            let more = (new.as_secs_f64() - same.as_secs_f64()) / ROUNDS as f64 * 1e6;
            let name = told.name;
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
            black_box(
                prepared(checked, at, options)
                    .run(&Unwatched)
                    .expect("it runs"),
            );
        };
        let mut kept = prepared(&checked, &at(&checked), &options);
        let mut again = || {
            black_box(kept.execute(&Unwatched).expect("it runs"));
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
fn rounds(Told { mps, body, .. }: &Told, new: &str) -> Program {
    let text = format!(
        "algorithm Rounds(n, m)
  require b | n
  input A[n + 7] in 0..99
  output C[1]
  global a[n + 7], c[n]
  shared _x[b]
  let w = n/b
  a ⇚ A
  for t = 1 → m do
    let k = {mps}
    for all mp_i ∈ MP[0..k - 1] in parallel do
      for all c_{{i,j}} ∈ C_i in parallel do
        {body}
      end for
    end for
  end for
  C[0] ⇚ c[0]
"
    );
    program(&text.replace("NEW", new))
}

/// Such a loop with its data.
fn looping(checked: &Program, words: usize) -> Execution<'_> {
    let at = point(checked, &[("n", words), ("m", ROUNDS)]);
    let inputs: [Given; 1] = [("A", Data::Int(numbers(words + 7, 100)), vec![words + 7])];
    prepared(checked, &at, &options(&inputs, threads()))
}
