//! What is not emitted says where and why; nothing is written wrong instead.

use crate::emit::{card, unchecked};
use crate::support::programs::program;
use atgpu::emit::{Options, Parts, Target, Words, emit};
use atgpu::machine::Machine;
use atgpu::safety::safety;

/// A kernel of one line at each core, with this head and this line.
fn of(head: &str, line: &str) -> String {
    format!(
        "algorithm T(n)\n  require n ≥ 4 ∧ b | n\n{head}  output C[n]\n  global c[n]\n  \
         shared _x[b]\n  for all mp_i ∈ MP[0..n/b-1] in parallel do\n    \
         for all c_{{i,j}} ∈ C_i in parallel do\n      {line}\n      c[ib + j] ⇐ _x[j]\n    end for\n  \
         end for\n  C ⇚ c\n"
    )
}

fn faults(text: &str, numbers: [i64; 4], target: Target, words: Words) -> Vec<String> {
    let program = program(text);
    let options = Options {
        target,
        parts: Parts::Program,
        words,
        defaults: ().into(),
        safety: None,
        unchecked: true,
    };
    let found = emit(&program, &card(numbers), &options).expect_err("it has no counterpart");
    let line = |fault: &atgpu::diag::Diagnostic| {
        let line = fault.primary().map(|label| program.line(label.span));
        format!("{} {line:?} {}", fault.code.short_name(), fault.message)
    };
    found.iter().map(line).collect()
}

const CARD: [i64; 4] = [64, 8, 4096, 1 << 30];

#[test]
fn numbers_that_need_not_be_whole_are_refused() {
    for number in ["⌈n/log2 n⌉", "2·log_4 n", "log2 n·log2 n", "⌊2^(1/2)·n⌋"] {
        let found = faults(
            &of("", &format!("_x[j] ← {number}")),
            CARD,
            Target::C,
            Words::default(),
        );
        assert!(
            found[0].starts_with("emit::unsupported Some("),
            "{number}: {found:?}"
        );
    }
}

#[test]
fn whole_logarithms_and_roots_are_emitted() {
    for number in [
        "log2 n",
        "⌈log_4 n⌉",
        "⌊sqrt(n)⌋",
        "2·log2 n + 1",
        "⌊log2(n/3)⌋",
        "log_{2b} n",
    ] {
        unchecked(
            &program(&of("", &format!("_x[j] ← {number}"))),
            CARD,
            Target::C,
        );
    }
}

#[test]
fn words_that_do_not_hold_a_range_are_refused() {
    let narrow = Words {
        int32: true,
        float: false,
    };
    let text = of("  input A[n] in 0..5000000000\n", "_x[j] ← 1");
    let found = faults(&text, CARD, Target::C, narrow);
    assert_eq!(
        found,
        ["emit::unsupported Some(3) `A` may be 5000000000, which int32 does not hold"]
    );
}

#[test]
fn more_cores_than_a_thread_block_are_refused_of_cards_only() {
    let wide = [4096, 2048, 4096, 1 << 30];
    let text = of("", "_x[j] ← 1");
    for target in [Target::Cuda, Target::OpenCl] {
        let found = faults(&text, wide, target, Words::default());
        assert!(found[0].contains("at most 1024 threads"), "{found:?}");
    }
    unchecked(&program(&text), wide, Target::C);
}

#[test]
fn only_a_safe_program_is_emitted_unless_unchecked() {
    let card = Machine::built_in("gtx650").expect("built in");
    let options = |safety| Options {
        target: Target::C,
        parts: Parts::Program,
        words: Words::default(),
        defaults: ().into(),
        safety,
        unchecked: false,
    };
    let unguarded = program(
        &of("", "_x[j] ← i")
            .replace(" ∧ b | n", "")
            .replace("n/b", "⌈n/b⌉"),
    );
    let judged = safety(&unguarded, &().into(), &card);
    let found = emit(&unguarded, &card, &options(Some(&judged))).expect_err("it is not safe");
    assert_eq!(found[0].code.short_name(), "emit::unproved");
    assert!(found[0].message.contains("bounds"), "{}", found[0].message);
    let found = emit(&unguarded, &card, &options(None)).expect_err("nobody judged it");
    assert_eq!(found[0].code.short_name(), "emit::unproved");

    let safe = program(&of("", "_x[j] ← i"));
    let judged = safety(&safe, &().into(), &card);
    let text = emit(&safe, &card, &options(Some(&judged)))
        .expect("it is safe")
        .text;
    assert!(
        text.contains("// bounds: ") && !text.contains(" open"),
        "{}",
        &text[..800]
    );
}
