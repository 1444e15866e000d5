//! Two engines, one truth: for every construct of `tests/suite/derive/constructs/`, what is derived, what is counted
//! without data and what is counted while running agree at a grid of parameters; so do the hand
//! calculations, which the files pin as claims. And the counts do not depend on the spelling.

use std::collections::BTreeSet;

use crate::support::cases;
use crate::support::engines::{
    self, Choice, assert_claims, assert_within, choices, count, execute, numbers,
};
use crate::support::programs::{DerivedFile, derived_file, load, load_file, name, path, programs};
use atgpu::count::Counts;
use atgpu::number::BigInt;
use atgpu::program::Program;
use atgpu::syntax::{Spelling, format};
use atgpu::text::Source;
use proptest::prelude::*;
use proptest::sample::Index;

/// Files of which some quantity has no derivation yet: pinned, so that progress shows.
const UNDERIVED: &[&str] = &[];

/// The one file whose last claim is wrong on purpose.
const REFUTED: &str = "claims";

/// The most operations, by its formula, of a point that is run.
const MOST_OPERATIONS: i64 = 1_000_000;

#[test]
fn derivation_counting_and_execution_agree() {
    let mut underived = BTreeSet::new();
    for file in programs("tests/suite/derive/constructs") {
        let DerivedFile {
            program,
            derivation,
        } = derived_file(&file);
        let choices = choices(program, 60 / cases::every(4), 2);
        assert!(!choices.is_empty(), "{}: no choice", file.display());
        let mut run = 0;
        for (seed, choice) in choices.iter().enumerate() {
            let what = format!("{} at {}", name(&file), choice.label);
            let derived = numbers(program, derivation, choice);
            let most = derived
                .as_ref()
                .map(|derived| &derived.totals.total_time.upper);
            if most.is_some_and(|most| *most > BigInt::from(MOST_OPERATIONS)) {
                continue;
            }
            run += 1;
            let outcome = execute(program, choice, seed as u64);
            for ensure in &outcome.ensures {
                assert!(ensure.holds, "{what}: {ensure:?}");
            }
            let counted = count(program, choice);
            assert_within(&format!("{what}, counted"), &counted, &outcome.counts);
            if let Some(derived) = derived {
                assert_within(&format!("{what}, derived"), &derived, &outcome.counts);
                // What has an exact formula is not merely bounded when it is counted.
                let pairs = derived
                    .totals
                    .named()
                    .into_iter()
                    .zip(counted.totals.named());
                for ((key, derived), (_, counted)) in pairs {
                    assert!(
                        derived.lower != derived.upper || counted.lower == counted.upper,
                        "{what}: {key} is counted as {counted:?}"
                    );
                }
            } else {
                underived.insert(name(&file));
            }
        }
        assert!(
            2 * run > choices.len(),
            "{}: run at {run} points of {}",
            file.display(),
            choices.len()
        );
    }
    let pinned: BTreeSet<String> = UNDERIVED.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(underived, pinned);
}

#[test]
fn the_calculations_by_hand_are_right() {
    for file in programs("tests/suite/derive/constructs") {
        if name(&file) == REFUTED {
            continue;
        }
        let (program, _) = load_file(&file);
        let mut held = 0;
        for (seed, choice) in choices(&program, 60, 3).iter().enumerate() {
            let outcome = execute(&program, choice, seed as u64);
            held += assert_claims(&program, choice, &outcome.counts);
        }
        assert!(held > 0, "{} pins nothing by hand", file.display());
    }
}

/// A host `while` of at most 7 iterations, of which none is certain: 2 rounds to 9, words out 2 to 9.
#[test]
fn what_happens_in_any_case_is_a_lower_bound() {
    let (program, _) = load_file(&path("tests/suite/exec/programs/host-while.atgpu"));
    let choice = engines::choice(&program, 4, Vec::new()).expect("it has no parameters");
    let counted = count(&program, &choice).totals;
    let ends = |bound: &atgpu::count::Interval| (bound.lower.clone(), bound.upper.clone());
    assert_eq!(ends(&counted.inward), (1.into(), 1.into()));
    assert_eq!(ends(&counted.outward), (2.into(), 9.into()));
    assert_eq!(ends(&counted.transfer), (3.into(), 10.into()));
    assert_eq!(ends(&counted.transactions), (3.into(), 10.into()));
    assert_eq!(ends(&counted.io), (0.into(), 14.into()));
}

/// ASCII and Unicode are two spellings of one program: they count alike, line by line, and each comes
/// back from the other.
#[test]
fn the_spelling_changes_no_count() {
    let files = [
        programs("tests/suite/derive/constructs"),
        programs("programs"),
    ]
    .concat();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a program is text");
        let spell = |text: &str, spelling| {
            format(&Source::new("spelt", text), spelling)
                .unwrap_or_else(|faults| panic!("{}: {faults:#?}", file.display()))
        };
        let ascii = spell(&text, Spelling::Ascii);
        let unicode = spell(&ascii, Spelling::Unicode);
        let code = ascii
            .lines()
            .map(|line| line.split("//").next().unwrap_or(""))
            .collect::<String>();
        assert!(code.is_ascii(), "{}: {ascii}", file.display());
        assert_eq!(
            unicode,
            spell(&text, Spelling::Unicode),
            "{}",
            file.display()
        );
        let (plain, _) = load_file(&file);
        for spelt in [ascii, unicode] {
            let (spelt, _) = load("spelt", &spelt);
            for choice in choices(&plain, 3, 6) {
                let again = engines::choice(&spelt, choice.machine[1], choice.values.clone())
                    .expect("what one spelling admits, the other does");
                let (before, after) = (execute(&plain, &choice, 7), execute(&spelt, &again, 7));
                assert_eq!(
                    before.counts,
                    after.counts,
                    "{} at {}",
                    file.display(),
                    choice.label
                );
                assert_eq!(before.lane_operations, after.lane_operations);
            }
        }
    }
}

/// A program of the suites with one of its statements wrapped, and the choice to try it at.
struct Wrapped {
    what: String,
    plain: Program,
    wrapped: Program,
    choice: Choice,
}

proptest! {
    #![proptest_config(cases::config(60))]

    /// Wrapping a statement of a core loop in an `if` that always holds costs exactly the
    /// operations of its condition, in every round that executes it, and nothing else.
    #[test]
    fn an_if_that_always_holds_costs_its_condition(
        file: Index, line: Index, at: Index, condition in 0usize..CONDITIONS.len()
    ) {
        let (condition, operations) = CONDITIONS[condition];
        let Some(case) = wrap(&file, &line, &at, condition) else { return Ok(()) };
        let before = execute(&case.plain, &case.choice, 5).counts;
        let after = execute(&case.wrapped, &case.choice, 5).counts;
        assert_dearer(&case.what, &before, &after, operations);
    }
}

/// Conditions every core satisfies, with their operations.
const CONDITIONS: [(&str, u64); 4] = [
    ("j ≥ 0", 1),
    ("0 ≤ j < b", 3),
    ("¬(j + 1 = 0)", 3),
    ("⌊(j + 1)/2⌋ ≤ j ∨ j = 0", 6),
];

fn wrap(file: &Index, line: &Index, at: &Index, condition: &str) -> Option<Wrapped> {
    let mut files = programs("tests/suite/derive/constructs");
    // Whether its second kernel runs at all is for the data to decide.
    files.retain(|file| name(file) != "host-while");
    let file = file.get(&files);
    let text = std::fs::read_to_string(file).expect("a program is text");
    let statements = core_statements(&text);
    if statements.is_empty() {
        return None;
    }
    let chosen = *line.get(&statements);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.insert(chosen + 1, "end if".to_owned());
    lines.insert(chosen, format!("if {condition} then"));
    let (plain, _) = load_file(file);
    let (wrapped, _) = load("wrapped", &lines.join("\n"));
    let choices = choices(&plain, 12, 4);
    let choice = at.get(&choices).clone();
    Some(Wrapped {
        what: format!("{} line {} at {}", name(file), chosen + 1, choice.label),
        plain,
        wrapped,
        choice,
    })
}

/// The lines (from 0) of simple statements that stand directly in a core loop over `j`.
fn core_statements(text: &str) -> Vec<usize> {
    let mut blocks: Vec<&str> = Vec::new();
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let code = line.split('▷').next().unwrap_or("").trim();
        if code.starts_with("end ") {
            blocks.pop();
        } else if code.ends_with(" do") || code.ends_with(" then") || code.starts_with("kernel ") {
            blocks.push(code);
        } else if blocks
            .last()
            .is_some_and(|block| block.starts_with("for all c_"))
            && !code.starts_with("let ")
            && !code.is_empty()
        {
            found.push(number);
        }
    }
    found
}

/// The same counts, but for `operations` more in the rounds whose kernel was changed.
fn assert_dearer(what: &str, before: &Counts<BigInt>, after: &Counts<BigInt>, operations: u64) {
    let unrolled = |counts: &Counts<BigInt>| -> Vec<_> {
        let rounds = counts.rounds.iter();
        rounds
            .flat_map(|(times, round)| vec![round.clone(); *times as usize])
            .collect()
    };
    let (before, after) = (unrolled(before), unrolled(after));
    assert_eq!(before.len(), after.len(), "{what}: rounds");
    let mut dearer = 0;
    for (plain, wrapped) in before.iter().zip(&after) {
        let more = &wrapped.time - &plain.time;
        let mut same = wrapped.clone();
        same.time = plain.time.clone();
        assert_eq!(&same, plain, "{what}: more than the time changed");
        if more != BigInt::from(0) {
            assert_eq!(more, BigInt::from(operations), "{what}: time");
            dearer += 1;
        }
    }
    let kernels = before
        .iter()
        .filter(|round| round.launched_mps > BigInt::from(0));
    assert!(
        dearer > 0 || kernels.count() < before.len(),
        "{what}: nothing got dearer"
    );
}
