//! Every program there is, executed by every engine and by several threads: counts, data and
//! faults are those of the reference form, whoever executes.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::support::cases;
use atgpu::check;
use atgpu::count::Parameters;
use atgpu::diag::Diagnostic;
use atgpu::exec::{Engine, Execution, Options, Outcome, Unwatched};
use atgpu::machine::{Banks, Coalescing, CycleRules, Machine};
use atgpu::meaning::Point;
use atgpu::program::Program;
use atgpu::syntax;
use atgpu::text::Source;

/// Engines beside the reference, each with a number of threads.
const OTHERS: [(Engine, usize); 5] = [
    (Engine::Batches, 1),
    (Engine::Batches, 2),
    (Engine::Batches, 3),
    (Engine::Statements, 1),
    (Engine::Statements, 2),
];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "atgpu")
        {
            found.push(path);
        }
    }
}

fn program(path: &Path) -> Option<Program> {
    let text = fs::read_to_string(path).expect("a text");
    let source = Source::new(&path.display().to_string(), &text);
    let algorithm = syntax::parse(&source).algorithm?;
    check::check(&source, &algorithm).program
}

fn run(
    program: &Program,
    point: &Point,
    (engine, threads): (Engine, usize),
    cycle_rules: Option<&CycleRules>,
) -> Result<Outcome, String> {
    let options = Options {
        threads,
        cycle_rules: cycle_rules.cloned(),
        seed: 5,
        memory_limit: Some(1 << 28),
        ..Options::default()
    };
    let text = |faults: Vec<Diagnostic>| format!("{faults:?}");
    let execution = Execution::prepare(program, point, &options).map_err(text)?;
    execution.by(engine).run(&Unwatched).map_err(text)
}

/// The most operations of all cores at a point that the reference form is asked about.
const MOST_OPERATIONS: u128 = 10_000_000;

/// Compares all engines at a point; says whether anything ran there, and was not too much for the slowest.
fn compare(path: &Path, program: &Program, value: i64, cores: i64) -> bool {
    let mut parameters = Parameters::new();
    for &formal in program.formals() {
        parameters.set(program.parameter(formal).name.as_str(), value);
    }
    let machine = [64, cores, 4096, 1 << 20];
    let Ok(point) = Point::new(program, machine, &parameters) else {
        return false;
    };
    let fastest = run(program, &point, (Engine::Batches, 1), None);
    if fastest.is_ok_and(|outcome| outcome.lane_operations > MOST_OPERATIONS) {
        return false;
    }
    // Charges by half-warps and segments, or by warps and sectors.
    let card = Machine::built_in("gtx280").expect("a card");
    let mut cycle_rules = card.cycle_rules().expect("its rules");
    if cores == 4 {
        (cycle_rules.coalescing, cycle_rules.banks) = (Coalescing::Sectors, Banks::Warp);
    }
    let reference = run(program, &point, (Engine::Reference, 1), Some(&cycle_rules));
    for (engine, threads) in OTHERS {
        let charging = (engine == Engine::Statements).then_some(&cycle_rules);
        let place = format!(
            "{}: {value}, b = {cores}, {engine:?}, {threads}",
            path.display()
        );
        match (
            run(program, &point, (engine, threads), charging),
            &reference,
        ) {
            (Ok(other), Ok(reference)) => {
                assert_eq!(other.counts, reference.counts, "{place}");
                assert_eq!(other.host, reference.host, "{place}");
                assert_eq!(other.global, reference.global, "{place}");
                assert_eq!(other.ensures, reference.ensures, "{place}");
                assert_eq!(other.lane_operations, reference.lane_operations, "{place}");
                if charging.is_some() {
                    assert_eq!(other.charges, reference.charges, "{place}");
                }
            }
            (Err(other), Err(reference)) => assert_eq!(&other, reference, "{place}"),
            (other, reference) => panic!(
                "{place}: {:?} but by reference {:?}",
                other.map(|_| "fine"),
                reference.as_ref().map(|_| "fine")
            ),
        }
    }
    true
}

#[test]
fn every_engine_agrees_on_every_program() {
    let mut paths = Vec::new();
    for folder in [
        "programs",
        "tests/suite/derive/constructs",
        "tests/suite/exec/programs",
    ] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        files(&folder, &mut paths);
    }
    paths.sort();
    let paths: Vec<_> = paths.into_iter().step_by(cases::every(4)).collect();
    let next = AtomicUsize::new(0);
    let compare_some = || {
        let mut compared = 0;
        while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            let Some(program) = program(path) else {
                continue;
            };
            let points = [(16, 4), (36, 4), (64, 8), (7, 1)];
            let ran = points.map(|(value, cores)| compare(path, &program, value, cores));
            compared += ran.into_iter().filter(|ran| *ran).count();
        }
        compared
    };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let compared: usize = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(compare_some)).collect();
        let counts = workers.into_iter().map(|worker| match worker.join() {
            Ok(compared) => compared,
            Err(panicked) => std::panic::resume_unwind(panicked),
        });
        counts.sum()
    });
    assert!(
        compared > 100,
        "only {compared} runs of {} programs",
        paths.len()
    );
}
