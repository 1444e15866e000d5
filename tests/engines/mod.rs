//! What the suites need to hold a program against itself: loading it, and parameters it admits.

#![allow(dead_code, reason = "each suite uses a part")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use atgpu::check::Program;
use atgpu::count::Parameters;
use atgpu::diag::Diagnostic;
use atgpu::text::Source;
use atgpu::value::Point;

/// The blocks, warps and banks that programs are tried with.
const WIDTHS: [i64; 10] = [1, 2, 3, 4, 5, 7, 8, 16, 32, 64];

/// No variable of a tried program is larger.
const MOST_WORDS: u64 = 4096;

/// A file of the crate.
pub fn path(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(relative)
}

/// All programs under a folder, sorted. An empty suite is a mistake.
pub fn programs(folder: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![path(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the suite's folder is there") {
            let path = entry.expect("an entry can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|is| is == "atgpu") {
                files.push(path);
            }
        }
    }
    assert!(!files.is_empty(), "{folder} holds no program");
    files.sort();
    files
}

/// The short name of a file in messages.
pub fn name(file: &Path) -> String {
    let stem = file.file_stem().expect("it has a name");
    stem.to_string_lossy().into_owned()
}

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

/// A choice of parameters and what it makes of a program.
#[derive(Debug, Clone)]
pub struct Choice {
    /// `n = 37, b = 8`
    pub label: String,
    /// The formals by name.
    pub values: Vec<(String, i64)>,
    /// p, b, M and G.
    pub machine: [i64; 4],
    /// The program there.
    pub point: Point,
}

/// Different admissible choices, at most `wanted`, drawn from `seed`: every width, every formal
/// small, near a multiple of the width, or a power of it.
pub fn choices(program: &Program, wanted: usize, seed: u64) -> Vec<Choice> {
    let mut random = Random::new(seed);
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for attempt in 0..wanted * 100 {
        if found.len() == wanted {
            break;
        }
        let width = WIDTHS[attempt % WIDTHS.len()];
        let values: Vec<(String, i64)> = program
            .formals
            .iter()
            .map(|id| {
                let value = random.size(width);
                (program.parameter(*id).name.clone(), value)
            })
            .collect();
        if seen.insert((width, values.clone())) {
            found.extend(choice(program, width, values));
        }
    }
    found
}

/// This choice, when the program admits it and it is small enough to be executed.
pub fn choice(program: &Program, width: i64, values: Vec<(String, i64)>) -> Option<Choice> {
    let machine = [12 * width, width, 1 << 40, 1 << 40];
    let given: Parameters = values
        .iter()
        .map(|(name, value)| (name.as_str(), *value))
        .collect();
    let mut label: Vec<String> = values
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    label.push(format!("b = {width}"));
    let label = label.join(", ");
    let point = match Point::new(program, machine, &given) {
        Ok(point) => point,
        Err(faults) => {
            for fault in &faults {
                assert_eq!(
                    fault.code.name(),
                    "atgpu::require::violated",
                    "{label}: {fault:?}"
                );
            }
            return None;
        }
    };
    let is_small = point.extents.iter().all(|extents| {
        let words = extents
            .iter()
            .fold(1.into(), |words: atgpu::number::BigInt, extent| {
                words * extent
            });
        words <= MOST_WORDS.into()
    });
    is_small.then_some(Choice {
        label,
        values,
        machine,
        point,
    })
}

/// A small generator of its own, so that the points never change with a dependency.
pub struct Random(u64);

impl Random {
    /// Starts a sequence.
    pub fn new(seed: u64) -> Self {
        Random(seed ^ 0x9E37_79B9_7F4A_7C15)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        // xorshift64*: short, and good enough to pick sizes.
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % bound
    }

    /// A size for an algorithm with blocks of `width` words.
    fn size(&mut self, width: i64) -> i64 {
        let few = self.below(7) as i64;
        match self.below(8) {
            0 => few - 1,
            1 => self.below(width as u64) as i64 + 1,
            2 => (few * width - 1).max(1),
            3 => few * width + 1,
            4 | 5 => (few + 1) * width,
            6 => width.saturating_pow(few as u32 % 5),
            _ => self.below(300) as i64 + 1,
        }
    }
}
