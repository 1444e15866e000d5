//! Programs that once took the derivation minutes, or all the work it is allowed, now take a moment:
//! where work goes uncounted again, these tests do not come to an end.

use atgpu::count::Parameters;
use atgpu::derive::{Derivation, derive};

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
    assert!(time.is_exact() || derivation.bounds.iter().any(|b| b.quantity == "time"));
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
/// cases with a formula each.
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
    for (name, total) in derivation.totals.named() {
        let reason = derivation.bounds.iter().find(|b| b.quantity == name);
        assert!(!total.is_exact() && reason.is_some(), "{name}: {total:?}");
    }
}
