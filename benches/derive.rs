//! Derivation in process, one line a program of `programs/`: from the checked program to all totals,
//! costs and classes, and the same with its claims proved (or tested on a grid, which is evaluation,
//! not derivation). Prints the table of `docs/performance.md`: the median of at least 15 runs.

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use atgpu::check;
use atgpu::count::Parameters;
use atgpu::derivation::Derivation;
use atgpu::derivation::Derived;
use atgpu::derive::derive;
use atgpu::program::Program;
use atgpu::sym::Expr;
use atgpu::syntax;
use atgpu::text::Source;

/// Runs of each program, and the time after which no further one is started.
const RUNS: (usize, Duration) = (15, Duration::from_millis(500));

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
    let mut paths = Vec::new();
    files(&root, &mut paths);
    // `cargo bench --bench derive -- scan` measures what has it in its name.
    let wanted = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    println!("| program | derived in | closed totals | claims proved |");
    println!("|---|---|---|---|");
    let mut times = Vec::new();
    for path in paths {
        let name = path
            .strip_prefix(&root)
            .unwrap_or(&path)
            .display()
            .to_string();
        if wanted.as_ref().is_some_and(|wanted| !name.contains(wanted)) {
            continue;
        }
        let complete = program(&path);
        let without_claims = complete.clone().without_claims();
        let derivation = derive(&complete, &Parameters::new());
        let time = median(|| {
            black_box(derive(black_box(&without_claims), &Parameters::new()));
        });
        times.push(time);
        let name = name.trim_end_matches(".atgpu");
        println!(
            "| `{name}` | {} | {} | {} |",
            millis(time),
            closed(&derivation),
            proved(&derivation)
        );
    }
    times.sort();
    if let [least, .., most] = &*times {
        println!(
            "\n{} programs: {} at the least, {} in the middle, {} at the most",
            times.len(),
            millis(*least),
            millis(times[times.len() / 2]),
            millis(*most)
        );
    }
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the programs are there")
        .map(|entry| entry.expect("a folder can be read").path())
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

fn program(path: &Path) -> Program {
    let text = fs::read_to_string(path).expect("a program is text");
    let source = Source::new(&path.display().to_string(), &text);
    let algorithm = syntax::parse(&source).algorithm;
    let algorithm = algorithm.expect("the library parses");
    check::check(&source, &algorithm)
        .program
        .expect("the library checks")
}

/// The median time of a run, after one that is not measured.
fn median(mut run: impl FnMut()) -> Duration {
    run();
    let start = Instant::now();
    let mut times = Vec::new();
    while times.len() < RUNS.0 || times.len() < 10 * RUNS.0 && start.elapsed() < RUNS.1 {
        let start = Instant::now();
        run();
        times.push(start.elapsed());
    }
    times.sort();
    times[times.len() / 2]
}

fn millis(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}

/// How many of the totals are exact and without an unsolved sum.
fn closed(derivation: &Derivation) -> String {
    let totals = derivation.totals.named();
    let is_closed = |quantity: &Derived| {
        quantity.is_exact() && quantity.upper.as_ref().is_some_and(Expr::is_closed)
    };
    let closed = totals.iter().filter(|(_, total)| is_closed(total)).count();
    format!("{closed} of {}", totals.len())
}

fn proved(derivation: &Derivation) -> String {
    use atgpu::derivation::Verdict;
    let claims = &derivation.claims;
    let proved = claims
        .iter()
        .filter(|claim| matches!(claim.verdict, Verdict::Proved))
        .count();
    format!("{proved} of {}", claims.len())
}
