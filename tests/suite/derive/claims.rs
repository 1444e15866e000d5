//! Claims by hand: false ones of many kinds are never proved, and true ones are proved, not only
//! tested.

use crate::support::programs::load;
use atgpu::count::Parameters;
use atgpu::derivation::Verdict;

/// A row of n MPs, each walking m words in steps of b: t = 5⌈m/b⌉ + 4, q = n, and I = nm.
const ROWS: &str = "
  require n ≥ 1 ∧ m ≥ 1
  input A[n, m]
  global a[n, m], c[n]
  shared _x[b]
  CLAIM
  a ⇚ A
  for all mp_i ∈ MP[0..n-1] in parallel do
    for all c_{i,j} ∈ C_i in parallel do
      for u = 0 → ⌈m/b⌉ - 1 do
        if ub + j < m then
          _x[j] ← 1
        end if
      end for
      c[i] ⇐ _x[0]
    end for
  end for";

fn verdict(claim: &str) -> Verdict {
    let body = ROWS.replace("CLAIM", &format!("claim {claim}"));
    last_verdict(&format!("algorithm Rows(n, m){body}\n"))
}

/// On the last claim of a program.
fn last_verdict(text: &str) -> Verdict {
    let (program, _) = load("claimed", text);
    let derivation = atgpu::derive::derive(&program, &Parameters::new());
    let last = derivation.claims.last().expect("it claims something");
    last.verdict.clone()
}

/// On a claim about a time that data decide.
fn verdict_on_data(claim: &str) -> Verdict {
    let text = include_str!("constructs/for-data.atgpu");
    last_verdict(&text.replace("claim io = 2k", &format!("claim {claim}")))
}

/// Wrong at a few points that no grid meets: they are found where the two sides begin to differ.
#[test]
fn claims_that_are_wrong_at_single_points_are_refuted_there() {
    for (claim, at) in [
        ("time = 5⌈m/b⌉ + 4 + [n = 1000003]", "n = 1000003"),
        ("io = n + [m = 77777]", "m = 77777"),
        ("io ≤ n - [n = 90b + 5]", "n = 185, m = 1, b = 2"),
        ("inward = nm + [n = 12345 ∧ m ≥ 50]", "n = 12345"),
    ] {
        let verdict = verdict(claim);
        let Verdict::Refuted(refutation) = &verdict else {
            panic!("{claim}: {verdict:?}");
        };
        let shown = refutation.to_string();
        assert!(shown.contains(at), "{claim}: {shown}");
    }
}

/// Wrong where a condition holds that no grid meets: it is looked for where that is, b and M included.
#[test]
fn claims_that_are_wrong_where_a_condition_can_be_met_are_refuted_there() {
    for (condition, at) in [
        ("n = 1000003 ∧ b = 7", "n = 1000003"),
        ("n > 10^9 ∧ b > 100", "n = 1000000001"),
        ("b = 8191", "b = 8191"),
        ("1000003 | m", "m = 1000003"),
        ("abs(n - 1000003) ≤ 1", "n = 1000002"),
        ("max(n, b) = 1000003", "b = 1000003"),
        ("⌈m/b⌉ = 99991", "m = "),
        ("n is a power of 7 ∧ n > 10^6", "n = 5764801"),
        ("n^2 = 1000006000009", "n = 1000003"),
        ("M = 777", "M = 777"),
    ] {
        let claim = format!("io = n + [{condition}]");
        let verdict = verdict(&claim);
        let Verdict::Refuted(refutation) = &verdict else {
            panic!("{claim}: {verdict:?}");
        };
        let shown = refutation.to_string();
        assert!(shown.contains(at), "{claim}: {shown}");
    }
}

#[test]
fn true_claims_are_proved() {
    for claim in [
        "time = 5⌈m/b⌉ + 4",
        "time ≤ 5m + 4",
        "time ∈ Θ(m/b + 1)",
        "time ∈ O(m)",
        "io = n",
        "io ≤ n m",
        "io ∈ O(n m)",
        "inward = n m",
        "inward ∈ Θ(n m)",
        "transfer_cost = α + n m β",
        "transfer_cost ∈ O(α + n m β)",
        "shared = b",
        "time ≥ 9",
        "io ≥ n",
        "inward ≥ n m",
        "transfer_cost ≥ α",
        "shared ≥ b",
        "time ∈ Ω(m/b)",
        "io ∈ Ω(1)",
        "inward ∈ Ω(n + m)",
        "cost ∈ O(α + n m β + (m/b + 1 + λn)/γ + σ)",
    ] {
        assert_eq!(verdict(claim), Verdict::Proved, "{claim}");
    }
}

#[test]
fn false_claims_are_refuted() {
    for claim in [
        // Off by one, everywhere or at some n only.
        "time = 5⌈m/b⌉ + 5",
        "time = 5⌊m/b⌋ + 9",
        "time = 5m/b + 4",
        "time ≤ 5m/b + 4",
        "time ≤ 5m/b + 8",
        "io = n + 1",
        "io ≤ n - 1",
        "time ≥ 5m/b + 5",
        "io ≥ n + 1",
        "inward ≥ n m + 1 - 1/n",
        // Only for large parameters.
        "io ≤ 1000000",
        "time ≤ 10^12",
        "inward ≤ 10^9 + n",
        // Wrong in one of two parameters.
        "io ∈ O(m)",
        "time ∈ O(n)",
        "inward ∈ O(n + m)",
        "inward ∈ O(n^2)",
        "time ∈ O(1)",
        "time ∈ O(m/b)",
        // The lower bound fails.
        "time ∈ Ω(m)",
        "io ∈ Ω(n m)",
        "inward ∈ Ω(n^2)",
        "time ∈ Θ(m)",
        "io ∈ Θ(n m)",
        "inward ∈ Θ(n^2 m)",
    ] {
        let found = verdict(claim);
        assert!(
            matches!(found, Verdict::Refuted { .. }),
            "{claim}: {found:?}"
        );
    }
}

/// The smallest n that shows it, not the first large one that was tried.
#[test]
fn a_counterexample_far_out_is_made_small() {
    let Verdict::Refuted(why) = verdict("io ≤ 1000000") else {
        panic!("it is wrong for n = 1000001");
    };
    assert!(why.to_string().contains("n = 1000001"), "{why}");
}

/// What the algebra does not decide is tested, or open, but never proved.
#[test]
fn undecided_claims_are_not_proved() {
    let bounded = verdict("inward ∈ O(n^3 + m^2)");
    assert!(matches!(bounded, Verdict::Tested(_)), "{bounded:?}");
    // It lies between the two.
    assert_eq!(verdict("inward ∈ O(n^2 + m^2)"), Verdict::Proved);
    for claim in ["inward ∈ Θ(n^2 + m^2)", "transfer_cost ∈ O(n m β)"] {
        let found = verdict(claim);
        let is_undecided = matches!(found, Verdict::Open(_) | Verdict::Refuted { .. });
        assert!(is_undecided, "{claim}: {found:?}");
    }
}

/// An upper bound that grows says nothing against a smaller class: the times themselves may be in it.
#[test]
fn a_bound_refutes_no_class() {
    for claim in ["time ∈ O(1)", "time ∈ Θ(1)", "time ∈ Θ(z)"] {
        let found = verdict_on_data(claim);
        assert!(matches!(found, Verdict::Open(_)), "{claim}: {found:?}");
    }
}

/// That a claim holds where both ends of a bound meet, at z = 1, says nothing of the other points.
#[test]
fn a_claim_between_the_ends_of_a_bound_stays_open() {
    for claim in [
        "time = 4z + 8",
        "time = 12",
        "time = 4⌊(z + 1)/2⌋ + 8",
        "time ≤ 12",
        "time ≤ 2z + 10",
    ] {
        let found = verdict_on_data(claim);
        assert!(matches!(found, Verdict::Open(_)), "{claim}: {found:?}");
    }
}

#[test]
fn a_claim_beyond_a_bound_is_refuted() {
    for claim in ["time = 11", "time = 4z + 9", "time ≤ 11"] {
        let found = verdict_on_data(claim);
        assert!(
            matches!(found, Verdict::Refuted { .. }),
            "{claim}: {found:?}"
        );
    }
}

/// At n = 1 and b = 2, with α = 3/7, β = 5/11, γ = 13/3 and σ = 19/5: 3α + 3bβ + 3/γ + 3σ.
#[test]
fn a_refuted_cost_shows_its_value_over_all_rounds() {
    let text = "algorithm Thrice(n)
  require n ≥ 1
  input A[b]
  global a[b]
  shared _x[b]
  claim gpu_cost = n·σ
  for u = 1 → 3 do
    a ⇚ A
    for all mp_i ∈ MP[0..0] in parallel do
      for all c_{i,j} ∈ C_i in parallel do
        _x[j] ← u
      end for
    end for
  end for
";
    let (program, _) = load("thrice", text);
    let derivation = atgpu::derive::derive(&program, &Parameters::new());
    let Verdict::Refuted(why) = &derivation.claims[0].verdict else {
        panic!("it is wrong everywhere");
    };
    let values = why.to_string();
    assert!(values.starts_with("at n = 1, b = 2: "), "{values}");
    assert!(values.contains("80607/5005"), "{values}");
    assert!(values.contains("19/5"), "{values}");
}

#[test]
fn a_refuted_class_shows_the_ratio() {
    for (claim, ratio) in [("io ∈ Θ(n^2)", "1/n"), ("inward ∈ O(n)", "m")] {
        let Verdict::Refuted(why) = verdict(claim) else {
            panic!("{claim}");
        };
        let why = why.to_string();
        assert!(why.ends_with(&format!("ratio: it is {ratio}")), "{why}");
    }
}

/// With n given as a number, b | n says of 1024/b what it says of n/b: every total is closed, and
/// is at each b what the general form is there.
/// One round of n/b MPs, each going round ⌈log2 (n/b)⌉ + 1 times, of n that a `require` relates to b.
fn verdict_with_width(require: &str, claim: &str) -> Verdict {
    last_verdict(&format!(
        "algorithm Logs(n)\n  require {require}\n  shared _x[b]\n  claim {claim}\n  \
         for all mp_i ∈ MP[0..0] in parallel do\n    for all c_{{i,j}} ∈ C_i in parallel do\n      \
         for s = 0 → ⌈log2 (n/b)⌉ do\n        _x[j] ← s\n      end for\n    end for\n  end for\n"
    ))
}

#[test]
fn classes_are_refuted_where_sizes_are_a_few_times_the_width() {
    for (require, claim, at) in [
        ("n ≥ b", "time ∈ Θ(log n)", "n = b, b → ∞"),
        ("n ≥ b", "time ∈ Ω(log n)", "n = b, b → ∞"),
        ("n ≥ 2b", "time ∈ Ω(log n)", "n = 2b, b → ∞"),
        ("n ≥ b", "rounds ∈ O(n - b)", "n = b, b → ∞"),
    ] {
        let verdict = verdict_with_width(require, claim);
        let Verdict::Refuted(refutation) = &verdict else {
            panic!("{claim}: {verdict:?}");
        };
        let shown = refutation.to_string();
        assert!(shown.contains(at), "{claim}: {shown}");
    }
}

/// No n that the `require` admits is such a multiple of b, or none where M stays as it is.
#[test]
fn classes_are_not_refuted_where_no_size_is_admitted() {
    for (require, claim) in [
        ("n > b", "rounds ∈ O(n - b)"),
        ("n = b + 1", "rounds ∈ O(n - b)"),
        ("n ≥ b ∧ n ≤ M", "time ∈ Ω(log n)"),
        ("n ≥ b^2", "time ∈ Ω(log n)"),
    ] {
        let verdict = verdict_with_width(require, claim);
        let is_refuted = matches!(verdict, Verdict::Refuted(_));
        assert!(!is_refuted, "{require}, {claim}: {verdict:?}");
    }
}

/// Where the number of times is 0, what would happen then need not have a value.
#[test]
fn a_bracket_silences_what_has_no_value_beside_it() {
    for silenced in [
        "[m ≥ 7]·⌈n/(m - 6)⌉",
        "⌈n/(m - 6)⌉·(n·[m ≥ 7])",
        "[m ≥ 7]·n/(m - 6)",
        "max(0, m - 6)·⌈n/(m - 6)⌉",
        "([m = 7] + [m > 7])·⌈n/(m - 6)⌉",
    ] {
        let claim = format!("time = 5⌈m/b⌉ + 4 + 0·n + {silenced}");
        let verdict = verdict(&claim);
        let Verdict::Refuted(refutation) = &verdict else {
            panic!("{claim}: {verdict:?}");
        };
        // Not at m = 6, where both sides are the same.
        assert!(
            refutation.to_string().contains("m = 7"),
            "{claim}: {refutation}"
        );
    }
}

#[test]
fn a_claim_without_a_value_somewhere_is_not_called_tested() {
    let verdict = verdict("io ≤ n + [m = 1] + 1/(m - 1)^2");
    let Verdict::Open(why) = &verdict else {
        panic!("{verdict:?}");
    };
    let shown = why.to_string();
    assert!(
        shown.contains("m = 1") && shown.contains("division by zero"),
        "{shown}"
    );
}

#[test]
fn a_given_size_leaves_nothing_open() {
    let text = include_str!("../../../programs/paper1/matrix_multiplication.atgpu");
    let (program, _) = load("multiplication", text);
    let general = atgpu::derive::derive(&program, &Parameters::new());
    let given = atgpu::derive::derive(&program, &[("n", 1024)].into());
    let general = general.totals.named();
    for ((name, total), (_, general)) in given.totals.named().into_iter().zip(general) {
        let form = total.upper.as_ref().expect("derived");
        assert!(form.is_closed(), "{name}: {form}");
        for exponent in 0..=10 {
            let at = |symbol: &atgpu::sym::Symbol| match &*symbol.name {
                "n" => Some(1024.into()),
                "b" => Some((1 << exponent).into()),
                _ => None,
            };
            let general = general.upper.as_ref().expect("derived");
            assert_eq!(form.evaluate(&at), general.evaluate(&at), "{name}");
        }
    }
}

/// A range of data may be declared or required of every word; less than every word says nothing.
#[test]
fn a_required_range_is_a_range() {
    const GATHER: &str = "
algorithm Gather(n)
  require n ≥ 1
  REQUIRE
  input A[n]RANGE, G[n + b]
  global a[n], g[n + b]
  shared _a[b], _c[b]
  claim io = 2⌈n/b⌉
  a ⇚ A
  g ⇚ G
  for all mp_i ∈ MP[0..⌈n/b⌉-1] in parallel do
    for all c_{i,j} ∈ C_i in parallel do
      if ib + j < n then
        _a[j] ⇐ a[ib + j]
        _c[j] ⇐ g[_a[j]]
      end if
    end for
  end for";
    let verdict = |require: &str, range: &str, more: &str| {
        let text = GATHER.replace("REQUIRE", require).replace("RANGE", range);
        last_verdict(&format!("{text}{more}\n"))
    };
    assert_eq!(verdict("", " in 0..b-1", ""), Verdict::Proved);
    for require in [
        "require ∀ x ∈ 0..n-1 : 0 ≤ A[x] < b",
        "require ∀ x ∈ 0..n-1 : b > A[x] ∧ A[x] ≥ 0",
        "require (∀ x ∈ 0..n-1 : A[x] ≤ b - 1) ∧ ∀ y ∈ 0..n-1 : A[y] > -1",
        "require ∀ x ∈ 0..n-1 : 0 ≤ A[x] < b - 1/2",
    ] {
        assert_eq!(verdict(require, "", ""), Verdict::Proved, "{require}");
    }
    for require in [
        "",
        "require ∀ x ∈ 1..n-1 : 0 ≤ A[x] < b",
        "require ∀ x ∈ 0..n-1 : 0 ≤ A[x] ≤ b",
        "require ∀ x ∈ 0..n-1 : A[x] = 0 ∨ A[x] < b",
        "require ∀ x ∈ 0..n-1 : 0 ≤ A[n - 1 - x] < b",
        "require ∃ x ∈ 0..n-1 : 0 ≤ A[x] < b",
        "require ∀ x ∈ 0..n-1 : 0 ≤ G[x] < b",
    ] {
        assert_ne!(verdict(require, "", ""), Verdict::Proved, "{require}");
    }
    // What is written there afterwards need not keep to it.
    let written = "\n  A ⇚ a";
    let require = "require ∀ x ∈ 0..n-1 : 0 ≤ A[x] < b";
    assert_ne!(verdict(require, "", written), Verdict::Proved);
}

/// Letters of the cost functions and formals of the same names are two things, in formulas and in
/// claims.
#[test]
fn letters_of_the_machine_are_told_from_formals() {
    let text = "algorithm Letters(α, H)
  require α ≥ 1 ∧ H ≥ 1
  output C[αH]
  global c[αH]
  shared _x[b]
  claim transfer_cost = α_GPU + αHβ
  claim cost = α_GPU + αHβ + (7 + 2α + λ⌈αH/b⌉)/γ + σ
  for all mp_i ∈ MP[0..⌈αH/b⌉-1] in parallel do
    for all c_{i,j} ∈ C_i in parallel do
      for r = 1 → α do
        _x[j] ← r
      end for
      if ib + j < αH then
        c[ib + j] ⇐ _x[j]
      end if
    end for
  end for
  C ⇚ c
";
    let (program, _) = load("letters", text);
    let derivation = atgpu::derive::derive(&program, &Parameters::new());
    let shown = |name| derivation.formula(name).expect("derived").to_string();
    assert_eq!(shown("transfer_cost"), "Hαβ + α_GPU");
    assert!(shown("gpu_cost").contains("α_GPU"), "{}", shown("gpu_cost"));
    let occupancy = derivation.rounds[0].occupancy.upper.as_ref();
    assert_eq!(occupancy.expect("closed").to_string(), "min(H_GPU, ⌊M/b⌋)");
    for claim in &derivation.claims {
        assert_eq!(
            claim.verdict,
            Verdict::Proved,
            "{}: {}",
            claim.text,
            shown("cost")
        );
    }
    // A value of the formal is none of the letter.
    let given = atgpu::derive::derive(&program, &[("H", 5)].into());
    let occupancy = given.rounds[0].occupancy.upper.as_ref().expect("closed");
    assert_eq!(occupancy.to_string(), "min(H_GPU, ⌊M/b⌋)");
}

/// A short bound tells a formal from a letter of the costs too, in words and in LaTeX.
#[test]
fn formals_are_told_from_letters_in_short_bounds() {
    let text = "algorithm Rows(λ, k)\n  require λ ≥ 1 ∧ k ≥ 1\n  input A[λ, k]\n  global a[λ, k]\n  shared _x[b]\n  \
                a ⇚ A\n  for all mp_i ∈ MP[0..⌈λ/b⌉-1] in parallel do\n    for all c_{i,j} ∈ C_i in parallel do\n      \
                if ib + j < λ then\n        for v = 0 → k - 1 do\n          _x[j] ⇐ a[ib + j, v]\n        end for\n      \
                end if\n    end for\n  end for\n";
    let program = atgpu::program(text).expect("a program");
    let derivation = program.derive().expect("derived");
    let short = derivation.cost.shown().expect("bounded").to_string();
    assert!(short.contains("λ_GPU") && !short.contains("λλ"), "{short}");
    let latex =
        atgpu::report::derivation::latex(program.source(), &derivation, &derivation.let_names());
    assert!(latex.contains("k_{\\text{round}}"), "{latex}");
    assert!(latex.contains("\\lambda_{\\mathrm{GPU}}"), "{latex}");
}
