//! Compiles the committed parser for the tests.

fn main() {
    println!("cargo::rerun-if-changed=../src");
    let parser = std::path::Path::new("../src/parser.c");
    if parser.exists() {
        cc::Build::new()
            .include("../src")
            .file(parser)
            .compile("tree-sitter-atgpu");
    }
}
