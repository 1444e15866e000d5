//! The fuzz targets of `fuzz/` without a fuzzer: on every input kept in `tests/suite/fuzzed/TARGET/` (what
//! once showed a fault, and near misses on which a backtracking parser could take for ever), and on
//! mutated programs, machine files and data.
//!
//! `ATGPU_MUTATED=100000 cargo test --release --test suite fuzzed` tries more of them,
//! `ATGPU_MUTATED_SEED=7` others.

mod bodies;

use std::fs;

use crate::support::engines::Random;
use crate::support::programs::{path, programs};

/// A fuzz target: its name, its body, and mutants tried for each hundred asked for.
type Target = (&'static str, fn(&[u8]), usize);

const TARGETS: [Target; 10] = [
    (
        "parse",
        |bytes| bodies::parses(&bodies::text_of(bytes)),
        100,
    ),
    (
        "check",
        |bytes| bodies::checks(&bodies::text_of(bytes)),
        100,
    ),
    ("fmt", |bytes| bodies::formats(&bodies::text_of(bytes)), 50),
    (
        "derive",
        |bytes| bodies::derives(&bodies::text_of(bytes)),
        10,
    ),
    ("run", |bytes| bodies::runs(&bodies::text_of(bytes)), 20),
    (
        "machine",
        |bytes| bodies::machines(&bodies::text_of(bytes)),
        100,
    ),
    ("npy", bodies::arrays, 500),
    ("csv", bodies::tables, 500),
    (
        "define",
        |bytes| bodies::definitions(&bodies::text_of(bytes)),
        1000,
    ),
    ("vary", |bytes| bodies::axes(&bodies::text_of(bytes)), 1000),
];

#[test]
fn inputs_that_are_kept_show_no_fault() {
    for (name, body, _) in TARGETS {
        let Ok(entries) = fs::read_dir(path("tests/suite/fuzzed").join(name)) else {
            continue;
        };
        for entry in entries {
            let file = entry.expect("readable").path();
            println!("{}", file.display());
            body(&fs::read(file).expect("a file"));
        }
    }
}

#[test]
fn mutants_show_no_fault() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let wanted: usize = number("ATGPU_MUTATED").unwrap_or(100);
    let seed: usize = number("ATGPU_MUTATED_SEED").unwrap_or(0);
    let mut random = Random::new(seed as u64);
    for (name, body, share) in TARGETS {
        let seeds = seeds(name);
        for _ in 0..wanted * share / 100 {
            let mut input = seeds[random.below(seeds.len() as u64) as usize].clone();
            for _ in 0..=random.below(4) {
                mutate(&mut input, &seeds, &mut random);
            }
            let shown = String::from_utf8_lossy(&input).into_owned();
            let caught = std::panic::catch_unwind(|| body(&input));
            assert!(caught.is_ok(), "{name}:\n{shown}");
        }
    }
}

fn seeds(target: &str) -> Vec<Vec<u8>> {
    let texts = |list: &[&str]| list.iter().map(|text| text.as_bytes().to_vec()).collect();
    let read = |path: &std::path::PathBuf| fs::read(path).expect("a file of the crate");
    match target {
        "machine" => {
            let names = ["gtx280", "gtx650", "h100", "titan"];
            let path = |name: &&str| path(&format!("src/machine/{name}.toml"));
            names.iter().map(path).map(|path| read(&path)).collect()
        }
        "npy" => {
            let head = "{'descr': '<i8', 'fortran_order': False, 'shape': (2, 1), }\n";
            let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
            bytes.extend((head.len() as u16).to_le_bytes());
            bytes.extend(head.as_bytes());
            bytes.extend([7; 16]);
            vec![bytes]
        }
        "csv" => texts(&[
            "1,2\n3,4\n",
            "words\n1\n2\n",
            "0.5,nan\n1e9,-1\n",
            "\"1\",2\r\n",
        ]),
        "define" => texts(&[
            "1000000", "1_000", "1e6", "2^20", "0.5", "-7", "2.5e-3", "2^-1",
        ]),
        "vary" => texts(&["n=2^16..2^26", "n=1..1000:x10", "n=0..10:+1", "n=1,10,100"]),
        _ => {
            let largest = if target == "run" || target == "derive" {
                1_500
            } else {
                4_000
            };
            let files = [
                programs("programs"),
                programs("tests/suite/derive/constructs"),
            ];
            let read = files
                .concat()
                .iter()
                .map(read)
                .collect::<Vec<_>>()
                .into_iter();
            read.filter(|bytes| bytes.len() <= largest).collect()
        }
    }
}

const PIECES: [&str; 40] = [
    "n",
    "b",
    "0",
    "1",
    "-1",
    "2^62",
    "9223372036854775807",
    "mod",
    "div",
    "/",
    "^",
    "·",
    "+",
    "-",
    "⌈",
    "⌉",
    "(",
    ")",
    "[",
    "]",
    "≤",
    "<",
    "=",
    "∧",
    "¬",
    "Σ",
    "∀",
    "∈",
    "..",
    "…",
    "⇐",
    "⇚",
    "←",
    "end if\n",
    "if j < 1 then\n",
    "for v = 0 → 1 do\n",
    "end for\n",
    "let",
    "log2",
    "é",
];

/// One edit: a line taken away, doubled, moved or brought from elsewhere; a word replaced; a piece
/// put in; a byte changed; the end cut off.
fn mutate(input: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut Random) {
    let mut below = |bound: usize| random.below(bound.max(1) as u64) as usize;
    let mut lines: Vec<Vec<u8>> = input
        .split_inclusive(|byte| *byte == b'\n')
        .map(Vec::from)
        .collect();
    if lines.is_empty() {
        input.push(b'1');
        return;
    }
    let at = below(lines.len());
    match below(8) {
        0 => {
            lines.remove(at);
        }
        1 => lines.insert(at, lines[below(lines.len())].clone()),
        2 => {
            let other = below(lines.len());
            lines.swap(at, other);
        }
        3 => {
            let other = &seeds[below(seeds.len())];
            let from: Vec<&[u8]> = other.split_inclusive(|byte| *byte == b'\n').collect();
            if !from.is_empty() {
                lines.insert(at, from[below(from.len())].to_vec());
            }
        }
        4 => {
            let cut = below(lines[at].len());
            lines[at].truncate(cut);
        }
        5 if !lines[at].is_empty() => {
            let place = below(lines[at].len());
            lines[at][place] = below(256) as u8;
        }
        6 => {
            let text = String::from_utf8_lossy(&lines[at]).into_owned();
            let words: Vec<&str> = text.split_inclusive(' ').collect();
            let mut words: Vec<String> = words.into_iter().map(str::to_owned).collect();
            if !words.is_empty() {
                let word = below(words.len());
                words[word] = format!("{} ", PIECES[below(PIECES.len())]);
            }
            lines[at] = words.concat().into_bytes();
        }
        _ => {
            let text = String::from_utf8_lossy(&lines[at]).into_owned();
            let edges: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let edge = edges.get(below(edges.len())).copied().unwrap_or(0);
            let piece = PIECES[below(PIECES.len())];
            lines[at] = format!("{}{piece}{}", &text[..edge], &text[edge..]).into_bytes();
        }
    }
    *input = lines.concat();
}
