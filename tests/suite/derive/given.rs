//! What is derived where parameters are bounded or given: nothing is proved of values that no `require`
//! admits, and what no symbol is left in is a number.

use std::ops::ControlFlow;

use crate::support::programs::{load_file, program, programs};
use atgpu::count::Parameters;
use atgpu::derivation::{Derivation, Derived, Verdict};
use atgpu::derive::numbers::numbers;
use atgpu::derive::{derive, faults_of_given};
use atgpu::interval::CountOptions;
use atgpu::machine::Machine;
use atgpu::number::{BigInt, Rational};
use atgpu::sym::Expr;

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

/// A value takes no proof of a claim away, though with 32 in the place of b other rules apply: logarithms to base
/// 32 are fifths of those to base 2.
#[test]
fn what_is_claimed_is_proved_with_a_value_too() {
    for folder in ["programs/paper1", "programs/cookbook"] {
        for file in programs(folder) {
            let (program, _) = load_file(&file);
            let given = Parameters::from([("b", 32)]);
            if !faults_of_given(&program, &given).is_empty() {
                continue;
            }
            let [without, with] =
                [Parameters::new(), given].map(|given| derive(&program, &given).claims);
            for (without, with) in without.iter().zip(&with) {
                let is_lost = without.verdict == Verdict::Proved && with.verdict != Verdict::Proved;
                assert!(!is_lost, "{}: {}", program.name(), with.text);
            }
        }
    }
}

/// Rounds of a base that is a number close as those of b do.
#[test]
fn sums_over_rounds_of_32_have_closed_forms() {
    let (reduction, _) = load_file("programs/paper1/reduction.atgpu".as_ref());
    let derivation = derive(&reduction, &[("b", 32)].into());
    assert_eq!(formula(&derivation, "rounds"), "R");
    assert_eq!(formula(&derivation, "io"), "2(n - 1)/31");
    let (scan, _) = load_file("programs/cookbook/scan_any_n.atgpu".as_ref());
    let derivation = derive(&scan, &[("b", 32)].into());
    assert_eq!(formula(&derivation, "total_time"), "81R - 18");
    assert_eq!(formula(&derivation, "shared"), "[n ≥ 33] + 32");
}

/// Numbers without data lie nowhere below those of a run, round by round: a host `while` carries a transfer of each
/// iteration over into the next round.
#[test]
fn rounds_that_a_while_carries_over_are_bounded() {
    for range in ["n..n", "0..n"] {
        let program = program(&format!(
            "algorithm Count(n)\n  require n ≥ 1\n  input A in {range}\n  output C\n  host F\n  \
             global a, k\n  shared _x\n  a ⇚ A\n  F ⇚ a\n  while F > 0 at most n do\n    \
             for all mp_i ∈ MP[0..0] in parallel do\n      for all c_{{i,j}} ∈ C_i in parallel do\n        \
             _x ⇐ a\n        _x ← _x - 1\n        a ⇐ _x\n      end for\n    end for\n    F ⇚ a\n    \
             k ⇚ F\n  end while\n  C ⇚ a\n"
        ));
        let card = Machine::built_in("gtx650").expect("built in");
        let point = program.at(&card, [("n", 5)]).expect("admitted");
        let derivation = derive(&program, &().into());
        let go_on = |_| ControlFlow::Continue(());
        let options = CountOptions::default();
        let found = numbers(&program, Some(&derivation), &point, &options, &go_on);
        let found = found.expect("countable").counts;
        let transactions = found.rounds.iter().map(|(times, round)| {
            (&round.inward.transactions + &round.outward.transactions) * *times
        });
        // a in, F out; five times F out and in; C out.
        assert_eq!(transactions.sum::<BigInt>(), 13.into());
        assert_eq!(found.totals.transactions, 13.into());
    }
}

/// What transfers in a loop that may not run at all touch is alive for their sake only where it runs.
#[test]
fn what_a_loop_that_may_not_run_touches_is_not_alive_where_it_does_not() {
    let kernels = "    for all mp_{h,i} ∈ MP[0..⌈n/b⌉-1, 0..(n - 1) div (2b)] in parallel do
      for all c_{h,i,j} ∈ C_{h,i} in parallel do
        let x = (i + 1)·b + j
        if b | j then
          if 0 ≤ x div 3 < n then
            _y[j] ⇐ a[x div 3]
          end if
        end if
      end for
    end for
";
    for (kernels, given) in [(kernels.to_owned(), 2), (kernels.repeat(7), 8)] {
        let program = program(&format!(
            "algorithm T(n, t)\n  require n ≥ 1 ∧ t ≥ 0\n  input A[n], E[2b], H[100b]\n  output F[2b]\n  \
             global a[n], g[2b], h[100b]\n  shared _y[b]\n  g ⇚ E\n  a ⇚ A\n  for r = 0 → t do\n\
             {kernels}  end for\n  h ⇚ H\n  for all mp_i ∈ MP[0..0] in parallel do\n    \
             for all c_{{i,j}} ∈ C_i in parallel do\n      _y[j] ⇐ h[j]\n    end for\n  end for\n  \
             for r = 1 → 90 - ⌊n/5⌋ do\n    F ⇚ g\n  end for\n"
        ));
        for given in [Parameters::new(), [("b", given)].into()] {
            let derivation = derive(&program, &given);
            assert!(derivation.contradictions.is_empty());
            let global = derivation.formula("global").expect("bounded");
            let b = given.get("b").and_then(|b| b.to_i64()).unwrap_or(8);
            for n in [440, 460] {
                let g = if n < 450 { 2 * b } else { 0 };
                let counted = Rational::from((n + 2 * b).max(g + 100 * b));
                let bound = global.exact([("n", n), ("t", 1), ("b", b)]);
                let bound = bound.expect("it has a value");
                assert!(bound >= counted, "{bound} at n = {n}, b = {b}");
                assert!(
                    bound == counted || !global.is_exact(),
                    "{bound} at n = {n}, b = {b}"
                );
            }
        }
    }
}

/// A value takes no form away: what is exact and closed without it is so with it, and no longer.
#[test]
fn a_value_leaves_no_form_unfound() {
    let mut tried = 0;
    for path in programs("programs/cookbook") {
        let (program, _) = load_file(&path);
        let Some(first) = program.formals().first() else {
            continue;
        };
        let name = &program.parameter(*first).name;
        let given = Parameters::from([(name.as_str(), 64)]);
        if !faults_of_given(&program, &given).is_empty() {
            continue;
        }
        let [open, with] = [().into(), given].map(|given| derive(&program, &given));
        for ((quantity, open), (_, with)) in open.totals.all().into_iter().zip(with.totals.all()) {
            let is_closed = |derived: &Derived| {
                let upper = derived.upper.as_ref();
                derived.is_exact() && upper.is_some_and(Expr::is_closed)
            };
            if is_closed(open) {
                let place = format!("{}: {quantity:?}", path.display());
                assert!(is_closed(with), "{place}");
                let length = |derived: &Derived| {
                    let upper = derived.upper.as_ref();
                    upper.map_or(0, |upper| upper.to_string().chars().count())
                };
                assert!(length(with) <= 2 * length(open) + 25, "{place}");
                tried += 1;
            }
        }
    }
    assert!(tried > 200, "{tried}");
}

/// A bound with a value is no worse than the one without it is there.
#[test]
fn a_value_makes_no_bound_worse() {
    let text = "algorithm Products(m, n)\n  require 1 ≤ m ≤ n\n  input A[m]\n  global a[m]\n  shared _a[b]\n  a ⇚ A\n  \
                for all mp_i ∈ MP[0..⌈(m + n - 1)/b⌉-1] in parallel do\n    for all c_{i,j} ∈ C_i in parallel do\n      \
                let v = ib + j\n      if v < m + n - 1 then\n        for y = max(0, v - n + 1) → min(v, m - 1) do\n          \
                _a[j] ⇐ a[y]\n        end for\n      end if\n    end for\n  end for\nend algorithm\n";
    let derivation = derive(&program(text), &[("b", 32)].into());
    let shown = derivation.totals.io.short.as_ref().expect("it is long");
    assert_eq!(shown.to_string(), "(mn + 93m + 62n + 930)/16");
}
