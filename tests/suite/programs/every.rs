//! Everything in `programs/`, as a user would copy it: it checks clean and is laid out as `fmt`
//! would; at two hundred choices of parameters both engines agree, and every promise holds.

use std::collections::BTreeSet;
use std::path::Path;

use crate::support::command;
use crate::support::engines::{
    assert_claims, assert_within, choice, choices, count, execute, numbers,
};
use crate::support::programs::{derived_file, load_file, name, path, programs};
use atgpu::count::Parameters;
use atgpu::derivation::Derivation;
use atgpu::derivation::Verdict;
use atgpu::program::Program;
use atgpu::syntax::{Spelling, format};
use atgpu::text::Source;
use serde_json::Value;

/// Executions of each program.
const RUNS: usize = 200;

/// Points worth more than chance: the paper's width, several rounds, ends of the ranges.
const PICKED: &[(&str, i64, i64)] = &[
    ("matrix_multiplication", 64, 64),
    ("matrix_multiplication", 64, 32),
    ("matrix_multiplication", 48, 16),
    ("reduction", 1024, 32),
    ("reduction", 4096, 64),
    ("reduction", 4096, 8),
    ("reduction", 1024, 2),
    ("reduction_any_n", 1, 64),
    ("reduction_any_n", 1025, 32),
    ("reduction_any_n", 4095, 64),
    ("reduction_any_n", 1023, 2),
    ("vector_addition", 3200, 32),
    ("vector_addition", 1000, 1),
    ("vector_addition_guarded", 1000, 32),
    ("vector_addition_guarded", 1, 64),
    ("vector_addition_guarded", 999, 1),
];

/// Written for warps of 32, so that the grid of points has n alone; [`agrees`] holds their claims at
/// many more.
const ONE_WIDTH: [&str; 3] = [
    "reduction_5_last_warp",
    "reduction_6_unrolled",
    "reduction_7_several_loads",
];

#[test]
fn paper_1_is_there() {
    let names: Vec<String> = programs("programs/paper1")
        .iter()
        .map(|file| name(file))
        .collect();
    assert_eq!(
        names,
        [
            "matrix_multiplication",
            "reduction",
            "reduction_any_n",
            "vector_addition",
            "vector_addition_guarded"
        ]
    );
}

/// What `check` notes about a program is true of its algorithm, and said in its head.
#[test]
fn programs_check_clean() {
    for file in programs("programs") {
        let (_, lints) = load_file(&file);
        assert!(lints.is_empty(), "{}: {lints:#?}", file.display());
        let output = command::atgpu(&path(""))
            .arg("check")
            .arg(&file)
            .args(["--format", "json"])
            .output()
            .expect("the command starts");
        let result: Value = serde_json::from_slice(&output.stdout).expect("it prints JSON");
        let found: BTreeSet<&str> = result["diagnostics"]
            .as_array()
            .expect("it has diagnostics")
            .iter()
            .filter_map(|entry| entry["code"].as_str())
            .collect();
        let text = std::fs::read_to_string(&file).expect("a program is text");
        // What a comment allows is not told.
        let noted = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("▷ allow "))
            .collect::<String>();
        let noted = noted
            .split(|c: char| !(c.is_ascii_alphabetic() || c == ':' || c == '-'))
            .filter(|word| word.starts_with("lint::"))
            .map(|word| format!("atgpu::{}", word.trim_end_matches([':', '-'])));
        let found: BTreeSet<String> = found.into_iter().map(str::to_owned).collect();
        assert_eq!(found, noted.collect(), "{}", file.display());
        assert!(output.status.success());
    }
}

#[test]
fn programs_are_laid_out_as_fmt_would() {
    for file in programs("programs") {
        let text = std::fs::read_to_string(&file).expect("a program is text");
        let source = Source::new("program", &text);
        let formatted = format(&source, Spelling::AsWritten).expect("it parses");
        assert!(
            formatted == text,
            "`atgpu fmt {}` changes it",
            file.display()
        );
    }
}

#[test]
fn programs_open_with_what_they_are_and_promise_their_result() {
    for file in programs("programs") {
        let text = std::fs::read_to_string(&file).expect("a program is text");
        assert!(
            text.starts_with("▷ "),
            "{} has no head comment",
            file.display()
        );
        let (program, _) = load_file(&file);
        assert!(
            !program.ensures().is_empty(),
            "{} ensures nothing",
            file.display()
        );
        assert!(
            !program.claims().is_empty(),
            "{} claims nothing",
            file.display()
        );
    }
}

/// Every total of the paper's own algorithms is a formula, none a bound.
#[test]
fn both_engines_agree_on_paper_1() {
    for file in programs("programs/paper1") {
        assert!(agrees(&file).is_exact, "{}: a bound", file.display());
    }
}

/// Papers 2 to 5: what data decide (list ranking, histograms) is bounded, all else exact.
#[test]
fn both_engines_agree_on_papers_2_to_5() {
    let bounded = ["list_ranking", "partial_histograms"];
    for paper in ["paper2", "paper3", "paper4", "paper5"] {
        for file in programs(&format!("programs/{paper}")) {
            let is_bounded = bounded.contains(&name(&file).as_str());
            let agreement = agrees(&file);
            assert!(agreement.is_exact != is_bounded, "{}", file.display());
        }
    }
}

/// In quarters, which run side by side. `cookbook.rs` holds what is exact.
#[test]
fn both_engines_agree_on_the_cookbook_1() {
    cookbook_agrees(0);
}

#[test]
fn both_engines_agree_on_the_cookbook_2() {
    cookbook_agrees(1);
}

#[test]
fn both_engines_agree_on_the_cookbook_3() {
    cookbook_agrees(2);
}

#[test]
fn both_engines_agree_on_the_cookbook_4() {
    cookbook_agrees(3);
}

fn cookbook_agrees(quarter: usize) {
    quarter_agrees("programs/cookbook", quarter);
}

/// Kernels that were timed on real cards, in quarters too.
#[test]
fn both_engines_agree_on_the_measured_kernels_1() {
    quarter_agrees("programs/measured", 0);
}

#[test]
fn both_engines_agree_on_the_measured_kernels_2() {
    quarter_agrees("programs/measured", 1);
}

#[test]
fn both_engines_agree_on_the_measured_kernels_3() {
    quarter_agrees("programs/measured", 2);
}

#[test]
fn both_engines_agree_on_the_measured_kernels_4() {
    quarter_agrees("programs/measured", 3);
}

fn quarter_agrees(folder: &str, quarter: usize) {
    let mut points = 0;
    let files = programs(folder);
    for file in files.iter().skip(quarter).step_by(4) {
        points += agrees(file).points;
    }
    eprintln!("{points} points of {folder}, no mismatch");
}

/// How a program fared.
struct Agreement {
    /// Different choices of parameters at which both engines were compared.
    points: usize,
    /// Whether counting and derivation gave every total exactly, everywhere.
    is_exact: bool,
}

/// Runs a program at its choices, as often as [`RUNS`] with different data: every `ensure` and every
/// claim on counts holds, and what is counted and derived without data agrees with what happened.
/// Where a program admits fewer choices (n a power of b), each is tried with several data.
fn agrees(file: &Path) -> Agreement {
    let (program, _) = load_file(file);
    let derivation = derivation_alone(&program);
    let mut choices = choices(&program, RUNS, 1);
    for (_, n, b) in PICKED.iter().filter(|(picked, ..)| *picked == name(file)) {
        let picked = choice(&program, *b, vec![("n".to_owned(), *n)]);
        choices.insert(0, picked.expect("the program admits it"));
    }
    assert!(
        choices.len() >= 15,
        "{}: {} choices",
        file.display(),
        choices.len()
    );
    let mut is_exact = true;
    for run in 0..RUNS.max(choices.len()) {
        let choice = &choices[run % choices.len()];
        let what = format!("{} at {}", name(file), choice.label);
        let outcome = execute(&program, choice, run as u64);
        for ensure in &outcome.ensures {
            assert!(ensure.holds, "{what}: {ensure:?}");
        }
        assert!(assert_claims(&program, choice, &outcome.counts) >= 10);
        if run >= choices.len() {
            continue;
        }
        let counted = count(&program, choice);
        let every = outcome.counts.totals.named().len();
        let exact = assert_within(&format!("{what}, counted"), &counted, &outcome.counts);
        is_exact &= exact == every;
        let Some(derived) = numbers(&program, &derivation, choice) else {
            is_exact = false;
            continue;
        };
        let exact = assert_within(&format!("{what}, derived"), &derived, &outcome.counts);
        is_exact &= exact == every;
    }
    Agreement {
        points: choices.len(),
        is_exact,
    }
}

/// The derivation without its claims, which take long to judge and are held elsewhere.
fn derivation_alone(program: &Program) -> Derivation {
    let program = program.clone().without_claims();
    atgpu::derive::derive(&program, &Parameters::new())
}

/// By algebra, or else at many points: none is left open. `cookbook.rs` holds those of the cookbook.
#[test]
fn claims_are_proved() {
    let cookbook = programs("programs/cookbook");
    for file in programs("programs") {
        if cookbook.contains(&file) {
            continue;
        }
        for claim in &derived_file(&file).derivation.claims {
            let what = format!("{}: {}", name(&file), claim.text);
            match &claim.verdict {
                Verdict::Proved => {}
                Verdict::Tested(points) => {
                    let least = if ONE_WIDTH.contains(&name(&file).as_str()) {
                        8
                    } else {
                        10
                    };
                    assert!(*points >= least, "{what}: {points} points");
                }
                Verdict::Open(why) => panic!("{what}: {why}"),
                Verdict::Refuted(why) => panic!("{what}: {why}"),
            }
        }
    }
}
