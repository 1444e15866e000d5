//! The committed parser is that of the grammar, parses every program, and its queries fit it.

use std::fs;
use std::path::{Path, PathBuf};

use tree_sitter::{Language, Node, Parser, Query, QueryCursor, StreamingIterator};
use tree_sitter_language::LanguageFn;

unsafe extern "C" {
    fn tree_sitter_atgpu() -> *const ();
}

fn language() -> Language {
    // The function comes from the parser that `build.rs` compiles.
    Language::new(unsafe { LanguageFn::from_raw(tree_sitter_atgpu) })
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    fs::read_to_string(folder().join(path)).expect("it is there")
}

fn programs() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder().join("../../programs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|is| is == "atgpu") => found.push(path),
                false => {}
            }
        }
    }
    found
}

#[test]
fn the_parser_is_that_of_the_grammar() {
    let made = tempfile::tempdir().expect("a folder");
    atgpu_tree_sitter::write(&folder(), made.path());
    for file in atgpu_tree_sitter::FILES {
        let text = fs::read_to_string(made.path().join(file)).expect("it was written");
        assert!(
            text == read(&format!("src/{file}")),
            "{file} is old: `cargo run` in this crate writes it anew"
        );
    }
}

#[test]
fn every_program_parses() {
    let mut parser = Parser::new();
    parser.set_language(&language()).expect("of this version");
    let programs = programs();
    assert!(programs.len() > 50);
    for path in programs {
        let text = fs::read_to_string(&path).expect("text");
        let tree = parser.parse(&text, None).expect("no time limit");
        assert!(!tree.root_node().has_error(), "{}", path.display());
    }
}

#[test]
fn the_queries_fit_and_find() {
    let text =
        fs::read_to_string(folder().join("../../programs/paper1/reduction.atgpu")).expect("text");
    let mut parser = Parser::new();
    parser.set_language(&language()).expect("of this version");
    let tree = parser.parse(&text, None).expect("no time limit");
    let found = |query: &str| {
        let query = Query::new(&language(), &read(query)).expect("a query of this grammar");
        let mut cursor = QueryCursor::new();
        let mut matches = cursor.matches(&query, tree.root_node(), text.as_bytes());
        let mut names: Vec<(String, String)> = Vec::new();
        while let Some(one) = matches.next() {
            for capture in one.captures() {
                let node: Node = capture.node;
                let name = query.capture_names()[capture.index as usize].to_owned();
                names.push((name, text[node.byte_range()].to_owned()));
            }
        }
        names
    };
    let highlights = found("queries/highlights.scm");
    let has = |name: &str, word: &str| highlights.iter().any(|(n, w)| n == name && w == word);
    assert!(has("keyword", "algorithm") && has("keyword", "for") && has("variable.member", "_x"));
    assert!(has("operator", "⇐") && has("number", "1"));
    assert!(found("queries/folds.scm").len() >= 3);
}
