//! Every program and every run-time fault of the conformance suite, where the suite is at hand:
//! counts, ensures and codes as its files say.

use std::fs;
use std::path::{Path, PathBuf};

use atgpu::array::npy;
use atgpu::check;
use atgpu::count::{Counts, Parameters, parse_number};
use atgpu::diag::Diagnostic;
use atgpu::exec::{Execution, Input, Options, Unwatched};
use atgpu::meaning::Point;
use atgpu::number::BigInt;
use atgpu::syntax;
use atgpu::text::Source;
use serde_json::Value;

/// The suite stands beside the project, if anywhere.
fn suite() -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors()
        .map(|folder| folder.join("shared/conformance"))
        .find(|folder| folder.is_dir())
}

/// The programs in a folder of the suite, and of its cases of what came later.
fn files(suite: &Path, folder: &str) -> Vec<PathBuf> {
    let folders = [suite.join(folder), suite.join("next").join(folder)];
    let entries = folders
        .iter()
        .filter_map(|folder| fs::read_dir(folder).ok());
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.expect("the suite can be read").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "atgpu")
        })
        .collect();
    files.sort();
    files
}

/// Default machine, with what `-D` overrides.
fn machine(parameters: &Parameters) -> [i64; 4] {
    let defaults = [("p", 384), ("b", 32), ("M", 12288), ("G", 1 << 28)];
    defaults.map(|(name, default)| {
        let given = parameters.get(name).and_then(|value| value.to_i64());
        given.unwrap_or(default)
    })
}

struct Run {
    counts: Counts<BigInt>,
    holds: Vec<bool>,
    diagnostics: Vec<Diagnostic>,
}

fn run(
    source: &Source,
    parameters: &Parameters,
    options: &Options,
) -> Result<Run, Vec<Diagnostic>> {
    let parsed = syntax::parse(source);
    let errors = |found: &[Diagnostic]| found.iter().any(Diagnostic::is_error);
    let algorithm = match parsed.algorithm {
        Some(algorithm) if !errors(&parsed.diagnostics) => algorithm,
        _ => return Err(parsed.diagnostics),
    };
    let checked = check::check(source, &algorithm);
    let Some(program) = checked.program else {
        return Err(checked.diagnostics);
    };
    let point = Point::new(&program, machine(parameters), parameters)?;
    let mut execution = Execution::prepare(&program, &point, options)?;
    // Twice: the second must not see anything of the first.
    let first = execution.run(&Unwatched)?;
    let outcome = execution.run(&Unwatched)?;
    assert_eq!(first.counts, outcome.counts);
    assert_eq!(first.host, outcome.host);
    assert_eq!(first.lane_operations, outcome.lane_operations);
    let mut execution = execution.by_reference();
    let reference = execution.run(&Unwatched)?;
    let on_threads = Options {
        threads: 3,
        ..options.clone()
    };
    let threaded = Execution::prepare(&program, &point, &on_threads)?.run(&Unwatched)?;
    for other in [&reference, &threaded] {
        assert_eq!(other.counts, outcome.counts);
        assert_eq!(other.host, outcome.host);
        assert_eq!(other.global, outcome.global);
        assert_eq!(other.ensures, outcome.ensures);
        assert_eq!(other.lane_operations, outcome.lane_operations);
    }
    Ok(Run {
        counts: outcome.counts,
        holds: outcome.ensures.iter().map(|ensure| ensure.holds).collect(),
        diagnostics: outcome.diagnostics,
    })
}

fn one_thread() -> Options {
    Options {
        threads: 1,
        ..Options::default()
    }
}

fn source(path: &Path) -> Source {
    let text = fs::read_to_string(path).expect("the suite is UTF-8");
    Source::new(&path.display().to_string(), &text)
}

fn number(value: &Value) -> BigInt {
    match value {
        Value::String(digits) => digits.parse().expect("a number"),
        other => other.as_i64().expect("a number").into(),
    }
}

/// What `--input` would read.
fn input(suite: &Path, given: &str) -> Input {
    match given {
        "iota" => Input::Iota,
        file if file.ends_with(".npy") => {
            let bytes = fs::read(suite.join(file)).expect("an input");
            Input::Given(npy::read(&bytes).expect("an array"))
        }
        number => Input::Fill(parse_number(number).expect("a number")),
    }
}

/// Differences between counts and what the suite expects of a case.
fn differences(counts: &Counts<BigInt>, case: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut compare = |what: String, got: &BigInt, wanted: &Value| {
        if *got != number(wanted) {
            found.push(format!("{what} = {got}, expected {wanted}"));
        }
    };
    let wanted: Vec<&Value> = case["rounds"]
        .as_array()
        .expect("rounds")
        .iter()
        .flat_map(|round| std::iter::repeat_n(round, round["count"].as_u64().unwrap_or(1) as usize))
        .collect();
    let got = counts
        .rounds
        .iter()
        .flat_map(|(count, round)| std::iter::repeat_n(round, *count as usize));
    compare(
        "number of rounds".into(),
        &BigInt::from(got.clone().count()),
        &Value::from(wanted.len()),
    );
    for (at, (round, wanted)) in got.zip(wanted).enumerate() {
        let name = |key: &str| format!("round {}: {key}", at + 1);
        compare(name("k"), &round.launched_mps, &wanted["k"]);
        compare(name("t"), &round.time, &wanted["t"]);
        compare(name("q"), &round.io, &wanted["q"]);
        compare(name("shared"), &round.shared_words, &wanted["shared"]);
        compare(name("global"), &round.global_words, &wanted["global"]);
        compare(
            name("conflicts"),
            &round.bank_conflicts,
            &wanted["bank_conflicts"],
        );
        for (key, traffic) in [("inward", &round.inward), ("outward", &round.outward)] {
            compare(name(key), &traffic.words, &wanted[key]["words"]);
            compare(
                name(key),
                &traffic.transactions,
                &wanted[key]["transactions"],
            );
        }
    }
    for (name, total) in counts.totals.named() {
        compare(format!("total {name}"), total, &case["totals"][name]);
    }
    found
}

#[test]
fn programs_count_as_expected() {
    let Some(suite) = suite() else { return };
    let mut problems = Vec::new();
    for path in files(&suite, "programs") {
        let expected = path.with_extension("json").display().to_string();
        let expected = fs::read_to_string(expected.replace("/programs/", "/expected/"));
        let expected: Value = serde_json::from_str(&expected.expect("expectations")).expect("JSON");
        for case in expected["cases"].as_array().expect("cases") {
            let mut parameters = Parameters::new();
            for (name, value) in case["parameters"].as_object().expect("parameters") {
                parameters.set(name, number(value));
            }
            let mut options = one_thread();
            for (name, file) in case["inputs"].as_object().expect("inputs") {
                let given = file
                    .as_str()
                    .map_or_else(|| file.to_string(), str::to_owned);
                options.inputs.insert(name.clone(), input(&suite, &given));
            }
            let label = format!("{} {}", path.display(), case["parameters"]);
            match run(&source(&path), &parameters, &options) {
                Err(faults) => problems.push(format!("{label}: {faults:?}")),
                Ok(run) => {
                    let differences = differences(&run.counts, case);
                    problems.extend(differences.iter().map(|text| format!("{label}: {text}")));
                    let ensures = case["ensures"].as_u64().expect("a number") as usize;
                    if run.holds != vec![true; ensures] {
                        problems.push(format!("{label}: {:?} {:?}", run.holds, run.diagnostics));
                    }
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn faults_have_their_codes_and_lines() {
    let Some(suite) = suite() else { return };
    let mut problems = Vec::new();
    let mut tried = 0;
    for path in files(&suite, "errors") {
        let source = source(&path);
        let first = source.slice(source.line_span(1)).to_owned();
        let mut words = first
            .split_whitespace()
            .skip_while(|word| *word != "expect:");
        let (Some(code), Some(_), Some(lines)) = (words.nth(1), words.next(), words.next()) else {
            panic!("{first}");
        };
        // Lints, claims and limits without data belong to other commands.
        if first.contains("cmd:") {
            continue;
        }
        let mut parameters = Parameters::new();
        let mut options = one_thread();
        while let Some(word) = words.next() {
            let given = words.next().and_then(|given| given.split_once('='));
            let (name, value) = given.expect("NAME=VALUE");
            match word {
                "-D" => parameters.set(name, parse_number(value).expect("a number")),
                "--input" => {
                    options.inputs.insert(name.to_owned(), input(&suite, value));
                }
                other => panic!("{other}"),
            }
        }
        tried += 1;
        let found = match run(&source, &parameters, &options) {
            Ok(run) => run.diagnostics,
            Err(faults) => faults,
        };
        let matches = found.iter().any(|fault| {
            let line = fault
                .primary()
                .map(|label| source.line_of(label.span.start));
            let line = line.map_or(String::new(), |line| line.to_string());
            fault.code.name() == code && (lines == "?" || lines.split('|').any(|one| one == line))
        });
        if !matches {
            let name = path.file_stem().expect("a file").to_string_lossy();
            problems.push(format!("{name}: expected {code} at {lines}, got {found:?}"));
        }
    }
    assert!(tried > 0);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
