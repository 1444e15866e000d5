//! Emitted programs compiled and run: their outputs are the interpreter's, bit for bit. Those that
//! use `exp ln sin cos`, powers or logarithms of floats, whose last bit is the platform's, differ
//! by rounding. Without a compiler a test says so and ends.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::emit::{choice_of, unchecked};
use crate::support::engines::{Choice, execute};
use crate::support::programs::{load_file, name, path, program, programs};
use atgpu::array::{Data, npy};
use atgpu::emit::Target;
use atgpu::exec::Outcome;
use atgpu::program::{Program, Role};

/// Whether a command is there; a test that needs it ends otherwise.
fn is_there(command: &str, argument: &str) -> bool {
    let found = Command::new(command).arg(argument).output().is_ok();
    if !found {
        println!("skipped: no `{command}` here");
    }
    found
}

/// What is compiled and run.
struct Case {
    name: String,
    program: Program,
    choice: Choice,
}

fn case(file: &Path) -> Case {
    let (program, _) = load_file(file);
    let choice = choice_of(&program);
    Case {
        name: name(file),
        program,
        choice,
    }
}

fn told(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// Emits, compiles, runs and compares; what is wrong, if anything.
fn judge(case: &Case, target: Target, place: &Path) -> Result<(), String> {
    let place = place.join(&case.name);
    fs::create_dir_all(&place).map_err(|error| error.to_string())?;
    let source = place.join(format!("program.{}", target.extension()));
    let text = unchecked(&case.program, case.choice.machine, target).text;
    fs::write(&source, text).map_err(|error| error.to_string())?;
    let executable = place.join("program");
    let mut compiler = Command::new("cc");
    compiler.args([
        "-O1",
        "-Wall",
        "-Werror",
        "-fwrapv",
        "-ffp-contract=off",
        "-o",
    ]);
    compiler.arg(&executable).arg(&source);
    if target == Target::OpenCl {
        compiler.arg("-lOpenCL");
    }
    let compiled = compiler
        .arg("-lm")
        .output()
        .map_err(|error| error.to_string())?;
    if !compiled.status.success() || !compiled.stderr.is_empty() {
        return Err(format!("does not compile: {}", told(&compiled)));
    }
    let values = case.choice.values.iter();
    let values = values.map(|(name, value)| format!("{name}={value}"));
    let ran = Command::new(&executable)
        .args(values)
        .args(["--seed", "5", "--repeat", "2", "--out"])
        .arg(&place)
        .output()
        .map_err(|error| error.to_string())?;
    if !ran.status.success() {
        return Err(format!("does not run: {}", told(&ran)));
    }
    compare(case, &execute(&case.program, &case.choice, 5), &place)
}

fn compare(case: &Case, outcome: &Outcome, place: &Path) -> Result<(), String> {
    let is_rounded = ["exp(", "ln(", "sin(", "cos(", "^", "log"]
        .iter()
        .any(|function| case.program.source.text().contains(function));
    let outputs = case.program.variables.iter();
    for output in outputs.filter(|variable| variable.role == Role::Output) {
        let bytes = fs::read(place.join(format!("{}.npy", output.name)));
        let found = npy::read(&bytes.map_err(|error| error.to_string())?);
        let found = found.map_err(|problem| format!("{}: {problem:?}", output.name))?;
        let wanted = &outcome.host[&output.name].array;
        let is_same = match (&found.data, &wanted.data) {
            (Data::Int(found), Data::Int(wanted)) => found == wanted,
            (Data::Float(found), Data::Float(wanted)) => {
                let mut pairs = found.iter().zip(wanted);
                let about = |x: &f64, y: &f64| (x - y).abs() <= 1e-9 * x.abs().max(y.abs());
                found.len() == wanted.len()
                    && pairs.all(|(x, y)| x.to_bits() == y.to_bits() || (is_rounded && about(x, y)))
            }
            _ => false,
        };
        if !is_same || found.shape != wanted.shape {
            return Err(format!("{} differs at {}", output.name, case.choice.label));
        }
    }
    Ok(())
}

/// Judges all, two at a time.
fn judge_all(cases: &[Case], target: Target) {
    let place = tempfile::tempdir().expect("a temporary folder");
    let next = AtomicUsize::new(0);
    let faults = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(fault) = judge(case, target, place.path()) {
                        let mut faults = faults.lock().expect("nobody panics with it");
                        faults.push(format!("{}: {fault}", case.name));
                    }
                }
            });
        }
    });
    let faults = faults.into_inner().expect("nobody panics with it");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_program_in_c_does_what_it_does_here() {
    if !is_there("cc", "--version") {
        return;
    }
    let cases: Vec<Case> = programs("programs").iter().map(|file| case(file)).collect();
    judge_all(&cases, Target::C);
}

/// What the programs do not have: loops of differing lengths, both ways and left early, cores that
/// leave loops, atomics of all kinds, blocks, conversions, numbers of either sign.
#[test]
fn constructs_in_c_do_what_they_do_here() {
    if !is_there("cc", "--version") {
        return;
    }
    let choice = |program: &Program| {
        let values = vec![("n".to_owned(), 40)];
        crate::support::engines::choice(program, 8, values).expect("it is admitted")
    };
    let texts = fs::read_to_string(path("tests/suite/emit/constructs.atgpu")).expect("it is there");
    let cases = texts.split("\n▷▷\n").enumerate().map(|(number, text)| {
        let program = program(text);
        let choice = choice(&program);
        let name = format!("{number}-{}", program.name);
        Case {
            name,
            program,
            choice,
        }
    });
    judge_all(&cases.collect::<Vec<_>>(), Target::C);
}

/// A few for each target that needs tools of its own.
const FEW: [&str; 3] = ["scan_blelloch", "histogram", "floyd_warshall_tiled"];

fn few() -> Vec<PathBuf> {
    let all = programs("programs").into_iter();
    all.filter(|file| FEW.contains(&name(file).as_str()))
        .collect()
}

#[test]
fn some_programs_in_opencl_do_what_they_do_here() {
    let is_here = Path::new("/usr/include/CL/cl.h").exists()
        && fs::read_dir("/etc/OpenCL/vendors").is_ok_and(|vendors| vendors.count() > 0);
    if !is_here || !is_there("cc", "--version") {
        println!("skipped: no OpenCL here");
        return;
    }
    let cases: Vec<Case> = few().iter().map(|file| case(file)).collect();
    judge_all(&cases, Target::OpenCl);
}

#[test]
fn some_programs_in_cuda_compile() {
    if !is_there("nvcc", "--version") {
        return;
    }
    let place = tempfile::tempdir().expect("a temporary folder");
    for case in few().iter().map(|file| case(file)) {
        let source = place.path().join("program.cu");
        let text = unchecked(&case.program, case.choice.machine, Target::Cuda).text;
        fs::write(&source, text).expect("a file can be written there");
        let compiled = Command::new("nvcc")
            .args(["-ptx", "-o", "/dev/null"])
            .arg(&source)
            .output()
            .expect("it starts");
        assert!(
            compiled.status.success() && compiled.stderr.is_empty(),
            "{}",
            told(&compiled)
        );
    }
}
