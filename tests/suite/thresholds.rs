//! The table of thresholds in `docs/lab/thresholds.md` has every number that limits proofs and bounds, with the value and
//! the words of the source.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms whose thresholds decide what is proved and how a bound reads.
const ROOMS: [&str; 5] = ["sym", "symbolic", "derivation", "derive", "safety"];

const NUMBERS: [&str; 11] = [
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "i32",
    "i64",
    "f64",
    "(usize, u128)",
    "[f64; 2]",
];

#[test]
fn every_threshold_stands_in_the_table() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut table = String::from("| threshold | value | where | limits |\n|---|---|---|---|\n");
    let mut rows = 0;
    for room in ROOMS {
        let mut files = Vec::new();
        collect(&root.join("src").join(room), &mut files);
        files.push(root.join(format!("src/{room}.rs")));
        files.sort();
        for file in files {
            let Ok(text) = fs::read_to_string(&file) else {
                continue;
            };
            let name = file.strip_prefix(root.join("src")).expect("a file of src");
            let name = name.with_extension("").display().to_string();
            let name = name.trim_end_matches("/mod").to_owned();
            for (threshold, value, doc) in thresholds(&text) {
                rows += 1;
                writeln!(table, "| `{threshold}` | {value} | `{name}` | {doc} |").expect("text");
            }
        }
    }
    assert!(rows > 120, "only {rows} thresholds found");
    let page = fs::read_to_string(root.join("docs/lab/thresholds.md")).expect("the page is there");
    let (_, shown) = page
        .split_once("<!-- table -->\n\n")
        .expect("the page has a table");
    assert!(
        shown == table,
        "the table of docs/lab/thresholds.md is not that of the source, which is:\n{table}"
    );
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|it| it == "rs") && !path.ends_with("tests.rs") {
            files.push(path);
        }
    }
}

/// The numeric constants of a file outside functions and tests, each with its value and its doc on one line.
fn thresholds(text: &str) -> Vec<(String, String, String)> {
    let text = text
        .split("\n#[cfg(test)]\nmod unit")
        .next()
        .unwrap_or_default();
    let text = text
        .split("\n#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default();
    let (mut doc, mut found) = (Vec::new(), Vec::new());
    let mut before: Vec<String> = Vec::new();
    // A number inside a function has its reason above it there.
    for line in text.lines() {
        if let Some(words) = line.strip_prefix("/// ") {
            doc.push(words.to_owned());
            continue;
        }
        let declared = line
            .split_once("const ")
            .filter(|(before, _)| before.is_empty() || before.starts_with("pub"));
        let parts = declared.and_then(|(_, rest)| {
            let (name, rest) = rest.split_once(": ")?;
            let (ty, value) = rest.strip_suffix(';')?.split_once(" = ")?;
            NUMBERS
                .contains(&ty)
                .then(|| (name.to_owned(), value.to_owned()))
        });
        if let Some((name, value)) = parts {
            // Several in a row share the doc of the first.
            let words = if doc.is_empty() { &before } else { &doc };
            let words = words.join(" ").replace('|', "∣");
            // A link of the source leads nowhere here.
            let words = words.replace("[`", "`").replace("`]", "`");
            found.push((name, value, words));
            if !doc.is_empty() {
                before = std::mem::take(&mut doc);
            }
        } else {
            doc.clear();
            before.clear();
        }
    }
    found
}
