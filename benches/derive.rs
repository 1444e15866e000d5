//! Derivation in process, one figure a program of `programs/`: from the checked program to all
//! totals, costs, classes and claims' proofs. Claims that have to be tested on a grid are left out:
//! that is evaluation, not derivation.

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

use atgpu::check::{self, Program};
use atgpu::count::Parameters;
use atgpu::derive::derive;
use atgpu::syntax;
use atgpu::text::Source;
use criterion::Criterion;

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
    let mut program = check::check(&source, &algorithm)
        .program
        .expect("the library checks");
    program.claims.clear();
    program
}

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(15)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
    let mut paths = Vec::new();
    files(&root, &mut paths);
    for path in paths {
        let program = program(&path);
        let name = path.strip_prefix(&root).unwrap_or(&path).display();
        criterion.bench_function(&format!("derive/{name}"), |bencher| {
            bencher.iter(|| derive(black_box(&program), &Parameters::new()));
        });
    }
    criterion.final_summary();
}
