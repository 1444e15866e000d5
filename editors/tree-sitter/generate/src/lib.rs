//! Makes the parser of the tree-sitter grammar of ATGPU: `cargo run` writes `src/parser.c`, `cargo
//! test` holds what is committed to what would be written, and parses every program with it.
//!
//! `grammar.json` itself is made and held by the tests of `atgpu` (`tests/suite/editors/`).

use tree_sitter_generate::{OptLevel, generate_parser_for_grammar};

/// `src/parser.c`, from the text of `grammar.json`.
///
/// # Panics
/// Where the grammar is none, or ambiguous.
pub fn parser(grammar: &str) -> String {
    let mut said = Vec::new();
    let parser = generate_parser_for_grammar(grammar, None, OptLevel::default(), &mut said);
    let (_, parser) = parser.unwrap_or_else(|fault| panic!("{fault}"));
    assert!(said.is_empty(), "{said:?}");
    parser
}
