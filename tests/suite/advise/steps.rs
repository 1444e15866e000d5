//! The textbook's steps, from the naive version to the good one: which ones are found, and what they save. And
//! programs for which nothing is found.

use std::fmt::Write;

use atgpu::count::Parameters;
use atgpu::exec::{Execution, Options, Unwatched};
use atgpu::machine::Machine;
use atgpu::meaning::Point;
use atgpu::program::{Program, Role};
use atgpu::syntax::{Spelling, format};

use crate::advise::advice;
use crate::support::programs::{load, load_file, path};

/// Naive versions, and versions on the way.
const NAIVE: [&str; 11] = [
    "cookbook/transpose_naive",
    "cookbook/transpose_tiled",
    "cookbook/matrix_vector_rows",
    "cookbook/matrix_multiplication_naive",
    "measured/matrix_multiplication_simple",
    "cookbook/reduction_interleaved_divergent",
    "cookbook/reduction_interleaved_conflicts",
    "cookbook/reduction_sequential",
    "measured/reduction_1_interleaved",
    "measured/reduction_2_adjacent",
    "measured/reduction_3_sequential",
];

/// Good versions.
const GOOD: [&str; 7] = [
    "paper1/vector_addition",
    "paper1/reduction",
    "paper1/matrix_multiplication",
    "cookbook/transpose_padded",
    "cookbook/reduction_first_add",
    "cookbook/matrix_multiplication_tiled",
    "cookbook/saxpy",
];

fn program(name: &str) -> Program {
    load_file(&path(&format!("programs/{name}.atgpu"))).0
}

/// Programs whose cost data decide, with the sizes of an ordinary histogram.
const COUNTING: [(&str, [(&str, i64); 3]); 2] = [
    ("cookbook/histogram", [("n", 1 << 20), ("h", 4), ("k", 128)]),
    (
        "measured/histogram_shared",
        [("n", 1 << 20), ("h", 4), ("w", 256)],
    ),
];

/// Each proposal as a line, and below it the quantities that change. That every proposal is right is seen once more,
/// on larger data than the search takes.
#[test]
fn the_textbooks_steps_are_found() {
    let mut table = String::new();
    let counting = COUNTING.map(|(name, given)| (name, Parameters::from(given)));
    let naive = NAIVE.map(|name| (name, Parameters::new()));
    for (name, given) in naive.into_iter().chain(counting) {
        let original = program(name);
        let advice = advice(&original, given).expect("it has a cost");
        assert!(!advice.proposals.is_empty(), "{name}");
        writeln!(table, "{name}").expect("text");
        for proposal in &advice.proposals {
            let steps: Vec<&str> = proposal.steps.iter().map(|step| step.rewrite).collect();
            let gain = proposal.gain().to_f64() * 100.0;
            writeln!(table, "  {}: {gain:.1}% less", steps.join(", then ")).expect("text");
            for change in &proposal.changes {
                let [before, after] = change.formulas.each_ref().map(|it| it.as_deref());
                let [before, after] = [before, after].map(|it| it.unwrap_or("—"));
                let quantity = change.quantity.name();
                writeln!(table, "    {quantity}: {before} → {after}").expect("text");
            }
            let (rewritten, _) = load(name, &proposal.text);
            same_on_larger_data(name, &original, &rewritten);
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn good_versions_are_left_alone() {
    for name in GOOD {
        let advice = advice(&program(name), ()).expect("it has a cost");
        let found = advice.proposals.iter().map(|found| &found.steps);
        assert_eq!(found.count(), 0, "{name}");
    }
}

/// A file without any sign stays without.
#[test]
fn a_file_keeps_its_spelling() {
    for name in [
        "cookbook/transpose_naive",
        "measured/matrix_multiplication_simple",
    ] {
        let original = program(name);
        let ascii = format(original.source(), Spelling::Ascii).expect("it is sound");
        let bare = ascii.lines().filter(|line| !line.trim().starts_with("//"));
        let bare: String = bare.map(|line| format!("{line}\n")).collect();
        assert!(bare.is_ascii(), "{bare}");
        let (ascii, _) = load(name, &bare);
        let advice = advice(&ascii, ()).expect("it has a cost");
        assert!(!advice.proposals.is_empty(), "{name}");
        for proposal in &advice.proposals {
            assert!(proposal.text.is_ascii(), "{}", proposal.text);
        }
    }
}

/// Runs both programs with every formal at a size that several MPs share, where it is admitted.
fn same_on_larger_data(name: &str, original: &Program, rewritten: &Program) {
    let machine = Machine::built_in("gtx650").expect("built in");
    let mut runs = 0;
    for size in [97, 128, 64, 16, 4096] {
        let formals = original.formals().iter();
        let values = formals.map(|id| (original.parameter(*id).name.as_str(), size));
        let values: atgpu::count::Parameters = values.collect();
        let outputs = |program: &Program| {
            let point = Point::new(program, machine.atgpu.numbers(), &values).ok()?;
            let options = Options {
                seed: 77,
                skip_ensures: true,
                ..Options::default()
            };
            let mut execution = Execution::prepare(program, &point, &options).ok()?;
            let outcome = execution.run(&Unwatched).ok()?;
            let variables = program.variables().iter();
            let outputs = variables.filter(|variable| variable.role == Role::Output);
            let words = outputs.map(|output| outcome.host[&output.name].array.clone());
            Some(words.collect::<Vec<_>>())
        };
        // A matrix of 4096 × 4096 words takes long.
        if size == 4096 && original.formals().len() > 1 && !name.contains("reduction") {
            continue;
        }
        if let Some(wanted) = outputs(original) {
            runs += 1;
            assert_eq!(outputs(rewritten), Some(wanted), "{name}, {size}");
        }
    }
    assert!(runs > 0, "{name}");
}
