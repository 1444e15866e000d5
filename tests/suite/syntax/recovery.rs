//! What an editor sees: text that is being typed has few diagnostics, each with a place; mistakes
//! that have nothing to do with each other are all told.

use std::collections::BTreeSet;

use crate::support::programs::programs;
use atgpu::check::check;
use atgpu::diag::Diagnostic;
use atgpu::syntax::parse;
use atgpu::text::Source;

/// Every so many characters; all of them without a debug build's patience.
const STEP: usize = if cfg!(debug_assertions) { 41 } else { 1 };

fn errors(text: &str) -> Vec<Diagnostic> {
    let source = Source::new("typed", text);
    let parsed = parse(&source);
    let mut found = parsed.diagnostics;
    if let Some(algorithm) = parsed.algorithm {
        found.extend(check(&source, &algorithm).diagnostics);
    }
    found.retain(Diagnostic::is_error);
    found
}

/// One fault for the line that is being typed, one for the blocks that are still open, and one for
/// the operand that line did not reach.
const MOST: usize = 2;

/// Names that the header of a program uses before it declares them.
const MOST_NAMES: usize = 4;

#[test]
fn every_prefix_of_every_program_has_few_faults_and_each_a_place() {
    let mut tried = 0;
    let mut worst = (0, String::new());
    for (number, file) in programs("programs").iter().enumerate() {
        let text = std::fs::read_to_string(file).expect("a program is text");
        let ends = text.char_indices().map(|(at, _)| at);
        for end in ends.skip(number % STEP).step_by(STEP) {
            let prefix = &text[..end];
            let found = errors(prefix);
            tried += 1;
            for fault in &found {
                let label = fault.primary().expect("a fault has a place");
                assert!(
                    label.span.end <= end && !fault.message.is_empty(),
                    "{fault:?}"
                );
            }
            // What the header declares further down is unknown until then.
            let (unknown, others): (Vec<&Diagnostic>, Vec<&Diagnostic>) = found
                .iter()
                .partition(|fault| fault.code.short_name() == "name::unknown");
            let names: BTreeSet<&str> = unknown.iter().map(|one| one.message.as_str()).collect();
            assert!(names.len() <= MOST_NAMES, "{names:?}\n{prefix}");
            if others.len() > worst.0 {
                let messages: Vec<&str> = others.iter().map(|one| one.message.as_str()).collect();
                worst = (others.len(), format!("{messages:#?}\n{prefix}"));
            }
        }
    }
    assert!(tried > 1_000, "{tried}");
    assert!(worst.0 <= MOST, "{} faults: {}", worst.0, worst.1);
}

/// A line cut anywhere, with the rest of the program behind it.
#[test]
fn a_half_typed_line_has_few_faults() {
    let mut worst = (0, String::new());
    for (number, file) in programs("programs").iter().enumerate() {
        let text = std::fs::read_to_string(file).expect("a program is text");
        let lines: Vec<&str> = text.lines().collect();
        for at in (number % STEP..lines.len()).step_by(STEP) {
            let line = lines[at];
            // Where a block opens or something is declared, what follows misses it.
            let trimmed = line.trim_start();
            let declares = [
                "for",
                "if",
                "while",
                "end",
                "kernel",
                "algorithm",
                "let",
                "execute",
            ]
            .iter()
            .chain(&["input", "output", "host", "global", "shared", "require"])
            .any(|word| trimmed.starts_with(word));
            if declares {
                continue;
            }
            for (end, _) in line.char_indices().step_by(3) {
                let mut typed = lines.clone();
                typed[at] = &line[..end];
                let typed = typed.join("\n");
                let found = errors(&typed);
                if found.len() > worst.0 {
                    let messages: Vec<&str> =
                        found.iter().map(|one| one.message.as_str()).collect();
                    worst = (found.len(), format!("{messages:#?}\n{typed}"));
                }
            }
        }
    }
    assert!(worst.0 <= MOST, "{} faults: {}", worst.0, worst.1);
}

#[test]
fn five_mistakes_are_five_faults() {
    let text = "\
algorithm Five(n)
  require n ≥ 1
  input A[n]
  output C[n]
  global a[n], c[n]
  shared _x[b], _y[b]
  let k = ⌈n/b
  a ⇚ B
  for all mp_i ∈ MP[0..⌈n/b⌉-1] in parallel do
    for all c_{i,j} ∈ C_i in parallel do
      if ib + j < n then
        _x[j] ← a[ib + j]
        _y[j, 0] ← 1
        _x[j] ← _x[j] +
        c[ib + j] ⇐ _x[j]
      end if
    end for
  end for
  C ⇚ c
end algorithm
";
    let source = Source::new("five", text);
    let found = errors(text);
    let lines = found.iter().map(|fault| {
        let label = fault.primary().expect("a fault has a place");
        let line = source.position(label.span.start).line;
        (line, fault.code.short_name())
    });
    let mut lines: Vec<(usize, &str)> = lines.collect();
    lines.sort_unstable();
    let expected = [
        (7, "syntax::unexpected"),
        (8, "name::unknown"),
        (12, "access::operator"),
        (13, "access::rank"),
        (14, "syntax::unexpected"),
    ];
    assert_eq!(lines, expected);
}
