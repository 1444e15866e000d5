//! Sizes that indices of 32 bits do not reach: refused by who runs what is written, or with 64 bits.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::emit::kernels::{Formals, Way, judge, of_lines};
use crate::emit::runs::{Case, faults, judge_whole, told};
use crate::emit::{card, is_there};
use crate::support::engines::choice;
use crate::support::programs::program;
use atgpu::count::Parameters;
use atgpu::emit::{Emitted, Options, Parts, Target, Words, emit};
use atgpu::program::Program;
use atgpu::safety::safety;

fn whole(program: &Program, target: Target, defaults: Parameters) -> Emitted {
    // More words than 32 bits count.
    let card = card([64, 32, 12_288, 1 << 40]);
    let judged = safety(program, &().into(), &card);
    let options = Options {
        target,
        parts: Parts::Program,
        words: Words::default(),
        defaults,
        safety: Some(&judged),
        unchecked: false,
    };
    emit(program, &card, &options).expect("it is safe")
}

fn copy() -> Program {
    let lines = "if ib + j < n then\n_x[j] ⇐ a[ib + j]\nc[ib + j] ⇐ _x[j]\nend if";
    of_lines("Copy", "", lines)
}

/// Row by row, of arrays with n·m words.
fn table() -> Program {
    program(
        "algorithm Table(n, m)\n  require n ≥ 1 ∧ m ≥ 1\n  input A[n, m]\n  output C[n, m]\n  global a[n, m], c[n, m]\n  \
         shared _x[b]\n  a ⇚ A\n  for all mp_i ∈ MP[0..n-1] in parallel do\n    for all c_{i,j} ∈ C_i in parallel do\n      \
         for s = 0 → ⌈m/b⌉ - 1 do\n        if sb + j < m then\n          _x[j] ⇐ a[i, sb + j]\n          c[i, sb + j] ⇐ _x[j]\n        \
         end if\n      end for\n    end for\n  end for\n  C ⇚ c\n",
    )
}

#[test]
fn indices_of_a_whole_program_have_32_bits_up_to_2_to_the_30() {
    for target in Target::ALL {
        let emitted = whole(&copy(), target, Parameters::new());
        assert_eq!(emitted.index_bits, 32);
        let head = "Indices have 32 bits, proved for n ≤ 1073741824.";
        assert!(emitted.text.contains(head), "{}", emitted.text);
        // A product that may leave 32 bits does not where it is a place in an array.
        let emitted = whole(&table(), target, Parameters::new());
        assert!(
            emitted.text.contains("a[i * m + (s * b + j)]"),
            "{}",
            emitted.text
        );
    }
}

#[test]
fn a_larger_default_has_64_bits() {
    let bits = |program: &Program, defaults: Parameters| {
        let emitted = whole(program, Target::C, defaults);
        (emitted.index_bits, emitted.text)
    };
    assert_eq!(bits(&copy(), [("n", 1 << 30)].into()).0, 32);
    let (all, text) = bits(&copy(), [("n", (1 << 30) + 1)].into());
    assert_eq!(all, 64);
    assert!(
        text.contains("no end of") || text.contains("no end is known"),
        "{text}"
    );
    assert!(text.contains("n (line 1)"), "{text}");
    // Each size has room in 32 bits, and the words of an array have none.
    let (all, text) = bits(&table(), [("n", 50_000), ("m", 50_000)].into());
    assert_eq!(all, 32);
    assert!(text.contains("a[(whole)i * m + (s * b + j)]"), "{text}");
    assert!(!text.contains("\"words of a\""), "{text}");
}

/// Compiles a text as C, and runs it with some arguments.
fn ran(text: &str, place: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    fs::write(place.join("program.c"), text).expect("there is room");
    let mut compiler = Command::new("cc");
    compiler.args(["-Wall", "-Wextra", "-Werror", "-fwrapv", "-o", "program"]);
    let output = compiler.args(["program.c", "-lm"]).current_dir(place);
    let output = output.output().expect("it starts");
    assert!(output.status.success(), "{}", told(&output));
    let output = Command::new(place.join("program")).args(arguments).output();
    let output = output.expect("it starts");
    (output.status.code(), told(&output).trim().to_owned())
}

#[test]
fn larger_sizes_are_refused_when_it_runs() {
    if !is_there("cc", "--version") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let refused = |what: &str, most: &str| {
        let told = format!(
            "{what} is above {most}, up to which indices of 32 bits are proved: emit it with this size as -D"
        );
        (Some(2), told)
    };
    let text = whole(&copy(), Target::C, Parameters::new()).text;
    let above = refused("n = 1073741825", "1073741824");
    assert_eq!(ran(&text, folder.path(), &["n=1073741825"]), above);
    // 2^32 is 0 in 32 bits.
    let wrapping = refused("n = 4294967296", "1073741824");
    assert_eq!(ran(&text, folder.path(), &["n=4294967296"]), wrapping);
    assert_eq!(ran(&text, folder.path(), &["n=1000"]).0, Some(0));
    let text = whole(&table(), Target::C, Parameters::new()).text;
    let above = refused("words of a = 2500000000", "2147483647");
    assert_eq!(ran(&text, folder.path(), &["n=50000", "m=50000"]), above);
}

/// Loops over nothing, whose first or last value is beyond 32 bits, and there at the other end: 2^32 + 1 is 1 in 32
/// bits.
#[test]
fn loops_start_and_end_beyond_32_bits() {
    if !is_there("cc", "--version") {
        return;
    }
    let lines = "_x[j] ← j\nfor s = n^8 + 1 → 9 do\n  _x[j] ← _x[j] + 1\nend for\n\
                 for s = 1 → 9 - n^8 do\n  _x[j] ← _x[j] + 10\nend for\n\
                 for s = 5 downto n^8 + j do\n  _x[j] ← _x[j] + 100\nend for\n\
                 if ib + j < n then\n  c[ib + j] ⇐ _x[j]\nend if";
    let program = of_lines("Empty", "  require n ≤ 1000\n", lines);
    let case = Case {
        name: "empty".to_owned(),
        choice: choice(&program, 8, vec![("n".to_owned(), 16)]).expect("it is admitted"),
        program,
        words: Words::default(),
    };
    let found = faults(&[case], |case, place| {
        judge_whole(case, Target::C, &place.join("whole"))?;
        judge(
            case,
            Way::of(Target::C, Formals::Given),
            &place.join("kernels"),
        )
    });
    assert!(found.is_empty(), "{found}");
}
