//! The architecture as a test: which module may use which (docs/architecture.md).
//!
//! Reads every `crate::` path of the library, follows re-exports to the file that owns the item,
//! and holds the order of the pipeline, the gaps that make comparing the counters worth anything,
//! the wall around the command, and that no folder has a circle inside, at any level.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The library's modules; each uses only those before it.
const ORDER: &[&str] = &[
    "room",
    "text",
    "diag",
    "number",
    "syntax",
    "count",
    "machine",
    "sym",
    "program",
    "check",
    "meaning",
    "array",
    "operations",
    "derivation",
    "symbolic",
    "interval",
    "exec",
    "derive",
    "safety",
    "emit",
    "lint",
    "verify",
    "cost",
    "study",
    "advise",
    "report",
    "editor",
    "embed",
    "examples",
    "build",
];

/// The three counters, which never see each other.
const COUNTERS: &[&str] = &["symbolic", "interval", "exec"];

/// Folders of the command, which the library cannot see.
const COMMAND: &[&str] = &["cli", "lsp"];

#[test]
fn every_module_has_its_place() {
    for module in Crate::read().files.keys() {
        let top = first(module);
        assert!(
            top.is_empty() || ORDER.contains(&top) || COMMAND.contains(&top),
            "`{module}` is in no module of the order; add it there and to docs/architecture.md"
        );
    }
}

#[test]
fn a_module_uses_only_what_stands_above_it() {
    let rank = |module: &str| ORDER.iter().position(|name| *name == first(module));
    let edges = Crate::read().edges();
    assert!(
        edges.len() > 500,
        "only {} paths found: is the reader broken?",
        edges.len()
    );
    for (from, to) in edges {
        if let (Some(below), Some(above)) = (rank(&from), rank(&to)) {
            assert!(
                above <= below,
                "`{to}` stands below `{from}`, which must not use it"
            );
        }
    }
}

#[test]
fn no_folder_has_a_circle_inside() {
    let found = Crate::read().circles();
    assert!(
        found.is_empty(),
        "circles, `folder: its children`: {found:?}"
    );
}

#[test]
fn what_a_type_does_stands_in_few_files() {
    let mut files: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for (module, text) in Crate::read().files {
        for name in text.lines().filter_map(own_impl) {
            let owner = (first(&module).to_owned(), name.to_owned());
            files.entry(owner).or_default().insert(module.clone());
        }
    }
    assert!(files.len() > 300, "only {} types found", files.len());
    for ((top, name), files) in files {
        assert!(
            files.len() <= 5,
            "`{name}` of `{top}` has methods in {} files: {files:?}",
            files.len()
        );
    }
}

#[test]
fn sym_knows_no_program() {
    for (from, to) in Crate::read().edges() {
        assert!(
            first(&from) != "sym" || ["room", "number", "sym"].contains(&first(&to)),
            "`{from}` uses `{to}`"
        );
    }
}

#[test]
fn the_counters_never_see_each_other() {
    for (from, to) in Crate::read().edges() {
        let (one, other) = (first(&from), first(&to));
        let both_count = COUNTERS.contains(&one) && COUNTERS.contains(&other) && one != other;
        let with_table = one == "exec" && ["sym", "operations"].contains(&other);
        assert!(
            !both_count && !with_table,
            "`{from}` uses `{to}`, so the two counts are no longer independent"
        );
    }
}

#[test]
fn the_library_cannot_see_the_command() {
    for (from, to) in Crate::read().edges() {
        if COMMAND.contains(&first(&from)) {
            assert!(
                COMMAND.contains(&first(&to)),
                "`{from}`: the command reaches the library as `atgpu::`, not as `crate::{to}`"
            );
        } else {
            assert!(
                !COMMAND.contains(&first(&to)),
                "`{from}`: the library uses `{to}`"
            );
        }
    }
    let library = fs::read_to_string(sources().join("lib.rs")).expect("src/lib.rs is there");
    for module in COMMAND {
        assert!(
            !library.contains(&format!("mod {module};")),
            "lib.rs declares `{module}`"
        );
    }
}

#[test]
fn the_document_names_every_module() {
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/architecture.md");
    let document = fs::read_to_string(document).expect("it is there");
    for module in Crate::read().files.keys() {
        let top = first(module);
        assert!(
            top.is_empty() || document.contains(&format!("`{top}`")),
            "docs/architecture.md does not mention `{top}`"
        );
    }
}

/// The crate's files as modules, `a::b`, with their text: no comments, no unit tests.
struct Crate {
    files: BTreeMap<String, String>,
}

impl Crate {
    fn read() -> Self {
        let mut files = BTreeMap::new();
        let mut folders = vec![sources()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).expect("a folder of the crate can be read") {
                let path = entry.expect("an entry can be read").path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    let text = fs::read_to_string(&path).expect("a source file is text");
                    files.insert(module_of(&path), code_of(&text));
                }
            }
        }
        assert!(files.len() > 100);
        Crate { files }
    }

    /// The deepest module a path names, and the item behind it.
    fn resolve<'p>(&self, path: &'p [String]) -> (String, Option<&'p String>) {
        let depth = (0..=path.len())
            .rev()
            .find(|depth| self.files.contains_key(&path[..*depth].join("::")))
            .unwrap_or(0);
        (path[..depth].join("::"), path.get(depth))
    }

    /// Items that a file gives out although another file owns them.
    fn re_exports(&self) -> BTreeMap<(String, String), Vec<String>> {
        let mut found = BTreeMap::new();
        for (module, text) in &self.files {
            for (is_public, path) in uses(text) {
                let absolute = absolute(module, &path);
                if let (true, Some(absolute)) = (is_public, absolute) {
                    let name = path.last().expect("a path has a name").clone();
                    found.insert((module.clone(), name), absolute);
                }
            }
        }
        found
    }

    /// Which file uses which, through re-exports.
    fn edges(&self) -> BTreeSet<(String, String)> {
        let re_exports = self.re_exports();
        let mut edges = BTreeSet::new();
        for (module, text) in &self.files {
            let paths = uses(text).into_iter().map(|(_, path)| path);
            for path in paths.chain(inline(text)) {
                if !["crate", "self", "super"].contains(&path[0].as_str()) {
                    continue;
                }
                let Some(path) = absolute(module, &path) else {
                    continue;
                };
                let (mut to, item) = self.resolve(&path);
                let mut item = item.cloned();
                while let Some(name) = item.take() {
                    if let Some(owner) = re_exports.get(&(to.clone(), name)) {
                        let (deeper, rest) = self.resolve(owner);
                        item = rest.cloned();
                        to = deeper;
                    }
                }
                if to != *module && !to.is_empty() {
                    edges.insert((module.clone(), to));
                }
            }
        }
        edges
    }

    /// Every circle between the children of one folder, `folder: its children`.
    fn circles(&self) -> Vec<String> {
        let edges = self.edges();
        let mut folders = BTreeSet::new();
        for module in self.files.keys() {
            let mut folder = module.as_str();
            while let Some((parent, _)) = folder.rsplit_once("::") {
                folders.insert(parent.to_owned());
                folder = parent;
            }
        }
        folders.insert(String::new());
        let mut found = Vec::new();
        for folder in &folders {
            let mut uses: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
            for (from, to) in &edges {
                if let (Some(from), Some(to)) = (child(folder, from), child(folder, to))
                    && from != to
                {
                    uses.entry(from).or_default().insert(to);
                }
            }
            let name = if folder.is_empty() { "src" } else { folder };
            for circle in circles_of(&uses) {
                found.push(format!("{name}: {}", circle.join(" ")));
            }
        }
        found.sort();
        found
    }
}

/// The type whose own methods begin on a line, `impl<'a> Name<'a> {`.
fn own_impl(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("impl")?;
    let generics = if rest.starts_with('<') {
        rest.find("> ").map(|end| end + 1)?
    } else {
        0
    };
    let name = rest[generics..].strip_prefix(' ')?;
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    (end > 0 && !name.contains(" for ")).then_some(&name[..end])
}

/// The children that reach each other, in groups.
fn circles_of<'m>(uses: &BTreeMap<&'m str, BTreeSet<&'m str>>) -> Vec<Vec<&'m str>> {
    let reached = |from: &'m str| {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&str> = uses.get(from).into_iter().flatten().copied().collect();
        while let Some(at) = open.pop() {
            if seen.insert(at) {
                open.extend(uses.get(at).into_iter().flatten());
            }
        }
        seen
    };
    let reach: BTreeMap<&str, BTreeSet<&str>> =
        uses.keys().map(|child| (*child, reached(child))).collect();
    let mut done: BTreeSet<&str> = BTreeSet::new();
    let mut found = Vec::new();
    for (child, there) in &reach {
        let back = |other: &&&str| reach.get(**other).is_some_and(|back| back.contains(child));
        let circle: Vec<&str> = there.iter().filter(back).copied().collect();
        if !circle.is_empty() && done.insert(circle[0]) {
            found.push(circle);
        }
    }
    found
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// `a::b` for `src/a/b.rs` and `src/a/b/mod.rs`; nothing for the two roots.
fn module_of(file: &Path) -> String {
    let relative = file.strip_prefix(sources()).expect("it lies in src");
    let mut names: Vec<String> = relative
        .with_extension("")
        .iter()
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    if names.last().is_some_and(|name| name == "mod")
        || matches!(&names[..], [root] if root == "lib" || root == "main")
    {
        names.pop();
    }
    names.join("::")
}

/// A file without comments, and without its unit tests.
fn code_of(text: &str) -> String {
    let code: Vec<&str> = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or(""))
        .collect();
    let code = code.join("\n");
    let end = code.find("#[cfg(test)]\nmod ").unwrap_or(code.len());
    code[..end].to_owned()
}

/// The path of a `use` or of an expression from the crate's root; `None` where it names another
/// crate.
fn absolute(module: &str, path: &[String]) -> Option<Vec<String>> {
    let here = module.split("::").filter(|name| !name.is_empty());
    let mut names: Vec<String> = here.map(ToOwned::to_owned).collect();
    let mut rest = path;
    match rest.first()?.as_str() {
        "crate" => {
            names.clear();
            rest = &rest[1..];
        }
        "self" => rest = &rest[1..],
        "super" => {
            while rest.first().is_some_and(|name| name == "super") {
                names.pop();
                rest = &rest[1..];
            }
        }
        // A child's item, as `pub use` writes it.
        _ => {}
    }
    names.extend(rest.iter().filter(|name| *name != "self").cloned());
    Some(names)
}

/// Every path that a `use` names, and whether the file gives it out.
fn uses(text: &str) -> Vec<(bool, Vec<String>)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("use ") {
        let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let before = text[line..at].trim();
        if !before.is_empty() && !before.starts_with("pub") {
            continue;
        }
        let end = text[at..].find(';').map_or(text.len(), |end| at + end);
        let mut paths = Vec::new();
        expand(&text[at + "use ".len()..end], &[], &mut paths);
        found.extend(
            paths
                .into_iter()
                .map(|path| (before.starts_with("pub"), path)),
        );
    }
    found
}

/// The leaves of a tree of paths, `a::{b, c::{self, D}}`.
fn expand(tree: &str, before: &[String], found: &mut Vec<Vec<String>>) {
    let tree = tree.trim();
    if let Some(group) = tree.strip_prefix('{') {
        let group = &group[..group.rfind('}').unwrap_or(group.len())];
        let mut depth = 0;
        let parts = group.split(|c| {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            c == ',' && depth == 0
        });
        for part in parts.filter(|part| !part.trim().is_empty()) {
            expand(part, before, found);
        }
        return;
    }
    let (name, rest) = match tree.split_once("::") {
        Some((name, rest)) => (name, Some(rest)),
        None => (tree.split(' ').next().unwrap_or(tree), None),
    };
    let path = [before, &[name.trim().to_owned()]].concat();
    match rest {
        Some(rest) => expand(rest, &path, found),
        None => found.push(path),
    }
}

/// Every `crate::…` path that stands in the code itself.
fn inline(text: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("crate::") {
        let before = text[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || "_$".contains(c)) {
            continue;
        }
        let path: String = text[at..]
            .chars()
            .take_while(|c| c.is_alphanumeric() || "_:".contains(*c))
            .collect();
        found.push(
            path.split("::")
                .filter(|name| !name.is_empty())
                .map(ToOwned::to_owned)
                .collect(),
        );
    }
    found
}

/// The child of a folder in which a module lies; none for the folder's own file.
fn child<'m>(folder: &str, module: &'m str) -> Option<&'m str> {
    let inside = match folder {
        "" => module,
        folder => module.strip_prefix(folder)?.strip_prefix("::")?,
    };
    Some(first(inside)).filter(|name| !name.is_empty())
}

fn first(module: &str) -> &str {
    module.split("::").next().unwrap_or(module)
}

#[test]
fn paths_are_read_as_rust_reads_them() {
    let read = |text: &str| {
        let shown = |path: Vec<String>| path.join("::");
        let used = uses(text).into_iter().map(|(_, path)| shown(path));
        let inline = inline(text).into_iter().map(shown);
        used.chain(inline.filter(|path| !path.is_empty() && path != "crate"))
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect::<Vec<_>>()
    };
    assert!(read("use crate::text::{Source, Span};").contains(&"crate::text::Span".to_owned()));
    assert!(
        read("pub use crate::{\n  diag::{Code, Label},\n  text,\n};")
            .contains(&"crate::diag::Label".to_owned())
    );
    assert_eq!(
        read("fn f(x: crate::sym::Expr) -> crate::number::Real"),
        ["crate::number::Real", "crate::sym::Expr"]
    );
    assert!(read("use subcrate::text;").contains(&"subcrate::text".to_owned()));
    assert!(read("let x = 1;").is_empty());
    let circle = BTreeMap::from([
        ("a", BTreeSet::from(["b"])),
        ("b", BTreeSet::from(["a", "c"])),
        ("c", BTreeSet::new()),
    ]);
    assert_eq!(circles_of(&circle), [["a", "b"]]);
}

#[test]
fn the_type_of_methods_is_read() {
    let read = [
        ("impl Warp<'_, '_> {", Some("Warp")),
        ("impl<'p> Sweep<'p> {", Some("Sweep")),
        ("    impl<T: Into<Vec<u8>>> Name<T> {", Some("Name")),
        ("impl fmt::Display for Name {", None),
        ("impl<T> From<T> for Name {", None),
        ("implement(of)", None),
    ];
    for (line, name) in read {
        assert_eq!(own_impl(line), name, "{line}");
    }
}
