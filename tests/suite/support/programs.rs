//! The programs of the crate, and loading one.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use atgpu::count::Parameters;
use atgpu::derivation::Derivation;
use atgpu::diag::Diagnostic;
use atgpu::program::Program;
use atgpu::text::Source;

/// A file of the crate.
pub fn path(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(relative)
}

/// All programs under a folder, sorted.
pub fn programs(folder: &str) -> Vec<PathBuf> {
    files(folder, "atgpu")
}

/// All files under a folder of the crate that end so, sorted. An empty suite is a mistake.
pub fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![path(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the suite's folder is there") {
            let path = entry.expect("an entry can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|is| is == extension) {
                files.push(path);
            }
        }
    }
    assert!(!files.is_empty(), "{folder} holds no .{extension}");
    files.sort();
    files
}

/// The short name of a file in messages.
pub fn name(file: &Path) -> String {
    let stem = file.file_stem().expect("it has a name");
    stem.to_string_lossy().into_owned()
}

/// A program with a claim, an `ensure` and an access that do not hold: output about it has keys that others lack.
pub const FAULTY: &str = "algorithm Faulty(n)
  require n ≥ 1
  output C[n]
  global c[n]
  shared _x[b]
  claim io = 3
  ensure ∀ x ∈ 0..n-1 : C[x] = 1
  for all mp_i ∈ MP[0..n-1] in parallel do
    for all c_{i,j} ∈ C_i in parallel do
      _x[j] ← 1
      c[i + j] ⇐ _x[j]
    end for
  end for
  C ⇚ c
";

/// Parses and checks a program that has no errors; the lints it has.
pub fn load(name: &str, text: &str) -> (Program, Vec<Diagnostic>) {
    let source = Source::new(name, text);
    let parsed = atgpu::syntax::parse(&source);
    assert!(
        parsed.diagnostics.is_empty(),
        "{name}: {:#?}",
        parsed.diagnostics
    );
    let algorithm = parsed.algorithm.expect("what has no faults is a program");
    let checked = atgpu::check::check(&source, &algorithm);
    let program = checked
        .program
        .unwrap_or_else(|| panic!("{name}: {:#?}", checked.diagnostics));
    (program, checked.diagnostics)
}

/// Loads a program file.
pub fn load_file(file: &Path) -> (Program, Vec<Diagnostic>) {
    let text = fs::read_to_string(file).expect("a program is text");
    load(&file.display().to_string(), &text)
}

/// A program with what is derived of it where nothing is given.
pub struct DerivedFile {
    pub program: Program,
    pub derivation: Derivation,
}

/// What is derived of a program file, once for all tests of a process.
pub fn derived_file(file: &Path) -> &'static DerivedFile {
    type Cell = &'static OnceLock<DerivedFile>;
    static KNOWN: Mutex<Option<HashMap<PathBuf, Cell>>> = Mutex::new(None);
    // The table is free while a program is derived, so that two tests derive two programs side by side.
    let cell: Cell = {
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.get_or_insert_default();
        known
            .entry(file.to_owned())
            .or_insert_with(|| Box::leak(Box::default()))
    };
    cell.get_or_init(|| {
        let (program, _) = load_file(file);
        let derivation = atgpu::derive::derive(&program, &Parameters::new());
        DerivedFile {
            program,
            derivation,
        }
    })
}

/// The program of a text without faults.
pub fn program(text: &str) -> Program {
    load("program.atgpu", text).0
}

/// The deepest text that parses: its kernel takes 125 + 100 + 1 operations.
pub fn deepest() -> String {
    let (blocks, brackets) = (125, 120);
    format!(
        "algorithm T()\n  shared _x[b]\n  for all mp_i ∈ MP[0..0] in parallel do\n    \
         for all c_{{i,j}} ∈ C_i in parallel do\n{}_x[j] ← {}j{}{}\n{}    end for\n  end for\n",
        "if j ≥ 0 then\n".repeat(blocks),
        "(".repeat(brackets),
        " + 1".repeat(100),
        ")".repeat(brackets),
        "end if\n".repeat(blocks),
    )
}
