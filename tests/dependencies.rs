//! What the lockfile brings along: licences that `deny.toml` allows, and no crate that needs a later
//! compiler than `Cargo.toml` promises.

use std::process::Command;

use serde_json::Value;

/// Every package of the lockfile, as Cargo describes it.
fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--locked", "--format-version", "1"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo starts");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let metadata: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{told}"));
    let packages = metadata["packages"].as_array().expect("a list").clone();
    assert!(packages.len() > 50, "{told}");
    packages
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

#[test]
fn every_licence_is_one_that_is_allowed() {
    let deny = include_str!("../deny.toml");
    let deny: toml::Table = deny.parse().expect("TOML");
    let allowed = deny["licenses"]["allow"].as_array().expect("a list");
    let allowed: Vec<&str> = allowed.iter().filter_map(toml::Value::as_str).collect();
    assert!(allowed.contains(&"MIT") && !allowed.iter().any(|one| one.starts_with("GPL")));
    for package in packages() {
        let licence = text(&package, "license").replace('/', " OR ");
        // One of the alternatives at least, with all that it demands.
        let mut alternatives = licence.split(" OR ");
        let is_allowed = alternatives.any(|alternative| {
            let mut all = alternative.split(" AND ");
            all.all(|one| allowed.contains(&one.trim_matches(['(', ')', ' '])))
        });
        // `(A OR B) AND C` falls apart at OR; its last part holds `B) AND C`.
        assert!(is_allowed, "{}: {licence}", text(&package, "name"));
    }
}
