//! Writes the parser, its types of nodes, and the header it includes.

use std::fs;
use std::path::Path;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let into = folder.join("src");
    atgpu_tree_sitter::write(&folder, &into);
    for unused in ["alloc.h", "array.h"] {
        fs::remove_file(into.join("tree_sitter").join(unused))?;
    }
    Ok(())
}
