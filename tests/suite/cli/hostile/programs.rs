//! Programs that are legal and awkward: deep nesting that is allowed, quantified `require`s, numbers that are too long
//! to be written down. Each command ends soon, with whatever it has to say.

use std::time::{Duration, Instant};

use crate::cli::hostile::{ONE_MORE, atgpu, folder_with, status, told};

/// Far more than any of them takes, and far less than what they once took.
const SOON: Duration = Duration::from_secs(60);

/// The program with another line in its header.
fn with_line(line: &str) -> String {
    ONE_MORE.replace("  input A[n]\n", &format!("  {line}\n  input A[n]\n"))
}

/// A kernel with so many loops around a word that the iteration before may have written.
fn nested_in_cores(depth: usize) -> String {
    let opened: String = (0..depth)
        .map(|level| format!("        for s{level} = 1 → 2 do\n"))
        .collect();
    let body = format!(
        "{opened}        _x[j] ← _x[b - 1 - j] + 1\n{}",
        "        end for\n".repeat(depth)
    );
    ONE_MORE.replace("        _x[j] ← _x[j] + 1\n", &body)
}

/// So many host loops around a kernel whose arrays change names.
fn nested_on_host(depth: usize) -> String {
    let (head, rest) = ONE_MORE
        .split_once("  for all mp_i")
        .expect("it has a kernel");
    let (kernel, tail) = rest.split_once("  C ⇚ c").expect("it has an output");
    let opened: String = (0..depth)
        .map(|level| format!("  for s{level} = 1 → 2 do\n"))
        .collect();
    let closed = "  end for\n".repeat(depth);
    format!("{head}{opened}  for all mp_i{kernel}  swap a ↔ c\n{closed}  C ⇚ c{tail}")
}

/// So many `let`s, each with the one before in it, and a guard with the last of them.
fn chained(depth: usize) -> String {
    let first = "let x0 = n".to_owned();
    let lets = (0..depth).map(|at| format!("let x{} = max(⌊(x{at} + n)/3⌋, {at})", at + 1));
    let lets: Vec<String> = std::iter::once(first).chain(lets).collect();
    with_line(&lets.join("\n  ")).replace("ib + j < n", &format!("ib + j < min(n, x{depth})"))
}

/// A core's value in so many brackets.
fn nested_in_brackets(depth: usize) -> String {
    let deep = (0..depth).fold("_x[j]".to_owned(), |x, _| format!("min(0, 1 - {x})"));
    ONE_MORE.replace("_x[j] ← _x[j] + 1", &format!("_x[j] ← {deep}"))
}

/// A scan with a round more than it needs. The algebra once ran out of stack over its rounds.
const SCAN: &str = include_str!("../../derive/constructs/scan-past-a-power.atgpu");

#[test]
fn awkward_programs_are_soon_judged() {
    let programs = [
        ("constant.atgpu", with_line("let k = 2^(n + 32769)")),
        ("sum.atgpu", with_line("claim rounds ≤ (n + 1)^(b + 30)")),
        ("symbol.atgpu", with_line("claim rounds ≤ n^(b + 2000000)")),
        ("require.atgpu", with_line("require 10^(n + 20000) ≥ 3")),
        (
            "quantified.atgpu",
            with_line("require ∀ x ∈ 0..n-1 : x ≥ 0"),
        ),
        ("cores.atgpu", nested_in_cores(14)),
        ("host.atgpu", nested_on_host(16)),
        ("chain.atgpu", chained(600)),
        ("scan.atgpu", SCAN.to_owned()),
        (
            "powers.atgpu",
            with_line("require n mod 1000000007 = 5 ∧ n^1000 > 3^n"),
        ),
    ];
    let files: Vec<(&str, &[u8])> = programs
        .iter()
        .map(|(name, text)| (*name, text.as_bytes()))
        .collect();
    let folder = folder_with(&files);
    for (name, _) in &programs {
        for command in [&["check"][..], &["derive"], &["emit", "c", "--unchecked"]] {
            let started = Instant::now();
            let found = atgpu(folder.path(), &[command, &[*name]].concat());
            assert!(status(&found) <= 1, "{command:?} {name}: {}", told(&found));
            assert!(started.elapsed() < SOON, "{command:?} {name}");
        }
    }
    let found = atgpu(folder.path(), &["test", "powers.atgpu"]);
    assert!(status(&found) <= 1, "{}", told(&found));
    assert!(
        !told(&found).contains("resource::memory"),
        "{}",
        told(&found)
    );
    let found = atgpu(folder.path(), &["compare", "quantified.atgpu", "sum.atgpu"]);
    assert!(status(&found) <= 1, "{}", told(&found));
}

/// All programs of a folder have their answers beside one that the algebra once died of.
#[test]
fn a_folder_is_answered_whole() {
    let chain = chained(600);
    let folder = folder_with(&[
        ("before.atgpu", ONE_MORE.as_bytes()),
        ("chain.atgpu", chain.as_bytes()),
        ("scan.atgpu", SCAN.as_bytes()),
        ("unknown.atgpu", ONE_MORE.replace("← _x", "← _y").as_bytes()),
    ]);
    let found = atgpu(folder.path(), &["check", "."]);
    assert_eq!(status(&found), 1, "{}", told(&found));
    for safe in [
        "before.atgpu is safe",
        "scan.atgpu is safe",
        "name::unknown",
    ] {
        assert!(told(&found).contains(safe), "{safe}: {}", told(&found));
    }
    let found = atgpu(folder.path(), &["derive", "."]);
    assert_eq!(status(&found), 1, "{}", told(&found));
    for derived in ["before.atgpu: OneMore", "scan.atgpu: Scan"] {
        assert!(told(&found).contains(derived), "{}", told(&found));
    }
    let found = atgpu(folder.path(), &["test", "before.atgpu", "scan.atgpu"]);
    assert_eq!(status(&found), 0, "{}", told(&found));
}

/// The threads that execute MPs have the stack for the deepest expression, too.
#[test]
fn the_deepest_expression_runs_on_several_threads() {
    let deep = nested_in_brackets(126);
    let folder = folder_with(&[("deep.atgpu", deep.as_bytes())]);
    let args = ["run", "deep.atgpu", "-D", "n=200000", "--threads", "4"];
    let found = atgpu(folder.path(), &args);
    assert_eq!(status(&found), 0, "{}", told(&found));
    assert!(told(&found).contains("counts agree"), "{}", told(&found));
}
