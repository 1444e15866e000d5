//! Values that no program was written for: of parameters, of machines, of options.

use crate::cli::hostile::{ONE_MORE, atgpu, folder_with, status, told};

/// What `args` answer, each beside the status and a part of what is told.
fn answer(cases: &[(i32, &str, &[&str])], files: &[(&str, &str)]) {
    let files: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(name, text)| (*name, text.as_bytes()))
        .chain([("x.atgpu", ONE_MORE.as_bytes())])
        .collect();
    let folder = folder_with(&files);
    for (expected, part, args) in cases {
        let found = atgpu(folder.path(), args);
        assert_eq!(status(&found), *expected, "{args:?}: {}", told(&found));
        assert!(told(&found).contains(part), "{args:?}: {}", told(&found));
    }
}

/// Of its words, one goes to the device.
const LARGE_ON_THE_HOST: &str = "algorithm LargeOnTheHost(n)
  require n ≥ 1
  input A[n]
  output C[1]
  global a[1]
  a[0..0] ⇚ A[0..0]
  C ⇚ a
end algorithm
";

#[test]
fn any_n_has_an_answer() {
    let beyond = "needs 2_000_000_000_000_000_000_000_000_000_000 words";
    answer(
        &[
            (0, "GPU-cost", &["cost", "x.atgpu", "-D", "n=0"]),
            (0, "GPU-cost", &["run", "x.atgpu", "-D", "n=0"]),
            (0, "GPU-cost", &["cost", "x.atgpu", "-D", "n=1"]),
            (0, "GPU-cost", &["run", "x.atgpu", "-D", "n=1"]),
            (1, "require::violated", &["cost", "x.atgpu", "-D", "n=-1"]),
            (1, "require::violated", &["run", "x.atgpu", "-D", "n=-1e18"]),
            // Exact, however large.
            (
                0,
                "2000000000000000000β",
                &["derive", "x.atgpu", "-D", "n=1e18"],
            ),
            (
                0,
                "2000000000000000000000000000000β",
                &["derive", "x.atgpu", "-D", "n=1e30"],
            ),
            // More than the machine has, however large.
            (1, "limit::global", &["cost", "x.atgpu", "-D", "n=1e18"]),
            (1, beyond, &["cost", "x.atgpu", "-D", "n=1e30"]),
            (1, beyond, &["check", "x.atgpu", "-D", "n=1e30"]),
            // Nobody counts a hundred digits.
            (
                1,
                "needs 2000…0000 (101 digits) words",
                &["check", "x.atgpu", "-D", "n=1e100"],
            ),
            (1, beyond, &["compare", "x.atgpu", "-D", "n=1e30"]),
            (1, beyond, &["overlap", "x.atgpu", "-D", "n=1e30"]),
            (
                1,
                "limit::global",
                &["sweep", "x.atgpu", "--vary", "n=1e30"],
            ),
            (1, "limit::global", &["run", "x.atgpu", "-D", "n=1e18"]),
            // More than there is memory, on a machine that would have it.
            (
                2,
                "resource::memory",
                &["run", "x.atgpu", "-D", "n=1e18", "-D", "G=2^62"],
            ),
            (
                2,
                "more than a million PiB",
                &["run", "host.atgpu", "-D", "n=2^1000"],
            ),
            (2, "10000 digits", &["cost", "x.atgpu", "-D", "n=2^100000"]),
        ],
        &[("host.atgpu", LARGE_ON_THE_HOST)],
    );
}

/// A formula at values that the program refuses would be a number of nothing.
#[test]
fn nothing_is_derived_at_values_that_violate_a_require() {
    answer(
        &[
            (1, "require::violated", &["derive", "x.atgpu", "-D", "n=-1"]),
            (2, "usage::value", &["derive", "x.atgpu", "-D", "n=0.5"]),
            (0, "GPU-cost", &["derive", "x.atgpu", "-D", "b=3"]),
            (
                1,
                "require::violated",
                &["derive", "odd.atgpu", "-D", "b=3"],
            ),
            (0, "GPU-cost", &["derive", "odd.atgpu", "-D", "n=3"]),
            (
                1,
                "require::violated",
                &["derive", "odd.atgpu", "-D", "n=3", "-D", "b=2"],
            ),
        ],
        &[(
            "odd.atgpu",
            "algorithm Odd(n)\n  require b is a power of 2\n  require k = 2\n  let k = ⌈n/b⌉ + 1\n\
             \x20 input A[k]\n  global a[k]\n  a ⇚ A\n",
        )],
    );
}

#[test]
fn any_b_has_an_answer() {
    for b in ["b=1", "b=3", "b=33"] {
        for command in ["check", "derive", "cost", "run"] {
            answer(
                &[(0, "", &[command, "x.atgpu", "-D", "n=100", "-D", b])],
                &[],
            );
        }
    }
    for b in ["b=0", "b=-4", "b=2^70", "b=1/2"] {
        for command in ["check", "derive", "cost", "run"] {
            let args = [command, "x.atgpu", "-D", "n=100", "-D", b];
            answer(&[(2, "usage::value", &args)], &[]);
        }
    }
    // Shared memory for b words, however many these are.
    for command in ["check", "cost"] {
        let args = [command, "x.atgpu", "-D", "n=100", "-D", "b=1e18"];
        answer(&[(1, "limit::shared", &args)], &[]);
    }
}

#[test]
fn shared_arrays_of_any_size_are_judged() {
    let text = ONE_MORE.replace("_x[b]", "_x[n^3]");
    let args = ["cost", "large.atgpu", "-D", "n=1e9", "-D", "G=2^60"];
    let large = [("large.atgpu", text.as_str())];
    answer(&[(1, "limit::shared", &args)], &large);
}

#[test]
fn machines_are_numbers_in_their_range() {
    for (name, expected) in [("M", "limit::shared"), ("G", "limit::global")] {
        let zero = format!("{name}=0");
        let args = ["cost", "x.atgpu", "-D", "n=8", "-D", &zero];
        answer(&[(1, expected, &args)], &[]);
    }
    for given in [
        "M=-1",
        "p=0",
        "G=-1",
        "H=0",
        "k'=0",
        "gamma=0",
        "gamma=-1",
        "lambda=-1",
        "alpha=-1",
        "beta=1e400",
        "sigma=-0.5",
        "alpha=nan",
        "alpha=inf",
    ] {
        for command in ["check", "cost", "run", "derive"] {
            let args = [command, "x.atgpu", "-D", "n=8", "-D", given];
            answer(&[(2, "usage::value", &args)], &[]);
        }
    }
    for line in [
        "p = nan",
        "p = 0",
        "p = -1",
        "p = 1e400",
        "p = 99999999999999999999",
        "p = 4.5",
        "p = \"x\"",
        "p = []",
        "p = 4\np = 4",
        "p = ",
    ] {
        let file = format!("name = \"x\"\n[atgpu]\n{line}\nb = 4\nM = 64\nG = 64\n");
        let args = ["cost", "x.atgpu", "-D", "n=8", "--machine", "m.toml"];
        answer(&[(2, "machine::", &args)], &[("m.toml", &file)]);
    }
    for section in [
        "[device]\nclock_ghz = 0",
        "[device]\nclock_ghz = nan",
        "[device]\nclock_ghz = inf",
        "[device]\nclock_ghz = -1",
        "[device]\nmultiprocessors = 0",
        "[transfer]\nalpha_ms = nan",
        "[transfer]\nalpha_ms = -1",
        "[nonsense]\nx = 1",
        "word_bytes = 0",
        "word_bytes = -4",
    ] {
        let file = format!("name = \"x\"\n[atgpu]\np = 4\nb = 4\nM = 64\nG = 64\n{section}\n");
        let args = ["cost", "x.atgpu", "-D", "n=8", "--machine", "m.toml"];
        answer(&[(2, "machine::", &args)], &[("m.toml", &file)]);
    }
}

#[test]
fn ranges_to_vary_are_read_or_refused() {
    for vary in [
        "n",
        "n=",
        "n=..",
        "n=1..0",
        "n=0..4",
        "n=-4..4",
        "n=1..10:x1",
        "n=1..10:x0",
        "n=1..10:+0",
        "n=1..10:+-1",
        "n=1..10:x0.5",
        "n=1..10:y",
        "n=1..nan",
        "q=1..2",
        "n=1.5..3",
        "b=0",
        "n=2^100000..2^100001",
        "n=1..2^20000",
    ] {
        let sweep = ["sweep", "x.atgpu", "-D", "n=8", "--vary", vary];
        answer(&[(2, "usage::value", &sweep)], &[]);
    }
    let plot = ["plot", "x.atgpu", "--vary", "n=1..2^30:+1", "-o", "f.svg"];
    answer(&[(2, "4000000 points", &plot)], &[]);
}

/// No MPs, no cores for which anything holds, nothing to move.
#[test]
fn kernels_without_mps_are_rounds_of_nothing() {
    let text = ONE_MORE.replace("MP[0..⌈n/b⌉-1]", "MP[0..n-9]");
    let text = text.replace("C ⇚ c", "A ⇚ a");
    let none = [("none.atgpu", text.as_str())];
    for command in ["cost", "run"] {
        let args = [command, "none.atgpu", "-D", "n=8", "--format", "json"];
        answer(&[(0, "\"k\":0,\"t\":0,\"q\":0", &args)], &none);
    }
}

/// Rounds that are counted beyond a word stay exact.
#[test]
fn more_rounds_than_a_word_holds_are_not_rounded() {
    let round = "    a ⇚ A\n    for all mp_i ∈ MP[0..0] in parallel do\n      \
        for all c_{i,j} ∈ C_i in parallel do\n        _x[j] ← 1\n      end for\n    end for\n  end for\n";
    let text = format!(
        "algorithm Two(n)\n  input A\n  global a\n  shared _x[b]\n  for r = 1 → n do\n{round}  \
         for r = 1 → n do\n{round}"
    );
    let args = ["cost", "two.atgpu", "-D", "n=2^63", "--format", "json"];
    let total = "\"rounds\":\"18446744073709551616\"";
    answer(&[(0, total, &args)], &[("two.atgpu", &text)]);
    let each = "\"count\":\"9223372036854775808\"";
    answer(&[(0, each, &args)], &[("two.atgpu", &text)]);
}
