//! The advice on usual mistakes: the help says what was meant, and `--fix` writes that or nothing.

use crate::support::programs::load;
use atgpu::count::Parameters;
use atgpu::machine::Machine;
use atgpu::report::safety::findings;
use atgpu::safety::{Verdict, safety};

const ADD: &str = "algorithm Add(n)
  require n ≥ 1
  input A[n]
  output C[n]
  global a[n], c[n], t[k]
  shared _a[b], _c[b]
  let k = ⌈n/b⌉
  a ⇚ A
  for all mp_i ∈ MP[0..k-1] in parallel do
    for all c_{i,j} ∈ C_i in parallel do
      if ib + j < n then
        _a[j] ⇐ a[ib + j]
        _c[j] ← 2_a[j]
        c[ib + j] ⇐ _c[j]
      end if
      if j = 0 then
        _c[0] ← 0
        t[i] ⇐ _c[0]
      end if
    end for
  end for
  C ⇚ c
  for all mp_i ∈ MP[0..0] in parallel do
    for all c_{i,j} ∈ C_i in parallel do
      for v = 0 → k - 1 do
        _a[j] ⇐ t[v]
      end for
    end for
  end for
end algorithm
";

/// All that is said and written of a program with a mistake.
struct Told {
    helps: Vec<String>,
    fixed: Vec<String>,
    requires: Vec<String>,
}

/// Judges the program with a slip in place of what was meant.
fn told(slip: &str, meant: &str) -> Told {
    assert!(ADD.contains(meant), "{meant}");
    let (program, _) = load("add.atgpu", &ADD.replacen(meant, slip, 1));
    let card = Machine::built_in("gtx650").expect("built in");
    let found = safety(&program, &Parameters::new(), &card);
    let mut requires = Vec::new();
    for judged in &found.judged {
        if let Verdict::Refuted(witness) = &judged.verdict {
            requires.extend(witness.require.iter().map(|require| require.text.clone()));
        }
    }
    let told = findings(&found, &program);
    assert!(!told.is_empty(), "{slip}: nothing is found");
    let fixes = told.iter().flat_map(|finding| &finding.fixes);
    let fixes = fixes.filter(|fix| fix.preferred);
    Told {
        fixed: fixes
            .map(|fix| fix.apply(program.source().text()))
            .collect(),
        helps: told
            .iter()
            .filter_map(|finding| finding.help.clone())
            .collect(),
        requires,
    }
}

#[test]
fn helps_say_what_was_meant() {
    let cases = [
        (
            "c[j] ⇐ _c[j]",
            "c[ib + j] ⇐ _c[j]",
            "name the MP in the index",
        ),
        (
            "_a[ib + j] ⇐ a",
            "_a[j] ⇐ a",
            "leave the MP out of the index, as in `_a[j]`",
        ),
        (
            "_a[0] ⇐ a[ib + j]",
            "_a[j] ⇐ a[ib + j]",
            "a word of its own, as in `_a[j]`",
        ),
        (
            "",
            "  a ⇚ A\n",
            "nothing is sent to `a`: write `a ⇚ A` before the kernel",
        ),
        ("c ⇚ C", "C ⇚ c", "an output takes words: write `C ⇚ c`"),
        ("", "        c[ib + j] ⇐ _c[j]\n", "no kernel writes `c`"),
        (
            "_c[j] ⇐ c[ib + j]",
            "c[ib + j] ⇐ _c[j]",
            "exchange the sides, `c[ib + j] ⇐ _c[j]`",
        ),
        ("let k = (n + b - 1)/b", "let k = ⌈n/b⌉", "write `⌈n/b⌉`"),
        (
            "v = 0 → k do",
            "v = 0 → k - 1 do",
            "write `for v = 0 → k - 1 do`",
        ),
        (
            "MP[0..k] in",
            "MP[0..k-1] in",
            "the last MP is number `k - 1`",
        ),
    ];
    for (slip, meant, help) in cases {
        let helps = told(slip, meant).helps;
        assert!(
            helps.iter().any(|told| told.contains(help)),
            "{slip}: {helps:#?}"
        );
    }
}

#[test]
fn loops_and_launches_that_run_one_too_far_are_shortened() {
    let cases = [
        (
            "for v = 0 → k do",
            "for v = 0 → k - 1 do",
            "for v = 0 → k - 1 do",
        ),
        (
            "for v = 1 → k do",
            "for v = 0 → k - 1 do",
            "for v = 0 → k - 1 do",
        ),
        ("MP[0..k] in", "MP[0..k-1] in", "MP[0..k - 1] in"),
    ];
    for (slip, meant, written) in cases {
        let right = ADD.replacen(meant, written, 1);
        let fixed = told(slip, meant).fixed;
        assert!(fixed.contains(&right), "{slip}: {fixed:#?}");
    }
}

/// What is right at the machine's b, whatever the size, is refused at no size of it.
#[test]
fn no_fix_refuses_a_size_that_is_right() {
    let cases = [
        ("let k = ⌈n/32⌉", "let k = ⌈n/b⌉"),
        ("shared _a[32],", "shared _a[b],"),
        ("_a[j] ⇐ a[32i + j]", "_a[j] ⇐ a[ib + j]"),
    ];
    for (slip, meant) in cases {
        let Told {
            fixed, requires, ..
        } = told(slip, meant);
        assert!(fixed.is_empty(), "{slip}: {fixed:#?}");
        assert!(
            requires.iter().any(|text| text == "b = 32"),
            "{slip}: {requires:?}"
        );
    }
}
