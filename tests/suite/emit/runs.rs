//! Emitted programs compiled and run: their outputs are the interpreter's, bit for bit. Those that
//! use `exp ln sin cos`, powers or logarithms of floats, whose last bit is the platform's, differ
//! by rounding. Without a compiler a test says so and ends.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::emit::{
    card, choice_of, in_thread_blocks, is_there, on_card, opencl_is_there, unchecked,
};
use crate::support::cases;
use crate::support::engines::{Choice, execute};
use crate::support::programs::{load_file, name, path, program, programs};
use atgpu::array::{Array, Data, npy};
use atgpu::emit::{Target, Words};
use atgpu::exec::Outcome;
use atgpu::machine::Machine;
use atgpu::program::{Program, Role, Variable};
use atgpu::safety::{Safety, safety};

/// Relative difference of words in single precision that is rounding, as a part of the largest.
const SINGLE: f64 = 1e-4;

/// What is compiled and run.
pub(super) struct Case {
    pub name: String,
    pub program: Program,
    pub choice: Choice,
    pub words: Words,
}

fn case(file: &Path) -> Case {
    let (program, _) = load_file(file);
    let choice = choice_of(&program);
    Case {
        name: name(file),
        program,
        choice,
        words: Words::default(),
    }
}

/// All programs, or some of them where not all are searched.
pub(super) fn all() -> Vec<Case> {
    let files = programs("programs");
    let searched = files.iter().step_by(cases::every(4));
    searched.map(|file| case(file)).collect()
}

/// What the programs do not have: loops of differing lengths, both ways and left early, cores that
/// leave loops, atomics of all kinds, blocks, conversions, numbers of either sign.
pub(super) fn constructs() -> Vec<Case> {
    let choice = |program: &Program| {
        let values = vec![("n".to_owned(), 40)];
        crate::support::engines::choice(program, 8, values).expect("it is admitted")
    };
    let texts = fs::read_to_string(path("tests/suite/emit/constructs.atgpu")).expect("it is there");
    let cases = texts.split("\n▷▷\n").enumerate().map(|(number, text)| {
        let program = program(text);
        let choice = choice(&program);
        let name = format!("{number}-{}", program.name());
        Case {
            name,
            program,
            choice,
            words: Words::default(),
        }
    });
    cases.collect()
}

pub(super) fn told(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// A made-up expression may compare a number with itself, or be too large for a narrow word at compile time.
const OF_MADE_UP: &[&str] = &["-fwrapv", "-Wno-tautological-compare", "-Wno-overflow"];

/// Sums of ints that leave their bits wrap.
pub(super) const WRAPPED: &[&str] = &["-fwrapv"];
/// The same ends the program.
pub(super) const SANITIZED: &[&str] = &[
    "-fsanitize=signed-integer-overflow,shift",
    "-fno-sanitize-recover=all",
];

/// A card whose shared words indices of 32 bits tell apart.
fn small(case: &Case) -> Machine {
    let [p, b, _, g] = case.choice.machine;
    card([p, b, 1 << 24, g])
}

/// What is proved of a case: where all indices are within their arrays, those of 32 bits rest on it.
fn judged(case: &Case) -> Safety {
    safety(&case.program, &().into(), &small(case))
}

/// Emits a case and compiles it with more flags; returns the executable.
fn compiled(
    case: &Case,
    (target, safety): (Target, Option<&Safety>),
    place: &Path,
    flags: &[&str],
) -> Result<PathBuf, String> {
    fs::create_dir_all(place).map_err(|error| error.to_string())?;
    let source = place.join(format!("program.{}", target.extension()));
    let emitted = on_card(&case.program, &small(case), target, case.words, safety);
    let text = emitted
        .map_err(|faults| faults[0].message.to_string())?
        .text;
    fs::write(&source, text).map_err(|error| error.to_string())?;
    let executable = place.join("program");
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-Wall", "-Werror", "-ffp-contract=off"]);
    compiler.args(flags).arg("-o").arg(&executable).arg(&source);
    if target == Target::OpenCl {
        compiler.arg("-lOpenCL");
    }
    let output = compiler.arg("-lm").output();
    let output = output.map_err(|error| error.to_string())?;
    if output.status.success() && output.stderr.is_empty() {
        Ok(executable)
    } else {
        Err(format!("does not compile: {}", told(&output)))
    }
}

/// Of the data: beyond what a signed word holds, but where words are narrow, whose results are compared up
/// to rounding at data that are known to round little.
pub(super) fn seed(case: &Case) -> u64 {
    if case.words.float {
        5
    } else {
        12_345_678_901_234_567_890
    }
}

/// Runs a compiled case, under another program where one is named.
fn run(case: &Case, under: &[&str], executable: &Path, place: &Path) -> Result<Output, String> {
    let values = case.choice.values.iter();
    let values = values.map(|(name, value)| format!("{name}={value}"));
    let mut command = match under {
        [] => Command::new(executable),
        [first, rest @ ..] => {
            let mut command = Command::new(first);
            command.args(rest).arg(executable);
            command
        }
    };
    let ran = command
        .args(values)
        .args(["--seed", &seed(case).to_string(), "--repeat", "2", "--out"])
        .arg(place)
        .output()
        .map_err(|error| error.to_string())?;
    if ran.status.success() {
        Ok(ran)
    } else {
        Err(format!("does not run: {}", told(&ran)))
    }
}

/// Emits, compiles, runs and compares; what is wrong, if anything.
pub(super) fn judge_whole(case: &Case, target: Target, place: &Path) -> Result<(), String> {
    // An int of the host that leaves its bits is told, but where words of 32 bits may.
    let flags = if case.words.int32 { WRAPPED } else { SANITIZED };
    let safety = judged(case);
    let executable = compiled(case, (target, Some(&safety)), place, flags)?;
    run(case, &[], &executable, place)?;
    let outcome = execute(&case.program, &case.choice, seed(case));
    compare(case, &outcome, &|output| written(place, output))
}

/// Describes the cases that go wrong at any of several choices. Each is compiled once.
pub(super) fn faults_at(
    cases: &[Case],
    target: Target,
    choices: impl Fn(&Program) -> Vec<Choice> + Sync,
) -> String {
    let limit: &[&str] = if is_there("timeout", "--version") {
        &["timeout", "60"]
    } else {
        &[]
    };
    faults(cases, |case, place| {
        let executable = compiled(case, (target, None), place, OF_MADE_UP)?;
        for choice in choices(&case.program) {
            let case = Case {
                choice,
                name: case.name.clone(),
                program: case.program.clone(),
                words: case.words,
            };
            run(&case, limit, &executable, place)?;
            let outcome = execute(&case.program, &case.choice, seed(&case));
            compare(&case, &outcome, &|output| written(place, output))?;
        }
        Ok(())
    })
}

/// The words of an output that an emitted `main` wrote.
fn written(place: &Path, output: &Variable) -> Result<Array, String> {
    let bytes = fs::read(place.join(format!("{}.npy", output.name)));
    let found = npy::read(&bytes.map_err(|error| error.to_string())?);
    found.map_err(|problem| format!("{}: {problem:?}", output.name))
}

/// Holds the outputs found against those of a run here.
pub(super) fn compare(
    case: &Case,
    outcome: &Outcome,
    found: &dyn Fn(&Variable) -> Result<Array, String>,
) -> Result<(), String> {
    let is_rounded = ["exp(", "ln(", "sin(", "cos(", "^", "log"]
        .iter()
        .any(|function| case.program.source().text().contains(function));
    let outputs = case.program.variables().iter();
    for output in outputs.filter(|variable| variable.role == Role::Output) {
        let found = found(output)?;
        let wanted = &outcome.host[&output.name].array;
        let is_same = match (&found.data, &wanted.data) {
            (Data::Int(found), Data::Int(wanted)) => found == wanted,
            (Data::Float(found), Data::Float(wanted)) => {
                let largest = wanted
                    .iter()
                    .fold(0.0, |most: f64, word| most.max(word.abs()));
                let about = |x: &f64, y: &f64| {
                    if case.words.float {
                        (x - y).abs() <= SINGLE * largest
                    } else {
                        is_rounded && (x - y).abs() <= 1e-9 * x.abs().max(y.abs())
                    }
                };
                let mut pairs = found.iter().zip(wanted);
                found.len() == wanted.len()
                    && pairs.all(|(x, y)| x.to_bits() == y.to_bits() || about(x, y))
            }
            _ => false,
        };
        if !is_same || found.shape != wanted.shape {
            return Err(format!("{} differs at {}", output.name, case.choice.label));
        }
    }
    Ok(())
}

/// What is wrong with these cases, two judged at a time.
pub(super) fn faults(
    cases: &[Case],
    judge: impl Fn(&Case, &Path) -> Result<(), String> + Sync,
) -> String {
    let place = tempfile::tempdir().expect("a temporary folder");
    let next = AtomicUsize::new(0);
    let faults = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(fault) = judge(case, &place.path().join(&case.name)) {
                        let mut faults = faults.lock().expect("nobody panics with it");
                        faults.push(format!("{}: {fault}\n", case.name));
                    }
                }
            });
        }
    });
    let mut faults = faults.into_inner().expect("nobody panics with it");
    faults.sort();
    faults.concat()
}

fn judge_all(cases: &[Case], target: Target) {
    let found = faults(cases, |case, place| judge_whole(case, target, place));
    assert!(found.is_empty(), "{found}");
}

#[test]
fn every_program_in_c_does_what_it_does_here() {
    if is_there("cc", "--version") {
        judge_all(&all(), Target::C);
    }
}

#[test]
fn constructs_in_c_do_what_they_do_here() {
    if is_there("cc", "--version") {
        judge_all(&constructs(), Target::C);
    }
}

/// Words of 32 bits: the same ints where they hold them, floats to single precision. What they do not
/// hold is refused where declared ranges say so (`refused.rs`).
#[test]
fn programs_with_narrow_words_do_what_they_do_here() {
    if !is_there("cc", "--version") {
        return;
    }
    let narrow = Words {
        int32: true,
        float: true,
    };
    let cases = all().into_iter().chain(constructs());
    let cases: Vec<Case> = cases
        .map(|case| Case {
            words: narrow,
            ..case
        })
        .collect();
    judge_all(&cases, Target::C);
}

#[test]
fn every_program_in_opencl_does_what_it_does_here() {
    if opencl_is_there() {
        judge_all(&all(), Target::OpenCl);
    }
}

/// PoCL 3.1 keeps cores of `Uneven` in its `while` that have left it, with each of its ways to run a work-group. The
/// text is right: in C it gives what it gives here, and so it does under Oclgrind, without a race, once its `abs`
/// (which Oclgrind does not know) is a square.
#[test]
fn constructs_in_opencl_do_what_they_do_here() {
    if opencl_is_there() {
        let judged = |case: &Case, place: &Path| judge_whole(case, Target::OpenCl, place);
        let found = faults(&constructs(), judged);
        let known = "0-Uneven: D differs at n = 40, b = 8\n";
        assert!(found.is_empty() || found == known, "{found}");
    }
}

/// No two cores of an MP touch a word between barriers, one of them writing, and no word is read that nobody
/// wrote: what is left of the barriers is enough.
#[test]
fn kernels_in_opencl_are_free_of_races() {
    if !opencl_is_there() || !is_there("oclgrind", "--version") {
        return;
    }
    // The first construct has an `abs`, which Oclgrind does not know.
    let cases: Vec<Case> = all().into_iter().chain(constructs().drain(1..)).collect();
    let found = faults(&cases, |case, place| {
        let executable = compiled(case, (Target::OpenCl, Some(&judged(case))), place, WRAPPED)?;
        let ran = run(case, &["oclgrind", "--data-races"], &executable, place)?;
        let outcome = execute(&case.program, &case.choice, seed(case));
        compare(case, &outcome, &|output| written(place, output))?;
        if told(&ran).contains("race") {
            Err(told(&ran).lines().take(12).collect::<Vec<_>>().join("\n"))
        } else {
            Ok(())
        }
    });
    assert!(found.is_empty(), "{found}");
}

/// To PTX without a warning, and to a cubin.
#[test]
fn every_program_in_cuda_compiles() {
    if !is_there("nvcc", "--version") {
        return;
    }
    let found = faults(&all(), |case, place| {
        fs::create_dir_all(place).map_err(|error| error.to_string())?;
        let source = place.join("program.cu");
        let alone = unchecked(&case.program, case.choice.machine, Target::Cuda).text;
        let together = in_thread_blocks(&case.program, 8).map_err(|it| format!("{it:?}"))?;
        for (text, form) in [
            (&alone, "-ptx"),
            (&alone, "-cubin"),
            (&together.text, "-cubin"),
        ] {
            fs::write(&source, text).map_err(|error| error.to_string())?;
            let compiler = Command::new("nvcc")
                .args([form, "-o", "/dev/null"])
                .arg(&source)
                .output()
                .map_err(|error| error.to_string())?;
            if !compiler.status.success() || !told(&compiler).is_empty() {
                return Err(format!("{form}: {}", told(&compiler)));
            }
        }
        Ok(())
    });
    assert!(found.is_empty(), "{found}");
}

/// What an emitted program is told must mean something to it.
#[test]
fn arguments_that_nothing_reads_are_refused() {
    if !is_there("cc", "--version") {
        return;
    }
    let case = case(&path("programs/paper1/vector_addition_guarded.atgpu"));
    let folder = tempfile::tempdir().expect("a folder");
    let executable = compiled(&case, (Target::C, None), folder.path(), WRAPPED);
    let executable = executable.expect("it compiles");
    let told_of = |arguments: &[&str]| {
        let output = Command::new(&executable).args(arguments).output();
        let output = output.expect("it starts");
        (output.status.code(), told(&output))
    };
    for (arguments, why) in [
        (&["n=4", "--foo", "1"][..], "no such argument: --foo"),
        (&["n=4", "m=4"], "no such argument: m=4"),
        (&["n=4", "4"], "no such argument: 4"),
        (&["n=4", "--seed"], "give a value behind --seed"),
        (&["n=4", "--repeat", "0"], "this is less than 1: --repeat"),
    ] {
        let (status, told) = told_of(arguments);
        assert_eq!((status, told.trim()), (Some(2), why));
    }
    assert_eq!(told_of(&["n=4", "--seed", "7", "--repeat", "2"]).0, Some(0));
}
