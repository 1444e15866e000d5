//! The `require`s that would prove the unproved faults of a program absent.

use std::ops::ControlFlow;

use crate::check::check_text;
use crate::count::Parameters;
use crate::program::Program;
use crate::safety::proofs;
use crate::text::Source;

/// Limit on the formal parameters tried.
const MOST_FORMALS: usize = 4;

/// Returns conditions on one formal each that prove more places, the best first.
pub(super) fn missing(
    program: &Program,
    given: &Parameters,
    going: &dyn Fn(u64) -> ControlFlow<()>,
) -> Vec<String> {
    // Each candidate is tried for real: it is written into the text, and the program is checked and proved
    // anew.
    let unproved = |program: &Program| {
        let all = proofs(program, given);
        all.iter().filter(|one| !one.verdict.is_proved()).count()
    };
    let before = unproved(program);
    let mut found: Vec<(usize, String)> = Vec::new();
    for formal in program.formals.iter().take(MOST_FORMALS) {
        let name = &program.parameter(*formal).name;
        let candidates = [
            format!("{name} ≥ 1"),
            format!("b ∣ {name}"),
            format!("{name} ≥ 1 ∧ b ∣ {name}"),
            format!("{name} is a power of 2 ∧ b is a power of 2 ∧ {name} ≥ b"),
        ];
        for candidate in candidates {
            if before == 0 || going(0).is_break() {
                return Vec::new();
            }
            let text = with_require(&program.source, &candidate);
            let Some(program) = check_text(&Source::new("program", &text)).program else {
                continue;
            };
            let left = unproved(&program);
            if left < before {
                found.push((left, candidate));
            }
        }
    }
    // Of equally good conditions the shorter one comes first, and only two are offered.
    found.sort_by_key(|(left, condition)| (*left, condition.len()));
    let best = found.first().map_or(before, |(left, _)| *left);
    let as_good = found.into_iter().take_while(|(left, _)| *left == best);
    as_good.map(|(_, condition)| condition).take(2).collect()
}

/// Returns the text with a `require` behind the line `algorithm …`.
fn with_require(source: &Source, condition: &str) -> String {
    let at = place_for_require(source);
    let (before, behind) = source.text().split_at(at);
    format!("{before}  require {condition}\n{behind}")
}

/// Returns the place for a new `require`: behind the line `algorithm …`.
pub(super) fn place_for_require(source: &Source) -> usize {
    let is_first = |line: &usize| {
        let text = source.slice(source.line_span(*line));
        text.trim_start().starts_with("algorithm")
    };
    let line = (1..=source.line_count()).find(is_first).unwrap_or(1);
    let next = source.line_span(line + 1);
    match source.text().get(source.line_span(line).end..) {
        Some(rest) if rest.contains('\n') => next.start,
        Some(_) | None => source.text().len(),
    }
}
