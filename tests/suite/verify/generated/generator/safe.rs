//! What is proved of made-up programs, and of the same with a slip in them, never faults in a run.

use crate::support::engines::Random;
use crate::support::programs::load;
use crate::verify::generated::{is_sound, points};
use atgpu::diag::Diagnostic;
use atgpu::exec::{Execution, Options, Unwatched};
use atgpu::program::Program;
use atgpu::safety::Property;

use super::data;

/// Slips that people make.
const SLIPS: [(&str, &str); 15] = [
    (" < ", " ≤ "),
    (" ≤ ", " < "),
    (" > ", " ≥ "),
    (" ≥ ", " > "),
    (" = ", " ≠ "),
    (" + ", " - "),
    (" - ", " + "),
    (" mod ", " div "),
    (" div ", " mod "),
    ("ib", "i(b-1)"),
    ("ib", "i"),
    ("[j]", "[j + 1]"),
    ("[j]", "[0]"),
    (" → ", " → 1 + "),
    ("⌈n/b⌉", "(n div b)"),
];

/// How much was tried.
#[derive(Clone, Copy, Default, Debug)]
pub struct Tried {
    /// Programs.
    pub programs: u32,
    /// Properties proved of them.
    pub proved: u32,
    /// Runs.
    pub runs: u32,
    /// Runs with a fault in what was not proved.
    pub faulty: u32,
}

/// The first fault of what was proved.
pub fn wrongly_proved(text: &str, seed: u64, tried: &mut Tried) -> Option<String> {
    let mut variants = vec![text.to_owned()];
    // Nobody knows whether a `while` with a slip ends.
    if !text.contains("while ") {
        let slips = [seed, seed / 7].map(|seed| with_a_slip(text, seed));
        variants.extend(slips.into_iter().flatten().filter(|text| is_sound(text)));
    }
    variants
        .iter()
        .find_map(|text| wrongly_proved_of(text, seed, tried))
}

fn wrongly_proved_of(text: &str, seed: u64, tried: &mut Tried) -> Option<String> {
    let (program, _) = load("generated", text);
    let safety = program.safety();
    let is_proved = |property: Property| {
        let worst = safety.worst(property);
        worst.is_none_or(atgpu::safety::Verdict::is_proved)
    };
    tried.programs += 1;
    tried.proved += Property::ALL
        .into_iter()
        .filter(|it| is_proved(*it))
        .count() as u32;
    for choice in points(&program, seed) {
        let options = Options {
            inputs: data::inputs(&program, &choice.point, seed)
                .into_iter()
                .collect(),
            seed,
            threads: 1,
            ..Options::default()
        };
        let outcome = Execution::prepare(&program, &choice.point, &options)
            .and_then(|mut execution| execution.run(&Unwatched));
        let faults = match outcome {
            Ok(outcome) => outcome.diagnostics,
            Err(faults) => faults,
        };
        tried.runs += 1;
        let wrong = faults
            .iter()
            .find(|fault| fault.is_error() && property_of(&program, fault).is_some_and(is_proved));
        if let Some(fault) = wrong {
            let label = &choice.label;
            return Some(format!(
                "proved: {}: at {label}: {}\n{text}",
                fault.code.short_name(),
                fault.message
            ));
        }
        tried.faulty += u32::from(faults.iter().any(Diagnostic::is_error));
    }
    None
}

/// What a fault of a run speaks against; nothing where `check` says nothing of it.
fn property_of(program: &Program, fault: &Diagnostic) -> Option<Property> {
    let line = program.line(fault.primary()?.span);
    let text = program.source.text().lines().nth(line - 1)?;
    let kind = fault.code.short_name().split("::").next()?;
    match (kind, fault.code.short_name()) {
        _ if text.trim_start().starts_with("ensure") => None,
        ("bounds", _) | (_, "access::shape") => Some(Property::Bounds),
        ("race", _) => Some(Property::Races),
        (_, "value::uninitialised") => Some(Property::Initialised),
        (_, "value::division-by-zero" | "value::not-integral" | "value::range") => {
            Some(Property::Defined)
        }
        _ => None,
    }
}

/// The text with one slip in its statements: what the header says decides which points there are.
fn with_a_slip(text: &str, seed: u64) -> Option<String> {
    let begins = |line: &&str| line.contains('⇚') || line.trim_start().starts_with("for ");
    let first = text.lines().find(begins)?;
    let (head, body) = text.split_at(text.find(first)?);
    let places: Vec<(usize, &str, &str)> = SLIPS
        .iter()
        .flat_map(|(from, to)| {
            body.match_indices(from)
                .map(move |(place, _)| (place, *from, *to))
        })
        .collect();
    if places.is_empty() {
        return None;
    }
    let which = Random::new(seed | 1).below(places.len() as u64);
    let (place, from, to) = places[which as usize];
    let after = &body[place + from.len()..];
    Some(format!("{head}{}{to}{after}", &body[..place]))
}
