//! Programs that once took the derivation minutes, or all the work it is allowed, now take a moment:
//! where work goes uncounted again, these tests do not come to an end.

use crate::support::engines::{choice, execute};
use atgpu::count::{Parameters, Quantity};
use atgpu::derivation::{Derivation, Touched};
use atgpu::derive::derive;
use atgpu::verify::{Verdict, verify};

/// Loops and conditions inside each other. A build without optimisation takes some ten times as long.
const DEEP: usize = if cfg!(debug_assertions) { 30 } else { 120 };

/// The derivation of a kernel with this body.
fn derived(body: &str) -> Derivation {
    let text = format!(
        "algorithm T(n, m)\n  require n ≥ 1\n  require 1 ≤ m < 6\n  global a[n + m·b + b], c[n + b]\n  \
         shared _s[b]\n  for all mp_i ∈ MP[0..0] in parallel do\n    \
         for all c_{{i,j}} ∈ C_i in parallel do\n{body}    end for\n  end for\n"
    );
    let program = atgpu::program(&text).expect("it parses");
    derive(&program, &Parameters::new())
}

fn nested(open: impl Fn(usize) -> String, close: &str) -> String {
    let opened: String = (0..DEEP).map(open).collect();
    format!("{opened}_s[j] ← _s[j] + 1\n{}", close.repeat(DEEP))
}

#[test]
fn triangular_loops_inside_each_other() {
    let end = |at: usize| match at {
        0 => "n".to_owned(),
        _ => format!("s{}", at - 1),
    };
    let body = nested(
        |at| format!("for s{at} = 0 → {} do\n", end(at)),
        "end for\n",
    );
    let derivation = derived(&body);
    // Too long a formula for anybody is a sum that stays open, or nothing with a reason.
    let time = &derivation.totals.time;
    assert!(
        time.is_exact()
            || derivation
                .bounds
                .iter()
                .any(|b| b.quantity.name() == "time")
    );
}

#[test]
fn conditions_inside_each_other() {
    let body = nested(|at| format!("if j ≥ {at} then\n"), "end if\n");
    let derivation = derived(&body);
    assert!(derivation.totals.io.is_exact());
}

/// Each alternative was told apart again and again within its own cases.
#[test]
fn alternatives() {
    let body = "if ⌊((b div 2)·j + 2·j + m)/b⌋ mod 2 = 1 ∨ 1 ≤ j < b - 1 then\n\
                _s[j] ⇐ a[j]\nc[i·b + j] ⇐ _s[(j + 1) mod b]\nfor u = j + 1 → b - 1 do\n\
                _s[i·b + j] ⇐ a[i + m·j + m]\nend for\nend if\n";
    let derivation = derived(body);
    assert!(!derivation.bounds.is_empty());
}

/// Whether the inner loop runs depends on the outer one's variable, not on the parameters: there are no two
/// cases with a formula each. How many rounds there are is a bound, as what goes out is part of the round before
/// where there is one in the iteration; all else is as counted.
#[test]
fn a_host_loop_that_some_iterations_leave_out() {
    let text = "algorithm T(n)
  require n ≥ 1
  input A[b]
  output C[b]
  global a[b]
  shared _x[b]
  for t = 1 → n do
    for u = t → 5 do
      a ⇚ A
      for all mp_i ∈ MP[0..0] in parallel do
        for all c_{i,j} ∈ C_i in parallel do
          _x[j] ⇐ a[j]
          a[j] ⇐ _x[j]
        end for
      end for
    end for
    C ⇚ a
  end for
";
    let program = atgpu::program(text).expect("it parses");
    let derivation = derive(&program, &Parameters::new());
    for (which, total) in derivation.totals.all() {
        let upper = total.upper.as_ref();
        upper.expect("there are never more rounds than iterations");
        let mut bounds = derivation.bounds.iter();
        let is_told = bounds.any(|bound| bound.quantity == Touched::Quantity(which));
        let depends = matches!(which, Quantity::Rounds | Quantity::Global);
        assert_eq!(total.is_exact(), !depends, "{which:?}: {total:?}");
        assert_eq!(is_told, depends, "{which:?}: {total:?}");
    }
    for n in 1..=8 {
        let choice = choice(&program, 4, vec![("n".to_owned(), n)]).expect("admitted");
        let run = execute(&program, &choice, 1);
        let verdict = verify(&program, &derivation, &choice.point, &run.counts);
        assert_eq!(verdict, Verdict::Agrees, "n = {n}");
    }
}

/// Whether a quantity is exact, or something says where and why it is not.
fn is_accounted_for(derivation: &Derivation, name: &str, is_exact: bool) -> bool {
    is_exact
        || derivation
            .bounds
            .iter()
            .any(|bound| bound.quantity.name() == name)
}

/// Fifteen of these and more in one file took as long as all of them together.
#[test]
fn many_kernels_of_loops_inside_each_other() {
    let kernels = if cfg!(debug_assertions) { 6 } else { 15 };
    let end = |at: usize| match at {
        0 => "n".to_owned(),
        _ => format!("s{}", at - 1),
    };
    let body = nested(
        |at| format!("for s{at} = 0 → {} do\n", end(at)),
        "end for\n",
    );
    let kernel = format!(
        "  for all mp_i ∈ MP[0..n-1] in parallel do\n    for all c_{{i,j}} ∈ C_i in parallel do\n{}    end for\n  end for\n",
        body.replace("_s[j] + 1", "1")
            .replace("_s[j] ← 1\n", "_s[j] ⇐ a[i·b + j]\n")
    );
    let text = format!(
        "algorithm T(n)\n  require n ≥ 1\n  global a[n·b]\n  shared _s[b]\n{}",
        kernel.repeat(kernels)
    );
    let program = atgpu::program(&text).expect("it parses");
    let derivation = derive(&program, &Parameters::new());
    for (name, quantity) in derivation.quantities() {
        assert!(
            is_accounted_for(&derivation, name, quantity.is_exact()),
            "{name}"
        );
    }
    assert!(derivation.totals.rounds.is_exact());
    // Of a kernel that is given up no array may look as if its blocks were known.
    for round in &derivation.rounds {
        let blocks = &round.counts.arrays["a"];
        assert_eq!(
            round.counts.io.upper.is_some(),
            blocks.read.upper.is_some(),
            "{:?}",
            round.number
        );
    }
}

/// Each squares the one before: written out, the last has more terms than there are atoms.
#[test]
fn lets_that_square_each_other() {
    let lets: String = (1..60)
        .map(|at| format!("  let x{at} = x{before}·x{before} + m\n", before = at - 1))
        .collect();
    let text = format!(
        "algorithm T(n, m)\n  require n ≥ 1\n  let x0 = n\n{lets}  global a[n·b]\n  shared _s[b]\n  \
         for all mp_i ∈ MP[0..n-1] in parallel do\n    for all c_{{i,j}} ∈ C_i in parallel do\n      \
         for u = 1 → x59 do\n        _s[j] ⇐ a[i·b + j]\n      end for\n    end for\n  end for\n"
    );
    let program = atgpu::program(&text).expect("it parses");
    let derivation = derive(&program, &Parameters::new());
    assert!(!derivation.totals.time.is_exact());
    assert!(is_accounted_for(&derivation, "time", false));
    // Where it is 0 or 1 throughout, numbers tell.
    let at = derive(&program, &[("n", 1), ("m", 0)].into());
    assert_eq!(
        at.totals.time.upper.map(|time| time.to_string()),
        Some("4".to_owned())
    );
}

/// Each reads the one before twice: a tree of them all has 2^60 leaves.
#[test]
fn lets_that_round_each_other() {
    for step in [
        "⌊x{}/2⌋ + ⌊x{}/3⌋",
        "select(x{} > n, x{} - 1, 2·x{})",
        "min(x{} + 3, n·x{})",
        "abs(x{} - 5) + x{}",
    ] {
        let lets: String = (1..60)
            .map(|at| {
                let before = (at - 1).to_string();
                format!("let x{at} = {}\n", step.replace("{}", &before))
            })
            .collect();
        let derivation = derived(&format!("let x0 = i + j\n{lets}_s[j] ⇐ a[x59 mod b]\n"));
        let io = derivation.totals.io.is_exact();
        assert!(is_accounted_for(&derivation, "io", io), "{step}");
    }
}

/// What is known of thousands of formals is not gone through for each of them.
#[test]
fn thousands_of_formals() {
    let many = if cfg!(debug_assertions) { 300 } else { 3000 };
    let names: Vec<String> = (0..many).map(|at| format!("n{at}")).collect();
    let requires: String = names
        .iter()
        .map(|name| format!("  require {name} ≥ 1\n"))
        .collect();
    let text = format!(
        "algorithm T({})\n{requires}  global a[n0·b]\n  shared _s[b]\n  \
         for all mp_i ∈ MP[0..n0-1] in parallel do\n    for all c_{{i,j}} ∈ C_i in parallel do\n      \
         _s[j] ⇐ a[i·b + j]\n    end for\n  end for\n",
        names.join(", ")
    );
    let program = atgpu::program(&text).expect("it parses");
    let derivation = derive(&program, &Parameters::new());
    let io = derivation.totals.io.upper.map(|io| io.to_string());
    assert_eq!(io.as_deref(), Some("n0"));
}

/// Each word may come from any of the others' places.
#[test]
fn words_that_data_decide_copied_over_and_over() {
    let copies = if cfg!(debug_assertions) { 100 } else { 700 };
    let body: String = (0..copies)
        .map(|at| format!("_s[j] ⇐ a[j]\nif _s[j] > {at} then\n_s[j] ⇐ c[_s[j]]\nend if\n"))
        .collect();
    let derivation = derived(&body);
    assert!(is_accounted_for(
        &derivation,
        "io",
        derivation.totals.io.is_exact()
    ));
}

/// Each loop as long as the square of the one around it: a bound of the innermost has degree 2^11 and as many terms.
#[test]
fn loops_to_squares_inside_each_other() {
    let end = |at: usize| match at {
        0 => "n".to_owned(),
        _ => format!("s{0}·s{0}", at - 1),
    };
    let open: String = (0..10)
        .map(|at| format!("for s{at} = 0 → {} do\n", end(at)))
        .collect();
    let body = format!("{open}_s[j] ← _s[j] + 1\n{}", "end for\n".repeat(10));
    let derivation = derived(&body);
    assert!(is_accounted_for(
        &derivation,
        "time",
        derivation.totals.time.is_exact()
    ));
}
