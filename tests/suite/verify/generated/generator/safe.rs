//! What is proved of made-up programs, and of programs with slips in them, never faults in a run; and
//! what is refuted faults where it is said to.

use std::sync::OnceLock;

use crate::support::engines::Random;
use crate::support::programs::{files, load};
use crate::verify::generated::{WORDS, is_sound};
use atgpu::count::Parameters;
use atgpu::diag::Diagnostic;
use atgpu::exec::{Execution, Options, Unwatched};
use atgpu::machine::Machine;
use atgpu::meaning::{Point, PointValues};
use atgpu::number::BigInt;
use atgpu::program::Program;
use atgpu::safety::{Property, Safety, Verdict, Witness};

use super::data;

/// Points of each program.
const POINTS: usize = 8;

/// The folders of the programs that slips are made in.
const WRITTEN: [&str; 4] = [
    "programs",
    "tests/suite/safety/safe",
    "tests/suite/safety/open",
    "tests/suite/safety/unseen/safe",
];

/// Programs longer than this take too long to be judged thousands of times.
const LONGEST: usize = 2_500;

/// Slips that people make.
const SLIPS: [(&str, &str); 27] = [
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
    ("⌈n/b⌉", "(n div b + 1)"),
    ("-1]", "]"),
    ("-1)", ")"),
    ("[j + ", "[j - "),
    ("2j", "j"),
    ("2i", "i"),
    (" ∧ ", " ∨ "),
    ("(b-1)", "b"),
    ("b·", "(b+1)·"),
    ("atomic ", ""),
    ("= 0 →", "= 1 →"),
    ("= 1 →", "= 0 →"),
];

/// Slips in declarations of global and shared variables, and in whole lines: an array too short, a guard
/// or a double buffer gone.
const OF_DECLARATIONS: [(&str, &str); 5] = [
    ("[n]", "[n - 1]"),
    ("[b]", "[b - 1]"),
    ("[2b]", "[b]"),
    (" + 1]", "]"),
    ("[m", "[n"),
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
    /// Refutations that were run again.
    pub refuted: u32,
}

/// What is wrong with the judgement of a made-up program, or of the same with a slip in it.
pub fn wrongly_judged(text: &str, seed: u64, tried: &mut Tried) -> Option<String> {
    let mut variants = vec![text.to_owned()];
    let slips = [seed, seed / 7].map(|seed| with_a_slip(text, seed));
    variants.extend(slips.into_iter().flatten().filter(|text| is_sound(text)));
    let mut variants = variants.iter();
    variants.find_map(|text| wrongly_judged_of(text, seed, tried))
}

/// What is wrong with the judgement of a program of the crate with one to three slips in it.
pub fn wrongly_judged_slips(seed: u64, tried: &mut Tried) -> Option<String> {
    let mut random = Random::new(seed | 1);
    let texts = written();
    let mut text = texts[random.below(texts.len() as u64) as usize].clone();
    for _ in 0..=random.below(3) {
        text = with_a_slip(&text, random.below(1 << 30))?;
    }
    is_sound(&text).then_some(())?;
    wrongly_judged_of(&text, seed, tried)
}

/// The programs of the crate that are short, and in which every loop ends however a slip changes it.
fn written() -> &'static [String] {
    static TEXTS: OnceLock<Vec<String>> = OnceLock::new();
    TEXTS.get_or_init(|| {
        let files = WRITTEN.iter().flat_map(|folder| files(folder, "atgpu"));
        let texts = files.map(|file| std::fs::read_to_string(file).expect("a program is text"));
        texts
            .filter(|text| text.len() <= LONGEST && !text.contains("while "))
            .collect()
    })
}

fn wrongly_judged_of(text: &str, seed: u64, tried: &mut Tried) -> Option<String> {
    let (program, _) = load("generated", text);
    let safety = program.safety();
    let is_proved = |property: Property| safety.worst(property).is_none_or(Verdict::is_proved);
    tried.programs += 1;
    tried.proved += Property::ALL
        .into_iter()
        .filter(|it| is_proved(*it))
        .count() as u32;
    if let Some(why) = wrongly_refuted(&program, &safety, tried) {
        return Some(format!("{why}\n{text}"));
    }
    for (values, width) in small(&program, seed) {
        let Some(faults) = faults_at(&program, &values, width, seed) else {
            continue;
        };
        tried.runs += 1;
        let wrong = faults
            .iter()
            .find(|fault| fault.is_error() && property_of(&program, fault).is_some_and(is_proved));
        if let Some(fault) = wrong {
            return Some(format!(
                "proved: {}: at {}: {}\n{text}",
                fault.code.short_name(),
                PointValues::of(&values, width),
                fault.message
            ));
        }
        tried.faulty += u32::from(faults.iter().any(Diagnostic::is_error));
    }
    None
}

/// A refutation whose run does not show the same code at the same line.
fn wrongly_refuted(program: &Program, safety: &Safety, tried: &mut Tried) -> Option<String> {
    let card = Machine::built_in("gtx650").expect("built in");
    let place = |fault: &Diagnostic| {
        let line = fault.primary().map(|label| program.line(label.span));
        (fault.code.short_name(), line)
    };
    let witnesses = safety
        .judged
        .iter()
        .filter_map(|found| match &found.verdict {
            Verdict::Refuted(witness) => Some(&**witness),
            Verdict::Proved(_) | Verdict::Open(_) => None,
        });
    let shown = witnesses.map(|it: &Witness| (&it.values, &it.inputs, &it.fault));
    for (values, inputs, fault) in shown {
        tried.refuted += 1;
        let options = Options {
            inputs: inputs.iter().cloned().collect(),
            threads: 1,
            ..Options::default()
        };
        let result = program.run(&card, values.clone(), &options);
        let is_shown = result.is_err_and(|error| {
            let mut found = error.findings().iter();
            found.any(|found| place(found.diagnostic) == place(fault))
        });
        if !is_shown {
            return Some(format!("refuted: {} at {values:?}", fault.message));
        }
    }
    None
}

/// Small values of the formals, each with a b.
fn small(program: &Program, seed: u64) -> Vec<(Parameters, i64)> {
    let mut random = Random::new(seed);
    let mut found: Vec<(Parameters, i64)> = Vec::new();
    for _ in 0..POINTS * 12 {
        if found.len() == POINTS {
            break;
        }
        let width = [1, 2, 3, 4, 5, 7, 8, 2, 3, 4][random.below(10) as usize];
        let mut values = Parameters::new();
        for formal in program.formals() {
            let name = &program.parameter(*formal).name;
            let value = match random.below(4) {
                0 | 1 => width * (random.below(4) as i64 + 1),
                2 => random.below(6) as i64,
                _ => random.below(20) as i64,
            };
            values.set(name, value);
        }
        let is_new =
            |(known, other): &(Parameters, i64)| *other != width || known.iter().ne(values.iter());
        let is_admitted = match Point::new(program, machine(width), &values) {
            Ok(point) => words(&point) <= BigInt::from(WORDS),
            Err(faults) => !is_refusal(&faults),
        };
        if is_admitted && found.iter().all(is_new) {
            found.push((values, width));
        }
    }
    found
}

fn machine(width: i64) -> [i64; 4] {
    [12 * width, width, 1 << 40, 1 << 40]
}

/// The words of the largest variable.
fn words(point: &Point) -> BigInt {
    let words = point.extents.iter().map(|extents| {
        let one = BigInt::from(1);
        extents.iter().fold(one, |words, extent| words * extent)
    });
    words.max().unwrap_or_default()
}

fn is_refusal(faults: &[Diagnostic]) -> bool {
    let mut codes = faults.iter().map(|fault| fault.code.short_name());
    codes.any(|code| code == "require::violated")
}

/// The faults of a run; nothing where its data are not admitted.
fn faults_at(
    program: &Program,
    values: &Parameters,
    width: i64,
    seed: u64,
) -> Option<Vec<Diagnostic>> {
    let point = match Point::new(program, machine(width), values) {
        Ok(point) => point,
        Err(faults) => return Some(faults),
    };
    let options = Options {
        inputs: data::inputs(program, &point, seed).into_iter().collect(),
        seed,
        threads: 1,
        ..Options::default()
    };
    let outcome = Execution::prepare(program, &point, &options)
        .and_then(|mut execution| execution.run(&Unwatched));
    let faults = match outcome {
        Ok(outcome) => outcome.diagnostics,
        Err(faults) => faults,
    };
    (!is_refusal(&faults)).then_some(faults)
}

/// What a fault of a run speaks against; nothing where `check` says nothing of it.
fn property_of(program: &Program, fault: &Diagnostic) -> Option<Property> {
    let line = program.line(fault.primary()?.span);
    let text = program.source().text().lines().nth(line - 1)?;
    let kind = fault.code.short_name().split("::").next()?;
    match (kind, fault.code.short_name()) {
        _ if text.trim_start().starts_with("ensure") => None,
        // A declaration that admits no data.
        _ if text.trim_start().starts_with("input") => None,
        ("bounds", _) | (_, "access::shape") => Some(Property::Bounds),
        ("race", _) => Some(Property::Races),
        (_, "value::uninitialised") => Some(Property::Initialised),
        (_, "value::division-by-zero" | "value::not-integral" | "value::range") => {
            Some(Property::Defined)
        }
        _ => None,
    }
}

/// The text with one slip in its statements, or in a declaration of what they use.
fn with_a_slip(text: &str, seed: u64) -> Option<String> {
    // Nobody knows whether a `while` with a slip ends.
    if text.contains("while ") {
        return None;
    }
    let begins = |line: &&str| line.contains('⇚') || line.trim_start().starts_with("for ");
    let body = text.find(text.lines().find(begins)?)?;
    let of_declaration = |line: &str| {
        let first = line.split_whitespace().next();
        matches!(first, Some("global" | "shared"))
    };
    let mut places: Vec<(usize, &str, &str)> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let slips: &[(&str, &str)] = match (at >= body, of_declaration(line)) {
            (true, _) => &SLIPS,
            (false, true) => &OF_DECLARATIONS,
            (false, false) => &[],
        };
        for (from, to) in slips {
            let found = line.match_indices(from);
            places.extend(found.map(|(place, _)| (at + place, *from, *to)));
        }
        let code = line.trim();
        let start = at + line.len() - line.trim_start().len();
        if at >= body && code.starts_with("swap ") {
            places.push((start, code, ""));
        }
        if at >= body && code.starts_with("if ") {
            places.push((start, code, "if 0 = 0 then"));
        }
        at += line.len();
    }
    if places.is_empty() {
        return None;
    }
    let which = Random::new(seed | 1).below(places.len() as u64);
    let (place, from, to) = places[which as usize];
    let after = &text[place + from.len()..];
    Some(format!("{}{to}{after}", &text[..place]))
}
