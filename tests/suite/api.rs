//! The public interface as a test: each page of it that has something to call shows an example
//! that runs (`cargo test --doc`). `interface` holds its names and types.
//!
//! Reads the sources as text: a module is public down a chain of `pub mod`, and an item of a private
//! one is public where its parent says `pub use`. A page is a file. Modules that `#[doc(hidden)]`
//! hides, and files with plain getters alone, need no example.

mod interface;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A file of the library.
struct Module {
    path: PathBuf,
    name: String,
    is_public: bool,
    /// True if `#[doc(hidden)]` stands above the module or one of its parents.
    is_hidden: bool,
    lines: Vec<String>,
    /// The names the parent re-exports; all of a public module is public anyway.
    exported: BTreeSet<String>,
}

/// More functions than this and a page wants an example; below it, the names and types suffice.
const CALLS_OF_A_PLAIN_PAGE: usize = 3;

#[test]
fn every_page_shows_an_example() {
    let modules = modules();
    let public = public_types(&modules);
    let (mut pages, mut bare) = (0, Vec::new());
    for module in modules.iter().filter(|module| !module.is_hidden) {
        let calls = items(module, &public);
        if calls.len() <= CALLS_OF_A_PLAIN_PAGE {
            continue;
        }
        pages += 1;
        if !module.lines.iter().any(|line| is_fence(line)) {
            bare.push(format!(
                "{}: {} functions",
                module.path.display(),
                calls.len()
            ));
        }
    }
    assert!(pages > 25, "only {pages} found: is the reader broken?");
    assert!(
        bare.is_empty(),
        "pages without an example:\n{}",
        bare.join("\n")
    );
}

/// An example can be copied as it is shown. What it may hide: the type that it returns at its end,
/// and where `include_str!` finds the programs here, which lie beside the reader's own code there.
#[test]
fn no_example_hides_how_it_begins() {
    let allowed = [
        "# Ok::<",
        "# macro_rules! include_str",
        "#     std::include_str!",
        "# }}",
    ];
    for module in modules() {
        let mut is_example = false;
        for (number, line) in module.lines.iter().enumerate() {
            let line = line.trim_start();
            let comment = line.strip_prefix("///").or(line.strip_prefix("//!"));
            let comment = comment.unwrap_or("").trim_start();
            if comment.starts_with("```") {
                is_example = !is_example;
            }
            assert!(
                !is_example
                    || !comment.starts_with("# ")
                    || allowed.iter().any(|start| comment.starts_with(start)),
                "{}:{}: show this line, or take what it makes from `examples`",
                module.path.display(),
                number + 1
            );
        }
    }
}

/// All examples are compiled as one program, which a relative path would keep from being built;
/// each of them alone takes longer than all together.
#[test]
fn no_example_depends_on_its_folder() {
    for module in modules() {
        for (number, line) in module.lines.iter().enumerate() {
            let comment = line.trim_start();
            assert!(
                !(comment.starts_with("//") && comment.contains("include_str!(\"..")),
                "{}:{}: name the file from CARGO_MANIFEST_DIR",
                module.path.display(),
                number + 1
            );
        }
    }
}

/// Every file that `lib.rs` leads to, unit tests cut off.
fn modules() -> Vec<Module> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut modules = vec![read(
        root.join("lib.rs"),
        "crate",
        (true, false),
        BTreeSet::new(),
    )];
    let mut at = 0;
    while at < modules.len() {
        let parent = &modules[at];
        let is_root = parent.name == "crate" || parent.path.ends_with("mod.rs");
        let folder = if is_root {
            parent
                .path
                .parent()
                .expect("a file lies in a folder")
                .to_owned()
        } else {
            parent.path.with_extension("")
        };
        let mut children = Vec::new();
        for (number, line) in parent.lines.iter().enumerate() {
            let (is_declared_public, rest) = match line.strip_prefix("pub ") {
                Some(rest) => (true, rest),
                None => (false, line.strip_prefix("pub(crate) ").unwrap_or(line)),
            };
            let name = rest
                .strip_prefix("mod ")
                .and_then(|rest| rest.strip_suffix(';'));
            let Some(name) = name else { continue };
            let flat = folder.join(format!("{name}.rs"));
            let path = if flat.exists() {
                flat
            } else {
                folder.join(name).join("mod.rs")
            };
            let exported = exports(&parent.lines, name);
            let is_public = parent.is_public && is_declared_public;
            let is_hidden = parent.is_hidden
                || number > 0 && parent.lines[number - 1].trim() == "#[doc(hidden)]";
            children.push(read(path, name, (is_public, is_hidden), exported));
        }
        modules.extend(children);
        at += 1;
    }
    modules
}

fn read(
    path: PathBuf,
    name: &str,
    (is_public, is_hidden): (bool, bool),
    exported: BTreeSet<String>,
) -> Module {
    let text = fs::read_to_string(&path).expect("a module has its file");
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or("");
    Module {
        name: name.to_owned(),
        is_public,
        is_hidden,
        lines: text.lines().map(str::to_owned).collect(),
        exported,
        path,
    }
}

/// The names that `pub use module::…` lets out.
fn exports(lines: &[String], module: &str) -> BTreeSet<String> {
    let text = lines.join("\n");
    let mut names = BTreeSet::new();
    for start in [
        format!("\npub use {module}::"),
        format!("\npub use crate::{module}::"),
    ] {
        for rest in text.split(&start).skip(1) {
            let list = rest.split(';').next().unwrap_or("");
            let words = list.split(|c: char| !c.is_alphanumeric() && c != '_');
            names.extend(words.filter(|word| !word.is_empty()).map(str::to_owned));
        }
    }
    names
}

/// The types another crate can name, by their names.
fn public_types(modules: &[Module]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for module in modules {
        for line in &module.lines {
            if let Some(name) = declared(line, &["pub struct ", "pub enum ", "pub trait "])
                && (module.is_public || module.exported.contains(&name))
            {
                found.insert(name);
            }
        }
    }
    found
}

/// The name behind one of these beginnings of a line.
fn declared(line: &str, starts: &[&str]) -> Option<String> {
    let rest = starts.iter().find_map(|start| line.strip_prefix(start))?;
    Some(
        rest.chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect(),
    )
}

/// The public functions, methods and traits of a module, with their lines.
fn items(module: &Module, public: &BTreeSet<String>) -> Vec<(usize, String)> {
    let lets_out = |name: &String| module.is_public || module.exported.contains(name);
    let mut found = Vec::new();
    // Whether the `impl` we are in is of a type another crate can name.
    let mut is_inside = false;
    for (number, line) in module.lines.iter().enumerate() {
        if let Some(of) = impl_of(line) {
            // A macro that makes types names them by `$name`.
            is_inside = match declaration(module, &of) {
                Some(is_public) => is_public && lets_out(&of),
                None => public.contains(&of) || of == "$name",
            };
        } else if line == "}" {
            is_inside = false;
        }
        let inner = line.trim_start();
        let is_top = inner.len() == line.len();
        let name = declared(inner, &["pub fn ", "pub const fn "]);
        match name {
            Some(name) if is_top && lets_out(&name) => found.push((number, name)),
            Some(name) if !is_top && is_inside => found.push((number, name)),
            _ => {}
        }
        if let Some(name) = declared(line, &["pub trait "]).filter(|name| lets_out(name)) {
            found.push((number, name));
        }
    }
    found
}

/// Whether a type of the module is `pub`, where it is declared there.
fn declaration(module: &Module, name: &str) -> Option<bool> {
    module.lines.iter().find_map(|line| {
        let (is_public, rest) = match line.strip_prefix("pub") {
            Some(rest) => match rest.strip_prefix(' ') {
                Some(rest) => (true, rest),
                None => (false, rest.split_once(") ")?.1),
            },
            None => (false, line.as_str()),
        };
        let found = declared(rest, &["struct ", "enum ", "trait "])?;
        (found == name).then_some(is_public)
    })
}

/// The type of an inherent `impl`.
fn impl_of(line: &str) -> Option<String> {
    let rest = line.trim_start().strip_prefix("impl")?;
    if rest.contains(" for ") {
        return Some(String::new());
    }
    let rest = match rest.strip_prefix('<') {
        Some(rest) => rest.split_once("> ")?.1,
        None => rest.strip_prefix(' ')?,
    };
    let end = rest.find(|c: char| !c.is_alphanumeric() && !"_:$".contains(c));
    let path = &rest[..end.unwrap_or(rest.len())];
    Some(path.rsplit("::").next().unwrap_or(path).to_owned())
}

/// True if the line opens or closes a fenced block in a doc comment.
fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("/// ```") || line.starts_with("//! ```")
}
