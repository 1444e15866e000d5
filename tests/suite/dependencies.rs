//! What the lockfile brings along: licences that `deny.toml` allows, and no crate that needs a later
//! compiler than `Cargo.toml` promises. The packages beside the crate have lockfiles of their own, which
//! have to follow.

use std::process::Command;

use serde_json::Value;

/// Every package of the lockfile, as Cargo describes it; those of other systems only where Cargo has them
/// or can fetch them, since a build of this one never did.
fn packages() -> Vec<Value> {
    let metadata = metadata(&[]).or_else(|_| {
        let host = cargo(&["-vV"]).expect("cargo tells its version");
        let mut lines = host.lines();
        let host = lines.find_map(|line| line.strip_prefix("host: "));
        metadata(&["--offline", "--filter-platform", host.expect("its host")])
    });
    let metadata = metadata.unwrap_or_else(|told| panic!("{told}"));
    let packages = metadata["packages"].as_array().expect("a list").clone();
    assert!(packages.len() > 50, "{} packages", packages.len());
    packages
}

fn metadata(more: &[&str]) -> Result<Value, String> {
    let arguments = ["metadata", "--locked", "--format-version", "1"];
    let told = cargo(&[&arguments, more].concat())?;
    serde_json::from_str(&told).map_err(|fault| fault.to_string())
}

/// What Cargo prints, or what it complains of.
fn cargo(arguments: &[&str]) -> Result<String, String> {
    let mut command = Command::new(env!("CARGO"));
    command
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    let output = command.output().expect("cargo starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() {
        Ok(text(&output.stdout))
    } else {
        Err(text(&output.stderr))
    }
}

fn text<'a>(package: &'a Value, key: &str) -> &'a str {
    package[key].as_str().unwrap_or_default()
}

fn version(text: &str) -> Vec<u32> {
    let parts = text.split('.').take(2);
    parts.map(|part| part.parse().expect("a number")).collect()
}

#[test]
fn no_crate_needs_a_later_compiler_than_we_promise() {
    let ours = version(env!("CARGO_PKG_RUST_VERSION"));
    for package in packages() {
        let needed = text(&package, "rust_version");
        assert!(
            needed.is_empty() || version(needed) <= ours,
            "{} needs Rust {needed}",
            text(&package, "name")
        );
    }
}

/// Whether the allowed licences satisfy an expression such as `(MIT OR Zlib) AND ISC`.
fn allows(licence: &str, allowed: &[&str]) -> bool {
    let parts = |joint: &str| {
        let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
        for (at, sign) in licence.char_indices() {
            match sign {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ if depth == 0 && at >= start && licence[at..].starts_with(joint) => {
                    parts.push(&licence[start..at]);
                    start = at + joint.len();
                }
                _ => {}
            }
        }
        parts.push(&licence[start..]);
        parts
    };
    let (either, both) = (parts(" OR "), parts(" AND "));
    let inner = licence
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'));
    if either.len() > 1 {
        either.iter().any(|one| allows(one, allowed))
    } else if both.len() > 1 {
        both.iter().all(|one| allows(one, allowed))
    } else if let Some(inner) = inner {
        allows(inner, allowed)
    } else {
        allowed.contains(&licence)
    }
}

#[test]
fn a_licence_expression_is_read_with_its_brackets() {
    let allowed = ["MIT", "Zlib"];
    for (licence, wanted) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("GPL-3.0 AND MIT", false),
        ("(GPL-3.0 OR MIT) AND Zlib", true),
        ("(MIT OR Zlib) AND GPL-3.0", false),
        ("GPL-3.0 OR MIT AND Zlib", true),
        ("(MIT AND GPL-3.0) OR (Zlib)", true),
    ] {
        assert_eq!(allows(licence, &allowed), wanted, "{licence}");
    }
}

#[test]
fn every_licence_is_one_that_is_allowed() {
    let deny = include_str!("../../deny.toml");
    let deny: toml::Table = deny.parse().expect("TOML");
    let allowed = deny["licenses"]["allow"].as_array().expect("a list");
    let allowed: Vec<&str> = allowed.iter().filter_map(toml::Value::as_str).collect();
    assert!(allowed.contains(&"MIT") && !allowed.iter().any(|one| one.starts_with("GPL")));
    for package in packages() {
        let licence = text(&package, "license").replace('/', " OR ");
        let words: Vec<&str> = licence.split_whitespace().collect();
        let licence = words.join(" ");
        let is_allowed = allows(&licence, &allowed);
        assert!(is_allowed, "{}: {licence}", text(&package, "name"));
    }
}

/// Whether a package's lockfile holds; the complaint where it does not, and `None` where the registry's index is neither
/// here nor within reach. `update --workspace` changes only what the manifests ask for, so with `--locked` it changes
/// nothing; it reads the index alone, where `metadata` and `fetch` download every crate.
fn lockfile_holds(package: &str) -> Option<Result<(), String>> {
    let manifest = format!("{package}/Cargo.toml");
    let arguments = [
        "update",
        "--workspace",
        "--locked",
        "--manifest-path",
        &manifest,
    ];
    for offline in [&["--offline"][..], &[]] {
        match cargo(&[&arguments, offline].concat()) {
            Ok(_) => return Some(Ok(())),
            Err(told) if told.contains("--locked was passed") => return Some(Err(told)),
            Err(_) => {}
        }
    }
    None
}

#[test]
fn the_packages_beside_the_crate_have_lockfiles_that_hold() {
    for package in [
        "playground",
        "fuzz",
        "python",
        "editors/tree-sitter/generate",
    ] {
        match lockfile_holds(package) {
            Some(holds) => holds.unwrap_or_else(|told| panic!("{package}/Cargo.lock: {told}")),
            None => println!("{package}/Cargo.lock is not looked at: no index of the registry"),
        }
    }
}
