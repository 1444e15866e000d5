//! Writes `src/parser.c` and the header it includes.

use std::fs;
use std::path::Path;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let grammar = fs::read_to_string(folder.join("grammar.json"))?;
    fs::create_dir_all(folder.join("src/tree_sitter"))?;
    let header = tree_sitter_generate::PARSER_HEADER;
    fs::write(folder.join("src/tree_sitter/parser.h"), header)?;
    fs::write(
        folder.join("src/parser.c"),
        atgpu_tree_sitter::parser(&grammar),
    )
}
