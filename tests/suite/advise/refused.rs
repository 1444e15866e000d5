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

/// Copies for each core of an array that cores update: only where the statement does nothing else with it.
#[test]
fn only_what_is_updated_alone_gets_copies() {
    let with = |declared: &str, update: &str, inner: &str| {
        let program = kernel(
            &format!("_x[b], {declared}"),
            &format!(
                "      _h[j] ← 0\n      for u = 0 → 3 do\n        _x[j] ⇐ a[ib + j]\n        {update}\n{inner}      \
                 end for\n      _x[j] ← _h[j]\n      c[ib + j] ⇐ _x[j]\n"
            ),
        );
        made(&program, "private-copies")
    };
    let update = "atomic _h[(j + u) mod 4] ← _h[(j + u) mod 4] + _x[j]";
    assert_eq!(with("_h[b]", update, ""), 1);
    // A read between the updates would miss what the copies have; a range may not hold for parts of a sum.
    assert_eq!(with("_h[b]", update, "        _x[j] ← _h[j]\n"), 0);
    assert_eq!(with("_h[b] in 0..9", update, ""), 0);
    let other = "        atomic _h[j] ← max(_h[j], 3)\n";
    assert_eq!(with("_h[b]", update, other), 0);
    let smallest = "atomic _h[u] ← min(_h[u], _x[j])";
    assert_eq!(with("_h[b]", smallest, ""), 1);
}

/// Sums, products, least and greatest words: each made again from copies, and for one word as for an array.
#[test]
fn copies_give_what_the_updates_gave() {
    for (first, update) in [
        ("7", "_h[_x[j] mod 3] + _x[j] - u"),
        ("3", "_h[_x[j] mod 3] · 2"),
        ("50", "min(_h[_x[j] mod 3], _x[j])"),
        ("-50", "max(_h[_x[j] mod 3], _x[j], u)"),
    ] {
        for one in [false, true] {
            let spelt = |text: &str| match one {
                true => text.replace("_h[_x[j] mod 3]", "_h").replace("_h[j]", "_h"),
                false => text.to_owned(),
            };
            let (declared, guard) = if one {
                ("_h", "j = 0")
            } else {
                ("_h[b]", "j < b")
            };
            let lines = format!(
                "      _x[j] ⇐ a[ib + j]\n      if {guard} then\n        _h[j] ← {first}\n      end if\n      \
                 for u = 0 → 1 do\n        \
                 atomic _h[_x[j] mod 3] ← {update}\n      end for\n      _x[j] ← _h[j]\n      c[ib + j] ⇐ _x[j]\n"
            );
            let program = kernel(&format!("_x[b], {declared}"), &spelt(&lines));
            let made = rewritten(&program).into_iter();
            let made: Vec<Program> = made
                .filter_map(|(name, _, new)| (name == "private-copies").then_some(new))
                .collect();
            assert_eq!(made.len(), 1, "{update}");
            let outputs = |program: &Program| {
                let machine = atgpu::machine::Machine::built_in("gtx650").expect("built in");
                let point = program
                    .at(&machine, [("n", 5), ("b", 8)])
                    .expect("admitted");
                let options = atgpu::exec::Options::default();
                let execution = atgpu::exec::Execution::prepare(program, &point, &options);
                let outcome = execution.and_then(|mut it| it.run(&atgpu::exec::Unwatched));
                let outcome = outcome.unwrap_or_else(|faults| panic!("{faults:?}"));
                outcome.host["C"].array.clone()
            };
            let text = made[0].source().text();
            assert_eq!(outputs(&program), outputs(&made[0]), "{text}");
        }
    }
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

/// Only the words that guards let a kernel read are sent, where the part surely fits.
#[test]
fn a_part_is_sent_where_no_more_is_read() {
    let with = |required: &str, index: &str| {
        let text = format!(
            "algorithm T(n, m)\n  require m ≥ 1 ∧ n ≥ 1{required}\n  input A[n]\n  output C[m]\n  \
             global a[n], c[m]\n  shared _x[b]\n  a ⇚ A\n  for all mp_i ∈ MP[0..⌈m/b⌉-1] in parallel do\n    \
             for all c_{{i,j}} ∈ C_i in parallel do\n      if ib + j < m then\n        _x[j] ⇐ a[{index}]\n        \
             c[ib + j] ⇐ _x[j]\n      end if\n    end for\n  end for\n  C ⇚ c\nend algorithm\n"
        );
        load("part", &text).0
    };
    let sent = |program: &Program| {
        let advice = advice(program, [("n", 1 << 20), ("m", 1 << 10)]).expect("it has a cost");
        let proposals = advice.proposals.into_iter();
        let mut sent = proposals.filter(|it| it.steps[0].rewrite == "send-part");
        sent.next().map(|found| found.text)
    };
    let text = sent(&with(" ∧ m ≤ n", "ib + j")).expect("found");
    assert!(text.contains("a[0..m - 1] ⇚ A[0..m - 1]"), "{text}");
    // Another word is read; and where m may be more than n the program itself fails.
    assert_eq!(made(&with(" ∧ m ≤ n", "n - m + ib + j"), "send-part"), 0);
    assert_eq!(made(&with(" ∧ m ≤ n", "m - 1 - ib - j"), "send-part"), 0);
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
