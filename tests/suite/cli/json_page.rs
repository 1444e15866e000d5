//! `docs/scripts.md` names every key of the JSON.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::support::command;
use crate::support::programs::FAULTY;

/// Commands and options under which optional keys appear too.
const COMMANDS: &[&str] = &[
    "check faulty.atgpu",
    "check vector_addition.atgpu faulty.atgpu",
    "check reduction.atgpu -D n=64",
    "derive vector_addition.atgpu",
    "derive reduction.atgpu",
    "derive breadth_first_while.atgpu",
    "derive list_ranking.atgpu",
    "cost vector_addition.atgpu -D n=1024 --model all --machine gtx280",
    "cost vector_addition.atgpu -D n=1024 --model all --machine h100",
    "run vector_addition.atgpu -D n=64 --show C --trace mp=0",
    "test vector_addition.atgpu faulty.atgpu",
    "compare vector_addition.atgpu vector_addition_guarded.atgpu",
    "compare vector_addition.atgpu reduction.atgpu -D n=1000",
    "sweep vector_addition.atgpu --vary n=2^5..2^8",
    "sweep vector_addition.atgpu --vary n=1..64 --wide",
    "overlap vector_addition.atgpu -D n=4096",
    "advise transpose_tiled.atgpu",
    "tune vector_addition_guarded.atgpu --over b=8..32 -D n=2^8..2^10",
    "calibrate vector_addition.atgpu --observed times.csv",
    "emit c vector_addition.atgpu",
    "machines",
    "machines gtx650",
    "machines gtx650 gtx280",
];

/// Maps whose keys are names of the program, the machine or the model.
const NAMED: &[&str] = &[
    "parameters",
    "arrays",
    "models",
    "classes",
    "variables",
    "values",
    "largest",
    "methods",
    "from",
    "to",
    "within",
    "curves",
    "operations",
];

#[test]
fn the_page_for_scripts_names_every_key() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("a folder");
    for program in [
        "paper1/vector_addition",
        "paper1/vector_addition_guarded",
        "paper1/reduction",
        "paper2/list_ranking",
        "cookbook/breadth_first_while",
        "cookbook/transpose_tiled",
    ] {
        let from = root.join(format!("programs/{program}.atgpu"));
        let to = folder.path().join(from.file_name().expect("a file"));
        std::fs::copy(from, to).expect("readable");
    }
    std::fs::write(folder.path().join("faulty.atgpu"), FAULTY).expect("writable");
    let times = "n,total_ms,kernel_ms\n1024,0.2,0.1\n4096,0.5,0.3\n65536,5,3\n262144,20,12\n";
    std::fs::write(folder.path().join("times.csv"), times).expect("writable");
    let page = std::fs::read_to_string(root.join("docs/scripts.md")).expect("readable");
    let words: BTreeSet<&str> = page
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .collect();
    let mut missing = BTreeSet::new();
    for line in COMMANDS {
        let output = command::atgpu(folder.path())
            .args(line.split(' '))
            .args(["--format", "json"])
            .output()
            .expect("starts");
        let printed = String::from_utf8(output.stdout).expect("text");
        let found: Value = serde_json::from_str(&printed)
            .unwrap_or_else(|error| panic!("{line}: {error}\n{printed}"));
        each_key(&found, "", &mut |key, path| {
            if !words.contains(key) {
                missing.insert(format!("{line}: {path}"));
            }
        });
    }
    assert!(missing.is_empty(), "docs/scripts.md has no {missing:#?}");
}

/// Every key with its path, but for names.
fn each_key(value: &Value, path: &str, visit: &mut dyn FnMut(&str, &str)) {
    match value {
        Value::Object(keys) => {
            let are_names = NAMED.iter().any(|name| path.ends_with(&format!(".{name}")));
            for (key, inner) in keys {
                let path = format!("{path}.{key}");
                if !are_names {
                    visit(key, &path);
                }
                each_key(inner, &path, visit);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| each_key(item, path, visit)),
        _ => {}
    }
}
