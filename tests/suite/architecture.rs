//! The architecture as a test: which module may use which (docs/architecture.md).
//!
//! Reads every `crate::` path of the library and holds the order of the pipeline, the two gaps
//! that make comparing derivation and execution worth anything, and the wall around the command.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The library's modules; each uses only those before it.
const ORDER: &[&str] = &[
    "room", "text", "diag", "number", "syntax", "count", "machine", "sym", "check", "value",
    "data", "derive", "vet", "exec", "verify", "cost", "study", "report", "embed", "build",
];

/// Folders of the command, which the library cannot see.
const COMMAND: &[&str] = &["cli", "lsp"];

/// One `crate::` path: the module it stands in, the module it names, and where.
struct Edge {
    from: String,
    to: String,
    place: String,
}

#[test]
fn every_module_has_its_place() {
    for file in sources() {
        let module = module_of(&file);
        assert!(
            ["lib", "main"].contains(&module.as_str())
                || ORDER.contains(&module.as_str())
                || COMMAND.contains(&module.as_str()),
            "{} is in no module of the order; add it there and to docs/architecture.md",
            file.display()
        );
    }
}

#[test]
fn a_module_uses_only_what_stands_above_it() {
    let rank = |module: &str| ORDER.iter().position(|name| *name == module);
    let edges = edges();
    assert!(
        edges.len() > 20,
        "only {} paths found: is the reader broken?",
        edges.len()
    );
    for edge in edges {
        let (Some(from), Some(to)) = (rank(&edge.from), rank(&edge.to)) else {
            continue;
        };
        assert!(
            to <= from,
            "{}: `{}` stands above `{}` and must not use it",
            edge.place,
            edge.from,
            edge.to
        );
    }
}

#[test]
fn sym_knows_no_program() {
    for edge in edges().into_iter().filter(|edge| edge.from == "sym") {
        assert!(
            ["number", "sym"].contains(&edge.to.as_str()),
            "{}: `sym` uses `{}`",
            edge.place,
            edge.to
        );
    }
}

#[test]
fn derive_and_exec_never_see_each_other() {
    for edge in edges() {
        let pair = (edge.from.as_str(), edge.to.as_str());
        assert!(
            !matches!(
                pair,
                ("derive", "exec") | ("exec", "derive") | ("exec", "sym")
            ),
            "{}: `{}` uses `{}`, so the two counts are no longer independent",
            edge.place,
            edge.from,
            edge.to
        );
    }
}

#[test]
fn the_library_cannot_see_the_command() {
    for edge in edges() {
        if COMMAND.contains(&edge.from.as_str()) {
            assert!(
                COMMAND.contains(&edge.to.as_str()),
                "{}: the command reaches the library as `atgpu::`, not as `crate::{}`",
                edge.place,
                edge.to
            );
        } else {
            assert!(
                edge.from == "main" || !COMMAND.contains(&edge.to.as_str()),
                "{}: the library uses `{}`",
                edge.place,
                edge.to
            );
        }
    }
    let library = fs::read_to_string(root().join("src/lib.rs")).expect("src/lib.rs is there");
    for module in COMMAND {
        assert!(
            !library.contains(&format!("mod {module};")),
            "lib.rs declares `{module}`"
        );
    }
}

#[test]
fn the_document_names_every_module() {
    let document = fs::read_to_string(root().join("docs/architecture.md")).expect("it is there");
    let modules: BTreeSet<String> = sources().iter().map(|file| module_of(file)).collect();
    for module in modules {
        assert!(
            ["lib", "main"].contains(&module.as_str()) || document.contains(&format!("`{module}`")),
            "docs/architecture.md does not mention `{module}`"
        );
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All Rust files under `src/`, sorted.
fn sources() -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root().join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the crate can be read") {
            let path = entry.expect("an entry can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    assert!(!files.is_empty());
    files
}

/// The top-level module a file belongs to; `lib` and `main` for the two roots.
fn module_of(file: &Path) -> String {
    let relative = file
        .strip_prefix(root().join("src"))
        .expect("it lies in src");
    let first = relative.iter().next().expect("it has a name");
    Path::new(first)
        .file_stem()
        .expect("it has a stem")
        .to_string_lossy()
        .into_owned()
}

/// Every `crate::` path outside comments, unit tests included.
fn edges() -> Vec<Edge> {
    let mut edges = Vec::new();
    for file in sources() {
        let from = module_of(&file);
        let text = fs::read_to_string(&file).expect("a source file is text");
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or("");
            for to in targets(code) {
                edges.push(Edge {
                    from: from.clone(),
                    to,
                    place: format!("{}:{}", file.display(), number + 1),
                });
            }
        }
    }
    edges
}

/// The modules named behind each `crate::` of a line; `use crate::{a::B, c};` names two. rustfmt
/// breaks such a list over lines only when a group grows long, so those are refused.
fn targets(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find("crate::") {
        let before = rest[..at].chars().next_back();
        rest = &rest[at + "crate::".len()..];
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_') || before == Some('$') {
            continue;
        }
        if let Some(group) = rest.strip_prefix('{') {
            let end = group
                .rfind('}')
                .expect("a group behind `crate::` stays on its line: write one `use` a module");
            let mut depth = 0;
            for part in group[..end].split(|c| {
                match c {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    _ => {}
                }
                c == ',' && depth == 0
            }) {
                found.push(word(part.trim()));
            }
        } else {
            found.push(word(rest));
        }
    }
    // A macro or a re-export of the crate root starts with a capital letter or is a function.
    found.retain(|name| ORDER.contains(&name.as_str()) || COMMAND.contains(&name.as_str()));
    found
}

fn word(text: &str) -> String {
    text.chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect()
}

#[test]
fn paths_are_read_as_rust_reads_them() {
    assert_eq!(targets("use crate::text::{Source, Span};"), ["text"]);
    assert_eq!(
        targets("use crate::{diag::{Code, Label}, text};"),
        ["diag", "text"]
    );
    assert_eq!(
        targets("fn f(x: crate::sym::Expr) -> crate::number::Real"),
        ["sym", "number"]
    );
    assert!(targets("use subcrate::text;").is_empty());
    assert!(targets("let x = 1;").is_empty());
}
