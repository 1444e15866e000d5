//! Programs after textbooks, papers and the tests of other checkers, written before the rules were
//! read: what `check` finds of programs that nobody fitted it to.
//!
//! Every faulty program is a safe one with a slip. Runs hold both labels. The snapshot of the score
//! names what is still open.

use super::judged::{Found, faults_over, judged};
use crate::support::programs::files;
use atgpu::exec::Options;
use atgpu::safety::Property;

/// Draws of random data for each point.
const DRAWS: u64 = 4;

/// The properties that runs can label.
const PROPERTIES: [Property; 4] = [
    Property::Bounds,
    Property::Races,
    Property::Initialised,
    Property::Defined,
];

#[test]
fn safe_programs_never_fault() {
    for (name, found) in programs("safe") {
        let faults = of_draws(|draw| faults_over(&found.program, draw));
        assert_eq!(faults, None, "{name}");
    }
}

/// Each fault is written down with the point that shows it.
#[test]
fn faulty_programs_fault() {
    let mut told = String::new();
    let mut faultless: Vec<String> = Vec::new();
    for (name, found) in programs("faulty") {
        let Some((point, faults)) = of_draws(|draw| faults_over(&found.program, draw)) else {
            faultless.push(name);
            continue;
        };
        let point: Vec<String> = point
            .iter()
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        told += &format!("{name}: {} at {}\n", faults[0].code, point.join(", "));
    }
    assert!(faultless.is_empty(), "{faultless:?} fault nowhere");
    insta::assert_snapshot!(told);
}

/// What one of several draws of random data shows first.
fn of_draws<T>(shown: impl Fn(&Options) -> Option<T>) -> Option<T> {
    (0..DRAWS).find_map(|seed| {
        shown(&Options {
            seed,
            ..Options::default()
        })
    })
}

/// A safe program is never refuted, and a faulty one never proved. Which of them are open is written
/// down, so that a change shows.
#[test]
fn what_is_found_of_unseen_programs() {
    let mut open = String::new();
    let (mut safe, mut proved) = (0, 0);
    for (name, found) in programs("safe") {
        assert!(!found.safety.is_refuted(), "{name} is safe");
        let left: Vec<&str> = PROPERTIES
            .into_iter()
            .filter(|property| {
                found
                    .safety
                    .of(*property)
                    .any(|one| !one.verdict.is_proved())
            })
            .map(Property::name)
            .collect();
        safe += 1;
        if left.is_empty() {
            proved += 1;
        } else {
            open += &format!("{name}: {}\n", left.join(", "));
        }
    }
    let mut missed = String::new();
    let (mut faulty, mut refuted) = (0, 0);
    for (name, found) in programs("faulty") {
        assert!(!found.safety.is_safe(), "{name} is faulty");
        faulty += 1;
        if found.safety.is_refuted() {
            refuted += 1;
        } else {
            missed += &format!("{name}\n");
        }
    }
    insta::assert_snapshot!(format!(
        "{proved} of {safe} safe programs proved; open:\n{open}\n\
         {refuted} of {faulty} faulty programs found; missed:\n{missed}"
    ));
}

/// The programs of this label, each with its name and what is found of it.
fn programs(label: &str) -> Vec<(String, Found)> {
    files(&format!("tests/suite/safety/unseen/{label}"), "atgpu")
        .iter()
        .map(|file| {
            let name = file.file_stem().expect("it has a name");
            (name.display().to_string(), judged(file))
        })
        .collect()
}
