//! Editors' grammars: made from the language's own grammar and tables, and held to what is
//! committed. `UPDATE=1` writes them anew.
//!
//! The parser that tree-sitter makes of `grammar.json`, and that it parses every program, is held by
//! the tests of `editors/tree-sitter/generate`, a crate of its own.

mod syntax;
mod textmate;
mod tree_sitter;
mod vscode;
mod words;

use std::fs;
use std::path::Path;
use std::process::Command;

use atgpu::count::Quantity;
use words::Words;

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_default()
}

fn words() -> Words {
    Words::of(
        &read("grammar/atgpu.pest"),
        &read("src/syntax/functions.rs"),
    )
}

/// What is committed is what would be made now.
fn holds(path: &str, made: &str) {
    if std::env::var_os("UPDATE").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("a folder");
        fs::write(path, made).expect("it can be written");
    }
    assert!(
        read(path) == made,
        "{path} is old: `UPDATE=1 cargo test --test suite editors::`"
    );
}

#[test]
fn the_words_are_those_of_the_language() {
    let words = words();
    let has = |list: &[String], wanted: &[&str]| {
        for word in wanted {
            assert!(
                list.iter().any(|each| each == word),
                "{word} is not in {list:?}"
            );
        }
    };
    has(
        &words.header,
        &["algorithm", "require", "global", "claim", "let", "kernel"],
    );
    has(
        &words.control,
        &[
            "for", "all", "parallel", "until", "downto", "in", "to", "swap", "else",
        ],
    );
    has(
        &words.operators,
        &["mod", "div", "and", "implies", "forall", "divides", "is"],
    );
    has(
        &words.functions,
        &["min", "sqrt", "bitand", "ceil", "floor", "gcd", "floor_sum"],
    );
    assert_eq!(words.types, ["int", "float"]);
    assert_eq!(words.properties, ["sorted", "permutation", "list"]);
    let all = [
        &words.header[..],
        &words.control,
        &words.operators,
        &words.functions,
    ]
    .concat();
    let mut sorted = all.clone();
    sorted.sort();
    sorted.dedup();
    assert_eq!(sorted.len(), all.len(), "a word does two things: {all:?}");
}

#[test]
fn the_textmate_grammar_is_made_from_them() {
    let quantities = Quantity::ALL.map(Quantity::name);
    let made = format!("{:#}\n", textmate::grammar(&words(), &quantities));
    holds("editors/textmate/atgpu.tmLanguage.json", &made);
}

#[test]
fn the_tree_sitter_grammar_is_made_from_them() {
    let made = format!("{:#}\n", tree_sitter::grammar(&words()));
    holds("editors/tree-sitter/src/grammar.json", &made);
    holds(
        "editors/tree-sitter/queries/highlights.scm",
        &textmate::highlights(&words()),
    );
}

#[test]
fn the_book_colours_with_them() {
    holds(
        "docs/theme/atgpu-highlight.js",
        &textmate::highlight_js(&words()),
    );
    assert!(read("docs/book.toml").contains("theme/atgpu-highlight.js"));
}

#[test]
fn the_files_of_vim_kate_emacs_and_helix_are_made_from_them() {
    let (words, quantities) = (words(), Quantity::ALL.map(Quantity::name));
    holds(
        "editors/vim/syntax/atgpu.vim",
        &syntax::vim(&words, &quantities),
    );
    holds("editors/kate/atgpu.xml", &syntax::kate(&words, &quantities));
    let mode = "editors/emacs/atgpu-mode.el";
    holds(mode, &syntax::emacs(&read(mode), &words, &quantities));
    holds(
        "editors/helix/queries/atgpu/highlights.scm",
        &syntax::helix(&words),
    );
}

/// The packages read the grammars where they stand and have no words of their own.
#[test]
fn packages_take_the_grammars_from_their_place() {
    let build = read("editors/vscode/build.mjs");
    assert!(build.contains("../textmate/atgpu.tmLanguage.json"));
    let about: serde_json::Value =
        serde_json::from_str(&read("editors/vscode/package.json")).expect("JSON");
    let path = about.pointer("/contributes/grammars/0/path");
    assert_eq!(path, Some(&"./dist/atgpu.tmLanguage.json".into()));
    assert_eq!(about["version"], env!("CARGO_PKG_VERSION"));
    // So are the schemas of docs/schemas/.
    for (at, schema) in ["atgpu-toml.json", "machine.json"].into_iter().enumerate() {
        assert!(build.contains("../../docs/schemas/") && build.contains(schema));
        let url = about.pointer(&format!("/contributes/tomlValidation/{at}/url"));
        assert_eq!(url, Some(&format!("./dist/{schema}").into()));
    }
    let helix: toml::Table = toml::from_str(&read("editors/helix/languages.toml")).expect("TOML");
    assert_eq!(
        helix["grammar"][0]["source"]["path"].as_str(),
        Some("../tree-sitter")
    );
}

/// Scopes of a program's words as VS Code's own reader of such grammars finds them; skipped with a
/// word where `vscode-tmgrammar-test` is not installed (`TMGRAMMAR` names it).
#[test]
fn vs_code_finds_the_scopes() {
    let tester = std::env::var("TMGRAMMAR").unwrap_or_else(|_| "vscode-tmgrammar-test".to_owned());
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(&tester)
        .args(["-g", "editors/textmate/atgpu.tmLanguage.json"])
        .arg("editors/textmate/test/scopes.atgpu")
        .current_dir(root)
        .output();
    let Ok(output) = output else {
        eprintln!("skipped: no {tester} here");
        return;
    };
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
}
