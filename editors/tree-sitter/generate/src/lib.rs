//! Makes the parser of the tree-sitter grammar of ATGPU, as `tree-sitter generate` does: `cargo run` writes `src/`,
//! `cargo test` holds what is committed to what would be written, and parses every program with it.
//!
//! `src/grammar.json` itself is made and held by the tests of `atgpu` (`tests/suite/editors/`), and
//! `tree-sitter.json` tells its version. What else the folder holds `tree-sitter init` made of that file.

use std::path::Path;

use tree_sitter_generate::{ABI_VERSION_MAX, OptLevel, generate_parser_in_directory};

/// The files of `src/` that are made of `src/grammar.json`; the two headers that only a scanner would need are not kept.
pub const FILES: [&str; 3] = ["parser.c", "node-types.json", "tree_sitter/parser.h"];

/// Writes the parser of a folder's grammar.
///
/// # Panics
/// Where the grammar is none, or ambiguous, or the files cannot be written.
pub fn write(folder: &Path, into: &Path) {
    let mut said = Vec::new();
    let grammar = folder.join("src/grammar.json");
    let optimised = OptLevel::default();
    let done = generate_parser_in_directory(
        folder,
        Some(into),
        Some(grammar),
        ABI_VERSION_MAX,
        None,
        None,
        true,
        optimised,
        &mut said,
    );
    done.unwrap_or_else(|fault| panic!("{fault}"));
    assert!(said.is_empty(), "{said:?}");
}
