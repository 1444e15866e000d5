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
    let found = atgpu(folder.path(), &["compare", "quantified.atgpu", "sum.atgpu"]);
    assert!(status(&found) <= 1, "{}", told(&found));
}
