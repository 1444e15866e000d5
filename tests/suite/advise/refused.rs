//! Near misses: programs in which a rewrite's place is almost there, and the change would be wrong.

use atgpu::advise::rewritten;
use atgpu::program::Program;

use crate::advise::advice;
use crate::support::programs::load;

/// A program of one kernel whose core loop holds these lines.
fn kernel(declared: &str, lines: &str) -> Program {
    let text = format!(
        "algorithm T(n)\n  require n ≥ 1\n  input A[n*b]\n  output C[n*b]\n  global a[n*b], c[n*b]\n  \
         shared {declared}\n  a ⇚ A\n  for all mp_i ∈ MP[0..n-1] in parallel do\n    \
         for all c_{{i,j}} ∈ C_i in parallel do\n{lines}    end for\n  end for\n  C ⇚ c\nend algorithm\n"
    );
    load("near miss", &text).0
}

fn made(program: &Program, rewrite: &str) -> usize {
    let made = rewritten(program).into_iter();
    made.filter(|(name, ..)| *name == rewrite).count()
}

#[test]
fn only_what_a_loop_does_not_change_leaves_it() {
    let with = |inner: &str, behind: &str| {
        kernel(
            "_x[b], _y[b]",
            &format!(
                "      _y[j] ← 0\n      for u = 0 → 3 do\n{inner}        _y[j] ← _y[j] + _x[j]\n      \
                 end for\n{behind}      c[ib + j] ⇐ _y[j]\n"
            ),
        )
    };
    let load = "        _x[j] ⇐ a[ib + j]\n";
    assert_eq!(made(&with(load, ""), "hoist"), 1);
    // The index moves with the loop; the word is changed in it; it is needed behind it.
    assert_eq!(
        made(
            &with("        _x[j] ⇐ a[(ib + j + u) mod b]\n", ""),
            "hoist"
        ),
        0
    );
    assert_eq!(
        made(
            &with(&format!("{load}        _x[j] ← _x[j] + 1\n"), ""),
            "hoist"
        ),
        0
    );
    assert_eq!(
        made(&with(load, "      _y[j] ← _y[j] + _x[j]\n"), "hoist"),
        0
    );
}

#[test]
fn a_word_that_was_written_is_loaded_again() {
    let with = |between: &str| {
        kernel(
            "_x[b], _y[b]",
            &format!(
                "      _x[j] ⇐ a[ib + j]\n{between}      _y[j] ⇐ a[ib + j]\n      _y[j] ← _y[j] + _x[j]\n      \
                 c[ib + j] ⇐ _y[j]\n"
            ),
        )
    };
    assert_eq!(made(&with(""), "load-once"), 1);
    assert_eq!(made(&with("      _x[j] ← 7\n"), "load-once"), 0);
    assert_eq!(made(&with("      a[ib + j] ⇐ _x[j]\n"), "load-once"), 0);
}

#[test]
fn guards_merge_only_while_their_words_stay() {
    let with = |first: &str| {
        kernel(
            "_x[b], _y[b]",
            &format!(
                "      _x[j] ⇐ a[ib + j]\n      _y[j] ← 0\n      if _x[j] > 3 then\n        {first}\n      end if\n      \
                 if _x[j] > 3 then\n        _y[j] ← _y[j] + 1\n      end if\n      c[ib + j] ⇐ _y[j]\n"
            ),
        )
    };
    assert_eq!(made(&with("_y[j] ← 5"), "merge-guards"), 1);
    assert_eq!(made(&with("_x[j] ← 0"), "merge-guards"), 0);
}

/// Two kernels over the same MPs; the second reads `index` of what the first wrote.
fn two_kernels(index: &str) -> Program {
    let text = format!(
        "algorithm T(n)\n  require n ≥ 1\n  input A[n*b]\n  output C[n*b]\n  global a[n*b], d[n*b], c[n*b]\n  \
         shared _x[b]\n  a ⇚ A\n  for all mp_i ∈ MP[0..n-1] in parallel do\n    \
         for all c_{{i,j}} ∈ C_i in parallel do\n      _x[j] ⇐ a[ib + j]\n      d[ib + j] ⇐ _x[j]\n    end for\n  end for\n  \
         for all mp_i ∈ MP[0..n-1] in parallel do\n    for all c_{{i,j}} ∈ C_i in parallel do\n      \
         _x[j] ⇐ d[{index}]\n      c[ib + j] ⇐ _x[j]\n    end for\n  end for\n  C ⇚ c\nend algorithm\n"
    );
    load("two kernels", &text).0
}

#[test]
fn kernels_merge_only_where_no_mp_needs_another() {
    let merged = |program: &Program| {
        let advice = advice(program, [("n", 1024)]).expect("it has a cost");
        let proposals = advice.proposals.iter();
        let mut steps = proposals.flat_map(|proposal| &proposal.steps);
        steps.any(|step| step.rewrite == "merge-kernels")
    };
    assert!(merged(&two_kernels("ib + j")));
    // The next MP's words: a race in one kernel.
    assert!(!merged(&two_kernels("((i + 1) mod n) b + j")));
}

/// A sum that lives from one step of a loop to the next is each row's own, although one group of statements has it all.
#[test]
fn each_row_keeps_what_it_needs() {
    let text = "algorithm T(n)\n  require n ≥ 1\n  input A[n, n], X[n]\n  output C[n]\n  global a[n, n], x[n], c[n]\n  \
                shared _x, _a, _y\n  a ⇚ A\n  x ⇚ X\n  for all mp_i ∈ MP[0..n-1] in parallel do\n    \
                for all c_{i,j} ∈ C_i in parallel do\n      if j = 0 then\n        for u = 0 → n - 1 do\n          \
                _x ⇐ x[u]\n          if u = 0 then\n            _y ← 0\n          end if\n          _a ⇐ a[i, u]\n          \
                _y ← _y + _a·_x\n          if u = n - 1 then\n            c[i] ⇐ _y\n          end if\n        end for\n      \
                end if\n    end for\n  end for\n  C ⇚ c\nend algorithm\n";
    let (program, _) = load("one group", text);
    let made = rewritten(&program).into_iter();
    let made: Vec<_> = made.filter(|(name, ..)| *name == "several-rows").collect();
    assert_eq!(made.len(), 2);
    for (_, _, new) in made {
        let text = new.source().text();
        assert!(text.contains("_y[4]") || text.contains("_y[16]"), "{text}");
        assert!(text.contains("shared _x, _a, _y["), "{text}");
    }
}

#[test]
fn a_program_that_fails_gets_no_advice() {
    let text = "algorithm T(n)\n  require n ≥ 1\n  input A[n*b]\n  output C[n*b]\n  global a[n*b], c[n*b]\n  \
                shared _x[b], _y[b]\n  ensure ∀ x ∈ 0..n*b-1 : C[x] = A[x] + 1\n  a ⇚ A\n  \
                for all mp_i ∈ MP[0..n-1] in parallel do\n    for all c_{i,j} ∈ C_i in parallel do\n      \
                _y[j] ← 0\n      for u = 0 → 3 do\n        _x[j] ⇐ a[ib + j]\n        \
                _y[j] ← _y[j] + _x[j]\n      end for\n      c[ib + j] ⇐ _y[j]\n    end for\n  \
                end for\n  C ⇚ c\nend algorithm\n";
    let (program, _) = load("failing", text);
    let found = advice(&program, [("n", 1024)]);
    assert!(
        matches!(found, Err(atgpu::advise::NoAdvice::Fails(_))),
        "{found:?}"
    );
}
